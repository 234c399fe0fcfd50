"""A shallow Gini tree for large tables: in each node a sample proposes splits, all rows decide.

A sample of the node's rows tells which few features are worth sorting, and roughly where they
split. Since all rows decide, the tree is mostly the one that would have been grown from all rows.

For tables that are read batch by batch, all rows are counted between cuts that the sample fixes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Bools, Floats, Ints

PROBES = ("exact", "fast")
"""How the tree of Gini-iCost may be grown, the default first; this module grows the second."""

SAMPLE_ROWS = 16_384
"""Rows that propose the splits of a node, half of them of either group."""

SAMPLE_ERROR = 0.2
"""Splits whose gain by the sample is within this share of the best one's are tried on all rows."""

MOST_FEATURES = 12
"""Features that are tried on all rows of a node, at most."""

LEAF = -1
"""Stands for the feature and the children of a leaf."""


class Split(NamedTuple):
    """Where to divide a node, and how good that is."""

    score: float
    feature: int
    threshold: float


@dataclass(frozen=True, eq=False)
class FastProbe:
    """A grown tree, as arrays with one item per node."""

    feature: Ints
    #: Rows up to this value go left, as in scikit-learn's trees.
    threshold: Floats
    left: Ints
    right: Ints

    def apply(self, X: NDArray[Any]) -> Ints:
        """Return the leaf of each row, as the number of its node."""
        leaf = np.empty(len(X), dtype=np.intp)
        nodes = [(0, np.arange(len(X)))]
        while nodes:
            node, rows = nodes.pop()
            if self.feature[node] == LEAF:
                leaf[rows] = node
                continue
            goes_left = _single(X[rows, self.feature[node]]) <= self.threshold[node]
            nodes.append((self.left[node], rows[goes_left]))
            nodes.append((self.right[node], rows[~goes_left]))
        return leaf


class GrowingTree:
    """A tree as lists with one item per node, at first a single leaf."""

    def __init__(self) -> None:
        self.feature, self.threshold = [LEAF], [np.nan]
        self.left, self.right = [LEAF], [LEAF]

    @property
    def probe(self) -> FastProbe:
        """The tree as far as it has grown."""
        columns = (self.feature, self.threshold, self.left, self.right)
        return FastProbe(*(np.array(column) for column in columns))

    def divide(self, node: int, feature: int, threshold: float) -> tuple[int, int]:
        """Divide a leaf, and return the leaves on either side."""
        left, right = len(self.feature), len(self.feature) + 1
        self.feature[node], self.threshold[node] = feature, threshold
        self.left[node], self.right[node] = left, right
        for column in (self.feature, self.left, self.right):
            column += [LEAF, LEAF]
        self.threshold += [np.nan, np.nan]
        return left, right


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers in single precision, which is what trees compare."""
    # A few columns at a time, since a copy of the whole table is what takes most memory.
    return values.astype(np.float32, copy=False)


def grow_fast_probe(
    X: NDArray[Any],
    is_minority: Bools,
    weight: Floats,
    max_depth: int | None,
    min_samples_leaf: int,
    random_state: np.random.RandomState,
) -> FastProbe:
    """Grow a tree by the Gini impurity; ``random_state`` draws the samples of the nodes."""
    tree = GrowingTree()
    # Node, its rows and its depth.
    waiting = [(0, np.arange(len(X)), 0)]
    while waiting:
        node, rows, depth = waiting.pop()
        split = None
        if depth != max_depth and len(rows) >= 2 * min_samples_leaf:
            split = _best_split(X, is_minority, weight, rows, min_samples_leaf, random_state)
        if split is not None:
            goes_left = _single(X[rows, split.feature]) <= split.threshold
            left, right = tree.divide(node, split.feature, split.threshold)
            waiting += [(right, rows[~goes_left], depth + 1), (left, rows[goes_left], depth + 1)]
    return tree.probe


@dataclass(frozen=True, eq=False)
class _Node:
    """The weights of a node's rows, and of its minority rows."""

    weight: Floats
    minority: Floats
    total: float
    minority_total: float
    min_samples_leaf: int


def _best_split(
    X: NDArray[Any],
    is_minority: Bools,
    weight: Floats,
    rows: Ints,
    min_samples_leaf: int,
    random_state: np.random.RandomState,
) -> Split | None:
    """Return the best split of a node, or None if no split makes it purer."""
    target, weight = is_minority[rows], weight[rows]
    if target.all() or not target.any():
        return None
    # Every node draws a sample of its own: one of the table would leave few rows for deep nodes.
    minority = weight * target
    node = _Node(weight, minority, weight.sum(), minority.sum(), min_samples_leaf)
    sample, stands_for = _draw(target, random_state)
    proposals = propose_splits(
        _single(X[rows[sample]]), target[sample], weight[sample], stands_for, min_samples_leaf
    )
    splits = [_place(node, f, _single(X[rows, f]), window) for f, window in proposals]
    # Exact scores decide among the proposals; the sample's own gains have no say here.
    best = max(splits, key=lambda split: split.score, default=None)
    unsplit = node.minority_total**2 / node.total
    # A split of nothing but rounding errors is none.
    return best if best is not None and best.score > unsplit * (1 + 1e-12) else None


