"""The fits of a comparison, in this process or in several, within a time limit if there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from icost._core.arrays import Ints
from icost._core.validation import check_choice, check_number
from icost._core.workers import run_in_worker
from icost.comparison._fold_run import FoldResult, Setup, label_of, run_fold
from icost.comparison._splits import Splits
from icost.comparison._stages import Scores, best_classifier, eligible, relative_cost, second_stage
from icost.comparison._verdict import best_strategy

WORTH_PROCESSES = 5.0
"""Seconds of work ahead from which on the start of several processes pays."""


@dataclass(frozen=True)
class Progress:
    """How far a comparison is: fits done and of all, what leads, and times in seconds.

    A fit is that of one strategy on one fold. ``total`` falls when the first repeat has shown which
    strategies are not worth another. ``best`` is the label of the strategy that has the best mean
    so far, ``score``; there is none before one that may be recommended is scored. ``seconds_left``
    and ``seconds_for_all``, which all rows of a table would take of which a part is compared, are
    known after the first fold.
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

    def __init__(self, setup: Setup, growth: float | None, watch: Watch) -> None:
        self.setup = setup
        self.growth = growth  # how many times as long all rows take; None if these are all
        self.watch = watch
        self.runs: list[FoldRun] = []
        self.n_planned = 0
        self.n_workers = 1
        self.end = np.inf  # when the time is up

    @property
    def n_done(self) -> int:
        """Fits of folds that are done."""
        return sum(len(run.results) for run in self.runs)

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
        return self.n_planned * self._usual() / self.n_workers * self.growth

    def _tell(self, unfinished: list[FoldResult]) -> None:
        done, left = self.n_done + len(unfinished), None
        if self.runs:
            left = (self.n_planned - done) * self._usual() / self.n_workers
            left = min(left, max(0.0, self.end - perf_counter()))
        self.watch(
            Progress(
                done,
                self.n_planned,
                *self._best(unfinished),
                seconds_left=left,
                seconds_for_all=self.seconds_for_all,
            )
        )

    def _usual(self) -> float:
        """Seconds of a fit; the first fold of a process, which loads modules, must not count."""
        return float(np.median([run.seconds / len(run.results) for run in self.runs]))

    def _best(self, unfinished: list[FoldResult]) -> tuple[str, str, float]:
        """The strategy that leads; those of a fold count once all have been through it."""
        metric = self.setup.metric
        results = [result for run in self.runs for result in run.results] or unfinished
        by_name: dict[str, list[float]] = {}
        for result in results:
            if not self.setup.runs[result.strategy].is_control:
                by_name.setdefault(result.strategy, []).append(result.scores[metric])
        if not by_name:
            return "", metric, float("nan")
        means = {name: float(np.mean(values)) for name, values in by_name.items()}
        best = best_strategy(means, metric, self.setup.runs)
        return label_of(best, self.setup), metric, means[best]


