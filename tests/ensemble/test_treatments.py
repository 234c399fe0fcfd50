"""Treatments: what a member is trained on."""

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler
from imblearn.under_sampling import RandomUnderSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from icost import iCost, instance_weights
from icost.ensemble.treatments import TREATMENTS, fit_member, with_seed

CODES = np.repeat([0, 1], [40, 10])
X = np.random.default_rng(0).normal(size=(50, 2)) + CODES[:, None]
OPTIONS = {"minority": 1, "preprocessor": "auto", "seed": 5}


class Recorder(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        self.seen_ = (len(y), None if sample_weight is None else np.asarray(sample_weight))
        return super().fit(X, y, sample_weight)


def seen(treatment, weight=None, **options):
    (member,) = fit_member([Recorder()], treatment, X, CODES, weight, **{**OPTIONS, **options})
    return getattr(member, "estimator_", member).seen_


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_every_treatment_fits(treatment):
    n_rows, weight = seen(treatment)
    expected = {"smote": 80, "smote-half": 60}.get(treatment, 50)
    assert n_rows == expected
    assert (weight is None) == (treatment in ("plain", "smote", "smote-half"))


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
