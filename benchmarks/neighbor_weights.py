"""Time neighbour weights against the authors' package, resampling, fits and the GEMM bound.

    pip install --no-deps --target PEERS/icost-0.3.0 icost==0.3.0
    pip install --no-deps --target PEERS/icost-0.2.0 icost==0.2.0
    pip install --no-deps --target PEERS/faiss faiss-cpu
    python benchmarks/neighbor_weights.py --peers PEERS

Every contestant has a process of its own, as the packages share a name, and makes ``--repeats``
calls, whose median counts. The ratios are what counts: how many times longer than ours each one
takes.

- All use as many threads as they do by default, which mostly are all cores.
- ``--variants`` adds ours with other variants of the kernel, ``off`` being none.
- ``--before`` adds ours from a folder that holds the sources of another commit.
- faiss searches its flat index, exactly but in single precision, and makes no weights.
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
from recording import add_out, machine, record, recorded

DATA = {"clustered": (30, "clustered"), "spread10": (10, "spread"), "spread30": (30, "spread")}
#: Only asked for by name.
MORE_DATA = {f"spread{d}": (d, "spread") for d in (2, 3, 5, 6, 100)}
MORE_DATA |= {f"clustered{d}": (d, "clustered") for d in (2, 5, 10, 30, 100)}
MORE_DATA |= {f"whole{d}": (d, "whole") for d in (2, 5, 10, 30, 100)}
GEMM_QUERIES = 2048


def make_data(name, n_rows, imbalance_ratio):
    """Clusters around four-dimensional sheets, or one cloud, if need be of whole numbers."""
    n_features, kind = (DATA | MORE_DATA)[name]
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 1 / (1 + imbalance_ratio)).astype(int)
    if kind in ("spread", "whole"):
        X = rng.standard_normal((n_rows, n_features)) + 0.3 * y[:, None]
        return (X if kind == "spread" else np.round(3 * X)), y
    cluster = rng.integers(50, size=n_rows)
    X = 5 * rng.standard_normal((50, n_features))[cluster]
    for number, sheet in enumerate(0.5 * rng.standard_normal((50, 4, n_features))):
        rows = cluster == number
        X[rows] += rng.standard_normal((rows.sum(), 4)) @ sheet
    X += 0.02 * rng.standard_normal(X.shape) + 0.2 * y[:, None]
    return X, y


def run_ours(X, y):
    from icost import instance_weights

    return lambda: instance_weights(X, y, method="neighbor")


def run_faiss(X, y):
    import faiss

    points, queries = np.float32(X), np.float32(X[y == 1])

    def search():
        index = faiss.IndexFlatL2(X.shape[1])
        index.add(points)
        return index.search(queries, 6)

    return search


def run_peer(X, y):
    from sklearn.linear_model import LogisticRegression

    from icost import iCost

    return lambda: iCost(LogisticRegression(), method="neighbor").compute_sample_weight(X, y)


def run_xgboost(X, y):
    from xgboost import XGBClassifier

    model = XGBClassifier(n_estimators=100, tree_method="hist")
    return lambda: model.fit(X, y)


def run_logistic_regression(X, y):
    from sklearn.linear_model import LogisticRegression

    return lambda: LogisticRegression(max_iter=1000).fit(X, y)


def run_sampler(name):
    def run(X, y):
        import imblearn.combine
        import imblearn.over_sampling
        import imblearn.under_sampling

        places = (imblearn.over_sampling, imblearn.under_sampling, imblearn.combine)
        (sampler,) = (getattr(place, name) for place in places if hasattr(place, name))
        return lambda: sampler().fit_resample(X, y)

    return run


def run_gemm(X, y):
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
    "faiss": run_faiss,
}


def runner_of(name):
    """Return what makes the call of a contestant: ours by any variant, or a package's."""
    if name.startswith(("ours", "before")):
        return run_ours
    return RUNS.get(name, run_peer)


def time_one(name, options):
    """Run in the child process: print the seconds, and those of the CPU, of each call."""
    X, y = make_data(options.data[0], options.rows[0], options.imbalance_ratio)
    call = runner_of(name)(X, y)
    times = []
    for _ in range(options.repeats):
        start = perf_counter(), process_time()
        call()
        times.append((perf_counter() - start[0], process_time() - start[1]))
    # Only a part of the products was made.
    share = y.sum() / min(GEMM_QUERIES, y.sum()) if name == "GEMM bound" else 1
    print(json.dumps([float(share * median(column)) for column in zip(*times, strict=True)]))


