"""ThresholdClassifier: fits, rules, costs per row, tables of all sorts and saved models."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import balanced_accuracy_score, get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags

from icost import ThresholdClassifier, iCost
from icost._table._encoder import TableEncoder
from icost.datasets import load_dataset
from icost.metrics import expected_cost
from icost.thresholds import LeastCost
from icost.thresholds._certificate import HeldOut, cut_table
from icost.thresholds._offsets import additive_scores, tune_offsets
from icost.thresholds._rules import choose_cut, parse_rule
from icost.thresholds._scores import fit_calibrator

X, Y = make_classification(600, weights=[0.85], class_sep=1.2, random_state=0)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.mark.parametrize("rule", ["stable", "cost", 0.3, "recall>=0.8", "alerts<=0.2"])
@pytest.mark.parametrize("base", [LogisticRegression(), SVC(), GaussianNB()])
def test_the_cut_is_that_of_held_out_probabilities(rule, base):
    cost_fn = 5.0 if rule == "cost" else None
    model = ThresholdClassifier(base, rule, cv=FOLDS, cost_fn=cost_fn, random_state=0).fit(X, Y)
    response = "decision_function" if hasattr(base, "decision_function") else "predict_proba"
    scores = cross_val_predict(clone(base), X, Y, cv=FOLDS, method=response)
    scores = scores[:, [1]] if scores.ndim == 2 else scores[:, np.newaxis]
    proba = model.calibrator_.predict_proba(scores)[:, 1]
    rows = HeldOut(Y == 1, proba, np.ones(len(Y)), cost_fn=5.0)
    chosen = choose_cut(parse_rule(rule), rows, random_state=model._seed)
    assert model.threshold_ == pytest.approx(chosen.threshold)
    is_minority = model.predict_proba(X)[:, 1] >= model.threshold_
    np.testing.assert_array_equal(model.predict(X), is_minority.astype(int))
    np.testing.assert_array_equal(model.decision_function(X) >= 0, is_minority)


def test_the_smaller_class_is_the_minority_wherever_it_stands():
    names = np.where(Y == 1, "a", "b")
    models = [
        ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0).fit(X, y)
        for y in (Y, names)
    ]
    assert models[1].minority_label_ == "a"
    np.testing.assert_array_equal(models[0].predict(X) == 1, models[1].predict(X) == "a")


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_fitted_classifier_takes_a_validation_table(is_frozen):
    base = LogisticRegression().fit(X[:300], Y[:300])
    model = (
        ThresholdClassifier(FrozenEstimator(base), "recall>=0.8")
        if is_frozen
        else ThresholdClassifier(base, "recall>=0.8", cv="prefit")
    ).fit(X[300:], Y[300:])
    np.testing.assert_array_equal(model.estimator_.coef_, base.coef_)
    assert model.certificate_.n_rows == Y[300:].sum()


def test_costs_per_row():
    amounts = np.linspace(0, 20, len(Y))
    model = ThresholdClassifier(LogisticRegression(), "cost", random_state=0)
    model.fit(X, Y, cost_fn=amounts)
    assert model.threshold_ is None and model.certificate_.cost > 0
    wanted = model.predict_proba(X)[:, 1] >= 1 / (1 + amounts)
    np.testing.assert_array_equal(model.predict(X, cost_fn=amounts), wanted)
    assert model.score(X, Y, cost_fn=amounts) == pytest.approx(np.mean(wanted == Y))
    for method in (model.predict, lambda rows: model.score(rows, Y)):
        with pytest.raises(ValueError, match=r"as it was to fit: predict\(X, cost_fn=amounts\)"):
            method(X)
    with pytest.raises(ValueError, match="one cost for each of the 600 rows"):
        model.predict(X, cost_fn=amounts[:5])


@pytest.mark.parametrize(
    ("costs", "match"),
    [
        (np.full(600, -1.0), "cost_fn must be finite and not negative, got -1.0 in row 1"),
        (np.full(600, np.nan), "cost_fn must be finite and not negative, got nan"),
        (np.ones(3), "one cost for each of the 600 rows"),
    ],
)
def test_wrong_costs(costs, match):
    model = ThresholdClassifier(LogisticRegression(), "cost")
    with pytest.raises(ValueError, match=match):
        model.fit(X, Y, cost_fn=costs)
    with pytest.raises(ValueError, match="must be a number in the constructor"):
        clone(model).set_params(cost_fn=costs).fit(X, Y)
    with pytest.raises(ValueError, match="needs cost_fn"):
        model.fit(X, Y)


def test_costs_are_routed():
    amounts = np.linspace(0, 20, len(Y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = ThresholdClassifier(LogisticRegression(), "cost", random_state=0)
        model.set_fit_request(cost_fn=True).set_predict_request(cost_fn=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, Y, cost_fn=amounts)
        routed = pipeline.predict(X, cost_fn=amounts)
    scaled = StandardScaler().fit_transform(X)
    alone = clone(model).fit(scaled, Y, cost_fn=amounts).predict(scaled, cost_fn=amounts)
    np.testing.assert_array_equal(routed, alone)


def test_pipelines_cross_validation_and_tables():
    model = ThresholdClassifier(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    scores = cross_validate(model, X, Y, scoring="matthews_corrcoef", cv=3)["test_score"]
    assert (scores > 0.3).all()
    weight = np.where(Y == 1, 3.0, 1.0)
    weight[:10] = 0
    weighted = clone(model).set_params(random_state=0).fit(X, Y, sample_weight=weight)
    assert len(weighted.held_out_.score) == 590
    sparse = ThresholdClassifier(LogisticRegression(), cv=FOLDS, random_state=0)
    dense = clone(sparse).fit(X, Y).predict(X)
    np.testing.assert_array_equal(sparse.fit(csr_matrix(X), Y).predict(csr_matrix(X)), dense)
    table = pd.DataFrame(X[:, :3]).assign(text=np.where(Y, "u", "v")).rename(columns=str)
    mixed = ThresholdClassifier(make_pipeline(TableEncoder(), LogisticRegression())).fit(table, Y)
    assert (mixed.predict(table) == Y).all()


def test_a_down_sampled_table():
    model = ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0)
    plain, rare = clone(model).fit(X, Y), clone(model).fit(X, Y, prevalence=0.01)
    assert rare.prevalence_ == pytest.approx(0.01)
    odds = [own.predict_proba(X)[:, 1] / own.predict_proba(X)[:, 0] for own in (plain, rare)]
    factor = (0.01 / 0.99) / (Y.mean() / (1 - Y.mean()))
    np.testing.assert_allclose(odds[1], factor * odds[0], rtol=1e-6)
    np.testing.assert_array_equal(plain.predict(X), rare.predict(X))
    for wrong in (0, 1, np.nan):
        with pytest.raises(ValueError, match="prevalence must be a finite number > 0 and < 1"):
            clone(model).fit(X, Y, prevalence=wrong)


def test_several_classes():
    X3, y3 = make_classification(
        500, n_classes=3, n_informative=4, weights=[0.7, 0.2], random_state=0
    )
    model = ThresholdClassifier(LogisticRegression(), random_state=0).fit(X3, y3)
    moved = np.log(model.predict_proba(X3)) + model.offsets_
    np.testing.assert_array_equal(model.predict(X3), moved.argmax(axis=1))
    matrix = np.array([[0, 1, 1], [5, 0, 1], [9, 2, 0]])
    model = ThresholdClassifier(LogisticRegression(), LeastCost(matrix)).fit(X3, y3)
    wanted = (model.predict_proba(X3) @ matrix).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X3), wanted)
    with pytest.raises(ValueError, match="supported by rule='recall>=0.8', got 3 classes"):
        ThresholdClassifier(LogisticRegression(), "recall>=0.8").fit(X3, y3)


def test_the_cost_of_decisions_is_that_of_the_certificate():
    amounts = np.linspace(0, 20, len(Y))
    base = LogisticRegression().fit(X[:300], Y[:300])
    model = ThresholdClassifier(base, "cost", cv="prefit")
    model.fit(X[300:], Y[300:], cost_fn=amounts[300:])
    decided = model.predict(X[300:], cost_fn=amounts[300:])
    cost = expected_cost(Y[300:], decided, cost_fn=amounts[300:], minority_label=1)
    assert cost == pytest.approx(model.certificate_.cost)


def test_a_summary_says_what_to_expect():
    model = ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0).fit(X, Y)
    text = model.summary()
    assert text.splitlines()[0].endswith("LogisticRegression, rule: recall>=0.8")
    assert str(model.certificate_) in text
    for name in ("Recall", "Precision", "Alerts", "MCC"):
        assert f"  {name:<10}" in text
    stable = ThresholdClassifier(LogisticRegression(), random_state=0).fit(X, Y).summary()
    assert "95 % interval of the threshold: 0." in stable
    by_row = ThresholdClassifier(LogisticRegression(), "cost").fit(X, Y, cost_fn=np.ones(len(Y)))
    assert "Costs per row decide" in by_row.summary()
    three = ThresholdClassifier(LogisticRegression(), random_state=0).fit(*three_classes())
    assert three.summary().count("offset of") == 3


def test_a_matrix_of_two_classes_is_a_threshold():
    by_matrix = ThresholdClassifier(LogisticRegression(), LeastCost([[0, 1], [4, 0]]))
    assert by_matrix.fit(X, Y).threshold_ == pytest.approx(0.2)


def test_what_cannot_be_certified_warns_with_the_number_of_rows():
    few = np.r_[np.flatnonzero(Y == 1)[:10], np.flatnonzero(Y == 0)]
    model = ThresholdClassifier(LogisticRegression(), "recall>=0.9", random_state=0)
    with pytest.warns(UserWarning, match="At least 22 minority rows are needed"):
        model.fit(X[few], Y[few])
    assert model.certificate_.holds is False


def three_classes(n_rows=400):
    return make_classification(
        n_rows, n_classes=3, n_informative=4, weights=[0.8, 0.15], class_sep=0.7, random_state=0
    )


@pytest.mark.parametrize("base", [SVC(), iCost(GaussianNB(), method="ncs", multiclass="ovo")])
def test_offsets_are_those_of_calibrated_held_out_scores(base):
    X3, y3 = three_classes()
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    model = ThresholdClassifier(base, cv=cv).fit(X3, y3)
    assert model.response_method_ == "decision_function"
    scores = cross_val_predict(base, X3, y3, cv=cv, method="decision_function")
    proba = fit_calibrator(scores, y3).predict_proba(scores)
    np.testing.assert_allclose(
        model.offsets_, tune_offsets(y3, additive_scores(proba, "predict_proba"))
    )


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("is_pipeline", [False, True])
def test_weights_reach_all_fits_and_the_rule(is_pipeline, routing):
    X3, y3 = three_classes()
    weight = np.where(y3 == 2, 20.0, 1.0) * np.linspace(0.5, 1.5, len(y3))
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = np.empty((len(y3), 3))
    for train, test in cv.split(X3, y3):
        fold = LogisticRegression().fit(X3[train], y3[train], sample_weight=weight[train])
        scores[test] = fold.decision_function(X3[test])
    proba = fit_calibrator(scores, y3, weight).predict_proba(scores)
    expected = tune_offsets(y3, additive_scores(proba, "predict_proba"), sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=routing):
        base = LogisticRegression()
        if is_pipeline:
            base = base.set_fit_request(sample_weight=True) if routing else base
            base = make_pipeline(FunctionTransformer(), base)
        model = ThresholdClassifier(base, cv=cv).fit(X3, y3, sample_weight=weight)
    np.testing.assert_allclose(model.offsets_, expected)


@pytest.mark.parametrize("rule", ["recall>=0.6", "precision>=0.3", "alerts<=0.4", "stable"])
def test_rows_of_weight_zero_are_absent_for_every_rule(rule):
    weight = np.where(np.arange(len(Y)) % 7 == 3, 0.0, 1.0)
    kept = weight > 0
    model = ThresholdClassifier(LogisticRegression(), rule, random_state=0)
    weighted, alone = clone(model).fit(X, Y, weight), clone(model).fit(X[kept], Y[kept])
    assert weighted.certificate_.threshold == pytest.approx(alone.certificate_.threshold)
    assert weighted.certificate_.holds == alone.certificate_.holds
    assert len(weighted.held_out_.score) == kept.sum()


def test_a_class_of_one_row_is_named():
    X3, y3 = three_classes()
    names = np.array(["b", "c", "a"])[y3]
    names[0] = "x"
    with pytest.raises(ValueError, match="at least two rows for folds, got one of class 'x'"):
        ThresholdClassifier(LogisticRegression()).fit(X3, names)


@pytest.mark.parametrize(
    "scoring",
    [
        "balanced_accuracy",
        get_scorer("balanced_accuracy"),
        balanced_accuracy_score,
        lambda estimator, X, y: balanced_accuracy_score(y, estimator.predict(X)),
    ],
)
def test_scorers_and_metrics_lead_to_the_same_offsets(scoring):
    X3, y3 = three_classes()
    names = np.array(["a", "b", "c"])[y3]

    def by_hand(truth, decided, weight):
        return balanced_accuracy_score(truth, decided, sample_weight=weight)

    models = [
        ThresholdClassifier(GaussianNB(), scoring=own, random_state=0).fit(X3, names)
        for own in (by_hand, scoring)
    ]
    assert models[0].offsets_.any()
    np.testing.assert_array_equal(models[1].offsets_, models[0].offsets_)


def test_weights_that_a_scorer_cannot_use_are_refused_before_the_fits():
    X3, y3 = three_classes()
    scorer = make_scorer(lambda truth, decided: float(np.mean(truth == decided)))
    model = ThresholdClassifier(GaussianNB(), scoring=scorer, random_state=0)
    with pytest.raises(ValueError, match="takes sample_weight where there are weights"):
        model.fit(X3, y3, sample_weight=np.linspace(0.5, 1.5, len(y3)))
    assert not hasattr(model, "estimator_")
    model.fit(X3, y3, sample_weight=np.full(len(y3), 0.5))


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        ({"scoring": "odd"}, ValueError, "scoring must be one"),
        ({"scoring": 3}, ValueError, "scoring must be one"),
        ({"scoring": "roc_auc_ovr"}, ValueError, "scoring must go by predicted labels, got"),
        ({"cv": 1}, ValueError, "cv must be a whole number >= 2, got 1"),
        (
            {"response_method": "decision_function", "estimator": GaussianNB()},
            ValueError,
            "estimator must have decision_",
        ),
        (
            {"estimator": SVC(decision_function_shape="ovo")},
            ValueError,
            "got decision_function_shape='ovo'",
        ),
        ({"response_method": "predict"}, ValueError, "response_method must be one"),
        ({"estimator": "lr"}, TypeError, "^estimator must be a classifier, got "),
        ({"estimator": LinearRegression()}, TypeError, "^estimator must be a classifier, got "),
    ],
)
def test_wrong_parameters(wrong, error, match):
    with pytest.raises(error, match=match):
        ThresholdClassifier(**{"estimator": LogisticRegression(), **wrong}).fit(*three_classes())


@pytest.mark.parametrize(
    "rule",
    [
        "stable",
        "cost",
        0.3,
        "recall>=0.8",
        "precision>=0.5, alerts<=0.5",
        LeastCost([[0, 1], [4, 0]]),
    ],
)
def test_every_rule_is_saved_and_loaded(rule, tmp_path):
    skops = pytest.importorskip("skops.io")
    from icost.modelfile._storage import ALLOWED_TYPES

    cost_fn = 3.0 if rule == "cost" else None
    model = ThresholdClassifier(LogisticRegression(), rule, cost_fn=cost_fn, random_state=0)
    model.fit(X, Y)
    skops.dump(model, tmp_path / "model.skops")
    assert set(skops.get_untrusted_types(file=tmp_path / "model.skops")) <= ALLOWED_TYPES
    loaded = skops.load(tmp_path / "model.skops", trusted=sorted(ALLOWED_TYPES))
    assert loaded.certificate_ == model.certificate_ and loaded.rule_ == model.rule_
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_prevalence_of_several_classes_is_refused_before_the_fit():
    model = ThresholdClassifier(LogisticRegression())
    with pytest.raises(ValueError, match="prevalence needs two classes, got 3"):
        model.fit(*three_classes(), prevalence=0.1)
    with pytest.raises(ValueError, match="prevalence must be a finite number > 0 and < 1, got 2"):
        model.fit(*three_classes(), prevalence=2)
    assert not hasattr(model, "estimator_")


def test_costs_per_row_leave_no_score_that_contradicts_the_labels():
    amounts = np.linspace(0, 20, len(Y))
    model = ThresholdClassifier(LogisticRegression(), "cost", random_state=0)
    assert hasattr(model, "decision_function")
    model.fit(X, Y, cost_fn=amounts)
    with pytest.raises(AttributeError) as raised:
        model.decision_function(X)
    assert "use predict_proba to rank" in str(raised.value.__cause__)
    # Scorers that rank rows take probabilities then.
    ranked = roc_auc_score(Y, model.predict_proba(X)[:, 1])
    assert get_scorer("roc_auc")(model, X, Y) == pytest.approx(ranked)


@pytest.mark.parametrize("rule", ["stable", "recall>=0.8", 0.3, LeastCost([[0, 1], [4, 0]])])
def test_costs_that_decide_nothing_are_refused(rule):
    by_number = ThresholdClassifier(LogisticRegression(), rule, cost_fn=5.0)
    with pytest.raises(ValueError, match="cost_fn needs rule='cost', got "):
        by_number.fit(X, Y)
    with pytest.raises(ValueError, match="cost_fn needs rule='cost', got "):
        ThresholdClassifier(LogisticRegression(), rule).fit(X, Y, cost_fp=np.ones(len(Y)))


def test_a_notebook_shows_the_certificate_above_the_diagram():
    model = ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0)
    assert 'class="icost"' not in model._repr_html_()
    model.fit(X, Y)
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert page.startswith('<div class="icost">') and "sk-container" in page
        assert str(model.certificate_).replace(">", "&gt;") in page
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_") and set(model._repr_mimebundle_()) == {
            "text/plain"
        }


@pytest.mark.parametrize("kind", [pd.DataFrame, csr_matrix])
def test_parameters_of_fit_keep_their_type(kind):
    seen = []

    class Classifier(LogisticRegression):
        def fit(self, X, y, extra=None):
            seen.append((type(extra), extra.shape[0] == X.shape[0]))
            return super().fit(X, y)

    ThresholdClassifier(Classifier(), cv=2).fit(X, Y, extra=kind(X))
    assert len(seen) == 3 and set(seen) == {(kind, True)}


def test_an_infinite_score_ties_no_others():
    class Certain(LogisticRegression):
        def decision_function(self, X):
            return np.where(X[:, -1] > 0, np.inf, super().decision_function(X))

    alerts = []
    for is_certain in (np.zeros(600), np.arange(600) == np.flatnonzero(Y)[0]):
        model = ThresholdClassifier(Certain(), "recall>=0.8", random_state=0)
        alerts.append(model.fit(np.column_stack([X, is_certain]), Y).certificate_.alerts)
    assert alerts[1] == pytest.approx(alerts[0], abs=0.03) and alerts[0] < 0.5


def test_a_leak_draws_a_warning():
    leak = np.column_stack([X, Y + np.random.default_rng(0).normal(scale=0.01, size=600)])
    with pytest.warns(UserWarning, match="out-of-fold AUC is 1.0000. Few tables are that easy"):
        ThresholdClassifier(GaussianNB(), random_state=0).fit(leak, Y)


def test_cuts_that_part_no_rows_are_listed_once():
    truth = np.repeat([True, False], [10, 90])
    assert len(cut_table(HeldOut(truth, np.full(100, 0.1), np.ones(100)))) == 1


def test_weights_reach_the_classifier_of_a_nested_pipeline():
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    X, y = load_dataset("glass2", return_X_y=True)
    weight = np.linspace(0.5, 1.5, len(y))
    nested = ThresholdClassifier(make_pipeline(StandardScaler(), inner), random_state=0)
    nested.fit(X, y, sample_weight=weight)
    flat = ThresholdClassifier(inner, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(nested.predict_proba(X), flat.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("rule", "is_taken"),
    [
        ("stable", True),
        (None, True),
        (LeastCost(((0, 1, 1), (1, 0, 1), (1, 1, 0))), True),
        ("recall>=0.8", False),
        (0.3, False),
    ],
)
def test_tags_say_which_rules_are_for_several_classes(rule, is_taken):
    tags = get_tags(ThresholdClassifier(GaussianNB(), rule))
    assert tags.classifier_tags.multi_class == is_taken


def test_rows_of_weight_0_are_left_out_of_given_folds():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3 == 0
    X[y] += 1.5
    weight = np.ones(90)
    weight[::7] = 0.0
    kept = np.flatnonzero(weight)
    folds = [
        (np.flatnonzero(np.arange(90) % 2 == k), np.flatnonzero(np.arange(90) % 2 != k))
        for k in (0, 1)
    ]
    places = {row: place for place, row in enumerate(kept)}
    fewer = [
        tuple([places[row] for row in rows if row in places] for rows in fold) for fold in folds
    ]
    model = ThresholdClassifier(LogisticRegression(), cv=folds, random_state=0)
    model.fit(X, y, sample_weight=weight)
    alone = ThresholdClassifier(LogisticRegression(), cv=fewer, random_state=0)
    alone.fit(X[kept], y[kept], sample_weight=weight[kept])
    assert model.threshold_ == alone.threshold_
    np.testing.assert_array_equal(model.held_out_.score, alone.held_out_.score)
