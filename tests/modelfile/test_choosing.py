"""choose_model: the model of one pass, with a record that says what it is and what to expect."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from icost import iCostAuto
from icost.modelfile import NothingBetterThanGuessing, choose_model, load_model, save_model

QUICK = {"n_splits": 3, "n_repeats": 1}


@pytest.fixture
def patients():
    rng = np.random.default_rng(0)
    is_ill = np.arange(150) % 5 == 0
    table = pd.DataFrame(
        {"age": rng.normal(50 + 20 * is_ill, 10), "sex": rng.choice(["f", "m"], 150)}
    )
    return table, pd.Series(np.where(is_ill, "ill", "well"), name="state")


def test_the_record_says_what_the_model_is(patients):
    X, y = patients
    record = choose_model(X, y, candidates=["nb", "lr"], **QUICK).record
    assert (record["method"], record["target"], record["minority"]) == ("auto", "state", "ill")
    assert record["rows"] == 150 and record["classes"] == ["ill", "well"]
    assert sum(record["candidates"].values()) == pytest.approx(1, abs=0.001)
    assert [remark["topic"] for remark in record["verdict"]][:3] == ["use", "finds", "expect"]
    low, high = record["metric_intervals"]["mcc"]
    assert low < record["metrics"]["mcc"] < high
    assert "3 stratified folds" in record["metrics_from"]


def test_a_classifier_of_the_user_is_kept(patients, tmp_path):
    X, y = patients
    model = choose_model(X, y, candidates=[("mine", GaussianNB(var_smoothing=0.01))], **QUICK)
    assert model.record["classifier"] == "mine"
    save_model(model, tmp_path / "mine.skops")
    again = load_model(tmp_path / "mine.skops")
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


def test_rows_of_weight_0_and_their_levels_are_absent(patients):
    X, y = patients
    X.loc[149, "sex"] = "x"
    weight = np.where(np.arange(150) < 130, 1.0, 0.0)
    model = choose_model(X, y, candidates=["lr"], sample_weight=weight, **QUICK)
    auto = iCostAuto(["lr"], **QUICK).fit(X, y, sample_weight=weight)
    assert model.predict_proba(X).tobytes() == auto.predict_proba(X).tobytes()
    assert model.record["rows"] == 130
    assert model.record["columns"][1]["levels"] == ["f", "m"]


def test_no_model_is_kept_where_nothing_is_better_than_guessing():
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(300, 5)), rng.permutation(np.repeat(["well", "ill"], [262, 38]))
    options = {"candidates": ["lr", "nb"], **QUICK}
    with pytest.raises(NothingBetterThanGuessing, match="check the target"):
        choose_model(*noise, **options)
    model = choose_model(*noise, **options, force=True)
    assert "Nothing here is better than guessing" in repr(model).splitlines()[1]
    # Where there is something to keep, force changes nothing.
    noise[0][:, 0] += 1.5 * (noise[1] == "ill")
    forced = choose_model(*noise, **options, force=True)
    assert forced.record == choose_model(*noise, **options).record


def test_a_rule_is_certified_for_the_models_of_the_folds(patients):
    model = choose_model(*patients, candidates=["nb"], decide="recall>=0.6", **QUICK)
    assert model.record["rule"] == "recall>=0.6"
    assert "recall >= 0.6 holds" in model.record["certificate"]
    assert [remark["topic"] for remark in model.record["verdict"]][-2:] == ["promise", "rule"]
    assert len(model.record["cuts"]) > 3 and len(model.estimator.members_[0]) == 3


def test_time_and_weights_go_with_a_rule(patients):
    X, y = patients
    options = {"candidates": ["nb"], "decide": "recall>=0.5", **QUICK}
    model = choose_model(X, y, time=np.arange(150), sample_weight=np.ones(150), **options)
    assert "in the order of time" in model.record["metrics_from"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decide": "recal>=0.8"}, "Did you mean 'recall'"),
        ({"decide": "cost"}, "rule='cost' needs cost_fn, the cost of a miss"),
        ({"decide": "recall>=0.8", "cost_fn": 9.0}, "cost_fn needs rule='cost'"),
        ({"candidates": ["forrest"]}, "did you mean 'forest'"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_fitted(patients, options, message):
    with pytest.raises(ValueError, match=message):
        choose_model(*patients, **options, **QUICK)


def test_a_time_limit_says_what_was_not_tried():
    rng, y = np.random.default_rng(0), np.repeat([0, 1], [150, 50])
    X = rng.normal(size=(200, 2)) + 1.5 * y[:, None]
    model = choose_model(X, y, candidates=["nb", "rf"], time_limit=1e-9, **QUICK)
    assert model.record["notes"] == ["Not tried within 1e-09 seconds: a random forest."]


def test_three_classes_name_the_one_that_is_found_least():
    rng, y = np.random.default_rng(0), np.repeat(["a", "b", "c"], [200, 60, 30])
    X = rng.normal(size=(290, 3)) + np.repeat([0, 1.5, 3], [200, 60, 30])[:, None]
    model = choose_model(X, y, candidates=["lr"], **QUICK)
    found = model.record["verdict"][1]
    assert found["facts"]["least"] in ("a", "b", "c") and found["facts"]["least"] in found["text"]
    assert model.record["minority"] is None and set(model.predict(X)) == {"a", "b", "c"}
