"""Candidates: which settings a search tries, and which of them is the best, in whatever order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import ParameterGrid, ParameterSampler

from icost._core.arrays import Floats, Ints
from icost._core.labels import resolve_minority
from icost._core.validation import check_choice
from icost.metrics import make_scorers
from icost.penalties import MILD, PAPER, PAPER_GRID
from icost.tuning._sharing import cost_prefix

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
    """Return all settings of a grid, as `icost.iCostCV` tries them."""
    check_grid(grid)
    if grid == "scale":
        return [scaled_costs(shape, f, prefix) for shape in SHAPES for f in SCALE_FACTORS]
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
    return any(hasattr(v, "rvs") for dictionary in _dictionaries(grid) for v in dictionary.values())


def scaled_costs(shape: str, factor: float, prefix: str) -> dict[str, float]:
    """Return the costs of one of `SHAPES` times a common factor."""
    return {prefix + name: factor * value for name, value in SHAPES[shape].items()}


def check_grid(grid: Any, distributions: str = "") -> None:
    """Raise if a grid is not one; distributions must have the named method, if they may be."""
    if isinstance(grid, str):
        check_choice("grid", grid, NAMED_GRIDS, ", a dictionary or a list of them")
        return
    for dictionary in _dictionaries(grid):
        for name, values in dictionary.items():
            if _is_list(values) or (distributions and hasattr(values, distributions)):
                continue
            raise ValueError(
                f"grid[{name!r}] must be a list of values to try, got {values!r}; distributions "
                "need search='halving', or, if they have ppf, 'tpe' or 'cmaes'."
            )


def _dictionaries(grid: Any) -> Sequence[Mapping[str, Any]]:
    """Return the dictionaries of a grid that is no name, or raise if there are none."""
    dictionaries = [grid] if isinstance(grid, Mapping) else grid
    is_list = isinstance(dictionaries, Sequence) and len(dictionaries) > 0
    if not is_list or not all(isinstance(dictionary, Mapping) for dictionary in dictionaries):
        raise ValueError(
            "grid must be 'paper', 'scale', a dictionary of lists or a list of dictionaries, "
            f"got {grid!r}."
        )
    return dictionaries


def _is_list(values: Any) -> bool:
    """Whether there are values to try; these may be sequences themselves, as pipelines are."""
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and len(values) > 0
    return isinstance(values, Sequence) and not isinstance(values, str) and len(values) > 0


CONFUSION_SCORES = {"mcc": "mcc", "matthews_corrcoef": "mcc", "f1": "f1", "g_mean": "g_mean"}
"""Names of scores that a confusion matrix is enough for; no scorer has to be called."""


def positive_label(
    estimator: Any, classes: NDArray[Any], codes: Ints, sample_weight: Floats | None = None
) -> Any:
    """Return the positive class: the estimator's, else the one of two with less weight.

    By weight, since iCost finds the minority so; of more than two classes none is positive.
    """
    prefix = cost_prefix(estimator)
    if len(classes) > 2:
        return None
    named = estimator.get_params()[f"{prefix}minority_label"]
    return classes[resolve_minority(classes, codes, named, sample_weight)]


def resolve_scorer(scoring: Any, estimator: Any, minority_label: Any) -> Callable[..., float]:
    """Return the scorer that a user named; for names of ours the minority is the positive class."""
    if scoring == "matthews_corrcoef":
        return get_scorer(scoring)
    scorers = make_scorers(minority_label)
    if isinstance(scoring, str) and scoring in scorers:
        return scorers[scoring]
    return check_scoring(estimator, scoring=scoring)


TIE = 1e-9
"""Means that differ by no more than this are tied: the order of a sum changes its last bits."""


def order_candidates(
    params: Sequence[Mapping[str, Any]], criteria: Iterable[Any], n_best: int = 1
) -> list[int]:
    """Return the positions of the best candidates, the best first; criteria rank by turns."""
    values = [np.nan_to_num(np.asarray(c, dtype=float), nan=-np.inf) for c in criteria]
    values.append(-np.array([sum_of_costs(candidate) for candidate in params]))
    left = list(range(len(params)))
    chosen: list[int] = []
    # One by one and not by sorting: a tie is to the best that is left, and is not transitive.
    while left and len(chosen) < n_best:
        tied = _tied_best(np.array(left), values)
        chosen.append(min(tied.tolist(), key=lambda i: (lexical_key(params[i]), i)))
        left.remove(chosen[-1])
    return chosen


def _tied_best(left: Ints, criteria: list[Floats]) -> Ints:
    for values in criteria:
        left = left[values[left] >= values[left].max() - TIE]
    return left


def own_costs(estimator: Any) -> dict[str, float]:
    """Return the costs that an estimator is set to, by the names of its parameters."""
    return {
        name: float(value)
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] in (*PAPER, "scale") and isinstance(value, Real)
    }


def sum_of_costs(params: Mapping[str, Any]) -> float:
    """Return the sum of the costs that a candidate names, of ``cost_factor`` before others."""
    named = {name.rpartition("__")[2]: value for name, value in params.items()}
    costs = {name: value for name, value in named.items() if name in PAPER}
    total = float(sum((costs | (named.get("cost_factor") or {})).values()))
    # Alone, a scale orders candidates as it orders their penalties.
    return (total or 1.0) * named["scale"] if "scale" in named else total


def lexical_key(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what orders candidates whose scores and costs are equal."""
    # Numbers go before everything else, which is compared as text.
    return tuple(
        (name, 0, float(value), "") if isinstance(value, Real) else (name, 1, 0.0, str(value))
        for name, value in sorted(params.items())
    )


def within_one_se(params: Sequence[Mapping[str, Any]], scores: Floats, best: int) -> int:
    """Return the cheapest candidate whose mean is within one standard error of the best one's."""
    # The error of the best one's mean over folds, as if these were independent: folds share
    # training rows, so that it is rather too small, and the choice close to the best.
    seen = (~np.isnan(scores)).sum(axis=1)
    means = np.nansum(scores, axis=1) / np.maximum(seen, 1)
    error = np.nanstd(scores[best], ddof=1) / np.sqrt(seen[best]) if seen[best] > 1 else 0.0
    # A candidate that was dropped early was seen on fewer folds; its mean is not comparable.
    is_near = (seen == seen[best]) & (means >= means[best] - error - TIE)
    near: list[int] = np.flatnonzero(is_near).tolist()
    costs = [-sum_of_costs(params[i]) for i in near]
    return near[order_candidates([params[i] for i in near], [costs, means[near]])[0]]
