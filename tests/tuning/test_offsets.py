"""Offsets of several classes."""

import itertools

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, get_scorer, make_scorer, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from icost import iCost
from icost.thresholds import additive_scores, tune_score_offsets
from icost.tuning import OffsetClassifier


@pytest.fixture
def data():
    return make_classification(
        400, n_classes=3, n_informative=4, weights=[0.8, 0.15], class_sep=0.7, random_state=0
    )


def test_as_good_as_any_offsets_of_a_grid():
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 60, p=[0.7, 0.2, 0.1])
    scores = rng.normal(size=(60, 3)) + np.eye(3)[codes]
    offsets = tune_score_offsets(codes, scores)
    found = matthews_corrcoef(codes, np.argmax(scores + offsets, axis=1))
    grid = itertools.product(np.linspace(-2, 2, 21), repeat=2)
    best = max(
        matthews_corrcoef(codes, np.argmax(scores + np.array([0, a, b]), axis=1)) for a, b in grid
    )
    assert found >= best - 0.05
    assert found >= matthews_corrcoef(codes, np.argmax(scores, axis=1))
    assert offsets.mean() == pytest.approx(0)


def test_any_metric_may_be_asked_for():
    rng = np.random.default_rng(1)
    codes = rng.choice(3, 300, p=[0.8, 0.15, 0.05])
    scores = rng.normal(size=(300, 3)) + 1.5 * np.eye(3)[codes] + [2, 0, 0]

    def balanced(truth, decided, weight):
        return balanced_accuracy_score(truth, decided, sample_weight=weight)

    offsets = tune_score_offsets(codes, scores, balanced)
    before, after = (
        balanced(codes, np.argmax(s, axis=1), None) for s in (scores, scores + offsets)
    )
    assert after > before + 0.1


@pytest.mark.parametrize("base", [LogisticRegression(), SVC(), GaussianNB(), iCost(method="cs")])
def test_offsets_are_those_of_held_out_scores(base, data):
    X, y = data
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    model = OffsetClassifier(base, cv=cv).fit(X, y)
    method = "decision_function" if hasattr(base, "decision_function") else "predict_proba"
    scores = cross_val_predict(clone(base), X, y, cv=cv, method=method)
    expected = tune_score_offsets(y, additive_scores(scores, method))
    np.testing.assert_allclose(model.offsets_, expected)
    own = additive_scores(getattr(model.estimator_, method)(X), method) + expected
    np.testing.assert_array_equal(model.predict(X), np.argmax(own, axis=1))
    np.testing.assert_array_equal(np.argmax(model.decision_function(X), axis=1), model.predict(X))


def test_scores_are_of_one_kind_where_a_fitted_classifier_has_more_of_them(data):
    X, y = data
    base = iCost(GaussianNB(), method="ncs", multiclass="ovo")
    assert not hasattr(base, "decision_function")
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    model = OffsetClassifier(base, cv=cv).fit(X, y)
    assert model.response_method_ == "decision_function"
    scores = cross_val_predict(clone(base), X, y, cv=cv, method="decision_function")
    expected = tune_score_offsets(y, scores)
    np.testing.assert_allclose(model.offsets_, expected)
    own = model.estimator_.decision_function(X) + expected
    np.testing.assert_array_equal(model.predict(X), np.argmax(own, axis=1))


def test_the_kind_of_scores_may_be_given(data):
    X, y = data
    given = {"offsets": [-1, 0, 1], "response_method": "predict_proba"}
    model = OffsetClassifier(LogisticRegression(), **given).fit(X, y)
    moved = np.log(model.predict_proba(X)) + model.offsets_
    np.testing.assert_allclose(model.decision_function(X), moved)


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("is_pipeline", [False, True])
def test_weights_reach_all_fits_and_the_metric(data, is_pipeline, routing):
    X, y = data
    weight = np.where(y == 2, 20.0, 1.0) * np.linspace(0.5, 1.5, len(y))
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = np.empty((len(y), 3))
    for train, test in cv.split(X, y):
        part = LogisticRegression().fit(X[train], y[train], sample_weight=weight[train])
        scores[test] = part.decision_function(X[test])
    expected = tune_score_offsets(y, scores, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=routing):
        base = LogisticRegression()
        if is_pipeline:
            base = base.set_fit_request(sample_weight=True) if routing else base
            base = make_pipeline(FunctionTransformer(), base)
        model = OffsetClassifier(base, cv=cv).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.offsets_, expected)
    last = LogisticRegression().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.decision_function(X), last.decision_function(X) + expected)


