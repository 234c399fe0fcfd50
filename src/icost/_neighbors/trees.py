"""Search with an index: a k-d tree, a ball tree for other metrics, or an object of the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import clone
from sklearn.neighbors import BallTree

from icost._core.arrays import Bools, Floats, Ints
from icost._neighbors.points import BLOCK_NUMBERS, MinkowskiSpace, leaf_order
from icost._neighbors.search import TIE_MARGIN, Pairs, join_pairs

#: Fewer points than this for each thread are indexed sooner by one thread.
_POINTS_A_THREAD = 20_000

#: More slabs than this would be so thin that most queries concern several.
_MOST_SLABS = 8

#: Only few queries have to look farther than this many times the usual distance.
_FAR = 3.5

#: How many queries of similar reach share one bound.
_GROUP = 64

#: Keeps rounding from hiding a point exactly at the distance sought: SciPy's bound excludes it.
_MARGIN = 1 + 1e-12

#: Distances (to their power) this far apart are ordered alike, and untied, by every way of
#: computing them: it is far wider than rounding and the band of ties.
_CLEAR = 1 + 1e-6


class KDTreeIndex:
    """K-d trees over the points of a Minkowski space: one for each thread that may build."""

    # SciPy builds a tree by one thread. Here the points are cut into slabs along the axis where
    # they spread most, and every thread builds the tree of a slab. A query asks the tree of its own
    # slab, and another one only if that slab is no farther than the farthest point found. That is
    # exact: a Minkowski distance is at least the difference along any one axis, so that no point of
    # a slab is nearer than the gap to it.

    def __init__(self, space: MinkowskiSpace, n_threads: int = 1):
        points = space.points.astype(np.float64, copy=False)
        self._p = space.p
        n_slabs = min(n_threads, _MOST_SLABS, max(1, len(points) // _POINTS_A_THREAD))
        self._axis, members = _cut(points, n_slabs)
        make = partial(_Slab, points, self._axis)
        if n_slabs == 1:
            self._slabs = [make(members[0])]
        else:
            with ThreadPoolExecutor(n_slabs) as threads:
                self._slabs = list(threads.map(make, members))
        order = np.concatenate([slab.order for slab in self._slabs])
        self.rank = np.empty(len(order), dtype=np.intp)
        self.rank[order] = np.arange(len(order))

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        if len(self._slabs) == 1 or len(queries) < 4 * _GROUP:
            return self._nearest(queries, n_nearest)
        # Near a cut, a slab may hold few of a query's neighbours, and looking for as many as asked
        # would lead far away, to no avail: look no farther at first than most queries have to.
        some = queries[:: len(queries) // _GROUP]
        bound = _FAR * np.median(self._nearest(some, n_nearest)[0][:, -1])
        distance, point = self._nearest(queries, n_nearest, bound)
        # A list that is full within the bound is the right one; the others are sought without it.
        left = np.flatnonzero(np.isinf(distance[:, -1]))
        if len(left):
            distance[left], point[left] = self._nearest(queries[left], n_nearest)
        return distance, point

    def _nearest(
        self, queries: NDArray, n_nearest: int, bound: float = np.inf
    ) -> tuple[NDArray, NDArray]:
        """Return distances and points; infinite distances for what is not within the bound."""
        # Any slab may be asked first; the one around the query leaves the least to the others.
        along = queries[:, self._axis]
        home = np.searchsorted([slab.start for slab in self._slabs[1:]], along, side="right")
        distance = np.empty((len(queries), n_nearest))
        point = np.empty((len(queries), n_nearest), dtype=np.intp)
        for number, slab in enumerate(self._slabs):
            inside = np.flatnonzero(home == number)
            if len(inside):
                answer = slab.nearest(queries[inside], n_nearest, self._p, bound)
                distance[inside], point[inside] = answer
        # The reach shrinks from slab to slab, as merged lists hold nearer points.
        for number, slab in enumerate(self._slabs):
            reach = np.minimum(distance[:, -1] * _MARGIN, bound)
            near = np.flatnonzero((home != number) & (slab.gap(along) <= reach))
            for some in _group_by_reach(near, reach):
                answer = slab.nearest(queries[some], n_nearest, self._p, reach[some].max())
                distance[some], point[some] = _merged(distance[some], point[some], *answer)
        return distance, point

    def count_within(self, queries: NDArray, radius: NDArray) -> Ints:
        """Return how many points lie within each query's radius."""
        counts = (
            slab.tree.query_ball_point(queries, radius, p=self._p, return_length=True)
            for slab in self._slabs
        )
        return np.sum(list(counts), axis=0)

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return the points within each query's radius, query after query; no distances."""
        answers = [slab.within(queries, radius, self._p) for slab in self._slabs]
        points = np.concatenate(list(chain.from_iterable(zip(*answers, strict=True))))
        return points, np.full(len(points), np.nan)


