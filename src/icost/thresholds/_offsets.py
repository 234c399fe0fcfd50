"""Thresholds of several classes: what is added to the score of each before the largest decides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from icost._core.arrays import Floats, Ints
from icost.metrics import scores_of_totals
from icost.thresholds._label_metric import Metric, asked_places

N_ROUNDS = 10
"""Rounds over all classes after which offsets are taken as they are."""


def additive_scores(scores: Floats, method: str) -> Floats:
    """Return scores, a column per class, to which offsets are added: of probabilities the log."""
    scores = np.asarray(scores, dtype=np.float64)
    if method == "predict_proba":
        return np.log(np.clip(scores, 1e-12, None))
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores


def tune_offsets(
    codes: Ints, scores: Floats, metric: Metric = "mcc", *, sample_weight: Floats | None = None
) -> Floats:
    """Return what to add to each class's score before the largest one decides.

    One class at a time is moved to its best offset, all cuts tried by counting, until none gains;
    the thresholds of a multiclass problem. Offsets have a mean of 0. A metric may be a function of
    codes, decisions and weights, which is asked for some cuts only.
    """
    scores = np.asarray(scores, dtype=np.float64)
    n_classes = scores.shape[1]
    # Weights that are all the same tell nothing, and not every scorer takes them.
    is_even = sample_weight is None or np.ptp(sample_weight) == 0
    weight = np.ones(len(codes)) if is_even else np.asarray(sample_weight, dtype=np.float64)
    offsets, best = np.zeros(n_classes), -np.inf
    for _ in range(N_ROUNDS):
        before = best
        for code in range(n_classes):
            cut, value = _best_offset(codes, scores + offsets, code, weight, metric)
            if value > best + 1e-12:
                offsets[code] += cut
                best = value
        if best <= before + 1e-12:
            break
    if best == -np.inf:
        raise ValueError("metric must be a number for some offsets at least, got NaN for all.")
    offsets -= offsets.mean()
    # Rounding, or a cut that was never asked for, must not make offsets worse than none.
    plain, moved = (
        _value(codes, np.argmax(values, axis=1), weight, metric, n_classes)
        for values in (scores, scores + offsets)
    )
    return offsets if moved > plain + 1e-12 else np.zeros(n_classes)


def _value(codes: Ints, decided: Ints, weight: Floats, metric: Metric, n_classes: int) -> float:
    """The metric of decisions, minus infinity where it has none."""
    if isinstance(metric, str):
        hits, true, predicted = (
            np.bincount(values, weights=size, minlength=n_classes).astype(np.float64)
            for values, size in (
                (codes, weight * (codes == decided)),
                (codes, weight),
                (decided, weight),
            )
        )
        value = float(scores_of_totals((hits, true, predicted), None, [metric])[metric])
    else:
        value = float(metric(codes, decided, weight))
    return -np.inf if np.isnan(value) else value


def _gaps(needed: Floats) -> Ints:
    """Positions in sorted amounts after which there is room for a cut.

    Amounts that differ by rounding alone have no number between them that parts them.
    """
    return np.flatnonzero(np.diff(needed) > 1e-9 * np.maximum(1.0, np.abs(needed[1:])))


def _nearest_best(amounts: Floats, values: Floats) -> tuple[float, float]:
    """The best amount nearest to no change: equally good cuts must not push a class aside."""
    values = np.where(np.isnan(values), -np.inf, values)
    best = np.flatnonzero(values >= values.max() - 1e-12)
    nearest = best[np.argmin(np.abs(amounts[best]))]
    return float(amounts[nearest]), float(values[nearest])


def _best_offset(
    codes: Ints, scores: Floats, code: int, weight: Floats, metric: Metric
) -> tuple[float, float]:
    """The best amount to add to one class's scores, and the metric that it gives."""
    others = scores.copy()
    others[:, code] = -np.inf
    rival = np.argmax(others, axis=1)
    # A row goes to the class from this amount on.
    needed = others[np.arange(len(codes)), rival] - scores[:, code]
    if not isinstance(metric, str):
        return _best_asked(codes, rival, needed, code, weight, metric)
    order = np.argsort(needed, kind="stable")
    needed = needed[order]
    # Hits and predictions by class are enough, and change by one row at a time.
    true_codes, taken_from, weights = codes[order], rival[order], weight[order]
    rows, n_classes = np.arange(len(codes)), scores.shape[1]
    moved, hit = np.zeros((2, n_classes, len(codes)))
    moved[taken_from, rows] -= weights
    moved[code] += weights
    is_lost = true_codes == taken_from
    hit[true_codes[is_lost], rows[is_lost]] -= weights[is_lost]
    hit[code, true_codes == code] += weights[true_codes == code]
    cuts = _gaps(needed)
    ends = np.append(cuts, len(codes) - 1)
    predicted, hits, true = (
        np.bincount(labels, weights=size, minlength=n_classes).astype(np.float64)
        for labels, size in ((rival, weight), (codes, weight * (codes == rival)), (codes, weight))
    )
    totals = [
        np.column_stack([start, start[:, np.newaxis] + np.cumsum(steps, axis=1)[:, ends]]).T
        for start, steps in ((hits, hit), (predicted, moved))
    ]
    # What rounding leaves of rows that were all taken away is no prediction.
    totals = [np.where(total > 1e-12 * true.sum(), total, 0.0) for total in totals]
    values = scores_of_totals((totals[0], true, totals[1]), None, [metric])[metric]
    amounts = np.concatenate(
        [[needed[0] - 1.0], (needed[cuts] + needed[cuts + 1]) / 2, [needed[-1] + 1.0]]
    )
    return _nearest_best(amounts, values)


def _best_asked(
    codes: Ints,
    rival: Ints,
    needed: Floats,
    code: int,
    weight: Floats,
    metric: Callable[..., float],
) -> tuple[float, float]:
    """The best of some amounts, by a function of labels: each costs a look at all rows."""
    order = np.argsort(needed, kind="stable")
    values, is_own = needed[order], (codes == code)[order]
    cuts = _gaps(values)
    between = np.concatenate(
        [[values[0] - 1.0], (values[cuts] + values[cuts + 1]) / 2, [values[-1] + 1.0]]
    )
    # Rows from one cut to the next are taken together.
    starts = np.append(0, cuts + 1)
    n_taken, n_own = (
        np.diff(np.append(starts, len(values))),
        np.add.reduceat(is_own, starts, dtype=int),
    )
    is_corner = np.append(False, n_own > 0) & np.append(n_own < n_taken, True)
    # No change at all is always among them.
    amounts = np.append(between[asked_places(is_corner)], 0.0)
    # Of equal scores the first class wins, as it does by argmax.
    wins = code < rival
    decided = [
        np.where((needed < amount) | ((needed == amount) & wins), code, rival) for amount in amounts
    ]
    gained = np.array([metric(codes, labels, weight) for labels in decided], dtype=np.float64)
    return _nearest_best(amounts, gained)
