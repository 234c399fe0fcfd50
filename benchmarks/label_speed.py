"""Time `label_quality` and an earlier version of it, in turns within one run.

    git show 8e6d3f0:src/icost/label_errors.py > before.py
    python benchmarks/label_speed.py before.py --out results/benchmarks

CPU seconds are counted, so that other programs on the machine matter little.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from pathlib import Path
from statistics import median

from recording import add_out, machine, record
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from icost import label_quality

N_ROWS, N_COLUMNS, N_TURNS = 6_000, 20, 3


def load_before(path):
    """Return `label_quality` of an earlier module."""
    spec = importlib.util.spec_from_file_location("label_errors_before", path)
    module = sys.modules["label_errors_before"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.label_quality


def cpu_seconds(function, X, y):
    """Return the CPU time of one call in this process."""
    begin = time.process_time()
    function(X, y, random_state=0)
    return time.process_time() - begin


def main():
    """Time both versions in turns, and record the median and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path, help="module of the earlier version")
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = make_classification(
        N_ROWS, N_COLUMNS, n_informative=8, weights=[0.9], flip_y=0.02, random_state=0
    )
    before, seconds = load_before(given.before), {"before": [], "now": []}
    with threadpool_limits(1):
        for _ in range(N_TURNS):
            seconds["before"].append(cpu_seconds(before, X, y))
            seconds["now"].append(cpu_seconds(label_quality, X, y))
    medians = {name: round(median(values), 1) for name, values in seconds.items()}
    ratio = round(medians["now"] / medians["before"], 2)
    row = {"rows": N_ROWS, "columns": N_COLUMNS} | medians | {"ratio": ratio} | machine()
    print(row)
    record([row], given.out, "label_speed")


if __name__ == "__main__":
    main()