class _Slab:
    """Some of the points and their tree."""

    def __init__(self, points: NDArray, axis: int, members: Ints):
        # A first tree only tells the order of its leaves. The points are laid out in it for the
        # second, and queries come in it: what one reads is then in the cache for the next, which
        # makes a search several times faster. Unlike indexing, take lets other threads work.
        inside = points.take(members, axis=0)
        self.order = members[leaf_order(inside)]
        # Fresh memory costs as much as filling it, so the old is used again.
        laid_out = points.take(self.order, axis=0, out=inside, mode="clip")
        self.tree = cKDTree(laid_out, leafsize=24, balanced_tree=False)
        # Where the slab begins and ends along the axis of the cuts.
        self.start, self._stop = laid_out[:, axis].min(), laid_out[:, axis].max()

    def gap(self, along: NDArray) -> NDArray:
        """Return how far positions along the axis of the cuts are from the slab."""
        return np.maximum(np.maximum(self.start - along, along - self._stop), 0)

    def nearest(
        self, coordinates: NDArray, n_nearest: int, p: float, bound: float
    ) -> tuple[NDArray, NDArray]:
        """Return distances and points; infinite distances where no more are within the bound."""
        ranks = np.arange(1, n_nearest + 1)
        distance, position = self.tree.query(coordinates, ranks, p=p, distance_upper_bound=bound)
        # SciPy gives one past the last position to what it has not found.
        return distance, self.order.take(position, mode="clip")

    def within(self, coordinates: NDArray, radius: NDArray, p: float) -> list[Ints]:
        """Return the points within each query's radius."""
        lists = self.tree.query_ball_point(coordinates, radius, p=p)
        return [self.order[np.asarray(one, dtype=np.intp)] for one in lists]


