"""Synthetic rows in tables of all kinds."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from icost.ensemble.synthetic import add_synthetic, rows_wanted

CODES = np.repeat([0, 1], [30, 6])


def numbers():
    return np.random.default_rng(0).normal(size=(36, 3)) + CODES[:, None]


@pytest.mark.parametrize(("power", "expected"), [(1.0, 30), (0.5, 13)])
def test_how_many_rows_a_class_is_brought_to(power, expected):
    assert rows_wanted(CODES, power) == {1: expected}


def test_a_class_with_one_row_is_left_as_it_is():
    assert rows_wanted(np.array([0, 0, 0, 1, 2, 2]), 1.0) == {2: 3}


def test_the_rows_come_first_and_synthetic_ones_lie_between_them():
    X = numbers()
    new, codes = add_synthetic(X, CODES, 1.0, seed=0)
    np.testing.assert_array_equal(new[:36], X)
    assert codes[36:].tolist() == [1] * 24
    minority = X[CODES == 1]
    assert (new[36:] >= minority.min(axis=0) - 1e-12).all()
    assert (new[36:] <= minority.max(axis=0) + 1e-12).all()


def test_the_seed_decides():
    X = numbers()
    one, again, other = (add_synthetic(X, CODES, 1.0, seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_sparse_rows_stay_sparse():
    new, codes = add_synthetic(csr_array(np.abs(numbers())), CODES, 1.0, seed=0)
    assert new.shape == (60, 3) and len(codes) == 60 and new.format == "csr"


def test_gaps_are_inherited_from_the_nearer_parent():
    X = numbers()
    X[CODES == 1, 0] = [np.nan] * 6
    new, _ = add_synthetic(X, CODES, 1.0, seed=0)
    assert np.isnan(new[36:, 0]).all() and not np.isnan(new[36:, 1:]).any()
    X[-1, 0] = 1.0
    some = np.isnan(add_synthetic(X, CODES, 1.0, seed=0)[0][36:, 0])
    assert some.any() and not some.all()


def test_infinite_cells_are_refused():
    X = numbers()
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        add_synthetic(X, CODES, 1.0, seed=0)


def test_lists_and_object_arrays_with_text():
    rows = [[1.0 * i, "u" if i % 2 else "v"] for i in range(36)]
    new, _ = add_synthetic(np.array(rows, dtype=object), CODES, 1.0, seed=0)
    assert new.shape == (60, 2) and set(new[36:, 1]) <= {"u", "v"}
    assert all(isinstance(value, float) for value in new[36:, 0])


def test_text_alone():
    X = np.array([["u" if i % 3 else "v", "x"] for i in range(36)], dtype=object)
    new, _ = add_synthetic(X, CODES, 1.0, seed=0)
    assert set(new[36:, 0]) <= {"u", "v"} and set(new[36:, 1]) == {"x"}


def test_pandas_columns_keep_their_kinds():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=36),
            "text": rng.choice(["a", "b"], 36),
            "category": pd.Categorical(rng.choice(["u", "v"], 36), categories=["w", "v", "u"]),
            "gap": np.where(np.arange(36) % 5 == 0, None, "z"),
        },
        index=np.arange(100, 136),
    )
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    assert list(new.columns) == list(frame.columns) and len(new) == 60
    assert new["category"].dtype == frame["category"].dtype
    assert new["number"].dtype == np.float64
    assert set(new["gap"][36:].dropna()) <= {"z"}
    assert new[:36].reset_index(drop=True).equals(frame.reset_index(drop=True))


def test_polars_columns_keep_their_kinds():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"n": rng.normal(size=36), "t": rng.choice(["a", "b"], 36).tolist()})
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    assert new.shape == (60, 2) and new["t"].dtype == pl.String
