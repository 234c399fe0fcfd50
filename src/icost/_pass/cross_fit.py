"""`cross_fit`: every candidate fitted once per fold; all else is read from the scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter, process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from icost._core.arrays import Floats, Ints
from icost._pass.candidates import Candidate, fit_candidate, raw_scores, thinned_rows
from icost._pass.folds import Folds
from icost._table._rows import Rows

SOON = 100
"""Held-out rows of the smallest class that suffice to drop candidates after two folds."""

SMALL = 10_000
"""Rows up to which one thread is quicker than several that wait for each other."""

PROBE_ROWS = 1_000
"""Rows of the sample by which fits are timed where there is a time limit."""

GROWTH = 1.2
"""Power of the number of rows with which the time of a fit grows, about."""


@dataclass(frozen=True)
class PassProgress:
    """How far a pass is: fits done, those of all as far as is known, and seconds left.

    ``note`` names the candidate that ranked the rows of the last fold best.
    """

    done: int
    total: int
    seconds_left: float | None = None
    note: str = ""


Watch = Callable[[PassProgress], Any]

TOO_WIDE = "too many columns"
"""Why a candidate is left out without a note."""


@dataclass(frozen=True, eq=False)
class Member:
    """What was fitted to some rows: the encoder and the candidates' models, by name."""

    encoder: Any
    models: dict[str, Any]

    def scores(self, X: Any, n_classes: int) -> dict[str, Floats]:
        """Return the scores of each model for rows of a table."""
        numbers = self.numbers(X)
        return {n: raw_scores(model, numbers, n_classes) for n, model in self.models.items()}

    def numbers(self, X: Any) -> Any:
        """Return what the models read of rows, shared by all of them."""
        return locked(X if self.encoder is None else self.encoder.transform(X))


