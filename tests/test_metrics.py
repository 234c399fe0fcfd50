from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    confusion_matrix,
    f1_score,
    get_scorer,
    matthews_corrcoef,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from icost.metrics import (
    PAPER_METRICS,
    classification_scores,
    confusion_scores,
    expected_cost,
    make_scorers,
    recall_per_category,
)


def predictions(tp, fn, tn, fp):
    y_true = [1] * (tp + fn) + [0] * (tn + fp)
    y_pred = [1] * tp + [0] * fn + [0] * tn + [1] * fp
    return y_true, y_pred


@pytest.mark.parametrize(
    ("counts", "f1", "mcc", "g_mean"),
    [((80, 20, 8000, 2000), 0.0734, 0.1469, 0.8), ((90, 10, 7000, 3000), 0.0564, 0.1289, 0.7937)],
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
    assert classification_scores(*flipped)["specificity"] == pytest.approx(4 / 6)


def test_scores_of_probabilities_by_hand():
    scores = classification_scores(
        [0, 0, 0, 1], [0, 0, 0, 1], y_proba=[0.1, 0.4, 0.2, 0.3], minority_label=1
    )
    assert scores["roc_auc"] == pytest.approx(2 / 3)
    assert scores["pr_auc"] == 0.5
    assert scores["brier"] == pytest.approx((0.01 + 0.16 + 0.04 + 0.49) / 4)
    assert scores["log_loss"] == pytest.approx(-np.log([0.9, 0.6, 0.8, 0.3]).mean())


def test_auc_of_one_class_is_not_a_number():
    options = {"minority_label": 1, "labels": [0, 1]}
    assert np.isnan(classification_scores([0, 0], [0, 0], [0.1, 0.2], **options)["roc_auc"])


def test_metrics_of_a_confusion_matrix_by_hand():
    # TP=3, FN=1, FP=2, TN=6.
    scores = confusion_scores([[6, 2], [1, 3]])
    assert scores["mcc"] == pytest.approx(16 / np.sqrt(5 * 4 * 8 * 7))
    assert scores["f1"] == pytest.approx(6 / 9)
    assert scores["g_mean"] == pytest.approx(0.75)
    assert scores["sensitivity"] == scores["specificity"] == 0.75
    assert scores["precision"] == 0.6
    assert confusion_scores([[6, 2], [1, 3]], positive=0)["f1"] == pytest.approx(12 / 15)


def test_a_ratio_with_nothing_below_is_zero():
    scores = confusion_scores([[5, 0], [3, 0]])
    assert [float(scores[name]) for name in ("mcc", "f1", "g_mean", "precision")] == [0.0] * 4
    assert classification_scores([0, 0], [0, 0], labels=[0, 1, 2])["specificity"] == 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=40))
def test_macro_averages_are_those_of_scikit_learn(pairs):
    truth, predicted = np.array([*pairs, (0, 1)]).T  # one class alone draws a warning
    scores = confusion_scores(confusion_matrix(truth, predicted, labels=range(4)), positive=None)
    expected = {
        name: score(truth, predicted, average="macro", zero_division=0)
        for name, score in [
            ("f1", f1_score),
            ("sensitivity", recall_score),
            ("precision", precision_score),
        ]
    }
    recalls = recall_score(truth, predicted, average=None, labels=np.unique(truth))
    expected["g_mean"] = np.prod(recalls) ** (1 / len(recalls))
    expected["mcc"] = matthews_corrcoef(truth, predicted)
    for name, value in expected.items():
        assert scores[name] == pytest.approx(value, abs=1e-12), name


def test_many_matrices_at_once():
    matrices = np.array([[[6, 2], [1, 3]], [[5, 0], [3, 0]]])
    together = confusion_scores(matrices)
    for number, matrix in enumerate(matrices):
        alone = confusion_scores(matrix)
        assert {name: values[number] for name, values in together.items()} == alone
    assert set(confusion_scores(matrices, names=["mcc"])) == {"mcc"}


