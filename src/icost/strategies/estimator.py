"""A strategy as a classifier of scikit-learn: what a comparison recommends, to fit and to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from icost.labels import encode_labels
from icost.strategies.registry import CONTROLS, FITTABLE, Strategy
from icost.strategies.training_fold import TrainingFold
from icost.validation import check_choice


def _model_has(name: str) -> Callable[[Any], bool]:
    """Whether the fitted model has a method; before a fit, whether its base does."""
    return lambda self: hasattr(getattr(self, "model_", self.base_classifier), name)


class StrategyClassifier(ClassifierMixin, BaseEstimator):
    """Fit any strategy that a comparison may recommend to a table of numbers.

    The fit is that of the comparison: the same strategy, on all rows in place of a training fold.
    What predicts is ``model_``, which the strategy has fitted; resampled rows are not kept, so that
    a prediction needs neither them nor what made them.
    """

    def __init__(
        self,
        strategy: str,
        base_classifier: Any,
        *,
        minority: int | None = None,
        costs: tuple[float, float] | None = None,
        random_state: int = 0,
    ) -> None:
        self.strategy = strategy
        self.base_classifier = base_classifier
        self.minority = minority
        self.costs = costs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> StrategyClassifier:
        """Fit the strategy; groups are for those that hold rows out together."""
        strategy = find_strategy(self.strategy)
        self.classes_, codes = encode_labels(y)
        n_classes = len(self.classes_)
        check_classes(strategy, n_classes)
        # A training fold has the minority of two classes last.
        self.is_turned_ = n_classes == 2 and self.minority == 0
        fold = TrainingFold(
            np.asarray(X, dtype=np.float64),
            1 - codes if self.is_turned_ else codes,
            n_classes,
            self.random_state,
            groups=None if groups is None else _numbers(groups),
            costs=self.costs,
        )
        fitted = strategy.fit(clone(self.base_classifier), fold)
        self.model_, self.note_ = fitted.model, fitted.note
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels."""
        check_is_fitted(self)
        codes = np.ravel(self.model_.predict(X)).astype(np.intp)
        return self.classes_[1 - codes if self.is_turned_ else codes]

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities, if the model has them."""
        check_is_fitted(self)
        proba = self.model_.predict_proba(X)
        return proba[:, ::-1] if self.is_turned_ else proba

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores, if the model has them."""
        check_is_fitted(self)
        scores = self.model_.decision_function(X)
        return -scores if self.is_turned_ else scores


def find_strategy(name: str) -> Strategy:
    """Return a strategy that can be kept, by name; controls are refused with their reason."""
    if name in CONTROLS:
        raise ValueError(
            f"{name!r} is a control: it shows what a gain is due to, and is no model to keep."
        )
    return FITTABLE[check_choice("a strategy", name, FITTABLE)]


def check_classes(strategy: Strategy, n_classes: int) -> None:
    """Refuse a strategy for two classes where there are more."""
    if strategy.binary_only and n_classes > 2:
        raise ValueError(f"method {strategy.name!r} needs two classes, got {n_classes}.")


def _numbers(groups: ArrayLike) -> NDArray[np.intp]:
    return np.unique(np.asarray(groups).astype(str), return_inverse=True)[1]
