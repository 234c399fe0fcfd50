from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from icost._neighbors import choice, points, search
from icost._neighbors import counts as counting
from icost._neighbors.counts import neighbor_class_counts, round_half_up

EXACT = ["auto", "brute", "kd_tree", "ball_tree"]


@pytest.fixture
def searching(monkeypatch):
    """Let small data take the way of large ones."""
    monkeypatch.setattr(counting, "FEW_DISTANCES", 0)
    monkeypatch.setattr(choice, "_FEW_PAIRS", 0)


@pytest.fixture(params=["kernel", "products"])
def screen(request, monkeypatch):
    """Search with the compiled screen, if there is one, and without."""
    if request.param == "products":
        monkeypatch.setattr(choice, "_screen", search.MatrixSearch)


@pytest.fixture
def trying(searching, monkeypatch):
    """Let small data be tried with tree and brute force, in threads."""
    monkeypatch.setattr(choice, "is_worth_a_tree", lambda *_: True)
    monkeypatch.setattr(counting, "_ONE_THREAD", 0)


def literal_counts(X, y, n_classes, k, queries):
    """The definition, for whole numbers, in exact arithmetic."""
    counts = []
    for i in queries:
        others = [j for j in range(len(X)) if j != i]
        squares = {
            j: sum((int(a) - int(b)) ** 2 for a, b in zip(X[i], X[j], strict=True)) for j in others
        }
        kth = sorted(squares.values())[k - 1]
        nearer = [y[j] for j in others if squares[j] < kth]
        tied = [y[j] for j in others if squares[j] == kth]
        places = k - len(nearer)
        counts.append(
            [
                float(nearer.count(c) + Fraction(places * tied.count(c), len(tied)))
                for c in range(n_classes)
            ]
        )
    return np.array(counts)


# Row 0 has row 1 at 1, rows 2, 3 and 4 at 2, and row 5 at 9.
LINE = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, -2.0], [0.0, 2.0], [9.0, 0.0]])
LINE_Y = np.array([0, 1, 0, 0, 1, 1])


@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize(
    ("k", "expected"),
    [(1, [0, 1]), (2, [2 / 3, 1 + 1 / 3]), (3, [4 / 3, 1 + 2 / 3]), (4, [2, 2]), (5, [2, 3])],
)
def test_places_left_are_shared_in_proportion(algorithm, k, expected):
    counts = neighbor_class_counts(LINE, LINE_Y, 2, k, queries=[0], algorithm=algorithm)
    assert_array_equal(counts, [[float(Fraction(e).limit_denominator(9)) for e in expected]])


@pytest.mark.parametrize("algorithm", EXACT)
def test_more_duplicates_than_neighbours(algorithm, searching, screen):
    # Four equal rows of classes 0, 0, 1, 2: each sees the three others, tied for two places.
    X = np.array([[5.0], [5.0], [5.0], [5.0], [0.0]])
    y = np.array([0, 0, 1, 2, 2])
    counts = neighbor_class_counts(X, y, 3, 2, algorithm=algorithm)
    third = 2 / 3
    assert_array_equal(
        counts,
        [
            [third, third, third],
            [third, third, third],
            [2 * third, 0, third],
            [2 * third, third, 0],
            # From the lone row all four are tied.
            [1, 0.5, 0.5],
        ],
    )


@pytest.mark.parametrize("algorithm", EXACT)
def test_tied_group_larger_than_any_list(algorithm, searching, screen, monkeypatch):
    # Unit vectors are all at the same distance from each other; too many pairs halve the blocks.
    for module in (search, points):
        monkeypatch.setattr(module, "BLOCK_NUMBERS", 1000)
    X, y = np.eye(400), np.arange(400) % 4
    counts = neighbor_class_counts(X, y, 4, 3, queries=[0, 5, 399], algorithm=algorithm)
    own, other = 3 * 99 / 399, 3 * 100 / 399
    expected = np.full((3, 4), other)
    expected[[0, 1, 2], [0, 1, 3]] = own
    assert_array_equal(counts, expected)


def test_half_of_the_rows_identical(searching, screen):
    rng = np.random.default_rng(0)
    X = np.vstack([np.zeros((1235, 4)), rng.standard_normal((990, 4))])
    y = np.r_[np.zeros(1000, int), np.ones(1225, int)]
    counts = neighbor_class_counts(X, y, 2, 5)
    assert_array_equal(counts[0], [5 * 999 / 1234, 5 * 235 / 1234])
    assert_array_equal(counts[1100], [5 * 1000 / 1234, 5 * 234 / 1234])
    assert_array_equal(counts, neighbor_class_counts(X, y, 2, 5, algorithm="kd_tree"))


