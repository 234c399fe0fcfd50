"""Strategies: what they build, what they share, samplers that cannot sample."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import iCost, iCostEnsemble
from icost._core.statistics import SAMPLERS, resample
from icost.complexity._methods import MEASURES
from icost.strategies import Strategy, get_strategy, list_strategies
from icost.strategies import _fitting as fitting_module
from icost.strategies._estimators import CLASSIFIERS
from icost.strategies._fitting import TrainingFold, fit_estimator, fit_strategy, shared_target
from icost.strategies._registry import STRATEGIES, further_strategies


@pytest.fixture
def fold():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 15])
    X = rng.normal(size=(105, 3)) + 1.2 * y[:, None]
    return TrainingFold(X, y, random_state=7, costs=(5.0, 1.0))


@pytest.fixture
def three_classes():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [50, 25, 10])
    return TrainingFold(rng.normal(size=(85, 3)) + y[:, None], y, n_classes=3)


@pytest.fixture
def small_blend(monkeypatch):
    bases = {name: CLASSIFIERS[name].make(0) for name in ("lr", "nb")}
    monkeypatch.setattr("icost.strategies._registry.automatic_bases", lambda: bases)


def build_and_fit(strategy, base, fold):
    model = strategy.build(
        base, minority_label=fold.minority, costs=fold.costs, random_state=fold.random_state
    )
    return model.fit(fold.X, fold.y)


@pytest.mark.parametrize("name", STRATEGIES)
def test_shared_work_changes_no_bit(name, fold, small_blend):
    base = DecisionTreeClassifier(max_depth=2, random_state=0)
    alone = build_and_fit(get_strategy(name), base, fold)
    for _ in range(2):  # the second time, all that can be shared is there
        fitted = fit_strategy(get_strategy(name), base, fold)
        np.testing.assert_array_equal(fitted.predict(fold.X), alone.predict(fold.X))
        np.testing.assert_array_equal(fitted.proba(fold.X), alone.predict_proba(fold.X))
        assert fitted.scores(fold.X).shape == (105,) and fitted.fit_time >= 0


@pytest.mark.parametrize("name", [s.name for s in list_strategies() if not s.binary_only])
def test_three_classes(name, three_classes, small_blend):
    base = DecisionTreeClassifier(max_depth=2, random_state=0)
    fitted = fit_strategy(get_strategy(name), base, three_classes)
    alone = build_and_fit(get_strategy(name), base, three_classes)
    np.testing.assert_array_equal(fitted.predict(three_classes.X), alone.predict(three_classes.X))
    assert set(fitted.predict(three_classes.X)) <= {0, 1, 2}


def test_what_strategies_share_is_computed_once(fold, monkeypatch):
    """Complexity once per measure, resampled rows once per sampler, each member once."""
    counts = {}

    def count(name, function):
        def counted(*args, **kwargs):
            counts[name] = counts.get(name, 0) + 1
            return function(*args, **kwargs)

        return counted

    monkeypatch.setattr(fitting_module, "estimate", count("complexity", fitting_module.estimate))
    monkeypatch.setattr("icost.strategies._estimators.resample", count("resampled", resample))
    names = ["ncs", "cs", "neighbor", "gini", "smote", "ros", "ensemble"]
    for base in (LogisticRegression(), DecisionTreeClassifier(random_state=0)):
        for name in names:
            fit_strategy(get_strategy(name), base, fold)
    # Plain and class-level costs need no measure, and share one target.
    assert counts == {"complexity": 3, "resampled": 2}
    store = fold.shared["members"][0]
    assert len(store.fitted) == 2 * 20


@pytest.mark.parametrize("method", ["ncs", "cs", "neighbor", "gini"])
def test_the_papers_strategies_are_those_of_the_estimator(method, fold):
    model = iCost(SVC(), method=method, minority_label=1, preprocessor=None, random_state=7)
    expected = model.fit(fold.X, fold.y).decision_function(fold.X)
    scores = fit_strategy(get_strategy(method), SVC(), fold).scores(fold.X)
    np.testing.assert_array_equal(scores, expected)


def test_class_weights_are_the_ratio_of_the_training_fold(fold):
    model = fit_strategy(get_strategy("cs"), SVC(), fold).model
    np.testing.assert_allclose(model.sample_weight_[fold.y == 1], 90 / 15)


def test_times_of_shared_work_are_charged_to_each(fold):
    first, second = (fit_strategy(get_strategy("neighbor"), SVC(), fold) for _ in range(2))
    assert first.weight_time == second.weight_time > 0
    assert first.counts == second.counts and sum(first.counts.values()) == 15
    assert first.costs["cfb"] == 1.25


@pytest.mark.parametrize("name", ["threshold", "threshold-cost"])
@pytest.mark.parametrize("minority", [0, 1])
def test_a_tuned_threshold_decides_by_the_scores_of_the_minority(name, minority, fold):
    y = fold.y if minority == 1 else 1 - fold.y
    model = get_strategy(name).build(
        LogisticRegression(), minority_label=minority, costs=(5.0, 1.0), random_state=7
    )
    model.fit(fold.X, y)
    score = model.predict_proba(fold.X)[:, minority]
    if name == "threshold-cost":
        assert model.threshold_ == pytest.approx(1 / 6)
    np.testing.assert_array_equal(model.predict(fold.X) == minority, score >= model.threshold_)


def test_too_few_minority_samples_lower_the_number_of_neighbours():
    result = resample(np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [16, 4]), "smote")
    assert result.note == "k lowered to 3"
    np.testing.assert_array_equal(np.bincount(result.y), [16, 16])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_two_minority_samples_are_enough_for_a_row(sampler):
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], [10, 2])
    assert set(np.unique(resample(X, y, sampler).y)) == {0, 1}


def test_an_adasyn_that_cannot_sample_leaves_the_fold_as_it_is():
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(100, 101, 8)]).reshape(-1, 1)
    fold = TrainingFold(X, np.repeat([0, 1], [20, 8]))
    result = resample(fold.X, fold.y, "adasyn")
    assert result.X is fold.X
    assert result.note.startswith("unsampled: ")
    fitted = fit_strategy(get_strategy("adasyn"), DecisionTreeClassifier(), fold)
    assert fitted.note == result.note


def test_a_constant_classifier_calls_nobody_minority(fold):
    # A stump that may not split predicts the same for all rows.
    stump = DecisionTreeClassifier(min_samples_leaf=100)
    result = fit_strategy(get_strategy("threshold"), stump, fold)
    assert result.note.startswith("threshold 0.14") and not result.predict(fold.X).any()


def test_names_are_consistent():
    assert all(name == strategy.name for name, strategy in STRATEGIES.items())
    assert all(name == classifier.name for name, classifier in CLASSIFIERS.items())
    assert not any(strategy.is_control for strategy in list_strategies())
    # "tree" is another name of "gini".
    names = [strategy.name for strategy in list_strategies()]
    assert [name for name in names if name in MEASURES] == [n for n in MEASURES if n != "tree"]
    assert len([name for name in names if name not in MEASURES]) == 18


def test_misspelt_names_get_a_suggestion():
    with pytest.raises(ValueError, match=r"no strategy 'smoote'; did you mean 'smote'\?"):
        get_strategy("smoote")
    with pytest.raises(ValueError, match="choose from ncs, cs"):
        get_strategy("xxxxxxx")


def test_installed_packages_may_bring_strategies(monkeypatch):
    class Entry:
        def load(self):
            return {"mine": Strategy("mine", "Mine", "peer", clone)}

    monkeypatch.setattr("icost.strategies._registry.entry_points", lambda group: [Entry()])
    further_strategies.cache_clear()
    assert get_strategy("mine").label == "Mine"
    assert "mine" not in [strategy.name for strategy in list_strategies()]
    further_strategies.cache_clear()


def test_offsets_find_more_of_the_rare_classes(three_classes):
    X, y = three_classes.X, three_classes.y
    plain, moved = (
        fit_strategy(get_strategy(n), LogisticRegression(), three_classes)
        for n in ("ncs", "offsets")
    )
    assert (moved.predict(X) == 2)[y == 2].sum() >= (plain.predict(X) == 2)[y == 2].sum()


def test_names_without_a_colon():
    with pytest.raises(ValueError, match="must not contain a colon, got 'lr:mine'"):
        Strategy("lr:mine", "Mine", "weighting", lambda base, **options: base)


@pytest.mark.parametrize(
    "options", [{"preprocessor": StandardScaler()}, {"method": "cs", "minority_label": 0}]
)
def test_only_equal_targets_are_shared(options, fold):
    scaled = replace(fold, X=fold.X * [1, 1, 50])
    first = {**options, "preprocessor": None, "minority_label": None}
    for params in (first, options):
        model = iCost(LogisticRegression(), **params)
        fitted = fit_estimator(model, scaled).model
        alone = clone(model).fit(scaled.X, scaled.y)
        np.testing.assert_array_equal(fitted.sample_weight_, alone.sample_weight_)


def test_members_of_weighted_pipelines_are_shared(fold):
    base = make_pipeline(StandardScaler(), LogisticRegression())
    options = {"members": ("plain", "cs"), "n_splits": 3, "random_state": 0}
    alone = iCostEnsemble(base, **options).fit(fold.X, fold.y)
    fitted = fit_estimator(iCostEnsemble(base, **options), fold)
    np.testing.assert_array_equal(fitted.proba(fold.X), alone.predict_proba(fold.X))


def test_what_weights_the_majority_is_not_given_a_target_without_it():
    rng = np.random.default_rng(0)
    fold = TrainingFold(rng.normal(size=(60, 2)), np.repeat([0, 1], [48, 12]))
    one, both = (
        iCost(LogisticRegression(), penalty="plausible", majority=name, preprocessor=None)
        for name in ("flat", "plausible")
    )
    assert shared_target(one, fold)[0].problems[0].other is None
    target = shared_target(both, fold)[0]
    assert target.problems[0].other is not None and shared_target(one, fold)[0] is target
