"""Scores of many candidates from their confusion matrices, and scorers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer

from icost.labels import resolve_minority
from icost.metrics import make_scorers
from icost.tuning.sharing import cost_prefix

CONFUSION_SCORES = {"mcc": "mcc", "matthews_corrcoef": "mcc", "f1": "f1", "g_mean": "g_mean"}
"""Names of scores that a confusion matrix is enough for; no scorer has to be called."""

Floats = NDArray[np.float64]


def confusion_scores(confusion: NDArray[Any], positive: int | None = 1) -> dict[str, Floats]:
    """Return MCC, F1 and G-mean of many confusion matrices at once.

    Parameters
    ----------
    confusion : array-like of shape (..., n_classes, n_classes)
        True classes in rows, predicted ones in columns.
    positive : int or None, default=1
        Code of the class whose F1 is meant; None for the macro average.

    Returns
    -------
    dict
        ``"mcc"``, ``"f1"`` and ``"g_mean"``, each of shape (...,); 0 where a score is not defined.

    Examples
    --------
    >>> from icost.tuning.scoring import confusion_scores
    >>> scores = confusion_scores([[6, 2], [1, 3]])
    >>> {name: value.round(3).tolist() for name, value in scores.items()}
    {'mcc': 0.478, 'f1': 0.667, 'g_mean': 0.75}
    """
    counts = np.asarray(confusion, dtype=np.float64)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    true, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    return {
        "mcc": _mcc(hits.sum(axis=-1), true, predicted),
        "f1": _f1(hits, true, predicted, positive),
        "g_mean": _g_mean(hits, true),
    }


def _mcc(correct: Floats, true: Floats, predicted: Floats) -> Floats:
    """Matthews' coefficient, Gorodkin's for more than two classes."""
    n = true.sum(axis=-1)
    covariance = correct * n - (true * predicted).sum(axis=-1)
    spread = (n**2 - (true**2).sum(axis=-1)) * (n**2 - (predicted**2).sum(axis=-1))
    return _ratio(covariance, np.sqrt(spread))


def _f1(hits: Floats, true: Floats, predicted: Floats, positive: int | None) -> Floats:
    per_class = _ratio(2 * hits, true + predicted)
    if positive is not None:
        return per_class[..., positive]
    # As in scikit-learn, a class that is neither present nor predicted does not count.
    return _ratio(per_class.sum(axis=-1), ((true + predicted) > 0).sum(axis=-1))


def _g_mean(hits: Floats, true: Floats) -> Floats:
    recalls = np.divide(hits, true, out=np.ones_like(hits), where=true > 0)
    return recalls.prod(axis=-1) ** (1.0 / (true > 0).sum(axis=-1))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    zeros = np.zeros(numerator.shape)
    return np.divide(numerator, denominator, out=zeros, where=denominator > 0)


def positive_label(
    estimator: Any,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    sample_weight: Floats | None = None,
) -> Any:
    """Return the positive class: the estimator's, else the one of two with less weight.

    Parameters
    ----------
    estimator : iCost, or Pipeline that ends in one
        Its ``minority_label`` decides, if it has one.
    classes, codes : ndarray
        From `icost.labels.encode_labels`.
    sample_weight : ndarray of shape (n_samples,), default=None
        The user's weights, by which iCost finds the minority as well.

    Returns
    -------
    label or None
        None for more than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from icost import iCost
    >>> from icost.tuning.scoring import positive_label
    >>> classes, codes = np.array(["a", "b"]), np.array([0, 0, 1])
    >>> str(positive_label(iCost(), classes, codes))
    'b'
    >>> str(positive_label(iCost(), classes, codes, np.array([1.0, 1.0, 9.0])))
    'a'
    """
    prefix = cost_prefix(estimator)
    if len(classes) > 2:
        return None
    named = estimator.get_params()[f"{prefix}minority_label"]
    return classes[resolve_minority(classes, codes, named, sample_weight)]


def resolve_scorer(scoring: Any, estimator: Any, minority_label: Any) -> Callable[..., float]:
    """Return the scorer that a user named.

    Parameters
    ----------
    scoring : str, callable or None
        A name of `icost.metrics.make_scorers`, where the minority is the positive class; a name
        that scikit-learn knows; a callable ``scorer(estimator, X, y)``; or None for the estimator's
        own ``score``.
    estimator : estimator
        What will be scored.
    minority_label : label or None
        The positive class; None for more than two classes.

    Returns
    -------
    callable
        The scorer.

    Examples
    --------
    >>> from icost import iCost
    >>> from icost.tuning.scoring import resolve_scorer
    >>> resolve_scorer("balanced_accuracy", iCost(), 1)
    make_scorer(balanced_accuracy_score, response_method='predict')
    """
    if scoring == "matthews_corrcoef":
        return get_scorer(scoring)
    own = make_scorers(minority_label)
    if isinstance(scoring, str) and scoring in own:
        return own[scoring]
    return check_scoring(estimator, scoring=scoring)
