import numpy as np
import pandas as pd
import pytest

from icost.comparison.fold_run import Setup, run_fold
from icost.strategies.registry import STRATEGIES, Strategy, get_strategy


def test_a_fold_with_two_of_three_classes_is_scored_as_multiclass():
    codes = np.repeat([0, 1, 2], 6)
    X = pd.DataFrame(10.0 * np.eye(3)[codes], columns=["a", "b", "c"])
    # Of class 1, one row lies among class 0, so that the two recalls differ.
    X.loc[10] = X.loc[0]
    test = np.array([0, 1, 10, 11])
    train = np.setdiff1d(np.arange(len(codes)), test)
    (result,) = run_fold(X, codes, (train, test), 0, Setup("lr", ("ncs",), n_classes=3))
    assert result.predicted.tolist() == [0, 0, 0, 1]
    assert result.scores["sensitivity"] == pytest.approx((1 + 0.5) / 2)


def test_costs_and_groups_reach_the_strategies(monkeypatch):
    seen = {}

    def fitter(base, fold):
        seen.update(groups=fold.groups, costs=fold.costs)
        return get_strategy("ncs").fit(base, fold)

    own = Strategy("own", "Own", "alternative", fitter)
    monkeypatch.setitem(STRATEGIES, "own", own)
    codes = np.repeat([0, 1], [20, 10])
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    train, test = np.arange(0, 30, 2), np.arange(1, 30, 2)
    setup = Setup("lr", ("own",), 2, costs=(5.0, 1.0), groups=np.arange(30) // 3)
    run_fold(X, codes, (train, test), 0, setup)
    assert seen["groups"].tolist() == (train // 3).tolist() and seen["costs"] == (5.0, 1.0)
