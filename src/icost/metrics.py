"""The metrics of the paper (section 4.3) and what imbalanced data needs besides.

The minority class is the positive one throughout. `classification_scores` returns all of them for
one set of predictions; `make_scorers` makes them usable in scikit-learn's tools.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    roc_auc_score,
)
from sklearn.utils import check_consistent_length, column_or_1d

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import find_minority, label_code
from icost._core.validation import check_cost_matrix, check_row_costs, check_sample_weight

__all__ = [
    "PAPER_METRICS",
    "classification_scores",
    "expected_cost",
    "make_scorers",
    "recall_per_category",
]

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

CONFUSION_METRICS = tuple(name for name in PAPER_METRICS if name != "roc_auc")
"""Those of them that a confusion matrix is enough for."""

Totals = tuple[Floats, Floats, Floats]
"""Hits, rows of each class in truth, and rows of each class in the prediction."""


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

    No single number tells whether a classifier is good on imbalanced data. This returns the usual
    ones together, with the minority as the positive class, so that a gain in one is seen beside
    its price in another.

    Predictions give ``mcc`` (Matthews' correlation, the paper's primary metric), ``g_mean``,
    ``f1``, ``sensitivity``, ``specificity``, ``precision`` and ``accuracy``. They depend on the
    threshold. Scores add ``roc_auc`` and ``pr_auc``, which do not: they tell how well the rare
    rows are ranked. Probabilities add ``brier`` and ``log_loss``, which are errors, the smaller
    the better: they tell whether the probabilities can be believed.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels. More than two classes give macro averages, and the multiclass
        correlation coefficient as ``mcc``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores of the *minority* class, such as a decision function, or its negative if the minority
        is the first of ``classes_``; for ROC AUC and PR AUC. With more than two classes, a column
        per class in sorted order.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Probabilities of the minority class; for Brier score and log loss, and in place of
        ``y_score`` if that is missing. With more than two classes, a column per class, for the
        areas under the curves of each class against the rest.
    minority_label : label, default=None
        The positive class, of those that occur or are in ``labels``; by default the rarer one of
        ``y_true``. Of no effect with more than two classes.
    labels : array-like of shape (n_classes,), default=None
        All classes, as a test fold may lack some. By default those that occur.

    Returns
    -------
    dict
        Metrics by name; one that is not defined here, as an AUC with one class only, is NaN.

    See Also
    --------
    make_scorers : The same metrics for scikit-learn's cross-validation.
    expected_cost : The one to use if you know what errors cost.
    recall_per_category : Sensitivity, for each category of difficulty.

    Examples
    --------
    >>> from icost.metrics import classification_scores
    >>> scores = classification_scores([0, 0, 0, 1], [0, 0, 1, 1], [0.1, 0.2, 0.6, 0.9])
    >>> scores["sensitivity"], scores["precision"], scores["roc_auc"]
    (1.0, 0.5, 1.0)

    The ranking is perfect, so there is a better threshold than the one that predicted. Of three
    classes, every class counts alike, however rare:

    >>> scores = classification_scores([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 0, 0])
    >>> round(scores["sensitivity"], 2), round(scores["accuracy"], 2)
    (0.5, 0.67)
    """
    classes, truth, predicted = _encode(y_true, y_pred, labels)
    positive = None if len(classes) > 2 else _positive_code(classes, truth, minority_label)
    values = confusion_scores(_confusion(classes, truth, predicted), positive)
    scores = {name: float(value) for name, value in values.items()}
    if positive is None:
        return scores | _macro_ranking_scores(
            truth, len(classes), y_proba if y_score is None else y_score
        )
    return scores | _ranking_scores(truth == positive, y_score, y_proba)


