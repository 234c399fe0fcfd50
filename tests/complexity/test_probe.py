from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from icost.complexity._probe import HistogramTree, count_between_cuts, grow_fast_probe


def grow(X, is_minority, weight=None, max_depth=3, min_samples_leaf=5):
    weight = np.ones(len(X)) if weight is None else weight
    rng = np.random.RandomState(0)
    X = np.asarray(X, dtype=np.float32)
    return grow_fast_probe(X, is_minority, weight, max_depth, min_samples_leaf, rng)


def test_a_split_by_hand():
    # Minority from 7 on, except for one row: the purest split is between 6 and 7.
    X = np.arange(10.0).reshape(-1, 1)
    is_minority = np.array([0, 0, 1, 0, 0, 0, 0, 1, 1, 1], dtype=bool)
    tree = grow(X, is_minority, max_depth=1, min_samples_leaf=1)
    assert tree.feature.tolist() == [0, -1, -1]
    assert tree.threshold[0] == 6.5
    assert tree.apply(X.astype(np.float32)).tolist() == [1] * 7 + [2] * 3


def test_leaves_are_no_smaller_than_asked():
    X = np.arange(10.0).reshape(-1, 1)
    tree = grow(X, np.arange(10) >= 7, min_samples_leaf=4)
    assert np.bincount(tree.apply(X.astype(np.float32))).max() == 6
    assert len(grow(X, np.arange(10) >= 7, min_samples_leaf=6).feature) == 1


def test_nothing_to_split_is_one_leaf():
    assert len(grow(np.ones((30, 2)), np.arange(30) < 9).feature) == 1
    assert len(grow(np.arange(30.0).reshape(-1, 1), np.zeros(30, dtype=bool)).feature) == 1


def test_weights_count():
    # By rows the split at 2.5 is the purest; with the row at 5 heavy, that at 4.5 is.
    X = np.arange(6.0).reshape(-1, 1)
    is_minority = np.array([0, 0, 0, 1, 0, 1], dtype=bool)
    options = {"max_depth": 1, "min_samples_leaf": 1}
    weight = np.array([1, 1, 1, 1, 1, 50.0])
    assert grow(X, is_minority, **options).threshold[0] == 2.5
    assert grow(X, is_minority, weight, **options).threshold[0] == 4.5


@pytest.mark.parametrize("kind", ["continuous", "integer"])
@pytest.mark.parametrize("seed", range(3))
def test_all_rows_decide_as_in_the_exact_tree(monkeypatch, kind, seed):
    # A sample of a quarter of the rows would not place the splits exactly by itself.
    monkeypatch.setattr("icost.complexity._probe.SAMPLE_ROWS", 4000)
    rng = np.random.default_rng(seed)
    is_minority = rng.uniform(size=15_000) < 0.2
    X = rng.normal(size=(15_000, 5)) + np.outer(is_minority, [0.3, 0.6, 0.9, 1.2, 1.5])
    X = (np.round(3 * X) if kind == "integer" else X).astype(np.float32)
    exact = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0)
    exact.fit(X, is_minority)
    leaves = exact.apply(X), grow(X, is_minority).apply(X)
    shares = [(np.bincount(x, is_minority) / np.maximum(1, np.bincount(x)))[x] for x in leaves]
    assert np.mean(np.abs(shares[0] - shares[1]) > 1e-12) < 0.02


def histogram_split(counted, min_samples_leaf):
    """The cut that a tree takes, and the rows on its left, from rows of both classes per bin."""
    counted = np.array(counted)
    tree = HistogramTree(None, min_samples_leaf, [counted.sum(axis=1)])
    cuts = np.arange(1.0, counted.shape[1])
    tree.grow([(0, 3, cuts)], [counted])
    return tree


def test_a_split_of_histograms_by_hand():
    # By weighted Gini impurity, of 12 rows: 4.8 after the first cut, 2.4 after the second, and 3.64
    # after the third. Majority rows are in the first line.
    tree = histogram_split([[2, 4, 0, 1], [0, 0, 3, 2]], 1)
    assert (tree.feature[0], tree.threshold[0]) == (3, 2.0)
    assert [counts.tolist() for counts in tree.counts] == [[7, 5], [6, 0], [1, 5]]
    # A leaf of six rows is too small, if seven are asked for on both sides.
    assert histogram_split([[2, 4, 0, 1], [0, 0, 3, 2]], 6).threshold[0] == 2.0
    assert histogram_split([[2, 4, 0, 1], [0, 0, 3, 2]], 7).feature == [-1]


def test_rows_between_cuts_by_hand():
    leaf_of = SimpleNamespace(apply=lambda X: np.array([0, 0, 0, 2, 2]))
    X, is_minority = np.array([[1.0], [2.5], [9.0], [1.0], [3.0]]), np.array([0, 1, 1, 0, 1]) > 0
    proposals = [(0, 0, np.array([2.0, 3.0])), (2, 0, np.array([2.0]))]
    first, second = count_between_cuts(leaf_of, proposals, X, is_minority)
    assert first.tolist() == [[1, 0, 0], [0, 1, 1]] and second.tolist() == [[1, 0], [0, 1]]


def test_the_purest_split_of_histograms_is_no_matter_of_size():
    rng = np.random.default_rng(0)
    for _ in range(50):
        counted = rng.integers(0, 6, (2, 5)) + np.eye(2, 5, dtype=int)
        left = counted.cumsum(axis=1)[:, :-1]
        sides = left, counted.sum(axis=1, keepdims=True) - left
        impurity = sum(2 * side.prod(axis=0) / np.maximum(side.sum(axis=0), 1) for side in sides)
        taken = histogram_split(counted, 1).threshold[0]
        if np.isfinite(taken):
            np.testing.assert_allclose(impurity[int(taken) - 1], impurity.min())
