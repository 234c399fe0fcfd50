"""Tables as numbers: the one room where text, gaps and scales are dealt with.

Three ways lead from a table to numbers. `to_numeric_space` makes the space in which complexity is
estimated, of any kind of table and without pandas; the base classifier of `icost.iCost` never sees
it. `TableEncoder` comes before the classifiers that `icost.iCostEnsemble` brings itself.
`make_preprocessor` is the part of the *tool's* models that comes before their classifier: the tool
gets whatever a file holds, makes a plain table of it and imputes, one-hot encodes and scales.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats
from icost._core.validation import (
    as_array,
    as_numbers,
    check_choice,
    check_column_names,
    check_features,
    check_not_empty,
    import_extra,
    is_missing,
)

if TYPE_CHECKING:
    import pandas as pd

MAX_LEVELS = 20
"""Levels of a text column that get a dimension of their own; the rest share one."""

SPREAD_LIMIT = 1000.0
"""Ratio of column spreads beyond which unscaled distances are dominated by few columns."""

LARGEST = 1e38
"""Numbers beyond this are no measurements: trees, which count in single precision, lose them."""

#: About how many rows are looked at for that.
_SPREAD_ROWS = 10_000

#: About as many numbers in a row are gone through at full speed.
_WIDE = 1024

#: Types of polars that are NumPy's by another name.
_POLARS_NUMBERS = {
    *("float32", "float64"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler, "none": None}
"""How numeric columns are scaled; the paper scales to [0, 1], ``"minmax"``."""

SPACES = {
    "standard": "standardised columns",
    "minmax": "columns scaled to 0–1",
    "none": "raw columns",
}
"""The space in which difficulty is judged, in words."""


def check_preprocessor(preprocessor: Any) -> None:
    """Raise unless a numeric space can be made with it."""
    is_transformer = hasattr(preprocessor, "fit_transform")
    is_auto = isinstance(preprocessor, str) and preprocessor == "auto"
    if not (preprocessor is None or is_transformer or is_auto):
        raise ValueError(
            f"preprocessor must be 'auto', a transformer or None, got {preprocessor!r}."
        )


class NumericSpace:
    """The numeric space of a training table, into which rows of other tables can be put.

    ``preprocessor`` is as for `icost.iCost`: ``"auto"`` leaves numeric columns as they are, imputes
    missing cells by the median, one-hot encodes the other columns and then, if there were any,
    scales all of them to [0, 1]; a transformer is cloned and fitted; None takes a table as it is.
    Numbers come in double precision. With ``keep_single``, those that were in single precision stay
    so, and what has to be copied anyway comes so, if nothing has to be computed from it.
    """

    _is_text: list[bool]
    _train: Any
    _imputer: Any
    _encoder: Any
    _scaler: Any

    def __init__(self, preprocessor: Any = "auto", *, keep_single: bool = False) -> None:
        check_preprocessor(preprocessor)
        is_transformer = hasattr(preprocessor, "fit_transform")
        self._transformer = clone(preprocessor) if is_transformer else None
        self._is_auto = isinstance(preprocessor, str)
        self._keep_single = keep_single

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the space from a table, and return its rows there."""
        if self._transformer is not None:
            return _finite(self._transformer.fit_transform(X, y), self._keep_single)
        if not self._is_auto or issparse(X):
            return _finite(X, self._keep_single)
        self._train = self._imputer = self._encoder = self._scaler = None
        block = _numeric_block(X, self._keep_single)
        if block is not None:
            self._is_text = [False] * block.shape[1]
            return self._impute(block, is_train=True)
        columns = typed_columns(X)
        self._is_text = column_kinds(columns)
        numbers, levels = split_columns(columns, self._is_text)
        space = [] if numbers is None else [self._impute(numbers, is_train=True)]
        if levels is None:
            return space[0]
        self._encoder = _level_encoder()
        self._scaler = _arrays(MinMaxScaler())
        space.append(self._encoder.fit_transform(levels))
        return self._scaler.fit_transform(np.hstack(space))

    def transform(self, X: Any) -> Any:
        """Return rows of another table in the space that was learned."""
        if self._transformer is not None:
            return _finite(self._transformer.transform(X), self._keep_single)
        if not self._is_auto or issparse(X):
            return _finite(X, self._keep_single)
        block = None if any(self._is_text) else _numeric_block(X, self._keep_single)
        if block is not None and block.shape[1] == len(self._is_text):
            return self._impute(block)
        numbers, levels = split_columns(typed_columns(X, self._is_text), self._is_text)
        space = [] if numbers is None else [self._impute(numbers)]
        if levels is None:
            return space[0]
        space.append(self._encoder.transform(levels))
        return self._scaler.transform(np.hstack(space))

    def _impute(self, X: NDArray[Any], is_train: bool = False) -> NDArray[Any]:
        if is_train:
            self._train = X
        # One sum is much quicker than a look at every cell, and finite only if all cells are.
        with np.errstate(over="ignore", invalid="ignore"):
            total = X.sum()
        if np.isfinite(total):
            return X
        if not np.isnan(X).any():
            return _finite(X, self._keep_single)
        if self._imputer is None:
            # Only now, since medians of a large table without gaps would be for nothing.
            self._imputer = _arrays(SimpleImputer(strategy="median", keep_empty_features=True))
            self._imputer.fit(self._train)
        return self._imputer.transform(X)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Any table as standardised numbers: what `iCostEnsemble` puts before its own bases.

    Numbers are imputed by the median and standardised; the other columns are one-hot encoded, with
    missing cells as a level of their own. Sparse tables are scaled without being centred.

    Parameters
    ----------
    is_text : list of bool, default=None
        Which columns to encode; by default those that are not numbers. A part of a table may have
        nothing but numbers in a column that is text elsewhere.

    See Also
    --------
    iCost : Hands its base classifier the table as it is, which may need this one before it.

    Examples
    --------
    >>> from icost import TableEncoder, iCost
    >>> TableEncoder().fit_transform([[1.0, "a"], [3.0, "b"]])
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = iCost(make_pipeline(TableEncoder(), LogisticRegression()))
    """

    def __init__(self, is_text: list[bool] | None = None) -> None:
        self.is_text = is_text

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn medians, scales and levels.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Table of any kind.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted encoder.
        """
        check_features(self, X)
        self.is_text_: list[bool] | None = None
        blocks: tuple[Any, Any] = X, None
        if not issparse(X):
            columns = typed_columns(X, self.is_text or ())
            self.is_text_ = column_kinds(columns) if self.is_text is None else list(self.is_text)
            blocks = split_columns(columns, self.is_text_)
        self.numeric_, self.levels_ = _fit_blocks(*blocks)
        return self

    def transform(self, X: Any) -> Any:
        """Return rows as numbers, by what was learned.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_columns)
            Numbers; sparse if ``X`` is.
        """
        check_is_fitted(self)
        check_features(self, X, reset=False)
        kinds = self.is_text_
        blocks = (X, None) if kinds is None else split_columns(typed_columns(X, kinds), kinds)
        return _encode_blocks((self.numeric_, self.levels_), blocks)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def _fit_blocks(numbers: Any, levels: Any) -> tuple[Any, Any]:
    """Return fitted transformers of numbers and of levels; None for what a table has none of."""
    imputer = _arrays(SimpleImputer(strategy="median", keep_empty_features=True))
    is_sparse = issparse(numbers)
    scaler = _arrays(StandardScaler(with_mean=not is_sparse))
    numeric = scaler if is_sparse else make_pipeline(imputer, scaler)
    pairs = (numeric, numbers), (_level_encoder(), levels)
    numeric, encoder = (None if block is None else step.fit(block) for step, block in pairs)
    return numeric, encoder


