"""Make the table of MAPIE's answers that the tests compare bounds and cuts with.

    python -m venv PEERS && PEERS/bin/pip install mapie==1.6.0
    PEERS/bin/python benchmarks/decisions_mapie.py tests/thresholds/data/mapie.csv

Scores are drawn from a seed, so that the tests draw the same ones. A row is a cut: how many rows
are behind it, how many are hits, MAPIE's p value, and the best cut of its fixed sequence.
"""

import csv
import sys
import warnings

import numpy as np
from mapie.risk_control import BinaryClassificationController

CASES = ((0, 300, 60), (1, 200, 25), (2, 1000, 80))
"""Seed, rows and minority rows."""


def draw(seed, n_rows, n_minority):
    """Return labels and scores of one case."""
    y = (np.arange(n_rows) < n_minority).astype(int)
    noise = np.random.RandomState(seed).normal(size=n_rows)
    return y, 1 / (1 + np.exp(-(noise + 3 * y - 2)))


def answers(seed, n_rows, n_minority, what, limit):
    """Return rows for some cuts of one case."""
    y, score = draw(seed, n_rows, n_minority)
    # From cuts that are surely kept to others, as a fixed sequence must.
    cuts = np.linspace(0.01, 0.99, 99)[:: 1 if what == "recall" else -1].copy()
    control = BinaryClassificationController(
        lambda X: np.column_stack([1 - X[:, 0], X[:, 0]]),
        what,
        target_level=limit,
        confidence_level=0.9,
        list_predict_params=cuts,
        fwer_method="fixed_sequence",
    ).calibrate(score[:, np.newaxis], y)
    best = control.best_predict_param
    for place in range(4, 99, 10):
        is_alert = score >= cuts[place]
        behind = (y == 1) if what == "recall" else is_alert
        if behind.sum() == 0:
            continue
        yield {
            "seed": seed,
            "n_rows": n_rows,
            "n_minority": n_minority,
            "what": what,
            "limit": limit,
            "n": int(behind.sum()),
            "hits": int((is_alert & (y == 1)).sum()),
            "p_value": f"{control.p_values[place, 0]:.8g}",
            "best": "" if best is None else f"{best:.2f}",
        }


def main():
    warnings.simplefilter("ignore")
    rows = [
        row
        for case in CASES
        for what in ("recall", "precision")
        for limit in (0.7, 0.8, 0.9)
        for row in answers(*case, what, limit)
    ]
    with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
