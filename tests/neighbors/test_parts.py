from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from icost._neighbors import choice, kernel, parts, points, search, trees
from icost._neighbors.counts import neighbor_class_counts
from icost._neighbors.parts import count_classes, find_nearest, merge_nearest


def counts_by_parts(X, y, k, cuts, p=2.0, **options):
    queries = np.flatnonzero(y == 1)
    edges = [0, *sorted(cuts), len(X)]
    found = [
        find_nearest(X[queries], X[a:b], y[a:b], 2, k + 1, p, **options) for a, b in pairwise(edges)
    ]
    merged = merge_nearest(found, k + 1, p)
    return count_classes(merged, len(queries), k, p, own_codes=y[queries])


def test_rows_at_one_distance_are_counted_together():
    table = np.array([[1.0], [-1.0], [1.0], [7.0], [3.0]])
    nearest = find_nearest(np.array([[0.0]]), table, np.array([0, 1, 1, 1, 0]), 2, 4)
    assert nearest.distance.tolist() == [1.0, 9.0]
    assert nearest.counts.tolist() == [[1, 2], [1, 0]]


def test_a_query_outside_of_the_table_has_no_row_of_its_own():
    table, codes = np.array([[0.0], [0.0], [5.0]]), np.array([0, 1, 1])
    nearest = find_nearest(np.array([[0.0]]), table, codes, 2, 1)
    assert count_classes(nearest, 1, 1).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("merged_queries", [1, 3, 20_000])
@settings(max_examples=60)
@given(
    X=arrays(float, (30, 2), elements=st.integers(0, 4).map(lambda i: i / 10)),
    y=arrays(np.intp, 30, elements=st.integers(0, 1)).filter(lambda y: y.any()),
    k=st.integers(1, 12),
    cuts=st.lists(st.integers(0, 30), max_size=4),
)
def test_parts_give_the_counts_of_the_whole(merged_queries, X, y, k, cuts):
    expected = neighbor_class_counts(X, y, 2, k, queries=np.flatnonzero(y == 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_MERGED_QUERIES", merged_queries)
        np.testing.assert_array_equal(counts_by_parts(X, y, k, cuts), expected)


def coarse(offset=0.0):
    rng = np.random.default_rng(0)
    y = (rng.uniform(size=6000) < 0.1).astype(np.intp)
    return offset + np.round(rng.normal(size=(6000, 3)), 1), y


@pytest.mark.parametrize("algorithm", ["auto", "kernel", "products", "kd_tree", "ball_tree"])
@pytest.mark.parametrize(
    ("metric", "p"), [("euclidean", 2.0), ("manhattan", 1.0), ("chebyshev", np.inf)]
)
@pytest.mark.parametrize("offset", [0.0, 1e7])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_every_way_of_searching_gives_the_same_counts(
    monkeypatch, algorithm, metric, p, offset, n_threads
):
    monkeypatch.setattr(choice, "is_worth_a_tree", lambda *_: True)
    if algorithm == "products":
        monkeypatch.setattr(choice, "_screen", search.MatrixSearch)
    way = "brute" if algorithm in ("kernel", "products") else algorithm
    X, y = coarse(offset)
    queries = np.flatnonzero(y == 1)
    expected = neighbor_class_counts(X, y, 2, 7, queries=queries, metric=metric)
    found = counts_by_parts(X, y, 7, [2000, 2001, 2001], p, algorithm=way, n_threads=n_threads)
    np.testing.assert_array_equal(found, expected)


def test_no_bit_of_a_list_depends_on_the_way_of_searching(monkeypatch):
    X, y = coarse()
    lists = [
        find_nearest(X[::50] + 0.01, X, y, 2, 6, algorithm=algorithm)
        for algorithm in ("brute", "kd_tree", "ball_tree")
    ]
    for other in lists[1:]:
        for column in ("query", "distance", "counts"):
            np.testing.assert_array_equal(getattr(other, column), getattr(lists[0], column))


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_single_precision_is_widened(algorithm):
    X, y = coarse()
    single, double = X.astype(np.float32), X.astype(np.float32).astype(np.float64)
    found = [
        find_nearest(table[::50], table, y, 2, 6, algorithm=algorithm) for table in (single, double)
    ]
    np.testing.assert_array_equal(found[0].distance, found[1].distance)


@pytest.mark.parametrize("way", ["kernel", "products", "kd_tree"])
def test_massive_ties_among_distinct_points_stay_small(monkeypatch, way):
    # Unit vectors are all at one distance from each other: every point is a candidate of each.
    limit, answered = 700, []
    for module in (points, search, trees, kernel):
        monkeypatch.setattr(module, "BLOCK_NUMBERS", limit)
    if way == "products":
        monkeypatch.setattr(choice, "_screen", search.MatrixSearch)
    entries = parts._DistinctPoints.entries

    def watched(self, queries, numbers, pairs, n_nearest):
        answered.append(len(pairs[0]))
        return entries(self, queries, numbers, pairs, n_nearest)

    monkeypatch.setattr(parts._DistinctPoints, "entries", watched)
    X, y = np.eye(200), np.arange(200) % 2
    algorithm = way if way == "kd_tree" else "brute"
    found = counts_by_parts(X, y, 3, [], algorithm=algorithm)
    own, other = 3 * 99 / 199, 3 * 100 / 199
    np.testing.assert_array_equal(found, np.tile([other, own], (100, 1)))
    assert max(answered) <= limit


@pytest.mark.parametrize("scale", [1e-200, 1e-70, 1e30, 1e200])
@pytest.mark.parametrize(("metric", "p"), [("euclidean", 2.0), ("manhattan", 1.0)])
def test_huge_and_tiny_numbers(scale, metric, p):
    X, y = coarse()
    X, y = X[:600], y[:600]
    expected = neighbor_class_counts(X, y, 2, 5, queries=np.flatnonzero(y == 1), metric=metric)
    np.testing.assert_array_equal(counts_by_parts(X * scale, y, 5, [100, 300], p), expected)


def test_parts_of_other_sizes_are_merged_in_one_unit():
    # The first part is far within the range of plain numbers, the second one beyond.
    X = np.array([[0.0], [1e50], [3e50], [1e70], [-2e70], [5e70]])
    y = np.array([1, 0, 1, 0, 0, 0])
    expected = neighbor_class_counts(X, y, 2, 3, queries=[0, 2])
    np.testing.assert_array_equal(counts_by_parts(X, y, 3, [3]), expected)


def test_numbers_beside_which_all_others_vanish_are_refused():
    X, y = coarse()
    X[3, 1] = 1e200
    with pytest.raises(ValueError, match=r"numbers of comparable size .*, got 1e\+200 beside"):
        find_nearest(X[:20], X, y, 2, 5)


def test_no_queries_and_no_points():
    X, y = coarse()
    for queries, table in ((X[:0], X), (X[:5], X[:0])):
        nearest = find_nearest(queries, table, y[: len(table)], 2, 3)
        assert len(merge_nearest([nearest, nearest], 3).query) == 0
    assert count_classes(nearest, 0, 3).shape == (0, 2)
