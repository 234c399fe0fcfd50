import json
import re
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

FEW = ["-s", "ncs", "-s", "cs", "-s", "neighbor", "--repeats", "1", "--folds", "3"]


def test_prints_scores_and_a_recommendation(icost, patients):
    code, out, err = icost("compare", patients, "-t", "ill", *FEW)
    assert (code, err) == (0, "")
    assert "Neighbor-iCost" in out and "MCC" in out and "PR-AUC" in out
    assert "for all 3 pairs of the 3 strategies, at 95 %: each has" in " ".join(out.split())
    verdict, following = out.rstrip().splitlines()[-2:]
    assert verdict.startswith("Use ")
    method = json.loads(icost("compare", patients, "-t", "ill", *FEW, "--json")[1])
    method = method["recommendation"]["strategy"]
    named = f"{patients} --method {method} --target ill"
    assert following == f"To keep it: icost fit {named} -o model.skops"


def test_json(icost, patients):
    _, out, _ = icost("compare", patients, "-t", "ill", *FEW, "--json")
    found = json.loads(out)
    assert [row["name"] for row in found["strategies"]] == ["ncs", "cs", "neighbor"]
    assert found["recommendation"]["strategy"] in ("ncs", "cs", "neighbor")
    pairs = [(pair["strategy"], pair["baseline"]) for pair in found["pairs"]]
    assert pairs == [("cs", "ncs"), ("neighbor", "ncs"), ("neighbor", "cs")]


def test_the_same_seed_gives_the_same_numbers(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW, "--json", "-c", "dt"]
    first, second = (json.loads(icost(*arguments, "--seed", "5")[1]) for _ in range(2))
    # All but the times.
    assert first.pop("seconds").keys() == second.pop("seconds").keys()
    assert first == second


def test_costs_decide_when_given(icost, patients):
    arguments = ["compare", patients, "-t", "ill", "--repeats", "1", "--folds", "3"]
    _, out, _ = icost(*arguments, "--cost-fn", "50", "--json")
    found = json.loads(out)
    assert found["metric"] == "cost"
    assert "threshold-cost" in [row["name"] for row in found["strategies"]]


@pytest.mark.parametrize("option", ["--group", "--time"])
def test_groups_and_time_decide_the_folds(icost, patients, option):
    column = {"--group": "clinic", "--time": "day"}[option]
    few = ["-s", "ncs", "-s", "cs", "--folds", "3"]
    code, out, _ = icost("compare", patients, "-t", "ill", *few, option, column, "--json")
    found = json.loads(out)
    assert code == 0
    assert ("6 groups" if option == "--group" else "order of time") in found["how"]


def test_the_report_has_analysis_and_comparison(icost, patients, tmp_path):
    assert icost("compare", patients, "-t", "ill", *FEW, "--report", "r.html")[0] == 0
    page = (tmp_path / "r.html").read_text()
    assert "Which strategy works here?" in page and "Hardest rows" in page
    assert "Intervals of differences hold together, for all 3 pairs of the 3 strategies" in page
    assert "the differences of all 3 pairs are in the output of" in page


def test_several_classifiers_get_one_recommendation_of_both(icost, patients, tmp_path):
    few = ["-s", "ncs", "-s", "cs", "--repeats", "1", "--folds", "3"]
    arguments = ["compare", patients, "-t", "ill", "-c", "nb", "-c", "dt", *few]
    code, out, err = icost(*arguments, "--report", "r.html")
    assert (code, err) == (0, "")
    assert "Plain (DT)" in out and "Fit, s" in out and "nb, dt:" in out
    found = json.loads(icost(*arguments, "--json")[1])["recommendation"]
    assert f"--method {found['strategy']} --target ill --classifier {found['classifier']} -o" in out
    page = (tmp_path / "r.html").read_text()
    assert "CS (DT)" in page and "Classifiers “nb, dt”" in page and "Fit, s" in page


def test_the_next_step_names_what_was_named(icost, patients):
    arguments = ["-t", "ill", "--drop", "day", "-c", "dt", "-s", "tree", "--folds", "2"]
    _, out, _ = icost("compare", patients, *arguments, "--repeats", "1", "--group", "clinic")
    assert "Only Gini-iCost was compared, so that there is nothing to choose from." in out
    # The column of the groups was no feature here, and must be none there.
    named = "--method gini --target ill --classifier dt --drop day --drop clinic"
    assert f"icost fit {patients} {named} -o model.skops" in out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["-s", "ros", "--drop", "day"], "--method ros --target ill --drop day"),
        (
            ["-s", "threshold-cost", "--cost-fn", "7.5", "--group", "clinic"],
            "--method threshold-cost --target ill --cost-fn 7.5 --drop clinic",
        ),
        (
            ["-s", "ensemble-10", "-c", "nb", "--group", "clinic"],
            "--method ensemble-10 --target ill --classifier nb --group clinic",
        ),
        (["-s", "rusboost", "-c", "nb"], "--method rusboost --target ill"),
    ],
)
def test_the_next_step_of_any_strategy_works_as_it_stands(icost, patients, options, named):
    pytest.importorskip("imblearn")
    pytest.importorskip("skops")
    few = ["--folds", "2", "--repeats", "1"]
    _, out, _ = icost("compare", patients, "-t", "ill", *options, *few)
    step = out.splitlines()[-1]
    assert step == f"To keep it: icost fit {patients} {named} -o model.skops"
    code, _, err = icost(*step.removeprefix("To keep it: icost ").split())
    assert code == 0, err


