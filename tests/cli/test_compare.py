import json

import pytest

FEW = ["-s", "ncs", "-s", "cs", "-s", "neighbor", "--repeats", "1", "--folds", "3"]


def test_prints_scores_and_a_recommendation(icost, patients):
    code, out, err = icost("compare", patients, "-t", "ill", *FEW)
    assert (code, err) == (0, "")
    assert "Neighbor-iCost" in out and "MCC" in out and "PR-AUC" in out
    assert out.rstrip().splitlines()[-1].startswith("Use ")


def test_json(icost, patients):
    _, out, _ = icost("compare", patients, "-t", "ill", *FEW, "--json")
    found = json.loads(out)
    assert [row["name"] for row in found["strategies"]] == ["ncs", "cs", "neighbor"]
    assert found["recommendation"]["strategy"] in ("ncs", "cs", "neighbor")


def test_the_same_seed_gives_the_same_numbers(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW, "--json", "-c", "dt"]
    assert icost(*arguments, "--seed", "5") == icost(*arguments, "--seed", "5")


def test_costs_decide_when_given(icost, patients):
    arguments = ["compare", patients, "-t", "ill", "--repeats", "1", "--folds", "3"]
    _, out, _ = icost(*arguments, "--cost-fn", "50", "--json")
    found = json.loads(out)
    assert found["metric"] == "cost"
    assert "threshold-cost" in [row["name"] for row in found["strategies"]]


@pytest.mark.parametrize("option", ["--group", "--time"])
def test_groups_and_time_decide_the_folds(icost, patients, option):
    column = {"--group": "clinic", "--time": "day"}[option]
    code, out, _ = icost("compare", patients, "-t", "ill", *FEW, option, column, "--json")
    found = json.loads(out)
    assert code == 0
    assert ("6 groups" if option == "--group" else "order of time") in found["how"]


def test_the_report_has_analysis_and_comparison(icost, patients, tmp_path):
    assert icost("compare", patients, "-t", "ill", *FEW, "--report", "r.html")[0] == 0
    page = (tmp_path / "r.html").read_text()
    assert "Which strategy works here?" in page and "Hardest rows" in page
