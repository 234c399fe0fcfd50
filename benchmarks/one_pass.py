"""What the pass of iCostAuto is worth: variants on development data, then the recorded benchmark.

    python benchmarks/one_pass.py develop --out results/benchmarks
    python benchmarks/one_pass.py confirm --out results/benchmarks
    python benchmarks/one_pass.py guessing --out results/benchmarks
    python benchmarks/one_pass.py speed --out results/benchmarks
    python benchmarks/one_pass.py evaluate --out results/benchmarks

What is asked, and how it is judged, stands in docs/research/one_pass.md. Rows that the tables have
are not computed again. One core.
"""

import argparse
import os
import warnings
from contextlib import nullcontext
from time import process_time
from unittest.mock import patch

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    matthews_corrcoef,
    recall_score,
)
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from icost import TableEncoder, iCostAuto
from icost._pass.library import default_library, named_candidate
from icost.datasets import list_datasets, load_dataset
from icost.ensemble import _icost_auto as home

FAMILIES = (
    *("glass1", "new-thyroid1", "vehicle1", "yeast-1_vs_7", "pima", "wisconsin", "ecoli3"),
    *("cleveland-0_vs_4", "vowel", "page-blocks-1-3_vs_4", "abalone", "winequality-red-8_vs_6"),
    *("shuttle-c0-vs-c4", "poker-8-9_vs_6", "kddcup-land_vs_satan"),
)
"""One data set per family of the paper's: development."""
N_OUTER = 5
SEED, N_THIRDS = 50, 3
SHARED_ROWS = ("kr-vs-k", "car")


def library_with(*more):
    """Return a library with further candidates."""

    def library(n_rows, n_columns, is_sparse=False):
        usual = default_library(n_rows, n_columns, is_sparse)
        return [*usual, *(named_candidate(*parts) for parts in more)]

    return patch.object(home, "default_library", library)


def everybody(out_of_fold, rows):
    """Return all candidates: none is dropped."""
    return list(out_of_fold.scores)


SMOTE = (("lr", "smote"), ("svm", "smote"))
VARIANTS = {
    # What was the default in development: twice up to 1,000 rows, with copies on SMOTE's rows.
    "default": ({}, lambda: library_with(*SMOTE)),
    "forest": ({}, lambda: library_with(*SMOTE, ("rf",), ("rf", "smote"))),
    "no smote": ({}, nullcontext),
    "weights": ({}, lambda: library_with(*SMOTE, ("lr", "cs"), ("lr", "neighbor"))),
    "all": ({}, lambda: patch.object(home, "survivors", everybody)),
    "one repeat": ({"n_repeats": 1}, lambda: library_with(*SMOTE)),
    "two repeats": ({"n_repeats": 2}, lambda: library_with(*SMOTE)),
    "few": ({"candidates": ["lr", "hgb", "et"]}, nullcontext),
    "confirmed": ({}, nullcontext),
}


def family(name):
    """Return the family of a data set: those of one family share rows."""
    return next((start for start in SHARED_ROWS if name.startswith(start)), name)


