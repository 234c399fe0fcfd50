"""Models saved by earlier code open and predict as they did.

The first nine files were saved by the commit before weights became a value, all others by the
commit before strategies were fitted in one way. ``expected.json`` holds what that commit predicted.
Files whose names end in "-small" or "-3" have fewer members than `fit_model` makes, and those that
begin with "own-" hold a bare estimator instead of a pipeline.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from icost.datasets import load_dataset
from icost.modelfile import load_model

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "expected.json").read_text())


def release(text):
    return tuple(int(part) for part in text.split(".")[:2])


pytestmark = pytest.mark.skipif(
    release(version("scikit-learn")) < release(EXPECTED["scikit-learn"]),
    reason="scikit-learn does not open models of newer versions",
)


@pytest.mark.parametrize("name", EXPECTED["models"])
def test_it_predicts_what_it_did(name):
    expected = EXPECTED["models"][name]
    kind = "multiclass" if expected["dataset"] == "wine" else "binary"
    X = load_dataset(expected["dataset"], collection=kind).data.iloc[expected["rows"]]
    model = load_model(DATA / f"{name}.skops")
    assert model.predict(X).tolist() == expected["labels"]
    if expected["proba"] is not None:
        np.testing.assert_allclose(model.predict_proba(X), expected["proba"], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "scale"), [("lr-cs-multiplier", 0.3), ("lr-neighbor-plausible", 0.3), ("lr-cs", 1.0)]
)
def test_a_multiplier_of_class_level_costs_is_the_scale(name, scale):
    model = load_model(DATA / f"{name}.skops").estimator[-1]
    assert model.get_params()["scale"] == scale
    assert not hasattr(model, "cs_multiplier")


def test_an_earlier_ensemble_is_shown_and_cloned_as_it_was_fitted():
    ensemble = load_model(DATA / "lr-ensemble.skops").estimator
    params = clone(ensemble).get_params(deep=False)
    assert params["refit"] is False and params["recalibrate"] is False
    assert repr(ensemble).startswith("iCostEnsemble(")


def test_other_class_shares_are_read_under_their_old_name():
    record = load_model(DATA / "lr-neighbor-plausible.skops").estimator[-1].complexity_
    assert record.other_class_share.shape == record.score.shape
    assert not hasattr(record, "foreign")


@pytest.mark.parametrize("path", sorted(DATA.glob("*.skops")), ids=lambda path: path.stem)
def test_every_earlier_model_is_shown_and_cloned(path):
    estimator = load_model(path).estimator
    assert repr(estimator).endswith(")")
    unfitted = clone(estimator)
    assert type(unfitted) is type(estimator) and repr(unfitted) == repr(estimator)
