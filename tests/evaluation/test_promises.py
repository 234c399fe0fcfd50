"""Verdicts on promises agree with exact binomial tests."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest, ttest_1samp

from icost.evaluation._expectation import Limit
from icost.evaluation._promises import cost_verdict, once_in, share_verdict

RECALL = Limit("recall", 0.8, 0.9)


@pytest.mark.parametrize(
    ("hits", "n_rows", "verdict"),
    [(129, 150, "kept"), (62, 100, "broken"), (12, 14, "undecided"), (0, 0, "undecided")],
)
def test_kept_broken_and_undecided(hits, n_rows, verdict):
    result = share_verdict(RECALL, hits / max(1, n_rows), n_rows, 0.05)
    assert result.verdict == verdict
    assert (result.n_needed is None) == (verdict != "undecided")
    if n_rows:
        assert result.chance == pytest.approx(binom.cdf(hits, n_rows, 0.8))
        exact = binomtest(hits, n_rows).proportion_ci(0.95, "exact")
        assert (result.low, result.high) == pytest.approx(tuple(exact))


def test_the_rows_that_would_do_decide_and_one_less_does_not():
    for share in (12 / 14, 10 / 14):
        needed = share_verdict(RECALL, share, 14, 0.05).n_needed
        assert share_verdict(RECALL, share, needed, 0.05).verdict != "undecided"
        assert share_verdict(RECALL, share, needed - 1, 0.05).verdict == "undecided"
    assert share_verdict(RECALL, 0.8, 100, 0.05).n_needed is None


def test_too_many_alerts_break_a_budget():
    budget = Limit("alerts", 0.02, 0.9)
    result = share_verdict(budget, 0.035, 1000, 0.05)
    assert result.verdict == "broken" and result.chance == pytest.approx(binom.sf(34, 1000, 0.02))
    assert share_verdict(budget, 0.01, 1000, 0.05).verdict == "kept"
    assert share_verdict(budget, 0.0, 10, 0.05).verdict == "undecided"


@pytest.mark.parametrize("what", ["recall", "alerts"])
def test_kept_promises_are_called_broken_in_at_most_one_of_twenty_tables(what):
    limit = Limit(what, 0.8 if what == "recall" else 0.2, 0.9)
    for n_rows in (5, 14, 30, 100, 1000):
        counts = np.arange(n_rows + 1)
        verdicts = [share_verdict(limit, k / n_rows, n_rows, 0.05).verdict for k in counts]
        broken = np.array(verdicts) == "broken"
        assert binom.pmf(counts, n_rows, limit.limit)[broken].sum() <= 0.05


def test_costs_are_compared_with_what_was_expected():
    costs = np.random.default_rng(0).exponential(2.0, 500)
    assert cost_verdict(costs, 3.0).verdict == "kept"
    assert cost_verdict(costs, costs.mean()).verdict == "undecided"
    broken = cost_verdict(costs, 1.6)
    assert broken.verdict == "broken"
    plain = ttest_1samp(costs, 1.6, alternative="greater").pvalue
    assert broken.chance == pytest.approx(plain) and plain < 0.01
    assert cost_verdict(np.zeros(9), 1.0).verdict == "kept"


def test_sentences():
    assert str(share_verdict(RECALL, 0.62, 100, 0.05)) == (
        "recall >= 0.8: broken (0.62, 0.52 to 0.72, 100 minority rows; a kept promise would show "
        "this once in 40,000)."
    )
    undecided = str(share_verdict(Limit("recall", 0.8, 0.9, False), 12 / 14, 14, 0.05))
    assert "undecided (0.86, 0.57 to 0.98, 14 minority rows; " in undecided
    assert "would do if the share stays so). The rows of the fit had not certified" in undecided
    assert [once_in(p) for p in (0.04, 0.0025, 1e-9)] == [
        *("once in 25", "once in 400", "less than once in 1,000,000")
    ]
