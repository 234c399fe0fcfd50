"""Predictions that classifiers around other ones have in common."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted


def _has_proba(model: Any) -> bool:
    return model.predict_proba is not None  # raises AttributeError where there is none


class DefaultsMixin:
    """Give parameters that a saved state of an earlier version lacks their defaults."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        given = signature(type(self).__init__).parameters.values()
        defaults = {
            parameter.name: parameter.default
            for parameter in given
            if parameter.default is not parameter.empty
        }
        super().__setstate__({**defaults, **state})  # type: ignore[misc]


class LogProbabilityMixin:
    """What follows from ``predict_proba``, of classifiers that may have none."""

    predict_proba: Callable[[Any], NDArray[np.float64]]

    @available_if(_has_proba)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict logarithms of the probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def model_has(name: str) -> Callable[[Any], bool]:
    """Whether the fitted model has a method; before the fit, whether the given one has it."""
    return lambda self: hasattr(getattr(self, "model_", self.estimator), name)


class DelegatingClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers with a parameter ``estimator`` that predict by a fitted ``model_``."""

    estimator: Any
    model_: Any
    classes_: NDArray[Any]

    def _rows_of_model(self, X: Any) -> Any:
        """Return rows as the fitted model takes them."""
        return X

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels."""
        check_is_fitted(self, "model_")
        return self.model_.predict(self._rows_of_model(X))

    @available_if(model_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities, where the model has them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self, "model_")
        return self.model_.predict_proba(self._rows_of_model(X))

    @available_if(model_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of the model, where it has them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Scores.
        """
        check_is_fitted(self, "model_")
        return self.model_.decision_function(self._rows_of_model(X))
