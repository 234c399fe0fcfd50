"""Costs without categories: from other-class shares to weights, through all that weighs."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost import GiniComplexity, iCost, iCostCV, instance_weights
from icost._weights.problems import Problem
from icost.boosters import eval_weights
from icost.complexity import BaseComplexity, Complexity
from icost.complexity._methods import MEASURES
from icost.penalties import Costs
from icost.tuning import _fold_scores as fold_scores
from icost.tuning._fold_scores import evaluate_candidates


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 30])
    return rng.normal(size=(120, 3)) + y[:, None], y


class Told(BaseComplexity):
    """Tells the other-class shares that it is given, of both classes."""

    def __init__(self, other_class_share=None):
        self.other_class_share = other_class_share

    def _estimate(self, X, is_minority, **options):
        other_class_share = np.asarray(self.other_class_share)[is_minority]
        return np.full(len(other_class_share), "safe"), other_class_share, other_class_share


def test_by_hand():
    # Shapes 1, 0.2 + 0.8 / 2 = 0.6 and 0.2 have a mean of 0.6; the ratio is 2.
    measure, y = Told([0, 0.5, 1, 0, 0, 0, 0, 0, 1]), [1, 1, 1, 0, 0, 0, 0, 0, 0]
    model = iCost(method=measure, penalty="plausible", floor=0.2, scale=0.5)
    weights = model.compute_sample_weight(np.zeros((9, 1)), y)
    np.testing.assert_allclose(weights[:3], 0.5 * 2 * np.array([1, 0.6, 0.2]) / 0.6)
    np.testing.assert_array_equal(weights[3:], 1)
    both = clone(model).set_params(majority="plausible")
    weights = both.compute_sample_weight(np.zeros((9, 1)), y)
    np.testing.assert_allclose(weights[:3], 0.5 * 2 * np.array([1, 0.6, 0.2]) / 0.6)
    np.testing.assert_allclose(weights[3:], np.array([1, 1, 1, 1, 1, 0.2]) / (5.2 / 6))


def test_categories_may_go_with_a_plausible_majority():
    measure, y = Told([0, 0, 0, 1]), [1, 0, 0, 0]
    model = iCost(method=measure, majority="plausible", floor=0.0)
    weights = model.compute_sample_weight(np.zeros((4, 1)), y)
    np.testing.assert_allclose(weights, [0.75 * 3, 1.5, 1.5, 0])


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("majority", ["flat", "plausible"])
def test_totals_are_those_of_uniform_weights(method, majority, data):
    X, y = data
    own = {"scale": 0.3, "random_state": 0}
    weights = instance_weights(X, y, method, penalty="plausible", majority=majority, **own)
    uniform = instance_weights(X, y, "cs", **own)
    for code in (0, 1):
        assert weights[y == code].sum() == pytest.approx(uniform[y == code].sum())
    assert len(np.unique(weights[y == 1])) > 1
    assert (len(np.unique(weights[y == 0])) > 1) == (majority == "plausible")


def test_totals_of_weighted_samples_as_well(data):
    X, y = data
    own = np.random.default_rng(0).uniform(0, 3, len(y))
    own[::9] = 0
    settings = {"penalty": "plausible", "majority": "plausible", "sample_weight": own}
    weights = instance_weights(X, y, **settings)
    uniform = instance_weights(X, y, "cs", sample_weight=own)
    for code in (0, 1):
        assert weights[y == code].sum() == pytest.approx(uniform[y == code].sum())
    assert (weights[::9] == 0).all()


@pytest.mark.parametrize("method", ["cs", "neighbor", "gini"])
def test_the_scale_multiplies_every_penalty(method, data):
    X, y = data
    one = instance_weights(X, y, method, random_state=0)
    half = instance_weights(X, y, method, random_state=0, scale=0.5)
    np.testing.assert_allclose(half[y == 1], 0.5 * one[y == 1])
    np.testing.assert_array_equal(half[y == 0], 1)


def test_the_scale_multiplies_final_penalties_and_own_costs(data):
    X, y = data
    final = {"cfp": 2.0, "cfs": 2.0, "cfb": 2.0, "cfo": 2.0}
    assert set(instance_weights(X, y, cost_factor=final, scale=3.0)[y == 1]) == {6.0}
    record = Complexity([0], ["mine"], [0.5], own_costs={"mine": 2.0}, other_class_share=[0.5])
    from icost._weights.problems import Problem

    problem = Problem(np.array([1, 0, 0]), 1, 2.0, record)
    assert problem.weights(Costs(scale=0.5)).tolist() == [2.0, 1.0, 1.0]


def test_a_function_makes_the_shape(data):
    X, y = data
    plain = instance_weights(X, y, penalty="plausible", floor=0.1)
    same = instance_weights(
        X, y, penalty=lambda other_class_share: 0.1 + 0.9 * (1 - other_class_share)
    )
    np.testing.assert_allclose(plain, same)
    hard = instance_weights(X, y, penalty=lambda other_class_share: other_class_share)
    assert np.corrcoef(hard[y == 1], plain[y == 1])[0, 1] < 0


def test_a_shape_of_zeros_says_nothing():
    record = Complexity([0, 1, 2], ["safe"] * 3, np.zeros(3), other_class_share=np.ones(3))
    problem = Problem(np.array([1, 1, 1, 0]), 1, 2.0, record)
    assert problem.weights(Costs(penalty="plausible", floor=0.0)).tolist() == [2, 2, 2, 1]
    weights = iCost(method=Told([1, 0, 0]), penalty="plausible", floor=0.0)
    assert weights.compute_sample_weight(np.zeros((3, 1)), [1, 0, 0]).tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"scale": 0}, "scale must be a finite number > 0, got 0"),
        ({"scale": -1.0}, "scale must be"),
        ({"floor": 1.5}, "floor must be a finite number >= 0 and <= 1"),
        ({"penalty": "odd"}, "penalty must be one of 'categories', 'plausible' or a function"),
        ({"majority": "odd"}, "majority must be one of 'flat', 'plausible', got 'odd'"),
        (
            {"penalty": lambda other_class_share: other_class_share - 2},
            r"not negative, for each of \d+ .* got -\S+\.$",
        ),
        (
            {"penalty": lambda other_class_share: 1.0},
            r"for each of .* got an array of shape \(\)\.$",
        ),
    ],
)
def test_wrong_parameters_are_told(wrong, match, data):
    with pytest.raises(ValueError, match=match):
        iCost(**wrong).fit(*data)


def test_a_measure_that_tells_no_other_class_share_is_told(data):
    class Old(BaseComplexity):
        def _estimate(self, X, is_minority, **options):
            return np.full(is_minority.sum(), "safe"), np.zeros(is_minority.sum())

    assert iCost(method=Old()).fit(*data).complexity_.other_class_share is None
    with pytest.raises(ValueError, match="needs a measure that tells the other-class share"):
        iCost(method=Old(), penalty="plausible").fit(*data)


def test_other_class_shares_of_the_paper_s_measures(data):
    X, y = data
    neighbor = iCost().fit(X, y).complexity_
    np.testing.assert_array_equal(neighbor.other_class_share, neighbor.score)
    gini = iCost(method="gini", random_state=0).fit(X, y).complexity_
    leaf = GiniComplexity().fit_tree(X.astype(np.float32), y == 1, random_state=0)
    proba = leaf.predict_proba(X[y == 1].astype(np.float32))
    np.testing.assert_allclose(gini.other_class_share, proba[:, 0])


def test_more_than_two_classes(data):
    X, _ = data
    y = np.arange(120) % 3
    weights = instance_weights(X, y, penalty="plausible", majority="plausible")
    uniform = instance_weights(X, y, "cs")
    np.testing.assert_allclose(weights.sum(axis=0), uniform.sum(axis=0))


def test_a_search_shares_complexity_and_finds_what_a_plain_one_does(data, monkeypatch):
    X, y = data
    calls = []
    real = fold_scores.estimate
    monkeypatch.setattr(fold_scores, "estimate", lambda *a: calls.append(1) or real(*a))
    grid = {"scale": [0.2, 0.5, 1.0], "floor": [0.0, 0.3], "penalty": ["plausible", "categories"]}
    search = iCostCV(iCost(), grid=grid, cv=3).fit(X, y)
    assert len(calls) == 3
    plain = GridSearchCV(iCost(), grid, cv=3, scoring=search.scorer_).fit(X, y)
    key = lambda params: sorted(map(str, params.items()))  # noqa: E731
    mine = {
        str(key(p)): s
        for p, s in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
        )
    }
    theirs = {
        str(key(p)): s
        for p, s in zip(
            plain.cv_results_["params"], plain.cv_results_["mean_test_score"], strict=True
        )
    }
    assert mine == pytest.approx(theirs)


def test_both_kinds_of_majority_are_candidates(data):
    X, y = data
    candidates = [{"majority": m, "penalty": "plausible"} for m in ("flat", "plausible")]
    results = evaluate_candidates(iCost(), X[::2], y[::2], X[1::2], y[1::2], candidates)
    for row, params in enumerate(candidates):
        model = iCost(**params).fit(X[::2], y[::2])
        np.testing.assert_array_equal(results.predictions[row], model.predict(X[1::2]))


def test_the_cheaper_of_equal_scales_is_taken():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(20, 2)) + 30])
    y = np.repeat([0, 1], [40, 20])
    search = iCostCV(iCost(), grid={"scale": [2.0, 0.5, 1.0]}, cv=2).fit(X, y)
    assert search.best_params_ == {"scale": 0.5}


def test_in_a_pipeline(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), iCost(penalty="plausible", majority="plausible"))
    search = GridSearchCV(pipeline, {"icost__scale": [0.5, 1.0]}, cv=3).fit(X, y)
    weights = search.best_estimator_[-1].sample_weight_
    model = LogisticRegression(max_iter=1000).fit(StandardScaler().fit_transform(X), y, weights)
    np.testing.assert_array_equal(
        search.predict(X), model.predict(StandardScaler().fit_transform(X))
    )


@pytest.mark.parametrize("method", ["neighbor", "gini", "margin", "density", "cluster"])
def test_an_evaluation_set_has_the_mean_of_the_training_rows(method, data):
    X, y = data
    own = {"penalty": "plausible", "majority": "plausible", "random_state": 0}
    weights = eval_weights(X[::2], y[::2], X[1::2], y[1::2], method, **own)
    # A row by itself gets the same weight as among others: no mean of the evaluation set decides.
    alone = eval_weights(X[::2], y[::2], X[1:2], y[1:2], method, **own)
    assert alone[0] == pytest.approx(weights[0])
    assert 0.3 < weights[y[1::2] == 0].mean() < 3