def test_everything_identical():
    y = np.array([0, 0, 0, 1])
    for algorithm in EXACT:
        counts = neighbor_class_counts(np.ones((4, 2)), y, 2, 2, algorithm=algorithm)
        assert_array_equal(counts[[0, 3]], [[4 / 3, 2 / 3], [2, 0]])


def test_differences_below_the_tolerance_are_ties_and_above_are_not():
    X = np.array([[0.0], [1.0], [-1.0 - 5e-10]])
    y = np.array([0, 0, 1])
    assert_array_equal(neighbor_class_counts(X, y, 2, 1, queries=[0]), [[0.5, 0.5]])
    X[2] = -1 - 5e-9
    assert_array_equal(neighbor_class_counts(X, y, 2, 1, queries=[0]), [[1, 0]])


small_integers = hnp.arrays(
    np.int64, st.tuples(st.integers(4, 30), st.integers(1, 3)), elements=st.integers(-2, 2)
)


@settings(max_examples=60)
@given(X=small_integers, data=st.data())
def test_equals_the_literal_definition(X, data):
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X))))
    k = data.draw(st.integers(1, len(X) - 1))
    expected = literal_counts(X, y, 3, k, range(len(X)))
    for algorithm in EXACT:
        counts = neighbor_class_counts(X.astype(float), y, 3, k, algorithm=algorithm)
        assert_array_equal(counts, expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "FEW_DISTANCES", 0)
        assert_array_equal(neighbor_class_counts(X.astype(float), y, 3, k), expected)


@pytest.mark.parametrize("n_rows", [400, 3000])
@pytest.mark.parametrize("is_coarse", [False, True])
def test_queries_may_come_in_any_order_and_twice(n_rows, is_coarse):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 6))
    X = np.round(X) if is_coarse else X
    y = rng.integers(0, 3, n_rows)
    all_counts = neighbor_class_counts(X, y, 3, 5)
    queries = np.append(rng.permutation(n_rows), [3, 3, 0])
    assert_array_equal(neighbor_class_counts(X, y, 3, 5, queries=queries), all_counts[queries])


@pytest.fixture(scope="module")
def coarse():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 5, (1500, 5)).astype(float)
    y = rng.integers(0, 3, len(X))
    queries = np.arange(0, len(X), 7)
    return X, y, queries, literal_counts(X, y, 3, 5, queries)


@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_algorithm_threads_and_dtype_change_nothing(
    coarse, trying, screen, algorithm, n_jobs, dtype
):
    X, y, queries, expected = coarse
    counts = neighbor_class_counts(
        X.astype(dtype), y, 3, 5, queries=queries, algorithm=algorithm, n_jobs=n_jobs
    )
    assert_array_equal(counts, expected)


@pytest.mark.parametrize("algorithm", EXACT)
def test_row_order_and_memory_order_change_nothing(coarse, searching, screen, algorithm):
    X, y, queries, expected = coarse
    order = np.random.default_rng(1).permutation(len(X))
    place = np.argsort(order)[queries]
    shuffled = np.asfortranarray(X[order])
    counts = neighbor_class_counts(shuffled, y[order], 3, 5, queries=place, algorithm=algorithm)
    assert_array_equal(counts, expected)


@pytest.mark.parametrize("size", [1, 13, 10_000])
def test_block_size_changes_nothing(coarse, searching, monkeypatch, size):
    X, y, queries, expected = coarse
    monkeypatch.setattr(choice, "_screen", search.MatrixSearch)
    monkeypatch.setattr(choice, "_FEW_QUERIES", 0)
    monkeypatch.setattr(search.MatrixSearch, "block_size", size)
    monkeypatch.setattr(search.MatrixSearch, "_first_lot", min(size, 64))
    monkeypatch.setattr(search.MatrixSearch, "_chunk", size)
    monkeypatch.setattr(search, "BLOCK_NUMBERS", 100 * size)
    some = slice(None) if size > 1 else slice(None, 9)
    counts = neighbor_class_counts(X, y, 3, 5, queries=queries[some])
    assert_array_equal(counts, expected[some])


