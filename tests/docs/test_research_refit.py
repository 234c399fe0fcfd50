"""The page on refitting says what its recorded rows say, and the defaults follow from it."""

import csv
import sys
from pathlib import Path

import pytest

from icost import iCostEnsemble

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "research" / "refit.md").read_text("utf-8")


@pytest.fixture(scope="module")
def benchmark():
    """The script that measured, and its rows."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import ensemble_refit
    finally:
        sys.path.pop(0)
    with (ROOT / "results/benchmarks/refit.csv").open(encoding="utf-8", newline="") as file:
        return ensemble_refit, list(csv.DictReader(file))


def test_all_tables_are_those_of_the_recorded_rows(benchmark):
    script, rows = benchmark
    lines = [line for line in script.evaluate(rows) if line]
    assert len(lines) > 30
    missing = [line for line in lines if line not in PAGE]
    assert not missing


def test_defaults_are_what_the_answers_support(benchmark):
    script, rows = benchmark
    *_, blend, single = [
        float(line.split("|")[-2])
        for line in script.question_lines(script.read_rows(rows))
        if line[2].isdigit()
    ]
    # The refitted blend is not worse by the margin; single classifiers may be.
    assert blend < 0.05 < single
    assert iCostEnsemble().refit == "auto" and iCostEnsemble().recalibrate is True
