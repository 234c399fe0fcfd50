"""Grids: the thinned ones are fair samples of the whole."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from icost_reproduction._internals import PAPER_GRID, TrainingFold, fit_strategy
from icost_reproduction.grids import GRIDS, ICOST_GRID, ICOST_GRID_9
from icost_reproduction.plan import load_plan
from icost_reproduction.runner import run_plan
from icost_reproduction.strategies import get_strategy

RESULTS = Path(__file__).parents[2] / "results"


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


def test_many_trees_are_tuned_by_halving():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 15])
    fold = TrainingFold(rng.normal(size=(105, 3)) + 1.2 * y[:, None], y, random_state=7)
    forest = RandomForestClassifier(2, random_state=0)
    assert fit_strategy(get_strategy("tuned-neighbor"), forest, fold).note == "halving"
    assert fit_strategy(get_strategy("tuned-cs"), forest, fold).note == ""


@pytest.mark.parametrize("classifier", ["svm", "xgb"])
def test_recorded_rows_of_searched_costs_repeat(classifier, tmp_path):
    if classifier == "xgb":
        pytest.importorskip("xgboost")
    recorded = pd.read_parquet(RESULTS / "tuning-published" / "rows" / "all.parquet")
    plan = load_plan("tuning", "published").select(
        datasets=["new-thyroid1"], classifiers=[classifier], strategies=["grid-cs", "grid-neighbor"]
    )
    rows = run_plan(plan, tmp_path, jobs=1)
    keys = ["dataset", "classifier", "strategy", "setting", "repeat", "fold"]
    both = rows.merge(recorded, on=keys, suffixes=("", "_recorded"))
    assert len(both) == len(rows) == 5 * (3 + 81)
    assert (both["confusion"].map(list) == both["confusion_recorded"].map(list)).all()
