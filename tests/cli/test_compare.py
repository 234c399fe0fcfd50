import html
import inspect
import json
import re
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

FEW = ["-s", "ncs", "-s", "cs", "-s", "neighbor", "--repeats", "1", "--folds", "3"]


def test_prints_scores_and_a_recommendation(icost, patients, snapshot):
    code, out, err = icost("compare", patients, "-t", "ill", *FEW)
    snapshot("compare", out + err)
    assert code == 0 and err.startswith("icost: warning: class 'yes' has only 12 rows")
    assert "by how hard they are (5 neighbours, standardised columns)" in out
    comparison = json.loads(icost("compare", patients, "-t", "ill", *FEW, "--json")[1])
    assert out.rstrip().splitlines()[-len(comparison["verdict"]) :] == comparison["verdict"]
    use, sure, why, *_, before, following = comparison["verdict"]
    assert re.match(r"Use .*\. It finds \d+ of 100 minority rows \(\d+–\d+\) and raises", use)
    assert sure.startswith("How sure? Weak: 12 minority rows. On new rows expect MCC ")
    assert why.startswith("Why? ") and before.endswith("the models, 1 duplicate row.")
    assert before.startswith("Before you do: ") and comparison["verdict"].count(before) == 1
    named = f"{patients} --strategy {comparison['recommendation']['strategy']} --target ill"
    assert following == f"Keep it: icost fit {named} -o model.skops"


def test_defaults_are_those_of_the_function():
    from icost.cli._compare import compare_command
    from icost.comparison import compare

    names = {"folds": "n_splits", "repeats": "n_repeats", "seed": "random_state"}
    names |= {name: name for name in ("max_rows", "cost_fn", "cost_fp", "time_limit", "scaler")}
    parameters = inspect.signature(compare).parameters
    context = compare_command.make_context("compare", ["table.csv"])
    typed = {ours: context.params[option] for option, ours in names.items()}
    assert typed == {name: parameters[name].default for name in typed}


def test_a_narrow_terminal_gets_a_short_table(icost, patients, monkeypatch):
    from icost.cli._printer import Printer

    monkeypatch.setattr(Printer, "width", 80)
    short = icost("compare", patients, "-t", "ill", *FEW)[1]
    assert "Found of 100" in short and "Precision" in short and "G-mean" not in short
    wide = icost("compare", patients, "-t", "ill", *FEW, "--wide")[1]
    assert "Found of 100" not in wide and "G-mean" in wide and "Precision" in wide


def test_a_column_of_dates_or_units_suggests_how_to_split(icost, patients):
    table = pd.read_csv(patients)
    table["day"] = [f"2012/{1 + n % 12:02}/01" for n in table["day"]]
    table["patient"] = np.arange(60) % 20
    table.to_csv(patients, index=False)
    arguments = ["compare", patients, "-t", "ill", *FEW, "--drop", "clinic"]
    code, _, err = icost(*arguments)
    assert code == 0 and "column 'day' has dates" in err and err.count("--time day.") == 1
    assert "values of column 'patient' repeat" in err and "--group patient." in err
    code, out, err = icost(*arguments[:4], "-s", "ncs", "--folds", "3", "--time", "day")
    assert code == 0 and "in the order of time" in out and "--group patient" not in err


def test_only_dates_that_give_an_order_are_suggested_in_one_note(icost, patients):
    table = pd.read_csv(patients)
    days = pd.Timestamp("2012-01-01") + pd.to_timedelta(table["day"], unit="D")
    few = ("-t", "ill", "-s", "ncs", "--folds", "3", "--repeats", "1")
    for pattern in ("%d.%m.%Y", "%Y-%m-%d"):
        table.assign(day=days.dt.strftime(pattern)).to_csv(patients, index=False)
        code, _, err = icost("compare", patients, *few)
        assert code == 0 and err.count("column 'day'") == 1 and "--time day." in err
    table.assign(day=days.dt.strftime("%Y-%m-%d").where(table["day"] > 2)).to_csv(patients)
    assert "--time" not in icost("compare", patients, *few)[2]  # gaps give no order


