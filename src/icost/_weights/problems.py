"""Binary problems: the one of a binary target, or one per class of a multiclass one.

A multiclass target is decomposed one-vs-rest (section 3.6 of the paper). In each binary problem the
rarer group is the minority, also when that is "the rest". A `Problem` knows how hard its minority
rows are and turns costs into weights; a `Target` holds the problems of one training set beside
what they were made of. Both are frozen: whoever is handed one may keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import (
    check_class_weight,
    class_totals,
    encode_labels,
    find_minority,
    imbalance_ratio,
    named_minority,
)
from icost._core.validation import check_choice, check_sample_weight, take_rows
from icost.complexity._base import BaseComplexity, Complexity
from icost.penalties import Costs, own_penalties, penalty_shares, sum_shares

MULTICLASS = ("ovr", "ovo", "direct")
"""How more than two classes are learned: each against the rest, in pairs, or all at once."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One binary problem of a target, and how hard it is.

    ``target`` is what a base classifier is to learn, as 0 and 1; ``minority`` tells which of the
    two is the minority, and ``ratio`` is the imbalance ratio, of weights where there are any.
    ``other`` is the complexity of the majority, where that was asked for. ``means``, of the shapes
    of both, are given where they are not those of these rows. ``rows`` are those of the table
    that the problem is about, if not all: of a pair of classes. Its records count within them.
    """

    target: Ints
    minority: int
    ratio: float
    complexity: Complexity | None = None
    other: Complexity | None = None
    sample_weight: Floats | None = None
    means: tuple[float, float] | None = None
    rows: Ints | None = None

    @property
    def is_minority(self) -> Bools:
        """Whether each row is of the minority."""
        return self.target == self.minority

    @cached_property
    def _shares(self) -> tuple[Floats, Floats]:
        """What no cost changes, kept: the shares of the four costs, and penalties of others."""
        assert self.complexity is not None
        return penalty_shares(self.complexity), own_penalties(self.complexity, self.ratio)

    def penalties(self, costs: Costs) -> Floats:
        """Return the penalty of each minority row that complexity was estimated of."""
        if not costs.has_categories:
            assert self.complexity is not None
            return costs.scale * self.ratio * self._plausible(costs, self.complexity)
        shares, own_penalty = self._shares
        return sum_shares(shares, costs.resolve(self.ratio)) + costs.scale * own_penalty

    def _plausible(self, costs: Costs, record: Complexity) -> Floats:
        """Return the shape of a class, scaled to a mean of 1: total weights stay."""
        shape = costs.shape(record)
        mean = self._mean(shape, record) if self.means is None else self.means[record is self.other]
        return shape / mean if mean > 0 else np.ones(len(shape))

    def _mean(self, shape: Floats, record: Complexity) -> float:
        """Return the mean of a shape over a class; 0 if the class has no row."""
        weight = None if self.sample_weight is None else self.sample_weight[record.indices]
        return float(np.average(shape, weights=weight)) if len(shape) else 0.0

    def shape_means(self, costs: Costs) -> tuple[float, float]:
        """Return the means of the shapes of minority and majority, 0 for what is not judged."""
        minority, majority = (
            0.0 if r is None or r.other_class_share is None else self._mean(costs.shape(r), r)
            for r in (self.complexity, self.other)
        )
        return minority, majority

    def weights(self, costs: Costs | None) -> Floats:
        """Return the weights of all rows; all are 1 without costs."""
        if costs is None:
            return np.ones(len(self.target))
        if self.complexity is None:
            # Class-level cost-sensitive learning, eq. 2 of the paper.
            return np.where(self.is_minority, costs.uniform(self.ratio), 1.0)
        weights = self.spread(self.penalties(costs))
        if costs.majority == "plausible" and self.other is not None:
            weights[self.other.indices] = self._plausible(costs, self.other)
        return weights

    def spread(self, penalties: Floats) -> Floats:
        """Return the weights of all rows: 1 for the majority, the penalty for the minority."""
        assert self.complexity is not None
        weights = np.ones(len(self.target))
        weights[self.complexity.indices] = penalties
        return weights

    def record(self, weights: Floats) -> Complexity | None:
        """Return the complexity, with the penalties that these weights hold."""
        if self.complexity is None:
            return None
        indices, rows = self.complexity.indices, self.rows
        indices = indices if rows is None else rows[indices]
        return replace(self.complexity, indices=indices, penalty=weights[self.complexity.indices])


@dataclass(frozen=True, eq=False)
class AllClasses:
    """The one problem of all classes at once, for ``multiclass="direct"``.

    ``ratio`` has one entry per class, the largest class's size over its own. Every class is judged
    against all others; the scale of costs leaves the largest alone, which is what it is beside.
    """

    target: Ints
    ratio: Floats
    complexity: Complexity | None = None
    sample_weight: Floats | None = None
    minority: None = None
    rows: None = None

    def weights(self, costs: Costs | None) -> Floats:
        """Return the weights of all rows; all are 1 without costs."""
        weights = np.ones(len(self.target))
        if costs is None:
            return weights
        for code, ratio in enumerate(self.ratio):
            if self.complexity is None:
                weights[self.target == code] = costs.uniform(ratio) if ratio > 1 else 1.0
                continue
            class_costs = costs if ratio > 1 else replace(costs, scale=1.0)
            record = self._complexity_of_class(code)
            as_minority = Problem(self.target, 0, float(ratio), record, None, self.sample_weight)
            weights[record.indices] = as_minority.penalties(class_costs)
        return weights

    def _complexity_of_class(self, code: int) -> Complexity:
        assert self.complexity is not None
        record = self.complexity
        chosen = np.flatnonzero(self.target[record.indices] == code)
        share = record.other_class_share
        share = None if share is None else share[chosen]
        columns = (record.indices[chosen], record.category[chosen], record.score[chosen])
        return Complexity(*columns, own_costs=record.own_costs, other_class_share=share)

    def record(self, weights: Floats) -> Complexity | None:
        """Return the complexity, with the penalties that these weights hold."""
        if self.complexity is None:
            return None
        return replace(self.complexity, penalty=weights[self.complexity.indices])


@dataclass(frozen=True, eq=False)
class Target:
    """The labels of a training set, encoded once, and the problems that they pose."""

    classes: NDArray[Any]
    codes: Ints
    problems: Sequence[Any]
    sample_weight: Floats | None = None

    @property
    def pairs(self) -> NDArray[Any] | None:
        """The two classes of each problem, if problems are pairs."""
        if self.problems[0].rows is None:
            return None
        return self.classes[np.array(list(combinations(range(len(self.classes)), 2)))]

    def weights(self, costs: Costs | None) -> Floats:
        """Return the weights of all problems, a column each, times the user's own."""
        return self.with_user_weight([problem.weights(costs) for problem in self.problems])

    def with_user_weight(self, columns: Sequence[Floats]) -> Floats:
        """Return a column of weights per problem as one array, times the user's own.

        Rows that a problem is not about have a weight of 0 in its column.
        """
        weights = np.zeros((len(self.codes), len(columns)))
        for number, (problem, column) in enumerate(zip(self.problems, columns, strict=True)):
            weights[slice(None) if problem.rows is None else problem.rows, number] = column
        if self.sample_weight is None:
            return weights
        return weights * self.sample_weight[:, np.newaxis]


