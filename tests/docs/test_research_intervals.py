"""The tables on the coverage of intervals are those of the recorded cells."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/research/intervals.md").read_text("utf-8")
CELLS = pd.read_csv(ROOT / "results/benchmarks/interval_coverage.csv")
CHOSEN = "recommended - plain"


def page_rows(head):
    """Rows of the table with this first column, each a list of plain cells."""
    lines = PAGE.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]


def summary(cells):
    covered = cells["covered"].sum() / cells["draws"].sum()
    below = [str((cells[column] < 0.9).sum()) for column in ("coverage", "upper")]
    return [f"{100 * covered:.1f} %", f"{cells['of today'].mean():.2f}", *below]


@pytest.mark.parametrize("row", page_rows("candidate"), ids=lambda row: row[0])
def test_coverage_and_width_of_each_candidate(row):
    method, *numbers = row
    cells = CELLS[CELLS["method"] == method.replace("×", "x")]
    is_chosen = cells["difference"] == CHOSEN
    assert numbers == summary(cells[~is_chosen]) + summary(cells[is_chosen])


def test_every_candidate_is_in_the_table():
    assert len(page_rows("candidate")) == CELLS["method"].nunique()


@pytest.mark.parametrize("row", page_rows("rows | fars"), ids=lambda row: row[0])
def test_coverage_by_data_set_and_size(row):
    size, *numbers = row
    cells = CELLS[CELLS["rows"] == int(size.replace(",", ""))]
    for dataset, number in zip(("fars", "kr-vs-k", "nursery", "casp"), numbers, strict=True):
        stated = re.fullmatch(r"(\d+) % \((\d+)\)", number).groups()
        for method, percent in zip(("rows x 2, max-t", "today"), stated, strict=True):
            some = cells[(cells["dataset"] == dataset) & (cells["method"] == method)]
            covered = some["covered"].sum() / some["draws"].sum()
            assert abs(100 * covered - int(percent)) <= 0.51
