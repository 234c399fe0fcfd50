"""Binary problems: the one of a binary target, or one per class of a multiclass one.

A multiclass target is decomposed one-vs-rest (section 3.6 of the paper). In each binary problem the
rarer group is the minority, also when that is "the rest". A `Problem` knows how hard its minority
samples are and turns costs into weights; a `Target` holds the problems of one training set beside
what they were made of. Both are frozen: whoever is handed one may keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost.complexity.base import BaseComplexity, Complexity
from icost.labels import (
    check_class_weight,
    class_totals,
    encode_labels,
    find_minority,
    imbalance_ratio,
    named_minority,
)
from icost.penalties import (
    Costs,
    mean_shape,
    own_penalties,
    penalty_shares,
    plausible_shape,
    spread_weights,
    sum_shares,
    uniform_weights,
)
from icost.preprocessing import to_numeric_space, warn_if_spreads_differ
from icost.validation import check_sample_weight, take_rows


@dataclass(frozen=True, eq=False)
class Problem:
    """One binary problem of a target, and how hard it is.

    ``target`` is what a base classifier is to learn, as 0 and 1; ``minority`` tells which of the
    two is the minority, and ``ratio`` is the imbalance ratio, of weights where there are any.
    ``other`` is the complexity of the majority, where that was asked for. ``means``, of the shapes
    of both, are given where they are not those of these samples.
    """

    target: NDArray[np.intp]
    minority: int
    ratio: float
    complexity: Complexity | None = None
    other: Complexity | None = None
    sample_weight: NDArray[np.float64] | None = None
    means: tuple[float, float] | None = None

    @property
    def is_minority(self) -> NDArray[np.bool_]:
        """Whether each sample is of the minority."""
        return self.target == self.minority

    @cached_property
    def _shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What no cost changes, kept: the shares of the four costs, and penalties of others."""
        assert self.complexity is not None
        return penalty_shares(self.complexity), own_penalties(self.complexity, self.ratio)

    def penalties(self, costs: Costs) -> NDArray[np.float64]:
        """Return the penalty of each minority sample that complexity was estimated of."""
        if not costs.has_categories:
            assert self.complexity is not None
            return costs.scale * self.ratio * self._plausible(costs, self.complexity)
        shares, own = self._shares
        return sum_shares(shares, costs.resolve(self.ratio)) + costs.scale * own

    def _plausible(self, costs: Costs, record: Complexity) -> NDArray[np.float64]:
        """Return the shape of a class, scaled to a mean of 1."""
        is_other = record is self.other
        mean = None if self.means is None else self.means[is_other]
        return plausible_shape(costs.shape(record), self._weight_of(record), mean)

    def _weight_of(self, record: Complexity) -> NDArray[np.float64] | None:
        return None if self.sample_weight is None else self.sample_weight[record.indices]

    def shape_means(self, costs: Costs) -> tuple[float, float]:
        """Return the means of the shapes of minority and majority, 0 for what is not judged."""
        records = (self.complexity, self.other)
        shapes = [
            0.0
            if r is None or r.foreign is None
            else mean_shape(costs.shape(r), self._weight_of(r))
            for r in records
        ]
        return shapes[0], shapes[1]

    def weights(self, costs: Costs | None) -> NDArray[np.float64]:
        """Return the weights of all samples; all are 1 without costs."""
        if costs is None:
            return np.ones(len(self.target))
        if self.complexity is None:
            return uniform_weights(self.is_minority, costs.uniform(self.ratio))
        weights = self.spread(self.penalties(costs))
        if costs.majority == "plausible" and self.other is not None:
            weights[self.other.indices] = self._plausible(costs, self.other)
        return weights

    def spread(self, penalties: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of all samples for given penalties of the minority ones."""
        assert self.complexity is not None
        return spread_weights(self.complexity, penalties, len(self.target))

    def record(self, weights: NDArray[np.float64]) -> Complexity | None:
        """Return the complexity, with the penalties that these weights hold."""
        if self.complexity is None:
            return None
        return replace(self.complexity, penalty=weights[self.complexity.indices])


@dataclass(frozen=True, eq=False)
class Target:
    """The labels of a training set, encoded once, and the binary problems that they pose."""

    classes: NDArray[Any]
    codes: NDArray[np.intp]
    problems: Sequence[Problem]
    sample_weight: NDArray[np.float64] | None = None

    def weights(self, costs: Costs | None) -> NDArray[np.float64]:
        """Return the weights of all problems, a column each, times the user's own."""
        return self.with_user_weight([problem.weights(costs) for problem in self.problems])

    def with_user_weight(self, columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return a column of weights per problem as one array, times the user's own."""
        weights = np.column_stack(columns)
        if self.sample_weight is None:
            return weights
        return weights * self.sample_weight[:, np.newaxis]


def read_target(
    y: ArrayLike, minority_label: Any = None, sample_weight: ArrayLike | None = None
) -> Target:
    """Encode labels, check the user's weights and pose the problems, without complexity."""
    classes, codes = encode_labels(y)
    weight = check_sample_weight(sample_weight, len(codes))
    check_class_weight(classes, codes, weight)
    minority = named_minority(minority_label, classes)
    return Target(classes, codes, decompose(codes, len(classes), minority, weight), weight)


def estimate_target(
    target: Target,
    X: Any,
    measure: BaseComplexity | None,
    preprocessor: Any = "auto",
    *,
    both: bool = False,
    **options: Any,
) -> Target:
    """Return a target whose problems know how hard their minority samples are.

    The costly half of a fit, which depends on no cost. ``X`` is the user's own table; ``both``
    asks for the samples of the majority as well.
    """
    if measure is None:
        return target
    codes, weight, rows = target.codes, target.sample_weight, None
    if weight is not None and not weight.all():
        # Rows of weight 0 are absent, also for medians, levels and scales.
        rows = np.flatnonzero(weight)
        X, codes, weight = take_rows(X, rows), codes[rows], weight[rows]
    space = to_numeric_space(X, codes, preprocessor)
    if measure.uses_distances:
        warn_if_spreads_differ(space, preprocessor)
    problems = estimate_complexity(
        *(measure, space, codes, target.problems),
        rows=rows,
        both=both,
        sample_weight=weight,
        **options,
    )
    return replace(target, problems=problems)


def decompose(
    codes: NDArray[np.intp],
    n_classes: int,
    minority: int | None = None,
    sample_weight: NDArray[np.float64] | None = None,
) -> list[Problem]:
    """Return the binary problem of two classes, or one problem per class of more."""
    if n_classes == 2:
        targets = [codes]
    else:
        targets = [(codes == code).astype(np.intp) for code in range(n_classes)]
    return [_problem(target, minority, sample_weight) for target in targets]


def _problem(
    target: NDArray[np.intp], minority: int | None, sample_weight: NDArray[np.float64] | None
) -> Problem:
    if minority is None:
        minority = find_minority(class_totals(target, sample_weight))
    ratio = imbalance_ratio(target == minority, sample_weight)
    return Problem(target, minority, ratio, sample_weight=sample_weight)


def minority_classes(problems: Sequence[Problem], n_classes: int) -> list[NDArray[np.bool_]]:
    """Return which classes make up the minority of each problem."""
    if n_classes == 2:
        return [np.arange(2) == problem.minority for problem in problems]
    # Of class against rest, target 1 is the class: if 0 is the minority, all other classes are.
    is_class = np.eye(n_classes, dtype=bool)
    return [is_class[code] == (problem.minority == 1) for code, problem in enumerate(problems)]


def estimate_complexity(
    measure: BaseComplexity,
    space: Any,
    codes: NDArray[np.intp],
    problems: Sequence[Problem],
    *,
    rows: NDArray[np.intp] | None = None,
    both: bool = False,
    **options: Any,
) -> list[Problem]:
    """Return the problems with the complexity of their minority samples, or of both classes.

    ``rows`` tells which rows of the problems' targets ``space`` and ``codes`` hold, if not all.
    """
    groups = minority_classes(problems, int(codes.max()) + 1)
    # The majority is another choice of the minority, and a measure shares what it can.
    asked = [*groups, *(~group for group in groups)] if both else groups
    records = measure.estimate_groups(space, codes, asked, **options)
    if rows is not None:
        records = [replace(record, indices=rows[record.indices]) for record in records]
    others = records[len(groups) :] if both else [None] * len(groups)
    return [
        replace(problem, complexity=record, other=other)
        for problem, record, other in zip(problems, records[: len(groups)], others, strict=True)
    ]


def one_vs_rest_confidence(estimators: Sequence[Any], X: Any) -> NDArray[np.float64]:
    """Return each class's confidence: its decision function, else its probability or prediction."""
    if hasattr(estimators[0], "decision_function"):
        columns = [np.ravel(estimator.decision_function(X)) for estimator in estimators]
    elif hasattr(estimators[0], "predict_proba"):
        columns = [estimator.predict_proba(X)[:, 1] for estimator in estimators]
    else:
        columns = [np.ravel(estimator.predict(X)).astype(np.float64) for estimator in estimators]
    return np.column_stack(columns)


def one_vs_rest_proba(estimators: Sequence[Any], X: Any) -> NDArray[np.float64]:
    """Return the binary probabilities, scaled to sum to one in each row."""
    return scale_rows(np.column_stack([model.predict_proba(X)[:, 1] for model in estimators]))


def scale_rows(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities scaled to sum to one in each row; equal ones for a row of zeros."""
    proba = np.where(proba.sum(axis=1, keepdims=True) == 0, 1.0, proba)
    return proba / proba.sum(axis=1, keepdims=True)
