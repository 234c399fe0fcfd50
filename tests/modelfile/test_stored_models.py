"""Stored model files open, and predict what they did when they were saved.

There is one file for each sort of model. A change to the attributes of a model, or to the name of a
saved type, fails here: before the first release, save the files anew with ``--update-snapshots``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from icost.datasets import load_dataset
from icost.modelfile import fit_model, load_model, save_model

pytest.importorskip("skops.io")

FOLDER = Path(__file__).parent / "stored"
MODELS = {
    "weights": {"method": "neighbor"},
    "weights-calibrated": {"method": "gini", "classifier": "dt", "calibrate": True},
    "resampled": {"method": "smote", "classifier": "nb"},
    "threshold": {"method": "threshold"},
    "floor": {"method": "threshold", "decide": "recall>=0.5"},
    "ensemble": {"method": "ensemble"},
    "boosting": {"method": "cs", "classifier": "hgb"},
    "three-classes": {"method": "offsets"},
}


def release(text):
    return tuple(int(part) for part in text.split(".")[:2])


def table(name):
    if name == "three-classes":
        return load_dataset("wine", collection="multiclass", return_X_y=True)
    return load_dataset("glass2", return_X_y=True)


@pytest.mark.parametrize("name", MODELS)
def test_a_stored_model_predicts_what_it_did(name, request):
    X, y = table(name)
    rows = X.iloc[::20]
    path = FOLDER / f"{name}.skops"
    if request.config.getoption("--update-snapshots", default=False):
        model = fit_model(X, y, n_splits=2, **MODELS[name])
        FOLDER.mkdir(exist_ok=True)
        save_model(model, path)
        facts = {"scikit-learn": version("scikit-learn"), "labels": model.predict(rows).tolist()}
        facts["proba"] = model.predict_proba(rows).tolist()
        path.with_suffix(".json").write_text(json.dumps(facts) + "\n", "utf-8")
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    if release(version("scikit-learn")) < release(expected["scikit-learn"]):
        pytest.skip("scikit-learn does not open models of newer versions")
    model = load_model(path)
    assert model.predict(rows).tolist() == expected["labels"]
    np.testing.assert_allclose(model.predict_proba(rows), expected["proba"], rtol=1e-12)
    unfitted = clone(model.estimator)
    assert type(unfitted) is type(model.estimator) and repr(unfitted) == repr(model.estimator)


def test_every_stored_file_is_tested():
    assert {path.stem for path in FOLDER.glob("*.skops")} == set(MODELS)
