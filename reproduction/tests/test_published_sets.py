"""The authors' copies of the data sets, by what the paper prints and by hand."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from icost.datasets import get_record, list_datasets
from icost_reproduction import load_published
from icost_reproduction._internals import read_registry
from icost_reproduction.published_sets import as_published, read_published_sets

_BESIDE = Path(__file__).parents[3] / "shared" / "data" / "multiclass"


def test_every_set_of_the_paper_is_there_and_no_other():
    assert list(read_published_sets()) == list_datasets()


def test_a_table_differs_from_the_file_where_something_is_said_to_differ():
    for record in map(get_record, list_datasets()):
        paper = read_published_sets()[record.name]
        assert sum(paper.class_counts.values()) == record.n - paper.lost_first_row
        quirk = paper.lost_first_row or paper.encoding or record.name.startswith("kdd")
        assert (record.checksum != paper.checksum) == bool(quirk), record.name


def test_binary_sets_have_the_shape_of_the_paper():
    """As published; the paper counts the class as a feature."""
    for record in read_registry():
        if record.collection == "binary":
            paper = read_published_sets()[record.name]
            counts = paper.class_counts.values()
            assert sum(counts) == paper.paper_n
            assert round(max(counts) / min(counts), 2) == paper.paper_ir


def test_multiclass_sets_have_the_shape_of_the_paper():
    for record in map(get_record, list_datasets("multiclass")):
        paper = read_published_sets()[record.name]
        assert (paper.paper_n, paper.paper_d, paper.paper_ir) == (record.n, record.d, None)
        assert paper.class_counts == record.class_counts


@pytest.mark.parametrize("name", list_datasets("binary"))
def test_as_published(name):
    """Rows, features and imbalance of the paper's table, which counts the class as a feature."""
    paper, bunch = read_published_sets()[name], load_published(name)
    assert len(bunch.data) == paper.paper_n
    assert bunch.data.shape[1] + 1 == paper.paper_d
    assert round(bunch.imbalance_ratio, 2) == paper.paper_ir
    assert bunch.class_counts == paper.class_counts
    assert bunch.checksum == paper.checksum
    assert all(dtype.kind in "if" for dtype in bunch.data.dtypes)
    assert int(bunch.data.isna().to_numpy().sum()) == get_record(name).n_missing
    assert bunch.minority_label == "positive"


DOWNLOADED = [record.name for record in read_registry() if record.source == "download"]


@pytest.mark.parametrize("name", DOWNLOADED)
def test_downloaded_sets_as_published(name, monkeypatch):
    folder = Path(os.environ.get("ICOST_DATA", _BESIDE))
    if not folder.is_dir():
        pytest.skip("needs the five multiclass tables: set ICOST_DATA to their folder")
    monkeypatch.setenv("ICOST_DATA", str(folder))
    bunch = load_published(name, download=False)
    assert bunch.checksum == read_published_sets()[name].checksum
    assert all(dtype.kind in "if" for dtype in bunch.data.dtypes)


def test_first_rows_by_hand():
    coded = load_published("abalone").data["Sex"]
    assert coded.head(19).tolist() == [0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 2]


def test_missing_cells_stay_missing():
    cleveland = load_published("cleveland-0_vs_4").data
    gaps = np.argwhere(cleveland.isna().to_numpy()).tolist()
    # Lines 61, 102, 159 and 163 of the file; the data start at line 17.
    assert gaps == [[44, 12], [85, 11], [142, 11], [146, 11]]


def test_description():
    text = load_published("kddcup-land_vs_satan").DESCR
    assert "1609 rows, 38 features" in text and "imbalance ratio 79.45" in text
    assert "the first row of the file is left out" in text and "Cite: J. Alcalá-Fdez" in text


def test_yeast_by_kind():
    assert len(load_published("yeast").class_counts) == 2
    assert load_published("yeast", "multiclass").name == "yeast-multiclass"


def test_sets_that_the_paper_lacks_are_not_published():
    with pytest.raises(ValueError, match="must be a set of the paper, got 'wdbc'"):
        load_published("wdbc")


X = pd.DataFrame(
    {
        "Sex": pd.Categorical(["F", "M", "I", "M"]),
        "flag": pd.Categorical(["0", "3", "0", None]),
        "size": [0.1, 0.2, None, 0.4],
    }
)
Y = pd.Series(["n", "p", "n", "p"], name="y")
PLAIN = replace(read_published_sets()["glass2"], lost_first_row=False, encoding="")


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
