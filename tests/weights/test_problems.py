import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from icost._weights.problems import (
    Problem,
    decompose,
    estimate_complexity,
    estimate_target,
    minority_classes,
    one_vs_rest_confidence,
    one_vs_rest_proba,
    read_target,
    scale_rows,
)
from icost.complexity import Complexity, NeighborComplexity
from icost.penalties import Costs

X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [20.0]])
CODES = np.array([0, 0, 0, 0, 1, 2])


def fitted(base):
    return [base().fit(X, (code == CODES).astype(int)) for code in range(3)]


def test_two_classes_are_one_problem():
    (problem,) = decompose(np.array([0, 1, 0, 0]), 2)
    assert (problem.minority, problem.ratio) == (1, 3.0)
    assert problem.is_minority.tolist() == [False, True, False, False]


def test_a_named_minority_may_be_the_larger_class():
    (problem,) = decompose(np.array([0, 1, 0, 0]), 2, minority=0)
    assert (problem.minority, problem.ratio) == (0, 1 / 3)


def test_more_classes_are_a_problem_each_and_the_rarer_side_is_the_minority():
    problems = decompose(CODES, 3)
    assert [p.target.tolist() for p in problems] == [
        [1, 1, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 1],
    ]
    assert [(p.minority, p.ratio) for p in problems] == [(0, 2.0), (1, 5.0), (1, 5.0)]


def test_weights_count_in_the_ratio():
    problems = decompose(CODES, 3, sample_weight=np.array([1.0, 1, 1, 1, 4, 8]))
    assert [(p.minority, p.ratio) for p in problems] == [(1, 3.0), (1, 3.0), (1, 1.0)]


def test_complexity_is_that_of_each_problem_alone():
    measure = NeighborComplexity(2)
    together = estimate_complexity(measure, X, CODES, decompose(CODES, 3))
    for problem in together:
        alone = measure.estimate(X, problem.is_minority)
        assert problem.complexity.indices.tolist() == alone.indices.tolist()
        assert problem.complexity.category.tolist() == alone.category.tolist()


def test_complexity_of_some_rows_points_at_the_rows_of_the_whole():
    rows = np.array([0, 2, 4, 5])
    problems = decompose(CODES, 3)
    found = estimate_complexity(NeighborComplexity(1), X[rows], CODES[rows], problems, rows=rows)
    assert [problem.complexity.indices.tolist() for problem in found] == [[4, 5], [4], [5]]


@pytest.mark.parametrize(
    ("base", "method"),
    [
        (Perceptron, lambda model: model.decision_function(X)),
        (LogisticRegression, lambda model: model.decision_function(X)),
        (DecisionTreeClassifier, lambda model: model.predict_proba(X)[:, 1]),
    ],
)
def test_confidence_is_the_decision_function_or_else_the_probability(base, method):
    models = fitted(base)
    expected = np.column_stack([method(model) for model in models])
    np.testing.assert_array_equal(one_vs_rest_confidence(models, X), expected)


def test_confidence_without_either_is_the_prediction():
    class Hard:
        def __init__(self, model):
            self.predict = model.predict

    models = [Hard(model) for model in fitted(NearestCentroid)]
    expected = np.column_stack([model.predict(X) for model in models])
    np.testing.assert_array_equal(one_vs_rest_confidence(models, X), expected)


def test_probabilities_sum_to_one():
    proba = one_vs_rest_proba(fitted(LogisticRegression), X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_a_row_of_zeros_becomes_equal_probabilities():
    np.testing.assert_array_equal(scale_rows(np.zeros((1, 4))), [[0.25] * 4])


def test_weights_by_hand():
    record = Complexity([1, 4], ["border", "mixed"], [0.6, 0.25])
    problem = Problem(np.array([0, 1, 0, 0, 1, 0]), 1, 2.0, record)
    # border: 1.25 * 2; mixed: 0.75 * 0.75 * 2 + 0.25 * 1.25 * 2
    np.testing.assert_allclose(problem.weights(Costs()), [1, 2.5, 1, 1, 1.75, 1])
    np.testing.assert_allclose(problem.penalties(Costs(cfb=2.0)), [4.0, 2.125])
    np.testing.assert_array_equal(problem.weights(None), np.ones(6))


def test_without_complexity_the_whole_minority_weighs_the_same():
    problem = Problem(np.array([0, 1, 0, 0]), 1, 3.0)
    np.testing.assert_array_equal(problem.weights(Costs(scale=2.0)), [1, 6, 1, 1])
    assert problem.record(np.ones(4)) is None


def test_the_record_holds_the_penalties_that_the_weights_hold():
    record = Complexity([1, 2], ["safe", "outlier"], [0.2, 1.0])
    problem = Problem(np.array([0, 1, 1]), 1, 0.5, record)
    weights = problem.weights(Costs())
    np.testing.assert_array_equal(problem.record(weights).penalty, weights[[1, 2]])


def test_shares_are_computed_once(monkeypatch):
    calls = []
    from icost._weights import problems

    original = problems.penalty_shares
    monkeypatch.setattr(
        problems, "penalty_shares", lambda record: calls.append(1) or original(record)
    )
    problem = Problem(np.array([0, 1]), 1, 1.0, Complexity([1], ["safe"], [0.2]))
    for cfs in (0.5, 1.0, 2.0):
        assert problem.weights(Costs(cfs=cfs))[1] == cfs
    assert calls == [1]


def test_a_target_multiplies_the_users_weights():
    target = read_target(["a", "b", "a", "a"], sample_weight=[1, 2, 1, 1])
    assert target.problems[0].ratio == 1.5
    np.testing.assert_array_equal(target.weights(Costs()).ravel(), [1, 3, 1, 1])
    np.testing.assert_array_equal(target.weights(None).ravel(), [1, 2, 1, 1])


def test_rows_of_weight_zero_are_absent_from_the_complexity():
    table = np.array([[0.0], [1.0], [2.0], [50.0], [2.5]])
    target = read_target([0, 0, 0, 1, 1], sample_weight=[1, 1, 1, 0, 1])
    target = estimate_target(target, table, NeighborComplexity(1))
    assert target.problems[0].complexity.indices.tolist() == [4]


def test_minority_classes_of_two_and_of_three():
    binary = minority_classes(decompose(np.array([0, 1, 1]), 2), 2)
    assert [mask.tolist() for mask in binary] == [[True, False]]
    masks = minority_classes(decompose(CODES, 3), 3)
    assert [m.tolist() for m in masks] == [
        [False, True, True],
        [False, True, False],
        [False, False, True],
    ]


@pytest.mark.parametrize("step", [1, -1])
def test_classes_of_equal_weight_are_all_the_largest_whatever_the_order(step):
    # Added up from the left, 0.1 + 0.2 + 0.3 is more than 0.3 + 0.2 + 0.1.
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2])[::step]
    weight = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.1, 0.1])[::step]
    target = read_target(y, sample_weight=weight, multiclass="direct")
    assert target.problems[0].ratio[:2].tolist() == [1.0, 1.0]
    uniform = target.problems[0].weights(Costs(scale=0.5))
    np.testing.assert_allclose(uniform, np.where(y == 2, 0.5 * 3, 1.0))
