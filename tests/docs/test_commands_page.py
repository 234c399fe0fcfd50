"""What the page on the command line says of corrected scores is what was recorded."""

import re
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]


def test_scores_of_a_choice_beside_nested_ones():
    rows = pd.read_csv(ROOT / "results/benchmarks/auto_score.csv")
    text = (ROOT / "docs/guide/commands.md").read_text("utf-8")
    text = " ".join(text.partition("Checked against")[2].partition("With both")[0].split())
    means = rows[["nested", "best", "raw", "corrected"]].mean() / 100
    off = (rows["corrected"] - rows["nested"]) / 100
    numbers = [*means, off.mean(), means["raw"] - means["nested"], off.abs().mean()]
    stated = [float(number) for number in re.findall(r"\b0\.\d{3}\b", text)]
    assert len(stated) == len(numbers)
    assert all(abs(a - b) <= 0.00051 for a, b in zip(stated, numbers, strict=True))
    inside = rows["nested"].between(rows["low"], rows["high"])
    assert inside.all() and f"All {len(rows)} intervals contain the nested score" in text


def test_the_score_of_both_stages_is_that_of_the_study():
    study = (ROOT / "docs/research/automl.md").read_text("utf-8")
    (gap,) = re.findall(r"Promised − scored, iCostAuto: (\S+ \[.*?\])", study)
    page = (ROOT / "docs/guide/commands.md").read_text("utf-8")
    assert f"minus the score on new rows is {gap} MCC over 28 data sets" in page
