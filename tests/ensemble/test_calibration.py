"""Calibration: scores of any kind as probabilities that follow the shares of the classes."""

import numpy as np
import pytest

from icost.ensemble.calibration import apply_calibrator, fit_calibrator


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
