"""The threshold on a score, chosen on scores of samples that the model has not seen.

Of more than two classes the threshold is a vector of offsets, one per class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from icost.metrics import confusion_matrices, confusion_scores
from icost.thresholds import (
    additive_scores,
    response_method,
    tune_score_offsets,
    tune_threshold,
)
from icost.tuning.fold_scores import configure
from icost.tuning.offsets import OffsetClassifier
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
) -> float | NDArray[np.float64]:
    """Return the threshold, or offsets, for the mean out-of-fold score of some candidates."""
    classes = np.unique(task.y)
    seen = [number for number in range(len(folds)) if (rows[0], number) in table.scores]
    scores = [_mean_scores(table, task, folds[number], number, rows) for number in seen]
    if len(classes) > 2:
        method = response_of(table, task, rows)
        codes = [np.searchsorted(classes, task.y[folds[number][1]]) for number in seen]
        together = additive_scores(np.concatenate(scores), method)
        return tune_score_offsets(np.concatenate(codes), together, task.metric or "mcc")
    truth = [task.y[folds[number][1]] == classes[1] for number in seen]
    return tune_threshold(
        np.concatenate(truth),
        np.concatenate(scores),
        metric=task.metric or "mcc",
        positive=minority_code(classes, task.minority_label) or 0,
        # The same bootstrap samples for all, so that equal scores get equal thresholds.
        random_state=task.threshold_seed,
    )


def response_of(table: SearchTable, task: SearchTask, rows: Sequence[int]) -> str:
    """Return which scores the mean of some candidates is of."""
    kinds = {table.responses[row] for row in rows}
    if len(kinds) == 1:
        return kinds.pop()
    return response_method([configure(task.estimator, table.candidates[row]) for row in rows])


def _mean_scores(
    table: SearchTable, task: SearchTask, fold: Fold, number: int, rows: Sequence[int]
) -> NDArray[np.float64]:
    """Mean scores of the test samples of a fold, all of the same kind."""
    if len(rows) == 1:
        return table.scores[rows[0], number]
    candidates = [table.candidates[row] for row in rows]
    method = response_of(table, task, rows)
    scores = [table.scores[row, number] for row in rows]
    if any(table.responses[row] != method for row in rows):
        # The table holds what each candidate likes best. Few are selected, so another fit of these
        # is cheaper than to keep both kinds of scores for all.
        _, _, scores, _ = score_fold(replace(task, return_scores=method), *fold, candidates)
    return np.mean(scores, axis=0)


def _rescore(
    table: SearchTable, task: SearchTask, folds: Sequence[Fold], row: int, threshold: Any
) -> None:
    classes = np.unique(task.y)
    positive = minority_code(classes, task.minority_label)
    method = response_of(table, task, [row]) if len(classes) > 2 else ""
    for number, (_, test) in enumerate(folds):
        if (row, number) not in table.scores:
            continue
        given, truth = table.scores[row, number], np.searchsorted(classes, task.y[test])
        if method:
            predicted = np.argmax(additive_scores(given, method) + threshold, axis=1)
        else:
            predicted = (given >= threshold).astype(np.intp)
        matrix = confusion_matrices(truth, predicted[np.newaxis], len(classes))[0]
        scores = confusion_scores(matrix, positive)
        for name in ("f1", "g_mean"):
            table.columns[name][row, number] = scores[name]
        table.columns["score"][row, number] = scores[task.metric or "mcc"]


def with_threshold(model: Any, threshold: Any, response: str, X: Any, y: Any) -> Any:
    """Return a fitted classifier, which is not fitted again, that decides by a threshold."""
    if np.ndim(threshold):
        return OffsetClassifier(
            FrozenEstimator(model), offsets=threshold, response_method=response
        ).fit(X, y)
    return FixedThresholdClassifier(
        FrozenEstimator(model),
        threshold=threshold,
        pos_label=model.classes_[1],
        response_method=response,
    ).fit(X, y)
