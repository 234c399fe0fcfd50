import json

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


def test_the_half_width_is_that_of_the_whole_interval(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW]
    row = json.loads(icost(*arguments, "--json")[1])["strategies"][0]["scores"]["mcc"]
    assert row["high"] == 1.0 < row["mean"] + row["half"]
    assert f"{100 * row['mean']:.1f} ±{100 * row['half']:.1f}" in icost(*arguments)[1]


def test_thresholds_are_told_not_to_know_the_groups_only_where_there_are_any(icost, patients):
    arguments = ["compare", patients, "-t", "ill", "--group", "clinic", "--folds", "3"]
    assert "do not know the groups" not in icost(*arguments, "-s", "cs", "--repeats", "1")[1]
    assert "do not know the groups" in icost(*arguments, "-s", "threshold", "--repeats", "1")[1]
