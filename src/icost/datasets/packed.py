"""Files inside of files: gzip, zip archives of one table, and Excel workbooks."""

from __future__ import annotations

import datetime
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from icost.datasets.columns import Attribute, RawTable, TableError
from icost.validation import import_extra

MAX_UNPACKED = 2**31
"""Bytes that a packed file may have: a few kilobytes can unpack to a full disk."""

MAX_WORKBOOK = 2**28
"""The same for a workbook, whose cells take many times their bytes."""

DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, struct.error),
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile),
)
"""What reading a damaged or locked archive may raise."""

OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def unpack(content: Any, label: str) -> tuple[Any, str]:
    """Return the content of a packed file and the name of what was in it; others as they are."""
    if not isinstance(content, bytes):
        return content, label
    if content.startswith(b"\x1f\x8b"):
        return _unzipped(gzip.GzipFile(fileobj=io.BytesIO(content)), label), _without(label, ".gz")
    if content.startswith(b"PK\x03\x04") and not is_workbook(content):
        return _only_member(content, label)
    return content, label


def _without(label: str, suffix: str) -> str:
    return label[: -len(suffix)] if label.lower().endswith(suffix) else label


def _unzipped(stream: Any, label: str) -> bytes:
    try:
        content: bytes = stream.read(MAX_UNPACKED + 1)
    except DAMAGED:
        raise TableError(f"{label}: this archive is damaged, or has a password.") from None
    if len(content) > MAX_UNPACKED:
        limit = _limit(MAX_UNPACKED)
        raise TableError(f"{label}: what is packed must be at most {limit}, got more.")
    return content


def _limit(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:g} GiB"


def _open_zip(content: bytes, label: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except DAMAGED:
        raise TableError(f"{label}: this archive is damaged.") from None


def _only_member(content: bytes, label: str) -> tuple[bytes, str]:
    with _open_zip(content, label) as archive:
        # Macs add a folder of their own to every archive.
        names = [
            entry.filename
            for entry in archive.infolist()
            if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
        ]
        if len(names) != 1:
            found = f"{len(names)}: {', '.join(map(repr, names[:3]))}" if names else "none"
            raise TableError(f"{label}: an archive must hold one table, got {found}.")
        try:
            stream = archive.open(names[0])
        except DAMAGED:
            raise TableError(f"{label}: this archive is damaged, or has a password.") from None
        with stream:
            return _unzipped(stream, label), f"{label}/{names[0]}"


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
        kind = "an Excel file of before 2007: save it as .xlsx" if old else "not an Excel file"
        raise TableError(f"{label}: this is {kind}.")
    with _open_zip(content, label) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_WORKBOOK:
            limit = _limit(MAX_WORKBOOK)
            raise TableError(f"{label}: what is packed must be at most {limit}, got more.")
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = list(_text_rows(sheet))
    except TableError:
        raise
    except Exception:
        # A damaged workbook fails in many ways, each of them about one of its parts.
        raise TableError(f"{label}: this Excel file is damaged.") from None
    return _cells(rows, f"{label}, sheet {sheet.title!r}")


def _text_rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    # What a file says of its size need not be true; a sheet said to be huge would be filled up.
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        cells = [_text(value) for value in row]
        if any(cells):
            yield number, cells


def _text(value: Any) -> str:
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
