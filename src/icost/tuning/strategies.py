"""Ways to search: all candidates, some at random, or fewer and fewer on more and more folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.tuning.folds import Fold, SearchTable, SearchTask, fill
from icost.tuning.selection import order_candidates

REDUCTION = 3
"""Halving keeps one in this many candidates from rung to rung."""


def try_all(
    task: SearchTask, folds: Sequence[Fold], candidates: Sequence[dict[str, Any]]
) -> SearchTable:
    """Evaluate every candidate on every fold.

    Parameters
    ----------
    task : SearchTask
        The data.
    folds : sequence of (train, test)
        The folds.
    candidates : sequence of dict
        The candidates.

    Returns
    -------
    SearchTable
        Filled.
    """
    table = SearchTable(len(folds))
    fill(table, task, folds, table.add(candidates), range(len(folds)))
    return table


def halve(
    task: SearchTask, folds: Sequence[Fold], candidates: Sequence[dict[str, Any]]
) -> SearchTable:
    """Evaluate all candidates on one fold, a third on the next few, and so on.

    Every fit sees a whole training part: with few minority samples, a part of the rows would not
    tell candidates apart.

    Parameters
    ----------
    task : SearchTask
        The data.
    folds : sequence of (train, test)
        The folds, those of all repeats.
    candidates : sequence of dict
        The candidates.

    Returns
    -------
    SearchTable
        Only the survivors were evaluated on all folds.
    """
    table = SearchTable(len(folds))
    survivors, done = table.add(candidates), 0
    for n_survivors, n_folds in halving_plan(len(candidates), len(folds)):
        survivors = best_of(table, survivors, n_survivors)
        fill(table, task, folds, survivors, range(done, n_folds))
        done = n_folds
    return table


def halving_plan(n_candidates: int, n_folds: int) -> list[tuple[int, int]]:
    """Return for each rung how many candidates are left and how many folds they have seen then.

    Parameters
    ----------
    n_candidates : int
        Number of candidates.
    n_folds : int
        Number of folds.

    Returns
    -------
    list of (int, int)
        The last rung sees all folds.

    Examples
    --------
    >>> from icost.tuning.strategies import halving_plan
    >>> halving_plan(40, 10)
    [(40, 1), (14, 2), (5, 5), (2, 10)]
    """
    sizes = [n_candidates]
    while sizes[-1] > REDUCTION:
        sizes.append(-(-sizes[-1] // REDUCTION))
    # Folds grow by a constant factor as well, so that rungs cost about the same.
    seen = np.rint(np.geomspace(1, n_folds, len(sizes))) if len(sizes) > 1 else [n_folds]
    return [(size, int(folds)) for size, folds in zip(sizes, seen, strict=True)]


def best_of(table: SearchTable, positions: list[int], n_best: int) -> list[int]:
    """Return the best of some candidates, by the tie rule, in their old order."""
    if n_best >= len(positions):
        return positions
    criteria = [table.mean(name)[positions] for name in ("score", "f1", "g_mean")]
    params = [table.candidates[i] for i in positions]
    return sorted(positions[i] for i in order_candidates(params, criteria, n_best))


def complete_rows(table: SearchTable) -> NDArray[np.intp]:
    """Return the candidates that were evaluated on the most folds."""
    n_evaluated = table.n_evaluated
    return np.flatnonzero(n_evaluated == n_evaluated.max())
