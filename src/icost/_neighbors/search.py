"""Exact searches: for a block of queries, every point that may decide their neighbours.

Each search returns *pairs*: query (a position in the block), candidate point and distance (to the
space's power), at least of all points no farther than the ``n_nearest``-th nearest one, ties
included; a query that is a point finds itself. What is found on the way only proposes candidates;
direct differences decide, so that every search gives the same answer. A block whose ties make too
many pairs for the memory is answered by None, and `in_blocks` then asks for its halves.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import ThreadpoolController

from icost._core.arrays import Floats, Ints
from icost._neighbors.points import BLOCK_NUMBERS, MinkowskiSpace
from icost._neighbors.ties import TIE_TOLERANCE


def in_blocks(
    answer: Callable[[slice], Any], n_queries: int, block_size: int, n_threads: int
) -> list[Any]:
    """Return the answers for all queries, block after block.

    ``answer`` gets a block and returns None if that has too many ties; it is asked for both halves
    then. One query alone must be answered.
    """
    # As many blocks for each thread, all of one size: no thread waits for another's last block.
    n_rounds = max(1, -(-n_queries // (block_size * n_threads)))
    block_size = max(1, -(-n_queries // (n_rounds * n_threads)))
    starts = range(0, n_queries, block_size)
    blocks = [slice(start, min(n_queries, start + block_size)) for start in starts]
    if n_threads == 1 or len(blocks) == 1:
        return [one for block in blocks for one in _halved(answer, block)]
    # Not joblib's threads: they are asked every 10 ms whether they are done, often too late here.
    with ThreadPoolExecutor(n_threads) as threads:
        return list(chain.from_iterable(threads.map(lambda block: _halved(answer, block), blocks)))


def _halved(answer: Callable[[slice], Any], block: slice) -> list[Any]:
    """Answer one block, in halves while its ties are too many."""
    # A query's answer depends on no other query of its block, so a block may be divided at will.
    # Blocks are large for speed, and how many ties there are is only known when they are found.
    result = answer(block)
    if result is not None:
        return [result]
    middle = (block.start + block.stop) // 2
    halves = slice(block.start, middle), slice(middle, block.stop)
    return [one for half in halves for one in _halved(answer, half)]


@cache
def libraries() -> ThreadpoolController:
    """Return the controller of the libraries' threads; finding them takes milliseconds."""
    return ThreadpoolController()


def one_thread_a_product() -> Any:
    """Keep matrix products to one thread each, as a context."""
    # Threads work on different blocks of queries; more threads inside of products would only fight
    # them for the cores.
    return libraries().limit(limits=1, user_api="blas")


Pairs = tuple[Ints, Ints, Floats]

#: Just wider than the band of ties, so that rounding cannot lose a tied point. Squared distances
#: are tied up to 1 + 2e-9 times the k-th; the rest of the margin is for the rounding of both sides.
#: A wider margin would be as right, and only propose more candidates.
TIE_MARGIN = 1 + 4 * TIE_TOLERANCE

#: Coordinates beyond this, in units of the spread of the points, would overflow single precision.
_FAR_OUT = 1e15

#: Points nearer together than 2 to minus this have the same products, and all pass.
_MOST_SCALE = 400


