"""Fitted models of a strategy: what predicts, and what there is to know about the fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.base_fit import fit_weighted
from icost.experiments.folds import TrainingFold
from icost.experiments.weighing import Weights
from icost.multiclass import BinaryProblem, one_vs_rest_confidence, one_vs_rest_proba


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model and the record of its fit.

    Parameters
    ----------
    model : classifier
        Predicts class codes.
    fit_time : float
        Seconds for fitting the classifier.
    weight_time : float, default=0.0
        Seconds for complexity, resampling or tuning before it. Shared work counts in full.
    costs : mapping, default={}
        Costs that were chosen or set, as multiples of the imbalance ratio.
    counts : mapping, default={}
        Training samples of the minority per category.
    note : str, default=""
        What a reader of the row must know.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.models import Fitted
    >>> from icost.experiments.weighing import class_weights
    >>> fold = TrainingFold(np.arange(3.0).reshape(-1, 1), np.array([0, 0, 1]))
    >>> Fitted.with_weights(DecisionTreeClassifier(), fold, class_weights(fold)).predict([[9.0]])
    array([1])
    """

    model: Any
    fit_time: float
    weight_time: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

    @classmethod
    def with_weights(cls, base: Any, fold: TrainingFold, weights: Weights) -> Fitted:
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
        """
        problems, _ = fold.problems()
        model, seconds = fit_problems(base, fold.X, problems, weights.columns)
        return cls(model, seconds, weights.seconds, weights.costs, weights.counts)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return class codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Codes.
        """
        return np.ravel(self.model.predict(X)).astype(np.intp)

    def proba(self, X: Any) -> NDArray[np.float64] | None:
        """Return probabilities, or None if the model has none.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or None
            Probabilities.
        """
        return self.model.predict_proba(X) if hasattr(self.model, "predict_proba") else None

    def scores(self, X: Any) -> NDArray[np.float64] | None:
        """Return scores of the minority of a binary problem, or None if the model has none.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or None
            Decision function, or else probability.
        """
        if hasattr(self.model, "decision_function"):
            return np.asarray(self.model.decision_function(X), dtype=np.float64)
        proba = self.proba(X)
        return None if proba is None else proba[:, 1]


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """Binary classifiers, one per class; a sample goes to the most confident one."""

    estimators: Sequence[Any]

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return class codes."""
        return np.argmax(one_vs_rest_confidence(self.estimators, X), axis=1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probabilities that sum to one."""
        return one_vs_rest_proba(self.estimators, X)


def fit_problems(
    base: Any,
    X: NDArray[np.float64],
    problems: Sequence[BinaryProblem],
    weights: Sequence[NDArray[np.float64] | None],
) -> tuple[Any, float]:
    """Fit one clone of a classifier per binary problem.

    Parameters
    ----------
    base : classifier
        Left as it is.
    X : ndarray of shape (n_samples, n_features)
        Features.
    problems : sequence of BinaryProblem
        One, or one per class.
    weights : sequence of ndarray or None
        Sample weights of each problem; None for a fit without.

    Returns
    -------
    model : classifier
        Predicts class codes.
    seconds : float
        Time of the fits.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.experiments.models import fit_problems
    >>> from icost.multiclass import decompose
    >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2])
    >>> model, _ = fit_problems(DecisionTreeClassifier(), X, decompose(codes, 3), [None] * 3)
    >>> model.predict(X)
    array([0, 1, 2])
    """
    start = perf_counter()
    fitted = [
        fit_weighted(base, X, problem.target, weight, {})
        for problem, weight in zip(problems, weights, strict=True)
    ]
    seconds = perf_counter() - start
    return (fitted[0] if len(fitted) == 1 else OneVsRest(fitted)), seconds
