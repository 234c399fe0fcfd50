"""Weigh one Parquet file in memory, batch by batch, on Dask and on Spark.

    python benchmarks/batches.py --rows 1000000 --out results/benchmarks
    python benchmarks/batches.py --large --out results/benchmarks

First the tree of batches is compared with the exact one: for which share of the minority rows do
weights differ by more than 1 %? The tables are those of ``probe_tree.py``, and one of six normal
columns with a shift of half a standard deviation. Then each engine runs in a process of its own.
Its CPU time and peak memory are those of the process and its children, above what importing takes.
Engines whose package is not installed are left out. ``--large`` weighs ten million rows by the
tree: one process in memory, and batch by batch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from probe_tree import KINDS, make_data
from recording import add_out, machine, record

N_FEATURES = 30
ROW_GROUP = 65_536
LARGE_ROWS = 10_000_000
CORES = 2


def write_table(path: Path, n_rows: int, seed: int = 0) -> None:
    """Write clustered rows with an imbalance ratio of 10, piece by piece."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=1.5, size=(8, N_FEATURES))
    names, writer = [f"x{i}" for i in range(N_FEATURES)], None
    for start in range(0, n_rows, ROW_GROUP):
        size = min(ROW_GROUP, n_rows - start)
        y, cluster = (rng.random(size) < 1 / 11), rng.integers(0, 8, size)
        X = rng.normal(size=(size, N_FEATURES)) + centres[cluster]
        X[:, :5] += (y & (cluster < 3))[:, None]
        batch = pa.table([*X.T, y.astype(np.int8)], names=[*names, "y"])
        writer = writer or pq.ParquetWriter(path, batch.schema)
        writer.write_table(batch, row_group_size=ROW_GROUP)
    writer.close()


def in_memory(path: str, method: str, **params):
    from icost import instance_weights

    table = pq.read_table(path)
    X = np.column_stack([table[name] for name in table.column_names[:-1]])
    return instance_weights(X, table["y"].to_numpy(), method, random_state=0, **params)


def in_batches(path: str, method: str):
    from icost import weights_of_batches

    return np.concatenate(list(weights_of_batches(path, target="y", method=method)))


def on_dask(path: str, method: str):
    import dask.dataframe as dd
    from distributed import Client

    from icost.dask import instance_weights

    with Client(n_workers=CORES, threads_per_worker=1, dashboard_address=":0"):
        frame = dd.read_parquet(path, split_row_groups=True)
        return instance_weights(frame.drop(columns="y"), frame["y"], method).compute()


def on_spark(path: str, method: str):
    from pyspark.sql import SparkSession

    from icost.spark import with_weights

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    weighted = with_weights(spark.read.parquet(path), "y", method)
    return weighted.select("weight").toPandas()["weight"].to_numpy()


ENGINES = {
    "in memory": (in_memory, None),
    "in memory, fast probe": (partial(in_memory, tree_probe="fast"), None),
    "batches": (in_batches, None),
    "Dask, 2 workers": (on_dask, "dask"),
    "Spark, 2 cores": (on_spark, "pyspark"),
}


def look(cpu_seconds: dict[int, float]) -> int:
    """Return the memory of this process and its children, and note their CPU seconds."""
    process, total = psutil.Process(), 0
    for one in [process, *process.children(recursive=True)]:
        # A worker may end in between.
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            cpu_seconds[one.pid] = times.user + times.system
            total += one.memory_info().rss
    return total


def run_one(engine: str, path: str, method: str) -> None:
    """Print seconds, CPU seconds, peak memory and what tells the weights from others."""
    warnings.simplefilter("ignore")
    import icost.complexity  # noqa: F401 - what importing takes is no cost of the weights

    cpu_seconds: dict[int, float] = {}
    start, peaks, is_done = time.perf_counter(), [look(cpu_seconds)], threading.Event()
    cpu_before = sum(cpu_seconds.values())

    def watch() -> None:
        while not is_done.wait(0.05):
            peaks.append(look(cpu_seconds))

    watcher = threading.Thread(target=watch)
    watcher.start()
    weights = ENGINES[engine][0](path, method)
    seconds = time.perf_counter() - start
    is_done.set()
    watcher.join()
    look(cpu_seconds)
    digest = hashlib.sha256(np.sort(weights).tobytes()).hexdigest()
    taken = sum(cpu_seconds.values()) - cpu_before
    print(json.dumps([seconds, taken, max(peaks) - peaks[0], digest]))


def shifted(n_rows: int, seed: int):
    """Return six normal columns, and a minority of 10 % that lies half a deviation aside."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n_rows) < 0.1).astype(int)
    return rng.normal(size=(n_rows, 6)) + 0.5 * y[:, None], y


def agreement(out: Path | None) -> None:
    """Compare the tree of batches with the exact one, for a sample of all rows and of some."""
    from icost import instance_weights, weights_of_batches

    rows = []
    for kind, n_rows in product((*KINDS, "shifted"), (60_000, 300_000)):
        shares = []
        for seed in range(3):
            X, y = shifted(n_rows, seed) if kind == "shifted" else make_data(kind, n_rows, seed)
            exact = instance_weights(X, y, "tree", random_state=0)
            table = pa.table([*X.T, y], names=[*(f"x{i}" for i in range(X.shape[1])), "y"])
            streamed = np.concatenate([*weights_of_batches(table, target="y", method="tree")])
            shares.append(np.mean(np.abs(streamed / exact - 1)[y == 1] > 0.01))
        listed = "  ".join(f"{100 * share:.2f}" for share in shares)
        row = {"data": kind, "rows": f"{n_rows:,d}", "changed weights, percent by seed": listed}
        rows.append(row)
        print(row, flush=True)
    record(rows, out, "batches_agreement")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--large", action="store_true", help="ten million rows, one process")
    parser.add_argument("--one", nargs=3, metavar=("ENGINE", "PATH", "METHOD"))
    add_out(parser)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(*arguments.one)
        return
    if arguments.large:
        rows = weigh_large()
        record(rows, arguments.out, "batches_large")
        return
    agreement(arguments.out)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        write_table(path, arguments.rows)
        for method in ("tree", "neighbor"):
            rows += measure(path, method, arguments.rows, ENGINES)
    record(rows, arguments.out, "batches")


def weigh_large() -> list[dict]:
    """Weigh a table that is too large for the exact tree, with the quick ones."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        write_table(path, LARGE_ROWS)
        return measure(path, "tree", LARGE_ROWS, ("in memory, fast probe", "batches"))


def measure(path: Path, method: str, n_rows: int, engines: Iterable[str]) -> list[dict]:
    rows, digests = [], {}
    for engine in engines:
        package = ENGINES[engine][1]
        is_left_out = package is not None and find_spec(package) is None
        if is_left_out or (method != "tree" and "probe" in engine):
            continue
        command = [sys.executable, __file__, "--one", engine, str(path), method]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        seconds, cpu_seconds, peak, digests[engine] = json.loads(done.stdout.splitlines()[-1])
        row = {"method": method, "engine": engine, "rows": f"{n_rows:,d}"}
        row |= {"seconds": f"{seconds:.1f}", "CPU seconds": f"{cpu_seconds:.1f}"}
        rows.append(row | {"peak memory, MB": f"{peak / 1e6:.0f}"})
        print(rows[-1], flush=True)
    return [
        row | {"weights of batches": digests[row["engine"]] == digests["batches"]} | machine()
        for row in rows
    ]


if __name__ == "__main__":
    main()
