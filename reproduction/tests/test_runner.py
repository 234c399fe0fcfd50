"""Running: the same rows whatever the jobs, the interruptions and the way."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from icost_reproduction.plan import load_plan
from icost_reproduction.rows import KEY, SCHEMA, RowStore, slug
from icost_reproduction.runner import missing_tasks, run_plan

TINY = {
    "name": "tiny",
    "datasets": ["glass2", "new-thyroid1"],
    "strategies": ["cs", "neighbor", "gini-mean", "grid-cs", "smote"],
    "classifiers": ["lr", "dt"],
    "protocol": {"n_splits": 3},
}


def tiny(**changes):
    return load_plan(TINY | changes)


def without_times(rows):
    return rows.drop(columns=["fit_time", "weight_time", "cpu_time"]).assign(
        confusion=[tuple(matrix) if matrix is not None else () for matrix in rows["confusion"]]
    )


def assert_same_rows(first, second):
    pd.testing.assert_frame_equal(without_times(first), without_times(second))


@pytest.fixture(scope="module")
def rows():
    return run_plan(tiny())


def test_one_row_per_trial_and_setting(rows):
    # 2 sets x 3 folds x 2 classifiers x (4 strategies and 3 settings of a grid)
    assert len(rows) == 2 * 3 * 2 * (4 + 3)
    assert not rows.duplicated(list(KEY)).any()
    assert rows["error"].isna().all()
    assert list(rows.columns) == SCHEMA.names


def test_confusion_matrices_add_up_to_the_dataset(rows):
    part = rows[(rows["dataset"] == "glass2") & (rows["strategy"] == "cs")]
    part = part[part["classifier"] == "lr"]
    total = np.sum(part["confusion"].to_list(), axis=0)
    assert total[:2].sum() == 197 and total[2:].sum() == 17
    assert part[[c for c in rows if c.startswith("total_")]].sum().sum() == 17


def test_rows_do_not_depend_on_the_number_of_jobs(rows, tmp_path):
    assert_same_rows(run_plan(tiny(), tmp_path, jobs=2), rows)


def test_a_finished_study_is_one_file_and_is_not_run_again(rows, tmp_path):
    first = run_plan(tiny(), tmp_path)
    assert [path.name for path in (tmp_path / "rows").glob("*.parquet")] == ["all.parquet"]
    again = run_plan(tiny(), tmp_path)
    pd.testing.assert_frame_equal(
        first.drop(columns="confusion"), again.drop(columns="confusion")
    )  # times included
    assert_same_rows(first, rows)


def test_a_plan_can_grow(rows, tmp_path):
    run_plan(tiny().select(datasets=["glass2"], strategies=["cs", "smote"]), tmp_path)
    assert_same_rows(run_plan(tiny(), tmp_path), rows)


def test_the_plan_beside_the_rows_covers_all_of_them(tmp_path):
    run_plan(tiny(datasets=["glass2"], strategies=["cs"], classifiers=["lr"]), tmp_path)
    run_plan(tiny(datasets=["new-thyroid1"], strategies=["neighbor"], classifiers=["dt"]), tmp_path)
    kept = json.loads((tmp_path / "plan.json").read_text())
    assert kept["datasets"] == ["glass2", "new-thyroid1"]
    assert kept["strategies"] == ["cs", "neighbor"] and kept["classifiers"] == ["lr", "dt"]


def test_a_task_is_what_is_missing_of_a_fold(rows):
    assert list(missing_tasks(tiny(), rows, ["glass2"])) == []
    (task,) = missing_tasks(tiny(), rows.drop(index=0), ["glass2"])
    missing = task.trials[0]
    found = (task.dataset, missing.classifier, missing.strategy, task.repeat, task.fold)
    assert found == tuple(rows.loc[0, ["dataset", "classifier", "strategy", "repeat", "fold"]])


def test_another_protocol_needs_another_folder(tmp_path):
    few = {"strategies": ["cs"], "classifiers": ["dt"], "datasets": ["glass2"]}
    run_plan(tiny(**few), tmp_path)
    with pytest.raises(ValueError, match="come from another protocol"):
        run_plan(tiny(**few, protocol={"n_splits": 3, "scaler": "minmax"}), tmp_path)


def test_a_failing_trial_is_recorded_and_may_be_retried(tmp_path, monkeypatch):
    few = tiny(strategies=["cs", "neighbor"], classifiers=["dt"], datasets=["glass2"])
    with monkeypatch.context() as broken:
        broken.setattr("icost._weights.problems.estimate_complexity", lambda *a, **k: 1 / 0)
        failed = run_plan(few, tmp_path)
    errors = failed.loc[failed["strategy"] == "neighbor", "error"]
    assert (errors == "ZeroDivisionError: division by zero").all() and len(errors) == 3
    assert failed.loc[failed["strategy"] == "cs", "error"].isna().all()
    assert run_plan(few, tmp_path)["error"].notna().sum() == 3
    assert run_plan(few, tmp_path, retry=True)["error"].isna().all()


def test_a_dataset_that_cannot_be_had_is_skipped_with_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("ICOST_DATA", raising=False)
    monkeypatch.setattr("icost_reproduction.runner.load_table", _unavailable)
    plan = load_plan(
        TINY | {"kind": "multiclass", "datasets": ["HCV", "wine"], "strategies": ["cs"]}
    )
    rows = run_plan(plan.select(classifiers=["dt"]))
    assert set(rows["dataset"]) == {"wine"}
    assert capsys.readouterr().out == "Skipped HCV: no internet\n"


def _unavailable(*args):
    from icost.datasets import DatasetUnavailable

    raise DatasetUnavailable("no internet")


def test_a_file_of_the_user(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=60),
            "colour": rng.choice(["red", "blue"], 60),
            "ill": ["yes"] * 12 + ["no"] * 48,
        }
    )
    table.loc[3, "x"] = np.nan
    path = tmp_path / "mine.csv"
    table.to_csv(path, index=False)
    rows = run_plan(tiny(datasets=[str(path)], strategies=["cs"], classifiers=["lr"]))
    assert rows["error"].isna().all()
    assert np.sum(rows["confusion"].to_list(), axis=0)[2:].sum() == 12


def test_a_cut_off_line_costs_its_trial_only(rows, tmp_path):
    plan = tiny()
    run_plan(plan.select(datasets=["glass2"]), tmp_path)
    store = RowStore(tmp_path)
    (tmp_path / "rows" / "all.parquet").unlink(missing_ok=True)
    for path in (tmp_path / "rows").glob("part-*.parquet"):
        path.unlink()
    store.append("glass2", 0, 0, [])
    with store.journal("glass2", 0, 0).open("ab") as lines:
        lines.write(b'\n[{"dataset": "glass2", "class')
    assert_same_rows(run_plan(plan, tmp_path), rows)


def test_a_path_becomes_the_name_of_a_file():
    assert slug("tables/my set.csv") == "tables-my-set.csv"


SCRIPT = """
import json, sys
from icost_reproduction.plan import load_plan
from icost_reproduction.runner import run_plan
if __name__ == "__main__":
    run_plan(load_plan(json.loads(sys.argv[1])), sys.argv[2], jobs=int(sys.argv[3]))
