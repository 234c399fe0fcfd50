"""Whether a table fits a model: the same columns, of the same kind."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from icost import __version__
from icost.preprocessing import plain_table

if TYPE_CHECKING:
    import pandas as pd

TRACKED = ("scikit-learn", "numpy", "skops")
BOOSTERS = {"xgb": "xgboost", "lgbm": "lightgbm"}


class ColumnsDiffer(ValueError):
    """A table whose columns do not fit a model; the message names them."""


MOST_LEVELS = 1000
"""Levels of a text column that a record keeps; a column with more is hardly a category."""


def describe_columns(X: pd.DataFrame) -> list[dict[str, Any]]:
    """Return name and kind (``"number"`` or ``"text"``) of each column of a plain table.

    Text columns have their levels beside them, unless these are very many.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.modelfile.table_check import describe_columns
    >>> describe_columns(pd.DataFrame({"age": [31.0], "sex": pd.Series(["f"], dtype=object)}))
    [{'name': 'age', 'kind': 'number'}, {'name': 'sex', 'kind': 'text', 'levels': ['f']}]
    """
    columns: list[dict[str, Any]] = []
    for name in X.columns:
        if X[name].dtype.kind == "f":
            columns.append({"name": name, "kind": "number"})
            continue
        levels = sorted({str(level) for level in X[name].dropna().unique()})
        kept = {"levels": levels} if len(levels) <= MOST_LEVELS else {}
        columns.append({"name": name, "kind": "text", **kept})
    return columns


def unseen_levels(X: Any, record: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the levels of text columns that a model was not trained on.

    To the model they are all the same, so its predictions of such rows deserve a second look.

    Parameters
    ----------
    X : array-like or data frame
        A table with the model's columns.
    record : mapping
        The model's record.

    Returns
    -------
    dict of list of str
        By name of the column; columns without such levels are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.modelfile import unseen_levels
    >>> record = {"columns": [{"name": "sex", "kind": "text", "levels": ["f", "m"]}]}
    >>> unseen_levels(pd.DataFrame({"sex": ["f", "x"]}), record)
    {'sex': ['x']}
    """
    table = check_table(X, record)
    found = {}
    for column in record["columns"]:
        if "levels" in column:
            levels = {str(level) for level in table[column["name"]].dropna().unique()}
            found[column["name"]] = sorted(levels - set(column["levels"]))
    return {name: levels for name, levels in found.items() if levels}


def text_columns(record: Mapping[str, Any]) -> list[str]:
    """Return the columns that a model knows as text, so that a file's codes are read as such.

    Parameters
    ----------
    record : mapping
        The model's record.

    Returns
    -------
    list of str
        Names of columns.

    Examples
    --------
    >>> from icost.modelfile import text_columns
    >>> text_columns({"columns": [{"name": "code", "kind": "text"}]})
    ['code']
    """
    return [column["name"] for column in record["columns"] if column["kind"] == "text"]


def check_table(X: Any, record: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table with a model's columns in its order, or name those that do not fit.

    Columns that the model does not know are left out, as is the target. Numbers do for text, as a
    file may hold only codes that look like numbers; text does not do for numbers.

    Parameters
    ----------
    X : array-like or data frame
        The table.
    record : mapping
        The model's record.

    Returns
    -------
    pandas.DataFrame
        A plain table.

    Raises
    ------
    ColumnsDiffer
        If columns are missing, or hold text where the model has numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.modelfile import check_table
    >>> record = {"columns": [{"name": "age", "kind": "number"}]}
    >>> check_table(pd.DataFrame({"id": [7], "age": [31]}), record).columns.tolist()
    ['age']
    """
    table = plain_table(X)
    wanted = {column["name"]: column["kind"] for column in record["columns"]}
    missing = [name for name in wanted if name not in table.columns]
    if missing:
        unknown = [name for name in table.columns if name not in wanted]
        hint = f"; it has {_listed(unknown)} instead" if unknown else ""
        raise ColumnsDiffer(f"The table lacks {_columns(missing)} of the model{hint}.")
    table = table[list(wanted)]
    kinds = {column["name"]: column["kind"] for column in describe_columns(table)}
    wrong = [name for name, kind in wanted.items() if kind == "number" and kinds[name] == "text"]
    if wrong:
        raise ColumnsDiffer(f"The model has numbers in {_columns(wrong)}, the table has text.")
    as_text = [name for name, kind in wanted.items() if kind == "text" and kinds[name] == "number"]
    return table.assign(**{name: table[name].map(_code).astype(object) for name in as_text})


def _code(value: float) -> Any:
    return value if value != value else f"{value:.15g}"


def _columns(names: list[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {_listed(names)}"


def _listed(names: list[str], limit: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def current_versions(classifier: str = "") -> dict[str, str]:
    """Return the versions of Python and of the packages that a model depends on."""
    found = {"python": platform.python_version(), "icost-learn": __version__}
    booster = [BOOSTERS[classifier]] if classifier in BOOSTERS else []
    for package in (*TRACKED, *booster):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def version_differences(record: Mapping[str, Any]) -> list[str]:
    """Say which versions differ from those that a model was made with.

    Only what the model was made with and its major and minor numbers count.

    Parameters
    ----------
    record : mapping
        The model's record.

    Returns
    -------
    list of str
        One entry per package, such as ``"scikit-learn 1.6.0, now 1.9.1"``.

    Examples
    --------
    >>> from icost.modelfile import version_differences
    >>> version_differences({"versions": {"numpy": "0.9.1"}})
    ['numpy 0.9.1, now ...']
    """
    now = current_versions(record.get("classifier", ""))
    return [
        f"{package} {made_with}, now {now.get(package, 'not installed')}"
        for package, made_with in record.get("versions", {}).items()
        if now.get(package, "").split(".")[:2] != made_with.split(".")[:2]
    ]
