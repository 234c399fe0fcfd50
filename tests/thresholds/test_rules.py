"""Rules and bounds, against values that were computed by hand or by SciPy's binomial."""

import csv
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from icost.thresholds import Bound, LeastCost, _cuts
from icost.thresholds._certificate import (
    HeldOut,
    cost_cut,
    cut_sentences,
    cut_table,
    cut_text,
    decision_scores,
    lower_bound,
    rows_needed,
    upper_bound,
)
from icost.thresholds._rules import Cut, choose_cut, parse_rule


def held_out(truth, score, weight=None, **more):
    weight = np.ones(len(truth)) if weight is None else np.asarray(weight, float)
    return HeldOut(np.asarray(truth, bool), np.asarray(score, float), weight, **more)


def decide(rule, rows, **options):
    return choose_cut(parse_rule(rule), rows, random_state=0, **options)


@pytest.mark.parametrize(("hits", "n"), [(19, 20), (18, 20), (20, 20), (3, 50)])
def test_bounds_are_those_at_which_the_binomial_tail_is_the_error(hits, n):
    low, high = lower_bound(hits / n, n, 0.9), upper_bound(hits / n, n, 0.9)
    assert binom.sf(hits - 1, n, low) == pytest.approx(0.1)
    assert hits == n or binom.cdf(hits, n, high) == pytest.approx(0.1)


def test_twenty_rows_certify_80_by_19_hits_and_never_90():
    assert lower_bound(18 / 20, 20, 0.9) < 0.8 <= lower_bound(19 / 20, 20, 0.9)
    assert lower_bound(1.0, 20, 0.9) == pytest.approx(0.1 ** (1 / 20))
    assert rows_needed(0.9, 0.9) == 22 and 0.1 ** (1 / 21) < 0.9 <= 0.1 ** (1 / 22)


# 20 majority rows at 0 to 19, 20 minority rows at 20 to 39, all divided by 40.
LINE = held_out(np.arange(40) >= 20, np.arange(40) / 40)


def test_recall_by_hand():
    chosen = decide("recall>=0.8", LINE)
    # One miss of 20 is allowed: the cut is between the first and the second minority row.
    assert chosen.threshold == pytest.approx(20.5 / 40)
    assert chosen.recall == 0.95 and chosen.precision == 1.0 and chosen.alerts == 19 / 40
    assert chosen.holds and chosen.bound == pytest.approx(0.8190, abs=1e-4) and chosen.n_rows == 20


def test_a_floor_beyond_the_rows_says_how_many_are_needed():
    chosen = decide("recall>=0.9", LINE)
    assert chosen.holds is False and chosen.recall == 1.0
    assert chosen.promises[0].n_needed == 22
    assert "At least 22 minority rows are needed." in str(chosen)


def test_precision_by_hand():
    rows = held_out(np.arange(100) >= 60, np.arange(100) / 100)
    chosen = decide("precision>=0.9", rows)
    # 40 right alerts and k wrong ones: the sequence goes on while the bound is at least 0.9.
    assert chosen.holds and chosen.bound >= 0.9 and chosen.recall > 0.9
    spoiled = held_out(np.arange(100) % 2 == 0, np.arange(100) / 100)
    chosen = decide("precision>=0.9", spoiled)
    assert chosen.holds is False and chosen.promises[0].n_needed is None
    # 21 rows of one class cannot certify 0.9, whatever their order.
    few = held_out(np.arange(21) >= 2, np.arange(21) / 21)
    assert decide("precision>=0.9", few).holds is False


def test_alerts_by_hand():
    rows = held_out(np.arange(200) >= 190, np.arange(200) / 200)
    chosen = decide("alerts<=0.05", rows)
    n_alerts = round(chosen.alerts * 200)
    assert chosen.holds and binom.cdf(n_alerts, 200, 0.05) <= 0.1 < binom.cdf(
        n_alerts + 1, 200, 0.05
    )
    none = decide("alerts<=0.001", rows)
    assert none.holds is False and none.alerts == 0 and none.promises[0].n_needed == 2302


