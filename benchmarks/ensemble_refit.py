"""Compare ensembles that keep all members with refitted ones, and probabilities with the last step.

    python benchmarks/ensemble_refit.py --out results/benchmarks
    python benchmarks/ensemble_refit.py --out results/benchmarks --evaluate

What it is for, and how it is judged, stands in docs/research/refit.md. Rows that the table has
already are not computed again. Forms of one fold share their fits; CPU seconds are what each of
them would have taken alone.
"""

import argparse
import pickle
import warnings
from time import process_time

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from scipy.stats import ttest_1samp, wilcoxon
from sklearn.metrics import log_loss, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from icost._core.labels import class_totals, encode_labels, find_minority
from icost._table._columns import plain_table
from icost.datasets import get_record, list_datasets, load_dataset
from icost.ensemble._icost_ensemble import FEW_ROWS
from icost.strategies._estimators import get_classifier
from icost.strategies._fitting import fit_estimator, prepare_fold
from icost.strategies._registry import build_ensemble

SEED = 50
N_THIRDS = 3
MARGIN = 0.01
KINDS = ("confirmation", "multiclass")
CLASSIFIERS = {
    "blend": ("lr", "svm", "rf", "xgb"),
    "blend-hgb": ("lr", "svm", "rf", "hgb"),
    "lr": ("lr",),
    "rf": ("rf",),
    "xgb": ("xgb",),
    "dt": ("dt",),
}
SINGLE = ("lr", "rf", "xgb")
SHARED_ROWS = ("kr-vs-k", "car")
"""Beginnings of names of data sets that share rows."""


def read_table(name, kind):
    """Return a plain table and its codes; for two classes, 1 is the minority."""
    bunch = load_dataset(name, collection=kind)
    classes, codes = encode_labels(bunch.target.to_numpy())
    if len(classes) == 2 and find_minority(class_totals(codes)) == 0:
        codes = 1 - codes
    return plain_table(bunch.data), codes, len(classes)


def make_fold(name, kind, third):
    """Return a training fold, and the numbers and codes of its test rows."""
    table, codes, n_classes = read_table(name, kind)
    splitter = StratifiedKFold(N_THIRDS, shuffle=True, random_state=SEED)
    train, test = list(splitter.split(codes, codes))[third]
    fold, unseen = prepare_fold(
        table, codes, train, test, n_classes=n_classes, random_state=SEED + third
    )
    return fold, unseen, codes[test]


def scores_of(model, X, codes):
    """Return the scores of a fitted model on test rows, and the CPU seconds of prediction."""
    start = process_time()
    proba = model.predict_proba(X)
    seconds = process_time() - start
    clipped = np.clip(proba, 1e-6, None)
    is_class = np.eye(proba.shape[1])[codes]
    # For two classes, as everywhere, the squares of the minority alone.
    brier = ((proba - is_class) ** 2).sum(axis=1).mean() / (2 if proba.shape[1] == 2 else 1)
    return {
        "mcc": matthews_corrcoef(codes, model.predict(X)),
        "log_loss": log_loss(codes, clipped / clipped.sum(axis=1, keepdims=True)),
        "brier": brier,
        "predict_cpu": seconds,
    }


def run_classifier(names, fold, X, codes):
    """Yield the scores of each form, with and without the last step."""
    bases = [get_classifier(name).make(SEED) for name in names]
    for form, refit in (("members", False), ("refit", True)):
        options = {"minority_label": fold.minority, "costs": None, "random_state": SEED}
        model = build_ensemble(bases, refit=refit, recalibrate=True, **options)
        start = process_time()
        result = fit_estimator(model, fold)
        cpu = process_time() - start + result.saved_cpu
        facts = {"oof_mcc": model.oof_score_["mcc"]["value"], "cpu": cpu}
        facts["kilobytes"] = len(pickle.dumps(model)) / 1024
        # With few rows of a class there is no last step.
        slope = 1.0 if model.recalibration_ is None else model.recalibration_[0]
        yield {"form": f"{form}+last", **scores_of(model, X, codes), **facts, "slope": slope}
        # Decisions are the same without it, by the threshold before it was mapped.
        decided = scores_of(model, X, codes)["mcc"]
        model.recalibration_ = None
        raw = scores_of(model, X, codes) | {"mcc": decided}
        yield {"form": form, **raw, **facts, "slope": 1.0}


