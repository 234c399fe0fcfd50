"""The ensemble as a user meets it: decisions, probabilities, honesty, tables of all kinds."""

import warnings
from html import escape

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.metrics import (
    balanced_accuracy_score,
    get_scorer,
    log_loss,
    make_scorer,
    matthews_corrcoef,
)
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from icost import iCost, iCostEnsemble
from icost._table import _columns
from icost._table._columns import ColumnType
from icost.metrics import expected_cost
from icost.thresholds import LeastCost
from icost.thresholds._certificate import HeldOut
from icost.thresholds._rules import choose_cut, parse_rule

SMALL = {"members": ("plain", "smote"), "n_splits": 3, "random_state": 0}
MEMBERS = {**SMALL, "refit": False, "recalibrate": False}


class Mute(ClassifierMixin, BaseEstimator):
    """A classifier without scores."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(400, weights=[0.9], class_sep=1.2, random_state=1)
    return X, np.where(y == 1, "ill", "well")


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(
        360, n_informative=5, n_classes=3, weights=[0.75, 0.15], class_sep=1.5, random_state=0
    )


def test_it_decides_by_the_threshold_and_the_threshold_by_held_out_rows(data):
    X, y = data
    model = iCostEnsemble(DecisionTreeClassifier(max_depth=4), **SMALL).fit(X, y)
    assert model.minority_label_ == "ill" and model.classes_.tolist() == ["ill", "well"]
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    expected = np.where(proba[:, 0] >= model.threshold_, "ill", "well")
    assert model.predict(X).tolist() == expected.tolist()
    low, high = model.threshold_interval_
    assert low <= high
    # Held-out probabilities are less sure of themselves than those of rows that were seen.
    assert model.oof_proba_.shape == (400, 2)
    is_ill = y == "ill"
    assert model.oof_proba_[is_ill, 0].mean() < proba[is_ill, 0].mean()


def test_probabilities_follow_the_true_share_whatever_the_members_were_trained_on(data):
    X, y = data
    share = (y == "ill").mean()
    for members in (("plain",), ("smote",), ("cs",), ("neighbor", "tree")):
        model = iCostEnsemble(LogisticRegression(), members=members, random_state=0).fit(X, y)
        assert model.oof_proba_[:, 0].mean() == pytest.approx(share, abs=0.01)


def test_calibrated_probabilities_are_the_mean_over_repeats(data):
    X, y = data
    model = iCostEnsemble(LogisticRegression(), **MEMBERS).fit(X, y)
    by_hand = []
    for members, calibrator in zip(model.estimators_[0], model.calibrators_[0], strict=True):
        (slope,), (intercept,) = calibrator
        scores = [member.decision_function(X) for member in members]
        by_hand.append(np.mean([expit(slope * s + intercept) for s in scores], axis=0))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], np.mean(by_hand, axis=0))


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(max_depth=4)])
def test_the_last_recalibration_moves_probabilities_and_no_decision(data, base):
    X, y = data
    plain, last = (
        iCostEnsemble(base, recalibrate=wanted, **SMALL).fit(X, y) for wanted in (False, True)
    )
    assert plain.recalibration_ is None and len(last.recalibration_) == 3
    assert last.predict(X).tolist() == plain.predict(X).tolist()
    assert (last.predict_proba(X) != plain.predict_proba(X)).any()
    assert last.threshold_ != plain.threshold_
    assert last.threshold_interval_[0] <= last.threshold_ <= last.threshold_interval_[1]
    # Decisions are held out as well, and stay the same.
    assert last.oof_score_["mcc"] == plain.oof_score_["mcc"]
    assert last.oof_score_["brier"] != plain.oof_score_["brier"]


def test_the_last_recalibration_leaves_decisions_on_three_classes(three_classes):
    X, y = three_classes
    plain, last = (
        iCostEnsemble(LogisticRegression(), recalibrate=wanted, **SMALL).fit(X, y)
        for wanted in (False, True)
    )
    assert last.predict(X).tolist() == plain.predict(X).tolist()
    assert log_loss(y, last.oof_proba_) < log_loss(y, plain.oof_proba_)
    assert last.oof_score_["mcc"] == plain.oof_score_["mcc"]


def test_a_given_threshold_applies_to_recalibrated_probabilities(data):
    X, y = data
    options = {"threshold": "cost", "cost_fn": 9.0, **SMALL}
    model = iCostEnsemble(DecisionTreeClassifier(max_depth=3), **options).fit(X, y)
    assert model.threshold_ == 0.1 and model.recalibration_ is not None
    is_ill = model.predict_proba(X)[:, 0] >= 0.1
    assert model.predict(X).tolist() == np.where(is_ill, "ill", "well").tolist()
    uncalibrated = iCostEnsemble(LogisticRegression(), calibrate=False, **SMALL).fit(X, y)
    assert uncalibrated.recalibration_ is None


def test_refitted_models_replace_members_and_change_nothing_else(data):
    X, y = data
    members = ("plain", "smote", "plain")
    options = {"members": members, "n_splits": 3, "random_state": 0, "recalibrate": False}
    whole, refitted = (
        iCostEnsemble(GaussianNB(), refit=wanted, **options).fit(X, y) for wanted in (False, True)
    )
    assert [len(models) for models in whole.estimators_[0]] == [3, 3, 3]
    assert [len(models) for models in refitted.estimators_[0]] == [1, 1]
    assert refitted.model_places_ == [0, 1, 0]
    assert refitted.threshold_ == whole.threshold_ and refitted.oof_score_ == whole.oof_score_
    np.testing.assert_array_equal(refitted.oof_proba_, whole.oof_proba_)
    (plain,), (smote,) = refitted.estimators_[0]
    assert plain.class_count_.tolist() == [(y == "ill").sum(), (y == "well").sum()]
    assert smote.class_count_.tolist() == [(y == "well").sum()] * 2
    # Two of three repeats are plain, and so is the weight of the plain model.
    scores = [model.predict_proba(X)[:, 1] for model in (plain, smote, plain)]
    by_hand = [
        expit(slope * s + intercept)
        for ((slope,), (intercept,)), s in zip(refitted.calibrators_[0], scores, strict=True)
    ]
    np.testing.assert_allclose(refitted.predict_proba(X)[:, 1], np.mean(by_hand, axis=0))


class InContext(ClassifierMixin, BaseEstimator):
    """A stand-in for TabPFN and TabICL: fit keeps the rows, prediction looks at all of them.

    As theirs, ``fit`` takes no weights, and there are probabilities but no decision function.
    """

    def __init__(self, n_estimators=4, random_state=None):
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        self.X_ = np.asarray(X, dtype=float)
        self.n_features_in_ = self.X_.shape[1]
        return self

    def predict_proba(self, X):
        distances = ((np.asarray(X, dtype=float)[:, None] - self.X_) ** 2).sum(axis=2)
        proba = np.exp(-distances / self.X_.shape[1]) @ np.eye(len(self.classes_))[self.codes_]
        proba += 1e-9
        return proba / proba.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_a_classifier_that_learns_in_context_is_a_base(data, three_classes):
    for X, y in (data, three_classes):
        options = {"members": ("plain",), "n_splits": 3, "refit": True, "random_state": 0}
        model = iCostEnsemble(InContext(), **options).fit(X, y)
        # One look at all rows for a new one, in place of three at two thirds of them.
        ((kept,),) = model.estimators_[0]
        assert len(kept.X_) == len(X)
        assert model.oof_score_["mcc"]["value"] > 0.3
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_few_minority_rows_are_warned_of(data):
    X, y = data
    few = np.r_[np.flatnonzero(y == "ill")[:19], np.flatnonzero(y == "well")]
    message = "Few rows of class 'ill': 19. Below 20, threshold, probabilities"
    with pytest.warns(UserWarning, match=message):
        model = iCostEnsemble(LogisticRegression(), **SMALL).fit(X[few], y[few])
    # Nor are so few rows enough for a last slope.
    assert model.recalibration_ is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        iCostEnsemble(LogisticRegression(), **SMALL).fit(X, y)


def test_the_out_of_fold_score_has_seen_neither_calibration_nor_cut(data):
    X, _ = data
    # Labels that nothing can predict: a score that had looked would be above chance.
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], [360, 40]))
    model = iCostEnsemble(DecisionTreeClassifier(), **SMALL).fit(X, y)
    looked = matthews_corrcoef(y, model.oof_proba_[:, 1] >= model.threshold_)
    honest = model.oof_score_["mcc"]
    assert honest["low"] < 0.05 < 0.3 > honest["value"]
    assert honest["value"] < looked + 0.02
    assert honest["low"] <= honest["value"] <= honest["high"]


@pytest.mark.equality
def test_same_seed_same_bits_whatever_the_number_of_jobs(data):
    X, y = data
    one, two = (
        iCostEnsemble(DecisionTreeClassifier(), n_jobs=jobs, **SMALL).fit(X, y) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.threshold_ == two.threshold_ and one.oof_score_ == two.oof_score_


def test_several_bases_share_splits_and_average(data):
    X, y = data
    bases = [LogisticRegression(), DecisionTreeClassifier(max_depth=3, random_state=0)]
    both = iCostEnsemble(bases, **MEMBERS).fit(X, y)
    assert len(both.estimators_) == 2
    alone = iCostEnsemble(bases[0], **MEMBERS).fit(X, y)
    # The same splits and synthetic rows: the members of a base do not depend on the others.
    for one, other in zip(alone.estimators_[0][1], both.estimators_[0][1], strict=True):
        np.testing.assert_array_equal(one.coef_, other.coef_)
    tree = iCostEnsemble(bases[1], **MEMBERS).fit(X, y)
    mean = (alone.predict_proba(X) + tree.predict_proba(X)) / 2
    np.testing.assert_allclose(both.predict_proba(X), mean)


def test_a_blend_without_xgboost_says_what_takes_its_place(monkeypatch):
    monkeypatch.setattr("icost.ensemble._icost_ensemble.find_spec", lambda name: None)
    X, y = make_classification(60, weights=[0.6], random_state=0)
    model = iCostEnsemble("blend", members=("plain",), n_splits=2, random_state=0)
    with pytest.warns(UserWarning, match="XGBoost is not installed") as caught:
        model.fit(X, y)
    assert len([w for w in caught if "XGBoost" in str(w.message)]) == 1
    assert "HistGradientBoosting" in str(caught[0].message)
    # Members are kept, as no study shows that this blend does as well without.
    assert [[len(models) for models in base] for base in model.estimators_] == [[2]] * 4


def test_the_blend_takes_tables_with_text_and_gaps():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [70, 14])
    frame = pd.DataFrame({"a": rng.normal(size=84) + y, "b": rng.choice(["u", "v"], 84)})
    frame.loc[::9, "a"] = np.nan
    frame.loc[::11, "b"] = None
    model = iCostEnsemble("blend", members=("plain", "smote"), n_splits=2, random_state=0)
    assert set(model.fit(frame, y).predict(frame)) <= {0, 1}
    # Several classifiers are refitted by default.
    assert [[len(models) for models in base] for base in model.estimators_] == [[1, 1]] * 4


def test_three_classes_are_decided_by_offsets(three_classes):
    X, y = three_classes
    model = iCostEnsemble(DecisionTreeClassifier(max_depth=5), **SMALL).fit(X, y)
    assert model.threshold_ is None and model.offsets_.shape == (3,)
    proba = model.predict_proba(X)
    expected = np.argmax(np.log(np.clip(proba, 1e-12, None)) + model.offsets_, axis=1)
    assert model.predict(X).tolist() == expected.tolist()
    assert set(model.oof_score_) == {"mcc", "f1", "g_mean"}
    plain = iCostEnsemble(DecisionTreeClassifier(max_depth=5), threshold=None, **SMALL).fit(X, y)
    assert plain.offsets_.tolist() == [0, 0, 0]


@pytest.mark.parametrize("recalibrate", [True, False])
@pytest.mark.parametrize("threshold", ["recall>=0.7", "precision>=0.5", "alerts<=0.2", "stable"])
def test_rules_are_followed_on_out_of_fold_probabilities(data, threshold, recalibrate):
    X, y = data
    model = iCostEnsemble(threshold=threshold, **{**SMALL, "recalibrate": recalibrate}).fit(X, y)
    held_out = HeldOut(y == "ill", model.oof_proba_[:, 0], np.ones(len(y)))
    decided = model.oof_proba_[:, 0] >= model.threshold_
    assert model.certificate_.recall == pytest.approx(decided[y == "ill"].mean())
    assert model.certificate_.alerts == pytest.approx(decided.mean())
    np.testing.assert_array_equal(model.held_out_.score, held_out.score)
    if threshold != "stable":
        expected = choose_cut(parse_rule(threshold), held_out)
        assert model.certificate_ == expected and expected.holds
    predicted = model.predict(X) == "ill"
    np.testing.assert_array_equal(predicted, model.predict_proba(X)[:, 0] >= model.threshold_)


@pytest.mark.parametrize("rule", ["recall>=0.6, alerts<=0.9", "cost", LeastCost([[0, 4], [1, 0]])])
def test_rules_are_saved_and_loaded(data, rule, tmp_path):
    skops = pytest.importorskip("skops.io")
    from icost.modelfile._storage import ALLOWED_TYPES

    X, y = data
    costs = {"cost_fn": 4.0} if rule == "cost" else {}
    model = iCostEnsemble(threshold=rule, **costs, **SMALL).fit(X, y)
    skops.dump(model, tmp_path / "model.skops")
    assert set(skops.get_untrusted_types(file=tmp_path / "model.skops")) <= ALLOWED_TYPES
    loaded = skops.load(tmp_path / "model.skops", trusted=sorted(ALLOWED_TYPES))
    assert loaded.certificate_ == model.certificate_ and loaded.summary() == model.summary()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    if rule != "recall>=0.6, alerts<=0.9":  # "ill" comes first: a miss of it costs 4
        assert model.threshold_ == pytest.approx(0.2)


def test_a_limit_keeps_the_members_and_another_rule_refits_several_classifiers(data):
    bases = [LogisticRegression(), GaussianNB()]
    kept, refitted = (
        iCostEnsemble(bases, threshold=rule, **SMALL).fit(*data)
        for rule in ("recall>=0.7", "stable")
    )
    assert len(kept.estimators_[0][0]) == 3 and len(refitted.estimators_[0][0]) == 1
    both = iCostEnsemble(bases, threshold="recall>=0.7", refit=True, **SMALL).fit(*data)
    assert both.certificate_ == kept.certificate_ and len(both.estimators_[0][0]) == 1


def test_a_limit_that_cannot_be_certified_warns(data):
    with pytest.warns(UserWarning, match="recall >= 0.98 cannot be certified with 90 % confidence"):
        model = iCostEnsemble(threshold="recall>=0.98", **SMALL).fit(*data)
    assert model.certificate_.holds is False
    assert "recall >= 0.98 cannot be certified" in model.summary()


def test_costs_of_rows_decide_each_row(data):
    X, y = data
    amounts = np.linspace(1.0, 30.0, len(y))
    model = iCostEnsemble(threshold="cost", **SMALL).fit(X, y, cost_fn=amounts)
    expected = model.predict_proba(X)[:, 0] >= 1 / (1 + amounts)
    np.testing.assert_array_equal(model.predict(X, cost_fn=amounts) == "ill", expected)
    held_out = model.oof_proba_[:, 0] >= 1 / (1 + amounts)
    cost = expected_cost(y, np.where(held_out, "ill", "well"), cost_fn=amounts)
    assert model.threshold_ is None and model.certificate_.cost == pytest.approx(cost)
    with pytest.raises(ValueError, match="cost_fn must be given for each row, as it was to fit"):
        model.predict(X)
    # Equal costs of all rows are one cost.
    alike = iCostEnsemble(threshold="cost", **SMALL).fit(X, y, cost_fn=np.full(len(y), 4.0))
    one = iCostEnsemble(threshold="cost", cost_fn=4.0, **SMALL).fit(X, y)
    assert alike.oof_score_ == one.oof_score_
    with pytest.raises(ValueError, match="costs per row need the rule 'cost', got 'stable'"):
        iCostEnsemble(**SMALL).fit(X, y).predict(X, cost_fn=amounts)


def test_a_summary_has_members_threshold_and_scores(data, three_classes):
    model = iCostEnsemble(**SMALL).fit(*data)
    lines = model.summary().splitlines()
    assert lines[0] == "iCostEnsemble of 6 models (LogisticRegression), rule: stable"
    assert lines[1] == "Members: plain, smote"
    assert lines[2] == str(model.certificate_)
    assert lines[3].startswith("95 % interval of the threshold: ")
    score = model.oof_score_["mcc"]
    assert f"  MCC       {score['value']:.2f} ({score['low']:.2f} to" in model.summary()
    many = iCostEnsemble(DecisionTreeClassifier(max_depth=5), **SMALL).fit(*three_classes)
    assert f"offset of 2: {many.offsets_[2]:.3g}" in many.summary()


@pytest.mark.parametrize(
    ("threshold", "options", "expected"),
    [(None, {}, 0.5), (0.3, {}, 0.3), ("cost", {"cost_fn": 4.0}, 0.2)],
)
def test_thresholds_that_are_given(data, threshold, options, expected):
    model = iCostEnsemble(LogisticRegression(), threshold=threshold, **options, **SMALL).fit(*data)
    assert model.threshold_ == expected and model.threshold_interval_ is None


@pytest.mark.parametrize("scoring", ["g_mean", "balanced_accuracy", "scorer"])
def test_the_threshold_is_chosen_for_the_score(data, scoring):
    X, y = data
    if scoring == "scorer":
        scoring = make_scorer(lambda truth, found: np.mean((truth == "ill") & (found == "ill")))
    model = iCostEnsemble(LogisticRegression(), scoring=scoring, **SMALL).fit(X, y)
    mcc = iCostEnsemble(LogisticRegression(), **SMALL).fit(X, y)
    if callable(scoring):
        # Only hits count, so that a low cut costs nothing.
        called_ill = [(fitted.predict(X) == "ill").mean() for fitted in (model, mcc)]
        assert called_ill[0] > 1.5 * called_ill[1]
    assert model.threshold_ != mcc.threshold_


def test_weights_count_and_rows_of_weight_zero_are_absent(data):
    X, y = data
    weight = np.ones(len(y))
    weight[::4] = 0
    kept = weight > 0
    whole = iCostEnsemble(LogisticRegression(), **SMALL).fit(X, y, sample_weight=weight)
    part = iCostEnsemble(LogisticRegression(), **SMALL).fit(X[kept], y[kept], weight[kept])
    np.testing.assert_array_equal(whole.predict_proba(X), part.predict_proba(X))
    assert np.isnan(whole.oof_proba_[~kept]).all() and not np.isnan(whole.oof_proba_[kept]).any()
    heavy = np.where(y == "ill", 5.0, 1.0)
    shifted = iCostEnsemble(LogisticRegression(), **SMALL).fit(X, y, sample_weight=heavy)
    share = heavy[y == "ill"].sum() / heavy.sum()
    mean = np.average(shifted.oof_proba_[:, 0], weights=heavy)
    assert mean == pytest.approx(share, abs=0.02)


def test_rows_of_a_group_are_held_out_together(data):
    X, y = data
    groups = np.arange(len(y)) // 8

    class Nosy(DecisionTreeClassifier):
        def fit(self, X, y):
            self.rows_ = {tuple(row) for row in X}
            return super().fit(X, y)

    options = {"members": ("plain",), "n_splits": 4, "random_state": 0}
    model = iCostEnsemble(Nosy(), **options).fit(X, y, groups=groups)
    for member in model.estimators_[0][0]:
        seen = np.array([tuple(row) in member.rows_ for row in X])
        for group in np.unique(groups):
            assert len(set(seen[groups == group])) == 1


def test_uncalibrated_probabilities_are_averaged_as_they_are(data):
    X, y = data
    model = iCostEnsemble(LogisticRegression(), calibrate=False, **SMALL).fit(X, y)
    members = [m for repeat in model.estimators_[0] for m in repeat]
    expected = np.mean([member.predict_proba(X) for member in members], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_a_base_without_probabilities_will_do(data):
    X, y = data
    model = iCostEnsemble(LinearSVC(), **SMALL).fit(X, y)
    assert ((model.predict_proba(X) >= 0) & (model.predict_proba(X) <= 1)).all()


def test_inside_of_scikit_learn_s_tools(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), iCostEnsemble(LogisticRegression(), **SMALL))
    assert cross_validate(pipeline, X, y, cv=2)["test_score"].shape == (2,)
    search = GridSearchCV(
        iCostEnsemble(LogisticRegression(), **SMALL), {"base_classifier__C": [0.1, 1.0]}, cv=2
    )
    assert search.fit(X, y).best_params_["base_classifier__C"] in (0.1, 1.0)


def test_the_parameters_of_several_bases_have_names(data):
    bases = [LogisticRegression(), DecisionTreeClassifier(max_depth=2)]
    model = iCostEnsemble(bases, **SMALL)
    params = model.get_params()
    assert params["base_classifier__0__C"] == 1.0 and params["base_classifier__1"] is bases[1]
    assert "base_classifier__0__C" not in model.get_params(deep=False)
    model.set_params(base_classifier__0__C=3.0, base_classifier__1=GaussianNB(), n_splits=2)
    assert bases[0].C == 3.0 and isinstance(model.base_classifier[1], GaussianNB)
    # The user's own list is left as it was.
    assert isinstance(bases[1], DecisionTreeClassifier)
    with pytest.raises(ValueError, match="'base_classifier__2__C' must name a classifier in a lis"):
        model.set_params(base_classifier__2__C=1.0)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(base_classifier__0__Q=1.0)
    for base in (bases, None, "blend"):
        with pytest.raises(
            ValueError, match="'base_classifier__C' must name a parameter of a sing"
        ):
            iCostEnsemble(base).set_params(base_classifier__C=1.0)
    single = iCostEnsemble().set_params(base_classifier=LogisticRegression(), base_classifier__C=2)
    assert single.base_classifier.C == 2
    search = GridSearchCV(model, {"base_classifier__0__C": [0.01, 1.0]}, cv=2).fit(*data)
    assert (
        search.best_params_["base_classifier__0__C"] == search.best_estimator_.base_classifier[0].C
    )
    assert bases[0].C == 3.0


def test_an_imbalance_of_ten_thousand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_002, 2))
    y = np.zeros(20_002, dtype=int)
    y[:2] = 1
    X[:2] += 6
    model = iCostEnsemble(LogisticRegression(), **SMALL).fit(X, y)
    assert model.predict(X[:2]).tolist() == [1, 1]


def test_pure_noise_is_not_taken_for_more():
    # Held-out scores of noise run against the labels; a calibration that turned them round would
    # score above chance.
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 3)), rng.permutation(np.repeat([0, 1], [105, 15]))
        model = iCostEnsemble(GaussianNB(), members=("plain",), n_splits=3, random_state=seed)
        found.append(model.fit(X, y).oof_score_["mcc"]["value"])
    assert np.mean(found) < 3 * np.std(found) / np.sqrt(40)


def test_the_scale_of_the_weights_changes_nothing(data):
    X, y = data
    one, other = (
        iCostEnsemble(DecisionTreeClassifier(max_depth=3, random_state=0), **SMALL).fit(
            X, y, sample_weight=np.full(len(y), scale)
        )
        for scale in (1.0, 2.0**-10)
    )
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6)


def test_probabilities_of_new_rows_follow_the_share_too():
    X, y = make_classification(3000, weights=[0.88], class_sep=0.6, random_state=3)
    model = iCostEnsemble(DecisionTreeClassifier(), **SMALL).fit(X[:600], y[:600])
    mean = model.predict_proba(X[600:])[:, 1].mean()
    assert mean == pytest.approx(y[:600].mean(), abs=0.015)


def test_metadata_routing_may_be_on(data):
    with config_context(enable_metadata_routing=True):
        iCostEnsemble(LogisticRegression(), **SMALL).fit(*data, sample_weight=np.ones(400))


def test_a_fit_that_failed_leaves_no_model_behind(data):
    X, y = data
    model = iCostEnsemble(LogisticRegression(), **SMALL).fit(X, y)
    with pytest.raises(ValueError, match="nope"):
        model.set_params(scoring="nope").fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


def test_frames_in_fit_and_arrays_in_predict():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.repeat([0, 1], [48, 12])
    frame = pd.DataFrame(X)
    by_frame = iCostEnsemble(**SMALL).fit(frame, y)
    np.testing.assert_array_equal(by_frame.predict_proba(X), by_frame.predict_proba(frame))
    by_array = iCostEnsemble(**SMALL).fit(X, y)
    np.testing.assert_array_equal(by_array.predict_proba(frame), by_array.predict_proba(X))


def test_constant_scores_give_the_share_of_the_classes(data):
    X, y = data
    stump = DecisionTreeClassifier(min_samples_leaf=1000)
    model = iCostEnsemble(stump, members=("plain",), random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], (y == "ill").mean(), rtol=1e-2)
    assert set(model.predict(X)) == {"well"}


@pytest.mark.parametrize("n_splits", [3, 5])
def test_scores_that_tell_nothing_call_nobody_minority(n_splits):
    # Noise in one column: the means of equal probabilities differ by rounding from table to table.
    n_flat = 0
    for seed in range(14):
        rng = np.random.RandomState(seed)
        X, y = rng.normal(size=(41, 1)), np.repeat([0, 1], [36, 5])
        model = iCostEnsemble(
            LogisticRegression(), members=("plain",) * 4, n_splits=n_splits, random_state=0
        ).fit(X, y)
        proba = model.predict_proba(X)[:, 1]
        if np.ptp(proba) < 1e-12:
            n_flat += 1
            assert not model.predict(X).any()
    assert n_flat > 0


def test_progress_is_shown_if_wanted(data, capsys):
    iCostEnsemble(LogisticRegression(), verbose=1, **SMALL).fit(*data)
    assert "6/6" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"members": ("smite",)}, "a member must be .*, got 'smite': did you mean 'smote'"),
        ({"members": ()}, "members must be a sequence of treatments"),
        ({"members": "plain"}, "members must be a sequence of treatments"),
        ({"members": (iCost(LogisticRegression()),)}, "must have base_classifier=None"),
        ({"n_splits": 1}, "n_splits must be a whole number >= 2, got 1"),
        ({"threshold": "best"}, "threshold must be 'stable', 'cost', a number, or limits such as"),
        ({"threshold": "recal>=0.8"}, r"got 'recal>=0.8'. Did you mean 'recall'\?"),
        ({"threshold": "recall>=1.2"}, "recall must be a finite number > 0 and < 1, got 1.2"),
        ({"threshold": 2.0}, "a rule that is a number must be a finite number >= 0 and <= 1, got"),
        ({"confidence": 1.0}, "confidence must be a finite number > 0 and < 1, got 1.0"),
        ({"threshold": "cost", "cost_fn": [1.0, 2.0]}, "cost_fn must be a number in the construct"),
        ({"threshold": "cost"}, "threshold='cost' needs cost_fn"),
        ({"cost_fn": 2.0}, "cost_fn needs threshold='cost', got 'stable'"),
        ({"scoring": 3}, "scoring must be a name or a scorer, got 3"),
        (
            {"base_classifier": "best"},
            "base_classifier, unless it is 'blend', must be a classifier, got",
        ),
        ({"refit": "yes"}, "refit must be True, False or 'auto', got 'yes'"),
        ({"recalibrate": 1}, "recalibrate must be True or False, got 1"),
        ({"base_classifier": []}, "must name at least one classifier, got none"),
        (
            {"base_classifier": Perceptron(), "calibrate": False},
            r"must have predict_proba with calibrate=False, got Perceptron\(",
        ),
        ({"base_classifier": 3}, "base_classifier must be a classifier, got 3"),
        (
            {"base_classifier": LogisticRegression},
            "base_classifier must be a classifier, got <class",
        ),
        ({"base_classifier": Ridge()}, r"base_classifier must be a classifier, got Ridge\(\)"),
        (
            {"base_classifier": ["LR", "auto"]},
            "base_classifier must be a classifier, got the text 'LR'",
        ),
        (
            {"base_classifier": Mute()},
            r"decision_function or predict_proba, .* got Mute\(\), which has neither",
        ),
        ({"calibrate": "yes"}, "calibrate must be True or False, got 'yes'"),
        ({"preprocessor": 3}, "preprocessor must be 'auto', a transformer or None, got 3"),
        ({"scoring": "roc_auc"}, "scoring must go by predicted labels, got"),
        (
            {"scoring": make_scorer(lambda truth, found: np.array([0.5, 0.5]))},
            "scoring must give one number, got array",
        ),
        (
            {"scoring": make_scorer(lambda truth, found: np.nan)},
            "scoring must be a number for some thresholds, got NaN for all",
        ),
        (
            {"base_classifier": FrozenEstimator(GaussianNB())},
            "must be fitted to each part of the rows, got one that is frozen",
        ),
        (
            {"base_classifier": make_pipeline(StandardScaler(), FrozenEstimator(GaussianNB()))},
            "must be fitted to each part of the rows, got one that is frozen",
        ),
        (
            {"base_classifier": LogisticRegression(class_weight={"sick": 2.0})},
            "a label in class_weight must be one of the classes .*, got 'sick'",
        ),
    ],
)
def test_bad_parameters_get_one_sentence(data, options, message):
    options = {"base_classifier": LogisticRegression(), **options}
    model = iCostEnsemble(**options)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(*data)
    assert get_tags(model).estimator_type == "classifier"


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (
            np.append(np.arange(399.0), np.nan),
            r"groups must not be missing, got 1 of 400 .* row 400",
        ),
        ([None] * 400, "groups must not be missing, got 400 of 400 .* row 1"),
        (np.zeros((400, 2)), r"one group for each of the 400 rows, got an array of shape \(400, 2"),
        (np.zeros(3), r"one group for each of the 400 rows, got an array of shape \(3,\)"),
    ],
)
def test_bad_groups_get_one_sentence(data, groups, message):
    with pytest.raises(ValueError, match=message):
        iCostEnsemble(LogisticRegression(), **SMALL).fit(*data, groups=groups)


def test_groups_may_have_names_of_several_kinds(data):
    groups = np.array([i // 8 if i % 16 else f"g{i // 8}" for i in range(400)], dtype=object)
    model = iCostEnsemble(LogisticRegression(), **SMALL).fit(*data, groups=groups)
    assert model.threshold_interval_[0] < model.threshold_interval_[1]


def test_an_empty_table_gets_one_sentence():
    for X in ([], np.empty((0, 3)), np.empty((3, 0))):
        with pytest.raises(ValueError, match="X must have at least one (row|column), got"):
            iCostEnsemble(LogisticRegression(), **SMALL).fit(X, [0, 1, 1][: len(X)])


def test_tags_follow_what_the_members_need():
    def inputs(*bases, **options):
        return get_tags(iCostEnsemble(*bases, **options)).input_tags

    assert inputs().allow_nan and inputs().string and inputs().sparse
    tree, booster = DecisionTreeClassifier(), HistGradientBoostingClassifier()
    assert inputs(booster).allow_nan and not inputs(LogisticRegression()).allow_nan
    assert (
        inputs([tree, booster]).allow_nan and not inputs([LogisticRegression(), booster]).allow_nan
    )
    # An iCost without a base looks at rows in a space of its own: the base decides.
    assert inputs(booster, members=("plain", iCost())).allow_nan
    assert not inputs(booster, members=("plain", iCost(preprocessor=None))).allow_nan
    assert not inputs(booster, members=("neighbor",), preprocessor=None).allow_nan
    assert inputs(booster, members=("smote", "cs")).allow_nan


def test_groups_widen_the_intervals(data):
    X, y = data
    # Each row eight times over, as patients who came eight times.
    many, labels, groups = np.repeat(X, 8, axis=0), np.repeat(y, 8), np.repeat(np.arange(400), 8)
    model = iCostEnsemble(LogisticRegression(), members=("plain",), n_splits=3, random_state=0)

    def widths(**options):
        own = model.fit(many, labels, **options)
        score = own.oof_score_["mcc"]
        return score["high"] - score["low"], np.subtract(*own.threshold_interval_[::-1])

    alone, together = widths(), widths(groups=groups)
    assert together[0] > 1.5 * alone[0] and together[1] > 1.2 * alone[1]


def test_a_column_that_is_text_in_one_row_only():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 15])
    column = (rng.integers(0, 5, 75) + y).astype(object)
    column[7] = "unknown"
    frame = pd.DataFrame({"a": rng.normal(size=75) + y, "b": column})
    model = iCostEnsemble(**SMALL).fit(frame, y)
    encoders = [member[0] for repeat in model.estimators_[0] for member in repeat]
    wanted = [ColumnType.NUMBER, ColumnType.LEVEL]
    assert all([c.type for c in encoder.types_.columns] == wanted for encoder in encoders)
    assert set(model.predict(frame)) == {0, 1}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_all_kinds_of_columns(library):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 15])
    day = np.array("2024-01-01", dtype="M8[ns]") + (
        rng.integers(0, 90, 75) + 30 * y
    ) * np.timedelta64(86_400_000_000_000, "ns")
    number = [None if i % 9 == 0 else float(v) for i, v in enumerate(rng.normal(size=75) + y)]
    word = [None if i % 11 == 0 else str(v) for i, v in enumerate(rng.choice(["u", "v"], 75))]
    flag = rng.random(75) < 0.2 + 0.6 * y
    frame = module.DataFrame({"day": day, "number": number, "word": word, "flag": flag})
    model = iCostEnsemble(**SMALL).fit(frame, y)
    assert set(model.predict(frame)) == {0, 1}
    assert model.oof_score_["mcc"]["value"] > 0.2


def test_sparse_tables(data):
    X, y = data
    sparse = csr_array(np.where(np.abs(X) > 0.5, X, 0))
    for base in (None, LogisticRegression(max_iter=1000)):
        model = iCostEnsemble(base, **SMALL).fit(sparse, y)
        dense = model.predict_proba(sparse.toarray()) if base is not None else None
        found = model.predict_proba(sparse)
        assert found.shape == (400, 2)
        if dense is not None:
            np.testing.assert_allclose(found, dense)


def test_one_minority_row_per_part():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 3])
    X = rng.normal(size=(63, 2)) + 3 * y[:, None]
    model = iCostEnsemble(LogisticRegression(), refit=False, random_state=0).fit(X, y)
    assert len(model.estimators_[0][0]) == 3 and model.predict(X[-3:]).sum() >= 2


def test_routed_weights_and_groups(data):
    # imbalanced-learn adds a method to scikit-learn's requests, so requests made before it is there
    # are not complete.
    pytest.importorskip("imblearn", reason="the extra `ensemble` is not installed")
    X, y = data
    weight, groups = np.where(y == "ill", 3.0, 1.0), np.arange(400) // 4
    own = iCostEnsemble(LogisticRegression(), **SMALL)
    with config_context(enable_metadata_routing=True):
        own.set_fit_request(sample_weight=True, groups=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, own)
        found = cross_validate(
            pipeline,
            X,
            y,
            cv=2,
            scoring=get_scorer("accuracy").set_score_request(sample_weight=True),
            params={"sample_weight": weight, "groups": groups},
            return_estimator=True,
        )
    half = found["estimator"][0][-1]
    assert half.oof_proba_[:, 0].mean() > 0.125


def test_a_quick_scorer_chooses_what_a_slow_one_does(data):
    X, y = data

    def slow(truth, found):
        return balanced_accuracy_score(truth, found)

    quick = iCostEnsemble(LogisticRegression(), scoring="balanced_accuracy", **SMALL).fit(X, y)
    same = iCostEnsemble(LogisticRegression(), scoring=make_scorer(slow), **SMALL).fit(X, y)
    assert quick.threshold_ == same.threshold_
    weight = np.linspace(0.5, 1.5, 400)
    with pytest.raises(ValueError, match="scorer that takes sample_weight where there are weights"):
        same.fit(X, y, sample_weight=weight)
    quick.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("is_text", [False, True])
def test_any_scorer_of_labels_moves_the_offsets_of_three_classes(three_classes, is_text):
    X, y = three_classes
    y = np.array(["a", "b", "c"])[np.unique(y, return_inverse=True)[1]] if is_text else y

    def slow(truth, found):
        return balanced_accuracy_score(truth, found)

    quick, same, by_mcc = (
        iCostEnsemble(LogisticRegression(), scoring=scoring, **SMALL).fit(X, y)
        for scoring in ("balanced_accuracy", make_scorer(slow), "mcc")
    )
    np.testing.assert_array_equal(quick.offsets_, same.offsets_)
    held_out = [
        balanced_accuracy_score(y, own.classes_[np.argmax(np.log(own.oof_proba_) + o, axis=1)])
        for own, o in ((quick, quick.offsets_), (by_mcc, by_mcc.offsets_), (quick, np.zeros(3)))
    ]
    assert held_out[0] >= max(held_out[1:]) - 1e-9
    assert quick.offsets_.any()
    with pytest.raises(ValueError, match="scorer that takes sample_weight where there are weights"):
        same.fit(X, y, sample_weight=np.linspace(0.5, 1.5, len(y)))


def test_scorers_are_asked_where_a_rare_class_is():
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.normal(0, 1, (392, 2)), rng.normal(8, 1, (8, 2))])
    y = np.repeat([0, 1], [392, 8])
    options = {"members": ("plain",), "n_splits": 2, "random_state": 0}
    for scoring in ("balanced_accuracy", balanced_accuracy_score):
        model = iCostEnsemble(GaussianNB(), scoring=scoring, **options).fit(X, y)
        assert model.oof_score_["mcc"]["value"] == 1.0


def test_a_metric_of_scikit_learn_is_as_good_as_its_scorer(data):
    X, y = data
    by_name, by_metric = (
        iCostEnsemble(GaussianNB(), scoring=scoring, **SMALL).fit(X, y)
        for scoring in ("balanced_accuracy", balanced_accuracy_score)
    )
    assert by_name.threshold_ == by_metric.threshold_


def test_a_scorer_may_be_undefined_for_some_thresholds(data):
    X, y = data

    def hits_per_alarm(estimator, X, y):
        alarms = np.sum((estimator.predict(X) == "ill") & (y != "ill"))
        return np.nan if alarms == 0 else np.sum(estimator.predict(X)[y == "ill"] == "ill") / alarms

    model = iCostEnsemble(GaussianNB(), scoring=hits_per_alarm, **SMALL).fit(X, y)
    assert 0 < model.threshold_ < 1


def test_weights_that_a_scorer_cannot_heed_are_told_before_the_fits(data):
    X, y = data

    class Never(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    scorer = make_scorer(lambda truth, found: float(np.mean(truth == found)))
    for weight in (np.linspace(0.5, 1.5, 400), np.where(y == "ill", 1e8, 2e8)):
        with pytest.raises(ValueError, match="takes sample_weight where there are weights"):
            iCostEnsemble(Never(), scoring=scorer, **SMALL).fit(X, y, sample_weight=weight)
    # Weights that are all the same ask nothing of it.
    plain, even = (
        iCostEnsemble(GaussianNB(), scoring=scorer, **SMALL).fit(X, y, sample_weight=weight)
        for weight in (None, [0.5] * 400)
    )
    assert even.threshold_ == pytest.approx(plain.threshold_)


def test_costs_and_numbers_by_label_are_meant_by_label(data):
    from imblearn.over_sampling import RandomOverSampler

    X, y = data
    options = {"n_splits": 2, "threshold": None, "calibrate": False, "random_state": 0}

    def n_ill(labels, base, members):
        wanted = np.where(y == "ill", *labels)
        model = iCostEnsemble(base, members=members, **options).fit(X, wanted)
        return int((model.predict(X) == labels[0]).sum())

    for labels in (("ill", "well"), (1, 2), (1, 0)):
        base = LogisticRegression(class_weight={labels[0]: 50})
        pipeline = make_pipeline(StandardScaler(), base)
        sampler = RandomOverSampler(sampling_strategy={labels[0]: 150})
        plain = n_ill(labels, LogisticRegression(), ("plain",))
        assert n_ill(labels, base, ("plain",)) > 1.2 * plain
        assert n_ill(labels, pipeline, ("plain",)) > 1.2 * plain
        assert n_ill(labels, LogisticRegression(), (sampler,)) > 1.1 * plain
        assert base.class_weight == {labels[0]: 50} and sampler.sampling_strategy == {
            labels[0]: 150
        }


def test_tables_that_a_sampler_cannot_take_are_told():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    from imblearn.over_sampling import SMOTE

    table = {"a": np.arange(40.0), "b": ["u", "v"] * 20}
    y = np.repeat([0, 1], [30, 10])
    model = iCostEnsemble(members=(SMOTE(),), n_splits=2)
    with pytest.raises(ValueError, match=r"got text that SMOTE\(\) cannot read .*'smote-half' can"):
        model.fit(pd.DataFrame(table), y)
    with pytest.raises(TypeError, match=r"got one of polars for SMOTE\(\): .* X.to_pandas\(\)"):
        model.fit(pl.DataFrame(table), y)
    with pytest.raises(ValueError, match="a member must be one of"):
        iCostEnsemble(members=(SMOTE,)).fit(pd.DataFrame(table), y)


def test_scores_of_pairs_of_classes_are_refused(three_classes):
    X, y = three_classes
    message = "must have a score for each class, got decision_function_shape='ovo'"
    for base in (
        SVC(decision_function_shape="ovo"),
        make_pipeline(SVC(decision_function_shape="ovo")),
    ):
        with pytest.raises(ValueError, match=message):
            iCostEnsemble(base, **SMALL).fit(X, y)


def test_a_search_over_a_pipeline_is_a_pipeline_too(data):
    X, y = data
    X = X * np.where(np.arange(X.shape[1]) < 10, 1e4, 1.0)
    pipeline = make_pipeline(StandardScaler(), GaussianNB())
    search = GridSearchCV(pipeline, {"gaussiannb__var_smoothing": [1e-9]}, cv=2)
    options = {**SMALL, "members": ("smote",)}
    alone, searched = (iCostEnsemble(base, **options).fit(X, y) for base in (pipeline, search))
    np.testing.assert_array_equal(alone.oof_proba_, searched.oof_proba_)


def test_one_row_of_a_class_is_too_few():
    X, y = np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [19, 1])
    with pytest.raises(ValueError, match="at least two rows of positive weight, got 1"):
        iCostEnsemble(LogisticRegression(), members=("plain",)).fit(X, y)


def test_groups_that_hold_a_whole_class_are_refused():
    X, y = np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [15, 5])
    with pytest.raises(ValueError, match="groups must leave rows of every class to learn from"):
        iCostEnsemble(LogisticRegression(), members=("plain",)).fit(X, y, groups=y)


def test_more_classes_than_two_have_no_single_threshold(three_classes):
    with pytest.raises(ValueError, match="by threshold=0.3, got 3 classes: use 'stable', None or"):
        iCostEnsemble(LogisticRegression(), threshold=0.3).fit(*three_classes)


def leaking_table(n_minority, noise=0.0):
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(80, int), np.ones(n_minority, int)]
    return np.c_[rng.normal(size=len(y)), 3.0 * y + noise * rng.normal(size=len(y))], y


def test_a_column_with_the_answer_is_warned_about():
    X, y = leaking_table(30)
    with pytest.warns(
        UserWarning, match=r"out-of-fold AUC is 1\.0000.*known only after the answer"
    ):
        iCostEnsemble(LogisticRegression(), n_splits=2, random_state=0).fit(X, y)


@pytest.mark.parametrize(("n_minority", "noise"), [(30, 1.5), (12, 0.0)])
def test_overlap_and_a_dozen_rows_show_no_leak(n_minority, noise):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "The out-of-fold AUC")
        warnings.filterwarnings("ignore", "Few rows of class")
        model = iCostEnsemble(LogisticRegression(), n_splits=2, random_state=0)
        model.fit(*leaking_table(n_minority, noise))


def test_the_types_of_columns_are_determined_once(monkeypatch):
    decided = []
    decide = _columns._decide

    def counted(column, options):
        decided.append(column.name)
        return decide(column, options)

    monkeypatch.setattr(_columns, "_decide", counted)
    rng = np.random.default_rng(0)
    number, text = rng.normal(size=300), rng.choice(list("abc"), 300)
    X = text.astype(object).reshape(-1, 1)
    model = iCostEnsemble(n_splits=3, random_state=0).fit(X, number > 1)
    assert sum(map(len, model.estimators_[0])) > 5
    # By the fit itself, and by none of its members.
    assert decided == ["0"]


def test_costs_per_row_are_scored_and_routed():
    X, y = make_classification(300, weights=[0.8], class_sep=1.5, random_state=0)
    amounts = np.linspace(0, 20, len(y))
    model = iCostEnsemble(GaussianNB(), members=("plain",), threshold="cost", random_state=0)
    fitted = clone(model).fit(X, y, cost_fn=amounts)
    right = fitted.predict(X, cost_fn=amounts) == y
    assert fitted.score(X, y, cost_fn=amounts) == pytest.approx(right.mean())
    assert fitted.score(X, y, amounts, cost_fn=amounts) == np.average(right, weights=amounts)
    with pytest.raises(ValueError, match=r"as it was to fit: predict\(X, cost_fn=amounts\)"):
        fitted.score(X, y)
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(cost_fn=True).set_score_request(cost_fn=True)
        scores = cross_validate(model, X, y, cv=3, params={"cost_fn": amounts})["test_score"]
    assert (scores > 0.6).all()


def test_a_notebook_shows_the_summary_of_an_ensemble():
    X, y = make_classification(200, weights=[0.8], class_sep=1.5, random_state=0)
    model = iCostEnsemble(GaussianNB(), members=("plain",), random_state=0).fit(X, y)
    page = model._repr_html_()
    assert escape(str(model.certificate_)) in page and "sk-container" in page


def test_a_cost_matrix_decides_about_three_classes():
    X, y = make_classification(300, n_informative=4, n_classes=3, random_state=0)
    matrix = [[0, 1, 1], [5, 0, 1], [20, 1, 0]]
    model = iCostEnsemble(LogisticRegression(), threshold=LeastCost(matrix), **SMALL).fit(X, y)
    least = np.argmin(model.predict_proba(X) @ np.array(matrix), axis=1)
    np.testing.assert_array_equal(model.predict(X), least)
    assert "costs where 2 is true: (20.0, 1.0, 0.0)" in model.summary()
    with pytest.raises(ValueError, match="shape \\(2, 2\\) for 3 classes"):
        model.set_params(threshold=LeastCost([[0, 1], [1, 0]])).fit(X, y)
