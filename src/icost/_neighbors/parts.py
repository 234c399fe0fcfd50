"""Neighbours found part by part: of rows in one table among the rows of others.

A table that is too large for the memory, or whose queries are not rows of it, cannot be searched as
one. Here each part of the table gives a short `NearestRows`, lists merge in any order, and the tie
rule is applied to the merged one. Equal distances are counted together, so that a list stays short
however many rows are tied, and no tied row is lost. Distances are direct differences, no bit of
which depends on how the table is cut or searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from icost._core.arrays import Floats, Ints
from icost._neighbors.counts import search_points
from icost._neighbors.points import MinkowskiSpace, OtherQueries, common_space, distinct_rows
from icost._neighbors.search import TIE_MARGIN, Pairs, in_blocks, one_thread_a_product
from icost._neighbors.ties import kth_distance, share_places, tied_band

#: Queries that are merged at a time: what is sorted then is small beside the lists themselves.
_MERGED_QUERIES = 20_000


@dataclass(frozen=True)
class NearestRows:
    """How many rows of each class lie at which distance (to its power) from each query.

    Entries are sorted by query, then by distance, and reach just beyond the nearest rows asked for.
    """

    # Small numbers, since these lists are what Dask's workers hold and send.
    query: NDArray[np.int32]
    distance: Floats
    counts: NDArray[np.int32]
    #: Distances are those of coordinates divided by 2 to this: huge or tiny ones have no squares.
    exponent: int = 0

    def __getitem__(self, entries: slice | Ints) -> NearestRows:
        """Return some of the entries."""
        columns = (self.query[entries], self.distance[entries], self.counts[entries])
        return NearestRows(*columns, self.exponent)


def find_nearest(
    queries: NDArray,
    points: NDArray,
    codes: NDArray,
    n_classes: int,
    n_nearest: int,
    p: float = 2.0,
    *,
    algorithm: str = "auto",
    n_threads: int = 1,
) -> NearestRows:
    """Find the rows of a table, or of a part of it, nearest to each query, ties included.

    The distance is one that has a name, of exponent ``p`` 1, 2 or infinity.
    """
    if len(points) == 0 or len(queries) == 0:
        return _nothing(n_classes)
    queries, space, exponent = common_space(np.asarray(queries, np.float64), points, p)
    partition, rows = _DistinctPoints.of(space, codes, n_classes), OtherQueries(queries)

    def answer(block: slice) -> NearestRows | None:
        chosen = order[block]
        pairs = search.pairs(rows[chosen], n_nearest)
        return None if pairs is None else partition.entries(rows[chosen], chosen, pairs, n_nearest)

    with one_thread_a_product():
        search = search_points(partition.space, algorithm, n_threads, rows, n_nearest)
        # Queries in the order of a tree's leaves find in the cache what the one before has read.
        order = np.arange(len(queries)) if search.rank is None else rows.visit(search.rank)
        nearest = _joined(in_blocks(answer, len(queries), search.block_size, n_threads))
    in_order = nearest if search.rank is None else nearest[np.argsort(nearest.query, kind="stable")]
    return replace(in_order, exponent=exponent)


@dataclass(frozen=True)
class _DistinctPoints:
    """The distinct points of a part of a table, and how many rows of each class lie there."""

    # As many distinct points as rows are asked for hold at least as many rows.
    space: MinkowskiSpace
    classes: csr_array
    sizes: Ints

    @classmethod
    def of(cls, space: MinkowskiSpace, codes: NDArray, n_classes: int) -> _DistinctPoints:
        equal = distinct_rows(space.points)
        first, point = equal or (slice(None), np.arange(len(codes)))
        # Row after row, as candidates are looked up; Dask's frames give column after column.
        distinct = MinkowskiSpace(np.ascontiguousarray(space.points[first]), space.p)
        ones = np.ones(len(codes), dtype=np.int32)
        classes = csr_array((ones, (point, codes)), shape=(len(distinct.points), n_classes))
        return cls(distinct, classes, np.bincount(point))

    def entries(self, queries: NDArray, numbers: Ints, pairs: Pairs, n_nearest: int) -> NearestRows:
        """Return what a search has found for a block of queries, which have these numbers."""
        query, point, distance = pairs
        kept = _within_reach(query, distance, self.sizes[point], n_nearest, self.space.p)
        query, point = query[kept], point[kept]
        # A tree and SciPy add up in another order than direct differences do. In one table that
        # makes no difference to the tie rule; here equal distances found in several parts are to
        # be equal in every bit, so that they are counted together.
        distance = self.space.between(queries, query, point)
        order = np.lexsort((distance, query))
        query, point, distance = query[order], point[order], distance[order]
        starts = _group_starts(query, distance)
        # As a sparse product of whole numbers, which is exact: a dense row of all classes for each
        # of many tied points could fill the memory.
        ones, ends = np.ones(len(query), dtype=np.int32), np.append(starts, len(query))
        members = csr_array((ones, point, ends), shape=(len(starts), len(self.sizes)))
        counts = (members @ self.classes).toarray()
        return NearestRows(numbers[query[starts]].astype(np.int32), distance[starts], counts)


def merge_nearest(parts: Iterable[NearestRows], n_nearest: int, p: float = 2.0) -> NearestRows:
    """Merge what several parts of a table gave for the same queries, as if they had been one."""
    # What one part drops has n nearer rows in that part alone, so it is none of the n nearest of
    # the whole, nor tied with them: dropping early and merging in any order lose nothing.
    parts = _in_one_unit(list(parts), p)
    last = [int(partition.query[-1]) for partition in parts if len(partition.query)]
    n_queries = max(last, default=-1) + 1
    blocks = [slice(i, i + _MERGED_QUERIES) for i in range(0, max(1, n_queries), _MERGED_QUERIES)]
    return _joined([_merged(parts, block, n_nearest, p) for block in blocks])


def count_classes(
    nearest: NearestRows,
    n_queries: int,
    n_neighbors: int,
    p: float = 2.0,
    own_codes: Ints | None = None,
) -> Floats:
    """Apply the tie rule; ``own_codes`` are the classes of queries that are rows of the table."""
    query, counts = nearest.query, nearest.counts.astype(np.int64)
    starts = np.searchsorted(query, np.arange(n_queries))
    if own_codes is not None:
        # No row is its own neighbour. It lies at distance 0 of itself exactly, in the first of its
        # entries, and one row more was asked for.
        counts[starts, own_codes] -= 1
    kth = kth_distance(query, nearest.distance, counts.sum(axis=1), n_queries, n_neighbors)
    low, high = tied_band(kth[query], _power(p))
    strict = np.add.reduceat(counts * (nearest.distance < low)[:, None], starts, axis=0)
    up_to = np.add.reduceat(counts * (nearest.distance <= high)[:, None], starts, axis=0)
    return share_places(strict, up_to - strict, n_neighbors)


def kth_distances(
    nearest: NearestRows, n_queries: int, n_neighbors: int, p: float = 2.0, *, is_own: bool = False
) -> Floats:
    """Return the distance of the k-th row from each query; infinite where there are fewer.

    ``is_own`` says that queries are rows of the table, none of which is its own neighbour.
    """
    query, rows = nearest.query, nearest.counts.sum(axis=1, dtype=np.int64)
    if is_own:
        # It lies at distance 0 of itself exactly, in the first of its entries.
        rows[np.searchsorted(query, np.arange(n_queries))] -= 1
    kth = kth_distance(query, nearest.distance, rows, n_queries, n_neighbors)
    return np.ldexp(kth ** (1 / _power(p)), nearest.exponent)


def _nothing(n_classes: int) -> NearestRows:
    no_counts = np.zeros((0, n_classes), dtype=np.int32)
    return NearestRows(np.zeros(0, dtype=np.int32), np.zeros(0), no_counts)


def _joined(parts: Sequence[NearestRows]) -> NearestRows:
    """Return lists, all of one unit, as one."""
    columns = zip(*((one.query, one.distance, one.counts) for one in parts), strict=True)
    query, distance, counts = map(np.concatenate, columns)
    return NearestRows(query, distance, counts, parts[0].exponent)


def _power(p: float) -> float:
    return 1.0 if np.isinf(p) else p


def _within_reach(
    query: NDArray, distance: NDArray, rows: NDArray, n_nearest: int, p: float
) -> Ints:
    """Return the entries that may be among the nearest or tie with them, sorted."""
    if len(query) == 0:
        return np.zeros(0, dtype=np.intp)
    order = np.lexsort((distance, query))
    query, distance = query[order], distance[order]
    # Queries without an entry, which a short part may leave, do not count.
    position = np.cumsum(np.diff(query, prepend=query[:1]) > 0)
    kth = kth_distance(position, distance, rows[order], int(position[-1]) + 1, n_nearest)
    # The margin keeps whatever may still tie with the n-th.
    return order[distance <= kth[position] * TIE_MARGIN ** _power(p)]


def _group_starts(query: NDArray, distance: NDArray) -> Ints:
    """Return where entries begin that differ from the one before in query or distance."""
    # Only distances equal in every bit are added up; which others are tied is for the tie rule to
    # say, once the k-th of all parts is known.
    is_new = np.ones(len(query), dtype=bool)
    is_new[1:] = (query[1:] != query[:-1]) | (distance[1:] != distance[:-1])
    return np.flatnonzero(is_new)


def _merged(parts: list[NearestRows], block: slice, n_nearest: int, p: float) -> NearestRows:
    """Merge the entries of some successive queries."""
    ends = [np.searchsorted(partition.query, [block.start, block.stop]) for partition in parts]
    nearest = _joined([partition[slice(*end)] for partition, end in zip(parts, ends, strict=True)])
    rows = nearest.counts.sum(axis=1, dtype=np.int64)
    nearest = nearest[_within_reach(nearest.query, nearest.distance, rows, n_nearest, p)]
    if len(nearest.query) == 0:
        return nearest
    starts = _group_starts(nearest.query, nearest.distance)
    counts = np.add.reduceat(nearest.counts, starts, axis=0, dtype=np.int32)
    return NearestRows(nearest.query[starts], nearest.distance[starts], counts, nearest.exponent)


def _in_one_unit(parts: list[NearestRows], p: float) -> list[NearestRows]:
    """Return lists whose distances are in the unit of the largest coordinates of all parts."""
    # That is the unit of the whole table. A power of two changes no digit; what vanishes beside
    # the largest numbers would have done so in one table, too.
    units = [partition.exponent for partition in parts if len(partition.query)]
    largest = max(units, default=0)
    steps = [round(_power(p)) * (partition.exponent - largest) for partition in parts]
    return [
        replace(partition, distance=np.ldexp(partition.distance, step), exponent=largest)
        for partition, step in zip(parts, steps, strict=True)
    ]
