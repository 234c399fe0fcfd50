"""Calibration: from scores of all members to one probability that follows the shares of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.pipeline import Pipeline

from icost._core.arrays import Floats, Ints
from icost._pass.blend import SMALLEST, recalibrate
from icost.thresholds._scores import apply_calibrator as apply_pipeline
from icost.thresholds._scores import fit_calibrator

if TYPE_CHECKING:
    from icost.ensemble._cross_fit import Repeat


def as_coefficients(calibrator: Pipeline) -> Floats:
    """Return a calibrator as an array: slopes of the scores, and the intercepts as its last row.

    For two classes these are two numbers: files are small, and prediction does not go through two
    estimators.
    """
    scaler, model = calibrator[0], calibrator[-1]
    slopes = model.coef_.T / scaler.scale_[:, np.newaxis]
    return np.vstack([slopes, model.intercept_ - scaler.mean_ @ slopes])


def apply_calibrator(calibrator: Any, scores: Floats) -> Floats:
    """Return the probabilities of all classes.

    A calibrator is an array of coefficients, or None where scores are probabilities already.
    """
    if calibrator is None:
        return apply_pipeline(calibrator, scores)
    linear = scores @ calibrator[:-1] + calibrator[-1]
    if linear.shape[1] > 1:
        return softmax(linear, axis=1)
    second = expit(linear)
    return np.hstack([1 - second, second])


def mean_proba(
    bases: Sequence[Sequence[Repeat]], calibrators: Sequence[Sequence[Any]], rows: Any = None
) -> Floats:
    """Return the held-out probabilities of rows: the mean over repeats and bases."""
    chosen = slice(None) if rows is None else rows
    columns = [
        apply_calibrator(calibrator, repeat.scores[chosen])
        for repeats, fitted in zip(bases, calibrators, strict=True)
        for repeat, calibrator in zip(repeats, fitted, strict=True)
    ]
    return np.mean(columns, axis=0)


def calibrate_all(
    bases: Sequence[Sequence[Repeat]],
    codes: Ints,
    weight: Floats | None,
    calibrate: bool,
    rows: Any = None,
) -> list[list[Any]]:
    """Return a calibrator of each repeat of each base, fitted to some rows or to all.

    Codes and weights are those of these rows. Without calibration they are None, and scores are
    probabilities already.
    """
    if not calibrate:
        return [[None] * len(repeats) for repeats in bases]
    chosen = slice(None) if rows is None else rows
    return [
        [
            as_coefficients(fit_calibrator(repeat.scores[chosen], codes, weight))
            for repeat in repeats
        ]
        for repeats in bases
    ]


def map_threshold(coefficients: Floats | None, threshold: float, minority: int) -> float:
    """Return the threshold that decides after recalibration as this one does before it."""
    if coefficients is None:
        return threshold
    both = [1 - threshold, threshold] if minority == 1 else [threshold, 1 - threshold]
    mapped = recalibrate(coefficients, np.array([both]))[0, minority]
    # Slightly lower: rounding must not move a row that lies on the threshold below it.
    return float(mapped * (1 - SMALLEST))


def map_offsets(coefficients: Floats | None, offsets: Floats) -> Floats:
    """Return the offsets that decide after recalibration as these do before it."""
    return offsets if coefficients is None else coefficients[0] * offsets - coefficients[1:]
