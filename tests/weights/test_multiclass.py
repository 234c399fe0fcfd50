"""More than two classes: each against the rest, in pairs, or all at once."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import NeighborComplexity, iCost, instance_weights
from icost.complexity._methods import MEASURES
from icost.tuning._fold_scores import evaluate_candidates

BASES = [
    LogisticRegression(max_iter=1000),
    SVC(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
]


@pytest.fixture
def data():
    X, y = make_classification(
        300, n_classes=4, n_informative=5, weights=[0.5, 0.25, 0.15], random_state=0
    )
    return X, np.array(["d", "a", "c", "b"])[y]


@pytest.mark.parametrize("base", BASES)
def test_pairs_of_equal_weights_are_scikit_learn_s(base, data):
    X, y = data
    theirs = OneVsOneClassifier(base).fit(X, y)
    for ours in (
        iCost(base, method="ncs", multiclass="ovo").fit(X, y),
        iCost(base, method="ncs", multiclass="ovo").fit(X, y, np.full(len(y), 1.0)),
    ):
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("method", ["neighbor", "gini"])
def test_each_pair_is_a_binary_icost_of_its_rows(base, method, data):
    X, y = data
    model = iCost(base, method=method, multiclass="ovo", random_state=0).fit(X, y)
    assert model.pairs_.tolist() == [list(p) for p in ("ab", "ac", "ad", "bc", "bd", "cd")]
    assert model.sample_weight_.shape == (300, 6)
    for number, pair in enumerate(model.pairs_):
        rows = np.flatnonzero(np.isin(y, pair))
        one = iCost(base, method=method, random_state=0).fit(X[rows], y[rows])
        np.testing.assert_array_equal(model.sample_weight_[rows, number], one.sample_weight_)
        assert (model.sample_weight_[~np.isin(y, pair), number] == 0).all()
        record = model.complexity_[number]
        assert record.indices.tolist() == rows[one.complexity_.indices].tolist()
        np.testing.assert_array_equal(record.penalty, one.complexity_.penalty)
        assert model.imbalance_ratio_[number] == one.imbalance_ratio_
        np.testing.assert_array_equal(
            model.estimators_[number].predict(X), np.searchsorted(pair, one.predict(X))
        )


def test_probabilities_of_pairs_sum_to_one(data):
    X, y = data
    model = iCost(multiclass="ovo").fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    by_hand = np.zeros(4)
    for estimator, (i, j) in zip(
        model.estimators_, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], strict=True
    ):
        by_hand[[i, j]] += estimator.predict_proba(X[:1])[0] / 6
    np.testing.assert_allclose(proba[0], by_hand)
    assert (
        np.argmax(proba, axis=1) == np.searchsorted(model.classes_, model.predict(X))
    ).mean() > 0.9


def test_rows_of_weight_0_are_absent_from_pairs(data):
    X, y = data
    weight = np.ones(300)
    weight[::5] = 0
    kept = weight > 0
    model = iCost(multiclass="ovo").fit(X, y, weight)
    fewer = iCost(multiclass="ovo").fit(X[kept], y[kept])
    np.testing.assert_allclose(model.sample_weight_[kept], fewer.sample_weight_)
    assert not model.sample_weight_[~kept].any()


@pytest.mark.parametrize("base", BASES)
def test_one_fit_of_equal_weights_is_a_plain_one(base, data):
    X, y = data
    model = iCost(base, method="ncs", multiclass="direct").fit(X, y)
    plain = clone(base).fit(X, np.searchsorted(model.classes_, y))
    np.testing.assert_array_equal(model.predict(X), model.classes_[plain.predict(X)])
    assert not hasattr(model, "estimators_")


@pytest.mark.parametrize("method", ["cs", *MEASURES])
def test_one_fit_of_all_classes_is_a_weighted_one(method, data):
    X, y = data
    base = LogisticRegression(max_iter=1000)
    model = iCost(base, method=method, multiclass="direct", random_state=0).fit(X, y)
    assert model.sample_weight_.shape == (300,)
    plain = clone(base).fit(X, y, model.sample_weight_)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-4)
    weights = instance_weights(X, y, method, multiclass="direct", random_state=0)
    np.testing.assert_array_equal(weights, model.sample_weight_)


def test_weights_of_all_classes_by_hand():
    X = np.array([0.0, 1, 2, 3, 4, 10, 11, 20, 21, 5]).reshape(-1, 1)
    y = np.array(list("aaaaabbcca"))
    model = iCost(method=NeighborComplexity(1), multiclass="direct").fit(X, y)
    np.testing.assert_allclose(model.imbalance_ratio_, [1, 3, 3])
    # All are pure, and 6 of a over 2 of b and c is a ratio of 3.
    expected = np.where(y == "a", 0.5, 3 * 0.5)
    np.testing.assert_allclose(model.sample_weight_, expected)
    uniform = instance_weights(X, y, "cs", multiclass="direct", scale=0.5)
    np.testing.assert_allclose(uniform, np.where(y == "a", 1, 1.5))
    assert model.complexity_.rival.tolist() == [None] * 10
    model = iCost(method=NeighborComplexity(2), multiclass="direct").fit(X, y)
    assert model.complexity_.category[5:9].tolist() == ["border"] * 4
    assert model.complexity_.rival[5:9].tolist() == ["a", "a", "b", "b"]
    np.testing.assert_allclose(model.sample_weight_[5:9], 3 * 1.25)


@pytest.mark.parametrize("method", MEASURES)
def test_a_plausible_weight_changes_no_class_s_total(method, data):
    X, y = data
    own = {"multiclass": "direct", "scale": 0.4, "random_state": 0}
    weights = instance_weights(X, y, method, penalty="plausible", **own)
    uniform = instance_weights(X, y, "cs", **own)
    for label in "abcd":
        assert weights[y == label].sum() == pytest.approx(uniform[y == label].sum())


def test_a_rival_is_a_label(data):
    X, y = data
    frame = iCost(multiclass="direct").fit(X, y).complexity_.to_frame()
    assert set(frame["rival"].dropna()) <= set("abcd")
    assert (frame["rival"].to_numpy() != y).all()


def test_a_base_for_two_classes_only_is_told(data):
    class TwoOnly(LogisticRegression):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.classifier_tags.multi_class = False
            return tags

    with pytest.raises(ValueError, match="'direct' needs a base_classifier for more than two"):
        iCost(TwoOnly(), multiclass="direct").fit(*data)
    iCost(TwoOnly(), multiclass="ovo").fit(*data)
    iCost(GaussianProcessClassifier(), method="ncs", multiclass="direct").fit(*data)


def test_wrong_names_and_evaluation_sets_are_told(data):
    X, y = data
    with pytest.raises(ValueError, match="multiclass must be one of 'ovr', 'ovo', 'direct'"):
        iCost(multiclass="odd").fit(X, y)
    model = iCost(multiclass="ovo")
    with pytest.raises(ValueError, match="eval_set must be left out with multiclass='ovo'"):
        model.fit(X, y, eval_set=[(X, y)])


@pytest.mark.parametrize("multiclass", ["ovo", "direct"])
def test_two_classes_are_two_classes(multiclass, data):
    X, y = data
    y = y == "d"
    model = iCost(multiclass=multiclass).fit(X, y)
    np.testing.assert_array_equal(model.sample_weight_, iCost().fit(X, y).sample_weight_)
    assert not hasattr(model, "pairs_")


def test_a_refit_leaves_nothing_of_the_old_target(data):
    X, y = data
    model = iCost(multiclass="ovo").fit(X, y)
    model.set_params(multiclass="ovr").fit(X, y)
    assert not hasattr(model, "pairs_")
    assert len(model.estimators_) == 4
    model.set_params(multiclass="direct").fit(X, y)
    assert not hasattr(model, "estimators_")
    assert model.calculate_imbalance_ratio(y).shape == (4,)


def test_a_search_over_all_ways(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), iCost())
    grid = {"icost__multiclass": ["ovr", "ovo", "direct"], "icost__scale": [0.5, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.5
    candidates = [{"multiclass": m, "cfb": c} for m in ("ovr", "ovo", "direct") for c in (1.0, 1.5)]
    for base in (BASES[1], BASES[2]):
        own = (iCost(base), X[::2], y[::2], X[1::2], y[1::2])
        results = evaluate_candidates(*own, candidates)
        for row, params in enumerate(candidates):
            one = iCost(base, **params).fit(X[::2], y[::2])
            np.testing.assert_array_equal(results.predictions[row], one.predict(X[1::2]))


def test_dask_takes_each_class_against_the_rest_only(data):
    X, y = data
    da = pytest.importorskip("dask.array")
    from icost.dask import instance_weights as of_dask

    for wrong in ({"multiclass": "ovo"}, {"penalty": "plausible"}, {"majority": "plausible"}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be .* on dask, got"):
            of_dask(da.from_array(X), y, **wrong)
