"""Neighbours found part by part: of rows in one table among the rows of others.

A table that is too large for the memory, or whose queries are not rows of it, cannot be searched as
one. Here each part of the table gives a short `NearestRows`, lists merge in any order, and the tie
rule is applied to the merged one. Equal distances are counted together, so that a list stays short
however many rows are tied, and no tied row is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from icost.neighbors.points import BLOCK_NUMBERS, MinkowskiSpace, distinct_rows
from icost.neighbors.search import TIE_MARGIN
from icost.neighbors.ties import share_places, tied_band

Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]

#: Fewer distances than this are computed sooner than a tree is built and tried.
_WORTH_A_TREE = 20_000_000

#: How many queries are tried to compare tree and brute force.
_PILOT_QUERIES = 16

#: One in this many points gives the first bound of the distance sought.
_THINNING = 32


@dataclass(frozen=True)
class NearestRows:
    """How many rows of each class lie at which distance from each query, the nearest only.

    Attributes
    ----------
    query : ndarray of int of shape (n_entries,)
        Positions of the queries, sorted; within a query distances are sorted.
    distance : ndarray of float of shape (n_entries,)
        Distances, to the power of the space.
    counts : ndarray of int of shape (n_entries, n_classes)
        Rows per class at that distance.
    """

    query: NDArray[np.intp]
    distance: NDArray[np.float64]
    counts: NDArray[np.int64]


def find_nearest(
    queries: NDArray[np.float64],
    points: NDArray[np.float64],
    codes: NDArray[np.intp],
    n_classes: int,
    n_nearest: int,
    p: float = 2.0,
) -> NearestRows:
    """Find the rows of a table, or of a part of it, that are nearest to each query.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features)
        Where to search from.
    points : ndarray of shape (n_points, n_features)
        Rows among which to search.
    codes : ndarray of int of shape (n_points,)
        Class of each row.
    n_classes : int
        The number of classes.
    n_nearest : int
        How many rows to find; more if the last ones are tied, fewer if there are no more.
    p : float, default=2.0
        Exponent of the Minkowski distance.

    Returns
    -------
    NearestRows
        Distances to the power ``p`` (as they are, for an infinite one).

    Examples
    --------
    >>> import numpy as np
    >>> from icost.neighbors.parts import find_nearest
    >>> points, codes = np.array([[1.0], [-1.0], [5.0]]), np.array([0, 1, 1])
    >>> find_nearest(np.array([[0.0]]), points, codes, 2, 1)
    NearestRows(query=array([0]), distance=array([1.]), counts=array([[1, 1]]))
    """
    if len(points) == 0 or len(queries) == 0:
        return _nothing(n_classes)
    first, point = distinct_rows(points) or (np.arange(len(points)), np.arange(len(points)))
    classes = np.zeros((len(first), n_classes), dtype=np.int64)
    np.add.at(classes, (point, codes), 1)
    joined = MinkowskiSpace(np.concatenate([queries, points[first]]), p)
    propose = _fastest(joined, len(queries), min(n_nearest, len(first)))
    blocks = []
    for start in range(0, len(queries), propose.block_size):
        query, candidate = propose(queries[start : start + propose.block_size])
        distance = joined.between(query + start, candidate + len(queries))
        found = NearestRows(query + start, distance, classes[candidate])
        # Trimmed block by block, since candidates are many more than neighbours.
        blocks.append(_trim(found, n_nearest, p))
    return _join(blocks)


def merge_nearest(parts: Iterable[NearestRows], n_nearest: int, p: float = 2.0) -> NearestRows:
    """Merge what several parts of a table gave for the same queries.

    Parameters
    ----------
    parts : iterable of NearestRows
        From `find_nearest`, or merged before.
    n_nearest : int
        As for `find_nearest`.
    p : float, default=2.0
        Exponent of the Minkowski distance.

    Returns
    -------
    NearestRows
        As if the parts had been one table.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.neighbors.parts import find_nearest, merge_nearest
    >>> query, codes = np.array([[0.0]]), np.array([0])
    >>> parts = [find_nearest(query, np.array([[x]]), codes, 1, 1) for x in (3.0, -2.0)]
    >>> merge_nearest(parts, 1).distance
    array([4.])
    """
    return _trim(_join(parts), n_nearest, p)


def count_classes(
    nearest: NearestRows,
    n_queries: int,
    n_neighbors: int,
    p: float = 2.0,
    own_codes: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Apply the tie rule: how many of the nearest neighbours are of each class?

    Parameters
    ----------
    nearest : NearestRows
        Of at least ``n_neighbors`` rows, and one more if the queries are rows of the table.
    n_queries : int
        The number of queries.
    n_neighbors : int
        The number k of neighbours.
    p : float, default=2.0
        Exponent of the Minkowski distance.
    own_codes : ndarray of int of shape (n_queries,), default=None
        Classes of the queries if they are rows of the table, none of which is its own neighbour.

    Returns
    -------
    ndarray of float of shape (n_queries, n_classes)
        Counts that sum to k in each row.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.neighbors.parts import count_classes, find_nearest
    >>> points, codes = np.array([[0.0], [1.0], [-1.0]]), np.array([1, 0, 1])
    >>> nearest = find_nearest(points[:1], points, codes, 2, 2)
    >>> count_classes(nearest, 1, 1, own_codes=codes[:1])
    array([[0.5, 0.5]])
    """
    counts = nearest.counts
    if own_codes is not None:
        # A query lies at distance 0 of itself, in the first of its entries.
        counts = counts.copy()
        counts[_starts(nearest.query, n_queries), own_codes] -= 1
    kth = _kth_distance(nearest.query, nearest.distance, counts.sum(axis=1), n_queries, n_neighbors)
    low, high = tied_band(kth[nearest.query], _power(p))
    strict = _sum_where(nearest.query, counts, nearest.distance < low, n_queries)
    up_to = _sum_where(nearest.query, counts, nearest.distance <= high, n_queries)
    return share_places(strict, up_to - strict, n_neighbors)