"""


def n_finished(folder):
    """Trials that a killed run would leave behind, without reading them as the runner does."""
    journals = list((folder / "rows" / "unfinished").glob("*.jsonl"))
    # A dataset that is done has a file instead, which is more than any number of lines.
    n_files = len(list((folder / "rows").glob("*.parquet")))
    return 1000 * n_files + sum(path.read_bytes().count(b"\n[") for path in journals)


def test_ten_kills_at_random_moments_leave_no_trace_in_the_rows(rows, tmp_path):
    rng, n_killed_at_work = random.Random(0), 0
    for attempt in range(10):
        jobs = 1 + attempt % 2
        command = [sys.executable, "-c", SCRIPT, json.dumps(TINY), str(tmp_path), str(jobs)]
        process = subprocess.Popen(command, start_new_session=True)
        # Starting takes longer than the trials: wait for the first few, then strike at any time.
        wanted, before = rng.randint(0, 2), n_finished(tmp_path)
        while process.poll() is None and n_finished(tmp_path) < before + wanted:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.02))
        n_killed_at_work += process.poll() is None
        # Every other time the workers are left behind as orphans.
        (os.killpg if attempt % 4 < 2 else os.kill)(process.pid, signal.SIGKILL)
        process.wait()
    assert n_killed_at_work == 10
    assert len(RowStore(tmp_path).read()) > 0
    assert_same_rows(run_plan(tiny(), tmp_path), rows)


# distributed tries a port with a socket that it leaves to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_dask_gives_the_same_rows(rows, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        result = run_plan(tiny(), tmp_path, dask=cluster.scheduler_address)
    assert_same_rows(result, rows)


def test_a_run_whose_shell_has_ended_loses_no_trial(tmp_path, monkeypatch):
    parents = iter(range(1, 1000))
    monkeypatch.setattr("icost_reproduction.trials.os.getppid", lambda: next(parents))
    plan = load_plan("default").select(
        datasets=["glass2"], classifiers=["dt"], strategies=["ncs", "cs"]
    )
    assert len(run_plan(plan, tmp_path)) == 10
