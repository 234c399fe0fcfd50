"""Weights of batches: those of one machine, whatever the batches."""

import hashlib
from pathlib import Path

import numpy as np
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icost
from icost import GiniComplexity, NeighborComplexity, weights_of_batches
from icost._batches.stream import BATCH_ROWS, open_stream
from icost._batches.weigher import SampleRows, row_keys

pytestmark = pytest.mark.equality

METHODS = ["ncs", "cs", "neighbor", "tree"]


def make(n_rows=300, n_classes=2, is_integer=False, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.7, size=n_rows) - 1, n_classes - 1)
    X = rng.normal(size=(n_rows, 3)) + codes[:, None]
    return (np.floor(X) if is_integer else X), codes


def as_table(X, y):
    return pa.table({**{f"x{i}": column for i, column in enumerate(X.T)}, "y": y})


def weigh(batches, **params):
    return np.concatenate(list(weights_of_batches(batches, target="y", **params)))


def fingerprint(weights):
    """The hash of the sorted weights, which no order of rows or batches changes."""
    return hashlib.sha256(np.sort(weights, axis=0).tobytes()).hexdigest()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_integer", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_weights_are_those_of_one_machine(method, is_integer, n_classes):
    X, y = make(n_classes=n_classes, is_integer=is_integer)
    weights = weigh(as_table(X, y).to_batches(max_chunksize=37), method=method)
    np.testing.assert_array_equal(weights, icost.instance_weights(X, y, method, random_state=0))


@st.composite
def partitionings(draw):
    """An order of 400 rows, and where to cut it."""
    order = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).permutation(400)
    cuts = draw(st.lists(st.integers(0, 400), max_size=12))
    return np.split(order, sorted(cuts))


def probe_of_batches(monkeypatch):
    """Let tables of any size have the tree of large ones, from few proposing rows."""
    monkeypatch.setattr("icost._batches.weigher.FAST_PROBE_ROWS", 0)
    monkeypatch.setattr("icost._batches.weigher.PROPOSING_ROWS", 60)


@pytest.mark.parametrize("is_integer", [False, True])
@pytest.mark.parametrize("method", ["neighbor", "tree", "large tree"])
@settings(max_examples=15)
@given(parts=partitionings())
def test_no_order_and_no_size_of_batches_changes_a_bit(method, is_integer, parts):
    with pytest.MonkeyPatch.context() as monkeypatch:
        if method == "large tree":
            probe_of_batches(monkeypatch)
        X, y = make(400, is_integer=is_integer)
        options = {"method": method.removeprefix("large ")}
        table = as_table(X, y)
        whole = weigh(table.to_batches(), **options)
        batches = [batch for part in parts for batch in _batches(table, part)]
        weights = weigh(batches, **options)
        assert fingerprint(weights) == fingerprint(whole)
        np.testing.assert_array_equal(weights, whole[np.concatenate(parts)])


def _batches(table, rows):
    return table.take(rows).combine_chunks().to_batches() or [_empty(table)]


def _empty(table):
    """A batch without rows."""
    arrays = [pa.array([], type_) for type_ in table.schema.types]
    return pa.RecordBatch.from_arrays(arrays, table.column_names)


def test_batches_without_rows():
    X, y = make()
    table = as_table(X, y)
    batches = [_empty(table), *table.to_batches(max_chunksize=100), _empty(table)]
    for method in METHODS:
        np.testing.assert_array_equal(weigh(batches, method=method), weigh(table, method=method))


def test_every_way_to_read_gives_the_same_weights(tmp_path):
    X, y = make(is_integer=True)
    table = as_table(X, y)
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=50)
    pyarrow.csv.write_csv(table, tmp_path / "table.csv")
    frame = polars.from_arrow(table)
    expected = icost.instance_weights(X, y)
    ways = [
        *(table, path, str(path), tmp_path / "table.csv", pyarrow.dataset.dataset(path)),
        *(frame, table.to_batches(), lambda: iter(table.to_batches(41)), lambda: table),
        lambda: table.to_reader(max_chunksize=41),
        # Older versions of polars cannot collect a lazy frame batch by batch.
        *([frame.lazy()] if hasattr(polars.LazyFrame, "collect_batches") else []),
    ]
    for way in ways:
        np.testing.assert_array_equal(weigh(way), expected)


