"""``icost predict``: notes on probabilities, and on columns that do not fit."""

import pandas as pd
import pytest


@pytest.mark.parametrize(
    ("options", "is_noted"),
    [
        (("-s", "cs"), True),
        (("-s", "smote"), True),
        (("-s", "ncs"), False),
        (("-s", "cs", "--calibrate"), False),
    ],
)
def test_shifted_probabilities_are_called_so_once(icost, patients, options, is_noted):
    fit = icost("fit", patients, "-t", "ill", *options, "-c", "nb", "-o", "m.skops")
    assert fit[0] == 0, fit
    code, out, err = icost("predict", "m.skops", patients, "--proba")
    assert code == 0 and out.startswith("prediction,")
    assert err.count("not calibrated") == err.count("--calibrate") == is_noted
    assert "not calibrated" not in icost("predict", "m.skops", patients)[2]


def test_a_missing_column_is_not_set_against_the_target(icost, patients):
    assert icost("fit", patients, "-t", "ill", "-s", "ncs", "-o", "m.skops")[0] == 0
    table = pd.read_csv(patients)
    table.drop(columns="pulse").to_csv("less.csv", index=False)
    code, _, err = icost("predict", "m.skops", "less.csv")
    assert code == 1 and "'pulse'" in err and "ill" not in err and "instead" not in err
    table.rename(columns={"pulse": "puls"}).to_csv("other.csv", index=False)
    assert "it has 'puls' instead" in icost("predict", "m.skops", "other.csv")[2]


def test_words_among_numbers_can_be_declared_missing(icost, patients):
    assert icost("fit", patients, "-t", "ill", "-s", "ncs", "-o", "m.skops")[0] == 0
    table = pd.read_csv(patients, dtype=str).drop(columns="ill")
    table.loc[[4, 9], "pulse"] = "high"
    table.to_csv("new.csv", index=False)
    code, _, err = icost("predict", "m.skops", "new.csv")
    assert code == 1 and "line 6" in err and "'pulse'" in err and "--missing high" in err
    assert err.rstrip().endswith("the table has text: 'high' in row 5.")
    assert icost("predict", "m.skops", "new.csv", "--missing", "high")[0] == 0


def test_gaps_in_new_rows_are_gaps_even_where_a_column_has_no_number(icost, patients):
    assert icost("fit", patients, "-t", "ill", "-s", "ncs", "-o", "m.skops")[0] == 0
    table = pd.read_csv(patients, dtype=str).drop(columns="ill").head(3)
    table["pulse"], table["age"], table["sex"] = "unknown", "", ""
    table.to_csv("new.csv", index=False)
    code, out, err = icost("predict", "m.skops", "new.csv")
    assert code == 0 and len(out.split()) == 4
    assert "read as missing: 'unknown' in column 'pulse' (3 cells)" in err