class Runner:
    """Runs strategies on folds, in one stage or two, and keeps what is finished.

    With a time limit, strategies come one by one, the cheapest first, and each repeat of the folds
    counts if it is finished in time. The first one is run in any case: there is always an answer.
    """

    def __init__(
        self,
        table: Any,
        codes: Ints,
        splits: Splits,
        setup: Setup,
        n_jobs: int | str | None,
        watcher: Watcher,
        time_limit: float | None = None,
    ) -> None:
        self.table, self.codes, self.splits, self.setup = table, codes, splits, setup
        self.is_auto = isinstance(n_jobs, str)
        if self.is_auto:
            check_choice("n_jobs", n_jobs, ["auto"], " or a whole number")
        n_workers = effective_n_jobs(-1 if self.is_auto else n_jobs)
        self.watcher = watcher
        watcher.n_workers = min(n_workers, len(splits.pairs))
        self.is_limited = time_limit is not None
        if time_limit is not None:
            watcher.end = perf_counter() + check_number("time_limit", time_limit, low=0)
        self.results: list[FoldResult] = []
        self.skipped: list[str] = []  # repeats that there was no time for

    def run(self) -> None:
        """Run all stages."""
        n_folds, n_first = len(self.splits.pairs), self.splits.n_folds
        early, later = range(n_first), range(n_first, n_folds)
        setup, watcher = self.setup, self.watcher
        names = list(setup.first_stage or setup.runs)
        n_second = len(second_stage(setup, setup.classifiers[0])) if setup.first_stage else 0
        watcher.n_planned = (len(names) + n_second) * n_folds
        self._run_stage(names, range(n_folds))
        if not setup.first_stage:
            return
        names = second_stage(setup, best_classifier(setup, self.scores))
        watcher.n_planned = watcher.n_done + len(names) * n_folds
        self._run_stage(names, early)
        kept = eligible(setup, self.scores, self.splits.test_share, n_first)
        names = [name for name in names if name in kept]
        watcher.n_planned = watcher.n_done + len(names) * len(later)
        self._run_stage(names, later)

    @property
    def scores(self) -> Scores:
        """Scores by name and fold."""
        return scores_by_fold(self.results, self.setup, len(self.splits.pairs))

    def _run_stage(self, names: Sequence[str], folds: Sequence[int]) -> None:
        if not self.is_limited:
            self.results += self._run_folds(names, folds)
            return
        by_cost = sorted(names, key=self._relative_cost)
        for start in range(0, len(folds), self.splits.n_folds):
            for name in by_cost:
                self._run_in_time(name, folds[start : start + self.splits.n_folds])

    def _run_in_time(self, name: str, folds: Sequence[int]) -> None:
        """Run one strategy on the folds of one repeat, if there is time for all of them."""
        results: list[FoldResult] = []
        may_run = folds[0] == 0 or name in self.scores  # nothing without the first repeat
        while may_run and len(results) < len(folds):
            seconds, left = self._expected_seconds(name, results), folds[len(results) :]
            pays = not self.is_auto or seconds * len(left) > WORTH_PROCESSES
            n_together = self.watcher.n_workers if pays else 1
            ahead = ceil(len(left) / n_together) * seconds
            if self.results and perf_counter() + ahead > self.watcher.end:
                break
            results += self._run_folds([name], left[:n_together])
        if len(results) == len(folds):
            self.results += results
        else:
            self.skipped.append(name)

    def _expected_seconds(self, name: str, results: list[FoldResult]) -> float:
        """Seconds of a fit, from its own fits or else from those of the others."""
        done = [r.seconds for r in [*results, *self.results] if r.strategy == name]
        if done or not self.results:
            return float(np.median(done or [0.0]))
        # The cheapest per fit: too long a guess would skip what there is time for.
        paces = [r.seconds / self._relative_cost(r.strategy) for r in self.results]
        return min(paces) * self._relative_cost(name)

    def _relative_cost(self, name: str) -> float:
        return relative_cost(name, self.setup.runs[name], self.setup.classifiers)

    def _run_folds(self, names: Sequence[str], folds: Sequence[int]) -> list[FoldResult]:
        """Return the results of folds, in their order; the number of processes changes none.

        ``n_jobs="auto"`` runs the first fold here, and the others on all processors if that pays.
        """
        pairs, watcher = self.splits.pairs, self.watcher
        results: list[FoldResult] = []
        if not names or not folds:
            return results
        tasks = [
            (self.table, self.codes, pairs[number], number, self.setup, names) for number in folds
        ]
        if self.is_auto and not self.is_limited and watcher.n_workers > 1:
            self.is_auto = False
            results = next(_run_here(tasks[:1], watcher))
            tasks = tasks[1:]
            if watcher.runs[0].seconds * (len(pairs) - 1) < WORTH_PROCESSES:
                watcher.n_workers = 1
        run = _run_here if watcher.n_workers == 1 or len(tasks) < 2 else _run_apart
        return [*results, *(result for fold in run(tasks, watcher) for result in fold)]


def scores_by_fold(results: Sequence[FoldResult], setup: Setup, n_folds: int) -> Scores:
    """Return the deciding scores by name, in the order of the runs; NaN for folds not run."""
    scores = {name: np.full(n_folds, np.nan) for name in setup.runs}
    for result in results:
        scores[result.strategy][result.fold] = result.scores[setup.metric]
    return {name: values for name, values in scores.items() if not np.isnan(values).all()}


def _run_here(tasks: list[Any], watcher: Watcher) -> Iterator[list[FoldResult]]:
    for task in tasks:
        run = _timed_fold(*task, tell=watcher.fitted)
        watcher.finished(run)
        yield run.results


def _run_apart(tasks: list[Any], watcher: Watcher) -> Iterator[list[FoldResult]]:
    jobs = (delayed(run_in_worker)(os.getpid(), _timed_fold, *task) for task in tasks)
    for run in Parallel(n_jobs=watcher.n_workers, return_as="generator")(jobs):
        watcher.finished(run)
        yield run.results


def _timed_fold(*task: Any, **options: Any) -> FoldRun:
    start = perf_counter()
    results = run_fold(*task, **options)
    return FoldRun(results, perf_counter() - start)