@pytest.mark.parametrize(
    ("method", "n_readings"), [("cs", 2), ("neighbor", 4), ("tree", 3), ("large tree", 6)]
)
def test_how_often_a_table_is_read(monkeypatch, method, n_readings):
    if method == "large tree":
        probe_of_batches(monkeypatch)
    table, readings = as_table(*make(2000)), []

    def read():
        readings.append(method)
        return table

    weigh(read, method=method.removeprefix("large "))
    # Before all passes, the columns are looked at.
    assert len(readings) == 1 + n_readings


def test_no_row_group_is_read_as_a_whole(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=400_000) for i in range(10)}
    table = pa.table({**columns, "y": (np.arange(400_000) % 9 == 0).astype(int)})
    path, n_bytes = tmp_path / "table.parquet", table.nbytes
    pyarrow.parquet.write_table(table, path, use_dictionary=False)
    assert pyarrow.parquet.ParquetFile(path).num_row_groups == 1
    # A pool that counts from here on, whatever other tests have needed before.
    usual, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        stream = open_stream(path, "y")
        n_rows = [batch.num_rows for batch in stream.read(None)]
    finally:
        pa.set_memory_pool(usual)
    assert sum(n_rows) == 400_000 and max(n_rows) <= BATCH_ROWS
    assert 0 < pool.max_memory() < 0.75 * n_bytes


def test_names_with_dots_are_those_of_columns(tmp_path):
    X, y = make()
    table = as_table(X, y).rename_columns(["a", "a.b", "a.b.c", "y"])
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    np.testing.assert_array_equal(weigh(tmp_path / "table.parquet"), icost.instance_weights(X, y))


def test_algorithm_and_adapters_stay_small():
    folder = Path(icost.__file__).parent
    files = [*(folder / "_batches").glob("*.py"), folder / "cli" / "_weights.py"]
    files += [folder / "dask.py", folder / "spark.py"]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= 1300


def test_labels_may_be_text():
    X, y = make()
    names = np.array(["rest", "rare"])[y]
    for labels in (pa.array(names), pa.array(names).dictionary_encode()):
        table = as_table(X, y).set_column(3, "y", labels)
        np.testing.assert_array_equal(weigh(table), icost.instance_weights(X, y))


def test_the_table_may_not_change_between_two_readings():
    X, y = make()
    readings = []

    def read():
        readings.append(len(readings))
        return iter(as_table(X + (readings[-1] > 3), y).to_batches())

    with pytest.raises(ValueError, match="the same rows whenever it is read"):
        weigh(read)


def generator():
    yield from as_table(*make()).to_batches()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batches": generator()}, "to be read several times, got generator"),
        ({"batches": []}, "must have at least one row, got none"),
        ({"batches": [1, 2]}, "or a list of record batches, to be read several times, got list"),
        ({"target": "z"}, "target must be one of the columns 'x0', 'x1', 'x2', 'y', got 'z'"),
        ({"method": "near"}, "method must be one of"),
        ({"method": NeighborComplexity(metric="cosine")}, "metric for batches must be one of"),
        ({"method": GiniComplexity(cross_fit=3)}, "cross_fit must be None for batches, got 3"),
        ({"penalty": "plausible"}, "penalty must be 'categories' for batches, got 'plausible'"),
        ({"majority": "plausible"}, "majority must be 'flat' for batches, got 'plausible'"),
        ({"multiclass": "direct"}, "multiclass must be 'ovr' for batches, got 'direct'"),
        ({"n_neighbors": 300}, "n_neighbors=300 needs at least 301 rows, got 300"),
        (
            {"method": "tree", "random_state": np.random.RandomState(0)},
            "random_state must be a whole number >= 0, got RandomState",
        ),
        ({"sample_weight": np.ones(300)}, "sample_weight must not be given for a table in parts"),
        *(
            ({"method": name}, "'cs' or 'ncs' for batches, since other measures need the whole")
            for name in ("margin", "density", "graph", "cluster")
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_what_cannot_be_done_is_said_in_one_sentence(change, message):
    X, y = make()
    arguments = {"batches": as_table(X, y), "target": "y"} | change
    with pytest.raises(ValueError, match=message) as refusal:
        weights_of_batches(**arguments)
    assert "\n" not in str(refusal.value)


def test_a_path_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^The file '.*none.csv' does not exist\.$"):
        weigh(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["a"] * 300, "numeric, got string in column 'x0': encode it first"),
        ([None, *[1.0] * 299], "missing or infinite one in column 'x0': impute"),
        ([np.inf, *[1.0] * 299], "missing or infinite one in column 'x0': impute"),
    ],
    ids=["text", "missing", "infinite"],
)
def test_cells_must_be_finite_numbers(column, message):
    table = as_table(*make()).set_column(0, "x0", pa.array(column))
    with pytest.raises(ValueError, match=message):
        weigh(table)


