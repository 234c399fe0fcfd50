"""Two stages: the classifier first, then the strategy for it, also within a time limit."""

import warnings

import numpy as np
import pandas as pd
import pytest

from icost import compare
from icost._core.statistics import chosen_score
from icost.comparison import _running as running
from icost.comparison._compare import _staged
from icost.comparison._fold_run import Setup, with_classifiers
from icost.comparison._stages import (
    CLASSIFIERS,
    best_classifier,
    choose_run,
    decides,
    eligible,
    paired_means,
    relative_cost,
    second_stage,
)
from icost.strategies import get_strategy

FEW = {"n_splits": 2, "n_repeats": 2}


def product_of_two(n_rows=2000):
    """Labels by the product of two columns, with four of noise: 15 % are rare."""
    X = np.random.default_rng(0).normal(size=(n_rows, 6))
    product = X[:, 0] * X[:, 1]
    return X, np.where(product > np.quantile(product, 0.85), "rare", "usual")


def product_with_text(n_rows=2000):
    """The same, the sign of the second factor as text."""
    X, _ = product_of_two(n_rows)
    product = X[:, 0] * np.where(X[:, 1] > 0, 1.0, -1.0)
    table = pd.DataFrame(X[:, [0, 2, 3]], columns=["size", "u", "v"])
    table["side"] = np.where(X[:, 1] > 0, "left", "right")
    table.loc[::50, "u"] = np.nan
    return table, np.where(product > np.quantile(product, 0.85), "rare", "usual")


@pytest.mark.parametrize("make", [product_of_two, product_with_text])
def test_boosting_is_recommended_where_logistic_regression_must_fail(make, small):
    X, y = make()
    found = compare(X, y, **FEW)
    assert found.recommendation["classifier"] == "hgb"
    assert "Gradient boosting scored 0." in found.verdict[2]
    assert "higher than logistic regression" in found.verdict[2]
    names = {row["name"] for row in found.strategies}
    first = {f"{name}:{strategy}" for name in CLASSIFIERS for strategy in ("ncs", "threshold")}
    second = {f"hgb:{strategy}" for strategy in ("cs", "neighbor", "smote", "ensemble")}
    assert names == first | second
    assert all(row["n_fits"] == 4 for row in found.strategies if row["name"] in first)
    dropped = {row["words"] for row in found.strategies if row["n_fits"] == 2}
    noted = " ".join(note for note in found.notes if note.startswith("Not repeated, as more"))
    assert all(words in noted for words in dropped)


def setup_of(*strategies):
    runs = with_classifiers([get_strategy(name) for name in strategies], ("lr", "rf"))
    first = tuple(name for name in runs if name.endswith((":ncs", ":threshold")))
    return Setup("lr", runs, 2, first_stage=first)


def scores_of(**means):
    """Scores of two repeats of two folds around a mean."""
    around = np.array([-0.02, 0.02, -0.01, 0.01])
    return {name.replace("_", ":"): mean + around for name, mean in means.items()}


def test_the_second_stage_is_that_of_the_best_classifier():
    setup = setup_of("ncs", "threshold", "cs", "smote", "blend")
    scores = scores_of(lr_ncs=0.5, lr_threshold=0.6, rf_ncs=0.1, rf_threshold=0.61)
    assert second_stage(setup, best_classifier(setup, scores)) == ["rf:cs", "rf:smote", "blend"]
    scores["lr:ncs"] = scores["lr:ncs"] + 0.2
    assert second_stage(setup, best_classifier(setup, scores)) == ["lr:cs", "lr:smote", "blend"]


def test_what_is_behind_by_more_than_a_standard_error_is_dropped():
    setup = setup_of("ncs", "threshold", "cs", "smote")
    scores = scores_of(lr_ncs=0.1, lr_threshold=0.1, rf_ncs=0.5, rf_threshold=0.6)
    # On the first repeat the one is behind by 0.1 in both folds, the other now here, now there.
    scores["rf:cs"] = scores["rf:threshold"] + np.array([-0.1, -0.1, 0.5, 0.5])
    scores["rf:smote"] = scores["rf:threshold"] + np.array([-0.2, 0.18, 0.3, 0.3])
    assert eligible(setup, scores, 1.0, 2) == ["rf:ncs", "rf:threshold", "rf:smote"]
    # The best mean of all is not recommended once it is dropped.
    assert choose_run(setup, scores, 1.0, 2) != "rf:cs"


def test_a_draw_that_prefers_another_classifier_chooses_among_what_was_run_for_it():
    setup = setup_of("ncs", "threshold", "cs")
    scores = scores_of(lr_ncs=0.7, lr_threshold=0.9, rf_ncs=0.5, rf_threshold=0.6)
    scores["rf:cs"] = np.array([1.0, 1.0, np.nan, np.nan])
    assert choose_run(setup, scores, 0.5, 2) == "lr:threshold"


def test_an_interval_that_contains_0_passes_a_strategy_over_where_another_is_as_good():
    setup = setup_of("ncs", "threshold")
    scores = scores_of(lr_ncs=0.3, lr_threshold=0.5, rf_ncs=0.1, rf_threshold=0.1)
    scores["lr:ncs"] = np.array([0.0, 0.6, 0.0, 0.6])
    assert decides(scores["lr:threshold"], "mcc", 0.25)
    assert not decides(scores["lr:ncs"], "mcc", 0.25)
    assert decides(scores["lr:ncs"], "cost", 0.25)
    assert choose_run(setup, scores, 0.25, 2) == "lr:threshold"
    # With less between the folds, the simpler one would do.
    scores["lr:ncs"] = np.array([0.36, 0.4, 0.3, 0.65])
    assert choose_run(setup, scores, 0.25, 2) == "lr:ncs"


