"""Weights of Spark tables, computed where the rows are.

`with_weights` adds a column of weights to a DataFrame, ready for ``weightCol`` of Spark ML's
classifiers and ``weight_col`` of ``xgboost.spark.SparkXGBClassifier``. It needs PySpark 4, and
icost-learn on every machine of the cluster; ``import icost`` never imports PySpark.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any

from icost._batches.stream import Columns, add_column, map_batches, merge_in_order, weigh_batch
from icost._batches.weigher import JUDGING_ROWS, Result, Task, Weigher, make_weigher
from icost._core.validation import import_extra
from icost._weights.classifier import iCost
from icost.complexity import BaseComplexity

__all__ = ["with_weights"]

RESULT = "result binary"
"""The schema of what passes return: one pickled result per partition."""

MERGED = 8
"""Results that the driver gets per pass."""


def with_weights(
    df: Any,
    target: str,
    method: str | BaseComplexity = "neighbor",
    *,
    features: Sequence[str] | None = None,
    output: str = "weight",
    probe_rows: int = JUDGING_ROWS,
    **params: Any,
) -> Any:
    """Return a Spark DataFrame with a column of weights, those of `icost.weights_of_batches`.

    The table is read several times at once, and once more when the result is used: ``cache`` it if
    it fits. How it is partitioned changes no weight, and a task that is run again gives the same.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The table. It must have the same rows whenever it is read.
    target : str
        The column of the labels, of two classes.
    method, probe_rows, **params
        As for `icost.weights_of_batches`.
    features : sequence of str, default=None
        Numeric columns without missing cells to judge rows by; by default all but the target.
        Vectors of Spark ML are refused: name the columns that they were made of.
    output : str, default="weight"
        The name of the new column, which comes last.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of ``df`` and the weights, lazy.

    See Also
    --------
    icost.weights_of_batches : What is computed, what is refused, and how often the table is read.
    icost.dask.instance_weights : The same on Dask.

    Examples
    --------
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> from icost.spark import with_weights
    >>> spark = SparkSession.builder.getOrCreate()  # doctest: +SKIP
    >>> table = spark.read.parquet("claims.parquet")  # doctest: +SKIP
    >>> weighted = with_weights(table, "is_fraud", method="tree")  # doctest: +SKIP
    """
    source = SparkTable(df, _columns(df, target, features, output))
    weigher = make_weigher(source, iCost(method=method, **params), probe_rows, is_one_column=True)
    types = import_extra("pyspark.sql.types", "spark", "icost.spark")
    schema = types.StructType([*df.schema, types.StructField(output, types.DoubleType(), False)])
    return df.mapInArrow(partial(_weigh, source.columns, weigher, output), schema)


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A DataFrame, as the source of passes."""

    df: Any
    columns: Columns
    where: str = "on Spark"

    def reduce(
        self, task: Task[Result], merge: Callable[[list[Result]], Result], needs_rows: bool = True
    ) -> Result:
        """Apply a task to numbers (None if no rows are needed) and labels of all partitions."""
        needed = self.columns.features if needs_rows else ()
        work = partial(_reduce_partition, self.columns, task, merge, needs_rows)
        results = self.df.select(*needed, self.columns.target).mapInArrow(work, RESULT)
        # Merged by the cluster first, so that the driver never has the results of all partitions.
        merged = results.repartition(MERGED).mapInArrow(partial(_merge_results, merge), RESULT)
        return merge_in_order((pickle.loads(row.result) for row in merged.collect()), merge)


def _columns(df: Any, target: str, features: Sequence[str] | None, output: str) -> Columns:
    if output in df.columns:
        raise ValueError(f"output must be the name of a new column, got {output!r}.")
    convert = import_extra("pyspark.sql.pandas.types", "spark", "icost.spark").to_arrow_schema
    chosen = df.columns if features is None else [*features, target]
    missing = [name for name in chosen if name not in df.columns]
    if missing:
        raise ValueError(f"features and target must be columns of df, got {missing[0]!r}.")
    return Columns.of(convert(df.select(*dict.fromkeys(chosen)).schema), target)


def _reduce_partition(
    columns: Columns,
    task: Task[Any],
    merge: Callable[[list[Any]], Any],
    needs_rows: bool,
    batches: Iterable[Any],
) -> Iterator[Any]:
    """Return one result of a partition."""
    yield from _merged(map_batches(columns, task, needs_rows, batches), merge)


def _merge_results(merge: Callable[[list[Any]], Any], batches: Iterable[Any]) -> Iterator[Any]:
    """Return one result of several."""
    rows = (row for batch in batches for row in batch.column(0).to_pylist())
    yield from _merged(map(pickle.loads, rows), merge)


def _merged(results: Iterator[Any], merge: Callable[[list[Any]], Any]) -> Iterator[Any]:
    import pyarrow

    # An empty partition has no batch and no result.
    for first in islice(results, 1):
        result = merge_in_order(chain([first], results), merge)
        yield pyarrow.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})


def _weigh(columns: Columns, weigher: Weigher, output: str, batches: Any) -> Iterator[Any]:
    for batch in batches:
        yield add_column(batch, output, weigh_batch(columns, weigher, batch))
