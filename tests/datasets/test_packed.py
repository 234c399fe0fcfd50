import datetime
import gzip
import io
import zipfile

import pytest

from icost.datasets import TableError, read_frame, read_table
from icost.datasets import _formats as packed

TABLE = b"a,b,y\n1,x,0\n2,z,1\n"


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def workbook(*rows, second=()):
    openpyxl = pytest.importorskip("openpyxl", reason="the extra `excel` is not installed")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for row in second:
        (book["more"] if "more" in book.sheetnames else book.create_sheet("more")).append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def name_case(value):
    """Archives hold the time they were made at, which must not be in the name of a test."""
    return value if isinstance(value, str) else "archive"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", gzip.compress(TABLE)),
        ("t.gz", gzip.compress(TABLE)),
        ("t.csv", gzip.compress(TABLE)),
        ("t.zip", zipped(**{"t.csv": TABLE})),
        ("t.zip", zipped(**{"folder/t.csv": TABLE, "__MACOSX/t.csv": b"x"})),
    ],
    ids=name_case,
)
def test_packed_tables(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    for source in (tmp_path / name, io.BytesIO(content)):
        X, y = read_table(source)
        assert X["b"].tolist() == ["x", "z"] and y.tolist() == [0, 1]


def test_the_name_inside_tells_the_format(tmp_path):
    (tmp_path / "t.tsv.gz").write_bytes(gzip.compress(b"a,b\ty\n1,5\t0\n"))
    assert read_table(tmp_path / "t.tsv.gz")[0].columns.tolist() == ["a,b"]
    (tmp_path / "t.zip").write_bytes(zipped(**{"t.tsv": b"a,b\ty\n1,5\t0\n"}))
    assert read_table(tmp_path / "t.zip")[0].columns.tolist() == ["a,b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped(a=TABLE, b=TABLE), "must hold one table, got 2: 'a', 'b'"),
        (zipped(**{"folder/": b""}) + b"", "must hold one table, got none"),
        (gzip.compress(gzip.compress(TABLE)), "an archive within an archive"),
        (gzip.compress(TABLE)[:-9], "archive is damaged"),
        (zipped(a=TABLE)[:40], "archive is damaged"),
    ],
    ids=name_case,
)
def test_bad_archives(content, message):
    with pytest.raises(TableError, match=message) as caught:
        read_table(io.BytesIO(content), format="csv")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(a=content)])
def test_bombs_are_not_unpacked(pack):
    content = pack(b"a,y\n" + b"1,0\n" * 2**12)
    with pytest.raises(TableError, match=r"more than 8 kB; .* raise the limit \(max_unpacked"):
        read_table(io.BytesIO(content), max_unpacked=2**13)
    assert len(read_frame(io.BytesIO(content), max_unpacked=2**15)) == 2**12


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(1, "1 B"), (1023, "1023 B"), (1024, "1 kB"), (2**28, "256 MB"), (5 * 2**40, "5120 GB")],
)
def test_limits_are_in_the_units_of_the_option(n_bytes, text):
    assert packed._limit(n_bytes) == text


def test_a_workbook():
    content = workbook(
        ["size", "day", "sex", "y"],
        [1.5, datetime.datetime(2024, 2, 3), "m", "no"],
        [None, datetime.datetime(2024, 2, 4, 5), "?", "yes"],
        [],
        [3, None, "f", "no"],
        second=[["other"], [1]],
    )
    with pytest.warns(UserWarning, match=r"sheet 'Sheet' was read, not 'more' \(see --sheet\)"):
        X, y = read_table(io.BytesIO(content))
    assert X["size"].tolist()[::2] == [1.5, 3.0] and X["size"].isna().sum() == 1
    assert X["day"].dtype.kind == "M" and str(X["day"][1]) == "2024-02-04 05:00:00"
    assert X["sex"].isna().tolist() == [False, True, False] and y.tolist() == ["no", "yes", "no"]
    text = read_frame(io.BytesIO(content), as_text=["size"], sheet="Sheet")["size"]
    assert text.tolist()[0] == "1.5"
    assert read_frame(io.BytesIO(content), sheet="more")["other"].tolist() == [1]


def test_a_sheet_that_is_none():
    with pytest.raises(TableError, match="has no sheet 'Shet'; did you mean 'Sheet'?"):
        read_frame(io.BytesIO(workbook(["a"], [1])), sheet="Shet")
    with pytest.raises(
        ValueError, match="a sheet is for Excel files, got one for the format 'csv'"
    ):
        read_frame(io.StringIO("a\n1\n"), sheet="Sheet")


