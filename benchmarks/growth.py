"""How the time of the weights grows with rows, features, imbalance and neighbours.

    python benchmarks/growth.py --out results/benchmarks

Writes ``growth.csv`` and ``growth.svg``. Every point is the best of three runs in one process, on
data that fill all dimensions, which is the hard case for a neighbour search.
"""

import argparse
import csv
from pathlib import Path
from time import perf_counter

import numpy as np
from recording import add_out, record

from icost import GiniComplexity, NeighborComplexity, instance_weights

START = {"n": 50_000, "d": 15, "ratio": 10.0, "k": 5}
STEPS = {
    "n": [12_500, 25_000, 50_000, 100_000, 200_000],
    "d": [3, 5, 10, 15, 30, 60],
    "ratio": [2.0, 5.0, 10.0, 30.0, 100.0],
    "k": [1, 3, 5, 10, 30, 100],
}
LABELS = {"n": "rows", "d": "features", "ratio": "imbalance ratio", "k": "neighbours"}


def make_data(n, d, ratio):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 1 / (1 + ratio)).astype(int)
    return rng.standard_normal((n, d)) + 0.3 * y[:, None], y


def best_time(X, y, method, jobs):
    times = []
    for _ in range(3):
        start = perf_counter()
        instance_weights(X, y, method=method, n_jobs=jobs, random_state=0)
        times.append(perf_counter() - start)
    return min(times)


def measure(jobs):
    for name, values in STEPS.items():
        for value in values:
            at = START | {name: value}
            X, y = make_data(at["n"], at["d"], at["ratio"])
            methods = {"neighbor": NeighborComplexity(at["k"])}
            if name != "k":
                methods |= {"tree": GiniComplexity(), "tree, fast": GiniComplexity(probe="fast")}
            for method, measure in methods.items():
                row = {
                    "grows": LABELS[name],
                    "value": value,
                    "method": method,
                    "seconds": f"{best_time(X, y, measure, jobs):.4f}",
                }
                print(*row.values(), flush=True)
                yield row


def plot(folder):
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams |= {"svg.hashsalt": "icost", "svg.fonttype": "none"}
    import matplotlib.pyplot as plt

    with Path(folder, "growth.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(1, len(STEPS), figsize=(13, 3.4), sharey=True, layout="constrained")
    for axis, (name, label) in zip(axes, LABELS.items(), strict=True):
        for method in dict.fromkeys(row["method"] for row in rows):
            points = [r for r in rows if r["grows"] == label and r["method"] == method]
            if points:
                values, seconds = ([float(r[key]) for r in points] for key in ("value", "seconds"))
                axis.plot(values, seconds, marker="o", label=method)
        rest = ", ".join(f"{LABELS[key]} {START[key]:,g}" for key in START if key != name)
        axis.set(xscale="log", yscale="log", xlabel=label)
        axis.set_xticks(STEPS[name], labels=[f"{value:,g}" for value in STEPS[name]], rotation=45)
        axis.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        axis.set_title(rest, fontsize=8)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend()
    figure.savefig(Path(folder, "growth.svg"), metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=-1)
    add_out(parser)
    options = parser.parse_args()
    rows = list(measure(options.jobs))
    record(rows, options.out, "growth")
    if options.out is not None:
        plot(options.out)


if __name__ == "__main__":
    main()
