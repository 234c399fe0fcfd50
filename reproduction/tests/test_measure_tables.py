"""Tables on the measures, from a small run."""

import pytest

from icost_reproduction.evaluation import Results
from icost_reproduction.measure_tables import EXPLORATORY, MEASURE_TABLES, PRIMARY
from icost_reproduction.plan import load_plan
from icost_reproduction.rank_tests import source_of
from icost_reproduction.runner import run_plan
from icost_reproduction.strategies import MEASURE_LABELS, STRATEGIES


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    found = Results(tmp_path_factory.mktemp("results"), "honest")
    for name, datasets in (
        ("measures", ["new-thyroid1", "ecoli3", "glass2"]),
        ("multiclass-honest", ["new-thyroid", "wine"]),
    ):
        plan = load_plan(name).select(datasets=datasets, classifiers=["dt"], n_repeats=1)
        rows = run_plan(plan, found.study_folder(name))
        assert rows["error"].isna().all()
    # The folds of the first repeat, as the study of alternatives has them; one set is missing.
    honest = load_plan("honest").select(
        datasets=["new-thyroid1", "ecoli3"], classifiers=["dt"], strategies=["threshold"]
    )
    run_plan(honest, found.study_folder("honest"))
    return found


@pytest.mark.parametrize("name", MEASURE_TABLES)
def test_a_table_has_a_cell_for_each_classifier(results, name):
    table = MEASURE_TABLES[name][1](results)
    assert table.name == name
    assert len(table.rows) >= 6
    assert all(len(cells) == len(table.columns) - 1 == 1 for _, cells in table.rows)


def test_gains_are_those_of_the_means(results):
    mcc = dict(MEASURE_TABLES["measures-mcc"][1](results).rows)
    table = MEASURE_TABLES["measures"][1](results)
    assert [label for label, _ in table.rows] == list(MEASURE_LABELS.values())
    for (one, other), (_, cells) in zip(PRIMARY, table.rows, strict=True):
        gain = mcc[STRATEGIES[one].label][0].ours - mcc[STRATEGIES[other].label][0].ours
        assert float(cells[0].ours.split()[0]) == pytest.approx(gain, abs=0.006)
        assert ", p " in cells[0].ours


def test_the_plan_holds_all_that_the_tables_compare():
    plan = load_plan("measures")
    assert {name for pair in (*PRIMARY, *EXPLORATORY) for name in pair} <= set(plan.strategies)
    assert len(plan.strategies) == 3 + 6 * 6
    assert (len(plan.datasets), len(plan.classifiers), plan.protocol.n_repeats) == (65, 5, 3)
    # Whoever takes both classes comes first, so that complexity is estimated once.
    for measure in MEASURE_LABELS:
        own = [name for name in plan.strategies if name.startswith(measure)]
        assert own[0] == f"{measure}-both-1"


def test_the_plan_of_several_classes():
    plan = load_plan("multiclass-honest")
    assert plan.kind == "multiclass"
    assert len(plan.datasets) == 10
    assert len(plan.strategies) == 1 + 3 * 4 + 3


def test_measures_of_several_classes_stand_beside_costs_of_the_same_way(results):
    mcc = dict(MEASURE_TABLES["multiclass-ways"][1](results).rows)
    table = MEASURE_TABLES["multiclass-measures"][1](results)
    # Three measures by three ways, and two rows on offsets.
    assert len(table.rows) == 3 * 3 + 2
    for label, cells in table.rows:
        one, other = label.split(" over ")
        assert one.partition(", ")[2] == other.partition(", ")[2] or one == "Tuned offsets"
        gain = mcc[one][0].ours - mcc[other][0].ours
        assert float(cells[0].ours.split()[0]) == pytest.approx(gain, abs=0.011)


def test_several_classes_come_from_a_source_each():
    datasets = load_plan("multiclass-honest").datasets
    assert len({source_of(name) for name in datasets}) == len(datasets)


def test_a_threshold_is_compared_on_the_folds_that_both_studies_have(results):
    label, cells = MEASURE_TABLES["measures-threshold"][1](results).rows[0]
    assert label == STRATEGIES["neighbor-both-1"].label
    rows, honest = results.rows("measures"), results.rows("honest")
    common = rows["dataset"].isin(["new-thyroid1", "ecoli3"])
    own = rows[common & (rows["strategy"] == "neighbor-both-1")]
    gain = 100 * (own["mcc"].mean() - honest["mcc"].mean())
    assert float(cells[0].ours.split()[0]) == pytest.approx(gain, abs=0.006)


def test_without_thresholds_that_table_has_to_wait(tmp_path):
    with pytest.raises(KeyError):
        MEASURE_TABLES["measures-threshold"][1](Results(tmp_path, "honest"))
