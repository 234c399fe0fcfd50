"""A dask table and its labels, partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from icost._batches.weigher import JUDGING_ROWS, Result, Task, Weigher, encode, make_weigher
from icost._core.validation import import_extra
from icost._weights.classifier import iCost
from icost.complexity import BaseComplexity

dask = import_extra("dask", "dask", "icost.dask")
da = import_extra("dask.array", "dask", "icost.dask")

MERGED = 8
"""Results of partitions that are merged at a time, so that no worker has to hold all of them."""


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions of a table, not divided by columns, side by side with partitions of labels."""

    X: Any
    y: Any
    where: str = "on dask"

    def reduce(
        self, task: Task[Result], merge: Callable[[list[Result]], Result], needs_rows: bool = True
    ) -> Result:
        """Apply a task to numbers (None if no rows are needed) and labels of all partitions."""
        # One graph per pass: a partition is read again rather than kept in memory between them.
        results, merge_some = self._map(task, needs_rows), dask.delayed(merge)
        while len(results) > 1:
            groups = range(0, len(results), MERGED)
            results = [merge_some(results[i : i + MERGED]) for i in groups]
        return dask.compute(results[0])[0]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The number of rows of each partition."""
        if isinstance(self.y, da.Array) and not np.isnan(self.y.chunks[0]).any():
            return np.array(self.y.chunks[0], dtype=np.int64)
        return np.array(dask.compute(*map(dask.delayed(len), _delayed(self.y))), dtype=np.int64)

    def weights(self, weigher: Weigher) -> Any:
        """Return the weights as a dask array, which is lazy."""
        columns = () if weigher.n_columns == 1 else (weigher.n_columns,)
        return self._joined(self._map(weigher, weigher.needs_rows), columns, np.float64)

    def codes(self, classes: NDArray[Any]) -> Any:
        """Return the class codes as a dask array."""
        task = partial(_codes, classes)
        return self._joined(self._map(task, False), (), np.intp)

    def _map(self, task: Task[Any], needs_rows: bool) -> list[Any]:
        # Queries and trees are sent to each worker once, not with every partition.
        apply, sent = dask.delayed(_apply, pure=False), dask.delayed(task)
        tables = _delayed(self.X) if needs_rows else [None] * self.y.npartitions
        pairs = enumerate(zip(tables, _delayed(self.y), strict=True))
        return [apply(sent, X, y, position) for position, (X, y) in pairs]

    def _joined(self, blocks: Sequence[Any], columns: tuple[int, ...], dtype: Any) -> Any:
        arrays = [
            da.from_delayed(block, shape=(length, *columns), dtype=dtype)
            for block, length in zip(blocks, self.lengths.tolist(), strict=True)
        ]
        return da.concatenate(arrays)


def read_partitions(X: Any, y: Any) -> Partitions:
    """Match the partitions of a table and its labels."""
    X = _check_table(X)
    return Partitions(X, _check_labels(X, y))


def _is_frame(X: Any) -> bool:
    """Tell a dask dataframe from an array without importing pandas."""
    return hasattr(X, "to_dask_array") and hasattr(X, "columns")


def _check_table(X: Any) -> Any:
    if _is_frame(X):
        types = {name: getattr(dtype, "kind", "O") for name, dtype in X.dtypes.items()}
        other = [name for name, letter in types.items() if letter not in "biuf"]
        if other:
            raise ValueError(
                f"X must have numeric columns only, got {X.dtypes[other[0]]} in column "
                f"{other[0]!r}: encode it first."
            )
        return X
    if not isinstance(X, da.Array) or X.ndim != 2:
        raise ValueError(
            f"X must be a dask dataframe or a two-dimensional dask array, got {type(X).__name__}."
        )
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _check_labels(X: Any, y: Any) -> Any:
    """Labels with one partition for each of the table's."""
    if not dask.is_dask_collection(y):
        rows = None if _is_frame(X) else X.chunks[0]
        if rows is None or np.isnan(rows).any():
            raise ValueError(
                "y must be a dask collection, since the chunk lengths of X are unknown, got "
                f"{type(y).__name__}."
            )
        y = da.from_array(np.asarray(y), chunks=(rows,))
    if isinstance(y, da.Array) and isinstance(X, da.Array):
        has_lengths = not (np.isnan(y.chunks[0]).any() or np.isnan(X.chunks[0]).any())
        if has_lengths and y.shape[0] == X.shape[0]:
            y = y.rechunk((X.chunks[0],))
    if y.ndim != 1 or y.npartitions != X.npartitions:
        raise ValueError(
            f"y must have one dimension and the partitions of X, {X.npartitions} of them, got "
            f"{y.ndim} and {y.npartitions}."
        )
    return y


