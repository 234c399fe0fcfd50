"""Exact search with trees: SciPy's k-d tree, or scikit-learn's ball tree for other metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.neighbors import BallTree

from icost.complexity.neighbor_points import BLOCK_NUMBERS, MinkowskiSpace
from icost.complexity.neighbor_search import TIE_MARGIN, Pairs


class Tree(Protocol):
    """What a tree can be asked; the distances are in its own rounding."""

    #: Position of every point in the order in which queries are best asked for.
    rank: NDArray[np.intp]

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""

    def count_within(self, queries: NDArray, radius: NDArray) -> NDArray[np.intp]:
        """Return how many points lie within each query's radius."""

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return points and distances within each query's radius, query after query."""


class KDTreeIndex:
    """SciPy's k-d tree over the points of a Minkowski space.

    The points are laid out in the order of the leaves, and queries asked for in that order: what one
    query reads is then in the cache for the next, which makes a search several times faster.
    """

    def __init__(self, space: MinkowskiSpace):
        self._p = space.p
        # Splitting at midpoints follows the clusters of the data, splitting at medians does not.
        rough = cKDTree(space.points, leafsize=24, balanced_tree=False, compact_nodes=False)
        self._order = rough.indices
        self.rank = np.empty(len(self._order), dtype=np.intp)
        self.rank[self._order] = np.arange(len(self._order))
        points = space.points[self._order].astype(np.float64, copy=False)
        self._tree = cKDTree(points, leafsize=24, balanced_tree=False)

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        ranks = np.arange(1, n_nearest + 1)
        distance, position = self._tree.query(self._coordinates(queries), ranks, p=self._p)
        return distance, self._order[position]

    def count_within(self, queries: NDArray, radius: NDArray) -> NDArray[np.intp]:
        """Return how many points lie within each query's radius."""
        points = self._coordinates(queries)
        return self._tree.query_ball_point(points, radius, p=self._p, return_length=True)

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return the points within each query's radius, query after query; no distances."""
        lists = self._tree.query_ball_point(self._coordinates(queries), radius, p=self._p)
        points = np.concatenate([np.asarray(one, dtype=np.intp) for one in lists])
        return self._order[points], np.full(len(points), np.nan)

    def _coordinates(self, queries: NDArray) -> NDArray[np.float64]:
        return self._tree.data[self.rank[queries]]


class BallTreeIndex:
    """Scikit-learn's ball tree, for the metrics that it knows."""

    def __init__(self, points: NDArray, metric: Any, params: Mapping[str, Any]):
        self._points = points
        self.rank = np.arange(len(points))
        self._tree = BallTree(points, metric=metric, **params)

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        return self._tree.query(self._points[queries], n_nearest)

    def count_within(self, queries: NDArray, radius: NDArray) -> NDArray[np.intp]:
        """Return how many points lie within each query's radius."""
        return self._tree.query_radius(self._points[queries], radius, count_only=True)

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return points and distances within each query's radius, query after query."""
        found = self._tree.query_radius(self._points[queries], radius, return_distance=True)
        return np.concatenate(found[0]), np.concatenate(found[1])


class TreeSearch:
    """Search with a tree.

    Parameters
    ----------
    tree : Tree
        Proposes the candidates.
    space : MinkowskiSpace or None
        Gives the distances that decide; without it they are the tree's own.
    """

    block_size = 4096
    # Lists grow fourfold; ties longer than the last list are found by their radius.
    _widenings = 3

    def __init__(self, tree: Tree, space: MinkowskiSpace | None):
        self._tree = tree
        self.rank = tree.rank
        self._space = space
        self.power = 1.0 if space is None else space.power

    def pairs(self, queries: NDArray[np.intp], n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        n_nearest = min(n_nearest, len(self.rank))
        length, left = n_nearest + 1, np.arange(len(queries))
        found = []
        for _ in range(self._widenings):
            length = min(length, len(self.rank))
            distance, point = self._tree.nearest(queries[left], length)
            reach = distance[:, n_nearest - 1] * TIE_MARGIN
            # A last point beyond the reach proves that no tied point is missing.
            done = (distance[:, -1] > reach) | (length == len(self.rank))
            found.append((np.repeat(left[done], length), point[done].ravel(), distance[done].ravel()))
            left, reach, length = left[~done], reach[~done], 4 * length
            if not len(left):
                break
        else:
            within = self._within(queries, left, reach)
            if within is None:
                return None
            found.append(within)
        query, point, distance = (np.concatenate(part) for part in zip(*found, strict=True))
        if self._space is not None:
            distance = self._space.between(queries[query], point)
        return query, point, distance

    def _within(self, queries: NDArray, left: NDArray, reach: NDArray) -> Pairs | None:
        """Return the pairs within reach of the queries left, or None if they are too many."""
        lengths = self._tree.count_within(queries[left], reach)
        if lengths.sum() > BLOCK_NUMBERS and len(queries) > 1:
            return None
        point, distance = self._tree.within(queries[left], reach)
        return np.repeat(left, lengths), point, distance
