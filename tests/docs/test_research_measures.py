"""What the page on the measures tells is what the rows and tables under results/ say."""

import csv
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

from icost_reproduction.evaluation import Results, dataset_means
from icost_reproduction.measure_tables import PRIMARY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "research" / "measures.md").read_text("utf-8").replace("−", "-")
CLASSIFIERS = ("LR", "SVM", "DT", "RF", "XGBoost")
ROWS = {
    "Neighbours": "Neighbor",
    **{n: n for n in ("Gini", "Margin", "Density", "Graph", "Cluster")},
}
CELL = re.compile(r"([-+.\d]+ \[[-+.\d]+, [-+.\d]+\])(?:, (\d+–\d+–\d+))?(?:, p ([\d.]+))?")


def table(name):
    path = ROOT / "results" / "measures-honest" / "tables" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


@pytest.mark.parametrize("label", ROWS)
def test_the_primary_family(label):
    (line,) = re.findall(rf"^\| {label} \|(.*)\|$", PAGE, flags=re.MULTILINE)
    recorded = table("measures")[ROWS[label]]
    for classifier, cell in zip(CLASSIFIERS, line.split("|"), strict=True):
        told = CELL.fullmatch(cell.strip().replace("*", ""))
        found = CELL.fullmatch(recorded[classifier])
        assert told[1] == found[1]
        assert told[2] in (None, found[2])
        assert float(told[3]) == pytest.approx(float(found[3]), abs=0.0051)
        is_told_bold = cell.strip().startswith("**")
        assert is_told_bold == (float(found[3]) < 0.05)


def test_intervals_that_draw_sources():
    recorded = table("measures-by-source")
    for words, name, classifier in (
        ("LR with neighbours", "Neighbor", "LR"),
        ("LR with the graph", "Graph", "LR"),
        ("XGBoost with the graph", "Graph", "XGBoost"),
        ("LR with Gini", "Gini", "LR"),
        ("XGBoost with the margin", "Margin", "XGBoost"),
    ):
        interval = re.search(r"\[.*?\]", recorded[name][classifier])[0]
        assert f"{words} {interval}" in " ".join(PAGE.split())


def test_beside_a_tuned_threshold():
    recorded, text = table("measures-threshold"), " ".join(PAGE.split())
    for measure, sides, classifier in (
        ("Neighbor", "one", "LR"),
        ("Neighbor", "two", "SVM"),
        ("Margin", "two", "XGBoost"),
        ("Graph", "two", "XGBoost"),
        ("Neighbor", "two", "XGBoost"),
        ("Cluster", "two", "RF"),
    ):
        cell = recorded[f"{measure}, plausible, {sides}-sided, scale 1"][classifier]
        assert CELL.fullmatch(cell)[1] in text


def test_leaving_ties_out_changes_no_verdict():
    means = dataset_means(Results(ROOT / "results", "honest").rows("measures"))
    raw, recorded = [], []
    for one, other in PRIMARY:
        label = one.partition("-")[0].capitalize()
        for classifier in CLASSIFIERS:
            part = means.loc[{"XGBoost": "xgb"}.get(classifier, classifier.lower())]
            raw.append(wilcoxon(part[one] - part[other], zero_method="wilcox").pvalue)
            recorded.append(float(CELL.fullmatch(table("measures")[label][classifier])[3]))
    order = np.argsort(raw)
    corrected = np.maximum.accumulate(np.array(raw)[order] * np.arange(len(raw), 0, -1))
    holds = pd.Series(corrected, order).sort_index() < 0.05
    assert holds.tolist() == [p < 0.05 for p in recorded]
    assert holds.sum() == 5


# The pages for users have scores from 0 to 1.
PAGES = [("findings.md", 100, 3), ("guide/measures.md", 100, 3), ("guide/when_not.md", 100, 3)]


@pytest.mark.parametrize(("page", "divisor", "digits"), PAGES)
def test_what_other_pages_say_in_short(page, divisor, digits):
    text = " ".join((ROOT / "docs" / page).read_text("utf-8").split())
    recorded = table("measures")
    gains = {
        name: [float(recorded[measure][name].split()[0]) for measure in measures]
        for name, measures in (
            ("LR", ("Neighbor", "Gini", "Graph")),
            ("XGBoost", ("Margin", "Graph")),
        )
    }
    low, high = (f"{round(limit(gains['LR']), 1) / divisor:.{digits}f}" for limit in (min, max))
    assert re.search(rf"{low} to \+?{high}\b", text)
    (boosted,) = {f"{round(gain, 1) / divisor:.{digits}f}" for gain in gains["XGBoost"]}
    assert boosted in text


def test_differences_of_several_classes_are_those_of_the_tables():
    told = " ".join(PAGE.partition("## Several classes")[2].split())
    found = re.findall(r"[+-][\d.]+ \[[+-][\d.]+, [+-][\d.]+\]", told)
    folder = ROOT / "results" / "multiclass-honest-honest" / "tables"
    tables = "".join(
        (folder / f"multiclass-{name}.csv").read_text("utf-8") for name in ("gains", "measures")
    )
    assert len(found) > 8
    assert [difference for difference in found if difference not in tables] == []
