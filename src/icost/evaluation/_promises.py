"""Was a promise kept? Exact tests of a rule's limits on rows that the model has not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, stdtr, stdtrit

from icost._core.arrays import Floats, Ints
from icost.evaluation._expectation import Expectation, Limit
from icost.evaluation._intervals import ScoredRows, mean_error, mean_interval, share_interval
from icost.thresholds._certificate import limit_words, lower_bound, upper_bound

LEVEL = 0.05
"""Most often that a promise that is kept is called broken, all promises of a model together."""

MOST_ROWS = 10_000_000
"""Rows beyond which the number that would do is not stated."""

ROWS = {"recall": "minority rows", "precision": "alerts", "alerts": "rows", "cost": "rows"}


@dataclass(frozen=True)
class PromiseVerdict:
    """How a promise fared on new rows; prints as a sentence.

    Parameters
    ----------
    what : {"recall", "precision", "alerts", "cost"}
        What was promised. For ``"cost"``, the mean cost per row was to be at most the upper end of
        the interval that held-out rows gave at the fit.
    limit : float
        The floor, or for ``"alerts"`` and ``"cost"`` the ceiling.
    verdict : {"kept", "broken", "undecided"}
        Kept if the new rows certify the limit by themselves, broken if a promise that is kept
        would show such rows in at most 1 of 20 tables, else undecided.
    value, low, high : float
        The share, or mean cost, on the new rows with its 95 % interval.
    n_rows : float
        Effective rows behind it.
    chance : float
        Probability of such rows, or worse ones, if the promise is only just kept.
    n_needed : int or None, default=None
        For an undecided promise, rows that would decide if the share stayed the same.
    is_certified : bool or None, default=None
        Whether the rows of the fit certified the limit.

    See Also
    --------
    icost.evaluate : Makes them.

    Examples
    --------
    >>> from icost.evaluation import PromiseVerdict
    >>> print(PromiseVerdict("recall", 0.8, "broken", 0.62, 0.51, 0.72, 100, 0.0025))
    recall >= 0.8: broken (0.62, 0.51 to 0.72, 100 minority rows; a kept promise would show this
    once in 400).
    """

    what: str
    limit: float
    verdict: str
    value: float
    low: float
    high: float
    n_rows: float
    chance: float
    n_needed: int | None = None
    is_certified: bool | None = None

    def __str__(self) -> str:
        limit = f"cost <= {self.limit:.3g}"
        if self.what != "cost":
            limit = limit_words(self.what, self.limit)
        digits = (self.value, self.low, self.high)
        value, low, high = (
            f"{number:.3g}" if self.what == "cost" else f"{number:.2f}" for number in digits
        )
        if self.what == "alerts":
            value, low, high = (f"{number:.3f}" for number in digits)
        said = f"{limit}: {self.verdict} ({value}, {low} to {high}, "
        said += f"{self.n_rows:,.0f} {ROWS[self.what]}"
        if self.verdict == "broken":
            said += f"; a kept promise would show this {once_in(self.chance)}"
        elif self.verdict == "undecided" and self.n_needed is not None:
            said += f"; {self.n_needed:,} would do if the share stays so"
        said += ")."
        if self.is_certified is False:
            said += " The rows of the fit had not certified it."
        return said


def once_in(chance: float) -> str:
    """Return a small probability as "once in" so many."""
    if chance < 1e-6:
        return "less than once in 1,000,000"
    number = 1 / chance
    step = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return f"once in {round(number / step) * step:,}"


def promise_verdicts(
    rows: ScoredRows, expected: Expectation, limits: tuple[Limit, ...], costs: Floats | None
) -> tuple[PromiseVerdict, ...]:
    """Return how each limit, and the expected cost, fared on labelled rows."""
    has_cost = costs is not None and expected.cost is not None
    level = LEVEL / max(1, len(limits) + has_cost)
    verdicts = [_share_verdict(rows, limit, level) for limit in limits]
    if costs is not None and expected.cost is not None:
        verdicts.append(cost_verdict(costs, expected.cost.high, level, rows.groups))
    return tuple(verdicts)


def _share_verdict(rows: ScoredRows, limit: Limit, level: float) -> PromiseVerdict:
    held_out, alerts = rows.held_out, rows.is_alert
    share, n_rows = held_out.measure(limit.what, alerts)
    return share_verdict(limit, share, n_rows, level)


def share_verdict(limit: Limit, share: float, n_rows: float, level: float) -> PromiseVerdict:
    """Return how a limit of a share fared, given the share among so many effective rows."""
    verdict = _decide(limit, share, n_rows, level)
    interval = share_interval(share, n_rows)
    needed = _rows_that_decide(limit, share, n_rows, level) if verdict == "undecided" else None
    return PromiseVerdict(
        limit.what,
        limit.limit,
        verdict,
        *(interval.value, interval.low, interval.high, n_rows),
        chance=_chance(limit, share, n_rows),
        n_needed=needed,
        is_certified=limit.is_certified,
    )


def _decide(limit: Limit, share: float, n_rows: float, level: float) -> str:
    if n_rows and _chance(limit, share, n_rows) <= level:
        return "broken"
    if limit.what == "alerts":
        is_kept = upper_bound(share, n_rows, limit.confidence) <= limit.limit
    else:
        is_kept = lower_bound(share, n_rows, limit.confidence) >= limit.limit
    return "kept" if is_kept else "undecided"


def _chance(limit: Limit, share: float, n_rows: float) -> float:
    """Return how likely a share this bad, or worse, is where the limit is only just kept."""
    floor = limit.limit
    if limit.what == "alerts":  # too many of something are too few of the rest
        share, floor = 1 - share, 1 - floor
    hits = share * n_rows
    if hits > n_rows - 1e-9:
        return 1.0
    return float(betainc(n_rows - hits, hits + 1, 1 - floor))


def _rows_that_decide(limit: Limit, share: float, n_rows: float, level: float) -> int | None:
    """Return how many rows would decide if the share stayed so, None if there are too many."""
    share = share if n_rows else 1.0 if limit.what != "alerts" else 0.0
    low, high = max(1, int(n_rows)), max(2, int(n_rows))
    while _decide(limit, share, high, level) == "undecided":
        low, high = high, 2 * high
        if high > MOST_ROWS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        is_open = _decide(limit, share, middle, level) == "undecided"
        low, high = (middle, high) if is_open else (low, middle)
    return high


def cost_verdict(
    costs: Floats, limit: float, level: float = LEVEL, groups: Ints | None = None
) -> PromiseVerdict:
    """Return whether the mean cost per row is at most what was expected, by t tests.

    Costs are skewed to the right: few large ones make a mean look too high on the log scale, and
    none of them too low on the plain one. Broken is judged on the plain scale, kept on the other.
    """
    interval = mean_interval(costs, groups)
    n_rows = len(costs) if groups is None else len(np.unique(groups))
    error, n_free = mean_error(costs, groups), max(1.0, n_rows - 1)
    chance, verdict = 1.0, "kept" if interval.value <= limit else "broken"
    if interval.value > 0 and limit > 0 and error > 0:
        chance = float(stdtr(n_free, (limit - interval.value) / error))
        below = np.log(limit / interval.value) * interval.value / error
        is_kept = below >= stdtrit(n_free, 0.9)
        verdict = "broken" if chance <= level else "kept" if is_kept else "undecided"
    return PromiseVerdict(
        "cost", limit, verdict, *(interval.value, interval.low, interval.high), n_rows, chance
    )
