import pytest

from icost.comparison.verdict import (
    conclusions,
    gain,
    grouped,
    how_corrected,
    joint_level,
    pairs_of_interest,
    recommend,
    sentence,
    told_apart,
)

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
    assert found["strategy"] == "cs"
    assert "the best (controls aside), that of Neighbor." in found["sentence"]
    means["neighbor-mean"] = 0.49
    found = recommend(means, labels, to_best, "mcc")
    assert "the best, that of Neighbor." in found["sentence"]
    to_best["cs"]["error"] = 0.01
    assert recommend(means, labels, to_best, "mcc")["strategy"] == "neighbor"


def test_less_cost_is_better():
    means, labels = {"ncs": 1.0, "cs": 0.4}, {"ncs": "Plain", "cs": "CS"}
    to_best = {"ncs": {"mean": 0.6, "error": 0.1}}
    found = recommend(means, labels, to_best, "cost")
    assert found["strategy"] == "cs" and "controls" not in found["sentence"]
    means, labels = {**means, "gini-mean": 0.3}, {**labels, "gini-mean": "control"}
    found = recommend(means, labels, to_best, "cost")
    assert "it has the best cost per case (controls aside), and" in found["sentence"]


def test_a_strategy_of_unknown_simplicity_can_be_the_best():
    means = {"ncs": 0.30, "tuned-cs-81": 0.50, "rus": 0.49, "gini-permuted": 0.60}
    labels = {"ncs": "Plain", "tuned-cs-81": "Tuned", "rus": "RUS", "gini-permuted": "control"}
    to_best = {name: {"mean": means[name] - 0.50, "error": 0.05} for name in means}
    found = recommend(means, labels, to_best, "mcc")
    assert found["strategy"] == "tuned-cs-81"
    assert found["sentence"].startswith("Use Tuned: it has the best MCC (controls aside)")
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


def test_strategies_that_share_a_verdict_share_a_sentence():
    many = [
        difference(-0.03, -0.05, -0.01, n_together=10) | {"label": "A"},
        difference(-0.06, -0.08, -0.04, n_together=10) | {"label": "C"},
        difference(0.02, 0.01, 0.03, n_together=10) | {"label": "D"},
        difference(0.01, -0.02, 0.04, n_together=10) | {"label": "E, even"},
        difference(0.02, -0.02, 0.06, n_together=10) | {"label": "F"},
        difference(0.03, -0.02, 0.08, n_together=10) | {"label": "G"},
    ]
    assert grouped(many) == [
        "D is better than B by 2.0 MCC (joint 95 % interval 1.0 to 3.0).",
        "Worse than B, in MCC (joint 95 % intervals): C by 6.0 (4.0 to 8.0) and A by 3.0 "
        "(1.0 to 5.0).",
        "E, even; F and G cannot be told from B.",
    ]
    assert grouped([]) == []


def test_less_cost_is_no_loss_in_a_group():
    many = [difference(-x, -2 * x, -x / 2, "cost") | {"label": f"S{x}"} for x in (1, 2)]
    assert grouped(many) == [
        "Better than B, in cost per case (95 % intervals): S2 by 2.000 (1.000 to 4.000) and "
        "S1 by 1.000 (0.500 to 2.000)."
    ]


def test_losses_are_said_like_gains_beside_the_recommended_and_beside_plain():
    means = {"ncs": 0.50, "threshold": 0.543, "neighbor": 0.485, "gini": 0.53}

    def differ(one, other):
        mean = means[one] - means[other]
        names = {"label": one, "baseline_label": other}
        return difference(mean, mean - 0.012, mean + 0.012) | names

    assert told_apart(list(means), "threshold", differ) == [
        "threshold is better than ncs by 4.3 MCC (95 % interval 3.1 to 5.5).",
        "Worse than threshold, in MCC (95 % intervals): neighbor by 5.8 (4.6 to 7.0) and "
        "gini by 1.3 (0.1 to 2.5).",
        "gini is better than ncs by 3.0 MCC (95 % interval 1.8 to 4.2).",
        "neighbor is worse than ncs by 1.5 MCC (95 % interval 0.3 to 2.7).",
    ]
    # Plain has no row of its own beside itself, and need not have been compared.
    assert len(told_apart(list(means), "ncs", differ)) == 2
    assert len(told_apart(["threshold", "gini"], "threshold", differ)) == 1
    assert told_apart(["ncs"], "ncs", differ) == []


def test_strategies_are_set_against_the_plain_fit_of_their_classifier():
    means = {"lr:ncs": 0.3, "lr:cs": 0.4, "rf:ncs": 0.5, "rf:cs": 0.2, "blend": 0.45}

    def differ(one, other):
        mean = means[one] - means[other]
        names = {"label": one, "baseline_label": other}
        return difference(mean, mean - 0.01, mean + 0.01) | names

    first, *told = told_apart(list(means), "rf:ncs", differ)
    assert first.startswith("Worse than rf:ncs, in MCC (95 % intervals): rf:cs by 30.0 (29.0 to ")
    assert told == ["lr:cs is better than lr:ncs by 10.0 MCC (95 % interval 9.0 to 11.0)."]
    labels = {name: name for name in means}
    to_best = {name: differ(name, "rf:ncs") | {"error": 0.06} for name in means}
    assert recommend(means, labels, to_best, "mcc")["name"] == "rf:ncs"
    to_best["lr:cs"]["error"] = 0.2
    assert recommend(means, labels, to_best, "mcc")["name"] == "lr:cs"
    to_best["lr:ncs"]["error"] = 0.3
    found = recommend(means, labels, to_best, "mcc")
    assert (found["name"], found["strategy"]) == ("lr:ncs", "ncs")


def test_pairs_and_conclusions_stay_within_a_classifier():
    names = ["lr:ncs", "lr:cs", "lr:gini", "rf:ncs", "rf:gini", "rf:threshold", "blend"]
    assert pairs_of_interest(names, "blend") == [("lr:gini", "lr:cs"), ("rf:gini", "rf:threshold")]
    assert pairs_of_interest(names, "rf:gini")[-1] == ("rf:gini", "rf:ncs")
    level = difference(0.01, -0.01, 0.03, strategy="rf:gini", baseline="rf:threshold")
    text = "No iCost strategy can be told from a tuned threshold with rf."
    assert conclusions([level]) == [text] and conclusions([level], told="rf:threshold") == []


def test_how_intervals_are_corrected_is_said():
    assert joint_level(1) == pytest.approx(0.95) and joint_level(36) == pytest.approx(1 - 0.05 / 36)
    assert how_corrected(1) == how_corrected(2) == ""
    assert how_corrected(9) == (
        "Intervals of differences hold together, for all 36 pairs of the 9 strategies, at 95 %: "
        "each has a level of 99.86 % (Bonferroni). Those of the scores are at 95 % each."
    )


def test_what_was_told_one_by_one_is_not_summed_up():
    level = difference(0.01, -0.01, 0.03, strategy="gini", baseline="threshold")
    assert conclusions([level]) == ["No iCost strategy can be told from a tuned threshold here."]
    assert conclusions([level], told="threshold") == []
