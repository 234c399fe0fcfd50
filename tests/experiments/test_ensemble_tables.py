"""Tables on the ensemble, from a small run."""

import pytest

from icost.experiments.ensemble_tables import ENSEMBLE_TABLES
from icost.experiments.evaluation import Results
from icost.experiments.plan import load_plan
from icost.experiments.runner import run_plan


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    plan = load_plan("ensemble").select(
        datasets=["new-thyroid1", "ecoli3", "glass2"],
        strategies=["ncs", "threshold", "smote", "ensemble", "calibrated", "balanced-rf"],
        classifiers=["lr", "dt"],
        n_repeats=1,
    )
    rows = run_plan(plan, Results(folder, "honest").study_folder("ensemble"))
    assert rows["error"].isna().all()
    return Results(folder, "honest")


@pytest.mark.parametrize("name", ENSEMBLE_TABLES)
def test_a_table_has_a_line_for_each_model(results, name):
    table = ENSEMBLE_TABLES[name][1](results)
    assert table.name == name
    assert len(table.rows) >= 2
    assert all(len(cells) == len(table.columns) - 1 for _, cells in table.rows)


def test_rows_hold_what_the_model_said_of_itself(results):
    rows = results.rows("ensemble")
    is_own = rows["strategy"] == "ensemble"
    assert rows.loc[is_own, ["oof_mcc", "oof_brier", "log_loss"]].notna().all(axis=None)
    assert rows.loc[~is_own, "oof_mcc"].isna().all()


def test_gains_are_over_the_best_single_baseline(results):
    table = ENSEMBLE_TABLES["ensemble-gains"][1](results)
    mcc = dict(ENSEMBLE_TABLES["ensemble"][1](results).rows)
    for column, (label, cells) in enumerate(table.rows):
        best = max(mcc[name][column].ours for name in ("NCS", "Threshold-tuned", "SMOTE"))
        assert label.startswith("Ensemble of")
        gain = mcc["Ensemble"][column].ours - best
        assert float(cells[1].ours.split()[0]) == pytest.approx(gain, abs=0.006)
