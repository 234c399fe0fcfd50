import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.svm import SVC

from icost.metrics import confusion_scores
from icost.strategies.threshold import fit_threshold
from icost.strategies.training_fold import TrainingFold
from icost.thresholds import best_threshold, cost_objective

TRUTH = np.array([False, False, True, False, True])
SCORE = np.array([0.1, 0.2, 0.3, 0.6, 0.8])


def correlation(matrices):
    return confusion_scores(matrices, names=["mcc"])["mcc"]


def test_by_hand():
    # MCC: a cut at 0.25 finds both with one alarm, 2/3; one at 0.7 finds one of two, 0.61.
    assert best_threshold(TRUTH, SCORE, correlation) == pytest.approx(0.25)
    assert best_threshold(TRUTH, SCORE, cost_objective(1, 10)) == pytest.approx(0.7)


def test_equal_scores_are_never_parted():
    assert best_threshold(np.array([True, False]), np.array([0.5, 0.5]), correlation) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=3, max_size=30))
def test_no_other_threshold_is_better(rows):
    truth = np.array([row[0] for row in rows])
    score = np.array([float(row[1]) for row in rows])
    found = best_threshold(truth, score, correlation)
    values = [matthews_corrcoef(truth, score >= cut) for cut in np.unique(score)[1:] - 0.5]
    if values:
        assert matthews_corrcoef(truth, score >= found) == pytest.approx(max(values))


@pytest.mark.parametrize("base", [LogisticRegression(), SVC()])
def test_the_model_decides_at_the_threshold(base):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 12])
    fold = TrainingFold(rng.normal(size=(72, 2)) + y[:, None], y)
    fitted = fit_threshold(base, fold, correlation)
    assert fitted.note == f"threshold {fitted.model.threshold:.6g}"
    score = fitted.scores(fold.X)
    assert (fitted.predict(fold.X) == (score >= fitted.model.threshold)).all()
