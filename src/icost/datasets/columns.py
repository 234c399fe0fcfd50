"""From rows of text to a typed frame: the part that all text formats share."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from icost.validation import import_extra

if TYPE_CHECKING:
    import pandas as pd

#: What a cell holds when its value is not known.
MISSING = frozenset({"", "?", "<null>", "NA", "N/A", "NaN", "nan", "null", "NULL"})


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

    ``kind`` is ``"real"``, ``"integer"``, ``"nominal"`` (only ``values`` may occur),
    ``"text"`` (anything may) or ``"infer"`` (numbers if every cell is one).
    """

    name: str
    kind: str = "infer"
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


def to_frame(raw: RawTable, as_text: Collection[str] = ()) -> pd.DataFrame:
    """Convert the cells of a raw table, column by column; some are text whatever they look like."""
    pd = import_extra("pandas", "data", "Reading a table")
    if not raw.rows:
        raise TableError(f"{raw.source}: there are no data rows.")
    names = [attribute.name for attribute in raw.attributes]
    duplicated = sorted({name for name in names if names.count(name) > 1})
    if duplicated:
        raise TableError(f"{raw.source}: the column name {duplicated[0]!r} occurs twice.")
    cells = zip(*raw.rows, strict=True)
    columns = {
        attribute.name: _CONVERTERS["text" if attribute.name in as_text else attribute.kind](
            attribute, column, raw
        )
        for attribute, column in zip(raw.attributes, cells, strict=True)
    }
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
    codes = {value: code for code, value in enumerate(dict.fromkeys(attribute.values))}
    coded = np.empty(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        code = codes.get(cell, -1)
        if code == -1 and cell not in MISSING:
            raise TableError(
                f"{raw.where(row)}: {attribute.name!r} must be one of "
                f"{shorten(attribute.values)}, got {cell!r}."
            )
        coded[row] = code
    return pd.Categorical.from_codes(coded, categories=list(codes))


def _text(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> pd.Categorical:
    values = tuple(sorted(set(cells) - MISSING))
    return _nominal(Attribute(attribute.name, "nominal", values), cells, raw)


def _infer(attribute: Attribute, cells: Sequence[str], raw: RawTable) -> Any:
    if raw.decimal_comma and _have_decimal_commas(cells):
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        values = _numbers(cells)
    except ValueError:
        return _text(attribute, cells, raw)
    # "3.0" says that the column holds measurements, "3" that it holds counts or codes.
    measured = any("." in cell for cell in cells)
    return values if measured else _as_integers(values)


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


def shorten(names: Sequence[object], limit: int = 12) -> str:
    """List names for a message, the first dozen at most.

    Examples
    --------
    >>> from icost.datasets.columns import shorten
    >>> shorten(["a", "b", "c"], limit=2)
    "'a', 'b', … (3 in all)"
    """
    listed = ", ".join(repr(name) for name in names[:limit])
    return listed if len(names) <= limit else f"{listed}, … ({len(names)} in all)"


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return the start of a sentence that offers the nearest name, or nothing.

    Examples
    --------
    >>> from icost.datasets.columns import did_you_mean
    >>> did_you_mean("class", ["Age", "Class"])
    "did you mean 'Class'? "
    """
    folded: dict[str, str] = {}
    for known in names:
        folded.setdefault(known.strip().casefold(), known)
    near = difflib.get_close_matches(name.strip().casefold(), folded, n=1, cutoff=0.8)
    return f"did you mean {folded[near[0]]!r}? " if near else ""
