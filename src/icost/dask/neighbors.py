"""Neighbor-iCost on dask: each block of minority rows meets each partition once.

A block holds as many minority rows as a worker has memory for, and mostly all. For a block, every
partition is read, indexed and searched in one task, which gives the nearest of its rows; these
lists are merged in a tree, and the tie rule is applied to the last one. Blocks stay in the graph,
where any worker can make them again, and one is done before the next one is gathered.

The table is read once to gather minority rows, and once for each block: twice, as a rule. A row of
the table never leaves the worker that read it, unless it is a minority row: that is sent to every
worker, 8 bytes a feature, and for each partition it comes back as a list of about k + 1 distances
with the numbers of rows of each class, 12 bytes and 4 a class each.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import Complexity
from icost.complexity.neighbor import NeighborComplexity, exact_exponent, resolve_categories
from icost.dask.partitions import Partitions, dask, merge_in_tree
from icost.neighbors.parts import NearestRows, count_classes, find_nearest, merge_nearest
from icost.validation import check_number

MEMORY = 1 << 30
"""Bytes that a task may take where the workers tell no limit."""

MERGED_LISTS = 4
"""Partitions whose lists are merged at a time."""

Queries = tuple[NDArray[np.float64], NDArray[np.intp]]


def categorize_by_neighbors(
    table: Partitions, measure: NeighborComplexity, minorities: list[NDArray[np.bool_]]
) -> list[Any]:
    """Return the categories of each partition: a delayed list of records, one per problem."""
    exponent = _check(table, measure)
    is_asked = np.any(minorities, axis=0)
    numbers = table.counts[:, is_asked].sum(axis=1)
    record = dask.delayed(_categorize)
    records: list[Any] = []
    counted = None
    for block, group in enumerate(_groups(numbers, _rows_a_block(table, measure))):
        rows = table.rows_of(is_asked, f"ask {block}", after=counted)[group]
        queries = dask.delayed(_stack)(rows)
        counted = _count(table, measure, exponent, queries, numbers[group], f"search {block}")
        records += [record(counted[part], measure, minorities) for part in range(len(rows))]
    return records


def _check(table: Partitions, measure: NeighborComplexity) -> float:
    n_rows = int(table.counts.sum())
    check_number("n_neighbors", measure.n_neighbors, low=1, integer=True)
    exponent = exact_exponent(measure, "on dask")
    if measure.n_neighbors >= n_rows:
        wanted = f"n_neighbors={measure.n_neighbors} needs at least {measure.n_neighbors + 1} rows"
        raise ValueError(f"{wanted}, got {n_rows}.")
    return exponent


def _rows_a_block(table: Partitions, measure: NeighborComplexity) -> int:
    """Return how many minority rows a worker has memory for."""
    # While it searches, a thread of a worker holds a partition and an index of about its size, the
    # queries and their list; while it merges, some lists and the merged one. A quarter of its share
    # is for what grows with the number of queries, the rest for the partition, for the one that is
    # read meanwhile, and for Python itself. Tied distances differ in their last digits at most, so
    # that lists are hardly longer than k + 1.
    n_features, n_classes = table.X.shape[1], len(table.classes)
    a_list = (measure.n_neighbors + 2) * (12 + 4 * n_classes)
    return max(1, _memory_a_thread() // 4 // (8 * n_features + (MERGED_LISTS + 2) * a_list))


def _memory_a_thread() -> int:
    """Return the least share of memory that a thread of the current client's workers has."""
    distributed = sys.modules.get("distributed")
    try:
        client = distributed.default_client() if distributed else None
    except ValueError:
        client = None
    workers = client.scheduler_info(n_workers=-1)["workers"].values() if client else ()
    shares = [worker["memory_limit"] // worker["nthreads"] for worker in workers]
    return min([share for share in shares if share], default=MEMORY)


def _groups(numbers: NDArray[np.int64], most: int) -> list[slice]:
    """Neighbouring partitions whose minority rows make up a block."""
    groups, start = [], 0
    for stop in range(1, len(numbers) + 1):
        if stop == len(numbers) or numbers[start : stop + 1].sum() > most:
            groups.append(slice(start, stop))
            start = stop
    return groups


def _count(
    table: Partitions,
    measure: NeighborComplexity,
    exponent: float,
    queries: Any,
    numbers: NDArray[np.int64],
    purpose: str,
) -> Any:
    """Neighbours per class and own classes of the queries of each partition, delayed."""
    # One more than k, since a query is the nearest row to itself.
    n_classes, n_nearest = len(table.classes), measure.n_neighbors + 1
    search = dask.delayed(_search)
    found = [
        search(queries, matrix, codes, n_classes, n_nearest, exponent, measure.algorithm)
        for matrix, codes in table.blocks(purpose, after=queries)
    ]
    merge = partial(merge_nearest, n_nearest=n_nearest, p=exponent)
    merged = merge_in_tree(merge, found, MERGED_LISTS)
    return dask.delayed(_count_merged)(merged, queries, numbers, measure.n_neighbors, exponent)


def _stack(parts: list[Queries]) -> Queries:
    rows, codes = zip(*parts, strict=True)
    return np.concatenate(rows, dtype=np.float64), np.concatenate(codes, dtype=np.intp)


def _search(
    queries: Queries,
    matrix: NDArray,
    codes: NDArray,
    n_classes: int,
    n_nearest: int,
    exponent: float,
    algorithm: str,
) -> NearestRows:
    # One thread, since there is a task for each thread of the worker.
    return find_nearest(
        queries[0], matrix, codes, n_classes, n_nearest, exponent, algorithm=algorithm, n_threads=1
    )


def _count_merged(
    nearest: NearestRows,
    queries: Queries,
    numbers: NDArray[np.int64],
    n_neighbors: int,
    exponent: float,
) -> list[tuple[NDArray[np.float64], NDArray[np.intp]]]:
    """Counts and classes of each partition's rows: all that is left of the queries."""
    _, codes = queries
    ends = np.cumsum(numbers)[:-1]
    counts = count_classes(nearest, len(codes), n_neighbors, exponent, own_codes=codes)
    return list(zip(np.split(counts, ends), np.split(codes, ends), strict=True))


def _categorize(
    counted: tuple[NDArray[np.float64], NDArray[np.intp]],
    measure: NeighborComplexity,
    minorities: list[NDArray[np.bool_]],
) -> list[Complexity]:
    """Records of one partition."""
    _, own_costs = resolve_categories(measure.categories, measure.n_neighbors)
    return [
        Complexity(np.arange(len(score)), category, score, own_costs=own_costs, foreign=foreign)
        for category, score, foreign in measure.judge(*counted, minorities)
    ]
