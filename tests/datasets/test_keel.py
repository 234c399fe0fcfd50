import pytest

from icost.datasets import TableError, read_table
from icost.datasets._formats import read_keel, split_fields

HEADER = """\
@relation tiny
@attribute Sex {M, F, I}
@attribute Length real [0.1, 0.9]
@attribute Rings integer[1,29]
@attribute Class {positive, negative}
@inputs Sex, Length, Rings
@outputs Class
@data
"""


def write(tmp_path, text, name="tiny.dat"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_columns_have_the_declared_types(tmp_path):
    X, y = read_table(write(tmp_path, HEADER + "M, 0.5, 9, negative\n I ,5.0E-4,10,positive \n"))
    assert X["Sex"].tolist() == ["M", "I"]
    assert X["Sex"].cat.categories.tolist() == ["M", "F", "I"]
    assert X["Length"].tolist() == [0.5, 0.0005]
    assert X["Rings"].dtype == "int64" and X["Rings"].tolist() == [9, 10]
    assert y.tolist() == ["negative", "positive"] and y.name == "Class" and y.dtype == object


@pytest.mark.parametrize("mark", ["?", "<null>", "", "  "])
def test_missing_values_become_nan(tmp_path, mark):
    X, _ = read_table(write(tmp_path, f"{HEADER}{mark},{mark},{mark},negative\nM,1,1,positive\n"))
    assert X.iloc[0].isna().all() and X.iloc[1].notna().all()
    assert X["Rings"].dtype == "float64"


def test_blank_and_comment_lines_are_skipped_but_counted(tmp_path):
    text = "% a comment\n\n" + HEADER + "\nM,1,1,negative\n% another\nM,1,negative\n"
    with pytest.raises(TableError, match=r"tiny.dat, line 14: expected 4 values, got 3\.$"):
        read_table(write(tmp_path, text))


def test_output_line_names_the_class(tmp_path):
    text = HEADER.replace("@outputs Class", "@output Sex") + "M,1,1,negative\nF,1,1,positive\n"
    assert read_table(write(tmp_path, text))[1].tolist() == ["M", "F"]


def test_arff_with_quotes_and_upper_case(tmp_path):
    text = (
        "@RELATION r\n@ATTRIBUTE 'body mass' NUMERIC\n@ATTRIBUTE where {'New York', \"it's\"}\n"
        "@ATTRIBUTE note STRING\n@ATTRIBUTE y {0,1}\n@DATA\n"
        "1.5,'New York','a, b',0\n?,\"it's\",'don\\'t',1\n"
    )
    X, y = read_table(write(tmp_path, text, "r.arff"))
    assert X.columns.tolist() == ["body mass", "where", "note"]
    assert X["where"].tolist() == ["New York", "it's"]
    assert X["note"].tolist() == ["a, b", "don't"]
    assert y.tolist() == ["0", "1"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("M,1,1,negative,7\n", "line 9: expected 4 values, got 5"),
        ("M,1,1,\n", "line 9: the class 'Class' is missing"),
        ("M,1,1,neutral\n", "line 9: 'Class' must be one of 'positive', 'negative', got 'neutral'"),
        ("M,1,1,positive\nX,1,1,positive\n", "line 10: 'Sex' must be one of 'M', 'F', 'I', got"),
        ("M,long,1,positive\n", "line 9: 'Length' must be a number, got 'long'"),
        ("M,1_0,1,positive\n", "line 9: 'Length' must be a number, got '1_0'"),
        ("{0 M, 3 positive}\n", "line 9: sparse ARFF rows are not supported"),
        ("", "there are no data rows"),
    ],
)
def test_bad_rows_are_rejected_with_their_line(tmp_path, rows, message):
    with pytest.raises(TableError) as caught:
        read_table(write(tmp_path, HEADER + rows))
    assert message in str(caught.value) and "tiny.dat" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@data\n1,2\n", "there is no @attribute line before @data"),
        ("@attribute x real\n@attribute y {0}\n", "there is no @data line"),
        ("1,2,3\n", "line 1: expected a header line such as @attribute or @data, got '1,2,3'"),
        ("@atribute x real\n@data\n1\n", "line 1: expected a header line"),
        ("@attribute x\n@data\n1\n", "line 1: an attribute is real, integer or a list"),
        ("@attribute x {0, 1\n@data\n1\n", "line 1: an attribute is real, integer or a list"),
        ("@attribute x relational\n@data\n1\n", "line 1: an attribute is real, integer or a list"),
        ("@attribute x real\n@attribute x real\n@data\n1,2\n", "column name 'x' occurs twice"),
        ("@attribute x real\n@outputs x, y\n@data\n1\n", "line 2: expected one output, got 2"),
        ("", "the file is empty"),
        (" \n\n", "the file is empty"),
    ],
)
def test_bad_headers_are_rejected(tmp_path, text, message):
    with pytest.raises(TableError) as caught:
        read_table(write(tmp_path, text))
    assert message in str(caught.value) and "tiny.dat" in str(caught.value)


def test_values_declared_twice_count_once(tmp_path):
    text = "@attribute x {a, b, a}\n@attribute y {0, 1}\n@data\nb,0\na,1\n"
    assert read_table(write(tmp_path, text))[0]["x"].tolist() == ["b", "a"]


def test_windows_line_ends_do_not_shift_the_count():
    text = (HEADER + "M,1,1,negative\nM\n").replace("\n", "\r\n")
    with pytest.raises(TableError, match="line 10"):
        read_keel(text, "tiny.dat")


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("a,b,", ["a", "b", ""]),
        ("'a',", ["a", ""]),
        ("'a,b'", ["a,b"]),
        ('"a" , b', ["a", "b"]),
        ("'a, b", ["'a", "b"]),
        ("O'Brien,2", ["O'Brien", "2"]),
        ("''", [""]),
    ],
)
def test_split_fields(line, fields):
    assert split_fields(line) == fields
