import warnings
from itertools import chain, product

import numpy as np
import pytest

from icost._weights.problems import Problem
from icost.complexity import Complexity
from icost.penalties import (
    MILD,
    PAPER,
    PAPER_GRID,
    Costs,
    own_penalties,
    penalty_shares,
    sum_shares,
)
from icost.tuning._candidates import SCALE_FACTORS


def penalties_of(record, costs, ratio):
    return sum_shares(penalty_shares(record), costs) + own_penalties(record, ratio)


def test_the_papers_defaults_are_equation_12():
    assert dict(PAPER) == {"cfp": 0.50, "cfs": 0.75, "cfb": 1.25, "cfo": 0.20}
    assert dict(MILD) == {"cfp": 0.30, "cfs": 0.75, "cfb": 1.00, "cfo": 0.10}


def test_every_category_gets_its_penalty():
    record = Complexity(range(4), ["pure", "safe", "border", "outlier"], [0, 0.2, 0.6, 1])
    penalty = penalties_of(record, Costs().resolve(20.0), 20.0)
    np.testing.assert_allclose(penalty, [10.0, 15.0, 25.0, 4.0])


def test_a_mixed_leaf_interpolates_between_safe_and_border():
    # Equation 13 with s = 0.25 and IR = 8: 6 + (10 - 6) * 0.25.
    record = Complexity([0], ["mixed"], [0.25])
    np.testing.assert_allclose(penalties_of(record, Costs().resolve(8.0), 8.0), [7.0])


def test_shares_reproduce_the_penalties_for_any_costs():
    record = Complexity(range(5), ["pure", "safe", "border", "outlier", "mixed"], [0, 0, 0, 0, 0.9])
    candidates = np.random.default_rng(0).uniform(size=(7, 4))
    for costs in candidates:
        expected = penalties_of(record, dict(zip(PAPER, costs, strict=True)), 3.0)
        np.testing.assert_allclose(penalty_shares(record) @ costs, expected)


def test_a_category_with_its_own_cost_takes_nothing_else():
    record = Complexity([0, 1], ["border", "safe"], [0.6, 0.2], own_costs={"border": 2.0})
    assert penalty_shares(record)[0].tolist() == [0, 0, 0, 0]
    np.testing.assert_allclose(own_penalties(record, 5.0), [10.0, 0.0])
    np.testing.assert_allclose(penalties_of(record, Costs().resolve(5.0), 5.0), [10, 3.75])


def test_cost_factor_holds_final_penalties_and_wins():
    costs = Costs(cost_factor={"cfo": 3.0, "cfb": 0.0}).resolve(10.0)
    assert costs == {"cfp": 5.0, "cfs": 7.5, "cfb": 0.0, "cfo": 3.0}


def test_a_cost_factor_that_looks_like_multipliers_draws_a_warning():
    with pytest.warns(UserWarning, match=r"use the parameters cfo=0\.1, cfp=0\.3\."):
        Costs(cost_factor={"cfo": 0.1, "cfp": 0.3}).resolve(9.0)


@pytest.mark.parametrize("cost_factor", [{"cfo": 0.3, "cfb": 1.5}, PAPER])
def test_multiples_of_the_paper_as_final_weights_draw_a_warning(cost_factor):
    with pytest.warns(UserWarning, match="use the parameters cf"):
        Costs(cost_factor=cost_factor).resolve(3.1)


@pytest.mark.parametrize("ratio", [3.1, 9.0, 40.0, 130.0])
def test_costs_of_equation_12_as_parameters_draw_a_warning(ratio):
    products = {name: multiple * ratio for name, multiple in PAPER.items()}
    with pytest.warns(UserWarning, match=r"looks like a final weight: .* cost_factor=\{'cfb'"):
        Costs(cfb=products["cfb"]).resolve(ratio)
    with pytest.warns(UserWarning, match=r"use cost_factor=\{'cf.*'cf"):
        Costs(**products).resolve(ratio)