def run(kind, name, third, classifiers):
    """Return the rows of some classifiers on one data set and third."""
    fold, unseen, codes = make_fold(name, kind, third)
    rows = []
    for classifier in classifiers:
        for scores in run_classifier(CLASSIFIERS[classifier], fold, unseen, codes):
            values = {k: v if k == "form" else f"{v:.6g}" for k, v in scores.items()}
            place = {"kind": kind, "dataset": name, "third": third, "classifier": classifier}
            rows.append(place | values)
    return rows


def data_sets(kind):
    """Return the records of data sets that need no download, by name."""
    records = {name: get_record(name, kind) for name in list_datasets(kind)}
    return {name: entry for name, entry in records.items() if entry.source != "download"}


def tasks():
    """Return all data sets of each third, the small ones first."""
    ordered = sorted(
        (kind, entry.n, entry.name) for kind in KINDS for entry in data_sets(kind).values()
    )
    return [(kind, name, third) for third in range(N_THIRDS) for kind, _, name in ordered]


def family(name):
    """Return the family of a data set: those of one family share rows."""
    return next((start for start in SHARED_ROWS if name.startswith(start)), name)


def read_rows(rows, thirds=None):
    """Return recorded rows of complete thirds, or of some of them, as a table of numbers."""
    table = pd.DataFrame(rows)
    numbers = table.columns[5:]
    table[numbers] = table[numbers].astype(float)
    table["third"] = table["third"].astype(int)
    parts = []
    for kind, own in table.groupby("kind"):
        sizes = own.groupby("third")["dataset"].nunique()
        full = sizes.index[sizes == len(data_sets(kind))]
        parts.append(own[own["third"].isin(full if thirds is None else full.intersection(thirds))])
    table = without_few(pd.concat(parts))
    table["gap"] = table["oof_mcc"] - table["mcc"]
    return table


def without_few(table):
    """Return the table with forms as they are: no last step where a class has few rows."""
    keys = ["kind", "dataset", "third", "classifier", "form"]
    rarest = {
        name: min(entry.class_counts.values())
        for kind in KINDS
        for name, entry in data_sets(kind).items()
    }
    is_few = (table["dataset"].map(rarest) * (N_THIRDS - 1) / N_THIRDS).round() < FEW_ROWS
    plain = table[is_few & ~table["form"].str.endswith("+last")].copy()
    plain["form"] += "+last"
    replaced = table.set_index(keys)
    replaced.update(plain.set_index(keys))
    return replaced.reset_index()


def by_family(table, kind, classifiers, forms, value):
    """Return the difference of two forms, (classifier, form) each, for each family."""
    rows = table[table["kind"] == kind]
    means = rows.groupby(["classifier", "form", "dataset"])[value].mean()
    (first, form), (second, other) = forms
    differences = [
        means[first or classifier, form] - means[second or classifier, other]
        for classifier in classifiers
    ]
    mean = sum(differences) / len(differences)
    return mean.groupby(mean.index.map(family)).mean().to_numpy()


