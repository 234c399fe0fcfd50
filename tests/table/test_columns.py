"""The same values have the same types and the same numbers in every library."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from icost import iCost, iCostEnsemble
from icost._table._columns import ColumnType as T
from icost._table._columns import describe_columns, read_table

LETTERS = [chr(97 + place % 26) * (1 + place // 26) for place in range(30)]

#: What a column holds, one gap among it, its type, and its first two cells once read.
COLUMNS = {
    "whole": ([1, 2, None] * 10, T.NUMBER, [1.0, 2.0]),
    "fraction": ([1.5, 2.5, None] * 10, T.NUMBER, [1.5, 2.5]),
    "truth": ([True, False, None] * 10, T.TRUTH, [1.0, 0.0]),
    "money": ([Decimal("1.10"), Decimal("2.00"), None] * 10, T.NUMBER, [1.1, 2.0]),
    "day": ([date(2024, 1, 31), date(2024, 2, 1), None] * 10, T.TIME, [1706659200, 1706745600]),
    "moment": (
        [datetime(2024, 1, 31, 12, 0, 0, 250000), datetime(2024, 2, 1), None] * 10,
        T.TIME,
        [1706702400.25, 1706745600],
    ),
    "zoned": (
        [datetime(2024, 1, 31, tzinfo=timezone(timedelta(hours=1))), None, None] * 10,
        T.TIME,
        [1706655600, np.nan],
    ),
    "span": ([timedelta(days=1), timedelta(seconds=90), None] * 10, T.NUMBER, [86400, 90]),
    "level": (["b", "a", None] * 10, T.LEVEL, ["b", "a"]),
    "code": ([*LETTERS[:29], None], T.IDENTIFIER, None),
    "many": ([*LETTERS[:22], *LETTERS[:22]], T.MANY, ["a", "b"]),
    "text": ([f"the {name} came home" for name in LETTERS], T.TEXT, None),
    "ISO": (["2024-01-31", "2024-02-01", None] * 10, T.TIME, [1706659200, 1706745600]),
    "German": (["31.1.2024", "01.02.2024", None] * 10, T.TIME, [1706659200, 1706745600]),
    "US": (["1/31/2024", "02/01/2024", None] * 10, T.TIME, [1706659200, 1706745600]),
    "slashes": (["2024/01/31", "2024/02/01", None] * 10, T.TIME, [1706659200, 1706745600]),
    "with zone": (["2024-01-31T01:00:00+01:00", None, None] * 10, T.TIME, [1706659200, np.nan]),
    "half days": (["1/31/2024 1:30 PM", None, None] * 10, T.TIME, [1706707800, np.nan]),
    "one value": (["x"] * 30, T.CONSTANT, None),
    "one number": ([7] * 30, T.CONSTANT, None),
    "nothing": ([None] * 30, T.CONSTANT, None),
}
LIBRARIES = {
    "pandas": lambda cells: pd.DataFrame({"c": cells}),
    "pandas of Arrow": lambda cells: pa.table({"c": cells}).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda cells: pl.DataFrame({"c": cells}),
    "Arrow": lambda cells: pa.table({"c": cells}),
    "NumPy": lambda cells: np.array([[cell] for cell in cells], dtype=object),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_the_same_in_every_library(name, library):
    cells, kind, expected = COLUMNS[name]
    table = read_table(LIBRARIES[library](cells))
    assert table.types.columns[0].type == kind
    if expected is not None:
        read = table.cells(table.types.columns[0].name)
        np.testing.assert_array_equal(read[:2], np.array(expected, dtype=read.dtype))
        again = read_table(LIBRARIES[library](cells[::-1]), table.types)
        np.testing.assert_array_equal(
            again.cells(table.types.columns[0].name).astype(str), read[::-1].astype(str)
        )


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_units_of_time_change_nothing(unit):
    times = pd.Series(pd.date_range("2024-01-01", periods=9, freq="90min"))
    expected = read_table(times.astype("datetime64[ns]").to_frame("t")).numbers
    frames = [
        times.astype(f"datetime64[{unit}]").to_frame("t"),
        times.dt.tz_localize("UTC").dt.tz_convert("America/New_York").to_frame("t"),
        pl.DataFrame({"t": times.to_numpy()}).cast(pl.Datetime(unit if unit != "s" else "ms")),
        pa.table({"t": pa.array(times.to_numpy()).cast(pa.timestamp(unit, "Asia/Tokyo"))}),
        times.astype(str).to_frame("t"),
    ]
    for frame in frames:
        np.testing.assert_array_equal(read_table(frame).numbers, expected)


def test_dictionaries_and_categories_of_text_are_text():
    days = [f"2024-01-{day:02}" for day in range(1, 25)]
    for frame in (
        pd.DataFrame({"c": pd.Categorical(days)}),
        pl.DataFrame({"c": pl.Series(days, dtype=pl.Categorical)}),
        pa.table({"c": pa.array(days).dictionary_encode()}),
    ):
        assert read_table(frame).types.columns[0].type == T.TIME
    numbers = read_table(pd.DataFrame({"c": pd.Categorical([1, 2, 1])}))
    assert numbers.types.columns[0].type == T.LEVEL and numbers.levels[0].tolist() == ["1", "2"]


def test_dates_that_can_be_read_either_way_are_refused():
    frame = pd.DataFrame({"when": ["01/02/2024", "03/04/2024"]})
    with pytest.raises(ValueError, match="'when' has dates such as '01/02/2024'.*--day-first"):
        read_table(frame)
    days = read_table(frame, day_first=True)
    months = read_table(frame, day_first=False)
    assert days.numbers[0, 0] - months.numbers[0, 0] == 30 * 86400
    # The form is remembered, also for rows that could be read either way.
    german = read_table(pd.DataFrame({"when": ["31/01/2024", "01/02/2024"]}))
    new = read_table(frame, german.types)
    assert new.numbers[0, 0] == days.numbers[0, 0]
    # One column with both orders has no dates.
    both = read_table(pd.DataFrame({"when": ["31/01/2024", "01/31/2024"]}))
    assert both.types.columns[0].type == T.LEVEL


def test_days_that_do_not_exist_make_no_dates():
    assert read_table(pd.DataFrame({"v": ["2024-02-30", "2024-02-01"]})).types.columns[0].type == (
        T.LEVEL
    )


def test_new_rows_are_read_as_the_training_rows():
    train = pd.DataFrame(
        {"n": [1.0, 2.0], "d": ["2024-01-31", "2024-02-01"], "l": ["a", "b"], "one": [1, 1]}
    )
    types = read_table(train).types
    new = train.assign(l=["zebra", None], d=[None, None], one=["text", []], n=[None, 3])
    table = read_table(new, types)
    assert np.isnan(table.cells("d")).all() and table.cells("l").tolist() == ["zebra", None]
    times = read_table(train.assign(d=pd.to_datetime(train["d"])), types)
    np.testing.assert_array_equal(times.numbers, read_table(train, types).numbers)
    for column, message in [
        ({"n": ["7", "x"]}, "column 'n' must hold numbers, as in training, got '7' in row 1"),
        ({"d": ["2024-01-31", "soon"]}, "column 'd' must hold dates.*got 'soon' in row 2"),
        ({"d": [3, 4]}, "column 'd' must hold dates, as in training, got numbers"),
        (
            {"n": pd.to_datetime(["2024", "2025"])},
            "'n' must hold numbers, as in training, got times",
        ),
        ({"l": [["a"], ["b"]]}, "column 'l' has a list in a cell"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_table(train.assign(**column), types)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"c": [1j, 2j]}), "'c' must hold no complex numbers"),
        (pd.DataFrame({"c": [1.0, np.inf]}), "column 'c' must be finite, got infinity in row 2"),
        (pd.DataFrame({"c": [1.0, -1e39]}), "numbers of at most 1e.38, got -1e.39 in row 2"),
        (pd.DataFrame([[1, 2]], columns=["c", "c"]), "Column names must be unique"),
        (pd.DataFrame({"c": []}), "at least one row"),
        (pl.LazyFrame({"c": [1]}), "a LazyFrame: call collect"),
    ],
)
def test_what_is_no_table_is_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        read_table(frame)


def test_types_can_be_given():
    frame = pd.DataFrame(
        {"a": LETTERS, "b": LETTERS, "c": range(30), "d": ["2024-01-31"] * 29 + ["soon"]}
    )
    table = read_table(frame, text=["a"], level=["b", "c"], drop=["d"])
    assert [column.type for column in table.types.columns] == [T.TEXT, T.MANY, T.MANY, T.DROPPED]
    with pytest.raises(ValueError, match="column 'd' must hold dates .*got 'soon'"):
        read_table(frame, date=["d"])
    with pytest.raises(ValueError, match=r"no column 'aa'"):
        read_table(frame, text=["aa"])
    with pytest.raises(ValueError, match="column 'a' must be given one type, got two"):
        read_table(frame, text=["a"], level=["a"])


def test_rows_are_taken_with_the_types_of_all():
    table = read_table(pd.DataFrame({"n": [1.0, 2.0, 3.0], "l": ["a", "b", None]}))
    part = table.take([2, 0])
    assert part.numbers[:, 0].tolist() == [3, 1] and part.cells("l").tolist() == [None, "a"]
    assert part.types is table.types and read_table(part) is part


def test_what_becomes_of_columns_is_said():
    frame = pd.DataFrame({name: column[0] for name, column in COLUMNS.items() if name != "many"})
    lines = describe_columns(read_table(frame).types)
    assert lines[0] == "4 numbers" and "'code': an identifier, left out" in lines
    assert (
        "'text': text" in lines
        and "'one value', 'one number', 'nothing': one value, left out" in lines
    )


@pytest.mark.parametrize("model", [iCost(), iCostEnsemble()], ids=lambda m: type(m).__name__)
def test_estimators_refuse_what_is_not_in_memory(model):
    with pytest.raises(ValueError, match="must be a table in memory, got a LazyFrame"):
        model.fit(pl.LazyFrame({"c": [1.0, 2.0]}), [0, 1])
