"""Trials: all that is run on one fold of one dataset, and the rows it gives."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score
from threadpoolctl import threadpool_limits

from icost import __version__
from icost_reproduction._internals import (
    NEIGHBOR_CATEGORIES,
    FitResult,
    confusion_matrices,
    fit_strategy,
    found_per_category,
    get_classifier,
)
from icost_reproduction.grids import GRIDS
from icost_reproduction.plan import Protocol
from icost_reproduction.preparation import Fold, load_table, make_fold
from icost_reproduction.rows import OWN_CLASSIFIER, Row, open_journal, write_line
from icost_reproduction.strategies import get_strategy


@dataclass(frozen=True)
class Trial:
    """One strategy with one classifier."""

    classifier: str
    strategy: str
    # What is really used, after a plan's exceptions; rows keep the names above.
    used_classifier: str
    used_strategy: str


@dataclass(frozen=True)
class Task:
    """The trials of one fold, which share its preparation."""

    dataset: str
    collection: str
    repeat: int
    fold: int
    protocol: Protocol
    trials: tuple[Trial, ...]


def run_task(task: Task, journal: Path | None = None, is_worker: bool = False) -> list[Row]:
    """Run the trials of one fold; a journal gets the rows of each as soon as they are there.

    A worker stops with the process that started it. The process of the run itself does not: where
    a shell that has started it ends, it gets another parent and goes on.
    """
    # One thread: several small fits side by side are faster than one at a time with all cores.
    with threadpool_limits(limits=1):
        if journal is None:
            return [row for trial_rows in _run_trials(task) for row in trial_rows]
        rows, parent = [], os.getppid()
        with open_journal(journal) as lines:
            for trial_rows in _run_trials(task):
                write_line(lines, trial_rows)
                rows += trial_rows
                if is_worker and os.getppid() != parent:
                    # The run was killed: the next one must not share the machine with its orphans.
                    break
        return rows


def _run_trials(task: Task) -> Iterator[list[Row]]:
    try:
        table = load_table(task.dataset, task.collection, task.protocol.variant)
        fold = make_fold(table, task.protocol, task.repeat, task.fold)
    except Exception as error:
        # Whatever it was, it is recorded for each trial: nothing may be missing silently.
        for trial in task.trials:
            yield [_identity(task, trial) | {"error": _describe(error)}]
        return
    for trial in task.trials:
        common = _identity(task, trial) | {
            "n_classes": table.n_classes,
            "n_train": len(fold.train.y),
            "seed": fold.train.random_state,
            "checksum": table.checksum,
        }
        seed = task.protocol.seed + (task.repeat if task.protocol.reseed else 0)
        yield [common | row for row in run_trial(trial, fold, seed)]


def _identity(task: Task, trial: Trial) -> Row:
    return {
        "dataset": task.dataset,
        "classifier": trial.classifier,
        "strategy": trial.strategy,
        "setting": 0,
        "repeat": task.repeat,
        "fold": task.fold,
        "versions": versions(),
    }


def run_trial(trial: Trial, fold: Fold, seed: int) -> list[Row]:
    """Run one trial on one fold: one row, or one per setting of a grid, or one with the error."""
    run = _run_grid if trial.used_strategy in GRIDS else _run_strategy
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            is_own = trial.used_classifier == OWN_CLASSIFIER
            base = None if is_own else get_classifier(trial.used_classifier).make(seed)
            rows = run(trial.used_strategy, base, fold)
    except Exception as error:
        return [{"error": _describe(error)}]
    planned = (trial.classifier, trial.strategy)
    used = (trial.used_classifier, trial.used_strategy)
    notes = [f"as {use}" for name, use in zip(planned, used, strict=True) if name != use]
    notes += sorted({warning.category.__name__ for warning in caught})
    for row in rows:
        row["note"] = "; ".join(filter(None, [row.get("note"), *notes])) or None
    return rows


def _run_grid(name: str, base: Any, fold: Fold) -> list[Row]:
    """One row per setting; of so many, only what a selection needs is kept."""
    grid = GRIDS[name]
    results = grid.evaluate(base, fold.train, fold.X_test, fold.y_test)
    return [
        {"setting": position, "confusion": matrix.ravel().tolist(), "fit_time": time}
        | _recorded(costs)
        for position, (matrix, time, costs) in enumerate(
            zip(results.confusion, results.fit_time, grid.settings, strict=True)
        )
    ]


def _run_strategy(name: str, base: Any, fold: Fold) -> list[Row]:
    start = process_time()
    fitted = fit_strategy(get_strategy(name), base, fold.train)
    cpu_time = process_time() - start + fitted.saved_cpu
    predicted = fitted.predict(fold.X_test)
    matrix = confusion_matrices(fold.y_test, predicted[None], fold.train.n_classes)
    row: Row = {
        "confusion": matrix.ravel().tolist(),
        "fit_time": fitted.fit_time,
        "weight_time": fitted.weight_time,
        "cpu_time": cpu_time,
        "note": fitted.note,
        **{f"n_{category}": count for category, count in fitted.counts.items()},
        **_recorded(fitted.costs),
    }
    return [row | _predicted_categories(predicted, fold) | _ranking(fitted, fold)]


def _recorded(costs: Mapping[str, float]) -> Row:
    """Return costs by the columns of a row."""
    return {"cs_multiplier" if name == "scale" else name: cost for name, cost in costs.items()}


def _predicted_categories(predicted: Any, fold: Fold) -> Row:
    """Test samples of the minority per category, and how many of them were found."""
    if fold.train.n_classes > 2:
        return {}
    tested = np.flatnonzero(fold.test_category != "")
    counts = found_per_category(fold.y_test, predicted, tested, fold.test_category[tested])
    row = {}
    for name in NEIGHBOR_CATEGORIES:
        row[f"found_{name}"], row[f"total_{name}"] = counts.get(name, (0, 0))
    return row


def _ranking(fitted: FitResult, fold: Fold) -> Row:
    """Threshold-free metrics of a binary problem, as far as the model has scores."""
    if fold.train.n_classes > 2:
        return {}
    row, truth = {}, fold.y_test == 1
    scores, proba = fitted.scores(fold.X_test), fitted.proba(fold.X_test)
    if scores is not None and truth.any():
        row["roc_auc"] = float(roc_auc_score(truth, scores))
        row["pr_auc"] = float(average_precision_score(truth, scores))
    if proba is not None:
        row["brier"] = float(brier_score_loss(truth, proba[:, 1]))
        row["log_loss"] = float(log_loss(truth, proba[:, 1], labels=[False, True]))
    out_of_fold = getattr(fitted.model, "oof_score_", {})
    return row | {
        f"oof_{name}": out_of_fold[name]["value"]
        for name in ("mcc", "brier")
        if name in out_of_fold
    }


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


@cache
def versions() -> str:
    """Return the versions of all that decides the numbers."""
    texts = [f"python {platform.python_version()}", f"icost {__version__}"]
    for name in ("scikit-learn", "numpy", "scipy", "imbalanced-learn", "xgboost"):
        try:
            texts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(texts)
