"""Time neighbour weights against the authors' package on small and large tables, narrow and wide.

    pip install --no-deps --target PEERS/icost-0.3.0 icost==0.3.0
    python benchmarks/neighbor_grid.py --peers PEERS --rounds 4 --out results/benchmarks
    python benchmarks/neighbor_grid.py --peers PEERS --rows 1000000 --repeats 1 --limit 3 \
        --append --out results/benchmarks

Three geometries: a cloud, clusters around sheets, and a cloud of whole numbers with many ties. Both
sides take turns, ``--rounds`` times, in a process of their own with default settings; the best of
``--repeats`` calls in each counts, after one that warms up on a small table. On a busy machine let
both have one thread, and go by the CPU time. Of a million rows the peer may take minutes: ``--limit
3`` stops its calls ten seconds after three times our seconds. The table then has the seconds after
which it was stopped, and "yes" in the column "stopped": it takes at least as many times as long as
is written.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

from neighbor_weights import make_data, run_ours, run_peer
from recording import add_out, machine, record, recorded

KINDS = ("spread", "clustered", "whole")
FEATURES = (2, 5, 10, 30, 100)
#: Seconds that the peer has in any case before it is stopped.
MARGIN = 10


def time_cells(options):
    """Run in the child process: print a line for each call, its seconds and CPU seconds."""
    run = run_ours if options.one == "ours" else run_peer
    run(*make_data("spread5", 500, 10))()
    for kind, n_features in product(options.kinds, options.features):
        call = run(*make_data(f"{kind}{n_features}", options.rows[0], options.imbalance_ratio))
        for _ in range(options.repeats):
            if options.limit:
                # Nobody handles this signal, so that it ends the process, whatever that is doing.
                signal.setitimer(signal.ITIMER_REAL, options.limit)
            start = perf_counter(), process_time()
            call()
            times = perf_counter() - start[0], process_time() - start[1]
            print(json.dumps([kind, n_features, *times]), flush=True)


def calls_of(side, rows, kinds, features, options, limit=None):
    """Return what a side's calls took, as geometry, features, seconds and CPU seconds of each."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", side, "--rows", str(rows)]
    command += ["--kinds", *kinds, "--features", *map(str, features)]
    command += ["--repeats", str(options.repeats)]
    command += ["--imbalance-ratio", str(options.imbalance_ratio)]
    command += ["--limit", str(limit)] if limit else []
    environment = dict(os.environ)
    if side != "ours":
        environment["PYTHONPATH"] = str(Path(options.peers, side))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if not limit or done.returncode != -signal.SIGALRM:
        done.check_returncode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def best_of(calls, cell):
    """Return the least seconds and CPU seconds of a cell's calls; None if none ended."""
    times = [call[2:] for call in calls if tuple(call[:2]) == cell]
    return [min(column) for column in zip(*times, strict=True)] if times else None


def compare(rows, kinds, features, options):
    """Return the rows of the table for some cells; with a limit, for one."""
    ours, peer, limit = [], [], None
    for _ in range(options.rounds):
        ours += calls_of("ours", rows, kinds, features, options)
        if options.limit:
            limit = options.limit * min(call[2] for call in ours) + MARGIN
        peer += calls_of(options.peer, rows, kinds, features, options, limit)
    table = []
    for cell in product(kinds, features):
        seconds, cpu = best_of(ours, cell)
        best = best_of(peer, cell)
        other, other_cpu = best or (limit, None)
        row = {
            "rows": f"{rows:,d}",
            "features": cell[1],
            "data": cell[0],
            "imbalance ratio": f"{options.imbalance_ratio:g}",
            "seconds": f"{seconds:.3g}",
            options.peer: f"{other:.3g}",
            "times as long": f"{other / seconds:.2f}",
            "CPU seconds": f"{cpu:.3g}",
            f"{options.peer}, CPU": f"{other_cpu:.3g}" if best else "",
            "times as long, CPU": f"{other_cpu / cpu:.2f}" if best else "",
            "stopped": "" if best else "yes",
            "threads": os.environ.get("OMP_NUM_THREADS", "default"),
            "runs": options.rounds * options.repeats,
            **machine(),
        }
        print(*row.values(), sep="\t", flush=True)
        table.append(row)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="folder that holds the peer's folder")
    parser.add_argument("--peer", default="icost-0.3.0")
    parser.add_argument("--rows", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--features", nargs="+", type=int, choices=FEATURES, default=FEATURES)
    parser.add_argument("--imbalance-ratio", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, help="stop the peer after some times our seconds")
    parser.add_argument("--append", action="store_true", help="keep the table's earlier rows")
    parser.add_argument("--name", default="neighbor_grid", help="name of the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    add_out(parser)
    options = parser.parse_args()
    if options.one:
        time_cells(options)
        return
    table = recorded(options.out, options.name) if options.append else []
    # What is stopped takes its process with it, and so has one for itself.
    parts = [(options.kinds, options.features)]
    if options.limit:
        parts = [([kind], [d]) for kind, d in product(options.kinds, options.features)]
    for rows, (kinds, features) in product(options.rows, parts):
        table += compare(rows, kinds, features, options)
        record(table, options.out, options.name)


if __name__ == "__main__":
    main()
