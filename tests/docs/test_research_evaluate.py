"""The tables on the intervals of an evaluation are those of the recorded cells."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/research/evaluate.md").read_text("utf-8")


def recorded(name):
    return pd.read_csv(ROOT / f"results/benchmarks/{name}.csv")


COVERAGE, VERDICTS = recorded("evaluate_coverage"), recorded("evaluate_verdicts")
FIRST = recorded("evaluate_verdicts_first")


def page_rows(head):
    """Rows of the table with this first column, each a list of cells."""
    lines = PAGE.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("row", page_rows("value"), ids=lambda row: row[0])
def test_coverage_of_each_value(row):
    name, mean, lowest, which = row
    cells = COVERAGE[COVERAGE["score"] == name]
    shares = cells["covered"] / cells["draws"]
    assert [mean, lowest] == [f"{100 * share:.1f} %" for share in (shares.mean(), shares.min())]
    cell = cells.loc[shares.idxmin()]
    assert which == f"{cell['population']}, {cell['prevalence']:g}, {cell['minority']}"
    assert (cells["draws"] >= 1990).all() and len(cells) == 10


def test_every_value_is_in_the_table_and_one_cell_is_below():
    assert len(page_rows("value")) == COVERAGE["score"].nunique() == 14
    assert (COVERAGE["covered"] / COVERAGE["draws"] < 0.9).sum() == 1
    assert "One of the 140 is below 90 %" in PAGE


@pytest.mark.parametrize("row", page_rows("promise"), ids=lambda row: row[0])
def test_verdicts_on_promises_that_are_just_kept(row):
    what, *numbers = row
    some, first = VERDICTS[VERDICTS["promise"] == what], FIRST[FIRST["promise"] == what]
    broken, kept = some["broken"] / some["draws"], some["kept"] / some["draws"]
    before = (first["broken"] / first["draws"]).max()
    wanted = (broken.mean(), broken.max(), before, kept.mean(), kept.max())
    assert numbers == [f"{100 * share:.1f}" for share in wanted]
