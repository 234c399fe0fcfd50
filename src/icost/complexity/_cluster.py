"""Cluster complexity: is a row nearer to the centres of its class, or to those of the others?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

from icost._core.arrays import Bools, Floats, Ints
from icost._core.validation import check_number
from icost._neighbors.points import BLOCK_NUMBERS, row_keys
from icost.complexity._base import CUTS, Choices, Estimate, GroupComplexity, by_cuts, distance_share


class ClusterComplexity(GroupComplexity):
    """Complexity by clusters: the nearest centre of the own class beside that of the others.

    k-means divides either class into a few clusters. With ``a`` the distance of a row to the
    nearest centre of its own class and ``b`` that to the nearest centre of the others, its
    other-class share is ``a / (a + b)``; it is its score as well. ``method="cluster"`` of
    `icost.iCost` means this measure.

    The view is coarse: a class is what its centres are, and a row in the midst of its kind counts
    as hard if a centre of the others happens to be nearer. It is quick on large tables, and suits
    classes that are a few round groups. Columns should be scaled.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters of each class; fewer where a class has fewer different rows, which a warning tells.
    n_init : int, default=10
        How often k-means starts anew; the best result is taken.
    cuts : sequence of three floats, default=(0.0, 0.5, 0.8)
        Other-class shares up to which a row is *pure*, below which it is *safe*, and below which it
        is *border*; from there on it is an *outlier*. Only a centre has a share of 0: raise the
        first one if rows should be pure.

    See Also
    --------
    DensityComplexity : A finer view by distances.
    GiniComplexity : Regions by a tree instead of clusters.

    Notes
    -----
    With ``cuts=(0.25, 0.5, 0.75)`` this is the third method of the authors' own package, version
    0.3.0, but for two differences: a share of exactly one half is *border* here and *safe* there,
    and the order in which rows come changes nothing here (``benchmarks/cluster_agreement.py``).

    ``random_state`` makes other starts; None always makes the same. Weights count in k-means. Where
    both distances are 0 the share is one half. Judging both classes costs no more than judging one.

    Examples
    --------
    >>> import numpy as np
    >>> from icost import ClusterComplexity
    >>> X = np.array([[0.0], [0.4], [5.0], [3.0], [3.2], [9.0], [9.4]])
    >>> is_minority = np.array([True, True, True, False, False, False, False])
    >>> ClusterComplexity(n_clusters=1).estimate(X, is_minority).to_frame().round(2)
        category  score
    row
    0       safe   0.23
    1       safe   0.20
    2     border   0.74
    """

    uses_distances = True

    def __init__(self, n_clusters: int = 2, n_init: int = 10, cuts: Sequence[float] = CUTS) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.cuts = cuts

    def _estimate_groups(
        self, X: Any, codes: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        return self._estimate_new(X, codes, X, codes, minorities, **options)

    def _estimate_new(
        self, X: Any, codes: Ints, X_new: Any, codes_new: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        shares: dict[bytes, Floats] = {}
        estimates: list[Estimate] = []
        for minority in minorities:
            rows, distance = X_new[minority[codes_new]], []
            for side in (minority, ~minority):
                if side.tobytes() not in shares:
                    shares[side.tobytes()] = self._centres(X, side[codes], **options)
                distance.append(_to_nearest(rows, shares[side.tobytes()]))
            estimates.append(by_cuts(distance_share(*distance), self.cuts))
        return estimates

    def _estimate_classes(self, X: Any, codes: Ints, **options: Any) -> tuple[Any, Any, Any, Any]:
        classes = range(int(codes.max()) + 1)
        centres = [self._centres(X, codes == code, **options) for code in classes]
        distance = np.column_stack([_to_nearest(X, of_class) for of_class in centres])
        rows = np.arange(len(codes))
        to_own_class = distance[rows, codes]
        distance[rows, codes] = np.inf
        rival = distance.argmin(axis=1)
        share = distance_share(to_own_class, distance[rows, rival])
        return *by_cuts(share, self.cuts), rival

    def _centres(self, X: Any, is_in: Bools, **options: Any) -> Floats:
        check_number("n_clusters", self.n_clusters, low=1, integer=True)
        check_number("n_init", self.n_init, low=1, integer=True)
        # k-means draws rows by their numbers, which must not be those of the table.
        keys = row_keys(X)[is_in]
        order = np.flatnonzero(is_in)[np.argsort(keys, kind="stable")]
        n_clusters = min(self.n_clusters, len(np.unique(keys)))
        if n_clusters < self.n_clusters:
            warnings.warn(
                f"n_clusters={self.n_clusters} needs as many different rows of each class, got "
                f"{n_clusters}: so many clusters are made.",
                UserWarning,
                stacklevel=2,
            )
        state, weight = options["random_state"], options["sample_weight"]
        state = check_random_state(0 if state is None else state)
        model = KMeans(n_clusters, n_init=self.n_init, random_state=state.randint(2**31))
        weight = None if weight is None else weight[order]
        return model.fit(X[order], sample_weight=weight).cluster_centers_


def _to_nearest(rows: Any, centres: Floats) -> Floats:
    if rows.shape[0] == 0:
        return np.zeros(0)
    # Direct differences where possible: the expanded square loses digits near a centre.
    if not issparse(rows):
        rows = np.asarray(rows, dtype=np.float64)
        return pairwise_distances(rows, centres, metric="minkowski", p=2).min(axis=1)
    # A sparse table may not fit into memory as a dense one.
    step = max(1, BLOCK_NUMBERS // max(1, rows.shape[1]))
    blocks = (rows[start : start + step] for start in range(0, rows.shape[0], step))
    return np.concatenate([_to_nearest(block.toarray(), centres) for block in blocks])
