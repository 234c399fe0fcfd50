"""How often are promised recalls, precisions and alert rates broken on rows nobody has seen?

    nice python benchmarks/decisions_coverage.py FOLDER --out results/benchmarks
    python benchmarks/decisions_coverage.py FOLDER --summary-only --out results/benchmarks

Every data set is halved, one half chooses the cut and the other judges it. Rows are appended to
FOLDER, a file per classifier and estimator, so that a run which was stopped goes on. Where MAPIE
can be imported (``pip install --no-deps --target PEERS mapie==1.6.0``), it is run beside.
`docs/research/decisions.md` is the plan.
"""

import argparse
import csv
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from recording import add_out, record
from scipy.stats import binom
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, train_test_split
from threadpoolctl import threadpool_limits

from icost import ThresholdClassifier, iCostEnsemble
from icost._table._encoder import TableEncoder
from icost.datasets import list_datasets, load_dataset
from icost.strategies._estimators import get_classifier
from icost.thresholds._rules import Bound, choose_cut
from icost.thresholds._scores import apply_calibrator, finite_scores, response_scores
from icost_reproduction.rank_tests import source_of

LIMITS = {"recall": (0.7, 0.8, 0.9), "precision": (0.7, 0.8, 0.9), "alerts": (0.02, 0.05, 0.1)}
RUNS = (
    ("lr", "threshold", 30),
    ("lr", "ensemble", 30),
    ("lr", "ensemble-refit", 30),
    ("rf", "threshold", 8),
    ("rf", "ensemble", 8),
    ("rf", "ensemble-refit", 8),
    ("xgb", "threshold", 30),
    ("xgb", "ensemble", 30),
    ("xgb", "ensemble-refit", 30),
)
"""Classifier, estimator and number of halvings, in the order in which they are run."""
MAPIE_HALVINGS = 10
FIELDS = (
    *("dataset", "half", "form", "what", "limit", "holds", "bound", "threshold", "n_fit"),
    *("n_minority", "n_found", "n_alerts", "n_rows"),
)


def inner_folds(codes, seed):
    """Return stratified folds, as many as `ThresholdClassifier` makes."""
    n_folds = int(min(5, np.bincount(codes).min()))
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(codes, codes))


def load(name, kind):
    """Return a table and whether its rows are of the minority."""
    X, y = load_dataset(name, collection=kind, return_X_y=True)
    labels = y.astype(str)
    return X, (labels == labels.value_counts().index[-1]).to_numpy()


def halve(X, is_minority, half):
    """Return both halves of a table, encoded by the first."""
    splitter = StratifiedShuffleSplit(1, test_size=0.5, random_state=half)
    train, test = next(splitter.split(X, is_minority))
    encoder = TableEncoder().fit(X.iloc[train])
    tables = [encoder.transform(X.iloc[rows]) for rows in (train, test)]
    return tables[0], is_minority[train].astype(int), tables[1], is_minority[test].astype(int)


def empirical_cut(bound, held_out):
    """Return the best cut that keeps a limit on held-out rows, None if there is none."""
    order = np.argsort(-held_out.score, kind="stable")
    score, hit = held_out.score[order], held_out.is_minority[order]
    last = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
    hits = np.cumsum(hit)[last]
    shares = {
        "recall": hits / hit.sum(),
        "precision": hits / (last + 1),
        "alerts": (last + 1) / len(score),
    }[bound.what]
    keeps = shares <= bound.limit if bound.what == "alerts" else shares >= bound.limit
    if not keeps.any():
        return None
    place = np.flatnonzero(keeps)[0 if bound.what == "recall" else -1]
    return float(score[last[place]])


def outcome(score, truth, cut):
    """Return what a cut does to the other half."""
    is_alert = score >= cut
    return {
        "n_minority": int(truth.sum()),
        "n_found": int((is_alert & (truth == 1)).sum()),
        "n_alerts": int(is_alert.sum()),
        "n_rows": len(truth),
    }


