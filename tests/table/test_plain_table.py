import numpy as np
import pandas as pd
import pytest

from icost._core.arrays import column_ends
from icost._table._columns import level_name, numbered_times, numeric_columns, plain_table

TABLE = pd.DataFrame(
    {
        "n": [1, 2, 3],
        "flag": [True, False, True],
        "gap": pd.array([1, None, 3], dtype="Int64"),
        "when": pd.to_datetime(["1970-01-01", None, "1970-01-02"]),
        "text": ["a", None, "b"],
        "level": pd.Categorical(["u", "v", None]),
    }
)


def test_plain_columns_are_floats_times_or_text():
    plain = plain_table(TABLE)
    assert numeric_columns(plain) == ["n", "flag", "gap"] and plain["when"].dtype.kind == "M"
    assert numbered_times(plain)["when"].fillna(-1).tolist() == [0.0, -1.0, 86400.0]
    assert plain["gap"].fillna(-1).tolist() == [1.0, -1.0, 3.0]
    assert plain["text"].fillna("?").tolist() == ["a", "?", "b"]
    assert plain["text"].dtype == plain["level"].dtype == object


@pytest.mark.parametrize(("names", "twice"), [(["c", "d", "c"], "c"), (["1", 1, 2], "1")])
def test_columns_of_the_same_name_are_refused(names, twice):
    with pytest.raises(ValueError, match=f"names must be unique, got '{twice}' more than"):
        plain_table(pd.DataFrame([[1, 2, 3]], columns=names))


def test_numbers_in_columns_of_objects_and_spans_of_time_are_numbers():
    table = pd.DataFrame(
        {
            "n": pd.Series([1, 2.5, None], dtype=object),
            "flag": pd.Series([True, None, False], dtype=object),
            "span": pd.to_timedelta([1, 2, None], unit="h"),
            "either": pd.Series([1, "two", None], dtype=object),
            "nothing": pd.Series([None, None, None], dtype=object),
        }
    ).set_axis([5, 6, 7])
    plain = plain_table(table)
    assert numeric_columns(plain) == ["n", "flag", "span", "nothing"]
    assert plain[["n", "flag", "span"]].fillna(-1).to_numpy().tolist() == [
        [1.0, 1.0, 3600.0],
        [2.5, -1.0, 7200.0],
        [-1.0, 0.0, -1.0],
    ]
    assert plain["either"].fillna("?").tolist() == ["1", "two", "?"]
    assert plain.index.tolist() == [5, 6, 7]


@pytest.mark.parametrize("levels", [["b", None, "a", "b"], [7.0, None, 7.5, 7.0], [1, None, 2, 1]])
def test_categories_become_the_text_of_their_cells(levels):
    column = pd.Series(levels, dtype="category", index=[5, 6, 7, 8], name="t")
    plain = plain_table(column.to_frame())["t"]
    expected = [np.nan if pd.isna(cell) else level_name(cell) for cell in column]
    pd.testing.assert_series_equal(
        plain, pd.Series(expected, dtype=object, index=column.index, name="t")
    )


@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 2), (5, 0), (100, 1), (1001, 7), (400, 100), (9, 2000)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ends_of_columns_are_those_of_numpy(shape, dtype):
    X = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    for table in (X, np.asfortranarray(X), X[::-1], np.repeat(X, 2, axis=0)[::2]):
        low, high = column_ends(table)
        assert low.dtype == high.dtype == dtype
        np.testing.assert_array_equal(low, X.min(axis=0))
        np.testing.assert_array_equal(high, X.max(axis=0))


def test_the_last_rows_have_a_part_in_the_ends_of_columns():
    X = np.zeros((1003, 3))
    X[-1] = [1, 2, 3]
    X[0] = [-1, -2, -3]
    low, high = column_ends(X)
    assert (low.tolist(), high.tolist()) == ([-1, -2, -3], [1, 2, 3])


def test_a_number_is_the_same_level_beside_gaps():
    assert [level_name(value) for value in ("a", 7, 7.0, 7.5)] == ["a", "7", "7", "7.5"]
