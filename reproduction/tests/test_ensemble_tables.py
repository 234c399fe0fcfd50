"""Tables on the ensemble, from a small run on three of the paper's sets."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from icost.datasets import list_datasets
from icost_reproduction.ensemble_tables import ENSEMBLE_TABLES, SINGLE
from icost_reproduction.evaluation import Results, dataset_means
from icost_reproduction.figures import study_figures
from icost_reproduction.plan import load_plan
from icost_reproduction.rank_tests import source_of
from icost_reproduction.rows import OWN_CLASSIFIER, RowStore, write_shard
from icost_reproduction.runner import run_plan
from icost_reproduction.strategies import STRATEGIES

NAMES = {
    study: [name for name, (needed, _) in ENSEMBLE_TABLES.items() if needed == study]
    for study in ("ensemble", "confirmation")
}
# The last one could not be had: too few minority rows.
NESTED = [
    *(("glass2", "lr", 0, 0.5), ("glass2", "lr", 1, 0.3), ("ecoli3", "lr", 0, 0.6)),
    *(("glass2", "dt", 0, 0.2), ("ecoli3", "dt", 0, "")),
]
PEER = "dataset,repeat,fold,tn,fp,fn,tp,roc_auc,pr_auc,brier,log_loss,fit_time"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    found = Results(tmp_path_factory.mktemp("results"), "honest")
    # The sets for confirmation are left alone by tests: whoever tries things must not see them.
    plan = replace(load_plan("confirmation"), kind="binary").select(
        datasets=["new-thyroid1", "ecoli3", "glass2"],
        strategies=[
            *("ncs", "cs", "threshold", "smote", "neighbor", "gini", "neighbor-mean", "gini-mean"),
            *("ensemble", "ensemble-plain", "calibrated", "balanced-rf"),
        ],
        classifiers=["lr", "dt"],
        n_repeats=1,
    )
    rows = run_plan(replace(plan, n_folds=2), found.study_folder("confirmation"))
    assert rows["error"].isna().all()
    # A blend takes minutes; to the tables, it is whatever stands under its name.
    blend = rows[(rows["strategy"] == "ensemble") & (rows["classifier"] == "dt")]
    rows = pd.concat(
        [rows, blend.assign(strategy="blend", classifier=OWN_CLASSIFIER)], ignore_index=True
    )
    for study in ("ensemble", "confirmation"):
        store = RowStore(found.study_folder(study))
        store.folder.mkdir(parents=True, exist_ok=True)
        write_shard(rows, store.folder / "all.parquet")
        (found.study_folder(study) / "peers").mkdir()
        lines = [f"{d},{c},0,{fold},{value}" for d, c, fold, value in NESTED]
        path = found.study_folder(study) / "peers" / "nested.csv"
        path.write_text("\n".join(["dataset,classifier,repeat,fold,nested", *lines]))
    return found


def make(results, name):
    return ENSEMBLE_TABLES[name][1](results)


def number(cell):
    return float(cell.ours.split()[0])


@pytest.mark.parametrize("name", ENSEMBLE_TABLES)
def test_a_table_has_a_line_for_each_model(results, name):
    table = make(results, name)
    assert table.name == name
    assert len(table.rows) >= 2
    assert all(len(cells) == len(table.columns) - 1 for _, cells in table.rows)


def test_both_studies_have_the_same_tables(results):
    extra = {"confirmation-controls", "confirmation-controls-by-source"}
    shared = {*NAMES["confirmation"]} - extra
    assert {name.replace("confirmation", "ensemble") for name in shared} == {*NAMES["ensemble"]}
    assert make(results, "ensemble-gains").rows == make(results, "confirmation-gains").rows


def test_rows_hold_what_the_model_said_of_itself(results):
    rows = results.rows("ensemble")
    is_own = rows["strategy"].isin(["ensemble", "ensemble-plain", "blend"])
    assert rows.loc[is_own, ["oof_mcc", "oof_brier", "log_loss"]].notna().all(axis=None)
    assert rows.loc[~is_own, "oof_mcc"].isna().all()
    assert (rows["cpu_time"] > 0).all()


def test_gains_are_over_the_best_single_baseline(results):
    gains = dict(make(results, "ensemble-gains").rows)
    means = 100 * dataset_means(results.rows("ensemble"))
    best = {c: means.loc[c, list(SINGLE)].mean() for c in ("lr", "dt")}
    for c, label in {"lr": "LR", "dt": "DT"}.items():
        gain = means.loc[c, "ensemble"].mean() - best[c].max()
        assert number(gains[f"Ensemble of {label}"][1]) == pytest.approx(gain, abs=0.006)
        rival = STRATEGIES[best[c].idxmax()].label
        assert gains[f"Ensemble of {label}"][0].ours == rival
    over_all = means.loc[OWN_CLASSIFIER, "blend"].mean() - max(best["lr"].max(), best["dt"].max())
    assert number(gains["Blend"][1]) == pytest.approx(over_all, abs=0.006)


def test_forms_are_told_by_their_mean_over_classifiers(results):
    forms = dict(make(results, "ensemble-forms").rows)
    gains = dict(make(results, "ensemble-gains").rows)
    assert set(forms) == {"Ensemble", "Ensemble of plain members"}
    for form, cells in forms.items():
        expected = [number(gains[f"{form} of {label}"][1]) for label in ("LR", "DT")]
        assert [number(cell) for cell in cells[:2]] == expected
        assert number(cells[2]) == pytest.approx(np.mean(expected), abs=0.011)


def test_the_best_pipeline_of_each_set_is_the_ceiling(results):
    rows = dict(make(results, "ensemble-per-set").rows)
    means = 100 * dataset_means(results.rows("ensemble"))
    by_set = [means.xs(name, level="dataset").loc[["lr", "dt"], list(SINGLE)] for name in
              ("new-thyroid1", "ecoli3", "glass2")]  # fmt: skip
    ceiling = np.mean([scores.to_numpy().max() for scores in by_set])
    assert rows["Best single pipeline of each set"][0].ours == pytest.approx(ceiling)
    behind = means.loc[OWN_CLASSIFIER, "blend"].mean() - ceiling
    assert number(rows["Blend"][1]) == pytest.approx(behind, abs=0.006)


def test_probabilities_are_compared_with_calibrated_ones(results):
    rows = dict(make(results, "ensemble-calibration").rows)
    brier = dataset_means(results.rows("ensemble"), "brier")
    off = (brier.loc["lr", "ensemble"] - brier.loc["lr", "calibrated"]).to_numpy()
    cells = rows["Brier score, Ensemble of LR"]
    assert number(cells[1]) == pytest.approx(off.mean(), abs=6e-5)
    assert cells[4].ours.split("–")[:2] == [str((off < 0).sum()), str((off > 0).sum())]


def test_times_are_multiples_of_the_threshold(results):
    rows = dict(make(results, "ensemble-times").rows)
    assert [cell.ours for cell in rows["Tuned threshold"][:2]] == pytest.approx([1.0, 1.0])
    found = results.rows("ensemble")
    found = found[found["classifier"] == "lr"]
    sums = found.groupby(["strategy", "dataset"])["cpu_time"].median().groupby("strategy").sum()
    assert rows["Ensemble"][0].ours == pytest.approx(sums["ensemble"] / sums["threshold"])
    assert rows["NCS"][0].ours == pytest.approx(sums["ncs"] / sums["threshold"])


def test_rows_without_times_change_no_time(results, tmp_path):
    found = Results(tmp_path, "honest")
    rows = RowStore(results.study_folder("ensemble")).read()
    untimed = rows.assign(repeat=1, fit_time=None, weight_time=None, cpu_time=None)
    store = RowStore(found.study_folder("ensemble"))
    store.folder.mkdir(parents=True)
    write_shard(pd.concat([rows, untimed.astype(rows.dtypes)]), store.folder / "all.parquet")
    whole, part = make(results, "ensemble-times"), make(found, "ensemble-times")
    assert "1 of 2 repeats were timed." in part.note
    assert "were timed" not in whole.note
    assert str(part.rows) == str(whole.rows)


def test_a_search_of_every_setting_is_computed_from_single_fits(results):
    rows = dict(make(results, "ensemble-times").rows)
    label = "GridSearchCV, 81 settings, 406 fits"
    for place in range(2):
        whole, own = rows[label][place].ours, rows["Ensemble"][place].ours
        assert whole == pytest.approx(406 * rows["Neighbor-iCost"][place].ours)
        assert rows["Ensemble, share of GridSearchCV"][place].ours == pytest.approx(own / whole)
    assert rows["Ensemble, share of GridSearchCV"][-1].ours is None


def test_nested_cross_validation_stands_beside_the_own_word(results):
    rows = dict(make(results, "ensemble-nested").rows)
    found = results.rows("ensemble")
    found = found[(found["strategy"] == "ensemble") & (found["classifier"] == "lr")]
    test = found.set_index(["dataset", "fold"])["mcc"]
    glass, ecoli = (test["glass2", 0] + test["glass2", 1]) / 2, test["ecoli3", 0]
    off = 100 * np.array([0.4 - glass, 0.6 - ecoli])
    n_sets, mean, *_, difference, median = rows["Ensemble, LR"]
    assert n_sets.ours == 2 and mean.ours == pytest.approx(50 * (glass + ecoli))
    assert number(difference) == pytest.approx(off.mean(), abs=0.006)
    assert median.ours == pytest.approx(np.median(abs(off)))
    assert rows["Ensemble, DT"][0].ours == 1


def test_without_nested_cross_validation_its_table_waits(results, tmp_path):
    with pytest.raises(KeyError, match=r"own_word\.py"):
        make(Results(tmp_path, "honest"), "ensemble-nested")


def test_every_other_strategy_stands_beside_the_ensemble(results):
    rows = dict(make(results, "ensemble-beside").rows)
    means = 100 * dataset_means(results.rows("ensemble"))
    over_cs = (means.loc["lr", "ensemble"] - means.loc["lr", "cs"]).mean()
    assert number(rows["over CS"][0]) == pytest.approx(over_cs, abs=0.006)
    assert rows["over CS"][2].ours is None  # the blend has no classifier to compare with
    forest = means.loc[OWN_CLASSIFIER, "balanced-rf"]
    for place, c in enumerate(("lr", "dt")):
        gain = (means.loc[c, "ensemble"] - forest).mean()
        assert number(rows["over Balanced random forest"][place]) == pytest.approx(gain, abs=0.006)
    gain = (means.loc[OWN_CLASSIFIER, "blend"] - forest).mean()
    assert number(rows["over Balanced random forest"][2]) == pytest.approx(gain, abs=0.006)
    assert not {"over Ensemble", "over Blend"} & set(rows)


def test_a_search_over_settings_stands_beside_the_times(results, tmp_path):
    """Where the study 'honest' has it: twelve times its threshold, by hand."""
    found = Results(tmp_path, "honest")
    rows = results.rows("ensemble")
    threshold = rows[rows["strategy"] == "threshold"].assign(fit_time=2.0, weight_time=0.0)
    grid = threshold.assign(strategy="tuned-neighbor", fit_time=24.0)
    for study, part in {"ensemble": rows, "honest": pd.concat([threshold, grid])}.items():
        store = RowStore(found.study_folder(study))
        store.folder.mkdir(parents=True)
        write_shard(part.reindex(columns=rows.columns), store.folder / "all.parquet")
    cells = dict(make(found, "ensemble-times").rows)["Tuned Neighbor-iCost, 81 settings by iCostCV"]
    assert [cell.ours for cell in cells] == [12.0, 12.0, None]


def test_other_environments_are_one_more_strategy(results):
    path = results.study_folder("confirmation") / "peers" / "self-paced.csv"
    folds = ["glass2,0,0,30,10,0,3,.9,.5,.1,.2,1.5", "glass2,0,1,40,0,3,0,.9,.5,.3,.2,1"]
    path.write_text("\n".join([PEER, *folds]))
    # What has been computed without that file does not count here.
    results = Results(results.folder, results.profile)
    try:
        mcc = dict(make(results, "confirmation").rows)["Self-paced ensemble"]
        brier = dict(make(results, "confirmation-brier").rows)["Self-paced ensemble"]
    finally:
        times = dict(make(results, "confirmation-times").rows)["Self-paced ensemble"]
        path.unlink()
    # 30 · 3 / sqrt(13 · 3 · 40 · 30) of the first fold, and 0 of the second.
    assert mcc[-1].ours == pytest.approx(50 * 90 / np.sqrt(13 * 3 * 40 * 30))
    assert brier[-1].ours == pytest.approx(0.2)
    # Its unit is the threshold of four classifiers, of which only one was run.
    assert times[-1].ours is None or np.isnan(times[-1].ours)
    assert "Self-paced ensemble" not in dict(make(results, "ensemble").rows)


def test_sources_of_the_confirmation_sets():
    names = list_datasets("confirmation")
    groups = pd.Series(names).groupby([source_of(name) for name in names]).apply(len)
    assert groups["kr"] == 5 and groups["car"] == 2
    assert (groups.drop(["kr", "car"]) == 1).all() and len(groups) == 23
    assert not set(groups.index) & set(map(source_of, list_datasets("binary")))


@pytest.mark.parametrize("study", NAMES)
def test_the_picture_has_a_line_for_each_comparison(results, study):
    ((name, caption, figure),) = study_figures(results, study)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert name == f"{study}-gains" and "families" in caption
    assert [label.split("\n")[0] for label in labels] == [
        "Blend",
        "Ensemble of DT",
        "Ensemble of LR",
    ]
