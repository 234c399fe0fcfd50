import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

import icost
from icost.datasets import load_dataset
from icost.modelfile import METHODS, fit_model, load_model, save_model
from icost.modelfile.fitting import make_folds
from icost.preprocessing import make_preprocessor, plain_table
from icost.strategies.classifiers import get_classifier
from icost.strategies.registry import STRATEGIES
from icost.strategies.training_fold import TrainingFold
from icost.thresholds import additive_scores, tune_score_offsets


# With its classes swapped, an SVM is the same only up to its solver's tolerance.
@pytest.mark.parametrize(
    ("classifier", "minority_first"), [("lr", False), ("lr", True), ("svm", False)]
)
def test_the_threshold_is_that_of_the_strategy_that_compare_recommends(classifier, minority_first):
    X, y = load_dataset("glass2", return_X_y=True)
    codes = (y == "positive").to_numpy().astype(int)
    labels = 1 - codes if minority_first else codes
    model = fit_model(X, labels, classifier=classifier, method="threshold", scaler="none")
    base = model.estimator.estimator.named_steps["classify"].base_classifier
    fitted = STRATEGIES["threshold"].fit(base, TrainingFold(X.to_numpy(), codes, 2, 0))
    assert fitted.note == f"threshold {model.estimator.threshold:.6g}"
    np.testing.assert_array_equal(
        model.predict(X) == int(not minority_first), fitted.predict(X.to_numpy())
    )


def test_a_threshold_stays_where_predictions_are_constant():
    X, y = np.zeros((30, 1)), np.repeat([0, 1], [20, 10])
    assert fit_model(X, y, method="threshold").predict(X).tolist() == [0] * 30


@pytest.mark.parametrize("classes", ["two", "three"])
def test_an_ensemble_can_be_kept(tmp_path, classes):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"] if classes == "two" else ["a", "b", "c"], 30)[:70]
    X = pd.DataFrame(
        {"x": rng.normal(size=len(y)) + (y == "b"), "t": rng.choice(["u", "v"], len(y))}
    )
    model = fit_model(X, y, classifier="dt", method="ensemble", n_splits=2)
    assert model.record["metrics_from"].startswith("rows held out of the ensemble's members")
    assert {"mcc", "f1", "g_mean"} <= set(model.record["metrics"])
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert (loaded.predict(X) == model.predict(X)).all()
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_blend_can_be_kept_and_its_size_is_known(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 12])
    X = pd.DataFrame(rng.normal(size=(62, 2)) + y[:, None], columns=["p", "q"])
    model = fit_model(X, y, method="blend", n_splits=2)
    monkeypatch.setattr("icost.modelfile.storage.LARGE_FILE", 1000)
    with pytest.warns(UserWarning, match="an ensemble keeps all of its members"):
        save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_synthetic_rows_of_a_mixed_table_are_made_before_it_is_encoded():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [60, 15])
    X = pd.DataFrame({"x": rng.normal(size=75) + (y == "yes"), "t": rng.choice(list("uvw"), 75)})
    X.loc[::7, "x"] = np.nan
    X.loc[::9, "t"] = None
    model = fit_model(X, y, classifier="dt", method="ensemble", n_splits=2)
    # The members have the preprocessing, and so see levels where a synthetic row has them.
    member = model.estimator.estimators_[0][1][0]
    assert list(member.named_steps) == ["prepare", "classify"]
    assert model.record["classifier"] == "dt" and model.record["costs"] == {}
    assert model.record["calibrated"] is True
    assert model.record["threshold"] == model.estimator.threshold_
    assert model.record["threshold_interval"] == list(model.estimator.threshold_interval_)
    own = model.estimator.oof_score_["mcc"]
    assert model.record["metric_intervals"]["mcc"] == [own["low"], own["high"]]
    found = model.predict_proba(X)[:, 1] >= model.record["threshold"]
    assert (model.predict(X) == np.where(found, "yes", "no")).all()


def test_a_blend_says_which_classifiers_it_has():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 10])
    X = pd.DataFrame(rng.normal(size=(50, 2)) + y[:, None], columns=["p", "q"])
    record = fit_model(X, y, classifier="dt", method="blend", n_splits=2).record
    assert record["classifier"].startswith("lr, svm, rf, ")
    assert ("xgboost" in record["versions"]) == record["classifier"].endswith("xgb")


