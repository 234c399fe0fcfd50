"""A comparison recommends nothing where nothing is better than guessing."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from icost._core.doubts import rank_sum, right_decisions
from icost.comparison import compare
from icost.comparison._fold_run import FoldResult
from icost.comparison._guessing import better_than_guessing, can_be_shown, p_value

OPTIONS = {"strategies": ["ncs", "cs"], "n_repeats": 1}


@pytest.fixture
def noise():
    rng = np.random.default_rng(3)
    return rng.normal(size=(300, 5)), rng.permutation(np.repeat(["well", "ill"], [262, 38]))


def test_nothing_is_recommended_on_noise(noise):
    result = compare(*noise, **OPTIONS)
    assert result.recommendation is None and result.to_dict()["recommendation"] is None
    assert result.verdict[0].startswith("Nothing here is better than guessing.")


def test_a_signal_is_recommended_with_what_to_expect(noise):
    X, y = noise
    X[:, 0] += 1.5 * (y == "ill")
    result = compare(X, y, **OPTIONS)
    assert result.recommendation == result.candidate
    assert "On new rows expect MCC" in result.recommendation["expectation"]
    assert "lead to the same choice" in result.recommendation["expectation"]


def test_the_rank_sum_has_the_moments_of_all_permutations():
    truth, score = np.array([True, True, False, False, False]), np.array([0.3, 0.1, 0.2, 0.2, 0.9])
    excess, variance = rank_sum(truth, score, None)
    draws = [rank_sum(np.array(p), score, None)[0] for p in set(permutations(truth))]
    assert np.mean(draws) == pytest.approx(0) and np.var(draws) == pytest.approx(variance)
    assert excess == pytest.approx(4 + 1 - 2 * 3)


def test_right_decisions_have_the_moments_of_all_permutations():
    truth, predicted = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 2])
    excess, variance = right_decisions(truth, predicted)
    draws = [(np.array(p) == predicted).sum() for p in permutations(truth)]
    assert np.mean(draws) == pytest.approx(3 - excess) and np.var(draws) == pytest.approx(variance)


def test_rows_of_a_group_count_once():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 40), rng.normal(size=40)
    groups = np.repeat(np.arange(40), 10)
    result = FoldResult("a", 0, {}, np.arange(400), np.zeros(400, dtype=int), None)
    many = [FoldResult(**{**vars(result), "ranking": np.repeat(score, 10)})]
    codes = np.repeat(truth, 10)
    one = [FoldResult("a", 0, {}, np.arange(40), np.zeros(40, dtype=int), None, ranking=score)]
    assert p_value(many, codes, groups) == pytest.approx(
        p_value(one, truth, np.arange(40)), abs=1e-9
    )
    assert abs(p_value(many, codes) - 0.5) > abs(p_value(many, codes, groups) - 0.5)


def test_constant_scores_are_guessing():
    result = FoldResult("a", 0, {}, np.arange(4), np.zeros(4, int), None, ranking=np.ones(4))
    assert p_value([result], np.array([0, 0, 1, 1])) == 1.0
    assert better_than_guessing({"a": [result]}, np.array([0, 0, 1, 1])) == set()


def test_each_strategy_is_tested_with_less_correction_than_the_one_before(monkeypatch):
    p_values = {"a": 0.04, "b": 0.01, "c": 0.03, "d": 0.012}
    monkeypatch.setattr("icost.comparison._guessing.p_value", lambda name, *_: p_values[name])
    by_name = {name: name for name in p_values}
    assert better_than_guessing(by_name, None) == {"b", "d"}
    assert better_than_guessing(by_name, None, n_tests=6) == set()


def _p_value_on_noise(number, n_columns):
    """Rank rows of each fold by the difference of class means on the other rows."""
    rng = np.random.default_rng(number)
    X, codes = rng.normal(size=(100, n_columns)), rng.permutation(np.repeat([0, 1], [80, 20]))
    results = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=number).split(X, codes):
        slope = X[train][codes[train] == 1].mean(axis=0) - X[train][codes[train] == 0].mean(axis=0)
        decided = np.zeros(len(test), dtype=int)
        results.append(FoldResult("a", 0, {}, test, decided, None, ranking=X[test] @ slope))
    return p_value(results, codes)


@pytest.mark.parametrize("n_columns", [1, 2, 8])
def test_folds_that_learn_from_each_other_do_not_raise_the_level(n_columns):
    p_values = np.array([_p_value_on_noise(number, n_columns) for number in range(400)])
    # With folds taken as independent, 9 to 13 % are below.
    assert np.mean(p_values <= 0.05) < 0.085


@pytest.mark.parametrize("n_classes", [2, 3])
def test_guesses_about_groups_count_groups(n_classes):
    rng, groups = np.random.default_rng(0), np.repeat(np.arange(30), 10)
    undercut = {"rows": 0, "groups": 0}
    for _ in range(200):
        labels, guessed = (rng.integers(0, n_classes, 30)[groups] for _ in range(2))
        ranking = guessed + rng.random(300) / 10 if n_classes == 2 else None
        result = FoldResult("", 0, {}, np.arange(300), guessed, None, ranking=ranking)
        undercut["rows"] += p_value([result], labels) < 0.05
        undercut["groups"] += p_value([result], labels, groups) < 0.05
    assert undercut["rows"] > 40 and undercut["groups"] <= 20


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_groups", [4, 40])
def test_a_perfect_model_of_few_groups_cannot_be_shown_to_be_one(n_classes, n_groups):
    codes = np.tile(np.arange(n_classes), 40)
    groups = np.arange(len(codes)) * n_groups // len(codes)
    guessed = np.zeros(len(codes), dtype=int)
    ranking = np.zeros(len(codes)) if n_classes == 2 else None
    result = FoldResult("a", 0, {}, np.arange(len(codes)), guessed, None, ranking=ranking)
    assert can_be_shown([result], codes, groups, 1, 0.0125) == (n_groups == 40)


def test_too_few_groups_are_called_so(noise):
    X, y = noise
    X[:, 0] += 5 * (y == "ill")
    few = compare(X, y, **OPTIONS, groups=np.arange(300) % 5)
    assert few.recommendation is None
    assert few.verdict[0].startswith("Class 'ill' has rows in 5 groups only: even a perfect model")
    # Many groups of one class do not make up for the few of the other.
    groups = np.where(y == "ill", np.arange(300) % 4, np.arange(300) + 4)
    assert "'ill' has rows in 4 groups only" in compare(X, y, **OPTIONS, groups=groups).verdict[0]
    assert compare(X, y, **OPTIONS, groups=np.arange(300) % 50).recommendation is not None


def test_guesses_are_not_final_where_classifiers_were_not_tried(noise):
    options = {"strategies": ["ncs", "cs"], "classifier": ["nb", "lr", "rf"], "n_repeats": 1}
    result = compare(*noise, **options, time_limit=0.2)
    assert result.recommendation is None and len(result.strategies) < 6
    assert result.verdict[0].startswith("Nothing that there was time for is better than guessing")
