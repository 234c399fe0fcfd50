"""Treatments: what a member is trained on."""

import numpy as np
import pytest
from imblearn.combine import SMOTEENN
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.under_sampling import EditedNearestNeighbours, RandomUnderSampler
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from icost import iCost, iCostEnsemble, instance_weights
from icost.ensemble._treatments import TREATMENTS, _origin, fit_member, with_seed

CODES = np.repeat([0, 1], [40, 10])
X = np.random.default_rng(0).normal(size=(50, 2)) + CODES[:, None]
OPTIONS = {"minority": 1, "preprocessor": "auto", "seed": 5}


class Recorder(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        self.seen_ = (len(y), None if sample_weight is None else np.asarray(sample_weight))
        return super().fit(X, y, sample_weight)


class Nosy(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        self.X_, self.weight_ = X, sample_weight
        return super().fit(X, y, sample_weight)


def seen(treatment, weight=None, **options):
    (member,) = fit_member([Recorder()], treatment, X, CODES, weight, **{**OPTIONS, **options})
    return getattr(member, "estimator_", member).seen_


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_every_treatment_fits(treatment):
    n_rows, weight = seen(treatment)
    expected = {"smote": 80, "smote-half": 60, "under": 20}.get(treatment, 50)
    assert n_rows == expected
    assert (weight is None) == (treatment in ("plain", "smote", "smote-half", "under"))


def test_weights_are_those_of_the_method():
    np.testing.assert_array_equal(seen("neighbor")[1], instance_weights(X, CODES, "neighbor"))
    np.testing.assert_array_equal(seen(iCost(method="cs"))[1], np.where(CODES == 1, 4.0, 1.0))


def test_synthetic_rows_weigh_the_mean_of_their_class():
    weight = np.where(np.arange(50) % 2, 1.0, 3.0)
    n_rows, given = seen("smote", weight)
    np.testing.assert_array_equal(given[:50], weight)
    assert n_rows == 80 and set(given[50:]) == {weight[CODES == 1].mean()}


def test_samplers_of_imbalanced_learn_keep_the_weights_of_the_rows_they_keep():
    weight = np.arange(1.0, 51.0)
    n_rows, given = seen(RandomUnderSampler(), weight)
    assert n_rows == 20 and set(given[10:]) == set(weight[40:])
    n_rows, given = seen(RandomOverSampler(), weight)
    assert n_rows == 80 and set(given) == set(weight)


@pytest.mark.parametrize("codes", [CODES, 1 - CODES, np.arange(50) % 2, np.arange(50) % 7 // 3])
def test_undersampling_is_that_of_imbalanced_learn(codes):
    weight = np.arange(1.0, 51.0)
    pair = [
        fit_member([Nosy()], treatment, X, codes, weight, **OPTIONS)[0]
        for treatment in ("under", RandomUnderSampler())
    ]
    np.testing.assert_array_equal(pair[0].X_, pair[1].X_)
    np.testing.assert_array_equal(pair[0].weight_, pair[1].weight_)
    assert len(pair[0].X_) == np.bincount(codes).min() * (codes.max() + 1)


def test_undersampled_members_have_probabilities_of_the_true_shares():
    random = np.random.default_rng(1)
    y = (random.random(6000) < 0.05).astype(int)
    table = random.normal(size=(6000, 2)) + 1.5 * y[:, None]
    models = [
        iCostEnsemble(members=(member, member), random_state=0).fit(table, y)
        for member in ("under", RandomUnderSampler())
    ]
    proba = models[0].predict_proba(table)[:, 1]
    np.testing.assert_array_equal(models[1].predict_proba(table)[:, 1], proba)
    assert abs(proba.mean() - y.mean()) < 0.005
    # For two normal clouds the probability of every row follows: log-odds of 3(a + b) / 2 - 2.25.
    odds = np.exp(1.5 * table.sum(axis=1) - 2.25) * 0.05 / 0.95
    assert np.abs(proba - odds / (1 + odds)).mean() < 0.01


class Half:
    """A sampler that does not say which rows it kept, and may lose a class."""

    def __init__(self, loses_class=False):
        self.loses_class = loses_class

    def get_params(self, deep=True):
        return {"loses_class": self.loses_class}

    def fit_resample(self, X, y):
        kept = y == 0 if self.loses_class else np.arange(len(y)) % 2 == 1
        made = X[y == 1].mean(axis=0, keepdims=True)
        labels = [0 if self.loses_class else 1] * 40
        return np.vstack([X[kept], made.repeat(40, axis=0)]), np.append(y[kept], labels)


def test_rows_that_a_sampler_cleaned_away_take_their_weights_with_them():
    weight = np.arange(1.0, 51.0)
    n_rows, given = seen(Half(), weight)
    assert n_rows == 65
    np.testing.assert_array_equal(given[:25], weight[1::2])
    assert set(given[25:]) == {weight[CODES == 1].mean()}


def test_smote_and_cleaning_together_keep_the_weights_of_rows():
    weight = np.arange(1.0, 51.0)
    sampler = SMOTEENN(smote=SMOTE(k_neighbors=3), enn=EditedNearestNeighbours(kind_sel="all"))
    (member,) = fit_member([Nosy()], sampler, X, CODES, weight, **OPTIONS)
    place = {tuple(row): number for number, row in enumerate(X)}
    mean = weight[CODES == 1].mean()
    expected = [weight[place[tuple(row)]] if tuple(row) in place else mean for row in member.X_]
    assert len(expected) < 80 and mean in expected
    np.testing.assert_array_equal(member.weight_, expected)


def test_equal_rows_keep_their_own_weights():
    twice, codes = np.vstack([X, X]), np.append(CODES, CODES)
    origin = _origin(twice, twice[[0, 50, 3, 3]])
    assert origin.tolist() == [0, 50, 3, 53] and codes[origin].tolist() == [0, 0, 0, 0]
    assert _origin(csr_array(X), csr_array(X[[4, 2]] + 0)).tolist() == [4, 2]
    assert _origin(X, X[[4, 2]] + 1e-3).tolist() == [-1, -1]
    mixed = np.array([[1.0, "a"], [np.nan, None]], dtype=object)
    assert _origin(mixed, mixed[::-1]).tolist() == [1, 0]


def test_a_sampler_that_loses_a_class_gets_one_sentence():
    with pytest.raises(ValueError, match="must leave rows of every class, got .*Half"):
        seen(Half(loses_class=True))


def test_all_bases_share_the_treated_rows():
    bases = [Recorder(), Recorder(C=0.1)]
    one, two = fit_member(bases, "neighbor", X, CODES, None, **OPTIONS)
    np.testing.assert_array_equal(one.sample_weight_, two.sample_weight_)


def test_nested_random_states_are_set():
    model = with_seed(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 3)
    again = with_seed(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 3)
    seed = model.get_params()["decisiontreeclassifier__random_state"]
    assert isinstance(seed, int)
    assert again.get_params()["decisiontreeclassifier__random_state"] == seed