class Search(Protocol):
    """What every search can do."""

    @property
    def block_size(self) -> int:
        """How many queries to ask for at a time."""

    @property
    def power(self) -> float:
        """The power to which distances are given."""

    @property
    def rank(self) -> Ints | None:
        """Position of every point in the order in which to ask for them, if it matters."""

    def pairs(self, queries: Any, n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then.

        Queries are rows of coordinates in double precision, in the space of the points; one query
        alone is always answered.
        """


def centre_and_scale(space: MinkowskiSpace) -> tuple[Floats, float]:
    """Return what to subtract from points, and what to multiply them by, before products."""
    # Rounding errors are relative to the norms, which are least around the centre. The scale, a
    # power of two, only keeps squares within the range of single precision.
    centre, (low, high) = space.points.mean(axis=0, dtype=np.float64), space.ends
    spread = np.maximum(high - centre, centre - low).max()
    return centre, 2.0 ** min(_MOST_SCALE, -int(np.frexp(spread)[1]))


def rounding_slack(n_features: int, dtype: Any) -> float:
    """Return what a computed q.x - |x|^2/2 may err by, relative to (|q|^2 + |x|^2)/2.

    The reasons are in ``MatrixSearch._screen_level``, and at ``float_level`` in kernel.c.
    """
    return 1.1 * (2 * n_features + 16) * float(np.finfo(dtype).eps) / 2


def is_clear(slack: float, norms: Floats, pairs: Pairs) -> bool:
    """Tell whether a screen's slack is small beside the distances of pairs; norms are squared."""
    reach = np.zeros(len(norms))
    np.maximum.at(reach, pairs[0], pairs[2])
    # The screen widens a squared distance by slack * (|q|^2 + |x|^2), and near points have like
    # norms. Where that is much beside the reach, all of a tight cluster would pass.
    return bool(np.median(2 * slack * norms) <= 0.1 * np.median(reach))


class MatrixSearch:
    """Brute-force Euclidean search: matrix products screen points, direct differences decide."""

    # As q.x - |x|^2/2 = (|q|^2 - |q - x|^2) / 2, "x is within the distance r of q" reads "the
    # product is at least (|q|^2 - r^2) / 2". With -|x|^2/2 as one more column of the points, times
    # ones, that is one matrix product and one comparison, and nothing else is done to the many
    # points that are far away. A first lot of points gives a bound r of the distance sought; ever
    # larger lots are screened by it, and it tightens after each of them. The few points that pass
    # get their true distance.
    block_size = 1024
    power = 2.0
    rank = None
    _first_lot = 1024
    _lot_growth = 4
    # A block times a chunk of points is a megabyte of products, which the mask finds in the cache.
    _chunk = 256

    def __init__(self, space: MinkowskiSpace, dtype: Any = np.float32):
        self._space = space
        n_points, n_features = space.points.shape
        # Shuffled, every lot is a fair sample, however the rows were sorted.
        self._order = np.random.default_rng(0).permutation(n_points)
        self._slack = rounding_slack(n_features, dtype)
        self._matrix = np.empty((n_points, n_features + 1), dtype=dtype)
        self._centre, self._scale = centre_and_scale(space)
        self._fill()

    def _fill(self) -> None:
        """Write the centred points, and in the last column what completes the product."""
        points = self._space.points
        step = max(1, BLOCK_NUMBERS // points.shape[1])
        for start in range(0, len(points), step):
            block = slice(start, start + step)
            norms = self._write(points[self._order[block]], self._matrix[block])
            # The part of the slack that goes with |x|^2 is granted here, that with |q|^2 in the
            # level.
            self._matrix[block, -1] = -(1 - self._slack) / 2 * norms

    def _write(self, rows: NDArray, out: NDArray) -> Floats:
        """Write rows, centred and rounded, and return their squared norms."""
        out[:, :-1] = (rows - self._centre) * self._scale
        # For the rounded rows, since it is their product that the norms complete.
        return np.einsum("ij,ij->i", out[:, :-1], out[:, :-1], dtype=np.float64)

    def _block(self, queries: NDArray) -> tuple[NDArray, Floats]:
        """Return the queries as factors of the products, and their squared norms."""
        # A query from elsewhere may be so far from all points that its square overflows. The slack
        # is larger than the spread of the points by then, so that all of them pass anyway: it is
        # put at the centre, with an infinite norm that opens the screen (_screen_level).
        away = np.abs(queries - self._centre).max(axis=1, initial=0) * self._scale
        is_far = away > _FAR_OUT
        if is_far.any():
            queries = np.where(is_far[:, None], self._centre, queries)
        block = np.empty((len(queries), self._matrix.shape[1]), dtype=self._matrix.dtype)
        norms = self._write(queries, block)
        block[:, -1] = 1
        norms[is_far] = np.inf
        return block, norms

    def pairs(self, queries: Floats, n_nearest: int) -> Pairs | None:
        """Return the candidates, or None if they are too many: ask for fewer queries then."""
        n_points = len(self._matrix)
        n_nearest = min(n_nearest, n_points)
        block, norms = self._block(queries)
        first = min(n_points, max(self._first_lot, 4 * n_nearest))
        bound = self._first_bound(queries, block, first, n_nearest)
        proposals: list[Pairs] = []
        start, stop = 0, self._lot_end(first)
        while start < n_points:
            hits = self._screen(block, self._screen_level(norms, bound), start, stop)
            if hits is None:
                return None
            query, point = hits
            proposals.append((query, point, self._space.between(queries, query, point)))
            start, stop = stop, self._lot_end(stop)
            if start < stop:
                proposals, bound = _tighten(proposals, len(queries), n_nearest)
        return join_pairs(proposals)

    def _lot_end(self, seen: int) -> int:
        """Return where the lot ends that the bound from the points seen can screen."""
        # n_nearest of the points seen are within the bound. They are a fair sample, so of four
        # times as many points about four times n_nearest will be: every lot costs about as many
        # true distances, and there are only as many lots as fourfold steps to the end. By the first
        # bound alone, n_points / first times n_nearest would pass.
        n_points = len(self._matrix)
        return n_points if 2 * self._lot_growth * seen >= n_points else self._lot_growth * seen

    def is_sharp(self, queries: Floats, n_nearest: int) -> bool:
        """Tell whether the screen's slack is small against the distances to be separated."""
        pairs = self.pairs(queries, n_nearest)
        if pairs is None:
            return False
        return is_clear(self._slack, self._block(queries)[1] / self._scale**2, pairs)

    def _first_bound(self, queries: NDArray, block: NDArray, first: int, n_nearest: int) -> NDArray:
        """Return the true distance within which the first lot has enough points."""
        # Rounding may choose other points than the nearest, but whichever n points are chosen, the
        # n-th nearest is no farther than the farthest of them.
        products = block @ self._matrix[:first].T
        last = np.partition(products, first - n_nearest, axis=1)[:, first - n_nearest, None]
        query, position = np.divmod(np.flatnonzero(products >= last), first)
        distances = self._space.between(queries, query, self._order[position])
        return np.maximum.reduceat(distances, np.searchsorted(query, np.arange(len(queries))))

    def _screen_level(self, norms: Floats, bound: Floats) -> NDArray:
        """Return the least product that a point within the bound can have, rounding included."""
        # Let u be half the spacing of numbers at 1, the largest relative error of one rounding, and
        # d the number of features. The product is not (|q|^2 - |q - x|^2) / 2 exactly, since
        #
        # - its d + 1 terms are rounded and added up, in whatever order, which errs by at most
        #   (d + 1) u (|q||x| + |x|^2/2), that is by (d + 1) u (|q|^2 + |x|^2);
        # - q and x were rounded to this precision, each by at most u of its length, so that
        #   |q - x|^2 / 2 errs by at most u (|q| + |x|)^2, that is by 2 u (|q|^2 + |x|^2);
        # - the last column was rounded, by u |x|^2/2.
        #
        # Together that is less than (d + 8) u (|q|^2 + |x|^2). What is left of it, and ten percent
        # more, cover products of errors and the rounding of the norms, which are added up in double
        # precision. That is the slack: its |x|^2 is in the last column, its |q|^2 in this level. A
        # point within the bound thus never falls below the level; a point beyond it may pass, and
        # is then dropped by its true distance.
        is_open = np.isinf(norms)
        reach = np.where(is_open, 0, bound) * self._scale**2 * TIE_MARGIN
        # Products of tiny numbers underflow, by less than this in units of the spread. Nor must
        # the level itself be rounded up.
        level = ((1 - self._slack) * norms - reach) / 2 - 1e-30
        level[is_open] = -np.inf
        return np.nextafter(level.astype(self._matrix.dtype), self._matrix.dtype.type(-np.inf))

    def _screen(
        self, block: NDArray, level: NDArray, start: int, stop: int
    ) -> tuple[NDArray, NDArray] | None:
        """Return the pairs that pass, or None if they are too many for the memory."""
        level = level[:, None]
        hits, n_hits = [], 0
        # One buffer for all products: a fresh one each time would cost as much as filling it.
        buffer = np.empty(len(block) * self._chunk, dtype=self._matrix.dtype)
        passed = np.empty(len(buffer), dtype=bool)
        for begin in range(start, stop, self._chunk):
            end = min(stop, begin + self._chunk)
            shape, size = (len(block), end - begin), len(block) * (end - begin)
            products = np.dot(block, self._matrix[begin:end].T, out=buffer[:size].reshape(shape))
            np.greater_equal(products, level, out=passed[:size].reshape(shape))
            flat = np.flatnonzero(passed[:size])
            n_hits += len(flat)
            # Massive ties: the caller halves the block. One query alone is always answered.
            if n_hits > BLOCK_NUMBERS and len(block) > 1:
                return None
            query, point = np.divmod(flat, end - begin)
            hits.append((query, point + begin))
        query, point = (np.concatenate(column) for column in zip(*hits, strict=True))
        return query, self._order[point]


def join_pairs(proposals: list[Pairs]) -> Pairs:
    """Return lists of pairs as one."""
    query, point, distance = (np.concatenate(column) for column in zip(*proposals, strict=True))
    return query, point, distance


def _tighten(proposals: list[Pairs], n_queries: int, n_nearest: int) -> tuple[list[Pairs], NDArray]:
    """Return the pairs still within reach, and the bound that they give."""
    query, point, distance = join_pairs(proposals)
    order = np.lexsort((distance, query))
    query, point, distance = query[order], point[order], distance[order]
    # The n-th nearest of some points is no nearer than that of all: such a bound is safe. Enough
    # points of the first lot are within the first one, so that no query has too few pairs.
    bound = distance[np.searchsorted(query, np.arange(n_queries)) + n_nearest - 1]
    keep = distance <= bound[query] * TIE_MARGIN
    return [(query[keep], point[keep], distance[keep])], bound


class DirectSearch:
    """Brute-force search by all distances: where no products can screen, or points are few."""

    rank = None

    def __init__(self, space: MinkowskiSpace):
        self._space = space
        self.power = space.power
        self.block_size = max(1, BLOCK_NUMBERS // len(space.points))

    def pairs(self, queries: Floats, n_nearest: int) -> Pairs | None:
        """Return the candidates of a block of queries."""
        # SciPy's distances are direct differences too, so that they may decide.
        distance = self._space.to_all(queries)
        n_nearest = min(n_nearest, distance.shape[1])
        reach = np.partition(distance, n_nearest - 1, axis=1)[:, n_nearest - 1, None]
        query, point = np.nonzero(distance <= reach * TIE_MARGIN**self._space.power)
        return query, point, distance[query, point]


class SparseSearch:
    """Brute-force Euclidean search over sparse rows, screened by sparse products."""

    power = 2.0
    rank = None

    def __init__(self, X: Any):
        self._rows = csr_array(X, dtype=np.float64)
        self._norms = _squared_norms(self._rows)
        self._longest = _longest(self._rows)
        self.block_size = max(1, BLOCK_NUMBERS // len(self._norms))

    def pairs(self, queries: Any, n_nearest: int) -> Pairs | None:
        """Return the candidates of a block of sparse queries."""
        n_nearest = min(n_nearest, len(self._norms))
        block = csr_array(queries)
        squares = _squared_norms(block)[:, None] + self._norms
        product = squares - 2 * (block @ self._rows.T).toarray()
        # No point can be farther than product + error, none nearer than product - error: what is
        # within the n-th least of the former by the latter is a candidate. Only entries that are
        # stored are added up, so the longest row bounds the error.
        longest = max(self._longest, _longest(block))
        error = 2 * (longest + 8) * float(np.finfo(np.float64).eps) * squares
        reach = np.partition(product + error, n_nearest - 1, axis=1)[:, n_nearest - 1, None]
        query, point = np.nonzero(product - error <= reach * TIE_MARGIN)
        # Sparse differences: an equal row leaves no entry, so its distance is exactly 0.
        return query, point, _squared_norms(block[query] - self._rows[point])


def _squared_norms(rows: csr_array) -> Floats:
    return rows.multiply(rows).sum(axis=1)


def _longest(rows: csr_array) -> int:
    """Return the most entries that a row has."""
    return int(np.diff(rows.indptr).max(initial=0))
