"""The numbers of docs/findings.md are those of the tables under results/."""

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8").splitlines()
CLASSIFIERS = ("LR", "SVM", "DT", "XGBoost")
FIVE = ("LR", "SVM", "DT", "RF", "XGBoost")
PUBLISHED = {name: name for name in CLASSIFIERS} | {"RF (scikit-learn 1.8)": "RF"}
HONEST = {
    "plain": "NCS",
    "class-level costs": "CS",
    "**Neighbor-iCost**": "Neighbor-iCost",
    "**Gini-iCost**": "Gini-iCost",
    "SMOTE": "SMOTE",
    "plain, threshold tuned for MCC": "Tuned threshold",
    "class-level costs, 81 factors tried inside the training fold": "Tuned CSL (81)",
    "Neighbor-iCost, 81 settings tried inside the training fold": "Tuned Neighbor-iCost",
    "Gini-iCost, 81 settings tried inside the training fold": "Tuned Gini-iCost",
}


def read(study, table):
    path = ROOT / "results" / study / "tables" / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


def page_rows(label):
    """The cells of the page's table rows with this label, in order of appearance."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE if "|" in line]
    return [row[1:] for row in rows if row[0] == label]


def shown(value):
    return "–" if value in ("", "nan", "–") else f"{float(value):.2f}"


@pytest.mark.parametrize("label", PUBLISHED)
def test_default_costs(label):
    row, names = read("default-published", "mcc")[PUBLISHED[label]], ("NCS", "CS", "Neighbor-iCost")
    expected = [f"{shown(row[n])} ({shown(row[f'{n} published'])})" for n in (*names, "Gini-iCost")]
    assert page_rows(label)[0] == expected


def test_forests_of_now():
    row = next(row for name, row in read("default-published", "forests").items() if "1.9" in name)
    text = " ".join(" ".join(PAGE).split())
    for name, words in (("CS", "bring RF to {}"), ("Neighbor-iCost", "Neighbor-iCost to {}")):
        assert words.format(shown(row[name])) in text


@pytest.mark.parametrize("label", PUBLISHED)
def test_tuned_costs(label):
    row = read("tuning-published", "optimism")[f"{PUBLISHED[label]}, Neighbor-iCost"]
    _, default, same_folds, other_folds, *_ = row.values()
    cells = [cell.partition(" ")[0] for cell in page_rows(label)[1]]
    assert cells == [shown(default), shown(same_folds), shown(other_folds)]


@pytest.mark.parametrize("label", HONEST)
def test_honest_study(label):
    row = read("honest", "strategies")[HONEST[label]]
    assert page_rows(label)[0] == [shown(row[name]) for name in FIVE]


def test_multiclass():
    row = read("multiclass-published", "multiclass")["Average"]
    text = " ".join(" ".join(PAGE).split())
    names = ("No cost", "Tuned CSL", "Neighbor-iCost", "Gini-iCost")
    words = "{} without costs, {} for tuned class-level costs, {} and {} for tuned"
    assert words.format(*(shown(row[name]) for name in names)) in text
    assert ", ".join(shown(row[f"{name} published"]) for name in names) in text


@pytest.mark.parametrize(
    "label",
    [
        f"{variant} over {control}"
        for variant in ("Neighbor-iCost", "Gini-iCost")
        for control in ("class-level costs", "the same-total control")
    ],
)
def test_controls(label):
    row = read("controls-honest", "controls")[label]
    assert page_rows(label)[0] == [row[name].partition("], ")[0] + "]" for name in FIVE]


def test_what_does_not_come_out_is_named():
    text = " ".join(" ".join(PAGE).split())
    wins = read("multiclass-published", "multiclass-win-loss")["Neighbor-iCost"]
    counts = "–".join(f"{float(wins[k]):.0f}" for k in ("iCost wins", "CSL wins", "Ties"))
    assert "Tables 16 and 17 are not reproduced" in text and f"ties {counts} (" in text
    errors = read("default-published", "trade-off")
    saved = -float(errors["XGBoost"]["Neighbor-iCost ΔFP"])
    assert f"saves {saved:.0f} false alarms (412)" in text
    gini = next(row for name, row in read("default-published", "win-loss").items()
                if name.startswith("Gini-iCost, All"))  # fmt: skip
    counts = "–".join(f"{float(gini[k]):.0f}" for k in ("iCost wins", "CS wins", "Ties"))
    assert f"{counts} (159–121–45)" in text
