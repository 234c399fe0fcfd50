"""A dask table and its labels, partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from icost.labels import encode_labels
from icost.validation import import_extra

dask = import_extra("dask", "dask", "icost.dask")
da = import_extra("dask.array", "dask", "icost.dask")


@dataclass(frozen=True, eq=False)
class Partitions:
    """Partitions of a table that lie side by side with partitions of labels.

    Attributes
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        The table, not divided by columns.
    y : dask array or series of shape (n_samples,)
        The labels.
    classes : ndarray of shape (n_classes,)
        The distinct labels, sorted.
    counts : ndarray of int of shape (n_partitions, n_classes)
        Rows per class in each partition.
    """

    X: Any
    y: Any
    classes: NDArray[Any]
    counts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of rows of each partition."""
        return self.counts.sum(axis=1)

    def blocks(self, purpose: str, after: Any = None) -> list[tuple[Any, Any]]:
        """Return numbers and class codes of each partition, delayed.

        Parameters
        ----------
        purpose : str
            Blocks of different purposes are read again rather than kept in memory between them.
        after : Delayed, default=None
            What is needed first: no partition is read, to wait in memory, before that is there.

        Returns
        -------
        list of pairs of Delayed
            A matrix in double precision and a vector of codes.
        """
        # A value of no size to depend on, since dask may copy the task that gives it.
        ready = None if after is None else dask.delayed(_nothing)(after)
        tables, labels = _delayed(self.X, purpose, ready), _delayed(self.y, purpose)
        matrix, codes = dask.delayed(_matrix), dask.delayed(_codes)
        return [
            (matrix(table, int(length), position), codes(label, self.classes))
            for position, (table, label, length) in enumerate(
                zip(tables, labels, self.lengths, strict=True)
            )
        ]

    def codes(self) -> Any:
        """Return the class codes as a dask array."""
        codes = dask.delayed(_codes)
        blocks = [codes(label, self.classes) for label in _delayed(self.y, "codes")]
        return join_blocks(blocks, self.lengths, (), np.intp)


def read_partitions(X: Any, y: Any) -> Partitions:
    """Match the partitions of a table and its labels, and count the labels.

    Parameters
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        The table, of numeric columns.
    y : dask array, dask series or array-like of shape (n_samples,)
        The labels, which are read.

    Returns
    -------
    Partitions
        With known lengths, also where dask knows none.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from icost.dask.partitions import read_partitions
    >>> X = da.ones((5, 2), chunks=(3, 2))
    >>> read_partitions(X, np.array(["a", "a", "b", "a", "a"])).counts
    array([[2, 1],
           [2, 0]])
    """
    X = _check_table(X)
    y = _check_labels(X, y)
    found = dask.compute(*map(dask.delayed(_label_counts), _delayed(y, "count")))
    classes, _ = encode_labels(np.concatenate([labels for labels, _ in found]))
    counts = np.zeros((len(found), len(classes)), dtype=np.int64)
    for row, (labels, numbers) in zip(counts, found, strict=True):
        row[np.searchsorted(classes, labels)] = numbers
    return Partitions(X, y, classes, counts)


def join_blocks(
    blocks: Sequence[Any], lengths: NDArray[np.int64], columns: tuple[int, ...], dtype: Any
) -> Any:
    """Return a dask array of delayed blocks of known lengths."""
    arrays = [
        da.from_delayed(block, shape=(length, *columns), dtype=dtype)
        for block, length in zip(blocks, lengths.tolist(), strict=True)
    ]
    return da.concatenate(arrays)


def merge_in_tree(merge: Callable[[list[Any]], Any], parts: list[Any], width: int = 8) -> Any:
    """Merge delayed values some at a time, so that no worker has to hold all of them."""
    merge_some = dask.delayed(merge)
    while len(parts) > 1:
        parts = [merge_some(parts[i : i + width]) for i in range(0, len(parts), width)]
    return parts[0]


def is_frame(X: Any) -> bool:
    """Tell a dask dataframe from an array without importing pandas."""
    return hasattr(X, "to_dask_array") and hasattr(X, "columns")


def _check_table(X: Any) -> Any:
    if is_frame(X):
        other = [
            name for name, kind in X.dtypes.items() if getattr(kind, "kind", "O") not in "biuf"
        ]
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
        rows = None if is_frame(X) else X.chunks[0]
        if rows is None or np.isnan(rows).any():
            raise ValueError(
                "y must be a dask collection, since the chunk lengths of X are unknown, got "
                f"{type(y).__name__}."
            )
        y = da.from_array(np.asarray(y), chunks=(rows,))
    if isinstance(y, da.Array) and isinstance(X, da.Array):
        known = not (np.isnan(y.chunks[0]).any() or np.isnan(X.chunks[0]).any())
        if known and y.shape[0] == X.shape[0]:
            y = y.rechunk((X.chunks[0],))
    if y.ndim != 1 or y.npartitions != X.npartitions:
        raise ValueError(
            f"y must have one dimension and the partitions of X, {X.npartitions} of them, got "
            f"{y.ndim} and {y.npartitions}."
        )
    return y


def _delayed(collection: Any, purpose: str, after: Any = None) -> list[Any]:
    """Delayed partitions under names of their own.

    Each purpose is optimised by itself, so that reading a partition becomes one task with what is
    done to it. Names shared between purposes would make the scheduler keep every partition from the
    first purpose to the last, that is all of a table that may be larger than the memory.
    """
    if isinstance(collection, da.Array):
        kind = {"dtype": collection.dtype, "meta": collection._meta}
        tagged = collection.map_blocks(_same, purpose, after, **kind)
        return tagged.to_delayed().ravel().tolist()
    tagged = collection.map_partitions(_same, purpose, after, meta=collection._meta)
    with keep_partitions():
        return tagged.to_delayed()


def keep_partitions() -> Any:
    """Keep dask from joining the partitions of a table of which few columns are read.

    It would do so with the labels of a Parquet file, but not with the features.
    """
    return dask.config.set({"optimization.tune.active": False})


def _nothing(after: Any) -> None:
    return None


def _same(block: Any, purpose: str, after: Any) -> Any:
    return block


def _matrix(table: Any, length: int, position: int) -> NDArray[np.float64]:
    matrix = check_array(table, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=0)
    if len(matrix) != length:
        raise ValueError(
            f"X and y must have rows in common, got {len(matrix)} and {length} of them in "
            f"partition {position}."
        )
    if not np.isfinite(matrix).all():
        raise ValueError(
            f"X must be finite, got missing or infinite cells in partition {position}: impute them "
            "first."
        )
    return matrix


def _codes(labels: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    return np.searchsorted(classes, np.asarray(labels))


def _label_counts(labels: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return np.unique(np.asarray(labels), return_counts=True)
