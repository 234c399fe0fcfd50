"""The metrics of the paper (section 4.3) and what imbalanced data needs besides.

The minority class is the positive one throughout. `classification_scores` returns all of them for
one set of predictions; `make_scorers` makes them usable in scikit-learn's tools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    matthews_corrcoef,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.utils import check_consistent_length, column_or_1d

from icost.labels import encode_labels, find_minority, label_code
from icost.validation import check_number

PAPER_METRICS = (
    "mcc",
    "roc_auc",
    "g_mean",
    "f1",
    "sensitivity",
    "specificity",
    "precision",
    "accuracy",
)
"""The eight metrics of the paper, the primary one first."""


def g_mean_score(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the geometric mean of the recalls of all classes.

    For two classes that is the square root of sensitivity times specificity.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.

    Returns
    -------
    float
        0 as soon as one class is never found.

    Examples
    --------
    >>> from icost.metrics import g_mean_score
    >>> g_mean_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.7071...
    """
    recalls = recall_score(y_true, y_pred, average=None, labels=np.unique(y_true), zero_division=0)
    return float(np.prod(recalls) ** (1.0 / len(recalls)))


def specificity_score(y_true: ArrayLike, y_pred: ArrayLike, *, minority_label: Any = None) -> float:
    """Return the recall of the majority class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of two classes.
    minority_label : label, default=None
        The positive class; by default the rarer one of ``y_true``.

    Returns
    -------
    float
        Share of majority samples that were recognised.

    Examples
    --------
    >>> from icost.metrics import specificity_score
    >>> specificity_score([0, 0, 0, 0, 1], [0, 0, 0, 1, 1])
    0.75
    """
    is_majority = np.asarray(y_true) != _positive(y_true, minority_label)
    predicted_majority = np.asarray(y_pred) != _positive(y_true, minority_label)
    return float(recall_score(is_majority, predicted_majority, zero_division=0))


def classification_scores(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_score: ArrayLike | None = None,
    y_proba: ArrayLike | None = None,
    *,
    minority_label: Any = None,
    labels: ArrayLike | None = None,
) -> dict[str, float]:
    """Return the metrics of the paper and, where scores allow, four more.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels. More than two classes give macro averages, the multiclass
        correlation coefficient as ``mcc``, and no ``roc_auc``, ``pr_auc`` and ``brier``.
    y_score : array-like of shape (n_samples,), default=None
        Scores of the minority class, such as a decision function; for ROC AUC and PR AUC.
    y_proba : array-like of shape (n_samples,), default=None
        Probabilities of the minority class; for Brier score and log loss, and in place of
        ``y_score`` if that is missing.
    minority_label : label, default=None
        The positive class; by default the rarer one of ``y_true``.
    labels : array-like of shape (n_classes,), default=None
        All classes, as a test fold may lack some. By default those that occur.

    Returns
    -------
    dict
        Metrics by name; one that is not defined here, as an AUC with one class only, is NaN.

    Examples
    --------
    >>> from icost.metrics import classification_scores
    >>> scores = classification_scores([0, 0, 0, 1], [0, 0, 1, 1], [0.1, 0.2, 0.6, 0.9])
    >>> scores["sensitivity"], scores["roc_auc"]
    (1.0, 1.0)
    """
    y_true, y_pred = _paired(y_true, y_pred)
    found = np.unique(np.concatenate([y_true, y_pred]))
    labels = found if labels is None else np.union1d(found, np.asarray(labels))
    if len(labels) > 2:
        return _multiclass_scores(y_true, y_pred)
    positive = _rarer(y_true, labels) if minority_label is None else minority_label
    scores = _binary_scores(y_true == positive, y_pred == positive)
    return scores | _ranking_scores(y_true == positive, y_score, y_proba)


