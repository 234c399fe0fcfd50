"""Typed columns as numbers: the only way from a table to what classifiers learn from."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats, Ints
from icost._core.labels import find_minority
from icost._core.validation import check_choice, check_features, check_sample_weight
from icost._table._columns import Table, TableTypes, read_table
from icost._table._parts import LevelPart, ManyPart, NumberPart, TextPart, TimePart

SCALERS = {"standard": StandardScaler, "minmax": MinMaxScaler, "none": None}
"""How numbers are scaled; the paper scales to [0, 1], ``"minmax"``."""


class TableEncoder(TransformerMixin, BaseEstimator):
    """Any table as numbers: dates, text and levels become columns that every classifier reads.

    The type of each column is decided once, in ``fit``, the same for pandas, polars, Arrow and
    NumPy. Numbers take the median where they are missing, with a column that says so if gaps go
    with a class. Dates become seconds, year, month, day of the year, weekday and hour in UTC, as
    far as they vary. Up to 20 levels are one-hot encoded, with missing cells as a level; more
    become the share of the minority class among rows of the same level, cross-fitted in
    ``fit_transform``, or the share of each class where there are more than two. Text becomes 30
    numbers of its words (tf-idf, then truncated SVD), its length and the number of its words. All
    of these are standardised, levels stay 0 and 1. Columns of one value and identifiers, words
    that are different in each row, are left out. Sparse tables are scaled without being centred.

    Parameters
    ----------
    text, date, level, drop : collections of str, default=()
        Names of columns that are text, dates or levels, or are left out, whatever they look like.
    day_first : bool, default=None
        Whether dates such as 01/02/2024 start with the day; by default, a column with a number
        above 12 decides itself, and others are refused.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numbers are scaled: to mean 0 and spread 1, to [0, 1] or not at all.
    impute : {"median", "mean"}, default="median"
        What stands where a number is missing.
    types : TableTypes, default=None
        Types that were decided before, in a larger part of the table: ``types_`` of an encoder.

    Attributes
    ----------
    types_ : TableTypes
        The type of each column; None for a sparse table.
    n_features_in_ : int
        Number of columns of the table.

    See Also
    --------
    iCost : Hands its base classifier the table as it is, which may need this one before it.

    Examples
    --------
    >>> from icost import TableEncoder, iCost
    >>> TableEncoder().fit_transform([[1.0, "a"], [3.0, "b"]])
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    >>> import pandas as pd
    >>> days = pd.DataFrame({"day": ["31.12.2023", "1.1.2024"], "size": [2, None]})
    >>> TableEncoder().fit(days).get_feature_names_out().tolist()
    ['size', 'day: seconds', 'day: year', 'day: month', 'day: day of year', 'day: weekday']
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = iCost(make_pipeline(TableEncoder(), LogisticRegression()))
    """

    def __init__(
        self,
        *,
        text: Collection[str] = (),
        date: Collection[str] = (),
        level: Collection[str] = (),
        drop: Collection[str] = (),
        day_first: bool | None = None,
        scaler: str = "standard",
        impute: str = "median",
        types: TableTypes | None = None,
    ) -> None:
        self.text = text
        self.date = date
        self.level = level
        self.drop = drop
        self.day_first = day_first
        self.scaler = scaler
        self.impute = impute
        self.types = types

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> TableEncoder:
        """Learn types, medians, scales, levels and words.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Table of any kind.
        y : array-like of shape (n_samples,), default=None
            Labels, which columns of many levels are encoded by; without them, by how frequent a
            level is.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows for the scales; rows of weight 0 are absent.

        Returns
        -------
        self
            The fitted encoder.
        """
        table = self._read_training(X, sample_weight)
        if table is not None:
            self._learn(table, y, sample_weight, is_cross_fitted=False)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from rows and return them as numbers, many levels by rows of other folds.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Table of any kind.
        y : array-like of shape (n_samples,), default=None
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows for the scales; rows of weight 0 are absent.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_columns)
            Numbers; sparse if ``X`` is.
        """
        table = self._read_training(X, sample_weight)
        if table is None:
            return self.transform(X)
        weight = check_sample_weight(sample_weight, table.n_rows)
        learned = self._learn(table, y, sample_weight, is_cross_fitted=True)
        if weight is None or weight.all():
            return self._joined(table, learned)
        # Rows that are absent are new ones.
        numbers = self._joined(table, self._to_scale(table, self.many_.transform(table)))
        numbers[weight > 0] = self._joined(table.take(weight > 0), learned)
        return numbers

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
        if not isinstance(X, Table):
            check_features(self, X, reset=False)
        if self.types_ is None:
            return X if self.scaler_ is None else self.scaler_.transform(X)
        table = read_table(X, self.types_)
        return self._joined(table, self._to_scale(table, self.many_.transform(table)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return what each column of the result says.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Ignored: the names are those of the table that was learned from.

        Returns
        -------
        ndarray of str
            Such as ``"day: weekday"``, ``"colour = red"`` and ``"review: topic 3"``.
        """
        check_is_fitted(self)
        if self.types_ is None:
            names = [f"x{place}" for place in range(self.n_features_in_)]
        else:
            scaled = (self.numbers_, self.times_, self.many_, self.text_)
            names = [name for columns in scaled for name in columns.names()]
            names += self.levels_.names() + self.numbers_.gap_names()
        return np.array(names or ["nothing"], dtype=object)

    def _read_training(self, X: Any, sample_weight: Any) -> Table | None:
        """Return the table with its types, or None for a sparse one, which is scaled at once."""
        check_choice("scaler", self.scaler, SCALERS)
        check_choice("impute", self.impute, ("median", "mean"))
        if sample_weight is not None and not np.asarray(sample_weight).any():
            raise ValueError("sample_weight must be positive for some row, got zeros.")
        if isinstance(X, Table):
            self.n_features_in_ = len(X.types.columns)
        else:
            check_features(self, X)
        if issparse(X):
            self.types_ = None
            sparse_scalers = {"standard": StandardScaler(with_mean=False), "minmax": MaxAbsScaler()}
            self.scaler_ = sparse_scalers.get(self.scaler)
            if self.scaler_ is not None:
                self.scaler_.set_output(transform="default").fit(X, **_weights(self, sample_weight))
            return None
        options = {"text": self.text, "date": self.date, "level": self.level, "drop": self.drop}
        if self.types is not None:
            options = {}
        table = read_table(X, self.types, day_first=self.day_first, **options)
        self.types_ = table.types
        return table

    def _learn(self, table: Table, y: Any, sample_weight: Any, is_cross_fitted: bool) -> Floats:
        """Learn from the rows of positive weight, and return those of their numbers to scale."""
        weight = check_sample_weight(sample_weight, table.n_rows)
        codes = _class_codes(y)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            table, weight = table.take(kept), weight[kept]
            codes = None if codes is None else np.unique(codes[kept], return_inverse=True)[1]
        if codes is not None and codes.max() == 1:
            codes = (codes == find_minority(np.bincount(codes))).astype(np.intp)
        elif codes is not None and codes.max() == 0:
            codes = None
        self.numbers_ = NumberPart(self.impute).fit(table, codes)
        self.times_ = TimePart().fit(table, codes)
        self.levels_ = LevelPart().fit(table, codes)
        self.text_ = TextPart().fit(table, codes)
        self.many_ = ManyPart()
        if is_cross_fitted:
            shares = self.many_.fit_transform(table, codes)
        else:
            shares = self.many_.fit(table, codes).transform(table)
        numbers = self._to_scale(table, shares)
        scaler = SCALERS[self.scaler]
        self.scaler_ = None
        if scaler is not None and numbers.shape[1]:
            self.scaler_ = scaler().set_output(transform="default")
            self.scaler_.fit(numbers, **_weights(self, weight))
        return numbers

    def _to_scale(self, table: Table, shares: Floats) -> Floats:
        numbers = self.numbers_.transform(table)
        others = [self.times_.transform(table), shares, self.text_.transform(table)]
        others = [block for block in others if block.shape[1]]
        return np.hstack([numbers, *others]) if others else numbers

    def _joined(self, table: Table, numbers: Floats) -> Floats:
        """Return scaled numbers beside levels and gaps; zeros for a table that says nothing."""
        scaled = numbers if self.scaler_ is None else self.scaler_.transform(numbers)
        flags = [self.levels_.transform(table), self.numbers_.gaps(table)]
        flags = [block for block in flags if block.shape[1]]
        joined = np.hstack([scaled, *flags]) if flags else scaled
        return joined if joined.shape[1] else np.zeros((table.n_rows, 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def _weights(encoder: TableEncoder, sample_weight: Any) -> dict[str, Any]:
    """Return weights as the scaler takes them; the ends of columns have none."""
    return {"sample_weight": sample_weight} if encoder.scaler == "standard" else {}


def _class_codes(y: Any) -> Ints | None:
    """Return classes as codes, or None where there are none, as for a number to predict."""
    if y is None or type_of_target(y, input_name="y") not in ("binary", "multiclass"):
        return None
    return np.unique(np.asarray(y), return_inverse=True)[1].ravel()
