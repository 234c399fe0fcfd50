"""Bayesian and evolutionary search, by Optuna's samplers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from icost.tuning.candidates import PAPER_GRID, SCALE_FACTORS, SHAPES, scaled_costs
from icost.tuning.search_table import Fold, SearchTable, SearchTask
from icost.tuning.selection import own_costs
from icost.tuning.threshold_search import evaluate
from icost.validation import import_extra

BATCH = 8
"""Candidates asked for at a time: they share complexity and keep several jobs busy. Not the number
of jobs, on which the result would then depend."""


def search_with_optuna(
    task: SearchTask,
    folds: Sequence[Fold],
    grid: Any,
    *,
    sampler: str,
    n_candidates: int,
    prefix: str = "",
    seed: int = 0,
) -> SearchTable:
    """Let a sampler of Optuna propose the candidates."""
    optuna = import_extra("optuna", "tuning", f"search={sampler!r}")
    study = _study(optuna, sampler, seed)
    table = SearchTable(len(folds), own_costs(task.estimator))
    while len(table.candidates) < n_candidates:
        n_asked = min(BATCH, n_candidates - len(table.candidates))
        trials = [study.ask() for _ in range(n_asked)]
        rows = table.add([suggest(t, grid, prefix, sampler == "cmaes") for t in trials])
        evaluate(table, task, folds, rows, range(len(folds)))
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
        return {prefix + name: value for name, value in scaled_costs(shape, factor).items()}
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
