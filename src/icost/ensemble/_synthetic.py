"""Synthetic minority rows for a table of any kind, by imbalanced-learn's SMOTE and its kin.

Numbers, times among them, are interpolated. In a table with text or truth values, SMOTENC (SMOTEN,
if there is nothing else) draws levels from the neighbours. Missing cells are imputed for finding
neighbours only: a synthetic row has the gaps of the row of its class that it is nearest to, and the
base classifier sees the user's own columns throughout, of the kinds that they have. Whole numbers
alone become fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn import config_context
from sklearn.impute import SimpleImputer

from icost._core.arrays import Floats, Ints
from icost._core.labels import class_totals
from icost._core.statistics import DEFAULT_NEIGHBORS
from icost._core.validation import as_array, import_extra
from icost._table._columns import ColumnType, column_cells, is_frame, raw_columns

COMPARABLE = (0.5, 2.0)
"""Spreads that columns may have beside each other: as good as standardised."""


def level_columns(X: Any) -> list[bool] | None:
    """Return which columns have levels instead of numbers: text and truth values.

    None for a sparse table.
    """
    if issparse(X):
        return None
    columns = raw_columns(X)
    return [c.numbers is None or c.type == ColumnType.TRUTH for c in columns]


def rows_wanted(codes: Ints, power: float) -> dict[int, int]:
    """Return how many rows each class is brought to: those of the largest for a power of 1.

    A class with ``n`` rows against ``N`` of the largest one is brought to ``n * (N / n) ** power``.
    One with a single row has no neighbours to draw towards and is left as it is.
    """
    totals = class_totals(codes)
    wanted = np.rint(totals * (totals.max() / totals) ** power).astype(int)
    return {
        code: int(number)
        for code, number in enumerate(wanted)
        if number > totals[code] and totals[code] > 1
    }


def add_synthetic(
    X: Any,
    codes: Ints,
    power: float,
    seed: int,
    *,
    is_level: Sequence[bool] | None = None,
    scale: bool = False,
) -> tuple[Any, Ints]:
    """Return the rows followed by synthetic ones, and the classes of all.

    ``is_level`` tells of each column whether it has levels, in case these rows alone do not tell.
    With ``scale``, neighbours are found among columns brought to a common spread.
    """
    wanted = rows_wanted(codes, power)
    if not wanted:
        return X, codes
    fewest = int(class_totals(codes)[list(wanted)].min())
    options = {
        "sampling_strategy": wanted,
        "k_neighbors": min(DEFAULT_NEIGHBORS, fewest - 1),
        "random_state": seed,
    }
    if issparse(X):
        new, new_codes = _sampler("SMOTE", **options).fit_resample(X.tocsr(), codes)
        return vstack([X, new[len(codes) :]], format="csr"), new_codes
    levels = level_columns(X) if is_level is None else is_level
    return _from_columns(X, codes, list(levels or ()), scale, options)


def _sampler(name: str, **options: Any) -> Any:
    purpose = 'A member with synthetic rows (others, such as "plain" and "cs", need none)'
    return getattr(import_extra("imblearn.over_sampling", "ensemble", purpose), name)(**options)


def _from_columns(
    X: Any, codes: Ints, is_level: list[bool], scale: bool, options: Mapping[str, Any]
) -> tuple[Any, Ints]:
    columns = raw_columns(X, is_level)
    numbers: list[Any] = [c.numbers for c in columns if not is_level[c.place]]
    numeric = np.column_stack(numbers) if numbers else np.empty((len(codes), 0))
    texts = [np.asarray(column_cells(X, c.place)) for c in columns if is_level[c.place]]
    levels, level_codes = _encode_levels(texts, len(codes))
    filled = _fill(numeric)
    widths = _widths(filled) if scale else np.ones(filled.shape[1])
    table = np.hstack([filled / widths, level_codes])
    new, new_codes = _resample(table, codes, numeric.shape[1], options)
    new = new[len(codes) :]
    gaps = np.isnan(numeric)
    created = new[:, : numeric.shape[1]] * widths
    if gaps.any():
        created[gaps[_nearest(table, codes, new, new_codes[len(codes) :])]] = np.nan
    picked = iter(
        level[column.astype(np.intp)]
        for level, column in zip(levels, new[:, numeric.shape[1] :].T, strict=True)
    )
    if not texts:
        return _append(X, list(created.T)), new_codes
    interpolated = iter(created.T)
    rows = [next(picked) if has_levels else next(interpolated) for has_levels in is_level]
    return _append(X, rows), new_codes


def _widths(numeric: Floats) -> Floats:
    """What columns are divided by: their spread, or the step between the only two values.

    Spreads that are comparable stay as they are, so that a standardised table is left alone.
    """
    low, high = COMPARABLE
    spread = numeric.std(axis=0)
    is_step = np.array([len(np.unique(column)) == 2 for column in numeric.T], dtype=bool)
    step = np.ptp(numeric, axis=0)
    # Of a constant column the step is 0, while its spread may be a trace of rounding.
    is_far = ((spread < low) | (spread > high)) & (step > 0)
    is_far &= ~(is_step & (step >= low) & (step <= high))
    return np.where(is_far, np.where(is_step, step, spread), 1.0)


def _fill(numeric: Floats) -> Floats:
    """Missing cells take the median; infinite ones are refused, with scikit-learn's words."""
    with np.errstate(over="ignore", invalid="ignore"):
        # Finite only if all cells are: the medians of a table without gaps would be for nothing.
        if not numeric.shape[1] or np.isfinite(numeric.sum()):
            return numeric
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return imputer.set_output(transform="default").fit_transform(numeric)


