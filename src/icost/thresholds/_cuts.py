"""Thresholds of two classes: the cut through held-out scores that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import ndtr
from sklearn.utils import check_random_state

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import bootstrap_groups, bootstrap_rows
from icost.metrics import confusion_scores, scores_of_totals
from icost.thresholds._label_metric import Metric, asked_places

N_STABLE = 25
"""Bootstrap samples behind `stable_threshold`."""

N_INTERVAL = 100
"""Bootstrap samples behind its interval; the first ones are those of the threshold."""

N_GRID, N_BINS = 400, 4000
"""Cuts that are tried on smoothed scores, and bins beyond which so many scores are counted."""

MANY_ROWS, N_LEVELS = 20_000, 1000
"""Rows beyond which scores are counted at so many levels, which is as exact as they are."""

FLAT = 1e-10
"""How far above scores that are all equal the threshold is."""


@dataclass(frozen=True)
class StableThreshold:
    """A threshold with its bootstrap interval (95 %)."""

    value: float
    low: float
    high: float


def stable_threshold(
    is_positive: ArrayLike,
    scores: ArrayLike,
    metric: Metric = "mcc",
    *,
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
    groups: NDArray[Any] | None = None,
    interval: bool = True,
) -> StableThreshold:
    """Return the mean of two steady cuts of held-out scores.

    One is the median of the best cuts of stratified bootstrap samples, of whole groups where there
    are any; the other is the best cut of class-wise Gaussian-smoothed scores. Each alone still
    follows the noise of few minority rows in its own way. A metric that is a function of labels has
    only the first of them. The interval applies the rule to each bootstrap sample, and is widened
    where that leaves the threshold outside; without ``interval`` it is NaN, which saves most of the
    time.
    """
    truth, score = np.asarray(is_positive, dtype=bool), np.asarray(scores, dtype=np.float64)
    if truth.all() or not truth.any() or score.min() == score.max():
        # Nothing to cut: nobody is called minority, which errs least where that is rare. Means of
        # equal scores may differ by rounding, so that the next number would not be high enough.
        return StableThreshold(*[float(score.max() + FLAT * max(1.0, abs(score.max())))] * 3)
    weight = np.ones(len(truth))
    if sample_weight is not None and np.ptp(sample_weight) > 0:  # not every scorer takes weights
        weight = np.asarray(sample_weight, float)
    rng = check_random_state(random_state)
    # A function of labels is slower than counting, so it is asked less often.
    n_draws = N_INTERVAL if isinstance(metric, str) else N_STABLE
    draw = _draw_counts if len(truth) > MANY_ROWS and isinstance(metric, str) else _draw_rows
    cells, draws = draw(Cells(truth, score, weight), groups, n_draws, rng)
    smoothed = SmoothedScores(truth, score, metric, cells) if isinstance(metric, str) else None
    # The number of draws is that of the interval in any case: the first ones depend on it.
    draws = islice(draws, None if interval else N_STABLE)
    cuts, rules = _cuts_of_draws(cells, draws, metric, smoothed if interval else None)
    value = float(np.median(cuts[:N_STABLE]))
    if smoothed is not None:
        value = (value + smoothed.best_cut(cells.weight)) / 2
    if not interval:
        return StableThreshold(value, np.nan, np.nan)
    low, high = np.percentile(rules or cuts, [2.5, 97.5])
    return StableThreshold(value, min(float(low), value), max(float(high), value))


def _cuts_of_draws(
    cells: Cells, draws: Iterable[Floats], metric: Metric, smoothed: SmoothedScores | None
) -> tuple[list[float], list[float]]:
    """Return the best cut of each draw and, with smoothed scores, the mean of both cuts."""
    # Sorted once: a draw is a weight at each of the levels that scores have.
    levels, places = np.unique(cells.score, return_inverse=True)
    cuts, rules = [], []
    for drawn in draws:
        cuts.append(widest_best_cut(levels, places, cells.truth, drawn, metric))
        if smoothed is not None:
            rules.append((cuts[-1] + smoothed.best_cut(drawn)) / 2)
    return cuts, rules


@dataclass(frozen=True, eq=False)
class Cells:
    """What is drawn: rows or, where there are many, all rows of a class at one level of scores."""

    truth: Bools
    score: Floats
    weight: Floats


Draws = tuple[Cells, Iterable[Floats]]
"""Cells, and their weights in each bootstrap sample."""


def _draw_rows(rows: Cells, groups: Any, n_draws: int, rng: np.random.RandomState) -> Draws:
    classes = [np.flatnonzero(rows.truth), np.flatnonzero(~rows.truth)]
    draws = bootstrap_rows(classes, n_draws, rng, groups)
    return rows, (rows.weight * np.bincount(drawn, minlength=len(rows.truth)) for drawn in draws)


def _draw_counts(rows: Cells, groups: Any, n_draws: int, rng: np.random.RandomState) -> Draws:
    """Count rows by class at some levels: a draw costs no look at all of them."""
    truth, score = rows.truth, rows.score
    shares = np.linspace(0, 1, N_LEVELS // 2)
    edges = np.unique([np.quantile(score[is_class], shares) for is_class in (~truth, truth)])
    kept, places = np.unique(np.searchsorted(edges, score, side="right"), return_inverse=True)
    levels = np.bincount(places, weights=score) / np.bincount(places)
    cell = places + len(kept) * truth
    counts = np.bincount(cell, minlength=2 * len(kept))
    weights = np.bincount(cell, rows.weight, 2 * len(kept)).astype(np.float64)
    cells = Cells(np.repeat([False, True], len(kept)), np.tile(levels, 2), weights)
    if groups is None:
        by_class = [np.where(cells.truth == is_class, counts, 0) for is_class in (False, True)]
        drawn = [rng.multinomial(size.sum(), size / size.sum(), n_draws) for size in by_class]
        return cells, sum(drawn) * (weights / np.maximum(counts, 1))
    numbers = np.unique(groups, return_inverse=True)[1]
    by_group = csr_array((rows.weight, (numbers, cell)), shape=(numbers.max() + 1, len(weights)))
    times = [
        np.bincount(drawn, minlength=by_group.shape[0])
        for drawn in bootstrap_groups(numbers, truth.astype(np.intp), n_draws, rng)
    ]
    return cells, np.array(times, dtype=np.float64) @ by_group


def widest_best_cut(
    levels: Floats, places: Ints, truth: Bools, weight: Floats, metric: Metric
) -> float:
    """The best cut of rows whose scores are given as places among sorted levels."""
    drawn = np.flatnonzero(np.bincount(places, weights=weight, minlength=len(levels)))
    if len(drawn) == 1:
        return float(levels[drawn[0]])
    below = [
        np.cumsum(
            np.bincount(places[is_class], weights=weight[is_class], minlength=len(levels))[drawn]
        )
        for is_class in (~truth, truth)
    ]
    score, cuts = levels[drawn], np.arange(len(drawn) - 1)
    if not isinstance(metric, str):
        has_majority, has_minority = (np.diff(sums, prepend=0.0) > 0 for sums in below)
        cuts = asked_places(has_majority[:-1] & has_minority[1:])
    values = _values_of_cuts(below, cuts, metric)
    best = cuts[values >= values.max() - 1e-12]
    chosen = best[np.argmax(score[best + 1] - score[best])]
    return float((score[chosen] + score[chosen + 1]) / 2)


def _values_of_cuts(below: Sequence[NDArray[Any]], cuts: Ints, metric: Metric) -> Floats:
    """Return the metric at each cut, by the weight of each class below all places."""
    true = np.array([sums[-1] for sums in below])
    low = [sums[cuts] for sums in below]
    high = [sums[-1] - sums[cuts] for sums in below]
    if isinstance(metric, str):
        # Cuts lie side by side in memory, as sums over two classes are slow the other way.
        hits, predicted = np.stack([low[0], high[1]]).T, np.stack([sum(low), sum(high)]).T
        return scores_of_totals((hits, true, predicted), 1, [metric])[metric]
    matrices = np.stack([low[0], high[0], low[1], high[1]], axis=-1).reshape(-1, 2, 2)
    values = np.array([_call_on_cells(metric, matrix) for matrix in matrices], dtype=np.float64)
    if np.isnan(values).all():
        raise ValueError("scoring must be a number for some thresholds, got NaN for all.")
    return np.where(np.isnan(values), -np.inf, values)


def _call_on_cells(metric: Callable[..., float], matrix: Floats) -> float:
    """A function of labels, asked about one row per cell of a confusion matrix with rows in it."""
    # Differences of weighted sums leave a trace where there is nothing.
    truth, decided = np.nonzero(matrix > 1e-12 * matrix.sum())
    return metric(truth, decided, matrix[truth, decided])


class SmoothedScores:
    """The scores of both classes, smeared; only weights differ between bootstrap samples."""

    def __init__(
        self, truth: Bools, score: Floats, metric: str, cells: Cells | None = None
    ) -> None:
        self.metric = metric
        self.grid = np.linspace(score.min(), score.max(), N_GRID)
        drawn = Cells(truth, score, score) if cells is None else cells
        self.classes = [
            (is_class, drawn.score[is_class]) for is_class in (~drawn.truth, drawn.truth)
        ]
        # Per class, the share of each score, or bin of scores, that lies above each cut.
        self.above = []
        for is_class, (_, values) in zip((~truth, truth), self.classes, strict=True):
            scores = score[is_class]
            quartiles = np.percentile(scores, [75, 25])
            spread, sigma = float(np.subtract(*quartiles)) / 1.34, float(scores.std())
            width = 0.9 * (min(sigma, spread) if spread > 0 else sigma) * len(scores) ** -0.2
            width = max(width, 1e-3 * score.std(), 1e-12)
            # In place: the table of cuts by rows is the largest thing that a threshold needs.
            middles = _thinned(values, np.ones(len(values)))[0]
            table = middles - self.grid[:, np.newaxis]
            table /= width
            self.above.append(ndtr(table, out=table))

    def best_cut(self, weight: Floats) -> float:
        """Return the cut of the best metric, with one weight per row."""
        columns = []
        for (is_class, scores), table in zip(self.classes, self.above, strict=True):
            above = table @ _thinned(scores, weight[is_class])[1]
            columns += [weight[is_class].sum() - above, above]
        matrices = np.stack(columns, axis=-1).reshape(-1, 2, 2)
        return float(
            self.grid[np.argmax(confusion_scores(matrices, 1, [self.metric])[self.metric])]
        )


def _thinned(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Many scores as the middles of fine bins, far finer than any width that smoothing has."""
    if len(values) <= N_BINS:
        return values, weight
    counts, edges = np.histogram(values, bins=N_BINS, weights=weight)
    return (edges[:-1] + edges[1:]) / 2, counts
