"""Formats of files: KEEL and ARFF tables, archives, Excel workbooks, encodings, typed columns."""

from __future__ import annotations

import datetime
import gzip
import io
import lzma
import math
import re
import shlex
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.validation import import_extra, shorten

if TYPE_CHECKING:
    import pandas as pd

#: What a cell holds when its value is not known: what pandas reads so, and two more.
MISSING = {
    *("", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "null"),
    *("NULL", "NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}

FEW_WORDS, MOST_WORDS = 3, 0.2
"""Different words that may mean missing in a column of numbers, and their share of its cells."""


class TargetError(ValueError):
    """A target was named that is no column of the table."""


class TableError(ValueError):
    r"""A file that is not the table it should be.

    The message is one sentence that names the file and, where there is one, the line: a row of
    another length than the header, a word in a column of numbers, a class that is missing. It is a
    `ValueError`, so that code which catches those need not know it.

    See Also
    --------
    read_table, read_frame : Raise it.

    Examples
    --------
    >>> import io
    >>> from icost.datasets import TableError, read_table
    >>> try:
    ...     read_table(io.StringIO("size,y\n1.5,0\n2.5\n"))
    ... except TableError as error:
    ...     print(error)
    <stream>, line 3: expected 2 values, got 1.
    """


@dataclass(frozen=True)
class Attribute:
    """A column's name and what its file declares about it.

    ``type_name`` is ``"real"``, ``"integer"``, ``"nominal"`` (only ``values`` may occur),
    ``"text"`` (anything may) or ``"infer"`` (numbers if every cell is one).
    """

    name: str
    type_name: str = "infer"
    values: tuple[str, ...] = ()


@dataclass
class RawTable:
    """Cells as read, with the line that each row came from."""

    source: str
    attributes: list[Attribute]
    rows: list[Sequence[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    target: str | None = None
    decimal_comma: bool = False
    place: str = "line"
    header_line: int = 1

    def append(self, cells: Sequence[str], line: int) -> None:
        """Add a row, or raise if it is longer or shorter than the header."""
        if len(cells) != len(self.attributes):
            raise TableError(
                f"{self.source}, {self.place} {line}: expected {len(self.attributes)} values, "
                f"got {len(cells)}."
            )
        self.rows.append(cells)
        self.lines.append(line)

    def where(self, row: int) -> str:
        """Name the place of a row in the file."""
        return f"{self.source}, {self.place} {self.lines[row]}"


def to_frame(
    raw: RawTable, as_text: Collection[str] = (), missing: Collection[str] = ()
) -> pd.DataFrame:
    """Convert the cells of a raw table, column by column.

    Of columns without a declared type, those in ``as_text`` are text whatever they look like.
    """
    pd = import_extra("pandas", "data", "Reading a table")
    if not raw.rows:
        raise TableError(f"{raw.source}: there are no data rows.")
    names = [attribute.name for attribute in raw.attributes]
    duplicated = sorted({name for name in names if names.count(name) > 1})
    if duplicated:
        raise TableError(f"{raw.source}: the column name {duplicated[0]!r} occurs twice.")
    columns = {}
    for attribute, cells in zip(raw.attributes, zip(*raw.rows, strict=True), strict=True):
        is_text = attribute.type_name == "infer" and attribute.name in as_text
        if missing:
            cells = tuple("" if cell in missing else cell for cell in cells)
        convert = _CONVERTERS["text" if is_text else attribute.type_name]
        columns[attribute.name] = convert(attribute, cells, raw)
    return pd.DataFrame(columns)


def is_number(text: str) -> bool:
    """Tell whether a cell is a number; a missing value may stand among them, so it is one."""
    try:
        _numbers([text])
    except ValueError:
        return False
    return True


def _numbers(cells: Sequence[str]) -> np.ndarray:
    # Python's float() also reads the underscores of its own literals: codes, not numbers.
    if "_" in "".join(cells):
        raise ValueError
    try:
        return np.fromiter(map(float, cells), np.float64)
    except ValueError:
        return np.array([math.nan if cell in MISSING else float(cell) for cell in cells])


def _real(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> np.ndarray:
    try:
        return _numbers(cells)
    except ValueError:
        row = next(row for row, cell in enumerate(cells) if not is_number(cell))
        raise TableError(
            f"{raw.where(row)}: {attribute.name!r} must be a number, got {cells[row]!r}."
        ) from None


def _integer(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> np.ndarray:
    return _as_integers(_real(attribute, cells, raw))


def _as_integers(values: np.ndarray) -> np.ndarray:
    # NaN compares unequal to itself, so a column with a gap stays float.
    whole = np.all(values == np.floor(values)) and np.all(np.abs(values) < 2**53)
    return values.astype(np.int64) if whole else values


def _nominal(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> pd.Categorical:
    pd = import_extra("pandas", "data", "Reading a table")
    values = dict.fromkeys(attribute.values)
    codes = dict.fromkeys(MISSING, -1) | {value: code for code, value in enumerate(values)}
    try:
        coded = np.fromiter(map(codes.__getitem__, cells), np.intp)
    except KeyError as error:
        raise TableError(
            f"{raw.where(cells.index(error.args[0]))}: {attribute.name!r} must be one of "
            f"{shorten(attribute.values)}, got {error}."
        ) from None
    return pd.Categorical.from_codes(coded, categories=list(values))


def _text(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> pd.Categorical:
    # Among words, "None" is a level or a class as often as a gap.
    values = tuple(sorted(set(cells) - (MISSING - {"None"})))
    return _nominal(Attribute(attribute.name, "nominal", values), cells, raw)


def _infer(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> Any:
    if raw.decimal_comma and _have_decimal_commas(cells):
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        values = _numbers(cells)
    except ValueError:
        _warn_of_words(attribute, cells, raw)
        return _text(attribute, cells, raw)
    # "3.0" says that the column holds measurements, "3" that it holds counts or codes.
    if any("." in cell for cell in cells):
        return values
    if (np.abs(values) >= 2**53).any() and all(_is_whole(cell) for cell in cells):
        return _long_integers(attribute, cells, raw)
    return _as_integers(values)


def _warn_of_words(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> None:
    """Name the few words that make text of a column in which nearly all cells are numbers."""
    texts = (cell for cell in dict.fromkeys(cells) if not is_number(cell))
    if raw.decimal_comma:
        texts = (text for text in texts if not is_number(text.replace(",", ".", 1)))
    words = list(islice(texts, FEW_WORDS + 1))
    if len(words) > FEW_WORDS:
        return
    count = sum(cell in words for cell in cells)
    if count > MOST_WORDS * sum(cell not in MISSING for cell in cells):
        return
    warnings.warn(
        f"{raw.where(cells.index(words[0]))}: column {attribute.name!r} is read as text: "
        f"{count:,} of {len(cells):,} cells {'is' if count == 1 else 'are'} "
        f"{' or '.join(map(repr, words))}, all others are numbers. If that means missing: "
        f"{' '.join(f'--missing {shlex.quote(word)}' for word in words)} (missing={words}).",
        UserWarning,
        stacklevel=2,
    )


def _is_whole(cell: str) -> bool:
    return cell in MISSING or cell.lstrip("+-").isdecimal()


def _long_integers(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> Any:
    """Return integers that floats would round: exact up to 64 bits; longer ones are codes."""
    integers = [int(cell) for cell in cells if cell not in MISSING]
    if not all(-(2**63) <= integer < 2**63 for integer in integers):
        return _text(attribute, cells, raw)
    return np.array(integers) if len(integers) == len(cells) else _numbers(cells)


def _have_decimal_commas(cells: Sequence[str]) -> bool:
    """Whether all cells are numbers, if a comma is where the fraction begins."""
    texts = set(cells) - MISSING
    return any("," in text for text in texts) and all(
        "." not in text and is_number(text.replace(",", ".", 1)) for text in texts
    )


_CONVERTERS: dict[str, Callable[[Attribute, Sequence[str], RawTable], Any]] = {
    "real": _real,
    "integer": _integer,
    "nominal": _nominal,
    "text": _text,
    "infer": _infer,
}


# A value in single or double quotes, or bare up to the next comma.
_FIELD = re.compile(
    r"""\s*(?:'(?P<single>(?:\\.|[^'\\])*)'|"(?P<double>(?:\\.|[^"\\])*)"|(?P<bare>[^,]*?))\s*(?:,|$)"""
)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'(?P<single>[^']+)'|"(?P<double>[^"]+)"|(?P<bare>[^\s{]+))\s*(?P<type>.*)""",
    re.IGNORECASE,
)
_TYPES = {"real": "real", "numeric": "real", "integer": "integer", "string": "text", "date": "text"}
# Header lines that say nothing about the cells (inputs: all that is not the output).
_SILENT = ("@relation", "@input", "@inputs", "@data")


def read_keel(text: str, source: str) -> RawTable:
    """Read a KEEL or ARFF file into cells; an ``@output`` line names the target."""
    table = RawTable(source, [])
    lines = enumerate(io.StringIO(text, newline=None), start=1)
    if not any(_read_header_line(table, line.strip(), number) for number, line in lines):
        raise TableError(f"{source}: there is no @data line.")
    if not table.attributes:
        raise TableError(f"{source}: there is no @attribute line before @data.")
    for number, line in lines:
        _read_data_line(table, line.strip(), number)
    return table


def _read_header_line(table: RawTable, line: str, number: int) -> bool:
    """Take in one line of the header; True for the one that ends it."""
    keyword = re.match(r"@?\w*", line.lower()).group()  # type: ignore[union-attr]
    if keyword == "@attribute":
        table.attributes.append(_parse_attribute(table.source, line, number))
    elif keyword in ("@output", "@outputs"):
        table.target = _parse_output(table.source, line, number)
    elif line and not line.startswith("%") and keyword not in _SILENT:
        raise TableError(
            f"{table.source}, line {number}: expected a header line such as @attribute or "
            f"@data, got {line[:40]!r}."
        )
    return keyword == "@data"


def _parse_attribute(source: str, line: str, number: int) -> Attribute:
    match = _ATTRIBUTE.match(line)
    declared = match["type"].strip() if match else ""
    name = match[_name_group(match)] if match else ""
    if declared.startswith("{") and declared.endswith("}"):
        return Attribute(name, "nominal", tuple(split_fields(declared[1:-1])))
    type_name = _TYPES.get(re.split(r"[\s\[]", declared, maxsplit=1)[0].lower())
    if type_name is None:
        raise TableError(
            f"{source}, line {number}: an attribute is real, integer or a list in braces, "
            f"got {line[:60]!r}."
        )
    return Attribute(name, type_name)


def _name_group(match: re.Match[str]) -> str:
    return next(group for group in ("single", "double", "bare") if match[group] is not None)


def _parse_output(source: str, line: str, number: int) -> str:
    outputs = split_fields(line.partition(" ")[2])
    if len(outputs) != 1 or not outputs[0]:
        raise TableError(f"{source}, line {number}: expected one output, got {len(outputs)}.")
    return outputs[0]


def _read_data_line(table: RawTable, line: str, number: int) -> None:
    if not line or line.startswith("%"):
        return
    if line.startswith("{"):
        raise TableError(f"{table.source}, line {number}: sparse ARFF rows are not supported.")
    table.append(split_fields(line), number)


def split_fields(line: str) -> list[str]:
    """Split a line at its commas, except for those within quotes."""
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    fields, position = [], 0
    while position <= len(line):
        match = _FIELD.match(line, position)
        assert match is not None  # the bare alternative matches anything, even nothing
        group = _name_group(match)
        cell = match[group]
        fields.append(cell if group == "bare" else re.sub(r"\\(.)", r"\1", cell))
        # A line that ends in a comma has one more, empty, field after it.
        position = match.end() + (0 if match[0].endswith(",") else 1)
    return fields


MAX_UNPACKED = MAX_WORKBOOK = 2**28
"""Bytes that a packed file, or a workbook, may have: a few kilobytes can fill all memory."""

DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, struct.error),
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile),
)
"""What reading a damaged or locked archive may raise."""

OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def unpack(content: Any, label: str, max_unpacked: int = MAX_UNPACKED) -> tuple[Any, str]:
    """Return the content of a packed file and the name of what was in it; others as they are."""
    if not isinstance(content, bytes):
        return content, label
    try:
        if content.startswith(b"\x1f\x8b"):
            stream = gzip.GzipFile(fileobj=io.BytesIO(content))
            inside = label[:-3] if label.lower().endswith(".gz") else label
            return _unzipped(stream, label, max_unpacked), inside
        if content.startswith(b"PK\x03\x04") and not is_workbook(content):
            return _only_member(content, label, max_unpacked)
    except TableError:
        raise
    except DAMAGED:
        raise TableError(f"{label}: this archive is damaged, or has a password.") from None
    return content, label


def _unzipped(stream: Any, label: str, max_unpacked: int) -> bytes:
    content: bytes = stream.read(max_unpacked + 1)
    if len(content) > max_unpacked:
        raise TableError(
            f"{label}: unpacked, the file has more than {_limit(max_unpacked)}; if you trust it, "
            "raise the limit (max_unpacked, --max-unpacked)."
        )
    return content


def _limit(n_bytes: int) -> str:
    """Return a size in the units of --max-unpacked, such as 256 MB."""
    power = min((n_bytes.bit_length() - 1) // 10, 3)
    return f"{n_bytes / 1024**power:.4g} {('B', 'kB', 'MB', 'GB')[power]}"


def _only_member(content: bytes, label: str, max_unpacked: int) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        # Macs add a folder of their own to every archive.
        names = [
            entry.filename
            for entry in archive.infolist()
            if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
        ]
        if len(names) != 1:
            listed = f"{len(names)}: {', '.join(map(repr, names[:3]))}" if names else "none"
            raise TableError(f"{label}: an archive must hold one table, got {listed}.")
        with archive.open(names[0]) as stream:
            return _unzipped(stream, label, max_unpacked), f"{label}/{names[0]}"


def is_workbook(content: Any) -> bool:
    """Whether content is an Excel workbook, which is a zip archive of another kind."""
    if not isinstance(content, bytes) or not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return any(name.startswith("xl/workbook") for name in archive.namelist())
    except DAMAGED:
        return False


def read_workbook(content: Any, label: str) -> RawTable:
    """Return the cells of a workbook's first sheet, as text."""
    openpyxl = import_extra("openpyxl", "excel", "Reading an Excel file")
    if not is_workbook(content):
        old = isinstance(content, bytes) and content.startswith(OLD_EXCEL)
        problem = "an Excel file of before 2007: save it as .xlsx" if old else "not an Excel file"
        raise TableError(f"{label}: this is {problem}.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_WORKBOOK:
            limit = _limit(MAX_WORKBOOK)
            raise TableError(f"{label}: what is packed must be at most {limit}, got more.")
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = list(_text_rows(sheet))
    except Exception:
        # A damaged workbook fails in many ways, each of them about one of its parts.
        raise TableError(f"{label}: this Excel file is damaged.") from None
    return _cells(rows, f"{label}, sheet {sheet.title!r}")


def _text_rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    # What a file says of its size need not be true; a sheet said to be huge would be filled up.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        cells = [_cell_text(value) for value in row]
        if any(cells):
            yield number, cells


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value).strip()


def _cells(rows: list[tuple[int, list[str]]], label: str) -> RawTable:
    if not rows:
        raise TableError(f"{label}: the sheet is empty.")
    (number, names), *data = rows
    width = max(place + 1 for place, name in enumerate(names) if name)
    if "" in names[:width]:
        raise TableError(f"{label}, row {number}: column {names.index('') + 1} has no name.")
    table = RawTable(label, [Attribute(name) for name in names[:width]], place="row")
    for number, cells in data:
        # A sheet is as wide as its widest row; only cells that hold something count.
        filled = max(place + 1 for place, cell in enumerate(cells) if cell)
        table.append([*cells, *[""] * width][: max(width, filled)], number)
    return table
