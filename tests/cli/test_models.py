"""``fit``, ``predict`` and ``inspect``: a model's way through files."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("skops")


@pytest.fixture
def model(icost, patients):
    assert (
        icost("fit", patients, "-t", "ill", "-o", "m.skops", "--drop", "day", "-m", "neighbor")[0]
        == 0
    )
    return "m.skops"


def test_predictions_are_those_of_the_library(icost, patients, model):
    from icost.datasets import read_table
    from icost.modelfile import fit_model

    X, y = read_table(patients, "ill")
    _, out, _ = icost("predict", model, patients)
    expected = fit_model(X.drop(columns="day"), y).predict(X)
    assert out.splitlines() == ["prediction", *expected]


def test_probabilities_sum_to_one(icost, patients, model, tmp_path):
    code, out, _ = icost("predict", model, patients, "--proba", "-o", "p.csv")
    predicted = pd.read_csv(tmp_path / "p.csv")
    assert code == 0 and out == "60 predictions saved to p.csv.\n"
    assert list(predicted) == ["prediction", "probability_no", "probability_yes"]
    assert np.allclose(predicted.iloc[:, 1:].sum(axis=1), 1)


def test_calibration_leaves_labels_and_moves_probabilities(icost, patients, model):
    icost(
        "fit",
        patients,
        "-t",
        "ill",
        "-m",
        "neighbor",
        "-o",
        "c.skops",
        "--drop",
        "day",
        "--calibrate",
    )
    plain, calibrated = (
        json.loads(icost("predict", name, patients, "--proba", "--json")[1])
        for name in (model, "c.skops")
    )
    assert plain["prediction"] == calibrated["prediction"]
    # Weights push the minority up; calibration brings its mean back to its share.
    assert np.mean(plain["probability_yes"]) > 0.25
    assert np.mean(calibrated["probability_yes"]) == pytest.approx(0.2, abs=0.05)


def test_other_columns_are_named(icost, patients, model, tmp_path):
    table = pd.read_csv(patients)
    table.drop(columns=["age", "pulse"]).to_csv("lacking.csv", index=False)
    code, _, err = icost("predict", model, "lacking.csv")
    assert code == 1 and "lacks columns 'age', 'pulse' of the model" in err
    table.assign(age="old").to_csv("text.csv", index=False)
    code, _, err = icost("predict", model, "text.csv")
    assert code == 1 and "numbers in column 'age'" in err


def test_a_table_without_the_class_and_with_new_levels(icost, patients, model):
    new = pd.read_csv(patients).drop(columns="ill").assign(sex="x")[::-1]
    new.to_csv("new.csv", index=False)
    code, out, err = icost("predict", model, "new.csv")
    assert code == 0 and len(out.splitlines()) == 61
    assert "the model has never seen 'x' in column 'sex'" in " ".join(err.split())
    assert "never seen" not in icost("predict", model, patients)[2]


def test_inspect_tells_the_record(icost, model, snapshot):
    code, out, _ = icost("inspect", model)
    snapshot("inspect", out)
    assert code == 0 and "predicts 'ill' (no, yes) from 4 columns" in out
    record = json.loads(icost("inspect", model, "--json")[1])
    assert record["costs"]["cfb"] == 1.25 and "mcc" in record["metrics"]
    assert any(
        one["name"] == "sex" and one["levels"] == ["f", "m"]
        for one in record["columns"]
        if "levels" in one
    )


def test_costs_and_methods_go_into_the_record(icost, patients):
    icost("fit", patients, "-t", "ill", "-o", "m.skops", "-m", "cs", "--scale", "0.5")
    record = json.loads(icost("inspect", "m.skops", "--json")[1])
    assert record["method"] == "cs" and record["weighting"] == {"scale": "0.5"}


def test_large_tables_get_a_line_on_the_fast_probe(icost, patients, monkeypatch):
    monkeypatch.setattr("icost.cli._user_table.MANY_ROWS", 60)
    run = ["fit", patients, "-t", "ill", "--drop", "day", "-o", "m.skops"]
    err = icost(*run, "-m", "neighbor")[2]
    assert "60 rows; 'icost fit --strategy tree --tree-probe fast'" in " ".join(err.split())
    code, _, err = icost(*run, "--method", "tree", "--tree-probe", "fast")
    assert code == 0 and "tree-probe" not in err
    assert json.loads(icost("inspect", "m.skops", "--json")[1])["tree_probe"] == "fast"
    code, _, err = icost(*run, "-m", "neighbor", "--tree-probe", "fast")
    assert code == 2 and "--tree-probe has no effect with --strategy neighbor" in err


def test_analysis_of_a_large_table_says_it_too(icost, patients, monkeypatch):
    assert "tree-probe" not in icost("analyze", patients, "-t", "ill")[2]
    monkeypatch.setattr("icost.cli._user_table.MANY_ROWS", 60)
    assert "tree-probe" in icost("analyze", patients, "-t", "ill")[2]


def test_ways_of_weighting_are_options(icost, patients):
    options = ["--penalty", "plausible", "--scale", "0.5", "--majority", "plausible"]
    code, _, err = icost("fit", patients, "-t", "ill", "-o", "m.skops", "-m", "density", *options)
    assert code == 0, err
    record = json.loads(icost("inspect", "m.skops", "--json")[1])
    assert record["weighting"] == {"penalty": "plausible", "majority": "plausible", "scale": "0.5"}
    code, _, err = icost("fit", patients, "-t", "ill", "-o", "m.skops", "-m", "cs", "--floor", "1")
    assert code != 0 and "--floor has no effect with --strategy cs" in err
    code, _, err = icost(
        "fit", patients, "-t", "ill", "-o", "m.skops", "-m", "neighbor", "--scale", "0"
    )
    assert code == 1 and "scale must be a finite number > 0, got 0" in err
    code, _, err = icost("fit", patients, "-t", "ill", "-o", "m.skops", "-m", "cs", "--scale", "0")
    assert code == 0, err  # which is learning without costs


def test_codes_that_look_like_numbers_are_read_as_the_text_they_were(icost, patients):
    import pandas as pd

    table = pd.read_csv(patients)
    codes = (table["pulse"].rank() % 3).astype(int)
    table["code"] = codes.map({0: "01", 1: "02", 2: "1234567890123456"}).where(codes.index > 1, "A")
    table.to_csv("coded.csv", index=False)
    icost("fit", "coded.csv", "-t", "ill", "-m", "neighbor", "-o", "coded.skops")
    icost("predict", "coded.skops", "coded.csv", "--proba", "-o", "whole.out")
    table.iloc[2:].to_csv("rest.csv", index=False)
    icost("predict", "coded.skops", "rest.csv", "--proba", "-o", "rest.out")
    whole, rest = pd.read_csv("whole.out").iloc[2:], pd.read_csv("rest.out")
    pd.testing.assert_frame_equal(rest, whole.reset_index(drop=True))


def test_a_dash_as_output_is_standard_output(icost, patients, model):
    _, printed, _ = icost("predict", model, patients)
    assert icost("predict", model, patients, "-o", "-")[:2] == (0, printed)


def test_quiet_predictions_need_somewhere_to_go(icost, patients, model):
    code, out, err = icost("predict", model, patients, "--quiet")
    assert (code, out) == (2, "") and "--output" in err


def test_a_model_cannot_go_to_standard_output(icost, patients):
    code, _, err = icost("fit", patients, "-t", "ill", "-o", "-")
    assert code == 2 and "a file must be named" in err


def test_a_folder_does_not_hide_the_dataset_of_its_name(icost, tmp_path):
    (tmp_path / "glass2").mkdir()
    assert icost("analyze", "glass2")[0] == 0


def test_a_damaged_file_is_called_so(icost, patients, model):
    content = bytearray(Path(model).read_bytes())
    place = content.index(b"icost.json") + 60
    content[place : place + 30] = bytes(30)
    Path(model).write_bytes(content)
    for command in (["inspect", model], ["predict", model, patients]):
        code, _, err = icost(*command)
        assert code == 1 and "this is not a skops file, or only a part of one" in err


def test_identifiers_are_pointed_out_before_they_are_learned_from(icost, patients, tmp_path):
    table = pd.read_csv(patients)
    table.insert(0, "name", [f"patient-{row}" for row in range(len(table))])
    table["height"] = [f"1 {row:03d}" for row in range(len(table))]
    table.to_csv("named.csv")
    code, _, err = icost("fit", "named.csv", "-t", "ill", "-m", "neighbor", "-o", "named.skops")
    assert code == 0
    assert "column 'Unnamed: 0' counts the rows, as an index does: leave it out (see --drop)" in err
    assert "column 'name' is text that differs in nearly every row" in err
    assert "column 'height' is text that looks like numbers, such as '1 000'" in err
    drop = ["--drop", "Unnamed: 0", "--drop", "name", "--drop", "height"]
    fit = ["fit", "named.csv", "-t", "ill", "-m", "neighbor", "-o", "named.skops"]
    assert "column" not in icost(*fit, *drop)[2]


def test_calibrated_probabilities_come_with_a_word_on_the_classes(icost, patients):
    icost("fit", patients, "-t", "ill", "-m", "neighbor", "-o", "calm.skops", "--calibrate")
    assert "the classes are those before" in icost("predict", "calm.skops", patients, "--proba")[2]
    assert "the classes" not in icost("predict", "calm.skops", patients)[2]


def test_a_moved_threshold_comes_with_a_word_on_the_classes(icost, patients):
    icost("fit", patients, "-t", "ill", "-m", "threshold", "-o", "moved.skops")
    code, out, said = icost("predict", "moved.skops", patients, "--proba")
    rows = pd.read_csv(io.StringIO(out))
    threshold = json.loads(icost("inspect", "moved.skops", "--json")[1])["threshold"]
    decided = np.where(rows["probability_yes"] >= threshold, "yes", "no")
    assert code == 0 and (decided == rows["prediction"]).all()
    assert f"rows with P(yes) ≥ {threshold:.3g} are predicted 'yes'" in said
    icost("fit", patients, "-t", "ill", "-m", "ncs", "-o", "plain.skops")
    assert "the class predicted" not in icost("predict", "plain.skops", patients, "--proba")[2]


def test_an_ensemble_says_from_which_probability_on_it_decides(icost, patients):
    icost("fit", patients, "-t", "ill", "-m", "ensemble", "-c", "dt", "-o", "many.skops")
    record = json.loads(icost("inspect", "many.skops", "--json")[1])
    assert record["costs"] == {} and 0 < record["threshold"] < 1
    assert record["threshold_interval"][0] <= record["threshold_interval"][1]
    low, high = record["metric_intervals"]["mcc"]
    assert f"{low:.2f} to {high:.2f}" in icost("inspect", "many.skops")[1]
    code, _, said = icost("predict", "many.skops", patients, "--proba")
    assert f"rows with P(yes) ≥ {record['threshold']:.3g} are predicted 'yes'" in said
    assert code == 0 and "one half" not in said


@pytest.fixture
def small_blend(monkeypatch):
    """A blend of two classifiers that are fitted in no time."""
    from icost.strategies._estimators import get_classifier

    bases = {name: get_classifier(name).make(0) for name in ("lr", "nb")}
    for module in ("icost.modelfile._fitting", "icost.strategies._registry"):
        monkeypatch.setattr(f"{module}.automatic_bases", lambda: bases)


def test_a_blend_names_its_classifiers_and_its_size(icost, patients, small_blend):
    pytest.importorskip("imblearn")
    _, out, _ = icost("fit", patients, "-t", "ill", "-m", "blend", "-o", "blend.skops")
    assert re.search(r"blend.skops \([1-9][\d.]* [kM]B\)", out)
    code, out, err = icost("inspect", "blend.skops")
    assert code == 0 and "A blend of four classifiers (lr, nb)" in out and "warning" not in err


def test_labels_that_a_spreadsheet_would_run_can_be_escaped(icost, patients):
    text = patients.read_text().replace(",yes", ",=1+1").replace(",no", ",-x")
    Path("formula.csv").write_text(text)
    assert icost("fit", "formula.csv", "-m", "ncs", "-o", "m.skops")[0] == 0
    arguments = ["predict", "m.skops", "formula.csv", "--proba"]
    plain = icost(*arguments)[1].splitlines()
    safe = icost(*arguments, "--spreadsheet-safe")[1].splitlines()
    assert {line.partition(",")[0] for line in plain[1:]} == {"=1+1", "-x"}
    assert {line.partition(",")[0] for line in safe[1:]} == {"'=1+1", "'-x"}
    # Numbers stay numbers, and names of columns do no harm.
    assert [line.partition(",")[2] for line in safe] == [line.partition(",")[2] for line in plain]


AUTO = ("--method", "auto", "-t", "ill", "--drop", "day", "--folds", "3", "--repeats", "1")


def test_auto_says_what_is_kept_and_what_to_expect(icost, patients, snapshot):
    few = ("-c", "lr", "-c", "nb")
    code, out, err = icost("fit", patients, *AUTO, *few, "-o", "a.skops")
    assert code == 0, err
    snapshot("fit", out + err)
    assert len(out.splitlines()) <= 10
    record = json.loads(icost("inspect", "a.skops", "--json")[1])
    assert record["method"] == "auto" and set(record["candidates"]) <= {"lr", "nb"}
    low, high = record["metric_intervals"]["mcc"]
    assert f"expect MCC {record['metrics']['mcc']:.2f} ({low:.2f} to {high:.2f})" in out
    wide = icost("fit", patients, *AUTO, *few, "-o", "b.skops", "--wide")[1]
    assert "Candidates, each alone on held-out rows" in wide
    assert wide.count("false alarms per 100 others") > 5
    predicted = [icost("predict", name, patients)[:2] for name in ("a.skops", "b.skops")]
    assert predicted[0] == predicted[1]


def test_a_model_without_options_is_fitted_in_the_time_that_there_is(icost, patients):
    few = ("-t", "ill", "--drop", "day", "--folds", "3", "--time-limit", "0s", "--force")
    code, out, err = icost("fit", patients, *few, "-o", "a.skops")
    assert code == 0, err
    assert "Not tried within 0 seconds: " in out and "gradient boosting" in out
    code, out, err = icost("compare", patients, *few[:-1])
    assert code == 0 and "Not tried within the time limit of 0 seconds" in out


def test_strategies_and_classifiers_are_blended_by_groups(icost, clear_patients):
    few = ("-s", "ncs", "-s", "cs", "-c", "dt", "-c", "nb", "--group", "clinic", "--force")
    code, out, err = icost("fit", clear_patients, *AUTO, *few, "-o", "a.skops", "--json")
    assert code == 0, err
    record = json.loads(out)
    assert set(record["candidates"]) <= {"dt", "dt+cs", "nb", "nb+cs"}
    assert "each of 20 groups together" in record["metrics_from"]
    # The groups are no feature.
    assert "clinic" not in [column["name"] for column in record["columns"]]


def test_costs_of_errors_decide(icost, patients):
    few = ("-c", "nb", "--cost-fn", "30", "--json")
    record = json.loads(icost("fit", patients, *AUTO, *few, "-o", "a.skops")[1])
    assert record["error_costs"] == [30.0, 1.0] and record["threshold"] == pytest.approx(1 / 31)
    expected = next(one for one in record["verdict"] if one["topic"] == "expect")
    assert "cost per row" in expected["text"]


def test_the_simplest_is_kept_where_that_is_wanted(icost, patients):
    code, out, err = icost("fit", patients, *AUTO, "--simple", "-o", "a.skops")
    assert code == 0, err
    record = json.loads(icost("inspect", "a.skops", "--json")[1])
    assert len(record["candidates"]) == 1 or "as good" not in out


@pytest.fixture
def wards(patients):
    """The same patients, the ill ones in two wards: three classes."""
    table = pd.read_csv(patients)
    table.loc[(table["ill"] == "yes") & (table["clinic"] % 2 == 0), "ill"] = "intensive"
    table.to_csv("wards.csv", index=False)
    return "wards.csv"


@pytest.mark.parametrize("table", ["patients", "wards"])
@pytest.mark.parametrize("strategy", ["ensemble", "blend", "offsets", "auto"])
def test_whatever_is_kept_can_be_inspected_and_predicts(
    icost, strategy, table, small_blend, request
):
    pytest.importorskip("imblearn")
    data = request.getfixturevalue(table)
    more = ("--force", "-c", "nb") if strategy == "auto" else ()
    options = ("-t", "ill", "--drop", "day", "-s", strategy, *more, "-o", "a.skops")
    code, out, err = icost("fit", data, *options)
    assert code == 0, err
    record = json.loads(icost("inspect", "a.skops", "--json")[1])
    assert record["method"] == strategy
    low, high = record.get("metric_intervals", {}).get("mcc", (-1, 1))
    assert low <= record["metrics"]["mcc"] <= high
    code, out, err = icost("inspect", "a.skops")
    assert code == 0, err
    assert "60 rows" in out and "MCC" in out
    code, out, err = icost("predict", "a.skops", data, "--proba")
    assert code == 0, err
    predicted = pd.read_csv(io.StringIO(out))
    assert set(predicted["prediction"]) <= set(pd.read_csv(data)["ill"])
    assert len(predicted) == 60 and predicted.shape[1] == len(record["classes"]) + 1


@pytest.mark.parametrize("method", ["ncs", "auto"])
def test_an_error_while_printing_does_not_lose_the_model(icost, patients, method, monkeypatch):
    def broken(*_, **__):
        raise KeyError("sensitivity")

    options = (*AUTO[2:], "-c", "nb") if method == "auto" else AUTO[2:6]
    with monkeypatch.context() as patched:
        patched.setattr("icost.cli._fit.print_record", broken)
        code, _, err = icost("fit", patients, *options, "-m", method, "-o", "kept.skops")
    assert code == 3 and "sensitivity" in err
    assert icost("predict", "kept.skops", patients)[0] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-m", "nothing"], "no strategy 'nothing'; choose from ncs, cs, neighbor"),
        (
            ["-m", "gini", "--penalty", "plausible", "--cfb", "2"],
            "--cfb has no effect with --penalty plausible",
        ),
        (
            ["-m", "gini", "--floor", "0.1"],
            "--floor has no effect without --penalty or --majority plausible",
        ),
        (["-m", "neigbor"], "no strategy 'neigbor'; did you mean 'neighbor'"),
        (["-s", "cs", "-s", "ensemble"], "--strategy ensemble cannot be blended with others"),
        (
            ["-m", "cs", "--time-limit", "5s"],
            "--time-limit has no effect with --strategy cs, which",
        ),
        (["-m", "cs", "--time", "day"], "--time has no effect with --strategy cs, which is fitted"),
        (["-m", "smote", "--cost-fn", "3"], "--cost-fn has no effect with --strategy smote"),
        (["-m", "blend", "-c", "dt"], "--classifier has no effect with --strategy blend"),
        (["-m", "blend", "--calibrate"], "--calibrate has no effect with --strategy blend"),
        (["-m", "balanced-rf", "-c", "dt"], "--classifier has no effect with --strategy balanced"),
        (["--calibrate"], "--calibrate is for one strategy"),
        (["--cfb", "2"], "icost fit blends several: add --strategy neighbor, or another."),
        (["--scale", "2"], "--scale is for one strategy"),
        (["-m", "auto", "--tree-probe", "fast"], "add --strategy gini, or another."),
        (["--cost-fp", "2"], "--cost-fp has no effect without --cost-fn"),
        (["--time-limit", "soon"], "a time such as 60s, 5m or 1h is wanted, got 'soon'."),
    ],
)
def test_combinations_that_make_no_sense_get_one_sentence(icost, patients, options, said):
    code, out, err = icost("fit", patients, "-t", "ill", "-o", "m.skops", *options)
    assert (code, out) == (2, "") and said in " ".join(err.split())
    assert not Path("m.skops").exists()


@pytest.mark.parametrize("words", [("--strategy", "cs"), ("-s", "cs"), ("-m", "cs")])
def test_one_strategy_is_fitted_without_a_comparison(icost, patients, words):
    code, _, err = icost("fit", patients, "-t", "ill", "-c", "logistic", *words, "-o", "m.skops")
    record = json.loads(icost("inspect", "m.skops", "--json")[1])
    assert code == 0, err
    assert (record["method"], record["classifier"]) == ("cs", "lr") and "verdict" not in record


def test_a_resampled_model_is_kept_and_predicts(icost, patients):
    pytest.importorskip("imblearn")
    code, _, err = icost("fit", patients, "-t", "ill", "-m", "smote", "-o", "s.skops")
    assert code == 0, err
    code, out, _ = icost("predict", "s.skops", patients, "--proba")
    assert code == 0 and len(out.splitlines()) == 61
    assert "Logistic regression with SMOTE: predicts 'ill'" in icost("inspect", "s.skops")[1]


@pytest.mark.parametrize("method", ["neighbor", "auto"])
def test_an_interrupted_write_leaves_the_old_model(icost, patients, model, method, monkeypatch):
    before, names = Path(model).read_bytes(), sorted(path.name for path in Path().iterdir())

    def interrupted(*_):
        raise KeyboardInterrupt

    # At the last moment: the new file is whole, and about to take the place of the old one.
    monkeypatch.setattr("icost._core.files.os.replace", interrupted)
    few = AUTO[2:] if method == "auto" else AUTO[2:6]
    few = (*few, "-c", "nb") if method == "auto" else few
    assert icost("fit", patients, *few, "--method", method, "-o", model)[0] == 130
    assert Path(model).read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == names


def test_a_model_says_how_its_rows_were_weighted(icost, patients):
    weighting = ("--penalty", "plausible", "--scale", "0.5")
    out = icost("fit", patients, "-t", "ill", "-m", "neighbor", "-o", "p.skops", *weighting)[1]
    for text in (out, icost("inspect", "p.skops")[1]):
        said = "Logistic regression with Neighbor-iCost, penalty plausible, scale 0.5: predicts"
        assert said in " ".join(text.split())


def test_a_rule_is_followed_and_shown(icost, patients, snapshot):
    arguments = ("fit", patients, "-t", "ill", "--decide", "alerts<=0.5", "-o", "budget.skops")
    code, out, _ = icost(*arguments, "-c", "lr")
    snapshot("fit-with-a-rule", out)
    said = " ".join(out.split())
    assert code == 0 and "alerts <= 0.5 holds with 90 % confidence" in said
    record = json.loads(icost("inspect", "budget.skops", "--json")[1])
    assert record["rule"] == "alerts<=0.5" and "alerts <= 0.5 holds" in record["certificate"]


def test_a_broken_promise_is_told_to_whoever_wants_nothing_but_errors(icost, patients):
    arguments = ("fit", patients, "-t", "ill", "-c", "lr", "-o", "m.skops", "--decide")
    code, out, err = icost(*arguments, "precision>=0.99, recall>=0.99", "-q")
    assert (code, out) == (0, "") and err.count("recall >= 0.99 cannot be certified") == 1
    assert icost(*arguments, "alerts<=0.5", "-q") == (0, "", "")


def test_a_rule_goes_with_several_classifiers_and_with_time(icost, patients):
    arguments = ("fit", patients, "-t", "ill", "--decide", "alerts<=0.5", "-c", "nb", "-c", "dt")
    code, out, _ = icost(*arguments, "--repeats", "1", "-o", "best.skops")
    assert code == 0 and "alerts <= 0.5 holds with 90 % confidence" in " ".join(out.split())
    code, _, err = icost(*arguments, "-o", "m.skops", "--time", "day", "--folds", "3", "--force")
    assert code == 0, err
    record = json.loads(icost("inspect", "m.skops", "--json")[1])
    assert "in the order of time" in record["metrics_from"] and "alerts <= 0.5" in str(record)


@pytest.mark.parametrize("strategy", [None, "threshold", "threshold-cost", "ensemble"])
def test_costs_are_a_rule(icost, patients, strategy):
    named = [] if strategy is None else ["-s", strategy]
    arguments = ["fit", patients, "-t", "ill", "-c", "dt", "--decide", "cost", *named]
    code, out, _ = icost(*arguments, "--cost-fn", "9", "-o", "m.skops", "--json")
    assert code == 0 and json.loads(out)["threshold"] == pytest.approx(0.1)
    code, said, _ = icost(*arguments, "--cost-fn", "pulse", "-o", "m.skops", "--wide")
    assert code == 0 and ("Costs per row decide" in said or strategy is None)
    code, _, said = icost(*arguments, "-o", "m.skops")
    assert code == 2 and "needs --cost-fn, how many false alarms" in " ".join(said.split())


def test_costs_may_be_in_a_column(icost, patients):
    arguments = ("fit", patients, "-t", "ill", "-m", "threshold-cost", "--cost-fn")
    code, said, _ = icost(*arguments, "pulse", "--cost-fp", "20", "-o", "rows.skops")
    assert code == 0 and "Costs per row decide" in said
    said = icost("predict", "rows.skops", patients, "--proba")[2]
    assert "the one that is expected to cost less in its row" in said
    assert "did you mean 'pulse'?" in icost(*arguments, "puls", "-o", "m.skops")[2]
    assert "cost_fn must be finite" in icost(*arguments, "age", "-o", "m.skops")[2]


def test_fit_and_inspect_say_that_a_model_guesses(icost, tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        f"{value:.3f},{'no' if place < 90 else 'yes'}"
        for place, value in enumerate(rng.normal(size=120))
    ]
    Path("noise.csv").write_text("\n".join(["x,y", *rows]))
    said = icost("fit", "noise.csv", "-s", "cs", "-o", "n.skops")[1]
    for text in (said, icost("inspect", "n.skops")[1]):
        assert "This model is no better than guessing" in " ".join(text.split())
    forced = icost("fit", "noise.csv", "--folds", "2", "--repeats", "1", "--force", "-o", "f.skops")
    for text in (forced[1], icost("inspect", "f.skops")[1]):
        assert "Nothing here is better than guessing" in text and "MCC" in text
        assert not any(word in text for word in ("Use ", "It finds"))


def test_without_a_name_the_model_has_that_of_the_table(icost, patients):
    few = ("fit", patients, "-t", "ill", "-s", "cs")
    code, out, _ = icost(*few)
    assert code == 0 and "Saved the model to patients.skops (" in out
    before = Path("patients.skops").read_bytes()
    code, _, err = icost(*few)
    assert code == 2 and "'patients.skops' is there already: name the model file with -o." in err
    assert Path("patients.skops").read_bytes() == before


def test_names_of_columns_have_no_spaces(icost, patients):
    table = pd.read_csv(patients)
    table["ill"] = table["ill"].replace("yes", "very ill")
    table.to_csv(patients, index=False)
    icost("fit", patients, "-t", "ill", "-s", "cs", "-o", "m.skops")
    out = icost("predict", "m.skops", patients, "--proba")[1]
    assert out.splitlines()[0] == "prediction,probability_no,probability_very_ill"
    table["ill"] = np.where(table["pulse"] > 75, "very_ill", table["ill"])
    table.to_csv(patients, index=False)
    icost("fit", patients, "-t", "ill", "-s", "cs", "-o", "m.skops")
    names = icost("predict", "m.skops", patients, "--proba")[1].splitlines()[0].split(",")
    assert names[-2:] == ["probability_very ill", "probability_very_ill"]


def test_a_small_class_is_named_once_and_by_its_label(icost, patients):
    code, _, err = icost(
        "fit", patients, "-t", "ill", "-s", "ensemble", "-c", "nb", "-o", "m.skops"
    )
    assert code == 0 and "class 'yes' has only 12 rows" in err and "Few rows" not in err


def test_means_over_classes_are_not_called_what_is_found_of_the_minority(icost):
    code, out, _ = icost("fit", "wine", "-s", "cs", "-o", "three.skops")
    assert code == 0 and "Sensitivity" in out and "minority rows" not in out
    code, out, _ = icost("fit", "glass2", "-s", "cs", "-o", "two.skops")
    assert code == 0 and "of 100 minority rows" in " ".join(out.split())
