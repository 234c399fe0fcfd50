"""Compare forms of the ensemble on the scores that `ensemble_members.py` kept.

    python benchmarks/ensemble_search.py FOLDER --jobs 2

No classifier is fitted: a form is a mix of cross-fitted repeats, a calibration and a cut. Baselines
are the recorded rows of the honest study, on the same folds. `docs/research/ensemble.md` is the
plan; its tables come from here.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from recording import add_out, record
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from icost.datasets import list_datasets
from icost.metrics import confusion_matrices, confusion_scores
from icost.thresholds._cuts import SmoothedScores, widest_best_cut
from icost.thresholds._scores import fit_calibrator
from icost_reproduction.evaluation import Results
from icost_reproduction.rank_tests import source_of

CLASSIFIERS = ("lr", "svm", "dt", "rf", "xgb")
BASELINES = ("ncs", "threshold", "smote")
FIRST = ("plain:0", "smote:0", "smote-half:0", "smote:1")
"""The form that earlier trials ended with."""


def repeats(name, *numbers):
    return tuple(f"{name}:{number}" for number in numbers)


MIXES = {
    "plain 5": repeats("plain", 0),
    "smote 5": repeats("smote", 0),
    "cs 5": repeats("cs", 0),
    "under 5": repeats("under", 0),
    "plain 10": repeats("plain", 0, 1),
    "smote 10": repeats("smote", 0, 1),
    "plain + smote 10": ("plain:0", "smote:0"),
    "plain + smote-half 10": ("plain:0", "smote-half:0"),
    "plain + cs 10": ("plain:0", "cs:0"),
    "plain + plausible 10": ("plain:0", "plausible:0"),
    "plain + under 10": ("plain:0", "under:0"),
    "smote + smote-half 10": ("smote:0", "smote-half:0"),
    "plain 20": repeats("plain", 0, 1, 2, 3),
    "smote 20": repeats("smote", 0, 1, 2, 3),
    "under 20": repeats("under", 0, 1, 2, 3),
    "plain, smote, smote-half, smote 20": FIRST,
    "plain, plain, smote, smote 20": ("plain:0", "plain:1", "smote:0", "smote:1"),
    "plain, smote, smote-half, cs 20": ("plain:0", "smote:0", "smote-half:0", "cs:0"),
    "plain, plain, cs, cs 20": ("plain:0", "plain:1", "cs:0", "cs:1"),
    "plain, smote, neighbor, gini 20": ("plain:0", "smote:0", "neighbor:0", "gini:0"),
    "plain, smote, plausible, smote 20": ("plain:0", "smote:0", "plausible:0", "smote:1"),
    "plain, cs, neighbor, gini 20": ("plain:0", "cs:0", "neighbor:0", "gini:0"),
    "plain, smote, under, smote 20": ("plain:0", "smote:0", "under:0", "smote:1"),
    "plain ×3, smote ×3, smote-half ×2 40": (
        *repeats("plain", 0, 1, 2),
        *repeats("smote", 0, 1, 2),
        *repeats("smote-half", 0, 1),
    ),
    "plain ×2, smote ×4, smote-half ×2 40": (
        *repeats("plain", 0, 1),
        *repeats("smote", 0, 1, 2, 3),
        *repeats("smote-half", 0, 1),
    ),
    "all eight treatments 40": tuple(
        f"{name}:0"
        for name in ("plain", "smote", "smote-half", "cs", "neighbor", "gini", "plausible", "under")
    ),
    "boot plain + smote 10": ("boot-plain:0", "boot-smote:0"),
    "boot plain ×2, smote ×2 20": (*repeats("boot-plain", 0, 1), *repeats("boot-smote", 0, 1)),
}
CUTS = ("half", "best", "median", "smooth", "mean")
CALIBRATIONS = ("none", "logistic", "isotonic")
BLENDS = {
    "blend lr, svm, rf, xgb": ("lr", "svm", "rf", "xgb"),
    "blend lr, rf, xgb": ("lr", "rf", "xgb"),
    "blend rf, xgb": ("rf", "xgb"),
    "blend all five": CLASSIFIERS,
}


def calibrated(kept, label, how):
    """Held-out scores of one repeat after calibration, and the mean of its members' test scores."""
    # Many mixes share a repeat: each is calibrated once.
    key = f"{label}:{how}"
    if key not in kept:
        kept[key] = _calibrate(kept, label, how)
    return kept[key]


