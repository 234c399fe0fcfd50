"""The numeric space in which complexity is estimated.

The base classifier always gets the user's own table; only the complexity measures see this space.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils import check_array

from icost.validation import as_array, as_numbers, is_missing

MAX_LEVELS = 100
"""Levels of a text column that get a dimension of their own; the rest share one."""

SPREAD_LIMIT = 1000.0
"""Ratio of column spreads beyond which unscaled distances are dominated by few columns."""

#: About how many rows are looked at for that.
_SPREAD_ROWS = 10_000


def to_numeric_space(X: Any, y: Any = None, preprocessor: Any = "auto") -> Any:
    """Return the table as numbers, for estimating complexity.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        The user's table.
    y : array-like of shape (n_samples,), default=None
        Target, for transformers that use it.
    preprocessor : "auto", transformer or None, default="auto"
        ``"auto"`` leaves numeric columns as they are, imputes missing cells by the median,
        one-hot encodes the other columns and then, if there were any, scales all of them to
        [0, 1]. A transformer is cloned and fitted. None takes the table as it is.

    Returns
    -------
    ndarray or CSR matrix of shape (n_samples, n_dimensions)
        Finite numbers in double precision.

    Examples
    --------
    >>> from icost.complexity.space import to_numeric_space
    >>> to_numeric_space([[1.0, float("nan")], [2.0, 4.0]])
    array([[1., 4.],
           [2., 4.]])
    """
    if preprocessor is None:
        return _finite(X)
    if not isinstance(preprocessor, str):
        if not hasattr(preprocessor, "fit_transform"):
            raise ValueError(
                f"preprocessor must be 'auto', a transformer or None, got {preprocessor!r}."
            )
        return _finite(clone(preprocessor).fit_transform(X, y))
    if preprocessor != "auto":
        raise ValueError(
            f"preprocessor must be 'auto', a transformer or None, got {preprocessor!r}."
        )
    if issparse(X):
        return _finite(X)
    return _impute_and_encode(X)


def warn_if_spreads_differ(X: Any, preprocessor: Any = "auto") -> None:
    """Warn when a few columns would decide all distances.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_dimensions)
        The numeric space; only dense ones are looked at.
    preprocessor : "auto", transformer or None, default="auto"
        What made the space; who chose it has thought of scales.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity.space import warn_if_spreads_differ
    >>> warn_if_spreads_differ(np.array([[0.0, 1.0], [1.0, 3.0]]))
    """
    if issparse(X) or preprocessor is None or not isinstance(preprocessor, str):
        return
    # Some thousands of rows tell the order of magnitude of a spread, which is all that matters.
    spread = X[:: max(1, len(X) // _SPREAD_ROWS)].std(axis=0)
    spread = spread[spread > 0]
    if len(spread) and spread.max() > SPREAD_LIMIT * spread.min():
        warnings.warn(
            f"the spreads of the columns differ by a factor of {spread.max() / spread.min():.0f}, "
            "so that few columns decide who is a neighbour: scale X first, or set "
            "preprocessor=StandardScaler().",
            UserWarning,
            stacklevel=2,
        )


def _finite(X: Any) -> Any:
    return check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")


def _impute_and_encode(X: Any) -> NDArray[np.float64]:
    numeric, other = _split_by_type(X)
    parts = []
    if numeric:
        parts.append(_impute(numeric[0] if numeric[0].ndim == 2 else np.column_stack(numeric)))
    if not other:
        return parts[0]
    # handle_unknown is never met: the encoder transforms the very rows it was fitted on.
    encoder = OneHotEncoder(max_categories=MAX_LEVELS, sparse_output=False)
    parts.append(encoder.fit_transform(np.column_stack(other)))
    return MinMaxScaler().fit_transform(np.hstack(parts))


def _impute(X: NDArray[np.float64]) -> NDArray[np.float64]:
    # One sum is much quicker than a look at every cell, and finite only if all cells are.
    with np.errstate(over="ignore", invalid="ignore"):
        total = X.sum()
    if np.isfinite(total):
        return X
    if not np.isnan(X).any():
        return _finite(X)
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return imputer.fit_transform(X)


def _split_by_type(X: Any) -> tuple[list[NDArray[np.float64]], list[NDArray[Any]]]:
    """Columns as float arrays, and the others as arrays of text."""
    if not _is_frame(X):
        array = as_array(X)
        if array.dtype.kind in "biuf":
            return [array.astype(np.float64, copy=False)], []
        columns = [(column, "") for column in array.T]
    else:
        columns = [_frame_column(X, position) for position in range(X.shape[1])]
        if not columns or not X.shape[0]:
            check_array(X, dtype=None, input_name="X")  # raises with scikit-learn's words
    numeric, other = [], []
    for values, kind in columns:
        numbers = None if kind == "category" else as_numbers(values)
        if numbers is None:
            other.append(np.array([_level(value) for value in values], dtype=object))
        else:
            numeric.append(numbers)
    return numeric, other


def _is_frame(X: Any) -> bool:
    """Tell pandas and polars frames without importing either."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")


def _frame_column(X: Any, position: int) -> tuple[NDArray[Any], str]:
    column = X.iloc[:, position] if hasattr(X, "iloc") else X.to_series(position)
    name = str(column.dtype).lower()
    if name.startswith("datetime64[") and hasattr(column, "dt"):
        # NumPy knows no time zones; as objects, zoned times would be taken for text.
        return np.asarray(column.dt.tz_localize(None)), ""
    is_categorical = name.startswith(("categor", "enum"))
    return np.asarray(column), "category" if is_categorical else ""


def _level(value: Any) -> str:
    return "missing" if is_missing(value) else f"={value}"
