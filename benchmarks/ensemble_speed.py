"""Measure prediction time and file size of a saved blend as multiples of a forest's.

    python benchmarks/ensemble_speed.py --out results/benchmarks

Both are fitted to 3,000 rows of 20 numeric columns, a tenth of them minority, and saved by
`icost.modelfile.save_model`. Times are CPU seconds, the best of several, alternately in one run.
The command is ``icost predict`` of one row, from start to end of its process; how much of it is the
import of scikit-learn and skops is measured beside it.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from recording import add_out, machine, record
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

from icost import iCostEnsemble
from icost.modelfile import SavedModel, fit_model, load_model, save_model

N_ROWS, N_COLUMNS, N_NEW = 3_000, 20, 10_000
TIMES = ("one row", "10,000 rows", "command", "imports")
GOALS = {"one row": 4, "10,000 rows": 12, "megabytes": 5, "command": 1.0}


def make_tables():
    """Return the training table, its labels, and new rows."""
    X, y = make_classification(
        N_ROWS + N_NEW, N_COLUMNS, n_informative=8, weights=[0.9], flip_y=0.03, random_state=0
    )
    table = pd.DataFrame(X, columns=[f"x{number}" for number in range(N_COLUMNS)])
    labels = pd.Series(np.where(y == 1, "ill", "well"), name="state")
    return table[:N_ROWS], labels[:N_ROWS], table[N_ROWS:]


def with_all_members(table, labels):
    """Return the blend as `fit_model` fits it, but with all its members."""
    model = fit_model(table, labels, method="blend")
    pipeline = model.estimator
    ensemble = iCostEnsemble(**(pipeline[-1].get_params(deep=False) | {"refit": False}))
    codes = (labels == "well").to_numpy().astype(int)
    pipeline.steps[-1] = ("classify", ensemble)
    return SavedModel(pipeline.fit(table, codes), model.record)


def seconds_of(action):
    start = process_time()
    action()
    return process_time() - start


def python_seconds(*arguments):
    """Return the CPU seconds of Python with these arguments, in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder, models, new, repeats):
    """Return for each model its times, and the megabytes of its file."""
    paths, opened = {}, {}
    for name, model in models.items():
        paths[name] = folder / f"{name}.skops"
        save_model(model, paths[name])
        opened[name] = load_model(paths[name])
    new[:1].to_csv(folder / "row.csv", index=False)
    times = {name: {key: [] for key in TIMES} for name in models}
    for _ in range(repeats):
        for name, model in opened.items():
            estimator = model.estimator
            calls = [seconds_of(lambda e=estimator: e.predict_proba(new[:1])) for _ in range(5)]
            times[name]["one row"].append(min(calls))
            times[name]["10,000 rows"].append(seconds_of(lambda e=estimator: e.predict_proba(new)))
            files = paths[name], folder / "row.csv", "-o", folder / "out.csv"
            times[name]["command"].append(python_seconds("-m", "icost", "predict", *files))
            times[name]["imports"].append(python_seconds("-c", "import skops.io"))
    return {
        name: {key: min(values) for key, values in own.items()}
        | {"megabytes": paths[name].stat().st_size / 2**20}
        for name, own in times.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    add_out(parser)
    options = parser.parse_args()
    table, labels, new = make_tables()
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        models = {
            "forest": fit_model(table, labels, classifier="rf", method="ncs", n_splits=None),
            "blend": fit_model(table, labels, method="blend"),
            "blend, all members": with_all_members(table, labels),
        }
        measured = measure(Path(folder), models, new, options.repeats)
    rows = []
    for name, values in measured.items():
        ratios = {
            f"{key}, forests": f"{values[key] / measured['forest'][key]:.2f}"
            for key in ("one row", "10,000 rows")
        }
        facts = {key: f"{value:.4g}" for key, value in values.items()}
        rows.append({"model": name, **facts, **ratios, **machine()})
        print(rows[-1])
    print("goals for the blend:", GOALS)
    record(rows, options.out, "ensemble_speed")


if __name__ == "__main__":
    main()
