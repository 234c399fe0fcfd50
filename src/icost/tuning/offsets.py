"""Decisions of several classes by scores with an offset for each of them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import StratifiedKFold, check_cv, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from icost.base_fit import check_base
from icost.labels import class_totals, encode_labels, most_folds
from icost.metrics import CONFUSION_METRICS
from icost.thresholds import (
    RESPONSES,
    LabelMetric,
    Metric,
    additive_scores,
    check_class_scores,
    tune_score_offsets,
)
from icost.validation import as_numbers, as_table, check_choice, check_number, check_sample_weight


def _estimator_has(name: str) -> Callable[[Any], bool]:
    def check(self: OffsetClassifier) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), name)

    return check


def _weight_name(estimator: Any) -> str:
    """What ``fit`` calls the weights, which a pipeline without routing takes for a step only."""
    is_by_step = isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]
    return f"{estimator.steps[-1][0]}__sample_weight" if is_by_step else "sample_weight"


def _as_metric(scoring: str | Callable[..., float], classes: NDArray[Any]) -> Metric:
    """Return a name that counts are enough for, or a function of codes, decisions and weights."""
    if isinstance(scoring, str) and scoring in CONFUSION_METRICS:
        return scoring
    is_known = isinstance(scoring, str) and scoring in get_scorer_names()
    asked: Any = get_scorer(scoring) if is_known else scoring
    if not callable(asked):
        extra = ", a name of scikit-learn's scorers or a function"
        check_choice("scoring", scoring, CONFUSION_METRICS, extra)
    parameters = list(signature(asked).parameters)
    if parameters[0] == "estimator":
        return LabelMetric(asked, classes)
    if "sample_weight" in parameters:
        return lambda truth, decided, weight: asked(truth, decided, sample_weight=weight)
    return asked


class OffsetClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Decide between several classes by scores to which an offset per class is added.

    What a tuned threshold is for two classes: a plain classifier hardly ever predicts a rare class,
    and an offset for it moves the border without a word about weights. The offsets are those with
    the best metric on out-of-fold scores; the classifier is then fitted to all rows.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function``, to which offsets are added, or else with ``predict_proba``, to
        the logarithms of which they are.
    scoring : str or callable, default="mcc"
        What is to be high, a name in `icost.metrics.CONFUSION_METRICS`; macro averages of more than
        two classes. Also any other scorer of scikit-learn that goes by labels, by its name or as an
        object, a metric such as `sklearn.metrics.balanced_accuracy_score`, or a function of codes,
        decided codes and weights; these are asked for some cuts only.
    cv : int, splitter or iterable, default=5
        Folds for the out-of-fold scores; a number of shuffled, stratified ones, no more than the
        rarest class has rows.
    offsets : array-like of shape (n_classes,), default=None
        Offsets to take as they are; nothing is tuned then.
    random_state : int, RandomState or None, default=None
        Shuffles the folds.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        Whose scores the offsets are for. By default ``decision_function`` if the fitted classifier
        has it, else ``predict_proba``. Given offsets need the method that they were tuned on.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    offsets_ : ndarray of shape (n_classes,)
        What is added to the scores of each class; the mean of tuned ones is 0.
    response_method_ : {"decision_function", "predict_proba"}
        Where the scores come from, when offsets are tuned and when labels are predicted.
    estimator_ : classifier
        The fitted one.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    icost.iCostCV : With ``tune_threshold=True``, costs and offsets together.
    sklearn.model_selection.TunedThresholdClassifierCV : The threshold of two classes.

    Notes
    -----
    One class at a time is moved to its best offset, all cuts tried by counting, until none gains.
    That is a local optimum, and mostly the best there is. With few rows of a class the best offset
    is partly luck; more folds do not change that.

    Probabilities are those of the classifier: offsets change labels only.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import StandardScaler
    >>> from icost.datasets import load_dataset
    >>> from icost.tuning import OffsetClassifier
    >>> X, y = load_dataset("new-thyroid", return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = OffsetClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> model.offsets_.shape, bool((model.predict(X) == y).mean() > 0.9)
    ((3,), True)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        scoring: str | Callable[..., float] = "mcc",
        cv: Any = 5,
        offsets: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
        response_method: str = "auto",
    ) -> None:
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.offsets = offsets
        self.random_state = random_state
        self.response_method = response_method

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> OffsetClassifier:
        """Tune the offsets, unless they are given, and fit the classifier to all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for all fits, of a pipeline those of its last step, and for the metric by which
            offsets are tuned.
        **fit_params
            Other parameters of the classifier's ``fit``, of the last fit only.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_base(self.estimator, "estimator")
        X = as_table(X)
        validate_data(self, X, skip_check_array=True)
        self.classes_, codes = encode_labels(y)
        y = self.classes_[codes]
        check_choice("response_method", self.response_method, ("auto", *RESPONSES))
        if self.offsets is not None:
            self.offsets_ = self._given()
        metric = _as_metric(self.scoring, self.classes_)
        weight = check_sample_weight(sample_weight, len(codes))
        if self.offsets is None and isinstance(metric, LabelMetric):
            metric.check_weight(weight)
        own = {} if weight is None else {_weight_name(self.estimator): weight}
        if self.offsets is None and isinstance(self.cv, int | np.integer):
            check_number("cv", self.cv, low=2, integer=True)
            self._check_rows(codes)
        self.estimator_ = clone(self.estimator).fit(X, y, **own, **fit_params)
        self.response_method_ = self._response()
        n_classes = len(self.classes_)
        check_class_scores(self.estimator_, self.response_method_, n_classes, "estimator")
        if self.offsets is None:
            self.offsets_ = self._tune(X, y, codes, weight, metric)
        return self

    def _given(self) -> NDArray[np.float64]:
        offsets = as_numbers(np.atleast_1d(np.asarray(self.offsets)))
        if (
            offsets is None
            or offsets.shape != self.classes_.shape
            or not np.isfinite(offsets).all()
        ):
            raise ValueError(
                f"offsets must be {len(self.classes_)} finite numbers, one for each class, got "
                f"{self.offsets!r}."
            )
        return offsets

    def _response(self) -> str:
        """Return the method whose scores are moved."""
        wanted = RESPONSES if self.response_method == "auto" else (self.response_method,)
        # Asked of a fitted classifier, since some have more methods then.
        for name in wanted:
            if hasattr(self.estimator_, name):
                return name
        raise ValueError(
            f"estimator must have {' or '.join(wanted)} for offsets to be added to, got "
            f"{self.estimator!r}."
        )

    def _check_rows(self, codes: NDArray[np.intp]) -> None:
        totals = class_totals(codes)
        if totals.min() < 2:
            raise ValueError(
                "offsets need at least two rows of every class to be tuned by folds, got one of "
                f"class {self.classes_.tolist()[int(totals.argmin())]!r}."
            )

    def _tune(
        self,
        X: Any,
        y: ArrayLike,
        codes: NDArray[np.intp],
        weight: NDArray[np.float64] | None,
        metric: Metric,
    ) -> NDArray[np.float64]:
        cv = self.cv
        if isinstance(cv, int | np.integer):
            n_folds = max(2, most_folds(codes, int(cv)))
            cv = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        method = self.response_method_
        folds = check_cv(cv, codes, classifier=True)
        model = clone(self.estimator)
        own = {} if weight is None else {_weight_name(model): weight}
        if own and get_config()["enable_metadata_routing"] and hasattr(model, "set_fit_request"):
            model.set_fit_request(sample_weight=True)
        scores = cross_val_predict(model, X, y, cv=folds, method=method, params=own or None)
        moved = additive_scores(scores, method)
        return tune_score_offsets(codes, moved, metric, sample_weight=weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label whose score and offset are highest together.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        codes = np.argmax(self._moved(X), axis=1)
        return self.classes_[codes]

    def _moved(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        validate_data(self, as_table(X), reset=False, skip_check_array=True)
        scores = getattr(self.estimator_, self.response_method_)(X)
        return additive_scores(scores, self.response_method_) + self.offsets_

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the classifier's probabilities, which offsets leave as they are.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores with their offsets.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` of two; else the highest of a row is predicted.
        """
        moved = self._moved(X)
        return moved[:, 1] - moved[:, 0] if moved.shape[1] == 2 else moved

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
