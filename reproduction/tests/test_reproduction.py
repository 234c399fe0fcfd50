"""Reproducing: from names to tables in a folder."""

import inspect
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from icost.datasets import get_record, list_datasets
from icost_reproduction import paper_tables
from icost_reproduction.figures import FIGURES
from icost_reproduction.paper_tables import DEFINITIONS, TABLE_NUMBERS
from icost_reproduction.plan import list_plans, load_plan
from icost_reproduction.published_sets import load_published
from icost_reproduction.reproduction import reproduce, resolve_studies
from icost_reproduction.study_tables import ALL_TABLES, study_tables


def test_names_of_tables_lead_to_their_studies():
    assert resolve_studies(["f1", "mcc", "multiclass-win-loss"]) == ["default", "multiclass"]
    assert resolve_studies([]) == ["default", "multiclass", "resampling", "tuning"]
    assert resolve_studies(["mine.toml"]) == ["mine.toml"]
    with pytest.raises(
        ValueError, match="a study must be one of .* or a TOML file, got 'mcs': did you mean 'mcc'"
    ):
        resolve_studies(["mcs"])


def test_numbers_of_the_paper_lead_to_its_tables():
    assert resolve_studies(["table-8", "table-5"]) == ["default"]
    assert resolve_studies(["table-3"]) == [] and resolve_studies(["table-17"]) == ["multiclass"]
    with pytest.raises(ValueError, match=r"must be one of 3, 4, .*, 16, 17, got 18\.$"):
        resolve_studies(["table-18"])
    with pytest.raises(ValueError, match=r"^Table 2 of the paper lists .*help\(icost\.iCost\)"):
        resolve_studies(["table-2"])
    assert sorted([*DEFINITIONS, *TABLE_NUMBERS]) == list(range(1, 18))


def test_names_of_files_and_titles_have_the_numbers_of_the_paper():
    files = sorted(path.stem for path in Path(paper_tables.__file__).parent.glob("table_*.py"))
    assert sorted(int(n) for name in files for n in re.findall(r"\d+", name)) == [*TABLE_NUMBERS]
    for number, name in TABLE_NUMBERS.items():
        maker = ALL_TABLES[name][1]
        module = inspect.getmodule(getattr(maker, "func", maker))
        assert f"_{number:02}" in module.__name__
        title = rf'"Tables? (\d+ and )?{number}( and \d+)?: '
        assert re.search(title, inspect.getsource(module))


def test_every_paper_number_is_in_the_index():
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    for number, name in TABLE_NUMBERS.items():
        (line,) = re.findall(rf"^\| Tables? (?:\d+ and )?{number}\b.*", readme, re.M)
        assert f"`{name}`" in line
        file = re.search(r"`(table_\w+\.py)`", line)[1]
        assert (Path(paper_tables.__file__).parent / file).is_file() and f"{number:02}" in file
    for number, name in enumerate(list(FIGURES)[:7], 1):
        assert FIGURES[name][2].startswith(f"Figure {number}: ")
        assert re.search(rf"^\| Figure {number} \|.*`{name}`", readme, re.M)


def test_every_table_has_a_plan():
    assert {study for study, _ in ALL_TABLES.values() if study} == set(list_plans())


def test_a_plan_of_ones_own_gets_rows_and_verdicts(tmp_path):
    plan = tmp_path / "mine.toml"
    plan.write_text(
        'name = "default"\ndatasets = ["glass2", "ecoli3"]\n'
        'strategies = ["ncs", "cs", "neighbor", "gini"]\nclassifiers = ["dt"]\n'
    )
    said = []
    results = reproduce(
        [str(plan)], profile="honest", out=tmp_path, progress=False, report=said.append
    )
    tables = tmp_path / "default-honest" / "tables"
    assert said == ["default (honest): default"]
    assert (tables / "mcc.md").read_text().startswith("**Table 5: Average MCC (%)**")
    assert {path.suffix for path in tables.iterdir()} == {".md", ".txt", ".tex", ".csv"}
    assert {"mcc", "win-loss", "trade-off", "stability"} <= {
        table.name for table in study_tables(results, "default")
    }
    assert "not measured yet" in (tables / "claims.csv").read_text()


def test_a_grid_that_failed_is_named_below_the_tables(tmp_path, monkeypatch):
    plan = tmp_path / "mine.toml"
    plan.write_text(
        'name = "tuning"\ndatasets = ["glass2"]\nstrategies = ["grid-cs"]\nclassifiers = ["dt"]\n'
    )
    monkeypatch.setattr("icost._weights.problems.decompose", lambda *a, **k: 1 / 0)
    results = reproduce([str(plan)], profile="honest", out=tmp_path, progress=False, report=str)
    assert results.rows("tuning")["error"].notna().all()
    study_tables(results, "tuning")


def test_the_confirmation_study_from_its_name_to_tables(tmp_path, monkeypatch):
    """On two of the paper's sets: those for confirmation are not for trying things."""
    records = [
        replace(get_record(name), collection="confirmation") for name in ("glass2", "ecoli3")
    ]
    monkeypatch.setattr("icost.datasets._registry.read_registry", lambda: tuple(records))
    assert list_datasets("confirmation") == ["glass2", "ecoli3"]
    few = ["ncs", "cs", "neighbor", "gini", "neighbor-mean", "gini-mean", "threshold", "ensemble"]

    def load_part(source, profile):
        return load_plan(source, profile).select(strategies=few)

    monkeypatch.setattr("icost_reproduction.reproduction.load_plan", load_part)
    options = {"quick": True, "classifiers": ["lr"], "out": tmp_path, "progress": False}
    said = []
    results = reproduce(["confirmation-gains"], report=said.append, **options)
    assert said[0].startswith("confirmation (honest): ")
    rows = results.under("honest").rows("confirmation")
    assert set(rows["dataset"]) == {"glass2", "ecoli3"} and rows["error"].isna().all()
    assert len(rows) == 2 * 2 * len(few)
    tables = tmp_path / "quick" / "confirmation-honest" / "tables"
    written = {path.stem for path in tables.iterdir()}
    assert {"confirmation-forms", "confirmation-controls", "confirmation-times"} <= written
    # A second run finds everything there.
    monkeypatch.setattr("icost_reproduction.runner.run_task", lambda *_: 1 / 0)
    again = reproduce(["confirmation"], report=str, **options).under("honest")
    assert len(again.rows("confirmation")) == len(rows)


def test_a_table_that_needs_no_runs_is_written_and_said(tmp_path):
    said = []
    reproduce(["datasets"], out=tmp_path, report=said.append)
    assert said == [f"The table 'datasets' needs no runs: it is saved to {tmp_path / 'tables'}."]
    assert "glass2" in (tmp_path / "tables" / "datasets.csv").read_text()


def test_features_are_counted_in_the_variant_that_is_loaded(tmp_path):
    reproduce(["datasets"], out=tmp_path, report=str)
    table = pd.read_csv(tmp_path / "tables" / "datasets.csv", index_col=0)
    assert (table["Features difference"] == 0).all()
    for name in ("abalone_20", "kddcup-land_vs_satan", "glass2", "wine"):
        class_too = get_record(name).collection == "binary"
        found = load_published(name).data.shape[1] + class_too
        assert table.loc[name, "Features"] == found
