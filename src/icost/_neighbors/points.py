"""The space in which neighbours are sought: its metric, its distances and its distinct points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from icost._core.arrays import Floats, Ints, column_ends
from icost._core.validation import check_choice, check_number

#: Metrics that are a Minkowski distance, and its exponent.
MINKOWSKI = {
    **dict.fromkeys(("euclidean", "l2", "nan_euclidean", "sqeuclidean"), 2.0),
    **dict.fromkeys(("manhattan", "cityblock", "l1"), 1.0),
    "chebyshev": np.inf,
}

#: Names of the Euclidean distance.
EUCLIDEAN = frozenset(name for name, p in MINKOWSKI.items() if p == 2)

#: Names in SciPy of the distances without a root.
_CDIST = {1.0: "cityblock", 2.0: "sqeuclidean", np.inf: "chebyshev"}

#: A table of up to this many rows is small.
_SMALL_TABLE = 20_000

#: Numbers in one temporary array: large enough for speed, small enough for the memory.
BLOCK_NUMBERS = 2_000_000


@dataclass(frozen=True)
class MinkowskiSpace:
    """Points with a Minkowski distance of exponent ``p``, given without its root."""

    # The numbers of nearby points cancel without rounding when one is subtracted from the other, so
    # that neither an offset of the data nor the way of searching changes a distance, and equal rows
    # are at distance 0 exactly. |q|^2 - 2 q.x + |x|^2 has neither property: it only screens.
    points: NDArray
    p: float

    @cached_property
    def ends(self) -> tuple[NDArray, NDArray]:
        """The least and the greatest number of each feature."""
        return column_ends(self.points)

    @property
    def power(self) -> float:
        """The power to which distances are given."""
        return 1.0 if np.isinf(self.p) else self.p

    def between(self, queries: NDArray, query: NDArray, point: NDArray) -> Floats:
        """Return the distances of paired queries and points: those that decide who is near."""
        step = max(1, BLOCK_NUMBERS // max(1, self.points.shape[1]))
        out = np.empty(len(query))
        for start in range(0, len(query), step):
            block = slice(start, start + step)
            # Queries are in double precision, and single precision is widened by the subtraction:
            # with its seven digits, most distances would tie.
            difference = queries.take(query[block], axis=0)
            difference -= self.points.take(point[block], axis=0)
            out[block] = self._size(difference)
        return out

    def _size(self, difference: Floats) -> Floats:
        if self.p == 2:
            return np.einsum("ij,ij->i", difference, difference)
        size = np.abs(difference)
        if np.isinf(self.p):
            return size.max(axis=1)
        return (size if self.p == 1 else size**self.p).sum(axis=1)

    def to_all(self, queries: NDArray) -> Floats:
        """Return the distances from some queries to all points, to the power :attr:`power`."""
        if self.p in _CDIST:
            return cdist(queries, self.points, _CDIST[self.p])
        return cdist(queries, self.points, "minkowski", p=self.p) ** self.p


class OwnQueries:
    """Queries that are points of the table, whose coordinates are copied block by block."""

    def __init__(self, points: Any, numbers: Ints):
        self._points, self._numbers = points, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, chosen: slice | Ints) -> Any:
        # Widened before anything is subtracted from them.
        return self._points[self._numbers[chosen]].astype(np.float64, copy=False)

    def visit(self, rank: Ints) -> Ints:
        """Return the queries in the order in which an index has its points."""
        return np.argsort(rank[self._numbers])


class OtherQueries:
    """Queries from elsewhere, given by their coordinates."""

    def __init__(self, coordinates: Floats):
        self._coordinates = coordinates

    def __len__(self) -> int:
        return len(self._coordinates)

    def __getitem__(self, rows: slice | Ints) -> Floats:
        return self._coordinates[rows]

    def visit(self, rank: Ints) -> Ints:
        """Return the queries in an order in which neighbours follow each other."""
        # An index knows where its own points lie in it, and no others: a coarse tree of the queries
        # has them in such an order as well.
        return leaf_order(self._coordinates)


Queries = OwnQueries | OtherQueries


def leaf_order(points: Floats) -> Ints:
    """Return points in the order of a coarse tree's leaves, where neighbours lie together."""
    # Splitting at midpoints follows the clusters of the data, splitting at medians does not.
    tree = cKDTree(points, leafsize=128, balanced_tree=False, compact_nodes=False)
    return tree.indices


def minkowski_space(X: Any, metric: Any, params: Mapping[str, Any]) -> MinkowskiSpace | None:
    """Return the Minkowski space that a metric means, or None if it means none."""
    if issparse(X) or not isinstance(metric, str):
        return None
    # Feature weights are a rescaling of the features, and so is the standardised Euclidean
    # distance: rescaled once, the points can be searched by every way that plain ones can.
    if metric == "seuclidean":
        _check_names(metric, params, ["V"])
        if "V" in params:
            return _tame(X / _deviations(_one_a_feature(params["V"], "V", X)), 2.0)
        points = _tame(X, 2.0).points
        variance = np.var(points, axis=0, ddof=1, dtype=np.float64)
        return MinkowskiSpace(points / _deviations(variance), 2.0)
    if metric == "minkowski":
        _check_names(metric, params, ["p", "w"])
        p = params.get("p", 2)
        if p != np.inf:
            check_number("p of metric_params", p, low=0, open_low=True)
        if p < 1:
            # No triangle inequality, which trees need: left to the search by all distances.
            return None
        return _tame(X if params.get("w") is None else X * _scales(params["w"], p, X), float(p))
    return _tame(X, MINKOWSKI[metric]) if metric in MINKOWSKI and not params else None


