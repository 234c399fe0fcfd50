"""What the docs say of the ensemble is what the tables say."""

import importlib.util
from pathlib import Path

import pytest

from icost_reproduction.tables import Cell, Table, write_tables

ROOT = Path(__file__).parents[2]
NAMES = ("LR", "SVM", "DT", "RF", "XGBoost")
MODELS = (*(f"Ensemble of {name}" for name in NAMES), "Blend")


@pytest.fixture(scope="module")
def summary():
    path = ROOT / "benchmarks" / "ensemble_summary.py"
    spec = importlib.util.spec_from_file_location("ensemble_summary", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_have_the_numbers_on_record(summary):
    for name, options in summary.PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert text.count(summary.START) == text.count(summary.END) == 1
        assert summary.replace_block(text, **options) == text


def table(name, columns, rows, note=""):
    lines = tuple((label, tuple(map(Cell, cells))) for label, cells in rows.items())
    return Table(name, name, ("Model", *columns), lines, note)


def write_study(folder, note=""):
    """Tables as a study writes them, with numbers that tell where they are from."""
    columns = ("Over", "By sets", "By families", "Median", "Wins–losses–ties", "p (Holm)")
    rest = ("s", "+0", "1–2–3", 0.01)
    gains = {m: ("LR, NCS", f"+{i}.5 [+0, +9]", *rest) for i, m in enumerate(MODELS)}
    brier = {f"Brier score, {m}": ("x", f"-0.00{i}") for i, m in enumerate(MODELS)}
    words = [*(f"Ensemble, {name}" for name in NAMES), "Blend, Own"]
    word = {label: (f"-{i}.25",) for i, label in enumerate(words)}
    named = ("NCS", "Tuned threshold", "SMOTE", "CS", "Neighbor-iCost", "Gini-iCost")
    beside = {f"over {name}": [f"+{i}.1 [+0, +9]"] * 5 for i, name in enumerate(named)}
    families = {f"over {name}": [f"+{i}.1 [-1, +10]"] * 5 for i, name in enumerate(named)}
    times = {
        "Ensemble": (1.0, 2.0, 3.0, 4.0, 5.0, None),
        "Ensemble, 10 fits": (*[0.5] * 5, None),
        "Blend": (*[None] * 5, 4.75),
        "Blend, 10 fits each": (*[None] * 5, 2.25),
        "Ensemble, share of GridSearchCV": (0.125, *[0.1] * 4, None),
    }
    tables = [
        table("confirmation-gains", columns, gains, note),
        table("confirmation-gains-all", columns, gains, note),
        table("confirmation-beside", MODELS[:-1], beside),
        table("confirmation-beside-by-source", MODELS[:-1], families),
        table("confirmation-calibration", ("Over", "By sets"), brier),
        table("confirmation-own-word", ("Difference",), word),
        table("confirmation-times", (*NAMES, "Own"), times),
    ]
    write_tables(tables, folder / "confirmation-honest" / "tables")


def test_the_numbers_are_those_of_the_tables(summary, tmp_path):
    write_study(tmp_path)
    text = summary.block(tmp_path)
    assert "| Ensemble of DT | LR, plain | +2.5 [+0, +9] | s | +0 | 1–2–3 | 0.0100 |" in text
    assert "| over class-level costs | +3.1 [+0, +9] [-1, +10] |" in text
    assert "CalibratedClassifierCV` | -0.000 | -0.001 | -0.002 | -0.003 | -0.004 | -0.005 |" in text
    assert "test folds | -0.25 | -1.25 | -2.25 | -3.25 | -4.25 | -5.25 |" in text
    assert "five folds | 1.00 | 2.00 | 3.00 | 4.00 | 5.00 | 4.75 |" in text
    assert "10 fits | 0.50 | 0.50 | 0.50 | 0.50 | 0.50 | 2.25 |" in text
    assert "81 settings | 0.125 | 0.100 | 0.100 | 0.100 | 0.100 | – |" in text
    assert "(results/confirmation-honest/figures/confirmation-gains.svg)" in text
    page = summary.block(tmp_path, prefix="../", tables=False)
    assert "(../results/confirmation-honest/figures/confirmation-gains.svg)" in page
    assert "|" not in page


def test_a_study_that_is_not_complete_is_left_out(summary, tmp_path):
    write_study(tmp_path, note="So far 20 of 140 pairs are complete.")
    assert summary.block(tmp_path) == summary.START + summary.END
    text = f"before\n{summary.START}old numbers\n{summary.END}after\n"
    expected = f"before\n{summary.START}{summary.END}after\n"
    assert summary.replace_block(text, results=tmp_path) == expected


@pytest.mark.parametrize("page", ["docs/index.md", "docs/guide/ensemble.md", "docs/findings.md"])
def test_pages_state_the_gains_over_the_best_of_all_baselines(summary, page):
    gains = summary.read(ROOT / "results", "confirmation", "confirmation-gains-all")
    by_name = {name: float(gains[f"Ensemble of {name}"]["By sets"].split()[0]) for name in NAMES}
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    tree, booster, forest = (f"{by_name[name] / 100:.3f}" for name in ("DT", "XGBoost", "RF"))
    assert f"gains {tree} MCC for trees and {forest} for forests" in text
    assert f"For XGBoost (+{booster})" in text


def test_only_trees_gain_over_every_baseline(summary):
    """The sentence of the pages, from both intervals of each comparison."""
    rows = [summary.read(ROOT / "results", "confirmation", f"confirmation-beside{suffix}")
            for suffix in ("", "-by-source")]  # fmt: skip
    gaining = {
        model
        for model in MODELS[:-1]
        if all(
            float(table[f"over {name}"][model].partition("[")[2].partition(",")[0]) > 0
            for table in rows
            for name in summary.BASELINES
        )
    }
    assert gaining == {"Ensemble of DT"}
    for page in ("docs/index.md", "docs/guide/ensemble.md", "docs/findings.md", "README.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert "Only trees gain over every baseline" in text or "over every baseline" in text, page