def _delayed(collection: Any) -> list[Any]:
    """Delayed partitions."""
    if isinstance(collection, da.Array):
        return collection.to_delayed().ravel().tolist()
    with keep_partitions():
        return collection.to_delayed()


def keep_partitions() -> Any:
    """Keep dask from joining partitions of which few columns are read, as the labels of a file."""
    return dask.config.set({"optimization.tune.active": False})


def _apply(task: Task[Any], table: Any, labels: Any, position: int) -> Any:
    """Apply a task or a weigher to one partition."""
    labels = np.asarray(labels)
    X = None if table is None else _matrix(table, len(labels), position)
    return task(X, labels)


def _matrix(table: Any, length: int, position: int) -> NDArray[np.floating]:
    if table.shape[0] != length:
        raise ValueError(
            f"X and y must have rows in common, got {table.shape[0]} and {length} of them in "
            f"partition {position}."
        )
    # Either precision is kept, whatever else there is becomes double.
    dtypes = [np.float64, np.float32]
    matrix = check_array(table, dtype=dtypes, ensure_all_finite=False, ensure_min_samples=0)
    # One sum is much quicker than a look at every cell, and finite only if all cells are.
    with np.errstate(over="ignore", invalid="ignore"):
        total = matrix.sum()
    if not np.isfinite(total) and not np.isfinite(matrix).all():
        raise ValueError(
            f"X must be finite, got missing or infinite cells in partition {position}: impute them "
            "first."
        )
    return matrix


def _codes(classes: NDArray[Any], X: None, labels: NDArray) -> NDArray[np.intp]:
    return encode(labels, classes)


def instance_weights(
    X: Any,
    y: Any,
    method: str | BaseComplexity = "neighbor",
    *,
    probe_rows: int = JUDGING_ROWS,
    **params: Any,
) -> Any:
    """Return the weights of a dask table, the same as `icost.weights_of_batches` gives.

    The table is read several times at once, and once more when the weights are computed, so
    ``persist`` one that fits. How it is partitioned changes no weight.

    Parameters
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        Training data; numeric columns without missing cells, and scaled if ``method`` is about
        neighbours. Chunk lengths may be unknown.
    y : dask array or series, or array-like, of shape (n_samples,)
        Labels, in the same partitions.
    method, probe_rows, **params
        As for `icost.weights_of_batches`.

    Returns
    -------
    dask array of shape (n_samples,) or (n_samples, n_classes)
        In the partitions of ``X``, with known lengths; one column per class for a multiclass
        target.

    See Also
    --------
    icost.weights_of_batches : What is computed, what is refused, and how often the table is read.
    icost.instance_weights : The same in memory.
    DaskICost : Trains a booster with these weights.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from icost.dask import instance_weights
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> X = da.from_array(X, chunks=(3, 1))
    >>> y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    >>> weights = instance_weights(X, y, n_neighbors=2)
    >>> weights.chunks
    ((3, 3, 2),)
    >>> weights.compute()
    array([3.75, 3.75, 1.  , 1.  , 1.  , 1.  , 1.  , 1.  ])
    """
    model = iCost(method=method, **params)
    table = read_partitions(X, y)
    return table.weights(make_weigher(table, model, probe_rows))