def test_two_at_once_hold_or_say_which_fails():
    rows = held_out(np.arange(1000) >= 900, np.arange(1000) / 1000)
    both = decide("recall>=0.8, alerts<=0.15", rows)
    assert both.holds and all(
        promise.confidence == pytest.approx(0.95) for promise in both.promises
    )
    clash = decide("recall>=0.8, alerts<=0.05", rows)
    assert clash.holds is False
    assert [promise.holds for promise in clash.promises] == [True, False]
    assert "alerts <= 0.05 cannot be certified" in str(clash)


def test_many_alerts_are_said_first():
    noise = held_out(np.arange(100) % 5 == 0, np.arange(100) / 100)
    assert str(decide("recall>=0.8", noise)).startswith("This needs an alert on ")


def test_costs_and_numbers():
    rows = held_out([0, 0, 1, 1], [0.05, 0.2, 0.3, 0.8], cost_fn=9.0)
    assert decide("cost", rows).threshold == 0.1 and decide("cost", rows).cost == 0.25
    assert decide(0.5, rows).recall == 0.5 and decide("0.5", rows).cost == 9 / 4
    # Only the ratio of costs counts, also where both are small.
    assert cost_cut(0.3, 0.1) == pytest.approx(cost_cut(3, 1)) == 0.25
    assert cost_cut(np.array([9.0, 0.0]), 1.0).tolist() == [0.1, 1.0] and cost_cut(0, 0) == np.inf
    by_row = held_out([0, 0, 1, 1], [0.05, 0.2, 0.3, 0.8], cost_fn=np.array([99.0, 1, 1, 1]))
    assert decide("cost", by_row).threshold is None and decide("cost", by_row).cost == 0.5


def test_another_share_changes_precision_and_alerts_but_not_recall():
    rows = held_out(np.arange(40) >= 20, np.arange(40) / 40).at(0.1)
    assert rows.prevalence == pytest.approx(0.1)
    assert rows.score[20] == pytest.approx(1 / 10)  # odds of 1 become odds of 1/9
    chosen = decide("recall>=0.8", rows)
    assert chosen.recall == pytest.approx(0.95) and chosen.alerts == pytest.approx(0.095)


def test_a_group_is_one_witness():
    rows = held_out(np.arange(40) >= 20, np.arange(40) / 40, groups=np.arange(40) // 2)
    assert decide("recall>=0.8", rows).n_rows == pytest.approx(10)
    assert decide("recall>=0.8", rows).holds is False


def test_ten_cuts():
    table = cut_table(LINE)
    assert [round(row["found"], 3) for row in table] == [k / 10 for k in range(1, 11)]
    assert table[-1]["alerts"] == 500 and table[-1]["false_alarms"] == 0


@pytest.mark.parametrize(
    ("rule", "match"),
    [
        ("recall>=1.2", "recall must be a finite number > 0 and < 1, got 1.2"),
        ("recal>=0.8", "Did you mean 'recall'"),
        ("stabel", "Did you mean 'stable'"),
        ("recall<=0.8", "recall must be limited by >="),
        ("recall>0.8", "must be limited by >=, got 'recall>0.8'. Did you mean 'recall>=0.8'"),
        ("alerts < 5/100", "limited by <=, got 'alerts < 5/100'. Did you mean 'alerts<=5/100'"),
        ("recall>=0.8, recall>=0.9", "limit each quantity once"),
        ("alerts<=5/0", "alerts must be a finite number"),
        (1.5, "must be a finite number >= 0 and <= 1, got 1.5"),
        ("nan", "must be a finite number"),
        (True, "rule must be a string, a number or a rule object, got True"),
        (np.False_, "rule must be a string, a number or a rule object"),
        ([1, 2], "rule must be a string, a number or a rule object"),
    ],
)
def test_wrong_rules(rule, match):
    with pytest.raises(ValueError, match=match):
        parse_rule(rule)


def test_rules_are_read():
    assert parse_rule("alerts<=50/1000") == (Bound("alerts", 0.05),)
    assert parse_rule("recall >= 80%") == parse_rule(Bound("recall", 0.8))
    assert parse_rule(None) == Cut(0.5)
    with pytest.raises(ValueError, match="cheaper than a right decision"):
        LeastCost([[1, 0], [0, 0]])


SCORES = st.sampled_from([-np.inf, 0.0, 0.1, 0.25, 0.5, 0.75, 1.0, np.inf])
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.sampled_from([1.0, 2.0, 1e6])), min_size=2)
ROWS = ROWS.filter(lambda rows: 0 < sum(row[0] for row in rows) < len(rows))


