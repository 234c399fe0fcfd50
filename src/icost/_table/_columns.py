"""The type of each column of a table, decided once per fit, and the table with its types.

Numbers, truth values and times are floats, with NaN for a gap; times are seconds since 1970 in UTC.
Everything else is names of levels, kept as codes into the sorted names, with -1 for a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Floats, Ints
from icost._core.validation import (
    as_array,
    as_seconds,
    check_column_names,
    check_not_empty,
    did_you_mean,
    import_extra,
    is_missing,
)

if TYPE_CHECKING:
    import pandas as pd

YEAR_FIRST = "year first"
"""How dates are written by default."""

FEW_LEVELS = 20
"""Levels up to which each gets a column of its own."""

LARGEST = 1e38
"""Numbers beyond this are no measurements: trees, which count in single precision, lose them."""

#: Mean number of words from which a column may be text, and share of its cells that differ then.
_WORDS_OF_TEXT, _SHARE_OF_TEXT = 3, 0.1

#: Share of different cells from which a column of single words is read letter by letter.
_SHARE_OF_CODES = 0.5

#: Types of polars that are NumPy's by another name.
_POLARS_NUMBERS = {
    *("float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


class NestedCells(TypeError, ValueError):
    """A column whose cells are lists or the like: scikit-learn wants the one, users the other."""


class ColumnType(StrEnum):
    """What a column is to everything that learns from it."""

    NUMBER = "number"
    TRUTH = "truth value"
    TIME = "time"
    LEVEL = "level"
    MANY = "many levels"
    TEXT = "text"
    CONSTANT = "constant"
    IDENTIFIER = "identifier"
    DROPPED = "dropped"


NUMERIC = (ColumnType.NUMBER, ColumnType.TRUTH, ColumnType.TIME)
NAMED = (ColumnType.LEVEL, ColumnType.MANY, ColumnType.TEXT)


@dataclass(frozen=True)
class Column:
    """A column's name, its type and, for a date in text, how it is written."""

    name: str
    type: ColumnType
    date_style: str = YEAR_FIRST


@dataclass(frozen=True)
class TableTypes:
    """The types that the columns of a training table have, by which other rows are read."""

    columns: tuple[Column, ...]

    def named(self, *types: ColumnType) -> list[str]:
        """Return the names of the columns of these types, in their order."""
        return [column.name for column in self.columns if column.type in types]

    @cached_property
    def all_numbers(self) -> bool:
        """Whether every column is a number."""
        return all(column.type == ColumnType.NUMBER for column in self.columns)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with typed columns: numbers in one block, names of levels as codes in another.

    ``numbers`` has the columns of the types `NUMERIC`, ``codes`` those of the types `NAMED`, whose
    names are in ``levels``. Other columns are left out.
    """

    types: TableTypes
    numbers: Floats
    codes: NDArray[np.int32]
    levels: tuple[NDArray[Any], ...]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many columns were read."""
        return len(self.numbers), len(self.types.columns)

    def take(self, rows: Any) -> Table:
        """Return these rows, by position, with the types of the whole table."""
        return replace(self, numbers=self.numbers[rows], codes=self.codes[rows])

    def cells(self, name: str) -> NDArray[Any]:
        """Return the numbers or the names, None for a gap, of one column."""
        numeric, named = self.types.named(*NUMERIC), self.types.named(*NAMED)
        if name in numeric:
            return self.numbers[:, numeric.index(name)]
        place = named.index(name)
        return np.concatenate([self.levels[place], [None]])[self.codes[:, place]]


