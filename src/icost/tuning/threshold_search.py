"""The threshold on a score, chosen on scores of samples that the model has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from icost.metrics import confusion_matrices, confusion_scores
from icost.thresholds import response_method, tune_threshold
from icost.tuning.fold_scores import configure
from icost.tuning.search_table import Fold, SearchTable, SearchTask, fill, minority_code, score_fold


def evaluate(
    table: SearchTable,
    task: SearchTask,
    folds: Sequence[Fold],
    positions: Sequence[int],
    fold_numbers: Iterable[int],
) -> None:
    """Evaluate candidates on folds, each with its own threshold if the task wants that."""
    fill(table, task, folds, positions, fold_numbers)
    if task.threshold_seed is not None:
        # Now and not at the end: searches go by these scores.
        for row in positions:
            _rescore(table, task, folds, row, out_of_fold_threshold(table, task, folds, [row]))


def out_of_fold_threshold(
    table: SearchTable, task: SearchTask, folds: Sequence[Fold], rows: Sequence[int]
) -> float:
    """Return the threshold for the mean out-of-fold score of some candidates."""
    classes = np.unique(task.y)
    seen = [number for number in range(len(folds)) if (rows[0], number) in table.scores]
    scores = [_mean_scores(table, task, folds[number], number, rows) for number in seen]
    truth = [task.y[folds[number][1]] == classes[1] for number in seen]
    return tune_threshold(
        np.concatenate(truth),
        np.concatenate(scores),
        metric=task.metric or "mcc",
        positive=minority_code(classes, task.minority_label) or 0,
        # The same bootstrap samples for all, so that equal scores get equal thresholds.
        random_state=task.threshold_seed,
    )


def _mean_scores(
    table: SearchTable, task: SearchTask, fold: Fold, number: int, rows: Sequence[int]
) -> NDArray[np.float64]:
    """Mean scores of the test samples of a fold, all of the same kind."""
    if len(rows) == 1:
        return table.scores[rows[0], number]
    candidates = [table.candidates[row] for row in rows]
    models = [configure(task.estimator, candidate) for candidate in candidates]
    method = response_method(models)
    scores = [table.scores[row, number] for row in rows]
    if any(response_method([model]) != method for model in models):
        # The table holds what each candidate likes best. Few are selected, so another fit of these
        # is cheaper than to keep both kinds of scores for all.
        _, _, scores = score_fold(replace(task, return_scores=method), *fold, candidates)
    return np.mean(scores, axis=0)


def _rescore(
    table: SearchTable, task: SearchTask, folds: Sequence[Fold], row: int, threshold: float
) -> None:
    classes = np.unique(task.y)
    positive = minority_code(classes, task.minority_label)
    for number, (_, test) in enumerate(folds):
        if (row, number) not in table.scores:
            continue
        predicted = (table.scores[row, number] >= threshold).astype(np.intp)
        truth = (task.y[test] == classes[1]).astype(np.intp)
        scores = confusion_scores(confusion_matrices(truth, predicted[np.newaxis], 2)[0], positive)
        for name in ("f1", "g_mean"):
            table.columns[name][row, number] = scores[name]
        table.columns["score"][row, number] = scores[task.metric or "mcc"]


def with_threshold(model: Any, threshold: float, X: Any, y: Any) -> FixedThresholdClassifier:
    """Return a fitted classifier, which is not fitted again, that decides by a threshold."""
    return FixedThresholdClassifier(
        FrozenEstimator(model),
        threshold=threshold,
        pos_label=model.classes_[1],
        response_method=response_method([model]),
    ).fit(X, y)
