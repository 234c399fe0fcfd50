"""The probe tree: its time against the authors' package and XGBoost, and the accuracy of "fast".

    python benchmarks/probe_tree.py time --peers PEERS --rows 1000000
    python benchmarks/probe_tree.py accuracy --rows 300000
    python benchmarks/probe_tree.py memory --rows 10000000

``PEERS`` holds folders ``icost-0.2.0`` and ``icost-0.3.0`` to import the authors' package from.
Every contestant gets a process of its own, the same data, and as many threads as it likes.

``memory`` weighs one large table of 30 features by the fast probe. What counts is how much more
memory the process had at its peak, as the system tells it, than just before the call, when it held
the table, the labels and the libraries.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from recording import add_out, machine, record

KINDS = ("clustered", "spread", "alike", "integer", "noise")


def make_data(kind: str, n_rows: int, seed: int, n_features: int = 30, ratio: float = 10.0):
    """Return a table and its minority."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n_rows) < 1 / (1 + ratio)
    if kind == "clustered":
        cluster = np.where(y, rng.integers(0, 12, n_rows), rng.integers(0, 40, n_rows))
        X = rng.normal(scale=4, size=(40, n_features))[cluster] + rng.normal(
            size=(n_rows, n_features)
        )
    elif kind == "spread":
        X = rng.normal(size=(n_rows, n_features)) + np.outer(y, rng.uniform(-1.2, 1.2, n_features))
    elif kind == "alike":  # four features that are equally good to split by
        X = (
            rng.lognormal(size=(n_rows, n_features))
            * np.where(np.arange(n_features) < 4, 3, 1) ** y[:, None]
        )
    elif kind == "integer":
        X = rng.poisson(5, size=(n_rows, n_features)) + rng.poisson(2, size=(n_rows, 1)) * y[
            :, None
        ] * (np.arange(n_features) < 6)
    else:
        X = rng.normal(size=(n_rows, n_features))
    return np.asarray(X, dtype=np.float64), y.astype(int)


def real_data(n_copies: int):
    """Yield sets of the paper, their rows repeated with a little noise to make large ones."""
    from icost.datasets import load_dataset

    rng = np.random.default_rng(0)
    for name in ("page-blocks0", "yeast1", "wisconsin", "pima"):
        X, y = load_dataset(name, return_X_y=True)
        X = X.select_dtypes("number").to_numpy(np.float64)
        copies = np.repeat(X, n_copies, axis=0)
        noise = rng.normal(scale=0.05, size=copies.shape) * X.std(axis=0)
        yield name, copies + noise, np.repeat(y, n_copies)


CONTESTANTS = {
    "exact": "from icost import instance_weights as f\n"
    "run = lambda: f(X, y, 'tree', random_state=0)",
    "fast": "from icost import instance_weights as f\n"
    "run = lambda: f(X, y, 'tree', tree_probe='fast', random_state=0)",
    # The authors' package has no function for weights alone, so the base learner does nothing.
    "peer": "from icost import iCost; from sklearn.base import ClassifierMixin, BaseEstimator\n"
    "class Idle(ClassifierMixin, BaseEstimator):\n"
    "    def fit(self, X, y, sample_weight=None): self.classes_ = [0, 1]; return self\n"
    "    def predict(self, X): return [0] * len(X)\n"
    "run = lambda: iCost(Idle(), method='tree', random_state=0).fit(X, y)",
    "xgboost": "from xgboost import XGBClassifier\n"
    "run = lambda: XGBClassifier(n_estimators=100, tree_method='hist').fit(X, y)",
}

