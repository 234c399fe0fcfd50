"""The out-of-fold score and its intervals."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, matthews_corrcoef

from icost.ensemble._cross_fit import Repeat, TrainingRows
from icost.ensemble._out_of_fold_score import _Scorer, cross_fitted_decisions, out_of_fold_scores


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [90, 15])
    score = np.round(rng.random(105) * 0.6 + 0.3 * codes, 2)
    weight = rng.random(105) + 0.1
    return codes, np.column_stack([1 - score, score]), weight


@pytest.mark.parametrize("weighted", [False, True])
def test_the_scores_are_those_of_scikit_learn(rows, weighted):
    codes, proba, weight = rows
    weight = weight if weighted else None
    decided = (proba[:, 1] > 0.5).astype(int)
    own = TrainingRows(None, codes, weight, minority=1)
    found = out_of_fold_scores(own, proba, decided, np.random.RandomState(0))
    expected = {
        "mcc": matthews_corrcoef(codes, decided, sample_weight=weight),
        "pr_auc": average_precision_score(codes, proba[:, 1], sample_weight=weight),
        "brier": brier_score_loss(codes, proba[:, 1], sample_weight=weight),
    }
    for name, value in expected.items():
        assert found[name]["value"] == pytest.approx(value)
        assert found[name]["low"] < value < found[name]["high"]
    # The first draw, as scikit-learn scores it.
    draws = np.random.RandomState(0)
    drawn = np.concatenate([draws.choice(90, 90), 90 + draws.choice(15, 15)])
    drawn_weight = None if weight is None else weight[drawn]
    scorer = _Scorer(own, proba, decided, np.ones(105) if weight is None else weight)
    assert scorer.of([drawn])["pr_auc"][0] == pytest.approx(
        average_precision_score(codes[drawn], proba[drawn, 1], sample_weight=drawn_weight)
    )


def test_intervals_of_groups_are_those_of_as_many_witnesses(rows):
    codes, proba, _ = rows
    decided = (proba[:, 1] > 0.5).astype(int)

    def width(number, groups=None):
        own = TrainingRows(None, codes.repeat(number), groups=groups, minority=1)
        parts = proba.repeat(number, axis=0), decided.repeat(number), np.random.RandomState(0)
        found = out_of_fold_scores(own, *parts)["mcc"]
        return found["high"] - found["low"]

    # Ten copies of every row tell no more than one of each.
    assert width(10) < 0.5 * width(1)
    assert width(10, np.repeat(np.arange(105), 10)) > 0.8 * width(1)


def test_the_last_recalibration_has_not_seen_the_rows_that_it_is_applied_to(rows):
    codes, proba, _ = rows
    parts = np.arange(105) % 3
    repeat = Repeat([], "predict_proba", proba[:, 1:], parts)
    seen = []

    def fit_last(others, other_rows):
        np.testing.assert_array_equal(other_rows.codes, codes[parts != len(seen)])
        np.testing.assert_array_equal(others, proba[parts != len(seen)])
        seen.append(len(others))
        return np.array([2.0, 0.0, 0.1 * len(seen)])

    def decide(others, other_rows, last, recalibrated, unseen):
        return (recalibrated[:, 1] >= 0.5).astype(np.intp)

    held_out, decided = cross_fitted_decisions(
        [[repeat]], TrainingRows(None, codes, minority=1), False, fit_last, decide
    )
    assert seen == [70, 70, 70]
    odds = (proba[:, 1] / proba[:, 0]) ** 2 * np.exp(0.1 * (parts + 1))
    np.testing.assert_allclose(held_out[:, 1], odds / (1 + odds), atol=1e-12)
    np.testing.assert_array_equal(decided, held_out[:, 1] >= 0.5)
