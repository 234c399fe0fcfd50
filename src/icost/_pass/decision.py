"""From held-out probabilities to decisions, and the answers for rows that nothing has seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from icost._core.arrays import Floats, Ints
from icost._core.labels import most_folds
from icost._pass.blend import fit_blend
from icost._pass.cross_fit import OutOfFold
from icost._pass.folds import split_rows
from icost._table._rows import Rows
from icost.thresholds._certificate import Certificate, HeldOut
from icost.thresholds._label_metric import Metric
from icost.thresholds._offsets import additive_scores, tune_offsets
from icost.thresholds._rules import LeastCost, Rule, Stable, choose_cut

N_PARTS = 5
"""Parts of a single held-out part, over which calibration and decision are cross-fitted."""


@dataclass(frozen=True, eq=False)
class Decider:
    """A rule, and what its cut is to make high."""

    rule: Rule
    metric: Metric = "mcc"
    confidence: float = 0.9
    random_state: int = 0

    def choose(self, proba: Floats, rows: Rows, targets: Ints, interval: bool = True) -> Decision:
        """Return how to decide, by the probabilities of rows that the models have not seen."""
        if rows.minority is None:
            offsets = np.zeros(proba.shape[1])
            if isinstance(self.rule, Stable):
                scores = additive_scores(proba, "predict_proba")
                offsets = tune_offsets(targets, scores, self.metric, sample_weight=rows.weight)
            return Decision(self.rule, offsets=offsets)
        held_out = as_held_out(proba, rows, targets)
        certificate = choose_cut(
            self.rule,
            held_out,
            confidence=self.confidence,
            metric=self.metric,
            random_state=np.random.RandomState(self.random_state),
            interval=interval,
        )
        return Decision(self.rule, certificate, held_out)


@dataclass(frozen=True, eq=False)
class Decision:
    """A threshold with its certificate for two classes, offsets for more."""

    rule: Rule
    certificate: Certificate | None = None
    held_out: HeldOut | None = None
    offsets: Floats | None = None

    def decide(self, proba: Floats, rows: Rows, targets: Ints) -> Ints:
        """Return the decisions for rows, as targets."""
        if self.certificate is not None:
            alerts = as_held_out(proba, rows, targets).alerts(self.certificate.threshold)
            return alerts.astype(np.intp)
        if isinstance(self.rule, LeastCost):
            return np.argmax(self.rule.class_scores(proba), axis=1)
        offsets = 0.0 if self.offsets is None else self.offsets
        return np.argmax(additive_scores(proba, "predict_proba") + offsets, axis=1)


def as_held_out(proba: Floats, rows: Rows, targets: Ints) -> HeldOut:
    """Return rows of two classes with the probabilities of the minority."""
    weight = np.ones(len(targets)) if rows.weight is None else rows.weight
    return HeldOut(targets == 1, proba[:, 1], weight, rows.groups, *rows.costs)


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """Probabilities and decisions of rows by what other rows gave: nothing has seen them."""

    rows: Rows
    targets: Ints
    parts: Ints
    proba: Floats
    decided: Ints


def cross_fit_answers(
    out_of_fold: OutOfFold, decider: Decider, names: Sequence[str] | None = None
) -> HeldOutAnswers:
    """Return the answers of each part by blend and decision of the others, without a fit.

    Forward in time, the others are those before, so that the first part has no answers. ``names``
    are the candidates to blend, as they are; by default those with weight.
    """
    places, parts = out_of_fold.held_out, _parts(out_of_fold, decider.random_state)
    rows, targets = without_table(out_of_fold.rows).take(places), out_of_fold.targets[places]
    proba, decided = np.empty((len(places), rows.n_classes)), np.full(len(places), -1)
    for rest, held_out in _sides(out_of_fold, parts, targets, rows.n_classes):
        fitted = fit_blend(out_of_fold, places[rest], decider.random_state, names)
        decision = decider.choose(
            fitted.proba(places[rest]), rows.take(rest), targets[rest], interval=False
        )
        proba[held_out] = fitted.proba(places[held_out])
        decided[held_out] = decision.decide(proba[held_out], rows.take(held_out), targets[held_out])
    kept = np.flatnonzero(decided >= 0)
    numbers = np.unique(parts[kept], return_inverse=True)[1]
    return HeldOutAnswers(rows.take(kept), targets[kept], numbers, proba[kept], decided[kept])


def _sides(
    out_of_fold: OutOfFold, parts: Ints, targets: Ints, n_classes: int
) -> Iterator[tuple[Ints, Ints]]:
    """Yield the rows to go by and those to answer for."""
    last = int(parts.max())
    if out_of_fold.folds.is_by_time and out_of_fold.folds.parts[0].max() > 0:
        earlier = [(np.flatnonzero(parts < p), np.flatnonzero(parts == p)) for p in range(last + 1)]
        counts = [np.bincount(targets[rest], minlength=n_classes) for rest, _ in earlier]
        enough = [s for s, n in zip(earlier, counts, strict=True) if n.min() >= 2]
        answered = (
            np.concatenate([held_out for _, held_out in enough]) if enough else np.array([], int)
        )
        if len(np.unique(targets[answered])) == n_classes:
            yield from enough
            return
    for fold in range(last + 1):
        yield np.flatnonzero(parts != fold), np.flatnonzero(parts == fold)


def without_table(rows: Rows) -> Rows:
    """Return all that belongs to rows but their columns."""
    return replace(rows, table=None)


def _parts(out_of_fold: OutOfFold, seed: int) -> Ints:
    """Return the part of each held-out row: those of the first repeat, or some of a single one."""
    places = out_of_fold.held_out
    parts = out_of_fold.folds.parts[0][places]
    if parts.max() > 0:
        return parts
    rows = without_table(out_of_fold.rows).take(places)
    return split_rows(rows, most_folds(rows.codes, N_PARTS), seed)