def test_json(icost, patients):
    _, out, _ = icost("compare", patients, "-t", "ill", *FEW, "--json")
    found = json.loads(out)
    assert [row["name"] for row in found["strategies"]] == ["ncs", "cs", "neighbor"]
    assert found["recommendation"]["strategy"] in ("ncs", "cs", "neighbor")
    pairs = [{pair["strategy"], pair["baseline"]} for pair in found["differences"]]
    assert {"cs", "ncs"} in pairs and {"neighbor", "ncs"} in pairs


def test_the_same_seed_gives_the_same_numbers(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW, "--json", "-c", "dt"]
    first, second = (json.loads(icost(*arguments, "--seed", "5")[1]) for _ in range(2))
    # All but the times.
    assert first.pop("seconds").keys() == second.pop("seconds").keys()
    assert first == second


def test_costs_decide_when_given(icost, patients):
    arguments = ["compare", patients, "-t", "ill", "-c", "lr", "--repeats", "1", "--folds", "3"]
    _, out, _ = icost(*arguments, "--cost-fn", "50", "--json")
    found = json.loads(out)
    assert found["metric"] == "cost"
    assert "threshold-cost" in [row["name"] for row in found["strategies"]]


def test_a_column_may_have_the_costs(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW, "--cost-fn", "pulse", "--cost-fp", "9"]
    code, out, _ = icost(*arguments, "-s", "threshold-cost", "--json")
    assert code == 0 and json.loads(out)["metric"] == "cost"
    code, _, err = icost("compare", patients, "-t", "ill", *FEW, "--cost-fn", "puls")
    assert code == 2 and "'--cost-fn': there is no column 'puls'; did you mean 'pulse'?" in err


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
    lines = json.loads(icost("compare", patients, "-t", "ill", *FEW, "--json")[1])["verdict"]
    text = html.unescape(re.sub(r"</?(strong|code)>", "", page))
    assert all(f"<p>{line}</p>" in text for line in lines[1:3])
    assert "<strong>Keep it:</strong> <code>icost fit " in page and lines[0] in text
    found = int(re.search(r"It finds (\d+) of 100", lines[0])[1])
    assert page.count('class="found"') == found
    assert f"<strong>100 minority rows</strong>: {found} found, {100 - found} missed" in page
    assert 'data-figure="decision"' in page and page.count("<li>To find ") == 10


def test_a_report_repeats_nothing_that_the_comparison_has_computed(icost, patients, monkeypatch):
    from icost._table import _columns
    from icost.comparison import _table_facts
    from icost.complexity import _neighbor
    from icost.report import _analysis

    calls = Counter()

    def count(module, name):
        compute = getattr(module, name)

        def counted(*arguments, **options):
            calls[name, len(getattr(arguments[0], "name", arguments[0]))] += 1
            return compute(*arguments, **options)

        monkeypatch.setattr(module, name, counted)

    for name in ("leaks", "odd_columns", "notes_on_labels", "repeated_rows"):
        count(_table_facts, name)
    count(_columns, "_decide")
    count(_neighbor, "neighbor_class_counts")
    count(_analysis, "nearest_rows")
    assert icost("compare", patients, "-t", "ill", *FEW, "--report", "r.html")[0] == 0
    assert sum(number for (name, _), number in calls.items() if name == "_decide") == 5
    of_the_table = {name: number for (name, n_rows), number in calls.items() if n_rows == 60}
    assert set(of_the_table.values()) == {1} and len(of_the_table) == 6


def test_several_classifiers_get_one_recommendation_of_both(icost, patients, tmp_path):
    few = ["-s", "ncs", "-s", "cs", "--repeats", "1", "--folds", "3"]
    arguments = ["compare", patients, "-t", "ill", "-c", "nb", "-c", "dt", *few]
    code, out, err = icost(*arguments, "--report", "r.html")
    assert code == 0 and err.count("\n") == 1 and "has only 12 rows" in err
    assert "Plain (DT)" in out and "Fit, s" in out and "nb, dt:" in out
    found = json.loads(icost(*arguments, "--json")[1])["recommendation"]
    named = f"{found['strategy']} --target ill --classifier {found['classifier']}"
    assert f"--strategy {named} -o" in out
    page = (tmp_path / "r.html").read_text()
    assert (
        "A decision tree with class-level costs" in page
        and "Classifiers: naive Bayes, decision tree;" in page
    )


