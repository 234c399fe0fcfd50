"""All folds of a comparison, in this process or in several, with word on how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from icost.comparison.fold_run import FoldResult, Setup, label_of, run_fold
from icost.comparison.splits import Splits
from icost.comparison.verdict import CONTROLS, best_strategy, parts
from icost.validation import check_choice

WORTH_PROCESSES = 5.0
"""Seconds of work ahead from which on the start of several processes pays."""


@dataclass(frozen=True)
class Progress:
    """How far a comparison is: fits done and of all, what leads, and times in seconds.

    A fit is that of one strategy on one fold. ``best`` is the label of the strategy that has the
    best mean so far, ``score``; there is none before one that may be recommended is scored.
    ``seconds_left`` and ``seconds_for_all``, which all rows of a table would take of which a part
    is compared, are known after the first fold.
    """

    done: int
    total: int
    best: str = ""
    metric: str = "mcc"
    score: float = float("nan")
    seconds_left: float | None = None
    seconds_for_all: float | None = None


Watch = Callable[[Progress], Any]


@dataclass(frozen=True)
class FoldRun:
    """The results of one fold, and the seconds that it took."""

    results: list[FoldResult]
    seconds: float


class Watcher:
    """Keeps what is done, and tells it."""

    def __init__(self, splits: Splits, setup: Setup, growth: float | None, watch: Watch) -> None:
        self.n_folds = len(splits.pairs)
        self.setup = setup
        self.growth = growth  # how many times as long all rows take; None if these are all
        self.watch = watch
        self.runs: list[FoldRun] = []
        self.n_workers = 1
        self.n_workers_for_all = 1

    def fitted(self, unfinished: list[FoldResult]) -> None:
        """Tell that one more strategy of a fold is done."""
        self._tell(unfinished)

    def finished(self, run: FoldRun) -> None:
        """Tell that a fold is done."""
        self.runs.append(run)
        self._tell([])

    @property
    def seconds_for_all(self) -> float | None:
        """What all rows would take on as many processors, from the folds done so far."""
        if self.growth is None or not self.runs:
            return None
        return ceil(self.n_folds / self.n_workers_for_all) * self._usual() * self.growth

    def _tell(self, unfinished: list[FoldResult]) -> None:
        n_strategies, n_left = len(self.setup.strategies), self.n_folds - len(self.runs)
        done = len(self.runs) * n_strategies + len(unfinished)
        left = None
        if self.runs:
            left = ceil(n_left / self.n_workers) * self._usual()
            # Of the fold that runs, a part is done; strategies differ, so that this is rough.
            left = max(0.0, left - self._usual() * len(unfinished) / n_strategies)
        self.watch(
            Progress(
                done,
                self.n_folds * n_strategies,
                *self._best(unfinished),
                seconds_left=left,
                seconds_for_all=self.seconds_for_all,
            )
        )

    def _usual(self) -> float:
        """Seconds of a fold; the first one of a process, which loads modules, must not count."""
        return float(np.median([run.seconds for run in self.runs]))

    def _best(self, unfinished: list[FoldResult]) -> tuple[str, str, float]:
        """The strategy that leads; those of a fold count once all have been through it."""
        metric = "mcc" if self.setup.costs is None else "cost"
        results = [result for run in self.runs for result in run.results] or unfinished
        by_name: dict[str, list[float]] = {}
        for result in results:
            if parts(result.strategy)[1] not in CONTROLS:
                by_name.setdefault(result.strategy, []).append(result.scores[metric])
        if not by_name:
            return "", metric, float("nan")
        means = {name: float(np.mean(values)) for name, values in by_name.items()}
        best = best_strategy(means, metric)
        return label_of(best, self.setup), metric, means[best]


def run_folds(
    table: Any,
    codes: NDArray[np.intp],
    splits: Splits,
    setup: Setup,
    n_jobs: int | str | None,
    watcher: Watcher,
) -> list[FoldResult]:
    """Return the results of all folds, in their order; the number of jobs changes none.

    ``n_jobs="auto"`` runs the first fold here, and the others on all processors if that pays.
    """
    tasks = [(table, codes, pair, number, setup) for number, pair in enumerate(splits.pairs)]
    results: list[FoldResult] = []
    is_auto = isinstance(n_jobs, str)
    if is_auto:
        check_choice("n_jobs", n_jobs, ["auto"], " or a whole number")
    n_workers = min(effective_n_jobs(-1 if is_auto else n_jobs), len(tasks))
    watcher.n_workers = watcher.n_workers_for_all = n_workers
    if is_auto and n_workers > 1:
        results += next(_run_here(tasks[:1], watcher))
        tasks = tasks[1:]
        if watcher.runs[0].seconds * len(tasks) < WORTH_PROCESSES:
            watcher.n_workers = n_workers = 1
    run = _run_here if n_workers == 1 else _run_apart
    return [*results, *(result for fold in run(tasks, watcher) for result in fold)]


def _run_here(tasks: list[Any], watcher: Watcher) -> Iterator[list[FoldResult]]:
    for task in tasks:
        run = _timed_fold(*task, tell=watcher.fitted)
        watcher.finished(run)
        yield run.results


def _run_apart(tasks: list[Any], watcher: Watcher) -> Iterator[list[FoldResult]]:
    jobs = (delayed(_timed_fold)(*task) for task in tasks)
    for run in Parallel(n_jobs=watcher.n_workers, return_as="generator")(jobs):
        watcher.finished(run)
        yield run.results


def _timed_fold(*task: Any, **options: Any) -> FoldRun:
    start = perf_counter()
    results = run_fold(*task, **options)
    return FoldRun(results, perf_counter() - start)
