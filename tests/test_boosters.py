import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.preprocessing import StandardScaler

import icost
from icost import GiniComplexity, NeighborComplexity
from icost.boosters import eval_weights

# Minority at 0, 1 and 2, majority from 10 on: an IR of 2.
X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0], [14.0], [15.0]])
Y = np.array(["ill"] * 3 + ["well"] * 6)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree"])
def test_the_unit_of_the_features_does_not_matter(scale, algorithm):
    rng = np.random.default_rng(0)
    table, rows = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    y, labels = np.arange(60) % 3 == 0, np.arange(40) % 2 == 0
    measure = NeighborComplexity(3, algorithm=algorithm)
    expected = eval_weights(table, y, rows, labels, measure)
    assert len(np.unique(expected)) > 3
    scaled = eval_weights(scale * table, y, scale * rows, labels, measure)
    np.testing.assert_array_equal(scaled, expected)


def test_neighbours_are_sought_among_the_training_rows():
    # Of the three nearest training rows of 1.5, none is of the majority; of those of 6.1, two.
    weights = eval_weights(
        X, Y, [[1.5], [6.1], [30.0], [1.5]], ["ill", "ill", "ill", "well"], n_neighbors=3
    )
    np.testing.assert_allclose(weights, [2 * 0.5, 2 * 1.25, 2 * 0.2, 1.0])


def test_a_training_row_in_the_same_place_is_a_neighbour():
    weights = eval_weights(X, Y, [[10.0]], ["ill"], n_neighbors=1)
    assert weights.tolist() == [2 * 0.2]


def test_leaves_are_those_of_the_training_rows():
    measure = GiniComplexity(max_depth=1, min_samples_leaf=1)
    weights = eval_weights(X, Y, [[-5.0], [40.0], [40.0]], ["ill", "ill", "well"], measure)
    np.testing.assert_allclose(weights, [2 * 0.5, 2 * 0.2, 1.0])


@pytest.mark.parametrize(("method", "penalty"), [("ncs", 1.0), ("cs", 6.0)])
def test_class_level_weights(method, penalty):
    weights = eval_weights(X, Y, [[0.0], [0.0]], ["ill", "well"], method, scale=3.0)
    np.testing.assert_allclose(weights, [penalty, 1.0])


def test_no_costs_are_ones_to_the_last_bit():
    # An IR of 49, for which (1 / IR) * IR is a bit less than 1.
    y = np.repeat(["ill", "well"], [1, 49])
    weights = eval_weights(
        np.arange(50.0).reshape(-1, 1), y, [[0.0], [9.0]], ["ill", "well"], "ncs"
    )
    assert weights.tolist() == [1.0, 1.0]


def test_costs_of_ones_own_and_named_minority():
    options = {"minority_label": "well", "cost_factor": {"cfp": 7.0}}
    weights = eval_weights(X, Y, [[12.0], [1.0]], ["well", "ill"], n_neighbors=2, **options)
    assert weights.tolist() == [7.0, 1.0]
    measure = NeighborComplexity(1, metric="manhattan", categories=[0.5, 3.0])
    assert eval_weights(X, Y, [[13.0]], ["ill"], measure).tolist() == [6.0]


def test_columns_must_be_those_of_the_training_rows():
    frame = pd.DataFrame({"a": X[:, 0], "b": -X[:, 0]})
    with pytest.raises(ValueError, match="names must be in the same order"):
        eval_weights(frame, Y, frame[["b", "a"]], Y)
    with pytest.raises(ValueError, match="has 1 features, but iCost is expecting 2"):
        eval_weights(frame.to_numpy(), Y, X, Y)


@pytest.mark.parametrize("method", ["neighbor", "tree", "cs"])
def test_sparse_rows_weigh_what_dense_ones_do(method):
    queries, labels = [[1.0], [11.0], [0.0]], ["ill", "ill", "well"]
    options = {"n_neighbors": 2, "tree_min_samples_leaf": 1, "random_state": 0}
    expected = eval_weights(X, Y, queries, labels, method, **options)
    for kind in (csr_array, csr_matrix, csc_array):
        weights = eval_weights(kind(X), Y, kind(queries), labels, method, **options)
        assert weights.tolist() == expected.tolist()


def test_missing_cells_take_the_median_of_the_training_rows():
    filled = eval_weights(X, Y, [[11.0]], ["ill"])
    assert eval_weights(X, Y, [[np.nan]], ["ill"]).tolist() == filled.tolist()


