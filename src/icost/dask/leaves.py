"""Gini-iCost on dask: one probe tree, whose leaves are counted on all partitions."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from icost.complexity import Complexity, GiniComplexity
from icost.complexity.fast_probe import FastProbe
from icost.complexity.gini import ambiguity, leaf_share
from icost.dask.partitions import Partitions, dask, merge_in_tree

Probe: TypeAlias = DecisionTreeClassifier | FastProbe
Leaves = list[tuple[NDArray[np.int64], NDArray[np.int32]]]


def categorize_by_leaves(
    table: Partitions,
    measure: GiniComplexity,
    minorities: list[NDArray[np.bool_]],
    random_state: Any,
    probe_rows: int,
) -> list[Any]:
    """Return the categories of each partition, a delayed list of records per problem.

    Parameters
    ----------
    table : Partitions
        Rows and classes.
    measure : GiniComplexity
        How to grow the probe and to categorise.
    minorities : list of ndarray of shape (n_classes,)
        For each binary problem, which classes make up the minority.
    random_state : int, RandomState or None
        For the sample and the probe.
    probe_rows : int
        How many rows the probe is grown from.

    Returns
    -------
    list of Delayed
        One per partition: a list of `icost.complexity.Complexity`, one per problem.
    """
    measure.check_parameters()
    if measure.cross_fit is not None:
        raise ValueError(f"cross_fit must be None on dask, got {measure.cross_fit!r}.")
    # A task that is lost and run again must draw the same numbers, hence a seed in any case.
    is_seed = isinstance(random_state, int | np.integer)
    seed = random_state if is_seed else check_random_state(random_state).randint(2**31)
    probes = _fit_probes(table, measure, minorities, seed, probe_rows)
    find, record = dask.delayed(_find_leaves), dask.delayed(_categorize)
    leaves = [find(probes, *block, minorities) for block in table.blocks("count", after=probes)]
    counts = dask.delayed(_leaf_counts)
    totals = merge_in_tree(_add_counts, [counts(one) for one in leaves])
    return [record(one, totals, measure) for one in leaves]


def _fit_probes(
    table: Partitions,
    measure: GiniComplexity,
    minorities: list[NDArray[np.bool_]],
    seed: int,
    probe_rows: int,
) -> Any:
    totals = table.counts.sum(axis=0)
    sizes = _sample_sizes(totals, probe_rows)
    chosen = _choose(table.counts, sizes, seed)
    take = dask.delayed(_take)
    sample = [
        take(matrix, codes, rows)
        for (matrix, codes), rows in zip(table.blocks("sample"), chosen, strict=True)
    ]
    # What makes up for the rows left out; exactly 1 if none is.
    return dask.delayed(_grow)(sample, totals / sizes, measure, minorities, seed)


def _sample_sizes(totals: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Rows of each class in the sample: equal shares, or all of a class that has fewer."""
    sizes = np.zeros_like(totals)
    left = n_rows
    for position, code in enumerate(np.argsort(totals, kind="stable")):
        share = -(-left // (len(totals) - position))
        sizes[code] = max(1, min(totals[code], share))
        left -= sizes[code]
    return sizes


def _choose(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], seed: int
) -> list[list[NDArray[np.int64]]]:
    """Which rows to take, per partition and class, counted among the rows of the class.

    They are chosen from the whole table, so that the sample does not depend on its partitions.
    """
    rng = np.random.default_rng(seed)
    per_class = []
    for column, size in zip(counts.T, sizes, strict=True):
        chosen = np.sort(rng.choice(column.sum(), size, replace=False, shuffle=False))
        ends = np.cumsum(column)
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        per_class.append([part - start for part, start in zip(parts, ends - column, strict=True)])
    return [list(parts) for parts in zip(*per_class, strict=True)]


def _take(
    matrix: NDArray, codes: NDArray, chosen: list[NDArray[np.int64]]
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    rows = [np.flatnonzero(codes == code)[ordinals] for code, ordinals in enumerate(chosen)]
    kept = np.sort(np.concatenate(rows))
    return matrix[kept].astype(np.float32), codes[kept]


def _grow(
    sample: list[tuple[NDArray[np.float32], NDArray[np.intp]]],
    class_weight: NDArray[np.float64],
    measure: GiniComplexity,
    minorities: list[NDArray[np.bool_]],
    seed: int,
) -> list[Probe]:
    X = np.concatenate([rows for rows, _ in sample])
    codes = np.concatenate([codes for _, codes in sample])
    return [
        measure.fit_probe(X, minority[codes], class_weight[codes], np.random.RandomState(seed))
        for minority in minorities
    ]


def _find_leaves(
    probes: list[Probe],
    matrix: NDArray,
    codes: NDArray[np.intp],
    minorities: list[NDArray[np.bool_]],
) -> Leaves:
    """For each problem, rows per leaf and group in this partition, and the minority's leaves."""
    X = matrix.astype(np.float32)
    found = []
    for probe, minority in zip(probes, minorities, strict=True):
        is_minority = minority[codes]
        leaf = probe.apply(X) if len(X) else np.zeros(0, dtype=np.intp)
        counts = np.bincount(2 * leaf + is_minority, minlength=2 * _n_nodes(probe))
        found.append((counts.reshape(-1, 2), leaf[is_minority].astype(np.int32)))
    return found


def _n_nodes(probe: Probe) -> int:
    return len(probe.feature) if isinstance(probe, FastProbe) else probe.tree_.node_count


def _leaf_counts(leaves: Leaves) -> list[NDArray[np.int64]]:
    return [counts for counts, _ in leaves]


def _add_counts(parts: list[list[NDArray[np.int64]]]) -> list[NDArray[np.int64]]:
    return [np.sum(counts, axis=0) for counts in zip(*parts, strict=True)]


def _categorize(
    leaves: Leaves, totals: list[NDArray[np.int64]], measure: GiniComplexity
) -> list[Complexity]:
    records = []
    for (_, leaf), counts in zip(leaves, totals, strict=True):
        share = leaf_share(counts[:, 1], counts.sum(axis=1))[leaf]
        category = measure.categorize(share)
        records.append(Complexity(np.arange(len(share)), category, ambiguity(share)))
    return records
