"""DATA: from what the user typed to a table, or one sentence on why not."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from icost.cli._options import READING

if TYPE_CHECKING:
    import pandas as pd

    from icost.comparison._table_facts import TableFacts
    from icost.datasets._readers import FileTable

MAX_CLASSES = 100
"""Classes beyond which a column is an identifier or a measurement, not a class."""

MANY_ROWS = 1_000_000
"""Rows from which on a search of neighbours takes minutes, and an exact tree longer than a fast."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read: features, labels, and the minority class that the user named."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    minority: Any
    aside: dict[str, pd.Series]
    written: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def facts(self) -> TableFacts:
        """The table as comparisons and reports see it, and what is odd about it."""
        from icost.comparison._table_facts import TableFacts

        return TableFacts.of(self.X, self.y)


def read_data(
    data: str,
    *,
    target: str | None = None,
    minority: str | None = None,
    drop: Sequence[str] = (),
    file_format: str | None = None,
    sep: str | None = None,
    drop_unlabelled: bool = False,
    given: Mapping[str, Any] | None = None,
) -> Table:
    """Read DATA and check that its target can be learned.

    ``given`` are options of a comparison: columns of ``group`` and ``time`` are no features, yet
    needed, and costs of errors may name a feature.
    """
    X, y, written = _read(data, target, file_format, sep, drop_unlabelled, drop)
    options = {name: column for name, column in (given or {}).items() if isinstance(column, str)}
    named = [(name, options[name]) for name in ("cost_fn", "cost_fp") if name in options]
    for option, column in (*named, *(("drop", column) for column in drop)):
        _column(X, column, y.name, option)
    aside = [name for name in ("group", "time") if name in options]
    kept = {options[name]: _column(X, options[name], y.name, name) for name in aside}
    X = X.drop(columns=list(dict.fromkeys([*kept, *drop])))
    if not X.shape[1]:
        raise ValueError(f"{data} has no column left to learn from.")
    _check_classes(y)
    name = "standard input" if data == "-" else Path(data).stem if Path(data).is_file() else data
    return Table(name, X, y, find_label(minority, y), kept, written)


def _read(
    data: str,
    target: str | None,
    file_format: str | None,
    sep: str | None,
    drop_unlabelled: bool,
    drop: Sequence[str],
) -> tuple[pd.DataFrame, pd.Series, Mapping[str, Any]]:
    """Read features, target and how numbers are written.

    A target that is no column is a command not understood.
    """
    from icost.datasets import load_dataset
    from icost.datasets._formats import TargetError

    try:
        if data != "-" and not _is_file(data):
            return *load_dataset(data, target=target, format=file_format, return_X_y=True), {}
        # What is left out need not be understood.
        rules: dict[str, Any] = {"has_target": True, "target": target, "as_text": drop}
        table = _read_file(data, file_format, sep, **rules)
        X, y = (table.labelled(target) if drop_unlabelled else table).split(target)
    except TargetError as error:
        raise click.BadParameter(str(error), param_hint="'--target'") from None
    return X, y, table.written


def read_columns(
    data: str | IO[bytes],
    record: Mapping[str, Any],
    file_format: str | None = None,
    sep: str | None = None,
    *,
    as_text: Sequence[str] = (),
    with_class: bool = False,
) -> pd.DataFrame:
    """Read all columns of DATA, as those were read that the model of a record was fitted to.

    Columns ``as_text`` are kept as they are written. DATA may be a stream with a part of a file. A
    dataset comes without its class, unless it is asked for.
    """
    from icost.datasets import load_dataset
    from icost.modelfile import text_columns

    if isinstance(data, str) and data != "-" and not _is_file(data):
        X, y = load_dataset(data, format=file_format, return_X_y=True)
        return X.assign(**{y.name: y}) if with_class else X
    return _read_file(
        *(data, file_format, sep),
        as_text=[*text_columns(record), *as_text],
        as_numbers=[entry["name"] for entry in record["columns"] if entry["kind"] == "number"],
        labels=record["target"],
        written=record.get("written", {}),
    ).frame


def _read_file(
    data: str | IO[bytes],
    file_format: str | None,
    sep: str | None,
    *,
    has_target: bool = False,
    target: str | None = None,
    **rules: Any,
) -> FileTable:
    """Read a file, or standard input, with what the user typed about its cells."""
    from icost.datasets._readers import read_file
    from icost.datasets._text_columns import ReadOptions

    reading = dict(_reading_options())
    day_first = reading.pop("day_first", None)
    options = ReadOptions(file_format, sep, **reading, **rules)
    source = sys.stdin.buffer if data == "-" else data
    table = read_file(source, options, has_target=has_target, target=target)
    return table if day_first is None else replace(table, frame=_dated(table.frame, day_first))


def _dated(frame: pd.DataFrame, day_first: bool) -> pd.DataFrame:
    """Return a table in which dates of text are times, with days or months first as declared."""
    import numpy as np

    from icost._table._dates import find_date_style, seconds_of_dates

    times = {}
    for name in frame.select_dtypes("category"):
        texts = [str(text) for text in frame[name].cat.categories]
        style = find_date_style(texts, day_first, str(name))
        if style is not None:
            milliseconds = np.append(seconds_of_dates(texts, style), np.nan) * 1000
            moments = milliseconds[frame[name].cat.codes]
            is_gap = np.isnan(moments)
            cells = np.where(is_gap, 0, moments).round().astype(np.int64).astype("M8[ms]")
            times[name] = np.where(is_gap, np.datetime64("NaT"), cells)
    return frame.assign(**times)


