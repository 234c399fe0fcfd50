"""Metrics from confusion matrices, for many of them at once.

A matrix has true classes as rows; of two classes, the minority is the second. The metrics equal
those of `icost.metrics`, which takes labels instead and is far slower on a thousand small folds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost.tuning import confusion_scores
from icost.tuning.fold_scores import confusion_matrices


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
    is_binary = stack.shape[1] == 2
    total = stack.sum(axis=(1, 2))
    hits = np.diagonal(stack, axis1=1, axis2=2)
    actual, predicted = stack.sum(axis=2), stack.sum(axis=1)
    rejected = total[:, None] - actual - predicted + hits
    # Of two classes the metrics are those of the minority; of more, means over the classes.
    of_interest = slice(1, 2) if is_binary else slice(None)
    per_class = {
        "sensitivity": _ratio(hits, actual),
        "specificity": _ratio(rejected, total[:, None] - actual),
        "precision": _ratio(hits, predicted),
    }
    return {
        **confusion_scores(stack, positive=1 if is_binary else None),
        **{name: values[:, of_interest].mean(axis=1) for name, values in per_class.items()},
        "accuracy": _ratio(hits.sum(axis=1), total),
    }


def correlation(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return Matthews' coefficient of a stack of confusion matrices.

    Examples
    --------
    >>> from icost.experiments.confusion import correlation
    >>> correlation([[[5, 0], [0, 5]], [[5, 0], [5, 0]]])
    array([1., 0.])
    """
    return confusion_scores(np.asarray(matrices))["mcc"]


def fast_mcc(y_true: NDArray[np.intp], y_pred: NDArray[np.intp], pos_label: int = 1) -> float:
    """Return Matthews' coefficient of two classes coded 0 and 1, without checking anything.

    A threshold is tuned by hundreds of scores, most of whose time goes into checks otherwise. The
    coefficient is the same for either class: ``pos_label`` only tells scikit-learn whose score it
    is to cut.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.confusion import fast_mcc
    >>> fast_mcc(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    return float(correlation(confusion_matrices(y_true, y_pred[np.newaxis], 2))[0])


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    below = np.broadcast_to(below, above.shape)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
