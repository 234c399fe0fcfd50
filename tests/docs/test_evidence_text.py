"""The tables of the documentation say what the rows say."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("icost.experiments", exc_type=ImportError)
EXTENSION = Path(__file__).parents[2] / "docs" / "_ext" / "evidence_text.py"
if not EXTENSION.is_file():
    pytest.skip("the documentation is not there", allow_module_level=True)
TEXT = runpy.run_path(str(EXTENSION))


@pytest.fixture
def means():
    index = pd.MultiIndex.from_product([["lr"], ["a", "b"]], names=["classifier", "dataset"])
    columns = {"neighbor": [0.52, 0.54], "cs": [0.50, 0.52], "neighbor-mean": [0.50, 0.56]}
    return pd.DataFrame(columns, index=index)


def test_differences_and_intervals(means):
    lines = TEXT["controls_text"](means).splitlines()
    assert lines[0].startswith("| classifier | against class-level costs | against the mean")
    # Both sets gain two points over CS; against the control one gains what the other loses.
    assert lines[2] == "| LR | **+2.0 (+2.0 to +2.0)** | +0.0 (-2.0 to +2.0) |"
    assert "over 2 sets" in lines[-1]


def test_only_what_was_asked_for(means):
    lines = TEXT["controls_text"](means, "mcc", ["cs"]).splitlines()
    assert lines[2].count("|") == 3


@pytest.mark.parametrize("frame", [None, pd.DataFrame({"cs": [0.5]})])
def test_without_rows_there_is_a_note_and_no_number(frame):
    assert TEXT["controls_text"](frame) == TEXT["MISSING"]


def test_tables_of_all_studies(tmp_path):
    assert TEXT["tables_text"](tmp_path) == TEXT["MISSING"]
    for study in ("honest", "default-published"):
        folder = tmp_path / study / "tables"
        folder.mkdir(parents=True)
        (tmp_path / study / "plan.json").write_text('{"title": "A study"}')
        (folder / "mcc.md").write_text(f"table of {study}")
        (folder / "claims.md").write_text("verdicts of that day")
    text = TEXT["tables_text"](tmp_path)
    parts = ("not measured yet", "A study (default-published)", "A study (honest)", "of honest")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "of that day" not in text
