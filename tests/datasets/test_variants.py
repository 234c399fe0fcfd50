from dataclasses import replace

import pandas as pd
import pytest

from icost.datasets import get_record
from icost.datasets.variants import as_published

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
def test_encodings(encoding, columns, sex):
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
