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


def test_looking_at_classifiers_pays(lines):
    (first,) = [line for line in lines if line.startswith("| 1 iCostAuto − LR only")]
    p_value = float(first.split("|")[-2])
    assert p_value < 0.05 and first.count("[+") == 2
