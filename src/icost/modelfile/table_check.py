"""Whether a table fits a model: the same columns, of the same kind."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from icost import __version__
from icost.preprocessing import plain_table

if TYPE_CHECKING:
    import pandas as pd

TRACKED = ("scikit-learn", "numpy", "skops")
NEEDED = {
    "xgb": "xgboost",
    "lgbm": "lightgbm",
    "balanced-rf": "imbalanced-learn",
    "easy-ensemble": "imbalanced-learn",
    "rusboost": "imbalanced-learn",
}
"""Packages that a fitted classifier needs besides scikit-learn, by its name."""


class ColumnsDiffer(ValueError):
    """A table whose columns do not fit a model; the message names them.

    `check_table` raises it, and so do the methods of `SavedModel`: before anything is predicted, as
    a model would make something of any numbers in the right shape.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.modelfile import ColumnsDiffer, check_table
    >>> record = {"columns": [{"name": "age", "kind": "number"}]}
    >>> try:
    ...     check_table(pd.DataFrame({"alter": [31]}), record)
    ... except ColumnsDiffer as error:
    ...     print(error)
    The table lacks column 'age' of the model; it has 'alter' instead.
    """


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

    To the model they are all the same: none of the levels that it knows or, in a column with many
    levels, one of the rare ones. It predicts such rows without a word, so that its predictions of
    them deserve a second look.

    Parameters
    ----------
    X : array-like or data frame
        A table with the model's columns.
    record : mapping
        The model's record.

    Returns
    -------
    dict of list of str
        By name of the column, in alphabetical order; columns without such levels are left out, as
        are missing cells.

    Raises
    ------
    ColumnsDiffer
        If the table does not fit the model at all.

    See Also
    --------
    check_table : Whether the columns are there, and of the right kind.

    Notes
    -----
    Levels are compared as text, so that the number 3 and the text "3" are the same. A column with
    more than 1,000 levels has none in its record, and nothing is said about it.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.modelfile import unseen_levels
    >>> record = {"columns": [{"name": "sex", "kind": "text", "levels": ["f", "m"]}]}
    >>> unseen_levels(pd.DataFrame({"sex": ["f", "x"]}), record)
    {'sex': ['x']}

    No answer is a good one:

    >>> unseen_levels(pd.DataFrame({"sex": ["m", None]}), record)
    {}
    """
    table = check_table(X, record)
    found = {}
    for column in record["columns"]:
        if "levels" in column:
            levels = {str(level) for level in table[column["name"]].dropna().unique()}
            found[column["name"]] = sorted(levels - set(column["levels"]))
    return {name: levels for name, levels in found.items() if levels}


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
    """Return a table with a model's columns in its order, or name those that do not fit.

    A model knows its columns by name: they may come in any order, among others. Columns that the
    model does not know are left out, as is the target. Numbers do for text, as a file may hold only
    codes that look like numbers; text does not do for numbers.

    Parameters
    ----------
    X : array-like or data frame
        The table.
    record : mapping
        The model's record.

    Returns
    -------
    pandas.DataFrame
        A plain table: floats and text, missing cells as NaN.

    Raises
    ------
    ColumnsDiffer
        If columns are missing, or hold text where the model has numbers.

    See Also
    --------
    unseen_levels : What the text columns hold that the model has not seen.
    SavedModel : Checks every table that it predicts.

    Notes
    -----
    Only names and kinds are checked. Units, ranges and levels are not: an age in months passes for
    one in years.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.modelfile import check_table
    >>> record = {
    ...     "columns": [{"name": "age", "kind": "number"}, {"name": "ward", "kind": "text"}]
    ... }
    >>> table = check_table(pd.DataFrame({"id": [7], "ward": [12], "age": [31]}), record)
    >>> table.columns.tolist()
    ['age', 'ward']

    The ward came as a number, and is the text that the model knows:

    >>> table["ward"].tolist()
    ['12']
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


def current_versions(*classifiers: str) -> dict[str, str]:
    """Return the versions of Python and of the packages that a model depends on."""
    needed = [NEEDED[name] for name in classifiers if name in NEEDED]
    return _installed((*TRACKED, *needed))


def _installed(packages: Iterable[str]) -> dict[str, str]:
    found = {"python": platform.python_version(), "icost-learn": __version__}
    for package in (name for name in packages if name not in found):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def version_differences(record: Mapping[str, Any]) -> list[str]:
    """Say which versions differ from those that a model was made with.

    A model file holds the insides of fitted estimators, which packages change between releases. A
    model that opens all the same may predict other values; what differs is the first thing to look
    at. Only packages that the model was made with count, and of their versions the major and minor
    numbers.

    Parameters
    ----------
    record : mapping
        The model's record.

    Returns
    -------
    list of str
        One entry per package, such as ``"scikit-learn 1.6.0, now 1.9.1"``; empty if none differs.

    See Also
    --------
    read_record : The record of a file, which can be read even if the model cannot be opened.

    Examples
    --------
    >>> from icost.modelfile import version_differences
    >>> version_differences({"versions": {"numpy": "0.9.1"}})
    ['numpy 0.9.1, now ...']

    A model that was made here and now has none:

    >>> import numpy
    >>> version_differences({"versions": {"numpy": numpy.__version__}})
    []
    """
    now = _installed(record.get("versions", {}))
    return [
        f"{package} {made_with}, now {now.get(package, 'not installed')}"
        for package, made_with in record.get("versions", {}).items()
        if now.get(package, "").split(".")[:2] != made_with.split(".")[:2]
    ]
