"""From cells of text to columns of numbers or levels."""

from __future__ import annotations

import math
import re
import shlex
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from icost._core.validation import import_extra, shorten

if TYPE_CHECKING:
    import pandas as pd

#: What a cell holds when its value is not remembered: what pandas reads so, and two more.
MISSING = {
    *("", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "null"),
    *("NULL", "NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}

GAPS = {
    *(
        "-",
        "--",
        "---",
        "–",
        "—",
        ".",
        "..",
        "...",
        "*",
        "?",
        "??",
        "na",
        "n/a",
        "n.a.",
        "n.a",
        "nil",
    ),
    *("none", "null", "nan", "missing", "unknown", "not available", "not applicable", "no data"),
    *("#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "k.a.", "unbekannt"),
}
"""What stands for a missing cell in a column of numbers, in lower case; a level in one of words."""

FEW_WORDS, MOST_WORDS = 3, 0.2
"""Different other words that may mean missing among numbers, and their share of the cells."""

THOUSANDS = (",", ".", "'", "’", " ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}")
"""Marks that may separate thousands; all but the comma and the dot must be declared."""


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
class Notation:
    """How the numbers of a column are written: the marks of fractions and thousands."""

    decimal: str = "."
    thousands: str = ""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        decimal, mark = re.escape(self.decimal), re.escape(self.thousands)
        # Nobody writes a leading zero before thousands, so 0,125 is a fraction.
        grouped = rf"|[1-9]\d{{0,2}}(?:{mark}\d{{3}})+" if mark else ""
        return re.compile(
            rf"[+-]?(?:(?:\d+{grouped})(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?"
        )

    def fits(self, texts: Iterable[str]) -> bool:
        """Return whether all texts are numbers in this notation."""
        return all(map(self._pattern.fullmatch, texts))

    def plain(self, text: str) -> str:
        """Return a number as Python writes it."""
        return text.replace(self.thousands, "").replace(self.decimal, ".")

    def agrees(self, decimal: str | None, thousands: str | None) -> bool:
        """Return whether the notation is possible where these marks are declared."""
        return decimal in (None, self.decimal) and self.decimal != thousands


PLAIN = Notation()

NOTATIONS = (PLAIN, Notation(".", ","), Notation(",", ""), Notation(",", "."))
"""Forms of numbers that a column can show by its cells."""


@dataclass(frozen=True)
class CellRules:
    """What the user, or a saved model, says about the cells of text files."""

    as_text: Collection[str] = ()
    missing: Collection[str] = ()
    decimal: str | None = None
    thousands: str | None = None
    written: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    as_numbers: Collection[str] = ()
    labels: str | None = None

    def __post_init__(self) -> None:
        """Refuse marks that no number has."""
        for name, mark, marks in (
            ("decimal", self.decimal, (".", ",")),
            ("thousands", self.thousands, THOUSANDS),
        ):
            if mark is not None and mark not in marks:
                raise ValueError(f"{name} must be one of {shorten(marks)}, got {mark!r}.")
        if self.decimal is not None and self.decimal == self.thousands:
            raise ValueError(f"decimal and thousands must differ, got {self.decimal!r} for both.")

    @property
    def notations(self) -> tuple[Notation, ...]:
        """Forms of numbers to try, simplest first."""
        mark = self.thousands
        if mark is None or mark in ",.":
            return NOTATIONS
        return (*NOTATIONS, Notation(".", mark), Notation(",", mark))

    def marks_of(self, column: str) -> tuple[str | None, str | None]:
        """Return the marks of fractions and thousands that are declared for a column."""
        remembered = self.written.get(column, {})
        decimal = remembered.get("decimal", self.decimal)
        thousands = remembered.get("thousands", "") or (None if remembered else self.thousands)
        return decimal, thousands


AS_SEEN = CellRules()
"""Nothing is remembered of the cells but what they show."""


@dataclass(frozen=True)
class Attribute:
    """A column's name and what its file declares about it.

    ``type_name`` is ``"real"``, ``"integer"``, ``"nominal"`` (only ``values`` may occur),
    ``"text"`` (anything may) or ``"infer"`` (numbers if every cell is one).
    """

    name: str
    type_name: str = "infer"
    values: tuple[str, ...] = ()


class CellTable(Protocol):
    """Cells of a file, column by column: text, or what a format has typed already."""

    source: str
    attributes: list[Attribute]
    place: str

    def columns(self) -> Iterable[Any]:
        """Return the cells of each column, as they were read."""

    def texts(self, name: str) -> Sequence[str]:
        """Return the cells of a column as text."""

    def where(self, row: int) -> str:
        """Name the place of a row in the file."""


@dataclass
class RawTable:
    """Cells as read, with the line that each row came from."""

    source: str
    attributes: list[Attribute]
    rows: list[Sequence[Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    target: str | None = None
    place: str = "line"

    def append(self, cells: Sequence[Any], line: int) -> None:
        """Add a row, or raise if it is longer or shorter than the header."""
        if len(cells) != len(self.attributes):
            raise TableError(
                f"{self.source}, {self.place} {line}: expected {len(self.attributes)} values, "
                f"got {len(cells)}."
            )
        self.rows.append(cells)
        self.lines.append(line)

    def columns(self) -> Iterable[Any]:
        """Return the cells of each column."""
        return zip(*self.rows, strict=True)

    def texts(self, name: str) -> Sequence[str]:
        """Return the cells of a column."""
        place = [attribute.name for attribute in self.attributes].index(name)
        return [row[place] for row in self.rows]

    def where(self, row: int) -> str:
        """Name the place of a row in the file."""
        return f"{self.source}, {self.place} {self.lines[row]}"


@dataclass(frozen=True)
class TextColumn:
    """A column of text: its different cells, and which of them each row has, -1 if missing."""

    name: str
    texts: tuple[str, ...]
    codes: NDArray[np.intp]
    table: CellTable

    @classmethod
    def of(cls, name: str, cells: Any, table: CellTable, missing: Iterable[str]) -> TextColumn:
        """Return the column of these cells, without blanks around them."""
        pd = import_extra("pandas", "data", "Reading a table")
        codes, raw = pd.factorize(np.asarray(cells, dtype=object))
        places: dict[str, int] = dict.fromkeys(missing, -1)
        texts: list[str] = []
        merged = np.full(len(raw) + 1, -1, np.intp)
        for code, text in enumerate(str(text).strip() for text in raw):
            place = places.setdefault(text, len(texts))
            merged[code] = place
            if place == len(texts):
                texts.append(text)
        return cls(name, tuple(texts), merged[codes], table)

    def where(self, text: str) -> str:
        """Name the place of the first row with a text."""
        return self.table.where(int((self.codes == self.texts.index(text)).argmax()))

    def count(self, texts: Collection[str]) -> int:
        """Return how many rows have one of the texts."""
        codes = [code for code, text in enumerate(self.texts) if text in texts]
        return int(np.isin(self.codes, codes).sum())

    def without(self, texts: Collection[str]) -> TextColumn:
        """Return the column in which these texts are missing."""
        kept = [text for text in self.texts if text not in texts]
        places = {text: place for place, text in enumerate(kept)}
        merged = np.array([*(places.get(text, -1) for text in self.texts), -1], np.intp)
        return replace(self, texts=tuple(kept), codes=merged[self.codes])

    def numbers(self, notation: Notation) -> Any:
        """Return the column as numbers; long codes stay text."""
        plain = [notation.plain(text) for text in self.texts]
        values = np.array([*map(float, plain), math.nan])[self.codes]
        # "3.0" says that the column holds measurements, "3" that it holds counts or codes.
        if any("." in text for text in plain):
            return values
        if (np.abs(values) >= 2**53).any() and all(text.lstrip("+-").isdecimal() for text in plain):
            return self._long_integers([int(text) for text in plain], values)
        return _as_integers(values)

    def _long_integers(self, integers: list[int], values: NDArray[np.float64]) -> Any:
        """Return integers that floats would round: exact up to 64 bits; longer ones are codes."""
        if not all(-(2**63) <= integer < 2**63 for integer in integers):
            return self.levels()
        return values if (self.codes < 0).any() else np.array(integers)[self.codes]

    def levels(self) -> pd.Categorical:
        """Return the column as a category of sorted levels."""
        pd = import_extra("pandas", "data", "Reading a table")
        order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
        ranks = np.empty(len(order) + 1, np.intp)
        ranks[[*order, -1]] = [*range(len(order)), -1]
        levels = [self.texts[place] for place in order]
        return pd.Categorical.from_codes(ranks[self.codes], categories=levels)


class ColumnReader:
    """Makes typed columns of the cells of a table, and keeps what is to be said of them."""

    def __init__(self, table: CellTable, rules: CellRules) -> None:
        self.table, self.rules = table, rules
        self.notations: dict[str, Notation] = {}
        self.gaps: list[str] = []

    @property
    def written(self) -> dict[str, dict[str, str]]:
        """How the numbers of each column are written, if not as Python writes them."""
        pairs = self.notations.items()
        return {name: asdict(notation) for name, notation in pairs if notation != PLAIN}

    def frame(self) -> pd.DataFrame:
        """Return all columns."""
        pd = import_extra("pandas", "data", "Reading a table")
        attributes = self.table.attributes
        names = [attribute.name for attribute in attributes]
        duplicated = sorted({name for name in names if names.count(name) > 1})
        if duplicated:
            raise TableError(
                f"{self.table.source}: the column name {duplicated[0]!r} occurs twice; rename one."
            )
        cells = list(self.table.columns())
        if not cells or not len(cells[0]):
            raise TableError(f"{self.table.source}: there are no data rows.")
        columns = dict(zip(names, map(self._read, attributes, cells), strict=True))
        self._refuse_doubtful_dots()
        if self.gaps:
            warnings.warn(
                f"{self.table.source}: read as missing: {', '.join(self.gaps)}.",
                UserWarning,
                stacklevel=2,
            )
        return pd.DataFrame(columns)

    def _read(self, attribute: Attribute, cells: Any) -> Any:
        name, declared = attribute.name, attribute.type_name
        if declared == "infer":
            declared = "text" if name in self.rules.as_text else declared
            if not is_text(cells):
                if declared == "infer":
                    return self._typed(name, cells)
                cells = self.table.texts(name)
        column = self._column(name, cells, {"None", *attribute.values})
        if declared == "nominal":
            return _nominal(column, attribute.values)
        if declared == "text":
            return column.levels()
        if declared == "infer":
            return self._infer(column)
        numbers = _real(column)
        return _as_integers(numbers) if declared == "integer" else numbers

    def _column(self, name: str, cells: Any, levels: Collection[str] = ("None",)) -> TextColumn:
        """Return a column of text; what means missing does not if it is one of the levels."""
        missing = {*MISSING.difference(levels), *self.rules.missing}
        return TextColumn.of(name, cells, self.table, missing)

    def _typed(self, name: str, cells: Any) -> Any:
        """Take numbers, times and truth values as they are; dots in numbers may be thousands."""
        if self.table.place == "line" and cells.dtype.kind == "f":
            decimal, thousands = self.rules.marks_of(name)
            if decimal == "," or thousands == ".":
                return self._infer(self._column(name, self.table.texts(name)))
            self.notations[name] = PLAIN
        return cells

    def _infer(self, column: TextColumn) -> Any:
        column = self._without_gaps(column)
        notation = self._find_notation(column)
        if notation is None:
            self._warn_of_words(column)
            return column.levels()
        if notation != PLAIN or any("." in text for text in column.texts):
            self.notations[column.name] = notation
        return column.numbers(notation)

    def _without_gaps(self, column: TextColumn) -> TextColumn:
        """Return the column without words that stand for gaps, if all others are numbers."""
        words = [text for text in column.texts if text.lower() in GAPS]
        numbers = [text for text in column.texts if text not in words]
        if not words or not all(map(self._is_number, numbers)):
            return column
        is_sure = len(numbers) > 1 or column.name in self.rules.as_numbers
        if not is_sure or column.name == self.rules.labels:
            return column.without(MISSING)
        said = [word for word in words if word not in MISSING]
        if said:
            others = f" and {len(said) - FEW_WORDS} other words" if len(said) > FEW_WORDS else ""
            listed = ", ".join(map(repr, said[:FEW_WORDS]))
            count = column.count(said)
            cells = "1 cell" if count == 1 else f"{count:,} cells"
            self.gaps.append(f"{listed}{others} in column {column.name!r} ({cells})")
        return column.without(words)

    def _is_number(self, text: str) -> bool:
        return is_number(text) or any(one.fits([text]) for one in self.rules.notations)

    def _find_notation(self, column: TextColumn) -> Notation | None:
        """Return how the numbers of a column are written, or None if not all cells are numbers.

        The column decides as a whole. Marks that are declared count only where its cells leave a
        choice, and a comma that may be either is refused.
        """
        decimal, thousands = self.rules.marks_of(column.name)
        is_plain = all(map(is_number, column.texts))
        if is_plain and decimal != "," and thousands != ".":
            return PLAIN
        readings = self._readings(column.texts)
        if len(readings) > 1 and (decimal or thousands):
            readings = [notation for notation in readings if notation.agrees(decimal, thousands)]
        if len(readings) > 1:
            raise _ambiguous(column, ",")
        if not readings:
            return PLAIN if is_plain else None
        return readings[0]

    def _readings(self, texts: Sequence[str]) -> list[Notation]:
        """Return a notation for each series of numbers that the texts may be."""
        notations: dict[tuple[float, ...], Notation] = {}
        for notation in self.rules.notations:
            if texts and notation.fits(texts):
                values = tuple(float(notation.plain(text)) for text in texts)
                notations.setdefault(values, notation)
        return list(notations.values())

    def _refuse_doubtful_dots(self) -> None:
        """Refuse 1.234 as a fraction where another column of the file has decimal commas."""
        commas = [name for name, notation in self.notations.items() if notation.decimal == ","]
        if not commas:
            return
        for name in (name for name, notation in self.notations.items() if notation == PLAIN):
            if self.rules.marks_of(name) == (None, None):
                column = self._column(name, self.table.texts(name))
                if len(self._readings(self._without_gaps(column).texts)) > 1:
                    raise _ambiguous(column, ".", f", since {commas[0]!r} has decimal commas")

    def _warn_of_words(self, column: TextColumn) -> None:
        """Name the few words that make text of a column in which nearly all cells are numbers."""
        others = (text for text in column.texts if not self._is_number(text))
        words = list(islice(others, FEW_WORDS + 1))
        count, present = column.count(words), int((column.codes >= 0).sum())
        if not words or len(words) > FEW_WORDS or count > MOST_WORDS * present:
            return
        warnings.warn(
            f"{column.where(words[0])}: column {column.name!r} is read as text: "
            f"{count:,} of {len(column.codes):,} cells {'is' if count == 1 else 'are'} "
            f"{' or '.join(map(repr, words))}, all others are numbers. If that means missing: "
            f"{' '.join(f'--missing {shlex.quote(word)}' for word in words)} (missing={words}).",
            UserWarning,
            stacklevel=2,
        )


def to_frame(table: CellTable, rules: CellRules = AS_SEEN) -> pd.DataFrame:
    """Convert the cells of a table, column by column."""
    return ColumnReader(table, rules).frame()


def is_text(cells: Any) -> bool:
    """Return whether some cell of a column is text."""
    code = getattr(getattr(cells, "dtype", None), "kind", "O")
    return code == "O" and any(isinstance(cell, str) for cell in cells)


def is_number(text: str) -> bool:
    """Tell whether a cell is a number; a missing value may stand among them, so it is one."""
    # Python's float() also reads the underscores of its own literals: codes, not numbers.
    if "_" in text:
        return False
    try:
        float(text)
    except ValueError:
        return text in MISSING
    return True


def _as_integers(values: NDArray[np.float64]) -> NDArray[Any]:
    # NaN compares unequal to itself, so a column with a gap stays float.
    whole = np.all(values == np.floor(values)) and np.all(np.abs(values) < 2**53)
    return values.astype(np.int64) if whole else values


def _ambiguous(column: TextColumn, mark: str, reason: str = "") -> TableError:
    text = next(text for text in column.texts if mark in text)
    whole, fraction = text.replace(mark, ""), text.replace(mark, ".")
    return TableError(
        f"{column.where(text)}: {text!r} in column {column.name!r} may be {whole} or {fraction}"
        f"{reason}: say which with --thousands {mark} or --decimal {mark} (thousands={mark!r} or "
        f"decimal={mark!r} in Python)."
    )


def _real(column: TextColumn) -> NDArray[np.float64]:
    column = column.without({"None"})
    word = next((text for text in column.texts if not is_number(text)), None)
    if word is not None:
        raise TableError(f"{column.where(word)}: {column.name!r} must be a number, got {word!r}.")
    return np.array([*map(float, column.texts), math.nan])[column.codes]


def _nominal(column: TextColumn, levels: Sequence[str]) -> pd.Categorical:
    pd = import_extra("pandas", "data", "Reading a table")
    if "None" not in levels:
        column = column.without({"None"})
    places = {level: place for place, level in enumerate(dict.fromkeys(levels))}
    for text in column.texts:
        if text not in places:
            raise TableError(
                f"{column.where(text)}: {column.name!r} must be one of {shorten(levels)}, "
                f"got {text!r}."
            )
    codes = np.array([*(places[text] for text in column.texts), -1], np.intp)
    return pd.Categorical.from_codes(codes[column.codes], categories=list(places))
