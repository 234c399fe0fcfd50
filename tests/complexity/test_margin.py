"""Complexity by the margin of a held-out probe."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import MarginComplexity


def data(n=100, seed=0):
    rng = np.random.default_rng(seed)
    codes = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=(n, 3)) + codes[:, None], codes


class Counter(LogisticRegression):
    """Counts its fits, of all clones together."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


class Constant(ClassifierMixin, BaseEstimator):
    """Always sure of one probability."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([0.3, 0.7], (len(X), 1))


def test_by_hand():
    X, codes = data(20)
    measure = MarginComplexity(Constant())
    groups = [np.array([False, True]), np.array([True, False])]
    second, first = measure.estimate_groups(X, codes, groups)
    # The constant is for the side that the first class is on.
    np.testing.assert_allclose(first.other_class_share, 0.3)
    np.testing.assert_allclose(second.other_class_share, 0.7)
    assert set(first.category) == {"safe"}
    assert set(second.category) == {"border"}


def test_as_the_definition_says():
    X, codes = data()
    measure = MarginComplexity(cv=4)
    fold = measure._folds(X, 1 - codes, 2, None)
    assert sorted(np.bincount(fold)) == pytest.approx([25] * 4, abs=1)
    expected = np.empty(len(codes))
    for row in range(len(codes)):
        seen = fold != fold[row]
        probe = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
        proba = probe.fit(X[seen], codes[seen]).predict_proba(X[[row]])[0]
        expected[row] = 1 - proba[codes[row]]
    record = measure.estimate(X, codes == 1)
    np.testing.assert_allclose(record.other_class_share, expected[codes == 1], atol=1e-3)


def test_a_probe_never_sees_the_row_nor_its_repeats():
    X, codes = data(60)
    rng = np.random.default_rng(0)
    codes = rng.permutation(codes)  # nothing to learn but by heart
    X, codes = np.repeat(X, 3, axis=0), np.repeat(codes, 3)
    heart = MarginComplexity(DecisionTreeClassifier(random_state=0))
    assert heart.estimate(X, codes == 1).other_class_share.mean() > 0.4


def test_at_most_one_fit_more_than_folds():
    X, codes = data()
    Counter.fits = 0
    groups = [np.array([False, True]), np.array([True, False])]
    MarginComplexity(Counter(), cv=5).estimate_groups(X, codes, groups)
    assert Counter.fits == 5
    MarginComplexity(Counter(), cv=5).estimate_new(X, codes, X, codes, groups[:1])
    assert Counter.fits == 6


def test_the_seed_makes_other_folds_and_none_the_same():
    X, codes = data()
    fold = [MarginComplexity()._folds(X, codes, 2, state) for state in (None, None, 0, 1)]
    np.testing.assert_array_equal(fold[0], fold[1])
    np.testing.assert_array_equal(fold[0], fold[2])
    assert (fold[0] != fold[3]).any()


@pytest.mark.parametrize("probe", [SVC(), RidgeClassifier(), KNeighborsClassifier()])
def test_scores_do_where_there_are_no_probabilities(probe):
    X, codes = data(200)
    other_class_share = MarginComplexity(probe).estimate(X, codes == 1).other_class_share
    usual = MarginComplexity().estimate(X, codes == 1).other_class_share
    assert np.corrcoef(other_class_share, usual)[0, 1] > 0.5
    new = MarginComplexity(probe).estimate_new(X, codes, X, codes, [np.array([False, True])])
    assert np.corrcoef(new[0].other_class_share, usual)[0, 1] > 0.5


def test_three_classes_have_one_probe_and_a_rival():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 40)
    X = rng.normal(size=(120, 1)) * 0.5 + 2.0 * codes[:, None]
    for probe in (None, SVC()):
        record = MarginComplexity(probe).estimate_classes(X, codes)
        assert set(record.rival[codes == 0]) == {1}
        assert set(record.rival[codes == 2]) == {1}


def test_folds_are_lowered_and_that_is_said():
    X, codes = data()
    codes = np.where(np.arange(len(codes)) < 3, 1, 0)
    with pytest.warns(UserWarning, match="cv=5 folds need .* got 3: 3 folds are made"):
        assert len(MarginComplexity().estimate(X, codes == 1).other_class_share) == 3
    with pytest.raises(ValueError, match="at least two different rows of each class.* got 1"):
        MarginComplexity().estimate(X, np.arange(len(codes)) == 0)


def test_weights_count():
    X, codes = data()
    weight = np.random.default_rng(0).uniform(0.1, 5, len(codes))
    one = MarginComplexity().estimate(X, codes == 1).other_class_share
    other = MarginComplexity().estimate(X, codes == 1, sample_weight=weight).other_class_share
    assert not np.allclose(one, other)
    with pytest.raises(TypeError, match="must take sample_weight in fit.* KNeighborsClassifier"):
        MarginComplexity(KNeighborsClassifier()).estimate(X, codes == 1, sample_weight=weight)


class Silent(ClassifierMixin, BaseEstimator):
    """Predicts, and says nothing else."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize(
    ("measure", "error", "match"),
    [
        (MarginComplexity(Silent()), TypeError, "predict_proba or decision_function.* got Silent"),
        (MarginComplexity("lr"), TypeError, "classifier must be a classifier, got 'lr'"),
        (
            MarginComplexity(LogisticRegression),
            TypeError,
            "classifier must be a classifier, got <class",
        ),
        (MarginComplexity(cv=1), ValueError, "cv must be a whole number >= 2, got 1"),
    ],
)
def test_wrong_parameters_are_told(measure, error, match):
    X, codes = data()
    with pytest.raises(error, match=match):
        measure.estimate(X, codes == 1)