def _nothing(n_classes: int) -> NearestRows:
    no_rows = np.zeros(0, dtype=np.intp)
    return NearestRows(no_rows, np.zeros(0), np.zeros((0, n_classes), dtype=np.int64))


def _join(parts: Iterable[NearestRows]) -> NearestRows:
    columns = zip(*((part.query, part.distance, part.counts) for part in parts), strict=True)
    return NearestRows(*(np.concatenate(column) for column in columns))


def _power(p: float) -> float:
    return 1.0 if np.isinf(p) else p


def _starts(query: NDArray[np.intp], n_queries: int) -> NDArray[np.intp]:
    return np.searchsorted(query, np.arange(n_queries))


def _trim(nearest: NearestRows, n_nearest: int, p: float) -> NearestRows:
    """Sort the entries, add up those of equal distance and drop those out of reach."""
    if len(nearest.query) == 0:
        return nearest
    order = np.lexsort((nearest.distance, nearest.query))
    query, distance = nearest.query[order], nearest.distance[order]
    is_new = np.ones(len(query), dtype=bool)
    is_new[1:] = (query[1:] != query[:-1]) | (distance[1:] != distance[:-1])
    counts = np.add.reduceat(nearest.counts[order], np.flatnonzero(is_new), axis=0)
    query, distance = query[is_new], distance[is_new]
    present, position = np.unique(query, return_inverse=True)
    kth = _kth_distance(position, distance, counts.sum(axis=1), len(present), n_nearest)
    keep = distance <= kth[position] * TIE_MARGIN ** _power(p)
    return NearestRows(query[keep], distance[keep], counts[keep])


def _kth_distance(
    query: NDArray[np.intp],
    distance: NDArray[np.float64],
    rows: NDArray[np.int64],
    n_queries: int,
    k: int,
) -> NDArray[np.float64]:
    """Return the distance at which the rows seen from each query reach k; infinite if never."""
    starts = _starts(query, n_queries)
    seen = np.cumsum(rows)
    seen -= (seen[starts] - rows[starts])[query]
    return np.minimum.reduceat(np.where(seen >= k, distance, np.inf), starts)


def _sum_where(
    query: NDArray[np.intp], counts: NDArray[np.int64], chosen: NDArray[np.bool_], n_queries: int
) -> NDArray[np.int64]:
    """Sum the chosen entries of each query; every query has an entry."""
    return np.add.reduceat(counts * chosen[:, None], _starts(query, n_queries), axis=0)


class _Proposer(Protocol):
    """Proposes, for a block of queries, every point that may be among the nearest."""

    block_size: int

    def __call__(self, queries: NDArray) -> Pairs:
        """Return positions in the block, and points."""


