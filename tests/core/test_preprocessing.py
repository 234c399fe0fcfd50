import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse

from icost._core.preprocessing import (
    TableEncoder,
    column_ends,
    encode_parts,
    level_name,
    make_preprocessor,
    number_levels,
    numbered_blocks,
    numeric_columns,
    plain_table,
)
from icost._core.validation import take_rows

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


def test_plain_columns_are_floats_or_text():
    plain = plain_table(TABLE)
    assert numeric_columns(plain) == ["n", "flag", "gap", "when"]
    assert plain["when"].fillna(-1).tolist() == [0.0, -1.0, 86400.0]
    assert plain["gap"].fillna(-1).tolist() == [1.0, -1.0, 3.0]
    assert plain["text"].fillna("?").tolist() == ["a", "?", "b"]
    assert plain["text"].dtype == plain["level"].dtype == object


def test_numbers_are_imputed_and_scaled_text_is_encoded():
    plain = plain_table(TABLE[["gap", "text"]])
    encoded = make_preprocessor(plain, "none").fit_transform(plain)
    # The median of 1 and 3; then the levels a, b and missing.
    assert encoded.tolist() == [[1, 1, 0, 0], [2, 0, 0, 1], [3, 0, 1, 0]]
    scaled = make_preprocessor(plain).fit_transform(plain)[:, 0]
    assert scaled == pytest.approx(np.array([-1, 0, 1]) * np.sqrt(1.5))


def test_new_levels_are_all_zeros():
    plain = plain_table(TABLE[["text"]])
    fitted = make_preprocessor(plain).fit(plain)
    assert fitted.transform(pd.DataFrame({"text": ["zz"]}, dtype=object)).tolist() == [[0, 0, 0]]


def test_an_unknown_scaler_is_named():
    with pytest.raises(ValueError, match="scaler must be one of"):
        make_preprocessor(plain_table(TABLE), "robust")


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
    assert numeric_columns(plain) == ["n", "flag", "span"]
    assert plain[["n", "flag", "span"]].fillna(-1).to_numpy().tolist() == [
        [1.0, 1.0, 3600.0],
        [2.5, -1.0, 7200.0],
        [-1.0, 0.0, -1.0],
    ]
    assert plain["either"].fillna("?").tolist() == ["1", "two", "?"]
    assert plain.index.tolist() == [5, 6, 7]


@pytest.mark.parametrize("scaler", ["standard", "minmax"])
def test_numbered_levels_are_encoded_as_the_text_itself(scaler):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "many": [f"level {n}" for n in rng.geometric(0.08, 300)],
            "n": rng.normal(size=300),
            "few": rng.choice(["b", "a", "Z", ""], 300),
            "gone": pd.Series([None] * 300, dtype=object),
        }
    )
    table.loc[rng.random(300) < 0.2, ["many", "n"]] = np.nan
    plain = plain_table(table).set_index(np.arange(300, 600))
    numbered = number_levels(plain)
    # Levels that the first rows lack, and gaps, are among the others.
    for train, rest in ((slice(0, 100), slice(100, 300)), (slice(0, 20), slice(20, 300))):
        fitted = [make_preprocessor(t, scaler).fit(t.iloc[train]) for t in (plain, numbered)]
        for rows in (train, rest):
            text, numbers = (
                own.transform(t.iloc[rows])
                for own, t in zip(fitted, (plain, numbered), strict=True)
            )
            assert text.tobytes() == numbers.tobytes()


def _mixed_table():
    rng = np.random.default_rng(0)
    levels = [f"level {number}" for number in rng.geometric(0.08, 300)]
    table = pd.DataFrame(
        {"many": levels, "n": rng.normal(size=300), "few": rng.choice(["b", "a", "Z", ""], 300)}
    )
    table.loc[rng.random(300) < 0.2, ["many", "n"]] = np.nan
    table["either"] = pd.Series([7, 7.0, "7", True, None, "missing"] * 50, dtype=object)
    return table


@pytest.mark.parametrize(
    "table",
    [
        _mixed_table(),
        _mixed_table().to_numpy(),
        _mixed_table().astype({"many": "category"}),
        _mixed_table()[["n"]],
        _mixed_table()[["few"]],
        csr_array(np.random.default_rng(0).poisson(0.5, (300, 4)).astype(float)),
    ],
    ids=["frame", "array", "category", "numbers", "text", "sparse"],
)
def test_parts_of_a_numbered_table_are_encoded_as_those_of_the_table(table):
    blocks = numbered_blocks(table)
    # The first rows lack levels of the others.
    for train, test in ((slice(0, 40), slice(40, 300)), (slice(150, 300), slice(0, 150))):
        rows = np.arange(300)[train], np.arange(300)[test]
        encoder = TableEncoder().fit(take_rows(table, rows[0]))
        parts = [[b if b is None else take_rows(b, chosen) for b in blocks] for chosen in rows]
        for part, chosen in zip(encode_parts(*parts), rows, strict=True):
            expected = encoder.transform(take_rows(table, chosen))
            if issparse(part):
                part, expected = part.toarray(), expected.toarray()
            assert part.tobytes() == expected.tobytes()


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


def test_equal_text_is_one_level_and_a_gap_is_another_than_the_word_missing():
    cells = ["missing", None, np.nan, 7, 7.0, "7", True, "True", np.str_("a"), "a"]
    _, levels = numbered_blocks(np.array([[cell] for cell in cells], dtype=object))
    assert levels.ravel().tolist() == [3, 4, 4, 0, 0, 0, 1, 1, 2, 2]
