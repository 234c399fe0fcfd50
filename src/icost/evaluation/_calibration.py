"""Are probabilities shares? Slope, intercept and curve of a model's probabilities on new rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from icost._core.arrays import Bools, Floats
from icost.evaluation._intervals import TINY, Interval, ScoredRows, share_of

N_BINS = 10
"""Most points of the curve, each with as many rows of the minority, or of all."""

SLIGHT = 0.05
"""Distance of slope and intercept from 1 and 0 below which they are as good as there."""

N_STEPS = 25
"""Steps of Newton's method."""


@dataclass(frozen=True)
class CalibrationPoint:
    """Rows of similar probability: its mean, and their share of the minority."""

    proba: float
    share: Interval
    n_rows: int


@dataclass(frozen=True)
class Calibration:
    """How probabilities compare with shares.

    A ``slope`` below 1 means that they are too extreme, an ``intercept`` above 0 that they are too
    low (with the slope at 1); None where they separate the classes, which leaves both open.
    """

    slope: Interval | None
    intercept: Interval | None
    curve: tuple[CalibrationPoint, ...]

    def __str__(self) -> str:
        if self.slope is None or self.intercept is None:
            return "The probabilities separate the classes, so their calibration is open."
        said = []
        if _is_off(self.slope, 1.0):
            said.append("too extreme" if self.slope.value < 1 else "too near to each other")
        if _is_off(self.intercept, 0.0):
            said.append("too high" if self.intercept.value < 0 else "too low")
        numbers = f"slope {_numbers(self.slope)}, intercept {_numbers(self.intercept)}"
        if not said:
            return f"The probabilities agree with the shares of the classes ({numbers})."
        return f"The probabilities are {' and '.join(said)} ({numbers})."


def _is_off(value: Interval, ideal: float) -> bool:
    """Whether a value is off by more than chance, and by enough to matter."""
    return not value.low <= ideal <= value.high and abs(value.value - ideal) >= SLIGHT


def _numbers(interval: Interval) -> str:
    return f"{interval.value:.2f}, {interval.low:.2f} to {interval.high:.2f}"


def calibration_of(rows: ScoredRows) -> Calibration | None:
    """Return the calibration of a model's probabilities, None if it has none."""
    if rows.proba is None:
        return None
    truth, score = rows.is_minority, logit(np.clip(rows.proba, TINY, 1 - TINY))
    slope = _fit(np.column_stack([np.ones_like(score), score]), np.zeros_like(score), truth)
    intercept = _fit(np.ones((len(score), 1)), score, truth)
    if np.ptp(score) == 0:
        slope = None
    return Calibration(slope, intercept, tuple(_curve(rows)))


def _fit(columns: Floats, offset: Floats, truth: Bools) -> Interval | None:
    """Return the last coefficient of a logistic regression with a Wald interval."""
    beta = np.zeros(columns.shape[1])
    for _ in range(N_STEPS):
        fitted = expit(columns @ beta + offset)
        weight = fitted * (1 - fitted)
        information = columns.T @ (columns * weight[:, np.newaxis])
        if not np.linalg.cond(information) < 1e12:
            return None
        step = np.linalg.solve(information, columns.T @ (truth - fitted))
        beta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            half = 1.959964 * np.sqrt(np.linalg.inv(information)[-1, -1])
            return Interval(float(beta[-1]), float(beta[-1] - half), float(beta[-1] + half))
    return None


def _curve(rows: ScoredRows) -> list[CalibrationPoint]:
    """Return points of similar probability; half of the cuts are quantiles of the minority."""
    assert rows.proba is not None
    shares = np.linspace(0, 1, N_BINS // 2 + 1)[1:-1]
    samples = (rows.proba, rows.proba[rows.is_minority])
    edges = np.unique([np.quantile(sample, shares) for sample in samples])
    places = np.searchsorted(edges, rows.proba, side="right")
    points = []
    for place in np.unique(places):
        inside = places == place
        share = share_of(rows, inside, rows.is_minority)
        points.append(CalibrationPoint(float(rows.proba[inside].mean()), share, int(inside.sum())))
    return points