def confusion_scores(
    confusion: ArrayLike, positive: int | None = 1, names: Sequence[str] = CONFUSION_METRICS
) -> dict[str, Floats]:
    """Return the paper's metrics that a confusion matrix is enough for, of many of them at once.

    Tuning scores many candidates on many folds. Here all metrics follow from one count of errors,
    and one call serves all candidates, without the checks that scikit-learn's functions make on
    every call. The values are the same.

    Parameters
    ----------
    confusion : array-like of shape (..., n_classes, n_classes)
        True classes in rows, predicted ones in columns, as `sklearn.metrics.confusion_matrix`
        returns them. Numbers need not be whole: weighted counts will do.
    positive : int or None, default=1
        Code of the positive class; None for macro averages, over the classes that occur in truth
        or prediction.
    names : sequence of str, default=CONFUSION_METRICS
        The metrics wanted.

    Returns
    -------
    dict
        Metrics by name, each of shape (...,). ``mcc`` is the multiclass correlation coefficient
        for more than two classes, ``g_mean`` is over the classes that occur in truth, and a ratio
        with nothing below is 0.

    See Also
    --------
    classification_scores : From labels, with rankings and probabilities.

    Examples
    --------
    >>> from icost.metrics import confusion_scores
    >>> scores = confusion_scores([[6, 2], [1, 3]])
    >>> {name: scores[name].round(3).tolist() for name in ("mcc", "f1", "g_mean")}
    {'mcc': 0.478, 'f1': 0.667, 'g_mean': 0.75}

    Two matrices at once, say of two thresholds; the second finds nothing:

    >>> scores = confusion_scores([[[6, 2], [1, 3]], [[8, 0], [4, 0]]], names=["mcc", "accuracy"])
    >>> scores["mcc"].round(2), scores["accuracy"].round(2)
    (array([0.48, 0.  ]), array([0.75, 0.67]))
    """
    counts = np.asarray(confusion, dtype=np.float64)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    return scores_of_totals((hits, counts.sum(axis=-1), counts.sum(axis=-2)), positive, names)


def scores_of_totals(
    totals: Totals, positive: int | None, names: Sequence[str]
) -> dict[str, Floats]:
    """Return metrics from hits, true and predicted totals by class, which is all that they need."""
    return {
        name: _OVERALL[name](*totals)
        if name in _OVERALL
        else _mean_over_classes(_PER_CLASS[name], totals, positive)
        for name in names
    }


def confusion_matrices(truth: Ints, predicted: Ints, n_classes: int) -> Ints:
    """Return the confusion matrix of each row of predictions, a row of codes per candidate."""
    # Each pair of codes is the number of a cell, and each candidate has cells of its own: one count
    # serves them all.
    n_rows, n_cells = len(predicted), n_classes * n_classes
    cells = truth * n_classes + predicted + n_cells * np.arange(n_rows)[:, np.newaxis]
    counts = np.bincount(cells.ravel(), minlength=n_rows * n_cells)
    return counts.reshape(n_rows, n_classes, n_classes)


def _mean_over_classes(
    parts: Callable[..., tuple[Floats, Floats]], totals: Totals, positive: int | None
) -> Floats:
    """The metric of one class, or its mean over all."""
    per_class = _ratio(*parts(*totals))
    if positive is not None:
        return per_class[..., positive]
    # As in scikit-learn, a class that is neither present nor predicted does not count.
    occurs = totals[1] + totals[2] > 0
    return _ratio(np.where(occurs, per_class, 0.0).sum(axis=-1), occurs.sum(axis=-1))


def _mcc(hits: Floats, true: Floats, predicted: Floats) -> Floats:
    """Matthews' coefficient, Gorodkin's for more than two classes."""
    # The correlation of truth and prediction as indicator columns, with n**2 above and below the
    # line; if either is constant there is no spread, and the ratio is 0.
    n = true.sum(axis=-1)
    covariance = hits.sum(axis=-1) * n - (true * predicted).sum(axis=-1)
    spreads = [n**2 - (totals**2).sum(axis=-1) for totals in (true, predicted)]
    # Of weights that are no whole numbers, rounding leaves a little, of either sign.
    first, second = (np.where(spread > 1e-12 * n**2, spread, 0.0) for spread in spreads)
    return _ratio(covariance, np.sqrt(first * second))


