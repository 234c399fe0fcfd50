"""What the measures cost beside a neighbour search that asks for the same rows, and each other.

    python benchmarks/measures.py            # ratios within this run, best of three each

Seconds of one machine mean nothing on another; ratios of the same run mean something. Density
searches each class by itself, and is compared with `NeighborComplexity` for the same rows; the
graph asks for all rows, and is compared with `NeighborComplexity` for both classes.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

from icost import (
    ClusterComplexity,
    DensityComplexity,
    GiniComplexity,
    GraphComplexity,
    MarginComplexity,
    NeighborComplexity,
)

ONE, BOTH = [np.array([False, True])], [np.array([False, True]), np.array([True, False])]


def table(kind: str, n_rows: int, n_features: int, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Make two classes that overlap: spread out, in clusters, or in whole numbers."""
    rng = np.random.default_rng(0)
    codes = (rng.random(n_rows) < 1 / (1 + ratio)).astype(np.intp)
    X = rng.normal(size=(n_rows, n_features)) + codes[:, None]
    if kind == "clustered":
        X += 10 * rng.normal(size=(20, n_features))[rng.integers(20, size=n_rows)]
    return np.round(2 * X) if kind == "integers" else X, codes


def seconds(measure, X, codes, groups, repeats: int) -> float:
    """Return the best time of some."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        measure.estimate_groups(X, codes, groups, n_jobs=1, random_state=0)
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print a table of ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--features", type=int, nargs="+", default=[4, 20])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print("imbalance ratio 10; x = times the search of NeighborComplexity for the same rows")
    print(f"{'table':<26}{'both/one':>9}{'density':>9}{'both':>7}{'graph':>7}", end="")
    print(f"{'gini':>8}{'margin':>8}{'cluster':>9}  (beside neighbours of the minority)")
    for n_rows in given.rows:
        for n_features in given.features:
            for kind in ("spread", "clustered", "integers"):
                X, codes = table(kind, n_rows, n_features, 10.0)
                own = (X, codes)
                one = seconds(NeighborComplexity(), *own, ONE, given.repeats)
                both = seconds(NeighborComplexity(), *own, BOTH, given.repeats)
                density = seconds(DensityComplexity(), *own, ONE, given.repeats) / one
                density_both = seconds(DensityComplexity(), *own, BOTH, given.repeats) / both
                graph = seconds(GraphComplexity(), *own, ONE, given.repeats) / both
                rest = [
                    seconds(measure, *own, ONE, given.repeats) / one
                    for measure in (GiniComplexity(), MarginComplexity(), ClusterComplexity())
                ]
                name = f"{n_rows:,} x {n_features} {kind}"
                print(f"{name:<26}{both / one:9.1f}{density:9.2f}{density_both:7.2f}", end="")
                print(f"{graph:7.2f}{rest[0]:8.2f}{rest[1]:8.2f}{rest[2]:9.2f}", flush=True)


if __name__ == "__main__":
    main()
