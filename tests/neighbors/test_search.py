"""Every search finds what all distances say, for its own points and for queries from elsewhere."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from icost._neighbors import choice, points, search
from icost._neighbors.points import MinkowskiSpace, OtherQueries, OwnQueries, common_space
from icost._neighbors.search import TIE_MARGIN, DirectSearch, MatrixSearch, SparseSearch
from icost._neighbors.trees import BallTreeIndex, KDTreeIndex, TreeSearch

N_NEAREST = 4


def products_in_double(space):
    return MatrixSearch(space, np.float64)


def kd_tree(space):
    return TreeSearch(KDTreeIndex(space), space)


def ball_tree(space):
    return TreeSearch(BallTreeIndex(space.points, "minkowski", {"p": space.p}), space)


SEARCHES = [choice._screen, MatrixSearch, products_in_double, DirectSearch, kd_tree, ball_tree]
MARGIN = TIE_MARGIN**2


def clusters(dtype=np.float64):
    rng = np.random.default_rng(0)
    centres = 20 * rng.standard_normal((15, 5))
    table = centres[rng.integers(15, size=1300)] + rng.standard_normal((1300, 5))
    # Some of them on a grid, for ties.
    return np.concatenate([table[:1000], table[1000:].round()]).astype(dtype)


def needed(space, queries):
    """The pairs that no search may miss, and their distances."""
    difference = queries[:, None] - space.points.astype(np.float64)
    distance = (difference**2).sum(axis=2)
    nth = np.sort(distance, axis=1)[:, N_NEAREST - 1, None]
    return set(zip(*np.nonzero(distance <= nth * (1 + 2e-9)), strict=True)), distance


QUERIES = {
    "own": lambda table: table[::13],
    "near": lambda table: table[::13] + 0.3,
    "outside": lambda table: 50 * table[::26] + 7,
    "far away": lambda table: 1e6 + 1e6 * table[::26],
    "beyond single precision": lambda table: np.full((3, 5), 1e25) * [[1], [-2], [3]],
    "mixed": lambda table: np.concatenate([table[:40], 1e18 * table[:3], 1e3 * table[:9]]),
    "one": lambda table: table[77:78],
}


@pytest.mark.parametrize("make", SEARCHES)
@pytest.mark.parametrize("kind", QUERIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_pair_that_decides_is_missed(make, kind, dtype):
    space = MinkowskiSpace(clusters(dtype), 2.0)
    queries = QUERIES[kind](space.points.astype(np.float64))
    query, point, distance = make(space).pairs(queries, N_NEAREST)
    expected, all_distances = needed(space, queries)
    assert expected <= set(zip(query, point, strict=True))
    np.testing.assert_allclose(distance, all_distances[query, point], rtol=1e-12)


@pytest.mark.parametrize("make", [choice._screen, MatrixSearch, products_in_double])
def test_decisive_distances_are_direct_differences_in_every_bit(make):
    space = MinkowskiSpace(clusters(), 2.0)
    queries = clusters()[::9] + 0.1
    query, point, distance = make(space).pairs(queries, N_NEAREST)
    assert_array_equal(distance, space.between(queries, query, point))


@pytest.mark.parametrize("spread", [0.0, 1e-130, 1e-30])
def test_points_that_are_hardly_apart(spread):
    rng = np.random.default_rng(0)
    table = spread * rng.standard_normal((60, 3))
    table[0] = 0
    queries = np.concatenate([table[:5], np.ones((2, 3))])
    for make in (MatrixSearch, products_in_double):
        query, point, _ = make(MinkowskiSpace(table, 2.0)).pairs(queries, N_NEAREST)
        assert needed(MinkowskiSpace(table, 2.0), queries)[0] <= set(zip(query, point, strict=True))


def test_sparse_queries_from_elsewhere():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 4, (300, 6)) * (rng.random((300, 6)) < 0.4)
    queries = rng.integers(0, 9, (40, 6)) * (rng.random((40, 6)) < 0.8)
    found = SparseSearch(csr_array(table)).pairs(csr_array(queries, dtype=np.float64), N_NEAREST)
    expected, distance = needed(MinkowskiSpace(table, 2.0), queries.astype(np.float64))
    assert expected <= set(zip(*found[:2], strict=True))
    assert_array_equal(found[2], distance[found[0], found[1]])


@pytest.mark.parametrize("make", [MatrixSearch, kd_tree, ball_tree])
def test_too_many_ties_are_refused_but_for_one_query(make, monkeypatch):
    from icost._neighbors import trees

    for module in (search, points, trees):
        monkeypatch.setattr(module, "BLOCK_NUMBERS", 500)
    found = make(MinkowskiSpace(np.eye(300), 2.0))
    assert found.pairs(np.eye(300)[:4], N_NEAREST) is None
    query, point, _ = found.pairs(np.eye(300)[:1], N_NEAREST)
    assert sorted(point) == list(range(300))
    assert set(query) == {0}


def test_coordinates_of_queries_are_widened():
    table = clusters(np.float32)
    assert OwnQueries(table, np.arange(5))[1:3].dtype == np.float64
    assert OwnQueries(csr_array(table), np.arange(5))[np.array([0])].dtype == np.float64


@pytest.mark.parametrize("order", [1, -1])
def test_queries_are_visited_in_an_order_where_neighbours_follow_each_other(order):
    rng = np.random.default_rng(0)
    table = np.sort(rng.random(2000))[::order, None]
    shuffled = table[rng.permutation(2000)]
    visit = OtherQueries(shuffled).visit(np.arange(3))
    assert sorted(visit) == list(range(2000))
    assert np.abs(np.diff(shuffled[visit, 0])).mean() < 0.1
    rank = rng.permutation(2000)
    own = OwnQueries(table, np.array([7, 3, 1999]))
    assert_array_equal(rank[[7, 3, 1999]][own.visit(rank)], np.sort(rank[[7, 3, 1999]]))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_one_unit_for_queries_and_points(scale):
    queries, space, exponent = common_space(scale * np.ones((2, 2)), scale * np.eye(2), 2.0)
    assert (exponent != 0) == (scale != 1)
    assert_array_equal(np.ldexp(queries, exponent), scale * np.ones((2, 2)))
    assert_array_equal(np.ldexp(space.points, exponent), scale * np.eye(2))
    assert space.to_all(queries).max() > 0
