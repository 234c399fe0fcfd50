"""Model files: what goes in comes out, and nothing else does."""

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from icost import WeightedBootstrap, complexity, iCost
from icost.cli._app import run
from icost.complexity._methods import MEASURES
from icost.datasets import load_dataset
from icost.modelfile import (
    ColumnsDiffer,
    ModelFileError,
    SavedModel,
    UntrustedTypes,
    _storage,
    fit_model,
    load_model,
    read_record,
    save_model,
)
from icost.modelfile._storage import ALLOWED_TYPES
from icost.modelfile._table_check import version_differences

skops = pytest.importorskip("skops.io")

STORED = Path(__file__).parent / "stored"
RECORD = {
    "classifier": "lr",
    "method": "ncs",
    "calibrated": False,
    "target": "ill",
    "classes": ["no", "yes"],
    "minority": "yes",
    "rows": 4,
    "columns": [{"name": "age", "kind": "number"}],
    "metrics": {},
    "metrics_from": "none",
    "versions": {},
}


@pytest.fixture(scope="module")
def abalone():
    return load_dataset("abalone", return_X_y=True)


NAMES = ["lr", "svm", "dt", "rf", "hgb", "et", "ridge", "nb"]
# From scikit-learn 1.7 on, neural networks take weights.
NAMES += ["mlp"] if has_fit_parameter(MLPClassifier, "sample_weight") else []


