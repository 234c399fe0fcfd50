"""Cross-fitting: every row gets one score per repeat from a member that has not seen it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.parallel import Parallel, delayed

from icost.ensemble.treatments import fit_member
from icost.labels import most_folds
from icost.thresholds import RESPONSES, check_class_scores, confidence, response_method
from icost.validation import take_rows


class GroupsHoldClass(ValueError):
    """Groups that cannot be held out, since a class would be left without rows."""


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What an ensemble is fitted to: the user's table, codes, weights and groups.

    ``is_level`` tells which columns have levels. The whole table is asked: a part of it may have
    nothing but numbers in a column of text.
    """

    X: Any
    codes: NDArray[np.intp]
    weight: NDArray[np.float64] | None = None
    groups: Any = None
    minority: int | None = None
    is_level: list[bool] | None = None

    def part(self, rows: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp], Any]:
        """Return table, codes and weights of some rows."""
        weight = None if self.weight is None else self.weight[rows]
        return take_rows(self.X, rows), self.codes[rows], weight

    def without_table(self, rows: NDArray[np.intp]) -> TrainingRows:
        """Return what is known of some rows but their columns."""
        weight, groups = (None if own is None else own[rows] for own in (self.weight, self.groups))
        return TrainingRows(None, self.codes[rows], weight, groups, self.minority)


@dataclass(frozen=True, eq=False)
class Repeat:
    """One cross-fitted repeat of one base: its members, and the held-out score of every row."""

    members: list[Any]
    response: str
    scores: NDArray[np.float64]
    parts: NDArray[np.intp]


def member_scores(member: Any, X: Any, response: str) -> NDArray[np.float64]:
    """Return scores as columns: one for two classes, unless they are all probabilities."""
    scores = np.asarray(confidence(member, X, response), dtype=np.float64)
    return scores[:, np.newaxis] if scores.ndim == 1 else scores


def cross_fit(
    bases: Sequence[Any],
    members: Sequence[Any],
    rows: TrainingRows,
    *,
    n_splits: int,
    preprocessor: Any,
    response: str | None,
    random_state: np.random.RandomState,
    n_jobs: int | None,
    progress: Any,
) -> list[list[Repeat]]:
    """Return the repeats of each base, one per treatment; all bases share splits and rows.

    All seeds are drawn before the first fit, so that the number of jobs changes nothing; those of a
    repeat do not depend on the repeats after it, so that a longer ensemble begins as a shorter one.
    """
    own = [np.random.RandomState(random_state.randint(2**31 - 1)) for _ in members]
    splits = [_split(rows, n_splits, repeat) for repeat in own]
    tasks = [
        (number, held_out, int(own[number].randint(2**31 - 1)))
        for number, parts in enumerate(splits)
        for held_out in range(int(parts.max()) + 1)
    ]
    jobs = (
        delayed(_fit_part)(
            bases, members[number], rows, splits[number] == held_out, preprocessor, response, seed
        )
        for number, held_out, seed in tasks
    )
    fitted = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        fitted.append(result)
        progress(len(fitted), len(tasks))
    return [_collect(base, tasks, splits, fitted) for base in range(len(bases))]


def _split(
    rows: TrainingRows, n_splits: int, random_state: np.random.RandomState
) -> NDArray[np.intp]:
    """The part of one shuffled stratified split that each row is held out with."""
    n_parts, seed = most_folds(rows.codes, n_splits), int(random_state.randint(2**31 - 1))
    if n_parts < 2:
        raise ValueError(
            f"every class needs at least two rows of positive weight, got {n_parts} of the rarest."
        )
    if rows.groups is None:
        splitter: Any = StratifiedKFold(n_parts, shuffle=True, random_state=seed)
    else:
        n_groups = len(np.unique(rows.groups))
        if n_groups < 2:
            raise GroupsHoldClass("groups must have at least two groups, got one.")
        n_parts = min(n_parts, n_groups)
        splitter = StratifiedGroupKFold(n_parts, shuffle=True, random_state=seed)
    part = np.empty(len(rows.codes), dtype=np.intp)
    n_classes = int(rows.codes.max()) + 1
    blank = np.zeros(len(rows.codes))
    for number, (train, test) in enumerate(splitter.split(blank, rows.codes, rows.groups)):
        if len(np.unique(rows.codes[train])) < n_classes:
            raise GroupsHoldClass(
                "groups must leave rows of every class to learn from when some are held out, got a "
                "class whose rows are all in the held-out groups."
            )
        part[test] = number
    return part


def _fit_part(
    bases: Sequence[Any],
    treatment: Any,
    rows: TrainingRows,
    is_held_out: NDArray[np.bool_],
    preprocessor: Any,
    response: str | None,
    seed: int,
) -> list[tuple[Any, str, NDArray[np.float64]]]:
    """A member of each base, the scores that it has, and those of the rows it has not seen."""
    X, codes, weight = rows.part(np.flatnonzero(~is_held_out))
    options = {"minority": rows.minority, "preprocessor": preprocessor, "is_level": rows.is_level}
    fitted = fit_member(bases, treatment, X, codes, weight, seed=seed, **options)
    unseen = take_rows(rows.X, np.flatnonzero(is_held_out))
    found = []
    for member in fitted:
        name = _response_of(member, response)
        check_class_scores(member, name, int(rows.codes.max()) + 1, "base_classifier")
        found.append((member, name, member_scores(member, unseen, name)))
    return found


def _response_of(member: Any, wanted: str | None) -> str:
    """The method whose scores are taken; only a fitted member tells for certain which it has."""
    if wanted is None:
        if any(hasattr(member, name) for name in RESPONSES):
            return response_method([member])
        raise ValueError(
            "base_classifier must have a decision_function or predict_proba, whose scores are "
            f"calibrated, got {member!r}, which has neither."
        )
    if not hasattr(member, wanted):
        raise ValueError(
            f"base_classifier must have {wanted} with calibrate=False, got {member!r}."
        )
    return wanted


def _collect(
    base: int,
    tasks: list[tuple[int, int, int]],
    splits: list[NDArray[np.intp]],
    fitted: list[list[tuple[Any, str, NDArray[np.float64]]]],
) -> list[Repeat]:
    repeats = []
    for number, parts in enumerate(splits):
        own = [
            (held_out, *results[base])
            for (repeat, held_out, _), results in zip(tasks, fitted, strict=True)
            if repeat == number
        ]
        scores = np.empty((len(parts), own[0][3].shape[1]))
        for held_out, _, _, held_out_scores in own:
            scores[parts == held_out] = held_out_scores
        repeats.append(Repeat([member for _, member, _, _ in own], own[0][2], scores, parts))
    return repeats
