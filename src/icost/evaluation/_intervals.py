"""Intervals of scores on rows that a model has not seen: exact where there is such a thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, stdtrit
from scipy.stats import rankdata

from icost._core.arrays import Bools, Floats, Ints
from icost.metrics import CONFUSION_METRICS, confusion_scores
from icost.thresholds._certificate import HeldOut, lower_bound, upper_bound

CONFIDENCE = 0.95
"""Of all intervals here, each for itself."""

N_DRAWS = 2000
"""Confusion matrices that are drawn for an interval of MCC, F1 or G-mean."""

SHARES = ("sensitivity", "specificity", "precision", "accuracy")
"""Scores that are shares of rows, whose intervals are exact."""

EXTRA_ROW = 0.25
"""What one more minority row counts in the interval of a ROC curve's area."""

TINY = 1e-15
"""Distance from 0 and 1 that probabilities keep in a log loss, as in scikit-learn."""


@dataclass(frozen=True)
class Interval:
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Labelled rows with what a model says of them; classes are codes.

    ``minority`` is None for more than two classes, and ``ranking`` and ``proba``, scores and
    probabilities of the minority, are None where a model has none.
    """

    codes: Ints
    decided: Ints
    n_classes: int
    minority: int | None = None
    ranking: Floats | None = None
    proba: Floats | None = None
    groups: Ints | None = None

    @property
    def is_minority(self) -> Bools:
        """Which rows are of the minority."""
        return self.codes == self.minority

    @property
    def is_alert(self) -> Bools:
        """Which rows are predicted as the minority."""
        return self.decided == self.minority

    @property
    def held_out(self) -> HeldOut:
        """The same rows as certificates count them."""
        score = np.zeros(len(self.codes)) if self.ranking is None else self.ranking
        return HeldOut(self.is_minority, score, np.ones(len(self.codes)), self.groups)

    def take(self, rows: Bools) -> ScoredRows:
        """Return some of the rows."""
        columns = {"ranking": self.ranking, "proba": self.proba, "groups": self.groups}
        some: dict[str, Any] = {k: None if v is None else v[rows] for k, v in columns.items()}
        return ScoredRows(
            self.codes[rows], self.decided[rows], self.n_classes, self.minority, **some
        )

    def effective_count(self, rows: Bools) -> float:
        """Return how many rows some rows are worth: groups count once, however large."""
        if self.groups is None:
            return float(np.count_nonzero(rows))
        return self.held_out.effective_count(rows)


def share_interval(share: float, n_rows: float, confidence: float = CONFIDENCE) -> Interval:
    """Return a share with its Clopper–Pearson interval."""
    side = (1 + confidence) / 2
    return Interval(share, lower_bound(share, n_rows, side), upper_bound(share, n_rows, side))


def share_of(rows: ScoredRows, among: Bools, hits: Bools) -> Interval:
    """Return which share of some rows are hits; 0 with an interval of 0 to 1 if there are none."""
    n_rows = np.count_nonzero(among)
    share = np.count_nonzero(hits & among) / n_rows if n_rows else 0.0
    return share_interval(share, rows.effective_count(among))


def score_intervals(rows: ScoredRows) -> dict[str, Interval]:
    """Return the paper's scores, and those of rankings and probabilities where there are some."""
    scores = _confusion_intervals(rows)
    if rows.minority is None:
        return scores
    if rows.ranking is not None:
        scores["roc_auc"] = roc_auc_interval(rows.is_minority, rows.ranking, rows.groups)
        scores["pr_auc"] = pr_auc_interval(rows)
    if rows.proba is not None:
        truth, proba = rows.is_minority, np.clip(rows.proba, TINY, 1 - TINY)
        scores["brier"] = mean_interval((truth - proba) ** 2, rows.groups)
        scores["log_loss"] = mean_interval(-np.log(np.where(truth, proba, 1 - proba)), rows.groups)
    return scores


def _confusion_intervals(rows: ScoredRows) -> dict[str, Interval]:
    size = rows.n_classes
    cells = np.bincount(rows.codes * size + rows.decided, minlength=size * size)
    counts = cells.reshape(size, size).astype(np.float64)
    is_binary = rows.minority is not None
    names = [name for name in CONFUSION_METRICS if not (is_binary and name in SHARES)]
    values = confusion_scores(counts, rows.minority, names)
    drawn = confusion_scores(_drawn_matrices(rows, counts), rows.minority, names)
    tails = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    lows, highs = np.quantile([drawn[name] for name in names], tails, axis=1)
    scores = {
        name: _around(float(values[name]), low, high)
        for name, low, high in zip(names, lows, highs, strict=True)
    }
    everything = np.ones(len(rows.codes), dtype=bool)
    scores["accuracy"] = share_of(rows, everything, rows.codes == rows.decided)
    if is_binary:
        truth, alert = rows.is_minority, rows.is_alert
        scores["sensitivity"] = share_of(rows, truth, alert)
        scores["specificity"] = share_of(rows, ~truth, ~alert)
        scores["precision"] = share_of(rows, alert, truth)
    return {name: scores[name] for name in CONFUSION_METRICS}


def _drawn_matrices(rows: ScoredRows, counts: Floats) -> Floats:
    """Draw confusion matrices that may lie behind the one that was counted.

    Shares of the classes and of the predictions in each class are drawn from Dirichlet
    distributions with the counts and one more row in all (Jeffreys' prior for two classes).
    Groups make the counts smaller.
    """
    rng = np.random.RandomState(0)
    worth = np.array([rows.effective_count(rows.codes == code) for code in range(len(counts))])
    totals = counts.sum(axis=1)
    kept = np.divide(worth, totals, out=np.zeros_like(worth), where=totals > 0)
    # Gamma variates, made to sum to 1, are a draw of Dirichlet's distribution.
    inside = rng.standard_gamma(
        counts * kept[:, np.newaxis] + 1 / len(counts), (N_DRAWS, *counts.shape)
    )
    inside /= inside.sum(axis=2, keepdims=True)
    n_rows = rows.effective_count(np.ones(len(rows.codes), bool))
    sizes = rng.standard_gamma(
        totals / totals.sum() * n_rows + 1 / len(counts), (N_DRAWS, len(counts))
    )
    return inside * (sizes / sizes.sum(axis=1, keepdims=True))[:, :, np.newaxis]


