import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from icost.cli._analyze import analyze_command
from icost.cli._app import run
from icost.complexity._methods import MEASURES


def test_prints_categories_and_the_hardest_rows(icost, patients, snapshot):
    code, out, err = icost("analyze", patients, "--target", "ill", "--top", "3")
    assert (code, err) == (0, "")
    snapshot("analyze", out)
    assert "12 of 60 rows (20 %) are of class 'yes': an imbalance ratio of 4.0." in out
    assert "1 cell is missing, in 1 column and 1 row." in out
    assert "1 duplicate row: keep duplicates in the same fold" in out
    assert "(5 neighbours, standardised columns)" in out
    assert "The 3 hardest rows" in out


def test_json_is_all_there_is_on_standard_output(icost, patients):
    code, out, _ = icost("analyze", patients, "-t", "ill", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["minority"] == "yes" and found["imbalance_ratio"] == 4.0
    (group,) = found["groups"]
    assert sum(entry["rows"] for entry in group["neighbor"]) == 12
    assert len(found["hardest"]) == 12 and len(found["hardest"][0]["neighbors"]) == 5


def test_quiet_prints_nothing(icost, patients):
    assert icost("analyze", patients, "-t", "ill", "--quiet") == (0, "", "")


def test_save_weights_has_a_line_for_every_row(icost, patients, tmp_path):
    assert icost("analyze", patients, "-t", "ill", "--save-weights", "w.csv")[0] == 0
    weights = pd.read_csv(tmp_path / "w.csv")
    truth = pd.read_csv(patients)["ill"]
    assert weights["class"].tolist() == truth.tolist()
    assert weights["row"].tolist() == list(range(1, 61))
    assert (weights.loc[truth == "no", ["cs", "neighbor", "gini"]] == 1).all(axis=None)
    assert (weights.loc[truth == "yes", "cs"] == 4.0).all()


def test_save_weights_writes_parquet_as_the_command_for_weights_does(icost, patients, tmp_path):
    for name in ("w.csv", "w.parquet"):
        assert icost("analyze", patients, "-t", "ill", "--save-weights", name)[0] == 0
    text, binary = pd.read_csv(tmp_path / "w.csv"), pd.read_parquet(tmp_path / "w.parquet")
    assert list(text) == list(binary) and len(binary) == 60
    numbers = ["row", "cs", "neighbor", "gini", "label_score"]
    pd.testing.assert_frame_equal(text[numbers], binary[numbers], check_dtype=False)


def test_weights_are_those_of_the_library(icost, tmp_path):
    from icost import TableEncoder, instance_weights
    from icost.datasets import load_dataset

    icost("analyze", "glass2", "--save-weights", "w.csv")
    X, y = load_dataset("glass2", return_X_y=True)
    space = TableEncoder().fit_transform(X)
    expected = instance_weights(space, y, "neighbor")
    assert pd.read_csv(tmp_path / "w.csv")["neighbor"].to_numpy() == pytest.approx(expected)


def test_report_is_a_page_that_names_the_command(icost, patients, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["icost", "analyze", "my file.csv"])
    code, out, _ = icost("analyze", patients, "-t", "ill", "--report", "r.html")
    page = (tmp_path / "r.html").read_text()
    assert code == 0 and "Saved the report to r.html." in out
    assert "icost analyze &#39;my file.csv&#39;" in page


def test_drop_and_minority(icost, patients):
    options = ["--drop", "day", "--drop", "clinic", "--minority", "no", "--json"]
    _, out, _ = icost("analyze", patients, "-t", "ill", *options)
    found = json.loads(out)
    assert found["n_columns"] == 3 and found["minority"] == "no"
    assert found["imbalance_ratio"] == 0.25


@pytest.mark.parametrize("suffix", ["tsv", "parquet", "arff"])
def test_other_formats(icost, patients, tmp_path, suffix):
    table = pd.read_csv(patients)[["age", "pulse", "ill"]].dropna()
    path = tmp_path / f"table.{suffix}"
    if suffix == "tsv":
        table.to_csv(path, sep="\t", index=False)
    elif suffix == "parquet":
        table.to_parquet(path)
    else:
        header = (
            "@relation t\n@attribute age real\n@attribute pulse real\n@attribute ill {no,yes}\n"
        )
        path.write_text(f"{header}@data\n{table.to_csv(index=False, header=False)}")
    code, out, _ = icost("analyze", path, "-t", "ill", "--json")
    assert code == 0 and json.loads(out)["minority"] == "yes"


def test_a_multiclass_target(icost):
    code, out, _ = icost("analyze", "new-thyroid", "--json")
    found = json.loads(out)
    assert code == 0
    assert [group["rows"] for group in found["groups"]] == [30, 35]


@pytest.fixture
def flipped(tmp_path):
    rng = np.random.default_rng(0)
    ill = np.arange(160) >= 120
    table = pd.DataFrame(rng.normal(size=(160, 2)) + 6 * ill[:, np.newaxis], columns=["a", "b"])
    ill[[3, 50, 90, 130]] = ~ill[[3, 50, 90, 130]]
    table.assign(ill=np.where(ill, "yes", "no")).to_csv(tmp_path / "flipped.csv", index=False)
    return tmp_path / "flipped.csv"


def test_suspects_are_shown_and_where_the_rest_is(icost, flipped, tmp_path):
    code, out, _ = icost("analyze", flipped, "--top", "1", "--save-weights", "w.csv")
    assert code == 0 and "The row that surprises the models most" in out
    found = json.loads(icost("analyze", flipped, "--json")[1])
    rows = [entry["row"] for entry in found["suspects"]]
    assert set(rows) <= {4, 51, 91, 131} and len(rows) >= 3
    assert sum(found["n_suspects"].values()) == len(rows)
    odds = [entry["odds"] for entry in found["suspects"]]
    assert odds == sorted(odds, reverse=True)
    assert f"The other {len(rows) - 1} are in the output of --json" in out
    weights = pd.read_csv(tmp_path / "w.csv")
    assert weights.dropna(subset="suspect").sort_values("suspect")["row"].tolist() == rows


def test_leaks_are_named_before_any_verdict(icost, patients):
    table = pd.read_csv(patients)
    table.insert(0, "paid", (table["ill"] == "yes").astype(int))
    table.to_csv("leaky.csv", index=False)
    wanted = "olumn 'paid' alone separates the classes: is it known before the outcome?"
    code, out, _ = icost("analyze", "leaky.csv")
    assert code == 0 and out.splitlines()[1] == f"• C{wanted}"
    for command in (
        ["compare", "-s", "ncs", "--repeats", "1"],
        ["fit", "-m", "cs", "-o", "m.skops"],
    ):
        code, _, err = icost(*command, "leaky.csv")
        assert code == 0 and f"warning: c{wanted}" in err


def test_labels_in_two_cases_and_rows_without_one(icost, patients):
    text = patients.read_text().replace(",yes", ",Yes", 1) + "50,70,f,1,3,\n"
    Path("odd.csv").write_text(text)
    assert "or have them skipped (--drop-unlabelled)" in icost("analyze", "odd.csv")[2]
    code, out, err = icost("analyze", "odd.csv", "--drop-unlabelled")
    assert code == 0 and "1 row without a class ('ill') left out" in err
    assert "labels 'Yes' and 'yes' differ only by case" in out
    assert "fewer than three rows" in out.splitlines()[1]


def test_packed_and_foreign_files(icost, patients):
    import gzip

    Path("p.csv.gz").write_bytes(gzip.compress(patients.read_bytes()))
    Path("p.txt").write_text(patients.read_text().replace(",", "|"))
    Path("q.txt").write_text(patients.read_text().replace(",", ":"))
    expected = icost("analyze", patients, "--json")[1]
    expected = json.loads(expected) | {"name": ""}
    for arguments in (["p.csv.gz"], ["p.txt"], ["p.txt", "--sep", "pipe"], ["q.txt", "--sep", ":"]):
        found = json.loads(icost("analyze", *arguments, "--json")[1])
        assert found | {"name": ""} == expected
    assert "one character or tab, pipe" in icost("analyze", "q.txt", "--sep", "::")[2]


def test_a_further_measure_is_printed_saved_and_drawn(icost, patients, tmp_path):
    page, weights = tmp_path / "page.html", tmp_path / "weights.csv"
    options = ["--measure", "margin", "--report", page, "--save-weights", weights]
    code, out, _ = icost("analyze", patients, "-t", "ill", *options)
    assert code == 0 and "margin" in out
    assert {"margin", "margin other-class share"} <= set(pd.read_csv(weights).columns)
    assert "<td>margin</td>" in page.read_text("utf-8")


def test_measures_to_choose_from_are_those_of_the_library():
    (option,) = [o for o in analyze_command.params if o.name == "measures"]
    assert {*option.type.complete(), "neighbor", "tree", "gini"} == set(MEASURES)


def test_a_report_replaces_pages_alone(tmp_path, capsys):
    model, page = tmp_path / "m.skops", tmp_path / "page"
    model.write_bytes(b"PK a model")
    page.write_text("<!DOCTYPE html>\n<html></html>")
    assert run(["analyze", "glass2", "--report", str(model)]) == 2
    assert "is no page, and would be replaced by one" in capsys.readouterr().err
    assert model.read_bytes() == b"PK a model"
    assert run(["analyze", "glass2", "--quiet", "--report", str(page)]) == 0
    assert "<title>glass2" in page.read_text("utf-8")


def test_a_cell_of_any_length_leaves_a_short_message(tmp_path, capsys):
    path = tmp_path / "long.csv"
    path.write_text("a,label\n1," + "x" * 10**6 + "\n2," + "x" * 10**6 + "\n")
    assert run(["analyze", str(path), "--target", "label"]) == 1
    assert len(capsys.readouterr().err) < 2500
