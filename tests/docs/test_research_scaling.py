"""What the page on scaling tells is what its benchmark wrote."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "research" / "scaling.md").read_text("utf-8").replace("−", "-")
ROWS = {
    "lr, minmax": "LR, [0, 1]",
    "lr, standard": "LR, standardised",
    "svm, minmax": "SVM, [0, 1]",
    "svm, standard": "SVM, standardised",
}


@pytest.fixture(scope="module")
def benchmark():
    path = ROOT / "benchmarks" / "neighbor_scaling.py"
    spec = importlib.util.spec_from_file_location("neighbor_scaling", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_comparisons_and_the_decision_are_those_on_record(benchmark):
    means = pd.read_csv(benchmark.OUT)
    assert means["dataset"].nunique() == 57 and "57 data sets" in PAGE
    table = benchmark.comparisons(means)
    for name, label in ROWS.items():
        row = table.loc[name]
        mean, low, high = row["mean"], row["low"], row["high"]
        start = f"| {label} | {mean:+.2f} | [{low:+.2f}, {high:+.2f}] | "
        assert start + f"[{row['family_low']:+.2f}, {row['family_high']:+.2f}] | " in PAGE
        assert f"{row['wins']:.0f}–{row['losses']:.0f} | {row['p_holm']:.2g} |" in PAGE
    passed = (table["p_holm"] < 0.05) & (table["mean"] > 0) & (table["family_low"] > 0)
    assert not passed.any() and "**the default stays**" in PAGE