def judge(forms, held_out, truth):
    """Yield rows for all limits: certified for each form, and the empirical cut for the refit."""
    n_fit = int(held_out.is_minority.sum())
    for what, limits in LIMITS.items():
        for limit in limits:
            bound = Bound(what, limit)
            chosen = choose_cut((bound,), held_out)
            about = {"what": what, "limit": limit, "n_fit": n_fit}
            for form, score in forms.items():
                yield {
                    **about,
                    "form": form,
                    "holds": int(chosen.holds),
                    "bound": round(chosen.bound, 4),
                    "threshold": round(chosen.threshold, 5),
                    **outcome(score, truth, chosen.threshold),
                }
            cut = empirical_cut(bound, held_out)
            if "refit" in forms:
                about |= {"form": "empirical", "holds": int(cut is not None), "threshold": cut}
                yield about | outcome(forms["refit"], truth, np.inf if cut is None else cut)


def run_threshold(base, X, codes, X_test, truth, half):
    """Yield rows of `ThresholdClassifier`, refitted and as the mean of its folds' models."""
    folds = inner_folds(codes, half)
    model = ThresholdClassifier(base, "stable", cv=folds, random_state=half).fit(X, codes)
    members = []
    for train, _ in folds:
        member = clone(base).fit(X[train], codes[train])
        scores = finite_scores(response_scores(member, X_test, model.response_method_))
        members.append(apply_calibrator(model.calibrator_, scores)[:, 1])
    forms = {"refit": model.predict_proba(X_test)[:, 1], "members": np.mean(members, axis=0)}
    yield from judge(forms, model.held_out_, truth)


def run_ensemble(base, X, codes, X_test, truth, half, refit=False):
    """Yield rows of `iCostEnsemble`, of its members or of what is refitted to all rows."""
    options = {"preprocessor": None, "threshold": None, "refit": refit}
    model = iCostEnsemble(base, random_state=half, **options).fit(X, codes)
    form = "ensemble-refit" if refit else "ensemble"
    yield from judge({form: model.predict_proba(X_test)[:, 1]}, model.held_out_, truth)


def run_mapie(base, X, codes, X_test, truth, half):
    """Yield rows of MAPIE's controller; a threshold that it does not give is left empty."""
    from mapie.risk_control import BinaryClassificationController

    fit_X, rest_X, fit_y, rest_y = train_test_split(
        X, codes, test_size=0.4, stratify=codes, random_state=half
    )
    model = clone(base).fit(fit_X, fit_y)
    score = model.predict_proba(X_test)[:, 1]
    for what in ("recall", "precision"):
        for limit in LIMITS[what]:
            control = BinaryClassificationController(
                model.predict_proba, what, target_level=limit, confidence_level=0.9
            ).calibrate(rest_X, rest_y)
            cut = control.best_predict_param
            about = {"what": what, "limit": limit, "form": "mapie", "n_fit": int(codes.sum())}
            result = outcome(score, truth, np.inf if cut is None else cut)
            yield {**about, "holds": int(cut is not None), "threshold": cut, **result}


def estimators():
    """Return what can be run, MAPIE only where it is installed."""
    runs = {"threshold": run_threshold, "ensemble": run_ensemble}
    runs["ensemble-refit"] = partial(run_ensemble, refit=True)
    try:
        import mapie  # noqa: F401
    except ImportError:
        return runs
    return {**runs, "mapie": run_mapie}


def done(path):
    """Return the data sets and halves that a file has."""
    if not path.is_file():
        return set()
    rows = pd.read_csv(path, usecols=["dataset", "half"])
    return set(zip(rows["dataset"], rows["half"], strict=True))


def tasks(names, n_halves, finished):
    """Return what is missing; a few halves of all data sets first."""
    pairs = [(half, name) for half in range(n_halves) for name in names]
    return [(name, half) for half, name in pairs if (name, half) not in finished]


def run(folder, classifier, estimator, n_halves, tables):
    """Append the rows of each missing half."""
    path = Path(folder, f"{classifier}_{estimator}.csv")
    path.parent.mkdir(parents=True, exist_ok=True)
    finished = done(path)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not finished and file.tell() == 0:
            writer.writeheader()
        for name, half in tasks(tables, n_halves, finished):
            base = get_classifier(classifier).make(half)
            halves = halve(*tables[name], half)
            if halves[1].sum() < 2:
                continue
            rows = list(estimators()[estimator](base, *halves, half))
            # In one piece, so that a run that is stopped leaves no half of a half.
            writer.writerows({"dataset": name, "half": half, **row} for row in rows)
            file.flush()


