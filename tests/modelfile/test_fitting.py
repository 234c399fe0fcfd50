import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import cross_val_predict

import icost
from icost import TableEncoder
from icost._core.labels import encode_labels
from icost._table._columns import plain_table
from icost.datasets import load_dataset
from icost.ensemble._icost_ensemble import automatic_bases
from icost.modelfile import fit_model, load_model, save_model
from icost.modelfile._fitting import FEW_GROUPS, NO_BETTER, make_folds
from icost.strategies import Strategy, get_strategy, list_strategies
from icost.strategies._estimators import get_classifier
from icost.strategies._fitting import TrainingFold, fit_strategy
from icost.strategies._registry import STRATEGIES
from icost.thresholds import LeastCost

NAMES = [strategy.name for strategy in list_strategies()]


@pytest.fixture
def flowers():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [50, 25, 12])
    shift = pd.Series(y).map({"a": 0.0, "b": 1.0, "c": 2.0}).to_numpy()
    return pd.DataFrame({"x": rng.normal(size=87) + shift, "z": rng.normal(size=87)}), y


@pytest.fixture
def mixed():
    """A small mixed table with gaps, the minority of which comes first."""
    rng = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [14, 50])
    X = pd.DataFrame(
        {"x": rng.normal(size=64) + 1.5 * (y == "ill"), "t": rng.choice(["u", "v"], 64)}
    )
    X.loc[::9, "x"] = np.nan
    return X, y


@pytest.fixture
def small_blend(monkeypatch):
    """A blend of two classifiers that are fitted in no time."""
    bases = {name: get_classifier(name).make(0) for name in ("lr", "nb")}
    for module in ("icost.modelfile._fitting", "icost.strategies._registry"):
        monkeypatch.setattr(f"{module}.automatic_bases", lambda: bases)


def need_packages(strategy):
    """Skip strategies that need imbalanced-learn where it is missing."""
    if strategy.group in ("resampling", "ensemble", "peer"):
        pytest.importorskip("imblearn")


def check_same_as_compared(name, classifier, X, y, groups=None, costs=None):
    """Compare `fit_model` with what comparisons and studies fit, bit for bit."""
    strategy = get_strategy(name)
    need_packages(strategy)
    options = {} if groups is None else {"groups": groups}
    options |= {} if costs is None else {"cost_fn": costs[0], "cost_fp": costs[1]}
    model = fit_model(X, y, classifier=classifier, method=name, n_splits=None, **options)
    classes, codes = encode_labels(y)
    rows = TableEncoder().fit_transform(X, codes)
    fold = TrainingFold(
        rows,
        codes,
        len(classes),
        groups=None if groups is None else encode_labels(groups)[1],
        costs=costs,
        minority_code=int(np.argmin(np.bincount(codes))),
    )
    fitted = fit_strategy(strategy, get_classifier(classifier).make(0), fold)
    np.testing.assert_array_equal(model.predict(X), classes[fitted.predict(rows)])
    if fitted.proba(rows) is not None:
        np.testing.assert_array_equal(model.predict_proba(X), fitted.proba(rows))
    # Without folds nothing is measured; ensembles hold rows out by themselves.
    assert bool(model.record["metrics"]) == (strategy.group == "ensemble")


@pytest.mark.parametrize("classifier", ["lr", "dt"])
@pytest.mark.parametrize("name", NAMES)
def test_the_model_to_keep_is_the_one_that_is_compared(name, classifier, mixed, small_blend):
    costs = (5.0, 1.0) if get_strategy(name).needs_costs else None
    check_same_as_compared(name, classifier, *mixed, costs=costs)


@pytest.mark.parametrize("name", [s.name for s in list_strategies() if s.group == "threshold"])
def test_the_same_holds_without_probabilities(name, mixed):
    costs = (5.0, 1.0) if get_strategy(name).needs_costs else None
    check_same_as_compared(name, "svm", *mixed, costs=costs)


@pytest.mark.parametrize("classifier", ["lr", "dt"])
@pytest.mark.parametrize("name", [s.name for s in list_strategies() if not s.binary_only])
def test_the_same_holds_for_three_classes(name, classifier, flowers, small_blend):
    check_same_as_compared(name, classifier, *flowers)


