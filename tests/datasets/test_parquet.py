"""Types of columns that Parquet files declare."""

import datetime
import decimal
import io

import pytest

from icost.datasets import TableError, read_frame, read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def stored(**columns):
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return io.BytesIO(buffer.getvalue())


def test_decimals_are_numbers():
    money = [decimal.Decimal("1.25"), None, decimal.Decimal("-3.50")]
    codes = [decimal.Decimal(0), decimal.Decimal(1), decimal.Decimal(0)]
    X, y = read_table(stored(money=money, y=pa.array(codes, pa.decimal128(9, 0))))
    assert X["money"].tolist()[::2] == [1.25, -3.5] and X["money"].isna()[1]
    assert y.dtype == "int64" and y.tolist() == [0, 1, 0]


def test_days_and_zoned_times_are_times():
    day = datetime.date(2024, 2, 29)
    zoned = pa.array([datetime.datetime(2024, 2, 29, 12)] * 2, pa.timestamp("us", "Europe/Berlin"))
    frame = read_frame(stored(day=[day, None], zoned=zoned))
    assert [column.dtype.kind for _, column in frame.items()] == ["M", "M"]
    assert str(frame["day"][0].date()) == "2024-02-29" and frame["day"].isna()[1]
    assert str(frame["zoned"].dt.tz) == "Europe/Berlin"


def test_dictionaries_are_levels():
    levels = pa.array(["b", "a", None, "b"]).dictionary_encode()
    frame = read_frame(stored(level=levels))
    assert frame["level"].dtype == "category" and frame["level"].tolist()[:2] == ["b", "a"]


def test_a_column_without_a_type_is_missing_numbers():
    frame = read_frame(stored(a=[1, 2], nothing=pa.nulls(2)))
    assert frame["nothing"].dtype == "float64" and frame["nothing"].isna().all()


@pytest.mark.parametrize("cells", [[[1], [2]], [{"a": 1}, {"a": 2}]])
def test_several_values_in_a_cell_are_refused(cells):
    with pytest.raises(TableError, match="column 'x' must hold one number, text or time per cell"):
        read_frame(stored(x=cells))


def test_two_columns_of_one_name_are_refused():
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), buffer)
    with pytest.raises(TableError, match="the column name 'a' occurs twice; rename one"):
        read_frame(io.BytesIO(buffer.getvalue()))
