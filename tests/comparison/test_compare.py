import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost.comparison import compare
from icost.comparison._compare import DEFAULT_STRATEGIES
from icost.comparison._fold_run import check_strategies, with_classifiers
from icost.comparison._sample import sample_rows
from icost.datasets import load_dataset
from icost.metrics import classification_scores
from icost.modelfile import fit_model
from icost.strategies import get_strategy

pytest.importorskip("imblearn")


@pytest.fixture(scope="module")
def glass():
    return load_dataset("glass2", return_X_y=True)


@pytest.fixture(scope="module")
def found(glass):
    return compare(*glass, classifier="lr", n_repeats=1, n_splits=4)


def test_all_strategies_with_all_metrics(found):
    assert [row["name"] for row in found.strategies] == [
        name for name in DEFAULT_STRATEGIES if name != "offsets"
    ]
    for row in found.strategies:
        assert {"mcc", "f1", "g_mean", "roc_auc", "pr_auc", "brier"} <= set(row["scores"])
        assert set(row["recall"]) == {"border", "outlier"}
        for score in row["scores"].values():
            assert score["low"] <= score["mean"] <= score["high"]


def test_it_is_json(found):
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_every_strategy_is_compared_with_the_recommended_one_and_with_plain(found):
    chosen = found.recommendation["name"]
    names = [row["name"] for row in found.strategies]
    pairs = [(d["strategy"], d["baseline"]) for d in found.differences]
    assert pairs[0] == (chosen, "ncs") if chosen != "ncs" else pairs[0][1] == "ncs"
    for baseline in {"ncs", chosen}:
        compared = {frozenset(pair) for pair in pairs if baseline in pair}
        assert {frozenset((n, baseline)) for n in names if n != baseline} <= compared
    for one in found.differences:
        assert one["low"] <= one["mean"] <= one["high"] and one["error"] > 0
        assert one["sentence"].endswith(f"({one['low']:.2f} to {one['high']:.2f}).") or (
            one["mean"] < 0 and one["sentence"].endswith(f"{-one['low']:.2f}).")
        )


def test_the_verdict_says_use_how_sure_and_why(found):
    use, sure, why = found.verdict[:3]
    assert use == found.recommendation["sentence"] and use.startswith("Use ")
    assert sure == found.recommendation["expectation"] and sure.startswith("How sure? Weak: 17 ")
    assert "On new rows expect MCC" in sure and "lead to the same choice" in sure
    assert why.startswith("Why? It ")
    assert found.space == "5 neighbours, standardised columns"


def test_a_ratio_of_costs_is_that_of_two_confusion_matrices():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [900, 100])
    X = rng.normal(size=(1000, 2)) + 1.2 * y[:, None]
    found = compare(X, y, strategies=["ncs", "threshold", "cs"], n_repeats=1)
    rows = {row["name"]: row["scores"] for row in found.strategies}
    recall, rejected = (
        {name: scores[metric]["mean"] for name, scores in rows.items()}
        for metric in ("sensitivity", "specificity")
    )
    chosen = found.recommendation["name"]
    (line,) = (text for text in found.verdict if text.startswith("If a miss "))
    ratios = {
        name: 9 * (rejected[chosen] - rejected[name]) / (recall[name] - recall[chosen])
        for name in rows
        if recall[name] > recall[chosen]
    }
    name = min(ratios, key=ratios.get)
    number = f"{ratios[name]:.1f}" if ratios[name] < 3 else f"{ratios[name]:.0f}"
    assert line.startswith(f"If a miss costs more than {number} false alarms, use ")
    assert line.endswith(f"it finds {100 * recall[name]:.0f} of 100.")


