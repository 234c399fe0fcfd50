"""Neighbor-iCost on dask: each block of minority rows meets each partition.

Blocks stay in the graph, where any worker can make them. For a block, every partition gives the
nearest of its rows; these lists are merged in a tree, and the tie rule is applied to the last one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import Complexity
from icost.complexity.neighbor import NeighborComplexity, resolve_categories
from icost.dask.partitions import Partitions, dask, merge_in_tree
from icost.neighbors.parts import count_classes, find_nearest, merge_nearest
from icost.neighbors.points import MINKOWSKI
from icost.validation import check_choice, check_number

BLOCK_ROWS = 100_000
"""Minority rows in a block: the table is read once for each, and a worker holds one at a time."""

Queries = tuple[NDArray[np.float64], NDArray[np.intp]]


def categorize_by_neighbors(
    table: Partitions, measure: NeighborComplexity, minorities: list[NDArray[np.bool_]]
) -> list[Any]:
    """Return the categories of each partition: a delayed list of records, one per problem."""
    _check(table, measure)
    is_asked = np.any(minorities, axis=0)
    numbers = table.counts[:, is_asked].sum(axis=1)
    take = dask.delayed(_take)
    rows = [take(matrix, codes, is_asked) for matrix, codes in table.blocks("ask")]
    records: list[Any] = []
    for block, group in enumerate(_groups(numbers)):
        queries = dask.delayed(_stack)(rows[group])
        counts = _count(table, measure, queries, f"search {block}")
        ends = np.cumsum(numbers[group])
        record = dask.delayed(_categorize)
        records += [
            record(counts, queries, slice(end - number, end), measure, minorities)
            for number, end in zip(numbers[group].tolist(), ends.tolist(), strict=True)
        ]
    return records


def _check(table: Partitions, measure: NeighborComplexity) -> None:
    n_rows = int(table.counts.sum())
    check_number("n_neighbors", measure.n_neighbors, low=1, integer=True)
    check_choice("metric on dask", measure.metric, MINKOWSKI)
    if measure.metric_params:
        raise ValueError(f"metric_params must be None on dask, got {measure.metric_params!r}.")
    if measure.n_neighbors >= n_rows:
        wanted = f"n_neighbors={measure.n_neighbors} needs at least {measure.n_neighbors + 1} rows"
        raise ValueError(f"{wanted}, got {n_rows}.")
    if measure.neighbors is not None or measure.algorithm == "approximate":
        raise ValueError(
            "neighbours are exact on dask, got "
            f"algorithm={measure.algorithm!r} and neighbors={measure.neighbors!r}."
        )


def _groups(numbers: NDArray[np.int64]) -> list[slice]:
    """Neighbouring partitions whose minority rows make up a block."""
    groups, start = [], 0
    for stop in range(1, len(numbers) + 1):
        if stop == len(numbers) or numbers[start : stop + 1].sum() > BLOCK_ROWS:
            groups.append(slice(start, stop))
            start = stop
    return groups


def _count(table: Partitions, measure: NeighborComplexity, queries: Any, purpose: str) -> Any:
    """Neighbours of the queries per class, delayed."""
    # One more than k, since a query is the nearest row to itself.
    n_classes, n_nearest = len(table.classes), measure.n_neighbors + 1
    p = MINKOWSKI[str(measure.metric)]
    search = dask.delayed(_search)
    found = [
        search(queries, matrix, codes, n_classes, n_nearest, p)
        for matrix, codes in table.blocks(purpose, after=queries)
    ]
    merged = merge_in_tree(partial(merge_nearest, n_nearest=n_nearest, p=p), found)
    return dask.delayed(_count_merged)(merged, queries, measure.n_neighbors, p)


def _take(matrix: NDArray, codes: NDArray, is_asked: NDArray[np.bool_]) -> Queries:
    chosen = is_asked[codes]
    return matrix[chosen], codes[chosen]


def _stack(parts: list[Queries]) -> Queries:
    return np.concatenate([rows for rows, _ in parts]), np.concatenate(
        [codes for _, codes in parts]
    )


def _search(
    queries: Queries, matrix: NDArray, codes: NDArray, n_classes: int, n_nearest: int, p: float
) -> Any:
    return find_nearest(queries[0], matrix, codes, n_classes, n_nearest, p)


def _count_merged(
    nearest: Any, queries: Queries, n_neighbors: int, p: float
) -> NDArray[np.float64]:
    return count_classes(nearest, len(queries[1]), n_neighbors, p, own_codes=queries[1])


def _categorize(
    counts: NDArray[np.float64],
    queries: Queries,
    rows: slice,
    measure: NeighborComplexity,
    minorities: list[NDArray[np.bool_]],
) -> list[Complexity]:
    """Records of one partition, whose rows are some of the queries."""
    _, own_costs = resolve_categories(measure.categories, measure.n_neighbors)
    return [
        Complexity(np.arange(len(score)), category, score, own_costs=own_costs)
        for category, score in measure.judge(counts[rows], queries[1][rows], minorities)
    ]
