"""What was expected of a model when it was fitted: the one place that reads its record and rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icost._core.arrays import Floats
from icost.evaluation._intervals import Interval, mean_interval
from icost.modelfile._saved_model import SavedModel
from icost.thresholds._certificate import Certificate, cut_table, decision_scores
from icost.thresholds._rule_mixin import RuleMixin
from icost.thresholds._rules import Bound, parse_rule
from icost.thresholds._scores import deciding_step

NAMES = {"recall": "sensitivity", "precision": "precision", "MCC": "mcc"}
"""Scores of a decision by the names that the paper's scores have."""


@dataclass(frozen=True)
class Limit:
    """One limit that a rule promises to keep, and whether held-out rows certified it."""

    what: str
    limit: float
    confidence: float = 0.9
    is_certified: bool | None = None


@dataclass(frozen=True, eq=False)
class Expectation:
    """What a fitted classifier was expected to do on new rows; None or empty where unknown."""

    classes: list[Any]
    minority: Any = None
    target: str = "class"
    scores: Mapping[str, Interval] = field(default_factory=dict)
    n_rows: int | None = None
    limits: tuple[Limit, ...] = ()
    prevalence: float | None = None
    alerts: float | None = None
    cost: Interval | None = None
    columns: tuple[Mapping[str, Any], ...] | None = None
    threshold: float | None = None
    is_shifted: bool = False


def expectation_of(model: Any) -> Expectation:
    """Return what a fitted classifier was expected to do, of this library or any other."""
    if isinstance(model, SavedModel):
        return _of_saved_model(model)
    classes = getattr(model, "classes_", None)
    if classes is None or np.ndim(classes) != 1:
        raise TypeError(f"model must be a fitted classifier with classes_, got {model!r}.")
    decides = rule_of(model)
    if decides is None:
        return Expectation(list(np.asarray(classes).tolist()))
    scores = _scores_of(decides)
    held_out = decides.held_out_
    n_rows = None if held_out is None else len(held_out.score)
    minority = (
        None if decides.minority_label_ is None else decides.classes_.tolist()[decides._minority]
    )
    return Expectation(
        decides.classes_.tolist(), minority, scores=scores, n_rows=n_rows, **_decision_of(decides)
    )


def rule_of(model: Any) -> RuleMixin | None:
    """Return what decides by a rule in a fitted classifier, None if nothing does."""
    inner = model.estimator if isinstance(model, SavedModel) else model
    step = deciding_step(inner)
    return step if isinstance(step, RuleMixin) else None


def _of_saved_model(model: SavedModel) -> Expectation:
    record = model.record
    ends = record.get("metric_intervals", {})
    scores = {}
    for name, value in record["metrics"].items():
        low, high = ends.get(name) or (np.nan, np.nan)
        scores[name] = Interval(value, low, high)
    decides = rule_of(model)
    return Expectation(
        record["classes"],
        record["minority"],
        record["target"],
        scores,
        record["rows"],
        columns=tuple(record["columns"]),
        is_shifted=_is_shifted(record),
        **({} if decides is None else _decision_of(decides)),
    )


def _is_shifted(record: Mapping[str, Any]) -> bool:
    """Whether weights or resampling move a model's probabilities."""
    from icost.strategies import get_strategy

    if record["calibrated"] or record["method"] == "ncs":
        return False
    return get_strategy(record["method"]).group in ("weighting", "resampling")


def _decision_of(decides: RuleMixin) -> dict[str, Any]:
    """Return promises, shares and costs of what decides by a rule for two classes."""
    certificate, held_out = decides.certificate_, decides.held_out_
    if certificate is None or held_out is None:
        return {}
    return {
        "limits": tuple(_limits(certificate)),
        "prevalence": decides.prevalence_,
        "alerts": certificate.alerts,
        "threshold": certificate.threshold,
        "cost": _expected_cost(held_out, held_out.alerts(certificate.threshold)),
    }


