"""Another prevalence: what stays, what moves, and shares of rows without labels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost import ThresholdClassifier, at_prevalence, estimate_prevalence, iCostAuto, iCostEnsemble
from icost.thresholds._prevalence import _most_likely_share

X, Y = make_classification(2000, weights=[0.8], class_sep=1.2, random_state=0)


def fitted(rule="stable", **options):
    return ThresholdClassifier(LogisticRegression(), rule, random_state=0, **options).fit(X, Y)


def rows_with_odds(factor, rng, y):
    """Rows with some of one class left out, so that the minority's odds are multiplied."""
    chance = np.where(y == 1, min(1, factor), min(1, 1 / factor))
    return np.flatnonzero(rng.random(len(y)) < chance)


def test_odds_are_multiplied_and_the_model_stays_as_it_was():
    model = fitted()
    before, threshold = model.predict_proba(X)[:, 1], model.threshold_
    share = model.prevalence_
    moved = at_prevalence(model, 0.02)
    after = moved.predict_proba(X)[:, 1]
    factor = 0.02 / 0.98 * (1 - share) / share
    np.testing.assert_allclose(after / (1 - after), factor * before / (1 - before))
    assert model.threshold_ == threshold and model.prevalence_ == share
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], before)
    back = at_prevalence(moved, share)
    assert back.threshold_ == pytest.approx(threshold)


def test_a_recall_floor_keeps_its_alerts_and_a_budget_does_not():
    floor, budget = fitted("recall>=0.8"), fitted("alerts<=0.1")
    np.testing.assert_array_equal(at_prevalence(floor, 0.01).predict(X), floor.predict(X))
    assert at_prevalence(budget, 0.05).predict(X).sum() > budget.predict(X).sum()
    assert at_prevalence(fitted("cost", cost_fn=4.0), 0.01).threshold_ == pytest.approx(0.2)


def test_the_share_of_a_pipeline_and_of_a_down_sampled_table():
    model = make_pipeline(StandardScaler(), StandardScaler(), fitted()).fit(X, Y)
    moved = at_prevalence(model, 0.01)
    assert [name for name, _ in moved.steps] == [name for name, _ in model.steps]
    assert moved[-1].prevalence_ == 0.01 and model[-1].prevalence_ == pytest.approx(Y.mean())
    share = estimate_prevalence(model, X)
    assert share.low < Y.mean() < share.high
    assert at_prevalence(model, share)[-1].prevalence_ == pytest.approx(share.value)
    at_fit = clone(model[-1]).fit(X, Y, prevalence=0.01)
    assert at_fit.threshold_ == pytest.approx(at_prevalence(fitted(), 0.01).threshold_)


@pytest.mark.parametrize("minority", [0, 1])
@pytest.mark.parametrize("factor", [0.2, 1.0, 5.0])
def test_shares_are_estimated_from_rows_without_labels(factor, minority):
    labels = Y if minority else 1 - Y
    model = ThresholdClassifier(LogisticRegression(), random_state=0)
    model.fit(X[:1000], labels[:1000])
    rows = 1000 + rows_with_odds(factor, np.random.default_rng(1), Y[1000:])
    share = estimate_prevalence(model, X[rows], confidence=0.99)
    assert share.low <= Y[rows].mean() <= share.high
    assert share.high < 4 * share.low


def test_the_most_likely_share_is_where_expectation_maximisation_stays():
    proba = fitted().predict_proba(X[:300])[:, 1]
    share = _most_likely_share(proba, 0.3)
    odds = share / (1 - share) * 0.7 / 0.3 * proba / (1 - proba)
    assert np.mean(odds / (1 + odds)) == pytest.approx(share, abs=1e-9)
    # Rows that are all sure of one class have its share.
    assert _most_likely_share(np.full(9, 0.999), 0.5) > 0.999


def test_wide_intervals_are_refused():
    with pytest.raises(ValueError, match="among 25 rows is too uncertain"):
        estimate_prevalence(fitted(), X[Y == 0][:25])
    with pytest.raises(ValueError, match="among 3 rows is too uncertain"):
        estimate_prevalence(fitted(), X[:3])


@pytest.mark.parametrize("share", [0, 1, -0.1, float("nan"), "0.1"])
def test_impossible_shares(share):
    with pytest.raises(ValueError, match="prevalence must be a finite number > 0 and < 1, got"):
        at_prevalence(fitted(0.5), share)


def test_other_models_are_refused():
    with pytest.raises(TypeError, match="a ThresholdClassifier or an ensemble, got Logistic"):
        at_prevalence(LogisticRegression(), 0.1)
    X3, y3 = make_classification(300, n_classes=3, n_informative=4, random_state=0)
    many = ThresholdClassifier(LogisticRegression()).fit(X3, y3)
    with pytest.raises(ValueError, match="model must be of two classes, got 3"):
        estimate_prevalence(many, X3)


@pytest.mark.parametrize("rule", ["stable", "recall>=0.7", "alerts<=0.1"])
def test_an_ensemble_at_another_share(rule):
    model = iCostEnsemble(GaussianNB(), members=("plain",), threshold=rule, random_state=0)
    before = model.fit(X, Y).predict_proba(X)[:, 1]
    rare = at_prevalence(model, 0.02)
    after = rare.predict_proba(X)[:, 1]
    factor = 0.02 / 0.98 * (1 - Y.mean()) / Y.mean()
    np.testing.assert_allclose(after / (1 - after), factor * before / (1 - before))
    np.testing.assert_array_equal(rare.predict(X) == 1, after >= rare.threshold_)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], before)
    assert rare.certificate_.precision < model.certificate_.precision
    share = estimate_prevalence(model, X)
    assert share.low < Y.mean() < share.high


def test_what_an_auto_keeps_at_another_share():
    labels = np.where(Y == 1, "ill", "well")
    auto = iCostAuto(["nb"], n_splits=2, n_repeats=1).fit(X, labels)
    rare = at_prevalence(auto, 0.01)
    assert rare.prevalence_ == 0.01 and auto.prevalence_ > 0.1
    assert (rare.predict_proba(X)[:, 0] < auto.predict_proba(X)[:, 0]).all()
    assert rare.threshold_ < auto.threshold_
    share = estimate_prevalence(auto, X)
    assert share.low < Y.mean() < share.high