def read_target(
    y: ArrayLike,
    minority_label: Any = None,
    sample_weight: ArrayLike | None = None,
    multiclass: str = "ovr",
) -> Target:
    """Encode labels, check the user's weights and pose the problems, without complexity."""
    check_choice("multiclass", multiclass, MULTICLASS)
    classes, codes = encode_labels(y)
    weight = check_sample_weight(sample_weight, len(codes))
    check_class_weight(classes, codes, weight)
    minority = named_minority(minority_label, classes)
    problems: list[Any] = decompose(codes, len(classes), minority, weight)
    if len(classes) > 2 and multiclass == "ovo":
        problems = _pair_problems(codes, len(classes), weight)
    if len(classes) > 2 and multiclass == "direct":
        problems = [_all_classes(codes, weight)]
    return Target(classes, codes, problems, weight)


def _all_classes(codes: Ints, sample_weight: Floats | None) -> AllClasses:
    totals = class_totals(codes, sample_weight)
    ratio = totals.max() / totals
    # Equal totals may differ by how they were rounded, which the order of the rows decides.
    ratio[ratio <= 1 + 1e-9] = 1.0
    return AllClasses(codes, ratio, sample_weight=sample_weight)


def _pair_problems(codes: Ints, n_classes: int, sample_weight: Floats | None) -> list[Problem]:
    """Return one problem per pair of classes, of which the second is encoded as 1."""
    problems = []
    for first, second in combinations(range(n_classes), 2):
        rows = np.flatnonzero((codes == first) | (codes == second))
        weight = None if sample_weight is None else sample_weight[rows]
        target = (codes[rows] == second).astype(np.intp)
        problems.append(replace(_problem(target, None, weight), rows=rows))
    return problems