def test_order_and_repetition_of_queries():
    counts = neighbor_class_counts(LINE, LINE_Y, 2, 2)
    for algorithm in EXACT:
        some = neighbor_class_counts(LINE, LINE_Y, 2, 2, queries=[4, 0, 4], algorithm=algorithm)
        assert_array_equal(some, counts[[4, 0, 4]])
    assert neighbor_class_counts(LINE, LINE_Y, 2, 2, queries=[]).shape == (0, 2)


def continuous(n=3000, d=4, seed=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


def neighbour_shares(X, y, k=5):
    """Scikit-learn's answer; without ties there is only one."""
    model = KNeighborsClassifier(k, algorithm="kd_tree").fit(X, y)
    rows = model.kneighbors(return_distance=False)
    return np.column_stack([(y[rows] == c).sum(axis=1) for c in range(2)])


@pytest.mark.parametrize("algorithm", EXACT)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_continuous_data_however_far_from_zero(trying, screen, algorithm, offset):
    X, y = continuous()
    X = (X + offset) - offset
    counts = neighbor_class_counts(X + offset, y, 2, 5, algorithm=algorithm)
    assert_array_equal(counts, neighbour_shares(X, y))


@pytest.mark.parametrize("scale", [1e-200, 1e-20, 1e30, 1e200])
def test_huge_and_tiny_numbers(searching, screen, scale):
    X, y = continuous(500)
    assert_array_equal(neighbor_class_counts(X * scale, y, 2, 5), neighbour_shares(X, y))


def test_tight_clusters_need_and_get_double_precision(searching, screen):
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (2000, 3)) * 1e3 + 1e-6 * rng.standard_normal((2000, 3))
    y = rng.integers(0, 2, 2000)
    space = points.MinkowskiSpace(X, 2.0)
    assert not search.MatrixSearch(space, np.float32).is_sharp(X[:30], 6)
    expected = neighbor_class_counts(X, y, 2, 5, algorithm="kd_tree")
    assert_array_equal(neighbor_class_counts(X, y, 2, 5, algorithm="brute"), expected)
    single = search.MatrixSearch(space, np.float32)
    double = search.MatrixSearch(space, np.float64)
    found = [
        {(q, p) for q, p in zip(*search.pairs(X[:20], 6)[:2], strict=True)}
        for search in (single, double)
    ]
    assert len(found[0] & found[1]) >= 20 * 6


@pytest.mark.parametrize("intrinsic", [2, 20])
def test_pilot_keeps_the_answer(trying, intrinsic):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, intrinsic)) @ rng.standard_normal((intrinsic, 20))
    y = rng.integers(0, 2, len(X))
    queries = np.arange(0, 4000, 5)
    assert_array_equal(
        neighbor_class_counts(X, y, 2, 5, queries=queries, n_jobs=2),
        neighbor_class_counts(X, y, 2, 5, queries=queries, algorithm="ball_tree"),
    )


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_sparse_rows(coarse, monkeypatch, kind, metric):
    X, y, queries, _ = coarse
    X = np.hstack([X, np.ones((len(X), 1))])
    expected = neighbor_class_counts(X, y, 3, 5, queries=queries, metric=metric)
    for cells in (0, 10**9):
        monkeypatch.setattr(counting, "FEW_CELLS", cells)
        counts = neighbor_class_counts(kind(X), y, 3, 5, queries=queries, metric=metric)
        assert_array_equal(counts, expected)


def total_difference(a, b):
    return np.abs(a - b).sum()


WEIGHTS = {"p": 3, "w": np.array([1.0, 2.0, 3.0])}


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("manhattan", {}),
        ("chebyshev", {}),
        ("minkowski", {"p": 3}),
        ("minkowski", WEIGHTS),
        ("seuclidean", {}),
        ("mahalanobis", {}),
        ("canberra", {}),
        ("cosine", {}),
        ("hamming", {}),
        ("jaccard", {}),
        ("braycurtis", {}),
        (total_difference, {}),
    ],
)
def test_any_metric(searching, metric, params):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (150, 3)).astype(float)
    X[:, 0] += 1
    y = rng.integers(0, 2, len(X))
    data = X.astype(bool) if metric == "jaccard" else X
    table = pairwise_distances(data, metric=metric, **params).round(9)
    expected = [_from_table(np.delete(row, i), np.delete(y, i), 4) for i, row in enumerate(table)]
    algorithms = ["auto", "brute"]
    if metric in ("manhattan", "chebyshev", "minkowski", "seuclidean"):
        algorithms += ["kd_tree"]
    if metric not in ("cosine", "braycurtis"):
        algorithms += ["ball_tree"]
    for algorithm in algorithms:
        counts = neighbor_class_counts(
            X, y, 2, 4, metric=metric, metric_params=params, algorithm=algorithm
        )
        assert_array_equal(counts, expected)


