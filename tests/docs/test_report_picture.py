"""The README's picture shows what a comparison says today."""

import json
import runpy
from pathlib import Path

import pytest

from icost.datasets import load_dataset

ROOT = Path(__file__).parents[2]
PICTURE = runpy.run_path(str(ROOT / "docs/report_picture.py"))
RECORD = json.loads((ROOT / "docs/_static/report.json").read_text("utf-8"))
SCORES = ("found_of_100", "false_alarms_per_100")


def test_the_picture_shows_the_rows_of_the_data_set():
    _, y = load_dataset(RECORD["data"], return_X_y=True)
    assert RECORD["rows"] == len(y)
    assert RECORD["minority_rows"] == (y == "positive").sum()


def test_the_readme_shows_the_picture():
    assert "docs/_static/report.png" in (ROOT / "README.md").read_text("utf-8")
    assert PICTURE["PICTURE"].exists()


@pytest.mark.slow
def test_the_picture_shows_what_a_comparison_recommends_today(tmp_path):
    today = PICTURE["describe"](PICTURE["compare_strategies"](tmp_path / "page.html"))
    # Sums differ in the last bit from CPU to CPU, which can move a few rows across the cut.
    for name in SCORES:
        assert today.pop(name) == pytest.approx(RECORD[name], abs=4)
    assert today == {name: value for name, value in RECORD.items() if name not in SCORES}
