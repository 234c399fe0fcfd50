"""The space in which neighbours are sought: its metric, its distances and its distinct points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

#: Metrics that are a Minkowski distance, and its exponent.
MINKOWSKI = {
    "euclidean": 2.0,
    "l2": 2.0,
    "nan_euclidean": 2.0,
    "sqeuclidean": 2.0,
    "manhattan": 1.0,
    "cityblock": 1.0,
    "l1": 1.0,
    "chebyshev": np.inf,
}

#: Names in SciPy of the distances without a root.
_CDIST = {1.0: "cityblock", 2.0: "sqeuclidean", np.inf: "chebyshev"}

#: Numbers in one temporary array: large enough for speed, small enough for the memory.
BLOCK_NUMBERS = 2_000_000


@dataclass(frozen=True)
class MinkowskiSpace:
    """Points with a Minkowski distance, computed by direct differences.

    Distances are given without their root, to the power :attr:`power`. Differences of nearby
    numbers are exact, so neither an offset of the data nor the way of searching changes a distance,
    and equal rows have distance 0.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_features)
        The points.
    p : float
        The exponent; 2 for Euclidean, infinite for Chebyshev.
    """

    points: NDArray
    p: float

    @property
    def power(self) -> float:
        """The power to which distances are given."""
        return 1.0 if np.isinf(self.p) else self.p

    def between(self, first: NDArray, second: NDArray) -> NDArray[np.float64]:
        """Return the distances of the paired points, to the power :attr:`power`."""
        step = max(1, BLOCK_NUMBERS // max(1, self.points.shape[1]))
        out = np.empty(len(first))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            difference = self.points[first[part]].astype(np.float64, copy=False)
            difference = difference - self.points[second[part]]
            out[part] = self._size(difference)
        return out

    def _size(self, difference: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.p == 2:
            return np.einsum("ij,ij->i", difference, difference)
        size = np.abs(difference)
        if np.isinf(self.p):
            return size.max(axis=1)
        return (size if self.p == 1 else size**self.p).sum(axis=1)

    def to_all(self, rows: NDArray) -> NDArray[np.float64]:
        """Return the distances from some points to all, to the power :attr:`power`."""
        if self.p in _CDIST:
            return cdist(self.points[rows], self.points, _CDIST[self.p])
        return cdist(self.points[rows], self.points, "minkowski", p=self.p) ** self.p


def minkowski_space(X: Any, metric: Any, params: Mapping[str, Any]) -> MinkowskiSpace | None:
    """Return the Minkowski space that a metric means, or None if it means none.

    Feature weights are a rescaling of the features, and so is the standardised Euclidean distance.
    """
    if issparse(X) or not isinstance(metric, str):
        return None
    if metric == "seuclidean":
        variance = np.asarray(params.get("V", np.var(X, axis=0, ddof=1, dtype=np.float64)))
        # A constant feature has no spread to divide by, and separates no rows anyway.
        return _tame(X / np.sqrt(np.where(variance > 0, variance, 1.0)), 2.0)
    if metric == "minkowski":
        p, weights = float(params.get("p", 2)), params.get("w")
        if p < 1:
            return None
        scale = 1.0 if np.isinf(p) else 1.0 / p
        return _tame(X if weights is None else X * np.asarray(weights, np.float64) ** scale, p)
    return _tame(X, MINKOWSKI[metric]) if metric in MINKOWSKI and not params else None


def _tame(X: NDArray, p: float) -> MinkowskiSpace:
    """Keep powers of huge or tiny numbers from overflowing; powers of two change no digit."""
    largest = max(float(X.max()), -float(X.min())) if X.size else 0.0
    if largest == 0 or 1e-60 < largest < 1e60:
        return MinkowskiSpace(X, p)
    return MinkowskiSpace(np.ldexp(X.astype(np.float64), -int(np.frexp(largest)[1])), p)


def distinct_rows(X: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Find equal rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Finite numbers.

    Returns
    -------
    tuple of two ndarrays of int, or None
        The first row at each distinct point, and the point of every row; None if no two rows are
        equal.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity.neighbor_points import distinct_rows
    >>> first, point = distinct_rows(np.array([[1.0], [2.0], [1.0]]))
    >>> bool((first[point] == [0, 1, 0]).all())
    True
    """
    if _has_distinct_column(X):
        return None
    _, first, point = np.unique(_row_keys(X), return_index=True, return_inverse=True)
    if len(first) == len(X):
        return None
    # Two different rows with one key are next to impossible; equal rows are only a saving, so
    # then do without it.
    if any((X[part] != X[first[point[part]]]).any() for part in _row_blocks(X)):
        return None
    return first, point


def _has_distinct_column(X: NDArray) -> bool:
    """Return whether one look at a promising column proves that no two rows are equal."""
    few = np.sort(X[:: max(1, len(X) // 1000)], axis=0)
    promising = np.flatnonzero((few[1:] != few[:-1]).all(axis=0))
    if not len(promising):
        return False
    values = np.sort(X[:, promising[0]])
    return bool((values[1:] != values[:-1]).all())


def _row_keys(X: NDArray) -> NDArray[np.uint64]:
    """Return a 64-bit key of every row, equal for equal rows."""
    rng = np.random.default_rng(0)
    odd = rng.integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    keys = np.empty(len(X), dtype=np.uint64)
    for part in _row_blocks(X):
        # Adding 0.0 turns the negative zero, which equals the positive one, into it.
        bits = (X[part].astype(np.float64) + 0.0).view(np.uint64)
        # Round numbers end in zero bits, which a product cannot mix: fold the upper half in.
        bits ^= bits >> np.uint64(29)
        bits *= odd
        bits ^= bits >> np.uint64(32)
        keys[part] = bits.sum(axis=1, dtype=np.uint64)
    return keys


def _row_blocks(X: NDArray) -> Iterator[slice]:
    step = max(1, BLOCK_NUMBERS // max(1, X.shape[1]))
    return (slice(start, start + step) for start in range(0, len(X), step))