def _encode_blocks(transformers: tuple[Any, Any], blocks: Sequence[Any]) -> Any:
    pairs = zip(transformers, blocks, strict=True)
    encoded = [step.transform(block) for step, block in pairs if step is not None]
    return encoded[0] if issparse(encoded[0]) else np.hstack(encoded)


def numbered_blocks(X: Any) -> tuple[Any, Any]:
    """Return the numbers of a table, and its levels as whole numbers in their order, or None.

    It pays where many parts of one table are encoded: text is slow to look at.
    """
    columns = [] if issparse(X) else typed_columns(X)
    numbers, levels = split_columns(columns, column_kinds(columns)) if columns else (X, None)
    return numbers, None if levels is None else _arrays(
        OrdinalEncoder(dtype=np.intp)
    ).fit_transform(levels)


def encode_parts(*parts: Sequence[Any]) -> Iterator[Any]:
    """Yield parts of a numbered table, encoded as by a `TableEncoder` fitted to the first."""
    fitted = _fit_blocks(*parts[0])
    return (_encode_blocks(fitted, blocks) for blocks in parts)


def _level_encoder() -> Any:
    return _arrays(
        OneHotEncoder(
            max_categories=MAX_LEVELS, handle_unknown="infrequent_if_exist", sparse_output=False
        )
    )


