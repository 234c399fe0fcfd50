"""Many cost settings on one fold: the search spaces, and fits that are never done twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
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
    """Fit a classifier once for all candidates that lead to the same weights.

    Empty categories make many candidates equal. Only one model is kept at a time.

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
        One per distinct weights; ``settings`` are the positions of its candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.grids import fit_candidates
    >>> from icost.experiments.weighing import class_weights
    >>> fold = TrainingFold(np.arange(3.0).reshape(-1, 1), np.array([0, 0, 1]))
    >>> costs = [{"cs_multiplier": 1.0}, {"cs_multiplier": 2.0}, {"cs_multiplier": 1.0}]
    >>> [f.settings for f in fit_candidates(DecisionTreeClassifier(), fold, class_weights, costs)]
    [(0, 2), (1,)]
    """
    groups: dict[bytes, list[int]] = {}
    for position, candidate in enumerate(candidates):
        weights = np.asarray(weigher(fold, **candidate).columns)
        # A digest, as the weights of all candidates of a large multiclass set are too many to keep.
        groups.setdefault(blake2b(weights.tobytes()).digest(), []).append(position)
    for positions in groups.values():
        fitted = fit_with_weights(base, fold, weigher(fold, **candidates[positions[0]]))
        yield replace(fitted, settings=tuple(positions))


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
