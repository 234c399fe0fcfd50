"""choose_model: what a comparison recommends is what is kept, with all notes."""

import numpy as np
import pandas as pd
import pytest

from icost import compare, iCostAuto
from icost.modelfile import (
    NothingBetterThanGuessing,
    choose_model,
    fit_model,
    load_model,
    save_model,
)
from icost.strategies import Strategy

QUICK = {"n_splits": 2, "n_repeats": 1}


@pytest.fixture
def patients():
    rng = np.random.default_rng(0)
    is_ill = np.arange(120) % 5 == 0
    table = pd.DataFrame(
        {"age": rng.normal(50 + 15 * is_ill, 10), "sex": rng.choice(["f", "m"], 120)}
    )
    return table, pd.Series(np.where(is_ill, "ill", "well"), name="state")


def _balanced(base, *, minority_label=None, costs=None, random_state=0):
    return base.set_params(class_weight="balanced")


def test_a_strategy_of_the_user_is_kept(patients, tmp_path):
    X, y = patients
    mine = Strategy("mine", "Balanced", "weighting", _balanced, simplicity=0)
    model, comparison = choose_model(X, y, strategies=[mine], **QUICK)
    assert model.record["method"] == comparison.candidate["strategy"] == "mine"
    assert (model.record["classifier"], model.record["target"]) == ("lr", "state")
    save_model(model, tmp_path / "mine.skops")
    again = load_model(tmp_path / "mine.skops")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


def test_weights_reach_the_comparison_and_the_model(patients):
    X, y = patients
    X.loc[119, "sex"] = "x"
    weight = np.where(np.arange(120) < 100, 1.0, 0.0)
    options = {"strategies": ["ncs", "cs"], **QUICK}
    model, comparison = choose_model(X, y, sample_weight=weight, **options)
    auto = iCostAuto(**options).fit(X, y, sample_weight=weight)
    assert comparison == auto.comparison_ and comparison.n_rows == 100
    assert model.predict_proba(X).tobytes() == auto.predict_proba(X).tobytes()
    # Rows of weight 0 are absent, and so are their levels.
    assert model.record["rows"] == 100
    assert model.record["columns"][1]["levels"] == ["f", "m"]


def test_notebook_and_command_line_compare_the_same_rows():
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [300, 4_800])
    X = rng.normal(size=(5_100, 2)) + (y == "ill")[:, None]
    options = {"classifier": "nb", "strategies": ["ncs"], **QUICK}
    model, comparison = choose_model(X, y, **options)
    assert (comparison.n_rows, comparison.n_rows_of_table) == (5_000, 5_100)
    assert comparison == compare(X, y, **options)
    assert model.record["rows"] == 5_100
    assert choose_model(X, y, max_rows=None, **options)[1].n_rows == 5_100


def test_notes_of_the_comparison_are_in_the_record(patients):
    X, y = patients
    # Either clinic alone has to do for a fold, so that the ensemble cannot hold one out.
    clinic = np.arange(120) // 60
    mine = Strategy("mine", "Balanced", "threshold", _balanced, holds_out=True)
    options = {"groups": clinic, "force": True, **QUICK}
    model, comparison = choose_model(X, y, strategies=[mine, "ensemble"], **options)
    assert any(note.startswith("Inner folds") for note in comparison.notes)
    assert any("groups ignored" in note for note in comparison.notes)
    assert model.record["notes"][: len(comparison.notes)] == comparison.notes


def test_no_model_is_kept_where_nothing_is_better_than_guessing():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(300, 5)), rng.permutation(np.repeat(["well", "ill"], [262, 38]))
    options = {"strategies": ["ncs", "cs"], "n_repeats": 1}
    with pytest.raises(NothingBetterThanGuessing, match="check the target"):
        choose_model(*noise, **options)
    model, comparison = choose_model(*noise, **options, force=True)
    assert comparison.recommendation is None
    assert model.record["selection"]["sentences"] == comparison.verdict
    # Where there is something to recommend, force changes nothing.
    noise[0][:, 0] += 1.5 * (noise[1] == "ill")
    forced, comparison = choose_model(*noise, **options, force=True)
    assert comparison.recommendation is not None
    assert forced.record == choose_model(*noise, **options)[0].record


def test_a_rule_is_given_to_the_best_classifier():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    y = np.where(X["a"] * X["b"] > 0.6, "ill", "well")
    options = {"scaler": "none", "random_state": 3}
    model, found = choose_model(
        X, y, classifier=["lr", "dt"], decide="recall>=0.5", **options, **QUICK
    )
    assert found.candidate["classifier"] == model.record["classifier"] == "dt"
    assert [row["strategy"] for row in found.strategies] == ["threshold", "threshold"]
    assert "recall >= 0.5" in model.record["certificate"]
    assert "a decision tree, chosen out of 2" in model.record["selection"]["sentences"][0]
    alone = fit_model(X, y, classifier="dt", method="threshold", decide="recall>=0.5", **options)
    assert model.predict_proba(X).tobytes() == alone.predict_proba(X).tobytes()
    assert model.record["metrics"] == alone.record["metrics"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decide": "recal>=0.8"}, "Did you mean 'recall'"),
        ({"decide": "cost"}, "decide='cost' needs cost_fn, the cost of a miss"),
        ({"decide": "recall>=0.8", "cost_fn": 9.0}, "does not support costs of errors"),
        ({"decide": "recall>=0.8", "time": np.arange(120)}, "takes time or decide, not both"),
        ({"decide": "stable", "sample_weight": np.ones(120)}, "takes sample_weight or decide"),
    ],
)
def test_what_a_rule_cannot_do_is_said_before_anything_is_fitted(patients, options, message):
    with pytest.raises(ValueError, match=message):
        choose_model(*patients, **options, **QUICK)


def test_a_rule_makes_no_model_of_noise(patients):
    _, y = patients
    noise = pd.DataFrame({"x": np.random.default_rng(3).normal(size=120)})
    options = {"classifier": ["lr", "dt"], "decide": "recall>=0.5", **QUICK}
    with pytest.raises(NothingBetterThanGuessing):
        choose_model(noise, y, **options)
    model, _ = choose_model(noise, y, force=True, **options)
    assert any("no better than guessing" in note for note in model.record["notes"])


def test_a_forced_model_says_first_that_it_guesses():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(300, 5)), rng.permutation(np.repeat(["well", "ill"], [262, 38]))
    model, _ = choose_model(*noise, strategies=["ncs", "cs"], n_repeats=1, force=True)
    assert "Nothing here is better than guessing" in repr(model).splitlines()[1]


def test_a_rule_within_a_time_limit_says_what_was_not_tried():
    rng, y = np.random.default_rng(0), np.repeat([0, 1], [150, 50])
    X = rng.normal(size=(200, 2)) + 1.5 * y[:, None]
    options = {"classifier": ["nb", "rf"], "n_repeats": 1, "time_limit": 1e-9}
    model, _ = choose_model(X, y, decide="recall>=0.7", **options)
    (_, untried) = model.record["selection"]["sentences"]
    assert untried.startswith("Not tried within the time limit") and "forest" in untried
