"""Metrics from confusion matrices, for many of them at once.

A matrix has true classes as rows; of two classes, the minority is the second. The metrics equal
those of `icost.metrics`, which takes labels instead and is far slower on a thousand small folds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def confusion(
    y_true: NDArray[np.intp], y_pred: NDArray[np.intp], n_classes: int
) -> NDArray[np.intp]:
    """Return a confusion matrix of class codes.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.confusion import confusion
    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[1, 1],
           [0, 1]])
    """
    pairs = np.bincount(y_true * n_classes + y_pred, minlength=n_classes**2)
    return pairs.reshape(n_classes, n_classes)


def matrix_scores(matrices: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """Return the paper's metrics, but for ROC AUC, of a stack of confusion matrices.

    Parameters
    ----------
    matrices : array-like of shape (n, K, K)
        Confusion matrices. For K > 2 the metrics are macro averages and ``mcc`` is the multiclass
        correlation coefficient.

    Returns
    -------
    dict
        Arrays of shape (n,) by name: ``mcc``, ``g_mean``, ``f1``, ``sensitivity``,
        ``specificity``, ``precision`` and ``accuracy``. A ratio with nothing below is 0.

    Examples
    --------
    >>> from icost.experiments.confusion import matrix_scores
    >>> scores = matrix_scores([[[6, 2], [1, 3]]])
    >>> scores["sensitivity"], scores["specificity"]
    (array([0.75]), array([0.75]))
    """
    stack = np.asarray(matrices, dtype=np.float64)
    total = stack.sum(axis=(1, 2))
    hits = np.diagonal(stack, axis1=1, axis2=2)
    actual, predicted = stack.sum(axis=2), stack.sum(axis=1)
    recall, precision = _ratio(hits, actual), _ratio(hits, predicted)
    f1 = _ratio(2 * hits, actual + predicted)
    rejected = total[:, None] - actual - predicted + hits
    specificity = _ratio(rejected, total[:, None] - actual)
    # Of two classes the metrics are those of the minority; of more, means over the classes.
    of_interest = slice(1, 2) if stack.shape[1] == 2 else slice(None)
    return {
        "mcc": correlation(stack),
        "g_mean": np.prod(recall, axis=1) ** (1.0 / stack.shape[1]),
        "f1": f1[:, of_interest].mean(axis=1),
        "sensitivity": recall[:, of_interest].mean(axis=1),
        "specificity": specificity[:, of_interest].mean(axis=1),
        "precision": precision[:, of_interest].mean(axis=1),
        "accuracy": _ratio(hits.sum(axis=1), total),
    }


def correlation(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return Matthews' coefficient, R_K for more than two classes, of a stack of matrices.

    Parameters
    ----------
    matrices : array-like of shape (n, K, K)
        Confusion matrices.

    Returns
    -------
    ndarray of shape (n,)
        0 where only one class occurs or is predicted.

    Examples
    --------
    >>> from icost.experiments.confusion import correlation
    >>> correlation([[[5, 0], [0, 5]], [[5, 0], [5, 0]]])
    array([1., 0.])
    """
    stack = np.asarray(matrices, dtype=np.float64)
    actual, predicted = stack.sum(axis=2), stack.sum(axis=1)
    total = stack.sum(axis=(1, 2))
    hits = np.trace(stack, axis1=1, axis2=2)
    covariance = hits * total - (actual * predicted).sum(axis=1)
    spread = (total**2 - (actual**2).sum(axis=1)) * (total**2 - (predicted**2).sum(axis=1))
    return _ratio(covariance, np.sqrt(spread))


def fast_mcc(y_true: NDArray[np.intp], y_pred: NDArray[np.intp]) -> float:
    """Return Matthews' coefficient of two classes coded 0 and 1, without checking anything.

    A threshold is tuned by hundreds of scores, most of whose time goes into checks otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.confusion import fast_mcc
    >>> fast_mcc(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    return float(correlation(confusion(y_true, y_pred, 2)[np.newaxis])[0])


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    below = np.broadcast_to(below, above.shape)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
