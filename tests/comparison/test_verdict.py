from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from icost._core.views import few
from icost.comparison._selection import half_width, joint_quantile
from icost.comparison._verdict import (
    as_good,
    before_use,
    choose,
    classifier_reason,
    even,
    gain,
    how_sure,
    in_words,
    parts,
    sentence,
    split_lead,
    sureness,
    trade,
    use,
)
from icost.strategies import Strategy, get_strategy

CONTROLS = ("neighbor-mean", "gini-mean", "gini-permuted")


def runs_of(names):
    """Strategies by the names of their entries; controls and unknown ones are made up."""
    return {name: _strategy(parts(name)[1]) for name in names}


def _strategy(name):
    if name in CONTROLS or name.startswith("tuned-"):
        return Strategy(name, name, "control", None, is_control=name in CONTROLS)
    return get_strategy(name)


NAMES = {"label": "A", "baseline_label": "B"}


def difference(mean, low, high, metric="mcc", **more):
    return {**NAMES, "metric": metric, "mean": mean, "low": low, "high": high, **more}


@pytest.mark.parametrize(
    ("numbers", "metric", "text"),
    [
        ((0.031, 0.008, 0.052), "mcc", "A scored 0.03 higher than B (0.01 to 0.05)."),
        ((-0.02, -0.03, -0.01), "mcc", "A scored 0.02 lower than B (0.01 to 0.03)."),
        ((-0.5, -0.9, -0.1), "cost", "A cost 0.500 less per row than B (0.100 to 0.900)."),
        (
            (-0.01, -0.03, 0.02),
            "mcc",
            "A scored 0.01 lower than B, but that may be chance (-0.02 to 0.03).",
        ),
        ((0.001, -0.02, 0.022), "mcc", "A scored the same as B (-0.02 to 0.02)."),
        (
            (0.09, -0.004, 0.18),
            "mcc",
            "A scored 0.09 higher than B, but that may be chance (0.00 to 0.18).",
        ),
    ],
)
def test_sentences(numbers, metric, text):
    assert sentence(difference(*numbers, metric)) == text


def test_an_interval_that_is_unknown_shows_nothing():
    assert gain(difference(0.1, float("nan"), float("nan"))) == "equal"


@pytest.mark.parametrize(
    ("strategy", "classifier", "words"),
    [
        ("ncs", "rf", "a plain random forest"),
        ("ncs", "lr", "plain logistic regression"),
        ("threshold", "hgb", "gradient boosting with a tuned threshold"),
        ("smote", "dt", "a decision tree with SMOTE"),
        ("ensemble", "xgb", "XGBoost in an iCost ensemble"),
        ("blend", "lr", "a blend of four classifiers"),
    ],
)
def test_strategies_in_words(strategy, classifier, words):
    assert in_words(get_strategy(strategy), classifier) == words


def row(recall=0.53, specificity=0.96, mcc=(0.41, 0.32, 0.5)):
    mean, low, high = mcc
    scores = {
        "mcc": {"mean": mean, "low": low, "high": high},
        "cost": {"mean": 0.25, "low": 0.2, "high": 0.3},
        "sensitivity": {"mean": recall, "low": 0.38, "high": 0.68},
        "specificity": {"mean": specificity, "low": 0.9, "high": 1.0},
    }
    return {"words": "gradient boosting with a tuned threshold", "scores": scores}


def test_sentences_of_a_verdict(snapshot):
    numbers = {**SELECTION, "share": 0.74}
    facts = SimpleNamespace(repeated={"repeated": 1}, leaks=[{"name": "a"}], identifiers=["b"])
    lines = [
        use(row(), "mcc", None, True),
        use(row(mcc=(0.1, -0.05, 0.25)), "mcc", None, True),
        use(row(mcc=(0.1, -0.05, 0.25)), "cost", ("c", 0.1), False),
        how_sure(numbers, 51, True) + as_good(["a plain forest"]),
        how_sure({**numbers, "corrected": None}, 9, False) + as_good(["SMOTE", "class costs"]),
        trade(11.6, "CS", 0.71),
        *before_use(facts, suspects=1),
    ]
    snapshot("verdict", "\n".join(lines))


def test_the_first_line_says_what_is_found_and_missed():
    first = use(row(), "mcc", None, True)
    assert "finds 53 of 100 minority rows (38–68)" in first and first.endswith("MCC 0.41.")
    assert "raises 4 false alarms per 100 others" in first
    assert "raises 1 false alarm per 100" in use(row(specificity=0.99), "mcc", None, True)
    assert "raises 0.4 false alarms per 100" in use(row(specificity=0.996), "mcc", None, True)
    assert use(row(), "cost", None, True).endswith("Cost per row 0.250.")
    several = use(row(), "mcc", ("tiny", 0.072), True)
    assert several.endswith(
        "It finds 53 of 100 rows of a class on average, and the fewest of 'tiny': 7. MCC 0.41."
    )