def fit_and_score(model, X_train, y_train, X_test, truth):
    """Return the measured columns of one row; ``truth`` is 1 for the minority of the test rows."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X_train, y_train)
    cpu = process_time() - start
    column = list(model.classes_).index(model.minority_label_)
    proba = np.clip(model.predict_proba(X_test)[:, column], 1e-6, 1 - 1e-6)
    decided = (model.predict(X_test) == model.minority_label_).astype(int)
    expected = model.expected_
    values = {
        "mcc": matthews_corrcoef(truth, decided),
        "f1": f1_score(truth, decided),
        "recall": recall_score(truth, decided),
        "pr_auc": average_precision_score(truth, proba),
        "brier": brier_score_loss(truth, proba),
        "log_loss": log_loss(truth, proba, labels=[0, 1]),
        "expected": expected["mcc"]["value"],
        "low": expected["mcc"]["low"],
        "high": expected["mcc"]["high"],
        "expected_recall": expected["sensitivity"]["value"],
        "cpu": cpu,
        "n_minority": int(np.sum(np.asarray(y_train) == model.minority_label_)),
    }
    row = {name: f"{value:.6g}" for name, value in values.items()}
    return row | {"guessing": str(int(model.is_guessing_)), "kept": " ".join(model.blend_.names)}


def splits_of(name, collection, n_splits, seed):
    """Yield number, training and test tables and labels of the splits of a data set."""
    X, y = load_dataset(name, collection=collection, return_X_y=True)
    counts = y.value_counts()
    minority = counts.index[-1]
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    target = (y == minority).astype(int) if collection else y
    for number, (train, test) in enumerate(folds.split(X, target)):
        rows = X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]
        yield number, rows


def run(tasks, variants, out, table):
    """Fit what the table lacks, split by split through all data sets."""
    rows = recorded(out, table)
    seen = {(row["dataset"], row["split"], row["variant"]) for row in rows}
    for name, number, data in tasks:
        for variant in variants:
            if (name, str(number), variant) in seen:
                continue
            X_train, y_train, X_test, y_test = data
            options, context = VARIANTS[variant]
            model = iCostAuto(**options)
            with context():
                minority = y_train.value_counts().index[-1]
                truth = (y_test == minority).astype(int)
                values = fit_and_score(model, X_train, y_train, X_test, truth)
            rows.append({"dataset": name, "split": str(number), "variant": variant} | values)
            record(rows, out, table)
            print(name, number, variant, values["mcc"], values["cpu"], flush=True)


def develop(options):
    """Run all variants on the development data."""
    pending = {name: list(splits_of(name, None, N_OUTER, 0)) for name in FAMILIES}
    tasks = [(name, *pending[name][number]) for number in range(N_OUTER) for name in FAMILIES]
    run(tasks, options.variants or list(VARIANTS)[:-1], options.out, "one_pass_develop")


def confirm(options):
    """Run the default on the recorded benchmark."""
    names = list_datasets(collection="confirmation")
    pending = {name: list(splits_of(name, "confirmation", N_THIRDS, SEED)) for name in names}
    tasks = [(name, *pending[name][third]) for third in range(N_THIRDS) for name in names]
    run(tasks, ["confirmed"], options.out, "one_pass")


def noise(number):
    """Return a table without a signal, as those of benchmarks/guessing.py."""
    rng = np.random.default_rng(number)
    y = rng.permutation(np.repeat(["usual", "rare"], [262, 38]))
    return pd.DataFrame(rng.normal(size=(300, 8))), pd.Series(y)


def guessing(options):
    """Ask whether 100 tables of noise, and the paper's data sets, are better than guessing."""
    rows = recorded(options.out, "one_pass_guessing")
    seen = {row["table"] for row in rows}
    tables = [(f"noise {number}", lambda n=number: noise(n)) for number in range(100)]
    tables += [
        (name, lambda n=name: load_dataset(n, return_X_y=True)) for name in list_datasets("binary")
    ]
    for name, load in tables:
        if name in seen:
            continue
        X, y = load()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = iCostAuto().fit(X, y)
        fewest = int(y.value_counts().min())
        rows.append({"table": name, "guessing": int(model.is_guessing_), "n_minority": fewest})
        record(rows, options.out, "one_pass_guessing")
        print(*rows[-1].values(), flush=True)


def tables_of_sizes():
    """Yield tables by name: a recorded one, and made ones with numbers and levels."""
    yield "yeast4, 1,484 × 8", load_dataset("yeast4", return_X_y=True)
    for n_rows, n_columns, n_levels in ((3_000, 20, 0), (229_142, 13, 4), (100_000, 20, 0)):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(n_rows, n_columns))).add_prefix("x")
        signal = X["x0"] * X["x1"] + X["x2"]
        for place in range(n_levels):
            X[f"x{place + 5}"] = rng.integers(0, 5 * 10**place, n_rows).astype(str)
        share = 0.002 if n_rows == 100_000 else 0.08
        noisy = signal + rng.normal(size=n_rows)
        y = pd.Series(np.where(noisy > noisy.quantile(1 - share), "rare", "usual"))
        yield f"{n_rows:,} × {n_columns}, {100 * share:g} % rare", (X, y)


def speed(options):
    """Measure CPU seconds of a fit beside those of cross-validating one booster on five folds."""
    rows = []
    for name, (X, y) in tables_of_sizes():
        seconds = []
        for fit in (lambda X, y: iCostAuto().fit(X, y), cross_validate_boosting):
            start = process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit(X, y)
            seconds.append(process_time() - start)
        row = {"table": name, "cpu": f"{seconds[0]:.1f}", "boosting": f"{seconds[1]:.1f}"}
        rows.append(row | {"ratio": f"{seconds[0] / seconds[1]:.2f}"})
        record(rows, options.out, "one_pass_speed")
        print(*rows[-1].values(), flush=True)


def cross_validate_boosting(X, y):
    """Cross-validate one booster, with the same encoder, on five folds."""
    booster = make_pipeline(TableEncoder(), HistGradientBoostingClassifier(random_state=0))
    cross_val_score(booster, X, y, cv=5)


def interval(values, level=95):
    """Return a mean with its bootstrap interval over families."""
    values = np.asarray(values, dtype=float)
    draws = np.random.default_rng(0).choice(values, (10_000, len(values))).mean(axis=1)
    low, high = np.percentile(draws, [50 - level / 2, 50 + level / 2])
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def by_families(values):
    """Return means of families: of the splits of a data set first, then of data sets."""
    means = values.groupby("dataset").mean()
    return means.groupby(means.index.map(family)).mean()


