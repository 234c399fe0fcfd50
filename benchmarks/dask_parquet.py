"""Weigh a Parquet dataset larger than the workers' memory, and again with a worker killed.

    python benchmarks/dask_parquet.py --memory 600MB --before FOLDER --out results/benchmarks

Two worker processes with a memory limit each. The second run kills one of them half-way; its
weights must equal those of the first run. ``--check`` loads the whole table into a process without
a limit, and compares with the weights in memory. ``--before`` does the same, on the same files,
with the sources of another commit, which lie in that folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
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
from recording import add_out, machine, record

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
    print(f"  killed {worker} with {left} of {most} tasks left", file=sys.stderr, flush=True)


def weigh(client: Client, folder: Path, methods: list[str]) -> None:
    """Print a line for each method: the times, and what tells its weights from others."""
    for method in methods:
        weights, seconds = timed(client, folder, method)
        again, killed = timed(client, folder, method, kill=True)
        digest = hashlib.sha256(np.ascontiguousarray(weights)).hexdigest()
        found = [method, seconds, killed, bool(np.array_equal(weights, again)), digest]
        print(json.dumps(found), flush=True)


def in_memory(folder: Path) -> str:
    """Return what tells the neighbour weights of one machine from others."""
    table = pd.read_parquet(folder)
    X, y = table.drop(columns="y").to_numpy(), table["y"].to_numpy()
    weights = icost.instance_weights(X, y, "neighbor", random_state=0)
    return hashlib.sha256(np.ascontiguousarray(weights)).hexdigest()


def run_one(arguments: argparse.Namespace) -> None:
    """Run in the child process, whose path says from which sources icost comes."""
    # dask reads Parquet with an argument that pandas 3.1 deprecates.
    warnings.filterwarnings("ignore", message="The inplace keyword")
    limit = parse_bytes(arguments.memory)
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "memory_limit": limit}
    with (
        tempfile.TemporaryDirectory() as name,
        dask.config.set({"temporary_directory": name}),
        LocalCluster(**options, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        weigh(client, arguments.one, arguments.methods)


def compare_sides(arguments: argparse.Namespace, folder: Path, n_rows: int) -> None:
    sides = {"ours": None} | ({"before": arguments.before / "src"} if arguments.before else {})
    expected = in_memory(folder) if arguments.check else None
    table, digests = [], {}
    for side, sources in sides.items():
        environment = os.environ | ({} if sources is None else {"PYTHONPATH": str(sources)})
        command = [sys.executable, __file__, "--one", str(folder), "--memory", arguments.memory]
        command += ["--methods", *arguments.methods]
        done = subprocess.run(
            command, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
        for line in done.stdout.splitlines():
            method, seconds, killed, is_same, digest = json.loads(line)
            # The tree of a larger table is grown from a sample, so only neighbours are comparable.
            wanted = expected if method == "neighbor" else None
            row = {
                "method": method,
                "what": side,
                "rows": f"{n_rows:,d}",
                "GB": f"{n_rows * N_FEATURES * 8 / 1e9:.2f}",
                "workers": f"{N_WORKERS} of {arguments.memory}",
                "seconds": f"{seconds:.1f}",
                "seconds, one killed": f"{killed:.1f}",
                "same weights when killed": is_same,
                "weights of ours": digest == digests.setdefault(method, digest),
                "weights in memory": "" if wanted is None else digest == wanted,
                **machine(),
            }
            print(*row.values(), sep="\t", flush=True)
            table.append(row)
            record(table, arguments.out, "dask_parquet")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memory", default="600MB", help="limit of each worker")
    parser.add_argument("--times", type=float, default=3.0, help="size of the data by all limits")
    parser.add_argument("--imbalance", type=float, default=10_000.0)
    parser.add_argument("--methods", nargs="+", default=["neighbor", "tree"])
    parser.add_argument("--check", action="store_true", help="compare with the weights in memory")
    parser.add_argument("--before", type=Path, help="folder of another commit")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    add_out(parser)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(arguments)
        return
    n_bytes = int(arguments.times * N_WORKERS * parse_bytes(arguments.memory))
    with tempfile.TemporaryDirectory() as name:
        n_rows = write_dataset(Path(name), n_bytes, arguments.imbalance)
        size = format_bytes(n_rows * N_FEATURES * 8)
        print(f"{n_rows:,} rows, {size}; {N_WORKERS} workers of {arguments.memory}", flush=True)
        compare_sides(arguments, Path(name), n_rows)


if __name__ == "__main__":
    main()
