"""How redraws of the rows are scored, and how the score of the choice is corrected by them."""

from statistics import NormalDist

import numpy as np
import pytest

from icost.comparison import compare
from icost.comparison._fold_run import FoldResult, Setup
from icost.comparison._selection import (
    _mcc,
    _mean_cost,
    corrected_choice,
    half_width,
    joint_quantile,
)
from icost.comparison._splits import Splits
from icost.strategies import get_strategy

CELLS = np.array([[[80.0, 4.0], [6.0, 10.0]]])  # false alarms are above, misses below the diagonal


def test_redraws_are_scored_by_what_misses_and_false_alarms_cost():
    costs = CELLS * [[2.0], [7.0]]  # cells in which rows count what their errors cost
    assert _mean_cost(CELLS, costs) == pytest.approx((7 * 6 + 2 * 4) / 100)
    assert _mean_cost(np.zeros((1, 2, 2)), np.zeros((1, 2, 2))).tolist() == [0.0]


def test_redraws_without_costs_are_scored_by_mcc():
    expected = (80 * 10 - 4 * 6) / np.sqrt(84 * 16 * 86 * 14)
    assert _mcc(CELLS) == pytest.approx(expected)


def guesses(costs=None):
    """Correct the choice among five strategies that guess, by one fold of 60 rows."""
    names = ["ncs", "cs", "neighbor", "smote", "ros"]
    codes = np.repeat([0, 1], [40, 20])
    metric = "mcc" if costs is None else "cost"
    predicted = np.random.default_rng(7).integers(2, size=(5, 60))
    by_name = {}
    for name, labels in zip(names, predicted, strict=True):
        cells = np.bincount(2 * codes + labels, minlength=4).reshape(1, 2, 2).astype(float)
        score = (
            _mcc(cells) if costs is None else _mean_cost(cells, cells * [[costs[1]], [costs[0]]])
        )
        scores = {metric: float(score[0])}
        by_name[name] = [FoldResult(name, 0, scores, np.arange(60), labels, None)]
    setup = Setup("lr", {name: get_strategy(name) for name in names}, 2, costs=costs)
    best = (max if costs is None else min)(names, key=lambda name: by_name[name][0].scores[metric])
    splits = Splits([(np.arange(60), np.arange(60))], 1, "", [])
    return corrected_choice(by_name, codes, splits, setup, best)[0]


def test_the_best_of_several_guesses_is_worse_than_its_score():
    found = guesses()
    assert found["raw"] > 0.1 and found["corrected"] < found["raw"] - 0.05
    assert -1 < found["low"] < 0 < found["high"] < 1
    assert found["low"] < found["corrected"] < found["high"]


def test_the_cheapest_of_several_guesses_costs_more_than_its_score():
    # A missed row costs 9 and a false alarm 3, so that guessing costs more than 1 per row.
    found = guesses(costs=(9.0, 3.0))
    assert found["corrected"] > found["raw"] + 0.05
    assert 1 < found["low"] < found["corrected"] < found["high"]


def test_an_interval_of_a_difference_by_hand():
    covariance = np.array([[4.0, 1.0], [1.0, 3.0]])  # the difference has variance 4 + 3 - 2 * 1
    assert half_width(covariance, 0, 1, 2.0) == pytest.approx(2 * np.sqrt(2 * 5.0))


def test_more_standard_errors_contain_several_differences_at_once():
    one = NormalDist().inv_cdf(0.975)
    two = NormalDist().inv_cdf((1 + np.sqrt(0.95)) / 2)  # for two that are independent
    covariance = np.diag([1.0, 0.0, 1.0, 0.0]) * 1e-4
    assert joint_quantile(covariance, [(0, 1)], 0.95) == pytest.approx(one, abs=0.05)
    assert joint_quantile(covariance, [(0, 1), (2, 3)], 0.95) == pytest.approx(two, abs=0.05)
    # Strategies that decide alike add nothing, and nothing else is left of these.
    assert joint_quantile(covariance, [(1, 3)], 0.95) == one


def test_what_to_expect_of_later_times_is_as_wide_as_times_differ():
    rng = np.random.default_rng(0)
    # From one time to the next, the class is seen well, hardly and well again.
    day, y = np.arange(600), rng.random(600) < 0.3
    X = (rng.normal(size=600) + y * np.where((day // 100) % 2, 3.0, 0.2)).reshape(-1, 1)
    options = {"strategies": ["ncs", "cs"], "n_repeats": 1}
    in_time, shuffled = compare(X, y, time=day, **options), compare(X, y, **options)
    widths = [found.selection["high"] - found.selection["low"] for found in (in_time, shuffled)]
    score = next(
        row["scores"]["mcc"]
        for row in in_time.strategies
        if row["name"] == in_time.candidate["name"]
    )
    assert widths[0] >= score["high"] - score["low"] - 1e-9 > 2 * widths[1]
