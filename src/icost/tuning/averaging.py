"""Several classifiers that answer as one, by the mean of their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from icost.thresholds import response_method
from icost.validation import as_table


def _members_have(name: str) -> Callable[[Any], bool]:
    def check(self: AveragedClassifier) -> bool:
        return all(hasattr(m, name) for m in getattr(self, "estimators_", self.estimators))

    return check


class AveragedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that averages the scores of several.

    When a search finds several settings about equally good, the best of them is mostly luck. Their
    mean hangs less on which rows were in which fold. Averaged is the decision function where all
    classifiers have one, else the probabilities; labels are those of the mean score, not a vote.
    `icost.iCostCV` makes one of these with ``select="average"``.

    Parameters
    ----------
    estimators : list of classifiers
        Unfitted; each is cloned and fitted. All must have ``decision_function``, or all
        ``predict_proba``: scores of different kinds have no mean.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of classifiers
        The fitted ones.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    icost.iCostCV : Finds the settings, and refits them with ``select="average"``.
    sklearn.ensemble.VotingClassifier : Votes, or averages probabilities only.

    Notes
    -----
    Fitting and predicting take as long as all the classifiers together. All of them count the
    same. Decision functions are averaged as they are: of classifiers whose scores differ in scale,
    such as an SVM and a linear model, the one with the larger scores decides more. Settings of one
    base classifier, which is what a search finds, do not have that trouble.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from icost import iCost
    >>> from icost.tuning import AveragedClassifier
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> model = AveragedClassifier([iCost(cfb=1.0), iCost(cfb=1.5)]).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> scores = [member.decision_function(X) for member in model.estimators_]
    >>> np.array_equal(model.decision_function(X), np.mean(scores, axis=0))
    True

    A tree has no decision function, so with one among them the probabilities are averaged:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> mixed = AveragedClassifier([iCost(), iCost(DecisionTreeClassifier(max_depth=2))]).fit(X, y)
    >>> hasattr(mixed, "decision_function"), mixed.predict_proba(X).shape
    (False, (100, 2))
    """

    def __init__(self, estimators: Sequence[Any]) -> None:
        self.estimators = estimators

    def fit(self, X: Any, y: ArrayLike, **fit_params: Any) -> AveragedClassifier:
        """Fit all classifiers on the same data.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.
        **fit_params
            Handed to each ``fit``, such as ``sample_weight``.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If the fitted classifiers have neither method in common. Only then: some, such as a
            stacking classifier, show what they have only once they are fitted.
        """
        validate_data(self, as_table(X), skip_check_array=True)
        self.estimators_ = [clone(e).fit(X, y, **fit_params) for e in self.estimators]
        # Some, such as a stacking classifier, show what they have only when they are fitted.
        response_method(self.estimators_)
        self.classes_ = self.estimators_[0].classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label with the highest mean score.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels: of two classes, the second where the mean decision function is above 0.
        """
        check_is_fitted(self)
        if response_method(self.estimators_) == "decision_function":
            scores = self.decision_function(X)
            codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        else:
            codes = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[codes]

    @available_if(_members_have("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the mean of the decision functions, where all classifiers have one.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]``; one column per class for a multiclass target.
        """
        return self._mean("decision_function", X)

    @available_if(_members_have("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the mean of the probabilities, where all classifiers have them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``. Where decision functions are averaged as well, the label
            is by those, so that it may differ from the likelier class.
        """
        return self._mean("predict_proba", X)

    def _mean(self, method: str, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        validate_data(self, as_table(X), reset=False, skip_check_array=True)
        return np.mean([getattr(m, method)(X) for m in self.estimators_], axis=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimators:
            tags.input_tags = get_tags(self.estimators[0]).input_tags
        return tags
