"""The table check: whether a table fits a model, and which packages a model needs."""

from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest

from icost.modelfile._table_check import (
    MOST_LEVELS,
    ColumnsDiffer,
    check_table,
    current_versions,
    describe_columns,
    text_columns,
    unseen_levels,
    version_differences,
)

RECORD = {
    "columns": [
        {"name": "age", "kind": "number"},
        {"name": "code", "kind": "text", "levels": ["1", "7"]},
    ]
}


def test_columns_are_described_with_gaps_ranges_and_levels():
    table = pd.DataFrame({"age": [31.0, np.nan, 8.0], "code": ["7", None, None]})
    assert describe_columns(table) == [
        {"name": "age", "kind": "number", "gaps": 1 / 3, "low": 8.0, "high": 31.0},
        {"name": "code", "kind": "text", "gaps": 2 / 3, "levels": ["7"]},
    ]
    (empty,) = describe_columns(pd.DataFrame({"age": [np.nan]}))
    assert empty == {"name": "age", "kind": "number", "gaps": 1.0}


@pytest.mark.parametrize(("n_levels", "is_kept"), [(MOST_LEVELS, True), (MOST_LEVELS + 1, False)])
def test_very_many_levels_are_not_kept(n_levels, is_kept):
    (column,) = describe_columns(pd.DataFrame({"name": [f"n{i}" for i in range(n_levels)] * 3}))
    assert ("levels" in column) == is_kept and column["kind"] == "text"


def test_columns_are_found_by_name_and_others_are_left_out():
    table = check_table(
        pd.DataFrame({"note": ["a", "b"], "code": ["1", "x"], "age": [1.0, 2.0]}), RECORD
    )
    assert list(table) == ["age", "code"]
    assert table["code"].tolist() == ["1", "x"] and table["age"].tolist() == [1.0, 2.0]


def test_codes_that_were_read_as_numbers_are_text_again():
    table = check_table(pd.DataFrame({"age": [1, 2, 3], "code": [7.0, np.nan, 0.5]}), RECORD)
    assert table["code"].tolist()[::2] == ["7", "0.5"] and pd.isna(table["code"][1])
    assert unseen_levels(pd.DataFrame({"age": [1], "code": [7.0]}), RECORD) == {}


def test_missing_columns_are_named_with_what_is_there_instead():
    with pytest.raises(ColumnsDiffer) as one:
        check_table(pd.DataFrame({"Age": [1.0], "code": ["1"]}), RECORD)
    assert str(one.value) == "The table lacks column 'age' of the model; it has 'Age' instead."
    with pytest.raises(ColumnsDiffer, match=r"lacks columns 'age', 'code' of the model; it has "):
        check_table(pd.DataFrame({"x": [1.0]}), RECORD)
    with pytest.raises(ColumnsDiffer, match=r"lacks column 'code' of the model\.$"):
        check_table(pd.DataFrame({"age": [1.0]}), RECORD)


@pytest.mark.parametrize(
    ("n_columns", "end"), [(8, "'c7' instead."), (9, "'c7' and 1 more instead.")]
)
def test_long_lists_of_columns_are_cut(n_columns, end):
    table = pd.DataFrame({f"c{i}": [1.0] for i in range(n_columns)})
    with pytest.raises(ColumnsDiffer) as error:
        check_table(table, RECORD)
    assert str(error.value).endswith(end)


def test_text_in_a_column_of_numbers_is_refused():
    with pytest.raises(ColumnsDiffer) as error:
        check_table(pd.DataFrame({"age": ["old"], "code": ["1"]}), RECORD)
    assert str(error.value).endswith("in column 'age', the table has text: 'old' in row 1.")


def test_levels_that_the_model_has_not_seen():
    table = pd.DataFrame({"age": [1.0] * 4, "code": ["9", "1", "8", None]})
    assert unseen_levels(table, RECORD) == {"code": ["8", "9"]}
    # A column with too many levels to keep has none that could be missing.
    record = {"columns": [{"name": "code", "kind": "text"}]}
    assert unseen_levels(table, record) == {} and text_columns(record) == ["code"]
    assert text_columns(RECORD) == ["code"]


def test_versions_are_of_what_every_model_needs_and_of_what_is_named():
    alone = current_versions("")
    assert list(alone) == ["python", "icost-learn", "scikit-learn", "numpy", "skops"]
    assert alone["numpy"] == version("numpy")
    assert list(current_versions("", "xgboost")) == [*alone, "xgboost"]


def test_patches_of_a_package_are_no_difference():
    major, minor, *_ = version("numpy").split(".")
    assert version_differences({"versions": {"numpy": f"{major}.{minor}.999"}}) == []
    (text,) = version_differences({"versions": {"numpy": f"{major}.999.0"}})
    assert text == f"numpy {major}.999.0, now {version('numpy')}"
    assert version_differences({"versions": {"none-such": "1.0"}}) == [
        "none-such 1.0, now not installed"
    ]
    assert version_differences({}) == []


def test_a_dict_is_no_table():
    with pytest.raises(TypeError, match="X must be a table with a row for each prediction"):
        check_table({"age": 5}, {"columns": [{"name": "age", "kind": "number"}]})