CLOCK = """
import sys, time, numpy as np
sys.path.insert(0, {here!r}); from probe_tree import make_data
X, y = make_data({kind!r}, {rows}, 0)
{contestant}
wall, cpu = time.perf_counter(), time.process_time()
run(); print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def seconds(contestant: str, kind: str, rows: int, folder: Path | None = None) -> list[float]:
    """Return wall and CPU time of a contestant, whose process imports icost from the folder."""
    here = str(Path(__file__).parent)
    code = CLOCK.format(here=here, kind=kind, rows=rows, contestant=CONTESTANTS[contestant])
    environment = os.environ | ({} if folder is None else {"PYTHONPATH": str(folder)})
    command = [sys.executable, "-W", "ignore", "-c", code]
    out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [float(word) for word in out.stdout.split()[-2:]]


def compare_times(arguments: argparse.Namespace) -> None:
    runs = [(name, name, None) for name in ("exact", "fast", "xgboost")]
    if arguments.peers is not None:
        versions = ("0.2.0", "0.3.0")
        runs += [(version, "peer", arguments.peers / f"icost-{version}") for version in versions]
    table = []
    for kind in arguments.kinds:
        times = {
            name: np.median(
                [seconds(one, kind, arguments.rows, folder) for _ in range(arguments.repeats)],
                axis=0,
            )
            for name, one, folder in runs
        }
        # On a busy machine only the CPU time of what runs in one thread can be relied on.
        for name, (wall, cpu) in times.items():
            ratios = "".join(
                f"; {wall / times[mine][0]:.2f} (CPU {cpu / times[mine][1]:.2f}) times {mine}"
                for mine in ("exact", "fast")
            )
            print(f"{kind:>10} {name:>8} {wall:.2f} s (CPU {cpu:.2f} s){ratios}", flush=True)
            table.append(
                {
                    "data": kind,
                    "rows": f"{arguments.rows:,d}",
                    "what": name,
                    "seconds": f"{wall:.2f}",
                    "times exact": f"{wall / times['exact'][0]:.2f}",
                    "times fast": f"{wall / times['fast'][0]:.2f}",
                    "runs": arguments.repeats,
                    **machine(),
                }
            )
        record(table, arguments.out, "probe_tree")


TABLES = {
    "float64": (np.float64, "array"),
    "float32": (np.float32, "array"),
    "DataFrame": (np.float64, "rows"),
    "DataFrame of float32": (np.float32, "rows"),
    # As a file's reader, or a dictionary, makes it: one column after another in memory.
    "DataFrame, by columns": (np.float64, "columns"),
    # What frames become when columns are added one by one; to be one array, it must be copied.
    "DataFrame, in pieces": (np.float64, "pieces"),
}
"""Kinds of tables: their type, and how they lie in memory."""


def large_table(kind: str, n_rows: int, n_features: int = 30):
    """Return a table and labels, made piece by piece, so that making it has no peak of its own."""
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows, dtype=np.float32) < 1 / 11).astype(np.int8)
    dtype, layout = TABLES[kind]
    by_rows = layout in ("array", "rows")
    X = np.empty((n_rows, n_features), dtype=dtype, order="C" if by_rows else "F")
    shift = np.arange(n_features, dtype=dtype) / 30
    for start in range(0, n_rows, 100_000):
        part = X[start : start + 100_000]
        part[:] = rng.standard_normal(part.shape, dtype=dtype)
        part += shift * y[start : start + 100_000, None]
    if layout == "array":
        return X, y
    import pandas as pd

    if layout == "pieces":
        return pd.DataFrame({f"x{i}": X[:, i] for i in range(n_features)}, copy=False), y
    return pd.DataFrame(X, copy=False), y


def resident() -> int:
    """Return the bytes of memory that the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def weigh_once(arguments: argparse.Namespace) -> None:
    """Run in the child process: print bytes of the table and above it, and CPU and wall time."""
    from icost import instance_weights

    small = large_table("float64", 60_000)
    # Once, so that no library is loaded, and no thread started, while memory is watched.
    instance_weights(*small, "tree", tree_probe="fast", random_state=0)
    X, y = large_table(arguments.one, arguments.rows)
    size = X.nbytes if hasattr(X, "nbytes") else int(X.memory_usage(index=False).sum())
    before, cpu, wall = resident(), process_time(), perf_counter()
    weights = instance_weights(X, y, "tree", tree_probe="fast", random_state=0)
    times = process_time() - cpu, perf_counter() - wall
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([size, peak - before, *times, float(weights.mean())]))


def compare_memory(arguments: argparse.Namespace) -> None:
    if arguments.one:
        weigh_once(arguments)
        return
    table = []
    for kind in arguments.tables:
        command = [sys.executable, "-W", "ignore", __file__, "memory", "--one", kind]
        command += ["--rows", str(arguments.rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        size, above, cpu, wall, mean = json.loads(done.stdout)
        row = {
            "table": kind,
            "rows": f"{arguments.rows:,d}",
            "GB": f"{size / 1e9:.2f}",
            "GB above it": f"{above / 1e9:.2f}",
            "share of it": f"{above / size:.2f}",
            "CPU seconds": f"{cpu:.1f}",
            "seconds": f"{wall:.1f}",
            "mean weight": f"{mean:.6f}",
            **machine(),
        }
        print(*row.values(), sep="\t", flush=True)
        table.append(row)
        record(table, arguments.out, "probe_memory")


def compare_categories(arguments: argparse.Namespace) -> None:
    table = []
    for kind in arguments.kinds:
        changed = [
            share_changed(*make_data(kind, arguments.rows, seed), seed)
            for seed in range(arguments.seeds)
        ]
        table.append(report(kind, arguments.rows, changed))
    if arguments.real:
        for name, X, y in real_data(arguments.real):
            changed = [share_changed(X, y, seed) for seed in range(arguments.seeds)]
            table.append(report(name, len(X), changed))
    record(table, arguments.out, "probe_accuracy")


def share_changed(X, y, seed: int) -> float:
    """Return the share of minority samples whose category "fast" changes."""
    from icost import GiniComplexity

    _, codes = np.unique(y, return_inverse=True)
    is_minority = codes == np.bincount(codes).argmin()
    exact, fast = (
        GiniComplexity(probe=probe).estimate(X, is_minority, random_state=seed)
        for probe in ("exact", "fast")
    )
    return float(np.mean(exact.category != fast.category))


def report(kind: str, n_rows: int, changed: list[float]) -> dict[str, str]:
    shares = "  ".join(f"{100 * share:.2f}" for share in changed)
    print(f"{kind:>14} changed categories, percent by seed: {shares}", flush=True)
    return {"data": kind, "rows": f"{n_rows:,d}", "changed categories, percent by seed": shares}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    clock = commands.add_parser("time")
    clock.add_argument("--peers", type=Path)
    clock.add_argument("--repeats", type=int, default=1)
    clock.set_defaults(run=compare_times)
    accuracy = commands.add_parser("accuracy")
    accuracy.add_argument("--seeds", type=int, default=3)
    accuracy.add_argument("--real", type=int, default=0, help="copies of each row of the real sets")
    accuracy.set_defaults(run=compare_categories)
    memory = commands.add_parser("memory")
    memory.add_argument("--tables", nargs="*", choices=TABLES, default=TABLES)
    memory.add_argument("--one", help=argparse.SUPPRESS)
    memory.set_defaults(run=compare_memory)
    for command in (clock, accuracy, memory):
        add_out(command)
        command.add_argument("--rows", type=int, default=1_000_000)
        command.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
