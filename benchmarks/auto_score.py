"""Compare the corrected score of a chosen strategy with that of nested cross-validation.

    python benchmarks/auto_score.py --out results/benchmarks

On ten sets, with logistic regression: the score of the recommended strategy by three folds, that
score corrected by `chosen_score`, and the true one, for which the comparison is
repeated inside each training fold and its recommendation is scored on the test fold. The folds are
the same for all three. Rows that the table has already are not computed again.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from threadpoolctl import threadpool_limits

from icost._table._columns import plain_table
from icost.comparison import compare
from icost.comparison._fold_run import Setup, run_fold
from icost.comparison._splits import make_splits
from icost.datasets import load_dataset
from icost.strategies import get_strategy

SETS = (
    "abalone",
    "ecoli2",
    "ecoli3",
    "ecoli4",
    "glass0",
    "glass2",
    "new-thyroid1",
    "pima",
    "vehicle1",
    "yeast4",
)
FOLDS = {"n_splits": 3, "n_repeats": 1}


def run(name, seed):
    X, y = load_dataset(name, return_X_y=True)
    found = compare(X, y, classifier="lr", random_state=seed, **FOLDS)
    table, codes = plain_table(X), (y == "positive").to_numpy().astype(np.intp)
    nested, chosen = [], []
    splits = make_splits(codes, random_state=seed, **FOLDS)
    for number, (train, test) in enumerate(splits.pairs):
        options = {"classifier": "lr", "random_state": seed, **FOLDS}
        inner = compare(X.iloc[train], y.iloc[train], **options)
        chosen.append(inner.candidate["strategy"])
        setup = Setup("lr", {chosen[-1]: get_strategy(chosen[-1])}, 2, random_state=seed)
        (result,) = run_fold(table, codes, (train, test), number, setup)
        nested.append(result.scores["mcc"])
    best = max(
        row["scores"]["mcc"]["mean"]
        for row in found.strategies
        if not row["name"].endswith("-mean")  # controls are never recommended
    )
    scores = {"best": best, **{key: found.selection[key] for key in ("raw", "corrected")}}
    scores |= {"low": found.selection["low"], "high": found.selection["high"]}
    return {
        "dataset": name,
        "seed": seed,
        "recommended": found.candidate["strategy"],
        "inside": " ".join(chosen),
        **{key: f"{100 * value:.2f}" for key, value in scores.items()},
        "nested": f"{100 * np.mean(nested):.2f}",
    }


def summarise(rows):
    table = pd.DataFrame(rows).astype(
        dict.fromkeys(("best", "raw", "corrected", "low", "high", "nested"), float)
    )
    for name in ("best", "raw", "corrected"):
        off = table[name] - table["nested"]
        print(
            f"{name:9} mean {table[name].mean():.2f}, off by {off.mean():+.2f} on average, ", end=""
        )
        print(f"by {off.abs().mean():.2f} in size")
    inside = table["nested"].between(table["low"], table["high"]).sum()
    print(f"nested    mean {table['nested'].mean():.2f}, in {inside} of {len(table)} intervals")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    add_out(parser)
    options = parser.parse_args()
    rows = recorded(options.out, "auto_score")
    known = {(row["dataset"], str(row["seed"])) for row in rows}
    for seed in range(options.seeds):
        for name in SETS:
            if (name, str(seed)) in known:
                continue
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append(run(name, seed))
            record(rows, options.out, "auto_score")
    summarise(rows)


if __name__ == "__main__":
    main()
