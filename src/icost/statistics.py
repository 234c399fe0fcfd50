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
from numpy.typing import ArrayLike
from scipy import stats

from icost.validation import check_number, import_extra

ALPHA = 0.05

Pairs = Sequence[tuple[str, str]]
"""Strategies to compare, by name."""


@dataclass(frozen=True, eq=False)
class RankTest:
    """Ranks of several strategies over datasets, and whether they differ by more than chance.

    Parameters
    ----------
    ranks : pandas.Series
        Average rank of each strategy, the best (1) first.
    friedman_p : float
        p-value of the hypothesis that all strategies are equal.
    critical_difference : float
        Average ranks that differ by more differ significantly (Nemenyi, 5 %).
    nemenyi : pandas.DataFrame
        p-values of all pairs.
    wilcoxon : pandas.DataFrame
        p-values of all pairs after Holm's correction, by signed ranks.
    n_datasets : int
        Number of datasets.
    """

    ranks: pd.Series
    friedman_p: float
    critical_difference: float
    nemenyi: pd.DataFrame
    wilcoxon: pd.DataFrame
    n_datasets: int


def rank_strategies(scores: pd.DataFrame, pairs: Pairs | None = None) -> RankTest:
    """Rank strategies over datasets: Friedman, Nemenyi, Wilcoxon with Holm's correction.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per dataset, a column per strategy, higher is better. Incomplete rows are left out.
    pairs : sequence of (str, str), default=None
        As for `wilcoxon_holm`.

    Returns
    -------
    RankTest
        Ranks and p-values.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from icost.statistics import rank_strategies
    >>> base = np.random.default_rng(0).uniform(size=30)
    >>> scores = pd.DataFrame({"a": base, "b": base + 0.1, "c": base + 0.2})
    >>> test = rank_strategies(scores)
    >>> test.ranks.to_dict(), test.friedman_p < 0.001
    ({'c': 1.0, 'b': 2.0, 'a': 3.0}, True)
    """
    posthocs = import_extra("scikit_posthocs", "experiments", "Ranking strategies")
    # Equal up to rounding is equal: a rank must not hang on the last bit.
    scores = scores.dropna().round(9)
    n, k = scores.shape
    ranks = scores.rank(axis=1, ascending=False).mean().sort_values()
    p = stats.friedmanchisquare(*scores.to_numpy().T).pvalue if k > 2 else np.nan
    q = stats.studentized_range.ppf(1 - ALPHA, k, np.inf) / np.sqrt(2)
    nemenyi = posthocs.posthoc_nemenyi_friedman(scores.to_numpy())
    nemenyi.index = nemenyi.columns = scores.columns
    difference = float(q * np.sqrt(k * (k + 1) / (6 * n)))
    return RankTest(ranks, float(p), difference, nemenyi, wilcoxon_holm(scores, pairs), n)


def wilcoxon_holm(scores: pd.DataFrame, pairs: Pairs | None = None) -> pd.DataFrame:
    """Return p-values of Wilcoxon's signed-rank test, after Holm's correction.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per dataset, a column per strategy.
    pairs : sequence of (str, str), default=None
        The comparisons of interest, over which is corrected; by default all. Those of strategies
        that are not there are left out.

    Returns
    -------
    pandas.DataFrame
        Symmetric, with 1 on the diagonal and for pairs without any difference; NaN for pairs that
        are of no interest.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.statistics import wilcoxon_holm
    >>> scores = pd.DataFrame({"a": range(9), "b": range(1, 10)})
    >>> float(wilcoxon_holm(scores).loc["a", "b"]) < 0.05
    True
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
    values: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float, float]:
    """Return a mean and its bootstrap interval, over datasets.

    Parameters
    ----------
    values : array-like
        One value per dataset, such as differences of MCC.
    groups : array-like, default=None
        Where each comes from. Datasets of one group are then drawn together, as they are not
        independent of each other.
    confidence : float, default=0.95
        Level.
    seed : int, default=0
        Of the bootstrap samples.

    Returns
    -------
    mean, low, high : float
        All the same if the values are.

    Examples
    --------
    >>> from icost.statistics import mean_interval
    >>> mean, low, high = mean_interval([1.0, 2.0, 3.0, 4.0])
    >>> low < mean < high
    True
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
    result = stats.bootstrap(
        (np.bincount(codes, weights=sample), np.bincount(codes)),
        lambda sums, counts, axis: sums.sum(axis=axis) / counts.sum(axis=axis),
        paired=True,
        confidence_level=confidence,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return mean, float(result.confidence_interval.low), float(result.confidence_interval.high)


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
    half = float(stats.t.ppf((1 + confidence) / 2, max(1, len(known) - 1)) * error)
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
    >>> from icost.statistics import corrected_error
    >>> round(corrected_error([1.0, 2.0, 3.0], test_share=0.5), 3)
    0.913
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return float("nan")
    return float(np.sqrt(known.var(ddof=1) * (1 / len(known) + test_share)))
