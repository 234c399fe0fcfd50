"""The page on refitting says what its recorded rows say, and the defaults follow from it."""

import csv
from pathlib import Path

import pytest

from icost import iCostEnsemble

ROOT = Path(__file__).parents[2]
PAGE, SCRIPT = "refit.md", "ensemble_refit"


@pytest.fixture(scope="module")
def rows():
    """The recorded rows."""
    with (ROOT / "results/benchmarks/refit.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_all_tables_are_those_of_the_recorded_rows(research, rows):
    lines = [line for line in research.script.evaluate(rows) if line]
    assert len(lines) > 30
    assert not research.missing(lines)


def test_defaults_are_what_the_answers_support(research, rows):
    *_, blend, single = [
        float(line.split("|")[-2])
        for line in research.script.question_lines(research.script.read_rows(rows))
        if line[2].isdigit()
    ]
    # The refitted blend is not worse by the margin; single classifiers may be.
    assert blend < 0.05 < single
    assert iCostEnsemble().refit == "auto" and iCostEnsemble().recalibrate is True
