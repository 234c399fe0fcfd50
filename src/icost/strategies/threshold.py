"""Strategies that move the threshold of a classifier to where inner folds say it is best."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, cross_val_predict

from icost.strategies.training_fold import Fitted, TrainingFold
from icost.thresholds import Objective, best_threshold, fit_tuned, response_method
from icost.tuning import OffsetClassifier

THRESHOLD_SPLITS = 5
"""Number of inner folds by which thresholds are tuned, as is scikit-learn's default."""


def fit_best_mcc(method: str, base: Any, fold: TrainingFold) -> Fitted:
    """Fit with a method of `icost.iCost`, then go by the MCC that inner folds have."""
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    start = perf_counter()
    model = fit_tuned(fold.model(clone(base), method), fold.X, fold.y, cv)
    seconds = perf_counter() - start
    threshold = getattr(model, "best_threshold_", None)
    moved = f"threshold {threshold:.6g}" if threshold is not None else None
    return Fitted(model, seconds, note=moved or "threshold unmoved: constant predictions")


def fit_threshold(base: Any, fold: TrainingFold, objective: Objective) -> Fitted:
    """Fit a plain classifier, then go by any objective on five inner folds."""
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    model = fold.model(clone(base), "ncs")
    response = response_method([model])
    start = perf_counter()
    scores = cross_val_predict(model, fold.X, fold.y, cv=cv, method=response)
    threshold = best_threshold(fold.y == 1, _of_minority(scores), objective)
    frozen = FrozenEstimator(model.fit(fold.X, fold.y))
    options = {"threshold": threshold, "pos_label": 1, "response_method": response}
    fixed = FixedThresholdClassifier(frozen, **options).fit(fold.X, fold.y)
    return Fitted(fixed, perf_counter() - start, note=f"threshold {threshold:.6g}")


def fit_offsets(method: str, base: Any, fold: TrainingFold) -> Fitted:
    """Fit with a method of `icost.iCost`, then move each class by what inner folds say."""
    start = perf_counter()
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    model = OffsetClassifier(fold.model(clone(base), method), cv=cv).fit(fold.X, fold.y)
    moved = ", ".join(f"{offset:.6g}" for offset in model.offsets_)
    return Fitted(model, perf_counter() - start, note=f"offsets {moved}")


def _of_minority(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return scores if scores.ndim == 1 else scores[:, 1]
