"""Strategies: what they fit, what controls control, samplers that cannot sample."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import iCost
from icost.penalties import Costs
from icost.resampling import SAMPLERS, resample
from icost.strategies.classifiers import CLASSIFIERS
from icost.strategies.registry import MEASURE_LABELS, STRATEGIES, get_strategy
from icost.strategies.training_fold import TrainingFold
from icost.strategies.weighting import mean_matched, permuted, weight_columns


@pytest.fixture
def fold():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 15])
    return TrainingFold(rng.normal(size=(105, 3)) + 1.2 * y[:, None], y, random_state=7)


def columns(fold, method, rearrange=None):
    return weight_columns(fold.target(method)[0], Costs(), fold, rearrange)


@pytest.fixture
def three_classes():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [50, 25, 10])
    return TrainingFold(rng.normal(size=(85, 3)) + y[:, None], y, n_classes=3)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_fits_and_predicts_codes(name, fold):
    fitted = STRATEGIES[name].fit(DecisionTreeClassifier(max_depth=2, random_state=0), fold)
    assert set(fitted.predict(fold.X)) <= {0, 1}
    assert fitted.scores(fold.X).shape == (105,)
    assert fitted.fit_time >= 0


@pytest.mark.parametrize("name", [n for n, s in STRATEGIES.items() if not s.binary_only])
def test_three_classes(name, three_classes):
    fitted = STRATEGIES[name].fit(DecisionTreeClassifier(max_depth=2), three_classes)
    assert set(fitted.predict(three_classes.X)) <= {0, 1, 2}


@pytest.mark.parametrize("method", ["ncs", "cs", "neighbor", "gini"])
def test_the_papers_strategies_are_those_of_the_estimator(method, fold):
    model = iCost(SVC(), method=method, minority_label=1, preprocessor=None, random_state=7)
    expected = model.fit(fold.X, fold.y).decision_function(fold.X)
    scores = get_strategy(method).fit(SVC(), fold).scores(fold.X)
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("measure", ["neighbor", "gini"])
def test_the_mean_matched_control_has_the_same_total_and_one_value(measure, fold):
    (real,), (control,) = (columns(fold, measure, way) for way in (None, mean_matched))
    assert control.sum() == pytest.approx(real.sum())
    assert len(np.unique(control[fold.y == 1])) == 1
    assert len(np.unique(real[fold.y == 1])) > 1
    np.testing.assert_array_equal(control[fold.y == 0], 1)


def test_the_permuted_control_has_the_same_weights_on_other_samples(fold):
    (real,), (control,) = (columns(fold, "neighbor", way) for way in (None, permuted))
    np.testing.assert_array_equal(np.sort(real), np.sort(control))
    assert (real != control).any()
    np.testing.assert_array_equal(control[fold.y == 0], 1)


def test_class_weights_are_the_ratio_of_the_training_fold(fold):
    (column,) = columns(fold, "cs")
    np.testing.assert_allclose(column[fold.y == 1], 90 / 15)


def test_complexity_is_estimated_once(fold):
    first, seconds = fold.target("neighbor")
    second, again = fold.target("neighbor")
    assert first is second and seconds == again


def test_too_few_minority_samples_lower_the_number_of_neighbours():
    result = resample(np.arange(20.0).reshape(-1, 1), np.repeat([0, 1], [16, 4]), "smote")
    assert result.note == "k lowered to 3"
    np.testing.assert_array_equal(np.bincount(result.y), [16, 16])


def test_an_adasyn_that_cannot_sample_leaves_the_fold_as_it_is():
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(100, 101, 8)]).reshape(-1, 1)
    fold = TrainingFold(X, np.repeat([0, 1], [20, 8]))
    result = resample(fold.X, fold.y, "adasyn")
    assert result.X is fold.X
    assert result.note.startswith("unsampled: ")
    note = get_strategy("adasyn").fit(DecisionTreeClassifier(), fold).note
    assert note == result.note


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_two_minority_samples_are_enough_for_a_row(sampler):
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], [10, 2])
    assert set(np.unique(resample(X, y, sampler).y)) == {0, 1}


def test_a_constant_classifier_keeps_its_threshold(fold):
    # A stump that may not split predicts the same for all rows.
    stump = DecisionTreeClassifier(min_samples_leaf=100)
    assert "unmoved" in get_strategy("threshold").fit(stump, fold).note


def test_many_trees_are_tuned_by_halving(fold):
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(2, random_state=0)
    assert get_strategy("tuned-neighbor").fit(forest, fold).note == "halving"
    assert get_strategy("tuned-cs").fit(forest, fold).note == ""


def test_names_are_consistent():
    assert all(name == strategy.name for name, strategy in STRATEGIES.items())
    assert all(name == classifier.name for name, classifier in CLASSIFIERS.items())
    with pytest.raises(ValueError, match="a strategy must be one of 'ncs', .* got 'smoote'"):
        get_strategy("smoote")


@pytest.mark.parametrize("measure", MEASURE_LABELS)
@pytest.mark.parametrize("kind", ["both", "plausible"])
def test_plausible_weights_have_the_totals_of_their_control(measure, kind, fold):
    for scale, control in (("1", "cs"), ("0.3", "cs-0.3")):
        one, other = (
            get_strategy(name).fit(SVC(), fold).model.sample_weight_
            for name in (f"{measure}-{kind}-{scale}", control)
        )
        for code in (0, 1):
            assert one[fold.y == code].sum() == pytest.approx(other[fold.y == code].sum())
        assert (len(set(one[fold.y == 0])) > 1) == (kind == "both")


@pytest.mark.parametrize("measure", MEASURE_LABELS)
def test_complexity_of_both_classes_serves_all_strategies_of_a_measure(measure, fold):
    names = [f"{measure}-both-1", f"{measure}-plausible-0.3", measure, f"{measure}-mean"]
    together = [get_strategy(name).fit(SVC(), fold).model.sample_weight_ for name in names]
    assert [key for key in fold.shared if key[0] == "target"] == [
        ("target", measure, "ovr", "plausible")
    ]
    for name, weights in zip(names, together, strict=True):
        alone = TrainingFold(fold.X, fold.y, random_state=7)
        own = get_strategy(name).fit(SVC(), alone).model.sample_weight_
        np.testing.assert_array_equal(weights, own)


@pytest.mark.parametrize("way", ["ovo", "direct"])
@pytest.mark.parametrize("method", ["cs", "neighbor", "gini", "margin"])
def test_several_classes_are_learned_as_named(way, method, three_classes):
    fitted = get_strategy(f"{method}-{way}").fit(SVC(), three_classes)
    own = iCost(SVC(), method=method, multiclass=way, preprocessor=None, random_state=0)
    own.fit(three_classes.X, three_classes.y)
    np.testing.assert_array_equal(fitted.model.sample_weight_, own.sample_weight_)


def test_offsets_find_more_of_the_rare_classes(three_classes):
    X, y = three_classes.X, three_classes.y
    plain, moved = (
        get_strategy(n).fit(LogisticRegression(), three_classes) for n in ("ncs", "offsets")
    )
    assert moved.note.startswith("offsets ")
    assert (moved.predict(X) == 2)[y == 2].sum() >= (plain.predict(X) == 2)[y == 2].sum()
