"""Strategies that move the threshold of a classifier to where inner folds say it is best."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from icost.strategies.training_fold import Fitted, TrainingFold
from icost.thresholds import (
    Objective,
    best_threshold,
    cost_objective,
    fit_tuned,
    response_method,
)
from icost.tuning import OffsetClassifier
from icost.tuning.threshold_search import with_threshold

THRESHOLD_SPLITS = 5
"""Number of inner folds by which thresholds are tuned, as is scikit-learn's default."""

COST_THRESHOLD = "threshold-cost"
"""Name of the strategy that moves the threshold to where inner folds cost least."""


def fit_best_mcc(method: str, base: Any, fold: TrainingFold) -> Fitted:
    """Fit with a method of `icost.iCost`, then go by the MCC that inner folds have."""
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    start = perf_counter()
    model = fit_tuned(fold.model(clone(base), method), fold.X, fold.y, cv)
    seconds = perf_counter() - start
    threshold = getattr(model, "best_threshold_", None)
    if threshold is None:
        return Fitted(model, seconds, note="threshold unmoved: constant predictions")
    # Without the search and its scorer, which a model to keep has no use for.
    fixed = with_threshold(model.estimator_, threshold, "auto", fold.X, fold.y)
    return Fitted(fixed, seconds, note=f"threshold {threshold:.6g}")


def fit_threshold(base: Any, fold: TrainingFold, objective: Objective) -> Fitted:
    """Fit a plain classifier, then go by any objective on five inner folds."""
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    model = fold.model(clone(base), "ncs")
    response = response_method([model])
    start = perf_counter()
    scores = cross_val_predict(model, fold.X, fold.y, cv=cv, method=response)
    threshold = best_threshold(fold.y == 1, _of_minority(scores), objective)
    fixed = with_threshold(model.fit(fold.X, fold.y), threshold, response, fold.X, fold.y)
    return Fitted(fixed, perf_counter() - start, note=f"threshold {threshold:.6g}")


def fit_to_costs(base: Any, fold: TrainingFold) -> Fitted:
    """Fit a plain classifier, then go by what errors cost on five inner folds."""
    if fold.costs is None:
        raise ValueError(f"the strategy {COST_THRESHOLD!r} needs cost_fn, got none.")
    return fit_threshold(base, fold, cost_objective(*fold.costs))


def fit_offsets(method: str, base: Any, fold: TrainingFold) -> Fitted:
    """Fit with a method of `icost.iCost`, then move each class by what inner folds say."""
    start = perf_counter()
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    model = OffsetClassifier(fold.model(clone(base), method), cv=cv).fit(fold.X, fold.y)
    moved = ", ".join(f"{offset:.6g}" for offset in model.offsets_)
    return Fitted(model, perf_counter() - start, note=f"offsets {moved}")


def _of_minority(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores if scores.ndim == 1 else scores[:, 1]
