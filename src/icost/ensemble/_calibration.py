"""Calibration: from scores of all members to one probability that follows the shares of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax
from sklearn.pipeline import Pipeline

from icost._core.arrays import Floats, Ints
from icost.thresholds._scores import apply_calibrator as apply_pipeline
from icost.thresholds._scores import fit_calibrator

if TYPE_CHECKING:
    from icost.ensemble._cross_fit import Repeat

SMALLEST = 1e-12
"""Probabilities below this one are taken as this one before a logarithm."""

LARGEST_LOG_SLOPE = 5.0
"""Bound of a slope's logarithm, so that no step of the search overflows."""


def log_proba(proba: Floats) -> Floats:
    """Return logarithms that are finite."""
    return np.log(np.clip(proba, SMALLEST, None))


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


def fit_recalibration(proba: Floats, codes: Ints, weight: Floats | None = None) -> Floats:
    """Return a slope for all log-probabilities and an offset for each class, by held-out rows.

    The mean of calibrated probabilities is under-confident: where classifiers disagree, it lies
    between them. The likelihood is maximised with standard normal penalties on the offsets and on
    the logarithm of the slope: the slope is positive, and few rows change little.
    """
    logs, is_class = log_proba(proba), np.eye(proba.shape[1])[codes]
    # Relative weights: multiplied by a constant, they must not change the penalties.
    weight = np.ones(len(codes)) if weight is None else weight / weight.mean()

    def penalised_loss(values: Floats) -> tuple[float, Floats]:
        slope = np.exp(values[0])
        logits = slope * logs + values[1:]
        total = logsumexp(logits, axis=1, keepdims=True)
        loss = weight @ (total[:, 0] - (logits * is_class).sum(axis=1)) + values @ values / 2
        excess = weight[:, np.newaxis] * (np.exp(logits - total) - is_class)
        return loss, np.append(slope * (excess * logs).sum(), excess.sum(axis=0)) + values

    bounds = [(-LARGEST_LOG_SLOPE, LARGEST_LOG_SLOPE)] + [(None, None)] * proba.shape[1]
    start = np.zeros(1 + proba.shape[1])
    values = minimize(penalised_loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return np.append(np.exp(values[0]), values[1:])


def recalibrate(coefficients: Floats | None, proba: Floats) -> Floats:
    """Return probabilities after the last step; None leaves them as they are."""
    if coefficients is None:
        return proba
    return softmax(coefficients[0] * log_proba(proba) + coefficients[1:], axis=1)


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
