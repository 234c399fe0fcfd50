"""Cells of CSV files and their kin: parsed by pandas where every line is regular."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.validation import import_extra
from icost.datasets._text_columns import EXACT, MISSING, Attribute, RawTable, TableError, is_number

if TYPE_CHECKING:
    import pandas as pd

UNNAMED = "Unnamed: 0"
"""Name of a first column without one."""


class DelimitedText(RawTable):
    """Cells of delimited text with a header line.

    pandas parses the file. Where it would fill up or drop cells without a word, the file is read
    row by row, which names the line.
    """

    def __init__(self, text: str, source: str, delimiter: str) -> None:
        super().__init__(source, [], may_be_european=delimiter != ",")
        self.text, self.delimiter = text, delimiter
        header = next(self._records(), None)
        if header is None:
            raise TableError(f"{source}: the file is empty.")
        self.header_line, names, self.header_end = header
        if "" in names[1:]:
            column = names.index("", 1) + 1
            raise TableError(f"{source}, line {self.header_line}: column {column} has no name.")
        # Frames are written with their index as a first column without a name; pandas reads it so.
        self.attributes = [Attribute(name or UNNAMED) for name in names]

    def columns(self) -> Iterable[Any]:
        """Return the cells of each column: numbers as such, all others as text."""
        self._refuse_data_as_names()
        frame = self._parsed
        if frame is None:
            self._read_rows()
            return super().columns()
        return [cells if _is_exact(cells) else self.texts(name) for name, cells in frame.items()]

    def texts(self, name: str) -> Sequence[str]:
        """Return the cells of a column as text."""
        return super().texts(name) if self._parsed is None else self._as_text[name]

    def where(self, row: int) -> str:
        """Name the place of a row in the file."""
        self._read_rows()
        return super().where(row)

    def _stream(self) -> io.TextIOWrapper:
        # As bytes, text takes less memory than io.StringIO has it in: a quarter, if it is ASCII.
        content = io.BytesIO(self.text.encode("utf-8", "surrogatepass"))
        return io.TextIOWrapper(content, "utf-8", "surrogatepass", newline="")

    def _records(self) -> Iterator[tuple[int, tuple[str, ...], int]]:
        """Yield the first line, the cells and the last line of each record, header first."""
        reader = csv.reader(
            self._stream(), delimiter=self.delimiter, skipinitialspace=True, strict=True
        )
        start, is_header = 1, True
        try:
            for record in reader:
                cells = tuple(map(str.strip, record))
                if any(cells) or (len(cells) > 1 and not is_header):
                    yield start, cells, reader.line_num
                    is_header = False
                # A quoted value may span lines, so the next record starts after the last one read.
                start = reader.line_num + 1
        except csv.Error as error:
            raise TableError(f"{self.source}, line {start}: {error}.") from None

    def _read_rows(self) -> None:
        """Read all rows, or raise at the first one that is longer or shorter than the header."""
        if not self.rows:
            for line, cells, _ in islice(self._records(), 1, None):
                self.append(cells, line)

    @cached_property
    def _parsed(self) -> pd.DataFrame | None:
        """The columns as pandas reads them, or None if the file is not regular."""
        frame = self._parse()
        return frame if frame is not None and self._is_regular(len(frame)) else None

    @cached_property
    def _as_text(self) -> Any:
        return self._parse(dtype=str)

    def _parse(self, **options: Any) -> pd.DataFrame | None:
        pd = import_extra("pandas", "data", "Reading a table")
        stream = self._stream()
        for _ in range(self.header_end):
            stream.readline()
        if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
            options["float_precision"] = "round_trip"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                return pd.read_csv(
                    stream,
                    sep=self.delimiter,
                    header=None,
                    names=[attribute.name for attribute in self.attributes],
                    index_col=False,
                    keep_default_na=False,
                    na_values=sorted(MISSING - {"None"}),
                    skipinitialspace=True,
                    low_memory=False,
                    **options,
                )
        except (ValueError, pd.errors.ParserWarning):
            return None

    def _is_regular(self, n_rows: int) -> bool:
        """Return whether all lines have as many cells as the header."""
        width = len(self.attributes)
        if '"' not in self.text:
            return self.text.count(self.delimiter) == (n_rows + 1) * (width - 1)
        lengths = [len(cells) for _, cells, _ in self._records()]
        return set(lengths) == {width} and len(lengths) == n_rows + 1

    def _refuse_data_as_names(self) -> None:
        """Refuse a first row of data, which would silently be lost if it were taken for names."""
        names = [attribute.name for attribute in self.attributes]
        numbers = [name for name in names if name not in MISSING and is_number(name)]
        counts = {tuple(map(str, range(first, first + len(numbers)))) for first in (0, 1)}
        # Frames without names are written with 0, 1, 2, … on top. Other numbers are names, such as
        # years, if there are words among them that do not occur below.
        if not numbers or tuple(numbers) in counts:
            return
        words = [place for place, name in enumerate(names) if name not in numbers]
        self._read_rows()
        occur_below = any(row[place] == names[place] for row in self.rows for place in words)
        if occur_below or all(names[place] in (*MISSING, UNNAMED) for place in words):
            raise TableError(
                f"{self.source}, line {self.header_line}: expected column names, got the number "
                f"{numbers[0]!r}; add a header line."
            )


def _is_exact(cells: pd.Series) -> bool:
    """Return whether pandas has read a column without loss: not rounded, nor as truth values."""
    if cells.dtype.kind == "f":
        return not (np.abs(cells) >= EXACT).any()
    pd = import_extra("pandas", "data", "Reading a table")
    return cells.dtype.kind == "i" or pd.api.types.infer_dtype(cells) == "string"