def seconds_of(name, data, rows, options):
    """Return the median seconds of a contestant, and those of the CPU."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", name, "--data", data]
    command += ["--rows", str(rows), "--repeats", str(options.repeats)]
    command += ["--imbalance-ratio", str(options.imbalance_ratio)]
    environment = dict(os.environ)
    if name.startswith("ours, "):
        environment["ICOST_KERNEL"] = name.removeprefix("ours, ")
    # Packages have the same import name as ours, and take our place on the path of their process.
    if name == "before":
        environment["PYTHONPATH"] = str(Path(options.before, "src"))
    elif name == "faiss" or (name not in RUNS and not name.startswith("ours")):
        environment["PYTHONPATH"] = str(Path(options.peers, name))
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def compare(data, rows, names, options):
    times = {name: seconds_of(name, data, rows, options) for name in names}
    table = []
    for name, (seconds, cpu) in times.items():
        ratios = seconds / times["ours"][0], cpu / times["ours"][1]
        print(
            f"{data:10} {rows:9,d}  {name:24} {seconds:9.2f} s  {ratios[0]:7.2f} x"
            f"  CPU {cpu:9.2f} s  {ratios[1]:7.2f} x",
            flush=True,
        )
        table.append(
            {
                "data": data,
                "rows": f"{rows:,d}",
                "what": name,
                "seconds": f"{seconds:.3g}",
                "times ours": f"{ratios[0]:.2f}",
                "CPU seconds": f"{cpu:.3g}",
                "times ours, CPU": f"{ratios[1]:.2f}",
                "runs": options.repeats,
                **machine(),
            }
        )
    return table


def searches_made(X, y):
    """Return what "auto" picks, and the CPU seconds to make the search with and without picking."""
    from icost._neighbors.choice import minkowski_search
    from icost._neighbors.points import MinkowskiSpace, OwnQueries

    space, queries = MinkowskiSpace(X, 2.0), OwnQueries(X, np.flatnonzero(y))
    auto, search = cpu_seconds(lambda: minkowski_search(space, "auto", 1, queries, 6))
    way = "brute" if search.rank is None else "kd_tree"
    return way, auto, cpu_seconds(lambda: minkowski_search(space, way, 1, queries, 6))[0]


def cpu_seconds(call):
    start = process_time()
    value = call()
    return process_time() - start, value


def compare_choice(data, rows, options):
    from icost._neighbors.counts import neighbor_class_counts

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
    picking = max(0.0, min(with_picking) - min(without))
    print(
        f"{data:10} {rows:9,d}  {'/'.join(sorted(set(ways))):8} alone {alone:.3f} s, by auto "
        f"{auto:.3f} s, {auto / alone:.2f} x; picking takes {picking / alone:.1%} of it",
        flush=True,
    )
    return {
        "data": data,
        "rows": f"{rows:,d}",
        "pairs": f"{len(queries) * rows:.1e}",
        "picked": "/".join(sorted(set(ways))),
        "CPU seconds": f"{alone:.3f}",
        "picking, percent of it": f"{100 * picking / alone:.1f}",
        "by auto, times as long": f"{auto / alone:.2f}",
        **machine(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", help="folder that holds icost-0.3.0 and icost-0.2.0")
    parser.add_argument("--data", nargs="+", choices=DATA | MORE_DATA, default=list(DATA))
    parser.add_argument("--rows", nargs="+", type=int, default=[100_000])
    parser.add_argument("--samplers", action="store_true", help="resampling as well")
    parser.add_argument("--choice", action="store_true", help='what "auto" costs over its pick')
    parser.add_argument("--imbalance-ratio", type=float, default=10)
    parser.add_argument("--variants", nargs="*", default=[], help="of the kernel, or off")
    parser.add_argument("--before", help="folder of another commit, to compare ours with")
    parser.add_argument("--append", action="store_true", help="keep the table's earlier rows")
    parser.add_argument("--only", nargs="*", help="contestants beside ours, of all")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--name", default="neighbor_weights", help="name of the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    add_out(parser)
    options = parser.parse_args()
    if options.one:
        time_one(options.one, options)
        return
    if options.choice:
        cells = product(options.rows, options.data)
        table = [compare_choice(data, rows, options) for rows, data in cells]
        record(table, options.out, "neighbor_choice")
        return
    peers = (
        sorted(path.name for path in Path(options.peers).glob("icost-0.[23].[0-9]"))
        if options.peers
        else []
    )
    names = [f"ours, {variant}" for variant in options.variants] + peers
    names += ["before"] if options.before else []
    names += [name for name in RUNS if options.samplers or name not in SAMPLERS]
    if not options.peers or not Path(options.peers, "faiss").is_dir():
        names.remove("faiss")
    names.remove("ours")
    if options.only is not None:
        names = [name for name in names if name in options.only]
    table = recorded(options.out, options.name) if options.append else []
    for rows, data in product(options.rows, options.data):
        table += compare(data, rows, ["ours", *names], options)
        record(table, options.out, options.name)


if __name__ == "__main__":
    main()