def _arrays(transformer: Any) -> Any:
    """Return a transformer that returns arrays, whatever scikit-learn is set to return."""
    return transformer.set_output(transform="default")


def to_numeric_space(
    X: Any, y: Any = None, preprocessor: Any = "auto", *, keep_single: bool = False
) -> Any:
    """Return a table as numbers, for estimating complexity; see `NumericSpace`."""
    return NumericSpace(preprocessor, keep_single=keep_single).fit_transform(X, y)


def warn_if_spreads_differ(X: Any, preprocessor: Any = "auto") -> None:
    """Warn when a few columns would decide all distances.

    Who chose a preprocessor, which made the space, has thought of scales; sparse spaces are not
    looked at.
    """
    if not issparse(X) and isinstance(preprocessor, str) and _has_uneven_spreads(X):
        warnings.warn(
            # The same words for every fold of a search, so that Python shows them once.
            f"the spreads of the columns differ by a factor of more than {SPREAD_LIMIT:,.0f}, so "
            "that few columns decide who is a neighbour: scale X first, or set "
            "preprocessor=StandardScaler().",
            UserWarning,
            stacklevel=2,
        )


def _has_uneven_spreads(X: NDArray[Any]) -> bool:
    # Some thousands of rows tell the order of magnitude of a spread, which is all that matters.
    some = np.ascontiguousarray(X[:: max(1, len(X) // _SPREAD_ROWS)])
    # A range is found faster, and no spread is above half of it or below its sqrt(2n)-th part.
    low, high = column_ends(some)
    reach = high - low
    if reach.min(initial=np.inf) * SPREAD_LIMIT > reach.max(initial=0.0) * np.sqrt(len(some) / 2):
        return False
    spread = some.std(axis=0)
    spread = spread[spread > 0]
    return len(spread) > 0 and bool(spread.max() > SPREAD_LIMIT * spread.min())


def column_ends(X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the greatest number of each column of a table that has rows."""
    low = high = X
    # NumPy is slow to go from one short row to the next. Side by side, several rows are one of a
    # wide table, whose least numbers are as many rows of the narrow one. The root of their number
    # makes both tables short.
    n_beside = min(math.isqrt(len(X)), _WIDE // max(1, X.shape[1]))
    if X.size and n_beside > 1 and X.flags.c_contiguous:
        n_rows = len(X) - len(X) % n_beside
        wide = X[:n_rows].reshape(-1, n_beside * X.shape[1])
        low, high = (
            np.concatenate([end(axis=0).reshape(n_beside, -1), X[n_rows:]])
            for end in (wide.min, wide.max)
        )
    return low.min(axis=0), high.max(axis=0)


def _finite(X: Any, keep_single: bool) -> Any:
    # What is of none of these types becomes the first.
    dtypes = [np.float64, np.float32] if keep_single else np.float64
    return check_array(X, accept_sparse="csr", dtype=dtypes, input_name="X")


def _numeric_block(X: Any, keep_single: bool) -> NDArray[Any] | None:
    """Return a table of nothing but numbers as one array, copied once at most, or None."""
    if is_frame(X):
        return _frame_block(X, keep_single)
    array = as_array(X)
    if array.dtype.kind not in "biuf":
        return None
    if keep_single and array.dtype.kind != "f":
        return array.astype(np.float32)
    return array.astype(_float_type([array.dtype], keep_single), copy=False)


def _frame_block(X: Any, keep_single: bool) -> NDArray[Any] | None:
    """Return a frame of nothing but numbers as one array, copied once at most, or None."""
    # An empty table is to be refused by others.
    numpy_types = [_numpy_type(dtype) for dtype in X.dtypes] if X.shape[0] else []
    dtypes = [dtype for dtype in numpy_types if dtype is not None]
    if not dtypes or len(dtypes) < len(numpy_types):
        return None
    dtype = _float_type(dtypes, keep_single)
    if not hasattr(X, "iloc"):
        return X.to_numpy().astype(dtype, copy=False)
    block = None if not keep_single or _is_one_array(X) else _half_copy(X)
    return X.to_numpy(dtype) if block is None else block


def _numpy_type(dtype: Any) -> np.dtype[Any] | None:
    """Return NumPy's type of a column that holds plain numbers, of pandas or polars, or None."""
    if isinstance(dtype, np.dtype):
        return dtype if dtype.kind in "biuf" else None
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


def column_kinds(columns: list[Any]) -> list[bool]:
    """Return whether each column, of those from `typed_columns`, is text."""
    if _is_block(columns):
        return [False] * columns[0][0].shape[1]
    return [numbers is None for numbers, _ in columns]


def bool_columns(columns: list[Any]) -> list[bool]:
    """Return whether each column, of those from `typed_columns`, holds true and false alone."""
    if _is_block(columns):
        return [False] * columns[0][0].shape[1]
    return [numbers is not None and _is_bool(values) for numbers, values in columns]


def _is_bool(values: NDArray[Any]) -> bool:
    if values.dtype.kind != "O":
        return values.dtype.kind == "b"
    present = [value for value in values if not is_missing(value)]
    return bool(present) and all(isinstance(value, bool | np.bool_) for value in present)


def _is_block(columns: list[Any]) -> bool:
    """Whether all columns are one array of numbers."""
    return len(columns) == 1 and columns[0][0] is not None and columns[0][0].ndim == 2


def split_columns(columns: list[Any], is_text: list[bool]) -> tuple[Any, Any]:
    """Return numbers and levels, each as one array, by the kinds that training columns had."""
    if _is_block(columns):
        block = columns[0][0]
        if not any(is_text) and block.shape[1] == len(is_text):
            return block, None
        columns = [(column, column) for column in block.T]
    pairs = list(enumerate(zip(columns, is_text, strict=True)))
    unreadable = [place for place, ((numbers, _), text) in pairs if numbers is None and not text]
    if unreadable:
        raise ValueError(f"column {unreadable[0]} must hold numbers, as in training, got text.")
    numbers = [column for _, ((column, _), text) in pairs if not text]
    levels = [_levels(values) for _, ((_, values), text) in pairs if text]
    return _stacked(numbers), _stacked(levels)


def _stacked(columns: list[NDArray[Any]]) -> NDArray[Any] | None:
    return np.column_stack(columns) if columns else None


def typed_columns(
    X: Any, is_text: Sequence[bool] = ()
) -> list[tuple[Floats | None, NDArray[Any] | None]]:
    """Each column's numbers, None if it has none, and its own values; an array of numbers whole.

    Columns that ``is_text`` marks are not searched for numbers.
    """
    texts = {position for position, marked in enumerate(is_text) if marked}
    if not is_frame(X):
        array = as_array(X)
        if array.dtype.kind in "iuf":
            return [(array.astype(np.float64, copy=False), None)]
        return [
            (None if position in texts else as_numbers(column), column)
            for position, column in enumerate(array.T)
        ]
    check_not_empty(X)
    return [_frame_column(X, position, position in texts) for position in range(X.shape[1])]


def is_frame(X: Any) -> bool:
    """Tell pandas and polars frames without importing either."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")


def _frame_column(X: Any, position: int, is_text: bool) -> tuple[Floats | None, NDArray[Any]]:
    column = X.iloc[:, position] if hasattr(X, "iloc") else X.to_series(position)
    name = str(column.dtype).lower()
    if not isinstance(column.dtype, np.dtype) and (times := _times(column)) is not None:
        return as_numbers(times), times
    values = np.asarray(column)
    is_text = is_text or name.startswith(("categor", "enum"))
    return (None if is_text else as_numbers(values)), values


def _times(column: Any) -> NDArray[Any] | None:
    """Return times, dates and spans of a frame as NumPy's, in UTC; None for another column."""
    import narwhals as nw

    if str(column.dtype).startswith("datetime64["):
        column = column.dt.tz_convert("UTC")  # here, since narwhals reads not every zone's name
    series = nw.from_native(column, series_only=True)
    if isinstance(series.dtype, nw.Datetime) and series.dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    if str(column.dtype).startswith("period"):
        return column.dt.start_time.to_numpy()
    if isinstance(series.dtype, nw.Date):
        series = series.cast(nw.Datetime("us"))
    return series.to_numpy() if isinstance(series.dtype, nw.Datetime | nw.Duration) else None


def _levels(values: NDArray[Any]) -> NDArray[Any]:
    # The sign keeps a level that is the word "missing" apart from a missing cell.
    names = [
        f"={v}" if type(v) is str else "missing" if is_missing(v) else f"={level_name(v)}"
        for v in values
    ]
    return np.array(names, dtype=object)


def level_name(value: Any) -> str:
    """Return a level as text; 7 and 7.0 are one, since a gap makes a column of integers floats."""
    return f"{value:.15g}" if isinstance(value, float | np.floating) else str(value)


def plain_table(X: Any) -> pd.DataFrame:
    """Return a new frame whose columns are floats or text, with NaN for missing cells.

    Booleans become 0 and 1, times and spans of time seconds; names of columns become text.
    """
    pd = import_extra("pandas", "data", "A mixed table")
    frame = X.to_pandas() if hasattr(X, "to_pandas") else pd.DataFrame(X)
    check_column_names(frame)
    names = frame.columns.map(str)
    columns = {name: _plain_column(frame.iloc[:, p]) for p, name in enumerate(names)}
    for name, column in columns.items():
        if column.dtype.kind == "f":
            _check_size(name, column.to_numpy())
    return pd.DataFrame(columns, index=frame.index)


def _check_size(name: str, values: Floats) -> None:
    """Refuse numbers that cannot be computed with."""
    too_large = np.abs(values) > LARGEST
    if too_large.any():
        row = int(np.argmax(too_large))
        if np.isinf(values[row]):
            raise ValueError(f"column {name!r} must be finite, got infinity in row {row + 1}.")
        raise ValueError(
            f"column {name!r} must hold numbers of at most {LARGEST:g}, got {values[row]:g} in "
            f"row {row + 1}."
        )


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
    return _text_column(column)


def _text_column(column: pd.Series) -> pd.Series:
    import pandas as pd

    # Text labels in an object column are the one form that every pandas and encoder agree on.
    if column.dtype == "category":
        # Far fewer levels than cells; a gap has the code -1, the place of the last.
        levels = _text_column(column.cat.categories.to_series(name=column.name))
        cells = np.array([*levels, np.nan], dtype=object)[column.cat.codes]
        return pd.Series(cells, index=column.index, name=column.name, dtype=object)
    text = column.astype(object)
    nested = next((value for value in text if isinstance(value, list | dict | np.ndarray)), None)
    if nested is not None:
        raise ValueError(
            f"column {column.name!r} must hold numbers or text, got a {type(nested).__name__}."
        )
    return text.where(text.isna(), text.map(level_name)).where(text.notna(), np.nan).astype(object)


def number_levels(X: pd.DataFrame) -> pd.DataFrame:
    """Return a plain table whose text is whole numbers, in the order of the levels, gaps last.

    `make_preprocessor` makes the same columns of both, of numbers in a small part of the time: it
    pays where many parts of one table are encoded.
    """
    import pandas as pd

    numbered = {}
    for name in X.columns:
        column = X[name]
        if column.dtype.kind != "f":
            codes, levels = pd.factorize(column, sort=True)
            column = pd.Series(np.where(codes < 0, len(levels), codes), index=X.index)
        numbered[name] = column
    return pd.DataFrame(numbered, index=X.index)


def numeric_columns(X: pd.DataFrame) -> list[str]:
    """Return the names of a plain table's numeric columns."""
    return [name for name in X.columns if X[name].dtype.kind == "f"]


def make_preprocessor(
    X: pd.DataFrame, scaler: str = "standard", impute: str = "median"
) -> ColumnTransformer:
    """Return an unfitted transformer from a plain table to numbers.

    Of text, a missing cell is a level of its own, and a level not seen in ``fit`` is all zeros.
    """
    check_choice("scaler", scaler, SCALERS)
    numeric = numeric_columns(X)
    steps: list[tuple[str, Any]] = [
        ("impute", SimpleImputer(strategy=impute, keep_empty_features=True))
    ]
    if SCALERS[scaler] is not None:
        steps.append(("scale", SCALERS[scaler]()))
    text = [name for name in X.columns if name not in numeric]
    parts = [("numeric", Pipeline(steps), numeric), ("text", _level_encoder(), text)]
    return _arrays(
        ColumnTransformer(
            [step for step in parts if step[2]], verbose_feature_names_out=False, sparse_threshold=0
        )
    )
