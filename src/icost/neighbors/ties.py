"""The tie rule: how many of a row's k nearest neighbours are of each class.

On coarse data many distances are equal, and "the" k nearest rows do not exist. The rule that makes
the answer unique: rows nearer than the k-th distance count fully, and the places left are shared
among the rows at the k-th distance in proportion to their classes. Everything is kept in whole
numbers up to one last division, so that equal situations give equal bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

#: Distances that differ by less than this, relatively, are tied.
TIE_TOLERANCE = 1e-9


def round_half_up(m: ArrayLike) -> NDArray[np.int64]:
    """Round shared neighbour counts to whole ones, halves upwards.

    Sums of shared counts carry float noise, so a value that is a half but for the last digits is
    taken as the half that it means.

    Parameters
    ----------
    m : array-like of float
        Counts, such as the sum of some columns of
        :func:`~icost.neighbors.counts.neighbor_class_counts`.

    Returns
    -------
    ndarray of int
        The rounded counts.

    Examples
    --------
    >>> from icost.neighbors.ties import round_half_up
    >>> round_half_up([2.4, 2.5, 2.4999999999, 3.5])
    array([2, 3, 3, 4])
    """
    return np.floor(np.asarray(m, dtype=np.float64) + (0.5 + 1e-9)).astype(np.int64)


def share_places(strict: NDArray, tied: NDArray, n_neighbors: int) -> NDArray[np.float64]:
    """Share the places that the strictly nearer rows leave among the tied ones.

    Parameters
    ----------
    strict, tied : ndarray of int of shape (n_queries, n_classes)
        Rows per class that are nearer than, and at, the k-th distance.
    n_neighbors : int
        The number k of places.

    Returns
    -------
    ndarray of float of shape (n_queries, n_classes)
        Counts that sum to k in each row.

    Examples
    --------
    One nearer row, and four tied rows for the two places left:

    >>> import numpy as np
    >>> from icost.neighbors.ties import share_places
    >>> share_places(np.array([[1, 0]]), np.array([[1, 3]]), 3)
    array([[1.5, 1.5]])
    """
    group = tied.sum(axis=1, keepdims=True)
    places = n_neighbors - strict.sum(axis=1, keepdims=True)
    return (strict * group + places * tied) / group


def tied_band(kth: NDArray, power: float, absolute: float = 0.0) -> tuple[NDArray, NDArray]:
    """Return the least and the greatest distance tied with the k-th.

    ``power`` says that the distances are given to that power (2 for squared ones).
    """
    low = kth * (1 - TIE_TOLERANCE) ** power - absolute
    high = kth * (1 + TIE_TOLERANCE) ** power + absolute
    return low, high


def count_dense(
    distances: NDArray,
    one_hot: NDArray[np.float64],
    n_neighbors: int,
    power: float = 1.0,
    absolute: float = 0.0,
) -> NDArray[np.float64]:
    """Apply the tie rule to full rows of distances, infinite where a row meets itself.

    Parameters
    ----------
    distances : ndarray of shape (n_queries, n_rows)
        Distances, to the power ``power``.
    one_hot : ndarray of shape (n_rows, n_classes)
        Class membership of the rows.
    n_neighbors : int
        The number k of places.
    power : float
        The power to which the distances are given.
    absolute : float
        Absolute width of the band of ties, for distances computed with an absolute error.

    Returns
    -------
    ndarray of float of shape (n_queries, n_classes)
        Counts that sum to k in each row.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.neighbors.ties import count_dense
    >>> count_dense(np.array([[np.inf, 1.0, 2.0, 2.0]]), np.eye(2)[[0, 0, 0, 1]], 2)
    array([[1.5, 0.5]])
    """
    kth = np.partition(distances, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
    low, high = tied_band(kth, power, absolute)
    # Membership products are sums of zeros and ones: whole numbers, whatever the order of summing.
    strict = (distances < low).astype(np.float64) @ one_hot
    up_to = (distances <= high).astype(np.float64) @ one_hot
    return share_places(strict, up_to - strict, n_neighbors)


@dataclass(frozen=True)
class ClassTally:
    """Apply the tie rule to lists of candidate points that may stand for several equal rows.

    Attributes
    ----------
    classes : csr_array of int of shape (n_points, n_classes)
        How many rows of each class lie at a point.
    sizes : ndarray of int of shape (n_points,)
        How many rows lie at a point.
    n_neighbors : int
        The number k of places.
    power : float
        The power to which distances are given.
    """

    classes: csr_array
    sizes: NDArray[np.int64]
    n_neighbors: int
    power: float

    def __call__(
        self, points: NDArray, labels: NDArray, pairs: tuple[NDArray, NDArray, NDArray]
    ) -> NDArray[np.float64]:
        """Count the neighbours of some rows.

        Parameters
        ----------
        points, labels : ndarray of int of shape (n_queries,)
            Point and class of each query row; the row itself is not its neighbour.
        pairs : tuple of three ndarrays
            Query (a position in ``points``), candidate point and distance, with at least every
            candidate up to the far end of the tied group.

        Returns
        -------
        ndarray of float of shape (n_queries, n_classes)
            Counts that sum to k in each row.
        """
        query, candidate, distance = pairs
        # Trees give their lists in order, and checking is much cheaper than sorting.
        steps = np.diff(query)
        if not ((steps > 0) | ((steps == 0) & (distance[1:] >= distance[:-1]))).all():
            order = np.lexsort((distance, query))
            query, candidate, distance = query[order], candidate[order], distance[order]
        own = candidate == points[query]
        kth = self._kth_distance(query, distance, self.sizes[candidate] - own, len(points))
        low, high = tied_band(kth[query], self.power)
        strict = self._per_class(query, candidate, own, labels, distance < low)
        up_to = self._per_class(query, candidate, own, labels, distance <= high)
        return share_places(strict, up_to - strict, self.n_neighbors)

    def _kth_distance(
        self, query: NDArray, distance: NDArray, rows: NDArray, n_queries: int
    ) -> NDArray:
        """Return the distance at which the rows seen from each query reach k."""
        starts = np.searchsorted(query, np.arange(n_queries))
        seen = np.cumsum(rows)
        seen -= (seen[starts] - rows[starts])[query]
        reached = np.where(seen >= self.n_neighbors, distance, np.inf)
        return np.minimum.reduceat(reached, starts)

    def _per_class(
        self, query: NDArray, candidate: NDArray, own: NDArray, labels: NDArray, chosen: NDArray
    ) -> NDArray:
        """Return how many rows of each class lie at the chosen candidates, the query left out."""
        shape = (len(labels), self.classes.shape[0])
        ends = np.searchsorted(query[chosen], np.arange(len(labels) + 1))
        ones = np.ones(ends[-1], dtype=np.int64)
        counts = (csr_array((ones, candidate[chosen], ends), shape=shape) @ self.classes).toarray()
        itself = query[chosen & own]
        counts[itself, labels[itself]] -= 1
        return counts
