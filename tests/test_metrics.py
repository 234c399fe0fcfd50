import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_validate
from sklearn.svm import LinearSVC

from icost.metrics import (
    PAPER_METRICS,
    classification_scores,
    expected_cost,
    g_mean_score,
    make_scorers,
    recall_per_category,
    specificity_score,
)


def predictions(tp, fn, tn, fp):
    y_true = [1] * (tp + fn) + [0] * (tn + fp)
    y_pred = [1] * tp + [0] * fn + [0] * tn + [1] * fp
    return y_true, y_pred


@pytest.mark.parametrize(
    ("counts", "f1", "mcc", "g_mean"),
    [
        ((80, 20, 8000, 2000), 0.0734, 0.1469, 0.8),
        ((90, 10, 7000, 3000), 0.0564, 0.1289, 0.7937),
    ],
)
def test_the_worked_example_of_section_4_3(counts, f1, mcc, g_mean):
    scores = classification_scores(*predictions(*counts))
    assert scores["f1"] == pytest.approx(f1, abs=6e-5)
    assert scores["mcc"] == pytest.approx(mcc, abs=6e-5)
    assert scores["g_mean"] == pytest.approx(g_mean, abs=6e-5)


def test_every_metric_by_hand():
    # TP=3, FN=1, TN=4, FP=2.
    scores = classification_scores(*predictions(3, 1, 4, 2), minority_label=1)
    assert scores["sensitivity"] == 0.75
    assert scores["specificity"] == pytest.approx(4 / 6)
    assert scores["precision"] == 0.6
    assert scores["accuracy"] == 0.7
    assert scores["f1"] == pytest.approx(2 * 0.6 * 0.75 / 1.35)
    assert scores["g_mean"] == pytest.approx(np.sqrt(0.75 * 4 / 6))
    assert scores["mcc"] == pytest.approx((3 * 4 - 2 * 1) / np.sqrt(5 * 4 * 6 * 5))


def test_the_rarer_class_is_the_positive_one():
    flipped = [1 - np.asarray(labels) for labels in predictions(3, 1, 4, 2)]
    assert classification_scores(*flipped)["sensitivity"] == 0.75
    assert specificity_score(*flipped) == pytest.approx(4 / 6)


def test_scores_of_probabilities_by_hand():
    scores = classification_scores(
        [0, 0, 0, 1], [0, 0, 0, 1], y_proba=[0.1, 0.4, 0.2, 0.3], minority_label=1
    )
    assert scores["roc_auc"] == pytest.approx(2 / 3)
    assert scores["pr_auc"] == 0.5
    assert scores["brier"] == pytest.approx((0.01 + 0.16 + 0.04 + 0.49) / 4)
    assert scores["log_loss"] == pytest.approx(-np.log([0.9, 0.6, 0.8, 0.3]).mean())


def test_auc_of_one_class_is_not_a_number():
    assert np.isnan(classification_scores([0, 0], [0, 0], [0.1, 0.2], minority_label=1)["roc_auc"])


def test_multiclass_scores_are_macro_averages():
    y_true, y_pred = [0, 0, 1, 1, 2, 2], [0, 0, 1, 0, 2, 1]
    scores = classification_scores(y_true, y_pred)
    assert scores["sensitivity"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert scores["specificity"] == pytest.approx((3 / 4 + 3 / 4 + 1) / 3)
    assert scores["g_mean"] == pytest.approx((1 * 0.5 * 0.5) ** (1 / 3))
    # R_K by its definition: c = 4 right of s = 6; predicted p = (3, 2, 1), true t = (2, 2, 2).
    expected = (4 * 6 - (3 * 2 + 2 * 2 + 1 * 2)) / np.sqrt((36 - 14) * (36 - 12))
    assert scores["mcc"] == pytest.approx(expected)


def test_a_fold_that_lacks_a_class_is_scored_as_the_problem_it_is_from():
    y_true, y_pred = [0, 0, 1, 1], [0, 0, 1, 0]
    alone = classification_scores(y_true, y_pred)
    of_three = classification_scores(y_true, y_pred, labels=[0, 1, 2])
    assert alone["sensitivity"] == 0.5
    assert of_three["sensitivity"] == 0.75
    assert "roc_auc" not in of_three


def test_scorers_bear_a_fold_of_one_class():
    X, y = make_classification(weights=[0.8], random_state=0)
    model = LogisticRegression().fit(X, y)
    majority = y == 0
    right = np.mean(model.predict(X[majority]) == 0)
    assert make_scorers()["accuracy"](model, X[majority], y[majority]) == pytest.approx(right)
    assert make_scorers()["sensitivity"](model, X[majority], y[majority]) == 0.0


def test_expected_cost_is_table_1():
    y_true, y_pred = predictions(3, 1, 4, 2)
    assert expected_cost(y_true, y_pred, cost_fn=10, cost_fp=1, minority_label=1) == 1.2
    with pytest.raises(ValueError, match="cost_fn must be a finite number >= 0, got -1"):
        expected_cost(y_true, y_pred, cost_fn=-1)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1, 1], [0, 1], "inconsistent numbers of samples"),
        ([[0, 1], [1, 0]], [0, 1], "1d array"),
        ([0, 1], ["0", "1"], "labels of one kind"),
    ],
)
def test_labels_must_pair(y_true, y_pred, message):
    with pytest.raises(ValueError, match=message):
        expected_cost(y_true, y_pred, cost_fn=5)
    with pytest.raises(ValueError, match=message):
        classification_scores(y_true, y_pred)


def test_g_mean_is_zero_when_a_class_is_never_found():
    assert g_mean_score([0, 0, 1], [0, 0, 0]) == 0.0


def test_recall_per_category_by_hand():
    recall = recall_per_category(
        [1, 1, 1, 0], [1, 0, 1, 0], [0, 1, 2], ["border", "border", "safe"]
    )
    assert recall == {"border": 0.5, "safe": 1.0}


def test_more_than_two_classes_have_no_single_positive():
    with pytest.raises(ValueError, match="two classes here, got 3"):
        specificity_score([0, 1, 2], [0, 1, 2])


@pytest.mark.parametrize("base", [LogisticRegression(), LinearSVC()])
def test_scorers_agree_with_scikit_learns(base):
    X, y = make_classification(weights=[0.8], random_state=0)
    ours = make_scorers(minority_label=1)
    if not hasattr(base, "predict_proba"):
        del ours["brier"], ours["log_loss"]
    result = cross_validate(base, X, y, scoring=ours)
    theirs = {
        "mcc": "matthews_corrcoef",
        "f1": "f1",
        "roc_auc": "roc_auc",
        "pr_auc": "average_precision",
        "brier": "neg_brier_score",
        "log_loss": "neg_log_loss",
    }
    theirs = {name: scorer for name, scorer in theirs.items() if name in ours}
    expected = cross_validate(base, X, y, scoring=theirs)
    for name in theirs:
        np.testing.assert_allclose(result[f"test_{name}"], expected[f"test_{name}"])
    assert set(PAPER_METRICS) <= set(ours)


def test_scorers_find_a_minority_that_is_the_first_class():
    X, y = make_classification(weights=[0.8], random_state=0)
    flipped = np.where(y == 1, "a-rare", "b-common")
    model, mirrored = LogisticRegression().fit(X, y), LogisticRegression().fit(X, flipped)
    for name, scorer in make_scorers().items():
        assert scorer(mirrored, X, flipped) == pytest.approx(scorer(model, X, y)), name
    assert make_scorers()["roc_auc"](model, X, y) == get_scorer("roc_auc")(model, X, y)
