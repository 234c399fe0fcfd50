"""Synthetic minority rows for a table of any kind, by imbalanced-learn's SMOTE and its kin.

Numbers are interpolated as they are. In a table with text, SMOTENC (SMOTEN, if there is nothing
but text) draws levels from the neighbours. Missing cells are imputed for finding neighbours only: a
synthetic row has the gaps of the nearer of its parents, and the base classifier sees the user's own
columns throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.impute import SimpleImputer

from icost.labels import class_totals
from icost.preprocessing import is_frame, typed_columns
from icost.validation import as_array, import_extra

DEFAULT_NEIGHBORS = 5
"""Neighbours of a minority row that its synthetic ones are drawn towards, where it has so many."""


def rows_wanted(codes: NDArray[np.intp], power: float) -> dict[int, int]:
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
    X: Any, codes: NDArray[np.intp], power: float, seed: int
) -> tuple[Any, NDArray[np.intp]]:
    """Return the rows followed by synthetic ones, and the classes of all.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.ensemble.synthetic import add_synthetic
    >>> X, codes = np.arange(10.0).reshape(-1, 1), np.repeat([0, 1], [8, 2])
    >>> new_X, new_codes = add_synthetic(X, codes, 0.5, seed=0)
    >>> np.bincount(new_codes)
    array([8, 4])
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
    return _from_columns(X, codes, options)


def _sampler(name: str, **options: Any) -> Any:
    purpose = 'A member with synthetic rows (others, such as "plain" and "cs", need none)'
    return getattr(import_extra("imblearn.over_sampling", "ensemble", purpose), name)(**options)


def _from_columns(
    X: Any, codes: NDArray[np.intp], options: Mapping[str, Any]
) -> tuple[Any, NDArray[np.intp]]:
    columns = typed_columns(X)
    is_text = np.array([numbers is None for numbers, _ in columns])
    numbers = [own for own, _ in columns if own is not None]
    numeric = np.column_stack(numbers) if numbers else np.empty((len(codes), 0))
    texts = [np.asarray(values) for own, values in columns if own is None]
    levels, level_codes = _encode_levels(texts, len(codes))
    filled = _fill(numeric)
    table = np.hstack([filled, level_codes])
    new, new_codes = _resample(table, codes, numeric.shape[1], options)
    new = new[len(codes) :]
    gaps = np.isnan(numeric)
    made = new[:, : numeric.shape[1]].copy()
    if gaps.any():
        made[gaps[_nearest(table, codes, new, new_codes[len(codes) :])]] = np.nan
    picked = [
        known[column.astype(np.intp)]
        for known, column in zip(levels, new[:, numeric.shape[1] :].T, strict=True)
    ]
    ends = np.cumsum([_width(own) for own in numbers], dtype=int)
    parts = iter(picked), iter(np.split(made, ends[:-1], axis=1))
    rows = [next(parts[0]) if text else next(parts[1]) for text in is_text]
    return _append(X, rows), new_codes


def _fill(numeric: NDArray[np.float64]) -> NDArray[np.float64]:
    """Missing cells take the median; infinite ones are refused, with scikit-learn's words."""
    if not numeric.shape[1]:
        return numeric
    return SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(numeric)


def _width(numbers: NDArray[np.float64]) -> int:
    return 1 if numbers.ndim == 1 else numbers.shape[1]


def _encode_levels(
    texts: list[NDArray[Any]], n_rows: int
) -> tuple[list[NDArray[Any]], NDArray[np.float64]]:
    """The values that each text column has, missing ones among them, and their numbers."""
    levels, numbers = [], np.empty((n_rows, len(texts)))
    for position, values in enumerate(texts):
        names = np.array([f"{type(value).__name__} {value}" for value in values], dtype=object)
        _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
        levels.append(np.asarray(values, dtype=object)[first])
        numbers[:, position] = inverse
    return levels, numbers


def _resample(
    table: NDArray[np.float64],
    codes: NDArray[np.intp],
    n_numeric: int,
    options: Mapping[str, Any],
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    text = list(range(n_numeric, table.shape[1]))
    if not text:
        return _sampler("SMOTE", **options).fit_resample(table, codes)
    if n_numeric == 0:
        new, new_codes = _sampler("SMOTEN", **options).fit_resample(table.astype(int), codes)
        return np.asarray(new, dtype=np.float64), new_codes
    return _sampler("SMOTENC", categorical_features=text, **options).fit_resample(table, codes)


def _nearest(
    table: NDArray[np.float64],
    codes: NDArray[np.intp],
    new: NDArray[np.float64],
    new_codes: NDArray[np.intp],
) -> NDArray[np.intp]:
    """For each synthetic row, the row of its class that it is nearest to: one of its parents."""
    from scipy.spatial import cKDTree

    found = np.empty(len(new), dtype=np.intp)
    for code in np.unique(new_codes):
        rows, own = np.flatnonzero(new_codes == code), np.flatnonzero(codes == code)
        found[rows] = own[cKDTree(table[own]).query(new[rows])[1]]
    return found


def _append(X: Any, rows: list[NDArray[Any]]) -> Any:
    """The table with synthetic rows below, of the kind that it is."""
    if not is_frame(X):
        array = as_array(X)
        if array.dtype.kind == "O":
            made = np.column_stack([np.asarray(column, dtype=object) for column in rows])
        else:
            made = np.hstack(rows)
        return np.vstack([array, made])
    flat = [np.ravel(column) for column in rows]
    if hasattr(X, "iloc"):
        return _append_pandas(X, flat)
    return _append_polars(X, flat)


def _append_pandas(X: Any, columns: list[NDArray[Any]]) -> Any:
    import pandas as pd

    made = {}
    for position, values in enumerate(columns):
        kind = X.dtypes.iloc[position]
        is_category = isinstance(kind, pd.CategoricalDtype)
        made[position] = pd.Series(values, dtype=kind if is_category else None)
    below = pd.DataFrame(made)
    below.columns = X.columns
    return pd.concat([X, below], ignore_index=True)


def _append_polars(X: Any, columns: list[NDArray[Any]]) -> Any:
    import polars as pl

    made = []
    for position, values in enumerate(columns):
        old = X.to_series(position)
        is_number = old.dtype.is_numeric() or old.dtype == pl.Boolean
        wanted = pl.Float64 if is_number else old.dtype
        if is_number:
            old = old.cast(pl.Float64)
        new = pl.Series(old.name, values.tolist(), dtype=wanted, nan_to_null=not is_number)
        made.append(pl.concat([old, new]))
    return pl.DataFrame(made)
