"""The page on decisions says what its recorded rows say."""

import csv
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/research/decisions.md").read_text("utf-8")
SCRIPT = "decisions_page"


def rows_of(name):
    with (ROOT / f"results/benchmarks/{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_of_coverage_are_those_of_the_recorded_rows(script):
    table = pd.read_csv(ROOT / "results/benchmarks/decisions_coverage.csv")
    lines = [line for line in script.page_lines(table) if line]
    assert len(lines) > 50
    assert not [line for line in lines if line not in PAGE]
    # The goal of the plan, for recall.
    rates = script.by_family(table).reset_index()
    promised = rates[(rates["what"] == "recall") & (rates["rows"] == "all")]
    promised = promised[promised["form"].isin(["refit", "members", "ensemble"])]
    assert len(promised) == 27
    assert promised["broken"].max() <= 0.1 and promised["within 15 %"].min() >= 0.9


def test_promised_precisions_are_kept_over_all_halves():
    rows = [
        row
        for row in rows_of("decisions_coverage")
        if row["what"] == "precision" and row["form"] in ("refit", "members", "ensemble")
    ]
    counts = {}
    for row in rows:
        n_answers = int(row["answers"])
        broken, raw = (
            round(float(row[name]) * n_answers) if n_answers else 0 for name in ("broken", "raw")
        )
        place = row["classifier"], row["form"], row["limit"]
        old = counts.get(place, (0, 0, 0, 0))
        new = broken, raw, n_answers, int(row["halves"])
        counts[place] = tuple(a + b for a, b in zip(old, new, strict=True))
    assert counts["xgb", "refit", "0.9"] == (6, 23, 393, 2790)
    assert "with 6 of 393 answers in 2,790 halves" in PAGE
    per_half = max(broken / halves for broken, _, _, halves in counts.values())
    per_answer = max(broken / answers for broken, _, answers, _ in counts.values())
    raw_per_half = max(raw / halves for _, raw, _, halves in counts.values())
    text = " ".join(PAGE.split())
    assert f"At most {100 * per_half:.1f} % of all halves have an answer that is broken" in text
    assert f"and at most {100 * per_answer:.1f} % of the answers are" in text
    assert f"at most {100 * raw_per_half:.1f} % of halves have an answer below the floor" in text
    shares = [n[2] / n[3] for (*_, limit), n in counts.items() if limit == "0.9"]
    assert f"in {100 * min(shares):.0f}–{100 * max(shares):.0f} % of all halves" in text


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
