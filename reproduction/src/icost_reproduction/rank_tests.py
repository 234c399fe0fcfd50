"""Statistics over data sets, which the paper lacks: are differences more than chance?

All functions take plain scores, one row per data set and one column per strategy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

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
    # Loads seaborn, and so takes a second that other tables need not wait for.
    import scikit_posthocs as posthocs

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
    from statsmodels.stats import multitest

    columns = set(scores.columns)
    wanted = [pair for pair in pairs or combinations(scores.columns, 2) if columns.issuperset(pair)]
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
    is_given = ~np.isnan(sample)
    sample = sample[is_given]
    codes = np.arange(len(sample))
    if groups is not None:
        codes = np.unique(np.asarray(groups)[is_given], return_inverse=True)[1]
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


def source_of(dataset: str) -> str:
    """Return the data that a set of the paper was made of: yeast, of ``yeast-1_vs_7``."""
    match = re.match(r"kdd|[A-Za-z]+", dataset)
    return match[0] if match else dataset


def source_interval(gain: pd.Series) -> tuple[float, float, float]:
    """Return the mean of a difference per set, and its interval with families of sets drawn."""
    return mean_interval(gain, groups=[source_of(str(name)) for name in gain.index])


def unpaired_interval(ours: ArrayLike, theirs: ArrayLike) -> tuple[float, float, float]:
    """Return a difference of means over different data sets, and its bootstrap interval."""
    parts = [sample[~np.isnan(sample)] for sample in (np.asarray(ours), np.asarray(theirs))]
    mean = float(parts[0].mean() - parts[1].mean())
    if min(map(len, parts)) < 2:
        return mean, mean, mean
    interval = stats.bootstrap(
        parts,
        lambda one, other, axis: one.mean(axis=axis) - other.mean(axis=axis),
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return mean, float(interval.low), float(interval.high)
