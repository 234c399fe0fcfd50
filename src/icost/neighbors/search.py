"""Exact searches: for a block of query points, every point that may decide their neighbours.

Each search returns *pairs*: query (a position in the block), candidate point and distance (to
the space's power). The pairs hold at least all points no farther than the ``n_nearest``-th nearest
point, ties included, the query point itself among them. What is found on the way (matrix products,
a tree's own distances) only proposes candidates; the distances that decide are direct differences.
A block whose ties make too many pairs for the memory is answered by None.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from icost.neighbors.points import BLOCK_NUMBERS, MinkowskiSpace
from icost.neighbors.ties import TIE_TOLERANCE

Pairs = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]

#: Just wider than the band of ties, so that rounding cannot lose a tied point.
TIE_MARGIN = 1 + 4 * TIE_TOLERANCE


class Search(Protocol):
    """What every search can do."""

    @property
    def block_size(self) -> int:
        """How many query points to ask for at a time."""

    @property
    def power(self) -> float:
        """The power to which distances are given."""

    @property
    def rank(self) -> NDArray[np.intp] | None:
        """Position of every point in the order in which to ask for them, if it matters."""

    def pairs(self, queries: NDArray[np.intp], n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""


class MatrixSearch:
    """Brute-force Euclidean search by matrix products in single or double precision.

    Points are centred, scaled and shuffled once. For a block of queries, a first lot of points
    gives an upper bound of the distance sought; ever larger lots are then screened by one matrix
    product and one comparison with that bound, which tightens after each lot. Few candidates pass,
    and their distances are computed from direct differences. The screen allows for the largest
    possible rounding error of the product, so no neighbour is lost.

    Parameters
    ----------
    space : MinkowskiSpace
        Points with the Euclidean distance.
    dtype : numpy dtype
        Precision of the screen: single is twice as fast, double lets fewer false candidates pass
        where neighbours are very near compared with the spread of the data.
    """

    block_size = 256
    power = 2.0
    rank = None
    _first_lot = 1024
    _lot_growth = 4
    _chunk = 4096

    def __init__(self, space: MinkowskiSpace, dtype: Any = np.float32):
        self._space = space
        n_points, n_features = space.points.shape
        # Shuffled, every lot is a fair sample, however the rows were sorted.
        self._order = np.random.default_rng(0).permutation(n_points)
        self._position = np.empty(n_points, dtype=np.intp)
        self._position[self._order] = np.arange(n_points)
        # |computed - true| of q.x - |x|^2/2, relative to (|q|^2 + |x|^2)/2; see _screen_level.
        self._slack = 1.1 * (2 * n_features + 16) * float(np.finfo(dtype).eps) / 2
        self._matrix = np.empty((n_points, n_features + 1), dtype=dtype)
        self._norms = np.empty(n_points)
        self._fill()

    def _fill(self) -> None:
        """Write the centred points, and in the last column what completes the product."""
        points = self._space.points
        centre = points.mean(axis=0, dtype=np.float64)
        spread = np.maximum(points.max(axis=0) - centre, centre - points.min(axis=0)).max()
        self._scale = 2.0 ** -int(np.frexp(spread)[1])
        step = max(1, BLOCK_NUMBERS // points.shape[1])
        for start in range(0, len(points), step):
            part = slice(start, start + step)
            rows = self._matrix[part, :-1]
            rows[...] = (points[self._order[part]] - centre) * self._scale
            self._norms[part] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        self._matrix[:, -1] = -(1 - self._slack) / 2 * self._norms

    def pairs(self, queries: NDArray[np.intp], n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        n_nearest = min(n_nearest, len(self._norms))
        block = self._matrix[self._position[queries]]
        block[:, -1] = 1
        first = min(len(self._norms), max(self._first_lot, 4 * n_nearest))
        bound = self._first_bound(queries, block, first, n_nearest)
        found: list[Pairs] = []
        start, stop = 0, self._lot_end(first)
        while start < len(self._norms):
            hits = self._screen(queries, block, bound, start, stop)
            if hits is None:
                return None
            query, point = hits
            found.append((query, point, self._space.between(queries[query], point)))
            start, stop = stop, self._lot_end(stop)
            if start < stop:
                found, bound = _tighten(found, len(queries), n_nearest)
        return join_pairs(found)

    def _lot_end(self, seen: int) -> int:
        """Return where the lot ends that the bound from the points seen can screen."""
        n_points = len(self._norms)
        return n_points if 2 * self._lot_growth * seen >= n_points else self._lot_growth * seen

    def is_sharp(self, queries: NDArray[np.intp], n_nearest: int) -> bool:
        """Tell whether the screen's slack is small against the distances to be separated."""
        pairs = self.pairs(queries, n_nearest)
        if pairs is None:
            return False
        reach = np.zeros(len(queries))
        np.maximum.at(reach, pairs[0], pairs[2])
        blur = 2 * self._slack * self._norms[self._position[queries]]
        return bool(np.median(blur) <= 0.1 * np.median(reach) * self._scale**2)

    def _first_bound(self, queries: NDArray, block: NDArray, first: int, n_nearest: int) -> NDArray:
        """Return the true distance within which the first lot has enough points."""
        products = block @ self._matrix[:first].T
        last = np.partition(products, first - n_nearest, axis=1)[:, first - n_nearest, None]
        query, position = np.divmod(np.flatnonzero(products >= last), first)
        distances = self._space.between(queries[query], self._order[position])
        return np.maximum.reduceat(distances, np.searchsorted(query, np.arange(len(queries))))

    def _screen_level(self, queries: NDArray, bound: NDArray) -> NDArray:
        """Return the least product that a point within the bound can have.

        With q and x rounded to relative u, a product over d + 1 terms errs by at most
        (d + 1) u (|q||x| + |x|^2/2), the rounded points by 2.1 u (|q| + |x|)^2 in squared distance;
        both are covered by (2d + 16) u (|q|^2 + |x|^2) / 2, split between level and last column.
        """
        norms = self._norms[self._position[queries]]
        reach = bound * self._scale**2 * TIE_MARGIN
        # What underflows in single precision is below this in units of the spread.
        level = ((1 - self._slack) * norms - reach) / 2 - 1e-30
        return np.nextafter(level.astype(self._matrix.dtype), self._matrix.dtype.type(-np.inf))

    def _screen(
        self, queries: NDArray, block: NDArray, bound: NDArray, start: int, stop: int
    ) -> tuple[NDArray, NDArray] | None:
        """Return the pairs that pass, or None if they are too many for the memory."""
        level = self._screen_level(queries, bound)[:, None]
        hits, n_hits = [], 0
        # One buffer for all products: a fresh one each time would cost as much as filling it.
        buffer = np.empty(len(queries) * self._chunk, dtype=self._matrix.dtype)
        passed = np.empty(len(buffer), dtype=bool)
        for begin in range(start, stop, self._chunk):
            end = min(stop, begin + self._chunk)
            shape, size = (len(queries), end - begin), len(queries) * (end - begin)
            products = np.dot(block, self._matrix[begin:end].T, out=buffer[:size].reshape(shape))
            np.greater_equal(products, level, out=passed[:size].reshape(shape))
            flat = np.flatnonzero(passed[:size])
            n_hits += len(flat)
            if n_hits > BLOCK_NUMBERS and len(queries) > 1:
                return None
            query, point = np.divmod(flat, end - begin)
            hits.append((query, point + begin))
        query, point = (np.concatenate(part) for part in zip(*hits, strict=True))
        return query, self._order[point]


