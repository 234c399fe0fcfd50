"""How good an ensemble is, by rows that nothing of it has seen: not even calibration and cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from icost._core.arrays import Floats, Ints
from icost._core.labels import bootstrap_rows
from icost._core.views import Scores
from icost._pass.blend import recalibrate
from icost.ensemble._calibration import calibrate_all, mean_proba
from icost.metrics import confusion_scores

if TYPE_CHECKING:
    from icost.ensemble._cross_fit import Repeat, TrainingRows

N_BOOTSTRAPS = 200
"""Bootstrap samples of the rows, for the intervals."""

Recalibration = Floats | None
"""What `icost.ensemble._calibration.fit_recalibration` returns, or None."""

FitLast = Callable[[Floats, "TrainingRows"], Recalibration]
"""From mean probabilities of rows to the last recalibration."""

Decide = Callable[[Floats, "TrainingRows", Recalibration, Floats, "TrainingRows"], Ints]
"""From mean probabilities of rows, and recalibrated ones of others, to the codes of the others."""


def cross_fitted_decisions(
    bases: Sequence[Sequence[Repeat]],
    rows: TrainingRows,
    calibrate: bool,
    fit_last: FitLast,
    decide: Decide,
) -> tuple[Floats, Ints]:
    """Return probabilities and decisions of each part by what the other parts tell.

    The parts are those of the first repeat. Members are not fitted again: scores are held out as
    they are.
    """
    parts = bases[0][0].parts
    proba = np.empty((len(parts), int(rows.codes.max()) + 1))
    decided = np.empty(len(parts), dtype=np.intp)
    for number in range(int(parts.max()) + 1):
        rest, held_out = np.flatnonzero(parts != number), np.flatnonzero(parts == number)
        others = rows.without_table(rest)
        calibrators = calibrate_all(bases, others.codes, others.weight, calibrate, rest)
        known_proba = mean_proba(bases, calibrators, rest)
        last = fit_last(known_proba, others)
        proba[held_out] = recalibrate(last, mean_proba(bases, calibrators, held_out))
        unseen = rows.without_table(held_out)
        decided[held_out] = decide(known_proba, others, last, proba[held_out], unseen)
    return proba, decided


def out_of_fold_scores(
    rows: TrainingRows, proba: Floats, decided: Ints, random_state: np.random.RandomState
) -> Scores:
    """Return MCC, F1, G-mean and, of two classes, PR-AUC and Brier score, with intervals.

    The intervals are of bootstrap samples of the rows or, where there are groups, of those.
    """
    weight = np.ones(len(rows.codes)) if rows.weight is None else rows.weight
    scorer = _Scorer(rows, proba, decided, weight)
    classes = [np.flatnonzero(rows.codes == code) for code in range(proba.shape[1])]
    draws = bootstrap_rows(classes, N_BOOTSTRAPS, random_state, rows.groups)
    # All rows as they are come first, then the draws.
    scores = scorer.of(chain([np.arange(len(weight))], draws))
    intervals = Scores()
    for name, values in scores.items():
        low, high = np.percentile(values[1:], [2.5, 97.5])
        intervals[name] = {"value": float(values[0]), "low": float(low), "high": float(high)}
    return intervals


class _Scorer:
    """Scores of any draw of rows; what does not depend on the draw is computed once."""

    def __init__(self, rows: TrainingRows, proba: Floats, decided: Ints, weight: Floats) -> None:
        self.n_classes, self.minority, self.weight = proba.shape[1], rows.minority, weight
        self.cells = rows.codes * self.n_classes + decided
        if rows.minority is not None:
            column = proba[:, rows.minority]
            self.truth = rows.codes == rows.minority
            self.squares = (self.truth - column) ** 2
            # The places from the largest probability down, which is how precision is counted.
            levels, places = np.unique(-column, return_inverse=True)
            self.n_levels, self.places = len(levels), places

    def of(self, draws: Iterable[Ints]) -> dict[str, Floats]:
        """Return the scores of each draw of rows, some of them more than once in it."""
        cells, ranked = [], []
        for drawn in draws:
            weight = self.weight[drawn]
            counts = np.bincount(self.cells[drawn], weights=weight, minlength=self.n_classes**2)
            cells.append(counts)
            if self.minority is not None:
                brier = (self.squares[drawn] * weight).sum() / weight.sum()
                ranked.append((self._average_precision(drawn, weight), brier))
        matrices = np.reshape(cells, (-1, self.n_classes, self.n_classes))
        # Asked once for all draws: most of the time of a single one is the asking.
        scores = confusion_scores(matrices, self.minority, ["mcc", "f1", "g_mean"])
        if self.minority is not None:
            scores |= dict(zip(("pr_auc", "brier"), np.transpose(ranked), strict=True))
        return scores

    def _average_precision(self, drawn: Ints, weight: Floats) -> float:
        places, is_hit = self.places[drawn], self.truth[drawn]
        counts = [
            np.bincount(places[rows], weights=weight[rows], minlength=self.n_levels)
            for rows in (slice(None), is_hit)
        ]
        reached = np.cumsum(counts[0])
        # Levels before the first row drawn have neither hits nor a precision.
        precision = np.cumsum(counts[1]) / np.where(reached > 0, reached, 1.0)
        return float(precision @ counts[1] / counts[1].sum())
