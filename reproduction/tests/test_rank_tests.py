"""Statistics against hand-computed and library values."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from icost_reproduction.rank_tests import mean_interval, rank_strategies, wilcoxon_holm


def test_critical_difference_of_the_textbook():
    # Demšar (2006): q for 4 classifiers is 2.569, and 14 datasets give 1.25.
    rng = np.random.default_rng(0)
    test = rank_strategies(pd.DataFrame(rng.normal(size=(14, 4)), columns=list("abcd")))
    assert test.critical_difference == pytest.approx(1.25, abs=0.005)


def test_equal_up_to_rounding_is_a_tie():
    scores = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.1 + 1e-12, 0.2, 0.3], "c": [0, 0, 0]})
    ranks = rank_strategies(scores).ranks
    assert ranks["a"] == ranks["b"] == 1.5


def test_holm_multiplies_the_smallest_p_by_the_number_of_pairs():
    rng = np.random.default_rng(0)
    a = rng.normal(size=20)
    scores = pd.DataFrame(
        {"a": a, "b": a + 1 + 0.1 * rng.normal(size=20), "c": rng.normal(size=20)}
    )
    raw = stats.wilcoxon(scores["a"] - scores["b"], method="asymptotic").pvalue
    assert wilcoxon_holm(scores).loc["a", "b"] == pytest.approx(3 * raw)


def test_intervals():
    mean, low, high = mean_interval(np.arange(100))
    assert mean == 49.5
    assert low == pytest.approx(49.5 - 1.96 * 2.89, abs=0.5)
    assert high == pytest.approx(49.5 + 1.96 * 2.89, abs=0.5)
    assert mean_interval([2.0, 2.0]) == (2.0, 2.0, 2.0)


def test_intervals_over_groups_are_wider_where_groups_agree():
    values = np.repeat([0.0, 1.0, 2.0, 3.0], 10)
    mean, low, high = mean_interval(values, groups=np.repeat(list("abcd"), 10))
    assert mean == 1.5
    _, narrow_low, narrow_high = mean_interval(values)
    assert low < narrow_low and narrow_high < high
    alone = mean_interval(values, groups=np.arange(40))
    assert alone == mean_interval(values)


def test_holm_over_the_pairs_of_interest_only():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.normal([0.0, 0.5, 1.0], size=(20, 3)), columns=list("abc"))
    table = wilcoxon_holm(scores, [("a", "c"), ("a", "nowhere")])
    raw = stats.wilcoxon(scores["a"] - scores["c"], method="asymptotic", zero_method="zsplit")
    assert table.loc["c", "a"] == pytest.approx(raw.pvalue)
    assert np.isnan(table.loc["a", "b"]) and table.loc["b", "b"] == 1.0