def roc_auc_interval(truth: Bools, score: Floats, groups: Ints | None = None) -> Interval:
    """Return the area under the ROC curve, with DeLong's interval on the logit scale.

    A little of one more minority row, in the middle of the others, keeps the interval wide enough
    where nearly all rows are ranked without an error. Errors of the rows of a group are summed up
    (Obuchowski, 1997).
    """
    n_minority, n_others = np.count_nonzero(truth), np.count_nonzero(~truth)
    if not n_minority or not n_others:
        return Interval(np.nan, np.nan, np.nan)
    ranks = rankdata(score)
    # How many of the other class are below, or above: rank among all, less that among its own.
    above_others = (ranks[truth] - rankdata(score[truth])) / n_others
    below_minority = 1 - (ranks[~truth] - rankdata(score[~truth])) / n_minority
    area = float(above_others.mean())
    total = n_minority + EXTRA_ROW
    middle = (area * n_minority + 0.5 * EXTRA_ROW) / total
    influence = np.empty(len(truth))
    influence[truth] = (above_others - area) / total
    influence[~truth] = (below_minority - area) / n_others
    extra = EXTRA_ROW * ((0.5 - middle) / total) ** 2
    n_free = float(n_minority) if groups is None else len(np.unique(groups[truth]))
    error = np.sqrt(_squares(influence, groups) + extra) / (middle * (1 - middle))
    return _logit_interval(area, middle, error, n_free)


def pr_auc_interval(rows: ScoredRows) -> Interval:
    """Return the area under the precision–recall curve, with the logit interval of Boyd et al.

    Its variance on the logit scale is 1 / (n a (1 − a)) for the area a and n minority rows (Boyd,
    Eng & Page, 2013).
    """
    n_rows = rows.effective_count(rows.is_minority)
    if not n_rows or rows.is_minority.all():
        return Interval(np.nan, np.nan, np.nan)
    area = _average_precision(rows.is_minority, np.asarray(rows.ranking))
    middle = (area * n_rows + 0.5) / (n_rows + 1)
    error = 1 / np.sqrt(n_rows * middle * (1 - middle))
    return _logit_interval(area, middle, error, n_rows)


def _average_precision(truth: Bools, score: Floats) -> float:
    """Return the mean over minority rows of the precision down to them; ties count as one cut."""
    order = np.argsort(-score)
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    hits = np.cumsum(truth[order])[last]
    return float((np.diff(hits, prepend=0) * hits / (last + 1)).sum() / hits[-1])


def mean_interval(values: Floats, groups: Ints | None = None) -> Interval:
    """Return a mean of amounts that are not negative, with a t interval on the log scale."""
    mean = float(values.mean())
    error = mean_error(values, groups)
    if not mean > 0 or not np.isfinite(error):
        return Interval(mean, mean, mean if len(values) > 1 else np.nan)
    n_free = len(values) if groups is None else len(np.unique(groups))
    factor = np.exp(stdtrit(max(1.0, n_free - 1), (1 + CONFIDENCE) / 2) * error / mean)
    return Interval(mean, float(mean / factor), float(mean * factor))


def mean_error(values: Floats, groups: Ints | None = None) -> float:
    """Return the standard error of a mean, of whole groups if there are any."""
    return float(np.sqrt(_squares((values - values.mean()) / len(values), groups)))


def _squares(influence: Floats, groups: Ints | None) -> float:
    """Return the variance of a sum whose rows, or groups of them, are independent."""
    if groups is not None:
        sums = np.bincount(groups, weights=influence)
        influence = np.asarray(sums[np.unique(groups)], dtype=np.float64)
    n_free = len(influence)
    return float((influence**2).sum() * n_free / max(1, n_free - 1))


def _logit_interval(value: float, middle: float, error: float, n_free: float) -> Interval:
    half = stdtrit(max(1.0, n_free - 1), (1 + CONFIDENCE) / 2) * error
    low, high = expit(logit(middle) + np.array([-half, half]))
    return _around(value, low, high)


def _around(value: float, low: Any, high: Any) -> Interval:
    """Return an interval that contains its value."""
    return Interval(value, min(float(low), value), max(float(high), value))


def differs(now: Interval, before: Interval) -> bool:
    """Whether two independent values differ by more than chance (95 %).

    The ends of the interval of their difference are made of those of both (Zou & Donner, 2008).
    """
    gap = now.value - before.value
    low = gap - np.hypot(now.value - now.low, before.high - before.value)
    high = gap + np.hypot(now.high - now.value, before.value - before.low)
    return bool(low > 0 or high < 0)


def widened(now: Interval, before: float, n_now: float, n_before: float) -> Interval:
    """Return a value of so many rows with an interval like that of other rows.

    Scores near 0 or 1 vary less, as shares do.
    """
    factor = np.sqrt(n_now / n_before)
    spreads = [np.clip(value, 0.01, 0.99) for value in (before, now.value)]
    factor *= np.sqrt(spreads[0] * (1 - spreads[0]) / (spreads[1] * (1 - spreads[1])))
    return Interval(
        before, before - factor * (now.value - now.low), before + factor * (now.high - now.value)
    )
