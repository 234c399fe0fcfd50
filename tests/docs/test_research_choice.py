"""The page on the choice of a classifier says what its recorded rows say."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "research" / "choice.md").read_text("utf-8")


@pytest.fixture(scope="module")
def lines():
    """The lines that the script prints from the recorded rows."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import auto_choice
    finally:
        sys.path.pop(0)
    return [line for line in auto_choice.evaluate(ROOT / "results" / "benchmarks") if line]


def test_all_tables_are_those_of_the_recorded_rows(lines):
    assert len(lines) > 40
    assert not [line for line in lines if line not in PAGE]


def test_the_answers_are_those_of_the_registered_rule(lines):
    (total,) = [line for line in lines if line.startswith("| all |")]
    gain, gap = (float(cell.split()[0]) for cell in (total.split("|")[3], total.split("|")[5]))
    assert ("**1. Yes.**" in PAGE) == (gain >= 0)
    low, high = (float(end) for end in total.split("|")[5].split("[")[1].strip(" ]").split(", "))
    assert ("**2. Yes.**" in PAGE) == (abs(gap) <= 0.02 and low <= 0 <= high)
