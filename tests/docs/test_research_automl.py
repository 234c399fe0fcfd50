"""The page on AutoML says what its recorded rows say."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE, SCRIPT = "automl.md", "automl"


def test_all_tables_are_those_of_the_recorded_rows(research, lines):
    assert len(lines) > 25
    assert not research.missing(lines)


def test_times_and_sizes_are_those_of_the_study(research):
    folder = ROOT / "results/benchmarks"
    with (folder / "automl_speed.csv").open(encoding="utf-8", newline="") as file:
        committed = list(csv.DictReader(file))
    assert committed == research.script.speed_rows(research.script.read_rows(folder))
    assert [row["model"] for row in committed if row["1,000 rows"] == "1.00"] == [
        "AutoGluon, equal time"
    ]


def test_looking_at_classifiers_pays(lines):
    (first,) = [line for line in lines if line.startswith("| 1 iCostAuto − LR only")]
    p_value = float(first.split("|")[-2])
    assert p_value < 0.05 and first.count("[+") == 2
