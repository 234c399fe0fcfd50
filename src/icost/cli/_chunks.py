"""Large files piece by piece, so that their size is no matter of memory."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from icost.cli._user_table import read_columns

if TYPE_CHECKING:
    import pandas as pd

LARGE_FILE = 16 * 2**20
"""Bytes up to which a file is read as a whole."""

CHUNK = 4 * 2**20
"""Bytes of text that are read at once; as cells they take some thirty times as much memory."""

CHUNK_ROWS = 20_000
"""Rows of a Parquet file that are read at once."""

STREAMED = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}
"""Formats that are read in pieces, by how the name of a file ends."""

WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""First bytes of text in which a line break is more than one byte."""


class _Piece(io.BytesIO):
    """A piece of a file, under the name of the file in messages."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name


def read_chunks(
    data: str,
    record: Mapping[str, Any],
    file_format: str | None = None,
    sep: str | None = None,
    as_text: Sequence[str] = (),
) -> Iterator[pd.DataFrame]:
    """Yield the rows of DATA, of a large CSV, TSV or Parquet file in pieces."""
    streamed = _streamed_format(data, file_format)
    if streamed is None:
        yield read_columns(data, record, file_format, sep, as_text=as_text)
        return
    pieces = _parquet_pieces(data) if streamed == "parquet" else _text_pieces(data)
    for n_before, piece in pieces:
        try:
            yield read_columns(piece, record, streamed, sep, as_text=as_text)
        except ValueError as error:
            if not n_before:
                raise
            raise ValueError(f"{error} (counted from {n_before})") from None


def _streamed_format(data: str, file_format: str | None) -> str | None:
    """Return the format of a file that is read in pieces, None where it is read as a whole."""
    path = Path(data)
    if not path.is_file() or path.stat().st_size <= LARGE_FILE:
        return None
    streamed = file_format or STREAMED.get(path.suffix.lower())
    with open(path, "rb") as stream:
        start = stream.read(4)
    if streamed in ("csv", "tsv"):
        return None if start.startswith(WIDE) else streamed
    return streamed if streamed == "parquet" and start == b"PAR1" else None


def _text_pieces(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield pieces of a text file that end with a row, each below the line of column names.

    What is added to the file while it is read is left out.
    """
    left, line = Path(path).stat().st_size, 1
    with open(path, "rb") as stream:
        header = _whole_rows(stream, stream.readline())
        while not header.strip():  # empty lines above the names
            header = _whole_rows(stream, stream.readline())
        left -= stream.tell()
        while left > 0:
            rows = _whole_rows(stream, stream.read(min(CHUNK, left)))
            left -= len(rows)
            if rows.strip():
                yield (f"line {line:,}" if line > 1 else ""), _Piece(header + rows, path)
            line += rows.count(b"\n")


def _whole_rows(stream: IO[bytes], rows: bytes) -> bytes:
    """Read on to the end of a row: a line break within quotes is none."""
    if not rows.endswith(b"\n"):
        rows += stream.readline()
    while rows.count(b'"') % 2:
        more = stream.readline()
        if not more:
            break
        rows += more
    return rows


def _parquet_pieces(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield rows of a Parquet file as small ones."""
    from icost._core.validation import import_extra

    pyarrow = import_extra("pyarrow", "data", "Reading a Parquet file")
    parquet = import_extra("pyarrow.parquet", "data", "Reading a Parquet file")
    try:
        file = parquet.ParquetFile(path)
    except (OSError, ValueError, pyarrow.ArrowException):
        raise ValueError(f"{path}: this is not a readable Parquet file.") from None
    n_rows = 0
    for batch in file.iter_batches(CHUNK_ROWS):
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_batches([batch]), buffer)
        yield (f"row {n_rows + 1:,}" if n_rows else ""), _Piece(buffer.getvalue(), path)
        n_rows += len(batch)
