"""Predictions that classifiers around other ones have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats


def _has_proba(model: Any) -> bool:
    return model.predict_proba is not None  # raises AttributeError where there is none


class LogProbabilityMixin:
    """What follows from ``predict_proba``, of classifiers that may have none."""

    predict_proba: Callable[[Any], Floats]

    @available_if(_has_proba)
    def predict_log_proba(self, X: Any) -> Floats:
        """Predict logarithms of the probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def _has(name: str) -> Callable[[Any], bool]:
    return lambda model: model._has_method(name)


class PredictionMixin(LogProbabilityMixin):
    """The methods of a classifier around others: which there are, `_has_method` says.

    `_call_model` returns what a method, by its name, returns for a table.
    """

    _predictor: Callable[[], Any]
    _call_model: Callable[[str, Any], NDArray[Any]]

    def _has_method(self, name: str) -> bool:
        """Whether what predicts, fitted if it is, has a method; all classifiers have labels."""
        return name == "predict" or hasattr(self._predictor(), name)

    @available_if(_has("predict"))
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, of those seen in ``fit``.
        """
        return self._call_model("predict", X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities, where what predicts has them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._call_model("predict_proba", X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> Floats:
        """Return scores, where what predicts has them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]``; one column per class for a multiclass target.
        """
        return self._call_model("decision_function", X)


class DelegatingClassifier(PredictionMixin, ClassifierMixin, BaseEstimator):
    """Base of classifiers with a parameter ``estimator`` that predict by a fitted ``model_``."""

    estimator: Any
    model_: Any
    classes_: NDArray[Any]

    def _predictor(self) -> Any:
        return getattr(self, "model_", self.estimator)

    def _rows_of_model(self, X: Any) -> Any:
        """Return rows as the fitted model takes them."""
        return X

    def _call_model(self, name: str, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "model_")
        return getattr(self.model_, name)(self._rows_of_model(X))
