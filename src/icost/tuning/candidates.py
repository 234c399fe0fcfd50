"""Candidates: which settings a search tries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid, ParameterSampler

from icost.penalties import MILD, PAPER
from icost.validation import check_choice

PAPER_GRID: Mapping[str, tuple[float, ...]] = {
    "cfo": (0.10, 0.20, 0.30),
    "cfp": (0.30, 0.50, 0.70),
    "cfs": (0.75, 0.90, 1.10),
    "cfb": (1.00, 1.25, 1.50),
}
"""The paper's grid: 81 combinations of costs, as multiples of the imbalance ratio."""

SHAPES: Mapping[str, Mapping[str, float]] = {
    "uniform": dict.fromkeys(PAPER, 1.0),
    "paper": PAPER,
    "mild": MILD,
    "trusting": {"cfp": 1.0, "cfs": 1.0, "cfb": 1.0, "cfo": 0.20},
}
"""Shapes of ``grid="scale"``: class-level costs, the paper's, milder ones, and all but outliers."""

SCALE_FACTORS = (0.05, 0.10, 0.20, 0.30, 0.45, 0.60, 0.80, 1.00, 1.25, 1.50)
"""Common factors of ``grid="scale"``."""

NAMED_GRIDS = ("paper", "scale")


def list_candidates(grid: Any = "paper", prefix: str = "") -> list[dict[str, Any]]:
    """Return all settings of a grid, as `icost.iCostCV` tries them.

    Use it to see what a named grid holds, to know how many fits a search will take, or to make
    candidates for `evaluate_candidates`. Distributions are refused: they have no list, and are only
    drawn from, by the searches that can.

    Parameters
    ----------
    grid : {"paper", "scale"}, dict, or list of dict, default="paper"
        - ``"paper"``: the 81 combinations of `PAPER_GRID`;
        - ``"scale"``: every one of `SHAPES` times every one of `SCALE_FACTORS`;
        - a dictionary of lists, or a list of such dictionaries, as for
          `sklearn.model_selection.GridSearchCV`; any parameter of the estimator will do.
    prefix : str, default=""
        What to put before the names of a named grid, such as ``"icost__"`` for a pipeline. Names in
        dictionaries of your own stay as they are.

    Returns
    -------
    list of dict
        Parameters by name, one dictionary for each setting.

    See Also
    --------
    evaluate_candidates : Fits all of them on one fold.
    icost.iCostCV : Tries them on all folds and selects.

    Notes
    -----
    The two named grids ask different questions. ``"paper"`` moves four costs apart from each other,
    but in all of its settings border samples weigh at least three times what outliers do: no search
    over it can find that all minority samples should weigh the same. ``"scale"`` separates how
    large penalties are, a common factor, from how they differ between the categories, a shape. Its
    shape ``"uniform"`` is class-level weighting, as ``method="cs"`` with the factor as
    ``cs_multiplier``: it lets a search say that instance weights bring nothing.

    Examples
    --------
    >>> from icost.tuning import list_candidates
    >>> len(list_candidates("paper")), len(list_candidates("scale"))
    (81, 40)

    In a pipeline, the costs belong to a step. The first shape is the uniform one:

    >>> list_candidates("scale", prefix="icost__")[9]
    {'icost__cfp': 1.5, 'icost__cfs': 1.5, 'icost__cfb': 1.5, 'icost__cfo': 1.5}

    Several dictionaries keep parameters apart that have nothing to do with each other:

    >>> list_candidates([{"method": ["cs"], "cs_multiplier": [0.8, 1.2]}, {"method": ["ncs"]}])
    [{'cs_multiplier': 0.8, 'method': 'cs'},
     {'cs_multiplier': 1.2, 'method': 'cs'},
     {'method': 'ncs'}]
    """
    check_grid(grid)
    if grid == "scale":
        named = [scaled_costs(shape, factor) for shape in SHAPES for factor in SCALE_FACTORS]
        return [{prefix + name: value for name, value in costs.items()} for costs in named]
    if grid == "paper":
        grid = {prefix + name: list(values) for name, values in PAPER_GRID.items()}
    return list(ParameterGrid(grid))


def draw_candidates(
    grid: Any, prefix: str, n_candidates: int, random_state: np.random.RandomState
) -> list[dict[str, Any]]:
    """Return some settings at random: of lists each at most once, or from distributions."""
    if _has_distributions(grid):
        return list(ParameterSampler(grid, n_candidates, random_state=random_state))
    candidates = list_candidates(grid, prefix)
    if n_candidates >= len(candidates):
        return candidates
    drawn = random_state.choice(len(candidates), n_candidates, replace=False)
    return [candidates[i] for i in np.sort(drawn)]


def _has_distributions(grid: Any) -> bool:
    if isinstance(grid, str):
        return False
    dictionaries = [grid] if isinstance(grid, Mapping) else grid
    return any(hasattr(v, "rvs") for dictionary in dictionaries for v in dictionary.values())


def scaled_costs(shape: str, factor: float) -> dict[str, float]:
    """Return the costs of one of `SHAPES` times a common factor."""
    return {name: factor * value for name, value in SHAPES[shape].items()}


def check_grid(grid: Any, distributions: str = "") -> None:
    """Raise if a grid is not one; distributions must have the named method, if they may be."""
    if isinstance(grid, str):
        check_choice("grid", grid, NAMED_GRIDS, ", a dictionary or a list of them")
        return
    dictionaries: Sequence[Any] = [grid] if isinstance(grid, Mapping) else grid
    are_dictionaries = isinstance(dictionaries, Sequence) and all(
        isinstance(dictionary, Mapping) for dictionary in dictionaries
    )
    if not are_dictionaries or not dictionaries:
        raise ValueError(
            "grid must be 'paper', 'scale', a dictionary of lists or a list of dictionaries, "
            f"got {grid!r}."
        )
    for dictionary in dictionaries:
        for name, values in dictionary.items():
            if _is_list(values) or (distributions and hasattr(values, distributions)):
                continue
            raise ValueError(
                f"grid[{name!r}] must be a list of values to try, got {values!r}; distributions "
                "need search='random' or 'halving', or, if they have ppf, 'tpe' or 'cmaes'."
            )


def _is_list(values: Any) -> bool:
    """Whether there are values to try; these may be sequences themselves, as pipelines are."""
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and len(values) > 0
    return isinstance(values, Sequence) and not isinstance(values, str) and len(values) > 0
