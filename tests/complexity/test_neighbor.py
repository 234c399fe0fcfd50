import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from icost.complexity import NeighborComplexity
from icost.complexity._neighbor import paper_categories, resolve_categories


@pytest.mark.parametrize(
    ("n_neighbors", "names"),
    [
        (1, "pure outlier"),
        (2, "pure border outlier"),
        (3, "pure safe border outlier"),
        (4, "pure safe border border outlier"),
        (5, "pure safe safe border border outlier"),
        (6, "pure safe safe border border border outlier"),
        (7, "pure safe safe safe border border border outlier"),
    ],
)
def test_categories_for_any_number_of_neighbours(n_neighbors, names):
    assert paper_categories(n_neighbors).tolist() == names.split()


def test_every_category_on_a_line():
    # Distances from each minority point (M) to the others are written beside it.
    X = np.array([0.0, 1.0, 2.2, 10.0, 11.1, 30.0, 31.3, 32.7, 12.3]).reshape(-1, 1)
    is_minority = np.array([1, 1, 1, 1, 0, 1, 0, 0, 0], dtype=bool)
    record = NeighborComplexity(n_neighbors=2).estimate(X, is_minority)
    # 0: {1, 2.2} M M; 1: {0, 2.2} M M; 2.2: {1, 0} M M; 10: {11.1, 12.3} -; 30: {31.3, 32.7} -
    assert record.category.tolist() == ["pure", "pure", "pure", "outlier", "outlier"]
    assert record.score.tolist() == [0, 0, 0, 1, 1]
    three = NeighborComplexity(n_neighbors=3).estimate(X, is_minority)
    # The third neighbour of the first three is 10 (M); of 10 it is 2.2 (M); of 30 it is 12.3 (-).
    assert three.category.tolist() == ["pure", "pure", "pure", "border", "outlier"]
    np.testing.assert_allclose(three.score, [0, 0, 0, 2 / 3, 1])


def test_new_rows_may_have_all_training_rows_for_neighbours():
    X, codes = np.arange(4.0).reshape(-1, 1), np.array([1, 0, 0, 0])
    minority = [np.array([False, True])]
    (record,) = NeighborComplexity(n_neighbors=4).estimate_new(
        X, codes, np.array([[9.0]]), np.array([1]), minority
    )
    assert record.score.tolist() == [0.75]
    with pytest.raises(ValueError, match="n_neighbors=5 needs at least 5 rows, got 4"):
        NeighborComplexity(n_neighbors=5).estimate_new(X, codes, X, codes, minority)


def test_places_of_a_tied_group_are_shared_and_rounded_half_up():
    # Four rows at distance 1 from the first, one of them minority, for two places:
    # m = 2 * 3 / 4 = 1.5, rounded to 2, so an outlier of k = 2.
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [9.0, 9.0]])
    is_minority = np.array([True, True, False, False, False, False])
    record = NeighborComplexity(n_neighbors=2).estimate(X, is_minority)
    assert record.category[0] == "outlier"


def test_a_mapping_gives_counts_their_names_and_costs():
    categories = {"easy": ([0, 1], 0.4), "border": [2, 3, 4], "noise": ([5], 0.0)}
    names, costs = resolve_categories(categories, 5)
    assert names.tolist() == ["easy", "easy", "border", "border", "border", "noise"]
    assert costs == {"easy": 0.4, "noise": 0.0}


def test_a_single_count_may_have_a_cost():
    names, costs = resolve_categories({"safe": [0, 1], "hard": (2, 1.5)}, 2)
    assert names.tolist() == ["safe", "safe", "hard"] and costs == {"hard": 1.5}


def test_one_cost_for_each_count():
    names, costs = resolve_categories([0.1, 0.2, 0.3], 2)
    assert names.tolist() == ["0 of 2", "1 of 2", "2 of 2"]
    assert list(costs.values()) == [0.1, 0.2, 0.3]