@pytest.mark.parametrize("probe", [None, SVC()])
@pytest.mark.parametrize("unit", [2.0**-8, 2.0**13])  # exact, as SVC stops early
def test_the_unit_of_weights_does_not_matter(probe, unit):
    X, codes = data()
    weight = np.random.default_rng(0).uniform(0.1, 5, len(codes))
    measure, groups = MarginComplexity(probe), [np.array([False, True])]
    one, other = (
        measure.estimate(X, codes, sample_weight=w).other_class_share
        for w in (weight, unit * weight)
    )
    np.testing.assert_allclose(one, other, atol=1e-6)
    one, other = (
        measure.estimate_new(X, codes, X, codes, groups, sample_weight=w)[0].other_class_share
        for w in (weight, unit * weight)
    )
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(
    "probe", [None, LogisticRegression(), make_pipeline(make_pipeline(LogisticRegression()))]
)
def test_metadata_routing_changes_nothing(probe):
    X, codes = data()
    weight = np.random.default_rng(0).uniform(0.1, 5, len(codes))
    usual = MarginComplexity(probe).estimate(X, codes, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        routed = MarginComplexity(probe).estimate(X, codes, sample_weight=weight)
    np.testing.assert_array_equal(usual.other_class_share, routed.other_class_share)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_rows_does_not_matter_to_a_probe_that_draws_rows(weighted):
    X, codes = data()
    rng = np.random.default_rng(0)
    X[:50:2] = X[1:50:2]  # equal rows, some of different classes
    weight = rng.uniform(0.1, 5, len(codes)) if weighted else None
    order = rng.permutation(len(codes))
    measure = MarginComplexity(RandomForestClassifier(5, random_state=0))
    found = measure.estimate_classes(X, codes, sample_weight=weight).other_class_share
    weight = weight[order] if weighted else None
    again = measure.estimate_classes(X[order], codes[order], sample_weight=weight).other_class_share
    np.testing.assert_allclose(found[order], again, atol=1e-12)


def test_scores_of_pairs_of_classes_are_refused():
    X, _ = data()
    measure = MarginComplexity(SVC(decision_function_shape="ovo"))
    match = r"a score for each of 4 classes, got an array of shape \(\d+, 6\) from SVC"
    with pytest.raises(ValueError, match=match):
        measure.estimate_classes(X, np.arange(len(X)) % 4)


def test_new_rows_take_a_fit_more_than_folds_without_probabilities():
    X, codes = data()

    class Ridge(RidgeClassifier):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Ridge.fits += 1
            return super().fit(X, y, sample_weight)

    measure = MarginComplexity(Ridge(), cv=3)
    measure.estimate(X, codes)
    assert Ridge.fits == 3
    measure.estimate_new(X, codes, X, codes, [np.array([False, True])])
    assert Ridge.fits == 3 + 1 + 3
