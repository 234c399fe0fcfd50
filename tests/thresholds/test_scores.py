"""Which scores of classifiers are cut, and their calibration."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost.thresholds._scores import (
    check_class_scores,
    finite_scores,
    fit_calibrator,
    held_out_scores,
    last_step,
    response_method,
    response_scores,
)


def test_scores_that_all_classifiers_have_are_taken():
    linear, bayes, ridge = LogisticRegression(), GaussianNB(), RidgeClassifier()
    assert response_method([linear]) == response_method([linear, ridge]) == "decision_function"
    assert response_method([linear, bayes]) == "predict_proba"
    with pytest.raises(ValueError, match="must all have decision_function or all have predict"):
        response_method([bayes, ridge])


def test_two_classes_have_one_column_of_scores():
    X = np.arange(6.0)[:, np.newaxis]
    bayes = GaussianNB().fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(response_scores(bayes, X), bayes.predict_proba(X)[:, 1])
    assert response_scores(GaussianNB().fit(X, [0, 0, 1, 1, 2, 2]), X).shape == (6, 3)


def test_infinite_scores_are_large_and_can_be_calibrated():
    scores = finite_scores(np.array([-np.inf, -1.0, 0.5, np.inf]))
    assert scores[:, 0].tolist() == [-1e100, -1.0, 0.5, 1e100]
    proba = fit_calibrator(scores, np.array([0, 0, 1, 1])).predict_proba(scores)[:, 1]
    assert np.isfinite(proba).all() and proba[0] < proba[-1]


def test_scores_against_the_labels_say_no_more_than_the_shares():
    codes = np.repeat([0, 1], [30, 10])
    model = fit_calibrator(-np.arange(40.0)[:, np.newaxis], codes)
    np.testing.assert_allclose(model.predict_proba([[-40.0], [0.0]])[:, 1], 0.25)


def test_scores_that_run_slightly_against_the_labels_say_no_more_either():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 200)
    scores = (rng.normal(size=400) - 0.1 * codes)[:, np.newaxis]
    proba = fit_calibrator(scores, codes).predict_proba([[-3.0], [3.0]])[:, 1]
    np.testing.assert_allclose(proba, 0.5)


def test_of_several_classes_a_score_that_runs_slightly_against_its_class_is_left_out():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 200)
    scores = rng.normal(size=(600, 3)) + [-0.3, 1.5, 1.5] * np.eye(3)[codes]
    model = fit_calibrator(scores, codes)
    others = np.column_stack([np.full(600, 5.0), scores[:, 1:]])
    np.testing.assert_array_equal(model.predict_proba(others), model.predict_proba(scores))


def test_the_unit_of_weights_changes_no_calibrator():
    codes, weight = np.repeat([0, 1], [30, 10]), np.linspace(1, 2, 40)
    scores = np.arange(40.0)[:, np.newaxis]
    one, other = (
        fit_calibrator(scores, codes, unit * weight).predict_proba(scores) for unit in (1e-3, 1e3)
    )
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_scores_of_pairs_of_classes_are_refused():
    class Pairs:
        decision_function_shape = "ovo"

    check_class_scores(Pairs(), "decision_function", 2, "estimator")
    with pytest.raises(ValueError, match="got decision_function_shape='ovo': use 'ovr'"):
        check_class_scores(Pairs(), "decision_function", 3, "estimator")


def test_the_last_step_of_nested_pipelines():
    model = LogisticRegression()
    assert last_step(make_pipeline(StandardScaler(), make_pipeline(model))) is model
    assert last_step(model) is model


def test_scores_that_say_nothing_get_the_shares_of_the_classes():
    calibrator = fit_calibrator(np.zeros((10, 1)), np.repeat([0, 1], [8, 2]))
    np.testing.assert_allclose(calibrator.predict_proba([[0.0]]), [[0.8, 0.2]], atol=1e-3)


def test_infinite_scores_stand_at_the_ends_of_the_others():
    scores = np.array([1.0, 2.0, np.inf, -np.inf])
    assert held_out_scores(scores).ravel().tolist() == [1, 2, 2, 1]