def join_pairs(found: list[Pairs]) -> Pairs:
    """Return lists of pairs as one."""
    query, point, distance = (np.concatenate(part) for part in zip(*found, strict=True))
    return query, point, distance


def _tighten(found: list[Pairs], n_queries: int, n_nearest: int) -> tuple[list[Pairs], NDArray]:
    """Return the pairs still within reach, and the bound that they give."""
    query, point, distance = join_pairs(found)
    order = np.lexsort((distance, query))
    query, point, distance = query[order], point[order], distance[order]
    # Enough points of the first lot are within the first bound, so no query has too few pairs.
    bound = distance[np.searchsorted(query, np.arange(n_queries)) + n_nearest - 1]
    keep = distance <= bound[query] * TIE_MARGIN
    return [(query[keep], point[keep], distance[keep])], bound


class DirectSearch:
    """Brute-force search by all distances, for the Minkowski distances other than the Euclidean."""

    rank = None

    def __init__(self, space: MinkowskiSpace):
        self._space = space
        self.power = space.power
        self.block_size = max(1, BLOCK_NUMBERS // len(space.points))

    def pairs(self, queries: NDArray[np.intp], n_nearest: int) -> Pairs | None:
        """Return the candidates of a block of query points."""
        distance = self._space.to_all(queries)
        n_nearest = min(n_nearest, distance.shape[1])
        reach = np.partition(distance, n_nearest - 1, axis=1)[:, n_nearest - 1, None]
        query, point = np.nonzero(distance <= reach * TIE_MARGIN**self._space.power)
        return query, point, distance[query, point]


class SparseSearch:
    """Brute-force Euclidean search over sparse rows, by sparse products.

    Parameters
    ----------
    X : CSR matrix or array of shape (n_rows, n_features)
        The rows.
    """

    power = 2.0
    rank = None

    def __init__(self, X: Any):
        self._rows = csr_array(X, dtype=np.float64)
        self._norms = self._rows.multiply(self._rows).sum(axis=1)
        longest = int(np.diff(self._rows.indptr).max(initial=0))
        self._slack = 2 * (longest + 8) * float(np.finfo(np.float64).eps)
        self.block_size = max(1, BLOCK_NUMBERS // len(self._norms))

    def pairs(self, queries: NDArray[np.intp], n_nearest: int) -> Pairs | None:
        """Return the candidates of a block of query points."""
        n_nearest = min(n_nearest, len(self._norms))
        block = self._rows[queries]
        squares = self._norms[queries][:, None] + self._norms
        product = squares - 2 * (block @ self._rows.T).toarray()
        error = self._slack * squares
        reach = np.partition(product + error, n_nearest - 1, axis=1)[:, n_nearest - 1, None]
        query, point = np.nonzero(product - error <= reach * TIE_MARGIN)
        return query, point, self._between(queries[query], point)

    def _between(self, first: NDArray, second: NDArray) -> NDArray[np.float64]:
        """Return the squared distances of the paired rows."""
        # Sparse differences: an equal row leaves no entry, so its distance is exactly 0.
        difference = self._rows[first] - self._rows[second]
        return difference.multiply(difference).sum(axis=1)