def test_scores_equal_those_of_a_plain_loop(glass):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.preprocessing import StandardScaler

    X, y = glass[0].to_numpy(), (glass[1] == "positive").to_numpy().astype(int)
    scores = []
    for train, test in RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=3).split(X, y):
        scaler = StandardScaler().fit(X[train])
        weight = np.where(y[train] == 1, (y[train] == 0).sum() / (y[train] == 1).sum(), 1)
        model = LogisticRegression(max_iter=1000)
        model.fit(scaler.transform(X[train]), y[train], sample_weight=weight)
        predicted = model.predict(scaler.transform(X[test]))
        scores.append(classification_scores(y[test], predicted, minority_label=1)["mcc"])
    options = {"n_splits": 4, "n_repeats": 2, "random_state": 3, "strategies": ["cs"]}
    (row,) = compare(*glass, **options).strategies
    assert row["scores"]["mcc"]["mean"] == pytest.approx(np.mean(scores))


def test_labels_of_any_kind_give_the_same_numbers(glass):
    X, y = glass
    options = {"strategies": ["cs", "gini"], "n_repeats": 1, "n_splits": 3}
    numbers, signs = y.map({"positive": 1, "negative": 0}), y.map({"positive": 1, "negative": -1})
    expected = compare(X, y, **options)
    assert compare(X, numbers, **options) == compare(X, signs, **options) == expected
    # Models see labels in their order: with the minority first, only the last bits may differ.
    first = compare(X, y.map({"positive": 0, "negative": 1}), **options)
    for one, other in zip(first.strategies, expected.strategies, strict=True):
        assert one["scores"]["mcc"] == pytest.approx(other["scores"]["mcc"])
    assert first.verdict == expected.verdict and first.selection == pytest.approx(
        expected.selection
    )
    for one, other in zip(first.differences, expected.differences, strict=True):
        assert [one[end] for end in ("low", "high")] == pytest.approx(
            [other[end] for end in ("low", "high")]
        )


@pytest.fixture(scope="module")
def loans():
    X, y = make_classification(300, weights=[0.8], flip_y=0.1, random_state=3)
    amounts = np.random.default_rng(0).lognormal(3, 1, 300)
    columns = {f"x{number}": values for number, values in enumerate(X.T[:4])}
    return pd.DataFrame({**columns, "amount": amounts}), y


def test_costs_of_rows_rank_strategies_by_money(loans):
    X, y = loans
    names = ["ncs", "threshold-cost", "ensemble"]
    options = {"strategies": names, "cost_fp": 5.0, "n_splits": 3, "n_repeats": 1}
    by_column = compare(X, y, cost_fn="amount", **options)
    by_array = compare(X, y, cost_fn=X["amount"].to_numpy(), **options)
    assert "cost_fn='amount', cost_fp=5.0)" in by_column.verdict[-1]
    assert by_array == replace(by_column, verdict=by_array.verdict)
    cost = {row["name"]: row["scores"]["cost"]["mean"] for row in by_column.strategies}
    # The plain fit, by hand.
    expected = []
    for train, test in RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0).split(X, y):
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=0))
        predicted = model.fit(X.iloc[train], y[train]).predict(X.iloc[test])
        missed, false = (y[test] == 1) & (predicted == 0), (y[test] == 0) & (predicted == 1)
        expected.append((X["amount"].iloc[test] * missed + 5.0 * false).mean())
    assert cost["ncs"] == pytest.approx(np.mean(expected))
    assert cost["threshold-cost"] < cost["ncs"] and cost["ensemble"] < cost["ncs"]
    assert by_column.recommendation["strategy"] in ("threshold-cost", "ensemble")
    assert by_column.selection["raw"] == pytest.approx(cost[by_column.selection["name"]])


def test_equal_costs_of_rows_are_one_cost_and_rows_are_drawn_with_theirs(loans):
    X, y = loans
    options = {"strategies": ["ncs", "threshold-cost"], "n_splits": 3, "n_repeats": 1}
    one, alike = (compare(X, y, cost_fn=c, **options) for c in (8.0, np.full(len(y), 8.0)))
    assert one.strategies == alike.strategies and one.selection == alike.selection
    costs = X["amount"].to_numpy()
    kept = sample_rows(y, 150, 0)
    part = compare(X, y, cost_fn=costs, max_rows=150, **options)
    alone = compare(X.iloc[kept], y[kept], cost_fn=costs[kept], **options)
    assert part.strategies == alone.strategies


