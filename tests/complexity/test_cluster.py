"""Complexity by clusters."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from icost import ClusterComplexity
from icost.complexity._cluster import _to_nearest


def test_by_hand():
    # Centres at 1 and 7.
    X, is_minority = np.array([[0.0], [2.0], [6.0], [8.0]]), [1, 1, 0, 0]
    other_class_share = ClusterComplexity(n_clusters=1).estimate(X, is_minority).other_class_share
    np.testing.assert_allclose(other_class_share, [1 / (1 + 7), 1 / (1 + 5)])


def test_a_row_at_both_centres_is_one_half():
    X = np.array([[0.0], [0.0], [-1.0], [1.0]])
    assert ClusterComplexity(1).estimate(X, [1, 1, 0, 0]).other_class_share.tolist() == [0.5, 0.5]


def test_weights_move_centres():
    X, is_minority = np.array([[0.0], [4.0], [10.0], [12.0]]), [1, 1, 0, 0]
    record = ClusterComplexity(1).estimate(X, is_minority, sample_weight=[3, 1, 1, 1])
    np.testing.assert_allclose(record.other_class_share, [1 / (1 + 11), 3 / (3 + 7)])


@pytest.mark.parametrize("seed", range(5))
def test_as_the_definition_says(seed):
    # Groups that no start of k-means can miss.
    rng = np.random.default_rng(seed)
    centres = np.array([[0, 0], [20, 0], [0, 20], [20, 20]])
    group = rng.integers(4, size=200)
    X = rng.normal(size=(200, 2)) + centres[group]
    is_minority = group < 2
    means = [X[group == number].mean(axis=0) for number in range(4)]
    distance = np.array([np.linalg.norm(X - mean, axis=1) for mean in means])
    own, other = distance[:2].min(axis=0), distance[2:].min(axis=0)
    record = ClusterComplexity(2).estimate(X, is_minority, random_state=seed)
    np.testing.assert_allclose(
        record.other_class_share, (own / (own + other))[is_minority], atol=1e-9
    )


def test_fewer_clusters_where_a_class_has_no_more_rows_and_that_is_said():
    X = np.array([[0.0], [0.0], [5.0], [6.0], [7.0]])
    with pytest.warns(UserWarning, match="n_clusters=2 needs .* got 1: so many clusters"):
        record = ClusterComplexity(2).estimate(X, [1, 1, 0, 0, 0])
    assert record.category.tolist() == ["pure", "pure"]


def test_the_class_of_the_nearest_other_centre():
    X, codes = np.array([[0.0], [1.0], [3.0], [4.0], [9.0], [10.0]]), np.repeat([0, 1, 2], 2)
    record = ClusterComplexity(1).estimate_classes(X, codes)
    assert record.rival.tolist() == [1, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("wrong", [{"n_clusters": 0}, {"n_init": 0}])
def test_wrong_parameters_are_told(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be"):
        ClusterComplexity(**wrong).estimate(np.zeros((3, 1)), [1, 1, 0])


def test_sparse_rows_are_made_dense_in_blocks():
    X = sparse.random(2000, 5000, density=1e-4, format="csr", random_state=0)
    centres = np.random.default_rng(0).random((2, 5000))
    tracemalloc.start()
    try:
        found = _to_nearest(X, centres)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.shape[0] * X.shape[1] * 8 / 4
    np.testing.assert_allclose(found, _to_nearest(X.toarray(), centres), rtol=1e-12)
