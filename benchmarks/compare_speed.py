"""How long `icost compare` takes on a mixed table: 20,000 rows, 28 columns of numbers, 12 of text.

python benchmarks/compare_speed.py --before FOLDER --out results/benchmarks
python benchmarks/compare_speed.py --stages --out results/benchmarks
python benchmarks/compare_speed.py --function --before FOLDER --out results/benchmarks

FOLDER holds the repository at the commit before, which knows no --max-rows; it is slow, so that it
runs one repeat of the folds. Every run is a command of its own, with all processors. With --stages,
the defaults, classifiers and then strategies, are timed on 3,000 x 20 and on 5,000 x 40. With
--function, `icost.comparison.compare` alone is timed on 3,000 x 20, without reading and without
judging labels, alternately with the code of FOLDER, which may be any commit that has it.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from recording import add_out, machine, record, recorded

WITHOUT_ENSEMBLE = [
    "ncs",
    "cs",
    "threshold",
    "neighbor",
    "gini",
    "smote",
    "neighbor-mean",
    "gini-mean",
]


def mixed_table(n_rows, seed=0, n_columns=40):
    """Return a table with one minority row in eleven and gaps in every fifth column."""
    rng = np.random.default_rng(seed)
    is_rare = rng.permutation(np.arange(n_rows) < n_rows // 11)
    columns = {}
    for place in range(28):
        values = rng.normal(size=n_rows) + 0.9 / (1 + place / 3) * is_rare
        scale = 10.0 ** rng.integers(-1, 3)
        columns[f"n{place}"] = scale * values if place % 3 else np.exp(values)
    for place in range(12):
        n_levels = int(rng.integers(3, 21))
        common, tilt = rng.dirichlet(np.full(n_levels, 2.0), size=2)
        of_common = rng.choice(n_levels, n_rows, p=common)
        of_rare = rng.choice(n_levels, n_rows, p=0.7 * common + 0.3 * tilt)
        levels = np.array([f"level {number}" for number in range(n_levels)], dtype=object)
        columns[f"t{place}"] = levels[np.where(is_rare, of_rare, of_common)]
    table = pd.DataFrame(columns)
    if n_columns < 40:
        # Seven of ten are numbers, the strongest first.
        numbers, texts = round(0.7 * n_columns), n_columns - round(0.7 * n_columns)
        table = table.iloc[:, [*range(numbers), *range(28, 28 + texts)]]
    for name in table.columns[::5]:
        table.loc[rng.random(n_rows) < 0.05, name] = np.nan
    return table.assign(label=np.where(is_rare, "bad", "good"))


def run(path, options, folder=None):
    """Return wall and CPU seconds of a comparison, what it found, and what it said of all rows."""
    environment = dict(os.environ)
    if folder is not None:
        environment["PYTHONPATH"] = str(Path(folder, "src").resolve())
    command = [sys.executable, "-m", "icost", "compare", str(path), "--json", *options]
    before, start = _cpu(), perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    seconds, cpu = perf_counter() - start, _cpu() - before
    told = re.search(r"would take about (.*)\.", done.stderr)
    return seconds, cpu, json.loads(done.stdout), told[1] if told else ""


def _cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_stages(out):
    """Time the defaults, three repeats, on two tables."""
    rows = recorded(out, "compare_stages")
    for n_rows, n_columns in ((3000, 20), (5000, 40)):
        size = f"{n_rows} x {n_columns}"
        if any(row["table"] == size for row in rows):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "mixed.csv")
            mixed_table(n_rows, n_columns=n_columns).to_csv(path, index=False)
            seconds, cpu, found, _ = run(path, [])
        chosen = found["candidate"]["name"]
        row = {"table": size, "seconds": f"{seconds:.1f}", "CPU seconds": f"{cpu:.1f}"}
        rows.append({**row, "chosen": chosen, "runs": str(len(found["strategies"])), **machine()})
        print(*rows[-1].values(), sep="  ", flush=True)
        record(rows, out, "compare_stages")


CALL = """
import sys
from time import process_time
import pandas as pd
from icost.comparison import compare

