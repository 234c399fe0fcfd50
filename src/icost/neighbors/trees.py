"""Search with an index: a k-d tree, or scikit-learn's ball tree for other metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import BallTree

from icost.neighbors.points import BLOCK_NUMBERS, MinkowskiSpace
from icost.neighbors.search import TIE_MARGIN, Pairs, join_pairs

#: Distances (to their power) this far apart are ordered alike by every way of computing them.
_CLEAR = 1 + 1e-6


class Lists(Protocol):
    """What an index can be asked; the distances are in its own rounding."""

    @property
    def rank(self) -> NDArray[np.intp]:
        """Position of every point in the order in which to ask for them."""

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""


class Tree(Lists, Protocol):
    """What a tree can be asked."""

    def count_within(self, queries: NDArray, radius: NDArray) -> NDArray[np.intp]:
        """Return how many points lie within each query's radius."""

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return points and distances within each query's radius, query after query."""


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


class ListSearch:
    """Search by lists of nearest points, which grow until they hold all ties.

    Parameters
    ----------
    index : Lists
        Proposes the candidates.
    space : MinkowskiSpace or None
        Gives the distances that decide; without it they are the index's own.
    """

    block_size = 65_536
    # Each time fourfold; what to do about ties longer than the last list, a subclass may know.
    _widenings = 3

    def __init__(self, index: Lists, space: MinkowskiSpace | None):
        self._index = index
        self._space = space
        self.rank = index.rank
        self.power = 1.0 if space is None else space.power

    def pairs(self, queries: NDArray[np.intp], n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        n_points = len(self.rank)
        n_nearest = min(n_nearest, n_points)
        if len(queries) * n_nearest > BLOCK_NUMBERS and len(queries) > 1:
            return None
        length, left = n_nearest + 1, np.arange(len(queries))
        found = []
        for _ in range(self._widenings):
            length = min(length, n_points)
            distance, point = self._index.nearest(queries[left], length)
            reach = distance[:, n_nearest - 1] * TIE_MARGIN
            # A last point beyond the reach proves that no tied point is missing.
            done = (distance[:, -1] > reach) | (length == n_points)
            found.append(_listed(left[done], point[done], distance[done]))
            longest = _listed(left[~done], point[~done], distance[~done])
            left, reach, length = left[~done], reach[~done], 4 * length
            if not len(left):
                break
        tied = self._long_ties(queries[left], left, reach, longest) if len(left) else longest
        if tied is None:
            return None
        query, point, distance = join_pairs([*found, tied])
        if self._space is not None:
            distance = distance**self.power
            doubtful = np.flatnonzero(self._is_doubtful(distance, query))
            decisive = self._space.between(queries[query[doubtful]], point[doubtful])
            distance[doubtful] = decisive
        return query, point, distance

    def _is_doubtful(self, distance: NDArray, query: NDArray) -> NDArray[np.bool_]:
        """Tell for which pairs the index's own distance must not decide: for all."""
        return np.ones(len(query), dtype=bool)

    def _long_ties(
        self, points: NDArray, left: NDArray, reach: NDArray, longest: Pairs
    ) -> Pairs | None:
        """Return the longest lists: places are then shared among the tied points in them."""
        return longest


class TreeSearch(ListSearch):
    """Exact search with a tree: ties longer than the lists are found by their radius.

    Parameters
    ----------
    index : Tree
        Proposes the candidates.
    space : MinkowskiSpace or None
        Gives the distances that decide; without it they are the tree's own.
    """

    block_size = 8192

    def __init__(self, index: Tree, space: MinkowskiSpace | None):
        super().__init__(index, space)
        self._tree = index

    def _is_doubtful(self, distance: NDArray, query: NDArray) -> NDArray[np.bool_]:
        """Tell which queries have pairs that rounding might reorder or tie."""
        in_order = (distance[1:] > distance[:-1] * _CLEAR) | (query[1:] != query[:-1])
        return np.isin(query, query[1:][~in_order])

    def _long_ties(
        self, points: NDArray, left: NDArray, reach: NDArray, longest: Pairs
    ) -> Pairs | None:
        """Return the pairs within reach of the queries left, or None if they are too many."""
        lengths = self._tree.count_within(points, reach)
        if lengths.sum() > BLOCK_NUMBERS and len(points) > 1:
            return None
        point, distance = self._tree.within(points, reach)
        return np.repeat(left, lengths), point, distance


def _listed(query: NDArray, point: NDArray, distance: NDArray) -> Pairs:
    return np.repeat(query, point.shape[1]), point.ravel(), distance.ravel()
