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
    """Return all settings of a grid.

    Parameters
    ----------
    grid : {"paper", "scale"}, dict, or list of dict, default="paper"
        - ``"paper"``: the 81 combinations of `PAPER_GRID`;
        - ``"scale"``: every one of `SHAPES` times every one of `SCALE_FACTORS`;
        - a dictionary of lists, or a list of such dictionaries, as for
          `sklearn.model_selection.GridSearchCV`.
    prefix : str, default=""
        What to put before the names of a named grid, such as ``"icost__"`` for a pipeline.

    Returns
    -------
    list of dict
        Parameters by name, each setting once.

    Examples
    --------
    >>> from icost.tuning import list_candidates
    >>> len(list_candidates("paper"))
    81
    >>> list_candidates({"method": ["cs"], "cs_multiplier": [0.8, 1.0, 1.2]})[0]
    {'cs_multiplier': 0.8, 'method': 'cs'}
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
    """Return some settings of a grid, or of distributions, at random.

    Parameters
    ----------
    grid : {"paper", "scale"}, dict, or list of dict
        Lists, from which each setting is drawn at most once, or distributions of SciPy.
    prefix : str
        What to put before the names of a named grid.
    n_candidates : int
        How many to draw, at most.
    random_state : RandomState
        Draws them.

    Returns
    -------
    list of dict
        Parameters by name.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import loguniform
    >>> from icost.tuning.candidates import draw_candidates
    >>> random_state = np.random.RandomState(0)
    >>> len(draw_candidates({"cfb": loguniform(0.1, 2.0)}, "", 3, random_state))
    3
    """
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
    """Return the costs of a shape times a common factor.

    Parameters
    ----------
    shape : str
        A name in `SHAPES`.
    factor : float
        What to multiply all four costs by.

    Returns
    -------
    dict
        ``cfp``, ``cfs``, ``cfb`` and ``cfo``.

    Examples
    --------
    >>> from icost.tuning.candidates import scaled_costs
    >>> scaled_costs("paper", 2.0)
    {'cfp': 1.0, 'cfs': 1.5, 'cfb': 2.5, 'cfo': 0.4}
    """
    return {name: factor * value for name, value in SHAPES[shape].items()}


def check_grid(grid: Any, distributions: str = "") -> None:
    """Raise if a grid is not one.

    Parameters
    ----------
    grid : {"paper", "scale"}, dict, or list of dict
        The grid.
    distributions : {"", "rvs", "ppf"}, default=""
        The method by which values may be distributions instead of lists, if they may.

    Examples
    --------
    >>> from icost.tuning.candidates import check_grid
    >>> check_grid({"cfb": [1.0, 1.5]})
    """
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
