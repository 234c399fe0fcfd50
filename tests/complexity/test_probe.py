import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from icost.complexity.probe import grow_fast_probe


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
    monkeypatch.setattr("icost.complexity.probe.SAMPLE_ROWS", 4000)
    rng = np.random.default_rng(seed)
    is_minority = rng.uniform(size=15_000) < 0.2
    X = rng.normal(size=(15_000, 5)) + np.outer(is_minority, [0.3, 0.6, 0.9, 1.2, 1.5])
    X = (np.round(3 * X) if kind == "integer" else X).astype(np.float32)
    exact = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0)
    exact.fit(X, is_minority)
    leaves = exact.apply(X), grow(X, is_minority).apply(X)
    shares = [(np.bincount(x, is_minority) / np.maximum(1, np.bincount(x)))[x] for x in leaves]
    assert np.mean(np.abs(shares[0] - shares[1]) > 1e-12) < 0.02
