"""Is the choice of classifier and strategy better than that of a strategy for logistic regression?

    python benchmarks/auto_choice.py --out results/benchmarks

One data set per family of the paper's and of the 28 recorded ones. On each training part of five
outer folds, `iCostAuto` chooses once from its defaults and once from the strategies with logistic
regression, and both models are scored on the test part. What each promised is kept beside it: this
is nested cross-validation of the promise. Rows that the table has are not computed again.
"""

import argparse
import warnings
from time import process_time

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from icost import iCostAuto
from icost.datasets import load_dataset

PAPER = (
    *("glass1", "new-thyroid1", "vehicle1", "yeast-1_vs_7", "pima", "wisconsin", "ecoli3"),
    *("cleveland-0_vs_4", "vowel", "page-blocks-1-3_vs_4", "abalone", "winequality-red-8_vs_6"),
    *("shuttle-c0-vs-c4", "poker-8-9_vs_6", "kddcup-land_vs_satan"),
)
"""One data set per family of the paper's."""
RECORDED = (
    *("appendicitis", "haberman", "hepatitis", "ionosphere", "saheart", "spectfheart", "wdbc"),
    *("iris0", "segment0", "cm1", "kc1", "pc1", "car-good", "dermatology-6", "flare-F"),
    *("kr-vs-k-one_vs_fifteen", "led7digit-0-2-4-5-6-7-8-9_vs_1", "lymphography-normal-fibrosis"),
    *("zoo-3", "ada", "satimage", "hypothyroid", "german"),
)
"""The first data set of each family of the 28 on which the ensemble was confirmed."""
CHOICES = {"two stages": None, "lr only": "lr"}


def run(name, number, train, test, X, y, options):
    row = {"dataset": name, "fold": str(number), "inner": f"{options.splits} x {options.repeats}"}
    for what, classifier in CHOICES.items():
        start = process_time()
        model = iCostAuto(classifier, n_splits=options.splits, n_repeats=options.repeats)
        model.fit(X.iloc[train], y.iloc[train])
        seconds = process_time() - start
        score = matthews_corrcoef(y.iloc[test], model.predict(X.iloc[test]))
        chosen = f"{model.best_classifier_}:{model.best_strategy_}".lstrip(":")
        row |= {what: chosen, f"{what}: MCC": f"{score:.4f}"}
        row |= {f"{what}: promised": f"{model.best_score_:.4f}"}
        row |= {f"{what}: CPU seconds": f"{seconds:.1f}"}
    return row


def summarise(rows):
    table = pd.DataFrame(rows)
    for what in CHOICES:
        for column in ("MCC", "promised", "CPU seconds"):
            table[f"{what}: {column}"] = table[f"{what}: {column}"].astype(float)
    by_set = table.groupby("dataset").mean(numeric_only=True)
    print(by_set.round(3).to_string())
    rng = np.random.default_rng(0)
    for title, values in {
        "two stages minus lr only": by_set["two stages: MCC"] - by_set["lr only: MCC"],
        "promised minus scored": by_set["two stages: promised"] - by_set["two stages: MCC"],
    }.items():
        draws = rng.choice(values.to_numpy(), (10_000, len(values))).mean(axis=1)
        low, high = np.percentile(draws, [2.5, 97.5])
        print(f"{title}: {values.mean():+.3f} [{low:+.3f}, {high:+.3f}] over {len(values)} sets")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outer", type=int, default=5)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=PAPER + RECORDED)
    add_out(parser)
    options = parser.parse_args()
    rows = recorded(options.out, "auto_choice")
    seen = {(row["dataset"], row["fold"], row["inner"]) for row in rows}
    # Fold by fold through all sets: a run that is cut short has something of each.
    for number in range(options.outer):
        for name in options.sets:
            if (name, str(number), f"{options.splits} x {options.repeats}") in seen:
                continue
            collection = "confirmation" if name in RECORDED else None
            X, y = load_dataset(name, collection=collection, return_X_y=True)
            folds = StratifiedKFold(options.outer, shuffle=True, random_state=0)
            train, test = list(folds.split(X, y))[number]
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append(run(name, number, train, test, X, y, options))
            print(*rows[-1].values(), sep="  ", flush=True)
            record(rows, options.out, "auto_choice")
    summarise(rows)


if __name__ == "__main__":
    main()
