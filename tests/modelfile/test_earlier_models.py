"""Models saved by earlier code open and predict as they did.

The files were saved by the commit before weights became a value; ``expected.json`` holds what that
commit predicted.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from icost.datasets import load_dataset
from icost.modelfile import load_model

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "expected.json").read_text())


def release(text):
    return tuple(int(part) for part in text.split(".")[:2])


@pytest.mark.skipif(
    release(version("scikit-learn")) < release(EXPECTED["scikit-learn"]),
    reason="scikit-learn does not open models of newer versions",
)
@pytest.mark.parametrize("name", EXPECTED["models"])
def test_it_predicts_what_it_did(name):
    expected = EXPECTED["models"][name]
    kind = "multiclass" if expected["dataset"] == "wine" else "binary"
    X = load_dataset(expected["dataset"], kind=kind).data.iloc[expected["rows"]]
    model = load_model(DATA / f"{name}.skops")
    assert model.predict(X).tolist() == expected["labels"]
    if expected["proba"] is not None:
        np.testing.assert_allclose(model.predict_proba(X), expected["proba"], rtol=1e-12)
