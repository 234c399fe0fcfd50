"""Weights of Spark tables, computed where the rows are.

`with_weights` adds a column of weights to a DataFrame, ready for ``weightCol`` of Spark ML's
classifiers and ``weight_col`` of ``xgboost.spark.SparkXGBClassifier``. It needs PySpark 4, and
icost-learn on every machine of the cluster; ``import icost`` never imports PySpark.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from icost._batches.stream import Columns, add_column, merge_in_order
from icost._batches.weigher import MERGED, Merge, Result, Task, Weigher, make_model, make_weigher
from icost._core.validation import import_extra
from icost.complexity import BaseComplexity

__all__ = ["with_weights"]


def with_weights(
    df: Any,
    target: str,
    method: str | BaseComplexity = "neighbor",
    *,
    features: Sequence[str] | None = None,
    output: str = "weight",
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
    method, **params
        As for `icost.weights_of_batches`, which says what is refused and how often a table is read.
    features : sequence of str, default=None
        Numeric columns without missing cells to judge rows by; by default all but the target.
        Vectors of Spark ML are refused: name the columns that they were made of.
    output : str, default="weight"
        The name of the new column, which comes last.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of ``df`` and the weights, lazy.

    Examples
    --------
    >>> from icost.spark import with_weights
    >>> table = spark.read.parquet("claims.parquet")  # doctest: +SKIP
    >>> weighted = with_weights(table, "is_fraud", method="tree")  # doctest: +SKIP
    """
    if not hasattr(df, "mapInArrow"):
        raise ValueError(f"df must be a DataFrame of Spark, got {type(df)}.")
    model = make_model(method, params)
    columns = _columns(df, target, features, output)
    weigher = make_weigher(partial(_reduce, df, columns), "on Spark", model, is_one_column=True)
    schema = type(df.schema)([*df.schema]).add(output, "double", False)
    return _map_batches(df, df.columns, partial(_weigh, columns, weigher, output), schema)


def _columns(df: Any, target: str, features: Sequence[str] | None, output: str) -> Columns:
    # Spark, which ignores case by default, would refuse the name after all passes.
    is_exact = df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"
    fold = str if is_exact else str.lower
    if fold(output) in map(fold, df.columns):
        raise ValueError(f"output must be the name of a new column, got {output!r}.")
    chosen = dict.fromkeys(df.columns if features is None else [*features, target])
    missing = [name for name in chosen if name not in df.columns]
    if missing:
        raise ValueError(f"features and target must be columns of df, got {missing[0]!r}.")
    fields = [field for name in chosen for field in df.schema if field.name == name]
    convert = import_extra("pyspark.sql.pandas.types", "spark", "icost.spark").to_arrow_schema
    return Columns.of(convert(type(df.schema)(fields)), target)


def _reduce(
    df: Any, columns: Columns, task: Task[Result], merge: Merge[Result], needs_rows: bool
) -> Result:
    """Apply a task to all partitions."""
    names = [*(columns.features if needs_rows else ()), columns.target]
    apply = partial(map, partial(columns.apply, task, needs_rows))
    results = _map_batches(df, names, partial(_merge_partition, apply, merge), "result binary")
    # Merged by the cluster first, so that the driver never has the results of all partitions.
    results = results.repartition(MERGED)
    merged = results.mapInArrow(partial(_merge_partition, _unpickled, merge), "result binary")
    try:
        return merge_in_order((pickle.loads(row.result) for row in merged.collect()), merge)
    except import_extra("pyspark.errors", "spark", "icost.spark").PythonException as error:
        *_, sentence = str(error).strip().splitlines()
        if sentence.startswith("ValueError: "):
            raise ValueError(sentence.removeprefix("ValueError: ")) from None
        raise


def _map_batches(df: Any, names: list[str], work: Callable[..., Any], schema: Any) -> Any:
    """Apply a function to the record batches of some columns of each partition."""
    # By their places, since PySpark takes a dot in a name for a field of a struct.
    places = {name: f"_{place}" for place, name in enumerate(df.columns)}
    chosen = df.toDF(*places.values()).select(*(places[name] for name in names))
    return chosen.mapInArrow(partial(_with_names, names, work), schema)


def _with_names(names: list[str], work: Callable[..., Any], batches: Iterable[Any]) -> Any:
    from pyarrow import RecordBatch

    return work(RecordBatch.from_arrays(batch.columns, names) for batch in batches)


def _merge_partition(
    results_of: Callable[[Any], Iterator[Any]], merge: Callable[[list[Any]], Any], batches: Any
) -> Iterator[Any]:
    """Return one result of a partition; one that is empty has none."""
    import pyarrow

    results = results_of(batches)
    for first in islice(results, 1):
        result = merge_in_order(chain([first], results), merge)
        yield pyarrow.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})


def _unpickled(batches: Iterable[Any]) -> Iterator[Any]:
    return (pickle.loads(row) for batch in batches for row in batch.column(0).to_pylist())


def _weigh(columns: Columns, weigher: Weigher, output: str, batches: Any) -> Iterator[Any]:
    for batch in batches:
        yield add_column(batch, output, columns.apply(weigher, weigher.judge is not None, batch))