def _fastest(joined: MinkowskiSpace, n_queries: int, n_nearest: int) -> _Proposer:
    """Return what proposes candidates the fastest: a tree, or brute force."""
    queries, points, p = joined.points[:n_queries], joined.points[n_queries:], joined.p
    brute = _Screen(points, n_nearest) if p == 2 else _AllPairs(points, n_nearest, p)
    if len(queries) * len(points) < _WORTH_A_TREE:
        return brute
    tree = _Tree(points, n_nearest, p)
    asked = queries[np.linspace(0, n_queries - 1, _PILOT_QUERIES).astype(np.intp)]
    return min(tree, brute, key=lambda propose: _seconds(propose, asked))


def _seconds(propose: _Proposer, queries: NDArray) -> float:
    start = perf_counter()
    propose(queries)
    return perf_counter() - start


class _AllPairs:
    """Candidates by all distances."""

    def __init__(self, points: NDArray, n_nearest: int, p: float):
        self._points, self._n_nearest, self._p = points, n_nearest, p
        self.block_size = max(1, BLOCK_NUMBERS // len(points))

    def __call__(self, queries: NDArray) -> Pairs:
        joined = MinkowskiSpace(np.concatenate([queries, self._points]), self._p)
        distance = joined.to_all(np.arange(len(queries)))[:, len(queries) :]
        last = np.partition(distance, self._n_nearest - 1, axis=1)[:, self._n_nearest - 1, None]
        query, point = np.nonzero(distance <= last * TIE_MARGIN**joined.power)
        return query, point


class _Screen:
    """Candidates for the Euclidean distance by matrix products, with room for their rounding."""

    block_size = 256
    _chunk = 4096

    def __init__(self, points: NDArray, n_nearest: int):
        n_points, n_features = points.shape
        self._centre = points.mean(axis=0)
        self._n_nearest = n_nearest
        # The last column completes the product: q.x - |x|^2/2 = (|q|^2 - |q - x|^2)/2.
        self._matrix = np.empty((n_points, n_features + 1))
        rows = np.subtract(points, self._centre, out=self._matrix[:, :-1])
        norms = np.einsum("ij,ij->i", rows, rows)
        self._matrix[:, -1] = -norms / 2
        # What a product over d + 1 terms may err by, relative to the squared norms.
        self._slack = 4 * (n_features + 8) * np.finfo(np.float64).eps
        self._largest = norms.max()
        # One in so many points, but enough of them to hold the nearest, gives a first bound.
        self._step = max(1, min(_THINNING, n_points // (4 * n_nearest)))

    def __call__(self, queries: NDArray) -> Pairs:
        block = np.ones((len(queries), self._matrix.shape[1]))
        block[:, :-1] = queries - self._centre
        level = self._level(block)[:, None]
        hits = []
        # One buffer for all products: a fresh one each time would cost as much as filling it.
        buffer = np.empty(len(block) * self._chunk)
        for begin in range(0, len(self._matrix), self._chunk):
            chunk = self._matrix[begin : begin + self._chunk]
            out = buffer[: len(block) * len(chunk)].reshape(len(block), len(chunk))
            flat = np.flatnonzero(np.dot(block, chunk.T, out=out) >= level)
            query, point = np.divmod(flat, len(chunk))
            hits.append((query, point + begin))
        query, point = (np.concatenate(part) for part in zip(*hits, strict=True))
        return query, point

    def _level(self, block: NDArray) -> NDArray[np.float64]:
        """Return the least product that one of the nearest points can have."""
        norms = np.einsum("ij,ij->i", block[:, :-1], block[:, :-1])
        blur = self._slack * (norms + self._largest)
        products = block @ self._matrix[:: self._step].T
        nth = products.shape[1] - self._n_nearest
        reach = norms - 2 * np.partition(products, nth, axis=1)[:, nth] + blur
        return (norms - reach * TIE_MARGIN**2 - blur) / 2


class _Tree:
    """Candidates by SciPy's k-d tree."""

    block_size = 4096

    def __init__(self, points: NDArray, n_nearest: int, p: float):
        # Splitting at midpoints follows the clusters of the data.
        self._tree = cKDTree(points, leafsize=24, balanced_tree=False)
        self._n_nearest, self._p = n_nearest, p

    def __call__(self, queries: NDArray) -> Pairs:
        last = self._tree.query(queries, [self._n_nearest], p=self._p)[0][:, 0]
        found = self._tree.query_ball_point(queries, last * TIE_MARGIN, p=self._p)
        lengths = [len(one) for one in found]
        point = np.concatenate([np.asarray(one, dtype=np.intp) for one in found])
        return np.repeat(np.arange(len(queries)), lengths), point
