"""Grids of costs: the paper's search spaces, run in full or searched inside a training fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.classifier import iCost
from icost.experiments.confusion import matrix_scores
from icost.experiments.folds import TrainingFold
from icost.experiments.models import Fitted
from icost.experiments.weighing import class_weights, instance_weights
from icost.tuning import PAPER_GRID, CandidateResults, evaluate_candidates, list_candidates

Costs = Mapping[str, float]

ICOST_GRID: tuple[Costs, ...] = tuple(list_candidates("paper"))
"""The paper's 81 settings of iCost's costs, as multiples of the imbalance ratio."""

CS_GRID: tuple[Costs, ...] = tuple({"cs_multiplier": m} for m in (0.8, 1.0, 1.2))
"""The paper's three settings for class-level costs."""

CS_GRID_81: tuple[Costs, ...] = tuple(
    {"cs_multiplier": float(m)}
    for m in np.geomspace(min(PAPER_GRID["cfo"]), max(PAPER_GRID["cfb"]), len(ICOST_GRID))
)
"""As many settings for class-level costs as iCost has, over the range of iCost's costs."""

TIE_BREAKERS = ("mcc", "f1", "g_mean")
"""By what the best setting is chosen; of equals, the one with the smallest costs is taken."""

INNER_SPLITS = 3
"""Number of inner folds of nested tuning."""


@dataclass(frozen=True)
class Grid:
    """Settings of one kind of costs.

    Parameters
    ----------
    name : str
        Its name in plans and rows, where all settings are run and none is chosen.
    label : str
        Its name in tables.
    method : {"cs", "neighbor", "gini"}
        What the settings are for.
    settings : tuple of mapping
        Costs.

    Examples
    --------
    >>> from icost.experiments.grids import GRIDS
    >>> len(GRIDS["grid-neighbor"].settings)
    81
    """

    name: str
    label: str
    method: str
    settings: tuple[Costs, ...]

    def evaluate(
        self, base: Any, fold: TrainingFold, X_test: NDArray[Any], y_test: NDArray[np.intp]
    ) -> CandidateResults:
        """Fit all settings on a training fold and predict a test part.

        Parameters
        ----------
        base : classifier
            Left as it is.
        fold : TrainingFold
            Training data.
        X_test, y_test : ndarray
            Test part.

        Returns
        -------
        CandidateResults
            With a confusion matrix per setting.
        """
        model = iCost(
            base,
            method=self.method,
            minority_label=1 if fold.n_classes == 2 else None,
            preprocessor=None,
            random_state=fold.random_state,
        )
        return evaluate_candidates(model, fold.X, fold.y, X_test, y_test, self.settings)

    def fit_tuned(self, base: Any, fold: TrainingFold) -> Fitted:
        """Choose costs by inner folds, then fit with them on the whole training fold.

        The test fold has no say in which costs are chosen.

        Parameters
        ----------
        base : classifier
            Left as it is.
        fold : TrainingFold
            Training data.

        Returns
        -------
        Fitted
            ``weight_time`` holds the whole search.
        """
        start = perf_counter()
        scores = [
            setting_scores(self.evaluate(base, inner, fold.X[rows], fold.y[rows]).confusion)
            for inner, rows in fold.inner_folds(INNER_SPLITS)
        ]
        best = self.settings[best_setting(np.mean(scores, axis=0), self.settings)]
        search_time = perf_counter() - start
        fitted = Fitted.with_weights(base, fold, self._weigh(fold, best))
        return Fitted(fitted.model, fitted.fit_time, search_time, best, fitted.counts)

    def _weigh(self, fold: TrainingFold, costs: Costs) -> Any:
        if self.method == "cs":
            return class_weights(fold, **costs)
        return instance_weights(fold, self.method, **costs)


def setting_scores(matrices: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return MCC, F1 and G-mean of each confusion matrix.

    Parameters
    ----------
    matrices : ndarray of shape (n_settings, K, K)
        Confusion matrices.

    Returns
    -------
    ndarray of shape (n_settings, 3)
        In the order of `TIE_BREAKERS`.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.grids import setting_scores
    >>> setting_scores(np.array([[[5, 0], [0, 5]]]))
    array([[1., 1., 1.]])
    """
    scores = matrix_scores(matrices)
    return np.column_stack([scores[name] for name in TIE_BREAKERS])


def best_setting(scores: NDArray[np.float64], settings: tuple[Costs, ...]) -> int:
    """Return the position of the best setting.

    Parameters
    ----------
    scores : ndarray of shape (n_settings, n_scores)
        The first column decides; later ones, and then the smallest costs, break ties.
    settings : tuple of mapping
        Costs.

    Returns
    -------
    int
        Position.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.grids import best_setting
    >>> costs = ({"cfp": 0.7}, {"cfp": 0.5}, {"cfp": 0.3})
    >>> best_setting(np.array([[0.5, 0.4], [0.5, 0.4], [0.5, 0.1]]), costs)
    1
    """
    # Rounded, since equal means of equal scores may differ in their last bits.
    columns = [*-np.round(scores, 9).T, [sum(costs.values()) for costs in settings]]
    return int(np.lexsort(columns[::-1])[0])


_ALL = (
    Grid("grid-cs", "CSL (3), all settings", "cs", CS_GRID),
    Grid("grid-cs-81", "CSL (81), all settings", "cs", CS_GRID_81),
    Grid("grid-neighbor", "Neighbor-iCost, all settings", "neighbor", ICOST_GRID),
    Grid("grid-gini", "Gini-iCost, all settings", "gini", ICOST_GRID),
)

GRIDS: dict[str, Grid] = {grid.name: grid for grid in _ALL}
"""All grids by name."""
