"""Intervals of scores agree with independent computations."""

import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    matthews_corrcoef,
    precision_score,
    recall_score,
    roc_auc_score,
)

from icost.evaluation._intervals import (
    Interval,
    ScoredRows,
    differs,
    mean_interval,
    roc_auc_interval,
    score_intervals,
    widened,
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    codes = (np.arange(1200) < 150).astype(int)
    proba = 1 / (1 + np.exp(2.2 - rng.normal(2 * codes, 1.2)))
    return ScoredRows(codes, (proba > 0.3).astype(int), 2, 1, proba, proba)


def test_values_are_those_of_scikit_learn(rows):
    truth, decided, proba = rows.codes, rows.decided, rows.proba
    wanted = {
        "mcc": matthews_corrcoef(truth, decided),
        "f1": f1_score(truth, decided),
        "g_mean": np.sqrt(recall_score(truth, decided) * recall_score(1 - truth, 1 - decided)),
        "sensitivity": recall_score(truth, decided),
        "specificity": recall_score(1 - truth, 1 - decided),
        "precision": precision_score(truth, decided),
        "accuracy": accuracy_score(truth, decided),
        "roc_auc": roc_auc_score(truth, proba),
        "pr_auc": average_precision_score(truth, proba),
        "brier": brier_score_loss(truth, proba),
        "log_loss": log_loss(truth, proba),
    }
    scores = score_intervals(rows)
    assert set(scores) == set(wanted)
    for name, value in wanted.items():
        assert scores[name].value == pytest.approx(value), name
        assert scores[name].low < scores[name].value < scores[name].high, name


def test_shares_have_the_exact_interval(rows):
    truth, alert = rows.codes == 1, rows.decided == 1
    scores = score_intervals(rows)
    for name, among, hits in (
        ("sensitivity", truth, alert),
        ("specificity", ~truth, ~alert),
        ("precision", alert, truth),
        ("accuracy", truth | True, truth == alert),
    ):
        wanted = binomtest(int((among & hits).sum()), int(among.sum())).proportion_ci(0.95, "exact")
        assert (scores[name].low, scores[name].high) == pytest.approx(tuple(wanted)), name


def test_other_intervals_are_near_those_of_a_bootstrap(rows):
    metrics = {
        "mcc": lambda t, d, p: matthews_corrcoef(t, d),
        "f1": lambda t, d, p: f1_score(t, d),
        "roc_auc": lambda t, d, p: roc_auc_score(t, p),
        "brier": lambda t, d, p: brier_score_loss(t, p),
        "log_loss": lambda t, d, p: log_loss(t, p),
    }
    scores, columns = score_intervals(rows), (rows.codes, rows.decided, rows.proba)
    for name, metric in metrics.items():
        drawn = bootstrap(
            columns,
            metric,
            paired=True,
            vectorized=False,
            n_resamples=400,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
        width = scores[name].high - scores[name].low
        assert width == pytest.approx(drawn.high - drawn.low, rel=0.2), name
        assert abs(scores[name].low - drawn.low) < 0.2 * width, name


def test_an_area_without_an_error_still_has_an_interval():
    truth = np.arange(40) < 10
    area = roc_auc_interval(truth, truth.astype(float))
    assert area.value == area.high == 1 and 0.4 < area.low < 0.99
    assert np.isnan(roc_auc_interval(truth | True, truth.astype(float)).value)


def test_groups_count_as_one_witness():
    rng = np.random.default_rng(0)
    codes = np.repeat((np.arange(60) < 20).astype(int), 5)
    score = np.repeat(rng.normal(1.0 * (np.arange(60) < 20), 1), 5)
    groups, proba = np.repeat(np.arange(60), 5), 1 / (1 + np.exp(-score))
    decided = (score > 0.5).astype(int)
    alone = score_intervals(ScoredRows(codes[::5], decided[::5], 2, 1, score[::5], proba[::5]))
    grouped = score_intervals(ScoredRows(codes, decided, 2, 1, score, proba, groups))
    for name in ("sensitivity", "accuracy", "pr_auc", "brier", "log_loss"):
        ends = [(i.low, i.high) for i in (alone[name], grouped[name])]
        assert ends[0] == pytest.approx(ends[1], abs=1e-6), name
    for name in ("mcc", "roc_auc", "f1"):
        widths = [i.high - i.low for i in (alone[name], grouped[name])]
        assert widths[0] == pytest.approx(widths[1], rel=0.25), name


def test_several_classes_have_means_over_classes():
    rng = np.random.default_rng(1)
    codes = rng.choice(3, 400, p=[0.7, 0.2, 0.1])
    decided = np.where(rng.random(400) < 0.7, codes, rng.choice(3, 400))
    scores = score_intervals(ScoredRows(codes, decided, 3))
    assert scores["mcc"].value == pytest.approx(matthews_corrcoef(codes, decided))
    assert scores["f1"].value == pytest.approx(f1_score(codes, decided, average="macro"))
    assert "roc_auc" not in scores
    assert all(i.low < i.value < i.high for i in scores.values())


def test_the_mean_of_nothing_is_nothing():
    assert mean_interval(np.zeros(5)) == Interval(0.0, 0.0, 0.0)


def test_a_difference_is_judged_by_both_intervals():
    now, before = Interval(0.6, 0.5, 0.7), Interval(0.8, 0.75, 0.84)
    assert differs(now, before) and differs(before, now)
    assert not differs(now, Interval(0.72, 0.6, 0.8))
    like = widened(now, 0.6, 100, 400)
    assert (like.low, like.high) == pytest.approx((0.55, 0.65))
