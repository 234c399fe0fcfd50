"""Gini-iCost on dask: one probe tree, whose leaves are counted on all partitions."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from icost.complexity.base import Complexity
from icost.complexity.gini import GiniComplexity, ambiguity, leaf_share
from icost.complexity.probe import FastProbe
from icost.dask.partitions import Partitions, dask, merge_in_tree
from icost.dask.sample import Sample, draw_sample, fixed_seed, join_sample

Probe: TypeAlias = DecisionTreeClassifier | FastProbe
Leaves = list[tuple[NDArray[np.int64], NDArray[np.int32]]]


def categorize_by_leaves(
    table: Partitions,
    measure: GiniComplexity,
    minorities: list[NDArray[np.bool_]],
    random_state: Any,
    probe_rows: int,
) -> list[Any]:
    """Return the categories of each partition: a delayed list of records, one per problem."""
    measure.check_parameters()
    if measure.cross_fit is not None:
        raise ValueError(f"cross_fit must be None on dask, got {measure.cross_fit!r}.")
    seed = fixed_seed(random_state)
    sample, class_weight = draw_sample(table, probe_rows, seed, np.float32)
    probes = dask.delayed(_grow)(sample, class_weight, measure, minorities, seed)
    find, record = dask.delayed(_find_leaves), dask.delayed(_categorize)
    leaves = [find(probes, *block, minorities) for block in table.blocks("count", after=probes)]
    counts = dask.delayed(_leaf_counts)
    # Leaves are few, so that their counts of all rows are cheap, however the tree was grown.
    totals = merge_in_tree(_add_counts, [counts(one) for one in leaves])
    return [record(one, totals, measure) for one in leaves]


def _grow(
    sample: Sample,
    class_weight: NDArray[np.float64],
    measure: GiniComplexity,
    minorities: list[NDArray[np.bool_]],
    seed: int,
) -> list[Probe]:
    X, codes = join_sample(sample)
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
    X = matrix.astype(np.float32, copy=False)
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
        score = ambiguity(share)
        records.append(Complexity(np.arange(len(share)), category, score, foreign=1.0 - share))
    return records