@given(ROWS, st.sampled_from(["recall>={}", "precision>={}", "alerts<={}"]))
def test_certified_bounds_are_kept_for_any_scores_and_weights(rows, text):
    truth, score, weight = map(np.array, zip(*rows, strict=True))
    for limit in (0.1, 0.5, 0.9):
        chosen = decide(text.format(limit), held_out(truth, score, weight))
        promise = chosen.promises[0]
        if chosen.holds:
            assert promise.bound <= limit if promise.what == "alerts" else promise.bound >= limit
        # What is said of the cut is what the cut does, and large weights are only relative.
        is_alert = score >= chosen.threshold
        assert chosen.recall == pytest.approx(np.average(is_alert[truth], weights=weight[truth]))
        again = decide(text.format(limit), held_out(truth, score, 7 * weight))
        assert again.threshold == chosen.threshold


@given(ROWS)
def test_higher_floors_never_find_less(rows):
    truth, score, _ = map(np.array, zip(*rows, strict=True))
    found = [decide(f"recall>={limit}", held_out(truth, score)).recall for limit in (0.2, 0.5, 0.8)]
    assert found == sorted(found)
    alerts = [
        decide(f"alerts<={limit}", held_out(truth, score)).alerts for limit in (0.2, 0.5, 0.8)
    ]
    assert alerts == sorted(alerts)


def test_coverage_is_what_is_promised():
    rng, broken = np.random.default_rng(0), 0
    for _ in range(400):
        score = rng.random(130)
        chosen = decide("recall>=0.8", held_out(np.arange(130) < 30, score))
        broken += 1 - chosen.threshold < 0.8  # the true recall of uniform scores
    assert broken / 400 < 0.13


