"""Rows to learn from: a table beside labels, weights, groups, times and costs, checked once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_consistent_length

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import encode_groups, encode_labels, named_minority, resolve_minority
from icost._core.validation import as_table, check_row_costs, check_sample_weight, take_rows
from icost._table._columns import Table, TableTypes, raw_column, read_table
from icost._table._dates import find_date_style, seconds_of_dates, unreadable_dates


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of positive weight with everything that belongs to them, one entry for each."""

    table: Any
    """A `Table`, a sparse matrix, a table of the user's as it is, or None."""
    classes: NDArray[Any]
    codes: Ints
    """The class of each row, as its position in ``classes``."""
    minority: int | None
    """The code of the minority class; None for more than two classes."""
    weight: Floats | None = None
    groups: Ints | None = None
    time: NDArray[Any] | None = None
    """Numbers that order the rows, seconds in UTC for dates."""
    costs: tuple[Any, Any] = (None, 1.0)
    """What a missed and a false minority row cost: each a number, or one per row."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """How many classes there are, with rows or without."""
        return len(self.classes)

    @property
    def is_minority(self) -> Bools:
        """Which rows are of the minority class; none for more than two classes."""
        return self.codes == (-1 if self.minority is None else self.minority)

    def take(self, rows: Any) -> Rows:
        """Return these rows, by position, with the classes of all."""
        weight, groups, time = (
            None if values is None else values[rows]
            for values in (self.weight, self.groups, self.time)
        )
        costs = tuple(cost[rows] if np.ndim(cost) else cost for cost in self.costs)
        is_typed = isinstance(self.table, Table)
        table = self.table.take(rows) if is_typed else _take(self.table, rows)
        return replace(
            self,
            table=table,
            codes=self.codes[rows],
            weight=weight,
            groups=groups,
            time=time,
            costs=(costs[0], costs[1]),
        )


def read_rows(
    X: Any,
    y: ArrayLike | None,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    minority_label: Any = None,
    costs: tuple[Any, Any] = (None, 1.0),
    types: TableTypes | None = None,
    **column_options: Any,
) -> Rows:
    """Return the rows of positive weight, or raise one sentence for what cannot be learned from.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or Table
        Columns.
    y : array-like of shape (n_rows,)
        Class labels.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; rows of weight 0 are left out, and classes that then have no row.
    groups : array-like of shape (n_rows,), default=None
        Names of groups that belong together.
    time : array-like of shape (n_rows,), default=None
        Numbers or dates that order the rows.
    minority_label : label, default=None
        The minority of two classes; the smaller one by default.
    costs : pair, default=(None, 1.0)
        What a missed and a false minority row cost: numbers, or one per row.
    types : TableTypes, default=None
        Types by which the columns are read; decided by `read_table` by default.
    **column_options
        ``text``, ``date``, ``level``, ``drop`` and ``day_first`` of `read_table`.

    Returns
    -------
    Rows
        The rows, with labels and groups as codes and times as numbers.
    """
    X = X if isinstance(X, Table) else as_table(X)
    classes, codes = encode_labels(y)
    check_consistent_length(X if not isinstance(X, Table) else X.codes, codes)
    n_rows = len(codes)
    weight = check_sample_weight(sample_weight, n_rows)
    cost_fn = None if costs[0] is None else check_row_costs("cost_fn", costs[0], n_rows)
    per_row: dict[str, Any] = {
        "groups": encode_groups(groups, n_rows),
        "time": None if time is None else points_in_time(time),
        "costs": (cost_fn, check_row_costs("cost_fp", costs[1], n_rows)),
    }
    if per_row["time"] is not None and len(per_row["time"]) != n_rows:
        raise ValueError(
            f"time must have one entry for each of the {n_rows} rows, got {len(per_row['time'])}."
        )
    kept = slice(None) if weight is None or weight.all() else np.flatnonzero(weight)
    table = X if isinstance(X, Table) else _read(X, kept, types, column_options)
    # Only the table is cut before it is read, so that absent rows decide no column's type.
    whole = Rows(None, classes, codes, None, weight, **per_row).take(kept)
    rows = replace(whole, table=table.take(kept) if isinstance(X, Table) else table)
    return _with_minority(rows, minority_label)


def _take(table: Any, rows: Any) -> Any:
    if table is None or (isinstance(rows, slice) and rows == slice(None)):
        return table
    return take_rows(table, rows)


def _read(X: Any, kept: Any, types: TableTypes | None, column_options: dict[str, Any]) -> Any:
    X = X if isinstance(kept, slice) else take_rows(X, kept)
    return X.tocsr() if issparse(X) else read_table(X, types, **column_options)


def _with_minority(rows: Rows, minority_label: Any) -> Rows:
    """Return rows without classes that are absent, and with the code of the minority."""
    present = np.unique(rows.codes)
    if len(present) < rows.n_classes:
        if len(present) < 2:
            raise ValueError(
                "y must contain at least two classes with rows of positive sample_weight, got one."
            )
        codes = np.searchsorted(present, rows.codes)
        rows = replace(rows, classes=rows.classes[present], codes=codes)
    if rows.n_classes > 2:
        named_minority(minority_label, rows.classes)  # raises where one is named
        return rows
    minority = resolve_minority(rows.classes, rows.codes, minority_label, rows.weight)
    return replace(rows, minority=minority)


def points_in_time(time: ArrayLike, day_first: bool | None = None) -> Floats:
    """Return points in time as numbers, seconds in UTC for dates, also for dates in text."""
    time = time.to_series() if hasattr(time, "to_series") else time  # an index of pandas
    native = hasattr(time, "dtype") and not isinstance(time, np.ndarray)
    column = raw_column("time", time if native else np.asarray(time))
    numbers = column.numbers
    if numbers is None:
        texts, codes = column.levels.tolist(), column.codes
        date_style = find_date_style(texts, day_first, "time")
        values = (
            _plain_numbers(texts) if date_style is None else seconds_of_dates(texts, date_style)
        )
        if values is None:
            unreadable = unreadable_dates(texts, "year first")
            # Text in the order of the alphabet would put 31.01.2020 after 01.02.2020.
            raise ValueError(
                "the time column must hold numbers or dates such as 2024-01-31, got "
                f"{unreadable!r}."
            )
        numbers = np.append(values, np.nan)[codes]
    n_gaps = int(np.isnan(numbers).sum())
    if n_gaps:
        raise ValueError(f"the time column must have no gaps, got {n_gaps}.")
    return numbers


def _plain_numbers(texts: list[str]) -> Floats | None:
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        return None
