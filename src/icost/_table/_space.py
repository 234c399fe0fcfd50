"""The numeric space in which complexity is estimated; base classifiers never see it."""

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

from icost._core.arrays import column_ends
from icost._table._columns import (
    FEW_LEVELS,
    NAMED,
    Column,
    ColumnType,
    Table,
    TableTypes,
    codes_among,
    learned_levels,
    numeric_block,
    read_table,
)

SPREAD_LIMIT = 1000.0
"""Ratio of column spreads beyond which unscaled distances are dominated by few columns."""

#: About how many rows are looked at for that.
_SPREAD_ROWS = 10_000

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

    ``preprocessor`` is as for `icost.iCost`: ``"auto"`` leaves numbers and times as they are,
    imputes missing cells by the median, one-hot encodes the other columns and then, if there were
    any, scales all of them to [0, 1]; a transformer is cloned and fitted; None takes a table as it
    is. Numbers come in double precision. With ``keep_single``, those that were in single precision
    stay so, and what has to be copied anyway comes so, if nothing has to be computed from it.
    """

    _types: TableTypes | None
    _train: Any
    _imputer: Any
    _levels: list[NDArray[Any]]
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
        self._types = self._train = self._imputer = self._encoder = self._scaler = None
        self._levels = []
        block = self._block(X)
        if block is not None:
            names = map(str, range(block.shape[1]))
            self._types = TableTypes(tuple(Column(name, ColumnType.NUMBER) for name in names))
            return self._impute(block, is_train=True)
        table = read_table(X)
        self._types = table.types
        numbers = self._impute(table.numbers, is_train=True)
        places = range(table.codes.shape[1])
        self._levels = [learned_levels(table, place) for place in places]
        if not self._levels:
            return numbers if numbers.shape[1] else np.zeros((table.n_rows, 1))
        self._encoder = OneHotEncoder(
            max_categories=FEW_LEVELS, handle_unknown="infrequent_if_exist", sparse_output=False
        ).set_output(transform="default")
        self._scaler = MinMaxScaler().set_output(transform="default")
        levels = self._encoder.fit_transform(self._codes(table))
        return self._scaler.fit_transform(np.hstack([numbers, levels]))

    def transform(self, X: Any) -> Any:
        """Return rows of another table in the space that was learned."""
        if self._transformer is not None:
            return _finite(self._transformer.transform(X), self._keep_single)
        if not self._is_auto or issparse(X):
            return _finite(X, self._keep_single)
        assert self._types is not None
        block = self._block(X) if self._types.all_numbers else None
        if block is not None and block.shape[1] == len(self._types.columns):
            return self._impute(block)
        table = read_table(X, self._types)
        numbers = self._impute(table.numbers)
        if self._encoder is None:
            return numbers if numbers.shape[1] else np.zeros((table.n_rows, 1))
        levels = self._encoder.transform(self._codes(table))
        return self._scaler.transform(np.hstack([numbers, levels]))

    def _block(self, X: Any) -> NDArray[Any] | None:
        if isinstance(X, Table):
            return None if X.types.named(*NAMED) else X.numbers
        return numeric_block(X, keep_single=self._keep_single, with_truth=True)

    def _codes(self, table: Table) -> NDArray[np.intp]:
        pairs = enumerate(self._levels)
        return np.column_stack([codes_among(levels, table, place) for place, levels in pairs])

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
            imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            self._imputer = imputer.set_output(transform="default").fit(self._train)
        return self._imputer.transform(X)


def _finite(X: Any, keep_single: bool) -> Any:
    # What is of none of these types becomes the first.
    dtypes = [np.float64, np.float32] if keep_single else np.float64
    return check_array(X, accept_sparse="csr", dtype=dtypes, input_name="X")


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
