"""Density complexity: is a row denser among its own class, or among the others?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from icost._core.arrays import Bools, Floats, Ints
from icost._core.validation import check_choice, check_number
from icost._neighbors.counts import ALGORITHMS, threads_worth
from icost._neighbors.parts import (
    NearestRows,
    count_classes,
    find_nearest,
    kth_distances,
    merge_nearest,
)
from icost._neighbors.points import MINKOWSKI, distinct_rows
from icost.complexity._base import (
    CUTS,
    Choices,
    Estimate,
    GroupComplexity,
    by_cuts,
    distance_share,
    rival_of,
)


class DensityComplexity(GroupComplexity):
    """Complexity by density: how far the own class is, beside how far the others are.

    With ``a`` the distance to the k-th own neighbour times ``n_own ** (1/d)``, and ``b`` the same
    for the other classes, the other-class share of a row is ``a / (a + b)``; it is its score as
    well. The factors make up for the sizes of the classes: a share below one half means that the
    class is denser there, *for its size*, than the others are. ``method="density"`` of
    `icost.iCost` means this measure.

    Counting neighbours asks who is more numerous, and among ten times as many majority rows nearly
    every minority row is outvoted. Densities do not: a rare but compact group is not called an
    outlier. But all columns count alike, as they do for `NeighborComplexity`: scale them, and
    expect little where there are many useless ones.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours, ``k``; fewer where a class has no more rows.
    metric : {"euclidean", "manhattan", "chebyshev"}, default="euclidean"
        The distance, or another name of one of these.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How to search; all find the same.
    cuts : sequence of three floats, default=(0.0, 0.5, 0.8)
        Other-class shares up to which a row is *pure*, below which it is *safe*, and below which it
        is *border*; from there on it is an *outlier*.

    See Also
    --------
    NeighborComplexity : Counts neighbours, whatever the sizes of the classes.
    GraphComplexity : Lets neighbours of neighbours speak as well.

    Notes
    -----
    A row without any other row of its class has a share of 1; where both distances are 0 it is one
    half. Where a class has fewer than ``k`` rows, ``k`` is lowered for it, and its factor becomes
    ``(n / k) ** (1/d)``, relative to the other's. Rows of weight 0 are left out; other weights make
    no difference. Sparse rows are made dense.

    Examples
    --------
    The first three rows are few and close together; the last one lies alone:

    >>> import numpy as np
    >>> from icost import DensityComplexity, NeighborComplexity
    >>> minority, majority = [0.0, 0.1, 0.2, 6.5], [-1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    >>> X = np.array(minority + majority).reshape(-1, 1)
    >>> is_minority = np.arange(13) < 4
    >>> DensityComplexity(n_neighbors=2).estimate(X, is_minority).category.tolist()
    ['safe', 'safe', 'safe', 'outlier']
    >>> NeighborComplexity(n_neighbors=5).estimate(X, is_minority).category.tolist()
    ['border', 'border', 'border', 'outlier']
    """

    uses_distances = True

    def __init__(
        self,
        n_neighbors: int = 5,
        metric: str = "euclidean",
        algorithm: str = "auto",
        cuts: Sequence[float] = CUTS,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.algorithm = algorithm
        self.cuts = cuts

    def _estimate_groups(
        self, X: Any, codes: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        X, n_classes = _dense(X), int(codes.max()) + 1
        rows = np.flatnonzero(np.any(minorities, axis=0)[codes])
        # Equal rows of one class have equal shares, and are asked for once.
        first, question = _questions(X[rows], codes[rows], n_classes)
        lists = self._lists(X, codes, n_classes, X[rows[first]], options["n_jobs"])
        row_codes = codes[rows[first]]
        estimates: list[Estimate] = []
        for minority in minorities:
            share = np.zeros(len(row_codes))
            share[minority[row_codes]] = self._share(lists, row_codes, minority, is_own=True)
            estimates.append(by_cuts(share[question][minority[codes[rows]]], self.cuts))
        return estimates

    def _estimate_classes(self, X: Any, codes: Ints, **options: Any) -> tuple[Any, Any, Any, Any]:
        X, n_classes = _dense(X), int(codes.max()) + 1
        lists = self._lists(X, codes, n_classes, X, options["n_jobs"])
        share, counts = np.empty(len(codes)), np.zeros((len(codes), n_classes))
        for code, minority in enumerate(np.eye(n_classes, dtype=bool)):
            is_own = codes == code
            share[is_own] = self._share(lists, codes, minority, is_own=True)
            others = [entry for other, entry in enumerate(lists.nearest) if other != code]
            k = min(self.n_neighbors, int((~is_own).sum()))
            nearest = merge_nearest(others, k, self._p)
            counts[is_own] = count_classes(nearest, len(codes), k, self._p)[is_own]
        return *by_cuts(share, self.cuts), rival_of(counts, codes)

    def _estimate_new(
        self, X: Any, codes: Ints, X_new: Any, codes_new: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        X, n_classes = _dense(X), len(minorities[0])
        rows = np.flatnonzero(np.any(minorities, axis=0)[codes_new])
        lists = self._lists(X, codes, n_classes, _dense(X_new[rows]), options["n_jobs"])
        shares = [self._share(lists, codes_new[rows], m, is_own=False) for m in minorities]
        return [by_cuts(share, self.cuts) for share in shares]

    @property
    def _p(self) -> float:
        return MINKOWSKI[check_choice("metric", self.metric, MINKOWSKI)]

    def _lists(
        self, X: NDArray[Any], codes: Ints, n_classes: int, queries: Any, n_jobs: int | None
    ) -> _Lists:
        """Return the nearest rows of each class: any choice of the minority merges some."""
        check_number("n_neighbors", self.n_neighbors, low=1, integer=True)
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        n_threads = threads_worth(n_jobs, len(queries) * len(codes))
        # One more than k, since a row finds itself.
        nearest = [
            find_nearest(
                *(queries, X[codes == code], codes[codes == code], n_classes),
                *(self.n_neighbors + 1, self._p),
                algorithm=self.algorithm,
                n_threads=n_threads,
            )
            for code in range(n_classes)
        ]
        return _Lists(nearest, np.bincount(codes, minlength=n_classes), X.shape[1])

    def _share(self, lists: _Lists, codes: Ints, minority: Bools, is_own: bool) -> Floats:
        """Return a / (a + b) of the minority's queries, whose classes are given."""
        is_asked = minority[codes]
        if not is_asked.any():
            return np.zeros(0)
        reach = []
        for side in (minority, ~minority):
            is_itself = is_own and side is minority
            n_rows = int(lists.sizes[side].sum())
            # What can be found: a row is not its own neighbour.
            k = min(self.n_neighbors, n_rows - is_itself)
            if k == 0:
                return np.ones(is_asked.sum())
            parts = list(compress(lists.nearest, side))
            nearest = parts[0] if len(parts) == 1 else merge_nearest(parts, k + 1, self._p)
            # Queries of the other side are no rows of this one: what is found of them is not used.
            distances = kth_distances(nearest, len(codes), k, self._p, is_own=is_itself)
            reach.append(distances[is_asked] * (n_rows / k) ** (1 / lists.n_features))
        return distance_share(*reach)


class _Lists(NamedTuple):
    """The rows of each class nearest to each query, the sizes of the classes, and the columns."""

    nearest: list[NearestRows]
    sizes: Ints
    n_features: int


def _questions(X: NDArray[Any], codes: Ints, n_classes: int) -> tuple[Ints, Ints]:
    """Return rows that differ in place or class, and which of them each row is like."""
    equal = distinct_rows(X)
    point = np.arange(len(codes)) if equal is None else equal[1]
    _, first, question = np.unique(
        point * n_classes + codes, return_index=True, return_inverse=True
    )
    return first, question


def _dense(X: Any) -> NDArray[Any]:
    return X.toarray() if issparse(X) else X