def read_tables(sets):
    """Return all tables by name; what cannot be read is named."""
    tables = {}
    for kind in ("binary", "confirmation"):
        for name in list_datasets(collection=kind):
            if sets and name not in sets:
                continue
            try:
                tables[name] = load(name, kind)
            except (OSError, ValueError) as error:
                print(f"{name}: left out, {error}")
    return tables


def with_verdict(rows):
    """Return rows with whether the limit was missed, and whether that is beyond noise."""
    what, limit = rows["what"], rows["limit"]
    hits = np.where(what == "alerts", rows["n_alerts"], rows["n_found"])
    total = np.select(
        [what == "recall", what == "precision"],
        [rows["n_minority"], rows["n_alerts"]],
        rows["n_rows"],
    )
    is_ceiling = (what == "alerts").to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / total
    chance = np.where(is_ceiling, binom.sf(hits - 1, total, limit), binom.cdf(hits, total, limit))
    raw = np.where(is_ceiling, share > limit, share < limit)
    return rows.assign(
        raw=raw,
        broken=raw & (chance < 0.1),
        recall=rows["n_found"] / rows["n_minority"],
        precision=rows["n_found"] / rows["n_alerts"].replace(0, np.nan),
        alerts=rows["n_alerts"] / rows["n_rows"],
    )


def whole_rounds(rows):
    """Return the rows of the first halvings that all data sets have."""
    counts = rows.groupby("half")["dataset"].nunique()
    is_whole = counts.reindex(range(counts.index.max() + 1), fill_value=0) == counts.max()
    return rows[rows["half"] < int(is_whole.cummin().sum())]


def summarise(folder):
    """Return a row per classifier, form, limit and data set."""
    tables = []
    for path in sorted(Path(folder).glob("*_*.csv")):
        rows = with_verdict(whole_rounds(pd.read_csv(path)))
        rows = rows.assign(classifier=path.stem.split("_")[0])
        keys = ["classifier", "form", "what", "limit", "dataset"]
        answered = rows[rows["holds"] == 1].groupby(keys)
        about = rows.groupby(keys).agg(halves=("half", "nunique"), n_fit=("n_fit", "median"))
        means = answered[["raw", "broken", "recall", "precision", "alerts"]].mean().round(3)
        counts = answered.size().rename("answers")
        tables.append(about.join(counts).fillna({"answers": 0}).join(means).reset_index())
    table = pd.concat(tables, ignore_index=True)
    return table.astype({"answers": int, "n_fit": int})


def by_family(table):
    """Return rates by classifier, form and limit: means of families, large and small apart."""
    table = table.assign(
        family=table["dataset"].map(source_of), answered=table["answers"] / table["halves"]
    )
    sizes = np.where(table["n_fit"] >= 30, ">=30", "<30")
    table = pd.concat([table.assign(rows=sizes), table.assign(rows="all")])
    keys = ["classifier", "form", "what", "limit", "rows"]
    columns = ["answered", "raw", "broken", "recall", "precision", "alerts"]
    families = table.groupby([*keys, "family"])[columns].mean()
    result = families.groupby(keys).mean()
    has_rate = families["broken"].dropna()
    result["families"] = has_rate.groupby(keys).size()
    result["within 15 %"] = (has_rate <= 0.15).groupby(keys).mean()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the rows of each half are kept")
    parser.add_argument("--set", nargs="+", dest="sets", help="only these data sets")
    parser.add_argument("--classifier", nargs="+", help="only these classifiers")
    parser.add_argument("--halves", type=int, help="at most so many halves")
    parser.add_argument("--summary-only", action="store_true", help="fit nothing more")
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = list(RUNS)
    if "mapie" in estimators():
        runs += [("lr", "mapie", MAPIE_HALVINGS), ("xgb", "mapie", MAPIE_HALVINGS)]
    if not given.summary_only:
        tables = read_tables(given.sets)
        with threadpool_limits(1):
            for classifier, estimator, n_halves in runs:
                if not given.classifier or classifier in given.classifier:
                    n_halves = min(n_halves, given.halves or n_halves)
                    run(given.folder, classifier, estimator, n_halves, tables)
    table = summarise(given.folder)
    pd.set_option("display.width", 200, "display.max_rows", 400, "display.max_columns", 20)
    print(by_family(table).round(3))
    if given.out:
        record(table.to_dict("records"), given.out, "decisions_coverage")


if __name__ == "__main__":
    main()