def test_a_preprocessor_is_fitted_to_the_training_rows():
    rng = np.random.default_rng(0)
    wide = np.column_stack([X[:, 0], 1e6 * rng.normal(size=len(X))])
    rows = np.array([[0.5, 0.0], [11.5, 0.0]])
    scaler = StandardScaler().fit(wide)
    expected = eval_weights(
        scaler.transform(wide), Y, scaler.transform(rows), ["ill"] * 2, n_neighbors=2
    )
    weights = eval_weights(wide, Y, rows, ["ill"] * 2, n_neighbors=2, preprocessor=StandardScaler())
    assert weights.tolist() == expected.tolist()


def test_an_evaluation_set_without_minority_rows():
    for method in ("neighbor", "tree"):
        assert eval_weights(X, Y, [[1.0]], ["well"], method).tolist() == [1.0]


class Above(icost.BaseComplexity):
    """A measure of a user's: hard is what lies above the mean of the training minority."""

    def _estimate(self, X, is_minority, **_):
        return self._judge(X[is_minority], X[is_minority])

    def _estimate_new(self, X, codes, X_new, codes_new, minorities, **_):
        return [self._judge(X[m[codes]], X_new[m[codes_new]]) for m in minorities]

    def _judge(self, minority, rows):
        is_high = np.ravel(rows[:, 0] > minority[:, 0].mean())
        return np.where(is_high, "high", "safe"), is_high.astype(float)

    def _own_costs(self):
        return {"high": 3.0}


def test_a_measure_of_ones_own_weighs_an_evaluation_set():
    # The mean of the training minority is 1; an IR of 2. How the evaluation set lies is no matter.
    rows, labels = [[0.9], [1.1], [40.0], [50.0]], ["ill", "ill", "ill", "well"]
    weights = eval_weights(X, Y, rows, labels, Above(), cfs=0.25)
    assert weights.tolist() == [2 * 0.25, 2 * 3.0, 2 * 3.0, 1.0]
    pairs = zip(rows, labels, strict=True)
    one_by_one = [eval_weights(X, Y, [row], [label], Above(), cfs=0.25)[0] for row, label in pairs]
    assert one_by_one == weights.tolist()


def test_its_training_rows_weigh_the_same_as_evaluation_set():
    expected = icost.instance_weights(X, Y, Above())
    assert eval_weights(X, Y, X, Y, Above()).tolist() == expected.tolist()
    scaled = {"preprocessor": StandardScaler()}
    assert eval_weights(X, Y, X, Y, Above(), **scaled).tolist() == expected.tolist()


class OwnComplexity(icost.BaseComplexity):
    def _estimate(self, X, is_minority, **_):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: eval_weights(X, np.arange(9) % 3, X, np.arange(9) % 3),
            "one weight per row, got 3: use iCost",
        ),
        (lambda: eval_weights(X, Y, [[0.0]], ["dead"]), "must be one of the classes 'ill', 'well'"),
        (lambda: eval_weights(X, Y, [[0.0]], ["ill"], OwnComplexity()), "got OwnComplexity"),
        (
            lambda: eval_weights(X, Y, [[0.0]], ["ill"], NeighborComplexity(metric="cosine")),
            "metric for an evaluation set must be one of",
        ),
        (
            lambda: eval_weights(
                X, Y, [[0.0]], ["ill"], NeighborComplexity(metric_params={"p": 3})
            ),
            r"^metric_params must be None for an evaluation set, got \{'p': 3\}\.$",
        ),
        (
            lambda: eval_weights(X, Y, [[0.0]], ["ill"], NeighborComplexity(neighbors=object)),
            "^neighbors must be None for an evaluation set, got <",
        ),
        (
            lambda: eval_weights(X, Y, [[0.0]], ["ill"], NeighborComplexity(algorithm="lsh")),
            "^algorithm must be one of 'auto', ",
        ),
        (lambda: eval_weights(X, Y, [[0.0]], ["ill", "ill"]), "inconsistent numbers of samples"),
        (lambda: eval_weights(X, Y, [[0.0]], ["ill"], n_neighbors=10), "at least 10 rows, got 9"),
        (lambda: eval_weights(X, Y, [[0.0]], ["ill"], preprocessor="no"), "preprocessor must be"),
        (
            lambda: eval_weights(X, Y, [[0.0]], ["ill"], "cs", scale=-3),
            "scale must be a finite number >= 0, got -3",
        ),
    ],
)
def test_what_cannot_be_done_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_training_rows_in_a_frame_and_evaluation_rows_in_an_array():
    frame = pytest.importorskip("pandas").DataFrame(X)
    expected = eval_weights(X, Y, X[:3], Y[:3])
    np.testing.assert_array_equal(eval_weights(frame, Y, X[:3], Y[:3]), expected)
    np.testing.assert_array_equal(eval_weights(X, Y, frame[:3], Y[:3]), expected)