def test_rules_are_quick():
    rng = np.random.default_rng(0)
    truth = rng.random(100_000) < 0.02
    score = 1 / (1 + np.exp(4 - 2 * truth - rng.normal(size=100_000)))
    alone, grouped = (held_out(truth, score, groups=own) for own in (None, np.arange(100_000) // 5))
    rules = ("recall>=0.8", "precision>=0.3", "precision>=0.9", "alerts<=0.02")
    cases = [*((rule, alone) for rule in rules), ("precision>=0.9", grouped)]
    for rule, rows in (*cases, ("stable", alone), ("stable", grouped)):
        seconds = []
        for _ in range(3):
            start = time.process_time()
            decide(rule, rows)
            seconds.append(time.process_time() - start)
        # Twice the goal, for machines that do other things meanwhile.
        assert min(seconds) < 0.4, rule


@pytest.mark.parametrize("n_together", [None, 5])
def test_large_tables_are_cut_where_small_steps_would_cut_them(monkeypatch, n_together):
    rng = np.random.default_rng(0)
    truth = rng.random(25_000) < 0.03
    score = 1 / (1 + np.exp(4 - 2 * truth - rng.normal(size=len(truth))))
    weight = rng.choice([1.0, 3.0], len(truth))
    groups = None if n_together is None else np.arange(len(truth)) // n_together
    counted = decide("stable", held_out(truth, score, weight, groups=groups))
    monkeypatch.setattr(_cuts, "MANY_ROWS", len(truth))
    exact = decide("stable", held_out(truth, score, weight, groups=groups))
    low, high = exact.threshold_interval
    assert low < counted.threshold < high
    assert counted.threshold == pytest.approx(exact.threshold, abs=(high - low) / 3)
    np.testing.assert_allclose(counted.threshold_interval, (low, high), atol=(high - low) / 2)


MAPIE = [*csv.DictReader((Path(__file__).parent / "data/mapie.csv").read_text().splitlines())]


@pytest.mark.parametrize("what", ["recall", "precision"])
def test_bounds_lie_where_mapie_puts_them(what):
    """MAPIE's p value is at most e times the exact one; its rounding may count one hit less."""
    rows = [row for row in MAPIE if row["what"] == what and 1e-6 < float(row["p_value"]) < 0.5]
    assert len(rows) > 10
    for row in rows:
        n, hits, p = int(row["n"]), int(row["hits"]), float(row["p_value"])
        assert lower_bound(hits / n, n, 1 - p) >= float(row["limit"]) - 1e-7
        assert lower_bound((hits - 1) / n, n, 1 - p / np.e) <= float(row["limit"]) + 1e-9


def test_cuts_keep_recall_as_mapie_does_with_fewer_alerts():
    cases = {
        tuple(row[key] for key in ("seed", "n_rows", "n_minority", "limit", "best"))
        for row in MAPIE
        if row["what"] == "recall" and row["best"]
    }
    assert len(cases) >= 6
    for seed, n_rows, n_minority, limit, best in cases:
        truth = np.arange(int(n_rows)) < int(n_minority)
        noise = np.random.RandomState(int(seed)).normal(size=len(truth))
        score = 1 / (1 + np.exp(2 - 3 * truth - noise))
        chosen = decide(f"recall>={limit}", held_out(truth, score))
        assert chosen.holds and chosen.threshold >= float(best) - 1e-9


@given(ROWS)
def test_one_minority_row_or_equal_scores_never_certify_much(rows):
    _, score, weight = map(np.array, zip(*rows, strict=True))
    truth = np.arange(len(score)) == 0
    chosen = decide("recall>=0.8", held_out(truth, score, weight))
    assert chosen.holds is False and chosen.recall == 1.0
    assert "At least 11 minority rows are needed" in str(chosen)
    flat = decide("recall>=0.5", held_out(truth, np.full(len(score), 0.3), weight))
    assert flat.alerts == 1.0 and str(flat).startswith("This needs an alert on 100 of 100 rows.")


def test_scores_of_decisions_by_hand():
    scores = dict((name, own) for name, *own in decision_scores(LINE, LINE.score >= 0.5, 0.9))
    assert scores["recall"][0] == 1.0 and scores["alerts"][0] == 0.5
    assert scores["recall"][1] == pytest.approx(0.05 ** (1 / 20))
    # 18 of 20 found and 2 false alarms: MCC is 0.8.
    truth = np.repeat([True, False], 20)
    is_alert = np.r_[np.ones(18), 0, 0, 1, 1, np.zeros(18)].astype(bool)
    name, value, low, high = decision_scores(held_out(truth, np.zeros(40)), is_alert, 0.9)[-1]
    assert name == "MCC" and value == pytest.approx(0.8) and 0.55 < low < 0.8 < high < 1


def test_ten_cuts_as_sentences():
    sentence = cut_sentences(cut_table(LINE))[8]
    assert sentence.startswith("To find 90 of 100 (P ≥ 0.55), expect 0 false alarms")
    assert sentence.endswith("450 alerts per 1,000 rows.")


def test_a_precision_that_only_equals_its_floor_needs_no_number_of_rows():
    # Alerts are right half of the time at every cut: no number of such rows certifies a half.
    chosen = decide("precision>=0.5", held_out([1, 0] * 20, [0.9] * 40))
    assert chosen.holds is False and chosen.promises[0].n_needed is None


def test_more_rows_of_the_same_precision_would_certify_a_floor():
    chosen = decide("precision>=0.5", held_out([1, 1, 1, 0, 0] * 2, [0.9] * 10))
    needed = chosen.promises[0].n_needed
    alerts = needed / 0.6
    assert chosen.holds is False
    assert lower_bound(0.6, alerts, 0.9) >= 0.5 > lower_bound(0.6, alerts / 1.2, 0.9)


@pytest.mark.parametrize("text", ["recall>=0.8, alerts<=0.05", "alerts<=0.05, recall>=0.8"])
def test_limits_that_clash_are_told_in_one_order(text):
    rows = held_out(np.arange(1000) >= 900, np.arange(1000) / 1000)
    clash = decide(text, rows)
    assert [(p.what, p.holds) for p in clash.promises] == [("recall", True), ("alerts", False)]
    bound = clash.promises[1].bound
    assert "alerts <= 0.05 cannot be certified with 95 % confidence" in str(clash)
    missed_by = f"1000 rows give {bound:.3g}, {bound - 0.05:.2g} too much."
    assert f" where recall >= 0.8 is kept: {missed_by}" in str(clash)


def test_a_budget_is_kept_where_a_floor_cannot_be():
    rows = held_out(np.arange(200) >= 190, np.arange(200) / 200)
    chosen = decide("recall>=0.9, alerts<=0.1", rows)
    assert [promise.holds for promise in chosen.promises] == [False, True]
    assert 0 < chosen.alerts < 0.1 and "where alerts <= 0.1 is kept" in str(chosen)
    assert "At least 29 minority rows are needed." in str(chosen)


def test_the_confidence_of_three_limits_is_rounded():
    rows = held_out(np.arange(1000) >= 900, np.arange(1000) / 1000)
    text = str(decide("recall>=0.5, precision>=0.5, alerts<=0.2", rows))
    assert text.count("holds with 96.7 % confidence") == 3


def test_effective_counts_are_stated():
    truth, score = np.arange(40) >= 20, np.arange(40) / 40
    grouped = decide("recall>=0.8", held_out(truth, score, groups=np.arange(40) // 2))
    assert "10 effective rows of 20 minority rows from 10 groups give" in str(grouped)
    assert "At least 11 effective minority rows are needed." in str(grouped)
    weight = np.where(np.arange(40) == 39, 5.0, 1.0)
    weighted = decide("recall>=0.5", held_out(truth, score, weight))
    # (19 + 5)² / (19 + 25) rows of equal weight.
    assert "13 effective rows of 20 minority rows give" in str(weighted)
    assert ": 20 minority rows give" in str(decide("recall>=0.8", held_out(truth, score)))
    alone = held_out(truth, score, groups=np.arange(40))
    assert ": 20 minority rows from 20 groups give" in str(decide("recall>=0.8", alone))


def test_a_precision_that_is_certified_holds_where_classes_count_differently():
    """With 200 rows of each class, a precision of one half at a share of 1 % is out of reach."""
    rng, n_false = np.random.default_rng(0), 0
    truth, weight = np.repeat([True, False], 200), np.repeat([0.02, 1.98], 200)
    for _ in range(50):
        score = 1 / (1 + np.exp(1 - rng.normal(size=400) - 2 * truth))
        found = decide("precision>=0.5", held_out(truth, score, weight=weight))
        z = 1 + np.log(found.threshold / (1 - found.threshold))
        hits, alarms = 0.01 * norm.sf(z - 2), 0.99 * norm.sf(z)
        n_false += found.holds and hits / (hits + alarms) < 0.5
    assert n_false <= 5


def test_constant_weights_change_no_cut():
    rng = np.random.default_rng(0)
    truth = rng.random(2000) < 0.3
    score = 1 / (1 + np.exp(1 - rng.normal(size=2000) - 3 * truth))
    cuts = {
        decide("precision>=0.9", held_out(truth, score, weight=np.full(2000, one))).threshold
        for one in (1.0, 0.1, 0.7, 3.3, 1e160)
    }
    assert len(cuts) == 1


def test_rows_that_suffice_are_not_called_for():
    """The first tests fail by chance although more alerts reach the floor."""
    truth = np.r_[np.zeros(3, bool), np.ones(400, bool), np.zeros(400, bool)]
    found = decide("precision>=0.9", held_out(truth, np.linspace(1, 0, 803)))
    (promise,) = found.promises
    assert not found.holds and promise.bound > 0.9 and promise.n_needed is None
    assert "but the test of fewer alerts failed" in str(promise)


@pytest.mark.parametrize(("cut", "text"), [(0.19137, "0.191"), (0.999683, "0.99968"), (1.0, "1")])
def test_a_cut_close_to_1_has_more_digits(cut, text):
    assert cut_text(cut) == text