@pytest.mark.parametrize("name", [s.name for s in list_strategies() if s.supports_groups])
def test_the_same_holds_for_groups_and_costs_of_errors(name, mixed, small_blend):
    X, y = mixed
    groups = np.array([f"clinic {row % 16}" for row in range(64)])
    costs = (9.0, 1.0) if get_strategy(name).supports_costs else None
    check_same_as_compared(name, "dt", X, y, groups=groups, costs=costs)
    needed = {"cost_fn": 9.0} if get_strategy(name).needs_costs else {}
    grouped, alone = (
        fit_model(X, y, classifier="dt", method=name, groups=given, n_splits=None, **needed)
        for given in (groups, None)
    )
    assert (grouped.predict_proba(X) != alone.predict_proba(X)).any()


def test_a_threshold_is_measured_and_certified_by_whole_groups(mixed):
    X, y = mixed
    groups = np.array([f"clinic {row % 16}" for row in range(64)])
    options = {"method": "threshold", "decide": "alerts<=0.9", "n_splits": 3}
    model = fit_model(X, y, groups=groups, **options)
    assert model.record["metrics_from"] == "3 stratified folds of whole groups"
    assert "64 rows from 16 groups" in model.record["certificate"]
    with pytest.raises(ValueError, match="groups must have at least two groups, got one"):
        fit_model(X, y, groups=np.zeros(64), **{**options, "n_splits": None})


def test_metrics_are_of_thresholds_tuned_without_the_rows_that_they_judge():
    X, y = load_dataset("glass2", return_X_y=True)
    model = fit_model(X, y, method="threshold", n_splits=3)
    codes = encode_labels(y)[1]
    folds = make_folds(codes, 3, 0)
    predicted = cross_val_predict(model.estimator, plain_table(X), codes, cv=folds)
    assert model.record["metrics"]["mcc"] == pytest.approx(matthews_corrcoef(codes, predicted))
    assert model.record["metrics_from"] == "3 stratified folds"


def test_a_threshold_stays_where_predictions_are_constant():
    X, y = np.zeros((30, 1)), np.repeat([0, 1], [20, 10])
    assert fit_model(X, y, method="threshold").predict(X).tolist() == [0] * 30


@pytest.mark.parametrize("classes", ["two", "three"])
def test_an_ensemble_can_be_kept(tmp_path, classes):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"] if classes == "two" else ["a", "b", "c"], 30)[:70]
    X = pd.DataFrame(
        {"x": rng.normal(size=len(y)) + (y == "b"), "t": rng.choice(["u", "v"], len(y))}
    )
    model = fit_model(X, y, classifier="dt", method="ensemble", n_splits=2)
    assert model.record["metrics_from"].startswith("rows held out of the ensemble's members")
    assert {"mcc", "f1", "g_mean"} <= set(model.record["metrics"])
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert (loaded.predict(X) == model.predict(X)).all()
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_blend_can_be_kept_and_its_size_is_known(tmp_path, small_blend, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 12])
    X = pd.DataFrame(rng.normal(size=(62, 2)) + y[:, None], columns=["p", "q"])
    model = fit_model(X, y, method="blend", n_splits=2)
    assert model.record["classifier"] == "lr, nb" and model.record["calibrated"] is True
    monkeypatch.setattr("icost.modelfile._storage.LARGE_FILE", 1000)
    with pytest.warns(UserWarning, match="an ensemble keeps all of its members"):
        save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_blend_has_the_classifiers_that_its_record_names():
    bases = get_strategy("blend").build(get_classifier("dt").make(0)).base_classifier
    assert [type(base) for base in bases] == [type(base) for base in automatic_bases().values()]


def test_an_ensemble_records_how_it_decides(mixed):
    pytest.importorskip("imblearn")
    X, y = mixed
    model = fit_model(X, y, classifier="dt", method="ensemble")
    ensemble, record = model.estimator[-1], model.record
    assert record["classifier"] == "dt" and record["costs"] == {}
    assert record["calibrated"] is True
    assert record["threshold"] == ensemble.threshold_
    assert record["threshold_interval"] == list(ensemble.threshold_interval_)
    score = ensemble.oof_score_["mcc"]
    assert record["metrics"]["mcc"] == score["value"]
    assert record["metric_intervals"]["mcc"] == [score["low"], score["high"]]
    is_minority = model.predict_proba(X)[:, 0] >= record["threshold"]
    assert (model.predict(X) == np.where(is_minority, "ill", "well")).all()


def test_an_ensemble_is_calibrated_as_it_is_and_has_no_costs():
    X, y = pd.DataFrame({"x": np.arange(20.0)}), np.repeat([0, 1], [14, 6])
    with pytest.raises(ValueError, match="'ensemble' .*calibrate must be False"):
        fit_model(X, y, method="ensemble", calibrate=True)
    with pytest.raises(ValueError, match="'blend' .*costs must not be given"):
        fit_model(X, y, method="blend", costs={"cfb": 2.0})


