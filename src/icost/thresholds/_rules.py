"""Rules: from what somebody needs to a cut through held-out probabilities.

`parse_rule` reads strings, numbers and objects; `choose_cut` follows a rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from icost._core.arrays import Bools, Floats
from icost._core.validation import check_choice, check_cost_matrix, check_number, check_row_costs
from icost.thresholds._certificate import (
    BOUNDED,
    Certificate,
    HeldOut,
    Promise,
    cost_cut,
    limit_words,
    lower_bound,
    multiply_odds,
    rows_needed,
    upper_bound,
)
from icost.thresholds._cuts import stable_threshold
from icost.thresholds._label_metric import Metric

N_SEQUENCE = 20
"""Cuts that a precision floor is tested at, one after the other."""

_BOUND = re.compile(r"(\w+)\s*([<>]=?|==?)\s*(-?(?:\d+\.?\d*|\.\d+)(?:[eE]-?\d+)?)\s*(%|/\s*\d+)?")


@dataclass(frozen=True)
class Stable:
    """The cut, or the offsets, with the best score that noise moves little."""

    def __str__(self) -> str:
        return "stable"


@dataclass(frozen=True)
class Cut:
    """A given probability."""

    value: float

    def __post_init__(self) -> None:
        check_number("a rule that is a number", self.value, low=0, high=1)

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True)
class Bound:
    """A floor for recall or precision, or a ceiling for the share of rows with an alert.

    Parameters
    ----------
    what : {"recall", "precision", "alerts"}
        What is limited.
    limit : float
        The floor, or for ``"alerts"`` the ceiling; above 0 and below 1.

    See Also
    --------
    icost.ThresholdClassifier : Takes one as ``rule``, or several in a tuple.

    Examples
    --------
    >>> from icost.thresholds import Bound
    >>> str(Bound("recall", 0.8)), str(Bound("alerts", 50 / 1000))
    ('recall>=0.8', 'alerts<=0.05')
    """

    what: str
    limit: float

    def __post_init__(self) -> None:
        check_choice("what", self.what, BOUNDED)
        check_number(self.what, self.limit, low=0, high=1, open_low=True, open_high=True)

    def __str__(self) -> str:
        return f"{self.what}{BOUNDED[self.what]}{self.limit:g}"


@dataclass(frozen=True)
class LeastCost:
    """The decision with the least expected cost, by calibrated probabilities.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        Cost of each decision: rows are true classes, columns predicted ones, in sorted order. By
        default ``cost_fn`` and ``cost_fp`` are used, for two classes.

    See Also
    --------
    icost.ThresholdClassifier : Takes one as ``rule``.

    Examples
    --------
    >>> from icost.thresholds import LeastCost
    >>> LeastCost([[0, 1], [5, 0]])
    LeastCost(cost_matrix=((0.0, 1.0), (5.0, 0.0)))
    """

    cost_matrix: Any = None

    def __post_init__(self) -> None:
        if self.cost_matrix is not None:
            matrix = check_cost_matrix(self.cost_matrix)
            object.__setattr__(self, "cost_matrix", tuple(map(tuple, matrix.tolist())))

    def __str__(self) -> str:
        return "cost"

    def class_scores(self, proba: Floats) -> Floats:
        """Return what each decision is expected to save; the highest of a row is the best.

        Parameters
        ----------
        proba : ndarray of shape (n_samples, n_classes)
            Probabilities of the classes.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Expected costs by ``cost_matrix``, with a minus.
        """
        return -proba @ np.asarray(self.cost_matrix)


Rule = Stable | Cut | LeastCost | tuple[Bound, ...]


def parse_rule(rule: Any, name: str = "rule") -> Rule:
    """Return a rule from a string, a number or objects; None means one half.

    Errors call it by the ``name`` of the parameter.
    """
    if rule is None:
        return Cut(0.5)
    if isinstance(rule, str):
        return _parse_text(rule.strip(), name)
    if isinstance(rule, Stable | Cut | LeastCost):
        return rule
    if isinstance(rule, float | int | np.number) and not isinstance(rule, bool):
        return Cut(float(rule))
    bounds = [rule] if isinstance(rule, Bound) else rule
    if not _are_bounds(bounds):
        raise ValueError(f"{name} must be a string, a number or a rule object, got {rule!r}.")
    return _checked_bounds(tuple(bounds))


def _are_bounds(rule: Any) -> bool:
    is_listed = isinstance(rule, tuple | list) and len(rule) > 0
    return is_listed and all(isinstance(bound, Bound) for bound in rule)


def _parse_text(text: str, name: str) -> Rule:
    if text == "stable":
        return Stable()
    if text == "cost":
        return LeastCost()
    try:
        number = float(text)
    except ValueError:
        limits = [limit.strip() for limit in text.split(",")]
        return _checked_bounds(tuple(_parse_bound(limit, text, name) for limit in limits))
    return Cut(number)


def _parse_bound(text: str, rule: str, name: str) -> Bound:
    match = _BOUND.fullmatch(text)
    if match is None or match[1] not in BOUNDED:
        raise ValueError(
            f"{name} must be 'stable', 'cost', a number, or limits such as 'recall>=0.8', "
            f"'precision>=0.9' and 'alerts<=0.02', got {rule!r}.{_near_name(text, match)}"
        )
    what = match[1]
    if match[2] != BOUNDED[what]:
        meant = f"{what}{BOUNDED[what]}{match[3]}{match[4] or ''}"
        raise ValueError(
            f"{what} must be limited by {BOUNDED[what]}, got {text!r}. Did you mean {meant!r}?"
        )
    limit, unit = float(match[3]), match[4]
    if unit:
        limit /= 100 if unit == "%" else float(unit[1:]) or math.nan
    return Bound(what, limit)


def _near_name(text: str, match: re.Match[str] | None) -> str:
    """Return the question whether a name that exists was meant, or nothing."""
    word = match[1] if match else re.findall(r"^\w*", text)[0]
    near = get_close_matches(word, [*BOUNDED, "stable", "cost"], 1)
    return f" Did you mean {near[0]!r}?" if near and near[0] != word else ""


def _checked_bounds(bounds: tuple[Bound, ...]) -> tuple[Bound, ...]:
    names = [bound.what for bound in bounds]
    if len(set(names)) < len(names):
        raise ValueError(f"rule must limit each quantity once, got {', '.join(map(str, bounds))}.")
    # One order, whatever order they are typed in: where not all can be kept, the first ones are.
    return tuple(sorted(bounds, key=lambda bound: list(BOUNDED).index(bound.what)))


def rule_name(rule: Rule) -> str:
    """Return a rule as the string that it can be given as."""
    return ", ".join(map(str, rule)) if isinstance(rule, tuple) else str(rule)


def choose_cut(
    rule: Rule,
    held_out: HeldOut,
    *,
    confidence: float = 0.9,
    metric: Metric = "mcc",
    random_state: int | np.random.RandomState | None = None,
    interval: bool = True,
) -> Certificate:
    """Follow a rule for two classes; the certificate has the threshold."""
    cut_interval = None
    threshold: float | None
    promises: tuple[Promise, ...] = ()
    if isinstance(rule, tuple):
        threshold, promises = _bounded_cut(rule, held_out, confidence)
    elif isinstance(rule, Cut):
        threshold = rule.value
    elif isinstance(rule, LeastCost):
        cut = cost_cut(held_out.cost_fn, held_out.cost_fp)
        threshold = cut if np.ndim(cut) == 0 else None
    else:
        chosen = stable_threshold(
            held_out.is_minority,
            held_out.score,
            metric,
            sample_weight=held_out.weight,
            random_state=check_random_state(random_state),
            groups=held_out.groups,
            interval=interval,
        )
        threshold = chosen.value
        cut_interval = (chosen.low, chosen.high) if interval else None
    is_alert = held_out.alerts(threshold)
    n_hits, n_minority = held_out.measure("recall", is_alert)
    two_sided = (1 + confidence) / 2
    return Certificate(
        rule=rule_name(rule),
        threshold=threshold,
        confidence=confidence,
        promises=promises,
        recall=n_hits,
        recall_low=lower_bound(n_hits, n_minority, two_sided),
        recall_high=upper_bound(n_hits, n_minority, two_sided),
        precision=held_out.measure("precision", is_alert)[0],
        alerts=held_out.measure("alerts", is_alert)[0],
        cost=_mean_cost(held_out, is_alert),
        threshold_interval=cut_interval,
    )


def check_costs(model: Any) -> None:
    """Raise for costs in the constructor of a model that are no numbers."""
    for name in ("cost_fn", "cost_fp"):
        value = getattr(model, name)
        if np.ndim(value):
            raise ValueError(
                f"{name} must be a number in the constructor, got an array of shape "
                f"{np.shape(value)}: costs per row are given as predict(X, {name}=amounts), and to "
                "fit in the same way."
            )
        if value is not None:
            check_number(name, value, low=0)


def costs_of_fit(
    model: Any,
    rule: Rule,
    given: Mapping[str, Any],
    n_rows: int,
    n_classes: int,
    minority: int | None,
) -> tuple[Any, Any]:
    """Return what a miss and a false alarm cost: per row, by the constructor or by the matrix."""
    name = "threshold" if hasattr(model, "threshold") else "rule"
    matrix = rule.cost_matrix if isinstance(rule, LeastCost) else None
    by_costs = isinstance(rule, LeastCost) and matrix is None
    is_given = model.cost_fn is not None or any(cost is not None for cost in given.values())
    if is_given and not by_costs:
        raise ValueError(f"cost_fn needs {name}='cost', got {getattr(model, name)!r}.")
    if matrix is not None:
        return _costs_of_matrix(check_cost_matrix(matrix, n_classes), minority)
    miss, alarm = (_cost_of_fit(model, key, cost, n_rows) for key, cost in given.items())
    if by_costs:
        _check_both_costs(miss, alarm, n_classes, f"{name}='cost'", type(model).__name__)
    return miss, alarm


def _cost_of_fit(model: Any, name: str, given: Any, n_rows: int) -> Any:
    """Return a cost that fit got, or else the one of the constructor."""
    cost = getattr(model, name) if given is None else given
    return None if cost is None else check_row_costs(name, cost, n_rows)


def _costs_of_matrix(matrix: Floats, minority: int | None) -> tuple[float | None, float]:
    """Return what a miss and a false alarm cost more than right decisions; of more classes none."""
    if minority is None:
        return None, 1.0
    miss, alarm = (matrix[k, 1 - k] - matrix[k, k] for k in (minority, 1 - minority))
    return float(miss), float(alarm)


def _check_both_costs(miss: Any, alarm: Any, n_classes: int, rule: str, model: str) -> None:
    """Raise where the rule of least cost lacks a cost, has none but zeros, or more classes."""
    if n_classes > 2:
        raise ValueError(
            "Only binary classification is supported by rule='cost', got "
            f"{n_classes} classes: use LeastCost(cost_matrix)."
        )
    if miss is None or alarm is None:
        raise ValueError(
            f"{rule} needs cost_fn, the cost of a miss in units of a false alarm, such "
            f"as {model}({rule}, cost_fn=10)."
        )
    if not np.any(miss) and not np.any(alarm):
        raise ValueError("cost_fn and cost_fp must not both be 0, got 0 for both.")


def row_cut(model: Any, given: Mapping[str, Any], n_rows: int) -> Any:
    """Return where a fitted model cuts: one threshold, or one for each row by its costs."""
    rule = model.rule_
    if not isinstance(rule, LeastCost) or rule.cost_matrix is not None:
        if any(cost is not None for cost in given.values()):
            raise ValueError(f"costs per row need the rule 'cost', got {rule_name(rule)!r}.")
        return model.threshold_
    for name, cost in given.items():
        if cost is None and np.ndim(getattr(model.held_out_, name)):
            raise ValueError(
                f"{name} must be given for each row, as it was to fit: predict(X, {name}=amounts)."
            )
    return cost_cut(
        *(
            getattr(model, name) if cost is None else check_row_costs(name, cost, n_rows)
            for name, cost in given.items()
        )
    )


def _mean_cost(held_out: HeldOut, is_alert: Bools) -> float | None:
    if held_out.cost_fn is None:
        return None
    missed, false = held_out.is_minority & ~is_alert, ~held_out.is_minority & is_alert
    costs = held_out.cost_fn * missed + held_out.cost_fp * false
    return float(np.average(costs, weights=held_out.weight))


def _bounded_cut(
    bounds: tuple[Bound, ...], held_out: HeldOut, confidence: float
) -> tuple[float, tuple[Promise, ...]]:
    """Return the best cut among those that keep all bounds, and what it promises."""
    each = confidence if len(bounds) == 1 else 1 - (1 - confidence) / len(bounds)
    levels = np.unique(held_out.score)
    certified = [_certified(bound, held_out, levels, each) for bound in bounds]
    shared, kept = np.ones(len(levels) + 1, dtype=bool), []
    for bound, is_certified in zip(bounds, certified, strict=True):
        if (shared & is_certified).any():
            shared &= is_certified
            kept.append(bound)
    if kept:
        # Fewest alerts where a recall floor is kept, else most rows found.
        index = int(np.flatnonzero(shared)[-1 if kept[0].what == "recall" else 0])
    else:
        index = _best_bound(bounds[0], held_out, levels, each)
    is_alert = held_out.score >= _level(levels, index)
    promises = tuple(_promise(bound, held_out, is_alert, each, kept) for bound in bounds)
    return _between(levels, index), promises


def _level(levels: Floats, index: int) -> float:
    """The lowest score with an alert; behind the last one there is none."""
    return float(levels[index]) if index < len(levels) else math.nextafter(levels[-1], math.inf)


def _between(levels: Floats, index: int) -> float:
    """A cut halfway between two scores, where there is a number between them."""
    high = _level(levels, index)
    if index == 0 or index == len(levels):
        return high
    low = float(levels[index - 1])
    middle = low + (high - low) / 2
    return middle if low < middle < high else high


def _certified(bound: Bound, held_out: HeldOut, levels: Floats, confidence: float) -> Bools:
    """For each level, and behind the last, whether a cut there keeps the bound."""
    places = np.arange(len(levels) + 1)
    if bound.what == "precision":
        return np.isin(places, _precise_levels(bound, held_out, levels, confidence))

    def keeps(index: int) -> bool:
        is_alert = held_out.score >= _level(levels, index)
        return _satisfies(bound, _bound_of(bound, held_out, is_alert, confidence)[0])

    # Both are monotone in the cut, so that the last or first one that keeps the bound is exact.
    if bound.what == "recall":
        return places <= _last_true(keeps, len(places))
    return places > _last_true(lambda index: not keeps(index), len(places))


def _last_true(is_true: Callable[[int], bool], size: int) -> int:
    """Position of the last of the leading True values, -1 if there is none; by bisection."""
    low, high = -1, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_true(middle) else (low, middle)
    return low


def _precise_levels(
    bound: Bound, held_out: HeldOut, levels: Floats, confidence: float
) -> list[int]:
    """Levels at which a fixed-sequence test certifies a precision floor.

    The sequence of cuts does not depend on which rows are hits: it starts at the fewest alerts that
    could certify the floor, and goes on to as many as could be right. It ends at the first failure,
    so that all tests together have the level of one.
    """
    n_rows, everything = len(held_out.score), np.ones(len(held_out.score), dtype=bool)
    # Rows that count less than one witness each, by weights or groups, are taken more at a time.
    witness = n_rows / held_out.even().effective_count(everything)
    limit = multiply_odds(bound.limit, 1 / held_out.class_ratio)  # of rows, however they count
    first = math.ceil(rows_needed(limit, confidence) * witness - 1e-9)
    last = min(n_rows, max(first, math.ceil(held_out.is_minority.sum() / limit - 1e-9)))
    if first > n_rows:
        return []
    ordered, certified = np.sort(held_out.score)[::-1], []
    for n_alerts in np.unique(np.geomspace(first, last, N_SEQUENCE).round().astype(int)):
        index = int(np.searchsorted(levels, ordered[n_alerts - 1]))
        is_alert = held_out.score >= levels[index]
        if not _satisfies(bound, _bound_of(bound, held_out, is_alert, confidence)[0]):
            break
        certified.append(index)
    return certified


def _bound_of(
    bound: Bound, held_out: HeldOut, is_alert: Bools, confidence: float
) -> tuple[float, float]:
    side = upper_bound if bound.what == "alerts" else lower_bound
    return held_out.bound(bound.what, is_alert, side, confidence)


def _satisfies(bound: Bound, value: float) -> bool:
    return value <= bound.limit if bound.what == "alerts" else value >= bound.limit


def _best_bound(bound: Bound, held_out: HeldOut, levels: Floats, confidence: float) -> int:
    """The cut with the best bound, where none is good enough."""
    if bound.what == "alerts":
        return len(levels)
    if bound.what == "recall":
        return int(np.searchsorted(levels, held_out.score[held_out.is_minority].min()))
    tried = np.unique(np.linspace(0, len(levels) - 1, 10 * N_SEQUENCE).astype(int))
    values = [
        _bound_of(bound, held_out, held_out.score >= levels[index], confidence)[0]
        for index in tried
    ]
    return int(tried[np.argmax(values)])


def _promise(
    bound: Bound, held_out: HeldOut, is_alert: Bools, confidence: float, kept: list[Bound]
) -> Promise:
    value, n_rows = _bound_of(bound, held_out, is_alert, confidence)
    holds, counts = bound in kept, held_out.count_words(bound.what, is_alert)
    needed = None if holds else _n_needed(bound, held_out, is_alert, confidence)
    kept_limits = "" if holds else " and ".join(limit_words(k.what, k.limit) for k in kept)
    return Promise(
        bound.what, bound.limit, value, n_rows, counts, holds, confidence, needed, kept_limits
    )


def _n_needed(bound: Bound, held_out: HeldOut, is_alert: Bools, confidence: float) -> int | None:
    """Minority rows, or for alerts all rows, that could certify a limit; None if unknown."""
    if bound.what != "precision":
        n_rows = held_out.measure(bound.what, is_alert)[1]
        limit = bound.limit if bound.what == "recall" else 1 - bound.limit
        least = rows_needed(limit, confidence)
        return least if least > n_rows else None
    even, limit = held_out.even(), multiply_odds(bound.limit, 1 / held_out.class_ratio)
    share, n_rows = even.measure(bound.what, is_alert)
    if share <= limit or not n_rows or lower_bound(share, n_rows, confidence) >= limit:
        return None
    factor = 1.0
    while lower_bound(share, factor * n_rows, confidence) < limit:
        factor *= 1.1
    factor = max(factor, rows_needed(limit, confidence) / n_rows)
    return math.ceil(factor * even.effective_count(held_out.is_minority))