def _g_mean(hits: Floats, true: Floats, predicted: Floats) -> Floats:
    # A class that does not occur in truth is a factor of 1, and is not counted in the root.
    recalls = np.divide(hits, true, out=np.ones_like(hits), where=true > 0)
    return recalls.prod(axis=-1) ** (1.0 / (true > 0).sum(axis=-1))


def _accuracy(hits: Floats, true: Floats, predicted: Floats) -> Floats:
    return _ratio(hits.sum(axis=-1), true.sum(axis=-1))


def _rejected(hits: Floats, true: Floats, predicted: Floats) -> tuple[Floats, Floats]:
    # Rows of the other classes that are not predicted as the class: predicted - hits are false
    # alarms.
    negatives = true.sum(axis=-1, keepdims=True) - true
    return negatives - predicted + hits, negatives


_OVERALL = {"mcc": _mcc, "g_mean": _g_mean, "accuracy": _accuracy}

#: Metrics that each class has one of: what is above and what is below the line.
_PER_CLASS: dict[str, Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]] = {
    "f1": lambda hits, true, predicted: (2 * hits, true + predicted),
    "sensitivity": lambda hits, true, predicted: (hits, true),
    "specificity": _rejected,
    "precision": lambda hits, true, predicted: (hits, predicted),
}


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(np.shape(above)), where=below > 0)


