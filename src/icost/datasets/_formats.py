"""Formats of files: KEEL and ARFF tables, archives and Excel workbooks."""

from __future__ import annotations

import datetime
import gzip
import io
import lzma
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from icost._core.validation import did_you_mean, import_extra, shorten
from icost.datasets._text_columns import MAX_UNPACKED, Attribute, RawTable, TableError


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


class Workbook(RawTable):
    """Cells of one sheet of an Excel workbook; those that are not text have their own types."""

    @classmethod
    def read(cls, content: Any, label: str, sheet: str | None = None) -> Workbook:
        """Read a sheet by name, or the first one, and name the others that have cells."""
        import_extra("openpyxl", "excel", "Reading an Excel file")
        _check_workbook(content, label)
        try:
            sheets = _sheets(content)
            title = next(iter(sheets)) if sheet is None else sheet
            rows = list(_rows(sheets[title])) if title in sheets else []
            others = [repr(name) for name in sheets if name != title and any(_rows(sheets[name]))]
            empty = _formula_without_value(content, title, sheets) if rows else None
        except Exception:
            # A damaged workbook fails in many ways, each of them about one of its parts.
            raise TableError(f"{label}: this Excel file is damaged.") from None
        if title not in sheets:
            hint = did_you_mean(title, sheets) or f"its sheets are {shorten(list(sheets))}."
            raise TableError(f"{label} has no sheet {title!r}; {hint}")
        if empty:
            raise TableError(
                f"{label}, sheet {title!r}: the formula in cell {empty} has no stored value; open "
                "the file in a spreadsheet program and save it, or export it as CSV."
            )
        if others and sheet is None:
            warnings.warn(
                f"{label}: sheet {title!r} was read, not {', '.join(others)} (see --sheet).",
                UserWarning,
                stacklevel=2,
            )
        return cls._of(rows, f"{label}, sheet {title!r}")

    @classmethod
    def _of(cls, rows: list[tuple[int, list[Any]]], label: str) -> Workbook:
        """Return a table of rows, of which the first has the names."""
        if not rows:
            raise TableError(f"{label}: the sheet is empty.")
        (number, first), *data = rows
        names = [_cell_text(name) or "" for name in first]
        width = max(place + 1 for place, name in enumerate(names) if name)
        if "" in names[:width]:
            raise TableError(f"{label}, row {number}: column {names.index('') + 1} has no name.")
        table = cls(label, [Attribute(name) for name in names[:width]], place="row")
        for number, cells in data:
            # A sheet is as wide as its widest row; only cells that hold something count.
            filled = max(place + 1 for place, cell in enumerate(cells) if cell is not None)
            table.append([*cells, *[None] * width][: max(width, filled)], number)
        return table

    def columns(self) -> Iterable[Any]:
        """Return the cells of each column: typed where all have one type, else as text."""
        pd = import_extra("pandas", "data", "Reading a table")
        for cells in super().columns():
            values = pd.Series(list(cells), dtype=None if _any_cell(cells) else float)
            yield values if values.dtype.kind in "iufbM" else [_cell_text(cell) for cell in cells]

    def texts(self, name: str) -> Sequence[Any]:
        """Return the cells of a column as text."""
        return [_cell_text(cell) for cell in super().texts(name)]


def _check_workbook(content: Any, label: str) -> None:
    if not is_workbook(content):
        old = isinstance(content, bytes) and content.startswith(OLD_EXCEL)
        problem = "an Excel file of before 2007: save it as .xlsx" if old else "not an Excel file"
        raise TableError(f"{label}: this is {problem}.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_UNPACKED:
            limit = _limit(MAX_UNPACKED)
            raise TableError(f"{label}: what is packed must be at most {limit}, got more.")


def _any_cell(cells: Sequence[Any]) -> bool:
    """Return whether some cell holds something."""
    return any(cell is not None for cell in cells)


def _sheets(content: bytes, **options: Any) -> dict[str, Any]:
    openpyxl = import_extra("openpyxl", "excel", "Reading an Excel file")
    options = {"read_only": True, "data_only": True, **options}
    book = openpyxl.load_workbook(io.BytesIO(content), **options)
    for sheet in book.worksheets:
        # What a file says of its size need not be true; a sheet said to be huge would be filled up.
        sheet.reset_dimensions()
    return {sheet.title: sheet for sheet in book.worksheets}


def _rows(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """Yield number and cells of each row that holds something."""
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        cells = [(cell.strip() or None) if isinstance(cell, str) else cell for cell in row]
        if _any_cell(cells):
            yield number, cells


def _formula_without_value(content: bytes, title: str, sheets: Mapping[str, Any]) -> str | None:
    """Return the first cell whose formula no spreadsheet program has computed, such as B2."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        if not any(re.search(rb"<f[ >/]", archive.read(name)) for name in names):
            return None
    formulas = _sheets(content, data_only=False)[title].iter_rows()
    for computed, written in zip(sheets[title].iter_rows(), formulas, strict=True):
        for value, formula in zip(computed, written, strict=True):
            # One that gives an empty text is said to be text, of type "str".
            if formula.data_type == "f" and value.value is None and value.data_type == "n":
                return str(formula.coordinate)
    return None


def _cell_text(value: Any) -> str | None:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return None if value is None else str(value).strip()
