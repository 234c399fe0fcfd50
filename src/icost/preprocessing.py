"""Mixed tables as numbers: the part of a model that comes before its classifier.

`icost.iCost` takes tables as they are. The tool, which gets whatever a file holds, puts
`make_preprocessor` in front: impute, one-hot encode, scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from icost.validation import as_numbers, check_choice, import_extra

if TYPE_CHECKING:
    import pandas as pd

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler, "none": None}
"""How numeric columns are scaled; the paper scales to [0, 1], ``"minmax"``."""

MAX_LEVELS = 20
"""Levels of a text column that get a dimension of their own; the rest share one."""


def plain_table(X: Any) -> pd.DataFrame:
    """Return a table whose columns are floats or text, with NaN for missing cells.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The user's table. Booleans become 0 and 1, times and spans of time seconds.

    Returns
    -------
    pandas.DataFrame
        A new frame with text as column names, which must differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.preprocessing import plain_table
    >>> table = plain_table(pd.DataFrame({"age": [31, 47], "sex": pd.Categorical(["f", None])}))
    >>> table["age"].tolist(), table["sex"].tolist()
    ([31.0, 47.0], ['f', nan])
    """
    pd = import_extra("pandas", "data", "A mixed table")
    frame = pd.DataFrame(X)
    names = frame.columns.map(str)
    if not names.is_unique:
        twice = names[names.duplicated()][0]
        raise ValueError(f"column names must differ as text, got {twice!r} more than once.")
    columns = {name: _plain_column(frame.iloc[:, p]) for p, name in enumerate(names)}
    for name, column in columns.items():
        if column.dtype.kind == "f" and np.isinf(column).any():
            row = int(np.flatnonzero(np.isinf(column))[0]) + 1
            raise ValueError(f"column {name!r} must be finite, got infinity in row {row}.")
    return pd.DataFrame(columns, index=frame.index)


def _plain_column(column: pd.Series) -> pd.Series:
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        seconds = (column - pd.Timestamp(0, tz=column.dt.tz)) / pd.Timedelta(seconds=1)
        return seconds.astype(np.float64)
    if pd.api.types.is_timedelta64_dtype(column):
        return (column / pd.Timedelta(seconds=1)).astype(np.float64)
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(np.float64)
    if column.dtype == object and column.notna().any():
        numbers = as_numbers(column.to_numpy())
        if numbers is not None:
            return pd.Series(numbers, index=column.index)
    # Text labels in an object column are the one form that every pandas and encoder agree on.
    text = column.astype(object)
    nested = next((value for value in text if isinstance(value, list | dict | np.ndarray)), None)
    if nested is not None:
        raise ValueError(
            f"column {column.name!r} must hold numbers or text, got a {type(nested).__name__}."
        )
    return text.where(text.isna(), text.map(str)).where(text.notna(), np.nan).astype(object)


def numeric_columns(X: pd.DataFrame) -> list[str]:
    """Return the names of a plain table's numeric columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.preprocessing import numeric_columns, plain_table
    >>> numeric_columns(plain_table(pd.DataFrame({"age": [31, 47], "sex": ["f", "m"]})))
    ['age']
    """
    return [name for name in X.columns if X[name].dtype.kind == "f"]


def make_preprocessor(
    X: pd.DataFrame, scaler: str = "standard", impute: str = "median"
) -> ColumnTransformer:
    """Return an unfitted transformer from a plain table to numbers.

    Parameters
    ----------
    X : pandas.DataFrame
        From `plain_table`.
    scaler : {"standard", "minmax", "none"}, default="standard"
        What is done to numeric columns, after missing cells were filled.
    impute : {"median", "mean"}, default="median"
        What missing cells of numeric columns are filled with.

    Returns
    -------
    ColumnTransformer
        Text columns are one-hot encoded; a missing cell is a level of its own, and a level that
        was not seen in ``fit`` is all zeros.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.preprocessing import make_preprocessor, plain_table
    >>> table = plain_table(pd.DataFrame({"age": [31, None, 47], "sex": ["f", "m", "f"]}))
    >>> make_preprocessor(table, "minmax").fit_transform(table)
    array([[0. , 1. , 0. ],
           [0.5, 0. , 1. ],
           [1. , 1. , 0. ]])
    """
    check_choice("scaler", scaler, SCALERS)
    numeric = numeric_columns(X)
    steps: list[tuple[str, Any]] = [
        ("impute", SimpleImputer(strategy=impute, keep_empty_features=True))
    ]
    if SCALERS[scaler] is not None:
        steps.append(("scale", SCALERS[scaler]()))
    encoder = OneHotEncoder(
        max_categories=MAX_LEVELS, handle_unknown="infrequent_if_exist", sparse_output=False
    )
    text = [name for name in X.columns if name not in numeric]
    parts = [("numeric", Pipeline(steps), numeric), ("text", encoder, text)]
    return ColumnTransformer(
        [part for part in parts if part[2]], verbose_feature_names_out=False, sparse_threshold=0
    )
