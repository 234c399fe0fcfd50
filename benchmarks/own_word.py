"""Cross-validate the ensemble inside the training folds of a study, at five times its cost.

    python benchmarks/own_word.py results/ensemble-honest/peers/nested.csv --study ensemble --jobs 2

How far `oof_score_`, which needs no further fits, is from test folds is in the rows of the study;
this is how far nested cross-validation is, on the same folds of the first repeat. The table
``<study>-nested`` has both. It goes on where it stopped.
"""

import argparse
import csv
import warnings
from pathlib import Path

from joblib import Parallel, delayed
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from threadpoolctl import threadpool_limits

from icost import iCostEnsemble
from icost._core.labels import most_folds
from icost.strategies._estimators import get_classifier
from icost_reproduction.plan import load_plan
from icost_reproduction.preparation import load_table, make_fold

COLUMNS = ("dataset", "classifier", "repeat", "fold", "nested")
CLASSIFIERS = ("lr", "svm", "dt")
"""Those whose hundred fits a fold take seconds."""


def run(plan, dataset, classifier, number):
    """Return one row; empty where an inner fold has too few minority rows to learn from."""
    table = load_table(dataset, plan.kind, plan.protocol.variant)
    fold = make_fold(table, plan.protocol, 0, number).train
    # As the study fits it: with all members, and without the last recalibration.
    model = iCostEnsemble(
        get_classifier(classifier).make(plan.protocol.seed),
        recalibrate=False,
        refit=False,
        minority_label=1,
        preprocessor=None,
        random_state=fold.random_state,
    )
    inner = StratifiedKFold(
        max(2, most_folds(fold.y, 5)), shuffle=True, random_state=fold.random_state
    )
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            decided = cross_val_predict(model, fold.X, fold.y, cv=inner)
            score = round(float(matthews_corrcoef(fold.y, decided)), 6)
        except ValueError as error:
            if "at least two rows" not in str(error):
                raise
            score = ""
    return dict(zip(COLUMNS, (dataset, classifier, 0, number, score), strict=True))


def wanted(plan, datasets, classifiers, out):
    """Return the folds that the table lacks."""
    done = set()
    if out.exists():
        with out.open(encoding="utf-8") as file:
            done = {(r["dataset"], r["classifier"], int(r["fold"])) for r in csv.DictReader(file)}
    work = [
        (dataset, classifier, number)
        for classifier in classifiers
        for dataset in datasets
        for number in plan.folds()
    ]
    return [task for task in work if task not in done]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--study", default="ensemble", choices=["ensemble", "confirmation"])
    parser.add_argument("--classifier", action="append", help="lr, svm and dt unless given")
    parser.add_argument("--dataset", action="append", help="only this one; repeatable")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    plan = load_plan(given.study, profile="honest")
    classifiers = given.classifier or CLASSIFIERS
    tasks = wanted(plan, given.dataset or plan.datasets, classifiers, given.out)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with given.out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()
        jobs = Parallel(n_jobs=given.jobs, return_as="generator")
        for row in jobs(delayed(run)(plan, *task) for task in tasks):
            writer.writerow(row)
            file.flush()


if __name__ == "__main__":
    main()
