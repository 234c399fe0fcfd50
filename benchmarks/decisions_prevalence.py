"""Is the minority's share estimated well from rows without labels, and does a model gain by it?

    python benchmarks/decisions_prevalence.py FOLDER --out results/benchmarks

Halves as in `decisions_coverage.py`, logistic regression. Rows of the second half are drawn so that
the minority's odds are 0.1 to 10 times what they were. `docs/research/decisions.md` is the plan.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from decisions_coverage import done, halve, read_tables, tasks
from recording import add_out, record
from sklearn.metrics import brier_score_loss
from threadpoolctl import threadpool_limits

from icost import ThresholdClassifier, at_prevalence, estimate_prevalence
from icost.strategies._estimators import get_classifier
from icost_reproduction.rank_tests import source_of

FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""What the minority's odds are multiplied by."""
FEWEST = 60
"""Minority rows that a data set must have."""
FIELDS = ("dataset", "half", "factor", "share", "estimate", "low", "high", "plain", "moved")


def draw_rows(truth, factor, rng):
    """Return rows of which one class is thinned out; None where too few are left."""
    chance = np.where(truth == 1, min(1.0, factor), min(1.0, 1 / factor))
    rows = np.flatnonzero(rng.random(len(truth)) < chance)
    n_minority = truth[rows].sum()
    return rows if n_minority >= 10 and len(rows) - n_minority >= 30 else None


def judge(model, X, truth, factor):
    """Return the estimate, and Brier scores of the model as it is and at the true share."""
    share = truth.mean()
    at_share = at_prevalence(model, float(share))
    result = {
        "factor": factor,
        "share": share,
        "plain": brier_score_loss(truth, model.predict_proba(X)[:, 1]),
        "moved": brier_score_loss(truth, at_share.predict_proba(X)[:, 1]),
    }
    try:
        found = estimate_prevalence(model, X)
    except ValueError:
        return result
    return {**result, "estimate": found.value, "low": found.low, "high": found.high}


def run_half(table, half):
    """Yield a row per factor."""
    X, codes, X_test, truth = halve(*table, half)
    base = get_classifier("lr").make(half)
    model = ThresholdClassifier(base, 0.5, random_state=half).fit(X, codes)
    rng = np.random.default_rng(half)
    for factor in FACTORS:
        rows = draw_rows(truth, factor, rng)
        if rows is not None:
            yield judge(model, X_test[rows], truth[rows], factor)


def summarise(path):
    """Return a row per factor: means over families."""
    rows = pd.read_csv(path)
    answered = rows["estimate"].notna()
    rows = rows.assign(
        family=rows["dataset"].map(source_of),
        answered=answered,
        bias=np.log(rows["estimate"] / rows["share"]),
        off=np.log(rows["estimate"] / rows["share"]).abs(),
        covered=((rows["low"] <= rows["share"]) & (rows["share"] <= rows["high"])).where(answered),
        brier_gain=rows["plain"] - rows["moved"],
    )
    columns = ["answered", "bias", "off", "covered", "plain", "moved", "brier_gain"]
    rows["covered"] = rows["covered"].astype(float)
    families = rows.groupby(["factor", "family"])[columns].mean()
    table = families.groupby("factor").mean().round(4)
    table.insert(0, "families", families.groupby("factor").size())
    return table.reset_index()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the rows of each half are kept")
    parser.add_argument("--set", nargs="+", dest="sets", help="only these data sets")
    parser.add_argument("--halves", type=int, default=10)
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = {
        name: table for name, table in read_tables(given.sets).items() if table[1].sum() >= FEWEST
    }
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / "prevalence.csv"
    finished = done(path)
    with threadpool_limits(1), path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if file.tell() == 0:
            writer.writeheader()
        for name, half in tasks(tables, given.halves, finished):
            rows = list(run_half(tables[name], half))
            writer.writerows({"dataset": name, "half": half, **row} for row in rows)
            file.flush()
    table = summarise(path)
    print(table.to_string(index=False))
    record(table.to_dict("records"), given.out, "decisions_prevalence")


if __name__ == "__main__":
    main()
