"""Weights of ten classes, each against the rest, beside one neighbour search over all rows.

python benchmarks/one_vs_rest.py --out results/benchmarks
"""

import argparse
from statistics import median
from time import perf_counter

import numpy as np
from recording import add_out, machine, record
from sklearn.neighbors import NearestNeighbors

from icost import instance_weights
from icost._neighbors.counts import neighbor_class_counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=-1)
    add_out(parser)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    y = rng.choice(10, size=options.rows, p=np.arange(1, 11) / 55)
    X = rng.standard_normal((options.rows, options.features)) + 0.1 * y[:, None]
    contestants = {
        "weights of ten classes": lambda: instance_weights(X, y, n_jobs=options.jobs),
        "our search over all rows": lambda: neighbor_class_counts(X, y, 10, 5, n_jobs=options.jobs),
        "scikit-learn's search over all rows": lambda: (
            NearestNeighbors(n_neighbors=6, n_jobs=options.jobs).fit(X).kneighbors(X)
        ),
    }
    times = {name: [] for name in contestants}
    for _ in range(3):
        for name, run in contestants.items():
            start = perf_counter()
            run()
            times[name].append(perf_counter() - start)
    ours = median(times["weights of ten classes"])
    table = [
        {
            "rows": f"{options.rows:,d}",
            "features": options.features,
            "what": name,
            "seconds": f"{median(values):.2f}",
            "weights take so many times as long": f"{ours / median(values):.2f}",
            **machine(),
        }
        for name, values in times.items()
    ]
    for row in table:
        print(*row.values(), sep="  ")
    record(table, options.out, "one_vs_rest")


if __name__ == "__main__":
    main()