@pytest.mark.parametrize(
    ("costs", "match"),
    [
        ("amont", r"a column of numbers in the table, got 'amont': did you mean 'amount'\?"),
        (np.ones(7), r"cost_fn must have one cost for each of the 300 rows, got .* shape \(7,\)"),
        (-np.ones(300), "cost_fn must be finite and not negative, got -1.0 in row 1"),
        (np.full(300, np.nan), "cost_fn must be finite and not negative, got nan in row 1"),
    ],
)
def test_wrong_costs_of_rows(loans, costs, match):
    with pytest.raises(ValueError, match=match):
        compare(*loans, cost_fn=costs, strategies=["ncs"])


def test_cuts_of_the_recommended_strategy(glass):
    X, y = glass
    found = compare(X, y, strategies=["ncs", "threshold"], n_repeats=1)
    decision = found.decision
    assert len(decision["cuts"]) == len(decision["sentences"]) == 10
    assert decision["sentences"][-1].startswith("To find 100 of 100 (P ≥ ")
    curve = decision["curve"]
    # As the strategy decided, with a threshold per fold: 17 of 214 rows are of the minority.
    found_rows, false_alarms, alerts = decision["chosen"]
    assert 0 < found_rows < 100
    assert 17 * found_rows + 197 * false_alarms == pytest.approx(21.4 * alerts)
    assert curve["recall"][0] == 0 and curve["recall"][-1] == 100 and curve["alerts"][-1] == 1000
    assert all(np.diff(curve["recall"]) >= 0) and all(np.diff(curve["false_alarms"]) >= 0)
    assert np.all(np.array(curve["recall_low"]) <= curve["recall"])
    assert np.all(np.array(curve["recall_high"]) >= curve["recall"])


def test_a_threshold_set_by_costs_beats_a_plain_fit_on_cost(glass):
    found = compare(*glass, cost_fn=50, n_repeats=1, strategies=["ncs", "threshold-cost"])
    cost = {row["name"]: row["scores"]["cost"]["mean"] for row in found.strategies}
    assert cost["threshold-cost"] < cost["ncs"]
    assert found.recommendation["strategy"] == "threshold-cost"


def test_strategies_that_cannot_be_compared_are_refused_before_any_fit(glass):
    def unexpected(done, total):
        raise AssertionError("a fold was run")

    with pytest.raises(ValueError, match="'threshold-cost' needs cost_fn"):
        compare(*glass, strategies=["ncs", "threshold-cost"], watch=unexpected)
    control = replace(get_strategy("gini"), name="gini-mean", is_control=True)
    with pytest.raises(ValueError, match="can be recommended, got 'gini-mean' for 2 classes"):
        compare(*glass, strategies=[control], watch=unexpected)


def test_more_classes(glass):
    X, y = load_dataset("new-thyroid", return_X_y=True)
    found = compare(X, y, strategies=["ncs", "cs", "threshold"], n_repeats=1, n_splits=3)
    assert [row["name"] for row in found.strategies] == ["ncs", "cs"]
    assert "threshold is for two classes" in found.notes[0]
    assert found.curves == {}
    with pytest.raises(ValueError, match="two classes, got 3"):
        compare(X, y, cost_fn=3)


def test_the_ensemble_is_compared_by_default_and_the_blend_by_name():
    assert "ensemble" in DEFAULT_STRATEGIES and "blend" not in DEFAULT_STRATEGIES
    assert check_strategies([get_strategy("blend")], 2, has_costs=False)[1] == []


def test_several_classes_are_compared_with_offsets():
    X, y = load_dataset("new-thyroid", return_X_y=True)
    found = compare(X, y, classifier="lr", n_repeats=1, n_splits=2)
    names = [row["name"] for row in found.strategies]
    assert "offsets" in names and "threshold" not in names


def test_two_rows_of_a_class_leave_nothing_to_hold_out():
    y = np.repeat([0, 1], [30, 2])
    X = np.random.default_rng(0).normal(size=(32, 2)) + y[:, None]
    found = compare(X, y, classifier="lr", cost_fn=3, n_repeats=1)
    names = [row["name"] for row in found.strategies]
    assert "smote" in names
    assert not {"threshold", "threshold-cost", "ensemble"} & set(names)
    assert any(note.startswith("Thresholds and the ensemble are left out") for note in found.notes)


