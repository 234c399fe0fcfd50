"""The page on AutoML says what its recorded rows say."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE, SCRIPT = "automl.md", "automl"


def test_all_tables_are_those_of_the_recorded_rows(research, lines):
    assert len(lines) > 25
    assert not research.missing(lines)


def test_times_of_prediction_are_those_of_the_study(lines):
    text = " ".join((ROOT / "docs" / "benchmarks.md").read_text("utf-8").split())
    times = {}
    for line in lines:
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if len(cells) == 9 and cells[7].isdigit():
            times[cells[0]] = cells[7]
    equal, longer = times["AutoGluon, equal time"], times["AutoGluon, 3 × the time"]
    assert f"the blend takes {times['blend']} ms, AutoGluon {equal} ms after" in text
    assert f"and {longer} ms after three times as long" in text


def test_looking_at_classifiers_pays(lines):
    (first,) = [line for line in lines if line.startswith("| 1 iCostAuto − LR only")]
    p_value = float(first.split("|")[-2])
    assert p_value < 0.05 and first.count("[+") == 2
