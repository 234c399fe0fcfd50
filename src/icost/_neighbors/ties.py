"""The tie rule: how many of a row's k nearest neighbours are of each class.

On coarse data many distances are equal, and "the" k nearest rows do not exist. The rule that makes
the answer unique: rows nearer than the k-th distance count fully, and the places left are shared
among the rows at the k-th distance in proportion to their classes. The order of the rows then
decides nothing. Everything is kept in whole numbers up to one last division, so that equal
situations give equal bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from icost._core.arrays import Floats, Ints

#: Distances that differ by less than this, relatively, are tied: far more than the rounding of a
#: sum of squares, and far less than differences that data mean.
TIE_TOLERANCE = 1e-9


def round_half_up(m: ArrayLike) -> NDArray[np.int64]:
    """Round shared neighbour counts to whole ones, halves upwards."""
    # Sums of shared counts carry float noise, so a value that is a half but for the last digits is
    # taken as the half that it means.
    return np.floor(np.asarray(m, dtype=np.float64) + (0.5 + 1e-9)).astype(np.int64)


def share_places(strict: NDArray, tied: NDArray, n_neighbors: int) -> Floats:
    """Return counts that sum to k, from the rows per class nearer than and at the k-th."""
    group = tied.sum(axis=1, keepdims=True)
    places = n_neighbors - strict.sum(axis=1, keepdims=True)
    # For k = 3, one nearer row of class 0 leaves two places; if one of four tied rows is of class
    # 0, either class gets 1.5. Over one denominator only the division rounds, and whole numbers
    # stay whole.
    return (strict * group + places * tied) / group


def tied_band(kth: NDArray, power: float, absolute: float = 0.0) -> tuple[NDArray, NDArray]:
    """Return the least and the greatest distance tied with the k-th, all to that power."""
    # Equal distances computed from different numbers differ in their last digits: 0.3 - 0.1 is not
    # 0.2 - 0.0. The band makes ties of them. It is relative, as rounding is; metrics computed as
    # 1 - product err by an absolute amount, and get that on top.
    low = kth * (1 - TIE_TOLERANCE) ** power - absolute
    high = kth * (1 + TIE_TOLERANCE) ** power + absolute
    return low, high


def kth_distance(
    query: NDArray, distance: NDArray, rows: NDArray, n_queries: int, k: int
) -> Floats:
    """Return the distance at which the rows seen from each query reach k; infinite if never.

    Entries are sorted by query, then by distance, and every query has one.
    """
    starts = np.searchsorted(query, np.arange(n_queries))
    # One running sum over all lists, less what it was where each list starts.
    seen = np.cumsum(rows)
    seen -= (seen[starts] - rows[starts])[query]
    return np.minimum.reduceat(np.where(seen >= k, distance, np.inf), starts)


def count_dense(
    distances: NDArray, one_hot: Floats, n_neighbors: int, power: float = 1.0, absolute: float = 0.0
) -> Floats:
    """Apply the tie rule to full rows of distances, infinite where a row meets itself."""
    kth = np.partition(distances, n_neighbors - 1, axis=1)[:, n_neighbors - 1, None]
    low, high = tied_band(kth, power, absolute)
    # Membership products are sums of zeros and ones: whole numbers, whatever the order of summing.
    strict = (distances < low).astype(np.float64) @ one_hot
    up_to = (distances <= high).astype(np.float64) @ one_hot
    return share_places(strict, up_to - strict, n_neighbors)


@dataclass(frozen=True)
class ClassTally:
    """Apply the tie rule to lists of candidate points that may stand for several equal rows."""

    #: Rows of each class at each point; or the class of each, if every point is one row.
    classes: csr_array | Ints
    n_classes: int
    #: Rows of all classes at each point.
    sizes: NDArray[np.int64]
    n_neighbors: int
    power: float

    def __call__(
        self, points: NDArray, labels: NDArray, pairs: tuple[NDArray, NDArray, NDArray]
    ) -> Floats:
        """Count the neighbours of rows at these points, from all candidates up to the tied band."""
        query, candidate, distance = pairs
        # Trees give their lists in order, and checking is much cheaper than sorting.
        steps = np.diff(query)
        if not ((steps > 0) | ((steps == 0) & (distance[1:] >= distance[:-1]))).all():
            order = np.lexsort((distance, query))
            query, candidate, distance = query[order], candidate[order], distance[order]
        # A row is not its own neighbour, but rows equal to it are: its point counts for one less.
        is_itself = candidate == points[query]
        rows = self.sizes[candidate] - is_itself
        kth = kth_distance(query, distance, rows, len(points), self.n_neighbors)
        low, high = tied_band(kth[query], self.power)
        # Each query has a list of the nearer candidates, and then one of the tied ones.
        place = 2 * query + (distance >= low)
        near = distance <= high
        counts = self._per_class(place[near], candidate[near], 2 * len(points))
        itself = place[is_itself & near]
        counts[itself, labels[itself // 2]] -= 1
        return share_places(counts[::2], counts[1::2], self.n_neighbors)

    def _per_class(self, place: NDArray, candidate: NDArray, n_lists: int) -> NDArray[np.int64]:
        """Return how many rows of each class lie at the candidates of each list."""
        if isinstance(self.classes, np.ndarray):
            keys = place * self.n_classes + self.classes[candidate]
            counts = np.bincount(keys, minlength=n_lists * self.n_classes)
            return counts.reshape(n_lists, self.n_classes)
        # As a sparse product of whole numbers, which is exact in whatever order it is summed.
        ends = np.searchsorted(place, np.arange(n_lists + 1))
        ones, shape = np.ones(ends[-1], np.int64), (n_lists, self.classes.shape[0])
        return (csr_array((ones, candidate, ends), shape=shape) @ self.classes).toarray()
