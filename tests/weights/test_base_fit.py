from inspect import signature

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss

from icost import iCost
from icost._weights import base_fit
from icost._weights.base_fit import encode_eval_labels, fit_problems, weight_parameter


def shout(labels):
    return [label.upper() for label in labels]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("X", ["a"]), ("X", ["A"])),
        ([("X", ["a"])], [("X", ["A"])]),
        ([["X", ["a"]]], [("X", ["A"])]),
        ([["X", ["a"]], ("Z", ["b"])], [("X", ["A"]), ("Z", ["B"])]),
        ((["X", ["a"]],), [("X", ["A"])]),
        ("a pool", "a pool"),
        (["a pool"], ["a pool"]),
        (None, None),
    ],
)
def test_pairs_may_be_lists_or_tuples(given, expected):
    assert encode_eval_labels({"eval_set": given}, shout) == {"eval_set": expected}
    assert encode_eval_labels({"step__eval_set": given}, shout) == {"step__eval_set": expected}


def test_pairs_as_lists_evaluate_what_pairs_as_tuples_do():
    xgboost = pytest.importorskip("xgboost")
    X, y = make_classification(
        150, n_classes=3, n_informative=4, weights=[0.7, 0.2], random_state=0
    )
    base = xgboost.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1)
    model = iCost(base).fit(X, y, eval_set=[[X, y]], verbose=False)
    for code, member in enumerate(model.estimators_):
        curve = member.evals_result()["validation_0"]["logloss"]
        proba = member.predict_proba(X)[:, 1]
        assert curve[-1] == pytest.approx(log_loss(np.asarray(y) == code, proba), rel=1e-4)


def test_each_problem_gets_its_own_target_weights_and_evaluation_labels():
    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None, eval_set=None):
            self.seen_ = (y.tolist(), None if sample_weight is None else sample_weight.tolist())
            self.labels_ = eval_set[0][1]
            return super().fit(X, y, sample_weight)

    X = np.array([[0.0], [1.0], [2.0]])
    targets = [np.array([1, 0, 0]), np.array([0, 1, 0])]
    weights = [np.array([2.0, 1.0, 1.0]), np.array([1.0, 3.0, 1.0])]
    fitted = fit_problems(
        Recorder(),
        X,
        targets,
        weights,
        {"eval_set": [(X, ["a", "b"])]},
        encode=lambda column, labels: [f"{label}{column}" for label in labels],
    )
    assert [f.seen_[0] for f in fitted] == [t.tolist() for t in targets]
    assert [f.seen_[1] for f in fitted] == [w.tolist() for w in weights]
    assert [f.labels_ for f in fitted] == [["a0", "b0"], ["a1", "b1"]]
    (one,) = fit_problems(
        Recorder(),
        X,
        targets[:1],
        None,
        {"eval_set": [(X, ["a"])]},
        encode=lambda column, labels: column,
    )
    assert one.seen_[1] is None and one.labels_ is None


def test_what_is_no_classifier_is_refused_before_any_fit():
    with pytest.raises(TypeError, match="base_classifier must be a classifier, got LinearRegress"):
        fit_problems(LinearRegression(), np.zeros((2, 1)), [np.array([0, 1])], None)


def test_a_base_with_weights_of_its_own_is_told_of_where_weights_are_costs():
    X, target = np.array([[0.0], [1.0]]), np.array([0, 1])
    base = LogisticRegression(class_weight="balanced")
    with pytest.warns(UserWarning, match="the imbalance is counted twice"):
        fit_problems(base, X, [target], [np.ones(2)], is_cost_sensitive=True)
    fit_problems(base, X, [target], [np.ones(2)])


@pytest.mark.parametrize("labels", [["a", "b"], [1, 2], ["a", "b", "c"]])
def test_a_frozen_base_fitted_on_other_labels_is_refused(labels):
    X, y = make_classification(90, n_classes=len(labels), n_informative=4, random_state=0)
    labels = np.array(labels)[y]
    base = FrozenEstimator(LogisticRegression().fit(X, labels))
    with pytest.raises(ValueError, match="fitted on labels such as .* and is frozen"):
        iCost(base).fit(X, labels)


def test_a_frozen_base_fitted_on_the_codes_stays():
    X, y = make_classification(90, weights=[0.8], random_state=0)
    base = LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(
        iCost(FrozenEstimator(base)).fit(X, y).predict(X), base.predict(X)
    )


def test_the_signature_of_fit_is_read_once_for_all_clones(monkeypatch):
    class Base(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y, sample_weight)

    read = []
    monkeypatch.setattr(base_fit, "signature", lambda fit: read.append(fit) or signature(fit))
    X, target = np.array([[0.0], [1.0]]), np.array([0, 1])
    for _ in range(3):
        fit_problems(Base(), X, [target], [np.ones(2)])
    assert read == [Base.fit]


def test_a_fit_that_is_no_method_is_asked_for_weights_too():
    base = LogisticRegression()
    base.fit = lambda X, y: base
    with pytest.raises(TypeError, match="must take sample_weight in fit"):
        weight_parameter(base)
    base.fit = lambda X, y, **others: base
    assert weight_parameter(base) == "sample_weight"


def test_one_problem_needs_no_pool(monkeypatch):
    monkeypatch.setattr(base_fit, "Parallel", None)
    X, target = np.array([[0.0], [1.0]]), np.array([0, 1])
    (fitted,) = fit_problems(LogisticRegression(), X, [target], [np.ones(2)], n_jobs=2)
    assert fitted.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("weights", [None, [np.ones(4)]])
def test_text_that_a_base_cannot_read_is_told_with_the_cure(weights):
    table = np.array([["a"], ["b"], ["a"], ["b"]], dtype=object)
    with pytest.raises(ValueError, match="text that LogisticRegression cannot read .*TableEncoder"):
        fit_problems(LogisticRegression(), table, [np.array([0, 1, 0, 1])], weights)
