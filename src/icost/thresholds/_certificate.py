"""What held-out rows say about a cut: exact bounds, and the certificate that states them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from sklearn.metrics import roc_auc_score

from icost._core.arrays import Bools, Floats, Ints
from icost._core.doubts import warn_if_guessing, warn_of_leak
from icost._core.validation import check_number
from icost._core.views import alarms_text, alerts_text, interval_text, score_name, score_text
from icost.metrics import confusion_scores

BOUNDED = {"recall": ">=", "precision": ">=", "alerts": "<="}
"""What can be promised, and on which side of the limit it stays."""

_ROWS = {"recall": "minority rows", "precision": "alerts", "alerts": "rows"}

N_CUTS = 400
"""Most cuts of a curve."""


def lower_bound(share: float, n_rows: float, confidence: float) -> float:
    """Return the Clopper–Pearson lower bound of a share; counts need not be whole numbers."""
    hits = min(share, 1.0) * n_rows
    return float(betaincinv(hits, n_rows - hits + 1, 1 - confidence)) if hits > 0 else 0.0


def upper_bound(share: float, n_rows: float, confidence: float) -> float:
    """Return the Clopper–Pearson upper bound of a share."""
    return 1 - lower_bound(1 - share, n_rows, confidence)


def rows_needed(limit: float, confidence: float) -> int:
    """Return how many rows certify a floor if all of them are hits."""
    return math.ceil(math.log(1 - confidence) / math.log(limit) - 1e-9)


def cost_cut(cost_fn: Any, cost_fp: Any) -> Any:
    """Return the probability from which on an alert costs less than none, per row or for all."""
    total = np.asarray(cost_fn, dtype=np.float64) + cost_fp
    # Where neither error costs anything, there is no reason for an alert.
    cut = np.where(total > 0, cost_fp / np.where(total > 0, total, 1.0), np.inf)
    return float(cut) if cut.ndim == 0 else cut


def odds_factor(before: float, after: float) -> float:
    """Return what odds are multiplied by where the minority's share changes."""
    return after / (1 - after) * (1 - before) / before


def shift_share(proba: Any, before: float, after: float) -> Any:
    """Return the minority's probabilities where its share is another one."""
    return multiply_odds(proba, odds_factor(before, after))


