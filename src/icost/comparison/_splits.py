"""Folds: stratified, by group or by time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, TimeSeriesSplit

from icost._core.arrays import Ints
from icost._core.labels import class_totals, most_folds
from icost._table._rows import points_in_time


@dataclass(frozen=True, eq=False)
class Splits:
    """Folds of a table as pairs of training and test rows, those of the first repeat first."""

    pairs: list[tuple[Ints, Ints]]
    n_folds: int  # of one repeat
    how: str
    notes: list[str]
    n_repeats: int = 1
    is_by_time: bool = False

    def how_many(self, n_fits: int) -> str:
        """Return how the folds were made, of which a strategy was fitted to so many."""
        repeats = max(1, round(self.n_repeats * n_fits / len(self.pairs)))
        return self.how + (f", repeated {repeats} times" if repeats > 1 else "")

    @property
    def test_share(self) -> float:
        """Rows of a test fold per row of its training fold, on average."""
        return float(np.mean([len(test) / len(train) for train, test in self.pairs]))

    def fewest(self, codes: Ints) -> int:
        """Return how many rows the rarest class has in the training fold that has fewest."""
        n_classes = int(codes.max()) + 1
        counts = [np.bincount(codes[train], minlength=n_classes) for train, _ in self.pairs]
        return int(np.min(counts))


def make_splits(
    codes: Ints,
    *,
    n_splits: int = 5,
    n_repeats: int = 3,
    groups: Ints | None = None,
    time: ArrayLike | None = None,
    random_state: int = 0,
) -> Splits:
    """Make the folds of a comparison; those that lack a class are left out, which is noted."""
    if groups is not None and time is not None:
        raise ValueError("groups and time cannot both decide the folds, got both.")
    rarest = int(class_totals(codes).min())
    if rarest < 2:
        raise ValueError(
            "a comparison needs at least two rows of each class, one to learn from and one to "
            f"test on, got {rarest} of the rarest."
        )
    if time is not None:
        return _by_time(codes, time, n_splits)
    if groups is not None:
        return _by_group(codes, groups, n_splits, n_repeats, random_state)
    n_folds = most_folds(codes, n_splits)
    splitter = RepeatedStratifiedKFold(
        n_splits=n_folds, n_repeats=n_repeats, random_state=random_state
    )
    notes = []
    if n_folds < n_splits:
        notes.append(f"The rarest class has {rarest} rows, so there are {n_folds} folds.")
    pairs = list(splitter.split(np.zeros(len(codes)), codes))
    return Splits(pairs, n_folds, f"{n_folds} stratified folds", notes, n_repeats)


def _by_group(codes: Ints, groups: Ints, n_splits: int, n_repeats: int, seed: int) -> Splits:
    n_groups = int(groups.max()) + 1
    n_folds = min(n_splits, n_groups)
    if n_folds < 2:
        raise ValueError("the group column must have at least two groups, got one.")
    pairs: list[Any] = []
    for repeat in range(n_repeats):
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed + repeat)
        pairs += splitter.split(np.zeros(len(codes)), codes, groups)
    how = f"{n_folds} folds that keep each of {n_groups} groups together"
    return _usable(Splits(pairs, n_folds, how, [], n_repeats), codes)


def _by_time(codes: Ints, time: ArrayLike, n_splits: int) -> Splits:
    moments = points_in_time(time)
    order = np.argsort(moments, kind="stable")
    ordered, n_folds = moments[order], min(n_splits, len(codes) - 1)
    starts = [test[0] for _, test in TimeSeriesSplit(n_folds).split(order)]
    # Rows of one moment stay together: nothing says which of them came first.
    cuts = np.unique(np.searchsorted(ordered, ordered[np.array(starts) - 1], side="right"))
    ends = np.unique([*cuts, len(order)])
    pairs = [(order[:cut], order[cut:end]) for cut, end in pairwise(ends)]
    if len(pairs) < 2:
        raise ValueError(
            f"the time column has too few different times for {n_folds} folds, got "
            f"{len(np.unique(moments))}."
        )
    how = f"{len(pairs)} folds in the order of time, each tested on what follows its training rows"
    return _usable(Splits(pairs, len(pairs), how, [], is_by_time=True), codes)


def _usable(splits: Splits, codes: Ints) -> Splits:
    n_classes = int(codes.max()) + 1
    # Two rows of each class to learn from: strategies that tune need inner folds.
    counts = [np.bincount(codes[train], minlength=n_classes) for train, _ in splits.pairs]
    has_all = [
        n.min() >= 2 and len(np.unique(codes[test])) == n_classes
        for n, (_, test) in zip(counts, splits.pairs, strict=True)
    ]
    pairs = [pair for pair, good in zip(splits.pairs, has_all, strict=True) if good]
    lost = len(splits.pairs) - len(pairs)
    if len(pairs) < 2:
        raise ValueError(
            f"of {len(splits.pairs)} folds only {len(pairs)} have rows of every class both to "
            "learn from and to test on: use fewer folds, or another column."
        )
    note = [f"{lost} of {len(splits.pairs)} folds lack a class and are left out."] if lost else []
    n_folds = sum(has_all[: splits.n_folds])
    return replace(splits, pairs=pairs, n_folds=n_folds, notes=[*note, *splits.notes])
