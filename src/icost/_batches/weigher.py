"""From passes over a table to a function that weighs any batch of it.

A pass applies a task to every batch and merges the results; a `Reduce` is how an engine does that.
Results are whole numbers, sets of rows, or distances that are the same in every bit wherever
they are computed, so that no batch and no order changes a weight: what needs a mean over all rows
is refused, and a sample has the rows of each class with the smallest keys, mixed from their bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import encode_labels, named_minority
from icost._core.validation import check_number
from icost._neighbors.counts import check_enough_rows
from icost._neighbors.parts import count_classes, find_nearest, merge_nearest
from icost._weights.classifier import iCost
from icost._weights.problems import Problem, decompose, minority_classes
from icost.complexity._base import BaseComplexity, Complexity
from icost.complexity._gini import FAST_PROBE_ROWS, GiniComplexity, ambiguity, leaf_share
from icost.complexity._methods import measure_of
from icost.complexity._neighbor import NeighborComplexity, exact_exponent, resolve_categories
from icost.complexity._probe import HistogramTree, count_between_cuts
from icost.penalties import Costs

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def row_keys(X: NDArray, codes: Ints, seed: int = 0) -> NDArray[np.uint64]:
    """Return a number for each row that equal rows of one class share, as good as random."""
    # Each step maps the numbers one to one: rows that differ in one cell only never share a key.
    start = np.uint64((seed + 1) * int(_FACTOR) % 2**64)
    key = codes.astype(np.uint64) + start
    for column in X.T:
        # Zero has two signs but is one value.
        key ^= (column.astype(np.float64) + 0.0).view(np.uint64)
        key *= _FACTOR
        key ^= key >> np.uint64(29)
    for shift in (33, 29, 32):
        key *= np.uint64(0xFF51AFD7ED558CCD)
        key ^= key >> np.uint64(shift)
    return key


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows, sorted by their keys, and how many rows of the table each is equal to."""

    # Rows of one key are taken for equal. Among 65,536 rows of 10^9, chances are 1 in 10^6 that
    # any two are not, and then a cut is proposed elsewhere.
    key: NDArray[np.uint64]
    X: NDArray
    codes: Ints
    count: NDArray[np.int64]


