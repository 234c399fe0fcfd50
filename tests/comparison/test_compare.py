import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from icost.comparison import DEFAULT_STRATEGIES, compare
from icost.comparison.fold_run import check_strategies, with_classifiers
from icost.comparison.sample import sample_rows
from icost.datasets import load_dataset
from icost.metrics import classification_scores

pytest.importorskip("imblearn")


@pytest.fixture(scope="module")
def glass():
    return load_dataset("glass2", return_X_y=True)


@pytest.fixture(scope="module")
def found(glass):
    return compare(*glass, n_repeats=1, n_splits=4)


def test_all_strategies_with_all_metrics(found):
    assert [row["name"] for row in found.strategies] == list(DEFAULT_STRATEGIES)
    for row in found.strategies:
        assert {"mcc", "f1", "g_mean", "roc_auc", "pr_auc", "brier"} <= set(row["scores"])
        assert set(row["recall"]) == {"border", "outlier"}
        for score in row["scores"].values():
            assert score["low"] <= score["mean"] <= score["high"]


def test_it_is_json(found):
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_all_pairs_are_there_with_intervals_that_hold_together(found):
    names = [row["name"] for row in found.strategies]
    pairs = {(d["baseline"], d["strategy"]): d for d in found.pairs}
    assert list(pairs) == list(combinations(names, 2))
    pair = pairs["ncs", "cs"]
    # Four folds leave three degrees of freedom; the error is the same for both levels.
    quantile = stats.t.ppf(1 - 0.025 / len(pairs), 3)
    assert pair["n_together"] == len(pairs)
    assert pair["high"] - pair["mean"] == pytest.approx(quantile * pair["error"])
    alone = stats.t.ppf(0.975, 3) * pair["error"]
    assert pair["alone"]["low"] == pytest.approx(pair["mean"] - alone)
    assert f"hold together, for all {len(pairs)} pairs" in found.notes[-1]


def test_every_strategy_is_told_beside_the_recommended_one_and_beside_plain(found):
    chosen = found.recommendation["strategy"]
    label = {row["name"]: row["label"] for row in found.strategies}
    others = [name for name in label if name not in ("ncs", chosen)]
    for baseline in {"ncs", chosen}:
        said = " ".join(text for text in found.verdict if label[baseline] in text)
        assert all(label[name] in said for name in others)
    # Grouped: one sentence for each verdict, not one for each strategy.
    assert len(found.verdict) < len(label) + 2


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
    other = y.map({"positive": 0, "negative": 1})
    assert compare(X, y, **options) == compare(X, other, **options)


def test_a_threshold_set_by_costs_beats_a_plain_fit_on_cost(glass):
    found = compare(*glass, cost_fn=50, n_repeats=1, strategies=["ncs", "threshold-cost"])
    cost = {row["name"]: row["scores"]["cost"]["mean"] for row in found.strategies}
    assert cost["threshold-cost"] < cost["ncs"]
    assert found.recommendation["strategy"] == "threshold-cost"


def test_strategies_that_cannot_be_compared_are_refused_before_any_fit(glass):
    def unexpected(done, total):
        raise AssertionError("a fold was run")

    with pytest.raises(ValueError, match="'threshold-cost' needs cost_fn, got none"):
        compare(*glass, strategies=["ncs", "threshold-cost"], progress=unexpected)
    with pytest.raises(ValueError, match="can be recommended, got 'gini-mean' for 2 classes"):
        compare(*glass, strategies=["gini-mean"], progress=unexpected)


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
    assert check_strategies(["blend", "ensemble-10"], 2, has_costs=False) == (
        ["blend", "ensemble-10"],
        [],
    )


def test_two_rows_of_a_class_leave_nothing_to_hold_out():
    y = np.repeat([0, 1], [30, 2])
    X = np.random.default_rng(0).normal(size=(32, 2)) + y[:, None]
    found = compare(X, y, cost_fn=3, n_repeats=1)
    names = [row["name"] for row in found.strategies]
    assert "smote" in names
    assert not {"threshold", "threshold-cost", "ensemble"} & set(names)
    assert any(note.startswith("Thresholds and the ensemble are left out") for note in found.notes)


def test_without_imbalanced_learn_the_rest_is_compared(monkeypatch):
    monkeypatch.setitem(compare.__globals__, "find_spec", lambda name: None)
    y = np.repeat([0, 1], [30, 6])
    X = np.random.default_rng(0).normal(size=(36, 2)) + y[:, None]
    found = compare(X, y, n_repeats=1, n_splits=2)
    wanted = [name for name in DEFAULT_STRATEGIES if name not in ("smote", "ensemble")]
    assert [row["name"] for row in found.strategies] == wanted
    assert found.notes[0].startswith("SMOTE and the ensemble are left out")


def test_progress_counts_folds(glass):
    seen = []
    options = {"n_repeats": 1, "n_splits": 3, "strategies": ["ncs"]}
    compare(*glass, **options, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_mixed_table_with_gaps_and_a_classifier_without_probabilities():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [60, 15])
    X = pd.DataFrame({"a": rng.normal(size=75) + (y == "yes"), "b": rng.choice(["u", "v"], 75)})
    X.loc[4, "a"] = np.nan
    options = {"strategies": ["ncs", "threshold"], "n_repeats": 1, "n_splits": 3}
    found = compare(X, y, classifier="svm", **options)
    assert "brier" not in found.strategies[0]["scores"] and found.curves == {}
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
    assert len(found.pairs) == 6
    advice = found.recommendation
    assert advice["name"] in rows
    assert advice["name"] == f"{advice['classifier']}:{advice['strategy']}"
    # Each is what it is alone.
    for name in ("lr", "dt"):
        for row in compare(*glass, classifier=name, **options).strategies:
            assert row["scores"] == rows[f"{name}:{row['name']}"]["scores"]


def test_a_strategy_with_its_own_classifier_is_fitted_once():
    names = with_classifiers(["ncs", "blend", "threshold-cost"], ["lr", "rf"])
    assert names == ["lr:ncs", "lr:threshold-cost", "rf:ncs", "rf:threshold-cost", "blend"]
    assert with_classifiers(["ncs", "blend"], ["rf"]) == ["ncs", "blend"]


def test_classifiers_are_checked_before_any_fit(glass):
    with pytest.raises(ValueError, match="at least one classifier, got none"):
        compare(*glass, classifier=[])
    with pytest.raises(ValueError, match="forrest"):
        compare(*glass, classifier=["lr", "forrest"], progress=lambda done, total: 1 / 0)


def test_the_ensemble_heeds_groups_and_costs():
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