def multiply_odds(share: Any, factor: float) -> Any:
    """Return a share whose odds are multiplied by a factor."""
    moved = factor * share
    return moved / (moved + (1 - share))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Probabilities of the minority for rows that the model has not seen, and what rows count."""

    is_minority: Bools
    score: Floats
    weight: Floats
    groups: Ints | None = None
    cost_fn: Any = None
    cost_fp: Any = 1.0

    @property
    def prevalence(self) -> float:
        """The minority's share of the weights."""
        return float(self.weight[self.is_minority].sum() / self.weight.sum())

    def at(self, prevalence: float) -> HeldOut:
        """Return the same rows as they count where the minority's share is another one."""
        check_prevalence(prevalence)
        before = self.prevalence
        ratio = np.where(self.is_minority, prevalence / before, (1 - prevalence) / (1 - before))
        score = shift_share(self.score, before, prevalence)
        return replace(self, score=score, weight=self.weight * ratio)

    def alerts(self, threshold: float | None) -> Bools:
        """Return which rows have an alert from a threshold on; without one, by their costs."""
        cut = cost_cut(self.cost_fn, self.cost_fp) if threshold is None else threshold
        return self.score >= cut

    def effective_count(self, rows: Bools) -> float:
        """Return how many rows of equal weight, or groups, some rows are worth (Kish's formula)."""
        weight: NDArray[Any] = self.weight[rows]
        if self.groups is not None:
            weight = np.bincount(self.groups[rows], weights=weight)
        if not len(weight) or not weight.max() > 0:
            return 0.0
        weight = weight / weight.max()  # whose squares are numbers, however large it was
        return float(weight.sum() ** 2 / (weight**2).sum())

    def rows_behind(self, what: str, is_alert: Bools) -> Bools:
        """Return which rows recall, precision or the alert rate is a share of."""
        everything = np.ones(len(is_alert), dtype=bool)
        return {"recall": self.is_minority, "precision": is_alert}.get(what, everything)

    def count_words(self, what: str, is_alert: Bools) -> str:
        """Return how many rows that are, and what they are worth by weights and groups."""
        rows = self.rows_behind(what, is_alert)
        worth = (self.even() if what == "precision" else self).effective_count(rows)
        said = f"{rows.sum()} {_ROWS[what]}"
        if self.groups is not None:
            said += f" from {len(np.unique(self.groups[rows]))} groups"
        return f"{worth:.0f} effective rows of {said}" if worth < rows.sum() - 0.5 else said

    def measure(self, what: str, is_alert: Bools) -> tuple[float, float]:
        """Return recall, precision or the alert rate, and the effective rows behind it."""
        rows = self.rows_behind(what, is_alert)
        hits = rows & (self.is_minority if what == "precision" else is_alert)
        total = self.weight[rows].sum()
        share = float(self.weight[hits].sum() / total) if total > 0 else 0.0
        return share, self.effective_count(rows)

    def even(self) -> HeldOut:
        """Return the same rows with weights whose mean is 1 in each class."""
        means = [self.weight[rows].mean() for rows in (~self.is_minority, self.is_minority)]
        return replace(self, weight=self.weight / np.where(self.is_minority, means[1], means[0]))

    @property
    def area(self) -> float:
        """The area under the ROC curve."""
        return float(roc_auc_score(self.is_minority, self.score, sample_weight=self.weight))

    def warn(self, stacklevel: int) -> None:
        """Warn where the rows are ranked no better than by guessing, or better than is likely."""
        warn_if_guessing(self.is_minority, self.score, self.groups, stacklevel + 1)
        warn_of_leak(self.area, stacklevel + 1)

    @property
    def class_ratio(self) -> float:
        """How many rows of the majority count as much as one of the minority."""
        rows = self.is_minority
        return float(self.weight[rows].mean() / self.weight[~rows].mean())

    def bound(
        self, what: str, is_alert: Bools, side: Callable[..., float], confidence: float
    ) -> tuple[float, float]:
        """Return a bound of recall, precision or the alert rate, and the rows behind it.

        Precision is a share of rows of both classes. Where these count differently, as they do at
        another prevalence, few false alarms decide about it that many light rows would hide: rows
        are counted, and the odds of their share are multiplied afterwards.
        """
        if what != "precision":
            share, n_rows = self.measure(what, is_alert)
            return side(share, n_rows, confidence), n_rows
        share, n_rows = self.even().measure(what, is_alert)
        return float(multiply_odds(side(share, n_rows, confidence), self.class_ratio)), n_rows


def limit_words(what: str, limit: float) -> str:
    """Return a limit as it is printed in sentences."""
    return f"{what} {BOUNDED[what]} {limit:g}"


def check_prevalence(prevalence: Any) -> float:
    """Return a share of the minority, or raise."""
    return check_number("prevalence", prevalence, low=0, high=1, open_low=True, open_high=True)


class NotCertified(UserWarning):
    """The rows do not suffice for what a rule asks for."""


@dataclass(frozen=True)
class Promise:
    """One limit, the bound that held-out rows give, and how many rows are behind it."""

    what: str
    limit: float
    bound: float
    n_rows: float
    counts: str
    holds: bool
    confidence: float
    n_needed: int | None = None
    kept_limits: str = ""  # the limits that are kept instead

    def __str__(self) -> str:
        wanted = limit_words(self.what, self.limit)
        percent = f"{100 * self.confidence:.3g} %"
        if self.holds:
            return f"{wanted} holds with {percent} confidence: {self.counts} give {self.bound:.3g}."
        said = f"{wanted} cannot be certified with {percent} confidence"
        said += f" where {self.kept_limits} is kept" if self.kept_limits else ""
        gap, word = self.limit - self.bound, "little"
        if self.what == "alerts":
            gap, word = -gap, "much"
        # A precision may reach its floor at a cut that the sequence of tests does not come to.
        said += f": {self.counts} give {self.bound:.3g}"
        if gap > 0:
            said += f", {gap:.2g} too {word}."
        else:
            said += ", but the test of fewer alerts failed." if self.what == "precision" else "."
        if self.n_needed is None:
            return said
        noun = "effective " * ("effective" in self.counts)
        noun += "rows" if self.what == "alerts" else "minority rows"
        return f"{said} At least {self.n_needed} {noun} are needed."


