"""From cells of text to columns of numbers or levels."""

from __future__ import annotations

import math
import re
import shlex
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from icost._core.validation import check_choice, import_extra, shorten

if TYPE_CHECKING:
    import pandas as pd

#: What a cell holds when its value is not remembered: what pandas reads so, and two more.
MISSING = {
    *("", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "null"),
    *("NULL", "NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}

GAPS = {
    *("-", "--", "---", "–", "—", ".", "..", "...", "*", "?", "??", "na", "n/a", "n.a.", "n.a"),
    *("nil", "none", "null", "nan", "missing", "unknown", "not available", "not applicable"),
    *("no data", "k.a.", "unbekannt", "#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!"),
    *("#null!", "#nv", "#wert!", "#bezug!", "#zahl!"),
}
"""What stands for a missing cell in a column of numbers, in lower case; a level in one of words."""

FEW_WORDS, MOST_WORDS = 3, 0.2
"""Different other words that may mean missing among numbers, and their share of the cells."""

MAX_UNPACKED = 2**28
"""Bytes that a packed file may have: a few kilobytes can fill all memory."""

EXACT = 2**53
"""From here on, a float does not have all whole numbers."""

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
class ReadOptions:
    """What the user, or a saved model, says about a file and its cells; see `read_table`."""

    format: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    max_unpacked: int = MAX_UNPACKED
    as_text: Collection[str] = ()
    missing: Collection[str] = ()
    decimal: str | None = None
    thousands: str | None = None
    written: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    as_numbers: Collection[str] = ()
    labels: str | None = None

    def __post_init__(self) -> None:
        """Refuse marks that no number has."""
        if self.decimal is not None:
            check_choice("decimal", self.decimal, (".", ","))
        if self.thousands is not None:
            check_choice("thousands", self.thousands, THOUSANDS)
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
        remembered = self.written.get(column)
        if remembered is not None:
            return remembered["decimal"], remembered["thousands"] or None
        return self.decimal or self._common_decimal, self.thousands

    @cached_property
    def _common_decimal(self) -> str | None:
        """The decimal mark of all columns that a model remembers, if it is one."""
        marks = {notation["decimal"] for notation in self.written.values()}
        return marks.pop() if len(marks) == 1 else None


DEFAULTS = ReadOptions()
"""Nothing is declared."""


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
    rows: list[Sequence[Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    target: str | None = None
    place: str = "line"
    may_be_european: bool = False

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


class ColumnReader:
    """Makes typed columns of the cells of a table, and keeps what is to be said of them.

    A column of text is a category whose levels are the different cells, in the order of the file.
    """

    def __init__(self, table: RawTable, options: ReadOptions) -> None:
        self.table, self.options = table, options
        self.notations: dict[str, Notation] = {}
        self.gaps: list[str] = []

    @property
    def written(self) -> dict[str, dict[str, str]]:
        """How the numbers of columns are written, if some are not as Python writes them."""
        if set(self.notations.values()) == {PLAIN}:
            # One entry stands for all columns.
            return {"": asdict(PLAIN)} if self.table.may_be_european else {}
        return {name: asdict(notation) for name, notation in self.notations.items()}

    def frame(self) -> pd.DataFrame:
        """Return all columns."""
        pd = import_extra("pandas", "data", "Reading a table")
        source, attributes = self.table.source, self.table.attributes
        names = [attribute.name for attribute in attributes]
        refuse_repeated(names, source)
        cells = list(self.table.columns())
        if not cells or not len(cells[0]):
            raise TableError(f"{source}: there are no data rows.")
        columns = dict(zip(names, map(self._read, attributes, cells), strict=True))
        self._refuse_doubtful_dots()
        if self.gaps:
            listed = f"{source}: read as missing: {', '.join(self.gaps)}."
            warnings.warn(listed, UserWarning, stacklevel=2)
        return pd.DataFrame(columns)

    def _read(self, attribute: Attribute, cells: Any) -> Any:
        name, declared = attribute.name, attribute.type_name
        if declared == "infer":
            declared = "text" if name in self.options.as_text else declared
            if not is_text(cells):
                if declared == "infer":
                    return self._typed(name, cells)
                cells = self.table.texts(name)
        column = self._categories(cells, {"None", *attribute.values})
        if declared == "infer":
            return self._infer(name, column)
        if declared == "text":
            return _levels(column)
        column = _without(column, {"None"}.difference(attribute.values))
        if declared == "nominal":
            self._refuse(column, set(attribute.values).__contains__, attribute)
            return column.set_categories(dict.fromkeys(attribute.values))
        self._refuse(column, is_number, attribute)
        values = _floats(column, PLAIN)
        return _as_integers(values) if declared == "integer" else values

    def _refuse(self, column: pd.Categorical, is_right: Any, attribute: Attribute) -> None:
        """Raise at the first cell that is not what the file declares."""
        text = next((text for text in column.categories if not is_right(text)), None)
        if text is not None:
            values = attribute.values
            needed = f"one of {shorten(values)}" if values else "a number"
            place = f"{self._where(column, text)}: {attribute.name!r}"
            raise TableError(f"{place} must be {needed}, got {text!r}.")

    def _categories(self, cells: Any, levels: Collection[str] = ("None",)) -> pd.Categorical:
        """Return a column of text; what means missing does not if it is one of the levels."""
        pd = import_extra("pandas", "data", "Reading a table")
        texts = pd.Series(cells, dtype=object).map(str.strip, na_action="ignore")
        texts[texts.isin({*MISSING.difference(levels), *self.options.missing})] = np.nan
        return pd.Categorical.from_codes(*pd.factorize(texts))

    def _where(self, column: pd.Categorical, text: str) -> str:
        """Name the place of the first row with a text."""
        return self.table.where(int((column == text).argmax()))

    def _typed(self, name: str, cells: Any) -> Any:
        """Take numbers, times and truth values as they are; dots in numbers may be thousands."""
        if self.table.place == "line" and cells.dtype.kind == "f":
            decimal, thousands = self.options.marks_of(name)
            if decimal == "," or thousands == "." or self._may_have_thousands(cells):
                return self._infer(name, self._categories(self.table.texts(name)))
            self.notations[name] = PLAIN
        return cells

    def _may_have_thousands(self, cells: Any) -> bool:
        """Return whether fractions are thousandths beside whole numbers, as 1.234 beside 997."""
        if not self.table.may_be_european:
            return False
        values = np.abs(cells[cells.notna()])
        is_whole = values % 1 == 0
        thousandths = values[~is_whole] * 1000
        is_near = np.abs(thousandths - np.round(thousandths)) < 1e-6
        return bool(is_whole.any() and is_near.all() and (values[~is_whole] >= 1).all())

    def _infer(self, name: str, column: pd.Categorical) -> Any:
        words = self._gap_words(name, column)
        self._note_gaps(name, column, words)
        column = _without(column, words)
        notation = self._find_notation(name, column)
        if notation is None:
            self._warn_of_words(name, column)
            return _levels(column)
        values, texts = _floats(column, notation), list(map(notation.plain, column.categories))
        # "3.0" says that the column holds measurements, "3" that it holds counts or codes.
        is_measured = any(mark in text for text in texts for mark in ".eE")
        if notation != PLAIN or is_measured:
            self.notations[name] = notation
        if is_measured:
            return values
        if (np.abs(values) >= EXACT).any() and all(text.lstrip("+-").isdecimal() for text in texts):
            # Floats would round them: exact up to 64 bits; longer ones are codes.
            integers = list(map(int, texts))
            if max(map(abs, integers)) >= 2**63:
                return _levels(column)
            return values if np.isnan(values).any() else np.array(integers)[column.codes]
        return _as_integers(values)

    def _gap_words(self, name: str, column: pd.Categorical) -> list[str]:
        """Return the words of a column that stand for gaps, if all others are numbers."""
        words = [text for text in column.categories if text.lower() in GAPS]
        numbers = [text for text in column.categories if text not in words]
        if not words or not all(map(self._is_number, numbers)):
            return []
        is_sure = len(numbers) > 1 or name in self.options.as_numbers
        if not is_sure or name == self.options.labels:
            return [word for word in words if word in MISSING]
        return words

    def _note_gaps(self, name: str, column: pd.Categorical, words: list[str]) -> None:
        """Keep for one warning which words are gaps, in which column and how many cells."""
        words = [word for word in words if word not in MISSING]
        if words:
            others = f" and {len(words) - FEW_WORDS} other words" if words[FEW_WORDS:] else ""
            count = int(column.isin(words).sum())
            cells = "1 cell" if count == 1 else f"{count:,} cells"
            listed = ", ".join(map(repr, words[:FEW_WORDS]))
            self.gaps.append(f"{listed}{others} in column {name!r} ({cells})")

    def _is_number(self, text: str) -> bool:
        return is_number(text) or any(one.fits([text]) for one in self.options.notations)

    def _find_notation(self, name: str, column: pd.Categorical) -> Notation | None:
        """Return how the numbers of a column are written, or None if not all cells are numbers.

        The column decides as a whole. Marks that are declared count only where its cells leave a
        choice, and a comma that may be either is refused.
        """
        decimal, thousands = self.options.marks_of(name)
        is_plain = all(map(is_number, column.categories))
        if is_plain and decimal != "," and thousands != ".":
            self._refuse_thousands(name, column)
            return PLAIN
        readings = self._readings(column)
        if len(readings) > 1 and (decimal or thousands):
            readings = [notation for notation in readings if notation.agrees(decimal, thousands)]
        if len(readings) > 1:
            raise self._ambiguous(name, column, ",")
        return readings[0] if readings else PLAIN if is_plain else None

    def _readings(self, column: pd.Categorical) -> list[Notation]:
        """Return a notation for each series of numbers that the cells may be."""
        texts, notations = list(column.categories), dict[tuple[float, ...], Notation]()
        for notation in self.options.notations:
            if texts and notation.fits(texts):
                values = tuple(float(notation.plain(text)) for text in texts)
                notations.setdefault(values, notation)
        return list(notations.values())

    def _refuse_thousands(self, name: str, column: pd.Categorical) -> None:
        """Refuse 1.234 beside 997, where the comma that does not separate cells may be decimal."""
        is_open = self.table.may_be_european and self.options.marks_of(name) == (None, None)
        is_mixed = is_open and not all("." in text for text in column.categories)
        if is_mixed and len(self._readings(column)) > 1:
            raise self._ambiguous(name, column, ".")

    def _refuse_doubtful_dots(self) -> None:
        """Refuse 1.234 as a fraction where another column of the file has decimal commas."""
        commas = [name for name, notation in self.notations.items() if notation.decimal == ","]
        for name in (name for name, notation in self.notations.items() if notation == PLAIN):
            if commas and self.options.marks_of(name) == (None, None):
                column = self._categories(self.table.texts(name))
                column = _without(column, self._gap_words(name, column))
                if len(self._readings(column)) > 1:
                    reason = f", since {commas[0]!r} has decimal commas"
                    raise self._ambiguous(name, column, ".", reason)

    def _ambiguous(
        self, name: str, column: pd.Categorical, mark: str, reason: str = ""
    ) -> TableError:
        text = next(text for text in column.categories if mark in text)
        whole, fraction = text.replace(mark, ""), text.replace(mark, ".")
        return TableError(
            f"{self._where(column, text)}: {text!r} in column {name!r} may be {whole} or {fraction}"
            f"{reason}: say which with --thousands {mark} or --decimal {mark} (thousands={mark!r} "
            f"or decimal={mark!r} in Python)."
        )

    def _warn_of_words(self, name: str, column: pd.Categorical) -> None:
        """Name the few words that make text of a column in which nearly all cells are numbers."""
        others = (text for text in column.categories if not self._is_number(text))
        words = list(islice(others, FEW_WORDS + 1))
        count = int(column.isin(words).sum())
        if not words or len(words) > FEW_WORDS or count > MOST_WORDS * column.notna().sum():
            return
        warnings.warn(
            f"{self._where(column, words[0])}: column {name!r} is read as text: "
            f"{count:,} of {len(column):,} cells {'is' if count == 1 else 'are'} "
            f"{' or '.join(map(repr, words))}, all others are numbers. If that means missing: "
            f"{' '.join(f'--missing {shlex.quote(word)}' for word in words)} (missing={words}).",
            UserWarning,
            stacklevel=2,
        )


def to_frame(table: RawTable, options: ReadOptions = DEFAULTS) -> pd.DataFrame:
    """Convert the cells of a table, column by column."""
    return ColumnReader(table, options).frame()


def refuse_repeated(names: Sequence[str], source: str) -> None:
    """Refuse two columns of one name."""
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise TableError(f"{source}: the column name {name!r} occurs twice; rename one.")


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


def _floats(column: pd.Categorical, notation: Notation) -> NDArray[np.float64]:
    return np.array([*(float(notation.plain(text)) for text in column.categories), math.nan])[
        column.codes
    ]


def _as_integers(values: NDArray[np.float64]) -> NDArray[Any]:
    # NaN compares unequal to itself, so a column with a gap stays float.
    whole = np.all(values == np.floor(values)) and np.all(np.abs(values) < EXACT)
    return values.astype(np.int64) if whole else values


def _levels(column: pd.Categorical) -> pd.Categorical:
    return column.reorder_categories(sorted(column.categories))


def _without(column: pd.Categorical, texts: Collection[str]) -> pd.Categorical:
    """Return the column in which these texts are missing."""
    return column.remove_categories([text for text in column.categories if text in texts])
