"""Formats of files: KEEL and ARFF tables, archives and Excel workbooks."""

from __future__ import annotations

import datetime
import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from icost._core.validation import import_extra
from icost.datasets._text_columns import Attribute, RawTable, TableError


class TargetError(ValueError):
    """A target was named that is no column of the table."""


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