@pytest.mark.parametrize("method", ["cs", "margin", "offsets", "smote", "balanced-rf"])
def test_models_of_three_classes_can_be_kept(method, flowers, tmp_path):
    need_packages(get_strategy(method))
    X, y = flowers
    model = fit_model(X, y, method=method, n_splits=2)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert (loaded.predict(X) == model.predict(X)).all()
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert model.record["minority"] is None and model.record["metrics"]["mcc"] > 0


@pytest.mark.parametrize("multiclass", ["ovo", "direct"])
def test_how_rows_are_weighted_goes_into_the_file(multiclass, flowers, tmp_path):
    X, y = flowers
    weighting = {"penalty": "plausible", "scale": 0.5, "multiclass": multiclass}
    model = fit_model(X, y, method="density", n_splits=2, weighting=weighting)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.record["weighting"] == {name: str(value) for name, value in weighting.items()}
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    inner = loaded.estimator[-1]
    assert (inner.penalty, inner.scale, inner.multiclass) == ("plausible", 0.5, multiclass)


def test_unknown_ways_of_weighting_are_refused(flowers):
    with pytest.raises(ValueError, match="a name in weighting must be one of 'penalty'"):
        fit_model(*flowers, weighting={"cfb": 1.0})
    with pytest.raises(ValueError, match="'ensemble' .*weighting must not be given"):
        fit_model(*flowers, method="ensemble", weighting={"scale": 1.0})


@pytest.mark.parametrize("method", NAMES)
def test_whatever_may_be_recommended_can_be_kept(method, mixed, small_blend, tmp_path):
    X, y = mixed
    need_packages(get_strategy(method))
    costs = {"cost_fn": 5.0} if get_strategy(method).needs_costs else {}
    model = fit_model(X, y, method=method, n_splits=2, **costs)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.record == model.record and loaded.record["method"] == method
    assert (loaded.predict(X) == model.predict(X)).all()
    assert set(model.predict(X)) == {"ill", "well"}
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    # Better than chance on rows not seen, so that the classes have not been mixed up.
    assert model.record["minority"] == "ill" and model.record["metrics"]["mcc"] > 0
    if "roc_auc" in model.record["metrics"]:
        assert model.record["metrics"]["roc_auc"] > 0.5


def test_controls_are_no_models_to_keep(mixed, monkeypatch):
    control = Strategy("even", "Even", "control", lambda base, **_: base, is_control=True)
    monkeypatch.setitem(STRATEGIES, "even", control)
    with pytest.raises(ValueError, match="'even' is a control"):
        fit_model(*mixed, method="even")


def test_resampled_models_predict_without_what_resampled_them(mixed, tmp_path):
    pytest.importorskip("imblearn")
    save_model(fit_model(*mixed, method="smote", n_splits=2), tmp_path / "model.skops")
    mixed[0].to_csv(tmp_path / "rows.csv", index=False)
    code = (
        "import sys; sys.modules['imblearn'] = None\n"
        "import pandas as pd\n"
        "from icost.modelfile import load_model\n"
        "print(len(load_model('model.skops').predict(pd.read_csv('rows.csv'))))"
    )
    source = str(Path(icost.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "64", done.stderr


def test_a_resampled_model_can_be_calibrated(mixed, tmp_path):
    pytest.importorskip("imblearn")
    X, y = mixed
    plain, calibrated = (fit_model(X, y, method="ros", calibrate=given) for given in (False, True))
    save_model(calibrated, tmp_path / "model.skops")
    proba = load_model(tmp_path / "model.skops").predict_proba(X)[:, 0]
    assert (plain.predict(X) == calibrated.predict(X)).all()
    share = np.mean(y == "ill")
    assert abs(proba.mean() - share) < 0.03 < plain.predict_proba(X)[:, 0].mean() - share


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"method": "threshold-cost"}, "'threshold-cost' needs cost_fn"),
        ({"method": "cs", "cost_fn": 3}, "'cs' .*cost_fn .*got 3"),
        ({"method": "smote", "costs": {"cfb": 2.0}}, "'smote' .*costs must not be given"),
        ({"method": "ensemble", "calibrate": True}, "'ensemble' .*calibrate must be False"),
        ({"method": "balanced-rf", "calibrate": True}, "'balanced-rf' .*calibrate must be False"),
        ({"method": "no-such"}, "no strategy 'no-such'; choose from ncs, cs, neighbor"),
        ({"method": "neigbor"}, "no strategy 'neigbor'; did you mean 'neighbor'"),
    ],
)
def test_what_has_no_effect_is_refused(options, facts, mixed):
    with pytest.raises(ValueError, match=facts):
        fit_model(*mixed, **options)


