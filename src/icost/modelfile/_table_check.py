"""Whether a table fits a model: the same columns, of the same kind."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from icost import __version__
from icost._core.validation import short_text
from icost._table._columns import ColumnType, level_name, numeric_columns, plain_table, read_table

if TYPE_CHECKING:
    import pandas as pd

TRACKED = ("scikit-learn", "numpy", "skops")


class ColumnsDiffer(ValueError):
    """A table whose columns do not fit a model; the message names them.

    `check_table` raises it, and so do the methods of `SavedModel`: before anything is predicted, as
    a model would make something of any numbers in the right shape.

    See Also
    --------
    SavedModel : Its methods raise it.
    """


MOST_LEVELS = 1000
"""Levels of a text column that a record keeps; a column with more is hardly a category."""


def describe_columns(X: pd.DataFrame) -> list[dict[str, Any]]:
    """Return name, kind (``"number"``, ``"date"``, ``"text"``) and gaps of a plain table's columns.

    ``gaps`` is the share of missing cells. Numbers have their range beside them, ``low`` and
    ``high``, and columns of levels these, unless they are very many.
    """
    types = {column.name: column.type for column in read_table(X).types.columns}
    columns: list[dict[str, Any]] = []
    for name in X.columns:
        cells, gaps = X[name].dropna(), float(X[name].isna().mean())
        if X[name].dtype.kind == "f":
            ends = {"low": float(cells.min()), "high": float(cells.max())} if len(cells) else {}
            columns.append({"name": name, "kind": "number", "gaps": gaps, **ends})
            continue
        if types[name] == ColumnType.TIME or X[name].dtype.kind == "M":
            columns.append({"name": name, "kind": "date", "gaps": gaps})
            continue
        levels = sorted({str(level) for level in cells.unique()})
        is_kept = types[name] in (ColumnType.LEVEL, ColumnType.MANY) and len(levels) <= MOST_LEVELS
        kept = {"levels": levels} if is_kept else {}
        columns.append({"name": name, "kind": "text", "gaps": gaps, **kept})
    return columns


def unseen_levels(X: Any, record: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the levels of text columns that a model was not trained on."""
    table = check_table(X, record)
    unseen = {}
    for column in record["columns"]:
        if "levels" in column:
            levels = {str(level) for level in table[column["name"]].dropna().unique()}
            unseen[column["name"]] = sorted(levels - set(column["levels"]))
    return {name: levels for name, levels in unseen.items() if levels}


def text_columns(record: Mapping[str, Any]) -> list[str]:
    r"""Return the columns that a model knows as text, so that a file's codes are read as such.

    A file does not say whether 007 is a number. A reader that takes it for 7 makes another level of
    it than the model knows; hand it these names first.

    Parameters
    ----------
    record : mapping
        The model's record.

    Returns
    -------
    list of str
        Names of columns, in the order of the model.

    See Also
    --------
    read_record : The record, without opening the model.
    unseen_levels : What is in these columns that the model does not know.

    Examples
    --------
    >>> import io
    >>> from icost.datasets import read_frame
    >>> from icost.modelfile import text_columns
    >>> record = {"columns": [{"name": "code", "kind": "text"}, {"name": "age", "kind": "number"}]}
    >>> text_columns(record)
    ['code']
    >>> new_rows = io.StringIO("code,age\n007,31\n")
    >>> read_frame(new_rows, as_text=text_columns(record))["code"].tolist()
    ['007']
    """
    return [column["name"] for column in record["columns"] if column["kind"] == "text"]


def check_table(X: Any, record: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table with a model's columns in its order, or name those that do not fit."""
    if isinstance(X, Mapping):
        raise TypeError(
            "X must be a table with a row for each prediction, got a dict: pass "
            "pandas.DataFrame([...]) with one dict per row."
        )
    table = plain_table(X)
    wanted = {column["name"]: column["kind"] for column in record["columns"]}
    missing = [name for name in wanted if name not in table.columns]
    if missing:
        unknown = [n for n in table.columns if n not in wanted and n != record.get("target")]
        hint = f"; it has {_listed(unknown)} instead" if unknown else ""
        raise ColumnsDiffer(f"The table lacks {_columns(missing)} of the model{hint}.")
    table = table[list(wanted)]
    numeric = set(numeric_columns(table))
    not_numeric = [name for name in wanted if wanted[name] == "number" and name not in numeric]
    if not_numeric:
        row, cell = _first_word(table[not_numeric[0]])
        raise ColumnsDiffer(
            f"The model has numbers in {_columns(not_numeric)}, the table has text: "
            f"{short_text(repr(cell))} in row {row:,}."
        )
    as_text = [name for name in wanted if wanted[name] == "text" and name in numeric]
    texts = {name: table[name].map(level_name, na_action="ignore") for name in as_text}
    return table.assign(**{name: text.astype(object) for name, text in texts.items()})


def _first_word(column: pd.Series) -> tuple[int, str]:
    """Return row and text of the first cell that is no number."""
    import pandas as pd

    is_word = column.notna() & pd.to_numeric(column.astype(object), errors="coerce").isna()
    row = int(is_word.to_numpy().argmax())
    return row + 1, str(column.iloc[row])


def _columns(names: list[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {_listed(names)}"


def _listed(names: list[str], limit: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def current_versions(*packages: str) -> dict[str, str]:
    """Return the versions of Python and of the packages that a model depends on."""
    return installed_versions((*TRACKED, *filter(None, packages)))


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, of this package and of those that are installed."""
    installed = {"python": platform.python_version(), "icost-learn": __version__}
    for package in (name for name in packages if name not in installed):
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def version_differences(record: Mapping[str, Any]) -> list[str]:
    """Say which versions differ from those that a model was made with."""
    now = installed_versions(record.get("versions", {}))
    return [
        f"{package} {made_with}, now {now.get(package, 'not installed')}"
        for package, made_with in record.get("versions", {}).items()
        if now.get(package, "").split(".")[:2] != made_with.split(".")[:2]
    ]
