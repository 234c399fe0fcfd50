"""Thresholds of two classes: the cut through held-out scores that decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.utils import check_random_state

from icost.labels import bootstrap_rows
from icost.metrics import confusion_scores, fast_mcc, scores_of_totals
from icost.thresholds.label_metric import Metric, asked_places
from icost.validation import check_choice, check_number

N_BOOTSTRAPS = 50
"""Bootstrap samples whose best thresholds the median is taken of."""

N_STABLE = 25
"""Bootstrap samples behind `stable_threshold`."""

N_INTERVAL = 100
"""Bootstrap samples behind its interval; the first ones are those of the threshold."""

N_GRID, N_BINS = 400, 4000
"""Cuts that are tried on smoothed scores, and bins beyond which so many scores are counted."""

FLAT = 1e-10
"""How far above scores that are all equal the threshold is."""

Objective = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From a stack of confusion matrices, the minority second, to what is to be large."""


def cost_objective(cost_fn: float, cost_fp: float) -> Objective:
    """Return an objective that is large where errors cost little."""
    return lambda matrices: -(cost_fp * matrices[:, 0, 1] + cost_fn * matrices[:, 1, 0])


def best_threshold(
    truth: NDArray[np.bool_], score: NDArray[np.float64], objective: Objective
) -> float:
    """Return the threshold from which on a score means minority, for the best objective.

    All thresholds between scores are tried, by counting; of equally good ones, the middle of the
    widest gap is taken.
    """
    order = np.argsort(score, kind="stable")
    score, truth = score[order], truth[order]
    # A cut after each group of equal scores but the last: below it, all is predicted majority.
    cut = np.flatnonzero(np.diff(score) > 0)
    if not len(cut):
        return float(score[0])
    value = objective(_matrices_below(np.ones(len(truth)), truth, cut))
    gap = score[cut + 1] - score[cut]
    chosen = cut[np.lexsort((gap, value))[-1]]
    return float((score[chosen] + score[chosen + 1]) / 2)


def tune_threshold(
    is_second: ArrayLike,
    scores: ArrayLike,
    *,
    metric: str = "mcc",
    positive: int = 1,
    n_bootstraps: int = N_BOOTSTRAPS,
    random_state: int | np.random.RandomState | None = None,
) -> float:
    """Return the median, over bootstrap samples, of the best threshold on a score.

    A classifier that ranks samples well may still cut its ranking in the wrong place, and on
    imbalanced data 0 or one half often is. The best cut of one set of scores follows its noise:
    one minority sample more or less can move it far. The median of the best cuts of many bootstrap
    samples is steadier.

    Parameters
    ----------
    is_second : array-like of shape (n_samples,)
        Whether each sample is of the second class.
    scores : array-like of shape (n_samples,)
        Out-of-fold scores of the second class: from models that were not fitted on these samples.
        Scores of the training samples would put the threshold where the model is over-sure.
    metric : {"mcc", "f1", "g_mean"}, default="mcc"
        What is to be high.
    positive : int, default=1
        Code of the class whose F1 is meant; the other two metrics do not heed it.
    n_bootstraps : int, default=50
        Number of bootstrap samples.
    random_state : int, RandomState or None, default=None
        Draws them.

    Returns
    -------
    float
        Samples that score at least this much are to be of the second class. The score itself, if
        all are equal.

    See Also
    --------
    icost.iCostCV : With ``tune_threshold=True``, costs and thresholds together.
    sklearn.model_selection.FixedThresholdClassifier : Makes a classifier decide by it.
    sklearn.model_selection.TunedThresholdClassifierCV : Another rule: a grid of cuts, by fold.

    Notes
    -----
    Each bootstrap sample is a vector of counts over the sorted scores, and the confusion matrices
    of all cuts are cumulative sums of it: n samples take n log n once and n per bootstrap sample.
    Where several cuts are equally good, as between two scores that were not drawn, the middle one
    is taken. A cut lies halfway between two neighbouring scores.

    It is for two classes, and for any score: decision functions, probabilities, logits.

    Examples
    --------
    Classes that do not overlap are cut in the gap between them:

    >>> from icost.tuning import tune_threshold
    >>> round(tune_threshold([0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.9], random_state=0), 2)
    0.5

    On a real table, with scores of a plain model from folds that it has not seen. One half would
    find none of the 17 minority rows:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_predict
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> scores = cross_val_predict(model, X, y, cv=3, method="predict_proba")[:, 1]
    >>> threshold = tune_threshold(y == "positive", scores, random_state=0)
    >>> is_minority = y.to_numpy() == "positive"
    >>> int((scores[is_minority] >= 0.5).sum()), int((scores[is_minority] >= threshold).sum())
    (0, 15)
    """
    check_choice("metric", metric, ("mcc", "f1", "g_mean"))
    check_number("n_bootstraps", n_bootstraps, low=1, integer=True)
    order = np.argsort(scores, kind="stable")
    ordered, second = np.asarray(scores)[order], np.asarray(is_second, dtype=bool)[order]
    cuts = np.flatnonzero(np.diff(ordered) > 0)
    if not len(cuts):
        return float(ordered[0])
    between = (ordered[cuts] + ordered[cuts + 1]) / 2
    draw = check_random_state(random_state).multinomial
    uniform = np.full(len(order), 1 / len(order))
    chosen = [
        _middle_best_cut(draw(len(order), uniform), second, cuts, metric, positive)
        for _ in range(n_bootstraps)
    ]
    return float(np.median(between[chosen]))