def test_cells_of_a_workbook_keep_their_types():
    rows = [["whole", "truth", "mixed", "empty", "y"], [1, True, 1.5, None, "a"]]
    frame = read_frame(io.BytesIO(workbook(*rows, [2, False, "x", None, "b"])))
    assert [str(dtype) for dtype in frame.dtypes] == [
        "int64",
        "bool",
        "category",
        "float64",
        "category",
    ]
    assert frame["mixed"].tolist() == ["1.5", "x"]


def test_text_in_a_workbook_is_read_as_in_a_text_file():
    with pytest.raises(TableError, match="sheet 'Sheet', row 2: '1,362' in column 'a' may be 1362"):
        read_frame(io.BytesIO(workbook(["a"], ["1,362"], ["12"])))
    frame = read_frame(io.BytesIO(workbook(["a"], ["1,5"], [12])))
    assert frame["a"].tolist() == [1.5, 12]
    with pytest.warns(UserWarning, match="'#DIV/0!' in column 'a'"):
        assert read_frame(io.BytesIO(workbook(["a"], ["#DIV/0!"], [1.5], [2])))["a"].isna()[0]


def test_formulas_that_were_never_computed_are_refused():
    with pytest.raises(TableError, match="the formula in cell B3 has no stored value"):
        read_frame(io.BytesIO(workbook(["a", "b"], [1, 2], [2, "=A3*2"])))


def test_formulas_that_were_computed_are_values():
    content, changed = workbook(["a", "b"], [1, "=A2*2"], [2, '=""']), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                text = text.replace(
                    b'<c r="B2"><f>A2*2</f><v></v>', b'<c r="B2"><f>A2*2</f><v>7</v>'
                )
                text = text.replace(b'<c r="B2"><f>A2*2</f><v />', b'<c r="B2"><f>A2*2</f><v>7</v>')
                text = text.replace(b'<c r="B3">', b'<c r="B3" t="str">')
                assert b"<v>7</v>" in text and b't="str"' in text
            new.writestr(name, text)
    b = read_frame(io.BytesIO(changed.getvalue()))["b"]
    assert b[0] == 7 and b.isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "sheet 'Sheet': the sheet is empty"),
        ([["a", None, "y"], [1, 2, 3]], "row 1: column 2 has no name"),
        ([["a", "y"], [1, 2, 3]], "row 2: expected 2 values, got 3"),
        ([["a", "y"], [1, None], [2, 0]], "row 2: the class 'y' is missing"),
    ],
)
def test_bad_workbooks(rows, message):
    with pytest.raises(TableError, match=message):
        read_table(io.BytesIO(workbook(*rows)))


def test_what_is_no_workbook(monkeypatch):
    content = workbook(["a", "y"], [1, 2])
    with pytest.raises(TableError, match=r"before 2007: save it as \.xlsx"):
        read_table(io.BytesIO(packed.OLD_EXCEL + b"\0" * 100))
    with pytest.raises(TableError, match="this is not an Excel file"):
        read_table(io.BytesIO(TABLE), format="excel")
    damaged = zipped(**{"xl/workbook.xml": b"<"})
    with pytest.raises(TableError, match="Excel file is damaged"):
        read_table(io.BytesIO(damaged))
    monkeypatch.setattr(packed, "MAX_UNPACKED", 10)
    with pytest.raises(TableError, match="must be at most"):
        read_table(io.BytesIO(content))


def test_a_workbook_is_as_large_as_its_cells_are(tmp_path):
    # A file that says more of itself than is true would be filled up with empty cells.
    content, changed = workbook(["a", "class"], [1, "x"]), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("sheet1.xml"):
                assert b'ref="A1:B2"' in text
                text = text.replace(b'ref="A1:B2"', b'ref="A1:XFD900000"')
            new.writestr(name, text)
    path = tmp_path / "t.xlsx"
    path.write_bytes(changed.getvalue())
    X, y = read_table(path)
    assert X.shape == (1, 1) and list(y) == ["x"]


@pytest.mark.parametrize("kind", [zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("place", [45, 60])
def test_damaged_members_get_a_sentence(tmp_path, kind, place):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        archive.writestr("t.csv", TABLE * 50)
    content = bytearray(buffer.getvalue())
    content[place : place + 8] = b"\xff" * 8
    path = tmp_path / "t.zip"
    path.write_bytes(bytes(content))
    with pytest.raises(TableError, match="damaged"):
        read_table(path)
