"""DATA: from what the user typed to a table, or one sentence on why not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

MAX_CLASSES = 100
"""Classes beyond which a column is an identifier or a measurement, not a class."""

MANY_ROWS = 1_000_000
"""Rows from which on a search of neighbours takes minutes, and an exact tree longer than a fast."""

ROWS_TO_JUDGE_BY = 10_000
"""Rows that tell what kind of column one is."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read: features, labels, and the minority class that the user named."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    minority: Any
    aside: dict[str, pd.Series]


def read_data(
    data: str,
    *,
    target: str | None = None,
    minority: str | None = None,
    drop: Sequence[str] = (),
    file_format: str | None = None,
    sep: str | None = None,
    drop_unlabelled: bool = False,
    aside: Sequence[str | None] = (),
) -> Table:
    """Read DATA and check that its target can be learned.

    ``aside`` are columns that are no features, yet needed, such as that of ``--group``.
    """
    from icost.datasets import load_dataset, read_table

    if data == "-" or _is_file(data):
        X, y = read_table(
            sys.stdin.buffer if data == "-" else data,
            target,
            format=file_format,
            delimiter=sep,
            drop_unlabelled=drop_unlabelled,
        )
    else:
        X, y = load_dataset(data, target=target, format=file_format, return_X_y=True)
    kept = {name: _column(X, name, y.name) for name in aside if name is not None}
    unwanted = [*kept, *drop]
    for name in drop:
        _column(X, name, y.name)
    X = X.drop(columns=list(dict.fromkeys(unwanted)))
    if not X.shape[1]:
        raise ValueError(f"{data} has no column left to learn from.")
    _check_classes(y)
    name = "standard input" if data == "-" else Path(data).stem if Path(data).is_file() else data
    return Table(name, X, y, _label(minority, y), kept)


def read_columns(
    data: str,
    file_format: str | None = None,
    as_text: Sequence[str] = (),
    sep: str | None = None,
) -> pd.DataFrame:
    """Read all columns of DATA, for prediction; those of a dataset without its class."""
    from icost.datasets import load_dataset, read_frame

    if data == "-" or _is_file(data):
        source = sys.stdin.buffer if data == "-" else data
        return read_frame(source, format=file_format, as_text=as_text, delimiter=sep)
    X, _ = load_dataset(data, format=file_format, return_X_y=True)
    return X


def _is_file(data: str) -> bool:
    """Whether DATA is there as a file or pipe; a folder does not hide the dataset of its name."""
    from icost.datasets.registry import find_record

    path = Path(data)
    return path.exists() and not (path.is_dir() and find_record(data) is not None)


def note_flaws(printer: Any, read: Table) -> None:
    """Warn of what a model should not learn from: leaks, identifiers, labels that are one."""
    from icost.preprocessing import plain_table
    from icost.report.table_facts import HARMLESS, leaks, notes_on_labels, odd_columns

    table = plain_table(read.X)
    for text in notes_on_labels(read.y):
        printer.note(f"warning: {text}{'' if text.endswith('?') else '.'}")
    named = leaks(table, read.y)
    for entry in named:
        printer.note(f"warning: column '{entry['name']}' {entry['problem']} (see --drop).")
    names = {entry["name"] for entry in named}
    for entry in odd_columns(table.head(ROWS_TO_JUDGE_BY)):
        # Nothing can be learned from a constant, so that it does no harm.
        if entry["problem"] not in HARMLESS and entry["name"] not in names:
            printer.note(f"warning: column '{entry['name']}' {entry['problem']} (see --drop).")


def note_fast_probe(
    printer: Any, read: Table, method: str = "neighbor", tree_probe: str = "exact"
) -> None:
    """Say that there is a quicker way, if a large table is about to be judged by a slower one."""
    if len(read.X) >= MANY_ROWS and method in ("neighbor", "gini") and tree_probe == "exact":
        printer.note(
            f"note: the table has {len(read.X):,} rows; 'icost fit --method tree --tree-probe "
            "fast' weighs such tables in seconds."
        )


def _column(X: pd.DataFrame, name: str, target: Any) -> pd.Series:
    if name == target:
        raise ValueError(f"column {name!r} is the target, which is needed as such.")
    if name not in X.columns:
        from icost.datasets.columns import did_you_mean, shorten

        names = list(X.columns)
        raise ValueError(
            f"there is no column {name!r}; {did_you_mean(name, names)}the columns are "
            f"{shorten(names)}."
        )
    return X[name]


def _check_classes(y: pd.Series) -> None:
    n_classes = y.nunique()
    if n_classes < 2:
        raise ValueError(
            f"the target {y.name!r} needs at least two classes, got only '{y.iloc[0]}'."
        )
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"the target {y.name!r} has {n_classes:,} classes, as an identifier or a measurement "
            f"has; at most {MAX_CLASSES} are supported."
        )


def _label(minority: str | None, y: pd.Series) -> Any:
    """Find the label that was typed: every label is text on a command line."""
    if minority is None:
        return None
    labels = {str(label): label for label in y.unique()}
    if minority not in labels:
        listed = ", ".join(repr(label) for label in sorted(labels)[:8])
        raise ValueError(f"--minority must be one of {listed}, got {minority!r}.")
    if len(labels) > 2:
        raise ValueError(
            f"--minority is for two classes only, got {len(labels)}: each of more is set against "
            "the rest."
        )
    return labels[minority]