def test_a_callable_returns_names_or_costs():
    names, costs = resolve_categories(lambda m, k: np.where(m > k / 2, "border", "safe"), 3)
    assert names.tolist() == ["safe", "safe", "border", "border"] and costs == {}
    _, costs = resolve_categories(lambda m, k: 1.0 - m / k, 2)
    assert list(costs.values()) == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ({"safe": [0, 1]}, "cover every count from 0 to 2, got none for 2"),
        ({"safe": [0, 1, 2], "border": [2]}, "each count once, got 2 in both 'safe' and 'border'"),
        ({"safe": [0, 1, 7]}, "a count of category 'safe' must be a whole number >= 0 and <= 2"),
        ({"odd": [0, 1, 2]}, "without a cost of its own must be one of .*, got 'odd'"),
        ({"odd": ([0, 1], 2, 3)}, r"must be counts or \(counts, cost\), got \(\[0, 1\], 2, 3\)"),
        ({"odd": ([0, 1, 2], -1)}, "the cost of category 'odd' must be a finite number >= 0"),
        ([1.0, 2.0], "a cost for each count from 0 to 2, that is 3 of them, got 2"),
        ([1.0, 2.0, np.nan], "the cost of 2 of 2 must be a finite number >= 0, got nan"),
        (lambda m, k: ["safe"], "a name for each count from 0 to 2, that is 3 of them, got 1"),
        (lambda m, k: ["x", "y", "z"], "must be one of .*, got 'x'"),
    ],
)
def test_categories_are_checked(categories, message):
    with pytest.raises(ValueError, match=message):
        resolve_categories(categories, 2)


def test_one_search_serves_all_choices_of_the_minority(monkeypatch):
    rng = np.random.default_rng(0)
    X, codes = rng.integers(0, 5, size=(90, 3)).astype(float), np.arange(90) % 4
    groups = [np.arange(4) == code for code in range(4)] + [np.arange(4) != 0]
    separate = [NeighborComplexity().estimate(X, group[codes]) for group in groups]

    calls = []
    search = NeighborComplexity._class_counts
    monkeypatch.setattr(
        NeighborComplexity, "_class_counts", lambda *a: calls.append(1) or search(*a)
    )
    together = NeighborComplexity().estimate_groups(X, codes, groups)
    assert len(calls) == 1
    for one, other in zip(together, separate, strict=True):
        assert one.indices.tolist() == other.indices.tolist()
        assert one.score.tolist() == other.score.tolist()


def test_rows_of_weight_zero_are_absent():
    rng = np.random.default_rng(0)
    X, is_minority = rng.normal(size=(60, 2)), np.arange(60) < 20
    weight = (np.arange(60) % 3 > 0).astype(float)
    kept = weight > 0
    whole = NeighborComplexity().estimate(X, is_minority, sample_weight=weight)
    part = NeighborComplexity().estimate(X[kept], is_minority[kept])
    assert whole.indices.tolist() == np.flatnonzero(is_minority & kept).tolist()
    assert whole.score.tolist() == part.score.tolist()


def test_a_neighbours_object_of_the_users_own_is_used():
    rng = np.random.default_rng(0)
    X, is_minority = rng.normal(size=(60, 2)), np.arange(60) < 20
    ours = NeighborComplexity().estimate(X, is_minority)
    own = NeighborComplexity(neighbors=NearestNeighbors()).estimate(X, is_minority)
    assert own.score.tolist() == ours.score.tolist()


@pytest.mark.parametrize("value", [0, -1, 2.5, "5", None])
def test_n_neighbors_is_checked(value):
    with pytest.raises(ValueError, match="n_neighbors must be a whole number >= 1, got"):
        NeighborComplexity(n_neighbors=value).estimate(np.eye(3), [True, False, False])


def test_parameters_of_the_metric():
    rng = np.random.default_rng(0)
    X, is_minority = rng.normal(size=(80, 4)), np.arange(80) % 4 == 0
    by_name = NeighborComplexity(metric="manhattan").estimate(X, is_minority)
    by_power = NeighborComplexity(metric="minkowski", metric_params={"p": 1})
    np.testing.assert_array_equal(by_power.estimate(X, is_minority).score, by_name.score)
