"""Run the trials of a plan: in parallel, on a cluster, again after an interruption."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from icost.datasets import DatasetUnavailable, get_record
from icost_reproduction._internals import check_number, import_extra, write_whole
from icost_reproduction.plan import Plan, has_own_classifier, is_file
from icost_reproduction.preparation import load_table
from icost_reproduction.rows import KEY, OWN_CLASSIFIER, Row, RowStore, to_table, unique_rows
from icost_reproduction.trials import Task, Trial, run_task


def run_plan(
    plan: Plan,
    folder: str | os.PathLike[str] | None = None,
    *,
    jobs: int = 1,
    dask: str | None = None,
    retry: bool = False,
    progress: bool = False,
) -> pd.DataFrame:
    """Run what a plan has and a folder lacks.

    A trial fits one strategy with one classifier on one training fold and predicts the test fold.
    What is kept of it is one row: the confusion matrix, ranking metrics, times, and what it takes
    to repeat it. Metrics and tables are computed from rows later, so that a new question rarely
    needs a new run. Nothing is evaluated here; `reproduce` does both.

    Parameters
    ----------
    plan : Plan
        What to run.
    folder : path, default=None
        Where to keep the rows, and to look for those of earlier runs; None keeps nothing. Rows of
        another protocol in it are a ValueError. The number of repeats may differ: a plan may
        grow, and the rows that are there are not run again.
    jobs : int, default=1
        Number of processes. Each computes with one thread, since many small fits side by side are
        faster than one at a time on all cores.
    dask : str, default=None
        Address of a Dask scheduler that runs the trials instead; its workers need not see the
        folder.
    retry : bool, default=False
        Whether to run trials again that failed earlier.
    progress : bool, default=False
        Whether to show progress and time left.

    Returns
    -------
    pandas.DataFrame
        All rows of the folder, or those of this run, sorted by dataset, classifier, strategy,
        setting, repeat and fold. ``confusion`` is the matrix row by row: tn, fp, fn, tp.

    See Also
    --------
    load_plan : Make a plan.
    reproduce : Run studies and write their tables and verdicts.

    Notes
    -----
    Apart from times, rows do not depend on the number of jobs, nor on how often a run was
    interrupted: seeds come from the protocol, the repeat and the fold. Each trial is written as
    soon as it is done, so that a kill loses the trials under way and no more; on a cluster, the
    folds under way.

    A fit that raises does not stop the run. Its row has the exception in the column ``error``
    and no confusion matrix, and it counts as done until ``retry``. A dataset that cannot be had,
    for want of an internet connection say, is named in one printed line and left out.

    Examples
    --------
    Two strategies on five folds are ten rows:

    >>> from icost_reproduction import load_plan, run_plan
    >>> plan = load_plan("default").select(
    ...     datasets=["glass2"], classifiers=["dt"], strategies=["cs", "neighbor"]
    ... )
    >>> rows = run_plan(plan)
    >>> len(rows), int(rows["error"].notna().sum())
    (10, 0)

    Every row of the table is tested once, so that the matrices of a strategy add up to it:

    >>> import numpy as np
    >>> matrices = np.stack(rows.loc[rows["strategy"] == "cs", "confusion"])
    >>> int(matrices.sum()), int(matrices[:, 2:].sum())
    (214, 17)

    With a folder, only what is missing is run:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = run_plan(plan.select(strategies=["cs"]), folder)
    ...     both = run_plan(plan, folder)
    >>> both.loc[both["strategy"] == "cs", "fit_time"].tolist() == first["fit_time"].tolist()
    True
    """
    check_number("jobs", jobs, low=1, integer=True)
    store = None if folder is None else RowStore(folder)
    if store is not None:
        _keep_plan(plan, Path(folder or ""))
        store.unfinished.mkdir(parents=True, exist_ok=True)
    done = pd.DataFrame(columns=list(KEY)) if store is None else store.read()
    if retry and len(done):
        done = done[done["error"].isna()]
    tasks = list(missing_tasks(plan, done, _available(plan)))
    rows: list[Row] = []
    with _progress(sum(len(task.trials) for task in tasks), progress) as advance:
        for task, new_rows in _run_tasks(tasks, store, jobs, dask):
            advance(len(task.trials))
            if store is None:
                rows += new_rows
    if store is None:
        return unique_rows(to_table(rows).to_pandas())
    store.compact()
    return store.read()


def missing_tasks(plan: Plan, done: pd.DataFrame, datasets: Iterable[str]) -> Iterator[Task]:
    """Yield what is still to be run on those datasets that can be had, a task per fold."""
    trial_key = ["dataset", "classifier", "strategy", "repeat", "fold"]
    there = set(done[trial_key].itertuples(index=False, name=None))
    for dataset in datasets:
        trials = _trials(plan, dataset)
        for repeat in range(plan.protocol.n_repeats):
            for fold in plan.folds():
                missing = tuple(
                    trial
                    for trial in trials
                    if (dataset, trial.classifier, trial.strategy, repeat, fold) not in there
                )
                if missing:
                    yield Task(dataset, plan.kind, repeat, fold, plan.protocol, missing)


def _trials(plan: Plan, dataset: str) -> list[Trial]:
    with_own = [name for name in plan.strategies if has_own_classifier(name)]
    shared = [name for name in plan.strategies if name not in with_own]
    pairs = [*product(plan.classifiers, shared), *product([OWN_CLASSIFIER], with_own)]
    return [Trial(c, s, plan.used_for(dataset, c), plan.used_for(dataset, s, c)) for c, s in pairs]


def _available(plan: Plan) -> list[str]:
    """Names of the datasets that can be had; each of the others is told in one line."""
    available = []
    for name in plan.datasets:
        try:
            if is_file(name) or get_record(name, plan.kind).source == "download":
                load_table(name, plan.kind, plan.protocol.variant)
        except (DatasetUnavailable, OSError) as error:
            print(f"Skipped {name}: {str(error).splitlines()[0]}")
        else:
            available.append(name)
    return available


def _run_tasks(
    tasks: list[Task], store: RowStore | None, jobs: int, dask: str | None
) -> Iterator[tuple[Task, list[Row]]]:
    """Run tasks in any order; a dataset whose tasks are all done gets its file."""
    open_tasks = Counter(task.dataset for task in tasks)
    if store is not None:
        # A run may have been killed after a dataset's last trial and before its file was written.
        store.finish_all(except_for=set(open_tasks))
    results = _on_dask(tasks, dask) if dask else _on_processes(tasks, store, jobs)
    for position, rows in results:
        task = tasks[position]
        open_tasks[task.dataset] -= 1
        if store is not None:
            if dask:
                store.append(task.dataset, task.repeat, task.fold, rows)
            if open_tasks[task.dataset] == 0:
                store.finish(task.dataset)
        yield task, rows


def _run_numbered(
    position: int, task: Task, journal: Path | None, run: int = 0
) -> tuple[int, list[Row]]:
    """Run a task; ``run`` is the process of the run, which may be this one or have started it."""
    return position, run_task(task, journal, is_worker=os.getpid() != run)


def _on_processes(
    tasks: list[Task], store: RowStore | None, jobs: int
) -> Iterable[tuple[int, list[Row]]]:
    journals = [store and store.journal(task.dataset, task.repeat, task.fold) for task in tasks]
    calls = (
        delayed(_run_numbered)(position, task, journal, os.getpid())
        for position, (task, journal) in enumerate(zip(tasks, journals, strict=True))
    )
    return Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(calls)


def _on_dask(tasks: list[Task], address: str) -> Iterator[tuple[int, list[Row]]]:
    """Run tasks on a cluster, whose workers need not see our files."""
    distributed = import_extra("distributed", "dask", "A Dask cluster")
    with distributed.Client(address) as client:
        journals = [None] * len(tasks)
        futures = client.map(_run_numbered, range(len(tasks)), tasks, journals, pure=False)
        for _, result in distributed.as_completed(futures, with_results=True):
            yield result


def _keep_plan(plan: Plan, folder: Path) -> None:
    """Write the plan beside its rows, and refuse to mix rows of two protocols."""
    path = folder / "plan.json"
    new = plan.to_dict()
    if path.exists():
        old = json.loads(path.read_text("utf-8"))
        ours, theirs = ({**p["protocol"], "n_repeats": None} for p in (new, old))
        if ours != theirs:
            raise ValueError(
                f"the rows in {os.fspath(folder)!r} come from another protocol ({theirs}), so they "
                f"do not go with {ours}: give another folder."
            )
        # Several parts of a plan may have been run one after the other.
        for name in ("datasets", "strategies", "classifiers"):
            new[name] = list(dict.fromkeys([*old[name], *new[name]]))
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(new, indent=1) + "\n")


@contextmanager
def _progress(total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """Show a bar with the time left, if wanted and if there is anything to do."""
    if not shown or total == 0:
        yield lambda n: None
        return
    from rich import progress as bars

    columns = [
        bars.TextColumn("{task.completed:.0f} of {task.total:.0f} trials"),
        bars.BarColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left:"),
        bars.TimeRemainingColumn(),
    ]
    with bars.Progress(*columns, speed_estimate_period=300) as display:
        task = display.add_task("trials", total=total)
        yield lambda n: display.advance(task, n)
