"""``icost evaluate``: what is printed, the exit codes, and tables that do not fit."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from icost.datasets import load_dataset


@pytest.fixture
def model(icost, tmp_path):
    """A model with a promise, and files of rows that it has not seen."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(50, 10, 900), "sex": rng.choice(["f", "m"], 900)})
    table["clinic"] = rng.integers(0, 30, 900)
    noise = rng.normal(0, 5, 900)
    table["ill"] = np.where(table["age"] + noise > 62, "yes", "no")
    table[:500].drop(columns="clinic").to_csv("old.csv", index=False)
    table[500:].to_csv("new.csv", index=False)
    table[500:].assign(ill=rng.permutation(table["ill"][500:])).to_csv("wrong.csv", index=False)
    code = icost("fit", "old.csv", "-c", "lr", "--decide", "recall>=0.6", "-o", "m.skops", "-q")[0]
    assert code == 0
    return "m.skops"


def test_a_kept_promise_is_printed_first(icost, model):
    code, out, err = icost("evaluate", model, "new.csv", "--by", "sex", "--group", "clinic")
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert lines[0].startswith("400 rows, ") and lines[1].startswith("recall >= 0.6: ")
    for title in ("Scores", "Levels", "Cuts"):
        assert title in lines
    assert "at the fit" in out and " 0 at the fit" not in out


def test_a_broken_promise_has_an_exit_code_of_its_own(icost, model):
    code, out, _ = icost("evaluate", model, "wrong.csv")
    assert code == 4 and "broken" in out and "a kept promise would show this" in out
    assert icost("evaluate", model, "wrong.csv", "--no-fail")[0] == 0
    assert icost("evaluate", model, "new.csv", "--promise", "precision>=0.99")[0] == 4
    code, out, _ = icost("evaluate", model, "wrong.csv", "--json")
    assert code == 4 and json.loads(out)["holds"] is False


def test_rows_without_labels_are_compared_with_those_of_the_fit(icost, model):
    table = pd.read_csv("new.csv").drop(columns="ill")
    table.assign(sex="d").to_csv("unlabelled.csv", index=False)
    code, out, err = icost("evaluate", model, "unlabelled.csv")
    assert code == 0 and "there is no column 'ill' with labels" in err
    assert "not seen in 100 % of rows: 'd'" in out and "The minority's share is" in out
    code, _, err = icost("evaluate", model, "unlabelled.csv", "--by", "sex")
    assert code == 2 and "--by needs labels" in err


def test_another_decision_is_saved_with_its_history(icost, model):
    code, out, _ = icost("evaluate", model, "new.csv", "--decide", "recall>=0.8", "-o", "n.skops")
    assert code == 0 and "recall >= 0.8" in out and "Saved the model to n.skops" in out
    record = json.loads(icost("inspect", "n.skops", "--json")[1])
    assert record["history"][0]["certificate"].startswith("recall >= 0.6")
    assert icost("predict", "n.skops", "new.csv")[0] == 0
    code, _, err = icost("evaluate", model, "new.csv", "--decide", "recall>=0.8")
    assert code == 2 and "--decide and --output need each other" in err


BAD = {
    ("-t", "il"): (2, "there is no column 'il'; did you mean 'ill'?"),
    ("--by", "sexe"): (2, "there is no column 'sexe'; did you mean 'sex'?"),
    ("-t", "sex"): (1, "y must have the classes of the model, 'no', 'yes', got 'm', 'f'"),
    ("--promise", "stable"): (1, "promise must be limits"),
    ("--decide", "recall=0.8", "-o", "n.skops"): (2, "recall must be limited by >="),
}


@pytest.mark.parametrize("options", BAD, ids=" ".join)
def test_what_does_not_fit_is_said_in_one_sentence(icost, model, options):
    wanted, message = BAD[options]
    code, out, err = icost("evaluate", model, "new.csv", *options)
    assert code == wanted and message in err and out == ""
    assert len(err.strip().splitlines()) == 1


def test_rows_with_a_gap_in_the_labels_can_be_left_out(icost, model):
    table = pd.read_csv("new.csv")
    table.loc[:9, "ill"] = None
    table.to_csv("gaps.csv", index=False)
    code, _, err = icost("evaluate", model, "gaps.csv")
    assert code == 1 and "10 of 400 rows have no label in column 'ill'" in err
    code, out, _ = icost("evaluate", model, "gaps.csv", "--drop-unlabelled")
    assert code == 0 and out.startswith("390 rows, ")


def test_tables_of_one_class_or_another_model_are_refused(icost, model):
    table = pd.read_csv("new.csv")
    table.assign(ill="no").to_csv("one.csv", index=False)
    table.drop(columns="age").to_csv("other.csv", index=False)
    assert "at least two classes" in icost("evaluate", model, "one.csv")[2]
    assert "lacks column 'age'" in icost("evaluate", model, "other.csv")[2]


def test_data_sets_have_labels(icost):
    assert icost("fit", "yeast3", "-s", "ncs", "-o", "y.skops", "-q")[0] == 0
    code, out, _ = icost("evaluate", "y.skops", "yeast3", "--promise", "recall>=0.5")
    assert code == 0 and "recall >= 0.5: kept" in out


def test_the_page_shows_promises_scores_and_pictures(icost, model):
    code, out, _ = icost("evaluate", model, "wrong.csv", "--by", "sex", "--report", "p.html")
    page = Path("p.html").read_text("utf-8")
    assert code == 4 and "Saved the page to p.html" in out
    for text in ("recall &gt;= 0.6: broken", 'data-figure="decision"', 'id="levels"', "Ten cuts"):
        assert text in page
    table = pd.read_csv("new.csv").drop(columns="ill")
    table.assign(sex="<b>").to_csv("unlabelled.csv", index=False)
    assert icost("evaluate", model, "unlabelled.csv", "--report", "q.html")[0] == 0
    other = Path("q.html").read_text("utf-8")
    assert "data-figure" not in other.partition("<script")[0] and "<b>" not in other


def test_three_classes_are_evaluated_class_by_class(icost):
    assert icost("fit", "wine", "-c", "nb", "-o", "wine.skops")[0] == 0
    X, y = load_dataset("wine", return_X_y=True)
    X.assign(**{y.name: y}).to_csv("again.csv", index=False)
    code, out, err = icost("evaluate", "wine.skops", "again.csv")
    assert code == 0, err
    assert "MCC" in out