def development_lines(out):
    """Yield what was tried in development, each variant beside the default of that time."""
    table = pd.DataFrame(recorded(out, "one_pass_develop"))
    numbers = ["mcc", "pr_auc", "log_loss", "cpu", "expected", "n_minority"]
    table[numbers] = table[numbers].astype(float)
    pairs = table.set_index(["variant", "dataset", "split"])[numbers].sort_index()
    base = pairs.loc["default"]
    yield "| variant − default | families × splits | MCC | log loss | PR AUC | CPU ratio |"
    yield "|---|---|---|---|---|---|"
    sizes = {"": base["n_minority"] > 0, ", few rows": base["n_minority"] < 20}
    for variant in [v for v in VARIANTS if v in pairs.index and v != "default"]:
        for title, chosen in sizes.items():
            # On the same splits: some variants were stopped when others had decided.
            gap = (pairs.loc[variant] - base[chosen]).dropna()
            ratio = (pairs.loc[variant, "cpu"] / base[chosen]["cpu"]).dropna()
            means = gap.groupby("dataset").mean()
            cells = " | ".join(interval(means[m]) for m in ("mcc", "log_loss", "pr_auc"))
            n_splits = len(gap) / len(means)
            cpu = ratio.groupby("dataset").mean().median()
            yield f"| {variant}{title} | {len(means)} × {n_splits:.1f} | {cells} | {cpu:.2f} |"
    means = base.groupby("dataset").mean()
    before = pd.DataFrame(recorded(out, "auto_choice"))
    before = before.assign(mcc=before["two stages: MCC"].astype(float))
    earlier = before.groupby("dataset")["mcc"].mean().reindex(means.index)
    yield f"Expected − scored MCC: {interval(means['expected'] - means['mcc'], 90)} (90 %)."
    yield f"MCC − that of the earlier default: {interval((means['mcc'] - earlier).dropna())}."


def guessing_lines(out):
    """Yield how many tables of noise get a recommendation, and which real ones get none."""
    table = pd.DataFrame(recorded(out, "one_pass_guessing"))
    if not len(table):
        return
    is_noise, refused = table["table"].str.startswith("noise"), table["guessing"].astype(int) == 1
    names = ", ".join(table["table"][~is_noise & refused]) or "none"
    n_recommended = (~refused[is_noise]).sum()
    yield f"Tables of noise with a recommendation: {n_recommended} of {is_noise.sum()}."
    yield f"Data sets of the paper's that are refused: {names}, of {(~is_noise).sum()}."


def confirmation_lines(out):
    """Yield the recorded benchmark: differences to what is recorded, and the score expected."""
    table = pd.DataFrame(recorded(out, "one_pass"))
    columns = ["mcc", "f1", "pr_auc", "brier", "log_loss", "cpu", "expected", "n_minority"]
    table[columns] = table[columns].astype(float)
    own = table.set_index(["dataset", "split"])[columns].sort_index()
    rivals = pd.DataFrame([*recorded(out, "automl"), *recorded(out, "automl_peers")])
    shared = columns[:-2]
    rivals[shared] = rivals[shared].astype(float)
    yield "| the pass − | MCC | log loss | PR AUC | Brier | better–worse log loss |"
    yield "|---|---|---|---|---|---|"
    for model, rows in rivals.groupby("model"):
        other = rows.set_index(["dataset", "third"])[shared].rename_axis(own.index.names)
        gap = by_families((own[shared] - other).dropna())
        cells = " | ".join(interval(gap[m]) for m in ("mcc", "log_loss", "pr_auc", "brier"))
        better, worse = (gap["log_loss"] < 0).sum(), (gap["log_loss"] > 0).sum()
        yield f"| {model.replace('iCostAuto', 'earlier default')} | {cells} | {better}–{worse} |"
    gap = own["expected"] - own["mcc"]
    few = own["n_minority"] < 20
    for title, chosen in {
        "all": few | ~few,
        "20 minority rows or more": ~few,
        "fewer": few,
    }.items():
        values = by_families(gap[chosen])
        yield f"| expected − scored MCC, {title} | {len(values)} | {interval(values, 90)} |"


def evaluate(out):
    """Yield the tables of the page as lines of Markdown."""
    yield from development_lines(out)
    yield ""
    yield from guessing_lines(out)
    yield ""
    yield "| table | CPU s | one booster, five folds, CPU s | ratio |"
    yield "|---|---|---|---|"
    for row in recorded(out, "one_pass_speed"):
        yield f"| {' | '.join(row.values())} |"
    yield ""
    yield from confirmation_lines(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["develop", "confirm", "guessing", "speed", "evaluate"])
    parser.add_argument("--variants", nargs="*", choices=list(VARIANTS))
    add_out(parser)
    options = parser.parse_args()
    if options.what == "evaluate":
        print(*evaluate(options.out), sep="\n")
        return
    steps = {"develop": develop, "confirm": confirm, "guessing": guessing, "speed": speed}
    steps[options.what](options)


if __name__ == "__main__":
    main()