def with_interval(values):
    """Return a mean over families with its 95 % bootstrap interval, as text."""
    rng = np.random.default_rng(0)
    means = rng.choice(values, (10_000, len(values))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{values.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


QUESTIONS = (
    ("1 recalibration, blend", "confirmation", ("blend",), "log_loss"),
    ("2 recalibration, single classifiers", "confirmation", SINGLE, "log_loss"),
    ("3 recalibration, several classes", "multiclass", ("blend",), "log_loss"),
    ("4 refit, blend", "confirmation", ("blend",), "mcc"),
    ("5 refit, single classifiers", "confirmation", SINGLE, "mcc"),
)
LAST = ((None, "members+last"), (None, "members"))
REFIT = ((None, "refit+last"), (None, "members+last"))
WITHOUT_XGBOOST = (("blend-hgb", "refit+last"), ("blend", "refit+last"))


def holm(p_values):
    """Return p values after Holm's correction."""
    order, corrected, largest = np.argsort(p_values), np.empty(len(p_values)), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def question_lines(table):
    """Yield the answers to the registered questions as lines of a table."""
    p_values, cells = [], []
    for label, kind, classifiers, value in QUESTIONS:
        values = by_family(table, kind, classifiers, LAST if value == "log_loss" else REFIT, value)
        if value == "log_loss":
            p_values.append(wilcoxon(values, alternative="less").pvalue)
        else:
            p_values.append(ttest_1samp(values, -MARGIN, alternative="greater").pvalue)
        counts = f"{np.sum(values < 0)}–{np.sum(values > 0)} of {len(values)}"
        name = "log loss" if value == "log_loss" else "MCC"
        cells.append((label, name, with_interval(values), counts))
    yield "| question | score | difference | lower–higher, families | p | p (Holm) |"
    yield "|---|---|---|---|---|---|"
    for own, p, corrected in zip(cells, p_values, holm(np.array(p_values)), strict=True):
        yield f"| {' | '.join(own)} | {p:.4f} | {corrected:.4f} |"


def difference_lines(table):
    """Yield what refitting changes for each classifier, and what a missing XGBoost does."""
    yield "| | MCC | log loss | Brier score |"
    yield "|---|---|---|---|"
    pairs = [(f"refit − members, {name}", name, REFIT) for name in CLASSIFIERS]
    pairs.append(("HistGradientBoosting − XGBoost in the blend", "blend", WITHOUT_XGBOOST))
    for label, name, pair in pairs:
        cells = [
            with_interval(by_family(table, "confirmation", (name,), pair, value))
            for value in ("mcc", "log_loss", "brier")
        ]
        yield f"| {label} | {' | '.join(cells)} |"


def form_lines(table):
    """Yield means over data sets of each form: scores, times in CPU seconds, and sizes."""
    yield (
        "| | form | MCC | log loss | Brier score | out-of-fold − test MCC | slope, median "
        "| fit, s | prediction, ms | MB |"
    )
    yield f"|{'---|' * 10}"
    for (kind, classifier, form), rows in table.groupby(["kind", "classifier", "form"]):
        means = rows.drop(columns=["kind", "classifier", "form"]).groupby("dataset").mean().mean()
        name = f"{classifier}, several classes" if kind == "multiclass" else classifier
        cells = [f"{means[value]:.4f}" for value in ("mcc", "log_loss", "brier")]
        cells += [f"{means['gap']:+.4f}", f"{rows['slope'].median():.2f}", f"{means['cpu']:.2f}"]
        cells += [f"{1000 * means['predict_cpu']:.1f}", f"{means['kilobytes'] / 1024:.2f}"]
        yield f"| {name} | {form.replace('+last', ', recalibrated')} | {' | '.join(cells)} |"


def evaluate(rows, thirds=None):
    """Yield all tables of the page as lines of Markdown."""
    table = read_rows(rows, thirds)
    for lines in (question_lines, difference_lines, form_lines):
        yield from lines(table)
        yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluate", action="store_true", help="only evaluate recorded rows")
    parser.add_argument("--third", type=int, action="append", help="evaluate only this one")
    add_out(parser)
    options = parser.parse_args()
    rows = recorded(options.out, "refit")
    done = {(r["kind"], r["dataset"], int(r["third"]), r["classifier"]) for r in rows}
    for task in [] if options.evaluate else tasks():
        wanted = ["blend"] if task[0] == "multiclass" else CLASSIFIERS
        missing = [name for name in wanted if (*task, name) not in done]
        if not missing:
            continue
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows += run(*task, missing)
        record(rows, options.out, "refit")
        print(*task, flush=True)
    print(*evaluate(rows, options.third), sep="\n")


if __name__ == "__main__":
    main()