def test_an_interval_ends_where_the_score_does(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW]
    rows = json.loads(icost(*arguments, "--json")[1])["strategies"]
    row = rows[0]["scores"]["mcc"]
    assert row["high"] == 1.0 < row["mean"] + row["half"]
    out = icost(*arguments)[1]
    assert f"{100 * row['mean']:.1f} ({100 * row['low']:.0f}…100)" in out
    assert "(± half of the 95 % interval, or its ends where a score has one)" in out


def test_differences_of_two_folds_are_none_that_no_scores_have(icost, patients):
    few = ["-s", "ncs", "-s", "cs", "-s", "neighbor", "--repeats", "1", "--folds", "2", "--json"]
    found = json.loads(icost("compare", patients, "-t", "ill", *few)[1])
    ends = [(p["low"], p["high"], p["alone"]["low"], p["alone"]["high"]) for p in found["pairs"]]
    assert all(-2.0 <= end <= 2.0 for pair in ends for end in pair)
    assert any(abs(end) == 2.0 for pair in ends for end in pair)


@pytest.fixture
def many(tmp_path):
    """A table of 5,600 rows, more than are compared by default, 600 of them rare."""
    rng = np.random.default_rng(0)
    rare = rng.permutation(np.arange(5600) < 600)
    table = pd.DataFrame({"a": rng.normal(size=5600) + rare, "b": rng.normal(size=5600)})
    table["rare"] = np.where(rare, "yes", "no")
    table.to_csv(tmp_path / "many.csv", index=False)
    return tmp_path / "many.csv"


def test_of_many_rows_a_part_is_compared_and_said(icost, many):
    few = ["-s", "ncs", "-s", "cs", "--repeats", "1", "--folds", "2"]
    code, out, err = icost("compare", many, *few)
    assert code == 0 and "2 stratified folds, of 5,000 of 5,600 rows (±" in out
    assert re.fullmatch(
        r"icost: compares 5,000 of 5,600 rows, each class by its share; all of them "
        r"\(--max-rows all\) would take about (a second|\d+ seconds)\.\n",
        err,
    )
    first, second = (json.loads(icost("compare", many, *few, "--json")[1]) for _ in range(2))
    assert (first["n_rows"], first["n_rows_of_table"]) == (5000, 5600)
    assert first.pop("seconds_for_all") > 0 < second.pop("seconds_for_all")
    for found in (first, second):
        del found["seconds"]
    assert first == second


def test_all_rows_or_fewer(icost, many):
    few = ["-s", "ncs", "-s", "cs", "--repeats", "1", "--folds", "2", "--json"]
    _, out, err = icost("compare", many, *few, "--max-rows", "all")
    assert (json.loads(out)["n_rows"], json.loads(out)["seconds_for_all"], err) == (5600, None, "")
    assert json.loads(icost("compare", many, *few, "--max-rows", "100")[1])["n_rows"] == 100
    assert icost("compare", many, *few, "--max-rows", "100", "--quiet")[2] == ""


@pytest.mark.parametrize(
    ("given", "wanted", "said"),
    [
        ("some", 2, "a number of rows or 'all' is wanted, got 'some'"),
        ("0", 2, "a number of rows or 'all' is wanted, got '0'"),
        ("15", 1, "max_rows must be at least 20, up to 10 rows for each of 2 classes, got 15"),
    ],
)
def test_a_wrong_number_of_rows(icost, many, given, wanted, said):
    code, _, err = icost("compare", many, "--max-rows", given)
    assert code == wanted and said in " ".join(err.split())


def test_a_terminal_shows_what_leads(icost, many, monkeypatch):
    shown = []

    @contextmanager
    def bar(self, text):
        yield lambda done, total, left=None, beside="": shown.append((done, total, left, beside))

    monkeypatch.setattr("icost.cli.printer.Printer.bar", bar)
    icost("compare", many, "-s", "ncs", "-s", "cs", "--repeats", "1", "--folds", "2", "-j", "1")
    assert [(done, total) for done, total, _, _ in shown] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert shown[0][2] is None and shown[1][2] > 0 and shown[-1][2] == 0
    assert re.fullmatch(r"best so far: (Plain|CS), MCC \d+\.\d", shown[-1][3])


def test_thresholds_are_told_not_to_know_the_groups_only_where_there_are_any(icost, patients):
    arguments = ["compare", patients, "-t", "ill", "--group", "clinic", "--folds", "3"]
    assert "do not know the groups" not in icost(*arguments, "-s", "cs", "--repeats", "1")[1]
    assert "do not know the groups" in icost(*arguments, "-s", "threshold", "--repeats", "1")[1]