def test_a_strategy_of_two_classes_is_refused_for_three(flowers):
    with pytest.raises(ValueError, match="'threshold-cs' needs two classes, got 3"):
        fit_model(*flowers, method="threshold-cs")
    with pytest.raises(ValueError, match="cost_fn needs a target of two classes, got 3"):
        fit_model(*flowers, method="ensemble", cost_fn=3.0)


def test_ensembles_decide_by_costs_of_errors(mixed):
    pytest.importorskip("imblearn")
    X, y = mixed
    model = fit_model(X, y, classifier="nb", method="ensemble", cost_fn=9.0, groups=range(64))
    assert model.record["threshold"] == pytest.approx(0.1)
    assert model.record["error_costs"] == [9.0, 1.0]


@pytest.fixture
def shells():
    return load_dataset("abalone", return_X_y=True)


def test_a_rule_decides_and_the_record_says_what_it_promises(shells):
    model = fit_model(*shells, method="threshold", decide="recall>=0.6", n_splits=2)
    last = model.estimator[-1]
    assert last.rule == "recall>=0.6" and model.record["threshold"] == last.threshold_
    assert model.record["certificate"] == str(last.certificate_)
    assert [round(cut["found"], 1) for cut in model.record["cuts"]][-1] == 1.0


def test_an_ensemble_decides_by_a_rule_as_well(shells):
    model = fit_model(*shells, classifier="nb", method="ensemble", decide="alerts<=0.2")
    last, record = model.estimator[-1], model.record
    assert last.threshold == "alerts<=0.2" and record["threshold"] == last.threshold_
    assert record["certificate"] == str(last.certificate_) and len(record["cuts"]) == 10
    assert record["metrics"]["mcc"] == last.oof_score_["mcc"]["value"]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"decide": "recal>=0.8"}, "Did you mean 'recall'"),
        ({"decide": "cost"}, "decide='cost' needs cost_fn, the cost of a miss"),
        ({"decide": "recall>=0.8", "method": "smote"}, "Strategy 'smote' has a rule of its own"),
        ({"method": "threshold-cost", "cost_fn": "Lenght"}, "got 'Lenght': did you mean 'Length'"),
        ({"method": "threshold-cost", "cost_fn": "Sex"}, "or a column of numbers in the table"),
        (
            {"decide": "recall>=0.8", "method": "ensemble", "cost_fn": 9.0},
            "cost_fn needs threshold",
        ),
    ],
)
def test_rules_and_columns_that_cannot_be_used(options, match, shells):
    with pytest.raises(ValueError, match=match):
        fit_model(*shells, **{"method": "threshold", **options})


@pytest.mark.parametrize("method", ["threshold", "threshold-cs", "threshold-cost", "ensemble"])
def test_costs_are_a_rule_like_any_other(shells, method):
    options = {"method": method, "classifier": "nb", "n_splits": None}
    model = fit_model(*shells, decide="cost", cost_fn=9.0, **options)
    assert model.record["threshold"] == pytest.approx(0.1)
    assert model.record["error_costs"] == [9.0, 1.0]
    by_row = fit_model(*shells, decide="cost", cost_fn="Length", **options)
    assert "Costs per row decide" in by_row.record["certificate"]


def test_a_matrix_of_costs_is_a_rule(shells):
    options = {"classifier": "nb", "n_splits": None}
    two = fit_model(*shells, method="threshold", decide=LeastCost([[0, 1], [4, 0]]), **options)
    assert two.record["threshold"] == pytest.approx(0.2)
    X, y = load_dataset("wine", collection="multiclass", return_X_y=True)
    matrix = np.array([[0, 1, 1], [5, 0, 1], [9, 2, 0]])
    three = fit_model(X, y, method="offsets", decide=LeastCost(matrix), **options)
    wanted = (three.predict_proba(X) @ matrix).argmin(axis=1)
    assert (three.predict(X) == np.asarray(three.record["classes"])[wanted]).all()


def test_what_cannot_be_certified_is_said_once():
    X, y = load_dataset("glass2", return_X_y=True)
    with pytest.warns(UserWarning) as warned:
        model = fit_model(X, y, method="threshold", decide="recall>=0.9")
    said = [str(one.message) for one in warned if "cannot be certified" in str(one.message)]
    assert said == [model.record["certificate"]]


