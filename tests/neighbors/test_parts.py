from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from icost.neighbors import parts
from icost.neighbors.counts import neighbor_class_counts
from icost.neighbors.parts import count_classes, find_nearest, merge_nearest


def counts_by_parts(X, y, k, cuts, p=2.0):
    queries = np.flatnonzero(y == 1)
    edges = [0, *sorted(cuts), len(X)]
    parts = [find_nearest(X[queries], X[a:b], y[a:b], 2, k + 1, p) for a, b in pairwise(edges)]
    merged = merge_nearest(parts, k + 1, p)
    return count_classes(merged, len(queries), k, p, own_codes=y[queries])


def test_rows_at_one_distance_are_counted_together():
    points = np.array([[1.0], [-1.0], [1.0], [7.0], [3.0]])
    nearest = find_nearest(np.array([[0.0]]), points, np.array([0, 1, 1, 1, 0]), 2, 4)
    assert nearest.distance.tolist() == [1.0, 9.0]
    assert nearest.counts.tolist() == [[1, 2], [1, 0]]


def test_a_query_outside_of_the_table_has_no_row_of_its_own():
    points, codes = np.array([[0.0], [0.0], [5.0]]), np.array([0, 1, 1])
    nearest = find_nearest(np.array([[0.0]]), points, codes, 2, 1)
    assert count_classes(nearest, 1, 1).tolist() == [[0.5, 0.5]]


@settings(max_examples=80)
@given(
    X=arrays(float, (30, 2), elements=st.integers(0, 4).map(lambda i: i / 10)),
    y=arrays(np.intp, 30, elements=st.integers(0, 1)).filter(lambda y: y.any()),
    k=st.integers(1, 12),
    cuts=st.lists(st.integers(0, 30), max_size=4),
)
def test_parts_give_the_counts_of_the_whole(X, y, k, cuts):
    expected = neighbor_class_counts(X, y, 2, k, queries=np.flatnonzero(y == 1))
    np.testing.assert_array_equal(counts_by_parts(X, y, k, cuts), expected)


@pytest.mark.parametrize("way", ["_Tree", "_Screen", "_AllPairs"])
@pytest.mark.parametrize(
    ("metric", "p"), [("euclidean", 2.0), ("manhattan", 1.0), ("chebyshev", np.inf)]
)
@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_every_way_of_searching_gives_the_same_counts(monkeypatch, way, metric, p, offset):
    monkeypatch.setattr(parts, "_WORTH_A_TREE", 0)
    monkeypatch.setattr(parts, "_seconds", lambda propose, queries: type(propose).__name__ != way)
    rng = np.random.default_rng(0)
    y = (rng.uniform(size=6000) < 0.1).astype(np.intp)
    X = offset + np.round(rng.normal(size=(6000, 3)), 1)
    queries = np.flatnonzero(y == 1)
    expected = neighbor_class_counts(X, y, 2, 7, queries=queries, metric=metric)
    np.testing.assert_array_equal(counts_by_parts(X, y, 7, [2000, 2001, 2001], p), expected)
