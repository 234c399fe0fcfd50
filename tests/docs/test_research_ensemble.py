"""The page on the ensemble's research says what the tables of the confirmation say."""

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "results" / "confirmation-honest" / "tables"
FORMS = {
    "plain ×2, SMOTE ×2: **the default**": ("Ensemble", "Blend"),
    "plain, SMOTE, SMOTE½, SMOTE": ("Ensemble with SMOTE½", "Blend with SMOTE½"),
    "plain, SMOTE½ (10 fits)": ("Ensemble, 10 fits", "Blend, 10 fits each"),
    "plain ×4, for comparison": ("Ensemble of plain members", None),
}


def read(name):
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def page():
    text = (ROOT / "docs" / "research" / "ensemble.md").read_text("utf-8")
    return text.partition("## Confirmation")[2]


@pytest.mark.parametrize("form", FORMS)
def test_gains_of_a_form_are_those_of_the_tables(page, form):
    line = next(line for line in page.splitlines() if line.startswith(f"| {form} |"))
    *_, told_mean, told_blend = cells = [cell.strip() for cell in line.strip("|").split("|")]
    name, blend = FORMS[form]
    row = read("confirmation-forms")[name]
    assert cells[1:6] == [row[c] for c in ("LR", "SVM", "DT", "RF", "XGBoost")]
    assert told_mean.replace("**", "") == row["Mean, by sets"]
    assert told_blend == (read("confirmation-gains")[blend]["By sets"] if blend else "")


def test_the_default_is_the_survivor_with_the_best_mean():
    means = {
        form: float(read("confirmation-forms")[name]["Mean, by sets"].split()[0])
        for form, (name, blend) in FORMS.items()
        if blend
    }
    assert "the default" in max(means, key=means.get)


@pytest.mark.parametrize("name", ["Self-paced ensemble", "Balanced random forest", "EasyEnsemble"])
def test_peers_have_the_scores_of_the_table(page, name):
    score = float(read("confirmation")[name]["Own"])
    assert f"{name[0].lower()}{name[1:]} has {score:.2f}" in page or f"{name} {score:.2f}" in page
