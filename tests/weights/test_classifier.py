import pickle
import re
from inspect import signature

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs, make_classification
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from icost import MILD, GiniComplexity, NeighborComplexity, iCost, instance_weights
from icost.complexity import _gini as gini

METHODS = ["ncs", "cs", "neighbor", "tree"]

X, y = make_classification(
    240, n_features=6, weights=[0.85], class_sep=0.7, flip_y=0.05, random_state=3
)
IR = (y == 0).sum() / (y == 1).sum()


def blobs():
    features, target = make_blobs(
        [120, 60, 30, 20], cluster_std=3.0, centers=None, random_state=0, n_features=3
    )
    return features, np.array(["d", "a", "c", "b"])[target]


# ---------------------------------------------------------------------------- weights


def test_weights_by_hand():
    # Minority points at 0, 1 and 10; IR = 2. Two nearest neighbours of 0: 1 (M), 2.1 (-): border;
    # of 1: 0 (M), 2.1 (-): border; of 10: 9.1 (-), 8 (-): outlier.
    table = np.array([0.0, 1.0, 10.0, 2.1, 3.3, 4.6, 6.0, 8.0, 9.1]).reshape(-1, 1)
    target = [1, 1, 1, 0, 0, 0, 0, 0, 0]
    weights = instance_weights(table, target, n_neighbors=2)
    np.testing.assert_allclose(weights, [2.5, 2.5, 0.4, 1, 1, 1, 1, 1, 1])


def test_plain_and_class_level_weights():
    assert instance_weights(X, y, "ncs").tolist() == [1.0] * len(y)
    np.testing.assert_allclose(instance_weights(X, y, "cs"), np.where(y == 1, IR, 1.0))
    np.testing.assert_allclose(
        instance_weights(X, y, "cs", scale=0.8), np.where(y == 1, 0.8 * IR, 1.0)
    )


@pytest.mark.parametrize("method", METHODS)
def test_the_kind_of_labels_changes_no_weight(method):
    kinds = [y, y + 1, 2 * y - 1, np.where(y == 1, "yes", "no"), y == 1, np.where(y, "a", "b")]
    weights = [instance_weights(X, labels, method, random_state=0) for labels in kinds]
    for other in weights[1:]:
        np.testing.assert_array_equal(other, weights[0])


def test_a_dictionary_of_costs_can_be_unpacked():
    direct = instance_weights(X, y, cfp=0.30, cfs=0.75, cfb=1.00, cfo=0.10)
    np.testing.assert_array_equal(instance_weights(X, y, **MILD), direct)


def test_final_penalties_win_over_multiples():
    costs = {"cfo": 0.1 * IR, "cfp": 0.5 * IR, "cfs": 1.0 * IR, "cfb": 1.25 * IR}
    multiples = instance_weights(X, y, cfo=0.1, cfp=0.5, cfs=1.0, cfb=1.25)
    np.testing.assert_allclose(instance_weights(X, y, cost_factor=costs), multiples)


def test_a_suspicious_cost_factor_draws_one_warning():
    with pytest.warns(UserWarning, match="the largest is 0.9 while") as caught:
        iCost(cost_factor={"cfo": 0.1, "cfb": 0.9}).fit(X, y)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("name", "meant"),
    [("min_samples_leaf", "tree_min_samples_leaf"), ("max_depth", "tree_max_depth")],
)
def test_a_name_that_the_paper_abbreviates_is_completed(name, meant):
    with pytest.raises(TypeError, match=f"no parameter {name!r}: did you mean {meant!r}"):
        iCost(method="tree", **{name: 5})
    with pytest.raises(TypeError, match="unexpected keyword argument 'min_leaf'"):
        iCost(min_leaf=5)


def test_complexity_is_kept_with_its_penalties():
    model = iCost(method="tree", random_state=0).fit(X, y)
    record = model.complexity_
    assert record.indices.tolist() == np.flatnonzero(y == 1).tolist()
    np.testing.assert_array_equal(record.penalty, model.sample_weight_[record.indices])
    assert sum(record.counts().values()) == (y == 1).sum()
    assert model.imbalance_ratio_ == pytest.approx(IR)
    assert model.minority_label_ == 1


