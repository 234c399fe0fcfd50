"""The tables of the documentation say what the rows say."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

plans = pytest.importorskip("icost_reproduction", exc_type=ImportError)
load_plan = plans.load_plan
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXTENSION = DOCS / "_ext" / "evidence_text.py"
if not EXTENSION.is_file():
    pytest.skip("the documentation is not there", allow_module_level=True)
TEXT = runpy.run_path(str(EXTENSION))
PICTURE = runpy.run_path(str(DOCS / "_ext" / "evidence_picture.py"))


@pytest.fixture
def means():
    index = pd.MultiIndex.from_product([["lr"], ["a", "b"]], names=["classifier", "dataset"])
    columns = {"neighbor": [0.52, 0.54], "cs": [0.50, 0.52], "neighbor-mean": [0.50, 0.56]}
    return pd.DataFrame(columns, index=index)


def test_differences_and_intervals(means):
    lines = TEXT["controls_text"](means).splitlines()
    assert lines[0].startswith("| classifier | against class-level costs | against the same")
    # Both sets gain two points over CS; against the control one gains what the other loses.
    # Two sets are too few for any test, whatever their intervals.
    assert lines[2] == "| LR | +2.0 [+2.0, +2.0] [+2.0, +2.0] | +0.0 [-2.0, +2.0] [-2.0, +2.0] |"
    assert "over 2 sets" in lines[-1]


def test_a_gain_on_many_sets_is_bold_after_holm():
    names = [f"{letter}{number}" for letter in "abcdefgh" for number in range(3)]
    index = pd.MultiIndex.from_product([["lr"], names], names=["classifier", "dataset"])
    frame = pd.DataFrame({"neighbor": 0.52, "cs": 0.50, "neighbor-mean": 0.52}, index=index)
    line = TEXT["controls_text"](frame).splitlines()[2]
    assert line.startswith("| LR | **+2.0 [+2.0, +2.0] [+2.0, +2.0]** | +0.0 [")


def test_only_what_was_asked_for(means):
    lines = TEXT["controls_text"](means, "mcc", ["cs"]).splitlines()
    assert lines[2].count("|") == 3


@pytest.mark.parametrize("frame", [None, pd.DataFrame({"cs": [0.5]})])
def test_without_rows_there_is_a_note_and_no_number(frame):
    assert TEXT["controls_text"](frame) == TEXT["MISSING"]


def test_a_study_is_its_pictures_and_its_folded_tables(tmp_path):
    assert TEXT["verdicts_text"](tmp_path) == TEXT["study_text"]("honest", tmp_path)
    folder = tmp_path / "honest"
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True)
    (folder / "plan.json").write_text('{"title": "A study"}')
    (folder / "figures" / "gains.svg").write_text("<svg/>")
    (folder / "tables" / "mcc.md").write_text("## MCC\n\n| a |\n|---|\n| 1 |\n")
    (folder / "tables" / "claims.md").write_text("verdicts of that day")
    text = TEXT["study_text"]("honest", tmp_path)
    assert "![gains](../../results/honest/figures/gains.svg)" in text
    assert "::::{dropdown} MCC\n| a |\n|---|\n| 1 |\n::::" in text
    assert "of that day" not in text


def test_a_page_of_evidence_shows_results_with_a_caption_and_no_title_twice():
    text = TEXT["study_text"]("default-published")
    (picture,) = [line for line in text.splitlines() if line.startswith((":::{figure}", "!["))]
    assert "delta-mcc.svg" in picture and "Change of MCC by Neighbor-iCost" in text
    for path in (ROOT / "results").glob("*/tables"):
        lines = TEXT["study_text"](path.parent.name).splitlines()
        titles = [line for line in lines if line.startswith("::::{dropdown}")]
        assert titles and len(titles) == len(set(titles)), path
        assert "Forms of" not in " ".join(titles)
    titles = TEXT["study_text"]("confirmation-honest")
    assert "The 65 binary" not in titles


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("+1.20 [-0.30, +2.10], 5–3–1", (1.2, -0.3, 2.1)),
        ("−1.5", (-1.5, -1.5, -1.5)),
        ("57.25", (57.25, 57.25, 57.25)),
        ("nan", None),
    ],
)
def test_cells_are_read_with_their_intervals(cell, value):
    assert PICTURE["read_cell"](cell) == value


def test_every_study_has_a_page():
    pages = "".join(p.read_text("utf-8") for p in (DOCS / "evidence").glob("*.md"))
    studies = {path.parent.name for path in (ROOT / "results").glob("*/tables")}
    assert not [name for name in studies if f"{{evidence-study}} {name}\n" not in pages]


def test_closeness_goes_by_every_cell():
    word = TEXT["_closeness"]
    assert word(pd.Series([0.2, 1.0])) == "reproduced"
    assert word(pd.Series([0.2, 0.5, 0.5, 3.0])) == "close"
    assert word(pd.Series([0.2, 0.5, 0.5, 3.1])) == "**not reproduced**"
    assert word(pd.Series([0.2, 1.5])) == "**not reproduced**"


def test_tables_that_miss_are_called_so():
    lines = TEXT["closeness_text"]().splitlines()
    missed = {line.split(" | ")[0].strip("| ") for line in lines if "**not reproduced**" in line}
    assert missed == {"8", "16", "17"}
    assert len([line for line in lines if "published/tables" in line]) == 14


def test_gains_have_the_scaler_first_and_what_survives_is_bold():
    lines = [line for line in TEXT["scalers_text"]().splitlines() if line.startswith("| ")][1:]
    bold = [
        (line.split(" | ")[0].strip("| ")[:6], line.split(" | ")[1], number)
        for line in lines
        for number, cell in enumerate(line.split(" | ")[2:])
        if "**" in cell
    ]
    over = "over class-level costs"
    assert ("MinMax", f"Neighbor-iCost {over}", 0) in bold
    assert ("standa", f"Neighbor-iCost {over}", 0) in bold
    assert ("MinMax", f"Neighbor-iCost {over}", 1) in bold
    assert ("standa", f"Neighbor-iCost {over}", 1) not in bold
    assert ("standa", "Gini-iCost over permuted categories", 4) in bold
    assert [entry[2] for entry in bold if entry[1].startswith("Neighbor-iCost tuned")] == [0, 4]
    default = [entry for entry in bold if "tuned" not in entry[1] and entry[1].endswith(over)]
    assert all(classifier < 2 for *_, classifier in default)
    words = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert (
        "for logistic regression, under the paper's scaler and under another, and for SVM" in words
    )


def test_the_paper_page_states_what_was_inferred():
    text = " ".join((DOCS / "paper.md").read_text("utf-8").split())
    scalers = {
        study: load_plan(study, "published").protocol.scaler for study in ("default", "resampling")
    }
    assert scalers == {"default": "minmax", "resampling": "standard"}
    assert "StandardScaler for resampling" in text and "compares **two scalers**" in text
    repeats = [
        load_plan("default", name).protocol.n_repeats for name in ("published", "paper-text")
    ]
    assert repeats == [3, 10] and "RepeatedStratifiedKFold(5, 3, random_state=50)" in text
    for entry in load_plan("multiclass", "published").exceptions:
        assert entry.dataset.removesuffix("_Dataset") in text


def test_ten_repeats_are_compared_on_the_data_sets_that_have_them():
    lines = TEXT["protocols_text"]().splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| ")][1:]
    assert [row[1] for row in rows] == ["3", "10"] * (len(rows) // 2)
    # Pairs of a classifier are over the same sets: as many wins, losses and ties in both.
    for three, ten in zip(rows[::2], rows[1::2], strict=True):
        counts = [sum(map(int, row[6].rpartition(", ")[2].split("–"))) for row in (three, ten)]
        assert counts[0] == counts[1]
        note = f"on {counts[0]} of 65 data sets"
        assert counts[0] == 65 or note in " ".join(lines)
    text = " ".join((DOCS / "paper.md").read_text("utf-8").split())
    before, after = (row[7].rpartition(", ")[2].split("–") for row in rows[-2:])
    assert rows[-1][0] == "| DT" and before[:2] == ["22", "37"]
    assert f"on {after[0]} data sets and loses on {after[1]}, where three repeats have 22" in text
    gains = [float(row[6].split()[0]) for row in rows[-2:]]
    assert f"falls from {gains[0]:.2f} to {gains[1]:.2f}" in text


def test_the_paper_page_has_every_parameter_table_and_figure():
    text = (DOCS / "paper.md").read_text("utf-8")
    parameters = ("base_classifier", "method", "n_neighbors", "cfp", "tau_pure", "tree_max_depth")
    for name in (*parameters, "min_samples_leaf", "cost_factor"):
        assert f"`{name}" in text
    for directive in ("evidence-paper", "evidence-protocols", "evidence-rule"):
        assert f"{{{directive}}}" in text
    for page in ("README.md", "docs/index.md"):
        page_text = (ROOT / page).read_text("utf-8")
        assert "docs/paper.md" in page_text or "{doc}`paper`" in page_text


@pytest.mark.parametrize("page", ["findings", "paper", "guide/when_not", "evidence/index"])
def test_pages_state_the_rule_once(page):
    assert (DOCS / f"{page}.md").read_text("utf-8").count("{evidence-rule}") == 1


def test_no_page_claims_that_every_table_came_out_or_that_the_paper_does_not_scale():
    pages = [ROOT / "README.md", *DOCS.rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    text = " ".join(" ".join(path.read_text("utf-8") for path in pages).split())
    for phrase in ("reproduced every table", "the paper does not scale", "paper's own protocol"):
        assert phrase not in text
    assert "scales every table to [0, 1]" in text