def _encode_levels(texts: list[NDArray[Any]], n_rows: int) -> tuple[list[NDArray[Any]], Floats]:
    """The values that each text column has, missing ones among them, and their numbers."""
    levels, numbers = [], np.empty((n_rows, len(texts)))
    for position, values in enumerate(texts):
        names = np.array([f"{type(value).__name__} {value}" for value in values], dtype=object)
        _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
        levels.append(np.asarray(values, dtype=object)[first])
        numbers[:, position] = inverse
    return levels, numbers


def _resample(
    table: Floats, codes: Ints, n_numeric: int, options: Mapping[str, Any]
) -> tuple[Floats, Ints]:
    text = list(range(n_numeric, table.shape[1]))
    if not text:
        return _sampler("SMOTE", **options).fit_resample(table, codes)
    if n_numeric == 0:
        new, new_codes = _sampler("SMOTEN", **options).fit_resample(table.astype(int), codes)
        return np.asarray(new, dtype=np.float64), new_codes
    sampler = _sampler("SMOTENC", categorical_features=text, **options)
    with config_context(transform_output="default"):  # of what it encodes levels with
        return sampler.fit_resample(table, codes)


def _nearest(table: Floats, codes: Ints, new: Floats, new_codes: Ints) -> Ints:
    """For each synthetic row, the row of its class that it is nearest to."""
    from scipy.spatial import cKDTree

    nearest = np.empty(len(new), dtype=np.intp)
    for code in np.unique(new_codes):
        rows, values = np.flatnonzero(new_codes == code), np.flatnonzero(codes == code)
        nearest[rows] = values[cKDTree(table[values]).query(new[rows])[1]]
    return nearest


def _append(X: Any, columns: list[NDArray[Any]]) -> Any:
    """The table with synthetic rows below, of the kind that it is."""
    if hasattr(X, "iloc"):
        return _append_pandas(X, columns)
    if is_frame(X):
        return _append_polars(X, columns)
    array = as_array(X)
    dtype = array.dtype.kind
    if dtype in "OmMb":
        columns = [_as_times(column, array.dtype) for column in columns]
        created = np.column_stack([np.asarray(column, dtype=array.dtype) for column in columns])
    else:
        created = np.column_stack(columns)
    return np.vstack([array, created])


def _as_times(seconds: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Seconds as the times or spans that they were made of; values of other kinds as they are."""
    if dtype.kind not in "mM":
        return seconds
    whole = np.rint(np.where(np.isnan(seconds), 0.0, seconds) * 1e6).astype(np.int64)
    times = whole.astype(f"{dtype.kind}8[us]").astype(dtype)
    times[np.isnan(seconds)] = np.array("NaT", dtype=dtype)
    return times


def _append_pandas(X: Any, columns: list[NDArray[Any]]) -> Any:
    import pandas as pd

    created = {
        position: _pandas_column(values, X.dtypes.iloc[position])
        for position, values in enumerate(columns)
    }
    below = pd.DataFrame(created)
    below.columns = X.columns
    return pd.concat([X, below], ignore_index=True)


def _pandas_column(values: NDArray[Any], dtype: Any) -> Any:
    """Synthetic cells as a column of the type above; whole numbers alone have become fractions."""
    import pandas as pd

    if values.dtype.kind == "f":
        if isinstance(dtype, pd.PeriodDtype):
            return pd.Series(_as_times(values, np.dtype("M8[us]"))).dt.to_period(dtype.freq)
        if getattr(dtype, "kind", "") in "mM" or str(dtype).startswith("date"):
            is_span = dtype.kind == "m"
            times = pd.Series(_as_times(values, np.dtype("m8[us]" if is_span else "M8[us]")))
            zoned = times.dt.tz_localize("UTC") if isinstance(dtype, pd.DatetimeTZDtype) else times
            return zoned.astype(dtype)
        if pd.api.types.is_integer_dtype(dtype):
            return pd.Series(values, dtype=_fraction_of(dtype))
    return pd.Series(values, dtype=dtype)


def _fraction_of(dtype: Any) -> str:
    """The floating type beside one of whole numbers: NumPy's, pandas' own or Arrow's."""
    if isinstance(dtype, np.dtype):
        return "float64"
    return "double[pyarrow]" if type(dtype).__name__ == "ArrowDtype" else "Float64"


def _append_polars(X: Any, columns: list[NDArray[Any]]) -> Any:
    import polars as pl

    created = []
    for position, values in enumerate(columns):
        old = X.to_series(position)
        if values.dtype.kind == "f" and old.dtype.is_temporal():
            new = _polars_times(old, values)
        elif values.dtype.kind == "f":
            dtype = old.dtype if old.dtype.is_float() else pl.Float64
            # A gap is null or NaN as it is above.
            old = old.cast(dtype)
            new = pl.Series(old.name, values, dtype=dtype, nan_to_null=old.null_count() > 0)
        else:
            new = pl.Series(old.name, values.tolist(), dtype=old.dtype)
        created.append(pl.concat([old, new]))
    return pl.DataFrame(created)


def _polars_times(old: Any, values: Floats) -> Any:
    """Synthetic times as polars counts them, in whole units of the column."""
    import polars as pl

    is_span = isinstance(old.dtype, pl.Duration)
    new = pl.Series(old.name, _as_times(values, np.dtype("m8[us]" if is_span else "M8[us]")))
    zone = getattr(old.dtype, "time_zone", None)
    if zone is not None:
        new = new.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return new.cast(old.dtype)