def test_the_next_step_names_what_was_named(icost, clear_patients):
    arguments = ["-t", "ill", "--drop", "day", "-c", "dt", "-s", "tree", "--folds", "2"]
    _, out, _ = icost("compare", clear_patients, *arguments, "--repeats", "1", "--group", "clinic")
    assert "Why? Nothing else was compared." in out
    # The column of the groups was no feature here, and must be none there.
    named = "--strategy gini --target ill --classifier dt --group clinic --drop day"
    assert f"icost fit {clear_patients} {named} -o model.skops" in out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["-s", "ros", "--drop", "day"], "--strategy ros --target ill --drop day"),
        (
            ["-s", "threshold-cost", "--cost-fn", "7.5", "--group", "clinic"],
            "--strategy threshold-cost --target ill --cost-fn 7.5 --group clinic",
        ),
        (
            ["-s", "ensemble", "-c", "nb", "--group", "clinic"],
            "--strategy ensemble --target ill --classifier nb --group clinic",
        ),
        (["-s", "balanced-rf", "-c", "nb"], "--strategy balanced-rf --target ill"),
        # Folds of a single fit know no order of time; a comparison of one does.
        (["-s", "cs", "--time", "day"], "--strategy auto --strategy cs --target ill --time day"),
    ],
)
def test_the_next_step_of_any_strategy_works_as_it_stands(icost, patients, options, named):
    pytest.importorskip("imblearn")
    pytest.importorskip("skops")
    few = ["--folds", "2", "--repeats", "1"]
    few = few[: 2 if "--time" in options else 4]
    _, out, _ = icost("compare", patients, "-t", "ill", *options, *few)
    step = out.splitlines()[-1]
    assert step == f"Keep it: icost fit {patients} {named} -o model.skops"
    code, _, err = icost(*step.removeprefix("Keep it: icost ").split())
    assert code == 0, err


def test_an_interval_ends_where_the_score_does(icost, patients):
    arguments = ["compare", patients, "-t", "ill", *FEW]
    rows = json.loads(icost(*arguments, "--json")[1])["strategies"]
    row = rows[0]["scores"]["mcc"]
    assert row["high"] == 1.0 < row["mean"] + row["half"]
    out = icost(*arguments)[1]
    assert f"{row['mean']:.2f} ({row['low']:.2f}…1.00)" in out
    assert "(± half of the 95 % interval, or its ends where a score has one)" in out


def test_differences_of_two_folds_are_none_that_no_scores_have(icost, patients):
    few = ["-s", "ncs", "-s", "cs", "-s", "neighbor", "--repeats", "1", "--folds", "2", "--json"]
    found = json.loads(icost("compare", patients, "-t", "ill", *few)[1])
    ends = [end for pair in found["differences"] for end in (pair["low"], pair["high"])]
    assert all(-2.0 <= end <= 2.0 for end in ends)


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
    assert err.startswith("icost: compares 5,000 of 5,600 rows,") and "--max-rows all" in err
    assert re.search(r"would take about (a second|\d+ seconds)\.\n$", err)
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
        yield lambda done, total, left=None, note="": shown.append((done, total, left, note))

    monkeypatch.setattr("icost.cli._printer.Printer.bar", bar)
    icost("compare", many, "-s", "ncs", "-s", "cs", "--repeats", "1", "--folds", "2", "-j", "1")
    assert [(done, total) for done, total, _, _ in shown] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert shown[0][2] is None and shown[1][2] > 0 and shown[-1][2] == 0
    assert re.fullmatch(r"best so far: (Plain|CS), MCC 0\.\d\d", shown[-1][3])


def test_inner_folds_of_thresholds_know_the_groups(icost, patients):
    arguments = ["compare", patients, "-t", "ill", "--group", "clinic", "--folds", "3"]
    assert "do not know the groups" not in icost(*arguments, "-s", "cs", "--repeats", "1")[1]
    assert "do not know the groups" not in icost(*arguments, "-s", "threshold", "--repeats", "1")[1]


def test_a_time_limit_is_for_all_of_a_comparison(icost, patients, monkeypatch):
    counted = []
    monkeypatch.setattr("icost.cli._compare._count_suspects", lambda *_: counted.append(1) or 3)
    arguments = ("compare", patients, "-t", "ill", "-c", "lr", "-s", "ncs", "--repeats", "1")
    assert "3 rows surprise the models" in icost(*arguments)[1] and counted == [1]
    assert "surprise" not in icost(*arguments, "--time-limit", "60s")[1] and counted == [1]
