import csv
import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icost.datasets import TableError, read_frame, read_table


def read(text, target=None, **options):
    return read_table(io.StringIO(text), target, **options)


def test_types_are_told_from_the_cells():
    X, y = read("a,b,c,d,y\n1,1.0,x,?,0\n2,?,,1,1\n")
    assert X.dtypes.astype(str).tolist() == ["int64", "float64", "category", "float64"]
    assert X["b"].isna().tolist() == [False, True]
    assert X["c"].isna().tolist() == [False, True]
    assert y.dtype == "int64"


@pytest.mark.parametrize("mark", ["", "?", "<null>", "NA", "nan", " ? "])
def test_marks_of_missing_values(mark):
    X, _ = read(f"a,b,y\n{mark},{mark},0\n1,x,1\n")
    assert X.isna().to_numpy().tolist() == [[True, True], [False, False]]
    assert X["a"].dtype == "float64"


def test_column_without_any_value_is_missing_numbers():
    X, _ = read("a,b,y\n?,1,0\n,2,1\n")
    assert X["a"].dtype == "float64" and X["a"].isna().all()


def test_blanks_and_quotes_around_cells():
    X, y = read('name, size ,y\n"Smith, J.", 3 ,no\n"say ""hi""",4, yes\n\n  \n')
    assert X["name"].tolist() == ["Smith, J.", 'say "hi"']
    assert X["size"].tolist() == [3, 4]
    assert y.tolist() == ["no", "yes"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_told_from_the_header(delimiter):
    X, y = read(delimiter.join("aby") + "\n" + delimiter.join("120") + "\n")
    assert X.columns.tolist() == ["a", "b"] and y.tolist() == [0]


def test_a_delimiter_in_a_quoted_name_does_not_count():
    X, _ = read('"a,b,c,d";y\n1;0\n')
    assert X.columns.tolist() == ["a,b,c,d"]


def test_a_delimiter_may_be_named():
    X, y = read("a b:y\n1,5:0\n", delimiter=":")
    assert X["a b"].tolist() == [1.5] and y.tolist() == [0]
    assert read_frame(io.StringIO("a:b\n1:2\n"), delimiter=":").columns.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="must be one character, got '::'"):
        read("a:y\n1:0\n", delimiter="::")
    with pytest.raises(ValueError, match="is for CSV files, got one for the format 'keel'"):
        read("@data\n", delimiter=":", format="keel")


def test_rows_without_a_class_can_be_left_out():
    text = "a,y\n1,0\n2,\n3,1\n4,?\n"
    with pytest.warns(
        UserWarning, match=r"2 rows without a class \('y'\) left out.* <stream>, line 3"
    ):
        X, y = read(text, drop_unlabelled=True)
    assert X["a"].tolist() == [1, 3] and y.tolist() == [0, 1] and list(X.index) == [0, 1]
    assert len(read("a,y\n1,0\n", drop_unlabelled=True)[0]) == 1


@pytest.mark.parametrize("name", ["class", "CLASS", " Class", "Clas"])
def test_a_target_in_the_wrong_case_is_offered(name):
    with pytest.raises(ValueError, match="did you mean 'Class'?"):
        read("a,Class\n1,2\n", name)


def test_tsv_keeps_commas(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a,b\ty\nu,v\t0\n")
    assert read_table(path)[0]["a,b"].tolist() == ["u,v"]


def test_target_by_name_and_last_by_default():
    text = "y,a,b\n0,1,2\n1,3,4\n"
    assert read(text)[1].name == "b"
    X, y = read(text, "y")
    assert y.tolist() == [0, 1] and X.columns.tolist() == ["a", "b"]


def test_unknown_target_lists_the_columns():
    with pytest.raises(ValueError, match=r"no column 'z'; its columns are 'a', 'b', 'y'\.$"):
        read("a,b,y\n1,2,3\n", "z")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,y\n1,2,0\n1,2\n", "line 3: expected 3 values, got 2"),
        ("a,b,y\n1,2,0\n\n1,2,0,4\n", "line 4: expected 3 values, got 4"),
        ('a,b,y\n"1\n2",2,0\n1\n', "line 4: expected 3 values, got 1"),
        ('a,b,y\n1,2,0\n"1,2,0\n1,2,0\n', "line 3: unexpected end of data"),
        ('a,b,y\n"1"2,2,0\n', "line 2: ',' expected after '\"'"),
        ("a,b,y\n1,2,\n", "line 2: the class 'y' is missing"),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", "line 1: expected column names, got the number '5.1'"),
        ("5,3,setosa\n4,3,setosa\n", "line 1: expected column names, got the number '5'"),
        ("a,,y\n0,1,2\n", "line 1: column 2 has no name"),
        ("a,a,y\n0,1,2\n", "the column name 'a' occurs twice"),
        ("a,b,y\n", "there are no data rows"),
        ("y\n1\n", "expected a feature and a class column, got only 'y'"),
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
    ],
)
def test_malformed_text_is_rejected_in_one_sentence(text, message):
    with pytest.raises(TableError) as caught:
        read(text, format="csv")
    assert message in str(caught.value) and str(caught.value).startswith("<stream>")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("header", ["0,1,2", "0,1,y", "1,2,y", "NA,Na,y"])
