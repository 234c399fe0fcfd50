"""Time `label_quality` and an earlier version of it, in turns.

    mkdir before && git archive 5621179 src | tar -x -C before
    python benchmarks/label_speed.py before/src --out results/benchmarks

Each call has a process of its own, since two versions of a package cannot share one. CPU seconds of
the call alone are counted, so that imports and other programs on the machine matter little.
"""

import argparse
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from statistics import median

from recording import add_out, machine, record
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

N_ROWS, N_COLUMNS, N_TURNS = 6_000, 20, 3
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


def main():
    """Time both versions in turns, and record the median and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path, help="folder that has the earlier package icost")
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--turns", type=int, default=N_TURNS)
    parser.add_argument("--call", action="store_true", help="print the time of one call, no more")
    add_out(parser)
    given = parser.parse_args()
    if given.call:
        time_call(given.before, given.rows)
        return
    seconds = {"before": [], "now": []}
    for _ in range(given.turns):
        for name, source in (("before", given.before), ("now", NOW)):
            seconds[name].append(cpu_seconds(source, given.rows))
    medians = {name: median(values) for name, values in seconds.items()}
    ratio = round(medians["now"] / medians["before"], 2)
    rounded = {name: round(value, 1) for name, value in medians.items()}
    row = {"rows": given.rows, "columns": N_COLUMNS} | rounded | {"ratio": ratio} | machine()
    print(row)
    record([row], given.out, "label_speed")


if __name__ == "__main__":
    main()
