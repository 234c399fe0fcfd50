"""Candidates times folds, over several jobs, in one table."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.utils.parallel import Parallel, delayed

from icost._core.arrays import Floats, Ints
from icost._core.validation import rows_of, take_rows
from icost.metrics import confusion_scores
from icost.tuning._fold_scores import evaluate_candidates
from icost.tuning._sharing import Params

COLUMNS = ("score", "f1", "g_mean", "fit_time", "score_time")

Fold = tuple[Ints, Ints]
"""Rows of the training and of the test part."""


@dataclass(frozen=True, eq=False)
class SearchTask:
    """What all candidates are tried on, and how; options are those of `evaluate_candidates`."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    minority_label: Any = None
    metric: str | None = "mcc"  # None if there is a scorer
    scorer: Callable[..., float] | None = None
    sample_weight: Floats | None = None
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    n_jobs: int | None = None
    verbose: int = 0


class SearchTable:
    """Scores of candidates on folds, filled bit by bit; NaN where one was not evaluated."""

    def __init__(self, folds: Sequence[Fold], own_costs: Mapping[str, Any] | None = None) -> None:
        self.folds, self.own_costs = folds, dict(own_costs or {})
        self.candidates: list[dict[str, Any]] = []
        self.columns = {name: np.empty((0, len(folds))) for name in COLUMNS}

    def add(self, candidates: Sequence[Mapping[str, Any]]) -> list[int]:
        """Add candidates and return their positions."""
        first = len(self.candidates)
        self.candidates += [dict(candidate) for candidate in candidates]
        blank = np.full((len(candidates), len(self.folds)), np.nan)
        self.columns = {name: np.vstack([old, blank]) for name, old in self.columns.items()}
        return list(range(first, len(self.candidates)))

    def with_own_costs(self, positions: Iterable[int]) -> list[dict[str, Any]]:
        """Return some candidates with all their costs, also those that they leave as they are."""
        return [{**self.own_costs, **self.candidates[i]} for i in positions]

    @property
    def n_evaluated(self) -> Ints:
        """Number of folds that each candidate was evaluated on."""
        return (~np.isnan(self.columns["fit_time"])).sum(axis=1)

    def mean(self, name: str) -> Floats:
        """Mean of a column over the folds that a candidate was evaluated on."""
        # Times tell which these are: a score may be NaN by itself, and its mean then is as well.
        values, seen = self.columns[name], ~np.isnan(self.columns["fit_time"])
        return np.where(seen, values, 0.0).sum(axis=1) / seen.sum(axis=1)

    def std(self, name: str) -> Floats:
        """Standard deviation of a column over these folds."""
        values, seen = self.columns[name], ~np.isnan(self.columns["fit_time"])
        squares = np.where(seen, (values - self.mean(name)[:, np.newaxis]) ** 2, 0.0)
        return np.sqrt(squares.sum(axis=1) / seen.sum(axis=1))


def evaluate(
    table: SearchTable, task: SearchTask, positions: Sequence[int], fold_numbers: Iterable[int]
) -> None:
    """Evaluate the candidates at some positions on some folds, and write what comes out."""
    pieces = list(_pieces(positions, list(fold_numbers), effective_n_jobs(task.n_jobs)))
    jobs = (
        delayed(score_fold)(task, *table.folds[number], [table.candidates[i] for i in rows])
        for number, rows in pieces
    )
    results = Parallel(n_jobs=task.n_jobs, return_as="generator")(jobs)
    shown = _with_progress(results, len(pieces), task.verbose)
    for (number, rows), columns in zip(pieces, shown, strict=True):
        for name, values in columns.items():
            table.columns[name][rows, number] = values


def _pieces(
    positions: Sequence[int], fold_numbers: list[int], n_jobs: int
) -> Iterator[tuple[int, list[int]]]:
    """Whole folds, as long as they keep all jobs busy, then parts of the folds left over.

    Candidates of one fold share most of their work, so splitting a fold does some of it twice.
    """
    n_left = len(fold_numbers) % n_jobs
    n_whole = len(fold_numbers) - n_left
    for number in fold_numbers[:n_whole]:
        yield number, list(positions)
    # In that many parts, the folds left over are a multiple of the jobs: none has to wait.
    n_parts = min(n_jobs // math.gcd(n_jobs, n_left), len(positions)) if n_left else 1
    for number in fold_numbers[n_whole:]:
        for share in np.array_split(np.asarray(positions), n_parts):
            yield number, share.tolist()


def _with_progress(results: Iterable[Any], total: int, verbose: int) -> Iterator[Any]:
    for done, result in enumerate(results, start=1):
        if verbose:
            bar = "#" * round(30 * done / total)
            end = "\n" if done == total else ""
            print(f"\riCostCV [{bar:<30}] {done}/{total}", end=end, file=sys.stderr, flush=True)
        yield result


def score_fold(
    task: SearchTask, train: Ints, test: Ints, candidates: Sequence[Params]
) -> dict[str, Floats]:
    """Return the columns of candidates on one fold."""
    results = evaluate_candidates(
        task.estimator,
        take_rows(task.X, train),
        task.y[train],
        take_rows(task.X, test),
        task.y[test],
        candidates,
        sample_weight=None if task.sample_weight is None else task.sample_weight[train],
        fit_params={name: rows_of(v, train, len(task.y)) for name, v in task.fit_params.items()},
        scorer=task.scorer,
    )
    positive = minority_code(results.classes, task.minority_label)
    columns = confusion_scores(results.confusion, positive)
    columns["score"] = columns[task.metric] if task.metric else results.values
    columns |= {"fit_time": results.fit_time, "score_time": results.score_time}
    return {name: columns[name] for name in COLUMNS}


def minority_code(classes: NDArray[Any], minority_label: Any) -> int | None:
    """Return the position of the minority among the classes, None if it has no label."""
    if minority_label is None:
        return None
    return int(np.flatnonzero(classes == minority_label)[0])


def cross_validation_results(table: SearchTable) -> dict[str, Any]:
    """Return the table as ``cv_results_``: one entry per candidate under each key."""
    results: dict[str, Any] = {}
    for name in ("fit_time", "score_time"):
        results[f"mean_{name}"], results[f"std_{name}"] = table.mean(name), table.std(name)
    results |= _parameters(table.candidates)
    results["params"] = table.candidates
    for fold, values in enumerate(table.columns["score"].T):
        results[f"split{fold}_test_score"] = values
    results["mean_test_score"], results["std_test_score"] = table.mean("score"), table.std("score")
    results["rank_test_score"] = _ranks(table)
    results["mean_test_f1"], results["mean_test_g_mean"] = table.mean("f1"), table.mean("g_mean")
    results["n_folds"] = table.n_evaluated
    return results


def _parameters(candidates: list[dict[str, Any]]) -> dict[str, Any]:
    """Each parameter's values, masked where a candidate has none."""
    names = sorted({name for candidate in candidates for name in candidate})
    columns = {}
    for name in names:
        column = np.ma.MaskedArray(np.empty(len(candidates)), mask=True, dtype=object)
        for row, candidate in enumerate(candidates):
            if name in candidate:
                column[row] = candidate[name]
        columns[f"param_{name}"] = column
    return columns


def _ranks(table: SearchTable) -> Any:
    """Ranks from 1; a candidate that was dropped earlier ranks behind all that were not."""
    scores = np.nan_to_num(table.mean("score"), nan=-np.inf)
    within = rankdata(-scores, method="dense")
    # One fold more outweighs any rank, as these are no more than there are scores.
    return rankdata(within - table.n_evaluated * (len(scores) + 1.0), method="min").astype(np.int32)
