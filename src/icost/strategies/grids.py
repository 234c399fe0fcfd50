"""Grids of costs: the paper's search spaces, run in full or searched inside a training fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.strategies.training_fold import Fitted, TrainingFold
from icost.strategies.weighting import category_counts
from icost.tuning import PAPER_GRID, CandidateResults, evaluate_candidates, iCostCV, list_candidates

Setting = Mapping[str, float]
"""Costs by name, any others as they are by default."""

ICOST_GRID: tuple[Setting, ...] = tuple(list_candidates("paper"))
"""The paper's 81 settings of iCost's costs, as multiples of the imbalance ratio."""

CS_GRID: tuple[Setting, ...] = tuple({"cs_multiplier": m} for m in (0.8, 1.0, 1.2))
"""The paper's three settings for class-level costs."""

CS_GRID_81: tuple[Setting, ...] = tuple(
    {"cs_multiplier": float(m)}
    for m in np.geomspace(min(PAPER_GRID["cfo"]), max(PAPER_GRID["cfb"]), len(ICOST_GRID))
)
"""As many settings for class-level costs as iCost has, over the range of iCost's costs."""

# Any two of the columns (1, 0), (0, 1), (1, 1), (1, 2) are independent modulo 3, so that over all
# a and b they take each pair of levels once.
ICOST_GRID_9: tuple[Setting, ...] = tuple(
    {
        name: levels[(a * i + b * j) % 3]
        for (name, levels), (i, j) in zip(
            PAPER_GRID.items(), ((1, 0), (0, 1), (1, 1), (1, 2)), strict=True
        )
    }
    for a in range(3)
    for b in range(3)
)
"""Nine of the 81: each two levels of each two costs meet once (an orthogonal array)."""

INNER_SPLITS = 3
"""Number of inner folds of nested tuning."""


@dataclass(frozen=True)
class Grid:
    """Settings of one kind of costs; under its name in plans, all are run and none is chosen."""

    name: str
    label: str
    method: str
    settings: tuple[Setting, ...]

    def evaluate(
        self, base: Any, fold: TrainingFold, X_test: NDArray[Any], y_test: NDArray[np.intp]
    ) -> CandidateResults:
        """Fit all settings on a training fold and predict a test part."""
        model = fold.model(base, self.method)
        return evaluate_candidates(model, fold.X, fold.y, X_test, y_test, self.settings)

    def fit_tuned(self, base: Any, fold: TrainingFold) -> Fitted:
        """Choose costs by inner folds, then fit with them on the whole training fold.

        The test fold has no say in which costs are chosen; ``weight_time`` holds the whole search.
        """
        # Ensembles of many trees would take hours over a whole grid.
        is_slow = "n_estimators" in base.get_params() and len(self.settings) > len(CS_GRID)
        search = iCostCV(
            fold.model(base, self.method),
            grid=[{name: [value] for name, value in costs.items()} for costs in self.settings],
            search="halving" if is_slow else "grid",
            n_candidates=len(self.settings),
            cv=fold.inner_splitter(INNER_SPLITS),
            random_state=fold.random_state,
        )
        start = perf_counter()
        search.fit(fold.X, fold.y)
        seconds = perf_counter() - start - search.refit_time_
        counts = category_counts(fold.target(self.method)[0])
        note = "halving" if is_slow else ""
        model = search.best_estimator_  # without the search, which a model to keep has no use for
        return Fitted(model, search.refit_time_, seconds, search.best_params_, counts, note)


_ALL = (
    Grid("grid-cs", "CSL (3), all settings", "cs", CS_GRID),
    Grid("grid-cs-81", "CSL (81), all settings", "cs", CS_GRID_81),
    Grid("grid-neighbor", "Neighbor-iCost, all settings", "neighbor", ICOST_GRID),
    Grid("grid-gini", "Gini-iCost, all settings", "gini", ICOST_GRID),
    Grid("grid-neighbor-9", "Neighbor-iCost, nine settings", "neighbor", ICOST_GRID_9),
    Grid("grid-gini-9", "Gini-iCost, nine settings", "gini", ICOST_GRID_9),
)

GRIDS: dict[str, Grid] = {grid.name: grid for grid in _ALL}
"""All grids by name."""
