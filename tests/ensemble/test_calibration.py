"""Calibration: scores of any kind as probabilities that follow the shares of the classes."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from icost._pass.blend import fit_recalibration, recalibrate
from icost.ensemble._calibration import (
    apply_calibrator,
    as_coefficients,
    map_offsets,
    map_threshold,
)
from icost.thresholds._scores import fit_calibrator


def test_scores_that_run_against_the_labels_give_the_shares():
    codes = np.repeat([0, 1], [80, 20])
    scores = np.random.default_rng(0).normal(size=(100, 1)) - codes[:, None]
    proba = fit_calibrator(scores, codes).predict_proba(scores)
    np.testing.assert_allclose(proba[:, 1], 0.2)


def test_of_three_classes_scores_that_run_against_them_give_the_shares():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [70, 20, 10])
    against = rng.normal(size=(100, 3)) - 2 * np.eye(3)[codes]
    proba = fit_calibrator(against, codes).predict_proba(against)
    np.testing.assert_allclose(proba, np.tile([0.7, 0.2, 0.1], (100, 1)), atol=1e-3)


def test_of_three_classes_one_bad_score_is_left_out_and_the_others_count():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [70, 20, 10])
    scores = rng.normal(size=(100, 3)) + 3 * np.eye(3)[codes]
    scores[:, 2] = rng.normal(size=100) - 2 * (codes == 2)
    model = fit_calibrator(scores, codes)
    assert (model[-1].coef_[:, 2] == 0).all()
    assert (np.diag(model[-1].coef_)[:2] > 0).all()
    proba = model.predict_proba(scores)
    assert proba[codes == 1, 1].mean() > 0.6
    np.testing.assert_allclose(proba.mean(axis=0), [0.7, 0.2, 0.1], atol=1e-3)


def test_good_scores_of_three_classes_are_all_used():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [70, 20, 10])
    scores = rng.normal(size=(100, 3)) + 2 * np.eye(3)[codes]
    assert (np.diag(fit_calibrator(scores, codes)[-1].coef_) > 0).all()


def test_without_a_calibrator_scores_are_probabilities():
    np.testing.assert_allclose(apply_calibrator(None, np.array([[0.2]])), [[0.8, 0.2]])
    three = np.array([[0.2, 0.3, 0.5]])
    assert apply_calibrator(None, three) is three


def test_the_scale_of_weights_does_not_matter():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [40, 10])
    scores, weight = rng.normal(size=(50, 1)) + codes[:, None], rng.random(50) + 0.5
    one, other = (fit_calibrator(scores, codes, weight * by) for by in (1.0, 1000.0))
    assert one[-1].coef_[0, 0] == pytest.approx(other[-1].coef_[0, 0], rel=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_coefficients_give_the_probabilities_of_the_calibrator(n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(n_classes, size=90)
    scores = 5 + 3 * rng.normal(size=(90, 1 if n_classes == 2 else 3)) + codes[:, None]
    calibrator = fit_calibrator(scores, codes)
    expected = calibrator.predict_proba(scores)
    np.testing.assert_allclose(apply_calibrator(as_coefficients(calibrator), scores), expected)


def test_recalibration_of_two_classes_is_a_slope_and_an_intercept_on_the_logit():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=20_000)
    codes = (rng.random(20_000) < expit(2 * logits - 0.5)).astype(int)
    proba = np.column_stack([expit(-logits), expit(logits)])
    slope, first, second = fit_recalibration(proba, codes)
    assert slope == pytest.approx(2, abs=0.1) and second - first == pytest.approx(-0.5, abs=0.05)
    expected = expit(slope * logits + second - first)
    np.testing.assert_allclose(recalibrate([slope, first, second], proba)[:, 1], expected)


def test_recalibration_of_three_classes_is_a_slope_and_offsets():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(20_000, 3))
    true = softmax(1.5 * logits + [0.0, 0.4, -0.4], axis=1)
    codes = (true.cumsum(axis=1) < rng.random((20_000, 1))).sum(axis=1)
    coefficients = fit_recalibration(softmax(logits, axis=1), codes)
    np.testing.assert_allclose(coefficients, [1.5, 0, 0.4, -0.4], atol=0.06)


def test_recalibration_counts_weights_and_not_their_scale():
    rng = np.random.default_rng(0)
    second = rng.random(60)
    proba, codes = np.column_stack([1 - second, second]), (rng.random(60) < second).astype(int)
    weight = rng.integers(1, 4, size=60).astype(float)
    one, other = (fit_recalibration(proba, codes, weight * by) for by in (1.0, 1000.0))
    np.testing.assert_allclose(one, other, atol=1e-6)
    assert not np.allclose(one, fit_recalibration(proba, codes), atol=1e-3)


def test_recalibration_of_few_or_contrary_rows_keeps_a_positive_slope():
    proba = np.array([[0.6, 0.4], [0.4, 0.6]])
    slope, first, second = fit_recalibration(proba, np.array([0, 1]))
    assert 1 < slope < 2 and abs(second - first) < 0.1
    contrary = np.tile(proba, (200, 1))
    slope, *_ = fit_recalibration(contrary, np.tile([1, 0], 200))
    assert 0 < slope < 0.5


def test_mapped_cuts_decide_as_before():
    rng = np.random.default_rng(0)
    for minority in (0, 1):
        share = rng.random(500)
        proba = np.column_stack([1 - share, share])
        coefficients = np.array([1.7, -0.3, 0.6])
        # A row on the threshold itself is one of the minority before and after.
        for cut in (*proba[:5, minority], 0.3):
            before = proba[:, minority] >= cut
            after = recalibrate(coefficients, proba)[:, minority]
            np.testing.assert_array_equal(
                before, after >= map_threshold(coefficients, cut, minority)
            )
    proba, offsets = rng.dirichlet(np.ones(3), size=500), np.array([0.0, 0.7, -0.2])
    coefficients = np.array([1.7, -0.3, 0.6, 0.1])
    mapped = map_offsets(coefficients, offsets)
    after = (np.log(recalibrate(coefficients, proba)) + mapped).argmax(axis=1)
    np.testing.assert_array_equal((np.log(proba) + offsets).argmax(axis=1), after)


def test_timid_probabilities_are_made_surer():
    codes = np.repeat([0, 1], [800, 200])
    timid = np.where(codes == 1, 0.6, 0.1)
    proba = np.column_stack([1 - timid, timid])
    surer = recalibrate(fit_recalibration(proba, codes), proba)
    assert surer[0, 1] < 0.01 and surer[-1, 1] > 0.99
