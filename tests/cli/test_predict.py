"""``icost predict``: notes on probabilities, and on columns that do not fit."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from icost.cli import _chunks as chunks


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


@pytest.fixture
def model(icost, patients):
    fit = ("fit", patients, "-t", "ill", "-s", "threshold", "-c", "lr", "-o", "m.skops")
    assert icost(*fit)[0] == 0
    return "m.skops"


def read(text):
    return pd.read_csv(io.StringIO(text))


def test_labels_are_pointed_out_with_the_command_that_uses_them(icost, patients, model):
    err = icost("predict", model, patients)[2]
    assert err.count("icost:") == 1 and f"icost evaluate {model} {patients}" in err
    pd.read_csv(patients).drop(columns="ill").to_csv("new.csv", index=False)
    assert icost("predict", model, "new.csv")[2] == ""


def test_columns_are_kept_as_they_are_written(icost, patients, model):
    table = pd.read_csv(patients)
    codes = [f"{row:03d}" for row in range(len(table))]
    table.drop(columns="ill").assign(code=codes).to_csv("new.csv", index=False)
    code, out, _ = icost("predict", model, "new.csv", "--keep", "code", "--keep", "sex")
    lines = out.splitlines()
    assert code == 0 and lines[0] == "code,sex,prediction" and lines[8].startswith("007,")
    code, _, err = icost("predict", model, "new.csv", "--keep", "cod")
    assert code == 2 and "did you mean 'code'?" in err


def test_alerts_and_the_likeliest_rows(icost, patients, model):
    whole = read(icost("predict", model, patients, "--proba")[1])
    alerts = read(icost("predict", model, patients, "--only-alerts")[1])
    assert alerts["row"].tolist() == (np.flatnonzero(whole["prediction"] == "yes") + 1).tolist()
    top = read(icost("predict", model, patients, "--top", "5", "--proba")[1])
    order = np.argsort(-whole["probability_yes"], kind="stable")[:5]
    assert top["row"].tolist() == (order + 1).tolist()
    assert list(top) == ["row", "prediction", "probability_no", "probability_yes"]
    moved = read(icost("predict", model, patients, "--threshold", "0.01")[1])
    assert ((whole["probability_yes"] >= 0.01) == (moved["prediction"] == "yes")).all()
    none = icost("predict", model, patients, "--threshold", "1", "--only-alerts")
    assert none[:2] == (0, "row,prediction\n")
    assert icost("fit", "wine", "-s", "ncs", "-o", "w.skops", "-q")[0] == 0
    code, _, err = icost("predict", "w.skops", "wine", "--top", "3")
    assert code == 2 and "--top needs two classes, got 3" in err


RECORD = {"columns": [], "target": "ill"}
LIMITS = {"LARGE_FILE": 100, "CHUNK": 300, "CHUNK_ROWS": 7}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("options", [("--proba",), ("--top", "9", "--proba"), ("--only-alerts",)])
def test_pieces_give_the_same_predictions(icost, patients, model, suffix, options, monkeypatch):
    table = pd.read_csv(patients).drop(columns="ill")
    table["note"] = [f'line {row}\n"quoted", with a comma' for row in range(len(table))]
    name = f"new.{suffix}"
    if suffix == "parquet":
        table.to_parquet(name)
    else:
        table.to_csv(name, index=False, sep="\t" if suffix == "tsv" else ",")
    command = ("predict", model, name, *options, "--keep", "note")
    wanted = icost(*command)
    for limit, value in LIMITS.items():
        monkeypatch.setattr(chunks, limit, value)
    assert len(list(chunks.read_chunks(name, RECORD))) > 5
    assert icost(*command) == wanted and wanted[0] == 0
    assert icost(*command, "-o", "p.parquet")[0] == 0
    pd.testing.assert_frame_equal(pd.read_parquet("p.parquet"), read(wanted[1]), check_dtype=False)


def test_an_error_in_a_later_piece_leaves_no_file(icost, patients, model, monkeypatch):
    for limit, value in LIMITS.items():
        monkeypatch.setattr(chunks, limit, value)
    lines = patients.read_text("utf-8").splitlines()
    lines[40] += ",more"
    patients.write_text("\n".join(lines), "utf-8")
    code, _, err = icost("predict", model, patients, "-o", "p.csv")
    assert code == 1 and "(counted from line" in err and not Path("p.csv").exists()


def test_rows_that_are_added_while_a_file_is_read_are_left_out(patients, monkeypatch):
    for limit, value in LIMITS.items():
        monkeypatch.setattr(chunks, limit, value)
    pieces = chunks.read_chunks(str(patients), RECORD)
    n_rows = len(next(pieces))
    with open(patients, "a", encoding="utf-8") as file:
        file.write(patients.read_text("utf-8").split("\n", 1)[1])
    assert n_rows + sum(map(len, pieces)) == 60