def test_counted_columns_are_names(header):
    X, _ = read(f"{header}\n5,6,7\n")
    assert len(X) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("format", [None, "csv"])
def test_encodings(encoding, format):
    X, _ = read_table(io.BytesIO("Größe,y\nÄ,1\n".encode(encoding)), format=format)
    assert X.columns.tolist() == ["Größe"] and X["Größe"].tolist() == ["Ä"]


@pytest.mark.parametrize("format", [None, "csv"])
def test_windows_text_is_read_as_such_with_one_note(format):
    content = "Größe,y\n€ 5,1\n".encode("cp1252")
    with pytest.warns(UserWarning, match="line 1: this is not UTF-8.*'Größe'") as caught:
        X, _ = read_table(io.BytesIO(content), format=format)
    assert len(caught) == 1 and X["Größe"].tolist() == ["€ 5"]
    with pytest.warns(UserWarning, match="cp1252"):
        assert read_frame(io.BytesIO(b"a\n\x81\xe4\n"))["a"].tolist() == ["\x81ä"]


def test_what_is_not_text_is_rejected():
    with pytest.raises(TableError, match="not a text file"):
        read_table(io.BytesIO(b"a,y\n\0\0"), format="csv")
    with pytest.raises(TableError, match="line 2: this is not valid utf-16 text"):
        read_table(io.BytesIO("a,y\n".encode("utf-16") + b"\0"), format="csv")


def test_format_is_told_from_the_content_of_a_stream():
    keel = "@attribute x real\n@attribute y {0,1}\n@data\n1,0\n"
    assert read_table(io.BytesIO(keel.encode()))[1].tolist() == ["0"]
    buffer = io.BytesIO()
    pd.DataFrame({"x": [1], "y": [0]}).to_parquet(buffer)
    assert read_table(io.BytesIO(buffer.getvalue()))[1].tolist() == [0]


def test_format_hint_goes_before_the_name(tmp_path):
    path = tmp_path / "table.dat"
    path.write_text("a,y\n1,0\n")
    assert read_table(path, format="csv")[0]["a"].tolist() == [1]
    with pytest.raises(ValueError, match="format must be one of 'keel'"):
        read_table(path, format="xlsx")


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"x": [1.5, None], "s": ["u", None], "n": [1, 2], "y": ["a", "b"]})
    frame.set_index(pd.Index([7, 8])).to_parquet(path)
    X, y = read_table(path)
    assert X.dtypes.astype(str).tolist() == ["float64", "category", "int64"]
    assert X.isna().sum().tolist() == [1, 1, 0]
    assert X.index.tolist() == [0, 1] and y.tolist() == ["a", "b"]


def test_bad_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(TableError, match=r"a\.parquet: this is not a readable Parquet file"):
        read_table(path)
    with pytest.raises(TableError, match="open the stream in binary mode"):
        read_table(io.StringIO("PAR1"), format="parquet")
    pd.DataFrame({"x": [1, 2], "y": ["a", None]}).to_parquet(path)
    with pytest.raises(TableError, match=r"a\.parquet, row 2: the class 'y' is missing"):
        read_table(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'.*none\.csv' does not exist"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match="is a folder"):
        read_table(tmp_path)


@given(
    st.lists(
        st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(2**60), 2**60).map(float),
        min_size=1,
    )
)
def test_numbers_survive_exactly(values):
    text = "x,y\n" + "".join(f"{value!r},a\n" for value in values)
    X, _ = read(text)
    assert X["x"].dtype == "float64"
    np.testing.assert_array_equal(X["x"].to_numpy(), np.array(values))


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])), min_size=1))
def test_text_survives_a_csv_file(values):
    # Reading strips blanks and takes some words for missing values; all else comes back.
    buffer = io.StringIO()
    pd.DataFrame({"x": ["a", *values], "y": 0}).to_csv(buffer, index=False)
    X, _ = read(buffer.getvalue())
    for read_back, value in zip(X["x"].astype(object)[1:], values, strict=True):
        missing = isinstance(read_back, float) and math.isnan(read_back)
        assert missing or read_back == value.strip()


