"""Compare what an ensemble says of itself with nested cross-validation, at five times the cost.

    python benchmarks/own_word.py --classifier lr --classifier dt --jobs 2 --out results/benchmarks

On the folds of the honest study: `oof_score_` of the ensemble, and the MCC of an ensemble that is
cross-validated inside of the training fold, both beside the MCC of the test fold.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from recording import add_out, record
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from threadpoolctl import threadpool_limits

from icost import iCostEnsemble
from icost.datasets import list_datasets
from icost.experiments.plan import load_plan
from icost.experiments.preparation import load_table, make_fold
from icost.labels import most_folds
from icost.strategies.classifiers import get_classifier

PROTOCOL = load_plan("honest", profile="honest").protocol


def run(dataset, number, classifier):
    table = load_table(dataset, "binary", PROTOCOL.variant)
    fold = make_fold(table, PROTOCOL, 0, number)
    X, y, seed = fold.train.X, fold.train.y, PROTOCOL.seed
    options = {"minority_label": 1, "preprocessor": None, "random_state": seed}
    model = iCostEnsemble(get_classifier(classifier).make(seed), **options)
    inner = StratifiedKFold(max(2, most_folds(y, 5)), shuffle=True, random_state=seed)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            nested = matthews_corrcoef(y, cross_val_predict(model, X, y, cv=inner))
        except ValueError:
            nested = np.nan  # an inner fold with one minority row left to learn from
        model.fit(X, y)
        test = matthews_corrcoef(fold.y_test, model.predict(fold.X_test))
    own = model.oof_score_["mcc"]["value"]
    return {
        "dataset": dataset,
        "classifier": classifier,
        "own": own,
        "nested": nested,
        "test": test,
    }


def summarise(table):
    for classifier, rows in table.groupby("classifier", sort=False):
        rows = rows.dropna()
        means = 100 * rows.groupby("dataset")[["own", "nested", "test"]].mean()
        line = {"classifier": classifier, "sets": len(means)}
        for name in ("own", "nested"):
            off = means[name] - means["test"]
            line[f"{name}, mean off"] = f"{off.mean():+.2f}"
            line[f"{name}, median off"] = f"{off.abs().median():.2f}"
        yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classifier", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    add_out(parser)
    options = parser.parse_args()
    work = [
        (dataset, number, classifier)
        for classifier in options.classifier or ("lr", "dt")
        for dataset in list_datasets(kind="binary")
        for number in range(PROTOCOL.n_splits)
    ]
    rows = Parallel(n_jobs=options.jobs)(delayed(run)(*w) for w in work)
    lines = list(summarise(pd.DataFrame(rows)))
    print(pd.DataFrame(lines).to_string(index=False))
    record(lines, options.out, "own_word")


if __name__ == "__main__":
    main()
