"""Time `label_quality`, or `icost analyze`, and an earlier version of it, in turns.

    mkdir before && git archive 5621179 src | tar -x -C before
    python benchmarks/label_speed.py before/src --out results/benchmarks

    mkdir before && git archive a9ef900 src | tar -x -C before
    cp src/icost/_neighbors/_kernel.so before/src/icost/_neighbors/
    python benchmarks/label_speed.py before/src --analyze --out results/benchmarks

Each call has a process of its own, since two versions of a package cannot share one. CPU seconds of
the call alone are counted, so that imports and other programs on the machine matter little; those
of the command, on a table of text and numbers, are of the whole process.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import median

from compare_speed import mixed_table
from recording import add_out, machine, record
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

N_ROWS, N_COLUMNS, N_TURNS = 6_000, 20, 3
ROWS_TO_ANALYZE = 200_000
NOW = Path(__file__).parents[1] / "src"


def time_call(source, n_rows):
    """Print the CPU seconds of one call of the package in a folder, in this process."""
    import icost

    # A folder without the package would time the installed one instead.
    if not Path(icost.__file__).is_relative_to(source.resolve()):
        raise SystemExit(f"{source} must have the package icost, got {icost.__file__}.")
    warnings.simplefilter("ignore")
    X, y = make_classification(
        n_rows, N_COLUMNS, n_informative=8, weights=[0.9], flip_y=0.02, random_state=0
    )
    label_quality = icost.label_quality
    with threadpool_limits(1):
        begin = time.process_time()
        label_quality(X, y, random_state=0)
        print(time.process_time() - begin)


def cpu_seconds(source, n_rows):
    """Return the CPU time of one call of the package in a folder, in a new process."""
    command = [sys.executable, __file__, str(source), "--rows", str(n_rows), "--call"]
    environment = os.environ | {"PYTHONPATH": str(source.resolve())}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def analyze_seconds(source, path):
    """Return the CPU time of `icost analyze` by the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(source.resolve()), "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "icost", "analyze", str(path)]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def time_in_turns(before, n_turns, seconds_of):
    """Return the median of both versions and the ratio, as the columns of a row."""
    seconds = {"before": [], "now": []}
    for _ in range(n_turns):
        for name, source in (("before", before), ("now", NOW)):
            seconds[name].append(seconds_of(source))
    medians = {name: median(values) for name, values in seconds.items()}
    ratio = round(medians["now"] / medians["before"], 2)
    return {name: round(value, 1) for name, value in medians.items()} | {"ratio": ratio}


def main():
    """Time both versions in turns, and record the median and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path, help="folder that has the earlier package icost")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--turns", type=int, default=N_TURNS)
    parser.add_argument("--analyze", action="store_true", help="time the command instead")
    parser.add_argument("--call", action="store_true", help="print the time of one call, no more")
    add_out(parser)
    given = parser.parse_args()
    n_rows = given.rows or (ROWS_TO_ANALYZE if given.analyze else N_ROWS)
    if given.call:
        time_call(given.before, n_rows)
        return
    with tempfile.TemporaryDirectory() as folder:
        n_columns, seconds_of = N_COLUMNS, partial(cpu_seconds, n_rows=n_rows)
        if given.analyze:
            table, path = mixed_table(n_rows), Path(folder, "mixed.csv")
            table.to_csv(path, index=False)
            n_columns, seconds_of = table.shape[1] - 1, partial(analyze_seconds, path=path)
        times = time_in_turns(given.before, given.turns, seconds_of)
    row = {"rows": n_rows, "columns": n_columns} | times | machine()
    print(row)
    record([row], given.out, "analyze_speed" if given.analyze else "label_speed")


if __name__ == "__main__":
    main()