def _middle_best_cut(
    counts: NDArray[np.intp],
    second: NDArray[np.bool_],
    cuts: NDArray[np.intp],
    metric: str,
    positive: int,
) -> int:
    """Position of the best cut of a sample that holds each row ``counts`` times."""
    matrices = _matrices_below(counts, second, cuts)
    values = confusion_scores(matrices, positive, [metric])[metric]
    # The middle of the best cuts: rows that were not drawn leave whole stretches of them equal.
    best = np.flatnonzero(values >= values.max() - 1e-12)
    return int(best[len(best) // 2])


def _matrices_below(
    counts: NDArray[Any], second: NDArray[np.bool_], cuts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """A confusion matrix per cut of rows in the order of their scores: up to it, all are first."""
    below_first, below_second = np.cumsum(counts * ~second), np.cumsum(counts * second)
    first = [below_first[cuts], below_first[-1] - below_first[cuts]]
    last = [below_second[cuts], below_second[-1] - below_second[cuts]]
    return np.stack([*first, *last], axis=-1).reshape(-1, 2, 2).astype(np.float64)


def fit_tuned(estimator: Any, X: Any, y: NDArray[np.intp], cv: Any, minority: int = 1) -> Any:
    """Fit a classifier and move its threshold to where held-out folds have the best MCC.

    Returns a fitted `sklearn.model_selection.TunedThresholdClassifierCV`; where predictions are
    constant and no threshold is better than another, the fitted classifier itself.
    """
    scorer = make_scorer(fast_mcc, pos_label=minority)
    model = TunedThresholdClassifierCV(estimator, scoring=scorer, cv=cv)
    try:
        return model.fit(X, y)
    except ValueError as error:
        if "constant predictions" not in str(error):
            raise
        return clone(estimator).fit(X, y)


def cost_threshold(cost_fn: float, cost_fp: float = 1.0) -> float:
    """Return the probability from which on calling a row minority costs less than not to.

    Examples
    --------
    >>> from icost.thresholds import cost_threshold
    >>> cost_threshold(cost_fn=9.0)
    0.1
    """
    check_number("cost_fn", cost_fn, low=0)
    check_number("cost_fp", cost_fp, low=0)
    if cost_fn + cost_fp == 0:
        raise ValueError("cost_fn and cost_fp must not both be 0, got 0 for both.")
    return cost_fp / (cost_fn + cost_fp)


@dataclass(frozen=True)
class StableThreshold:
    """A threshold with the bootstrap interval of the best cut that it steadies."""

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
    only the first of them. An interval that is not asked for is NaN, and saves most of the time.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.thresholds import stable_threshold
    >>> truth = np.repeat([0, 1], [40, 10])
    >>> scores = np.concatenate([np.linspace(0, 0.5, 40), np.linspace(0.8, 0.9, 10)])
    >>> 0.5 < stable_threshold(truth, scores, random_state=0).value < 0.8
    True
    """
    truth, score = np.asarray(is_positive, dtype=bool), np.asarray(scores, dtype=np.float64)
    weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, float)
    if truth.all() or not truth.any() or score.min() == score.max():
        # Nothing to cut: nobody is called minority, which errs least where that is rare. Means of
        # equal scores may differ by rounding, so that the next number would not be high enough.
        return StableThreshold(*[float(score.max() + FLAT * max(1.0, abs(score.max())))] * 3)
    if np.ptp(weight) == 0:
        weight = np.ones(len(truth))  # not every scorer takes weights
    rng = check_random_state(random_state)
    classes = [np.flatnonzero(truth), np.flatnonzero(~truth)]
    # Sorted once: a draw is a count of rows at each of the levels that scores have.
    levels, places = np.unique(score, return_inverse=True)
    # A function of labels is slower than counting, so it is asked less often.
    n_draws = N_INTERVAL if interval and isinstance(metric, str) else N_STABLE
    cuts = [
        _widest_best_cut(levels, places[rows], truth[rows], weight[rows], metric)
        for rows in bootstrap_rows(classes, n_draws, rng, groups)
    ]
    low, high = np.percentile(cuts, [2.5, 97.5]) if interval else (np.nan, np.nan)
    value = float(np.median(cuts[:N_STABLE]))
    if isinstance(metric, str):
        value = (value + smoothed_cut(truth, score, weight, metric)) / 2
    return StableThreshold(value, float(low), float(high))


def widest_best_cut(
    truth: NDArray[np.bool_],
    score: NDArray[np.float64],
    weight: NDArray[np.float64],
    metric: Metric,
) -> float:
    """The best cut; of equally good ones, the middle of the widest gap."""
    levels, places = np.unique(score, return_inverse=True)
    return _widest_best_cut(levels, places, truth, weight, metric)


def _widest_best_cut(
    levels: NDArray[np.float64],
    places: NDArray[np.intp],
    truth: NDArray[np.bool_],
    weight: NDArray[np.float64],
    metric: Metric,
) -> float:
    """The best cut of rows whose scores are given as places among sorted levels."""
    drawn = np.flatnonzero(np.bincount(places, minlength=len(levels)))
    if len(drawn) == 1:
        return float(levels[drawn[0]])
    below = [
        np.cumsum(np.bincount(places[own], weights=weight[own], minlength=len(levels))[drawn])
        for own in (~truth, truth)
    ]
    score, cuts = levels[drawn], np.arange(len(drawn) - 1)
    if not isinstance(metric, str):
        has_majority, has_minority = (np.diff(own, prepend=0.0) > 0 for own in below)
        cuts = asked_places(has_majority[:-1] & has_minority[1:])
    true = np.array([own[-1] for own in below])
    low = [own[cuts] for own in below]
    high = [own[-1] - own[cuts] for own in below]
    if isinstance(metric, str):
        # Cuts lie side by side in memory, as sums over two classes are slow the other way.
        hits, predicted = np.stack([low[0], high[1]]).T, np.stack([sum(low), sum(high)]).T
        values = scores_of_totals((hits, true, predicted), 1, [metric])[metric]
    else:
        matrices = np.stack([low[0], high[0], low[1], high[1]], axis=-1).reshape(-1, 2, 2)
        values = np.array([_of_cells(metric, matrix) for matrix in matrices], dtype=np.float64)
        if np.isnan(values).all():
            raise ValueError("scoring must be a number for some thresholds, got NaN for all.")
        values = np.where(np.isnan(values), -np.inf, values)
    best = cuts[values >= values.max() - 1e-12]
    chosen = best[np.argmax(score[best + 1] - score[best])]
    return float((score[chosen] + score[chosen + 1]) / 2)


def _of_cells(metric: Callable[..., float], matrix: NDArray[np.float64]) -> float:
    """A function of labels, asked about one row per cell of a confusion matrix with rows in it."""
    # Differences of weighted sums leave a trace where there is nothing.
    truth, decided = np.nonzero(matrix > 1e-12 * matrix.sum())
    return metric(truth, decided, matrix[truth, decided])


def scores_of_cuts(
    truth: NDArray[np.bool_],
    score: NDArray[np.float64],
    cuts: NDArray[np.float64],
    metric: str,
    weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return a metric of a confusion matrix at each of some cuts, given in ascending order."""
    columns = []
    for is_own in (~truth, truth):
        order = np.argsort(score[is_own], kind="stable")
        sums = np.append(0.0, np.cumsum(weight[is_own][order]))
        below = sums[np.searchsorted(score[is_own][order], cuts, side="left")]
        columns += [below, sums[-1] - below]
    matrices = np.stack(columns, axis=-1).reshape(-1, 2, 2)
    return confusion_scores(matrices, 1, [metric])[metric]


def smoothed_cut(
    truth: NDArray[np.bool_], score: NDArray[np.float64], weight: NDArray[np.float64], metric: str
) -> float:
    """The best cut if each class's scores are smeared by a Gaussian of Silverman's width."""
    grid = np.linspace(score.min(), score.max(), N_GRID)
    above = []
    for is_own in (~truth, truth):
        values, own_weight = _thinned(score[is_own], weight[is_own])
        quartiles = np.percentile(score[is_own], [75, 25])
        spread, sigma = float(np.subtract(*quartiles)) / 1.34, float(score[is_own].std())
        width = 0.9 * (min(sigma, spread) if spread > 0 else sigma) * is_own.sum() ** -0.2
        width = max(width, 1e-3 * score.std(), 1e-12)
        # In place: the table of cuts by rows is the largest thing that a threshold needs.
        table = values - grid[:, np.newaxis]
        table /= width
        above.append(ndtr(table, out=table) @ own_weight)
    totals = weight[~truth].sum(), weight[truth].sum()
    columns = [totals[0] - above[0], above[0], totals[1] - above[1], above[1]]
    matrices = np.stack(columns, axis=-1).reshape(-1, 2, 2)
    return float(grid[np.argmax(confusion_scores(matrices, 1, [metric])[metric])])


def _thinned(
    values: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Many scores as the middles of fine bins, far finer than any width that smoothing has."""
    if len(values) <= N_BINS:
        return values, weight
    counts, edges = np.histogram(values, bins=N_BINS, weights=weight)
    return (edges[:-1] + edges[1:]) / 2, counts