def test_a_class_of_one_row_is_named(data):
    X, y = data
    names = np.array(["b", "c", "a"])[y]
    names[0] = "x"
    with pytest.raises(ValueError, match="at least two rows of every class .* class 'x'"):
        OffsetClassifier(LogisticRegression()).fit(X, names)
    # Given offsets need no folds.
    OffsetClassifier(LogisticRegression(), offsets=np.zeros(4)).fit(X, names)


def test_two_classes_have_a_threshold(data):
    X, y = data
    model = OffsetClassifier(LogisticRegression(), random_state=0).fit(X, y == 2)
    moved = model.decision_function(X)
    assert moved.shape == (400,)
    np.testing.assert_array_equal(model.predict(X), moved > 0)


def test_labels_may_be_text(data):
    X, y = data
    names = np.array(["b", "c", "a"])[y]
    model = OffsetClassifier(LogisticRegression(), random_state=0).fit(X, names)
    assert set(model.predict(X)) <= {"a", "b", "c"}
    assert model.predict_proba(X).shape == (400, 3)


def test_given_offsets_are_taken(data):
    X, y = data
    model = OffsetClassifier(LogisticRegression(), offsets=[0, 0, 1e6]).fit(X, y)
    assert set(model.predict(X)) == {2}


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"offsets": [1, 2]}, "offsets must be 3 finite"),
        ({"offsets": "abc"}, "offsets must be 3 finite numbers, one for each class, got 'abc'"),
        ({"scoring": "odd"}, "scoring must be one"),
        ({"scoring": 3}, "scoring must be one"),
        ({"scoring": "roc_auc_ovr"}, "scoring must go by predicted labels, got"),
        ({"cv": 1}, "cv must be a whole number >= 2, got 1"),
        (
            {"response_method": "decision_function", "estimator": GaussianNB()},
            "must have decision_",
        ),
        ({"estimator": SVC(decision_function_shape="ovo")}, "got decision_function_shape='ovo'"),
        ({"response_method": "predict"}, "response_method must be one"),
    ],
)
def test_wrong_parameters_are_told(wrong, match, data):
    with pytest.raises(ValueError, match=match):
        OffsetClassifier(**{"estimator": LogisticRegression(), **wrong}).fit(*data)


@pytest.mark.parametrize("wrong", ["lr", LogisticRegression, LinearRegression()])
def test_what_is_no_classifier_is_told(wrong, data):
    with pytest.raises(TypeError, match="^estimator must be a classifier, got "):
        OffsetClassifier(wrong).fit(*data)


@pytest.mark.parametrize(
    "scoring",
    [
        "balanced_accuracy",
        get_scorer("balanced_accuracy"),
        balanced_accuracy_score,
        lambda estimator, X, y: balanced_accuracy_score(y, estimator.predict(X)),
    ],
)
@pytest.mark.parametrize("is_text", [False, True])
def test_scorers_and_metrics_lead_to_the_same_offsets(scoring, is_text, data):
    X, y = data
    y = np.array(["a", "b", "c"])[y] if is_text else y

    def by_hand(truth, decided, weight):
        return balanced_accuracy_score(truth, decided, sample_weight=weight)

    wanted = OffsetClassifier(GaussianNB(), scoring=by_hand, random_state=0).fit(X, y)
    found = OffsetClassifier(GaussianNB(), scoring=scoring, random_state=0).fit(X, y)
    assert wanted.offsets_.any()
    np.testing.assert_array_equal(found.offsets_, wanted.offsets_)


def test_weights_that_a_scorer_cannot_heed_are_told_before_the_fits(data):
    X, y = data
    scorer = make_scorer(lambda truth, decided: float(np.mean(truth == decided)))
    model = OffsetClassifier(GaussianNB(), scoring=scorer, random_state=0)
    with pytest.raises(ValueError, match="takes sample_weight where there are weights"):
        model.fit(X, y, sample_weight=np.linspace(0.5, 1.5, len(y)))
    assert not hasattr(model, "estimator_")
    model.fit(X, y, sample_weight=np.full(len(y), 0.5))


def test_a_scorer_goes_by_weights(data):
    X, y = data
    weight = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)

    def by_hand(truth, decided, weight):
        return balanced_accuracy_score(truth, decided, sample_weight=weight)

    offsets = [
        OffsetClassifier(GaussianNB(), scoring=scoring, random_state=0).fit(X, y, weight).offsets_
        for scoring in (by_hand, "balanced_accuracy")
    ]
    np.testing.assert_array_equal(*offsets)