def sample_sizes(totals: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Return the rows of each class in a sample: equal shares, or all of a smaller class."""
    sizes = np.zeros_like(totals)
    left = n_rows
    for position, code in enumerate(np.argsort(totals, kind="stable")):
        share = -(-left // (len(totals) - position))
        sizes[code] = max(1, min(totals[code], share))
        left -= sizes[code]
    return sizes


@dataclass(frozen=True, eq=False)
class SampleRows:
    """The task that draws from one batch; `merge` draws from several samples."""

    sizes: NDArray[np.int64]
    seed: int
    dtype: Any = np.float64

    def __call__(self, X: NDArray, codes: Ints) -> Sample:
        """Return the sample of a batch."""
        # Trees compare in single precision: rows that are equal there are equal to them.
        wanted = np.flatnonzero(self.sizes[codes] > 0)
        X, codes = X[wanted].astype(self.dtype, copy=False), codes[wanted]
        ones = np.ones(len(codes), dtype=np.int64)
        return self._distinct(Sample(row_keys(X, codes, self.seed), X, codes, ones))

    def merge(self, samples: list[Sample]) -> Sample:
        """Return the sample of all batches together."""
        columns = [(one.key, one.X, one.codes, one.count) for one in samples]
        return self._distinct(Sample(*map(np.concatenate, zip(*columns, strict=True))))

    def _distinct(self, rows: Sample) -> Sample:
        key, first, place = np.unique(rows.key, return_index=True, return_inverse=True)
        count = np.bincount(place, weights=rows.count, minlength=len(key)).astype(np.int64)
        codes = rows.codes[first]
        # How many rows of the class come before, in the order of the keys.
        kept = np.zeros(len(key), dtype=bool)
        for code, size in enumerate(self.sizes):
            kept[np.flatnonzero(codes == code)[:size]] = True
        return Sample(key[kept], rows.X[first[kept]], codes[kept], count[kept])


PROPOSING_ROWS = 65_536
"""Rows that propose cuts to the probe tree of a table of more than 50,000 rows."""

QUERY_BYTES = 1 << 29
"""Memory for the minority rows whose neighbours are sought in one pass."""

MERGED = 8
"""Results of batches that are merged at a time, so that few are in memory."""

CHANGED = "The table must have the same rows whenever it is read, got others: persist it first."

Result = TypeVar("Result")
Task = Callable[[Any, NDArray], Result]
Merge = Callable[[list[Result]], Result]
Reduce = Callable[[Callable[..., Any], Callable[[list[Any]], Any], bool], Any]
"""Applies a task to all batches, to their numbers (None if no rows are needed) and labels."""

Judge = Callable[[NDArray, Ints], list[tuple[Any, Any, Any]]]
"""Returns category, score and costs of own categories of a batch's minority rows, per problem."""


@dataclass(frozen=True, eq=False)
class Weigher:
    """Weighs batches of the table that it was made for."""

    classes: NDArray[Any]
    problems: list[Problem]
    costs: Costs | None
    #: None if weights depend on nothing but the label.
    judge: Judge | None

    def __call__(self, X: Any, labels: NDArray) -> Floats:
        """Return the weights of a batch, a column per problem if there are several."""
        codes = encode(labels, self.classes)
        judged = None if self.judge is None else self.judge(X, codes)
        columns = []
        for number, problem in enumerate(self.problems):
            # The problem of the whole table, whose "rows" are classes, as that of these rows.
            here = replace(problem, target=problem.target[codes])
            if judged is not None:
                category, score, own_costs = judged[number]
                rows = np.flatnonzero(here.is_minority)
                here = replace(here, complexity=Complexity(rows, category, score, None, own_costs))
            columns.append(here.weights(self.costs))
        return columns[0] if len(columns) == 1 else np.column_stack(columns)


def make_model(method: Any, params: dict[str, Any]) -> iCost:
    """Return an `icost.iCost` for its parameters."""
    if "sample_weight" in params:
        reason = "sums of user weights depend on the order of rows"
        raise ValueError(f"sample_weight must not be given for a table in parts: {reason}.")
    return iCost(method=method, **params)


def make_weigher(reduce: Reduce, where: str, model: Any, is_one_column: bool = False) -> Weigher:
    """Return the weigher of a table; ``where`` ends sentences on what is refused, as "on dask"."""
    measure, costs = measure_of(model), Costs.of(model)
    _check_model(model, costs, where)
    prepare = None if measure is None else check_measure(measure, where)
    counts = reduce(_count_labels, partial(sum, start=Counter()), False)
    classes, _ = encode_labels(np.array(list(counts)))
    totals = np.array([counts[label] for label in classes.tolist()], dtype=np.int64)
    n_classes = len(classes)
    # A "row" of these problems is a class, which weighs as much as it has rows: whatever follows
    # from class sizes alone needs no look at the rows.
    minority = named_minority(model.minority_label, classes)
    problems = decompose(np.arange(n_classes), n_classes, minority, totals.astype(float))
    if is_one_column and len(problems) > 1:
        needed = "The target must have two classes for one weight per row"
        raise ValueError(f"{needed}, got {n_classes} classes.")
    if costs is not None:
        # A wrong cost is refused before the rows are read.
        for problem in problems:
            (costs.uniform if measure is None else costs.resolve)(problem.ratio)
    judge = None
    if prepare is not None:
        minorities, seed = minority_classes(problems, n_classes), int(model.random_state or 0)
        judge = prepare(_Table(reduce, classes, totals, minorities, seed))
    return Weigher(classes, problems, costs, judge)


def _check_model(model: Any, costs: Costs | None, where: str) -> None:
    """Refuse what needs the whole table at once, or a mean over all batches."""
    wanted = {"multiclass": "ovr"}
    if costs is not None:
        wanted |= {"penalty": "categories", "majority": "flat"}
    for name, value in wanted.items():
        if (given := getattr(model, name)) != value:
            raise ValueError(f"{name} must be {value!r} {where}, got {given!r}.")
    if model.preprocessor not in ("auto", None):
        given = f"{where}, got {model.preprocessor!r}"
        raise ValueError(f"preprocessor must be 'auto' or None {given}: transform the table first.")
    if model.random_state is not None:
        check_number("random_state", model.random_state, low=0, integer=True)


def encode(labels: NDArray, classes: NDArray[Any]) -> Ints:
    """Return the position of each label among sorted classes."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    if len(labels) and not np.all(classes[codes] == labels):
        raise ValueError(CHANGED)
    return codes


def _count_labels(X: None, labels: NDArray) -> Counter[Any]:
    distinct, numbers = np.unique(labels, return_counts=True)
    return Counter(dict(zip(distinct.tolist(), numbers.tolist(), strict=True)))


def _with_codes(task: Task[Any], classes: NDArray[Any], X: NDArray, labels: NDArray) -> Any:
    return task(X, encode(labels, classes))


@dataclass(frozen=True, eq=False)
class _Table:
    """What measures are told of the table, and their way to read it."""

    engine: Reduce
    classes: NDArray[Any]
    totals: NDArray[np.int64]
    minorities: list[Bools]
    seed: int

    def reduce(self, task: Task[Result], merge: Merge[Result]) -> Result:
        """Apply a task to numbers and codes of all batches."""
        return self.engine(partial(_with_codes, task, self.classes), merge, True)

    def sample(self, n_rows: int, dtype: Any) -> tuple[Sample, Floats]:
        """Return rows with equal shares of all classes, and for how many rows each stands."""
        draw = SampleRows(sample_sizes(self.totals, n_rows), self.seed, dtype)
        sample = self.reduce(draw, draw.merge)
        drawn = np.bincount(sample.codes, sample.count, minlength=len(self.totals))
        # Exactly 1 per row for a class of which no row is left out.
        return sample, sample.count * (self.totals / np.maximum(drawn, 1))[sample.codes]


@singledispatch
def check_measure(measure: BaseComplexity, where: str) -> Callable[[_Table], Judge]:
    """Return what makes the passes of a measure and then judges a batch by their outcome."""
    needed = f"method must be 'neighbor', 'tree', 'cs' or 'ncs' {where}"
    given = type(measure).__name__
    raise ValueError(f"{needed}, since other measures need the whole table, got {given}.")


@check_measure.register
def _(measure: GiniComplexity, where: str) -> Callable[[_Table], Judge]:
    measure.check_parameters()
    if measure.cross_fit is not None:
        raise ValueError(f"cross_fit must be None {where}, got {measure.cross_fit!r}.")
    return partial(_prepare_tree, measure)


def _prepare_tree(measure: GiniComplexity, table: _Table) -> Judge:
    if table.totals.sum() <= FAST_PROBE_ROWS:
        sample, _ = table.sample(FAST_PROBE_ROWS, np.float32)
        grown = _grow_exact(measure, table, sample)
    else:
        sample, stands_for = table.sample(PROPOSING_ROWS, np.float32)
        grown = _grow_by_passes(measure, table, sample, stands_for)
    trees = [(probe, leaf_share(counts[:, 1], counts.sum(axis=1))) for probe, counts in grown]
    return partial(_judge_by_leaves, measure, trees, table.minorities)


def _grow_exact(
    measure: GiniComplexity, table: _Table, sample: Sample
) -> Iterator[tuple[Any, NDArray[np.int64]]]:
    """Grow the trees of one machine from all rows, and count rows per leaf and group."""
    X, codes = (np.repeat(rows, sample.count, axis=0) for rows in (sample.X, sample.codes))
    for minority in table.minorities:
        is_minority, seed = minority[codes], np.random.RandomState(table.seed)
        probe = measure.fit_tree(X, is_minority, np.ones(len(codes)), seed)
        leaf, n_nodes = probe.apply(X), probe.tree_.node_count
        yield probe, np.bincount(2 * leaf + is_minority, minlength=2 * n_nodes).reshape(-1, 2)


def _grow_by_passes(
    measure: GiniComplexity, table: _Table, sample: Sample, stands_for: Floats
) -> Iterator[tuple[Any, NDArray[np.int64]]]:
    """Grow the trees of all problems together, a level per pass."""
    minorities, trees = table.minorities, []
    for minority in minorities:
        counts = np.array([table.totals[~minority].sum(), table.totals[minority].sum()])
        trees.append(HistogramTree(measure.max_depth, measure.min_samples_leaf, [counts]))
    while any(
        proposals := [
            tree.propose(sample.X, minority[sample.codes], stands_for)
            for tree, minority in zip(trees, minorities, strict=True)
        ]
    ):
        count = partial(_count_level, [tree.probe for tree in trees], proposals, minorities)
        histograms = table.reduce(count, _add_histograms)
        waiting = iter(histograms)
        for tree, proposed in zip(trees, proposals, strict=True):
            tree.grow(proposed, list(islice(waiting, len(proposed))))
    return ((tree.probe, np.array(tree.counts)) for tree in trees)


def _count_level(
    probes: list, proposals: list, minorities: list, X: NDArray, codes: Ints
) -> list[NDArray[np.int64]]:
    trees = zip(probes, proposals, minorities, strict=True)
    counted = [count_between_cuts(one, cuts, X, m[codes]) for one, cuts, m in trees if cuts]
    return list(chain.from_iterable(counted))


def _add_histograms(counted: list[list[NDArray[np.int64]]]) -> list[NDArray[np.int64]]:
    return [np.sum(same, axis=0) for same in zip(*counted, strict=True)]


def _judge_by_leaves(
    measure: GiniComplexity, trees: list, minorities: list, X: NDArray, codes: Ints
) -> list[tuple[Any, Any, Any]]:
    judged: list[tuple[Any, Any, Any]] = []
    for (probe, share), minority in zip(trees, minorities, strict=True):
        rows = X[minority[codes]].astype(np.float32, copy=False)
        # Trees of scikit-learn refuse a table without rows.
        shares = share[probe.apply(rows)] if len(rows) else np.zeros(0)
        judged.append((measure.categorize(shares), ambiguity(shares), {}))
    return judged


@check_measure.register
def _(measure: NeighborComplexity, where: str) -> Callable[[_Table], Judge]:
    check_number("n_neighbors", measure.n_neighbors, low=1, integer=True)
    return partial(_prepare_neighbors, measure, exact_exponent(measure, where))


def _prepare_neighbors(measure: NeighborComplexity, p: float, table: _Table) -> Judge:
    check_enough_rows(measure.n_neighbors, table.totals.sum())
    gather = SampleRows(np.where(np.any(table.minorities, axis=0), table.totals, 0), table.seed)
    # Equal rows of one class have equal neighbours: each is sought once.
    queries = table.reduce(gather, gather.merge)
    # A row, and its lists of about k + 2 distances with rows per class, some of them to be merged.
    list_bytes = (measure.n_neighbors + 2) * (12 + 4 * len(table.classes))
    size = max(1, QUERY_BYTES // (8 * queries.X.shape[1] + 10 * list_bytes))
    blocks = [slice(i, i + size) for i in range(0, len(queries.codes), size)]
    counts = [_count_neighbors(measure, p, table, queries, block) for block in blocks]
    keys = queries.key, row_keys(queries.X, queries.codes, table.seed + 1), np.concatenate(counts)
    return partial(_judge_by_keys, measure, keys, table.minorities, table.seed)


def _count_neighbors(
    measure: NeighborComplexity, p: float, table: _Table, queries: Sample, block: slice
) -> Floats:
    """Return the neighbours per class of some rows, by one pass."""
    codes = queries.codes[block]
    # One more than k, since a query is the nearest row to itself.
    options: dict[str, Any] = {"n_nearest": measure.n_neighbors + 1, "p": p}
    others: dict[str, Any] = {"n_classes": len(table.classes), "algorithm": measure.algorithm}
    search = partial(find_nearest, queries.X[block], **options, **others)
    nearest = table.reduce(search, partial(merge_nearest, **options))
    return count_classes(nearest, len(codes), measure.n_neighbors, p, own_codes=codes)


def _judge_by_keys(
    measure: NeighborComplexity, table: tuple, minorities: list, seed: int, X: NDArray, codes: Any
) -> list[tuple[Any, Any, Any]]:
    """Look up the neighbours of minority rows by two keys of the row."""
    keys, second_keys, counts = table
    rows = np.flatnonzero(np.any(minorities, axis=0)[codes])
    queries, classes = X[rows].astype(np.float64, copy=False), codes[rows]
    place = np.searchsorted(keys, row_keys(queries, classes, seed))
    place = np.minimum(place, len(keys) - 1)
    # Two keys of 64 bits: another row has both by chance once in 10^38.
    if not np.array_equal(second_keys[place], row_keys(queries, classes, seed + 1)):
        raise ValueError(CHANGED)
    _, own_costs = resolve_categories(measure.categories, measure.n_neighbors)
    judged = measure.judge(counts[place], classes, minorities)
    return [(category, score, own_costs) for category, score, _ in judged]