@dataclass(frozen=True, repr=False)
class Certificate:
    """What a decision promises, and what it costs; prints as sentences.

    Parameters
    ----------
    rule : str
        The rule that was followed.
    threshold : float or None
        Probability from which on a row is an alert; None where costs per row decide.
    confidence : float
        Probability with which all promises hold together.
    promises : tuple of Promise
        Limit, bound and rows behind each promise; empty for rules without one.
    recall, recall_low, recall_high : float
        Share of the minority that held-out rows say is found, with an exact interval.
    precision : float
        Share of the alerts that are right.
    alerts : float
        Share of all rows with an alert.
    cost : float or None, default=None
        Mean cost per row, where costs are given.
    threshold_interval : tuple of float or None, default=None
        Bootstrap interval of the threshold, for the rule ``"stable"``.

    See Also
    --------
    icost.ThresholdClassifier : Keeps one as ``certificate_``.

    Examples
    --------
    >>> from icost.thresholds import Certificate
    >>> print(Certificate("stable", 0.19, 0.9, (), 0.84, 0.76, 0.9, 0.57, 0.15))
    Rows with P ≥ 0.19 are predicted as the minority class: expect to find 84 of 100
    (76 to 90), with an alert on 15 of 100 rows, of which 57 of 100 are right.
    """

    rule: str
    threshold: float | None
    confidence: float
    promises: tuple[Promise, ...]
    recall: float
    recall_low: float
    recall_high: float
    precision: float
    alerts: float
    cost: float | None = None
    threshold_interval: tuple[float, float] | None = None

    @property
    def holds(self) -> bool | None:
        """Whether all promises are certified; None where nothing was promised."""
        return all(promise.holds for promise in self.promises) if self.promises else None

    @property
    def bound(self) -> float | None:
        """The bound of the first promise."""
        return self.promises[0].bound if self.promises else None

    @property
    def n_rows(self) -> float | None:
        """Effective rows behind the first promise."""
        return self.promises[0].n_rows if self.promises else None

    def __repr__(self) -> str:
        return f"Certificate: {self}"

    def __str__(self) -> str:
        said = []
        if self.promises and self.alerts > 0.5:
            said.append(f"This needs an alert on {_of_100(self.alerts)} rows.")
        said += [str(promise) for promise in self.promises]
        if self.threshold is None:
            by = "Costs per row decide"
        else:
            by = f"Rows with P ≥ {cut_text(self.threshold)} are predicted as the minority class"
        low, high = (f"{100 * value:.0f}" for value in (self.recall_low, self.recall_high))
        said.append(
            f"{by}: expect to find {_of_100(self.recall)} ({low} to {high}), with an alert on "
            f"{_of_100(self.alerts)} rows, of which {_of_100(self.precision)} are right."
        )
        if self.cost is not None:
            said.append(f"The mean cost per row is {self.cost:.4g}.")
        return " ".join(said)


def cut_text(threshold: float) -> str:
    """Return a threshold with three digits, or two of its distance to 1 where that is small."""
    if not 0.995 <= threshold < 1:
        return f"{threshold:.3g}"
    return str(round(threshold, 1 - math.floor(math.log10(1 - threshold))))


def _of_100(share: float) -> str:
    return f"{100 * share:.0f} of 100" if share >= 0.095 else f"{100 * share:.2g} of 100"


def decision_scores(
    held_out: HeldOut, is_alert: Bools, confidence: float
) -> list[tuple[str, float, float, float]]:
    """Return recall, precision, alerts and MCC of decisions, each with its interval.

    Shares have exact intervals. That of MCC is from 1,000 draws of both classes' hits, with as many
    rows as they are worth.
    """
    two_sided = (1 + confidence) / 2
    scores = []
    for what in BOUNDED:
        share = held_out.measure(what, is_alert)[0]
        low, high = (
            held_out.bound(what, is_alert, side, two_sided)[0]
            for side in (lower_bound, upper_bound)
        )
        scores.append((what, share, low, high))
    truth, prevalence, rng = held_out.is_minority, held_out.prevalence, np.random.RandomState(0)
    columns = []
    for rows, size in ((~truth, 1 - prevalence), (truth, prevalence)):
        share = float(np.average(is_alert[rows], weights=held_out.weight[rows]))
        n_rows = max(1, round(held_out.effective_count(rows)))
        drawn = np.append(share, rng.binomial(n_rows, share, 1000) / n_rows)
        columns += [size * (1 - drawn), size * drawn]
    matrices = np.stack(columns, axis=-1).reshape(-1, 2, 2)
    value, *drawn_values = confusion_scores(matrices, 1, ["mcc"])["mcc"]
    low, high = np.quantile(drawn_values, [1 - two_sided, two_sided])
    return [*scores, ("MCC", float(value), float(low), float(high))]