def test_an_ensemble_is_calibrated_as_it_is_and_has_no_costs():
    X, y = pd.DataFrame({"x": np.arange(20.0)}), np.repeat([0, 1], [14, 6])
    with pytest.raises(ValueError, match="'ensemble' calibrates by itself: calibrate must be Fal"):
        fit_model(X, y, method="ensemble", calibrate=True)
    with pytest.raises(ValueError, match="'blend' weights no rows: costs must not be given"):
        fit_model(X, y, method="blend", costs={"cfb": 2.0})


@pytest.fixture
def flowers():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [50, 25, 12])
    shift = pd.Series(y).map({"a": 0.0, "b": 1.0, "c": 2.0}).to_numpy()
    return pd.DataFrame({"x": rng.normal(size=87) + shift, "z": rng.normal(size=87)}), y


@pytest.mark.parametrize("method", ["margin", "density", "graph", "cluster", "offsets"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_method_can_be_kept(method, n_classes, flowers, tmp_path):
    X, y = flowers
    X, y = (X, y) if n_classes == 3 else (X[y != "c"], y[y != "c"])
    model = fit_model(X, y, method=method, n_splits=2)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert (loaded.predict(X) == model.predict(X)).all()
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert ("offsets were chosen" in model.record["metrics_from"]) == (method == "offsets")


@pytest.mark.parametrize("classifier", ["lr", "svm"])
def test_offsets_are_added_to_the_scores_that_they_were_tuned_on(classifier, flowers):
    X, y = flowers
    model = fit_model(X, y, classifier=classifier, method="offsets", n_splits=3).estimator
    pipeline, codes = clone(model.estimator), np.unique(y, return_inverse=True)[1]
    kind = "predict_proba" if hasattr(pipeline, "predict_proba") else "decision_function"
    folds = make_folds(codes, 3, 0)
    held_out = cross_val_predict(pipeline, X, codes, cv=folds, method=kind)
    offsets = tune_score_offsets(codes, additive_scores(held_out, kind))
    np.testing.assert_allclose(model.offsets_, offsets)
    own = additive_scores(getattr(model.estimator_, kind)(X), kind) + offsets
    np.testing.assert_array_equal(model.predict(X), np.argmax(own, axis=1))


@pytest.mark.parametrize("multiclass", ["ovo", "direct"])
def test_how_rows_are_weighted_goes_into_the_file(multiclass, flowers, tmp_path):
    X, y = flowers
    own = {"penalty": "plausible", "scale": 0.5, "multiclass": multiclass}
    model = fit_model(X, y, method="density", n_splits=2, weighting=own)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.record["weighting"] == {name: str(value) for name, value in own.items()}
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    inner = loaded.estimator[-1]
    assert (inner.penalty, inner.scale, inner.multiclass) == ("plausible", 0.5, multiclass)


def test_unknown_ways_of_weighting_are_told(flowers):
    with pytest.raises(ValueError, match="a name in weighting must be one of 'penalty'"):
        fit_model(*flowers, weighting={"cfb": 1.0})
    with pytest.raises(ValueError, match="'ensemble' weights no rows: weighting must not be given"):
        fit_model(*flowers, method="ensemble", weighting={"scale": 1.0})


@pytest.fixture
def mixed():
    """A small mixed table with gaps, the minority of which comes first."""
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [14, 50])
    X = pd.DataFrame(
        {"x": rng.normal(size=64) + 1.5 * (y == "ill"), "t": rng.choice(["u", "v"], 64)}
    )
    X.loc[::9, "x"] = np.nan
    return X, y


@pytest.fixture
def small_blend(monkeypatch):
    bases = {name: get_classifier(name).make(0) for name in ("lr", "nb")}
    for module in ("icost.modelfile.fitting", "icost.strategies.ensembles"):
        monkeypatch.setattr(f"{module}.automatic_bases", lambda: bases)


# All that a comparison may recommend: whatever is in the table of strategies and no control.
@pytest.mark.parametrize(
    "method", [*(n for n in STRATEGIES if STRATEGIES[n].group != "control"), "threshold-cost"]
)
def test_whatever_may_be_recommended_can_be_kept(method, mixed, small_blend, tmp_path):
    X, y = mixed
    if STRATEGIES.get(method, STRATEGIES["ncs"]).group in ("resampling", "ensemble"):
        pytest.importorskip("imblearn")
    if method in ("balanced-rf", "easy-ensemble", "rusboost"):
        pytest.importorskip("imblearn")
    assert method in METHODS
    costs = {"cost_fn": 5.0} if method == "threshold-cost" else {}
    model = fit_model(X, y, method=method, n_splits=2, **costs)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.record == model.record and loaded.record["method"] == method
    assert (loaded.predict(X) == model.predict(X)).all()
    assert set(model.predict(X)) == {"ill", "well"}
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    # Better than chance on rows not seen, so that the classes have not been mixed up.
    assert model.record["minority"] == "ill" and model.record["metrics"]["mcc"] > 0
    if "roc_auc" in model.record["metrics"]:
        assert model.record["metrics"]["roc_auc"] > 0.5


@pytest.mark.parametrize("method", [n for n in STRATEGIES if STRATEGIES[n].group == "control"])
def test_controls_are_no_models_to_keep(method, mixed):
    with pytest.raises(ValueError, match=f"'{method}' is a control: it shows what a gain is due"):
        fit_model(*mixed, method=method)


def test_a_strategy_is_fitted_as_it_is_compared(mixed):
    pytest.importorskip("imblearn")
    X, y = mixed
    model = fit_model(X, y, method="smote", n_splits=2)
    rows = np.asarray(make_preprocessor(plain_table(X), "standard").fit_transform(plain_table(X)))
    fold = TrainingFold(rows, (y == "ill").astype(np.intp))
    fitted = STRATEGIES["smote"].fit(get_classifier("lr").make(0), fold)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0], fitted.proba(rows)[:, 1])
    np.testing.assert_array_equal(model.predict(X) == "ill", fitted.predict(rows) == 1)


