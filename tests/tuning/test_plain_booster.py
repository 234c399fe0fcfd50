import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from icost.tuning.plain_booster import PlainBooster, plain_booster

xgboost = pytest.importorskip("xgboost")

# More distinct values than bins, so that weights move the bins.
X, y = make_classification(600, n_features=6, weights=[0.8], flip_y=0.1, random_state=0)
weight = np.where(y == 1, np.random.default_rng(0).uniform(0.5, 5.0, 600), 1.0)

SETTINGS = [
    {},
    {"n_estimators": 20, "max_depth": 3, "subsample": 0.7, "random_state": 3},
    {"tree_method": "exact", "n_estimators": 10},
    {"tree_method": "approx", "max_bin": 16, "n_estimators": 10},
    {"learning_rate": 0.1, "base_score": 0.3, "n_estimators": 10, "scale_pos_weight": 2.0},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_probabilities_are_those_of_the_interface_to_the_last_bit(setting):
    base = xgboost.XGBClassifier(n_jobs=1, **setting)
    plain = plain_booster(base, X)
    assert isinstance(plain, PlainBooster)
    with_gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    for table in (X, with_gaps, X.astype(np.float32)):
        base.fit(table, y, sample_weight=weight)
        plain.fit(table, y, sample_weight=weight)
        np.testing.assert_array_equal(plain.predict_proba(table), base.predict_proba(table))
        np.testing.assert_array_equal(plain.predict(table), base.predict(table))


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        xgboost.XGBClassifier(early_stopping_rounds=3),
        xgboost.XGBClassifier(objective="binary:hinge"),
        xgboost.XGBClassifier(booster="gblinear"),
        xgboost.XGBClassifier(feature_weights=np.ones(6)),
        xgboost.XGBClassifier(feature_types=["q"] * 6),
        xgboost.XGBClassifier(random_state=np.random.RandomState(0)),
        xgboost.XGBRFClassifier(),
    ],
    ids=lambda base: type(base).__name__,
)
def test_anything_else_is_left_alone(base):
    assert plain_booster(base, X) is base


def test_frames_are_left_to_the_interface():
    pd = pytest.importorskip("pandas")
    base = xgboost.XGBClassifier()
    assert plain_booster(base, pd.DataFrame(X)) is base


def test_a_parameter_of_which_nothing_is_known_is_left_to_the_interface():
    class XGBClassifier(xgboost.XGBClassifier):
        def __init__(self, novelty=None, **others):
            super().__init__(**others)
            self.novelty = novelty

        def get_xgb_params(self):
            return {name: v for name, v in super().get_xgb_params().items() if name != "novelty"}

    XGBClassifier.__module__ = "xgboost.sklearn"
    assert isinstance(plain_booster(XGBClassifier(), X), PlainBooster)
    base = XGBClassifier(novelty=1)
    assert plain_booster(base, X) is base
