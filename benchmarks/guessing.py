"""How often does a comparison recommend a model on noise, and how often does it refuse a real one?

    python benchmarks/guessing.py noise --tables 100
    python benchmarks/guessing.py paper --classifier lr

Rows go to ``results/benchmarks/guessing_<what>_two_stages.csv``, with a classifier to
``guessing_<what>.csv``; those that are there are not run again. ``raw`` is the score of the choice
and ``corrected`` what is to be expected of it on new rows: on noise about 0.
"""

import argparse
from pathlib import Path

import numpy as np
from recording import record, recorded

from icost.comparison import compare
from icost.datasets import list_datasets, load_dataset

RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"
N_ROWS, N_ILL, N_COLUMNS = 300, 38, 8


def noise(number):
    rng = np.random.default_rng(number)
    y = rng.permutation(np.repeat(["well", "ill"], [N_ROWS - N_ILL, N_ILL]))
    return rng.normal(size=(N_ROWS, N_COLUMNS)), y


def tables(what, n_tables):
    if what == "noise":
        return {
            f"noise-{number}": lambda number=number: noise(number) for number in range(n_tables)
        }
    return {
        name: lambda name=name: load_dataset(name, return_X_y=True)
        for name in list_datasets("binary")
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["noise", "paper"])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--classifier", help="instead of the two stages")
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    stages = "" if options.classifier else "_two_stages"
    path = RESULTS / f"guessing_{options.what}{stages}.csv"
    rows = recorded(RESULTS, path.stem)
    seen = {row["table"] for row in rows}
    for name, load in tables(options.what, options.tables).items():
        if name in seen:
            continue
        settings = {"n_splits": options.folds, "n_repeats": 1, "max_rows": 2000}
        result = compare(*load(), classifier=options.classifier, **settings)
        recommended = result.recommendation["name"] if result.recommendation else ""
        score = {key: result.selection[key] for key in ("raw", "corrected", "low", "high")}
        numbers = {key: "" if value is None else f"{value:.4f}" for key, value in score.items()}
        rows.append({"table": name, "folds": options.folds, "recommended": recommended} | numbers)
        record(rows, RESULTS, path.stem)
    kept = [row["table"] for row in rows if row["recommended"]]
    refused = [row["table"] for row in rows if not row["recommended"]]
    print(f"{len(kept)} of {len(rows)} tables get a recommendation; refused: {', '.join(refused)}")


if __name__ == "__main__":
    main()
