"""Many cost settings on one fold: the search spaces, and fits that are never done twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from icost.experiments.folds import TrainingFold
from icost.experiments.models import Fitted, fit_problems
from icost.experiments.weighing import Weigher, Weights

COST_VALUES: Mapping[str, tuple[float, ...]] = {
    "cfo": (0.10, 0.20, 0.30),
    "cfp": (0.30, 0.50, 0.70),
    "cfs": (0.75, 0.90, 1.10),
    "cfb": (1.00, 1.25, 1.50),
}
"""The paper's candidate values of iCost's costs, as multiples of the imbalance ratio."""

ICOST_GRID: tuple[dict[str, float], ...] = tuple(
    dict(zip(COST_VALUES, values, strict=True)) for values in product(*COST_VALUES.values())
)
"""The paper's 81 settings, the smaller costs first."""

CS_GRID: tuple[dict[str, float], ...] = tuple({"cs_multiplier": m} for m in (0.8, 1.0, 1.2))
"""The paper's three settings for class-level costs."""

CS_GRID_81: tuple[dict[str, float], ...] = tuple(
    {"cs_multiplier": float(m)} for m in np.geomspace(0.10, 1.50, 81)
)
"""As many settings for class-level costs as iCost has, over the range of iCost's costs."""


def fit_candidates(
    base: Any, fold: TrainingFold, weigher: Weigher, candidates: Sequence[Mapping[str, float]]
) -> Iterator[Fitted]:
    """Fit a classifier for each candidate; those with the same weights share one fit.

    Parameters
    ----------
    base : classifier
        Left as it is.
    fold : TrainingFold
        Training data.
    weigher : callable
        From the fold and costs to `Weights`.
    candidates : sequence of mapping
        Costs.

    Yields
    ------
    Fitted
        One per candidate, in their order. Candidates with the same weights have the same
        ``model`` object.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.grids import fit_candidates
    >>> from icost.experiments.weighing import class_weights
    >>> fold = TrainingFold(np.arange(3.0).reshape(-1, 1), np.array([0, 0, 1]))
    >>> costs = [{"cs_multiplier": 1.0}, {"cs_multiplier": 1.0}]
    >>> first, second = fit_candidates(DecisionTreeClassifier(), fold, class_weights, costs)
    >>> first.model is second.model
    True
    """
    done: dict[bytes, Fitted] = {}
    for candidate in candidates:
        weights = weigher(fold, **candidate)
        key = np.asarray(weights.columns).tobytes()
        if key not in done:
            done[key] = fit_with_weights(base, fold, weights)
        first = done[key]
        yield Fitted(first.model, first.fit_time, weights.seconds, candidate, weights.counts)


def fit_with_weights(base: Any, fold: TrainingFold, weights: Weights) -> Fitted:
    """Fit a classifier with given weights.

    Parameters
    ----------
    base : classifier
        Left as it is.
    fold : TrainingFold
        Training data.
    weights : Weights
        One column per binary problem.

    Returns
    -------
    Fitted
        With costs and category counts of the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.grids import fit_with_weights
    >>> from icost.experiments.weighing import class_weights
    >>> fold = TrainingFold(np.arange(3.0).reshape(-1, 1), np.array([0, 0, 1]))
    >>> fit_with_weights(SVC(), fold, class_weights(fold)).predict([[9.0]])
    array([1])
    """
    problems, _ = fold.problems()
    model, seconds = fit_problems(base, fold.X, problems, weights.columns)
    return Fitted(model, seconds, weights.seconds, weights.costs, weights.counts)