def estimate_target(
    target: Target,
    X: Any,
    measure: BaseComplexity | None,
    preprocessor: Any = "auto",
    *,
    both: bool = False,
    **options: Any,
) -> Target:
    """Return a target whose problems know how hard their minority rows are.

    The costly half of a fit, which depends on no cost. ``X`` is the user's own table; ``both``
    asks for the rows of the majority as well.
    """
    if measure is None:
        return target
    codes, weight, rows = target.codes, target.sample_weight, None
    if weight is not None and not weight.all():
        # Rows of weight 0 are absent, also for medians, levels and scales.
        rows = np.flatnonzero(weight)
        X, codes, weight = take_rows(X, rows), codes[rows], weight[rows]
    from icost._table._space import (
        to_numeric_space,
        warn_if_spreads_differ,
    )  # a saved model needs none

    space = to_numeric_space(X, codes, preprocessor, keep_single=measure.takes_single)
    if measure.uses_distances:
        warn_if_spreads_differ(space, preprocessor)
    if isinstance(target.problems[0], AllClasses):
        record = measure.estimate_classes(space, codes, sample_weight=weight, **options)
        record = _named(record, rows, target.classes)
        return replace(target, problems=[replace(target.problems[0], complexity=record)])
    estimate = estimate_complexity if target.pairs is None else _estimate_pairs
    problems = estimate(
        *(measure, space, codes, target.problems),
        rows=rows,
        both=both,
        sample_weight=weight,
        **options,
    )
    return replace(target, problems=problems)


def _named(record: Complexity, rows: Ints | None, classes: NDArray[Any]) -> Complexity:
    """Return a record with rows of the table and labels of rivals, of what was present only."""
    indices, rival = record.indices, record.rival
    if rival is not None:
        labels = np.append(classes.astype(object), [None])
        rival = labels[rival.astype(np.intp)]
    return replace(record, indices=indices if rows is None else rows[indices], rival=rival)


def _estimate_pairs(
    measure: BaseComplexity,
    space: Any,
    codes: Ints,
    problems: Sequence[Problem],
    *,
    rows: Ints | None = None,
    sample_weight: Floats | None = None,
    **options: Any,
) -> list[Problem]:
    """Return the problems with their complexity among the rows of the pair alone."""
    present = np.arange(len(codes)) if rows is None else rows
    records = []
    for problem in problems:
        assert problem.rows is not None
        members = np.flatnonzero(np.isin(present, problem.rows))
        within = np.searchsorted(problem.rows, present[members])
        weight = None if sample_weight is None else sample_weight[members]
        given = (measure, space[members], problem.target[within], [problem])
        records += estimate_complexity(*given, rows=within, sample_weight=weight, **options)
    return records


def decompose(
    codes: Ints, n_classes: int, minority: int | None = None, sample_weight: Floats | None = None
) -> list[Problem]:
    """Return the binary problem of two classes, or one problem per class of more."""
    if n_classes == 2:
        targets = [codes]
    else:
        targets = [(codes == code).astype(np.intp) for code in range(n_classes)]
    return [_problem(target, minority, sample_weight) for target in targets]


def _problem(target: Ints, minority: int | None, sample_weight: Floats | None) -> Problem:
    if minority is None:
        minority = find_minority(class_totals(target, sample_weight))
    ratio = imbalance_ratio(target == minority, sample_weight)
    return Problem(target, minority, ratio, sample_weight=sample_weight)


