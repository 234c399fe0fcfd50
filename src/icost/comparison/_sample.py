"""A part of a large table that a comparison makes do with, and how long the whole would take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from icost._core.arrays import Ints
from icost._core.labels import class_totals
from icost._core.validation import check_number

FEWEST = 10
"""Rows of each class that a sample has at least, if the table has them: two for each of 5 folds."""

GROWTH = {"svm": 2.0}
"""Powers of the number of rows with which the time of a classifier grows."""

USUAL_GROWTH = 1.25
"""That of all others, as measured with logistic regression by ``benchmarks/compare_speed.py``."""


def sample_rows(codes: Ints, max_rows: int | None, random_state: int = 0) -> Ints | None:
    """Return the rows of a stratified sample, in their order; None if all rows are wanted.

    Each class keeps its share of the rows, but for those that would have fewer than `FEWEST`.
    """
    if max_rows is None:
        return None
    check_number("max_rows", max_rows, low=1, integer=True)
    if max_rows >= len(codes):
        return None
    totals = class_totals(codes).astype(np.intp)
    least = np.minimum(totals, FEWEST)
    if max_rows < least.sum():
        raise ValueError(
            f"max_rows must be at least {least.sum()}, up to {FEWEST} rows for each of "
            f"{len(totals)} classes, got {max_rows}."
        )
    wanted = _shares(totals, least, max_rows)
    rng = np.random.default_rng(random_state)
    rows = [
        rng.choice(np.flatnonzero(codes == code), number, replace=False)
        for code, number in enumerate(wanted)
    ]
    return np.sort(np.concatenate(rows))


def _shares(totals: Ints, least: Ints, max_rows: int) -> Ints:
    """How many rows each class has: its share, rounded by the largest remainders."""
    sizes = least.copy()
    is_open = np.ones(len(totals), dtype=bool)
    while True:
        # Rows that rare classes have beyond their share are taken from the others by theirs.
        exact = totals * ((max_rows - sizes[~is_open].sum()) / totals[is_open].sum())
        too_few = is_open & (exact < least - 1e-9)
        if not too_few.any():
            break
        is_open &= ~too_few
    sizes[is_open] = np.floor(exact[is_open])
    rest = int(max_rows - sizes.sum())
    by_remainder = np.argsort(-np.where(is_open, exact - np.floor(exact), -1.0), kind="stable")
    sizes[by_remainder[:rest]] += 1
    return sizes


def growth(times_rows: float, classifiers: Sequence[str]) -> float:
    """Return how many times as long so many times the rows will take, roughly."""
    return times_rows ** max(GROWTH.get(name, USUAL_GROWTH) for name in classifiers)