def locked(values: Any) -> Any:
    """Return an array that nothing can write into: several models share it."""
    if isinstance(values, np.ndarray):
        values = values.view()
        values.flags.writeable = False
    return values


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Scores of every candidate for rows that the fit had not seen, and all that belongs to them.

    ``targets`` are the codes that candidates are fitted to: for two classes 1 is the minority.
    ``scores`` has an array of the shape (n_repeats, n_rows, n_columns) for each candidate that was
    fitted to all folds; rows that are never held out are NaN. ``members`` has the fitted models of
    each fold, by repeat and part, where they were asked for. ``dropped`` are the candidates that
    had no weight before the end, as they are called in sentences.
    """

    rows: Rows
    targets: Ints
    folds: Folds
    candidates: tuple[Candidate, ...]
    scores: Mapping[str, Floats]
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    members: Mapping[tuple[int, int], Member] = field(default_factory=dict)
    n_fits: int = 0
    dropped: tuple[str, ...] = ()

    @property
    def held_out(self) -> Ints:
        """The rows that have scores."""
        return np.flatnonzero(self.folds.is_held_out)

    def select(self, names: Sequence[str]) -> OutOfFold:
        """Return the same with some of the candidates."""
        return replace(
            self,
            candidates=tuple(one for one in self.candidates if one.name in names),
            scores={name: self.scores[name] for name in names},
        )


@dataclass(frozen=True, eq=False)
class _FoldFit:
    """What one fold gave: scores and seconds by name, failures, and the models if wanted."""

    scores: dict[str, Floats]
    seconds: dict[str, float]
    failures: dict[str, str]
    member: Member | None


def targets_of(rows: Rows) -> Ints:
    """Return the codes that candidates are fitted to: for two classes 1 is the minority."""
    return rows.codes if rows.minority is None else rows.is_minority.astype(np.intp)


def cross_fit(
    candidates: Sequence[Candidate],
    rows: Rows,
    folds: Folds,
    *,
    encoder: Any,
    random_state: int = 0,
    n_jobs: int | None = None,
    keep_members: bool = False,
    time_limit: float | None = None,
    survivors: Callable[[OutOfFold, Ints], Sequence[str]] | None = None,
    watch: Watch = lambda state: None,
) -> OutOfFold:
    """Fit every candidate to the training rows of each fold, and score the others.

    ``encoder`` is cloned and fitted for each fold, before rows are thinned or resampled; None takes
    the table as it is. ``survivors`` names the candidates that are worth going on with: it is asked
    after two folds, where they hold out rows enough, and after each repeat. A candidate that fails
    is left out with a note. With ``time_limit`` the cheapest candidates come first, and those are
    left out for which there is no time, by what a sample took.
    """
    runner = _Pass(rows, folds, encoder, random_state, n_jobs, keep_members, watch)
    runner.begin(candidates, time_limit)
    for stage in _stages(folds, rows):
        runner.run(stage)
        if survivors is not None and len(runner.alive) > 1 and stage is not None:
            runner.keep(survivors)
    return runner.result()


def refit(out_of_fold: OutOfFold, names: Sequence[str], encoder: Any, seed: int) -> Member:
    """Return models of all rows for some of the candidates."""
    wanted = [one for one in out_of_fold.candidates if one.name in names]
    fitted = _fit_rows(wanted, out_of_fold.rows, out_of_fold.targets, None, encoder, seed)
    failures = [f"{name}: {text}" for name, (_, _, text) in fitted[1].items() if text]
    if failures:
        raise RuntimeError(f"a candidate failed on all rows, {failures[0]}")
    return Member(fitted[0], {name: model for name, (model, _, _) in fitted[1].items()})


def _stages(folds: Folds, rows: Rows) -> list[list[tuple[int, int]]]:
    """Return the folds in the parts after which candidates may be dropped."""
    tasks = folds.tasks
    first = [task for task in tasks if task[0] == 0]
    early = np.isin(folds.parts[0], [0, 1])
    fewest = np.bincount(rows.codes[early], minlength=rows.n_classes).min()
    is_soon = len(first) > 2 and fewest >= SOON
    stages = [first[:2], first[2:]] if is_soon else [first]
    for repeat in range(1, folds.n_repeats):
        stages.append([task for task in tasks if task[0] == repeat])
    return stages


class _Pass:
    """A pass while it runs."""

    def __init__(
        self,
        rows: Rows,
        folds: Folds,
        encoder: Any,
        random_state: int,
        n_jobs: int | None,
        keep_members: bool,
        watch: Watch,
    ) -> None:
        self.rows, self.folds, self.encoder = rows, folds, encoder
        self.n_jobs, self.keep_members, self.watch = n_jobs, keep_members, watch
        self.targets = targets_of(rows)
        seeds = np.random.RandomState(random_state % 2**32).randint(
            2**31 - 1, size=len(folds.tasks)
        )
        self.seeds = dict(zip(folds.tasks, seeds.tolist(), strict=True))
        self.scores: dict[str, Floats] = {}
        self.seconds: dict[str, float] = {}
        self.members: dict[tuple[int, int], Member] = {}
        self.notes: list[str] = []
        self.dropped: list[str] = []
        self.alive: list[Candidate] = []
        self.n_fits = self.n_folds_done = 0
        self.start = perf_counter()

    def begin(self, candidates: Sequence[Candidate], time_limit: float | None) -> None:
        """Set the candidates: those that support the weights, and for which there is time."""
        self.alive = list(candidates)
        if self.rows.weight is not None:
            self._leave_out_unweighted()
        if time_limit is not None:
            self.alive = self._in_time(time_limit)
        n_columns = 1 if self.rows.n_classes == 2 else self.rows.n_classes
        shape = (self.folds.n_repeats, self.rows.n_rows, n_columns)
        self.scores = {one.name: np.full(shape, np.nan) for one in self.alive}

    def _leave_out_unweighted(self) -> None:
        others = [one for one in self.alive if not one.supports_weight]
        if len(others) == len(self.alive):
            raise ValueError(
                "sample_weight needs a candidate whose fit supports weights, got "
                f"{', '.join(one.name for one in others)}."
            )
        self.alive = [one for one in self.alive if one not in others]
        if others:
            words = ", ".join(one.words for one in others)
            self.notes.append(f"Left out, as they support no weights: {words}.")

    def _in_time(self, time_limit: float) -> list[Candidate]:
        """Return the candidates that the time suffices for, the cheapest first."""
        rows, targets = self.rows, self.targets
        kept = thinned_rows(targets, PROBE_ROWS, 0)
        kept = np.arange(len(targets)) if kept is None else kept
        n_fits = len(self.folds.tasks) + 1
        chosen: list[Candidate] = []
        skipped: list[Candidate] = []
        failing: list[Candidate] = []
        spent = 0.0
        for one in sorted(self.alive, key=lambda one: one.cost):
            begin = perf_counter()
            left = time_limit - spent - (begin - self.start)
            if chosen and left <= 0:
                skipped.append(one)
                continue
            sample = rows.take(kept), targets[kept]
            encoder, fitted = _fit_rows([one], *sample, None, self.encoder, 0)
            model, _, failure = fitted[one.name]
            member = Member(encoder, {one.name: model})
            if failure or _attempt(member.scores, sample[0].table, rows.n_classes)[1]:
                # It will fail on the folds as well, and be named there.
                failing.append(one)
                continue
            n_rows = min(rows.n_rows, one.most_rows or rows.n_rows)
            growth = max(1.0, n_rows / len(kept)) ** GROWTH
            expected = (perf_counter() - begin) * growth * n_fits
            if chosen and expected > left:
                skipped.append(one)
                continue
            spent += expected
            chosen.append(one)
        if skipped:
            words = ", ".join(one.words for one in skipped)
            self.notes.append(f"Not tried within {time_limit:g} seconds: {words}.")
        return [*chosen, *failing]

    def run(self, tasks: Sequence[tuple[int, int]]) -> None:
        """Fit the candidates that are left to some folds."""
        jobs = [
            delayed(_fit_fold)(
                self.alive,
                self.rows,
                self.targets,
                self.folds.training_rows(*task),
                self.folds.held_out_rows(*task),
                self.encoder,
                self.seeds[task],
                self.keep_members,
            )
            for task in tasks
        ]
        results = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        for task, result in zip(tasks, results, strict=True):
            self._take(task, result)
        self.alive = [one for one in self.alive if one.name in self.scores]
        if not self.alive:
            raise RuntimeError(f"no candidate could be fitted: {' '.join(self.notes)}")

    def _take(self, task: tuple[int, int], result: _FoldFit) -> None:
        held_out = self.folds.held_out_rows(*task)
        for name, text in result.failures.items():
            if self.scores.pop(name, None) is not None:
                self._leave_out(name, text)
        for name, values in result.scores.items():
            if name in self.scores:
                self.scores[name][task[0], held_out] = values
        for name, seconds in result.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.n_fits += len(result.seconds)
        self.n_folds_done += 1
        if result.member is not None:
            self.members[task] = result.member
        self._tell(result, held_out)

    def _leave_out(self, name: str, text: str) -> None:
        if text == TOO_WIDE:
            self.dropped += [one.words for one in self.alive if one.name == name]
        else:
            self.notes.append(f"Left out, as it failed: {name} ({text}).")

    def _tell(self, result: _FoldFit, held_out: Ints) -> None:
        n_left = len(self.folds.tasks) - self.n_folds_done
        pace = (perf_counter() - self.start) / max(self.n_folds_done, 1)
        total = self.n_fits + n_left * len(self.alive)
        self.watch(PassProgress(self.n_fits, total, pace * n_left, self._best(result, held_out)))

    def _best(self, result: _FoldFit, held_out: Ints) -> str:
        targets = self.targets[held_out]
        is_ranked = self.rows.minority is not None and targets.min() < targets.max()
        if not is_ranked or not result.scores:
            return ""
        areas = {n: roc_auc_score(targets, scores[:, 0]) for n, scores in result.scores.items()}
        words = {one.name: one.words for one in self.alive}
        name = max(areas, key=areas.__getitem__)
        return f"best so far: {words.get(name, name)}, AUC {areas[name]:.2f}"

    def keep(self, survivors: Callable[[OutOfFold, Ints], Sequence[str]]) -> None:
        """Drop the candidates that are not worth going on with."""
        if self.n_folds_done == len(self.folds.tasks):
            return
        names = [one.name for one in self.alive]
        seen = np.flatnonzero(~np.isnan(self.scores[names[0]][0, :, 0]))
        kept = survivors(self.result().select(names), seen)
        self.dropped += [one.words for one in self.alive if one.name not in kept]
        self.alive = [one for one in self.alive if one.name in kept]

    def result(self) -> OutOfFold:
        """Return the scores of the candidates that are left, on the repeats that were run."""
        names = [one.name for one in self.alive]
        done = [~np.isnan(self.scores[names[0]][r]).all() for r in range(self.folds.n_repeats)]
        n_done = max(1, sum(done))
        return OutOfFold(
            self.rows,
            self.targets,
            replace(self.folds, parts=self.folds.parts[:n_done]),
            tuple(self.alive),
            {name: self.scores[name][:n_done] for name in names},
            dict(self.seconds),
            tuple(self.notes),
            dict(self.members),
            self.n_fits,
            tuple(self.dropped),
        )


def _fit_rows(
    candidates: Sequence[Candidate],
    rows: Rows,
    targets: Ints,
    chosen: Ints | None,
    encoder: Any,
    seed: int,
) -> tuple[Any, dict[str, tuple[Any, float, str]]]:
    """Return the fitted encoder, and model, seconds and failure of each candidate."""
    if chosen is not None:
        rows, targets = rows.take(chosen), targets[chosen]
    fitted: dict[str, tuple[Any, float, str]] = {}
    # Small fits are up to ten times faster on one thread, and bits must not depend on threads.
    limits: Any = 1 if len(targets) < SMALL else {"blas": 1}
    with threadpool_limits(limits=limits), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted_encoder = None if encoder is None else clone(encoder)
        table = rows.table
        if fitted_encoder is not None:
            table = fitted_encoder.fit_transform(table, targets)
        # Candidates share these arrays: one that writes into them fails, and is left out.
        numbers, codes, weight = map(locked, (table, targets, rows.weight))
        for one in candidates:
            start = process_time()
            model, failure = None, TOO_WIDE
            if one.most_columns is None or numbers.shape[1] <= one.most_columns:
                model, failure = _attempt(fit_candidate, one, numbers, codes, weight, seed)
            fitted[one.name] = model, process_time() - start, failure
    return fitted_encoder, fitted


def _attempt(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Return what a function returns, and no text, or None and why it failed."""
    try:
        return function(*arguments), ""
    except Exception as error:  # a candidate of the user's may raise anything
        first = (str(error).splitlines() or [""])[0][:200]
        return None, f"{type(error).__name__}: {first}" if first else type(error).__name__


def _fit_fold(
    candidates: Sequence[Candidate],
    rows: Rows,
    targets: Ints,
    train: Ints,
    held_out: Ints,
    encoder: Any,
    seed: int,
    keep_members: bool,
) -> _FoldFit:
    fitted_encoder, fitted = _fit_rows(candidates, rows, targets, train, encoder, seed)
    failures = {name: text for name, (_, _, text) in fitted.items() if text}
    models = {name: model for name, (model, _, text) in fitted.items() if not text}
    member = Member(fitted_encoder, models)
    scores: dict[str, Floats] = {}
    with threadpool_limits(limits=1 if len(targets) < SMALL else {"blas": 1}):
        numbers = member.numbers(rows.take(held_out).table)
        for name, model in models.items():
            values, failure = _attempt(raw_scores, model, numbers, rows.n_classes)
            if failure:
                failures[name] = failure
            else:
                scores[name] = values
    seconds = {name: values[1] for name, values in fitted.items()}
    return _FoldFit(scores, seconds, failures, member if keep_members else None)
