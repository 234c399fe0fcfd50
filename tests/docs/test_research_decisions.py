"""The page on decisions says what its recorded rows say."""

import csv
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/research/decisions.md").read_text("utf-8")


def rows_of(name):
    with (ROOT / f"results/benchmarks/{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_of_coverage_are_those_of_the_recorded_rows():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import decisions_page
    finally:
        sys.path.pop(0)
    table = pd.read_csv(ROOT / "results/benchmarks/decisions_coverage.csv")
    lines = [line for line in decisions_page.page_lines(table) if line]
    assert len(lines) > 50
    assert not [line for line in lines if line not in PAGE]
    # The goal of the plan, for recall.
    rates = decisions_page.by_family(table).reset_index()
    promised = rates[(rates["what"] == "recall") & (rates["rows"] == "all")]
    promised = promised[promised["form"].isin(["refit", "members", "ensemble"])]
    assert len(promised) == 27
    assert promised["broken"].max() <= 0.1 and promised["within 15 %"].min() >= 0.9


def test_money_and_prevalence_are_those_of_the_recorded_rows():
    for row in rows_of("decisions_money"):
        cells = [f"{float(row[name]):,.1f}" for name in ("cost per row", "mean cost", "one half")]
        assert " | ".join(cells) in PAGE.replace("**", "")
    for row in rows_of("decisions_prevalence"):
        shares = [f"{float(row[name]):.2f}"[1:] for name in ("answered",)]
        brier = [f"{float(row[name]):.3f}"[1:] for name in ("plain", "moved")]
        (line,) = (x for x in PAGE.splitlines() if x.startswith(f"| {float(row['factor']):g} |"))
        assert f"| {shares[0]} |" in line
        assert " | ".join(brier) in line.replace("**", "")


def test_the_rules_are_those_of_the_recorded_rows():
    rows = rows_of("decisions_rules")
    assert len(rows) == 130
    for classifier, title in (("lr", "logistic regression"), ("xgb", "XGBoost")):
        own = [row for row in rows if row["classifier"] == classifier]
        means = [sum(float(row[name]) for row in own) / 65 for name in ("recorded", "stable")]
        cells = " | ".join(f"{mean:.3f}"[1:] for mean in means)
        assert f"| {title} | {cells} |" in PAGE