table = pd.read_csv(sys.argv[1])
X, y = table.drop(columns="label"), table["label"]
compare(X[:300], y[:300], classifier="lr", strategies=["ncs"], n_splits=2, n_repeats=1)
start = process_time()
compare(X, y, classifier="lr", strategies=sys.argv[2:])
print(process_time() - start)
"""

SETS = {
    "weights and resampling": ["ncs", "cs", "neighbor", "gini", "smote"],
    "tuned threshold": ["ncs", "threshold"],
    "ensemble": ["ncs", "ensemble"],
}


def time_function(before, out, rounds=3):
    """Time the function before and now, alternately, on one thread; the best of each counts."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mixed.csv")
        mixed_table(3000, n_columns=20).to_csv(path, index=False)
        for what, strategies in SETS.items():
            sources = {"before": Path(before, "src"), "now": Path(__file__).parents[1] / "src"}
            seconds = {name: [] for name in sources}
            for _ in range(rounds):
                for name, source in sources.items():
                    environment = os.environ | {"PYTHONPATH": str(source.resolve())}
                    command = [sys.executable, "-c", CALL, str(path), *strategies]
                    done = subprocess.run(
                        command, env=environment, capture_output=True, text=True, check=True
                    )
                    seconds[name].append(float(done.stdout))
            best = {name: min(values) for name, values in seconds.items()}
            row = {"strategies": what} | {f"{n}, CPU s": f"{s:.2f}" for n, s in best.items()}
            rows.append(row | {"now / before": f"{best['now'] / best['before']:.2f}", **machine()})
            print(*rows[-1].values(), sep="  ", flush=True)
    record(rows, out, "compare_function")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--before", metavar="FOLDER", help="the repository, at the commit before")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of the runs, from 0 on")
    parser.add_argument("--function", action="store_true", help="time the function instead")
    parser.add_argument("--stages", action="store_true", help="time the defaults instead")
    add_out(parser)
    options = parser.parse_args()
    if options.function and options.before is None:
        parser.error("name the code before with --before")
    if options.function:
        time_function(options.before, options.out)
        return
    if options.stages:
        time_stages(options.out)
        return
    every = [word for name in WITHOUT_ENSEMBLE for word in ("-s", name)]
    runs = [
        ("now", "5000", 3, every),
        ("now", "5000", 3, []),
        ("now", "all", 3, every),
        ("now", "all", 3, []),
        ("now", "all", 1, every),
        ("now", "all", 1, []),
        ("before", "all", 1, every),
        ("before", "all", 1, []),
    ]
    # A run that was not asked for again keeps its row.
    table = {
        (r["what"], r["rows"], r["repeats"], r["ensemble"]): r
        for r in recorded(options.out, "compare_speed")
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mixed.csv")
        mixed_table(options.rows).to_csv(path, index=False)
        for number, (what, rows, repeats, strategies) in enumerate(runs):
            is_wanted = options.only is None or number in options.only
            if not is_wanted or (what == "before" and options.before is None):
                continue
            words = ["--repeats", str(repeats), *strategies]
            words += ["--max-rows", rows] if what == "now" else []
            old = options.before if what == "before" else None
            seconds, cpu, found, told = run(path, words, old)
            row = {
                "what": what,
                "rows": rows,
                "repeats": str(repeats),
                "ensemble": "without" if strategies else "with",
                "seconds": f"{seconds:.1f}",
                "CPU seconds": f"{cpu:.1f}",
                "told that all rows take": told,
                **machine(),
            }
            table[what, rows, str(repeats), row["ensemble"]] = row
            print(*row.values(), sep="  ", flush=True)
            # At once, so that a run that is interrupted keeps what it has measured.
            record(list(table.values()), options.out, "compare_speed")
            print("   a fit:", {name: round(own, 3) for name, own in found["seconds"].items()})


if __name__ == "__main__":
    main()
