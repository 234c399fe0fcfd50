"""Weigh a Parquet dataset larger than the workers' memory, and again with a worker killed.

    python benchmarks/dask_parquet.py --memory 600MB

Two worker processes with a memory limit each. The second run kills one of them half-way; its
weights must equal those of the first run. ``--check`` loads the whole table into this process,
which has no limit, and compares with the weights in memory.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
import warnings
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.utils import format_bytes, parse_bytes
from distributed import Client, LocalCluster

import icost
from icost.dask import instance_weights

N_FEATURES = 50
N_WORKERS = 2
ROWS_A_FILE = 50_000


def write_dataset(folder: Path, n_bytes: int, imbalance: float) -> int:
    """Write files of clustered rows until they fill so many bytes in memory; return the rows."""
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=3, size=(50, N_FEATURES))
    directions = rng.normal(scale=0.3, size=(5, N_FEATURES))
    n_files = -(-n_bytes // (ROWS_A_FILE * N_FEATURES * 8))
    for number in range(n_files):
        y = rng.uniform(size=ROWS_A_FILE) < 1 / (1 + imbalance)
        # Minority rows keep to some of the clusters, and few dimensions matter within one.
        cluster = np.where(y, rng.integers(0, 10, ROWS_A_FILE), rng.integers(0, 50, ROWS_A_FILE))
        X = centres[cluster] + rng.normal(size=(ROWS_A_FILE, 5)) @ directions
        frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(N_FEATURES)])
        frame.assign(y=y.astype(np.int8)).to_parquet(folder / f"{number:04d}.parquet")
    return n_files * ROWS_A_FILE


def lazy_weights(folder: Path, method: str):
    frame = dd.read_parquet(folder)
    return instance_weights(frame.drop(columns="y"), frame["y"], method, random_state=0)


def timed(client: Client, folder: Path, method: str, kill: bool = False):
    start = time.perf_counter()
    future = client.compute(lazy_weights(folder, method))
    if kill:
        kill_half_way(client)
        assert not future.done(), "the run was over before the worker was killed"
    weights = future.result()
    return weights, time.perf_counter() - start


def tasks_left(dask_scheduler) -> int:
    to_do = ("waiting", "queued", "processing", "no-worker")
    return sum(task.state in to_do for task in dask_scheduler.tasks.values())


def kill_half_way(client: Client) -> None:
    most = left = 0
    while most == 0 or left > most / 2:
        time.sleep(0.2)
        left = client.run_on_scheduler(tasks_left)
        most = max(most, left)
    worker, pid = next(iter(client.run(os.getpid).items()))
    os.kill(pid, signal.SIGKILL)
    print(f"  killed {worker} with {left} of {most} tasks left", flush=True)


def compare_methods(client: Client, folder: Path, methods: list[str], check: bool) -> None:
    table = pd.read_parquet(folder) if check else None
    for method in methods:
        weights, seconds = timed(client, folder, method)
        print(f"{method}: {seconds:.0f} s, mean weight {weights.mean():.4f}", flush=True)
        again, seconds = timed(client, folder, method, kill=True)
        print(f"  {seconds:.0f} s, same weights: {np.array_equal(weights, again)}", flush=True)
        # The tree of a larger table is grown from a sample, so only neighbours are comparable.
        if table is not None and method == "neighbor":
            X, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
            expected = icost.instance_weights(X, y, method, random_state=0)
            print(f"  equal to those in memory: {np.array_equal(weights, expected)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memory", default="600MB", help="limit of each worker")
    parser.add_argument("--times", type=float, default=3.0, help="size of the data by all limits")
    parser.add_argument("--imbalance", type=float, default=10_000.0)
    parser.add_argument("--methods", nargs="+", default=["neighbor", "tree"])
    parser.add_argument("--check", action="store_true", help="compare with the weights in memory")
    arguments = parser.parse_args()
    limit = parse_bytes(arguments.memory)
    # dask reads Parquet with an argument that pandas 3.1 deprecates.
    warnings.filterwarnings("ignore", message="The inplace keyword")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        folder.mkdir()
        n_rows = write_dataset(
            folder, int(arguments.times * N_WORKERS * limit), arguments.imbalance
        )
        size = n_rows * N_FEATURES * 8
        print(f"{n_rows:,} rows, {format_bytes(size)}; {N_WORKERS} workers of {arguments.memory}")
        options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "memory_limit": limit}
        with (
            dask.config.set({"temporary_directory": name}),
            LocalCluster(**options, dashboard_address=":0", silence_logs=50) as cluster,
            Client(cluster) as client,
        ):
            compare_methods(client, folder, arguments.methods, arguments.check)


if __name__ == "__main__":
    main()