def test_a_ranking_without_good_decisions_is_called_so():
    poor = use(row(mcc=(0.1, -0.05, 0.25)), "mcc", None, True)
    assert "ranks rows, but decides poorly" in poor and poor.endswith("0 (-0.05 to 0.25).")
    assert "poorly" not in use(row(), "mcc", None, True)
    unranked = use(row(mcc=(0.1, -0.05, 0.25)), "mcc", None, False)
    assert "ranks" not in unranked and "It decides poorly" in unranked


SELECTION = {"metric": "mcc", "raw": 0.41, "corrected": 0.35, "low": 0.3, "high": 0.45}


@pytest.mark.parametrize(
    ("share", "low", "rows", "level"),
    [
        (0.9, 0.3, 500, "Good"),
        (0.7, 0.3, 500, "Fair"),
        (0.9, 0.2, 500, "Fair"),
        (0.9, 0.0, 500, "Weak"),
        (0.4, 0.3, 500, "Weak"),
        (0.9, 0.3, 51, "Weak"),
    ],
)
def test_how_sure_a_choice_is(share, low, rows, level):
    assert sureness({**SELECTION, "share": share, "low": low}, rows)[0] == level


def test_a_weak_choice_of_many_rows_says_why():
    many = partial(how_sure, n_smallest=500, is_binary=True)
    assert "Weak: 500 minority rows, but the choice varies" in many({**SELECTION, "share": 0.4})
    wide = {**SELECTION, "share": 0.9, "low": 0.0}
    assert "Weak: 500 minority rows, but the score varies" in many(wide)
    assert "Good: 500 minority rows. On new rows" in many({**SELECTION, "share": 0.9})
    # Folds may differ by more than rows do, as those in the order of time.
    apart = many({**SELECTION, "share": 0.9}, spread=0.5)
    assert "Weak: 500 minority rows, but the score varies much between folds" in apart
    assert "Fair: 500 minority rows. On" in many({**SELECTION, "share": 0.9}, spread=0.3)
    costs = {**SELECTION, "metric": "cost", "share": 0.9}
    assert "Good: 500 minority rows. On" in many(costs, spread=9.0)


def test_the_second_line_says_what_to_expect():
    text = how_sure({**SELECTION, "share": 0.74}, 51, True)
    assert "Weak: 51 minority rows." in text and "74 % of redraws of the rows" in text
    assert "On new rows expect MCC 0.35 (0.30 to 0.45);" in text
    unknown = how_sure({**SELECTION, "share": 0.74, "corrected": None}, 9, False)
    assert "9 rows of the smallest class" in unknown and "MCC of 0.41 too high" in unknown
    assert as_good([]) == "" and as_good(["a plain forest"]) == " A plain forest is as good."
    assert as_good(list("abc")) == " A, b and c are as good."


def test_a_miss_that_costs_much_asks_for_another_strategy():
    assert trade(11.6, "CS", 0.71) == (
        "If a miss costs more than 12 false alarms, use CS: it finds 71 of 100."
    )
    assert "more than 1.5 false alarms" in trade(1.52, "CS", 0.71)


def test_what_to_check_first():
    nothing = {"repeated": {"repeated": 0}, "leaks": [], "identifiers": [], "smallest_class": 20}
    assert before_use(SimpleNamespace(**nothing), area=0.99) == []
    few = SimpleNamespace(**{**nothing, "smallest_class": 19})
    assert before_use(few, area=1.0) == []
    (many,) = before_use(SimpleNamespace(**{**nothing, "identifiers": list("abcdef")}))
    assert many.count("identifier") == 3 and many.endswith("identifier, and 3 more.")
    assert before_use(SimpleNamespace(**nothing), area=0.99951) == [
        "Before you do: some column may contain the answer (AUC 0.9995)."
    ]
    facts = {"repeated": {"repeated": 1}, "leaks": [{"name": "a"}], "identifiers": ["b"]}
    (line,) = before_use(SimpleNamespace(**facts), suspects=1, area=1.0)
    assert line.startswith("Before you do: 1 row surprises the models, 1 duplicate row, ")
    assert line.endswith("column 'a' may leak the answer, column 'b' looks like an identifier.")


def test_leads_of_lines():
    assert split_lead("If a miss costs more than 2 false alarms, use CS: it finds 9.") == (
        "If a miss costs more than 2 false alarms,",
        "use CS: it finds 9.",
    )
    assert split_lead(even("CS", 0.4))[0] == "If all classes count alike,"
    assert split_lead("Keep it: icost fit a.csv") == ("Keep it:", "icost fit a.csv")
    assert split_lead("Use CS.") == ("", "Use CS.")


def test_the_simplest_within_one_standard_error_is_recommended():
    means = {"ncs": 0.30, "cs": 0.48, "neighbor": 0.50, "neighbor-mean": 0.52}
    to_best = {
        "ncs": {"mean": -0.20, "error": 0.05},
        "cs": {"mean": -0.02, "error": 0.03},
        "neighbor-mean": {"mean": 0.02, "error": 0.03},
    }
    assert choose(means, to_best, "mcc", runs_of(means)) == "cs"
    to_best["cs"]["error"] = 0.01
    assert choose(means, to_best, "mcc", runs_of(means)) == "neighbor"


