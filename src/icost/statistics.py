"""Statistics that the paper lacks: are differences between strategies more than chance?

Most functions take plain scores, one row per dataset and one column per strategy; the last two take
the scores of cross-validation folds, which share training rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from icost.validation import check_number, import_extra

ALPHA = 0.05

Pairs = Sequence[tuple[str, str]]
"""Strategies to compare, by name."""


@dataclass(frozen=True, eq=False)
class RankTest:
    """Ranks of several strategies over datasets, and whether they differ by more than chance."""

    ranks: pd.Series  # average ranks, the best (1) first
    friedman_p: float
    critical_difference: float  # average ranks that differ by more differ significantly (5 %)
    nemenyi: pd.DataFrame
    wilcoxon: pd.DataFrame
    n_datasets: int


def rank_strategies(scores: pd.DataFrame, pairs: Pairs | None = None) -> RankTest:
    """Rank strategies over the datasets that all have: Friedman, Nemenyi, Wilcoxon with Holm."""
    posthocs = import_extra("scikit_posthocs", "experiments", "Ranking strategies")
    # Equal up to rounding is equal: a rank must not hang on the last bit.
    scores = scores.dropna().round(9)
    n, k = scores.shape
    ranks = scores.rank(axis=1, ascending=False).mean().sort_values()
    p = stats.friedmanchisquare(*scores.to_numpy().T).pvalue if k > 2 else np.nan
    # It counts in errors of one mean, the critical difference in those of a difference of two.
    q = stats.studentized_range.ppf(1 - ALPHA, k, np.inf) / np.sqrt(2)
    nemenyi = posthocs.posthoc_nemenyi_friedman(scores.to_numpy())
    nemenyi.index = nemenyi.columns = scores.columns
    difference = float(q * np.sqrt(k * (k + 1) / (6 * n)))
    return RankTest(ranks, float(p), difference, nemenyi, wilcoxon_holm(scores, pairs), n)


def wilcoxon_holm(scores: pd.DataFrame, pairs: Pairs | None = None) -> pd.DataFrame:
    """Return p-values of Wilcoxon's signed-rank test, corrected by Holm over the pairs of interest.

    The table is symmetric: 1 for pairs without any difference, NaN for those of no interest.
    """
    multitest = import_extra("statsmodels.stats.multitest", "experiments", "Holm's correction")
    known = set(scores.columns)
    wanted = [pair for pair in pairs or combinations(scores.columns, 2) if known.issuperset(pair)]
    raw = [_wilcoxon_p(scores[a] - scores[b]) for a, b in wanted]
    corrected = multitest.multipletests(raw, method="holm")[1] if raw else []
    blank = np.where(np.eye(scores.shape[1]) == 1, 1.0, np.nan)
    table = pd.DataFrame(blank, index=scores.columns, columns=scores.columns)
    for (a, b), p in zip(wanted, corrected, strict=True):
        table.loc[a, b] = table.loc[b, a] = p
    return table


def _wilcoxon_p(difference: pd.Series) -> float:
    if (difference == 0).all():
        return 1.0
    return float(stats.wilcoxon(difference, zero_method="zsplit", method="asymptotic").pvalue)


def mean_interval(
    values: ArrayLike, *, groups: ArrayLike | None = None, confidence: float = 0.95, seed: int = 0
) -> tuple[float, float, float]:
    """Return a mean over datasets and its bootstrap interval: mean, low and high.

    Datasets of one group are drawn together, as they are not independent of each other.
    """
    sample = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(sample)
    sample = sample[known]
    codes = np.arange(len(sample))
    if groups is not None:
        codes = np.unique(np.asarray(groups)[known], return_inverse=True)[1]
    mean = float(sample.mean()) if len(sample) else np.nan
    if len(sample) < 2 or np.ptp(sample) == 0:
        return mean, mean, mean
    # Sums and counts of groups are drawn in pairs: a mean over rows, of which groups have many.
    result = stats.bootstrap(
        (np.bincount(codes, weights=sample), np.bincount(codes)),
        lambda sums, counts, axis: sums.sum(axis=axis) / counts.sum(axis=axis),
        paired=True,
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return mean, float(result.confidence_interval.low), float(result.confidence_interval.high)


def wilson_interval(
    hits: ArrayLike, total: ArrayLike, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's interval of shares, which holds also for none and all.

    Examples
    --------
    >>> from icost.statistics import wilson_interval
    >>> low, high = wilson_interval([1, 5], [10, 10])
    >>> low.round(3), high.round(3)
    (array([0.018, 0.237]), array([0.404, 0.763]))
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(total, dtype=np.float64)
    z = float(stats.norm.ppf((1 + confidence) / 2))
    middle = (k + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4)
    return middle - half, middle + half


def corrected_interval(
    values: ArrayLike, test_share: float, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the mean over folds with the corrected resampled t interval.

    Are two strategies different on this table, by more than the choice of folds? The answer needs
    the error of a mean over folds, and the usual one is too small: folds share training rows, so
    that their values are alike. The correction of Nadeau and Bengio [1]_ makes up for that with a
    term for the share of the rows that are tested.

    Parameters
    ----------
    values : array-like of shape (n_folds,)
        One value per fold, such as a difference between two strategies; all repeats together. NaN
        is left out.
    test_share : float
        Rows of a test fold per row of its training fold, ``n_test / n_train``: 1/4 for five folds,
        1/9 for ten.
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    mean, low, high : float
        NaN where no fold has a value; with one, only the mean is known.

    See Also
    --------
    compare : Uses it for every difference that it reports.
    icost.iCostCV.nested_score : Scores of folds to take the mean of.

    Notes
    -----
    With ``n`` values of variance ``s**2``, the usual standard error is ``sqrt(s**2 / n)``. Here it
    is ``sqrt(s**2 * (1 / n + n_test / n_train))``, and the interval has ``n - 1`` degrees of
    freedom. More repeats shrink the first term only: the interval does not go to zero, as no number
    of repeats makes new rows. For five folds the second term is 1/4, for which 15 values give an
    error 2.2 times the usual one.

    Pair before averaging: take the difference of two strategies on each fold, then its interval.
    Two intervals that overlap say little, as folds that are hard for one strategy are hard for the
    other.

    References
    ----------
    .. [1] Nadeau, C., & Bengio, Y. (2003). Inference for the generalization error. Machine
           Learning, 52, 239-281.

    Examples
    --------
    >>> from icost.comparison import corrected_interval
    >>> [round(value, 2) for value in corrected_interval([1.0, 2.0, 3.0], test_share=0.5)]
    [2.0, -1.93, 5.93]

    Three repeats of five folds. The mean of a difference looks certain, until the correction:

    >>> difference = [0.04, 0.01, 0.05, -0.02, 0.03] * 3
    >>> usual = corrected_interval(difference, test_share=0.0)
    >>> corrected = corrected_interval(difference, test_share=1 / 4)
    >>> usual[1] > 0, corrected[1] > 0
    (True, False)
    """
    check_number("confidence", confidence, low=0, high=1, open_low=True, open_high=True)
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return (np.nan,) * 3
    mean = float(known.mean())
    error = corrected_error(known, test_share)
    half = float(stats.t.ppf((1 + confidence) / 2, max(1, len(known) - 1)) * error)
    return mean, mean - half, mean + half


def corrected_error(values: ArrayLike, test_share: float) -> float:
    """Return the standard error of a mean over folds, corrected as in `corrected_interval`."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return float("nan")
    return float(np.sqrt(known.var(ddof=1) * (1 / len(known) + test_share)))