def test_the_second_of_two_equal_classes_is_the_minority():
    model = iCost(method="cs").fit([[0.0], [1.0], [2.0], [3.0]], ["b", "a", "b", "a"])
    assert model.minority_label_ == "b"


def test_a_named_minority_may_be_the_larger_class():
    model = iCost(method="cs", minority_label=0).fit(X, y)
    np.testing.assert_allclose(model.sample_weight_, np.where(y == 0, 1 / IR, 1.0))


@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_one_minority_sample_works(method):
    target = np.zeros(len(X), dtype=int)
    target[7] = 1
    weights = instance_weights(X, target, method)
    assert weights[7] == pytest.approx(0.20 * (len(X) - 1))
    assert iCost(method=method).fit(X, target).predict(X).shape == (len(X),)


def test_constant_features_and_duplicates_work():
    table = np.zeros((30, 3))
    target = np.arange(30) < 6
    # All 29 others are tied for 5 places; 24 of them are majority: m = 5 * 24 / 29 = 4.1.
    np.testing.assert_allclose(instance_weights(table, target)[:6], 1.25 * 4)


def test_random_state_instances_are_accepted():
    model = iCost(method="tree", random_state=np.random.RandomState(0)).fit(X, y)
    assert model.predict(X).shape == y.shape


# ---------------------------------------------------------------------------- user weights


def test_user_weights_multiply_ours():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    ratio = weight[y == 0].sum() / weight[y == 1].sum()
    expected = np.where(y == 1, ratio, 1.0) * weight
    np.testing.assert_allclose(instance_weights(X, y, "cs", sample_weight=weight), expected)
    model = iCost(method="neighbor").fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        model.sample_weight_ / weight, instance_weights(X, y) * np.where(y == 1, ratio / IR, 1)
    )


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_zero_are_absent(method):
    weight = (np.arange(len(y)) % 4 > 0).astype(float)
    kept = weight > 0
    whole = instance_weights(X, y, method, sample_weight=weight, random_state=0)
    part = instance_weights(X[kept], y[kept], method, random_state=0)
    np.testing.assert_allclose(whole[kept], part)
    assert (whole[~kept] == 0).all()


def test_rows_of_weight_zero_do_not_shape_the_numeric_space():
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=60).astype(object), rng.choice(["a", "b"], 60)])
    target = np.arange(60) < 10
    weight = np.ones(60)
    weight[[20, 40]] = 0.0
    table[20, 0], table[40, 0] = 1e6, -1e6  # would squeeze the others into a point
    kept = weight > 0
    whole = instance_weights(table, target, sample_weight=weight)
    np.testing.assert_array_equal(whole[kept], instance_weights(table[kept], target[kept]))


# ---------------------------------------------------------------------------- objective


@pytest.mark.parametrize("method", METHODS)
def test_logistic_regression_minimises_equation_3(method):
    weights = instance_weights(X, y, method, random_state=0)
    sign = 2 * y - 1

    def loss(theta):
        margin = sign * (X @ theta[:-1] + theta[-1])
        log_loss = weights @ np.logaddexp(0, -margin)
        gradient = -weights * sign / (1 + np.exp(margin))
        return (
            log_loss + 0.5 * theta[:-1] @ theta[:-1],
            np.append(gradient @ X + theta[:-1], gradient.sum()),
        )

    best = minimize(loss, np.zeros(7), jac=True, method="BFGS", options={"gtol": 1e-8}).x
    base = LogisticRegression(tol=1e-10, max_iter=10_000)
    model = iCost(base, method=method, random_state=0).fit(X, y).estimator_
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), best, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_support_vector_machine_minimises_equation_6(method):
    weights = instance_weights(X, y, method, random_state=0)
    sign = 2 * y - 1
    model = iCost(SVC(kernel="linear", tol=1e-8), method=method, random_state=0).fit(X, y)

    def objective(w, b):
        return 0.5 * w @ w + weights @ np.maximum(0, 1 - sign * (X @ w + b))

    # Convex: what no small step in any direction improves is the minimum.
    w, b = model.estimator_.coef_[0], model.estimator_.intercept_[0]
    reached = objective(w, b)
    for step in np.random.default_rng(0).normal(size=(300, 7)) * 1e-3:
        assert objective(w + step[:-1], b + step[-1]) >= reached - 1e-6 * reached
    # Duality: at the minimum, w is the sum of dual coefficients times support vectors.
    dual = np.zeros(len(y))
    dual[model.estimator_.support_] = np.abs(model.estimator_.dual_coef_[0])
    assert reached == pytest.approx(dual.sum() - 0.5 * w @ w, rel=1e-5)
    assert (dual <= weights * (1 + 1e-9)).all()


