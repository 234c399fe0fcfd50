import numpy as np
import pandas as pd
import pytest

from icost._table._columns import plain_table, read_table
from icost.comparison import _running as running
from icost.comparison._fold_run import FoldResult, Setup, with_classifiers
from icost.comparison._running import FoldRun, Runner, Watcher
from icost.comparison._splits import make_splits
from icost.strategies import get_strategy

NAMES = ("ncs", "cs", "threshold", "neighbor", "gini", "margin")


@pytest.fixture(scope="module")
def mixed():
    """A table with numbers, text of many levels and gaps in both."""
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.repeat([0, 1], [160, 40]))
    table = pd.DataFrame(
        {
            "number": rng.normal(size=200) + codes,
            "few": rng.choice(["b", "a", "Z"], 200),
            "many": np.char.add("level ", rng.integers(0, 30, 200).astype(str)).astype(object),
            "other": np.exp(rng.normal(size=200)),
        }
    )
    table.loc[rng.random(200) < 0.1, "number"] = np.nan
    table.loc[rng.random(200) < 0.1, "many"] = np.nan
    return plain_table(table), codes


def _bits(results):
    assert results
    return [
        (r.strategy, r.fold, r.scores, r.predicted.tolist(), r.proba.tobytes()) for r in results
    ]


def _run(table, codes, names=NAMES, n_jobs=None, watch=lambda state: None, growth=None):
    splits = make_splits(codes, n_splits=3, n_repeats=1)
    setup = Setup("lr", {name: get_strategy(name) for name in names}, 2)
    runner = Runner(table, codes, splits, setup, n_jobs, Watcher(setup, growth, watch))
    runner.run()
    return runner.results


def test_what_strategies_share_changes_no_bit(mixed):
    """Each alone, on a table whose text is encoded anew in each fold, and all together."""
    table, codes = mixed
    names = [*NAMES, "smote", "ensemble"] if _has_imblearn() else NAMES
    alone = {name: _bits(_run(table, codes, [name])) for name in names}
    together = _bits(_run(read_table(table), codes, names))
    for name in names:
        assert [row for row in together if row[0] == name] == alone[name]


def _has_imblearn():
    from importlib.util import find_spec

    return find_spec("imblearn") is not None


@pytest.mark.parametrize("n_jobs", [2, "auto"])
def test_the_number_of_processes_changes_no_bit(mixed, n_jobs, monkeypatch):
    monkeypatch.setattr(running, "WORTH_PROCESSES", 0.0)
    assert _bits(_run(*mixed, n_jobs=n_jobs)) == _bits(_run(*mixed))


def test_a_short_comparison_starts_no_process(mixed, monkeypatch):
    monkeypatch.setattr(running, "_run_apart", None)
    monkeypatch.setattr(running, "effective_n_jobs", lambda n_jobs: 4)
    assert len(_run(*mixed, ["ncs"], n_jobs="auto")) == 3


def test_a_wrong_number_of_jobs(mixed):
    with pytest.raises(ValueError, match="n_jobs must be one of 'auto' or a whole number, got 'a'"):
        _run(*mixed, n_jobs="a")


def test_every_fit_is_told_with_what_leads(mixed):
    seen = []
    results = _run(*mixed, ["ncs", "cs", "gini"], watch=seen.append, growth=5.0)
    assert [(state.done, state.total) for state in seen] == [(n, 9) for n in range(1, 10)]
    # Times are known once a fold is through.
    assert [state.seconds_left is None for state in seen] == [True] * 2 + [False] * 7
    assert seen[-1].seconds_left == 0.0 and seen[2].seconds_for_all > 5 * seen[2].seconds_left
    means = {
        name: np.mean([r.scores["mcc"] for r in results if r.strategy == name])
        for name in ("ncs", "cs", "gini")
    }
    best = max(means, key=means.get)
    assert seen[-1].best == {"ncs": "Plain", "cs": "CS", "gini": "Gini-iCost"}[best]
    assert seen[-1].score == pytest.approx(means[best])


def test_the_total_of_two_stages_falls_and_never_rises(mixed):
    table, codes = mixed
    names, first = ("ncs", "threshold", "cs", "neighbor"), ("lr:ncs", "nb:ncs")
    runs = with_classifiers([get_strategy(name) for name in names], ("lr", "nb"))
    setup, seen = Setup("lr", runs, 2, first_stage=first), []
    splits = make_splits(codes, n_splits=3, n_repeats=2)
    Runner(table, codes, splits, setup, None, Watcher(setup, None, seen.append)).run()
    totals = [state.total for state in seen]
    assert totals[0] == (2 + 3) * 6 and totals == sorted(totals, reverse=True)
    assert all(state.done <= state.total for state in seen) and seen[-1].done == totals[-1]


def test_times_ahead_count_the_processes():
    seen = []
    watcher = Watcher(Setup("lr", {"ncs": get_strategy("ncs")}, 2), 3.0, seen.append)
    watcher.n_workers, watcher.n_planned = 2, 5
    rows = np.arange(3)
    watcher.finished(FoldRun([FoldResult("ncs", 0, {"mcc": 0.5}, rows, rows, None)], 10.0))
    # Four fits are left, two at a time; on all rows each of the five takes three times as long.
    assert (seen[0].seconds_left, seen[0].seconds_for_all) == (20.0, 75.0)
    assert (seen[0].best, seen[0].score) == ("Plain", 0.5)
