"""Time the neighbour search: each variant of the kernel, matrix products and scikit-learn.

    python benchmarks/neighbor_kernel.py --out results/benchmarks

One Gaussian cloud, one row in ten asked for its six nearest rows (of a million rows, one in a
hundred), on one thread. What counts is the CPU time, index included, the best of ``--repeats``
rounds in which the contestants take turns: ratios within a round suffer least from what else the
machine does. All must agree on the distance of the sixth.
"""

import argparse
from functools import partial
from time import process_time

import numpy as np
from recording import add_out, record
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from icost._neighbors.kernel import KernelSearch, present_variants
from icost._neighbors.points import MinkowskiSpace
from icost._neighbors.search import MatrixSearch

SIZES = {
    "1e5 x 10": (100_000, 10, 10),
    "1e5 x 30": (100_000, 30, 10),
    "1e5 x 100": (100_000, 100, 10),
    "1e6 x 30": (1_000_000, 30, 100),
}
N_NEAREST = 6


def by_search(make, X, step):
    """Distances to the farthest of the nearest, by a search of the package."""
    search = make(MinkowskiSpace(X, 2.0))
    queries, farthest = X[::step], []
    for start in range(0, len(queries), search.block_size):
        block = queries[start : start + search.block_size]
        query, _, distance = search.pairs(block, N_NEAREST)
        order = np.lexsort((distance, query))
        last = np.searchsorted(query[order], np.arange(len(block))) + N_NEAREST - 1
        farthest.append(distance[order][last])
    return np.sqrt(np.concatenate(farthest))


def by_scikit_learn(X, step):
    model = NearestNeighbors(n_neighbors=N_NEAREST, algorithm="brute").fit(X)
    return model.kneighbors(X[::step])[0][:, -1]


def contestants():
    yield "matrix products", partial(by_search, MatrixSearch)
    for name in present_variants():
        yield name, partial(by_search, partial(KernelSearch, variant=name))
    yield "scikit-learn, brute", by_scikit_learn


def timed(run, X, step):
    start = process_time()
    answer = run(X, step)
    return process_time() - start, answer


def measure(n_rows, n_features, step, repeats):
    X = np.random.default_rng(0).standard_normal((n_rows, n_features))
    best, answers = {}, {}
    for _ in range(repeats):
        for name, run in contestants():
            seconds, answers[name] = timed(run, X, step)
            best[name] = min(seconds, best.get(name, np.inf))
    for answer in answers.values():
        np.testing.assert_allclose(answer, answers["matrix products"], rtol=1e-9)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", choices=SIZES, default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=3)
    add_out(parser)
    arguments = parser.parse_args()
    rows = []
    with threadpool_limits(1):
        for size in arguments.sizes:
            n_rows, n_features, step = SIZES[size]
            best = measure(n_rows, n_features, step, arguments.repeats)
            for name, seconds in best.items():
                row = {
                    "rows x features": size,
                    "search": name,
                    "CPU seconds": f"{seconds:.3f}",
                    "ns a pair": f"{1e9 * seconds / (n_rows * -(-n_rows // step)):.3f}",
                    "times as fast as products": f"{best['matrix products'] / seconds:.2f}",
                }
                print(*row.values(), sep="\t", flush=True)
                rows.append(row)
    record(rows, arguments.out, "neighbor_kernel")


if __name__ == "__main__":
    main()