def _from_table(distances, y, k):
    kth = np.sort(distances)[k - 1]
    nearer, tied = y[distances < kth], y[distances == kth]
    places = k - len(nearer)
    return [
        (np.sum(nearer == c) * len(tied) + places * np.sum(tied == c)) / len(tied) for c in (0, 1)
    ]


def test_parallel_rows_are_equal_for_the_cosine():
    X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [0.1, 0.1], [0.0, 1.0]])
    counts = neighbor_class_counts(X, np.array([0, 0, 1, 1, 1]), 2, 1, metric="cosine")
    assert_array_equal(counts[0], [1 / 3, 2 / 3])


class ForgetfulNeighbors:
    """Finds neighbours among every other row only; no parameters, no self in its lists."""

    def fit(self, X):
        self.X = X
        return self

    def kneighbors(self, X, n_neighbors, return_distance):
        distances = pairwise_distances(X, self.X[::2])
        distances[distances == 0] = np.inf
        order = np.argsort(distances, axis=1)[:, :n_neighbors]
        return np.take_along_axis(distances, order, axis=1).astype(np.float32), 2 * order


@pytest.mark.parametrize("params", [{}, {"algorithm": "ball_tree"}, {"metric": "manhattan"}])
def test_exact_neighbors_object(searching, params):
    X, y = continuous(600)
    given_object = NearestNeighbors(**params)
    counts = neighbor_class_counts(X, y, 2, 5, neighbors=given_object)
    metric = params.get("metric", "euclidean")
    assert_array_equal(counts, neighbor_class_counts(X, y, 2, 5, metric=metric))
    assert not hasattr(given_object, "n_features_in_")


def test_exact_neighbors_object_on_ties():
    for metric in ("euclidean", "hamming"):
        X = np.vstack([LINE, LINE, LINE + 40])
        y = np.tile(LINE_Y, 3)
        expected = neighbor_class_counts(X, y, 2, 4, metric=metric)
        given_object = NearestNeighbors(metric=metric)
        assert_array_equal(neighbor_class_counts(X, y, 2, 4, neighbors=given_object), expected)


def test_approximate_object_is_used_and_judged():
    X, y = continuous(600)
    with pytest.warns(UserWarning, match=r"change the counts of about \d+\.\d% of the rows"):
        counts = neighbor_class_counts(X, y, 2, 5, neighbors=ForgetfulNeighbors())
    half = np.arange(0, 600, 2)
    expected = neighbor_class_counts(X[half], y[half], 2, 5)
    assert_array_equal(counts[half], expected)


class ShortLists(ForgetfulNeighbors):
    def kneighbors(self, X, n_neighbors, return_distance):
        return np.zeros((len(X), 1)), np.full((len(X), 1), -1)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"k": 6}, "n_neighbors=6 needs at least 7 rows, got 6."),
        ({"algorithm": "lsh"}, "algorithm must be one of 'auto', 'brute', .* got 'lsh'."),
        (
            {"algorithm": "kd_tree", "metric": "cosine"},
            "algorithm='kd_tree' cannot search with metric='cosine'; 'brute' can.",
        ),
        (
            {"algorithm": "ball_tree", "metric": "minkowski", "metric_params": {"p": 0.5}},
            "algorithm='ball_tree' cannot search with metric='minkowski'; 'brute' can.",
        ),
        (
            {"neighbors": ShortLists()},
            r"kneighbors must give 4 neighbours for each of 6 rows, got .* with 6 missing.",
        ),
    ],
)
def test_errors_are_one_sentence(kwargs, message):
    k = kwargs.pop("k", 2)
    with pytest.raises(ValueError, match=f"^{message}$"):
        neighbor_class_counts(LINE, LINE_Y, 2, k, **kwargs)


