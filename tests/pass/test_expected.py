"""Expected scores: against scikit-learn, never a point for few rows, honest on noise."""

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    matthews_corrcoef,
    recall_score,
    roc_auc_score,
)

from icost._pass.cross_fit import cross_fit
from icost._pass.decision import Decider, HeldOutAnswers, cross_fit_answers
from icost._pass.expected import expected_scores, point_scores
from icost._pass.folds import make_folds
from icost._pass.guessing import can_be_shown, is_better_than_guessing
from icost._pass.library import named_candidate
from icost._table._rows import read_rows
from icost.thresholds._rules import Stable, parse_rule


def answers_of(targets, proba, decided, **options):
    rows = read_rows(np.zeros((len(targets), 1)), targets, minority_label=1, **options)
    both = np.column_stack([1 - proba, proba])
    return HeldOutAnswers(rows, targets, np.arange(len(targets)) % 5, both, decided)


def test_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    proba = np.round(np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=300), 0.01, 0.99), 2)
    decided = (proba > 0.5).astype(int)
    scores = expected_scores(answers_of(y, proba, decided))
    wanted = {
        "mcc": matthews_corrcoef(y, decided),
        "f1": f1_score(y, decided),
        "sensitivity": recall_score(y, decided),
        "roc_auc": roc_auc_score(y, proba),
        "pr_auc": average_precision_score(y, proba),
        "brier": brier_score_loss(y, proba),
        "log_loss": log_loss(y, proba),
    }
    for name, value in wanted.items():
        assert scores[name]["value"] == pytest.approx(value), name
        assert scores[name]["low"] < value < scores[name]["high"], name
    assert point_scores(answers_of(y, proba, decided))["f1"] == pytest.approx(wanted["f1"])


def test_three_rows_without_an_error_are_no_point():
    y = np.repeat([0, 1], [50, 3])
    scores = expected_scores(answers_of(y, y * 0.8 + 0.1, y))
    assert scores["mcc"]["value"] == 1 and scores["mcc"]["low"] < 0.8
    assert scores["sensitivity"]["low"] < 0.7


def test_rows_of_a_few_groups_say_less():
    rng = np.random.default_rng(0)
    y = np.tile([0, 0, 0, 1], 50)
    decided = np.where(rng.random(200) < 0.8, y, 1 - y)
    widths = []
    for groups in (None, np.arange(200) // 20):
        score = expected_scores(answers_of(y, 0.2 + 0.6 * decided, decided, groups=groups))["mcc"]
        widths.append(score["high"] - score["low"])
    assert widths[1] > 1.5 * widths[0]


@pytest.fixture
def noise(array_rows):
    def run(seed, n_rows=120):
        X = np.random.default_rng(seed).normal(size=(n_rows, 5))
        rows = array_rows(X, (np.arange(n_rows) % 4 == 0).astype(int))
        kit = [named_candidate(name) for name in ("lr", "nb", "knn")]
        return cross_fit(kit, rows, make_folds(rows, 5, 1), encoder=None)

    return run


def test_noise_is_expected_to_score_nothing_and_is_called_guessing(noise):
    mcc, better = [], 0
    for seed in range(20):
        answers = cross_fit_answers(noise(seed), Decider(Stable()))
        mcc.append(point_scores(answers)["mcc"])
        better += is_better_than_guessing(answers)
    assert abs(np.mean(mcc)) < 0.06 and better <= 2


def test_decisions_are_cross_fitted(noise):
    found = noise(3)
    answers = cross_fit_answers(found, Decider(Stable()), ["nb"])
    own = cross_fit_answers(found.select(["nb"]), Decider(Stable()))
    np.testing.assert_array_equal(answers.decided, own.decided)
    certificate = Decider(parse_rule("recall>=0.5")).choose(
        answers.proba, answers.rows, answers.targets
    )
    alerts = certificate.decide(answers.proba, answers.rows, answers.targets)
    assert alerts[answers.targets == 1].mean() >= 0.5


def test_few_groups_cannot_show_anything():
    y = np.repeat([0, 1], [30, 10])
    alone = answers_of(y, 0.1 + 0.8 * y, y, groups=np.r_[np.arange(30) % 3, np.full(10, 4)])
    assert not can_be_shown(alone)
    assert can_be_shown(answers_of(y, 0.1 + 0.8 * y, y))


def test_a_single_held_out_part_is_cross_fitted_too(array_rows):
    rng = np.random.default_rng(0)
    y = (np.arange(20_000) % 4 == 0).astype(int)
    X = rng.normal(size=(20_000, 2)) + y[:, None]
    rows = array_rows(X, y)
    found = cross_fit([named_candidate("lr")], rows, make_folds(rows), encoder=None)
    answers = cross_fit_answers(found, Decider(Stable()))
    assert len(answers.targets) == 4_000 and answers.parts.max() == 4
    # The best cut through the sum of both columns, on all rows.
    total = X.sum(axis=1)
    best = max(matthews_corrcoef(y, total > cut) for cut in np.linspace(0, 3, 30))
    assert point_scores(answers)["mcc"] == pytest.approx(best, abs=0.03)
