import pytest

from icost.comparison.verdict import conclusions, gain, pairs_of_interest, recommend, sentence

NAMES = {"label": "A", "baseline_label": "B"}


def difference(mean, low, high, metric="mcc", **more):
    return {**NAMES, "metric": metric, "mean": mean, "low": low, "high": high, **more}


@pytest.mark.parametrize(
    ("numbers", "metric", "text"),
    [
        ((0.031, 0.008, 0.052), "mcc", "A is better than B by 3.1 MCC (95 % interval 0.8 to 5.2)."),
        ((-0.02, -0.03, -0.01), "mcc", "A is worse than B by 2.0 MCC (95 % interval 1.0 to 3.0)."),
        (
            (-0.5, -0.9, -0.1),
            "cost",
            "A is better than B by 0.500 cost per case (95 % interval 0.100 to 0.900).",
        ),
        (
            (-0.01, -0.03, 0.01),
            "mcc",
            "A and B cannot be told apart: -1.0 MCC (95 % interval -3.0 to 1.0).",
        ),
    ],
)
def test_sentences(numbers, metric, text):
    assert sentence(difference(*numbers, metric)) == text


def test_an_interval_that_is_unknown_tells_nothing():
    assert gain(difference(0.1, float("nan"), float("nan"))) == "equal"


def test_the_simplest_within_one_standard_error_is_recommended():
    means = {"ncs": 0.30, "cs": 0.48, "neighbor": 0.50, "neighbor-mean": 0.52}
    labels = {"ncs": "Plain", "cs": "CS", "neighbor": "Neighbor", "neighbor-mean": "control"}
    to_best = {
        "ncs": {"mean": -0.20, "error": 0.05},
        "cs": {"mean": -0.02, "error": 0.03},
        "neighbor-mean": {"mean": 0.02, "error": 0.03},
    }
    found = recommend(means, labels, to_best, "mcc")
    assert found["strategy"] == "cs" and "the best, that of Neighbor." in found["sentence"]
    to_best["cs"]["error"] = 0.01
    assert recommend(means, labels, to_best, "mcc")["strategy"] == "neighbor"


def test_less_cost_is_better():
    means, labels = {"ncs": 1.0, "cs": 0.4}, {"ncs": "Plain", "cs": "CS"}
    to_best = {"ncs": {"mean": 0.6, "error": 0.1}}
    assert recommend(means, labels, to_best, "cost")["strategy"] == "cs"


def test_a_strategy_of_unknown_simplicity_can_be_the_best():
    means = {"ncs": 0.30, "tuned-cs-81": 0.50, "rus": 0.49, "gini-permuted": 0.60}
    labels = {"ncs": "Plain", "tuned-cs-81": "Tuned", "rus": "RUS", "gini-permuted": "control"}
    to_best = {name: {"mean": means[name] - 0.50, "error": 0.05} for name in means}
    found = recommend(means, labels, to_best, "mcc")
    assert found["strategy"] == "tuned-cs-81"
    assert found["sentence"].startswith("Use Tuned: it has the best MCC")
    to_best["ncs"]["error"] = 0.25
    assert recommend(means, labels, to_best, "mcc")["strategy"] == "ncs"


def test_a_control_that_cannot_be_told_apart_leaves_the_reason_open():
    better = difference(0.07, 0.01, 0.13, strategy="gini", baseline="cs", label="Gini-iCost")
    names = {"label": "Gini-iCost", "baseline_label": "its control"}
    level = difference(0.049, -0.01, 0.1, strategy="gini", baseline="gini-mean") | names
    (text,) = conclusions([better, level])
    assert text == (
        "Gini-iCost and its control cannot be told apart: 4.9 MCC (95 % interval -1.0 to 10.0), so "
        "it is open whether the gain over CS is due to which rows get more weight or only to "
        "smaller weights."
    )
    assert conclusions([better]) == conclusions([better, level | {"low": 0.01}]) == []


def test_pairs_are_those_at_hand():
    assert pairs_of_interest(["ncs", "cs", "gini"], "gini") == [("gini", "cs"), ("gini", "ncs")]
