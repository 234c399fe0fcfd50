"""Grids: the thinned ones are fair samples of the whole."""

from collections import Counter
from itertools import combinations

from icost.experiments.plan import load_plan
from icost.experiments.runner import run_plan
from icost.strategies.grids import GRIDS, ICOST_GRID, ICOST_GRID_9
from icost.tuning import PAPER_GRID


def test_each_two_levels_of_each_two_costs_meet_once():
    assert all(costs in ICOST_GRID for costs in ICOST_GRID_9)
    for one, other in combinations(PAPER_GRID, 2):
        met = Counter((costs[one], costs[other]) for costs in ICOST_GRID_9)
        assert len(met) == 9
        assert set(met.values()) == {1}


def test_rows_of_a_thinned_grid_stand_under_the_planned_name(tmp_path):
    entry = {"datasets": ["new-thyroid1"], "strategy": "grid-gini", "use": "grid-gini-9"}
    plan = load_plan(
        {
            "name": "mine",
            "datasets": ["new-thyroid1"],
            "strategies": ["grid-gini"],
            "classifiers": ["dt"],
            "protocol": {"n_repeats": 1, "n_splits": 2},
            "exceptions": [entry],
        }
    )
    rows = run_plan(plan, tmp_path, jobs=1)
    assert len(rows) == 2 * len(GRIDS["grid-gini-9"].settings)
    assert set(rows["strategy"]) == {"grid-gini"}
    assert set(rows["note"]) == {"as grid-gini-9"}
