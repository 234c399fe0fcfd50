"""How good an ensemble is, by rows that nothing of it has seen: not even calibration and cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, brier_score_loss

from icost.ensemble.calibration import apply_calibrator, fit_calibrator
from icost.ensemble.cross_fit import Repeat
from icost.metrics import confusion_scores

N_BOOTSTRAPS = 200
"""Bootstrap samples of the rows, for the intervals."""

Decide = Callable[[NDArray[np.float64], NDArray[np.intp], Any, NDArray[np.float64]], Any]
"""From probabilities, codes and weights to decide by, and others to decide on, to codes."""


def mean_proba(
    bases: Sequence[Sequence[Repeat]], calibrators: Sequence[Sequence[Any]], rows: Any = None
) -> NDArray[np.float64]:
    """Return the held-out probabilities of rows: the mean over repeats and bases."""
    chosen = slice(None) if rows is None else rows
    columns = [
        apply_calibrator(calibrator, repeat.scores[chosen])
        for repeats, own in zip(bases, calibrators, strict=True)
        for repeat, calibrator in zip(repeats, own, strict=True)
    ]
    return np.mean(columns, axis=0)


def calibrate_all(
    bases: Sequence[Sequence[Repeat]],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    calibrate: bool,
    rows: Any = None,
) -> list[list[Any]]:
    """Return a calibrator of each repeat of each base, fitted to some rows or to all.

    Without calibration they are None, and scores are probabilities already.
    """
    if not calibrate:
        return [[None] * len(repeats) for repeats in bases]
    chosen = slice(None) if rows is None else rows
    own_weight = None if weight is None else weight[chosen]
    return [
        [fit_calibrator(repeat.scores[chosen], codes[chosen], own_weight) for repeat in repeats]
        for repeats in bases
    ]


def cross_fitted_decisions(
    bases: Sequence[Sequence[Repeat]],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    calibrate: bool,
    decide: Decide,
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return probabilities and decisions of each part by what the other parts tell.

    The parts are those of the first repeat. Members are not fitted again: scores are held out as
    they are.
    """
    parts = bases[0][0].parts
    n_classes = int(codes.max()) + 1
    proba = np.empty((len(codes), n_classes))
    decided = np.empty(len(codes), dtype=np.intp)
    for part in range(int(parts.max()) + 1):
        rest, own = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        calibrators = calibrate_all(bases, codes, weight, calibrate, rest)
        proba[own] = mean_proba(bases, calibrators, own)
        known = mean_proba(bases, calibrators, rest)
        rest_weight = None if weight is None else weight[rest]
        decided[own] = decide(known, codes[rest], rest_weight, proba[own])
    return proba, decided


def honest_scores(
    codes: NDArray[np.intp],
    proba: NDArray[np.float64],
    decided: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    minority: int | None,
    random_state: np.random.RandomState,
) -> dict[str, dict[str, float]]:
    """Return MCC, F1 and, of two classes, PR-AUC and Brier score, with bootstrap intervals."""
    own = np.ones(len(codes)) if weight is None else weight
    whole = _scores(codes, proba, decided, own, minority)
    groups = [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]
    draws = []
    for _ in range(N_BOOTSTRAPS):
        rows = np.concatenate([random_state.choice(group, len(group)) for group in groups])
        draws.append(_scores(codes[rows], proba[rows], decided[rows], own[rows], minority))
    found = {}
    for name, value in whole.items():
        low, high = np.percentile([draw[name] for draw in draws], [2.5, 97.5])
        found[name] = {"value": value, "low": float(low), "high": float(high)}
    return found


def _scores(
    codes: NDArray[np.intp],
    proba: NDArray[np.float64],
    decided: NDArray[np.intp],
    weight: NDArray[np.float64],
    minority: int | None,
) -> dict[str, float]:
    n_classes = proba.shape[1]
    cells = np.bincount(codes * n_classes + decided, weights=weight, minlength=n_classes**2)
    matrix = cells.reshape(n_classes, n_classes)
    values = confusion_scores(matrix, minority, ["mcc", "f1", "g_mean"])
    scores = {name: float(value) for name, value in values.items()}
    if minority is not None:
        truth, column = codes == minority, proba[:, minority]
        scores["pr_auc"] = float(average_precision_score(truth, column, sample_weight=weight))
        scores["brier"] = float(brier_score_loss(truth, column, sample_weight=weight))
    return scores
