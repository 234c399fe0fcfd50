"""Searches: all candidates, fewer and fewer on more folds, or as Optuna proposes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from icost._core.labels import encode_groups
from icost._core.validation import import_extra
from icost.penalties import PAPER_GRID
from icost.tuning._candidates import (
    SCALE_FACTORS,
    SHAPES,
    draw_candidates,
    list_candidates,
    order_candidates,
    own_costs,
    scaled_costs,
    within_one_se,
)
from icost.tuning._search_table import Fold, SearchTable, SearchTask, evaluate
from icost.tuning._sharing import cost_prefix

BATCH = 8
"""Candidates asked for at a time: they share complexity and keep several jobs busy. Not the number
of jobs, on which the result would then depend."""


def search_with_optuna(
    task: SearchTask, folds: Sequence[Fold], grid: Any, sampler: str, n_candidates: int, seed: int
) -> SearchTable:
    """Let a sampler of Optuna propose the candidates."""
    optuna = import_extra("optuna", "tuning", f"search={sampler!r}")
    study, prefix = _study(optuna, sampler, seed), cost_prefix(task.estimator)
    table = SearchTable(folds, own_costs(task.estimator))
    while len(table.candidates) < n_candidates:
        n_asked = min(BATCH, n_candidates - len(table.candidates))
        trials = [study.ask() for _ in range(n_asked)]
        rows = table.add([suggest(t, grid, prefix, sampler == "cmaes") for t in trials])
        evaluate(table, task, rows, range(len(folds)))
        for trial, value in zip(trials, table.mean("score")[rows], strict=True):
            study.tell(trial, float(value))
    return table


def _study(optuna: Any, sampler: str, seed: int) -> Any:
    if sampler == "tpe":
        chosen = optuna.samplers.TPESampler(seed=seed, n_startup_trials=BATCH)
    else:
        import_extra("cmaes", "tuning", "search='cmaes'")
        chosen = optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)
    verbosity = optuna.logging.get_verbosity()
    # One line per study and trial otherwise; the user's own setting comes back at once.
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        return optuna.create_study(direction="maximize", sampler=chosen)
    finally:
        optuna.logging.set_verbosity(verbosity)


def suggest(trial: Any, grid: Any, prefix: str, continuous: bool) -> dict[str, Any]:
    """Return the candidate that a trial proposes; lists of numbers may stand for their range."""
    if isinstance(grid, str) and grid == "scale":
        shape = trial.suggest_categorical("shape", list(SHAPES))
        factor = trial.suggest_float("factor", SCALE_FACTORS[0], SCALE_FACTORS[-1], log=True)
        return scaled_costs(shape, factor, prefix)
    if isinstance(grid, str):
        grid = {prefix + name: values for name, values in PAPER_GRID.items()}
    spaces = [grid] if isinstance(grid, Mapping) else list(grid)
    which = trial.suggest_categorical("space", list(range(len(spaces)))) if len(spaces) > 1 else 0
    return {
        # Names carry the number of their dictionary, since its values may differ from another's.
        name: _suggest_value(trial, f"{which}:{name}", values, continuous)
        for name, values in spaces[which].items()
    }


def _suggest_value(trial: Any, name: str, values: Any, continuous: bool) -> Any:
    if hasattr(values, "ppf"):
        # Any distribution of SciPy is one on [0, 1], seen through its quantiles.
        value = values.ppf(trial.suggest_float(name, 1e-6, 1 - 1e-6))
        return int(value) if hasattr(getattr(values, "dist", values), "pmf") else float(value)
    numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
    if continuous and numbers:
        is_whole = all(isinstance(v, Integral) for v in values)
        ask = trial.suggest_int if is_whole else trial.suggest_float
        return ask(name, min(values), max(values))
    return values[trial.suggest_categorical(name, list(range(len(values))))]


SEARCHES = {"grid": "", "halving": "rvs", "tpe": "ppf", "cmaes": "ppf"}
"""How to search, each with the method that it needs of a distribution, if it takes any."""
SELECTIONS = ("best", "one_se")

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
        seed = random_state.randint(MAX_SEED)
        return search_with_optuna(task, folds, grid, search, n_candidates, seed)
    if search == "grid":
        return try_all(task, folds, list_candidates(grid, prefix))
    candidates = draw_candidates(grid, prefix, n_candidates, random_state)
    return halve(task, folds, candidates)


def is_number(cv: Any) -> bool:
    """Whether folds are asked for by their number, or by default."""
    return cv is None or isinstance(cv, int | np.integer)


def split_rows(
    cv: Any, X: Any, y: NDArray[Any], groups: Any, repeat: np.random.RandomState | None = None
) -> list[Fold]:
    """Return the folds; a number of them keeps groups together, and may be repeated once."""
    numbers = encode_groups(groups, len(y))
    if not is_number(cv):
        return list(check_cv(cv, y, classifier=True).split(X, y, numbers))
    splitter_class = StratifiedKFold if numbers is None else StratifiedGroupKFold
    splitters = [splitter_class(cv or 5)]
    if repeat is not None:
        # Another division, for the last survivors of halving.
        seed = repeat.randint(MAX_SEED)
        splitters.append(splitter_class(cv or 5, shuffle=True, random_state=seed))
    return [fold for splitter in splitters for fold in splitter.split(X, y, numbers)]


def try_all(
    task: SearchTask, folds: Sequence[Fold], candidates: Sequence[dict[str, Any]]
) -> SearchTable:
    """Evaluate every candidate on every fold."""
    table = SearchTable(folds, own_costs(task.estimator))
    evaluate(table, task, table.add(candidates), range(len(folds)))
    return table


def halve(
    task: SearchTask, folds: Sequence[Fold], candidates: Sequence[dict[str, Any]]
) -> SearchTable:
    """Evaluate all candidates on one fold, a third on the next few, and so on.

    Every fit sees a whole training part: with few minority rows, a part of the rows would not
    tell candidates apart.
    """
    table = SearchTable(folds, own_costs(task.estimator))
    survivors, done = table.add(candidates), 0
    for n_survivors, n_folds in halving_plan(len(candidates), len(folds)):
        survivors = best_of(table, survivors, n_survivors)
        evaluate(table, task, survivors, range(done, n_folds))
        done = n_folds
    return table


def halving_plan(n_candidates: int, n_folds: int) -> list[tuple[int, int]]:
    """Return for each rung how many candidates are left and how many folds they have seen then."""
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


def select_candidate(table: SearchTable, select: str) -> int:
    """Return the position of the selected candidate."""
    # Means over fewer folds, of those that were dropped early, are of other rows.
    rows: list[int] = np.flatnonzero(table.n_evaluated == table.n_evaluated.max()).tolist()
    best = _ordered(table, rows, 1)[0]
    if select == "best":
        return best
    everyone = table.with_own_costs(range(len(table.candidates)))
    return within_one_se(everyone, table.columns["score"], best)