def test_a_pipe_is_read_like_a_file(tmp_path):
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a,b\n1,x\n",))
    writer.start()
    assert read_frame(pipe).to_numpy().tolist() == [[1, "x"]]
    writer.join()


def test_codes_stay_text_where_asked_for():
    frame = read_frame(io.StringIO("code,n\n01,1\n02,2\n"), as_text=["code"])
    assert frame["code"].tolist() == ["01", "02"] and frame["n"].tolist() == [1, 2]


def test_times_with_and_without_a_zone_stay_times(tmp_path):
    times = pd.date_range("2024-01-01", periods=3)
    frame = pd.DataFrame({"naive": times, "zoned": times.tz_localize("UTC"), "y": [0, 1, 0]})
    frame.to_parquet(tmp_path / "t.parquet")
    X, _ = read_table(tmp_path / "t.parquet")
    assert not [name for name in X if isinstance(X[name].dtype, pd.CategoricalDtype)]


def test_an_index_without_a_name_is_called_as_pandas_calls_it():
    X, _ = read(",a,y\n0,1,2\n1,1,3\n", format="csv")
    assert X.columns.tolist() == ["Unnamed: 0", "a"]


def test_integers_are_exact_up_to_64_bits_and_codes_beyond():
    long, longer = 2**62 + 1, 10**20
    X, _ = read(f"long,longer,gap,float,y\n{long},{longer + 1},{long},1e20,0\n1,7,,2,1\n")
    assert X["long"].tolist() == [long, 1]
    assert X["longer"].tolist() == [str(longer + 1), "7"]
    # From here on a float has not all whole numbers.
    limit = 2**53
    assert read(f"a,y\n{limit + 1},0\n{limit},1\n")[0]["a"].tolist() == [limit + 1, limit]
    assert X["gap"].dtype == float and X["float"].tolist() == [1e20, 2]


CELLS = ["", "7", "2.5", "1e5", "NA", "None", "a", "x,y", 'q"t', "l\nm", " s ", "007", "1_0", "inf"]
CELLS += ["True", "99999999999999999999", "9007199254740993", "1;2", "é", "'z'", "+5", "1.", "0x1F"]


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from(CELLS), min_size=width, max_size=width), min_size=1, max_size=6
        )
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(",;\t|"),
)
def test_all_cells_of_a_regular_file_are_there_as_they_were_written(rows, quoting, delimiter):
    names = [f"c{place}" for place in range(len(rows[0]))]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=quoting).writerows([names, *rows])
    text = buffer.getvalue()
    # A line without any cell is no row of a table with one column.
    kept = [row for row in rows if len(row) > 1 or row[0].strip()]
    if not kept:
        return
    frame = read_frame(io.StringIO(text), delimiter=delimiter, as_text=names)
    for place, name in enumerate(names):
        cells = [row[place].strip() for row in kept]
        expected = [None if cell in ("", "NA") else cell for cell in cells]
        assert frame[name].astype(object).where(frame[name].notna(), None).tolist() == expected


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_rows_that_are_too_long_and_too_short_do_not_make_up_for_each_other(quoting):
    for rows in ([[1, 2, 3], [4]], [[1], [2, 3, 4]], [[1, 2], [3, 4, ""], [5]]):
        buffer = io.StringIO()
        csv.writer(buffer, quoting=quoting).writerows([["a", "b"], *rows])
        with pytest.raises(TableError, match="expected 2 values, got"):
            read_frame(io.StringIO(buffer.getvalue()))


def test_many_columns_are_read_at_once():
    names = [f"g{place}" for place in range(5000)]
    frame = read_frame(io.StringIO("\n".join([",".join(names), *[",".join(["1.5"] * 5000)] * 3])))
    assert frame.shape == (3, 5000) and (frame.to_numpy() == 1.5).all()
