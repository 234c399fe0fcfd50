"""Tuning nested in the training fold: the test fold has no say in which costs are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.experiments.confusion import confusion, matrix_scores
from icost.experiments.folds import TrainingFold
from icost.experiments.grids import fit_candidates, fit_with_weights
from icost.experiments.models import Fitted
from icost.experiments.weighing import Weigher

INNER_SPLITS = 3
"""Number of inner folds."""

TIE_BREAKERS = ("mcc", "f1", "g_mean")
"""By what the best setting is chosen; of equals, the one with the smallest costs is taken."""


def fit_tuned(
    base: Any, fold: TrainingFold, weigher: Weigher, candidates: Sequence[Mapping[str, float]]
) -> Fitted:
    """Choose costs by inner folds, then fit with them on the whole training fold.

    Parameters
    ----------
    base : classifier
        Left as it is.
    fold : TrainingFold
        Training data.
    weigher : callable
        From a fold and costs to `Weights`.
    candidates : sequence of mapping
        Costs.

    Returns
    -------
    Fitted
        ``weight_time`` holds the whole search.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.grids import CS_GRID
    >>> from icost.experiments.nested import fit_tuned
    >>> from icost.experiments.weighing import class_weights
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [40, 10])
    >>> fold = TrainingFold(rng.normal(size=(50, 2)) + y[:, None], y)
    >>> fit_tuned(LogisticRegression(), fold, class_weights, CS_GRID).costs
    {'cs_multiplier': 0.8}
    """
    start = perf_counter()
    scores = np.mean(
        [
            score_candidates(base, inner, weigher, candidates, fold.X[rows], fold.y[rows])
            for inner, rows in fold.inner_folds(INNER_SPLITS)
        ],
        axis=0,
    )
    best = candidates[best_setting(scores, candidates)]
    search_time = perf_counter() - start
    fitted = fit_with_weights(base, fold, weigher(fold, **best))
    return Fitted(fitted.model, fitted.fit_time, search_time, dict(best), fitted.counts)


def score_candidates(
    base: Any,
    fold: TrainingFold,
    weigher: Weigher,
    candidates: Sequence[Mapping[str, float]],
    X: NDArray[np.float64],
    y: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return MCC, F1 and G-mean of each candidate on held-out rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.grids import CS_GRID
    >>> from icost.experiments.nested import score_candidates
    >>> from icost.experiments.weighing import class_weights
    >>> X, y = np.arange(6.0).reshape(-1, 1), np.array([0, 0, 0, 0, 1, 1])
    >>> tree = DecisionTreeClassifier()
    >>> score_candidates(tree, TrainingFold(X, y), class_weights, CS_GRID, X, y).shape
    (3, 3)
    """
    result = np.empty((len(candidates), len(TIE_BREAKERS)))
    for fitted in fit_candidates(base, fold, weigher, candidates):
        matrix = confusion(y, fitted.predict(X), fold.n_classes)
        scores = matrix_scores(matrix[np.newaxis])
        result[list(fitted.settings)] = [scores[name][0] for name in TIE_BREAKERS]
    return result


def best_setting(scores: NDArray[np.float64], candidates: Sequence[Mapping[str, float]]) -> int:
    """Return the position of the best candidate.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates, n_scores)
        The first column decides; later ones, and then the smallest costs, break ties.
    candidates : sequence of mapping
        Costs.

    Returns
    -------
    int
        Position.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.nested import best_setting
    >>> costs = [{"cfp": 0.7}, {"cfp": 0.5}, {"cfp": 0.3}]
    >>> best_setting(np.array([[0.5, 0.4], [0.5, 0.4], [0.5, 0.1]]), costs)
    1
    """
    # Rounded, since equal means of equal scores may differ in their last bits.
    columns = [*-np.round(scores, 9).T, [sum(costs.values()) for costs in candidates]]
    return int(np.lexsort(columns[::-1])[0])