def test_columns_must_have_different_names():
    table = as_table(*make()).rename_columns(["x0", "x1", "x1", "y"])
    with pytest.raises(ValueError, match="^Columns must have different names, got 'x1' twice.$"):
        weigh(table)


def test_rows_without_a_label_are_refused():
    X, y = make()
    table = as_table(X, y).set_column(3, "y", pa.array([None, *y[1:].tolist()]))
    with pytest.raises(ValueError, match="must have a label, got none in column 'y'"):
        weigh(table)


def test_keys_differ_where_rows_or_classes_do():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 2.0]])
    keys = row_keys(X, np.zeros(4, dtype=int))
    assert keys[0] == keys[1]
    assert len({*keys.tolist(), *row_keys(X, np.ones(4, dtype=int)).tolist()}) == 6


def test_a_sample_counts_equal_rows():
    X = np.repeat(np.arange(10.0), 7)[:, None]
    codes = np.zeros(70, dtype=int)
    draw = SampleRows(np.array([4]), seed=0)
    whole = draw(X, codes)
    merged = draw.merge([draw(X[rows], codes[rows]) for rows in np.split(np.arange(70), [9, 40])])
    assert whole.count.tolist() == [7] * 4
    np.testing.assert_array_equal(merged.X, whole.X)
    np.testing.assert_array_equal(merged.count, whole.count)


def test_the_tree_of_large_tables_is_nearly_the_exact_one(monkeypatch):
    X, y = make(20_000)
    exact = icost.instance_weights(X, y, "tree", random_state=0)
    monkeypatch.setattr("icost._batches.weigher.FAST_PROBE_ROWS", 0)
    batches = as_table(X, y).to_batches(max_chunksize=3000)
    # With all rows proposing cuts, it is the same tree.
    np.testing.assert_array_equal(weigh(batches, method="tree"), exact)
    monkeypatch.setattr("icost._batches.weigher.PROPOSING_ROWS", 10_000)
    differs = np.abs(weigh(batches, method="tree") / exact - 1)[y == 1] > 0.01
    assert differs.mean() < 0.02


def test_just_above_the_exact_tree_the_weights_are_still_its_own():
    rng = np.random.default_rng(3)
    y = (rng.random(60_000) < 0.1).astype(int)
    X = rng.normal(size=(60_000, 6)) + 0.5 * y[:, None]
    exact = icost.instance_weights(X, y, "tree", random_state=0)
    np.testing.assert_array_equal(weigh(as_table(X, y), method="tree"), exact)


def test_leaves_of_a_large_tree_have_enough_rows(monkeypatch):
    X, y = make(2000)
    probe_of_batches(monkeypatch)
    few = weigh(as_table(X, y), method="tree", tree_min_samples_leaf=1, tree_max_depth=4)
    many = weigh(as_table(X, y), method="tree", tree_min_samples_leaf=1001, tree_max_depth=4)
    assert len(np.unique(few)) > 2
    assert len(np.unique(many)) == 2
