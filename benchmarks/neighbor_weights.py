"""Time neighbour weights against the authors' package, resampling, fits and the GEMM bound.

    pip install --no-deps --target PEERS/icost-0.3.0 icost==0.3.0
    pip install --no-deps --target PEERS/icost-0.2.0 icost==0.2.0
    python benchmarks/neighbor_weights.py --peers PEERS

Every contestant has a process of its own, as the packages share a name, and makes ``--repeats``
calls, whose median counts. The ratios are what counts: how many times longer than ours each one
takes.

- The authors' package decides for itself how many threads to use (scikit-learn's brute force takes
  all cores); ours gets ``--jobs``.
- ``--samplers`` adds imbalanced-learn's, with their default settings.
- The GEMM bound is the time of the matrix products alone that brute force in double precision
  needs, taken on a part of the queries and scaled.
- ``--choice`` tells something else: by how much ``algorithm="auto"`` takes longer than the way of
  searching that it picks, in CPU time of one thread, the least of ``--repeats`` runs each.
"""

import argparse
import json
import os
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np
from recording import add_out, record

DATA = {"clustered": (30, "clustered"), "spread10": (10, "spread"), "spread30": (30, "spread")}
#: Only asked for by name.
MORE_DATA = {"spread3": (3, "spread"), "spread6": (6, "spread")}
GEMM_QUERIES = 2048


def make_data(name, n_rows, imbalance_ratio):
    """Clusters around four-dimensional sheets, or one cloud that fills all dimensions."""
    n_features, kind = (DATA | MORE_DATA)[name]
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 1 / (1 + imbalance_ratio)).astype(int)
    if kind == "spread":
        return rng.standard_normal((n_rows, n_features)) + 0.3 * y[:, None], y
    cluster = rng.integers(50, size=n_rows)
    X = 5 * rng.standard_normal((50, n_features))[cluster]
    for number, sheet in enumerate(0.5 * rng.standard_normal((50, 4, n_features))):
        rows = cluster == number
        X[rows] += rng.standard_normal((rows.sum(), 4)) @ sheet
    X += 0.02 * rng.standard_normal(X.shape) + 0.2 * y[:, None]
    return X, y


def run_ours(X, y, n_jobs):
    from icost import instance_weights

    return lambda: instance_weights(X, y, method="neighbor", n_jobs=n_jobs)


def run_peer(X, y, n_jobs):
    from sklearn.linear_model import LogisticRegression

    from icost import iCost

    return lambda: iCost(LogisticRegression(), method="neighbor").compute_sample_weight(X, y)


def run_xgboost(X, y, n_jobs):
    from xgboost import XGBClassifier

    model = XGBClassifier(n_estimators=100, tree_method="hist", n_jobs=n_jobs)
    return lambda: model.fit(X, y)


def run_logistic_regression(X, y, n_jobs):
    from sklearn.linear_model import LogisticRegression

    return lambda: LogisticRegression(max_iter=1000).fit(X, y)


def run_sampler(name):
    def run(X, y, n_jobs):
        import imblearn.combine
        import imblearn.over_sampling
        import imblearn.under_sampling

        places = (imblearn.over_sampling, imblearn.under_sampling, imblearn.combine)
        (sampler,) = (getattr(place, name) for place in places if hasattr(place, name))
        return lambda: sampler().fit_resample(X, y)

    return run


def run_gemm(X, y, n_jobs):
    queries = X[y == 1][:GEMM_QUERIES]
    out = np.empty((256, 4096))

    def products():
        for block in range(0, len(queries) - 255, 256):
            for start in range(0, len(X) - 4095, 4096):
                np.dot(queries[block : block + 256], X[start : start + 4096].T, out=out)

    return products


SAMPLERS = ("SMOTE", "ADASYN", "EditedNearestNeighbours", "TomekLinks", "SMOTETomek")
RUNS = {
    "ours": run_ours,
    **{name: run_sampler(name) for name in SAMPLERS},
    "LogisticRegression fit": run_logistic_regression,
    "XGBoost fit": run_xgboost,
    "GEMM bound": run_gemm,
}


