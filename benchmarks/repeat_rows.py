"""Run folds of a recorded study again, and tell whether their rows come out the same.

    python benchmarks/repeat_rows.py ensemble ecoli3:1:0 yeast4:2:2

A fold is a dataset, a repeat and a number. Matrices and scores are compared, times are not. Rows
are kept in single precision, so that scores may differ by as much.
"""

import argparse
import math
from pathlib import Path

from icost_reproduction.plan import load_plan
from icost_reproduction.rows import RowStore
from icost_reproduction.runner import missing_tasks
from icost_reproduction.trials import run_task

ROOT = Path(__file__).parents[1]
SCORES = ("roc_auc", "pr_auc", "brier", "log_loss", "oof_mcc", "oof_brier")


def differs(row, recorded):
    """Whether a row has another matrix or another score than the recorded one."""
    errors = [
        own if isinstance(own, str) else None for own in (row.get("error"), recorded["error"])
    ]
    if any(errors):
        return errors[0] != errors[1]
    if list(row["confusion"]) != list(recorded["confusion"]):
        return True
    pairs = ((row.get(name), recorded[name]) for name in SCORES)
    return any(
        not math.isclose(math.nan if own is None else own, old, rel_tol=1e-6, abs_tol=1e-6)
        for own, old in pairs
        if own is not None or not math.isnan(old)
    )


def repeat(plan, recorded, dataset, repeat, fold):
    """Return how many rows of a fold were run, and the names of those that differ."""
    known = recorded[
        (recorded["dataset"] == dataset)
        & (recorded["repeat"] == repeat)
        & (recorded["fold"] == fold)
    ]
    known = known.set_index(["classifier", "strategy"]).to_dict("index")
    tasks = missing_tasks(plan.select(datasets=[dataset]), recorded[:0], [dataset])
    task = next(task for task in tasks if (task.repeat, task.fold) == (repeat, fold))
    rows = run_task(task)
    wrong = [
        (row["classifier"], row["strategy"])
        for row in rows
        if differs(row, known[row["classifier"], row["strategy"]])
    ]
    return len(rows), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("fold", nargs="+", help="dataset:repeat:fold")
    parser.add_argument("--profile", default="honest")
    given = parser.parse_args()
    plan = load_plan(given.study, profile=given.profile)
    recorded = RowStore(ROOT / "results" / f"{given.study}-{given.profile}").read()
    for name in given.fold:
        dataset, number, fold = name.rsplit(":", 2)
        n_rows, wrong = repeat(plan, recorded, dataset, int(number), int(fold))
        print(f"{name}: {n_rows} rows, {len(wrong)} differ {wrong or ''}".rstrip())


if __name__ == "__main__":
    main()