def _calibrate(kept, label, how):
    train, test = kept[f"{label}:train"], kept[f"{label}:test"]
    if how == "none":
        return train, test.mean(axis=0)
    known = ~np.isnan(train)
    y = kept["y"]
    if how == "isotonic":
        model = IsotonicRegression(out_of_bounds="clip").fit(train[known], y[known])
        new = np.mean([model.predict(scores) for scores in test], axis=0)
        return _filled(train, known, model.predict(train[known])), new
    model = fit_calibrator(train[known, None], y[known])
    new = np.mean([model.predict_proba(scores[:, None])[:, 1] for scores in test], axis=0)
    return _filled(train, known, model.predict_proba(train[known, None])[:, 1]), new


def _filled(train, known, values):
    filled = np.full(len(train), np.nan)
    filled[known] = values
    return filled


def best_cut(truth, scores, weight):
    """Return the cut with the best MCC."""
    return widest_best_cut(*np.unique(scores, return_inverse=True), truth, weight, "mcc")


def cut_of(y, scores, how, seed=0):
    known = ~np.isnan(scores)
    truth, scores = y[known] == 1, scores[known]
    weight = np.ones(len(truth))
    if how == "half":
        return 0.5
    if how == "best":
        return best_cut(truth, scores, weight)
    cuts = []
    if how in ("median", "mean"):
        rng = np.random.RandomState(seed)
        groups = [np.flatnonzero(truth), np.flatnonzero(~truth)]
        draws = [np.concatenate([rng.choice(g, len(g)) for g in groups]) for _ in range(25)]
        found = [best_cut(truth[i], scores[i], weight[i]) for i in draws]
        cuts.append(np.median(found))
    if how in ("smooth", "mean"):
        cuts.append(SmoothedScores(truth, scores, "mcc").best_cut(weight))
    return float(np.mean(cuts))


def mcc(y, decided):
    matrix = confusion_matrices(y, decided.astype(np.intp)[None], 2)
    return float(confusion_scores(matrix, names=["mcc"])["mcc"][0])


def mixed(kept, mix, how):
    pairs = [calibrated(kept, label, how) for label in mix]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a row that every bootstrap drew
        train = np.nanmean([train for train, _ in pairs], axis=0)
    return train, np.mean([test for _, test in pairs], axis=0)


def forms():
    """All single-classifier forms: name, mix, calibration, cut."""
    for name, mix in MIXES.items():
        yield name, mix, "logistic", "mean"
    for name in ("plain, smote, smote-half, smote 20", "plain + smote 10"):
        for how in CALIBRATIONS:
            for cut in CUTS:
                if (how, cut) != ("logistic", "mean") and (how != "none" or cut != "half"):
                    yield f"{name}; {how}, {cut}", MIXES[name], how, cut


