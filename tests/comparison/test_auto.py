"""iCostAuto: in scikit-learn's tools, with groups, weights and tables of all kinds."""

import warnings
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from icost import compare, iCostAuto, iCostEnsemble
from icost.modelfile import choose_model
from icost.strategies import get_strategy

QUICK = {"n_splits": 2, "n_repeats": 1}


def auto(**options):
    return iCostAuto(["nb", "lr"], ["ncs", "cs"], **{**QUICK, **options})


def _failures(estimator):
    reason = "rows are counted in folds, not their weights"
    names = ["check_sample_weight_equivalence_on_dense_data"]
    # On the rows of the check in scikit-learn 1.6, both choices happen to be the same.
    if not sklearn.__version__.startswith("1.6."):
        names.append("check_sample_weight_equivalence_on_sparse_data")
    return dict.fromkeys(names, reason)


@pytest.mark.filterwarnings("ignore:Nothing here is better than guessing:UserWarning")
@parametrize_with_checks([auto()], expected_failed_checks=_failures)
def test_scikit_learn_checks(estimator, check, monkeypatch):
    monkeypatch.setattr("icost.comparison._selection.N_DRAWS", 10)
    check(estimator)


@pytest.fixture
def patients():
    rng = np.random.default_rng(0)
    is_ill = np.arange(120) % 5 == 0
    table = pd.DataFrame(
        {
            "age": rng.normal(50 + 15 * is_ill, 10),
            "sex": rng.choice(["f", "m"], 120),
            "smokes": rng.random(120) < 0.3 + 0.3 * is_ill,
        }
    )
    table.loc[3, "age"] = np.nan
    return table, pd.Series(np.where(is_ill, "ill", "well"), name="state")


def test_it_keeps_what_the_comparison_recommends(patients):
    X, y = patients
    model = auto().fit(X, y)
    found = compare(X, y, classifier=["nb", "lr"], strategies=["ncs", "cs"], **QUICK)
    assert model.comparison_ == found
    assert model.best_strategy_ == found.recommendation["strategy"]
    assert model.best_classifier_ == found.recommendation["classifier"]
    assert model.best_score_ == found.selection["corrected"]
    assert set(model.predict(X)) == {"ill", "well"}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_the_command_line_keeps_the_same_model(patients):
    X, y = patients
    kept, _ = choose_model(X, y, classifier=["nb", "lr"], strategies=["ncs", "cs"], **QUICK)
    model = auto().fit(X, y)
    assert kept.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert kept.predict(X).tolist() == model.predict(X).tolist()
    assert kept.record["method"] == model.best_strategy_


def test_tables_of_pandas_and_polars_give_the_same(patients):
    polars = pytest.importorskip("polars")
    X, y = patients
    model = auto().fit(X, y)
    frame = polars.from_pandas(X)
    other = auto().fit(frame, polars.Series(y.to_numpy()))
    assert other.predict_proba(frame).tobytes() == model.predict_proba(X).tobytes()
    assert other.feature_names_in_.tolist() == list(X)
    # Few rows in which a column of text has nothing but gaps.
    gaps = X.head(2).assign(sex=None)
    assert len(model.predict(gaps)) == 2


def test_inside_pipelines_and_cross_validation(patients):
    X, y = patients
    X = X.assign(age=X["age"] + 15 * (y == "ill"))  # a third of the rows must show it as well
    pipeline = make_pipeline(FunctionTransformer(), auto())
    scores = cross_validate(
        pipeline, X, y, cv=GroupKFold(3), groups=np.arange(120) // 4, scoring="roc_auc"
    )
    assert scores["test_score"].mean() > 0.8
    assert clone(auto(time_limit=5)).get_params()["time_limit"] == 5


