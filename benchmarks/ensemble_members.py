"""Fit the members of all ensembles that the research plan names, once, and keep their scores.

    python benchmarks/ensemble_members.py FOLDER --classifier lr --jobs 1

One file per set, fold and classifier: for each treatment and repeat, the held-out score of every
training row and the scores of the repeat's members on the test rows. A run that was
interrupted goes on where it stopped. `docs/research/ensemble.md` is the plan.
"""

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
from imblearn.over_sampling import SMOTE
from imblearn.under_sampling import RandomUnderSampler
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from icost import NeighborComplexity, instance_weights
from icost.datasets import list_datasets
from icost.strategies._estimators import get_classifier
from icost.thresholds._scores import response_scores
from icost_reproduction.plan import load_plan
from icost_reproduction.preparation import load_table, make_fold

PROTOCOL = load_plan("honest", profile="honest").protocol
CLASSIFIERS = ("lr", "svm", "dt", "rf", "xgb")
REPEATS = {
    "plain": 4,
    "smote": 4,
    "smote-half": 2,
    "cs": 2,
    "neighbor": 1,
    "gini": 1,
    "plausible": 2,
    "under": 4,
}
"""Cross-fitted repeats of each treatment; eight of them are 40 fits."""
FOLDS = {"rf": 3, "xgb": 3}
"""Folds of the slow classifiers; the others have all five."""
BOOTSTRAPS = {"plain": 2, "smote": 2}
"""Repeats of five bootstraps, scored out of the bag."""


def smote(X, y, power, seed):
    n_minority, n_majority = int(y.sum()), int((y == 0).sum())
    wanted = round(n_minority * (n_majority / n_minority) ** power)
    if n_minority < 2 or wanted <= n_minority:
        return X, y, None
    k = min(5, n_minority - 1)
    sampler = SMOTE(sampling_strategy={1: wanted}, k_neighbors=k, random_state=seed)
    return *sampler.fit_resample(X, y), None


def plausible(X, y):
    """Weights by the share of a row's own class around it, with a mean of 1 in each class."""
    weights = np.empty(len(y))
    for code in (0, 1):
        k = min(5, len(y) - 1)
        other_class_share = NeighborComplexity(k).estimate(X, y == code).score
        shape = 0.05 + 0.95 * (1 - other_class_share)
        weights[y == code] = shape / shape.mean()
    weights[y == 1] *= (y == 0).sum() / (y == 1).sum()
    return weights


def treat(name, X, y, seed):
    """Return training rows after a treatment, and their weights."""
    if name == "plain":
        return X, y, None
    if name.startswith("smote"):
        return smote(X, y, 0.5 if name == "smote-half" else 1.0, seed)
    if name == "under":
        return *RandomUnderSampler(random_state=seed).fit_resample(X, y), None
    if name == "plausible":
        return X, y, plausible(X, y)
    options = {"minority_label": 1, "preprocessor": None, "random_state": seed}
    if name == "neighbor":
        options["n_neighbors"] = min(5, len(y) - 1)
    return X, y, instance_weights(X, y, name, **options)


def fit(base, X, y, weight, seed):
    model = clone(base)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)


def seeds(rng, number):
    return rng.randint(2**31 - 1, size=number).tolist()


def cross_fit(base, name, X, y, X_test, rng):
    """Held-out scores of the training rows, and each member's scores of the test rows."""
    held_out, test = np.empty(len(y)), []
    folds = StratifiedKFold(min(5, int(y.sum())), shuffle=True, random_state=seeds(rng, 1)[0])
    for train, rest in folds.split(X, y):
        first, second = seeds(rng, 2)
        model = fit(base, *treat(name, X[train], y[train], first), second)
        held_out[rest] = response_scores(model, X[rest])
        test.append(response_scores(model, X_test))
    return held_out, np.array(test)


def bootstrap(base, name, X, y, X_test, rng):
    """The same for five bootstraps; a row that all of them drew has no held-out score (NaN)."""
    total, times, test = np.zeros(len(y)), np.zeros(len(y)), []
    for _ in range(5):
        draw, first, second = seeds(rng, 3)
        picker = np.random.RandomState(draw)
        rows = [np.flatnonzero(y == code) for code in (0, 1)]
        drawn = np.concatenate([picker.choice(part, len(part)) for part in rows])
        model = fit(base, *treat(name, X[drawn], y[drawn], first), second)
        out = np.setdiff1d(np.arange(len(y)), drawn)
        total[out] += response_scores(model, X[out])
        times[out] += 1
        test.append(response_scores(model, X_test))
    with np.errstate(invalid="ignore"):
        return total / times, np.array(test)


def run(dataset, number, classifier, path, trees):
    table = load_table(dataset, "binary", PROTOCOL.variant)
    fold = make_fold(table, PROTOCOL, 0, number)
    X, y, base = fold.train.X, fold.train.y, get_classifier(classifier).make(PROTOCOL.seed)
    if classifier == "rf":
        base.set_params(n_estimators=trees)
    kept = {"y": y, "y_test": fold.y_test}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for way, repeats in ((cross_fit, REPEATS), (bootstrap, BOOTSTRAPS)):
            for name, n_repeats in repeats.items():
                for repeat in range(n_repeats):
                    # A seed of its own for each, so that adding treatments changes no other.
                    label = f"{'boot-' if way is bootstrap else ''}{name}:{repeat}"
                    rng = np.random.RandomState(abs(hash_of(f"{dataset} {number} {label}")))
                    held_out, test = way(base, name, X, y, fold.X_test, rng)
                    kept[f"{label}:train"], kept[f"{label}:test"] = held_out, test
        for name in ("plain", "smote"):
            model = fit(base, *treat(name, X, y, PROTOCOL.seed), PROTOCOL.seed)
            kept[f"full-{name}:test"] = response_scores(model, fold.X_test)
    temporary = path.with_suffix(".part.npz")
    np.savez_compressed(temporary, **kept)
    os.replace(temporary, path)


def hash_of(text):
    from zlib import crc32

    return crc32(text.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--classifier", action="append", choices=CLASSIFIERS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--trees", type=int, default=25, help="trees of a forest")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    work = []
    for classifier in options.classifier or CLASSIFIERS:
        for dataset in list_datasets(collection="binary"):
            for number in range(FOLDS.get(classifier, PROTOCOL.n_splits)):
                path = options.folder / f"{dataset}@{number}@{classifier}.npz"
                if not path.exists():
                    work.append((dataset, number, classifier, path, options.trees))
    for done, _ in enumerate(
        Parallel(n_jobs=options.jobs, return_as="generator")(delayed(run)(*w) for w in work), 1
    ):
        if done % 50 == 0:
            print(f"{done} of {len(work)}", flush=True)


if __name__ == "__main__":
    main()
