"""The neighbours themselves."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from icost._neighbors import counts as module
from icost._neighbors.counts import NEARER, TIED, neighbor_class_counts, neighbor_lists


def test_by_hand():
    lists = neighbor_lists(np.array([[0.0], [1.0], [2.0], [2.0]]), 1)
    assert lists.point.tolist() == [0, 1, 2, 2] or len(lists.sizes) == 3
    link = lists.links.toarray()
    point = lists.point
    assert link[point[0], point[1]] == TIED  # the first neighbour is the k-th
    assert link[point[1], point[0]] == link[point[1], point[2]] == TIED
    assert link[point[2], point[2]] == TIED
    assert link[point[2], point[1]] == link[point[0], point[0]] == 0


def test_what_is_nearer_than_the_kth():
    link = neighbor_lists(np.array([[0.0], [1.0], [3.0]]), 2).links.toarray()
    assert link.tolist() == [[0, NEARER, TIED], [NEARER, 0, TIED], [TIED, NEARER, 0]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_few", [True, False])
def test_classes_are_those_of_the_search_that_counts(seed, is_few, monkeypatch):
    if not is_few:
        monkeypatch.setattr(module, "FEW_DISTANCES", 0)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 2)) * 2
    X = np.round(X) if seed % 2 else X
    codes = rng.integers(3, size=150)
    rows = rng.permutation(150)[:40]
    lists = neighbor_lists(X, 5, algorithm=["auto", "brute", "kd_tree"][seed % 3])
    expected = neighbor_class_counts(X, codes, 3, 5, queries=rows)
    np.testing.assert_allclose(lists.class_counts(rows, codes, 3), expected)


def test_sparse_rows_are_searched_as_such_where_they_are_many(monkeypatch):
    X = np.round(np.random.default_rng(0).normal(size=(80, 4)))
    dense = neighbor_lists(X, 4)
    monkeypatch.setattr(module, "FEW_CELLS", 0)
    sparse = neighbor_lists(csr_matrix(X), 4)
    rows, codes = np.arange(80), np.arange(80) % 2
    # Sparse rows are not put together into points, which changes no neighbour.
    np.testing.assert_allclose(
        sparse.class_counts(rows, codes, 2), dense.class_counts(rows, codes, 2)
    )
