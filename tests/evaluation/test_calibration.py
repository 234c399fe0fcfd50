"""Slope, intercept and curve of probabilities agree with independent computations."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from icost.evaluation._calibration import Calibration, calibration_of
from icost.evaluation._intervals import Interval, ScoredRows


def rows_of(proba, truth):
    codes = truth.astype(int)
    return ScoredRows(codes, (proba > 0.5).astype(int), 2, 1, proba, proba)


def drawn(n_rows, slope=1.0, shift=0.0):
    """Rows whose true logits are those of their probabilities, times a slope and shifted."""
    rng = np.random.default_rng(0)
    score = rng.normal(-2, 1.5, n_rows)
    truth = rng.random(n_rows) < 1 / (1 + np.exp(-slope * score - shift))
    return rows_of(1 / (1 + np.exp(-score)), truth), score


def test_slope_and_intercept_are_those_of_logistic_regressions():
    rows, score = drawn(3000, slope=0.6, shift=0.5)
    result = calibration_of(rows)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(score[:, np.newaxis], rows.codes)
    assert result.slope.value == pytest.approx(model.coef_[0, 0], abs=1e-4)
    assert result.slope.low < 0.6 < result.slope.high < 1
    shifted = 1 / (1 + np.exp(-score - result.intercept.value))
    assert shifted.mean() == pytest.approx(rows.codes.mean(), abs=1e-6)
    assert "too extreme and too low" in str(result)


def test_the_curve_has_exact_intervals_and_all_rows():
    rows, _ = drawn(2000)
    curve = calibration_of(rows).curve
    assert sum(point.n_rows for point in curve) == 2000 and len(curve) >= 6
    point = curve[-1]
    hits = round(point.share.value * point.n_rows)
    wanted = binomtest(hits, point.n_rows).proportion_ci(0.95, "exact")
    assert (point.share.low, point.share.high) == pytest.approx(tuple(wanted))
    assert [p.proba for p in curve] == sorted(p.proba for p in curve)


def test_what_is_slight_is_no_finding():
    slight = Calibration(Interval(1.02, 1.01, 1.03), Interval(-0.02, -0.03, -0.01), ())
    assert str(slight).startswith("The probabilities agree")
    much = Calibration(Interval(1.4, 1.3, 1.5), Interval(-0.5, -0.6, -0.4), ())
    assert "too near to each other and too high" in str(much)


def test_separated_classes_leave_the_calibration_open():
    truth = np.arange(100) < 20
    assert "open" in str(calibration_of(rows_of(np.where(truth, 0.9, 0.1), truth)))
    constant = calibration_of(rows_of(np.full(100, 0.2), truth))
    assert constant.slope is None and len(constant.curve) == 1