def test_resampled_models_predict_without_what_resampled_them(mixed, tmp_path):
    pytest.importorskip("imblearn")
    save_model(fit_model(*mixed, method="smote", n_splits=2), tmp_path / "model.skops")
    mixed[0].to_csv(tmp_path / "rows.csv", index=False)
    code = (
        "import sys; sys.modules['imblearn'] = None\n"
        "import pandas as pd\n"
        "from icost.modelfile import load_model\n"
        "print(len(load_model('model.skops').predict(pd.read_csv('rows.csv'))))"
    )
    source = str(Path(icost.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "64", done.stderr


def test_a_strategy_can_be_calibrated_like_a_method(mixed, tmp_path):
    pytest.importorskip("imblearn")
    X, y = mixed
    plain, calibrated = (fit_model(X, y, method="ros", calibrate=own) for own in (False, True))
    save_model(calibrated, tmp_path / "model.skops")
    proba = load_model(tmp_path / "model.skops").predict_proba(X)[:, 0]
    assert (plain.predict(X) == calibrated.predict(X)).all()
    share = np.mean(y == "ill")
    assert abs(proba.mean() - share) < 0.03 < plain.predict_proba(X)[:, 0].mean() - share


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "threshold-cost"}, "'threshold-cost' needs cost_fn, got none"),
        ({"method": "cs", "cost_fn": 3}, "'cs' decides by no costs of errors: cost_fn must not"),
        ({"method": "smote", "groups": [1] * 64}, "'smote' heeds no groups: groups must not be"),
        ({"method": "smote", "costs": {"cfb": 2.0}}, "'smote' is fitted as it is compared: costs"),
        ({"method": "calibrated", "calibrate": True}, "'calibrated' calibrates by itself"),
        ({"method": "rusboost", "calibrate": True}, "'rusboost' cannot be calibrated"),
        ({"method": "no-such"}, "method must be one of 'ncs', 'cs', 'neighbor'"),
    ],
)
def test_what_has_no_effect_is_refused(options, said, mixed):
    with pytest.raises(ValueError, match=said):
        fit_model(*mixed, **options)


def test_a_strategy_of_two_classes_is_refused_for_three(flowers):
    with pytest.raises(ValueError, match="'threshold-cs' needs two classes, got 3"):
        fit_model(*flowers, method="threshold-cs")
    with pytest.raises(ValueError, match="cost_fn needs a target of two classes, got 3"):
        fit_model(*flowers, method="ensemble", cost_fn=3.0)


@pytest.mark.parametrize("method", ["ensemble", "ensemble-10"])
def test_ensembles_heed_costs_of_errors_and_groups(method, mixed):
    pytest.importorskip("imblearn")
    X, y = mixed
    model = fit_model(
        X, y, classifier="nb", method=method, n_splits=2, cost_fn=9.0, groups=range(64)
    )
    assert model.record["threshold"] == pytest.approx(0.1)
    assert model.record["error_costs"] == [9.0, 1.0]
