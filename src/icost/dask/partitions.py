"""A dask table and its labels, partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
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
    """Partitions of a table, not divided by columns, side by side with partitions of labels."""

    X: Any
    y: Any
    #: The distinct labels, sorted, and for each partition its rows per class.
    classes: NDArray[Any]
    counts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of rows of each partition."""
        return self.counts.sum(axis=1)

    def blocks(self, purpose: str, after: Any = None) -> list[tuple[Any, Any]]:
        """Return numbers, single precision as it is, and class codes of each partition, delayed."""
        matrix = dask.delayed(_matrix)
        return [
            (matrix(table, length, position), codes)
            for table, codes, length, position in self._partitions(purpose, after)
        ]

    def rows_of(self, is_asked: NDArray[np.bool_], purpose: str, after: Any = None) -> list[Any]:
        """Return numbers and class codes of the rows of some classes in each partition, delayed."""
        take = dask.delayed(_rows_of)
        return [
            take(table, codes, is_asked, length, position)
            for table, codes, length, position in self._partitions(purpose, after)
        ]

    def _partitions(self, purpose: str, after: Any) -> list[tuple[Any, Any, int, int]]:
        # Tables of different purposes are read again rather than kept in memory between them, and
        # none is read, to wait in memory, before what it is needed with is there: ``after``. That
        # is made a value of no size to depend on, since dask may copy the task that gives it.
        ready = None if after is None else dask.delayed(_nothing)(after)
        tables, lengths = _delayed(self.X, purpose, ready), self.lengths.tolist()
        return list(zip(tables, self.codes, lengths, range(len(lengths)), strict=True))

    @cached_property
    def codes(self) -> list[Any]:
        """The class codes of each partition, delayed, as numbers of as few bytes as will do."""
        # These are kept by the workers until all is done: a byte a row, where reading the labels
        # again for each purpose may mean to read the whole file.
        codes = dask.delayed(_codes)
        return [codes(label, self.classes) for label in _delayed(self.y, "codes")]

    def all_codes(self) -> Any:
        """Return the class codes as a dask array."""
        blocks = [dask.delayed(np.asarray)(codes, np.intp) for codes in self.codes]
        return join_blocks(blocks, self.lengths, (), np.intp)


def read_partitions(X: Any, y: Any) -> Partitions:
    """Match the partitions of a table and its labels, and read the labels to count them."""
    # The counts give the lengths of partitions too, also where dask knows none.
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
    """Delayed partitions under names of their own."""
    # Each purpose is optimised by itself, so that reading a partition becomes one task with what
    # is done to it. Names shared between purposes would make the scheduler keep every partition
    # from the first purpose to the last, that is all of a table larger than the memory.
    if isinstance(collection, da.Array):
        kind = {"dtype": collection.dtype, "meta": collection._meta}
        tagged = collection.map_blocks(_same, purpose, after, **kind)
        return tagged.to_delayed().ravel().tolist()
    # Dask would fuse what a single partition waits for with reading it, and fail on what else needs
    # that; one partition may as well wait in memory.
    after = None if collection.npartitions == 1 else after
    tagged = collection.map_partitions(_same, purpose, after, meta=collection._meta)
    with keep_partitions():
        return tagged.to_delayed()


def keep_partitions() -> Any:
    """Keep dask from joining partitions of which few columns are read, as the labels of a file."""
    return dask.config.set({"optimization.tune.active": False})


def _nothing(after: Any) -> None:
    return None


def _same(block: Any, purpose: str, after: Any) -> Any:
    return block


def _matrix(table: Any, length: int, position: int) -> NDArray[np.floating]:
    _check_length(table, length, position)
    # Either precision is kept, whatever else there is becomes double.
    kept = [np.float64, np.float32]
    matrix = check_array(table, dtype=kept, ensure_all_finite=False, ensure_min_samples=0)
    # One sum is much quicker than a look at every cell, and finite only if all cells are.
    with np.errstate(over="ignore", invalid="ignore"):
        total = matrix.sum()
    if not np.isfinite(total) and not np.isfinite(matrix).all():
        raise ValueError(
            f"X must be finite, got missing or infinite cells in partition {position}: impute them "
            "first."
        )
    return matrix


def _rows_of(
    table: Any, codes: NDArray, is_asked: NDArray[np.bool_], length: int, position: int
) -> tuple[NDArray[np.floating], NDArray]:
    # Chosen before they become a matrix: rows of a rare class are few beside the partition.
    _check_length(table, length, position)
    rows = np.flatnonzero(is_asked[codes])
    chosen = table.iloc[rows] if hasattr(table, "iloc") else table[rows]
    return _matrix(chosen, len(rows), position), codes[rows]


def _check_length(table: Any, length: int, position: int) -> None:
    if table.shape[0] != length:
        raise ValueError(
            f"X and y must have rows in common, got {table.shape[0]} and {length} of them in "
            f"partition {position}."
        )


def _codes(labels: Any, classes: NDArray[Any]) -> NDArray:
    codes = np.searchsorted(classes, np.asarray(labels))
    return codes.astype(np.min_scalar_type(len(classes)))


def _label_counts(labels: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    return np.unique(np.asarray(labels), return_counts=True)
