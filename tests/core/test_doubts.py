"""What is doubtful about a table is said once, by every estimator and function that fits it."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from icost import ThresholdClassifier, iCostEnsemble
from icost._core.doubts import (
    DoubtfulTable,
    guessing_p_value,
    rank_sum,
    warn_if_few,
    warn_if_guessing,
)
from icost.modelfile import fit_model

RNG = np.random.default_rng(0)
Y = np.repeat(["well", "ill"], [90, 30])
NOISE = RNG.normal(size=(120, 3))
LEAK = NOISE + 50 * (Y == "ill")[:, np.newaxis]

FITS = {
    "ensemble": lambda X, y: iCostEnsemble(GaussianNB(), members=("plain",)).fit(X, y),
    "threshold": lambda X, y: ThresholdClassifier(GaussianNB()).fit(X, y),
    "fit_model": lambda X, y: fit_model(X, y, classifier="nb", method="cs"),
    "fit_model, threshold": lambda X, y: fit_model(X, y, classifier="nb", method="threshold"),
}


def doubts_of(fit, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(X, y)
    return [str(w.message) for w in caught if issubclass(w.category, DoubtfulTable)]


@pytest.mark.parametrize("name", FITS)
def test_noise_is_called_guessing_and_a_leak_a_leak_once(name):
    (text,) = doubts_of(FITS[name], NOISE, Y)
    assert "no better than guessing" in text
    (text,) = doubts_of(FITS[name], LEAK, Y)
    assert "out-of-fold AUC is 1.0000" in text
    assert doubts_of(FITS[name], NOISE + (Y == "ill")[:, np.newaxis], Y) == []


def test_few_rows_are_warned_of_by_fit_model():
    rows = np.r_[np.arange(90), np.arange(90, 102)]
    (text,) = doubts_of(FITS["fit_model"], LEAK[rows], Y[rows])
    assert text.startswith("Few rows of class 'ill': 12.")


def test_nineteen_rows_are_few_and_twenty_are_not():
    classes = np.array(["a", "b"])
    with pytest.warns(DoubtfulTable, match="'b': 19"):
        assert not warn_if_few(np.repeat([0, 1], [40, 19]), classes, 1)
    assert warn_if_few(np.repeat([0, 1], [40, 20]), classes, 1)


def test_the_p_value_of_a_rank_sum_by_hand():
    # Ranks 1 to 4, the minority has 3 and 4: 2 above the mean of 5, with a variance of 5/3.
    excess, variance = rank_sum(np.array([False, False, True, True]), np.arange(4.0))
    assert (excess, variance) == (pytest.approx(2), pytest.approx(5 / 3))
    # 2 / sqrt(2 * 5 / 3) = 1.095 standard errors.
    assert guessing_p_value(excess, variance) == pytest.approx(0.1367, abs=1e-4)
    assert guessing_p_value(0.0, 0.0) == 1.0


def test_copies_of_a_group_are_no_more_evidence():
    truth = np.arange(20) >= 12
    score = truth + np.random.default_rng(1).normal(size=20)
    warn_if_guessing(np.repeat(truth, 20), np.repeat(score, 20), None, 1)
    with pytest.warns(DoubtfulTable, match="guessing"):
        warn_if_guessing(
            np.repeat(truth, 20), np.repeat(score, 20), np.repeat(np.arange(20) // 5, 20), 1
        )
