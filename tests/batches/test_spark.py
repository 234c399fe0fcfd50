"""Weights of Spark tables, on Spark in local mode; `make test-spark` installs what they need."""

import hashlib
import os
import signal
import sys

import numpy as np
import pandas as pd
import pytest

import icost
from icost import NeighborComplexity

pytestmark = [
    pytest.mark.spark,
    # PySpark 4.3 says that pandas 3 is new to it; may go with a later PySpark.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        # Several batches per partition.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "60",
    }
    # Two threads, and up to four attempts of each task.
    builder = sql.SparkSession.builder.master("local[2,4]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def make(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < 0.2).astype(int)
    X = np.round(rng.normal(size=(n_rows, 3)) + y[:, None], 1)
    labels = np.array(["no", "yes"])[y]
    return pd.DataFrame(X, columns=list("abc")).assign(y=labels, row=np.arange(n_rows))


def weigh(df, method="neighbor", **options):
    from icost.spark import with_weights

    return with_weights(df, "y", method, features=list("abc"), **options)


def column(df):
    rows = df.select("row", "weight").collect()
    return np.array([row.weight for row in sorted(rows, key=lambda row: row.row)])


@pytest.mark.parametrize("n_partitions", [1, 5])
@pytest.mark.parametrize("method", ["cs", "neighbor", "tree"])
def test_weights_are_those_of_one_machine(spark, method, n_partitions):
    table = make()
    df = spark.createDataFrame(table).repartition(n_partitions)
    weighted = weigh(df, method)
    assert weighted.columns == [*df.columns, "weight"]
    expected = icost.instance_weights(table[list("abc")], table["y"], method, random_state=0)
    np.testing.assert_array_equal(column(weighted), expected)


@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_batches_dask_and_spark_have_one_hash(spark, monkeypatch, method):
    import pyarrow

    dask = pytest.importorskip("dask.dataframe")
    from icost.dask import instance_weights

    monkeypatch.setattr("icost._batches.weigher.FAST_PROBE_ROWS", 0)
    monkeypatch.setattr("icost._batches.weigher.PROPOSING_ROWS", 100)
    table = make()
    batches = pyarrow.Table.from_pandas(table.drop(columns="row"))
    expected = np.concatenate(list(icost.weights_of_batches(batches, target="y", method=method)))
    weights = column(weigh(spark.createDataFrame(table).repartition(4), method))
    np.testing.assert_array_equal(weights, expected)
    frame = dask.from_pandas(table.sample(frac=1, random_state=0), npartitions=3)
    lazy = instance_weights(frame[list("abc")], frame["y"], method).compute()
    columns = (expected, weights, lazy)
    assert len({hashlib.sha256(np.sort(one).tobytes()).digest() for one in columns}) == 1


def test_a_worker_that_is_killed_is_replaced_and_changes_nothing(spark):
    table = make()
    df = spark.createDataFrame(table).repartition(3)

    def killed_once(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        if context.partitionId() == 1 and context.attemptNumber() == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    weighted = weigh(df.mapInArrow(killed_once, df.schema))
    expected = icost.instance_weights(table[list("abc")], table["y"])
    np.testing.assert_array_equal(column(weighted), expected)


def test_spark_ml_takes_the_column(spark):
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    weighted = weigh(spark.createDataFrame(make()), output="w").selectExpr(
        "*", "cast(y = 'yes' as double) as label"
    )
    ready = VectorAssembler(inputCols=list("abc"), outputCol="features").transform(weighted)
    plain = LogisticRegression().fit(ready).transform(ready)
    costly = LogisticRegression(weightCol="w").fit(ready).transform(ready)
    alarms = [model.filter("prediction = 1").count() for model in (plain, costly)]
    assert alarms[1] > alarms[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output": "a"}, "output must be the name of a new column, got 'a'"),
        ({"output": "Y"}, "output must be the name of a new column, got 'Y'"),
        ({"method": NeighborComplexity(metric="cosine")}, "metric on Spark must be one of"),
        ({"penalty": "plausible"}, "penalty must be 'categories' on Spark"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_in_one_sentence(spark, options, message):
    with pytest.raises(ValueError, match=message):
        weigh(spark.createDataFrame(make(50)), **options)


def test_names_may_differ_in_case_where_spark_compares_it(spark):
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        weighted = weigh(spark.createDataFrame(make(50)), "cs", output="Y")
        assert weighted.columns == [*"abc", "y", "row", "Y"]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize("cell", ["null", "cast('nan' as double)"])
def test_a_missing_cell_is_refused_in_one_sentence(spark, cell):
    df = spark.createDataFrame(make(50)).selectExpr(f"if(row = 7, {cell}, a) a", "b", "c", "y")
    with pytest.raises(ValueError, match="^Cells must be finite, .* in column 'a': impute it firs"):
        weigh(df)


def test_names_may_have_dots_and_labels_may_be_decimals(spark):
    from icost.spark import with_weights

    df = spark.createDataFrame(make())
    df = df.selectExpr(
        "a as `a.b`", "b as `b``.`", "c", "cast(y = 'yes' as decimal(9, 2)) `y.z`", "row"
    )
    weighted = with_weights(df, "y.z", features=["a.b", "b`.", "c"], minority_label=1)
    np.testing.assert_array_equal(column(weighted), column(weigh(spark.createDataFrame(make()))))


def test_the_table_must_be_one_of_spark(spark):
    from icost.spark import with_weights

    with pytest.raises(ValueError, match="df must be a DataFrame of Spark, got .*pandas"):
        with_weights(make(), "y")
    twice = spark.createDataFrame(make(50)).selectExpr("a", "b as a", "y")
    with pytest.raises(ValueError, match="different names, got 'a' twice"):
        with_weights(twice, "y")


def test_columns_must_be_there_and_numeric(spark):
    from icost.spark import with_weights

    df = (
        spark.createDataFrame(make(50))
        .withColumnRenamed("c", "text")
        .selectExpr("a", "cast(text as string) as text", "y")
    )
    with pytest.raises(ValueError, match="numeric, got string in column 'text': encode it first"):
        with_weights(df, "y")
    with pytest.raises(ValueError, match="must be columns of df, got 'z'"):
        with_weights(df, "y", features=["z"])