@pytest.mark.parametrize("classifier", NAMES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_classifier_of_scikit_learn_comes_back(abalone, classifier, tmp_path):
    check_round_trip(abalone, classifier, tmp_path)


@pytest.mark.parametrize(("classifier", "package"), [("xgb", "xgboost"), ("lgbm", "lightgbm")])
@pytest.mark.filterwarnings("ignore")
def test_boosters_come_back(abalone, classifier, package, tmp_path):
    pytest.importorskip(package)
    check_round_trip(abalone, classifier, tmp_path)


def check_round_trip(data, classifier, folder):
    X, y = data
    model = fit_model(X, y, classifier=classifier, n_splits=2)
    save_model(model, folder / "m.skops")
    loaded = load_model(folder / "m.skops")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.record == model.record


@pytest.mark.parametrize("method", ["ncs", "cs", "gini", "smote"])
@pytest.mark.parametrize("calibrate", [False, True])
def test_methods_and_calibration_come_back(abalone, method, calibrate, tmp_path):
    X, y = abalone
    model = fit_model(X, y, method=method, calibrate=calibrate, n_splits=3)
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert np.allclose(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("measure", sorted({name for name, _ in MEASURES.values()}))
def test_measures_come_back_as_objects(abalone, measure):
    X, y = abalone[0].select_dtypes("number")[:300], abalone[1][:300]
    method = getattr(complexity, measure)()
    model = iCost(WeightedBootstrap(GaussianNB()), method=method).fit(X, y)
    content = skops.dumps(model)
    assert set(skops.get_untrusted_types(data=content)) <= ALLOWED_TYPES
    loaded = skops.loads(content, trusted=sorted(ALLOWED_TYPES))
    assert (loaded.predict(X) == model.predict(X)).all()


def test_a_foreign_type_is_listed_and_refused_unless_named(tmp_path):
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import make_scorer, matthews_corrcoef

    # Parameters are kept as they are, whatever they may be.
    classifier = LogisticRegression(C=make_scorer(matthews_corrcoef))
    foreign = SavedModel(classifier, RECORD)
    save_model(foreign, tmp_path / "foreign.skops")
    with pytest.raises(UntrustedTypes, match="matthews_corrcoef") as caught:
        load_model(tmp_path / "foreign.skops")
    assert all(name.startswith("sklearn.") for name in caught.value.names)
    assert load_model(tmp_path / "foreign.skops", trust=caught.value.names).record == RECORD


def test_a_file_that_names_a_function_to_call_does_not_call_it(tmp_path):
    victim = tmp_path / "victim"
    victim.touch()
    schema = {
        "__class__": "remove",
        "__module__": "os",
        "__loader__": "FunctionNode",
        "__id__": 1,
        "content": {"module_path": "os", "function": "remove"},
        "protocol": 2,
        "_skops_version": "0.11",
    }
    path = tmp_path / "evil.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
        archive.writestr("icost.json", json.dumps({"format": 1, **RECORD}))
    with pytest.raises(ModelFileError):
        load_model(path)
    assert victim.exists() and callable(os.remove)


def test_files_that_are_no_models(tmp_path):
    cases = {
        "empty": (b"", "the file is empty"),
        "pickle": (pickle.dumps([1]), "this is a pickle"),
        "text": (b"hello", "not a skops file"),
        "zip": (zip_of({"a.txt": "x"}), "not a model that icost saved"),
        "newer": (zip_of({"icost.json": '{"format": 2}', "schema.json": "{}"}), "got 2"),
        "damaged": (zip_of({"icost.json": '{"format": 1}', "schema.json": "{}"}), "damaged"),
    }
    for name, (content, message) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=message):
            load_model(path)


def with_record(path, folder, text):
    """Save a copy of a model file with another record."""
    copy = folder / "copy.skops"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(copy, "w") as other:
        for name in archive.namelist():
            other.writestr(name, text if name == "icost.json" else archive.read(name))
    return copy


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("classes", None),
        ("classes", []),
        ("classes", ["positive"]),
        ("classes", [["positive"], "negative"]),
        ("columns", "RI"),
        ("columns", []),
        ("columns", [{"name": "RI"}]),
        ("columns", [5]),
        ("rows", "many"),
        ("metrics", {"mcc": "high"}),
        ("metrics", [0.5]),
        ("versions", {"numpy": 2}),
        ("minority", ["positive"]),
        ("calibrated", "yes"),
        ("threshold", "low"),
        ("threshold_interval", 0.5),
        ("cuts", [{"found": 0.5}]),
        ("notes", "none"),
    ],
    ids=str,
)
def test_an_altered_record_is_called_damaged(name, value, tmp_path):
    path = STORED / "floor.skops"
    record = {**read_record(path), name: value}
    copy = with_record(path, tmp_path, json.dumps(record))
    # Another version refuses the model before its classes are compared with the record.
    is_same = read_record(path)["versions"]["scikit-learn"] == sklearn.__version__
    said = "record in this file is damaged" if is_same else "in this file is damaged"
    with pytest.raises(ModelFileError, match=said):
        load_model(copy)
    assert run(["predict", str(copy), "rows.csv"]) == 1


@pytest.mark.parametrize("name", [*RECORD, "cuts", "threshold_interval"])
def test_a_record_that_lacks_an_entry_is_called_damaged(name, tmp_path):
    path = STORED / "floor.skops"
    record = {key: value for key, value in read_record(path).items() if key != name}
    with pytest.raises(ModelFileError, match=f"damaged: '{name}' is missing"):
        read_record(with_record(path, tmp_path, json.dumps(record)))


def test_a_record_that_nests_without_end_is_refused(tmp_path):
    copy = with_record(STORED / "weights.skops", tmp_path, "[" * 100_000)
    with pytest.raises(ModelFileError, match="not a skops file"):
        read_record(copy)


@pytest.mark.parametrize("name", ["icost.json", "schema.json"])
def test_texts_that_unpack_to_too_much_are_not_read(name, tmp_path, monkeypatch):
    monkeypatch.setattr(_storage, "LARGEST_TEXT", 2**20)
    large = tmp_path / "large.skops"
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in ("icost.json", "schema.json"):
            archive.writestr(part, " " * 2**21 if part == name else "{}")
    with pytest.raises(ModelFileError, match=f"{name} in this file must have at most 1 MB"):
        load_model(large)