def time_one(runner, options):
    """Run in the child process: print the seconds of each call."""
    X, y = make_data(options.data[0], options.rows[0], options.imbalance_ratio)
    call = RUNS.get(runner, run_peer)(X, y, options.jobs)
    times = []
    for _ in range(options.repeats):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    if runner == "GEMM bound":
        times = [seconds * y.sum() / min(GEMM_QUERIES, y.sum()) for seconds in times]
    print(json.dumps(times))


def seconds_of(runner, data, rows, options):
    command = [sys.executable, "-W", "ignore", __file__, "--one", runner, "--data", data]
    command += ["--rows", str(rows), "--jobs", str(options.jobs)]
    command += ["--repeats", str(options.repeats)]
    command += ["--imbalance-ratio", str(options.imbalance_ratio)]
    environment = dict(os.environ)
    if runner not in RUNS:
        # Same import name as ours, so it takes our place on the path of its own process.
        environment["PYTHONPATH"] = str(Path(options.peers, runner))
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def compare(data, rows, runners, options):
    middle = {runner: median(seconds_of(runner, data, rows, options)) for runner in runners}
    table = []
    for runner, seconds in middle.items():
        ratio = seconds / middle["ours"]
        print(f"{data:10} {rows:9,d}  {runner:24} {seconds:9.2f} s  {ratio:7.2f} x", flush=True)
        table.append(
            {
                "data": data,
                "rows": f"{rows:,d}",
                "what": runner,
                "seconds": f"{seconds:.2f}",
                "times ours": f"{ratio:.2f}",
                "runs": options.repeats,
            }
        )
    return table


def searches_made(X, y):
    """Return what "auto" picks, and the CPU seconds to make the search with and without picking."""
    from icost.neighbors.choice import minkowski_search
    from icost.neighbors.points import MinkowskiSpace, OwnQueries

    space, queries = MinkowskiSpace(X, 2.0), OwnQueries(X, np.flatnonzero(y))
    auto, search = cpu_seconds(lambda: minkowski_search(space, "auto", 1, queries, 6))
    way = "brute" if search.rank is None else "kd_tree"
    return way, auto, cpu_seconds(lambda: minkowski_search(space, way, 1, queries, 6))[0]


def cpu_seconds(call):
    start = process_time()
    value = call()
    return process_time() - start, value


def compare_choice(data, rows, options):
    from icost.neighbors.counts import neighbor_class_counts

    X, y = make_data(data, rows, options.imbalance_ratio)
    queries, times, made = np.flatnonzero(y), {}, []
    for _ in range(options.repeats):
        made.append(searches_made(X, y))
        for way in ("auto", made[-1][0]):
            count = partial(
                neighbor_class_counts, X, y, 2, 5, queries=queries, algorithm=way, n_jobs=1
            )
            times.setdefault(way, []).append(cpu_seconds(count)[0])
    ways, with_picking, without = zip(*made, strict=True)
    auto, alone = min(times["auto"]), min(times[ways[0]])
    picking = min(with_picking) - min(without)
    print(
        f"{data:10} {rows:9,d}  {'/'.join(sorted(set(ways))):8} alone {alone:.3f} s, by auto "
        f"{auto:.3f} s, {auto / alone:.2f} x; picking takes {picking / alone:.1%} of it",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="folder that holds icost-0.3.0 and icost-0.2.0")
    parser.add_argument("--data", nargs="+", choices=DATA | MORE_DATA, default=list(DATA))
    parser.add_argument("--rows", nargs="+", type=int, default=[100_000])
    parser.add_argument("--samplers", action="store_true", help="resampling as well")
    parser.add_argument("--choice", action="store_true", help='what "auto" costs over its pick')
    parser.add_argument("--imbalance-ratio", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--name", default="neighbor_weights", help="name of the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    add_out(parser)
    options = parser.parse_args()
    if options.one:
        time_one(options.one, options)
        return
    if options.choice:
        for rows, data in product(options.rows, options.data):
            compare_choice(data, rows, options)
        return
    peers = (
        sorted(path.name for path in Path(options.peers).glob("icost-0.[23].*"))
        if options.peers
        else []
    )
    runners = [name for name in RUNS if options.samplers or name not in SAMPLERS]
    table = []
    for rows in options.rows:
        for data in options.data:
            table += compare(data, rows, [runners[0], *peers, *runners[1:]], options)
            record(table, options.out, options.name)


if __name__ == "__main__":
    main()
