"""Folds of the pass: stratified, by groups, forward in time, or one held-out fifth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

from icost._core.arrays import Bools, Ints
from icost._core.doubts import FEW_ROWS
from icost._core.labels import GroupsHoldClass, class_totals, most_folds
from icost._table._rows import Rows

N_SPLITS = 5
"""Folds of a repeat."""

ENOUGH_HELD_OUT = 1000
"""Held-out rows of the smallest class from which on one fifth of the rows takes folds' place."""

MOST_REPEATS = 5
"""Repeats where the smallest class has fewer than `FEW_ROWS` rows: one split decides too much."""


@dataclass(frozen=True, eq=False)
class Folds:
    """Which rows are held out together, for each repeat; -1 marks rows that never are.

    Forward in time, what comes before a part is what its models learn from; else all other rows.
    """

    parts: Ints
    how: str
    notes: tuple[str, ...] = ()
    is_by_time: bool = False

    @property
    def n_repeats(self) -> int:
        """How many times the rows were split."""
        return len(self.parts)

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """Repeat and part of each fold, in order."""
        return [
            (repeat, fold)
            for repeat, parts in enumerate(self.parts)
            for fold in range(int(parts.max()) + 1)
        ]

    @property
    def is_held_out(self) -> Bools:
        """Which rows have scores."""
        return self.parts[0] >= 0

    def training_rows(self, repeat: int, fold: int) -> Ints:
        """Return the rows that a fold's models learn from."""
        parts = self.parts[repeat]
        return np.flatnonzero(parts < fold if self.is_by_time else parts != fold)

    def held_out_rows(self, repeat: int, fold: int) -> Ints:
        """Return the rows that a fold's models score."""
        return np.flatnonzero(self.parts[repeat] == fold)


def make_folds(
    rows: Rows, n_splits: int | None = None, n_repeats: int | None = None, random_state: int = 0
) -> Folds:
    """Return the folds of a table: by time or groups where it has them, else stratified.

    By default there are five folds, repeated where a class has few rows, and a single held-out
    fifth where it holds a thousand rows of the smallest class.
    """
    fewest = _check_rows(rows)
    is_large = n_splits is None and fewest >= N_SPLITS * ENOUGH_HELD_OUT
    size = N_SPLITS if n_splits is None else n_splits
    if rows.time is not None:
        return _forward_folds(rows, rows.time, size, is_large)
    repeats = 1 if is_large else n_repeats or usual_repeats(fewest)
    n_folds, how = _number_of_folds(rows, most_folds(rows.codes, size))
    is_fewer = f"The rarest class has {fewest} rows, so there are {n_folds} folds."
    parts = np.array([split_rows(rows, n_folds, random_state + r) for r in range(repeats)])
    if is_large:
        parts = np.where(parts == 0, 0, -1)
        how = f"one held-out {'part' if n_folds < N_SPLITS else 'fifth'} of the rows"
    how += f", repeated {repeats} times" if repeats > 1 else ""
    return Folds(parts, how, (is_fewer,) if fewest < size else ())


def _check_rows(rows: Rows) -> int:
    """Return how many rows the smallest class has, or raise where there can be no folds."""
    if rows.groups is not None and rows.time is not None:
        raise ValueError("groups and time cannot both decide the folds, got both.")
    fewest = int(class_totals(rows.codes).min())
    if fewest < 2:
        raise ValueError(
            "every class needs at least two rows, one to learn from and one to test on, got "
            f"{fewest} of the rarest."
        )
    return fewest


def _number_of_folds(rows: Rows, most: int) -> tuple[int, str]:
    """Return how many folds there are, no more than groups, and how they are made."""
    if rows.groups is None:
        return most, f"{most} stratified folds"
    n_groups = int(rows.groups.max()) + 1
    if n_groups < 2:
        raise ValueError("the group column must have at least two groups, got one.")
    n_folds = min(most, n_groups)
    return n_folds, f"{n_folds} folds that keep each of {n_groups:,} groups together"


def usual_repeats(fewest: int) -> int:
    """Return how often folds are repeated, by the rows of the smallest class."""
    return MOST_REPEATS if fewest < FEW_ROWS else 1


def split_rows(rows: Rows, n_folds: int, seed: int) -> Ints:
    """Return the part of each row in one shuffled split, stratified and by whole groups."""
    splitter: Any = StratifiedKFold(n_folds, shuffle=True, random_state=seed % 2**32)
    if rows.groups is not None:
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed % 2**32)
    parts = np.empty(rows.n_rows, dtype=np.intp)
    pairs = splitter.split(np.zeros(rows.n_rows), rows.codes, rows.groups)
    for fold, (train, test) in enumerate(pairs):
        if len(np.unique(rows.codes[train])) < rows.n_classes:
            raise GroupsHoldClass(
                "groups must leave rows of every class to learn from when some are held out, got a "
                "class whose rows are all in the held-out groups."
            )
        parts[test] = fold
    return parts


def _forward_folds(rows: Rows, time: NDArray[Any], n_splits: int, is_large: bool) -> Folds:
    """Return parts in the order of time; rows of one moment stay together."""
    order = np.argsort(time, kind="stable")
    moments = time[order]
    starts = [t[0] for _, t in TimeSeriesSplit(min(n_splits, rows.n_rows - 1)).split(order)]
    starts = starts[-1:] if is_large else starts
    cuts = np.unique(np.searchsorted(moments, moments[np.array(starts) - 1], side="right"))
    edges = [*cuts[cuts < rows.n_rows].tolist(), rows.n_rows]
    parts, fold, lost = np.full(rows.n_rows, -1, dtype=np.intp), 0, 0
    for start, end in pairwise(edges):
        counts = np.bincount(rows.codes[order[:start]], minlength=rows.n_classes)
        if counts.min() < 2:
            lost += 1  # nothing to learn a class from: these rows are only learned from
            continue
        parts[order[start:end]] = fold
        fold += 1
    counts = np.bincount(rows.codes[parts >= 0], minlength=rows.n_classes)
    if not fold or counts.min() < 2:
        label = rows.classes.tolist()[int(counts.argmin())]
        raise ValueError(
            "folds in the order of time need at least two rows of every class both early and late, "
            f"got {counts.min()} late rows of class {label!r}: leave the time column out."
        )
    notes = (f"{lost} early stretches of time lack a class, and are learned from only.",)
    count = f"{fold} folds" if fold > 1 else "the last stretch"
    how = f"{count} in the order of time, tested on what follows the training rows"
    return Folds(parts[np.newaxis], how, notes if lost else (), is_by_time=True)
