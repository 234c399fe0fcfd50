"""Intervals for means over cross-validation folds, which share training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from icost.validation import check_number


def corrected_interval(
    values: ArrayLike, test_share: float, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the mean over folds with the corrected resampled t interval.

    Folds share training rows, so their values vary less than independent ones would. The
    correction of Nadeau and Bengio [1]_ replaces ``1 / n`` in the variance of the mean by
    ``1 / n + n_test / n_train``.

    Parameters
    ----------
    values : array-like of shape (n_folds,)
        One value per fold, such as a difference between two strategies.
    test_share : float
        Rows of a test fold per row of its training fold, ``n_test / n_train``.
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    mean, low, high : float
        NaN where fewer than two folds have a value.

    References
    ----------
    .. [1] Nadeau, C., & Bengio, Y. (2003). Inference for the generalization error. Machine
           Learning, 52, 239-281.

    Examples
    --------
    >>> from icost.comparison import corrected_interval
    >>> [round(value, 2) for value in corrected_interval([1.0, 2.0, 3.0], test_share=0.5)]
    [2.0, -1.93, 5.93]
    """
    check_number("confidence", confidence, low=0, high=1, open_low=True, open_high=True)
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return (np.nan,) * 3
    mean = float(known.mean())
    error = corrected_error(known, test_share)
    half = float(student.ppf((1 + confidence) / 2, max(1, len(known) - 1)) * error)
    return mean, mean - half, mean + half


def corrected_error(values: ArrayLike, test_share: float) -> float:
    """Return the standard error of a mean over folds, corrected as in `corrected_interval`.

    Parameters
    ----------
    values : array-like of shape (n_folds,)
        One value per fold.
    test_share : float
        Rows of a test fold per row of its training fold.

    Returns
    -------
    float
        NaN for fewer than two folds.

    Examples
    --------
    >>> from icost.comparison.intervals import corrected_error
    >>> round(corrected_error([1.0, 2.0, 3.0], test_share=0.5), 3)
    0.913
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return float("nan")
    return float(np.sqrt(known.var(ddof=1) * (1 / len(known) + test_share)))