def _reading_options() -> dict[str, Any]:
    """Return what the user typed about reading, such as --missing and --decimal."""
    context = click.get_current_context(silent=True)
    return context.meta.get(READING, {}) if context else {}


def _is_file(data: str) -> bool:
    """Whether DATA is there as a file or pipe; a folder does not hide the dataset of its name."""
    from icost.datasets._registry import find_record

    path = Path(data)
    return path.exists() and not (path.is_dir() and find_record(data) is not None)


def note_flaws(printer: Any, read: Table, suggest: bool = False) -> None:
    """Warn of what a model should not learn from: leaks, identifiers, labels that are one.

    Each column has one note; ``suggest`` is whether it may say how to split the rows by it.
    """
    facts = read.facts
    for text in facts.label_notes:
        printer.note(f"warning: {text}{'' if text.endswith('?') else '.'}")
    notes = {
        entry["name"]: f"warning: column '{entry['name']}' {entry['problem']} (see --drop)."
        for entry in (*facts.harmful_columns, *facts.leaks)
    }
    suggested = _split_notes(read) if suggest else {}
    leaks = {entry["name"] for entry in facts.leaks}
    notes |= {name: text for name, text in suggested.items() if name not in leaks}
    for text in notes.values():
        printer.note(text)


def _split_notes(read: Table) -> dict[str, str]:
    """Suggest --time where a column has dates, and --group where one seems to name a unit."""
    from icost.comparison._table_facts import ROWS_TO_JUDGE_BY, date_column, group_column

    dates, units = date_column(read.X), group_column(read.X.head(ROWS_TO_JUDGE_BY))
    by_time = (
        f"note: column '{dates}' has dates. If the model will predict later rows, test it on "
        f"later rows: --time {shlex.quote(dates)}."
    )
    by_group = (
        f"note: values of column '{units}' repeat. If rows of one value belong together, keep "
        f"them in one fold: --group {shlex.quote(units)}."
    )
    return {name: text for name, text in ((dates, by_time), (units, by_group)) if name}


def note_fast_probe(
    printer: Any, read: Table, method: str = "neighbor", tree_probe: str = "exact"
) -> None:
    """Say that there is a quicker way, if a large table is about to be judged by a slower one."""
    if len(read.X) >= MANY_ROWS and method in ("neighbor", "gini") and tree_probe == "exact":
        printer.note(
            f"note: the table has {len(read.X):,} rows; 'icost fit --strategy tree --tree-probe "
            "fast' weighs such tables in seconds."
        )


def _column(X: pd.DataFrame, name: str, target: Any, option: str) -> pd.Series:
    if name == target:
        hint = f"'--{option.replace('_', '-')}'"
        problem = f"column {name!r} is the target, which is needed as such."
        raise click.BadParameter(problem, param_hint=hint)
    return column_named(X, name, option)


def column_named(X: pd.DataFrame, name: str, option: str) -> pd.Series:
    """Return a column that an option names, or say which there are."""
    if name not in X.columns:
        from icost._core.validation import did_you_mean, shorten

        hint, names = f"'--{option.replace('_', '-')}'", list(X.columns)
        others = did_you_mean(name, names) or f"the columns are {shorten(names)}."
        problem = f"there is no column {name!r}; {others}"
        raise click.BadParameter(problem, param_hint=hint)
    return X[name]


def _check_classes(y: pd.Series) -> None:
    n_classes = y.nunique()
    if n_classes < 2:
        raise ValueError(
            f"the target {y.name!r} needs at least two classes, got only '{y.iloc[0]}'."
        )
    if _has_dates(y):
        raise ValueError(
            f"the target {y.name!r} has dates, such as '{y.iloc[0]}'. Name a column of classes "
            "with --target, or make one, such as whether the date is later than a given day."
        )
    if n_classes > MAX_CLASSES and y.dtype.kind == "f":
        raise ValueError(
            f"'{y.name}' looks like a number to predict: it has {n_classes:,} different values. "
            f"Make a column of classes from it, {MAX_CLASSES} at most."
        )
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"the target {y.name!r} has {n_classes:,} classes, as an identifier, a measurement or "
            f"a text has; at most {MAX_CLASSES} are supported. Name another column with --target."
        )


def _has_dates(y: pd.Series) -> bool:
    """Return whether all labels are dates; of which order of day and month does not matter."""
    from icost._table._dates import find_date_style

    if y.dtype.kind in "mM":
        return True
    texts = list(map(str, y.unique())) if y.dtype.kind == "O" else []
    return find_date_style(texts, True, "") is not None or (
        find_date_style(texts, False, "") is not None
    )


def find_label(minority: str | None, y: pd.Series) -> Any:
    """Find the label that was typed: every label is text on a command line."""
    if minority is None:
        return None
    from icost._core.validation import check_choice

    labels = {str(label): label for label in y.unique()}
    try:
        check_choice("--minority", minority, sorted(labels))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if len(labels) > 2:
        raise click.UsageError(
            f"--minority is for two classes only, got {len(labels)}: each of more is set against "
            "the rest."
        )
    return labels[minority]