def test_progress_counts_folds(glass):
    seen = []
    options = {"n_repeats": 1, "n_splits": 3, "strategies": ["ncs"]}
    compare(*glass, **options, watch=lambda state: seen.append((state.done, state.total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_mixed_table_with_gaps_and_a_classifier_without_probabilities():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [60, 15])
    X = pd.DataFrame({"a": rng.normal(size=75) + (y == "yes"), "b": rng.choice(["u", "v"], 75)})
    X.loc[4, "a"] = np.nan
    options = {"strategies": ["ncs", "threshold"], "n_repeats": 1, "n_splits": 3}
    found = compare(X, y, classifier="svm", **options)
    # The plain SVM has no probabilities, the calibrated threshold has.
    assert "brier" not in found.strategies[0]["scores"] and set(found.curves) == {"threshold"}
    assert "roc_auc" in found.strategies[0]["scores"]


def test_classifiers_and_strategies_in_one_ranking(glass):
    options = {"strategies": ["ncs", "cs"], "n_splits": 3, "n_repeats": 1}
    found = compare(*glass, classifier=["lr", "dt", "lr"], **options)
    rows = {row["name"]: row for row in found.strategies}
    assert set(rows) == {"lr:ncs", "lr:cs", "dt:ncs", "dt:cs"} == set(found.seconds)
    assert found.classifier == "lr, dt" and rows["dt:cs"]["label"] == "CS (DT)"
    assert (rows["dt:cs"]["classifier"], rows["dt:cs"]["strategy"]) == ("dt", "cs")
    means = [row["scores"]["mcc"]["mean"] for row in found.strategies]
    assert means == sorted(means, reverse=True)
    assert all(seconds > 0 for seconds in found.seconds.values())
    advice = found.recommendation
    assert advice["name"] in rows
    assert advice["name"] == f"{advice['classifier']}:{advice['strategy']}"
    # Each is what it is alone.
    for name in ("lr", "dt"):
        for row in compare(*glass, classifier=name, **options).strategies:
            assert row["scores"] == rows[f"{name}:{row['name']}"]["scores"]


def test_a_strategy_with_its_own_classifier_is_fitted_once():
    strategies = [get_strategy(name) for name in ("ncs", "blend", "threshold-cost")]
    names = list(with_classifiers(strategies, ["lr", "rf"]))
    assert names == ["lr:ncs", "lr:threshold-cost", "rf:ncs", "rf:threshold-cost", "blend"]
    assert list(with_classifiers(strategies[:2], ["rf"])) == ["ncs", "blend"]


def test_classifiers_are_checked_before_any_fit(glass):
    with pytest.raises(ValueError, match="at least one classifier, got none"):
        compare(*glass, classifier=[])
    with pytest.raises(ValueError, match="forrest"):
        compare(*glass, classifier=["lr", "forrest"], watch=lambda state: 1 / 0)


def test_the_ensemble_supports_groups_and_costs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [80, 20])
    X = rng.normal(size=(100, 2)) + y[:, None]
    options = {"strategies": ["ncs", "ensemble"], "n_splits": 2, "n_repeats": 1}
    cheap, dear = (
        compare(X, y, cost_fn=cost, groups=np.arange(100) // 2, **options) for cost in (0.2, 30)
    )
    rows = [found.strategies[1] for found in (cheap, dear)]
    # What a miss costs decides how many rows are called minority.
    assert rows[0]["scores"]["sensitivity"]["mean"] < rows[1]["scores"]["sensitivity"]["mean"]


def test_a_part_of_the_rows(glass):
    X, y = glass
    few = {"strategies": ["ncs", "cs"], "n_splits": 3, "n_repeats": 1}
    found = compare(X, y, max_rows=150, **few)
    assert (found.n_rows, found.n_rows_of_table) == (150, len(y))
    assert found.how == f"3 stratified folds, of 150 of {len(y)} rows"
    assert found.seconds_for_all > 0
    assert found == compare(X, y, max_rows=150, **few)
    kept = sample_rows((y == pd.Series(y).value_counts().index[-1]).astype(int), 150)
    by_hand = compare(pd.DataFrame(X).iloc[kept], np.asarray(y)[kept], **few)
    assert found.strategies == by_hand.strategies


def test_all_rows_by_default(glass):
    found = compare(*glass, strategies=["ncs"], n_splits=2, n_repeats=1)
    assert found.n_rows == found.n_rows_of_table == len(glass[1])
    assert found.seconds_for_all is None and "rows" not in found.how


def test_a_part_of_the_rows_keeps_groups_and_times(glass):
    X, y = glass
    few = {"strategies": ["ncs"], "n_splits": 3, "n_repeats": 1, "max_rows": 150}
    groups = np.arange(len(y)) % 20
    assert compare(X, y, groups=groups, **few).n_rows == 150
    assert "order of time" in compare(X, y, time=np.arange(len(y)) * 7 % 11, **few).how


def test_strategies_have_different_names(glass):
    twice = [replace(get_strategy(name), name="mine") for name in ("cs", "smote")]
    with pytest.raises(ValueError, match="different names, got 'mine' more than once"):
        compare(*glass, strategies=["ncs", *twice], n_repeats=1)


def test_categories_are_of_rows_of_the_table():
    y = np.repeat([0, 1], [900, 100])
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(1000, 2)) + y[:, None])
    weight = (np.arange(1000) % 2).astype(float)
    result = compare(
        X, y, strategies=["ncs"], n_repeats=1, n_splits=2, max_rows=200, sample_weight=weight
    )
    rows = result.categories.indices
    assert (y[rows] == 1).all() and (rows % 2 == 1).all() and len(rows) == 20


