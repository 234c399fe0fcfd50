import itertools

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from icost import iCost
from icost.tuning._candidates import (
    SCALE_FACTORS,
    SHAPES,
    draw_candidates,
    list_candidates,
    own_costs,
)


def test_the_papers_grid_is_exactly_the_81():
    expected = itertools.product(
        [0.10, 0.20, 0.30], [0.30, 0.50, 0.70], [0.75, 0.90, 1.10], [1.00, 1.25, 1.50]
    )
    found = [tuple(c[name] for name in ("cfo", "cfp", "cfs", "cfb")) for c in list_candidates()]
    assert len(found) == 81
    assert set(found) == set(expected)


def test_uniform_costs_are_among_the_scaled_ones():
    candidates = list_candidates("scale", "icost__")
    assert len(candidates) == len(SHAPES) * len(SCALE_FACTORS)
    uniform = [set(c.values()) for c in candidates if len(set(c.values())) == 1]
    assert sorted(value for (value,) in uniform) == list(SCALE_FACTORS)
    assert min(SCALE_FACTORS) == 0.05 and max(SCALE_FACTORS) == 1.5
    assert all(name.startswith("icost__") for name in candidates[0])


def test_lists_of_ones_own():
    grid = [{"method": ["cs"], "scale": [0.8, 1.0, 1.2]}, {"method": ["ncs"]}]
    assert len(list_candidates(grid)) == 4


@pytest.mark.parametrize(
    "values",
    [[make_pipeline(MinMaxScaler(), SVC())], [(5,), (5, 5)], [(1, 2), (3, 4)], np.array([1, 2])],
)
def test_values_may_be_sequences_themselves(values):
    assert len(list_candidates({"base_classifier": values})) == len(values)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("papers", "grid must be one of 'paper', 'scale'"),
        (3, "grid must be 'paper', 'scale', a dictionary of lists"),
        ({"cfb": 1.0}, "must be a list of values to try, got 1.0"),
        ({"cfb": []}, "must be a list of values to try"),
        ({"method": "tree"}, "must be a list of values to try, got 'tree'"),
        ({"cfb": np.ones((2, 2))}, "must be a list of values to try"),
        ({"cfb": loguniform(0.1, 1.0)}, "distributions need search="),
    ],
)
def test_other_grids_are_refused(grid, message):
    with pytest.raises(ValueError, match=message):
        list_candidates(grid)


def test_drawing_from_lists_repeats_nothing():
    drawn = draw_candidates("paper", "", 30, np.random.RandomState(0))
    assert len({tuple(sorted(c.items())) for c in drawn}) == 30
    assert draw_candidates("paper", "", 100, np.random.RandomState(0)) == list_candidates("paper")


def test_drawing_from_distributions():
    grid = {"cfb": loguniform(0.1, 2.0), "method": ["neighbor", "tree"]}
    drawn = draw_candidates(grid, "", 20, np.random.RandomState(0))
    assert len(drawn) == 20 and all(0.1 <= c["cfb"] <= 2.0 for c in drawn)


def test_costs_of_an_estimator_are_numbers_under_their_names():
    model = make_pipeline(MinMaxScaler(), iCost(SVC(), cfb=1.5, cost_factor=None))
    costs = own_costs(model)
    assert set(costs) == {f"icost__{name}" for name in ("cfp", "cfs", "cfb", "cfo", "scale")}
    assert costs["icost__cfb"] == 1.5
