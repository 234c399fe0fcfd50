"""Who the neighbours of every row are, ties included, as a sparse matrix of distinct points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from icost.neighbors.blocks import in_blocks, one_thread_a_product
from icost.neighbors.choice import EUCLIDEAN, minkowski_search
from icost.neighbors.counts import FEW_CELLS, FEW_DISTANCES, threads_worth
from icost.neighbors.points import (
    MINKOWSKI,
    MinkowskiSpace,
    OwnQueries,
    distinct_rows,
    minkowski_space,
)
from icost.neighbors.search import DirectSearch, Pairs, Search, SparseSearch
from icost.neighbors.ties import kth_distance, share_places, tied_band
from icost.validation import check_choice

NEARER, TIED = 1, 2
"""What a link says: its rows are nearer than the k-th, or tied with it."""


@dataclass(frozen=True)
class NeighborLists:
    """The neighbours of every row: equal rows share a point, and points link to points.

    A point links to all points that hold one of its rows' k nearest other rows or are tied with the
    k-th; to itself, if it has several rows. Links hold `NEARER` or `TIED`.
    """

    point: NDArray[np.intp]
    sizes: NDArray[np.int64]
    links: csr_array
    n_neighbors: int

    def classes(self, codes: NDArray[np.intp], n_classes: int) -> csr_array:
        """Return how many rows of each class lie at each point."""
        ones = np.ones(len(codes), dtype=np.int64)
        return csr_array((ones, (self.point, codes)), shape=(len(self.sizes), n_classes))

    def class_counts(
        self, rows: NDArray[np.intp], codes: NDArray[np.intp], n_classes: int
    ) -> NDArray[np.float64]:
        """Return how many neighbours of each class some rows have, by the tie rule."""
        points, itself = self.point[rows], np.eye(n_classes, dtype=np.int64)[codes[rows]]
        links, classes = self.links[points], self.classes(codes, n_classes)
        strict, tied = (
            (_only(links, kind) @ classes).toarray()
            - itself * _only(self.links, kind).diagonal()[points, None]
            for kind in (NEARER, TIED)
        )
        return share_places(strict, tied, self.n_neighbors)


def _only(links: csr_array, kind: int) -> csr_array:
    return (links == kind).astype(np.int64)


def neighbor_lists(
    X: Any,
    n_neighbors: int,
    *,
    metric: str = "euclidean",
    algorithm: str = "auto",
    n_jobs: int | None = None,
) -> NeighborLists:
    """Return the k nearest other rows of every row, and all that are tied with the k-th."""
    check_choice("algorithm", algorithm, ("auto", "brute", "kd_tree", "ball_tree"))
    check_choice("metric", metric, MINKOWSKI)
    n_rows = X.shape[0]
    if n_neighbors >= n_rows:
        wanted = f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} rows"
        raise ValueError(f"{wanted}, got {n_rows}.")
    if issparse(X) and (X.shape[0] * X.shape[1] <= FEW_CELLS or metric not in EUCLIDEAN):
        X = X.toarray()
    n_threads = threads_worth(n_jobs, n_rows**2)
    space = minkowski_space(X, metric, {})
    table = X if space is None else space.points
    equal = None if issparse(table) else distinct_rows(table)
    first, point = equal or (slice(None), np.arange(n_rows))
    table = table if equal is None else table[first]
    with one_thread_a_product():
        search = _search(table, space, algorithm, n_threads, n_neighbors + 1)
        links = _links(table, search, np.bincount(point), n_neighbors, n_threads)
    return NeighborLists(point, np.bincount(point), links, n_neighbors)


def _search(
    table: Any, space: MinkowskiSpace | None, algorithm: str, n_threads: int, n_nearest: int
) -> Search:
    if space is None:
        return SparseSearch(table)
    # Row after row, as candidates are looked up.
    own = MinkowskiSpace(np.ascontiguousarray(table), space.p)
    if algorithm in ("auto", "brute") and len(table) ** 2 <= FEW_DISTANCES:
        return DirectSearch(own)
    queries = OwnQueries(own.points, np.arange(len(table)))
    return minkowski_search(own, algorithm, n_threads, queries, n_nearest)


def _links(
    table: Any, search: Search, sizes: NDArray[np.int64], n_neighbors: int, n_threads: int
) -> csr_array:
    n_points = len(sizes)
    # Queries in the order of a tree's leaves find in the cache what the one before has read.
    visit = np.arange(n_points) if search.rank is None else np.argsort(search.rank)

    def answer(block: slice) -> Pairs | None:
        chosen = visit[block]
        pairs = search.pairs(OwnQueries(table, chosen)[:], n_neighbors + 1)
        return None if pairs is None else _near(chosen, pairs, sizes, n_neighbors, search.power)

    found = in_blocks(answer, n_points, search.block_size, n_threads)
    query, candidate, kind = (np.concatenate(part) for part in zip(*found, strict=True))
    return csr_array((kind.astype(np.int8), (query, candidate)), shape=(n_points, n_points))


def _near(
    points: NDArray[np.intp], pairs: Pairs, sizes: NDArray[np.int64], n_neighbors: int, power: float
) -> Pairs:
    """Return the pairs that are neighbours, by the numbers of their points, and their kind."""
    query, candidate, distance = pairs
    order = np.lexsort((distance, query))
    query, candidate, distance = query[order], candidate[order], distance[order]
    # A row is not its own neighbour, but rows equal to it are: its point counts for one less.
    rows = sizes[candidate] - (candidate == points[query])
    kth = kth_distance(query, distance, rows, len(points), n_neighbors)
    low, high = tied_band(kth[query], power)
    kept = (distance <= high) & (rows > 0)
    kind = np.where(distance < low, NEARER, TIED)
    return points[query[kept]], candidate[kept], kind[kept]