def test_strategies_that_were_not_repeated_are_drawn_from_what_they_have():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=60)
    right = np.array([codes, codes])
    predicted = np.array([right, np.where(rng.random((2, 60)) < 0.3, 1 - right, right)])
    predicted[0, 1] = -1
    folds = np.array([np.arange(60) % 2, 2 + np.arange(60) % 2])
    seen = []

    def accuracy(cells):
        return np.trace(cells, axis1=-2, axis2=-1) / np.maximum(cells.sum(axis=(-2, -1)), 1)

    def choose(scores):
        seen.append(scores)
        return int(np.nanmean(scores, axis=1).argmax())

    found = chosen_score(codes, predicted, folds, 0, score=accuracy, choose=choose, n_draws=5)
    assert found.shares.tolist() == [1.0, 0.0] and found.optimism == 0.0
    assert all(np.isnan(scores[0, 2:]).all() and (scores[0, :2] == 1).all() for scores in seen)


def test_no_time_leaves_the_cheapest_and_says_what_was_not_tried(small):
    X, y = product_of_two(300)
    X[:, 2] += y == "rare"
    found = compare(X, y, time_limit=0, **FEW)
    assert [(row["name"], row["n_fits"]) for row in found.strategies] == [("lr:ncs", 2)]
    left_out, limit = found.verdict[-2], "within the time limit of 0 seconds"
    assert left_out.startswith(f"Not tried {limit}: logistic regression with a tuned threshold")
    others = ("a plain random forest", "plain gradient boosting", "in an iCost ensemble")
    assert all(name in left_out for name in others)
    assert found.verdict[-1] == f"Fewer repeats {limit}: plain logistic regression."


def test_nothing_in_time_that_is_better_than_guessing_asks_for_more_time(small):
    found = compare(*product_of_two(300), time_limit=0, **FEW)
    assert found.recommendation is None and found.verdict[0].endswith("allow more time.")


def test_a_limit_that_is_not_reached_changes_nothing(small):
    X, y = product_of_two(300)
    options = {"classifier": ["lr", "dt"], "strategies": ["ncs", "cs", "threshold"], **FEW}
    assert compare(X, y, time_limit=1e6, **options) == compare(X, y, **options)


def test_a_repeat_that_does_not_end_in_time_does_not_count(monkeypatch, small):
    X, y = product_of_two(300)
    clock = iter(range(10_000))
    # Each look at the clock takes a second; a fit takes at least two of them.
    monkeypatch.setattr(running, "perf_counter", lambda: next(clock))
    found = compare(X, y, strategies=["ncs", "cs"], time_limit=20, **FEW)
    assert {row["n_fits"] for row in found.strategies} <= {2, 4}
    assert any("within the time limit of 20 seconds" in text for text in found.verdict)


def test_the_cheapest_come_first():
    names = ["lr:ncs", "lr:threshold", "hgb:ncs", "rf:ncs", "hgb:threshold", "rf:ensemble"]
    costs = [relative_cost(n, get_strategy(n.partition(":")[2]), ["lr"]) for n in names]
    assert costs == sorted(costs)
    assert relative_cost("blend", get_strategy("blend"), ["lr"]) > costs[-1]


def test_several_classes_have_offsets_in_the_first_stage(small):
    X, _ = product_of_two(240)
    y = np.digitize(X[:, 0], [-0.2, 1.0])
    found = compare(X, y, n_splits=2, n_repeats=1)
    names = {row["name"] for row in found.strategies}
    assert {f"{name}:offsets" for name in CLASSIFIERS} < names
    assert not any("threshold" in name for name in names)


@pytest.mark.parametrize("what", ["three rows", "all text", "500 columns"])
def test_unusual_tables(what, small):
    rng = np.random.default_rng(0)
    n_rows, n_rare = (60, 3) if what == "three rows" else (80, 20)
    is_rare = np.arange(n_rows) < n_rare
    X = pd.DataFrame(rng.normal(size=(n_rows, 500 if what == "500 columns" else 3)))
    X[0] += 4.0 * is_rare
    if what == "all text":
        X = X.map(lambda cell: f"level {cell:.0f}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Few rows of class 'rare': 3")
        found = compare(X, np.where(is_rare, "rare", "usual"), n_splits=3, n_repeats=1)
    assert found.recommendation["strategy"] and found.n_fits == 3


def test_one_class_is_one_sentence():
    with pytest.raises(ValueError, match="at least two classes, got only one class: 'a'"):
        compare(np.zeros((9, 2)), ["a"] * 9)


def test_runs_that_lack_folds_are_compared_on_those_they_have():
    """The second has the harder fold only, in which it is better by 0.1."""
    means = paired_means({"a": np.array([0.2, 0.8]), "b": np.array([0.3, np.nan])})
    assert means == pytest.approx({"a": 0.5, "b": 0.6})


def test_two_thousand_rows_have_the_blend_and_one_more_has_none():
    assert "blend" in _staged(2000) and "blend" not in _staged(2001)
    assert set(_staged(2000)) - set(_staged(2001)) == {"blend"}