def _ranking_scores(
    truth: Bools, y_score: ArrayLike | None, y_proba: ArrayLike | None
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


def _macro_ranking_scores(
    truth: Ints, n_classes: int, ranking: ArrayLike | None
) -> dict[str, float]:
    """Return the areas under the curves, each class against the rest; NaN if one does not occur."""
    if ranking is None:
        return {}
    values = np.asarray(ranking, dtype=np.float64)
    if values.shape != (len(truth), n_classes):
        raise ValueError(
            f"y_score or y_proba must have a column for each of {n_classes} classes and a row for "
            f"each of {len(truth)} labels, got shape {values.shape}."
        )
    areas = [_ranking_scores(truth == k, values[:, k], None) for k in range(n_classes)]
    return {name: float(np.mean([area[name] for area in areas])) for name in ("roc_auc", "pr_auc")}


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_fn: Any = None,
    cost_fp: Any = 1.0,
    cost_matrix: ArrayLike | None = None,
    minority_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean cost per row: of all errors alike, of each row, or by a matrix.

    If you know what a missed minority row and a false alarm cost, in money or in harm, this is
    the only metric that counts. All others weigh the two by convention.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    cost_fn : float or array-like of shape (n_samples,)
        Cost of missing a minority row, ``C_r`` in the paper's Table 1; or of missing each row.
    cost_fp : float or array-like of shape (n_samples,), default=1.0
        Cost of a false alarm, ``C_p``.
    cost_matrix : array-like of shape (n_classes, n_classes), default=None
        Cost of each decision, in place of both: rows are true classes, columns predicted ones, in
        sorted order.
    minority_label : label, default=None
        The positive class; by default the rarer one of ``y_true``. For more than two classes one
        must be named, and all others are the majority together.
    labels : array-like of shape (n_classes,), default=None
        All classes, as a test fold may lack some. By default those that occur.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in the mean.

    Returns
    -------
    float
        Cost per row; right predictions cost nothing, unless the matrix says so.

    See Also
    --------
    sklearn.model_selection.TunedThresholdClassifierCV : Finds the threshold with the least cost.

    Notes
    -----
    A classifier with good probabilities has the least expected cost if it says "minority" from a
    probability of ``cost_fp / (cost_fp + cost_fn)`` on: with known costs, try that threshold before
    `icost.iCost`.

    Examples
    --------
    A missed row at 50 and a false alarm at 2, over four cases:

    >>> from icost.metrics import expected_cost
    >>> expected_cost([0, 0, 0, 1], [0, 0, 1, 0], cost_fn=50, cost_fp=2)
    13.0

    A miss costs the amount of the transaction, and the smallest one was missed:

    >>> expected_cost([1, 1, 0, 0], [0, 1, 0, 0], cost_fn=[20, 900, 50, 30], minority_label=1)
    5.0
    """
    classes, *both = _encode(y_true, y_pred, labels)
    n_rows = len(both[0])
    weight = check_sample_weight(sample_weight, n_rows)
    if (cost_fn is None) == (cost_matrix is None):
        raise ValueError(
            "expected_cost needs either cost_fn or cost_matrix, got "
            f"cost_fn={cost_fn!r} and cost_matrix={cost_matrix!r}."
        )
    if cost_matrix is not None:
        costs = check_cost_matrix(cost_matrix, len(classes))[both[0], both[1]]
        return float(np.average(costs, weights=weight))
    miss = check_row_costs("cost_fn", cost_fn, n_rows)
    alarm = check_row_costs("cost_fp", cost_fp, n_rows)
    positive = _positive_code(classes, both[0], minority_label)
    truth, predicted = (codes == positive for codes in both)
    costs = miss * (truth & ~predicted) + alarm * (~truth & predicted)
    return float(np.average(costs, weights=weight))


def recall_per_category(
    y_true: ArrayLike, y_pred: ArrayLike, indices: ArrayLike, category: ArrayLike
) -> dict[str, float]:
    """Return the share of minority rows found, for each category of difficulty.

    One recall hides who is missed. A classifier that finds all pure and safe rows and no
    others has reached what is easy; one that misses safe rows has a problem that no weight on
    border ones will mend. Outliers are often missed, and if they are mislabelled they should be.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    indices : array-like of shape (n_minority,)
        Positions of the minority rows, such as ``complexity_.indices``.
    category : array-like of shape (n_minority,)
        Their categories, such as ``complexity_.category``.

    Returns
    -------
    dict
        Recall by category, in the order of their names. Categories without a row are left out.

    See Also
    --------
    icost.categorize_minority_class : Categories of a table, without a classifier.
    icost.complexity.Complexity : Holds both ``indices`` and ``category``.

    Notes
    -----
    Predictions should be of rows that the classifier was not fitted to; categories describe, and
    may rest on all rows.

    Examples
    --------
    >>> from icost.metrics import recall_per_category
    >>> recall_per_category([0, 0, 1, 1], [0, 0, 1, 0], [2, 3], ["safe", "outlier"])
    {'outlier': 0.0, 'safe': 1.0}
    """
    counts = found_per_category(y_true, y_pred, indices, category)
    return {name: n_found / total for name, (n_found, total) in counts.items()}


def found_per_category(
    y_true: ArrayLike, y_pred: ArrayLike, indices: ArrayLike, category: ArrayLike
) -> dict[str, tuple[int, int]]:
    """Return how many minority rows of each category were found, and how many there are."""
    is_right = np.asarray(y_true) == np.asarray(y_pred)
    is_found, names = is_right[np.asarray(indices, dtype=np.intp)], np.asarray(category).astype(str)
    of_name = {str(name): is_found[names == name] for name in np.unique(names)}
    return {name: (int(rows.sum()), len(rows)) for name, rows in of_name.items()}


def make_scorers(minority_label: Any = None) -> dict[str, Callable[..., float]]:
    """Return scorers for scikit-learn's cross-validation and search tools.

    scikit-learn has scorers neither for G-mean nor for specificity, and its F1, precision and
    recall take 1 for the positive label. These scorers find the minority whatever its label is, and
    wherever it stands in ``classes_``.

    Parameters
    ----------
    minority_label : label, default=None
        The positive class. By default the rarer one of each set of labels that is scored, so give
        it if a test fold may have equal numbers of both. For more than two classes, the one whose
        scores are meant; without it, ``precision``, ``f1``, ``sensitivity`` and ``specificity`` are
        macro averages and the scorers of probabilities raise. Ignored by ``mcc``, ``g_mean`` and
        ``accuracy``.

    Returns
    -------
    dict
        Scorers by name: those in `PAPER_METRICS`, ``"pr_auc"``, and ``"brier"`` and ``"log_loss"``,
        both negated, so that more is better. Where scikit-learn wants a scorer of its own, as in
        `sklearn.model_selection.TunedThresholdClassifierCV`, use `sklearn.metrics.make_scorer` on
        a function such as ``imblearn.metrics.geometric_mean_score``.

    See Also
    --------
    classification_scores : The same metrics of one set of predictions.
    icost.iCostCV : Takes their names as ``scoring``.

    Examples
    --------
    All metrics of a model in one cross-validation:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import cross_validate
    >>> from icost import iCost
    >>> from icost.metrics import make_scorers
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> scorers = make_scorers(minority_label=1)
    >>> result = cross_validate(iCost(), X, y, scoring=scorers, cv=2)
    >>> sorted(name for name in result if name.startswith("test_"))[:4]
    ['test_accuracy', 'test_brier', 'test_f1', 'test_g_mean']
    """
    scorers: dict[str, Callable[..., float]] = {
        name: _PredictionScorer(name, minority_label) for name in CONFUSION_METRICS
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
        classes, truth, predicted = _encode(y, estimator.predict(X), estimator.classes_)
        is_macro = len(classes) > 2 and self.minority_label is None
        positive = None if is_macro else _positive_code(classes, truth, self.minority_label)
        confusion = _confusion(classes, truth, predicted)
        return float(confusion_scores(confusion, positive, [self.name])[self.name])


class _MinorityScorer:
    """A scorer on the scores of the minority class, wherever it is in ``classes_``."""

    def __init__(
        self, name: str, minority_label: Any, methods: tuple[str, ...], sign: int = 1
    ) -> None:
        self.name, self.minority_label = name, minority_label
        self.methods, self.sign = methods, sign

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        classes, truth, _ = _encode(y, y, estimator.classes_)
        positive = _positive_code(classes, truth, self.minority_label)
        method = self._method(estimator)
        values = getattr(estimator, method)(X)
        column = label_code(classes[positive], estimator.classes_)
        if values.ndim == 2:
            values = values[:, column]
        elif column == 0:
            values = -values
        proba = values if method == "predict_proba" else None
        return self.sign * _ranking_scores(truth == positive, values, proba)[self.name]

    def _method(self, estimator: Any) -> str:
        for name in self.methods:
            if hasattr(estimator, name):
                return name
        raise ValueError(
            f"the scorer {self.name!r} needs a classifier with {' or '.join(self.methods)}, got "
            f"{type(estimator).__name__} with none."
        )


def _encode(
    y_true: ArrayLike, y_pred: ArrayLike, labels: ArrayLike | None = None
) -> tuple[NDArray[Any], Ints, Ints]:
    """All classes, and both columns as codes of them; what comes in must be of one kind."""
    truth, predicted = column_or_1d(y_true), column_or_1d(y_pred)
    listed = truth[:0] if labels is None else column_or_1d(labels)
    check_consistent_length(truth, predicted)
    for name, values in (("y_pred", predicted), ("labels", listed)):
        _check_one_kind(truth, values, name)
    classes, codes = np.unique(np.concatenate([truth, predicted, listed]), return_inverse=True)
    return classes, codes[: len(truth)], codes[len(truth) : 2 * len(truth)]


def _check_one_kind(truth: NDArray[Any], values: NDArray[Any], name: str) -> None:
    """Raise where NumPy would turn numbers into text to compare them."""
    if len(truth) and len(values) and _is_text(truth) != _is_text(values):
        raise ValueError(
            f"y_true and {name} must have labels of one kind, got {truth[0]!r} and {values[0]!r}."
        )


def _is_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "UST" or isinstance(values[0], str)


def _confusion(classes: NDArray[Any], truth: Ints, predicted: Ints) -> Ints:
    return confusion_matrix(truth, predicted, labels=np.arange(len(classes)))


def _positive_code(classes: NDArray[Any], truth: Ints, minority_label: Any) -> int:
    """Code of the label that the user named, else of the rarer one of two."""
    if minority_label is not None:
        return label_code(minority_label, classes)
    if len(classes) > 2:
        raise ValueError(
            f"y_true must have two classes unless a minority_label is named, got {len(classes)}."
        )
    # One that does not occur is the rarer one; the only one there is may well be the positive one.
    return find_minority(np.bincount(truth, minlength=2)) if len(classes) == 2 else 0
