"""`evaluate` on halves of recorded data sets, and on what is not fit for it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, fisher_exact
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import icost
from icost import ThresholdClassifier, iCostEnsemble
from icost.datasets import load_dataset
from icost.evaluation import decide_anew, evaluate
from icost.evaluation._intervals import SHARES
from icost.evaluation._words import cut_rows
from icost.metrics import classification_scores
from icost.modelfile import ColumnsDiffer, choose_model, fit_model, load_model, save_model

SETS = ("yeast3", "ecoli3", "glass0", "haberman", "pima", "vehicle1", "yeast1", "abalone9-18")
SETS += ("page-blocks0", "segment0")


def halves(name):
    X, y = load_dataset(name, return_X_y=True)
    return X[::2], y[::2], X[1::2].reset_index(drop=True), y[1::2].reset_index(drop=True)


@pytest.mark.parametrize("name", SETS)
def test_scores_and_promises_agree_with_an_independent_computation(name):
    X, y, X_new, y_new = halves(name)
    model = fit_model(X, y, method="threshold", decide="recall>=0.7", n_splits=2)
    result = model.evaluate(X_new, y_new)
    proba, predicted = model.predict_proba(X_new), model.predict(X_new)
    column = model.classes.index(model.record["minority"])
    wanted = classification_scores(
        y_new, predicted, y_proba=proba[:, column], minority_label=model.record["minority"]
    )
    assert {n: s.now.value for n, s in result.scores.items()} == pytest.approx(wanted)
    assert {n: s.expected.value for n, s in result.scores.items() if s.expected} == pytest.approx(
        model.record["metrics"]
    )
    is_minority = (y_new == model.record["minority"]).to_numpy()
    hits, total = int((is_minority & (predicted == y_new)).sum()), int(is_minority.sum())
    (promise,) = result.promises
    low = binomtest(hits, total, alternative="greater").proportion_ci(0.9).low
    chance = binomtest(hits, total, 0.7, "less").pvalue
    verdict = "kept" if low >= 0.7 else "broken" if chance <= 0.05 else "undecided"
    assert promise.verdict == verdict and promise.chance == pytest.approx(chance)
    alerts = binomtest(int((predicted == model.record["minority"]).sum()), len(y_new))
    ends = alerts.proportion_ci(0.95, "exact")
    assert (result.alerts.now.low, result.alerts.now.high) == pytest.approx(tuple(ends))
    assert result.alerts.expected.value == pytest.approx(model.estimator[-1].certificate_.alerts)
    assert result.prevalence.expected.value == pytest.approx((y == model.record["minority"]).mean())


def test_any_fitted_classifier_is_evaluated():
    X, y, X_new, y_new = halves("yeast3")
    plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    result = icost.evaluate(plain, X_new, y_new, promise="recall>=0.9, precision>=0.3")
    assert [p.verdict for p in result.promises] == ["broken", "kept"] and result.holds is False
    assert result.minority == "positive" and result.scores["mcc"].expected is None
    assert result.calibration.slope.low < 1 < result.calibration.slope.high
    with pytest.raises(TypeError, match="fitted classifier"):
        evaluate(LogisticRegression(), X_new, y_new)


@pytest.mark.parametrize(
    "model",
    [ThresholdClassifier(LogisticRegression(), random_state=0), iCostEnsemble(random_state=0)],
)
def test_estimators_of_the_library_know_what_to_expect(model):
    X, y, X_new, y_new = halves("yeast3")
    result = evaluate(model.fit(X, y), X_new, y_new)
    score = result.scores["mcc"]
    assert score.expected.low < score.expected.value < score.expected.high
    assert not score.differs and result.alerts.expected is not None


def test_labels_of_the_other_half_turned_round_break_everything():
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, method="threshold", decide="recall>=0.7", n_splits=2)
    wrong = y_new.sample(frac=1, random_state=0).to_numpy()
    result = model.evaluate(X_new, wrong)
    assert result.holds is False and result.scores["mcc"].differs
    assert "Beyond chance, and not as expected: MCC" in " ".join(result.sentences)
    assert result.calibration.slope.high < 1


def test_levels_that_are_missed_are_marked():
    rng = np.random.default_rng(0)
    size = 2000
    table = pd.DataFrame({"x": rng.normal(size=size), "sex": rng.choice(["f", "m"], size)})
    truth = rng.random(size) < 0.2
    # What tells men apart tells nothing of women.
    table["x"] += np.where(table["sex"] == "m", 3.0, 0.0) * truth
    labels = np.where(truth, "ill", "well")
    model = fit_model(table[:1000], labels[:1000], method="threshold", n_splits=2)
    result = model.evaluate(table[1000:], labels[1000:], by=["sex", "x"])
    by_name = {(level.column, level.level): level for level in result.levels}
    women = by_name["sex", "= f"]
    assert "recall" in women.differing and women.recall.value < 0.5
    is_woman, is_ill = (table["sex"][1000:] == "f").to_numpy(), labels[1000:] == "ill"
    alert = model.predict(table[1000:]) == "ill"
    counts = [
        [(some & is_ill & alert).sum(), (some & is_ill & ~alert).sum()]
        for some in (is_woman, ~is_woman)
    ]
    assert fisher_exact(counts).pvalue < 0.05 / 6
    assert len([level for level in result.levels if level.column == "x"]) == 4
    assert sum(level.n_rows for level in result.levels) == 2000
    noise = model.evaluate(table[1000:], labels[1000:], by={"noise": rng.choice(list("abc"), 1000)})
    assert not any(level.differing for level in noise.levels)


def test_gaps_and_rare_levels_of_a_column_are_levels():
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, method="threshold", n_splits=2)
    cells = [None if row % 10 == 0 else f"n{row % 60}" for row in range(len(X_new))]
    names = [level.level for level in model.evaluate(X_new, y_new, by={"name": cells}).levels]
    assert len(names) == 21 and names[-1] == "missing" and "others" in names[-2]
    with pytest.raises(ValueError, match="by must be one of"):
        model.evaluate(X_new, y_new, by="nme")


def test_what_is_new_in_a_table_is_named():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.uniform(20, 60, 400), "sex": rng.choice(["f", "m"], 400)})
    labels = np.where(table["age"] + rng.normal(0, 9, 400) > 52, "ill", "well")
    model = fit_model(table[:200], labels[:200], method="threshold", n_splits=2)
    assert model.evaluate(table[200:]).shifts == ()
    later = table[200:].assign(age=table["age"] + 30)
    later.loc[later.index[:50], "sex"] = "d"
    later.loc[later.index[50:100], "age"] = np.nan
    age, sex = model.evaluate(later).shifts
    assert age.gaps == 0.25 and age.gaps_before == 0 and age.outside > 0.3
    assert sex.unseen == ("d",) and sex.unseen_share == 0.25
    assert "levels the model has not seen in 25 % of rows: 'd'" in str(sex)
    with pytest.raises(ColumnsDiffer, match="lacks column 'age'"):
        model.evaluate(table.drop(columns="age"), labels)


def test_rows_without_labels_get_what_needs_none():
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, method="threshold", n_splits=2)
    result = model.evaluate(X_new)
    assert result.n_minority is None and result.scores == {} and result.holds is None
    assert result.prevalence.now.low < (y_new == "positive").mean() < result.prevalence.now.high
    assert "without labels" in repr(result)
    plain = fit_model(X, y, method="ncs", n_splits=2).evaluate(X_new)
    assert plain.prevalence is None and "cannot be estimated" in plain.notes[0]


def test_several_classes_are_scored_one_by_one():
    X, y = load_dataset("wine", collection="multiclass", return_X_y=True)
    model = fit_model(X[::2], y[::2], method="offsets", n_splits=2)
    result = model.evaluate(X[1::2], y[1::2])
    matrix = confusion_matrix(y[1::2], model.predict(X[1::2]), labels=model.classes)
    recalls = np.diag(matrix) / matrix.sum(axis=1)
    assert [c.recall.value for c in result.class_scores] == pytest.approx(recalls)
    assert [c.n_rows for c in result.class_scores] == matrix.sum(axis=1).tolist()
    assert result.minority is None and result.promises == ()
    with pytest.raises(ValueError, match="promise needs two classes"):
        model.evaluate(X[1::2], y[1::2], promise="recall>=0.8")
    assert model.evaluate(X[1::2]).scores == {}


def test_costs_by_a_column_are_held_against_what_was_expected():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=1200), "amount": rng.exponential(20, 1200)})
    labels = np.where(table["x"] + rng.normal(size=1200) > 1.8, "fraud", "fine")
    options = {"method": "threshold-cost", "n_splits": 2, "cost_fp": 2.0}
    model = fit_model(table[:600], labels[:600], cost_fn="amount", **options)
    (promise,) = model.evaluate(table[600:], labels[600:]).promises
    alert, truth = model.predict(table[600:]) == "fraud", labels[600:] == "fraud"
    costs = table["amount"][600:] * (truth & ~alert) + 2 * (~truth & alert)
    assert promise.what == "cost" and promise.value == pytest.approx(costs.mean())
    dearer = table[600:].assign(amount=20 * table["amount"])
    dear = model.evaluate(dearer, labels[600:])
    assert dear.promises[0].value > promise.value


BAD_LABELS = {
    "labels of other classes": (lambda y: y.replace("positive", "ill"), "got 'ill' in 85 rows"),
    "gaps": (lambda y: y.mask(y.index < 3), "no label in 3 of 742 rows, the first is row 1"),
    "one class": (lambda y: y.mask(y == y, "negative"), "got only 'negative'"),
    "too few": (lambda y: y[:9], "one label for each of the 742 rows"),
    "another type": (lambda y: (y == "positive").astype(float), "got 0.0, 1.0 in 742 rows"),
}


@pytest.mark.parametrize("name", BAD_LABELS)
def test_labels_that_do_not_fit_are_refused_in_one_sentence(name):
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, method="ncs", n_splits=2)
    change, message = BAD_LABELS[name]
    with pytest.raises(ValueError, match=message):
        model.evaluate(X_new, change(y_new.astype(object)))


def test_numbers_are_labels_however_they_are_written():
    X, y, X_new, y_new = halves("yeast3")
    codes, new = (y == "positive").astype(int), (y_new == "positive").astype(int)
    model = fit_model(X, codes, method="ncs", n_splits=2)
    wanted = model.evaluate(X_new, new).scores["mcc"]
    assert model.evaluate(X_new, new.astype(float)).scores["mcc"] == wanted
    assert model.evaluate(X_new, new.astype(str)).scores["mcc"] == wanted
    assert model.evaluate(X_new, new == 1).scores["mcc"] == wanted


def test_three_minority_rows_say_little():
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, method="threshold", decide="recall>=0.7", n_splits=2)
    kept = np.append(np.flatnonzero(y_new == "positive")[:3], np.flatnonzero(y_new != "positive"))
    result = model.evaluate(X_new.iloc[kept], y_new.iloc[kept])
    assert result.promises[0].verdict == "undecided" and result.promises[0].n_needed > 3
    assert "Only 3 minority rows" in result.sentences[-2] + result.sentences[-1]


@pytest.mark.parametrize(
    "options", [{"method": "threshold"}, {"method": "neighbor"}, {"calibrate": True}]
)
def test_a_new_decision_keeps_its_history_and_comes_back_from_a_file(options, tmp_path):
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, n_splits=2, **options)
    moved = decide_anew(model, X_new, y_new, "recall>=0.8")
    alert, truth = moved.predict(X_new) == "positive", (y_new == "positive").to_numpy()
    hits = int((alert & truth).sum())
    low = binomtest(hits, int(truth.sum()), alternative="greater").proportion_ci(0.9).low
    assert low >= 0.8 and "recall >= 0.8 holds" in moved.record["certificate"]
    assert moved.record["history"][0]["metrics"] == model.record["metrics"]
    ranks = [m.predict_proba(X_new)[:, 1].argsort().argsort() for m in (model, moved)]
    assert np.corrcoef(*ranks)[0, 1] > 0.999
    again = decide_anew(moved, X_new, y_new, "alerts<=0.2")
    assert len(again.record["history"]) == 2
    save_model(again, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops")
    assert (loaded.predict(X_new) == again.predict(X_new)).all()
    assert loaded.evaluate(X_new, y_new).promises[0].what == "alerts"


def test_findings_are_plain_values_and_a_table():
    X, y, X_new, y_new = halves("yeast3")
    result = fit_model(X, y, method="threshold", n_splits=2).evaluate(X_new, y_new, by="Mcg")
    frame, plain = result.to_frame(), result.to_dict()
    assert list(frame) == ["value", "low", "high", "expected", "differs"] and len(frame) == 11
    assert plain["scores"]["mcc"]["now"]["value"] == frame.loc["mcc", "value"]
    assert plain["sentences"] == result.sentences and plain["holds"] is None
    assert len(plain["cuts"]) == 10 and "curve" not in plain
    assert set(SHARES) <= set(frame.index) and "<table>" in result._repr_html_()


def test_what_would_have_no_effect_is_refused():
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, method="ncs", n_splits=2)
    for options in ({"by": "Mcg"}, {"promise": "recall>=0.8"}, {"cost_fn": 5}):
        with pytest.raises(ValueError, match="needs labels: y must be given"):
            model.evaluate(X_new, **options)
    note = model.evaluate(X_new, y_new, cost_fn=5).notes[-1]
    missed = ((model.predict(X_new) != y_new) & (y_new == "positive")).mean()
    false = ((model.predict(X_new) != y_new) & (y_new != "positive")).mean()
    assert f"The mean cost per row is {5 * missed + false:.3g} (" in note


def test_a_model_without_probabilities_is_ranked_by_its_scores():
    X, y, X_new, y_new = halves("yeast3")
    model = fit_model(X, y, classifier="svm", method="cs", n_splits=2)
    result = model.evaluate(X_new, y_new)
    assert result.calibration is None and "brier" not in result.scores
    assert result.scores["roc_auc"].now.value > 0.9 and len(result.cuts) == 10
    assert cut_rows(result)[1][0][1].startswith("score ≥ ")


def test_what_a_chosen_model_was_expected_to_score_is_compared():
    X, y, X_new, y_new = halves("yeast3")
    model = choose_model(X, y, candidates=["lr", "nb"], n_splits=3)
    expected = model.evaluate(X_new, y_new).scores["mcc"].expected
    assert expected.value == model.record["metrics"]["mcc"]
    assert [expected.low, expected.high] == model.record["metric_intervals"]["mcc"]
