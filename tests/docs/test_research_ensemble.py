"""The page on the ensemble's research says what the tables of both studies say."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADINGS = {"confirmation": "## Confirmation", "ensemble": "## On the paper's sets"}
FORMS = {
    "plain ×2, SMOTE ×2: **the default**": ("Ensemble", "Blend"),
    "plain, SMOTE, SMOTE½, SMOTE": ("Ensemble with SMOTE½", "Blend with SMOTE½"),
    "plain, SMOTE½ (10 fits)": ("Ensemble, 10 fits", "Blend, 10 fits each"),
    "plain ×4, for comparison": ("Ensemble of plain members", None),
}
NOT_RUN = {("ensemble", "plain, SMOTE, SMOTE½, SMOTE")}
"""The first trials' form was developed on the paper's sets, and was not run there again."""


def read(study, name):
    path = ROOT / "results" / f"{study}-honest" / "tables" / f"{study}{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


def section(study):
    text = (ROOT / "docs" / "research" / "ensemble.md").read_text("utf-8")
    assert text.count(f"\n{HEADINGS[study]}\n") == 1
    return text.partition(f"\n{HEADINGS[study]}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("study", HEADINGS)
def test_gains_of_a_form_are_those_of_the_tables(study, form):
    lines = [line for line in section(study).splitlines() if line.startswith(f"| {form} |")]
    if (study, form) in NOT_RUN:
        assert not lines
        return
    *_, told_mean, told_blend = cells = [cell.strip() for cell in lines[0].strip("|").split("|")]
    name, blend = FORMS[form]
    row = read(study, "-forms")[name]
    assert cells[1:6] == [row[c] for c in ("LR", "SVM", "DT", "RF", "XGBoost")]
    assert told_mean.replace("**", "") == row["Mean, by sets"]
    assert told_blend == (read(study, "-gains")[blend]["By sets"] if blend else "")


def test_the_default_is_the_survivor_with_the_best_mean():
    means = {
        form: float(read("confirmation", "-forms")[name]["Mean, by sets"].split()[0])
        for form, (name, blend) in FORMS.items()
        if blend
    }
    assert "the default" in max(means, key=means.get)


@pytest.mark.parametrize("name", ["Self-paced ensemble", "Balanced random forest", "EasyEnsemble"])
@pytest.mark.parametrize("study", HEADINGS)
def test_peers_have_the_scores_of_the_table(study, name):
    score = float(read(study, "")[name]["Own"])
    told = section(study)
    assert f"{name[0].lower()}{name[1:]} has {score:.2f}" in told or f"{name} {score:.2f}" in told


def test_nested_cross_validation_is_told_as_it_was():
    words = section("ensemble").partition("Nested cross-validation")[2].partition("So it is")[0]
    rows = [read("ensemble", "-nested")[f"Ensemble, {name}"] for name in ("LR", "SVM", "DT")]
    told = re.findall(r"[−\d.]*\d\.\d\d", words)
    signed = [
        row[f"{who}, difference"].split()[0] for who in ("Nested", "Out-of-fold") for row in rows
    ]
    medians = [row[name] for name in ("Median off, nested", "Median off") for row in rows]
    assert told[:6] == [value.replace("-", "−") for value in signed]
    assert [float(value) for value in told[6:]] == [round(float(m), 2) for m in medians]
