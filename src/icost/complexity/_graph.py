"""Graph complexity: where does a short walk from neighbour to neighbour lead?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from icost._core.arrays import Floats, Ints
from icost._core.validation import check_number
from icost._neighbors.counts import NeighborLists, neighbor_lists
from icost._neighbors.ties import round_half_up
from icost.complexity._base import CUTS, Choices, Estimate, GroupComplexity, by_cuts, rival_of

_BLOCK = 4096
"""Points whose walks are followed at a time: their places are a sparse matrix."""

_NOWHERE = 1e-12
"""A share of the walk that is rounding and nothing else."""


class GraphComplexity(GroupComplexity):
    """Complexity by a random walk on the graph of mutual nearest neighbours.

    Two rows are linked if each is among the ``k`` nearest of the other; rows tied at the k-th
    distance all count. A walk starts at a row and takes ``n_steps`` steps along links, each with
    equal chances. The other-class share of the row is 1 minus the mean over the steps of the walk's
    mass on rows of its own class, a return to the start never counted; it is the score as well.
    ``method="graph"`` of `icost.iCost` means this measure.

    The view is local like that of `NeighborComplexity`, but links must be mutual: a dense majority
    that crowds around a thin chain of minority rows has nearer neighbours than these, and its
    links go elsewhere. The chain then supports itself. As always with neighbours, columns should be
    scaled.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours, ``k``, of which links are made.
    n_steps : int, default=3
        Steps of the walk.
    metric : {"euclidean", "manhattan", "chebyshev"}, default="euclidean"
        The distance, or another name of one of these.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How to search; all find the same.
    cuts : sequence of three floats, default=(0.0, 0.5, 0.8)
        Other-class shares up to which a row is *pure*, below which it is *safe*, and below which it
        is *border*; from there on it is an *outlier*.

    See Also
    --------
    NeighborComplexity : One step, and links that need not be mutual.
    DensityComplexity : Makes up for the sizes of the classes.

    Notes
    -----
    A row without mutual neighbours takes the score of `NeighborComplexity`. A step at which the
    walk is sure to be back at its start is left out of the mean; at the others, what is at the
    start counts for neither side.

    The graph is one of all training rows, and a new row would change its links: the measure is
    transductive, and there is no ``estimate_new``. It can thus not weight an evaluation set.

    Equal rows are one point of the graph, with as much weight. Rows of weight 0 are left out; other
    weights make no difference.

    Examples
    --------
    A chain of minority rows, with a crowd of the majority around each of its ends. Half of what
    lies around the ends is of other classes, yet the walk leads along the chain:

    >>> import numpy as np
    >>> from icost import GraphComplexity, NeighborComplexity
    >>> chain, crowd = [0.0, 1.0, 2.0, 3.0], [-1.0, -1.1, -1.2, -1.3, 4.0, 4.1, 4.2, 4.3]
    >>> X = np.array(chain + crowd).reshape(-1, 1)
    >>> is_minority = np.arange(12) < 4
    >>> GraphComplexity(n_neighbors=2).estimate(X, is_minority).category.tolist()
    ['pure', 'pure', 'pure', 'pure']
    >>> NeighborComplexity(n_neighbors=2).estimate(X, is_minority).category.tolist()
    ['border', 'pure', 'pure', 'border']
    """

    uses_distances = True

    def __init__(
        self,
        n_neighbors: int = 5,
        n_steps: int = 3,
        metric: str = "euclidean",
        algorithm: str = "auto",
        cuts: Sequence[float] = CUTS,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.metric = metric
        self.algorithm = algorithm
        self.cuts = cuts

    def check_judges_new(self) -> None:
        """Raise: a graph of the training rows says nothing about others."""
        raise ValueError(
            "method must be a measure that can judge new rows, for an evaluation set, got "
            "GraphComplexity, which is transductive: it judges rows of its own graph only."
        )

    def _estimate_groups(
        self, X: Any, codes: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        rows = np.flatnonzero(np.any(minorities, axis=0)[codes])
        mass, counts = self._walk(X, codes, rows, options["n_jobs"])
        estimates: list[Estimate] = []
        for minority in minorities:
            is_member = minority[codes[rows]]
            share = mass[is_member][:, ~minority].sum(axis=1)
            score = round_half_up(counts[is_member][:, ~minority].sum(axis=1)) / self.n_neighbors
            estimates.append(by_cuts(np.where(np.isnan(share), score, share), self.cuts))
        return estimates

    def _estimate_classes(self, X: Any, codes: Ints, **options: Any) -> tuple[Any, Any, Any, Any]:
        rows = np.arange(len(codes))
        mass, counts = self._walk(X, codes, rows, options["n_jobs"])
        score = round_half_up(self.n_neighbors - counts[rows, codes]) / self.n_neighbors
        share = 1.0 - mass[rows, codes]
        share = np.where(np.isnan(share), score, share)
        return *by_cuts(share, self.cuts), rival_of(np.where(np.isnan(mass), counts, mass), codes)

    def _walk(self, X: Any, codes: Ints, rows: Ints, n_jobs: int | None) -> tuple[Floats, Floats]:
        """Return what the walks from some rows meet, and what their neighbours are, per class.

        Where there is no walk, for want of mutual neighbours, the first is NaN.
        """
        check_number("n_neighbors", self.n_neighbors, low=1, integer=True)
        check_number("n_steps", self.n_steps, low=1, integer=True)
        n_classes = int(codes.max()) + 1
        lists = neighbor_lists(
            X, self.n_neighbors, metric=self.metric, algorithm=self.algorithm, n_jobs=n_jobs
        )
        mass = walk_mass(lists, codes, rows, n_classes, self.n_steps)
        counts, alone = np.zeros(mass.shape), np.isnan(mass[:, 0])
        if alone.any():
            counts[alone] = lists.class_counts(rows[alone], codes, n_classes)
        return mass, counts


def walk_mass(
    lists: NeighborLists, codes: Ints, rows: Ints, n_classes: int, n_steps: int
) -> Floats:
    """Return the mean mass of a walk on each class, its start left out; NaN without links.

    Equal rows have equal links, so that walks go from point to point, and what they mean for single
    rows follows from symmetry: all rows of a point but the start are met equally often.
    """
    step, degree = _steps(lists)
    sizes, counts = lists.sizes, lists.classes(codes, n_classes).toarray()
    mixture = counts / sizes[:, None]
    at_classes = [mixture]
    for _ in range(n_steps):
        at_classes.append(step @ at_classes[-1])
    points, where = np.unique(lists.point[rows], return_inverse=True)
    back = np.concatenate(list(_returns(step, points, n_steps)), axis=0)
    itself = np.eye(n_classes)[codes[rows]]
    point, size = lists.point[rows], sizes[lists.point[rows]].astype(np.float64)
    links = np.maximum(degree[point], 1.0)
    others = (counts[point] - itself) / np.maximum(size - 1.0, 1.0)[:, None]
    total, n_counted = np.zeros((len(rows), n_classes)), np.zeros(len(rows))
    at_point, at_start = np.ones(len(rows)), np.ones(len(rows))
    for number in range(1, n_steps + 1):
        now = back[where, number - 1]
        # What comes from other points to any one row of this point; then to the start itself.
        inflow = (now - at_point * (size - 1.0) / links) / size
        at_start, at_point = (at_point - at_start) / links + inflow, now
        away = 1.0 - at_start
        met = at_classes[number][point] - at_point[:, None] * mixture[point]
        met += (at_point - at_start)[:, None] * others
        is_away = away > _NOWHERE
        total[is_away] += met[is_away] / away[is_away, None]
        n_counted += is_away
    n_counted[degree[point] == 0] = np.nan
    return total / n_counted[:, None]


def _steps(lists: NeighborLists) -> tuple[csr_array, Floats]:
    """Return the chances to go from point to point, and the number of rows linked to one."""
    near = (lists.links > 0).astype(np.float64)
    mutual = csr_array(near.multiply(near.T))
    # As many chances as a point has rows, but for the row itself.
    rows = csr_array(mutual @ diags_array(lists.sizes.astype(np.float64)))
    rows = csr_array(rows - diags_array(mutual.diagonal()))
    degree = np.asarray(rows.sum(axis=1)).ravel()
    chance = np.divide(1.0, degree, out=np.zeros(len(degree)), where=degree > 0)
    return csr_array(diags_array(chance) @ rows), degree


def _returns(step: csr_array, points: Ints, n_steps: int) -> Iterator[Floats]:
    """Yield the chances to be back at one's point after each step, block by block."""
    into = csr_array(step.T)
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        back, place, arrivals = np.empty((len(block), n_steps)), step[block], into[block]
        back[:, 0] = step.diagonal()[block]
        for number in range(1, n_steps):
            # One step before the last, and from there to the point.
            back[:, number] = np.asarray(place.multiply(arrivals).sum(axis=1)).ravel()
            if number + 1 < n_steps:
                place = place @ step
        yield back
