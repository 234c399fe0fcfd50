import numpy as np
import pandas as pd
import pytest

from icost import iCostEnsemble
from icost.comparison._fold_run import Setup, calibration_points, precision_recall_points, run_fold
from icost.strategies import Strategy, get_strategy
from icost.thresholds._certificate import cut_sentences


def test_a_fold_with_two_of_three_classes_is_scored_as_multiclass():
    codes = np.repeat([0, 1, 2], 6)
    X = pd.DataFrame(10.0 * np.eye(3)[codes], columns=["a", "b", "c"])
    # Of class 1, one row lies among class 0, so that the two recalls differ.
    X.loc[10] = X.loc[0]
    test = np.array([0, 1, 10, 11])
    train = np.setdiff1d(np.arange(len(codes)), test)
    (result,) = run_fold(
        X, codes, (train, test), 0, Setup("lr", {"ncs": get_strategy("ncs")}, n_classes=3)
    )
    assert result.predicted.tolist() == [0, 0, 0, 1]
    assert result.scores["sensitivity"] == pytest.approx((1 + 0.5) / 2)


def test_costs_and_groups_reach_the_strategies():
    seen = {}

    class Watching(iCostEnsemble):
        def fit(self, X, y, sample_weight=None, groups=None):
            seen["groups"] = groups
            return super().fit(X, y, sample_weight, groups)

    def build(base, **options):
        seen["costs"] = options["costs"]
        return Watching(base, members=("plain",))

    strategy = Strategy("mine", "Mine", "ensemble", build, supports_costs=True)
    codes = np.repeat([0, 1], [20, 10])
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    train, test = np.arange(0, 30, 2), np.arange(1, 30, 2)
    setup = Setup("lr", {"mine": strategy}, 2, costs=(5.0, 1.0), groups=np.arange(30) // 3)
    run_fold(X, codes, (train, test), 0, setup)
    assert seen["groups"].tolist() == (train // 3).tolist() and seen["costs"] == (5.0, 1.0)


def test_a_minority_that_sorts_first_is_scored_as_the_minority():
    codes = np.repeat([0, 1], [40, 12])
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(52, 2)) + codes[:, None])
    train, test = np.arange(0, 52, 2), np.arange(1, 52, 2)
    last, first = (
        run_fold(
            X,
            codes if minority else 1 - codes,
            (train, test),
            0,
            Setup("lr", {"cs": get_strategy("cs")}, 2, minority=minority),
        )[0]
        for minority in (1, 0)
    )
    assert last.predicted.tolist() == (1 - first.predicted).tolist()
    assert first.scores == pytest.approx(last.scores)
    np.testing.assert_allclose(first.proba, last.proba)


def test_numbers_of_rows_are_written_out():
    cut = {"found": 1.0, "threshold": 0.02, "false_alarms": 99.7, "alerts": 1000.0}
    first, second = cut_sentences([cut, cut | {"false_alarms": 0.456, "alerts": 12.4}])
    assert first.startswith("To find 100 of 100 (P ≥ 0.02), ")
    assert "100 false alarms per 100 others" in first and "1,000 alerts per 1,000 rows" in first
    assert "0.5 false alarms per 100 others" in second and "12 alerts per" in second


def test_points_of_curves():
    proba = np.array([0.1, 0.1, 0.8, 0.8])
    curve = calibration_points(np.array([False, False, False, True]), proba, n_bins=2)
    assert curve["predicted"] == [0.1, 0.8] and curve["observed"] == [0.0, 0.5]
    curve = precision_recall_points(np.array([False, True]), np.array([0.2, 0.9]))
    assert curve["recall"] == [1.0, 1.0, 0.0] and curve["precision"] == [0.5, 1.0, 1.0]