@pytest.mark.parametrize("ratio", [1.2, 3.1, 9.0, 130.0])
def test_no_value_of_the_grids_draws_a_warning(ratio):
    values = [*SCALE_FACTORS, *chain.from_iterable(PAPER_GRID.values())]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, value in product(PAPER, values):
            Costs(**{name: value}).resolve(ratio)
        Costs(cost_factor={name: 2 * ratio for name in PAPER}).resolve(ratio)


def test_small_penalties_on_balanced_data_draw_none():
    assert Costs(cost_factor={"cfo": 0.1}).resolve(1.5)["cfo"] == 0.1


@pytest.mark.parametrize("value", [-1, np.nan, np.inf, "much", None, True])
def test_costs_must_be_numbers(value):
    with pytest.raises(ValueError, match=r"cfb must be a finite number >= 0, got"):
        Costs(cfb=value).resolve(2.0)
    with pytest.raises(ValueError, match=r"cost_factor\['cfb'\] must be a finite number >= 0, got"):
        Costs(cost_factor={"cfb": value}).resolve(2.0)


def test_unknown_cost_keys_are_named():
    with pytest.raises(ValueError, match=r"keys among \['cfp', .*\], got 'cfx'"):
        Costs(cost_factor={"cfx": 1.0}).resolve(2.0)
    with pytest.raises(ValueError, match="dictionary of weights by category, such as .*, got 3"):
        Costs(cost_factor=3).resolve(2.0)


def test_majority_samples_weigh_one():
    record = Complexity([1, 3], ["safe", "safe"], [0.2, 0.2])
    problem = Problem(np.array([0, 1, 0, 1]), 1, 4.0, record)
    assert problem.spread(np.array([5.0, 6.0])).tolist() == [1, 5, 1, 6]
    assert Problem(np.array([0, 1]), 1, 4.0).weights(Costs()).tolist() == [1, 4]


class Model:
    def __init__(self, method, **params):
        self.method = method
        for name in ("cfp", "cfs", "cfb", "cfo", "scale", "cost_factor"):
            setattr(self, name, params.get(name, getattr(Costs(), name)))


def test_costs_are_those_of_a_model_and_a_plain_one_has_none():
    assert Costs.of(Model("neighbor", cfb=2.0)) == Costs(cfb=2.0)
    assert Costs.of(Model("cs", scale=0.8)).uniform(10.0) == 8.0
    assert Costs.of(Model("cs", scale=0.0)).uniform(10.0) == 0.0
    assert Costs.of(Model("ncs")) is None
    with pytest.raises(ValueError, match="scale must be a finite number > 0, got 0"):
        Costs.of(Model("neighbor", scale=0.0))


def test_costs_are_checked_where_they_are_used():
    costs = Costs(cfb=-1.0, scale=-2.0)
    with pytest.raises(ValueError, match="cfb must be a finite number >= 0, got -1"):
        costs.resolve(3.0)
    with pytest.raises(ValueError, match="scale must be a finite number >= 0, got -2"):
        costs.uniform(3.0)


@pytest.mark.equality
def test_a_penalty_does_not_depend_on_how_many_rows_are_weighed_at_once():
    # A matrix product rounds by the shape of its blocks; sums of columns cannot.
    rng = np.random.default_rng(0)
    score = rng.uniform(size=513)
    record = Complexity(np.arange(513), np.full(513, "mixed"), score)
    costs = {name: float(value) for name, value in zip(PAPER, rng.uniform(1, 30, 4), strict=True)}
    shares = penalty_shares(record)
    whole = sum_shares(shares, costs)
    for size in (1, 3, 8, 64, 100):
        parts = [sum_shares(shares[i : i + size], costs) for i in range(0, 513, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
    by_hand = [(1 - s) * costs["cfs"] + s * costs["cfb"] for s in score.tolist()]
    np.testing.assert_array_equal(whole, by_hand)