@dataclass(frozen=True)
class ColumnOptions:
    """Types that a user gives to columns by name, and whether dates start with the day."""

    text: Collection[str] = ()
    date: Collection[str] = ()
    level: Collection[str] = ()
    drop: Collection[str] = ()
    day_first: bool | None = None

    def check(self, names: Sequence[str]) -> None:
        """Raise unless each column is there and has one type."""
        given = [str(name) for group in (self.text, self.date, self.level) for name in group]
        for name in [*given, *map(str, self.drop)]:
            if name not in names:
                hint = did_you_mean(name, names)
                raise ValueError(f"the table has no column {name!r}." + (f" {hint}" and f" {hint}"))
        twice = next((name for name in given if given.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"column {twice!r} must be given one type, got two.")


def read_table(
    X: Any,
    types: TableTypes | None = None,
    *,
    text: Collection[str] = (),
    date: Collection[str] = (),
    level: Collection[str] = (),
    drop: Collection[str] = (),
    day_first: bool | None = None,
) -> Table:
    """Return a table of any library with the types of its columns.

    Parameters
    ----------
    X : array-like, data frame of pandas or polars, Arrow table, or Table
        Rows.
    types : TableTypes, default=None
        The types of a training table, by which these rows are read; decided here by default.
    text, date, level, drop : collections of str
        Columns that are text, dates or levels whatever they look like, and columns to leave out.
    day_first : bool, default=None
        Whether dates such as 01/02/2024 start with the day; by default a column decides itself.

    Returns
    -------
    Table
        The rows, with ``types`` to read others by.
    """
    if isinstance(X, Table):
        return X
    options = ColumnOptions(text, date, level, drop, day_first)
    names = column_names(X)
    options.check(names)
    if types is not None:
        _check_names(names, types)
    is_free = options == ColumnOptions() and (types is None or types.all_numbers)
    block = numeric_block(X) if is_free else None
    if block is not None:
        _check_sizes(block, names)
        return _table_of_numbers(block, names, types)
    columns = _raw_columns(X, names, types, options)
    if types is None:
        columns = [_decide(column, options) for column in columns]
    else:
        columns = [_match(*pair) for pair in zip(columns, types.columns, strict=True)]
    return _stack(columns, len(X) if hasattr(X, "__len__") else X.shape[0], types)


def column_names(X: Any) -> list[str]:
    """Return the names of the columns of a table, which are numbers from 0 on where it has none."""
    check_column_names(X)
    check_not_empty(X)
    if is_frame(X):
        names = X.column_names if hasattr(X, "column_names") else X.columns
        return [str(name) for name in names]
    return [str(position) for position in range(as_array(X).shape[1])]


def is_frame(X: Any) -> bool:
    """Tell frames of pandas and polars, and tables of Arrow, without importing any of them."""
    is_arrow = hasattr(X, "column_names") and hasattr(X, "schema")
    return is_arrow or (hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape"))


def _check_names(names: list[str], types: TableTypes) -> None:
    expected_names = [column.name for column in types.columns]
    if len(names) != len(expected_names):
        raise ValueError(f"X has {len(names)} features, but {len(expected_names)} are expected.")


def numeric_block(
    X: Any, *, keep_single: bool = False, with_truth: bool = False
) -> NDArray[Any] | None:
    """Return a table of nothing but numbers as one array, copied once at most, or None.

    Columns of truth values count as numbers where these are all that is wanted.
    """
    number_kinds = "biuf" if with_truth else "iuf"
    if is_frame(X):
        is_arrow = hasattr(X, "column_names")
        return None if is_arrow else _frame_block(X, keep_single, number_kinds)
    array = as_array(X)
    if array.dtype.kind not in number_kinds:
        return None
    if keep_single and array.dtype.kind != "f":
        return array.astype(np.float32)
    return array.astype(_float_type([array.dtype], keep_single), copy=False)


def _frame_block(X: Any, keep_single: bool, number_kinds: str) -> NDArray[Any] | None:
    """Return a frame of nothing but numbers as one array, copied once at most, or None."""
    # An empty table is to be refused by others.
    numpy_types = [_numpy_type(dtype, number_kinds) for dtype in X.dtypes] if X.shape[0] else []
    dtypes = [dtype for dtype in numpy_types if dtype is not None]
    if not dtypes or len(dtypes) < len(numpy_types):
        return None
    dtype = _float_type(dtypes, keep_single)
    if not hasattr(X, "iloc"):
        return X.to_numpy().astype(dtype, copy=False)
    block = None if not keep_single or _is_one_array(X) else _half_copy(X)
    return X.to_numpy(dtype) if block is None else block


def _numpy_type(dtype: Any, number_kinds: str) -> np.dtype[Any] | None:
    """Return NumPy's type of a column that holds plain numbers, of pandas or polars, or None."""
    if isinstance(dtype, np.dtype):
        return dtype if dtype.kind in number_kinds else None
    # Those of polars have names such as Float32; extension types of pandas may hold gaps.
    is_polars = type(dtype).__module__.startswith("polars") or isinstance(dtype, type)
    name = str(dtype).lower()
    return np.dtype(name) if is_polars and name in _POLARS_NUMBERS else None


def _is_one_array(X: Any) -> bool:
    """Tell whether pandas has the numbers of a frame in one array of floats, needing no copy."""
    # One row of a frame lies in memory as the whole does, and is put together in no time.
    row = X.iloc[:1]
    return row.to_numpy().dtype.kind == "f" and np.shares_memory(row.to_numpy(), row.iloc[:, 0])


def _half_copy(X: Any) -> NDArray[np.float32] | None:
    """Return a copy in single precision, or None if that would lose more than digits."""
    # What must be copied for a tree, which compares in single precision, is copied so at once.
    # But medians for gaps are those of the digits given, and huge numbers would be infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        block = X.to_numpy(np.float32)
        return block if np.isfinite(block.sum(dtype=np.float64)) else None


def _float_type(dtypes: list[np.dtype[Any]], keep_single: bool) -> type[np.floating[Any]]:
    """Return the type that holds numbers of these types: single precision if that is kept."""
    is_single = keep_single and all(dtype == np.float32 for dtype in dtypes)
    return np.float32 if is_single else np.float64


def _table_of_numbers(block: Floats, names: list[str], types: TableTypes | None) -> Table:
    if types is None:
        is_constant = _constants(block)
        kinds = np.where(is_constant, ColumnType.CONSTANT, ColumnType.NUMBER).tolist()
        columns = tuple(Column(*pair) for pair in zip(names, map(ColumnType, kinds), strict=True))
        types, block = TableTypes(columns), block[:, ~is_constant] if is_constant.any() else block
    return Table(types, block, np.empty((len(block), 0), dtype=np.int32), ())


def _constants(block: Floats) -> NDArray[np.bool_]:
    """Return which columns have one value in all rows, a gap being a value."""
    same = block[0] == block
    gaps = np.isnan(block[0])
    is_constant = same.all(axis=0)
    if gaps.any():
        is_constant[gaps] = np.isnan(block[:, gaps]).all(axis=0)
    return is_constant


def _check_sizes(block: Floats, names: Sequence[str]) -> None:
    """Refuse numbers that cannot be computed with."""
    if max(block.max(initial=0.0), -block.min(initial=0.0)) <= LARGEST:
        return  # without a look at each cell, which gaps alone make necessary
    too_large = np.abs(block) > LARGEST
    if too_large.any():
        row, place = np.argwhere(too_large)[0]
        if np.isinf(block[row, place]):
            wanted, got = "be finite", "infinity"
        else:
            wanted = f"hold numbers of at most {LARGEST:g}"
            got = f"{block[row, place]:g}"
        raise ValueError(f"column {names[place]!r} must {wanted}, got {got} in row {row + 1}.")


@dataclass(frozen=True, eq=False)
class RawColumn:
    """A column as it comes: numbers of a type, or names of levels with their codes."""

    name: str
    type: ColumnType | None  # of numbers; None for names
    numbers: Floats | None = None
    codes: Any = None
    levels: Any = None
    date_style: str = YEAR_FIRST
    place: int = 0


def _raw_columns(
    X: Any, names: list[str], types: TableTypes | None, options: ColumnOptions
) -> list[RawColumn]:
    unused = (ColumnType.CONSTANT, ColumnType.IDENTIFIER, ColumnType.DROPPED)
    skipped = set(map(str, options.drop)) | set(() if types is None else types.named(*unused))
    as_names = set(options.text) | set(options.level)
    as_names |= set(() if types is None else types.named(*NAMED))
    array = X if is_frame(X) else as_array(X)
    return [
        RawColumn(name, ColumnType.DROPPED)
        if name in skipped
        else raw_column(name, column_cells(array, place), name in as_names)
        for place, name in enumerate(names)
    ]


def raw_columns(X: Any, as_names: Sequence[bool] = ()) -> list[RawColumn]:
    """Return all columns as numbers or as names, as which some of them are read in any case."""
    names, array = column_names(X), X if is_frame(X) else as_array(X)
    wanted = list(as_names) or [False] * len(names)
    return [
        replace(raw_column(name, column_cells(array, place), wanted[place]), place=place)
        for place, name in enumerate(names)
    ]


def column_cells(X: Any, position: int) -> Any:
    """Return a column of a frame or of an array, in its library's own form."""
    if hasattr(X, "iloc"):
        return X.iloc[:, position]
    if isinstance(X, np.ndarray):
        return X[:, position]
    return X.to_series(position) if hasattr(X, "to_series") else X.column(position)


def raw_column(name: str, column: Any, as_names: bool = False) -> RawColumn:
    """Return a column of any library as numbers or as names."""
    column_type, values = (
        (None, column) if isinstance(column, np.ndarray) else _series_values(column)
    )
    if values.dtype.kind == "c":
        raise ValueError(f"column {name!r} must hold no complex numbers.")
    is_level = column_type == ColumnType.LEVEL
    if not (as_names or is_level):
        column_type, numbers = _numbers(values, column_type)
        if numbers is not None:
            _check_sizes(numbers[:, np.newaxis], [name])
            return RawColumn(name, column_type, numbers)
    codes, levels = _factorize(name, values)
    return RawColumn(name, None, codes=codes, levels=levels)


def _series_values(column: Any) -> tuple[ColumnType | None, NDArray[Any]]:
    """Return the values of a column of a frame, and its type where the library knows it."""
    import narwhals as nw

    column_type = str(getattr(column, "dtype", ""))
    if column_type.startswith("period"):
        return ColumnType.TIME, column.dt.start_time.to_numpy()
    if column_type.startswith("datetime64["):
        # Here, since narwhals reads not every zone's name.
        column = column if column.dt.tz is None else column.dt.tz_convert("UTC")
    series: Any = nw.from_native(column, series_only=True)
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if isinstance(dtype, nw.Date):
        series = series.cast(nw.Datetime("us"))
    # Text categories are as they would be in a file; of numbers, they are levels.
    is_level = isinstance(dtype, nw.Categorical | nw.Enum)
    return ColumnType.LEVEL if is_level else None, series.to_numpy()


def _numbers(
    values: NDArray[Any], column_type: ColumnType | None
) -> tuple[ColumnType | None, Floats | None]:
    """Return a column's numbers and their type, or None for both if it holds something else."""
    if values.dtype.kind in "mM":
        return (ColumnType.TIME if values.dtype.kind == "M" else ColumnType.NUMBER), as_seconds(
            values
        )
    if values.dtype.kind in "biuf":
        is_truth = values.dtype.kind == "b"
        number = values.astype(np.float64, copy=False)
        return ColumnType.TRUTH if is_truth else ColumnType.NUMBER, number
    return _numbers_of_objects(values)


def _numbers_of_objects(values: NDArray[Any]) -> tuple[ColumnType | None, Floats | None]:
    first = next((value for value in values if not is_missing(value)), None)
    # Most columns of objects are text, which the first cell tells.
    if isinstance(first, str):
        return None, None
    gaps = np.array([is_missing(value) for value in values], dtype=bool)
    present = values[~gaps].tolist()
    numbers = np.full(len(values), np.nan)
    for types, column_type, convert in _OBJECTS:
        if present and all(isinstance(value, types) for value in present):
            numbers[~gaps] = [convert(value) for value in present]
            return column_type, numbers
    return (None, None) if present else (ColumnType.NUMBER, numbers)


def _moment(value: Any) -> float:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)  # type: ignore[operator]
    return float(as_seconds(np.array([value], dtype="M8[us]"))[0])


def _seconds_of_span(value: Any) -> float:
    return float(as_seconds(np.array([value], dtype="m8[us]"))[0])


_OBJECTS: tuple[tuple[Any, ColumnType, Callable[[Any], float]], ...] = (
    (bool | np.bool_, ColumnType.TRUTH, float),
    (Real | Decimal | np.bool_, ColumnType.NUMBER, float),
    (timedelta | np.timedelta64, ColumnType.NUMBER, _seconds_of_span),
    (date | np.datetime64, ColumnType.TIME, _moment),
)
"""Types of cells, what a column of them is, and what makes a number of a cell."""


def _factorize(name: str, values: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return each cell's code, -1 for a gap, and the sorted names that codes stand for."""
    cells = [value if type(value) is str else _cell_name(name, value) for value in values.tolist()]
    levels = sorted({cell for cell in cells if cell is not None})
    places: dict[Any, int] = {level: place for place, level in enumerate(levels)}
    places[None] = -1
    codes = np.fromiter((places[cell] for cell in cells), dtype=np.int32, count=len(cells))
    names = np.empty(len(levels), dtype=object)
    names[:] = levels
    return codes, names


def _cell_name(name: str, value: Any) -> str | None:
    if isinstance(value, list | dict | set | tuple | np.ndarray):
        raise NestedCells(
            f"column {name!r} has a {type(value).__name__} in a cell, where an argument must be a "
            "string, a time or a number."
        )
    return None if is_missing(value) else level_name(value)


def level_name(value: Any) -> str:
    """Return a level as text; 7 and 7.0 are one, since a gap makes a column of integers floats."""
    if not isinstance(value, float | np.floating):
        return str(value)
    number = float(value)
    is_whole = abs(number) < 2**53 and number.is_integer()
    return str(int(number)) if is_whole else f"{number:.15g}"


def _decide(column: RawColumn, options: ColumnOptions) -> RawColumn:
    """Return a training column with its type."""
    if column.type == ColumnType.DROPPED:
        return column
    if column.numbers is not None:
        if column.name in options.date and column.type != ColumnType.TIME:
            raise ValueError(f"column {column.name!r} must hold dates, got numbers.")
        is_constant = _constants(column.numbers[:, np.newaxis])[0]
        return replace(column, type=ColumnType.CONSTANT) if is_constant else column
    if column.name in options.text:
        return replace(column, type=ColumnType.TEXT)
    if column.name in options.level:
        return replace(column, type=_few_or_many(len(column.levels)))
    from icost._table._dates import find_date_style  # here: a saved model needs none

    date_style = find_date_style(column.levels.tolist(), options.day_first, column.name)
    if date_style is not None:
        numbers = _numbers_of_dates(column, date_style)
        is_constant = _constants(numbers[:, np.newaxis])[0]
        column_type = ColumnType.CONSTANT if is_constant else ColumnType.TIME
        return RawColumn(column.name, column_type, numbers, date_style=date_style)
    if column.name in options.date:
        raise ValueError(
            f"column {column.name!r} must hold dates such as 2024-01-31, got "
            f"{_first_no_date(column.levels.tolist())!r}."
        )
    return replace(column, type=_type_of_names(column.codes, column.levels.tolist()))


def _first_no_date(texts: list[str]) -> str:
    from icost._table._dates import unreadable_dates  # here: a saved model needs none

    return unreadable_dates(texts, YEAR_FIRST) or texts[0]


def _numbers_of_dates(column: RawColumn, date_style: str) -> Floats:
    from icost._table._dates import seconds_of_dates  # here: a saved model needs none

    return np.append(seconds_of_dates(column.levels.tolist(), date_style), np.nan)[column.codes]


def _few_or_many(n_levels: int) -> ColumnType:
    return ColumnType.LEVEL if n_levels <= FEW_LEVELS else ColumnType.MANY


def _type_of_names(codes: Ints, levels: list[str]) -> ColumnType:
    """Return the type of a column of names: by how many differ, and how many words they have."""
    n_present = int(np.count_nonzero(codes >= 0))
    if not levels or (len(levels) == 1 and n_present == len(codes)):
        return ColumnType.CONSTANT
    if len(levels) <= FEW_LEVELS:
        return ColumnType.LEVEL
    share, words = len(levels) / n_present, float(np.mean([len(v.split()) for v in levels]))
    if words >= _WORDS_OF_TEXT and share > _SHARE_OF_TEXT:
        return ColumnType.TEXT
    if share == 1.0 and words <= 1.0:
        return ColumnType.IDENTIFIER
    return ColumnType.TEXT if share > _SHARE_OF_CODES else ColumnType.MANY


def _match(column: RawColumn, trained: Column) -> RawColumn:
    """Return a column of new rows as the type that its column has in the training table."""
    if trained.type not in (*NUMERIC, *NAMED):
        return replace(column, type=trained.type)
    if trained.type in NAMED:
        return replace(column, type=trained.type)
    if column.numbers is None:
        return _match_names(column, trained)
    is_time = column.type == ColumnType.TIME
    if is_time != (trained.type == ColumnType.TIME) and not np.isnan(column.numbers).all():
        wanted, got = ("numbers", "times") if is_time else ("dates", "numbers")
        raise ValueError(f"column {column.name!r} must hold {wanted}, as in training, got {got}.")
    return replace(column, type=trained.type)


def _match_names(column: RawColumn, trained: Column) -> RawColumn:
    from icost._table._dates import unreadable_dates  # here: a saved model needs none

    texts = column.levels.tolist()
    is_time = trained.type == ColumnType.TIME
    unreadable = unreadable_dates(texts, trained.date_style) if is_time else next(iter(texts), None)
    if unreadable is not None:
        wanted = f"dates, {trained.date_style}" if is_time else "numbers"
        row = int(np.argmax(column.codes == texts.index(unreadable))) + 1
        raise ValueError(
            f"column {column.name!r} must hold {wanted}, as in training, got {unreadable!r} in row "
            f"{row}."
        )
    return RawColumn(column.name, trained.type, _numbers_of_dates(column, trained.date_style))


def _stack(columns: list[RawColumn], n_rows: int, types: TableTypes | None) -> Table:
    if types is None:
        types = TableTypes(tuple(Column(c.name, c.type, c.date_style) for c in columns))  # type: ignore[arg-type]
    numbers = [c.numbers for c in columns if c.type in NUMERIC and c.numbers is not None]
    named = [c for c in columns if c.type in NAMED]
    codes = [column.codes for column in named]
    return Table(
        types,
        np.column_stack(numbers) if numbers else np.empty((n_rows, 0)),
        np.column_stack(codes) if codes else np.empty((n_rows, 0), dtype=np.int32),
        tuple(column.levels for column in named),
    )


def learned_levels(table: Table, place: int) -> NDArray[Any]:
    """Return the levels that these rows have, sorted."""
    codes = np.unique(table.codes[:, place])
    return table.levels[place][codes[codes >= 0]]


def codes_among(levels: NDArray[Any], table: Table, place: int) -> Ints:
    """Return each cell's place among some levels, their number for a gap, and -1 for another."""
    places = {level: number for number, level in enumerate(levels.tolist())}
    numbers = [places.get(level, -1) for level in table.levels[place].tolist()]
    return np.array([*numbers, len(levels)], dtype=np.intp)[table.codes[:, place]]


def describe_columns(types: TableTypes) -> list[str]:
    """Return a few words for each group of columns, or column, that is read in one way.

    Examples
    --------
    >>> from icost._table._columns import describe_columns, read_table
    >>> describe_columns(read_table([[1.0, "a"], [2.0, "b"]]).types)
    ['1 number', "'1': levels"]
    """
    n_numbers = len(types.named(ColumnType.NUMBER))
    lines = [f"{n_numbers:,} number{'s' if n_numbers > 1 else ''}"] if n_numbers else []
    words = {
        ColumnType.TRUTH: "true or false",
        ColumnType.TIME: "a date",
        ColumnType.LEVEL: "levels",
        ColumnType.MANY: "many levels",
        ColumnType.TEXT: "text",
        ColumnType.IDENTIFIER: "an identifier, left out",
        ColumnType.CONSTANT: "one value, left out",
        ColumnType.DROPPED: "dropped",
    }
    for column_type, what in words.items():
        names = types.named(column_type)
        shown = ", ".join(repr(name) for name in names[:6])
        shown += f" and {len(names) - 6:,} more" if len(names) > 6 else ""
        lines += [f"{shown}: {what}"] if names else []
    return lines


def plain_table(X: Any) -> pd.DataFrame:
    """Return a new frame whose columns are floats, times in UTC or text, with gaps for gaps.

    Booleans become 0 and 1, spans of time seconds; names of columns become text.
    """
    pd = import_extra("pandas", "data", "A mixed table")
    index = X.index if hasattr(X, "iloc") else None
    columns = {
        column.name: pd.Series(values, index=index, dtype=values.dtype)
        for column in raw_columns(X)
        for values in [_plain_cells(column)]
    }
    return pd.DataFrame(columns, index=index)


def _plain_cells(column: RawColumn) -> NDArray[Any]:
    if column.numbers is None:
        # Text in an object column is the one form that every version of pandas agrees on.
        return np.concatenate([column.levels, [np.nan]])[column.codes]
    if column.type != ColumnType.TIME:
        return column.numbers
    gaps = np.isnan(column.numbers)
    times = np.rint(np.where(gaps, 0, column.numbers) * 1e6).astype(np.int64).astype("M8[us]")
    times[gaps] = np.datetime64("NaT")
    return times


def numbered_times(X: pd.DataFrame) -> pd.DataFrame:
    """Return a plain table with seconds since 1970 in place of times."""
    times = [name for name in X.columns if X[name].dtype.kind == "M"]
    return X.assign(**{name: as_seconds(X[name].to_numpy()) for name in times}) if times else X


def numeric_columns(X: pd.DataFrame) -> list[str]:
    """Return the names of a plain table's numeric columns."""
    return [name for name in X.columns if X[name].dtype.kind == "f"]