# ---------------------------------------------------------------------------- bases


BASES = [
    LogisticRegression(),
    SVC(),
    LinearSVC(),
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(n_estimators=10, random_state=0),
    HistGradientBoostingClassifier(max_iter=10, random_state=0),
    GaussianNB(),
    make_pipeline(StandardScaler(), SVC()),
    make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), LogisticRegression())),
]


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
@pytest.mark.parametrize("method", ["cs", "neighbor", "tree"])
def test_every_base_is_fitted_with_our_weights(base, method):
    labels = np.where(y == 1, "rare", "common")
    model = iCost(base, method=method, random_state=0).fit(X, labels)
    weights = instance_weights(X, y, method, random_state=0)
    steps = {"Pipeline": "sample_weight"}
    expected = clone(base)
    if type(base).__name__ in steps:
        name = "svc__sample_weight"
        if "pipeline" in base.named_steps:
            name = "pipeline__logisticregression__sample_weight"
        expected.fit(X, 1 - y, **{name: weights})
    else:
        expected.fit(X, 1 - y, sample_weight=weights)
    # "common" < "rare", so the codes are y itself; fitting 1 - y must give the mirrored answer.
    mirrored = np.where(expected.predict(X) == 0, "rare", "common")
    assert np.mean(model.predict(X) == mirrored) > 0.97
    for name in ("predict_proba", "decision_function", "predict_log_proba"):
        has = "predict_proba" if name == "predict_log_proba" else name
        assert hasattr(model, name) == hasattr(base, has), name
    if hasattr(base, "predict_proba"):
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert set(model.classes_) == {"common", "rare"}


def boosters():
    xgboost = pytest.importorskip("xgboost", reason="the extra `boosters` is not installed")
    lightgbm = pytest.importorskip("lightgbm", reason="the extra `boosters` is not installed")
    catboost = pytest.importorskip("catboost", reason="the extra `boosters` is not installed")
    return {
        "xgboost": xgboost.XGBClassifier(n_estimators=10, n_jobs=1),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=10, n_jobs=1, verbose=-1),
        "catboost": catboost.CatBoostClassifier(
            iterations=10, thread_count=1, verbose=False, allow_writing_files=False
        ),
    }


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "catboost"])
def test_boosters_are_fitted_with_our_weights(name):
    base = boosters()[name]
    labels = np.where(y == 1, "rare", "common")
    model = iCost(base).fit(X, labels)
    expected = clone(base).fit(X, y, sample_weight=instance_weights(X, y))
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X))
    predicted = np.ravel(expected.predict(X))
    assert model.predict(X).tolist() == np.where(predicted == 1, "rare", "common").tolist()


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "catboost"])
@pytest.mark.parametrize("target", ["binary", "multiclass"])
def test_labels_of_an_eval_set_are_encoded(name, target):
    features, labels = (X, np.where(y == 1, "rare", "common")) if target == "binary" else blobs()
    base = boosters()[name]
    options = {"eval_set": [(features[::2], labels[::2])]}
    if name == "xgboost":
        options["verbose"] = False
    if "eval_y" in signature(base.fit).parameters:  # LightGBM's new way; it deprecates the old one
        options = {"eval_X": features[::2], "eval_y": labels[::2]}
    model = iCost(base).fit(features, labels, **options)
    assert model.score(features, labels) > 0.6


def test_a_base_with_its_own_class_weights_draws_a_warning():
    base = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    with pytest.warns(UserWarning, match="has logisticregression__class_weight='balanced' on top"):
        iCost(base, method="cs").fit(X, y)
    iCost(base, method="ncs").fit(X, y)


