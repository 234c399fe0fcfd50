"""Ways to search: all candidates, some at random, or fewer and fewer on more and more folds.

And ways to select from what was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from icost.tuning.candidates import draw_candidates, list_candidates
from icost.tuning.optuna_search import search_with_optuna
from icost.tuning.search_table import Fold, SearchTable, SearchTask
from icost.tuning.selection import order_candidates, own_costs, within_one_se
from icost.tuning.sharing import cost_prefix
from icost.tuning.threshold_search import evaluate

SEARCHES = {"grid": "", "random": "rvs", "halving": "rvs", "tpe": "ppf", "cmaes": "ppf"}
"""How to search, each with the method that it needs of a distribution, if it takes any."""
SELECTIONS = ("best", "one_se", "average")

MAX_SEED = np.iinfo(np.int32).max

REDUCTION = 3
"""Halving keeps one in this many candidates from rung to rung."""


def run_search(
    search: str,
    task: SearchTask,
    folds: Sequence[Fold],
    grid: Any,
    n_candidates: int,
    random_state: np.random.RandomState,
) -> SearchTable:
    """Try candidates in the way that a name stands for."""
    prefix = cost_prefix(task.estimator)
    if search in ("tpe", "cmaes"):
        options: dict[str, Any] = {"sampler": search, "n_candidates": n_candidates}
        seed = random_state.randint(MAX_SEED)
        return search_with_optuna(task, folds, grid, prefix=prefix, seed=seed, **options)
    if search == "grid":
        return try_all(task, folds, list_candidates(grid, prefix))
    candidates = draw_candidates(grid, prefix, n_candidates, random_state)
    return (halve if search == "halving" else try_all)(task, folds, candidates)


def repeated_folds(
    X: Any, y: NDArray[Any], n_folds: int, random_state: np.random.RandomState
) -> list[Fold]:
    """Return another division into folds, for the last survivors of halving."""
    seed = random_state.randint(MAX_SEED)
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(X, y))


def try_all(
    task: SearchTask, folds: Sequence[Fold], candidates: Sequence[dict[str, Any]]
) -> SearchTable:
    """Evaluate every candidate on every fold."""
    table = SearchTable(len(folds), own_costs(task.estimator))
    evaluate(table, task, folds, table.add(candidates), range(len(folds)))
    return table


def halve(
    task: SearchTask, folds: Sequence[Fold], candidates: Sequence[dict[str, Any]]
) -> SearchTable:
    """Evaluate all candidates on one fold, a third on the next few, and so on.

    Every fit sees a whole training part: with few minority samples, a part of the rows would not
    tell candidates apart.
    """
    table = SearchTable(len(folds), own_costs(task.estimator))
    survivors, done = table.add(candidates), 0
    for n_survivors, n_folds in halving_plan(len(candidates), len(folds)):
        survivors = best_of(table, survivors, n_survivors)
        evaluate(table, task, folds, survivors, range(done, n_folds))
        done = n_folds
    return table


def halving_plan(n_candidates: int, n_folds: int) -> list[tuple[int, int]]:
    """Return for each rung how many candidates are left and how many folds they have seen then.

    Examples
    --------
    >>> from icost.tuning.searches import halving_plan
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
    return sorted(_ordered(table, positions, n_best))


def _ordered(table: SearchTable, positions: list[int], n_best: int) -> list[int]:
    criteria = [table.mean(name)[positions] for name in ("score", "f1", "g_mean")]
    params = table.with_own_costs(positions)
    return [positions[i] for i in order_candidates(params, criteria, n_best)]


def select_candidates(table: SearchTable, select: str, n_average: int) -> list[int]:
    """Return the positions of the selected candidates, the best one first."""
    # Means over fewer folds, of those that were dropped early, are of other rows.
    rows: list[int] = np.flatnonzero(table.n_evaluated == table.n_evaluated.max()).tolist()
    ordered = _ordered(table, rows, len(rows) if select == "average" else 1)
    if select == "one_se":
        everyone = table.with_own_costs(range(len(table.candidates)))
        return [within_one_se(everyone, table.columns["score"], ordered[0])]
    # Candidates that predict the same on every fold would count more than once in an average.
    seen: dict[Any, int] = {}
    for row in ordered:
        seen.setdefault(tuple(table.digests[row]), row)
    return list(seen.values())[: n_average if select == "average" else 1]
