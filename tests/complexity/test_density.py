"""Complexity by density."""

import numpy as np
import pytest

from icost import DensityComplexity


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


def literal(X, is_minority, k, p=2.0):
    """a / (a + b), row by row, as the definition says it."""
    found = []
    for row in np.flatnonzero(is_minority):
        reach = []
        for side in (is_minority, ~is_minority):
            others = [i for i in np.flatnonzero(side) if i != row]
            differences = np.abs(X[others] - X[row])
            if p == 2:
                distance = np.sqrt((differences**2).sum(axis=1))
            else:
                distance = differences.max(axis=1) if np.isinf(p) else differences.sum(axis=1)
            n, own_k = side.sum(), min(k, len(others))
            reach.append(np.sort(distance)[own_k - 1] * (n / own_k) ** (1 / X.shape[1]))
        a, b = reach
        found.append(0.5 if a + b == 0 else a / (a + b))
    return np.array(found)


def test_by_hand():
    # Own: 0, 1, 3 (n = 3); others: 4, 10 (n = 2); one dimension, so that factors are the numbers.
    X = column(0, 1, 3, 4, 10)
    other_class_share = (
        DensityComplexity(n_neighbors=1).estimate(X, [1, 1, 1, 0, 0]).other_class_share
    )
    expected = [1 * 3 / (1 * 3 + 4 * 2), 1 * 3 / (1 * 3 + 3 * 2), 2 * 3 / (2 * 3 + 1 * 2)]
    np.testing.assert_allclose(other_class_share, expected)


def test_no_distance_at_all_is_one_half():
    other_class_share = (
        DensityComplexity(n_neighbors=1)
        .estimate(column(0, 0, 0, 5), [1, 1, 0, 0])
        .other_class_share
    )
    np.testing.assert_array_equal(other_class_share, [0.5, 0.5])


def test_a_row_on_top_of_its_own_kind_is_pure():
    record = DensityComplexity(n_neighbors=1).estimate(column(0, 0, 1, 5), [1, 1, 0, 0])
    assert record.category.tolist() == ["pure", "pure"]


def test_the_only_row_of_a_class_has_a_share_of_one():
    record = DensityComplexity(n_neighbors=1).estimate(column(0, 1, 2, 5), [1, 0, 0, 0])
    assert record.other_class_share.tolist() == [1.0]


def test_fewer_neighbours_where_a_class_has_no_more():
    # Two own rows: k = 1 for them, 3 for the others; factors 2/1 and 4/3.
    X = column(0, 1, 2, 3, 4, 5)
    other_class_share = (
        DensityComplexity(n_neighbors=3).estimate(X, [1, 1, 0, 0, 0, 0]).other_class_share
    )
    np.testing.assert_allclose(other_class_share[0], 1 * 2 / (1 * 2 + 4 * 4 / 3))


@pytest.mark.parametrize(("metric", "p"), [("l2", 2), ("cityblock", 1), ("chebyshev", np.inf)])
@pytest.mark.parametrize("seed", range(8))
def test_as_the_definition_says(metric, p, seed):
    rng = np.random.default_rng(seed)
    n, d, k = rng.integers(8, 60), rng.integers(1, 5), rng.integers(1, 9)
    X = rng.normal(size=(n, d))
    if seed % 2:
        X = np.round(X)
    is_minority = np.arange(n) < max(2, n // 4)
    record = DensityComplexity(k, metric).estimate(X, is_minority)
    np.testing.assert_allclose(record.other_class_share, literal(X, is_minority, k, p), atol=1e-10)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_every_way_of_searching_gives_the_same(algorithm):
    X = np.random.default_rng(0).normal(size=(300, 3))
    is_minority = np.arange(300) < 50
    one = DensityComplexity(algorithm=algorithm).estimate(X, is_minority).other_class_share
    np.testing.assert_array_equal(
        one, DensityComplexity().estimate(X, is_minority).other_class_share
    )


def test_a_compact_group_is_no_outlier_however_rare_it_is():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(2000, 2)), rng.normal(size=(12, 2)) * 0.02])
    is_minority = np.arange(len(X)) >= 2000
    assert DensityComplexity().estimate(X, is_minority).other_class_share.max() < 0.5


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_make_no_difference(unit):
    X = np.random.default_rng(0).normal(size=(40, 2))
    one = DensityComplexity().estimate(X, np.arange(40) < 10).other_class_share
    np.testing.assert_allclose(
        DensityComplexity().estimate(X * unit, np.arange(40) < 10).other_class_share, one
    )


def test_the_class_that_prevails_among_the_others():
    X, codes = column(0, 1, 2, 3, 10, 11, 12), np.array([0, 0, 1, 1, 2, 2, 2])
    record = DensityComplexity(n_neighbors=2).estimate_classes(X, codes)
    assert record.rival.tolist() == [1, 1, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("wrong", [{"n_neighbors": 0}, {"metric": "cosine"}, {"algorithm": "lsh"}])
def test_wrong_parameters_are_told(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be"):
        DensityComplexity(**wrong).estimate(column(0, 1, 2), [1, 1, 0])