def _limits(certificate: Certificate) -> list[Limit]:
    return [
        Limit(promise.what, promise.limit, promise.confidence, promise.holds)
        for promise in certificate.promises
    ]


def limits_of(promise: Any) -> tuple[Limit, ...]:
    """Return the limits of a rule such as ``"recall>=0.8"``, or raise if it has none."""
    rule = parse_rule(promise, "promise")
    if not isinstance(rule, tuple) or not all(isinstance(bound, Bound) for bound in rule):
        raise ValueError(f"promise must be limits such as 'recall>=0.8', got {promise!r}.")
    each = 1 - 0.1 / len(rule)
    return tuple(Limit(bound.what, bound.limit, each) for bound in rule)


def _expected_cost(held_out: Any, is_alert: Any) -> Interval | None:
    if held_out.cost_fn is None:
        return None
    costs = row_costs(held_out.is_minority, is_alert, held_out.cost_fn, held_out.cost_fp)
    return mean_interval(costs * held_out.weight / held_out.weight.mean(), held_out.groups)


def row_costs(is_minority: Any, is_alert: Any, cost_fn: Any, cost_fp: Any) -> Floats:
    """Return what the decision on each row costs."""
    missed, false = is_minority & ~is_alert, ~is_minority & is_alert
    return np.asarray(cost_fn * missed + cost_fp * false, dtype=np.float64)


def error_costs(model: Any, X: Any) -> tuple[Any, Any] | None:
    """Return what a miss and a false alarm cost by a model's rule; columns become their cells."""
    named = model.record.get("error_costs") if isinstance(model, SavedModel) else None
    if named:
        cells = [X[cost].to_numpy(float) if isinstance(cost, str) else cost for cost in named]
        return cells[0], cells[1]
    decides = rule_of(model)
    held_out = None if decides is None else decides.held_out_
    if held_out is None or held_out.cost_fn is None or np.ndim(held_out.cost_fn):
        return None
    return held_out.cost_fn, held_out.cost_fp


def _scores_of(decides: RuleMixin) -> dict[str, Interval]:
    """Return scores of held-out rows of what decides by a rule."""
    scores = getattr(decides, "oof_score_", getattr(decides, "expected_", None))
    if scores is not None:
        return {n: Interval(s["value"], s["low"], s["high"]) for n, s in scores.items()}
    if decides.held_out_ is None or decides.certificate_ is None:
        return {}
    is_alert = decides.held_out_.alerts(decides.certificate_.threshold)
    measured = decision_scores(decides.held_out_, is_alert, 0.95)
    return {NAMES[n]: Interval(v, low, high) for n, v, low, high in measured if n in NAMES}


def redecided_record(
    record: Mapping[str, Any], decides: RuleMixin, scores: Mapping[str, Interval], n_rows: int
) -> dict[str, Any]:
    """Return the record of a model with another decision; what it replaces becomes its history."""
    certificate = decides.certificate_
    assert certificate is not None and decides.held_out_ is not None
    replaced = ("metrics", "metrics_from", "metric_intervals", "threshold", "threshold_interval")
    # What was said at the fit is of another decision.
    gone = (*replaced, "verdict", "rule", "candidates")
    kept = {name: value for name, value in record.items() if name not in gone}
    earlier = {n: record[n] for n in (*replaced, "certificate", "rows") if n in record}
    interval = certificate.threshold_interval
    return kept | {
        "calibrated": True,
        "metrics": {name: score.value for name, score in scores.items()},
        "metric_intervals": {name: [score.low, score.high] for name, score in scores.items()},
        "metrics_from": f"{n_rows:,} new rows, on which the decision was made",
        "threshold": certificate.threshold,
        "threshold_interval": None if interval is None else list(interval),
        "certificate": str(certificate),
        "cuts": cut_table(decides.held_out_),
        "history": [*record.get("history", ()), earlier],
    }
