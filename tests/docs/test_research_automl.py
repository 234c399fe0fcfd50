"""The page on AutoML says what its recorded rows say."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "research" / "automl.md").read_text("utf-8")


@pytest.fixture(scope="module")
def lines():
    """The lines that the script prints from the recorded rows."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import automl
    finally:
        sys.path.pop(0)
    return [line for line in automl.evaluate(ROOT / "results" / "benchmarks") if line]


def test_all_tables_are_those_of_the_recorded_rows(lines):
    assert len(lines) > 25
    assert not [line for line in lines if line not in PAGE]


def test_times_of_prediction_are_those_of_the_study(lines):
    text = " ".join((ROOT / "docs" / "benchmarks.md").read_text("utf-8").split())
    times = {}
    for line in lines:
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if len(cells) == 9 and cells[7].isdigit():
            times[cells[0]] = cells[7]
    equal, longer = times["AutoGluon, equal time"], times["AutoGluon, 3 × the time"]
    assert f"the blend takes {times['blend']} ms, AutoGluon {equal} ms after" in text
    assert f"and {longer} ms after three times as long" in text


def test_looking_at_classifiers_pays(lines):
    (first,) = [line for line in lines if line.startswith("| 1 iCostAuto − LR only")]
    p_value = float(first.split("|")[-2])
    assert p_value < 0.05 and first.count("[+") == 2
