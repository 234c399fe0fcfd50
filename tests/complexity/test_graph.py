"""Complexity by walks on the graph of mutual neighbours."""

import numpy as np
import pytest

from icost import GraphComplexity, NeighborComplexity
from icost._neighbors.counts import neighbor_lists


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


def links(X, k):
    """Which rows are mutual neighbours, as a dense matrix."""
    distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    kth = np.sort(distance, axis=1)[:, k - 1, None]
    near = distance <= kth * (1 + 1e-9)
    return near & near.T


def literal(X, is_minority, k, n_steps):
    """Walk from row to row, as the definition says it."""
    mutual = links(X, k).astype(float)
    score = NeighborComplexity(k).estimate(X, is_minority).score
    found = []
    for number, row in enumerate(np.flatnonzero(is_minority)):
        if not mutual[row].any():
            found.append(score[number])
            continue
        place, shares = np.eye(len(X))[row], []
        for _ in range(n_steps):
            place = place @ (mutual / np.maximum(mutual.sum(axis=1, keepdims=True), 1))
            away = 1 - place[row]
            if away > 1e-12:
                shares.append((place[is_minority].sum() - place[row]) / away)
        found.append(1 - np.mean(shares))
    return np.array(found)


def test_one_step_by_hand():
    # For k = 2 the first is among the nearest of none but the second, and so on along the line.
    X = column(0, 1, 2, 3.5, 5.2)
    other_class_share = GraphComplexity(2, 1).estimate(X, [1, 1, 0, 0, 1]).other_class_share
    assert links(X, 2).astype(int).tolist() == [
        [0, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [0, 0, 1, 0, 1],
        [0, 0, 0, 1, 0],
    ]
    assert other_class_share.tolist() == [0.0, 0.5, 1.0]


def test_two_steps_by_hand():
    # A chain a-b-c, each linked to the next; from a: at b, then back at a or at c, half and half.
    X = column(0, 1, 2)
    graph = GraphComplexity(1, 2)
    assert links(X, 1).sum() == 4  # b is as near to a as to c, and tied rows all count
    # From a (own: b): step 1 own 1; step 2 away from the start only at c, which is
    # other_class_share. From b: step 1 half at a; step 2 surely back, which is not counted.
    assert graph.estimate(X, [1, 1, 0]).other_class_share.tolist() == [0.5, 0.5]


def test_a_pair_of_its_own_kind_is_pure_at_any_number_of_steps():
    X = column(0, 0.1, 5, 6, 7, 8)
    for n_steps in range(1, 6):
        record = GraphComplexity(1, n_steps).estimate(X, [1, 1, 0, 0, 0, 0])
        assert record.category.tolist() == ["pure", "pure"]


def test_a_row_without_mutual_neighbours_takes_its_neighbour_score():
    X = column(0, 3, 3.1, 3.2, 3.3)
    is_minority = [1, 1, 0, 0, 0]
    assert not links(X, 2)[0].any()
    graph = GraphComplexity(2).estimate(X, is_minority)
    assert (
        graph.other_class_share[0] == NeighborComplexity(2).estimate(X, is_minority).score[0] == 0.5
    )


def test_a_thin_chain_supports_itself():
    rng = np.random.default_rng(0)
    chain = np.column_stack([np.linspace(-3, 3, 25), np.zeros(25)])
    crowd = rng.uniform(-3, 3, size=(300, 2))
    X = np.vstack([chain, crowd[np.abs(crowd[:, 1]) > 0.15]])
    is_minority = np.arange(len(X)) < 25
    graph = GraphComplexity().estimate(X, is_minority).other_class_share
    assert graph.mean() < NeighborComplexity().estimate(X, is_minority).other_class_share.mean()


@pytest.mark.parametrize("seed", range(16))
def test_as_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(8, 70)), int(rng.integers(1, 4)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, d)) * (1 + seed % 4)
    if seed % 2:
        X = np.round(X)  # many equal rows, and many ties
    is_minority = rng.random(n) < 0.4
    is_minority[:2] = True, False
    n_steps = int(rng.integers(1, 6))
    record = GraphComplexity(k, n_steps).estimate(X, is_minority)
    np.testing.assert_allclose(
        record.other_class_share, literal(X, is_minority, k, n_steps), atol=1e-10
    )


def test_a_thousand_equal_rows_make_no_matrix_of_all_pairs():
    X = np.vstack([np.zeros((20_000, 1)), column(1, 2)])
    is_minority = np.arange(len(X)) % 4 == 0
    record = GraphComplexity().estimate(X, is_minority)
    lists = neighbor_lists(X, 5)
    assert lists.links.nnz <= 9
    # At 0 a quarter is of the minority, the row itself not counted.
    own = (is_minority[:20_000].sum() - 1) / 19_999
    np.testing.assert_allclose(record.other_class_share[:-1], 1 - own, atol=1e-3)


def test_the_class_that_walks_meet_most():
    X, codes = column(0, 1, 2.1, 3.3, 4.6, 30, 31), np.array([0, 0, 1, 1, 1, 2, 2])
    record = GraphComplexity(2, 2).estimate_classes(X, codes)
    assert record.rival.tolist() == [1, 1, 0, 0, -1, -1, -1]


@pytest.mark.parametrize("wrong", [{"n_neighbors": 0}, {"n_steps": 0}, {"metric": "cosine"}])
def test_wrong_parameters_are_told(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be"):
        GraphComplexity(**wrong).estimate(column(0, 1, 2), [1, 1, 0])


def test_too_few_rows_are_told():
    with pytest.raises(ValueError, match="n_neighbors=5 needs at least 6 rows, got 3"):
        GraphComplexity().estimate(column(0, 1, 2), [1, 1, 0])
