import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, matthews_corrcoef

from icost import iCost
from icost.metrics import g_mean_score
from icost.tuning.scoring import confusion_scores, resolve_scorer


def test_by_hand():
    # TP=3, FN=1, FP=2, TN=6: MCC = (18-2)/sqrt(5*4*8*7), F1 = 6/9, G = sqrt(3/4 * 6/8).
    scores = confusion_scores([[6, 2], [1, 3]])
    assert scores["mcc"] == pytest.approx(16 / np.sqrt(5 * 4 * 8 * 7))
    assert scores["f1"] == pytest.approx(6 / 9)
    assert scores["g_mean"] == pytest.approx(0.75)
    assert confusion_scores([[6, 2], [1, 3]], positive=0)["f1"] == pytest.approx(12 / 15)


def test_undefined_scores_are_zero():
    scores = confusion_scores([[5, 0], [3, 0]])
    assert [float(scores[name]) for name in ("mcc", "f1", "g_mean")] == [0.0, 0.0, 0.0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=40))
def test_scores_are_those_of_the_metrics(pairs):
    truth, predicted = np.array([*pairs, (0, 1)]).T  # one class alone draws a warning
    scores = confusion_scores(confusion_matrix(truth, predicted, labels=range(4)), positive=None)
    assert scores["mcc"] == pytest.approx(matthews_corrcoef(truth, predicted), abs=1e-12)
    assert scores["g_mean"] == pytest.approx(g_mean_score(truth, predicted), abs=1e-12)
    expected = f1_score(truth, predicted, average="macro", zero_division=0)
    assert scores["f1"] == pytest.approx(expected, abs=1e-12)


def test_names_of_ours_mean_the_minority():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [9.5]])
    y = np.array(["ill", "ill", "well", "well", "well"])
    model = iCost(method="cs").fit(X, y)
    recall = np.mean(model.predict(X[:2]) == "ill")
    assert resolve_scorer("sensitivity", model, "ill")(model, X, y) == recall


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="nonsense"):
        resolve_scorer("nonsense", iCost(), 1)
