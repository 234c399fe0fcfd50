"""Grids of costs: the paper's search spaces, run in full or searched inside a training fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from icost import iCost
from icost.tuning import iCostCV
from icost_reproduction._internals import (
    PAPER_GRID,
    CandidateResults,
    DelegatingClassifier,
    FitResult,
    TrainingFold,
    build_weighted,
    category_counts,
    evaluate_candidates,
    fit_estimator,
    list_candidates,
    most_folds,
    shared_target,
)

Setting = Mapping[str, float]
"""Costs by name, any others as they are by default."""

ICOST_GRID: tuple[Setting, ...] = tuple(list_candidates("paper"))
"""The paper's 81 settings of iCost's costs, as multiples of the imbalance ratio."""

CS_GRID: tuple[Setting, ...] = tuple({"scale": m} for m in (0.8, 1.0, 1.2))
"""The paper's three settings for class-level costs."""

CS_GRID_81: tuple[Setting, ...] = tuple(
    {"scale": float(m)}
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


def inner_splitter(
    codes: NDArray[np.intp], n_splits: int, random_state: int | None
) -> StratifiedKFold:
    """Return shuffled stratified folds, as many as the rarest class allows and at least two."""
    n_folds = max(2, most_folds(codes, n_splits))
    return StratifiedKFold(n_folds, shuffle=True, random_state=random_state)


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
        model = build_weighted(
            base, method=self.method, minority_label=fold.minority, random_state=fold.random_state
        )
        return evaluate_candidates(model, fold.X, fold.y, X_test, y_test, self.settings)


class GridSearch(DelegatingClassifier):
    """Choose costs of a grid by inner folds, then fit with them on all rows.

    ``search_time_`` holds the whole search, ``refit_time_`` the last fit.
    """

    def __init__(
        self, estimator: Any, grid: str, minority_label: Any = None, random_state: int = 0
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.minority_label = minority_label
        self.random_state = random_state

    @property
    def weighted(self) -> iCost:
        """The `icost.iCost` whose costs are searched for."""
        options = {"minority_label": self.minority_label, "random_state": self.random_state}
        return build_weighted(self.estimator, method=GRIDS[self.grid].method, **options)

    def fit(self, X: Any, y: NDArray[np.intp]) -> GridSearch:
        """Search, and keep the best model."""
        settings = GRIDS[self.grid].settings
        # Ensembles of many trees would take hours over a whole grid.
        is_slow = "n_estimators" in self.estimator.get_params() and len(settings) > len(CS_GRID)
        search = iCostCV(
            self.weighted,
            grid=[{name: [value] for name, value in costs.items()} for costs in settings],
            search="halving" if is_slow else "grid",
            n_candidates=len(settings),
            cv=inner_splitter(y, INNER_SPLITS, self.random_state),
            random_state=self.random_state,
        )
        start = perf_counter()
        search.fit(X, y)
        self.refit_time_ = search.refit_time_
        self.search_time_ = perf_counter() - start - search.refit_time_
        self.best_costs_ = search.best_params_
        self.model_ = search.best_estimator_
        self.classes_ = self.model_.classes_
        self.note_ = "halving" if is_slow else ""
        return self


@fit_estimator.register
def _fit_grid_search(estimator: GridSearch, fold: TrainingFold) -> FitResult:
    estimator.fit(fold.X, fold.y)
    counts = category_counts(shared_target(estimator.weighted, fold)[0])
    return FitResult(
        estimator,
        estimator.refit_time_,
        estimator.search_time_,
        estimator.best_costs_,
        counts,
        estimator.note_,
    )


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