def _check_names(metric: str, params: Mapping[str, Any], allowed: list[str]) -> None:
    for name in params:
        check_choice(f"a parameter of the metric {metric!r}", name, allowed)


def _scales(weights: Any, p: float, X: NDArray) -> Floats:
    """Return what to multiply features by, so that plain distances are the weighted ones."""
    weights = _one_a_feature(weights, "w", X)
    # As SciPy has it, the largest difference counts wherever its weight is not zero.
    return (weights != 0).astype(np.float64) if np.isinf(p) else weights ** (1.0 / p)


def _deviations(variance: Floats) -> Floats:
    # A constant feature has no spread to divide by, and separates no rows anyway.
    return np.sqrt(np.where(variance > 0, variance, 1.0))


def _one_a_feature(values: Any, name: str, X: NDArray) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (X.shape[1],) or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(
            f"{name} of metric_params must be {X.shape[1]} numbers that are finite and not "
            f"negative, one for each feature, got {values!r}."
        )
    return values


def _tame(X: NDArray, p: float) -> MinkowskiSpace:
    """Scale the points so that powers of huge or tiny numbers neither overflow nor vanish."""
    return common_space(X[:0], X, p)[1]


def common_space(
    queries: NDArray, points: NDArray, p: float
) -> tuple[NDArray, MinkowskiSpace, int]:
    """Return queries and points in one unit, 2 to the exponent that is the third value."""
    space = MinkowskiSpace(points, p)
    ends = space.ends if points.size else (points, points)
    largest = max(_largest(queries, queries), _largest(*ends))
    is_usual = 1e-60 < largest < 1e60
    exponent = int(np.frexp(largest)[1])
    # Zeros have no size, and up to the square the powers of usual numbers stay within range.
    if largest == 0 or exponent == 0 or (p in _CDIST and is_usual):
        return queries, space, 0
    if not is_usual:
        _check_magnitudes(np.concatenate([queries, points]), largest)
    # By a power of two, which changes exponents and no digit: ties stay ties.
    queries, points = (np.ldexp(X.astype(np.float64), -exponent) for X in (queries, points))
    return queries, MinkowskiSpace(points, p), exponent


def _largest(low: NDArray, high: NDArray) -> float:
    return max(float(high.max()), -float(low.min())) if low.size else 0.0


def _check_magnitudes(X: NDArray, largest: float) -> None:
    """Refuse numbers beside which the differences of most others vanish."""
    spread = np.abs(X / 2 - np.median(X, axis=0) / 2)
    usual = np.median(spread[spread > 0]) if (spread > 0).any() else largest
    if usual < 1e-60 * largest:
        raise ValueError(
            f"X must hold numbers of comparable size to have neighbours, got {largest:.0e} beside "
            f"differences of about {2 * usual:.0e}."
        )


def distinct_rows(X: NDArray) -> tuple[Ints, Ints] | None:
    """Return the first row at each distinct point, and each row's point; None if all differ."""
    # Coarse data have many equal rows, and a point that a thousand rows share would fill a list of
    # nearest rows by itself. Searched once, with the rows of each class counted at it, it takes one
    # place in the list, and the list can stay as short as k + 1.
    if _has_distinct_column(X):
        return None
    # Keys of one number are sorted much faster than rows of many.
    _, first, point = np.unique(row_keys(X), return_index=True, return_inverse=True)
    if len(first) == len(X):
        return None
    # Two different rows with one key are next to impossible, but would be wrong; finding equal
    # rows only saves time, so then do without it.
    if any((X[block] != X[first[point[block]]]).any() for block in _row_blocks(X)):
        return None
    return first, point


def _has_distinct_column(X: NDArray) -> bool:
    """Return whether one look at a promising column proves that no two rows are equal."""
    # Some rows tell which column is worth sorting; continuous data are done with here. To be wrong
    # costs a column sorted in vain, which is little of a small table.
    n_few = 1000 if len(X) > _SMALL_TABLE else 100
    few = np.sort(X[:: max(1, len(X) // n_few)], axis=0)
    promising = np.flatnonzero((few[1:] != few[:-1]).all(axis=0))
    if not len(promising):
        return False
    values = np.sort(X[:, promising[0]])
    return bool((values[1:] != values[:-1]).all())


def row_keys(X: Any, seed: int = 0) -> NDArray[np.uint64]:
    """Return a 64-bit key of every row, equal for equal rows, dense or sparse.

    Sorted by their keys, rows have an order that depends on what they hold and not on where they
    stand.
    """
    rng = np.random.default_rng(seed)
    odd = rng.integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    keys = np.zeros(X.shape[0], dtype=np.uint64)
    if issparse(X):
        # Zeros add nothing to a key, so that those left out make no difference.
        np.add.at(
            keys,
            np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)),
            _mixed(X.data, odd[X.indices]),
        )
        return keys
    for block in _row_blocks(X):
        keys[block] = _mixed(X[block], odd).sum(axis=1, dtype=np.uint64)
    return keys


def _mixed(values: NDArray, odd: NDArray[np.uint64]) -> NDArray[np.uint64]:
    # Adding 0.0 turns the negative zero, which equals the positive one, into it.
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    # Round numbers end in zero bits, which a product cannot mix: fold the upper half in.
    bits ^= bits >> np.uint64(29)
    bits *= odd
    bits ^= bits >> np.uint64(32)
    return bits


def _row_blocks(X: NDArray) -> Iterator[slice]:
    step = max(1, BLOCK_NUMBERS // max(1, X.shape[1]))
    return (slice(start, start + step) for start in range(0, len(X), step))
