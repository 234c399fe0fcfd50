"""From cells of text to columns of numbers or levels."""

from __future__ import annotations

import math
import re
import shlex
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.validation import import_extra, shorten

if TYPE_CHECKING:
    import pandas as pd

#: What a cell holds when its value is not remembered: what pandas reads so, and two more.
MISSING = {
    *("", "?", "<null>", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "None", "null"),
    *("NULL", "NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}

FEW_WORDS, MOST_WORDS = 3, 0.2
"""Different words that may mean missing in a column of numbers, and their share of its cells."""

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


@dataclass
class RawTable:
    """Cells as read, with the line that each row came from."""

    source: str
    attributes: list[Attribute]
    rows: list[Sequence[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    target: str | None = None
    place: str = "line"
    header_line: int = 1
    notations: dict[str, Notation] = field(default_factory=dict)

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

    @property
    def written(self) -> dict[str, dict[str, str]]:
        """How the numbers of each column are written, if not as Python writes them."""
        return {
            name: asdict(notation) for name, notation in self.notations.items() if notation != PLAIN
        }


def to_frame(raw: RawTable, rules: CellRules = AS_SEEN) -> pd.DataFrame:
    """Convert the cells of a raw table, column by column."""
    pd = import_extra("pandas", "data", "Reading a table")
    if not raw.rows:
        raise TableError(f"{raw.source}: there are no data rows.")
    names = [attribute.name for attribute in raw.attributes]
    duplicated = sorted({name for name in names if names.count(name) > 1})
    if duplicated:
        raise TableError(f"{raw.source}: the column name {duplicated[0]!r} occurs twice.")
    columns, texts = {}, {}
    for attribute, cells in zip(raw.attributes, zip(*raw.rows, strict=True), strict=True):
        if rules.missing:
            cells = tuple("" if cell in rules.missing else cell for cell in cells)
        if attribute.type_name == "infer" and attribute.name not in rules.as_text:
            columns[attribute.name] = _infer(attribute, cells, raw, rules)
            texts[attribute.name] = cells
        else:
            declared = "text" if attribute.type_name == "infer" else attribute.type_name
            columns[attribute.name] = _CONVERTERS[declared](attribute, cells, raw)
    _refuse_doubtful_dots(raw, texts, rules)
    return pd.DataFrame(columns)


def _refuse_doubtful_dots(
    raw: RawTable, texts: Mapping[str, Sequence[str]], rules: CellRules
) -> None:
    """Refuse 1.234 as a fraction where another column of the file has decimal commas."""
    commas = [name for name, notation in raw.notations.items() if notation.decimal == ","]
    for name in (name for name, notation in raw.notations.items() if commas and notation == PLAIN):
        numbers = _present(texts[name])
        if rules.marks_of(name) == (None, None) and len(_readings(numbers, rules)) > 1:
            reason = f", since {commas[0]!r} has decimal commas"
            raise _ambiguous(name, texts[name], raw, ".", reason)


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


def _infer(attribute: Attribute, cells: Sequence[str], raw: RawTable, rules: CellRules) -> Any:
    notation = _find_notation(attribute.name, cells, raw, rules)
    if notation is None:
        _warn_of_words(attribute, cells, raw, rules)
        return _text(attribute, cells, raw)
    if notation != PLAIN:
        cells = [cell if cell in MISSING else notation.plain(cell) for cell in cells]
    values = _numbers(cells)
    # "3.0" says that the column holds measurements, "3" that it holds counts or codes.
    if any("." in cell for cell in cells):
        raw.notations[attribute.name] = notation
        return values
    if notation != PLAIN:
        raw.notations[attribute.name] = notation
    if (np.abs(values) >= 2**53).any() and all(_is_whole(cell) for cell in cells):
        return _long_integers(attribute, cells, raw)
    return _as_integers(values)


def _find_notation(
    name: str, cells: Sequence[str], raw: RawTable, rules: CellRules
) -> Notation | None:
    """Return how the numbers of a column are written, or None if not all cells are numbers.

    The column decides as a whole. Marks that are declared count only where its cells leave a
    choice, and a comma that may be either is refused.
    """
    decimal, thousands = rules.marks_of(name)
    if decimal != "," and thousands != ".":
        try:
            _numbers(cells)
            return PLAIN
        except ValueError:
            pass
    readings = _readings(_present(cells), rules)
    if len(readings) > 1:
        agreed = [notation for notation in readings if notation.agrees(decimal, thousands)]
        readings = agreed if decimal or thousands else readings
    if len(readings) > 1:
        raise _ambiguous(name, cells, raw, ",")
    if not readings:
        return PLAIN if all(map(is_number, cells)) else None
    return readings[0]


def _present(cells: Iterable[str]) -> list[str]:
    """Return the different cells that are not missing."""
    return [cell for cell in dict.fromkeys(cells) if cell not in MISSING]


def _readings(texts: Sequence[str], rules: CellRules) -> list[Notation]:
    """Return a notation for each series of numbers that the texts may be."""
    notations: dict[tuple[float, ...], Notation] = {}
    for notation in rules.notations:
        if texts and notation.fits(texts):
            notations.setdefault(tuple(float(notation.plain(text)) for text in texts), notation)
    return list(notations.values())


def _ambiguous(
    name: str, cells: Sequence[str], raw: RawTable, mark: str, reason: str = ""
) -> TableError:
    row = next(row for row, cell in enumerate(cells) if mark in cell)
    whole, fraction = cells[row].replace(mark, ""), cells[row].replace(mark, ".")
    return TableError(
        f"{raw.where(row)}: {cells[row]!r} in column {name!r} may be {whole} or {fraction}"
        f"{reason}: say which with --thousands {mark} or --decimal {mark} (thousands={mark!r} or "
        f"decimal={mark!r} in Python)."
    )


def _warn_of_words(
    attribute: Attribute, cells: Sequence[str], raw: RawTable, rules: CellRules
) -> None:
    """Name the few words that make text of a column in which nearly all cells are numbers."""
    texts = (
        text
        for text in _present(cells)
        if not is_number(text) and not any(notation.fits([text]) for notation in rules.notations)
    )
    words = list(islice(texts, FEW_WORDS + 1))
    if not words or len(words) > FEW_WORDS:
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


_CONVERTERS: dict[str, Callable[[Attribute, Sequence[str], RawTable], Any]] = {
    "real": _real,
    "integer": _integer,
    "nominal": _nominal,
    "text": _text,
}