def test_a_wrong_cost_is_named_by_its_row_in_the_table(shells):
    X = shells[0].assign(amount=1.0)
    X.loc[X.index[713], "amount"] = -2.0
    with pytest.raises(ValueError, match="not negative, got -2.0 in row 714"):
        fit_model(X, shells[1], method="threshold-cost", cost_fn="amount")


@pytest.mark.parametrize("method", ["threshold-cost", "ensemble"])
def test_a_column_has_the_costs_of_rows(shells, tmp_path, method):
    pytest.importorskip("skops")
    X, y = shells
    options = {"method": method, "classifier": "nb", "n_splits": 2}
    model = fit_model(X, y, cost_fn="Length", cost_fp=0.05, **options)
    assert model.record["error_costs"] == ["Length", 0.05] and model.record["threshold"] is None
    proba = model.predict_proba(X)[:, model.record["classes"].index(model.record["minority"])]
    wanted = proba >= 0.05 / (0.05 + X["Length"].to_numpy(float))
    np.testing.assert_array_equal(model.predict(X) == model.record["minority"], wanted)
    save_model(model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load_model(tmp_path / "m.skops").predict(X), model.predict(X))
    with pytest.raises(ValueError, match="lacks column 'Length'"):
        model.predict(X.drop(columns="Length"))
    alarms = fit_model(X, y, cost_fn=1.0, cost_fp="Length", **options)
    assert alarms.estimator.cost_fn is None and "Costs per row" in alarms.record["certificate"]


@pytest.mark.parametrize(
    ("method", "names"),
    [
        ("cs", ("a_ill", "b_well")),
        ("cs", ("b_ill", "a_well")),
        ("cs", ("ill", "well", "dead")),
        ("threshold", ("b_ill", "a_well")),
        ("ensemble", ("b_ill", "a_well")),
        ("ensemble", ("ill", "well", "dead")),
    ],
)
def test_a_model_that_guesses_says_so(method, names):
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(240, 3)), np.repeat(np.arange(3), [40, 160, 40])
    y = np.array(names)[np.minimum(codes, len(names) - 1)]
    y = np.where(codes == 0, names[0], y)
    noise = fit_model(X, y, method=method, n_splits=3).record
    assert noise["notes"] == [NO_BETTER]
    signal = fit_model(X + 2 * codes[:, np.newaxis] ** 2, y, method=method, n_splits=3).record
    assert "notes" not in signal


def test_few_noise_tables_pass_for_more_than_guessing():
    passed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], [120, 30])
        record = fit_model(rng.normal(size=(150, 3)), y, method="cs", random_state=seed).record
        passed += "notes" not in record
    assert passed <= 5


def test_the_record_has_costs_that_have_an_effect(mixed):
    X, y = mixed
    recorded = {
        method: fit_model(X, y, method=method, n_splits=None).record["costs"]
        for method in ("ncs", "cs", "neighbor", "threshold")
    }
    assert recorded["ncs"] == recorded["threshold"] == {} and recorded["cs"] == {"scale": 1.0}
    assert set(recorded["neighbor"]) == {"cfp", "cfs", "cfb", "cfo"}
    with pytest.raises(ValueError, match="'cs' has no categories: costs must not be given"):
        fit_model(X, y, method="cs", costs={"cfb": 9.0})


def test_guesses_about_groups_are_called_so():
    rng, groups = np.random.default_rng(1), np.repeat(np.arange(60), 4)
    y, place = (np.arange(60) % 3 == 0).astype(int)[groups], rng.normal(size=(60, 2))[groups]
    for strategy in ("threshold", "ensemble"):
        record = fit_model(place, y, classifier="nb", method=strategy, groups=groups).record
        assert NO_BETTER in record["notes"]


@pytest.mark.filterwarnings("ignore:There are too few|This model is no better")
def test_few_groups_show_nothing_and_prove_no_guessing():
    rng = np.random.default_rng(0)
    y = np.repeat(["well", "ill"], [120, 40])
    X = rng.normal(size=(160, 2)) + 2.0 * (y == "ill")[:, np.newaxis]
    for n_groups, notes in ((5, [FEW_GROUPS]), (40, None)):
        groups = np.arange(160) % n_groups
        model = fit_model(X, y, method="ncs", groups=groups, n_splits=3)
        assert model.record.get("notes") == notes
    noise = rng.normal(size=(160, 2))
    model = fit_model(noise, y, method="ncs", groups=np.arange(160) % 40, n_splits=3)
    assert model.record["notes"] == [NO_BETTER]