def test_the_fitted_base_works_without_us():
    model = iCost(SVC()).fit(X, np.where(y == 1, "rare", "common"))
    assert type(model.estimator_) is SVC
    assert (model.estimator_.predict(X) == (model.predict(X) == "rare")).all()


def test_the_base_given_is_left_alone():
    base = LogisticRegression()
    iCost(base).fit(X, y)
    assert not hasattr(base, "coef_")


# ---------------------------------------------------------------------------- multiclass


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "base", [LogisticRegression(), DecisionTreeClassifier(random_state=0), SVC()], ids=str
)
def test_multiclass_equals_one_vs_rest(method, base):
    features, labels = blobs()
    ours = iCost(base, method=method, random_state=0).fit(features, labels)
    theirs = OneVsRestClassifier(iCost(base, method=method, random_state=0)).fit(features, labels)
    assert ours.predict(features).tolist() == theirs.predict(features).tolist()
    for one, other in zip(ours.sample_weight_.T, theirs.estimators_, strict=True):
        np.testing.assert_allclose(one, other.sample_weight_)
    if hasattr(base, "predict_proba"):
        np.testing.assert_allclose(
            ours.predict_proba(features), theirs.predict_proba(features), atol=1e-12
        )
    if hasattr(base, "decision_function"):
        np.testing.assert_allclose(
            ours.decision_function(features), theirs.decision_function(features)
        )


def test_of_tied_classes_the_first_is_predicted():
    # Trees without depth limit are sure of themselves: many samples have two ones, or none.
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(90, 2)), rng.integers(0, 3, 90)
    model = iCost(DecisionTreeClassifier(random_state=0), method="cs").fit(features, labels)
    new = rng.normal(size=(200, 2))
    claims = np.column_stack([tree.predict(new) for tree in model.estimators_])
    assert {0, 2} <= set(claims.sum(axis=1))
    assert model.predict(new).tolist() == np.argmax(claims, axis=1).tolist()
    assert model.predict(new).tolist() == np.argmax(model.predict_proba(new), axis=1).tolist()


def test_the_rest_is_penalised_where_it_is_the_rarer_group():
    table = np.arange(10.0).reshape(-1, 1)
    labels = ["a"] * 6 + ["b"] * 2 + ["c"] * 2
    weights = instance_weights(table, labels, "cs")
    np.testing.assert_allclose(weights[:, 0], [1] * 6 + [1.5] * 4)
    np.testing.assert_allclose(weights[:, 1], [1] * 6 + [4] * 2 + [1] * 2)
    assert iCost().calculate_imbalance_ratio(labels).tolist() == [1.5, 4.0, 4.0]


def test_multiclass_attributes():
    features, labels = blobs()
    model = iCost(n_jobs=2).fit(features, labels)
    assert len(model.estimators_) == len(model.complexity_) == len(model.imbalance_ratio_) == 4
    assert model.sample_weight_.shape == (len(labels), 4)
    assert model.minority_label_ is None and not hasattr(model, "estimator_")
    assert iCost(method="cs").fit(features, labels).complexity_ is None
    model.fit(X, y)
    assert not hasattr(model, "estimators_")


# ---------------------------------------------------------------------------- in other tools


@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_weights_are_recomputed_in_every_training_fold(method):
    folds = StratifiedKFold(4)
    result = cross_validate(
        iCost(method=method, random_state=0), X, y, cv=folds, return_estimator=True
    )
    for (train, _), model in zip(folds.split(X, y), result["estimator"], strict=True):
        expected = instance_weights(X[train], y[train], method, random_state=0)
        np.testing.assert_array_equal(model.sample_weight_, expected)


def test_grid_search_reaches_everything():
    grid = [
        {"base_classifier__C": [0.1, 1.0], "cfb": [1.0, 1.25]},
        {"method": ["ncs", "cs", "tree"]},
        {"method": [NeighborComplexity()], "method__n_neighbors": [3, 7]},
        {"method": [GiniComplexity()], "method__cross_fit": [None, 3]},
    ]
    base = iCost(LogisticRegression(), random_state=0)
    search = GridSearchCV(base, grid, cv=2, scoring="matthews_corrcoef").fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == 11 and np.isfinite(scores).all() and len(set(scores)) > 4