def certificate_lines(certificate: Certificate) -> list[str]:
    """Return a certificate and the interval of its threshold as lines of a summary."""
    lines = [str(certificate)]
    if certificate.threshold_interval is not None:
        low, high = certificate.threshold_interval
        lines.append(f"95 % interval of the threshold: {low:.3g} to {high:.3g}")
    return lines


def score_lines(scores: Iterable[tuple[str, float, float, float]]) -> list[str]:
    """Return scores with their intervals as lines of a summary."""
    listed = list(scores)
    width = max(10, *(len(score_name(name)) + 1 for name, *_ in listed))
    return [
        f"  {score_name(name):<{width}}{score_text(name, value)} ({interval_text(name, low, high)})"
        for name, value, low, high in listed
    ]


def cut_table(held_out: HeldOut) -> list[dict[str, float]]:
    """Return up to ten cuts, from 10 to 100 of 100 minority rows found, and what each costs.

    Each entry has ``found``, ``threshold``, ``false_alarms`` (per 100 others), ``alerts`` (per
    1,000 rows) and ``precision``.
    """
    order = np.argsort(-held_out.score[held_out.is_minority], kind="stable")
    score = held_out.score[held_out.is_minority][order]
    reached = np.cumsum(held_out.weight[held_out.is_minority][order])
    table: list[dict[str, float]] = []
    for wanted in np.arange(1, 11) / 10:
        cut = score[np.searchsorted(reached, wanted * reached[-1] * (1 - 1e-12))]
        if table and cut == table[-1]["threshold"]:
            continue  # rows that no cut parts
        is_alert = held_out.score >= cut
        others = held_out.weight[~held_out.is_minority]
        false_alarms = held_out.weight[is_alert & ~held_out.is_minority].sum() / others.sum()
        shares = {what: held_out.measure(what, is_alert)[0] for what in BOUNDED}
        table.append(
            {
                "found": shares["recall"],
                "threshold": float(cut),
                "false_alarms": 100 * float(false_alarms),
                "alerts": 1000 * shares["alerts"],
                "precision": shares["precision"],
            }
        )
    return table


def cut_sentences(table: list[dict[str, float]]) -> list[str]:
    """Return one line per cut of `cut_table`, of what it finds and what that costs."""
    return [
        f"To find {100 * cut['found']:.0f} of 100 (P ≥ {cut_text(cut['threshold'])}), expect "
        f"{alarms_text(cut['false_alarms'])} per 100 others, "
        f"{alerts_text(cut['alerts'])} per 1,000 rows."
        for cut in table
    ]


def cut_curve(held_out: HeldOut, confidence: float) -> dict[str, Floats]:
    """Return what each cut finds and costs, from no alert to all.

    ``recall`` of 100 minority rows, with ``recall_low`` and ``recall_high``, exact intervals for
    each cut alone; ``false_alarms`` of 100 others; and ``alerts`` of 1,000 rows.
    """
    order = np.argsort(-held_out.score, kind="stable")
    score, weight = held_out.score[order], held_out.weight[order]
    truth = held_out.is_minority[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    kept = last[np.unique(np.linspace(0, len(last) - 1, N_CUTS).astype(int))]
    sums = [np.append(0.0, np.cumsum(weight * is_class)[kept]) for is_class in (truth, ~truth)]
    n_rows, two_sided = held_out.effective_count(held_out.is_minority), (1 + confidence) / 2
    recall, others = (total / total[-1] for total in sums)
    low, high = ([end(x, n_rows, two_sided) for x in recall] for end in (lower_bound, upper_bound))
    return {
        "recall": 100 * recall,
        "recall_low": 100 * np.array(low),
        "recall_high": 100 * np.array(high),
        "false_alarms": 100 * others,
        "alerts": 1000 * (sums[0] + sums[1]) / weight.sum(),
    }