def _draw(target: Bools, random_state: np.random.RandomState) -> tuple[Ints, Floats]:
    """Positions of a stratified sample, and what each of its rows stands for."""
    # Both groups matter as much for a gain, but few rows of a plain sample would be minority ones.
    # A group that fits is taken whole: of two such groups, the sample is the node, and the best
    # split is proposed for sure.
    kept, stands_for = [], []
    for group in (np.flatnonzero(~target), np.flatnonzero(target)):
        size = min(len(group), SAMPLE_ROWS // 2)
        # With replacement, as the group is either much larger or taken as it is.
        chosen = group if size == len(group) else group[random_state.randint(len(group), size=size)]
        kept.append(chosen)
        stands_for.append(np.full(size, len(group) / size))
    return np.concatenate(kept), np.concatenate(stands_for)


def propose_splits(
    X: NDArray[np.float32], target: Bools, weight: Floats, stands_for: Floats, min_samples_leaf: int
) -> list[tuple[int, tuple[float, float]]]:
    """Return the features that divide a sample best, each with a window around its best split."""
    # One feature a row, so that what is sorted lies together in memory.
    features = np.ascontiguousarray(X.T)
    order = np.argsort(features, axis=1)
    values = np.take_along_axis(features, order, axis=1)
    # With what the rows stand for as weights, the gains estimate those of the whole node.
    weight = weight * stands_for
    minority, total = float(weight @ target), float(weight.sum())
    of_minority, of_both = (np.cumsum(w[order], axis=1) for w in (weight * target, weight))
    score = _scores(of_minority, of_both, minority, total)
    # A split is none if a side is too small, or between rows that have the same value.
    n_left = np.cumsum(stands_for[order], axis=1)[:, :-1]
    is_small = np.minimum(n_left, stands_for.sum() - n_left) < min_samples_leaf
    score[is_small | (values[:, 1:] <= values[:, :-1])] = -np.inf
    gain = score - minority**2 / total
    # A feature that seems a little worse may be the best one by all rows.
    best = gain.max(axis=1)
    level = (1 - SAMPLE_ERROR) * max(0.0, best.max())
    chosen = np.argsort(-best, kind="stable")[: min(MOST_FEATURES, np.count_nonzero(best >= level))]
    return [(f, _window(values[f], gain[f])) for f in chosen.tolist()]


def _window(values: NDArray[np.float32], gain: Floats) -> tuple[float, float]:
    """Return the values between which the splits lie that may be the best of a feature."""
    # The sample's best split is off by some rows, so all splits of a similar gain are tried; where
    # the gain has two such peaks, the window spans both.
    ranks = np.flatnonzero(gain >= (1 - SAMPLE_ERROR) * gain.max())
    return float(values[ranks[0]]), float(values[ranks[-1] + 1])


def _place(
    node: _Node, feature: int, values: NDArray[np.float32], window: tuple[float, float]
) -> Split:
    """Return the best split of a feature within a window, by all rows of the node."""
    # Rows below the window are on the left of every split in it: their sum is enough, and only the
    # rows inside are sorted.
    below = values < window[0]
    inside = np.flatnonzero((values >= window[0]) & (values <= window[1]))
    inside = inside[np.argsort(values[inside])]
    values = values[inside]
    minority = np.cumsum(node.minority[inside]) + node.minority @ below
    both = np.cumsum(node.weight[inside]) + node.weight @ below
    score = _scores(minority, both, node.minority_total, node.total)
    n_left = np.count_nonzero(below) + np.arange(1, len(values))
    is_small = np.minimum(n_left, len(node.weight) - n_left) < node.min_samples_leaf
    score[is_small | (values[1:] <= values[:-1])] = -np.inf
    if len(score) == 0:
        return Split(-np.inf, feature, np.nan)
    rank = int(score.argmax())
    # Halved before they are added, since their sum may overflow.
    threshold = float(values[rank]) / 2 + float(values[rank + 1]) / 2
    return Split(float(score[rank]), feature, threshold)


def _scores(minority: Floats, both: Floats, minority_total: float, total: float) -> Floats:
    """Return the purity after a split behind each row but the last, from cumulated weights."""
    # A side of weight W with m of the minority has the Gini impurity 2 (m/W) (1 - m/W), W times
    # which is 2 m - 2 m^2/W. As the m of both sides always add up to the same, the split of the
    # least impurity is that of the largest sum of m^2/W: one number, of two running sums.
    left, left_both = minority[..., :-1], both[..., :-1]
    # Weights left over by rounding are no side to divide by.
    right_both = np.maximum(total - left_both, np.finfo(np.float64).tiny)
    return left**2 / left_both + (minority_total - left) ** 2 / right_both


Proposals = list[tuple[int, int, Floats]]
"""Node, feature and cuts; one histogram of the rows is counted for each."""

Histograms = list[NDArray[np.int64]]
"""For each proposal, rows of majority and minority between its cuts, of shape (2, n_cuts + 1)."""


class HistogramTree(GrowingTree):
    """A tree that grows by one level per pass over the table.

    ``counts`` are rows of majority and minority in each node.
    """

    def __init__(
        self, max_depth: int | None, min_samples_leaf: int, counts: list[NDArray[np.int64]]
    ) -> None:
        super().__init__()
        self.max_depth, self.min_samples_leaf, self.counts = max_depth, min_samples_leaf, counts
        self.depth = 0
        # Nodes of the last level, which may be divided yet.
        self.growing = [0]

    def propose(self, X: NDArray[np.float32], is_minority: Bools, stands_for: Floats) -> Proposals:
        """Return what is to be counted for the next level, by a sample of the table."""
        if self.depth == self.max_depth or not self.growing:
            return []
        leaf, proposals = self.probe.apply(X), []
        for node in self.growing:
            rows = np.flatnonzero(leaf == node)
            n_rows, target = int(self.counts[node].sum()), is_minority[rows]
            if n_rows < 2 * self.min_samples_leaf or target.all() or not target.any():
                continue
            ones, limit = np.ones(len(rows)), self.min_samples_leaf
            chosen = propose_splits(X[rows], target, ones, stands_for[rows], limit)
            proposals += [(node, f, _cuts(X[rows, f], *window)) for f, window in chosen]
        return proposals

    def grow(self, proposals: Proposals, histograms: Histograms) -> None:
        """Divide the nodes of the last level where that makes them purer."""
        best: dict[int, tuple[float, int, float, NDArray[np.int64]]] = {}
        for (node, feature, cuts), counted in zip(proposals, histograms, strict=True):
            score, place, left = self._best_cut(counted, self.counts[node])
            # The first of equally good ones: proposals have an order that no batch changes.
            if np.isfinite(score) and score > best.get(node, (-np.inf,))[0]:
                best[node] = (score, feature, float(cuts[place]), left)
        self.growing = []
        for node, (_, feature, cut, left) in best.items():
            self.growing += self.divide(node, feature, cut)
            self.counts += [left, self.counts[node] - left]
        self.depth += 1

    def _best_cut(
        self, counted: NDArray[np.int64], both: NDArray[np.int64]
    ) -> tuple[float, int, NDArray[np.int64]]:
        """Return purity, place and left side's rows of the best cut; -inf if none makes purer."""
        left = np.cumsum(counted, axis=1)[:, :-1]
        # Squares of whole numbers may overflow, and floats are exact up to 2^53 rows.
        sizes, n_rows, minority = left.sum(axis=0, dtype=float), float(both.sum()), float(both[1])
        # See `_scores` of the fast probe: the largest sum of m^2/W is the least impurity.
        with np.errstate(divide="ignore", invalid="ignore"):
            score = left[1] / sizes * left[1]
            score += (minority - left[1]) / (n_rows - sizes) * (minority - left[1])
        score[np.minimum(sizes, n_rows - sizes) < self.min_samples_leaf] = -np.inf
        place = int(score.argmax())
        unsplit = minority / n_rows * minority
        is_better = score[place] > unsplit * (1 + 1e-12)
        return float(score[place]) if is_better else -np.inf, place, left[:, place]


def count_between_cuts(
    probe: FastProbe, proposals: Proposals, X: NDArray, is_minority: Bools
) -> Histograms:
    """Count the rows of a batch for each proposal."""
    leaf = probe.apply(X)
    rows_of = {node: np.flatnonzero(leaf == node) for node in {node for node, _, _ in proposals}}
    histograms = []
    for node, feature, cuts in proposals:
        rows, n_bins = rows_of[node], len(cuts) + 1
        values = X[rows, feature].astype(np.float32, copy=False).astype(np.float64)
        place = np.searchsorted(cuts, values) + n_bins * is_minority[rows]
        histograms.append(np.bincount(place, minlength=2 * n_bins).reshape(2, n_bins))
    return histograms


def _cuts(values: NDArray[np.float32], low: float, high: float) -> Floats:
    """Return cuts halfway between a sample's values within a window."""
    inside = np.unique(values[(values >= low) & (values <= high)]).astype(np.float64)
    # All of them, so that a sample of all rows leads to the tree of all rows; halved before they
    # are added, since their sum may overflow.
    return inside[:-1] / 2 + inside[1:] / 2