def scores_from_counts(
    tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike
) -> dict[str, NDArray[np.float64]]:
    """Return the paper's metrics that a confusion matrix is enough for.

    Parameters
    ----------
    tp, fn, fp, tn : array-like
        True positives, false negatives, false positives and true negatives; numbers, or arrays of
        one shape for many confusion matrices at once.

    Returns
    -------
    dict of ndarray
        Metrics by name; a ratio without any case is 0.

    Examples
    --------
    >>> from icost.metrics import scores_from_counts
    >>> float(scores_from_counts(tp=80, fn=20, fp=2000, tn=8000)["mcc"].round(4))
    0.1469
    """
    tp, fn, fp, tn = (np.asarray(count, dtype=np.float64) for count in (tp, fn, fp, tn))
    sensitivity, specificity = _ratio(tp, tp + fn), _ratio(tn, tn + fp)
    covariance = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return {
        "mcc": _ratio(tp * tn - fp * fn, covariance),
        "g_mean": np.sqrt(sensitivity * specificity),
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "precision": _ratio(tp, tp + fp),
        "accuracy": _ratio(tp + tn, tp + fn + fp + tn),
    }


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _binary_scores(truth: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> dict[str, float]:
    tp, fn = np.sum(truth & predicted), np.sum(truth & ~predicted)
    fp, tn = np.sum(~truth & predicted), np.sum(~truth & ~predicted)
    return {name: float(score) for name, score in scores_from_counts(tp, fn, fp, tn).items()}


def _multiclass_scores(y_true: NDArray[Any], y_pred: NDArray[Any]) -> dict[str, float]:
    macro = {"average": "macro", "zero_division": 0}
    matrix = confusion_matrix(y_true, y_pred)
    negatives = matrix.sum() - matrix.sum(axis=1)
    true_negatives = matrix.sum() - matrix.sum(axis=1) - matrix.sum(axis=0) + np.diag(matrix)
    return {
        "mcc": float(matthews_corrcoef(y_true, y_pred)),
        "g_mean": g_mean_score(y_true, y_pred),
        "f1": float(f1_score(y_true, y_pred, **macro)),
        "sensitivity": float(recall_score(y_true, y_pred, **macro)),
        "specificity": float(np.mean(true_negatives / negatives)),
        "precision": float(precision_score(y_true, y_pred, **macro)),
        "accuracy": float(accuracy_score(y_true, y_pred)),
    }


def _ranking_scores(
    truth: NDArray[np.bool_], y_score: ArrayLike | None, y_proba: ArrayLike | None
) -> dict[str, float]:
    ranking = y_proba if y_score is None else y_score
    has_both = truth.any() and not truth.all()
    scores = {}
    if ranking is not None:
        scores["roc_auc"] = float(roc_auc_score(truth, ranking)) if has_both else np.nan
        scores["pr_auc"] = float(average_precision_score(truth, ranking)) if has_both else np.nan
    if y_proba is not None:
        scores["brier"] = float(brier_score_loss(truth, y_proba))
        scores["log_loss"] = float(log_loss(truth, y_proba, labels=[False, True]))
    return scores


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_fn: float,
    cost_fp: float = 1.0,
    minority_label: Any = None,
) -> float:
    """Return the mean cost per case under the cost matrix of the paper's Table 1.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of two classes.
    cost_fn : float
        Cost of missing a minority sample, ``C_r``.
    cost_fp : float, default=1.0
        Cost of a false alarm, ``C_p``.
    minority_label : label, default=None
        The positive class; by default the rarer one of ``y_true``.

    Returns
    -------
    float
        Cost per case; right predictions cost nothing.

    Examples
    --------
    >>> from icost.metrics import expected_cost
    >>> expected_cost([0, 0, 0, 1], [0, 0, 1, 0], cost_fn=50, cost_fp=2)
    13.0
    """
    check_number("cost_fn", cost_fn, low=0)
    check_number("cost_fp", cost_fp, low=0)
    y_true, y_pred = _paired(y_true, y_pred)
    positive = _positive(y_true, minority_label)
    truth, predicted = y_true == positive, y_pred == positive
    return float(np.mean(cost_fn * (truth & ~predicted) + cost_fp * (~truth & predicted)))


def recall_per_category(
    y_true: ArrayLike, y_pred: ArrayLike, indices: ArrayLike, category: ArrayLike
) -> dict[str, float]:
    """Return the share of minority samples found, for each category of difficulty.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    indices : array-like of shape (n_minority,)
        Rows of the minority samples, such as ``complexity_.indices``.
    category : array-like of shape (n_minority,)
        Their categories, such as ``complexity_.category``.

    Returns
    -------
    dict
        Recall by category, in the order of their names.

    Examples
    --------
    >>> from icost.metrics import recall_per_category
    >>> recall_per_category([0, 0, 1, 1], [0, 0, 1, 0], [2, 3], ["safe", "outlier"])
    {'outlier': 0.0, 'safe': 1.0}
    """
    is_right = np.asarray(y_true) == np.asarray(y_pred)
    found, names = is_right[np.asarray(indices, dtype=np.intp)], np.asarray(category).astype(str)
    return {str(name): float(found[names == name].mean()) for name in np.unique(names)}


