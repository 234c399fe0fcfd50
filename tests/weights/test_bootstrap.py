import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from icost import WeightedBootstrap, iCost
from icost._core.validation import take_rows
from icost._weights.bootstrap import draw_rows


def test_rows_come_as_often_as_their_weight_says():
    weight, codes = np.array([1.0, 0.0, 3.0, 2.5, 1.5]), np.array([0, 0, 1, 1, 0])
    drawn = np.zeros(5)
    for seed in range(400):
        counts = np.bincount(draw_rows(weight, codes, np.random.RandomState(seed)), minlength=5)
        expected = 5 * weight / weight.sum()
        assert (np.abs(counts - expected) < 1).all()
        drawn += counts
    np.testing.assert_allclose(drawn / 400, 5 * weight / weight.sum(), atol=0.08)


def test_every_class_is_drawn():
    weight, codes = np.array([1e-6, 1.0, 1.0, 1.0]), np.array([1, 0, 0, 0])
    for seed in range(20):
        assert 0 in draw_rows(weight, codes, np.random.RandomState(seed))


def test_there_are_ten_members_by_default():
    X, y = make_classification(60, random_state=0)
    model = WeightedBootstrap(KNeighborsClassifier()).fit(X, y, sample_weight=1.0 + y)
    assert len(model.estimators_) == 10


def test_heavier_minority_is_found_more_often():
    X, y = make_classification(300, weights=[0.9], class_sep=0.5, random_state=0)
    plain = WeightedBootstrap(KNeighborsClassifier(), random_state=0).fit(X, y)
    heavy = WeightedBootstrap(KNeighborsClassifier(), random_state=0)
    heavy.fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0))
    assert heavy.predict(X).sum() > 2 * plain.predict(X).sum()


class Plain(ClassifierMixin, BaseEstimator):
    """A classifier that can but predict."""

    def fit(self, X, y):
        self.model_ = RidgeClassifier().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


def heavy_ill(member, n_estimators=3):
    X, y = make_classification(weights=[0.8], flip_y=0.2, random_state=0)
    labels = np.where(y == 1, "ill", "well")
    model = WeightedBootstrap(member, n_estimators=n_estimators, random_state=0)
    return X, model.fit(X, labels, sample_weight=np.where(y == 1, 3.0, 1.0))


def test_members_that_only_predict_vote():
    X, model = heavy_ill(Plain())
    for name in ("predict_proba", "predict_log_proba", "decision_function"):
        assert not hasattr(model, name)
    votes = np.mean([member.predict(X) for member in model.estimators_], axis=0)
    assert model.predict(X).tolist() == np.where(votes > 0.5, "well", "ill").tolist()


def test_members_without_probabilities_decide_by_their_mean():
    X, model = heavy_ill(RidgeClassifier())
    assert not hasattr(model, "predict_proba")
    mean = np.mean([member.decision_function(X) for member in model.estimators_], axis=0)
    np.testing.assert_array_equal(model.decision_function(X), mean)
    assert model.predict(X).tolist() == np.where(mean > 0, "well", "ill").tolist()


def test_logarithms_are_those_of_the_mean_probabilities():
    X, model = heavy_ill(KNeighborsClassifier())
    assert not hasattr(model, "decision_function")
    with np.errstate(divide="ignore"):
        expected = np.log(model.predict_proba(X))
    np.testing.assert_array_equal(model.predict_log_proba(X), expected)


@pytest.mark.parametrize("weight", [None, 1.0, np.full(100, 0.3)], ids=["none", "one", "equal"])
def test_equal_weights_need_one_member(weight):
    X, y = make_classification(weights=[0.9], random_state=0)
    model = WeightedBootstrap(KNeighborsClassifier()).fit(X, y, sample_weight=weight)
    assert len(model.estimators_) == 1
    expected = KNeighborsClassifier().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize("member", [RidgeClassifier(), KNeighborsClassifier(), Plain()])
def test_more_than_two_classes(member):
    X, y = make_classification(
        300, n_classes=3, n_informative=4, weights=[0.7, 0.2], random_state=0
    )
    model = iCost(WeightedBootstrap(member, n_estimators=3, random_state=0)).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.6
    alone = WeightedBootstrap(member, n_estimators=3, random_state=0)
    alone.fit(X, y, sample_weight=1.0 + y)
    assert np.mean(alone.predict(X) == y) > 0.6


def test_it_makes_a_base_of_a_classifier_without_weights():
    X, y = make_classification(weights=[0.9], random_state=0)
    with pytest.raises(TypeError, match=r"wrap it as WeightedBootstrap\(KNeighborsClassifier\(\)"):
        iCost(KNeighborsClassifier()).fit(X, y)
    model = iCost(WeightedBootstrap(KNeighborsClassifier(), random_state=0)).fit(X, y)
    assert model.score(X, y) > 0.8


def test_without_costs_no_weights_are_needed():
    X, y = make_classification(weights=[0.9], random_state=0)
    model = iCost(KNeighborsClassifier(), method="ncs").fit(X, y)
    assert model.predict(X).tolist() == KNeighborsClassifier().fit(X, y).predict(X).tolist()


def test_the_number_of_members_is_checked():
    with pytest.raises(ValueError, match="n_estimators must be a whole number >= 1, got 0"):
        WeightedBootstrap(NearestCentroid(), n_estimators=0).fit([[0.0], [1.0]], [0, 1])


def test_rows_of_weight_zero_are_absent():
    X, y = make_classification(weights=[0.7], random_state=0)
    weight = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    model = WeightedBootstrap(random_state=0).fit(X, y, sample_weight=weight)
    alone = KNeighborsClassifier().fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
    weight[1] = 2.0
    model = WeightedBootstrap(random_state=0).fit(X, y, sample_weight=weight)
    assert {member.n_samples_fit_ for member in model.estimators_} == {(weight > 0).sum()}


def test_rows_of_a_list_with_text_keep_their_numbers():
    assert take_rows([[1.5, "a"], [2.5, "b"]], np.array([1])).tolist() == [[2.5, "b"]]
