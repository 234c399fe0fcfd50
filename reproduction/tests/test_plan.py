"""Plans: shipped ones load, user-written ones are checked with one sentence."""

from pathlib import Path

import pandas as pd
import pytest

from icost_reproduction.plan import PROFILES, is_file, list_plans, load_plan

RESULTS = Path(__file__).parents[2] / "results"
KEYS = ["dataset", "classifier", "strategy"]
MINE = {"name": "mine", "datasets": ["glass2"], "strategies": ["cs"], "classifiers": ["lr"]}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", list_plans())
def test_shipped_plans_load_under_every_profile(name, profile):
    plan = load_plan(name, profile)
    assert plan.profile == profile
    sizes = {"multiclass": 10, "multiclass-honest": 10, "confirmation": 28}
    assert len(plan.datasets) == sizes.get(name, 65)
    assert plan.classifiers == ("lr", "svm", "dt", "rf", "xgb")


def test_published_protocols_are_those_of_the_numbers():
    default, tuning = load_plan("default", "published"), load_plan("tuning", "published")
    assert (default.protocol.n_splits, default.protocol.n_repeats) == (5, 3)
    assert (default.protocol.scaler, default.protocol.seed) == ("minmax", 50)
    assert tuning.protocol.n_repeats == 1
    assert "grid-neighbor" in tuning.strategies
    assert load_plan("resampling", "published").protocol.scaler == "standard"
    assert load_plan("default", "paper-text").protocol.n_repeats == 10
    assert load_plan("multiclass").used_for("Dry_Bean_Dataset", "lr") == "lr-liblinear"


def test_a_strategy_can_be_replaced_on_one_dataset():
    entry = {"datasets": ["glass2"], "strategy": "grid-gini", "use": "grid-gini-9"}
    plan = load_plan(MINE | {"strategies": ["cs", "grid-gini"], "exceptions": [entry]})
    assert plan.used_for("glass2", "grid-gini") == "grid-gini-9"
    assert plan.used_for("glass2", "cs") == "cs"
    assert plan.used_for("ecoli3", "grid-gini") == "grid-gini"


@pytest.mark.parametrize("profile", ["published", "paper-text"])
def test_the_shipped_plan_has_the_exceptions_of_the_rows_on_record(profile):
    rows = pd.read_parquet(RESULTS / "multiclass-published-sk18" / "rows" / "all.parquet")
    rows = pd.concat(
        [rows, pd.read_parquet(RESULTS / "multiclass-published" / "rows" / "all.parquet")]
    ).astype({"note": object})
    plan = load_plan("multiclass", profile)
    for (dataset, c, strategy), notes in rows.groupby(KEYS, observed=True)["note"]:
        used = (plan.used_for(dataset, c), plan.used_for(dataset, strategy, c))
        expected = [
            f"as {use}" for name, use in zip((c, strategy), used, strict=True) if name != use
        ]
        found = [part for part in str(notes.iloc[0]).split("; ") if part.startswith("as ")]
        assert found == expected, (dataset, c, strategy)


def test_a_strategy_can_be_replaced_with_some_classifiers():
    entry = {"datasets": ["glass2"], "strategy": "cs", "use": "ncs", "classifiers": ["dt"]}
    plan = load_plan(MINE | {"exceptions": [entry]})
    assert plan.used_for("glass2", "cs", "dt") == "ncs"
    assert plan.used_for("glass2", "cs", "lr") == plan.used_for("glass2", "cs") == "cs"
    with pytest.raises(ValueError, match="a classifier must be one of .* got 'knn'"):
        load_plan(MINE | {"exceptions": [entry | {"classifiers": ["knn"]}]})


def test_honest_tuning_is_nested():
    assert not any(name.startswith("grid-") for name in load_plan("tuning", "honest").strategies)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"datasets": ["glas2"]}, "glas2"),
        ({"strategies": ["smot"]}, "a strategy must be one of .* got 'smot'"),
        ({"classifiers": ["knn"]}, "a classifier must be one of .* got 'knn'"),
        ({"classifiers": "lr"}, "classifiers must be a list of names, got 'lr'"),
        ({"strategies": ["cs", "cs"]}, "strategies must name each entry once, got 'cs' twice"),
        ({"folds": 3}, "an entry of a plan must be one of .* got 'folds'"),
        ({"protocol": {"n_folds": 3}}, "an entry of the protocol must be one of .* got 'n_folds'"),
        ({"protocol": {"n_splits": 1}}, "n_splits must be a whole number >= 2, got 1"),
        ({"protocol": {"scaler": "robust"}}, "scaler must be one of .* got 'robust'"),
        ({"exceptions": [{"classifier": "lr"}]}, "an exception must have the entry 'datasets'"),
        ({"exceptions": [{"datasets": ["glass2"], "use": "lr"}]}, "'classifier' and 'strategy'"),
        (
            {"exceptions": [{"datasets": ["glass2"], "strategy": "cs", "use": "smot"}]},
            "a strategy must be one of .* got 'smot'",
        ),
        ({"kind": "multiclass", "strategies": ["threshold"]}, "for two classes only"),
    ],
)
def test_errors_are_one_sentence(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        load_plan(MINE | change)
    assert "\n" not in str(caught.value)


def test_an_entry_that_is_missing():
    with pytest.raises(ValueError, match="must have the entry 'classifiers'"):
        load_plan({"name": "mine", "datasets": ["glass2"], "strategies": ["cs"]})


def test_files_and_bad_toml(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ndatasets = ["a.csv"]\nstrategies = ["cs"]\nclassifiers = ["lr"]'
    )
    assert load_plan(path).datasets == ("a.csv",)
    path.write_text("name = ")
    with pytest.raises(ValueError, match="is not valid TOML"):
        load_plan(path)
    with pytest.raises(ValueError, match="must be a TOML file or one of .* got 'defualt'"):
        load_plan("defualt")


def test_what_looks_like_a_file_is_one():
    assert [is_file(name) for name in ("glass2", "tables/mine.csv", "mine.csv")] == [0, 1, 1]


def test_quick_is_small():
    plan = load_plan("tuning", "published").quick()
    assert len(plan.datasets) <= 5
    assert list(plan.folds()) == [0, 1]