def test_sparse_trees_are_refused(monkeypatch):
    monkeypatch.setattr(counting, "FEW_CELLS", 0)
    with pytest.raises(ValueError, match="'kd_tree' cannot search with sparse X"):
        neighbor_class_counts(csr_array(LINE), LINE_Y, 2, 2, algorithm="kd_tree")


@pytest.mark.parametrize("group", [2, 6, 7, 222, 99_991])
def test_round_half_up_survives_noise(group):
    halves = np.arange(7) + 0.5
    shares = np.full(group, 1 / group)
    assert_array_equal(round_half_up(halves * shares.sum()), np.arange(1, 8))
    assert_array_equal(round_half_up(halves - 1e-10), np.arange(1, 8))
    assert_array_equal(round_half_up(halves - 1e-6), np.arange(7))
    assert_array_equal(round_half_up(np.arange(7.0)), np.arange(7))


def test_weights_of_the_largest_difference_are_a_mask_as_in_scipy():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]]), np.array([0, 0, 1])
    params = {"p": np.inf, "w": [10.0, 1.0]}
    counts = neighbor_class_counts(
        X, y, 2, 1, queries=[0], metric="minkowski", metric_params=params
    )
    np.testing.assert_array_equal(counts, [[1.0, 0.0]])


@pytest.mark.parametrize(
    ("metric", "params", "message"),
    [
        ("minkowski", {"w": [-1.0, 1.0]}, "w of metric_params must be 2 numbers"),
        ("minkowski", {"w": [1.0]}, "w of metric_params must be 2 numbers"),
        ("minkowski", {"P": 1}, "a parameter of the metric 'minkowski' must be one of"),
        ("minkowski", {"p": np.nan}, "p of metric_params"),
        ("minkowski", {"p": 0}, "p of metric_params"),
        ("seuclidean", {"V": [1.0]}, "V of metric_params must be 2 numbers"),
    ],
)
def test_bad_parameters_of_a_metric(metric, params, message):
    X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=message):
        neighbor_class_counts(X, y, 2, 3, metric=metric, metric_params=params)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize(
    ("metric", "params", "scale"),
    [
        ("minkowski", {"p": 10}, 2.0**130),
        ("minkowski", {"p": 10}, 2.0**-130),
        ("minkowski", {"p": 6}, 2.0**190),
        ("minkowski", {"p": 100}, 2.0**-10),
        ("seuclidean", {}, 2.0**660),
        ("seuclidean", {}, 2.0**-660),
    ],
)
def test_the_unit_of_the_features_does_not_matter(algorithm, metric, params, scale):
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 3)), rng.integers(2, size=200)
    options = {"metric": metric, "metric_params": params, "algorithm": algorithm}
    expected = neighbor_class_counts(X, y, 2, 5, **options)
    np.testing.assert_array_equal(neighbor_class_counts(scale * X, y, 2, 5, **options), expected)


def test_one_cell_beside_which_all_others_vanish_is_refused():
    X, y = np.random.default_rng(0).random((50, 2)), np.arange(50) % 2
    X[3, 1] = 1e200
    with pytest.raises(ValueError, match=r"numbers of comparable size .*, got 1e\+200 beside"):
        neighbor_class_counts(X, y, 2, 5)


def test_long_lists_are_asked_for_in_parts(monkeypatch):
    from icost._neighbors import trees

    X, y = np.random.default_rng(0).random((300, 2)), np.arange(300) % 2
    expected = neighbor_class_counts(X, y, 2, 40, algorithm="kd_tree")
    monkeypatch.setattr(trees, "BLOCK_NUMBERS", 500)
    np.testing.assert_array_equal(neighbor_class_counts(X, y, 2, 40, algorithm="kd_tree"), expected)


@pytest.mark.parametrize("limit", ["FEW_DISTANCES", "_FEW_FOR_A_KERNEL"])
def test_all_distances_or_a_search_count_the_same(limit, monkeypatch):
    X, y = continuous(600)
    X[::7] = X[1::7][: len(X[::7])]
    expected = neighbor_class_counts(X, y, 2, 5)
    monkeypatch.setattr(counting, limit, 0)
    assert_array_equal(neighbor_class_counts(X, y, 2, 5), expected)
    monkeypatch.setattr(counting, "FEW_DISTANCES", 10**9)
    monkeypatch.setattr(counting, "_FEW_FOR_A_KERNEL", 10**9)
    assert_array_equal(neighbor_class_counts(X, y, 2, 5), expected)