def test_groups_decide_the_folds_and_reach_the_ensemble(patients):
    X, y = patients
    options = {**QUICK, "random_state": 1}
    model = iCostAuto("nb", ["ensemble"], **options).fit(X, y, groups=np.arange(120) // 4)
    assert "keep each of 30 groups together" in model.comparison_.how and model.notes_ == []
    # One group has all rows of a class: the ensemble is fitted without groups, and says so.
    day = np.where(y == "ill", 0, np.arange(120) % 3)
    found = iCostAuto("nb", ["ensemble"], **options).fit(
        X, y, groups=np.arange(120) // 4, time=None
    )
    found._fit_recommended(
        found._rows_of_model(X), (y == "well").to_numpy().astype(int), None, day, 0
    )
    assert found.notes_ and found.notes_[0].startswith("Fitted without groups: ")


def test_weights_reach_every_fit_and_zero_is_absence(patients):
    X, y = patients
    names = ["ncs", "cs", "threshold", "smote"]
    weight = np.where(np.arange(120) < 100, 1.0, 0.0)
    weighted = iCostAuto("lr", names, **QUICK).fit(X, y, sample_weight=weight)
    notes = weighted.comparison_.notes
    compared = [row["name"] for row in weighted.comparison_.strategies]
    assert {"ncs", "cs"} <= set(compared) and "smote" not in compared
    assert any(note.startswith("Left out, as they take no weights of rows: ") for note in notes)
    plain = iCostAuto("lr", compared, **QUICK).fit(X[:100], y[:100])
    np.testing.assert_allclose(plain.predict_proba(X), weighted.predict_proba(X))
    heavy = np.where(y == "ill", 50.0, 1.0)
    model = iCostAuto("lr", ["ncs"], **QUICK).fit(X, y, sample_weight=heavy)
    assert (model.predict(X) == "ill").sum() > (plain.predict(X) == "ill").sum()
    with pytest.raises(ValueError, match="sample_weight must not be given: smote takes no weights"):
        iCostAuto("lr", ["smote"], **QUICK).fit(X, y, sample_weight=weight)


def test_noise_is_fitted_with_a_warning(patients):
    X, y = patients
    y = np.random.default_rng(1).permutation(y)
    with pytest.warns(UserWarning, match="Nothing here is better than guessing"):
        model = auto().fit(X[["sex"]], y)
    assert len(model.predict(X[["sex"]])) == 120
    assert model.summary().splitlines()[1:] == model.comparison_.verdict


def test_other_seeds_and_costs(patients):
    X, y = patients
    by_cost = iCostAuto("lr", ["ncs", "threshold-cost"], cost_fn=30.0, **QUICK).fit(X, y)
    assert by_cost.comparison_.metric == "cost" and by_cost.best_strategy_ == "threshold-cost"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        auto(random_state=np.random.RandomState(0)).fit(X, y)


def test_a_column_has_the_costs_of_rows(patients, tmp_path):
    X, y = patients
    X = X.assign(amount=np.linspace(5.0, 90.0, len(X)))
    options = {"cost_fn": "amount", "cost_fp": 3.0, **QUICK}
    model = iCostAuto("nb", ["threshold-cost"], **options).fit(X, y)
    proba = model.predict_proba(X)[:, list(model.classes_).index("ill")]
    wanted = proba >= 3.0 / (3.0 + X["amount"].to_numpy())
    np.testing.assert_array_equal(model.predict(X) == "ill", wanted)
    assert model.comparison_ == compare(
        X, y, classifier="nb", strategies=["threshold-cost"], **options
    )
    saved, _ = choose_model(
        X, y, classifier="nb", strategies=["threshold-cost"], force=True, **options
    )
    np.testing.assert_array_equal(saved.predict(X), model.predict(X))
    assert saved.record["error_costs"] == ["amount", 3.0]


def test_a_summary_says_what_was_chosen_and_how_it_decides(patients):
    X, y = patients
    model = iCostAuto("nb", ["threshold"], **QUICK).fit(X, y)
    lines = model.summary().splitlines()
    assert lines[0] == "iCostAuto kept: nb, threshold"
    assert lines[1:3] == [model.comparison_.candidate[key] for key in ("sentence", "expectation")]
    assert lines[3] == "ThresholdClassifier around GaussianNB, rule: stable"
    assert all(escape(line) in model._repr_html_() for line in lines)
    assert len(auto().fit(X, y).summary().splitlines()) == 3


def test_a_fit_that_fails_leaves_no_model(patients):
    X, y = patients
    model = auto().fit(X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        model.fit(X, ["ill"] * len(y))
    with pytest.raises(AttributeError, match="not fitted yet"):
        model.predict(X)


def test_a_column_with_the_answer_is_warned_about():
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(80, int), np.ones(30, int)]
    X = np.c_[rng.normal(size=110), 3.0 * y]
    model = iCostAuto("lr", ["ncs", "cs"], n_splits=2, n_repeats=1)
    with pytest.warns(UserWarning, match=r"out-of-fold AUC is 1\.0000.*known only after"):
        model.fit(X, y)


def test_rows_of_weight_0_are_absent():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [140, 120])
    X = pd.DataFrame(rng.normal(size=(260, 2)) + y[:, None], columns=["a", "b"])
    present = np.arange(260) >= 50  # without the others, class 0 is the smaller one
    options = {"strategies": ["threshold-cost"], "cost_fn": 20, **QUICK}
    weighted = iCostAuto("lr", **options).fit(X, y, sample_weight=present * 1.0)
    alone = iCostAuto("lr", **options).fit(X[present], y[present])
    np.testing.assert_array_equal(weighted.predict(X), alone.predict(X))
    model, _ = choose_model(X, y, sample_weight=present * 1.0, classifier="lr", **options)
    assert model.record["minority"] == 0 and model.record["rows"] == 210


