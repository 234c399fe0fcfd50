"""SciPy's k-d tree, built by several threads and laid out for the cache."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from icost.neighbors.points import MinkowskiSpace

#: Fewer points than this for each thread are indexed sooner by one thread.
_POINTS_A_THREAD = 20_000

#: More slabs than this would be so thin that most queries concern several.
_MOST_SLABS = 8

#: Only few queries have to look farther than this many times the usual distance.
_FAR = 3.5

#: How many queries of similar reach share one bound.
_GROUP = 64

#: Keeps rounding from hiding a point that lies exactly at the distance sought.
_MARGIN = 1 + 1e-12


class KDTreeIndex:
    """K-d trees over the points of a Minkowski space, one tree for each thread.

    The points are cut into slabs along the axis where they spread most, and every thread builds the
    tree of a slab. A query asks the tree of its own slab, and another one only if that slab is
    nearer than the farthest point found.

    Parameters
    ----------
    space : MinkowskiSpace
        The points.
    n_threads : int, default=1
        How many threads may build.
    """

    def __init__(self, space: MinkowskiSpace, n_threads: int = 1):
        points = space.points.astype(np.float64, copy=False)
        self._points, self._p = points, space.p
        n_slabs = min(n_threads, _MOST_SLABS, max(1, len(points) // _POINTS_A_THREAD))
        axis, members = _cut(points, n_slabs)
        self._along = points[:, axis]
        make = partial(_Slab, points, self._along)
        if n_slabs == 1:
            self._slabs = [make(members[0])]
        else:
            with ThreadPoolExecutor(n_slabs) as threads:
                self._slabs = list(threads.map(make, members))
        order = np.concatenate([slab.order for slab in self._slabs])
        self.rank = np.empty(len(order), dtype=np.intp)
        self.rank[order] = np.arange(len(order))
        self._starts = np.cumsum([0] + [len(slab.order) for slab in self._slabs])

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        if len(self._slabs) == 1 or len(queries) < 4 * _GROUP:
            return self._nearest(queries, n_nearest)
        # Near a cut, a slab may hold few of a query's neighbours, and looking for as many as asked
        # would lead far away, to no avail: look no farther at first than most queries have to.
        some = queries[:: len(queries) // _GROUP]
        bound = _FAR * np.median(self._nearest(some, n_nearest)[0][:, -1])
        distance, point = self._nearest(queries, n_nearest, bound)
        left = np.flatnonzero(np.isinf(distance[:, -1]))
        if len(left):
            distance[left], point[left] = self._nearest(queries[left], n_nearest)
        return distance, point

    def _nearest(
        self, queries: NDArray, n_nearest: int, bound: float = np.inf
    ) -> tuple[NDArray, NDArray]:
        """Return distances and points; infinite distances for what is not within the bound."""
        coordinates = self._points[queries]
        home = np.searchsorted(self._starts, self.rank[queries], side="right") - 1
        distance = np.empty((len(queries), n_nearest))
        point = np.empty((len(queries), n_nearest), dtype=np.intp)
        for number, slab in enumerate(self._slabs):
            own = np.flatnonzero(home == number)
            if len(own):
                found = slab.nearest(coordinates[own], n_nearest, self._p, bound)
                distance[own], point[own] = found
        for number, slab in enumerate(self._slabs):
            reach = np.minimum(distance[:, -1] * _MARGIN, bound)
            near = np.flatnonzero((home != number) & (slab.gap(self._along[queries]) <= reach))
            for some in _of_like_reach(near, reach):
                found = slab.nearest(coordinates[some], n_nearest, self._p, reach[some].max())
                distance[some], point[some] = _merged(distance[some], point[some], *found)
        return distance, point

    def count_within(self, queries: NDArray, radius: NDArray) -> NDArray[np.intp]:
        """Return how many points lie within each query's radius."""
        points = self._points[queries]
        counts = (
            slab.tree.query_ball_point(points, radius, p=self._p, return_length=True)
            for slab in self._slabs
        )
        return np.sum(list(counts), axis=0)

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return the points within each query's radius, query after query; no distances."""
        coordinates = self._points[queries]
        found = [slab.within(coordinates, radius, self._p) for slab in self._slabs]
        points = np.concatenate(list(chain.from_iterable(zip(*found, strict=True))))
        return points, np.full(len(points), np.nan)


class _Slab:
    """Some of the points and their tree.

    The points are laid out in the order of the leaves, and queries asked for in that order: what
    one query reads is then in the cache for the next, which makes a search several times faster.
    """

    def __init__(self, points: NDArray, along: NDArray, members: NDArray[np.intp]):
        # Unlike indexing, take lets other threads work meanwhile.
        own = points.take(members, axis=0)
        # Splitting at midpoints follows the clusters of the data, splitting at medians does not.
        leaves = cKDTree(own, leafsize=128, balanced_tree=False, compact_nodes=False).indices
        self.order = members[leaves]
        # Fresh memory costs as much as filling it, so the old is used again.
        laid_out = points.take(self.order, axis=0, out=own, mode="clip")
        self.tree = cKDTree(laid_out, leafsize=24, balanced_tree=False)
        self._ends = along[members].min(), along[members].max()

    def gap(self, along: NDArray) -> NDArray:
        """Return how far positions along the axis of the cuts are from the slab."""
        return np.maximum(np.maximum(self._ends[0] - along, along - self._ends[1]), 0)

    def nearest(
        self, coordinates: NDArray, n_nearest: int, p: float, bound: float
    ) -> tuple[NDArray, NDArray]:
        """Return distances and points; infinite distances where no more are within the bound."""
        ranks = np.arange(1, n_nearest + 1)
        distance, position = self.tree.query(coordinates, ranks, p=p, distance_upper_bound=bound)
        # SciPy gives one past the last position to what it has not found.
        return distance, self.order.take(position, mode="clip")

    def within(self, coordinates: NDArray, radius: NDArray, p: float) -> list[NDArray[np.intp]]:
        """Return the points within each query's radius."""
        lists = self.tree.query_ball_point(coordinates, radius, p=p)
        return [self.order[np.asarray(one, dtype=np.intp)] for one in lists]


def _cut(points: NDArray, n_slabs: int) -> tuple[int, Sequence[NDArray[np.intp]]]:
    """Return the axis of the widest spread, and the points of each slab along it."""
    if n_slabs == 1:
        return 0, [np.arange(len(points))]
    axis = int(points[:: max(1, len(points) // 1000)].std(axis=0).argmax())
    ends = [len(points) * number // n_slabs for number in range(1, n_slabs)]
    return axis, np.split(np.argpartition(points[:, axis], ends), ends)


def _of_like_reach(queries: NDArray[np.intp], reach: NDArray) -> list[NDArray[np.intp]]:
    """Return groups of queries with a similar reach, which SciPy's one bound for all then fits."""
    queries = queries[np.argsort(reach[queries])]
    return np.split(queries, range(_GROUP, len(queries), _GROUP)) if len(queries) else []


def _merged(
    distance: NDArray, point: NDArray, more: NDArray, others: NDArray
) -> tuple[NDArray, NDArray]:
    """Return the nearest of two lists of each query, as many as the first list holds."""
    distance, point = np.hstack([distance, more]), np.hstack([point, others])
    order = np.argsort(distance, axis=1, kind="stable")[:, : distance.shape[1] - more.shape[1]]
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(point, order, axis=1)
