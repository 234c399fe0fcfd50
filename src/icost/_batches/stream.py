"""`weights_of_batches`: weights of Arrow record batches, read one by one by this process."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost._batches.weigher import MERGED, Merge, Result, Task, Weigher, make_model, make_weigher
from icost._core.arrays import Floats
from icost._core.files import find_separator, reading
from icost._core.validation import import_extra
from icost.complexity import BaseComplexity
from icost.datasets._readers import DELIMITERS

TEXT_FILES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

BATCH_ROWS = 65_536
"""Rows of a file that are read at a time."""

Read = Callable[[Sequence[str] | None], Iterable[Any]]
"""Starts to read a table, the columns named or all, and returns its record batches."""


def weights_of_batches(
    batches: Any, *, target: str, method: str | BaseComplexity = "neighbor", **params: Any
) -> Iterator[Floats]:
    """Return the weights of a table that is read batch by batch.

    For tables that are larger than the memory. The weights are those of `icost.instance_weights`;
    those of a tree are very close to them from 50,000 rows on. Neither the order of the rows nor
    the size of the batches changes a weight. After a first look at the columns, the table is read
    twice for ``"cs"``, four times for neighbours (more often if the minority rows fill 512 MB), and
    three times plus once per level for a tree of more than 50,000 rows.

    Parameters
    ----------
    batches : path, dataset, table, callable or sequence of record batches
        What can be read several times: the path of a Parquet, CSV or TSV file, a
        ``pyarrow.dataset.Dataset``, a ``pyarrow.Table``, a polars frame, lazy or not, a function
        that returns a table or an iterator over ``pyarrow.RecordBatch``, or a list of these.
        Columns must be numeric without missing cells, and scaled if ``method`` is about neighbours.
    target : str
        The column of the labels.
    method : {"neighbor", "tree", "cs", "ncs"} or BaseComplexity, default="neighbor"
        As for `icost.iCost`. A `icost.NeighborComplexity` must search exactly and have a Minkowski
        metric by name, a `icost.GiniComplexity` no ``cross_fit``. Other measures are refused.
    **params
        Cost parameters and others of `icost.iCost`, such as ``cfb`` and ``minority_label``. A tree
        is grown in the same way for every ``tree_probe``.

    Yields
    ------
    ndarray of shape (n_rows,) or (n_rows, n_classes)
        The weights of a batch, in the order in which the batches are read; one column per class for
        a multiclass target.

    See Also
    --------
    icost.dask.instance_weights : The same on a Dask cluster.
    icost.spark.with_weights : The same on Spark.

    Notes
    -----
    Memory is needed for a few batches (with a dataset or folder, for a row group), for the distinct
    minority rows if ``method`` is about neighbours, and for a sample of 65,536 rows for a tree.

    User weights, ``penalty="plausible"``, ``majority="plausible"`` and ``multiclass`` other than
    ``"ovr"`` are refused: sums over all rows would depend on the order of the batches.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from icost import weights_of_batches
    >>> table = pa.table({"x": [0.0, 1.0, 2.1, 3.3, 4.6, 6.0], "y": [1, 1, 0, 0, 0, 0]})
    >>> batches = table.to_batches(max_chunksize=4)
    >>> list(weights_of_batches(batches, target="y", n_neighbors=2))
    [array([2.5, 2.5, 1. , 1. ]), array([1., 1.])]
    """
    model = make_model(method, params)
    table = open_stream(batches, target)
    weigher = make_weigher(table.reduce, "for batches", model)
    return (weights for _, weights in table.weighed(weigher))


def open_stream(
    batches: Any, target: str, unused: tuple[str, ...] = (), separator: str | None = None
) -> Stream:
    """Return a table to be weighed; columns that are ``unused`` are no features."""
    is_file = isinstance(batches, str | Path)
    read = _open_file(batches, target, unused, separator) if is_file else _reader(batches)
    first = next((batch for batch in read(None) if batch.num_rows), None)
    if first is None:
        raise ValueError("The table must have at least one row, got none.")
    return Stream(read, first.schema, Columns.of(first.schema, target, unused))


@dataclass(frozen=True, eq=False)
class Stream:
    """A table that this process reads batch by batch."""

    read: Read
    schema: Any
    columns: Columns

    def reduce(self, task: Task[Result], merge: Merge[Result], needs_rows: bool) -> Result:
        """Apply a task to all batches."""
        features = self.columns.features if needs_rows else ()
        batches = self.read([*features, self.columns.target])
        return merge_in_order((self.columns.apply(task, needs_rows, b) for b in batches), merge)

    def weighed(self, weigher: Weigher) -> Iterator[tuple[Any, Floats]]:
        """Read once more, and return each batch with its weights."""
        for batch in self.read(None):
            yield batch, self.columns.apply(weigher, weigher.judge is not None, batch)


def merge_in_order(results: Iterable[Result], merge: Merge[Result]) -> Result:
    """Merge results as they come, so that few are in memory."""
    waiting: list[Result] = []
    for result in results:
        waiting.append(result)
        if len(waiting) == MERGED:
            waiting = [merge(waiting)]
    return merge(waiting)


def _open_file(
    path: str | Path, target: str, unused: tuple[str, ...], separator: str | None
) -> Read:
    """Return a function that starts to read a Parquet or CSV file."""
    if "://" not in str(path) and not Path(path).exists():
        raise FileNotFoundError(f"The file '{path}' does not exist.")
    dataset = import_extra("pyarrow.dataset", "data", "Reading batches")
    with reading(path, import_extra("pyarrow", "data", "Reading batches").ArrowException):
        if str(path).endswith(TEXT_FILES):
            separator = separator or find_separator(path, DELIMITERS)
            read = _reader(_open_csv(path, target, unused, separator))
        else:
            is_folder = Path(path).is_dir()
            read = _reader(dataset.dataset(path)) if is_folder else partial(_read_parquet, path)
    return partial(_read_file, path, read)


def _read_file(path: str | Path, read: Read, names: Sequence[str] | None) -> Iterator[Any]:
    with reading(path, import_extra("pyarrow", "data", "Reading batches").ArrowException):
        yield from read(names)


def _read_parquet(path: str | Path, names: Sequence[str] | None) -> Iterator[Any]:
    """Read a Parquet file by pages; a dataset would keep most of a row group in memory."""
    parquet = import_extra("pyarrow.parquet", "data", "Reading batches")
    with parquet.ParquetFile(path, buffer_size=1 << 18, pre_buffer=False) as file:
        yield from file.iter_batches(BATCH_ROWS, columns=names, use_threads=False)


def _open_csv(path: str | Path, target: str, unused: tuple[str, ...], separator: str) -> Any:
    """Return a CSV file as a dataset whose types hold for all rows, not only for the first ones."""
    csv = import_extra("pyarrow.csv", "data", "Reading batches")
    from pyarrow import dataset, float64, lib, string

    def open_as(types: dict[str, Any]) -> Any:
        convert = csv.ConvertOptions(column_types=types, strings_can_be_null=True)
        parse = csv.ParseOptions(delimiter=separator, newlines_in_values=True)
        return dataset.dataset(path, format=dataset.CsvFileFormat(parse, convert_options=convert))

    guessed = {field.name: field.type for field in open_as({}).schema}
    # Decimals may follow whole or missing numbers, and an id such as 007 is no number.
    types = {name: float64() for name, type_ in guessed.items() if str(type_) in ("int64", "null")}
    types |= dict.fromkeys(unused, string())
    for label_type in (guessed.get(target, string()), float64(), string()):
        table = open_as(types | {target: label_type})
        with suppress(lib.ArrowInvalid):
            if label_type != string():
                deque(_read_dataset(table, [target]), maxlen=0)
            break
    return table


def _reader(batches: Any) -> Read:
    """Return a function that starts to read; refuse what can be read only once."""
    if hasattr(batches, "collect_batches"):
        return partial(_read_lazy_frame, batches)
    if hasattr(batches, "to_batches"):
        return partial(_read_dataset, batches)
    if hasattr(batches, "to_arrow"):
        return partial(_read_dataset, batches.to_arrow())
    if callable(batches):
        return partial(_read_call, batches)
    if isinstance(batches, Sequence) and all(hasattr(one, "num_rows") for one in batches):
        return lambda names: batches
    raise ValueError(
        "batches must be a path, a dataset, a table, a function that returns an iterator or a list "
        f"of record batches, to be read several times, got {type(batches).__name__}."
    )


def _read_dataset(dataset: Any, names: Sequence[str] | None) -> Iterable[Any]:
    if hasattr(dataset, "select"):  # a table, which is in memory
        return (dataset if names is None else dataset.select(names)).to_batches()
    ahead = {"batch_readahead": 0, "fragment_readahead": 0, "use_threads": False}
    return dataset.to_batches(columns=names, batch_size=BATCH_ROWS, **ahead)


def _read_call(function: Callable[[], Any], names: Sequence[str] | None) -> Iterable[Any]:
    returned = function()
    return returned if isinstance(returned, Iterator) else _reader(returned)(names)


def _read_lazy_frame(frame: Any, names: Sequence[str] | None) -> Iterator[Any]:
    chosen = frame if names is None else frame.select(names)
    for piece in chosen.collect_batches(maintain_order=True):
        yield from piece.to_arrow().to_batches()


def _check_names(names: list[str], target: str) -> None:
    """Raise unless the target is a column, and no name is there twice."""
    if target not in names:
        listed = ", ".join(map(repr, names[:10]))
        raise ValueError(f"target must be one of the columns {listed}, got {target!r}.")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"Columns must have different names, got {repeated[0]!r} twice.")


@dataclass(frozen=True)
class Columns:
    """Which columns of a batch are features, and which one is the target."""

    features: tuple[str, ...]
    target: str
    is_single: bool

    @classmethod
    def of(cls, schema: Any, target: str, unused: tuple[str, ...] = ()) -> Columns:
        """Check the columns of a table."""
        types = import_extra("pyarrow", "data", "Reading batches").types
        _check_names(schema.names, target)
        # The index of a pandas frame, which may be a mapping if it only counts rows, says nothing.
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        ignored = [target, *unused, *index]
        features = [one for one in schema if one.name not in ignored]
        is_numeric = (types.is_integer, types.is_floating, types.is_boolean)
        other = [one for one in features if not any(check(one.type) for check in is_numeric)]
        if other:
            given = f"{other[0].type} in column {other[0].name!r}"
            raise ValueError(f"Columns must be numeric, got {given}: encode it first.")
        if not features:
            raise ValueError(f"The table must have a column besides {target!r}, got none.")
        # Either precision is kept, whatever else there is becomes double.
        is_single = all(str(one.type) == "float" for one in features)
        return cls(tuple(one.name for one in features), target, is_single)

    def apply(self, task: Task[Result], needs_rows: bool, batch: Any) -> Result:
        """Apply a task to numbers (None if no rows are needed) and labels of a batch."""
        return task(self.matrix(batch) if needs_rows else None, self.labels(batch))

    def labels(self, batch: Any) -> NDArray:
        """Return the labels of a batch."""
        column = batch.column(self.target)
        if column.null_count:
            raise ValueError(f"Rows must have a label, got none in column {self.target!r}.")
        if hasattr(column, "dictionary_decode"):
            column = column.dictionary_decode()
        if str(column.type).startswith("decimal"):
            column = column.cast("float64")
        return np.asarray(column.to_numpy(zero_copy_only=False))

    def matrix(self, batch: Any) -> NDArray[np.floating]:
        """Return the features of a batch as numbers."""
        dtype = np.float32 if self.is_single else np.float64
        X = np.empty((batch.num_rows, len(self.features)), dtype=dtype)
        for place, name in enumerate(self.features):
            column = batch.column(name)
            values = column.to_numpy(zero_copy_only=False)
            if column.null_count or not np.isfinite(X_column := values.astype(dtype)).all():
                given = f"a missing or infinite one in column {name!r}"
                raise ValueError(f"Cells must be finite, got {given}: impute it first.")
            X[:, place] = X_column
        return X


def add_column(batch: Any, name: str, values: NDArray) -> Any:
    """Return a record batch with one more column, the last."""
    pyarrow = import_extra("pyarrow", "data", "Reading batches")
    schema = batch.schema.append(pyarrow.field(name, pyarrow.float64()))
    return pyarrow.RecordBatch.from_arrays([*batch.columns, pyarrow.array(values)], schema=schema)
