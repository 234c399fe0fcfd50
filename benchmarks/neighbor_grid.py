"""Time neighbour weights against the authors' package on small and large tables, narrow and wide.

    pip install --no-deps --target PEERS/icost-0.3.0 icost==0.3.0
    python benchmarks/neighbor_grid.py --peers PEERS --out results/benchmarks
    OMP_NUM_THREADS=1 python benchmarks/neighbor_grid.py --peers PEERS --rows 1000000 \
        --imbalance-ratio 100 --repeats 1 --name neighbor_grid_million --out results/benchmarks

Three geometries: a cloud, clusters around sheets, and a cloud of whole numbers with many ties. Both
sides have a process of their own for each number of rows, with default settings; the best of
``--repeats`` calls counts, after one that warms up on a small table. On a busy machine let both
have one thread, and go by the CPU time.
"""

import argparse
import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

from neighbor_weights import make_data, run_ours, run_peer
from recording import add_out, machine, record

KINDS = ("spread", "clustered", "whole")
FEATURES = (2, 5, 10, 30, 100)


def time_cells(options):
    """Run in the child process: print a line for each cell, its best seconds and CPU seconds."""
    run = run_ours if options.one == "ours" else run_peer
    run(*make_data("spread5", 500, 10))()
    for kind, n_features in product(options.kinds, options.features):
        call = run(*make_data(f"{kind}{n_features}", options.rows[0], options.imbalance_ratio))
        times = []
        for _ in range(options.repeats):
            start = perf_counter(), process_time()
            call()
            times.append((perf_counter() - start[0], process_time() - start[1]))
        best = [min(column) for column in zip(*times, strict=True)]
        print(json.dumps([kind, n_features, *best]), flush=True)


def cells_of(side, rows, options):
    """Return the seconds and the CPU seconds of a side, by geometry and number of features."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", side, "--rows", str(rows)]
    command += ["--kinds", *options.kinds, "--features", *map(str, options.features)]
    command += ["--repeats", str(options.repeats)]
    command += ["--imbalance-ratio", str(options.imbalance_ratio)]
    environment = dict(os.environ)
    if side != "ours":
        environment["PYTHONPATH"] = str(Path(options.peers, side))
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return {(kind, d): best for kind, d, *best in map(json.loads, done.stdout.splitlines())}


def compare(rows, options):
    ours, peer = (cells_of(side, rows, options) for side in ("ours", options.peer))
    for (kind, n_features), (seconds, cpu) in ours.items():
        other, other_cpu = peer[kind, n_features]
        row = {
            "rows": f"{rows:,d}",
            "features": n_features,
            "data": kind,
            "imbalance ratio": f"{options.imbalance_ratio:g}",
            "seconds": f"{seconds:.3g}",
            options.peer: f"{other:.3g}",
            "times as long": f"{other / seconds:.2f}",
            "CPU seconds": f"{cpu:.3g}",
            f"{options.peer}, CPU": f"{other_cpu:.3g}",
            "times as long, CPU": f"{other_cpu / cpu:.2f}",
            "threads": os.environ.get("OMP_NUM_THREADS", "default"),
            "runs": options.repeats,
            **machine(),
        }
        print(*row.values(), sep="\t", flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="folder that holds the peer's folder")
    parser.add_argument("--peer", default="icost-0.3.0")
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--features", nargs="+", type=int, choices=FEATURES, default=FEATURES)
    parser.add_argument("--imbalance-ratio", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--name", default="neighbor_grid", help="name of the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    add_out(parser)
    options = parser.parse_args()
    if options.one:
        time_cells(options)
        return
    table = []
    for rows in options.rows:
        table += compare(rows, options)
        record(table, options.out, options.name)


if __name__ == "__main__":
    main()
