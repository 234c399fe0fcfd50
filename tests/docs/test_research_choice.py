"""The page on the choice of a classifier says what its recorded rows say."""

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PAGE, SCRIPT = "choice.md", "auto_choice"


def test_all_tables_are_those_of_the_recorded_rows(research, lines):
    assert len(lines) > 40
    assert not research.missing(lines)


def test_the_answers_are_those_of_the_registered_rule(research, lines):
    (total,) = [line for line in lines if line.startswith("| all |")]
    gain, gap = (float(cell.split()[0]) for cell in (total.split("|")[3], total.split("|")[5]))
    assert ("**1. Yes.**" in research.page) == (gain >= 0)
    low, high = (float(end) for end in total.split("|")[5].split("[")[1].strip(" ]").split(", "))
    assert ("**2. Yes.**" in research.page) == (abs(gap) <= 0.02 and low <= 0 <= high)
    (passed_over,) = [line for line in lines if "choices differ" in line]
    mean = float(passed_over.split(": ")[1].split()[0])
    assert ("**3. The rule is kept" in research.page) == (mean >= -0.005)


def test_what_the_elimination_loses_is_that_of_the_recorded_rows(research):
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        elimination, recording = map(importlib.import_module, ("elimination", "recording"))
    finally:
        sys.path.pop(0)
    rows = recording.recorded(ROOT / "results" / "benchmarks", "elimination")
    assert len(rows) == len(elimination.SETS)
    *_, mean = lines = list(elimination.table_lines(rows))
    assert not research.missing(lines)
    assert float(mean.split(": ")[1].split(";")[0]) <= 0.005
