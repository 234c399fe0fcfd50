"""Compare the spaces in which neighbours are searched: raw, scaled to [0, 1], standardised.

    python benchmarks/neighbor_scaling.py

writes ``results/benchmarks/neighbor_scaling.csv``, a row per data set, classifier and space, and
prints the comparisons that ``docs/research/scaling.md`` registers.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from icost import iCost
from icost.datasets import DatasetUnavailable, list_datasets, load_dataset
from icost_reproduction.rank_tests import mean_interval, source_of, wilcoxon_holm

OUT = Path(__file__).parents[1] / "results" / "benchmarks" / "neighbor_scaling.csv"
SPACES = {"raw": None, "minmax": MinMaxScaler(), "standard": StandardScaler()}
CLASSIFIERS = {"lr": LogisticRegression(max_iter=1000), "svm": SVC()}
FOLDS = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=50)
SCALED = ("minmax", "standard")


def numeric_sets():
    """Yield name, columns and labels of each data set without text and missing cells."""
    for name in list_datasets(collection="binary"):
        try:
            X, y = load_dataset(name, return_X_y=True)
        except DatasetUnavailable:
            print(f"{name} cannot be read")
            continue
        if all(kind.kind in "iuf" for kind in X.dtypes) and not X.isna().to_numpy().any():
            yield name, X.to_numpy(dtype=np.float64), y.to_numpy()


def scores(X, y):
    """Yield one row per classifier, space and fold: MCC, and weights that differ from raw."""
    for train, test in FOLDS.split(X, y):
        for classifier, base in CLASSIFIERS.items():
            raw_weight = None
            for space, scaler in SPACES.items():
                model = iCost(
                    make_pipeline(StandardScaler(), base), preprocessor=clone_or_none(scaler)
                )
                model.fit(X[train], y[train])
                weight = model.sample_weight_[y[train] == model.minority_label_]
                raw_weight = weight if raw_weight is None else raw_weight
                yield {
                    "classifier": classifier,
                    "space": space,
                    "mcc": matthews_corrcoef(y[test], model.predict(X[test])),
                    "changed": float(np.mean(weight != raw_weight)),
                }


def clone_or_none(scaler):
    return None if scaler is None else clone(scaler)


def measure():
    """Return the mean of each data set, classifier and space over the folds."""
    parts = []
    for name, X, y in numeric_sets():
        rows = pd.DataFrame(scores(X, y)).groupby(["classifier", "space"], as_index=False).mean()
        parts.append(rows.assign(dataset=name))
        print(name, flush=True)
    return pd.concat(parts)[["dataset", "classifier", "space", "mcc", "changed"]]


def comparisons(means):
    """Return the four registered comparisons as a table, in percentage points of MCC."""
    wide = 100 * means.pivot(index="dataset", columns=["classifier", "space"], values="mcc")
    gains = pd.DataFrame(
        {f"{c}, {s}": wide[c, s] - wide[c, "raw"] for c in CLASSIFIERS for s in SCALED}
    )
    families = [source_of(name) for name in gains.index]
    tested = gains.assign(raw=0.0)
    p_values = wilcoxon_holm(tested, [(name, "raw") for name in gains])
    rows = {}
    for name, gain in gains.items():
        mean, low, high = mean_interval(gain)
        _, family_low, family_high = mean_interval(gain, groups=families)
        rows[name] = {
            "mean": mean,
            "low": low,
            "high": high,
            "family_low": family_low,
            "family_high": family_high,
            "wins": int((gain > 1e-7).sum()),
            "losses": int((gain < -1e-7).sum()),
            "p_holm": float(p_values.loc[name, "raw"]),
        }
    return pd.DataFrame(rows).T.round(4)


def main():
    means = measure()
    means.round(6).to_csv(OUT, index=False)
    print(means["dataset"].nunique(), "data sets")
    print(means.groupby("space")["changed"].mean())
    print(comparisons(means).to_string())


if __name__ == "__main__":
    main()
