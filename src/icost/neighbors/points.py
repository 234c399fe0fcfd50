"""The space in which neighbours are sought: its metric, its distances and its distinct points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

from icost.validation import check_choice, check_number

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
            return None
        return _tame(X if params.get("w") is None else X * _scales(params["w"], p, X), float(p))
    return _tame(X, MINKOWSKI[metric]) if metric in MINKOWSKI and not params else None


def _check_names(metric: str, params: Mapping[str, Any], known: list[str]) -> None:
    for name in params:
        check_choice(f"a parameter of the metric {metric!r}", name, known)


def _scales(weights: Any, p: float, X: NDArray) -> NDArray[np.float64]:
    """Return what to multiply features by, so that plain distances are the weighted ones."""
    weights = _one_a_feature(weights, "w", X)
    # As SciPy has it, the largest difference counts wherever its weight is not zero.
    return (weights != 0).astype(np.float64) if np.isinf(p) else weights ** (1.0 / p)


def _deviations(variance: NDArray[np.float64]) -> NDArray[np.float64]:
    # A constant feature has no spread to divide by, and separates no rows anyway.
    return np.sqrt(np.where(variance > 0, variance, 1.0))


def _one_a_feature(values: Any, name: str, X: NDArray) -> NDArray[np.float64]:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (X.shape[1],) or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(
            f"{name} of metric_params must be {X.shape[1]} numbers that are finite and not "
            f"negative, one for each feature, got {values!r}."
        )
    return values


def _tame(X: NDArray, p: float) -> MinkowskiSpace:
    """Keep powers of huge or tiny numbers from overflowing; powers of two change no digit."""
    largest = max(float(X.max()), -float(X.min())) if X.size else 0.0
    is_plain = p in _CDIST and 1e-60 < largest < 1e60
    if largest == 0 or is_plain:
        return MinkowskiSpace(X, p)
    if not 1e-60 < largest < 1e60:
        _check_magnitudes(X, largest)
    return MinkowskiSpace(np.ldexp(X.astype(np.float64), -int(np.frexp(largest)[1])), p)


def _check_magnitudes(X: NDArray, largest: float) -> None:
    """Refuse numbers beside which the differences of most others vanish."""
    spread = np.abs(X / 2 - np.median(X, axis=0) / 2)
    usual = np.median(spread[spread > 0]) if (spread > 0).any() else largest
    if usual < 1e-60 * largest:
        raise ValueError(
            f"X must hold numbers of comparable size to have neighbours, got {largest:.0e} beside "
            f"differences of about {2 * usual:.0e}."
        )


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
    >>> from icost.neighbors.points import distinct_rows
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
