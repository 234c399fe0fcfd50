"""The strategies of the studies: what controls control, what variants change."""

from importlib.metadata import entry_points

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import iCost
from icost.ensemble._treatments import MEMBERS
from icost.strategies._fitting import TrainingFold, fit_strategy, shared_target
from icost.strategies._registry import MEASURE_LABELS, build_weighted
from icost_reproduction.strategies import (
    N_REPEATS,
    STRATEGIES,
    RearrangedICost,
    get_strategy,
    permuted,
    same_total,
)


@pytest.fixture
def fold():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 15])
    return TrainingFold(rng.normal(size=(105, 3)) + 1.2 * y[:, None], y, random_state=7)


@pytest.fixture
def three_classes():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [50, 25, 10])
    return TrainingFold(rng.normal(size=(85, 3)) + y[:, None], y, n_classes=3)


def weights(fold, name):
    model = fit_strategy(get_strategy(name), SVC(), fold).model
    return getattr(model, "model_", model).sample_weight_


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_fits_as_it_does_alone(name, fold):
    base = DecisionTreeClassifier(max_depth=2, random_state=0)
    fitted = fit_strategy(get_strategy(name), base, fold)
    alone = get_strategy(name).build(base, minority_label=1, random_state=7).fit(fold.X, fold.y)
    np.testing.assert_array_equal(fitted.predict(fold.X), alone.predict(fold.X))
    assert fitted.scores(fold.X).shape == (105,)


@pytest.mark.parametrize("name", [n for n, s in STRATEGIES.items() if not s.binary_only])
def test_three_classes(name, three_classes):
    fitted = fit_strategy(get_strategy(name), DecisionTreeClassifier(max_depth=2), three_classes)
    assert set(fitted.predict(three_classes.X)) <= {0, 1, 2}


@pytest.mark.parametrize("measure", ["neighbor", "gini"])
def test_the_same_total_control_has_one_value(measure, fold):
    real, control = weights(fold, measure), weights(fold, f"{measure}-mean")
    assert control.sum() == pytest.approx(real.sum())
    assert len(np.unique(control[fold.y == 1])) == 1
    assert len(np.unique(real[fold.y == 1])) > 1
    np.testing.assert_array_equal(control[fold.y == 0], 1)


def test_the_permuted_control_has_the_same_weights_on_other_rows(fold):
    real, control = weights(fold, "neighbor"), weights(fold, "neighbor-permuted")
    np.testing.assert_array_equal(np.sort(real), np.sort(control))
    assert (real != control).any()
    np.testing.assert_array_equal(control[fold.y == 0], 1)


def test_penalties_are_rearranged_within_each_problem(three_classes):
    model = build_weighted(SVC(), method="neighbor")
    target, _ = shared_target(model, three_classes)
    for rearrange in (same_total, permuted):
        columns = RearrangedICost(model, rearrange).weight_columns(target)
        for column, problem in zip(columns, target.problems, strict=True):
            expected = problem.spread(problem.penalties(_costs(model)))
            assert column.sum() == pytest.approx(expected.sum())


def _costs(model):
    from icost.penalties import Costs

    return Costs.of(model)


def test_many_trees_are_tuned_by_halving(fold):
    forest = RandomForestClassifier(2, random_state=0)
    assert fit_strategy(get_strategy("tuned-neighbor"), forest, fold).note == "halving"
    assert fit_strategy(get_strategy("tuned-cs"), forest, fold).note == ""


def test_names_are_consistent():
    assert all(name == strategy.name for name, strategy in STRATEGIES.items())
    with pytest.raises(ValueError, match="got 'smoote': did you mean 'smote'"):
        get_strategy("smoote")
    assert len(MEMBERS) == N_REPEATS


@pytest.mark.parametrize("measure", MEASURE_LABELS)
@pytest.mark.parametrize("shape", ["both", "plausible"])
def test_plausible_weights_have_the_totals_of_their_control(measure, shape, fold):
    for scale in ("1", "0.3"):
        name = f"{measure}-{shape}-{scale}"
        one, other = weights(fold, name), weights(fold, get_strategy(name).control)
        for code in (0, 1):
            assert one[fold.y == code].sum() == pytest.approx(other[fold.y == code].sum())
        assert (len(set(one[fold.y == 0])) > 1) == (shape == "both")


@pytest.mark.parametrize("measure", MEASURE_LABELS)
def test_complexity_of_both_classes_serves_all_strategies_of_a_measure(measure, fold):
    names = [f"{measure}-both-1", f"{measure}-plausible-0.3", measure, f"{measure}-mean"]
    together = [weights(fold, name) for name in names]
    assert len([key for key in fold.shared if key[0] == "target"]) == 1
    for name, shared in zip(names, together, strict=True):
        alone = TrainingFold(fold.X, fold.y, random_state=7)
        np.testing.assert_array_equal(shared, weights(alone, name))


@pytest.mark.parametrize("way", ["ovo", "direct"])
@pytest.mark.parametrize("method", ["cs", "neighbor", "gini", "margin"])
def test_several_classes_are_learned_as_named(way, method, three_classes):
    model = iCost(SVC(), method=method, multiclass=way, preprocessor=None, random_state=0)
    model.fit(three_classes.X, three_classes.y)
    np.testing.assert_array_equal(weights(three_classes, f"{method}-{way}"), model.sample_weight_)


def test_tuned_strategies_stand_between_resamplers_and_thresholds():
    names = list(STRATEGIES)
    place = names.index("tomek")
    tuned = ["tuned-cs", "tuned-cs-81", "tuned-neighbor", "tuned-gini"]
    assert names[place + 1 : place + 6] == [*tuned, "threshold"]
    assert all(name == strategy.name for name, strategy in STRATEGIES.items())


def test_the_library_finds_them_as_an_entry_point():
    (entry,) = entry_points(group="icost.strategies")
    assert entry.load() is STRATEGIES


def test_an_unknown_name_comes_with_those_there_are():
    with pytest.raises(ValueError, match="got 'tuned': did you mean 'tuned-cs'"):
        get_strategy("tuned")