def _cut(points: NDArray, n_slabs: int) -> tuple[int, Sequence[Ints]]:
    """Return the axis of the widest spread, and the points of each slab along it."""
    if n_slabs == 1:
        return 0, [np.arange(len(points))]
    axis = int(points[:: max(1, len(points) // 1000)].std(axis=0).argmax())
    ends = [len(points) * number // n_slabs for number in range(1, n_slabs)]
    return axis, np.split(np.argpartition(points[:, axis], ends), ends)


def _group_by_reach(queries: Ints, reach: NDArray) -> list[Ints]:
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


class BallTreeIndex:
    """Scikit-learn's ball tree, for the metrics that it knows."""

    def __init__(self, points: NDArray, metric: Any, params: Mapping[str, Any]):
        self.rank = np.arange(len(points))
        self._tree = BallTree(points, metric=metric, **params)

    def nearest(self, queries: NDArray, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        return self._tree.query(queries, n_nearest)

    def count_within(self, queries: NDArray, radius: NDArray) -> Ints:
        """Return how many points lie within each query's radius."""
        return self._tree.query_radius(queries, radius, count_only=True)

    def within(self, queries: NDArray, radius: NDArray) -> tuple[NDArray, NDArray]:
        """Return points and distances within each query's radius, query after query."""
        answer = self._tree.query_radius(queries, radius, return_distance=True)
        return np.concatenate(answer[0]), np.concatenate(answer[1])


Tree = KDTreeIndex | BallTreeIndex
"""Indexes that may be asked for radii; distances are in their own rounding.

Their ``rank`` is the position of every point in the order in which to ask for them.
"""


class ListSearch:
    """Search by lists of nearest points, which grow until they hold all ties."""

    block_size = 65_536
    # Each time fourfold; what to do about ties longer than the last list, a subclass may know.
    _widenings = 3

    def __init__(self, index: Tree | _NeighborsIndex):
        self._index = index
        self.rank = index.rank
        self.power = 1.0

    def pairs(self, queries: Any, n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        n_points, n_queries = len(self.rank), queries.shape[0]
        n_nearest = min(n_nearest, n_points)
        if n_queries * n_nearest > BLOCK_NUMBERS and n_queries > 1:
            return None
        # On continuous data one point more than needed proves that there are no ties; only queries
        # that have some are asked again, for longer lists.
        length, left = n_nearest + 1, np.arange(n_queries)
        proposals = []
        for _ in range(self._widenings):
            length = min(length, n_points)
            distance, point = self._index.nearest(queries[left], length)
            reach = distance[:, n_nearest - 1] * TIE_MARGIN
            # A last point beyond the reach proves that no tied point is missing.
            done = (distance[:, -1] > reach) | (length == n_points)
            proposals.append(_listed(left[done], point[done], distance[done]))
            longest = _listed(left[~done], point[~done], distance[~done])
            left, reach, length = left[~done], reach[~done], 4 * length
            if not len(left):
                break
        tied = self._long_ties(queries[left], left, reach, longest) if len(left) else longest
        return None if tied is None else join_pairs([*proposals, tied])

    def _long_ties(
        self, queries: Any, left: NDArray, reach: NDArray, longest: Pairs
    ) -> Pairs | None:
        """Return the longest lists: places are then shared among the tied points in them."""
        return longest


class TreeSearch(ListSearch):
    """Exact search with a tree: ties longer than the lists are found by their radius."""

    block_size = 8192

    def __init__(self, index: Tree, space: MinkowskiSpace | None):
        super().__init__(index)
        # The distances that decide are those of the space; without one, the tree's own.
        self._tree, self._space = index, space
        self.power = 1.0 if space is None else space.power

    def pairs(self, queries: Floats, n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        pairs = super().pairs(queries, n_nearest)
        if pairs is None or self._space is None:
            return pairs
        query, point, distance = pairs
        distance = distance**self.power
        doubtful = np.flatnonzero(_is_doubtful(distance, query))
        distance[doubtful] = self._space.between(queries, query[doubtful], point[doubtful])
        return query, point, distance

    def _long_ties(
        self, queries: NDArray, left: NDArray, reach: NDArray, longest: Pairs
    ) -> Pairs | None:
        """Return the pairs within reach of the queries left, or None if they are too many."""
        # Counting comes first, since the pairs of massive ties may not fit into the memory.
        lengths = self._tree.count_within(queries, reach)
        if lengths.sum() > BLOCK_NUMBERS and len(queries) > 1:
            return None
        point, distance = self._tree.within(queries, reach)
        return np.repeat(left, lengths), point, distance


def _is_doubtful(distance: NDArray, query: NDArray) -> Bools:
    """Tell which queries have pairs that rounding might reorder or tie."""
    # Elsewhere the tree's own distances lead to the same counts.
    in_order = (distance[1:] > distance[:-1] * _CLEAR) | (query[1:] != query[:-1])
    return np.isin(query, query[1:][~in_order])


def _listed(query: NDArray, point: NDArray, distance: NDArray) -> Pairs:
    return np.repeat(query, point.shape[1]), point.ravel(), distance.ravel()


def metric_of(neighbors: Any, metric: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the metric, and its parameters, that a neighbours object says it uses."""
    if not hasattr(neighbors, "metric"):
        return metric, params
    named = dict(getattr(neighbors, "metric_params", None) or {})
    if neighbors.metric == "minkowski" and hasattr(neighbors, "p"):
        named.setdefault("p", neighbors.p)
    return neighbors.metric, named


def neighbors_search(neighbors: Any, points: Any, queries: Any, n_nearest: int) -> ListSearch:
    """Return a search with a clone of a neighbours object, fitted to the points."""
    return ListSearch(_NeighborsIndex(clone(neighbors, safe=False).fit(points), points.shape[0]))


class _NeighborsIndex:
    """A fitted neighbours object, asked like a tree, but for radii."""

    def __init__(self, model: Any, n_points: int):
        self._model = model
        self.rank = np.arange(n_points)

    def nearest(self, queries: Any, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        answer = self._model.kneighbors(queries, n_neighbors=n_nearest, return_distance=True)
        distance, point = np.asarray(answer[0], np.float64), np.asarray(answer[1], np.intp)
        if point.shape != (queries.shape[0], n_nearest) or point.min() < 0:
            raise ValueError(
                f"kneighbors must give {n_nearest} neighbours for each of {queries.shape[0]} rows, "
                f"got an array of shape {point.shape} with {int((point < 0).sum())} missing."
            )
        return distance, point
