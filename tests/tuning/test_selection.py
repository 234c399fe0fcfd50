import itertools

import numpy as np
import pytest

from icost.tuning._candidates import lexical_key, order_candidates, sum_of_costs, within_one_se
from icost.tuning._search_table import SearchTable
from icost.tuning._searches import select_candidate


def best(params, score, f1=1.0, g_mean=1.0, n_folds=None):
    """Return the position of the selected candidate, by its means on all or the first folds."""
    table = SearchTable([(np.array([0]), np.array([1]))] * 2)
    rows = table.add(params)
    for name, means in (("score", score), ("f1", f1), ("g_mean", g_mean), ("fit_time", 1.0)):
        table.columns[name][rows] = np.broadcast_to(means, len(rows))[:, np.newaxis]
    for row, count in enumerate(n_folds or ()):
        table.columns["fit_time"][row, count:] = np.nan
    return select_candidate(table, "best")


FOUR = [{"cfb": 1.5, "cfo": 0.1}, {"cfb": 1.0, "cfo": 0.3}, {"cfb": 1.2, "cfo": 0.1}, {"cfb": 1.0}]


@pytest.mark.parametrize(
    ("mcc", "f1", "g_mean", "expected"),
    [
        ([0.1, 0.2, 0.4, 0.3], 1.0, 1.0, 2),
        ([0.4, 0.4, 0.4, 0.3], [0.5, 0.6, 0.5, 0.9], 1.0, 1),
        ([0.4, 0.4, 0.4, 0.3], [0.6, 0.6, 0.5, 0.9], [0.8, 0.7, 0.9, 0.9], 0),
        ([0.4, 0.4, 0.3, 0.3], 1.0, 1.0, 1),  # costs 1.6 against 1.3
        ([0.4, 0.3, 0.3, np.nan], 1.0, 1.0, 0),
    ],
)
def test_each_step_of_the_tie_rule(mcc, f1, g_mean, expected):
    assert best(FOUR, mcc, f1, g_mean) == expected


def test_equal_sums_of_costs_are_told_apart_lexicographically():
    # Both sum to 1.3 (one of them to 1.2999999999999998); cfb comes first in the alphabet.
    params = [{"cfb": 1.2, "cfo": 0.1}, {"cfb": 1.0, "cfo": 0.3}]
    assert best(params, [0.4, 0.4]) == 1
    assert best(params[::-1], [0.4, 0.4]) == 0


def test_the_order_of_the_candidates_does_not_matter():
    mcc = [0.4, 0.4 + 1e-12, 0.4, 0.2]
    choices = [
        FOUR[order[best([FOUR[i] for i in order], [mcc[i] for i in order])]]
        for order in itertools.permutations(range(4))
    ]
    assert all(choice == choices[0] for choice in choices)


def test_several_best_come_in_order():
    assert order_candidates(FOUR, [[0.1, 0.3, 0.2, 0.4]], n_best=3) == [3, 1, 2]
    assert len(order_candidates(FOUR, [[0.1, 0.3, 0.2, 0.4]], n_best=9)) == 4


def test_values_of_any_kind_can_be_ordered():
    params = [{"method": "tree"}, {"method": None}, {"method": 3}, {"method": "cs"}]
    ordered = sorted(params, key=lexical_key)
    assert [p["method"] for p in ordered] == [3, None, "cs", "tree"]


def test_only_costs_are_summed():
    assert sum_of_costs({"icost__cfb": 1.0, "icost__scale": 0.5, "C": 7.0}) == 0.5


def test_one_standard_error():
    scores = np.array([[0.40, 0.60], [0.35, 0.46], [0.35, 0.44]])  # best 0.5, its error 0.1
    params = [{"cfb": 1.5}, {"cfb": 1.2}, {"cfb": 1.0}]
    assert within_one_se(params, scores, 0) == 1


def test_a_candidate_seen_on_fewer_folds_is_not_within_one_error():
    scores = np.array([[0.40, 0.60], [0.99, np.nan]])
    assert within_one_se([{"cfb": 1.5}, {"cfb": 1.2}], scores, 0) == 0


def test_final_penalties_count_as_costs():
    candidates = [{"cost_factor": {"cfb": value}} for value in (6.0, 4.0, 2.0)]
    assert [sum_of_costs(candidate) for candidate in candidates] == [6.0, 4.0, 2.0]
    scores = np.array([[0.4, 0.6], [0.4, 0.55], [0.1, 0.2]])
    assert within_one_se(candidates, scores, best=0) == 1


def test_candidates_that_were_dropped_early_cannot_be_the_best():
    assert best([{"cfb": 1.0}, {"cfb": 1.5}], [0.9, 0.6]) == 0
    assert best([{"cfb": 1.0}, {"cfb": 1.5}], [0.9, 0.6], n_folds=[1, 2]) == 1


def test_one_fold_has_no_standard_error():
    params, scores = [{"cfb": 1.5}, {"cfb": 1.0}], np.array([[0.5, np.nan], [0.4, np.nan]])
    assert within_one_se(params, scores, 0) == 0
    assert within_one_se(params, np.array([[0.5, np.nan], [0.5, np.nan]]), 0) == 1