def test_a_class_that_is_absent_is_none():
    X, y = np.random.default_rng(0).normal(size=(90, 2)), np.repeat([0, 1, 2], 30)
    X[y == 1] += 2
    model = auto().fit(X, y, sample_weight=(y < 2) * 1.0)
    assert model.classes_.tolist() == [0, 1] and model.predict_proba(X).shape == (90, 2)


def test_costs_per_row_are_a_column(patients):
    table, y = patients
    with pytest.raises(ValueError, match="cost_fn must be a number or the name of a column"):
        auto(cost_fn=np.ones(120)).fit(table, y)


def test_a_level_that_looks_like_a_number_is_the_same_in_every_batch():
    code = ["7", "8", "a"] * 40
    table = pd.DataFrame({"code": code, "x": np.random.default_rng(0).normal(size=120)})
    y = (table["code"] == "7").astype(int).to_numpy()
    models = [auto(), iCostEnsemble(members=("plain",), random_state=0)]
    for model in models:
        model.fit(table, y)
        for rows in ([7, 8], ["7", "a"], [7.0, None], [7, "a"]):
            batch = pd.DataFrame({"code": rows, "x": [0.0, 0.0]})
            assert model.predict(batch)[0] == 1


def test_few_rows_are_warned_of_once_whatever_is_kept():
    rng, y = np.random.default_rng(0), np.repeat(["well", "ill"], [60, 15])
    X = rng.normal(size=(75, 2)) + 2 * (y == "ill")[:, None]
    with pytest.warns(UserWarning) as caught:
        iCostAuto("nb", ["ncs", "threshold"], **QUICK).fit(X, y)
    assert [str(w.message)[:28] for w in caught] == ["Few rows of class 'ill': 15."]


def test_few_rows_are_named_by_the_label():
    rng, y = np.random.default_rng(0), np.repeat(["well", "ill"], [60, 15])
    X = rng.normal(size=(75, 2)) + 2 * (y == "ill")[:, None]
    ensemble = replace(get_strategy("ensemble"), builder=small_ensemble)
    with pytest.warns(UserWarning, match="Few rows of class 'ill': 15"):
        iCostAuto("nb", [ensemble], **QUICK).fit(X, y)


def small_ensemble(base, *, costs, **options):
    return iCostEnsemble(base, members=("plain",), n_splits=2, **options)
