"""Shared kernels and plain boosters: the same fits, to the last bit, or the classifier as it is."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from icost.tuning import _sharing as quick_fits
from icost.tuning._sharing import PlainBooster, SharedKernel, plain_booster, share_kernel

try:
    import xgboost
except ImportError:
    xgboost = None

needs_xgboost = pytest.mark.skipif(xgboost is None, reason="needs xgboost")

# More distinct values than a booster has bins, so that weights move the bins.
X, y = make_classification(400, n_features=7, weights=[0.8], flip_y=0.1, random_state=0)
weight = np.where(y == 1, np.random.default_rng(0).uniform(0.5, 5.0, 400), 1.0)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("table", [X, np.asfortranarray(X), X.astype(np.float32)])
def test_fits_are_those_of_the_plain_kernel_to_the_last_bit(gamma, table):
    plain = SVC(gamma=gamma).fit(table[:300], y[:300], sample_weight=weight[:300])
    shared = share_kernel(SVC(gamma=gamma), table[:300], table[300:])
    shared.fit(table[:300], y[:300], sample_weight=weight[:300])
    np.testing.assert_array_equal(shared.dual_coef_, plain.dual_coef_)
    np.testing.assert_allclose(
        shared.decision_function(table[300:]), plain.decision_function(table[300:]), atol=1e-10
    )


def test_the_matrix_is_computed_once_and_never_copied(monkeypatch):
    calls = []
    real = quick_fits.rbf_kernel
    monkeypatch.setattr(quick_fits, "rbf_kernel", lambda *a, **k: calls.append(1) or real(*a, **k))
    base = share_kernel(SVC(), X[:300], X[300:])
    for c in (0.1, 1.0, 10.0):
        clone(base).set_params(C=c).fit(X[:300], y[:300]).predict(X[300:])
    assert len(calls) == 2  # one for the training rows, one for the test rows
    assert clone(base).kernel is base.kernel


def test_other_rows_get_a_kernel_of_their_own():
    kernel = SharedKernel(X[:300], X[300:], gamma=0.1)
    np.testing.assert_allclose(kernel(X[:5], X[:3]), kernel.kept[0][1][:5, :3])


@pytest.mark.parametrize(
    ("base", "table"),
    [
        (LogisticRegression(), X),
        (SVC(kernel="linear"), X),
        (SVC(gamma="nonsense"), X),
        (SVC(), csr_array(X)),
    ],
)
def test_other_classifiers_and_tables_share_no_kernel(base, table):
    assert share_kernel(base, table, table) is base


def test_a_matrix_that_is_too_large_is_not_kept(monkeypatch):
    monkeypatch.setattr(quick_fits, "MAX_KERNEL_BYTES", 8 * 400 * 400)
    base = SVC()
    assert share_kernel(base, X, X) is base


SETTINGS = [
    {},
    {"n_estimators": 20, "max_depth": 3, "subsample": 0.7, "random_state": 3},
    {"tree_method": "exact", "n_estimators": 10},
    {"tree_method": "approx", "max_bin": 16, "n_estimators": 10},
    {"learning_rate": 0.1, "base_score": 0.3, "n_estimators": 10, "scale_pos_weight": 2.0},
]


@needs_xgboost
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


@needs_xgboost
@pytest.mark.parametrize(
    "setting",
    [
        {"early_stopping_rounds": 3},
        {"objective": "binary:hinge"},
        {"booster": "gblinear"},
        {"feature_weights": np.ones(7)},
        {"feature_types": ["q"] * 7},
        {"random_state": np.random.RandomState(0)},
    ],
    ids=lambda setting: next(iter(setting)),
)
def test_settings_beyond_the_plain_ones_are_left_to_the_interface(setting):
    base = xgboost.XGBClassifier(**setting)
    assert plain_booster(base, X) is base


@needs_xgboost
def test_other_classifiers_and_frames_get_no_plain_booster():
    pd = pytest.importorskip("pandas")
    for base in (LogisticRegression(), xgboost.XGBRFClassifier()):
        assert plain_booster(base, X) is base
    base = xgboost.XGBClassifier()
    assert plain_booster(base, pd.DataFrame(X)) is base


@needs_xgboost
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