def minority_classes(problems: Sequence[Problem], n_classes: int) -> list[Bools]:
    """Return which classes make up the minority of each problem."""
    if n_classes == 2:
        return [np.arange(2) == problem.minority for problem in problems]
    # Of class against rest, target 1 is the class: if 0 is the minority, all other classes are.
    is_class = np.eye(n_classes, dtype=bool)
    return [is_class[code] == (problem.minority == 1) for code, problem in enumerate(problems)]


def estimate_complexity(
    measure: BaseComplexity,
    space: Any,
    codes: Ints,
    problems: Sequence[Problem],
    *,
    rows: Ints | None = None,
    both: bool = False,
    **options: Any,
) -> list[Problem]:
    """Return the problems with the complexity of their minority rows, or of both classes.

    ``rows`` tells which rows of the problems' targets ``space`` and ``codes`` hold, if not all.
    """
    groups = minority_classes(problems, int(codes.max()) + 1)
    # The majority is another choice of the minority, and a measure shares what it can.
    sides = [*groups, *(~group for group in groups)] if both else groups
    records = measure.estimate_groups(space, codes, sides, **options)
    if rows is not None:
        records = [replace(record, indices=rows[record.indices]) for record in records]
    others: Sequence[Any] = records[len(groups) :] if both else [None] * len(groups)
    triples = zip(problems, records[: len(groups)], others, strict=True)
    return [replace(p, complexity=record, other=other) for p, record, other in triples]


def one_vs_rest_confidence(estimators: Sequence[Any], X: Any) -> Floats:
    """Return each class's confidence: its decision function, else its probability or prediction."""
    if hasattr(estimators[0], "decision_function"):
        columns = [np.ravel(estimator.decision_function(X)) for estimator in estimators]
    elif hasattr(estimators[0], "predict_proba"):
        columns = [estimator.predict_proba(X)[:, 1] for estimator in estimators]
    else:
        columns = [np.ravel(estimator.predict(X)).astype(np.float64) for estimator in estimators]
    return np.column_stack(columns)


def one_vs_one_confidence(estimators: Sequence[Any], X: Any) -> Floats:
    """Return the votes of each class, and by less than one vote its summed confidence."""
    confidence = one_vs_rest_confidence(estimators, X)
    predicted = np.column_stack([np.ravel(estimator.predict(X)) for estimator in estimators])
    n_classes = _n_classes(len(estimators))
    votes, total = np.zeros((2, len(predicted), n_classes))
    for number, (first, second) in enumerate(combinations(range(n_classes), 2)):
        total[:, first] -= confidence[:, number]
        total[:, second] += confidence[:, number]
        votes[:, first] += predicted[:, number] == 0
        votes[:, second] += predicted[:, number] == 1
    # Between -1/3 and 1/3: the sums decide between equal votes, and never against a vote.
    return votes + total / (3 * (np.abs(total) + 1))


def one_vs_one_proba(estimators: Sequence[Any], X: Any) -> Floats:
    """Return the mean of the probabilities that each class has in its pairs; rows sum to one."""
    n_classes = _n_classes(len(estimators))
    proba = 0.0
    for estimator, pair in zip(estimators, combinations(range(n_classes), 2), strict=True):
        votes_of_pair = np.eye(n_classes)[list(pair)]
        proba = proba + estimator.predict_proba(X) @ votes_of_pair
    return np.asarray(proba) / len(estimators)


def _n_classes(n_pairs: int) -> int:
    return round((1 + (1 + 8 * n_pairs) ** 0.5) / 2)


def one_vs_rest_proba(estimators: Sequence[Any], X: Any) -> Floats:
    """Return the binary probabilities, scaled to sum to one in each row."""
    return scale_rows(np.column_stack([model.predict_proba(X)[:, 1] for model in estimators]))


def scale_rows(proba: Floats) -> Floats:
    """Return probabilities scaled to sum to one in each row; equal ones for a row of zeros."""
    proba = np.where(proba.sum(axis=1, keepdims=True) == 0, 1.0, proba)
    return proba / proba.sum(axis=1, keepdims=True)
