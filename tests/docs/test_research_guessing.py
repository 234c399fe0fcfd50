"""The page on guessing counts what the recorded rows count, and names what was refused."""

import csv
import re
from pathlib import Path

import pytest

from icost.datasets import load_dataset

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/research/guessing.md").read_text("utf-8")
TABLES = {
    "| noise | logistic": "noise",
    "| noise | both": "noise_two_stages",
    "| the paper": "paper",
}


def read(name):
    with open(ROOT / f"results/benchmarks/guessing_{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("start", TABLES)
def test_the_table_counts_the_recorded_rows(start):
    line = next(line for line in PAGE.splitlines() if line.startswith(start))
    rows = read(TABLES[start])
    kept = sum(bool(row["recommended"]) for row in rows)
    assert [int(n) for n in re.findall(r"\| (\d+)", line)] == [len(rows), kept, len(rows) - kept]


def test_what_is_refused_is_named_with_its_size():
    refused = [row["table"] for row in read("paper") if not row["recommended"]]
    assert refused and all(f"`{name}`" in PAGE for name in refused)
    for name in refused:
        _, y = load_dataset(name, return_X_y=True)
        assert f"{len(y):,}" in PAGE and str((y == "positive").sum()) in PAGE