def test_it_serves_in_scikit_learns_meta_estimators():
    model = make_pipeline(StandardScaler(), iCost(LogisticRegression()))
    for outer in (
        CalibratedClassifierCV(model, cv=2),
        TunedThresholdClassifierCV(model, cv=2, scoring="f1"),
        StackingClassifier([("icost", model)], cv=2),
    ):
        assert outer.fit(X, y).score(X, y) > 0.6, outer


def test_it_serves_in_imbalanced_learns_pipeline():
    imblearn = pytest.importorskip("imblearn", reason="imbalanced-learn is not installed")
    under = imblearn.under_sampling.RandomUnderSampler(sampling_strategy=0.5, random_state=0)
    model = imblearn.pipeline.make_pipeline(StandardScaler(), under, iCost()).fit(X, y)
    assert model[-1].imbalance_ratio_ == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("model", [iCost(), iCost(method="tree", random_state=0)], ids=str)
def test_a_fitted_model_survives_pickling(model):
    model = clone(model).fit(X, y)
    restored = pickle.loads(pickle.dumps(model))
    assert restored.predict(X).tolist() == model.predict(X).tolist()
    assert restored.complexity_.counts() == model.complexity_.counts()


@pytest.mark.parametrize("method", ["tree", "gini"])
def test_the_fast_probe_is_reached_by_a_name(method, monkeypatch):
    monkeypatch.setattr("icost.complexity._gini.FAST_PROBE_ROWS", 100)
    monkeypatch.setattr("icost.complexity._probe.SAMPLE_ROWS", 60)
    options = {"method": method, "random_state": 0}
    fast = instance_weights(X, y, **options, tree_probe="fast")
    by_object = GiniComplexity(probe="fast")
    expected = instance_weights(X, y, method=by_object, random_state=0)
    np.testing.assert_array_equal(fast, expected)
    grown = []
    grow = gini.grow_fast_probe
    monkeypatch.setattr(
        "icost.complexity._gini.grow_fast_probe", lambda *own: grown.append(1) or grow(*own)
    )
    iCost(**options).fit(X, y)
    assert not grown
    iCost(**options, tree_probe="fast").fit(X, y)
    assert grown


# ---------------------------------------------------------------------------- messages


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "knn"}, "method must be one of 'ncs', .* or a complexity object, got 'knn'"),
        ({"method": 3}, "or a complexity object, got 3"),
        ({"method": "cs", "scale": -1}, "scale must be a finite number >= 0"),
        ({"cfb": np.nan}, "cfb must be a finite number >= 0, got nan"),
        ({"cost_factor": {"cfx": 1}}, "cost_factor must have keys among"),
        ({"minority_label": 5}, "minority_label must be one of the classes 0, 1, got 5"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number >= 1, got 0"),
        ({"n_neighbors": 240}, "n_neighbors=240 needs at least 241 rows, got 240"),
        ({"method": "tree", "tau_out": 0.9}, "tau_out must be below tau_pure"),
        ({"method": "tree", "tree_max_depth": 0}, "max_depth must be a whole number >= 1"),
        ({"tree_probe": "quick"}, "tree_probe must be one of 'exact', 'fast', got 'quick'"),
        ({"tree_probe": "fast"}, "unless method is 'tree' or 'gini', got 'fast' with .*'neighbor'"),
        ({"method": "cs", "tree_probe": "fast"}, "got 'fast' with method='cs'"),
        (
            {"method": GiniComplexity(), "tree_probe": "fast"},
            r"method=GiniComplexity\(\); a GiniComplexity has a parameter probe of its own",
        ),
        ({"method": "ncs", "scale": -1}, "scale must be a finite number > 0, got -1"),
        ({"method": "ncs", "penalty": "none"}, "penalty must be one of 'categories', 'plausible'"),
        ({"preprocessor": "scale"}, "preprocessor must be 'auto', a transformer or None, got 'sca"),
        ({"preprocessor": 3}, "preprocessor must be 'auto', a transformer or None, got 3"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        iCost(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X, np.zeros(len(X))), "at least two classes, got only one class"),
        ((X, y[:-1]), "inconsistent numbers of samples"),
        ((np.where(X > 1, np.inf, X), y), "contains infinity"),
        ((X, y, np.ones(3)), r"one weight for each of the 240 rows, got .* shape \(3,\)"),
        ((X, y, -np.ones(len(y))), "finite and not negative, got -1"),
        ((X, y, np.full(len(y), np.nan)), "finite and not negative, got nan"),
        ((X, y, 1.0 - y), "a positive sample_weight, got zero for all of class 1"),
    ],
)
def test_bad_data_gets_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        iCost().fit(*arguments)


