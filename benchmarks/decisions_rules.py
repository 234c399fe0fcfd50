"""Does the library's threshold decide as well as the one of the recorded study?

    python benchmarks/decisions_rules.py --out results/benchmarks

The recorded rows have scikit-learn's search for the best MCC on plain scores; the library has
`ThresholdClassifier("stable")`. It is fitted here to the same training folds, and both are judged
on the same test folds. Data sets that the table has already are not fitted again.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from threadpoolctl import threadpool_limits

from icost import ThresholdClassifier
from icost.metrics import confusion_scores
from icost.strategies._estimators import get_classifier
from icost_reproduction.plan import Protocol
from icost_reproduction.preparation import load_table, make_fold
from icost_reproduction.rank_tests import mean_interval, source_of

PROTOCOL = Protocol(n_splits=5, n_repeats=1, seed=50, scaler="standard", reseed=True)
"""That of the recorded rows."""


def mcc(matrices):
    """Return Matthews' coefficient of each fold."""
    return confusion_scores(np.reshape(matrices, (-1, 2, 2)), 1, ["mcc"])["mcc"]


def spread(thresholds):
    """Return the standard deviation between folds; NaN for a threshold that is not a number."""
    return float(np.std(thresholds))


def compare_rules(dataset, classifier, rows):
    """Return the scores and thresholds of both rules on the folds of one data set."""
    rows = rows.sort_values("fold")
    table = load_table(dataset, "binary", "keel")
    matrices, cuts = [], []
    for number in rows["fold"]:
        fold = make_fold(table, PROTOCOL, 0, number)
        base = get_classifier(classifier).make(PROTOCOL.seed)
        model = ThresholdClassifier(base, "stable", random_state=fold.train.random_state)
        decided = model.fit(fold.train.X, fold.train.y).predict(fold.X_test)
        matrices.append(np.bincount(2 * fold.y_test + decided, minlength=4))
        cuts.append(model.threshold_)
    before = rows["note"].str.extract(r"threshold ([-\d.e]+)")[0].astype(float)
    return {
        "dataset": dataset,
        "classifier": classifier,
        "minority": int((table.y == 1).sum()),
        "recorded": round(float(mcc(list(rows["confusion"])).mean()), 4),
        "stable": round(float(mcc(matrices).mean()), 4),
        "spread recorded": round(spread(before), 4),
        "spread stable": round(spread(cuts), 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=Path, default=Path("results/honest/rows/all.parquet"))
    parser.add_argument("--classifier", nargs="+", default=["lr", "xgb"])
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = pd.read_parquet(given.rows)
    rows = rows[(rows["strategy"] == "threshold") & rows["classifier"].isin(given.classifier)]
    entries = recorded(given.out, "decisions_rules")
    finished = {(entry["dataset"], entry["classifier"]) for entry in entries}
    with threadpool_limits(1):
        for (classifier, dataset), folds in rows.groupby(["classifier", "dataset"], observed=True):
            if (dataset, classifier) not in finished:
                entries.append(compare_rules(dataset, classifier, folds))
                record(entries, given.out, "decisions_rules")
    table = pd.DataFrame(entries).astype({"recorded": float, "stable": float, "minority": int})
    for classifier, rows in table.groupby("classifier"):
        gain = rows["stable"] - rows["recorded"]
        mean, low, high = mean_interval(gain, groups=rows["dataset"].map(source_of))
        wins, losses = (gain > 0.001).sum(), (gain < -0.001).sum()
        print(
            f"{classifier}: recorded {rows['recorded'].mean():.3f}, stable "
            f"{rows['stable'].mean():.3f}, difference {mean:+.3f} ({low:+.3f} to {high:+.3f}), "
            f"better on {wins}, worse on {losses} of {len(rows)}; spread of the threshold "
            f"{rows['spread recorded'].astype(float).mean():.3f} and "
            f"{rows['spread stable'].astype(float).mean():.3f}"
        )


if __name__ == "__main__":
    main()