@pytest.mark.parametrize("content", [{"a": [1]}, [1, 2], "text", "a scaler", "a regressor", None])
def test_a_file_whose_content_is_no_classifier(tmp_path, content):
    made = {"a scaler": StandardScaler(), "a regressor": LinearRegression()}
    content = made.get(content, content) if isinstance(content, str) else content
    save_model(SavedModel(content, RECORD), tmp_path / "model.skops")
    with pytest.raises(ModelFileError, match="the file must hold a classifier, got ") as caught:
        load_model(tmp_path / "model.skops")
    assert type(content).__name__ in str(caught.value)


def zip_of(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_a_file_cut_short(abalone, tmp_path):
    save_model(fit_model(*abalone, n_splits=2), tmp_path / "m.skops")
    whole = (tmp_path / "m.skops").read_bytes()
    (tmp_path / "part.skops").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelFileError, match="only a part"):
        read_record(tmp_path / "part.skops")


def test_the_record_tells_how_the_model_was_made(abalone, tmp_path):
    save_model(fit_model(*abalone, method="neighbor", costs={"cfb": 0.7}), tmp_path / "m")
    record = read_record(tmp_path / "m")
    assert record["target"] == "Class" and record["minority"] == "positive"
    sex = {"name": "Sex", "kind": "text", "gaps": 0.0, "levels": ["F", "I", "M"]}
    assert record["columns"][0] == sex
    assert record["costs"]["cfb"] == 0.7
    assert 0 < record["metrics"]["mcc"] < 1
    assert set(record["versions"]) >= {"python", "icost-learn", "scikit-learn", "numpy"}
    assert version_differences(record) == []


def test_the_record_says_where_metrics_come_from(abalone):
    for method in ("neighbor", "threshold"):
        record = fit_model(*abalone, method=method, n_splits=2).record
        assert record["metrics_from"] == "2 stratified folds"
    record = fit_model(*abalone, method="cs", calibrate=True, n_splits=2).record
    assert "2 stratified folds" in record["metrics_from"]
    assert "before calibration" in record["metrics_from"]


def test_versions_that_differ_are_named():
    record = {"versions": {"scikit-learn": "0.1.2", "numpy": "9.9"}}
    first, second = version_differences(record)
    assert first.startswith("scikit-learn 0.1.2, now") and second.startswith("numpy 9.9, now")


def test_versions_of_any_package_are_looked_up():
    now = version_differences({"versions": {"pytest": "0.1", "no-such-package": "1.0"}})
    assert "not installed" not in now[0] and now[1] == "no-such-package 1.0, now not installed"


def test_columns_may_come_in_any_order_with_others(abalone):
    X, y = abalone
    model = fit_model(X, y, n_splits=2)
    shuffled = X[X.columns[::-1]].assign(extra=1)
    assert (model.predict(shuffled) == model.predict(X)).all()
    with pytest.raises(ColumnsDiffer, match="lacks column 'Sex' of the model"):
        model.predict(X.drop(columns="Sex"))


def test_labels_keep_their_type(abalone):
    X, y = abalone
    for labels in ({"positive": 7, "negative": 3}, {"positive": False, "negative": True}):
        model = fit_model(X, y.map(labels), n_splits=2)
        assert set(model.predict(X).tolist()) == set(labels.values())
        assert model.record["minority"] == labels["positive"]


def test_no_probabilities_is_said(abalone):
    model = fit_model(*abalone, classifier="svm", n_splits=2)
    with pytest.raises(ValueError, match="'svm' has no probabilities: fit it with calibration"):
        model.predict_proba(abalone[0])


def test_a_bare_estimator_is_refused(tmp_path):
    with pytest.raises(TypeError, match="fit_model .*got StandardScaler"):
        save_model(StandardScaler(), tmp_path / "m.skops")
    assert not (tmp_path / "m.skops").exists()