def test_multiclass_scores_are_macro_averages():
    y_true, y_pred = [0, 0, 1, 1, 2, 2], [0, 0, 1, 0, 2, 1]
    scores = classification_scores(y_true, y_pred)
    assert scores["sensitivity"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert scores["specificity"] == pytest.approx((3 / 4 + 3 / 4 + 1) / 3)
    assert scores["g_mean"] == pytest.approx((1 * 0.5 * 0.5) ** (1 / 3))
    # R_K by its definition: c = 4 right of s = 6; predicted p = (3, 2, 1), true t = (2, 2, 2).
    expected = (4 * 6 - (3 * 2 + 2 * 2 + 1 * 2)) / np.sqrt((36 - 14) * (36 - 12))
    assert scores["mcc"] == pytest.approx(expected)


def test_areas_of_several_classes_are_macro_averages():
    y_true, y_pred = np.array([0, 0, 1, 1, 2, 2]), [0, 0, 1, 0, 2, 1]
    proba = np.random.default_rng(0).dirichlet(np.ones(3), size=6)
    scores = classification_scores(y_true, y_pred, y_proba=proba)
    expected = roc_auc_score(y_true, proba, multi_class="ovr", average="macro")
    assert scores["roc_auc"] == pytest.approx(expected)
    assert set(PAPER_METRICS) < set(scores) and "brier" not in scores
    assert np.isnan(
        classification_scores(y_true[:4], y_pred[:4], proba[:4], labels=[0, 1, 2])["roc_auc"]
    )
    with pytest.raises(ValueError, match=r"a column for each of 3 classes .* got shape \(6,\)"):
        classification_scores(y_true, y_pred, proba[:, 0])


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
    assert np.isnan(make_scorers()["roc_auc"](model, X[majority], y[majority]))


def test_a_scorer_says_what_it_needs():
    X, y = make_classification(weights=[0.8], random_state=0)
    message = "the scorer 'brier' needs a classifier with predict_proba, got LinearSVC"
    with pytest.raises(ValueError, match=message):
        make_scorers()["brier"](LinearSVC().fit(X, y), X, y)


def test_a_scorer_finds_the_named_class_among_three():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    y = np.array([0, 0, 1, 1, 2, 2])
    model = GaussianNB().fit(X, y)
    for label in range(3):
        assert make_scorers(label)["roc_auc"](model, X, y) == 1.0
    other = np.array([0, 0, 1, 1, 2, 1])
    assert make_scorers(0)["sensitivity"](model, X, other) == 1.0
    assert make_scorers(1)["sensitivity"](model, X, other) == 2 / 3
    assert make_scorers(1)["specificity"](model, X, other) == 1.0
    assert make_scorers()["sensitivity"](model, X, other) == pytest.approx(8 / 9)
    with pytest.raises(ValueError, match="minority_label must be one of the classes 0, 1, 2"):
        make_scorers("1")["f1"](model, X, other)


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
        (np.array(["0", "1"], dtype=object), [0, 1], "labels of one kind"),
    ],
)
def test_labels_must_pair(y_true, y_pred, message):
    with pytest.raises(ValueError, match=message):
        expected_cost(y_true, y_pred, cost_fn=5)
    with pytest.raises(ValueError, match=message):
        classification_scores(y_true, y_pred)


def test_the_minority_must_be_a_class():
    message = "minority_label must be one of the classes 0, 1, got '1'"
    for score in (classification_scores, partial(expected_cost, cost_fn=5)):
        with pytest.raises(ValueError, match=message):
            score([0, 0, 1, 1], [1, 1, 0, 0], minority_label="1")
        with pytest.raises(ValueError, match="the classes 0, got 1"):
            score([0, 0], [0, 0], minority_label=1)
        score([0, 0], [0, 0], minority_label=1, labels=[0, 1])
        with pytest.raises(ValueError, match="labels of one kind"):
            score([0, 1], [0, 1], minority_label="1", labels=["0", "1"])
    X, y = make_classification(weights=[0.8], random_state=0)
    model = LogisticRegression().fit(X, y)
    for scorer in make_scorers("1").values():
        with pytest.raises(ValueError, match=message):
            scorer(model, X, y)


def test_g_mean_is_zero_when_a_class_is_never_found():
    assert classification_scores([0, 0, 1], [0, 0, 0])["g_mean"] == 0.0


def test_recall_per_category_by_hand():
    recall = recall_per_category(
        [1, 1, 1, 0], [1, 0, 1, 0], [0, 1, 2], ["border", "border", "safe"]
    )
    assert recall == {"border": 0.5, "safe": 1.0}


def test_more_than_two_classes_have_no_single_positive():
    with pytest.raises(ValueError, match="two classes unless a minority_label is named, got 3"):
        expected_cost([0, 1, 2], [0, 1, 2], cost_fn=5)


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


def test_rows_of_a_cost_matrix_are_true_classes_and_columns_predicted_ones():
    matrix = [[0, 1, 2], [10, 0, 20], [100, 200, 0]]
    for true, predicted in product(range(3), repeat=2):
        cost = expected_cost([true], [predicted], cost_matrix=matrix, labels=[0, 1, 2])
        assert cost == matrix[true][predicted]


def test_the_minority_is_the_rarer_class_of_the_truth_and_not_of_the_predictions():
    # One row of four is missed, and three are false alarms.
    assert expected_cost([0, 0, 0, 1], [1, 1, 1, 0], cost_fn=50, cost_fp=2) == (50 + 3 * 2) / 4


def test_costs_per_row_and_by_matrix():
    y_true, y_pred = [0, 0, 1, 1], [0, 1, 0, 1]
    costs = {"cost_fn": [5.0, 5.0, 30.0, 5.0], "cost_fp": [1.0, 2.0, 1.0, 1.0]}
    assert expected_cost(y_true, y_pred, minority_label=1, **costs) == 8.0
    weight = [1.0, 0.0, 1.0, 0.0]
    assert expected_cost(y_true, y_pred, minority_label=1, sample_weight=weight, **costs) == 15.0
    matrix = [[0, 2, 9], [30, -1, 9], [1, 1, 0]]
    assert expected_cost([0, 0, 1, 1, 2], [0, 1, 0, 1, 2], cost_matrix=matrix) == 31 / 5
    with pytest.raises(ValueError, match="needs either cost_fn or cost_matrix"):
        expected_cost(y_true, y_pred)
    with pytest.raises(ValueError, match="one cost for each of the 4 rows"):
        expected_cost(y_true, y_pred, cost_fn=[1.0, 2.0])


def test_one_predicted_class_has_no_correlation():
    assert confusion_scores(np.array([[2, 0], [1, 0]]), names=["mcc"])["mcc"] == 0.0
