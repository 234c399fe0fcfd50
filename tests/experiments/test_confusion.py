"""Metrics from matrices are those of the library from labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icost.experiments.confusion import fast_mcc, matrix_scores
from icost.metrics import classification_scores
from icost.tuning.fold_scores import confusion_matrices


def test_two_classes_by_hand():
    # tn 90, fp 10, fn 5, tp 15
    scores = {name: value[0] for name, value in matrix_scores([[[90, 10], [5, 15]]]).items()}
    assert scores["sensitivity"] == 0.75
    assert scores["specificity"] == 0.9
    assert scores["precision"] == 0.6
    assert scores["accuracy"] == pytest.approx(105 / 120)
    assert scores["f1"] == pytest.approx(2 * 0.6 * 0.75 / 1.35)
    assert scores["g_mean"] == pytest.approx((0.75 * 0.9) ** 0.5)
    assert scores["mcc"] == pytest.approx((15 * 90 - 10 * 5) / (25 * 20 * 100 * 95) ** 0.5)


@given(st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_as_from_labels(n_classes, seed):
    rng = np.random.default_rng(seed)
    y_true = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 30)])
    y_pred = np.where(
        rng.random(len(y_true)) < 0.6, y_true, rng.integers(0, n_classes, len(y_true))
    )
    matrix = confusion_matrices(y_true, y_pred[None], n_classes)
    expected = classification_scores(y_true, y_pred, minority_label=1)
    for name, values in matrix_scores(matrix).items():
        assert values[0] == pytest.approx(expected[name]), name


def test_one_predicted_class_has_no_correlation():
    assert fast_mcc(np.array([0, 0, 1]), np.array([0, 0, 0])) == 0.0
