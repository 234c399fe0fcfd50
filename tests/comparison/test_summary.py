"""The lines of a verdict agree with each other."""

import numpy as np
import pytest

from icost.comparison import compare
from icost.comparison._fold_run import FoldResult, Setup, with_classifiers
from icost.comparison._splits import make_splits
from icost.comparison._summary import Summary
from icost.strategies import get_strategy

CODES = np.repeat([0, 1], [32, 8])
NAMES = ("ncs", "threshold", "cs", "blend")


def summary_of(first_stage=(), **scores):
    """A summary of made-up MCCs, four by each run."""
    splits = make_splits(CODES, n_splits=4, n_repeats=1)
    scores = {name.replace("_", ":"): values for name, values in scores.items()}
    runs = with_classifiers([get_strategy(name) for name in NAMES], ("lr", "rf"))
    runs = {name: run for name, run in runs.items() if name in scores}
    results = [
        FoldResult(name, fold, {"mcc": score}, test, CODES[test], None)
        for name, values in scores.items()
        for fold, (score, (_, test)) in enumerate(zip(values, splits.pairs, strict=True))
    ]
    return Summary(results, CODES, splits, Setup("lr", runs, 2, first_stage=first_stage))


BASE = np.array([0.4, 0.5, 0.6, 0.5])
JITTER = np.array([0.05, -0.05, 0.05, -0.05])


@pytest.fixture
def two_stages():
    """The forest is best by a hair; plain logistic regression is within one standard error."""
    first = ("lr:ncs", "lr:threshold", "rf:ncs", "rf:threshold")
    return summary_of(
        first_stage=first,
        lr_ncs=BASE + JITTER,
        lr_threshold=BASE - 0.2 + JITTER / 9,
        rf_ncs=BASE - 0.2 - JITTER / 9,
        rf_threshold=BASE + 0.01,
    )


def test_a_blend_is_compared_with_the_plain_fit_of_the_best_classifier():
    first = ("lr:ncs", "rf:ncs")
    runs = {"lr_ncs": BASE - 0.2 + JITTER, "rf_ncs": BASE - JITTER, "blend": BASE + 0.3}
    why = summary_of(first_stage=first, **runs).why("blend")
    assert "It scored 0.30 higher than a plain random forest" in why


def test_a_simpler_classifier_that_is_as_good_is_not_denied(two_stages):
    chosen = two_stages.chosen
    assert chosen == "rf:threshold"
    sure = two_stages.how_sure(chosen, two_stages.selection)
    assert "Plain logistic regression is as good." in sure
    reason = two_stages.why(chosen)
    assert "best MCC, and no simpler strategy for a random forest is within one" in reason


def test_what_is_behind_the_best_is_not_as_good_as_the_simplest_beside_it():
    # The plain fit is within an error of the tuned threshold, but not of the best.
    summary = summary_of(
        lr_ncs=BASE - 0.05 + JITTER, lr_threshold=BASE - 0.02 + 2 * JITTER[::-1], rf_cs=BASE
    )
    chosen = summary.chosen
    assert chosen == "lr:threshold"
    assert "It is the simplest within one standard error of the best" in summary.why(chosen)
    sure = summary.how_sure(chosen, summary.selection)
    assert sure.endswith("A random forest with class-level costs is as good.")


@pytest.mark.parametrize("above", [0.03, -0.03])
def test_what_is_passed_over_as_it_decides_poorly_is_not_denied(above):
    wide = np.array([0.0, 0.9, 0.0, 0.9])
    summary = summary_of(lr_ncs=wide, lr_threshold=BASE, rf_threshold=BASE + above + JITTER)
    assert summary.chosen == "lr:threshold"
    what = "that does not decide poorly"
    reason = f"best MCC, and nothing simpler {what} is" if above < 0 else f"simplest {what} within"
    assert reason in summary.why("lr:threshold")
    assert "lain logistic" not in summary.how_sure("lr:threshold", summary.selection)


def test_the_only_candidate_has_no_choice_to_be_stable():
    summary = summary_of(lr_ncs=BASE)
    sure = summary.how_sure("lr:ncs", summary.selection)
    assert "expect MCC" in sure and "redraws" not in sure
    summary = summary_of(lr_ncs=BASE, lr_cs=BASE + JITTER)
    assert "redraws of the rows" in summary.how_sure("lr:ncs", summary.selection)


def test_finding_all_of_few_rows_does_not_prove_that_all_are_found():
    X = np.r_[np.zeros(60), np.full(14, 9.0)].reshape(-1, 1)
    found = compare(X, np.repeat(["well", "ill"], [60, 14]), strategies=["ncs"], n_repeats=1)
    scores = found.strategies[0]["scores"]
    # Clopper and Pearson: a share of 0.025 ** (1 / n) gives n of n in 2.5 % of samples.
    assert scores["sensitivity"]["low"] == pytest.approx(0.025 ** (1 / 14))
    assert scores["specificity"]["low"] == pytest.approx(0.025 ** (1 / 60))
    assert scores["sensitivity"]["high"] == 1.0
    assert "(77–100)" in found.verdict[0]


def test_several_classes_name_the_one_that_is_found_least():
    rng = np.random.default_rng(0)
    y = np.repeat(["large", "mid", "tiny"], [120, 40, 20])
    X = rng.normal(size=(180, 2))
    X[y == "mid"] += 4
    found = compare(X, y, strategies=["ncs"], n_repeats=1)
    # Rows of the class in the middle lie apart, and those of the smallest among the largest.
    assert "rows of a class on average, and the fewest of 'tiny': 0. MCC" in found.verdict[0]
    assert found.strategies[0]["scores"]["sensitivity"]["mean"] < 0.7


def test_several_classes_say_what_finds_more_of_each():
    rng = np.random.default_rng(0)
    y = np.repeat(["large", "mid", "tiny"], [300, 60, 40])
    X = rng.normal(size=(400, 2)) + 1.5 * np.eye(3, 2, -1)[np.repeat([0, 1, 2], [300, 60, 40])]
    found = compare(X, y, strategies=["ncs", "cs"], n_repeats=1)
    assert found.recommendation["name"] == "ncs"
    (line,) = [line for line in found.verdict if line.startswith("If all classes count alike,")]
    recall = {row["name"]: row["scores"]["sensitivity"]["mean"] for row in found.strategies}
    assert "use logistic regression with class-level costs: it finds" in line
    assert f"{100 * recall['cs']:.0f} of 100 rows of a class" in line
