"""Cross-fitting: every row gets one score per repeat from a member that has not seen it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import held_out_parts
from icost._core.validation import take_rows
from icost._table._columns import TableTypes
from icost.ensemble._treatments import fit_member
from icost.thresholds._certificate import HeldOut
from icost.thresholds._scores import RESPONSES, check_class_scores, response_method, response_scores


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What an ensemble is fitted to: the user's table, codes, weights, groups and costs of errors.

    ``types`` and ``is_level`` say of what type columns are, and which have levels. The whole table
    decides: a fold may have nothing but numbers in a column of text.
    """

    X: Any
    codes: Ints
    weight: Floats | None = None
    groups: Any = None
    minority: int | None = None
    types: TableTypes | None = None
    is_level: list[bool] | None = None
    costs: tuple[Any, Any] = (None, 1.0)

    def take(self, rows: Ints) -> tuple[Any, Ints, Any]:
        """Return table, codes and weights of some rows."""
        weight = None if self.weight is None else self.weight[rows]
        return take_rows(self.X, rows), self.codes[rows], weight

    def without_table(self, rows: Ints) -> TrainingRows:
        """Return what is known of some rows but their columns."""
        weight, groups = (
            None if values is None else values[rows] for values in (self.weight, self.groups)
        )
        costs = tuple(cost[rows] if np.ndim(cost) else cost for cost in self.costs)
        return TrainingRows(None, self.codes[rows], weight, groups, self.minority, costs=costs)

    def held_out(self, proba: Floats) -> HeldOut:
        """Return the rows with their probabilities, for a rule of two classes."""
        weight = np.ones(len(self.codes)) if self.weight is None else self.weight
        is_minority, score = self.codes == self.minority, proba[:, self.minority]
        return HeldOut(is_minority, score, weight, self.groups, *self.costs)


@dataclass(frozen=True, eq=False)
class Repeat:
    """One cross-fitted repeat of one base: its members, and the held-out score of every row."""

    members: list[Any]
    response: str
    scores: Floats
    parts: Ints


def member_scores(member: Any, X: Any, response: str) -> Floats:
    """Return scores as columns: one for two classes, unless they are all probabilities."""
    scores = np.asarray(response_scores(member, X, response), dtype=np.float64)
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
    keep_members: bool = True,
) -> list[list[Repeat]]:
    """Return the repeats of each base, one per treatment; all bases share splits and rows.

    All seeds are drawn before the first fit, so that the number of jobs changes nothing; those of a
    repeat do not depend on the repeats after it, so that a longer ensemble begins as a shorter one.
    """
    generators = [np.random.RandomState(random_state.randint(2**31 - 1)) for _ in members]
    splits = [held_out_parts(rows.codes, rows.groups, n_splits, repeat) for repeat in generators]
    tasks = [
        (number, held_out, int(generators[number].randint(2**31 - 1)))
        for number, parts in enumerate(splits)
        for held_out in range(int(parts.max()) + 1)
    ]
    options = {"preprocessor": preprocessor, "response": response, "keep_members": keep_members}
    jobs = [
        delayed(_fit_part)(
            bases, members[number], rows, splits[number] == held_out, seed=seed, **options
        )
        for number, held_out, seed in tasks
    ]
    fitted = _run(jobs, n_jobs, progress)
    return [_collect(base, tasks, splits, fitted) for base in range(len(bases))]


def refit(
    bases: Sequence[Any],
    treatments: Sequence[Any],
    rows: TrainingRows,
    *,
    preprocessor: Any,
    random_state: np.random.RandomState,
    n_jobs: int | None,
    progress: Any,
) -> list[list[list[Any]]]:
    """Return one model on all rows for each base and each of some treatments."""
    seeds = random_state.randint(2**31 - 1, size=len(treatments)).tolist()
    jobs = [
        delayed(_fit_rows)(bases, treatment, rows, None, preprocessor, seed)
        for treatment, seed in zip(treatments, seeds, strict=True)
    ]
    fitted = _run(jobs, n_jobs, progress)
    return [[[models[base]] for models in fitted] for base in range(len(bases))]


def _run(jobs: list[Any], n_jobs: int | None, progress: Any) -> list[Any]:
    results = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        results.append(result)
        progress(len(results), len(jobs))
    return results


def _fit_rows(
    bases: Sequence[Any],
    treatment: Any,
    rows: TrainingRows,
    chosen: Ints | None,
    preprocessor: Any,
    seed: int,
) -> list[Any]:
    """A member of each base, fitted to chosen rows or to all."""
    data = (rows.X, rows.codes, rows.weight) if chosen is None else rows.take(chosen)
    options = {"minority": rows.minority, "preprocessor": preprocessor, "is_level": rows.is_level}
    return fit_member(bases, treatment, *data, seed=seed, **options)


def _fit_part(
    bases: Sequence[Any],
    treatment: Any,
    rows: TrainingRows,
    is_held_out: Bools,
    *,
    preprocessor: Any,
    response: str | None,
    seed: int,
    keep_members: bool,
) -> list[tuple[Any, str, Floats]]:
    """A member of each base, the scores that it has, and those of the rows it has not seen."""
    fitted = _fit_rows(bases, treatment, rows, np.flatnonzero(~is_held_out), preprocessor, seed)
    unseen = take_rows(rows.X, np.flatnonzero(is_held_out))
    results = []
    for member in fitted:
        name = _response_of(member, response)
        check_class_scores(member, name, int(rows.codes.max()) + 1, "base_classifier")
        scores = member_scores(member, unseen, name)
        results.append((member if keep_members else None, name, scores))
    return results


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
    splits: list[Ints],
    fitted: list[list[tuple[Any, str, Floats]]],
) -> list[Repeat]:
    repeats = []
    for number, parts in enumerate(splits):
        fits = [
            (held_out, *results[base])
            for (repeat, held_out, _), results in zip(tasks, fitted, strict=True)
            if repeat == number
        ]
        scores = np.empty((len(parts), fits[0][3].shape[1]))
        for held_out, _, _, held_out_scores in fits:
            scores[parts == held_out] = held_out_scores
        repeats.append(Repeat([member for _, member, _, _ in fits], fits[0][2], scores, parts))
    return repeats
