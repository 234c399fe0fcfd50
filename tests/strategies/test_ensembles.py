import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from icost import iCostEnsemble
from icost.strategies._estimators import get_classifier
from icost.strategies._fitting import (
    MemberStore,
    SharedFit,
    TrainingFold,
    fit_estimator,
    fit_strategy,
)
from icost.strategies._registry import build_ensemble, ensemble, get_strategy

RECORDED = {"refit": False, "recalibrate": False}
"""The form of the recorded studies."""


def fit_crossed(base, fold, **params):
    options = {
        "minority_label": fold.minority,
        "costs": fold.costs,
        "random_state": fold.random_state,
    }
    return fit_estimator(build_ensemble(base, **options, **params), fold)


@pytest.fixture
def fold():
    X, y = make_classification(120, 4, weights=[0.8], random_state=0)
    return TrainingFold(X, y.astype(np.intp), random_state=3)


@pytest.mark.parametrize("name", ["lr", "svm", "dt"])
def test_sharing_changes_nothing(fold, name):
    base = get_classifier(name).make(3)
    alone = iCostEnsemble(base, minority_label=1, preprocessor=None, random_state=3)
    alone.fit(fold.X, fold.y)
    first, second = (fit_crossed(base, fold).model for _ in range(2))
    for model in (first, second):
        np.testing.assert_array_equal(model.predict_proba(fold.X), alone.predict_proba(fold.X))
        assert model.threshold_ == alone.threshold_


def test_a_blend_is_the_mean_of_its_ensembles_and_fits_them_once(fold, monkeypatch):
    pytest.importorskip("xgboost")
    names = ("lr", "svm", "rf", "xgb")
    own = [fit_crossed(get_classifier(name).make(3), fold, **RECORDED) for name in names]
    monkeypatch.setattr(MemberStore, "fit", only_found(MemberStore.fit))
    blend = fit_strategy(ensemble("blend", "Blend", is_blend=True, **RECORDED), None, fold)
    mean = np.mean([fitted.proba(fold.X) for fitted in own], axis=0)
    np.testing.assert_allclose(blend.proba(fold.X), mean, atol=1e-12)
    # As long as it would have taken on its own.
    store = fold.shared["members"][0]
    assert blend.fit_time > sum(seconds for _, seconds, _ in store.fitted.values()) > 0
    # What it took to look for them is not counted.
    assert blend.saved_cpu <= sum(cpu for *_, cpu in store.fitted.values())


def test_the_blend_of_the_library_keeps_one_model_per_treatment():
    X, y = make_classification(60, 3, n_redundant=0, weights=[0.7], random_state=0)
    fold = TrainingFold(X, y.astype(np.intp))
    with warnings.catch_warnings():
        # Said once about the whole table, not by every fold.
        warnings.simplefilter("error")
        model = fit_strategy(get_strategy("blend"), None, fold).model
    assert [[len(models) for models in base] for base in model.estimators_] == [[1, 1]] * 4
    assert type(model.estimators_[1][0][0]).__name__ == "QuickSVC"


def test_looking_for_shared_members_is_not_counted(monkeypatch):
    """By a clock that only looking (7 seconds) and fitting (3 seconds) move."""
    now = [0.0]
    for name in ("perf_counter", "process_time"):
        monkeypatch.setattr(f"icost.strategies._fitting.{name}", lambda: now[0])

    def look(*args, **kwargs):
        now[0] += 7
        return "key"

    class Slow(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            now[0] += 3
            return self

    monkeypatch.setattr("icost.strategies._fitting.joblib.hash", look)
    store = MemberStore()
    for saved in (-7, -7 - 7 + 3):
        store.fit(Slow(), None, None, None)
        assert store.saved == store.saved_cpu == saved


def only_found(fit):
    def look_up(store, base, *data):
        known = len(store.fitted)
        model = fit(store, base, *data)
        assert len(store.fitted) == known
        return model

    return look_up


def test_a_longer_ensemble_begins_as_a_shorter_one(fold):
    base = get_classifier("dt").make(3)
    fit_crossed(base, fold, members=("plain", "smote"), refit=False)
    store = fold.shared["members"][0]
    before = len(store.fitted)
    fit_crossed(base, fold, members=("plain", "smote", "smote-half"), refit=False)
    assert (before, len(store.fitted)) == (10, 15)


def test_a_form_names_what_it_changes(fold):
    form = {"members": ("plain",), "n_splits": 3, "threshold": 0.3, "calibrate": False}
    form["refit"] = False
    model = fit_crossed(get_classifier("dt").make(3), fold, **form).model
    assert model.threshold_ == 0.3 and model.calibrators_ == [[None]]
    assert [len(repeat) for repeat in model.estimators_[0]] == [3]


def test_a_shared_base_has_the_scores_of_the_base():
    shared = SharedFit(get_classifier("svm").make(0), MemberStore())
    assert hasattr(shared, "decision_function") and not hasattr(shared, "predict_proba")
    assert clone(shared).store is shared.store


Y = np.repeat([0, 1], [90, 15])
X = np.random.default_rng(0).normal(size=(105, 3)) + 1.2 * Y[:, None]
PLAIN = ("plain",)


def test_costs_decide_the_threshold():
    fitted = fit_crossed(LogisticRegression(), TrainingFold(X, Y, costs=(9.0, 1.0)), members=PLAIN)
    assert fitted.model.threshold_ == pytest.approx(0.1)
    without = fit_crossed(LogisticRegression(), TrainingFold(X, Y), members=PLAIN)
    assert without.model.threshold == "stable"


def test_groups_are_held_out_together():
    groups = np.arange(105) // 3
    fold = TrainingFold(X, Y, groups=groups)
    grouped, alone = (
        fit_crossed(LogisticRegression(), own, members=PLAIN) for own in (fold, TrainingFold(X, Y))
    )
    assert grouped.note == ""
    assert (grouped.model.oof_proba_ != alone.model.oof_proba_).any()
    direct = type(grouped.model)(**grouped.model.get_params(deep=False)).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(direct.oof_proba_, grouped.model.oof_proba_)


def test_groups_that_hold_a_whole_class_are_noted_and_left():
    fitted = fit_crossed(LogisticRegression(), TrainingFold(X, Y, groups=Y), members=PLAIN)
    assert fitted.note == "groups ignored: one of them has all rows of a class"
    assert set(fitted.predict(X)) == {0, 1}


@pytest.mark.parametrize("base", [None, "blend"])
def test_an_ensemble_that_names_its_classifiers_is_fitted_as_it_does_alone(base, monkeypatch):
    monkeypatch.setattr(
        "icost.ensemble._icost_ensemble.automatic_bases", lambda: {"nb": GaussianNB()}
    )
    rng, y = np.random.default_rng(0), np.repeat([0, 1], [60, 20])
    X = rng.normal(size=(80, 2)) + y[:, None]
    options = {"members": ("plain",), "n_splits": 2, "random_state": 0}
    fitted = fit_estimator(iCostEnsemble(base, **options), TrainingFold(X, y))
    alone = iCostEnsemble(base, **options).fit(X, y)
    np.testing.assert_array_equal(fitted.proba(X), alone.predict_proba(X))
