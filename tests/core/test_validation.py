import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from icost import ThresholdClassifier, iCost, iCostEnsemble, instance_weights, label_quality
from icost._core.validation import as_array, check_not_empty, did_you_mean, import_extra


def test_a_package_that_is_not_installed_comes_with_its_extra():
    with pytest.raises(ImportError, match=r"Flying needs antigravitation, .*icost-learn\[sky\]"):
        import_extra("antigravitation.wings", "sky", "Flying")


def test_a_missing_package_that_needs_no_extra_names_none():
    with pytest.raises(ImportError, match=r"not installed: pip install icost-learn$"):
        import_extra("antigravitation", "", "Flying")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import antigravitation", "No module named 'antigravitation'"),
        ("raise ImportError('libwings.so: cannot open')", "libwings.so: cannot open"),
    ],
)
def test_a_package_that_breaks_speaks_for_itself(content, message, tmp_path, monkeypatch):
    (tmp_path / "broken_wings.py").write_text(content)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=f"^{message}"):
        import_extra("broken_wings", "sky", "Flying")


@pytest.mark.parametrize(
    "fit",
    [
        iCost(LogisticRegression()).fit,
        iCostEnsemble(LogisticRegression()).fit,
        ThresholdClassifier(LogisticRegression()).fit,
        label_quality,
        instance_weights,
    ],
)
def test_two_columns_of_one_name_are_refused(fit):
    table = pd.DataFrame(np.eye(20)[:, :3], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="Column names must be unique, got 'a' more than once"):
        fit(table, [0] * 12 + [1] * 8)


def test_what_has_a_type_keeps_it_and_text_in_lists_stays_beside_numbers():
    assert as_array(np.array([["a"], ["b"]])).dtype.kind == "U"
    assert as_array([[1.0], [2.0]]).dtype.kind == "f"
    assert as_array([["a", 1.5], ["b", 2.5]]).tolist() == [["a", 1.5], ["b", 2.5]]


@pytest.mark.parametrize(
    ("X", "what"), [([], "row"), (np.empty((0, 3)), "row"), (np.empty((3, 0)), "column")]
)
def test_an_empty_table_says_what_it_lacks(X, what):
    with pytest.raises(ValueError, match=f"at least one {what}"):
        check_not_empty(X)


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("AGE", ["age", "wage"], "did you mean 'age'?"),
        ("patient", ["age", "patient_nr"], "did you mean 'patient_nr'?"),
        ("ill", ["was ill"], ""),
        (3, ["age"], ""),
        ("sick", ["sex", "age"], ""),
    ],
)
def test_a_name_is_offered_only_if_it_is_likely(name, names, expected):
    assert did_you_mean(name, names) == expected