def make_scorers(minority_label: Any = None) -> dict[str, Callable[..., float]]:
    """Return scorers for scikit-learn's cross-validation and search tools.

    Parameters
    ----------
    minority_label : label, default=None
        The positive class. By default the rarer one of each set of labels that is scored, so give
        it if a test fold may have equal numbers of both. Ignored by ``mcc``, ``g_mean`` and
        ``accuracy``, which also work for more than two classes.

    Returns
    -------
    dict
        Scorers by name: those in `PAPER_METRICS`, ``"pr_auc"``, and ``"brier"`` and ``"log_loss"``,
        both negated, so that more is better.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import cross_validate
    >>> from icost import iCost
    >>> from icost.metrics import make_scorers
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> result = cross_validate(iCost(), X, y, scoring=make_scorers(minority_label=1))
    >>> round(float(result["test_g_mean"].mean()), 2)
    0.93
    """
    predicted = ("mcc", "g_mean", "f1", "sensitivity", "specificity", "precision", "accuracy")
    scorers: dict[str, Callable[..., float]] = {
        name: _PredictionScorer(name, minority_label) for name in predicted
    }
    for name in ("roc_auc", "pr_auc"):
        scorers[name] = _MinorityScorer(
            name, minority_label, ("decision_function", "predict_proba")
        )
    for name in ("brier", "log_loss"):
        scorers[name] = _MinorityScorer(name, minority_label, ("predict_proba",), sign=-1)
    return scorers


class _PredictionScorer:
    """One entry of `classification_scores`; a class, because closures do not pickle."""

    def __init__(self, name: str, minority_label: Any) -> None:
        self.name, self.minority_label = name, minority_label

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        # A fold may lack a class; the estimator knows them all.
        options = {"minority_label": self.minority_label, "labels": estimator.classes_}
        return classification_scores(y, estimator.predict(X), **options)[self.name]


class _MinorityScorer:
    """A scorer on the scores of the minority class, wherever it is in ``classes_``."""

    def __init__(
        self, name: str, minority_label: Any, methods: tuple[str, ...], sign: int = 1
    ) -> None:
        self.name, self.minority_label = name, minority_label
        self.methods, self.sign = methods, sign

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        positive = _positive(y, self.minority_label)
        method = next(name for name in self.methods if hasattr(estimator, name))
        values = getattr(estimator, method)(X)
        is_second = label_code(positive, estimator.classes_) == 1
        if values.ndim == 2:
            values = values[:, int(is_second)]
        elif not is_second:
            values = -values
        truth = np.asarray(y) == positive
        proba = values if method == "predict_proba" else None
        return self.sign * _ranking_scores(truth, values, proba)[self.name]


def _paired(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two columns of labels of one length and kind, which broadcasting would not insist on."""
    truth, predicted = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(truth, predicted)
    if (truth.dtype.kind in "US") != (predicted.dtype.kind in "US") and "O" not in (
        truth.dtype.kind,
        predicted.dtype.kind,
    ):
        raise ValueError(
            "y_true and y_pred must have labels of one kind, got "
            f"{truth[0]!r} and {predicted[0]!r}."
        )
    return truth, predicted


def _positive(y_true: ArrayLike, minority_label: Any) -> Any:
    if minority_label is not None:
        return minority_label
    classes, _ = encode_labels(y_true)
    if len(classes) != 2:
        raise ValueError(f"y_true must have two classes here, got {len(classes)}.")
    return _rarer(np.asarray(y_true), classes)


def _rarer(y_true: NDArray[Any], labels: NDArray[Any]) -> Any:
    """The rarer of two labels; one that does not occur is the rarer one."""
    counts = [np.sum(y_true == label) for label in labels]
    return labels[find_minority(counts)] if len(labels) == 2 else labels[-1]