def test_less_cost_is_better():
    means = {"ncs": 1.0, "cs": 0.4, "gini-mean": 0.3}
    to_best = {"ncs": {"mean": 0.6, "error": 0.1}}
    assert choose(means, to_best, "cost", runs_of(means)) == "cs"


def test_a_strategy_of_unknown_simplicity_can_be_the_best():
    means = {"ncs": 0.30, "tuned-cs-81": 0.50, "rus": 0.49, "gini-permuted": 0.60}
    to_best = {name: {"mean": means[name] - 0.50, "error": 0.05} for name in means}
    assert choose(means, to_best, "mcc", runs_of(means)) == "tuned-cs-81"
    to_best["ncs"]["error"] = 0.25
    assert choose(means, to_best, "mcc", runs_of(means)) == "ncs"


def test_the_first_classifier_is_simpler_whatever_the_strategy():
    means = {"lr:ncs": 0.3, "lr:cs": 0.4, "rf:ncs": 0.5, "rf:cs": 0.2, "blend": 0.45}
    to_best = {name: {"mean": means[name] - 0.5, "error": 0.06} for name in means}
    assert choose(means, to_best, "mcc", runs_of(means)) == "rf:ncs"
    to_best["lr:cs"]["error"] = 0.2
    assert choose(means, to_best, "mcc", runs_of(means)) == "lr:cs"
    to_best["lr:ncs"]["error"] = 0.3
    assert choose(means, to_best, "mcc", runs_of(means)) == "lr:ncs"


def test_what_the_classifier_gains():
    def differ(one, other):
        assert (one, other) == ("hgb:ncs", "lr:threshold")
        return difference(0.1, 0.02, 0.18)

    leaders = {"hgb": "hgb:ncs", "rf": "rf:ncs", "lr": "lr:threshold"}
    assert classifier_reason(leaders, "hgb", differ) == (
        " Gradient boosting scored 0.10 higher than logistic regression (0.02 to 0.18)."
    )
    assert classifier_reason({"hgb": "hgb:ncs"}, "hgb", differ) == ""
    # The simplest one is compared with the best of the others.
    pairs = []
    classifier_reason(
        {"hgb": "hgb:ncs", "lr": "lr:ncs", "rf": "rf:ncs"},
        "lr",
        lambda *pair: pairs.append(pair) or difference(0.1, 0.02, 0.18),
    )
    assert pairs == [("lr:ncs", "hgb:ncs")]


def test_a_simpler_strategy_with_a_better_mean_is_preferred():
    means = {"cs": 0.50, "smote": 0.49, "gini": 0.55}
    # SMOTE is within its wide error of the best, class-level costs are not within their narrow one.
    to_best = {
        "cs": {"mean": -0.05, "error": 0.01},
        "smote": {"mean": -0.06, "error": 0.10},
        "gini": {"mean": 0.0, "error": 0.0},
    }
    assert choose(means, to_best, "mcc", runs_of(means)) == "cs"
    assert choose({**means, "cs": 0.48}, to_best, "mcc", runs_of(means)) == "smote"


def test_what_decides_poorly_is_passed_over_where_another_is_as_good_and_higher():
    means = {"ncs": 0.30, "cs": 0.28, "threshold": 0.45, "neighbor": 0.50}
    to_best = {name: {"mean": means[name] - 0.50, "error": 0.3} for name in means}

    def choose_if(*names):
        return choose(means, to_best, "mcc", runs_of(means), names.__contains__)

    assert choose_if("ncs", "threshold") == "ncs"
    assert choose_if("cs", "threshold", "neighbor") == "threshold"  # plain is higher than CS
    assert choose_if("neighbor") == "neighbor"
    assert choose_if("cs") == choose_if() == "ncs"
    to_best["threshold"]["error"] = 0.01
    assert choose_if("threshold") == "ncs"


def test_an_interval_is_wider_than_that_of_the_tested_rows_alone():
    covariance = np.array([[0.002, 0.001], [0.001, 0.002]])
    assert half_width(covariance, 0, 1, 1.96) == pytest.approx(1.96 * np.sqrt(2 * 0.002))
    assert half_width(np.ones((2, 2)), 0, 1, 1.96) == 0.0


def test_several_differences_need_a_larger_quantile():
    one = joint_quantile(np.eye(4), [(0, 1)], 0.95)
    two = joint_quantile(np.eye(4), [(0, 1), (2, 3)], 0.95)
    shared = joint_quantile(np.eye(4), [(0, 1), (2, 1)], 0.95)
    assert one == pytest.approx(1.96, abs=0.05)
    # Two independent ones have the level 0.95 ** 0.5 each; those that share a strategy need less.
    assert two == pytest.approx(2.236, abs=0.05) and one < shared < two
    assert joint_quantile(np.ones((2, 2)), [(0, 1)], 0.95) == pytest.approx(1.96, abs=0.001)
    assert joint_quantile(np.eye(1), [], 0.95) == pytest.approx(1.96, abs=0.001)


def test_few_rows_get_a_digit():
    assert [few(number) for number in (0.0, 0.04, 0.44, 0.98, 3.6)] == ["0", "0", "0.4", "1", "4"]