def rows_of(folder, dataset, number):
    """All forms on one fold of one set, of the classifiers that were tried on it."""
    paths = {c: folder / f"{dataset}@{number}@{c}.npz" for c in CLASSIFIERS}
    kept = {c: dict(np.load(path)) for c, path in paths.items() if path.exists()}
    y, y_test = kept["lr"]["y"], kept["lr"]["y_test"]
    rows = []

    def add(form, classifier, train, test, cut):
        threshold = cut_of(y, train, cut)
        row = {"dataset": dataset, "fold": number, "classifier": classifier, "form": form}
        row["mcc"] = mcc(y_test, test >= threshold)
        if test.min() >= 0 and test.max() <= 1:
            row["brier"] = brier_score_loss(y_test, test)
        rows.append(row)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for classifier, own in kept.items():
            for form, mix, how, cut in forms():
                add(form, classifier, *mixed(own, mix, how), cut)
            train, _ = mixed(own, FIRST, "none")
            for name in ("plain", "smote"):
                if classifier in ("lr", "svm"):
                    add(f"refit {name}", classifier, train, own[f"full-{name}:test"], "mean")
        for blend, members in BLENDS.items():
            if not kept.keys() >= set(members):
                continue
            for name in ("plain, smote, smote-half, smote 20", "plain + smote 10"):
                pairs = [mixed(kept[c], MIXES[name], "logistic") for c in members]
                train, test = (np.mean(part, axis=0) for part in zip(*pairs, strict=True))
                add(f"{blend}; {name}", "blend", train, test, "mean")
    return rows


def baselines(datasets):
    rows = Results("results", "honest").rows("honest")
    rows = rows[rows["strategy"].isin(BASELINES) & (rows["repeat"] == 0) & (rows["setting"] == 0)]
    rows = rows[rows["classifier"].isin(CLASSIFIERS) & rows["dataset"].isin(datasets)]
    matrices = np.stack(rows["confusion"].to_list()).reshape(-1, 2, 2)
    found = rows[["dataset", "fold", "classifier", "strategy"]].copy()
    found["mcc"] = confusion_scores(matrices, names=["mcc"])["mcc"]
    return found.astype({"dataset": str, "classifier": str, "strategy": str})


def on_folds(base, table):
    """Mean of each baseline per set, over the folds that a table has."""
    folds = table[["dataset", "fold"]].drop_duplicates()
    means = base.merge(folds).groupby(["classifier", "strategy", "dataset"])["mcc"].mean()
    return means.unstack()


def summarise(table, base):
    """One line per form: differences to the best single baseline, an oracle's choice."""
    source = pd.Series({name: source_of(name) for name in list_datasets(collection="binary")})
    lines = []
    for (form, classifier), rows in table.groupby(["form", "classifier"]):
        rivals = on_folds(base, rows)
        if classifier != "blend":
            rivals = rivals.loc[[classifier]]
        rival = rivals.mean(axis=1).idxmax()
        scores = rows.groupby("dataset")["mcc"].mean()
        gain = 100 * (scores - rivals.loc[rival].reindex(scores.index))
        by_source = gain.groupby(source.reindex(gain.index)).mean()
        lines.append(
            {
                "form": form,
                "classifier": classifier,
                "mcc": f"{100 * scores.mean():.2f}",
                "over": f"{rival[0]} {rival[1]}",
                "gain": f"{gain.mean():+.2f}",
                "by source": f"{by_source.mean():+.2f}",
                "median": f"{gain.median():+.2f}",
                "wins": int((gain > 1e-9).sum()),
                "losses": int((gain < -1e-9).sum()),
                "brier": f"{rows['brier'].mean():.4f}",
                "merit": f"{(gain.mean() + by_source.mean()) / 2:+.3f}",
            }
        )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    add_out(parser)
    options = parser.parse_args()
    datasets = list_datasets(collection="binary")
    work = [
        (dataset, number)
        for dataset in datasets
        for number in range(5)
        if any(options.folder.glob(f"{dataset}@{number}@*.npz"))
    ]
    results = Parallel(n_jobs=options.jobs)(
        delayed(rows_of)(options.folder, dataset, number) for dataset, number in work
    )
    table = pd.DataFrame([row for rows in results for row in rows])
    lines = summarise(table, baselines(sorted({d for d, _ in work})))
    record(lines, options.out, "ensemble_search")
    frame = pd.DataFrame(lines).astype({"merit": float})
    single = frame[frame["classifier"] != "blend"]
    single = single[~single["form"].str.startswith("refit")]
    print(single.groupby("form")["merit"].mean().sort_values().to_string())
    print(frame[frame["form"].str.startswith(("blend", "refit"))].to_string())


if __name__ == "__main__":
    main()