@pytest.mark.parametrize("base", [5, Ridge()])
def test_what_is_no_classifier_is_refused(base):
    wanted = re.escape(f"base_classifier must be a classifier, got {base!r}")
    with pytest.raises(TypeError, match=wanted):
        iCost(base).fit(X, y)


def test_a_base_that_predicts_only_once_it_is_fitted():
    stack = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2))], cv=2)
    assert set(iCost(stack).fit(X, y).predict(X)) <= set(y)


def test_a_base_that_scikit_learn_knows_nothing_of():
    class Own:
        def get_params(self, deep=True):
            return {}

        def fit(self, X, y, sample_weight=None):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    assert set(iCost(Own()).fit(X, y).predict(X)) == {0}


def test_minority_label_has_no_meaning_for_many_classes():
    with pytest.raises(ValueError, match="must be None for a multiclass target.*'a' with 4 classe"):
        iCost(minority_label="a").fit(*blobs())


def test_an_eval_set_with_a_new_label_is_refused():
    with pytest.raises(
        ValueError, match="a label of eval_set must be one of the classes 0, 1, got 7"
    ):
        iCost().fit(X, y, eval_set=[(X[:2], [0, 7])])


def test_sparse_and_single_precision_tables_give_the_same_weights():
    counts = np.random.default_rng(0).poisson(1.0, size=(len(y), 5)).astype(float)
    for method in ("neighbor", "tree"):
        expected = instance_weights(counts, y, method, random_state=0)
        for table in (csr_array(counts), counts.astype(np.float32), counts.astype(int)):
            np.testing.assert_array_equal(
                instance_weights(table, y, method, random_state=0), expected
            )
    assert iCost(LogisticRegression()).fit(csr_array(counts), y).predict(csr_array(counts)).any()


def test_a_base_with_an_array_of_class_weights_is_weighted_twice():
    class Weighted(DecisionTreeClassifier):
        def __init__(self, class_weights=None):
            super().__init__()
            self.class_weights = class_weights

    X, y = np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [15, 5])
    with pytest.warns(UserWarning, match="counted twice"):
        iCost(Weighted(np.array([1.0, 5.0]))).fit(X, y)


def test_coefficients_and_importances_of_the_base_are_reachable():
    from sklearn.datasets import make_classification
    from sklearn.feature_selection import RFE, SelectFromModel
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(120, 6, weights=[0.8], random_state=0)
    model = iCost(method="neighbor")
    assert not hasattr(model, "coef_")
    model.fit(X, y)
    np.testing.assert_array_equal(model.coef_, model.estimator_.coef_)
    np.testing.assert_array_equal(model.intercept_, model.estimator_.intercept_)
    assert not hasattr(model, "feature_importances_")
    assert RFE(model, n_features_to_select=2).fit(X, y).support_.sum() == 2
    tree = iCost(DecisionTreeClassifier(random_state=0), method="tree")
    assert SelectFromModel(tree).fit(X, y).get_support().any()
    assert not hasattr(tree.fit(X, y), "coef_") and hasattr(tree, "feature_importances_")
    several = iCost().fit(X, np.arange(120) % 3)
    with pytest.raises(AttributeError, match="coef_ is of one base, got 3: see estimators_"):
        several.coef_  # noqa: B018


def test_a_fit_that_fails_changes_no_label():
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], [15, 5])
    model = iCost(LogisticRegression(), n_neighbors=2).fit(X, np.where(y, "ill", "well"))
    model.set_params(base_classifier=LogisticRegression(C=-1))
    with pytest.raises(ValueError, match="C"):
        model.fit(X, np.where(y, "fraud", "fine"))
    assert set(model.predict(X)) == {"ill", "well"}
