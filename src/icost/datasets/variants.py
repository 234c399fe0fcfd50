"""The authors' copies of the sets: what differs from the files in the repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from icost.datasets.registry import DatasetRecord
from icost.validation import import_extra

if TYPE_CHECKING:
    import pandas as pd

VARIANTS = ("keel", "published")


def as_published(
    X: pd.DataFrame, y: pd.Series, record: DatasetRecord
) -> tuple[pd.DataFrame, pd.Series]:
    """Turn the table of a repository into the one that the paper's numbers come from.

    The first row goes if the authors read it as a header. Nominal columns are dropped or
    coded as the registry tells; those that hold numbers become numbers. Missing values
    stay missing.

    Parameters
    ----------
    X, y : pandas.DataFrame, pandas.Series
        The whole table.
    record : DatasetRecord
        The set's row of the registry.

    Returns
    -------
    X, y : pandas.DataFrame, pandas.Series
        Numeric features, and the labels of the rows that are left.
    """
    if record.lost_first_row:
        X, y = X.iloc[1:].reset_index(drop=True), y.iloc[1:].reset_index(drop=True)
    X = X.apply(_number_like)
    text = [name for name in X.columns if X[name].dtype == "category"]
    if not record.encoding:
        return X, y
    if record.encoding == "drop":
        return X.drop(columns=text), y
    if record.encoding == "codes":
        return X.assign(**{name: _alphabetical(X[name]) for name in text}), y
    if record.encoding.startswith("drop "):
        return X.drop(columns=record.encoding.removeprefix("drop ")), y
    name, _, pairs = record.encoding.partition(": ")
    codes = {value: int(code) for value, _, code in (pair.partition("=") for pair in pairs.split())}
    return X.assign(**{name: X[name].astype(object).map(codes).astype("int64")}), y


def _number_like(column: pd.Series) -> pd.Series:
    """Turn a nominal column of numbers, such as {0, 1}, into numbers."""
    pd = import_extra("pandas", "data", "A published variant")
    if column.dtype != "category":
        return column
    try:
        return pd.to_numeric(column.astype(object))
    except ValueError:
        return column


def _alphabetical(column: pd.Series) -> pd.Series:
    # Only values that occur count: the authors had the data, not the header's lists.
    codes = {value: code for code, value in enumerate(sorted(set(column.dropna())))}
    return column.astype(object).map(codes)
