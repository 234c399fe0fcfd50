"""The page on guessing counts what the recorded rows count, and names what was refused."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/research/guessing.md").read_text("utf-8")
TABLES = {
    "| noise | both": "noise_two_stages",
    "| the paper's binary data sets, both": "paper_two_stages",
    "| the paper's binary data sets, logistic": "paper",
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


def test_what_is_refused_is_named_and_no_classifier_of_the_default_is_missing():
    refused = [row["table"] for row in read("paper") if not row["recommended"]]
    assert refused and all(f"`{name}`" in PAGE for name in refused)
    both = {row["table"]: row["recommended"] for row in read("paper_two_stages")}
    assert all(both[name] for name in refused)


def test_what_is_expected_of_noise_is_about_nothing():
    rows = read("noise_two_stages")
    means = [sum(float(row[key]) for row in rows) / len(rows) for key in ("raw", "corrected")]
    assert all(f"{mean:.3f}" in PAGE for mean in means) and abs(means[1]) < 0.02
    contain = sum(float(row["low"]) <= 0 <= float(row["high"]) for row in rows)
    assert f"{contain} of {len(rows)} tables" in PAGE