def test_what_is_odd_is_odd_about_rows_that_are_present(glass):
    X, y = (pd.concat([part, part[:40]], ignore_index=True) for part in glass)
    weight = (np.arange(len(X)) < len(glass[0])).astype(float)
    advice = [
        " ".join(compare(X, y, strategies=["cs", "ncs"], n_repeats=1, sample_weight=w).verdict)
        for w in (None, weight)
    ]
    assert "duplicate" in advice[0] and advice[0] != advice[1]
    assert "41 duplicate" in advice[0] and "41 duplicate" not in advice[1]


def test_the_line_that_keeps_a_model_has_all_that_matters_for_it():
    X, y = load_dataset("new-thyroid1", return_X_y=True)
    options = {"strategies": ["ncs", "threshold-cost"], "cost_fn": 20, "scaler": "minmax"}
    comparison = compare(X, y, n_splits=3, n_repeats=1, random_state=7, **options)
    line = comparison.verdict[-1]
    assert line.endswith("scaler='minmax', random_state=7, cost_fn=20)")
    call = line.removeprefix("Keep it: icost.modelfile.")
    model = eval(call, {"fit_model": fit_model, "X": X, "y": y})
    assert model.record["method"] == "threshold-cost" and model.record["seed"] == 7


def test_a_strategy_of_a_user_is_kept_by_the_estimator(glass):
    mine = replace(get_strategy("cs"), name="mine")
    comparison = compare(*glass, strategies=["ncs", mine], n_repeats=1)
    assert comparison.recommendation["strategy"] == "mine"
    assert comparison.verdict[-1] == "Keep it: fit what its build returns to all rows"


def test_groups_that_a_threshold_ignores_are_named():
    rng, y = np.random.default_rng(0), np.repeat([0, 1], [60, 20])
    groups = np.r_[np.arange(60) // 6, np.repeat([10, 11], 10)]  # each fold has one of the minority
    X = rng.normal(size=(80, 2)) + y[:, None]
    options = {"n_splits": 2, "n_repeats": 1, "groups": groups}
    comparison = compare(X, y, strategies=["ncs", "threshold"], **options)
    assert any("groups ignored" in note and "threshold" in note for note in comparison.notes)


def test_a_time_limit_is_not_said_to_have_run_all_repeats(glass):
    comparison = compare(*glass, classifier="lr", strategies=["ncs", "cs"], time_limit=1e-9)
    assert comparison.how == "5 stratified folds" and comparison.n_fits == 5
