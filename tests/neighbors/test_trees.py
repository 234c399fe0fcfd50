"""Trees of slabs find what one tree over all points finds."""

import numpy as np
import pytest

from icost._neighbors import trees
from icost._neighbors.counts import neighbor_class_counts
from icost._neighbors.points import MinkowskiSpace
from icost._neighbors.trees import KDTreeIndex


@pytest.fixture(autouse=True)
def small_slabs(monkeypatch):
    monkeypatch.setattr(trees, "_POINTS_A_THREAD", 10)


def clustered(n_rows=1500, n_features=4):
    rng = np.random.default_rng(0)
    centres = 10 * rng.standard_normal((20, n_features))
    return centres[rng.integers(20, size=n_rows)] + rng.standard_normal((n_rows, n_features))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_nearest_points_are_those_of_one_tree(p, n_threads):
    space = MinkowskiSpace(clustered(), p)
    queries = space.points[np.random.default_rng(1).permutation(len(space.points))[:1000]]
    distance, point = KDTreeIndex(space, n_threads).nearest(queries, 7)
    expected_distance, expected_point = KDTreeIndex(space).nearest(queries, 7)
    np.testing.assert_array_equal(point, expected_point)
    np.testing.assert_allclose(distance, expected_distance, rtol=1e-12)


def test_queries_far_from_all_others_are_answered_too():
    points = clustered()
    # Their neighbours are much farther than the usual distance, some of them beyond a cut.
    points[:10] = 100 * 1.7 ** np.arange(10)[:, None]
    space = MinkowskiSpace(points, 2.0)
    distance, point = KDTreeIndex(space, 3).nearest(points, 5)
    np.testing.assert_array_equal(point, KDTreeIndex(space).nearest(points, 5)[1])
    assert np.isfinite(distance).all()


def test_lists_longer_than_a_slab():
    space = MinkowskiSpace(clustered(64), 2.0)
    _, point = KDTreeIndex(space, 4).nearest(space.points, 60)
    np.testing.assert_array_equal(point, KDTreeIndex(space).nearest(space.points, 60)[1])


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_queries_from_elsewhere_are_answered_too(scale):
    space = MinkowskiSpace(clustered(), 2.0)
    queries = scale * clustered(600)[::-1] + 0.5
    distance, point = KDTreeIndex(space, 3).nearest(queries, 7)
    expected_distance, expected_point = KDTreeIndex(space).nearest(queries, 7)
    np.testing.assert_array_equal(point, expected_point)
    np.testing.assert_allclose(distance, expected_distance, rtol=1e-12)


def test_queries_with_distances_that_rounding_might_reorder_are_doubtful():
    query = np.array([0, 0, 1, 1, 2, 2])
    distance = np.array([1.0, 1.0 + 1e-8, 1.0, 1.1, 0.5, 0.5])
    assert trees._is_doubtful(distance, query).tolist() == [True] * 2 + [False] * 2 + [True] * 2


def test_points_within_a_radius():
    space = MinkowskiSpace(clustered(400), 2.0)
    queries, radius = space.points[::7], np.linspace(0.5, 20, 58)
    one, many = KDTreeIndex(space), KDTreeIndex(space, 3)
    counts = many.count_within(queries, radius)
    np.testing.assert_array_equal(counts, one.count_within(queries, radius))
    ends = np.cumsum(counts)[:-1]
    parts = [np.split(index.within(queries, radius)[0], ends) for index in (one, many)]
    for expected, found in zip(*parts, strict=True):
        np.testing.assert_array_equal(np.sort(found), np.sort(expected))


def test_ties_across_a_cut_change_nothing(monkeypatch):
    from icost._neighbors import counts

    monkeypatch.setattr(counts, "_ONE_THREAD", 0)
    rng = np.random.default_rng(0)
    # Whole numbers on few values: most distances are tied, and the cuts go through equal values.
    X, y = rng.integers(4, size=(800, 5)).astype(float), rng.integers(3, size=800)
    counts = [
        neighbor_class_counts(X, y, 3, 5, algorithm=algorithm, n_jobs=n_jobs)
        for algorithm, n_jobs in (("brute", 1), ("kd_tree", 1), ("kd_tree", 2), ("kd_tree", 3))
    ]
    for other in counts[1:]:
        np.testing.assert_array_equal(other, counts[0])
