"""Statistics that the paper lacks: are differences between strategies more than chance?

Most functions take plain scores, one row per dataset and one column per strategy; the last ones
take the scores of cross-validation folds, which share training rows, or their predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, stats

from icost.labels import bootstrap_rows
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


N_DRAWS = 500
"""Bootstrap samples by which the score of a chosen strategy is corrected."""


@dataclass(frozen=True, eq=False)
class ChosenScore:
    """What the score of a strategy that was chosen for it promises too much, and how sure it is."""

    optimism: float  # of the strategy's score, in the units of the score
    below: float  # from the corrected score to the ends of its 95 % interval; never above 0
    above: float
    shares: NDArray[np.float64]  # of the draws, in which each strategy was chosen


def chosen_score(
    codes: NDArray[np.intp],
    predicted: NDArray[np.intp],
    folds: NDArray[np.intp],
    chosen: int,
    *,
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    choose: Callable[[NDArray[np.float64]], int],
    groups: NDArray[Any] | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> ChosenScore:
    """Correct the score of the chosen one of several strategies, from held-out predictions alone.

    The best of many scores is too high, as luck has had a part in the choice. What it amounts to is
    seen on bootstrap samples of the rows: choose on the rows drawn, score on those left out
    (Tsamardinos, Greasidou & Borboudakis, 2018, Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation). Nothing is fitted again. The optimism is the mean,
    over draws, of how much the strategy ``chosen`` on all rows scores more than the one of the
    draw, both on the rows left out: as they are the same rows, a draw that chooses the same adds no
    noise.

    ``predicted`` has the shape (n_strategies, n_repeats, n_rows), ``folds`` (n_repeats, n_rows)
    with numbers that go on from one repeat to the next, -1 where a row was not tested. ``score``
    takes confusion matrices and ``choose`` scores of the shape (n_strategies, n_folds). Draws that
    leave out no row of some class tell nothing.

    Examples
    --------
    Ten strategies that guess, on 60 rows: the best accuracy is luck, and most of it is found out.

    >>> import numpy as np
    >>> from icost.statistics import chosen_score
    >>> rng = np.random.default_rng(0)
    >>> codes, guesses = rng.integers(2, size=60), rng.integers(2, size=(10, 1, 60))
    >>> accuracy = lambda cells: np.trace(cells, axis1=-2, axis2=-1) / cells.sum(axis=(-2, -1))
    >>> right = (guesses[:, 0] == codes).mean(axis=1)
    >>> found = chosen_score(
    ...     codes, guesses, np.zeros((1, 60), dtype=int), int(right.argmax()),
    ...     score=accuracy, choose=lambda scores: int(scores.mean(axis=1).argmax()),
    ... )
    >>> round(float(right.max()), 2), round(float(right.max()) - found.optimism, 2)
    (0.62, 0.52)
    """
    cells = _Cells(codes, predicted, folds)
    rng = np.random.RandomState(random_state)
    rows = np.flatnonzero((folds >= 0).any(axis=0))
    known = np.unique(codes[rows])
    classes = [rows[codes[rows] == code] for code in known]
    wins = np.zeros(len(predicted))
    gaps: list[float] = []
    outside: list[float] = []
    for drawn in bootstrap_rows(classes, n_draws, rng, groups):
        times = np.bincount(drawn, minlength=len(codes))
        winner = choose(score(cells.by_fold(times)))
        wins[winner] += 1
        left = np.zeros(len(codes))
        left[rows] = times[rows] == 0
        if len(np.unique(codes[left > 0])) < len(known):
            continue
        scores = score(cells.by_repeat(left)).mean(axis=1)
        gaps.append(scores[chosen] - scores[winner])
        outside.append(scores[winner])
    if not gaps:
        return ChosenScore(np.nan, np.nan, np.nan, wins / n_draws)
    low, high = np.percentile(outside, [2.5, 97.5]) - np.mean(outside)
    return ChosenScore(float(np.mean(gaps)), float(low), float(high), wins / n_draws)


class _Cells:
    """Confusion matrices of weighted rows; rows that are alike in all predictions are one."""

    def __init__(
        self, codes: NDArray[np.intp], predicted: NDArray[np.intp], folds: NDArray[np.intp]
    ) -> None:
        n_strategies, n_repeats, n_rows = predicted.shape
        n_classes = int(max(codes.max(), predicted.max())) + 1
        n_folds = int(folds.max()) + 1
        self.shape = (n_strategies, n_folds, n_classes, n_classes)
        table = np.vstack([codes, folds, predicted.reshape(-1, n_rows)]).astype(np.int32)
        kinds, places = np.unique(table, axis=1, return_inverse=True)
        self.places, n_kinds = np.ravel(places), kinds.shape[1]
        own_fold = np.broadcast_to(kinds[1 : n_repeats + 1], (n_strategies, n_repeats, n_kinds))
        given = kinds[n_repeats + 1 :].reshape(n_strategies, n_repeats, n_kinds)
        number, _, kind = np.indices(given.shape)
        cell = ((number * n_folds + own_fold) * n_classes + kinds[0][kind]) * n_classes + given
        is_tested = own_fold >= 0
        entries = (np.ones(is_tested.sum()), (cell[is_tested], kind[is_tested]))
        self.counts = sparse.csr_matrix(entries, shape=(int(np.prod(self.shape)), n_kinds))
        # The repeat of each fold: folds are pooled within one, as every row is tested once in it.
        self.starts = [int(own[own >= 0].min()) for own in folds if (own >= 0).any()]

    def by_fold(self, weight: NDArray[Any]) -> NDArray[np.float64]:
        """Return matrices of the shape (n_strategies, n_folds, n_classes, n_classes)."""
        kinds = np.bincount(self.places, weights=weight, minlength=self.counts.shape[1])
        return (self.counts @ kinds).reshape(self.shape)

    def by_repeat(self, weight: NDArray[Any]) -> NDArray[np.float64]:
        """Return matrices of the shape (n_strategies, n_repeats, n_classes, n_classes)."""
        return np.add.reduceat(self.by_fold(weight), self.starts, axis=1)
