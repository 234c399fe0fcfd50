"""The page of a study: one file, verdicts first, nothing from elsewhere."""

import re
from collections import Counter

import matplotlib
import pandas as pd
import pytest

from icost_reproduction import evaluation, figures, findings, paper_tables, reproduction
from icost_reproduction.evaluation import Results
from icost_reproduction.figures import as_data_uri, study_figures
from icost_reproduction.page import study_facts, write_study_page
from icost_reproduction.plan import load_plan
from icost_reproduction.reproduction import reproduce_with_pages
from icost_reproduction.runner import run_plan
from icost_reproduction.study_tables import write_study

matplotlib.use("agg")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    results = Results(tmp_path_factory.mktemp("results"), "published")
    plan = load_plan("default", "published").select(
        datasets=["glass2", "ecoli3"], classifiers=["lr"], n_repeats=1
    )
    run_plan(plan, results.study_folder("default"))
    return results


def test_the_page_is_self_contained_and_starts_with_the_verdicts(results):
    page = write_study_page(results, load_plan("default", "published"), "icost reproduce <mcc>")
    text = page.read_text("utf-8")
    assert not re.search(r"""(src|href)=["'](https?:)?//""", text)
    assert text.index("What holds up") < text.index("Average MCC")
    assert "icost reproduce &lt;mcc&gt;" in text
    assert text.count("data:image/svg+xml") == 6
    assert (page.parent / "figures" / "delta-mcc.svg").exists()


def test_figures_without_rows_are_left_out(results):
    assert [name for name, _, _ in study_figures(results, "tuning")] == []
    assert "weights" in [name for name, _, _ in study_figures(results, "default")]
    assert as_data_uri("<svg/>") == "data:image/svg+xml;base64,PHN2Zy8+"


def test_failed_folds_are_told_on_the_page_and_below_the_tables(tmp_path, monkeypatch):
    results, plan = Results(tmp_path, "published"), load_plan("default", "published")
    few = plan.select(datasets=["glass2"], classifiers=["dt"], n_repeats=1)
    with monkeypatch.context() as broken:
        broken.setattr("icost._weights.problems.estimate_complexity", lambda *a, **k: 1 / 0)
        run_plan(few.select(strategies=["neighbor"]), results.study_folder("default"))
    rows = run_plan(few, results.study_folder("default"))
    assert rows["error"].notna().sum() == 5
    text = write_study_page(results, plan).read_text("utf-8")
    assert "failed: neighbor with dt on 5 folds: ZeroDivisionError: division by zero" in text
    assert "failed and are left out: Neighbor-iCost 5 of 5, on 1 of the sets all." in text


def test_rows_that_were_not_timed_are_told(results):
    assert study_facts(results, "default")["untimed"] == 0
    rows = results.environments("default")[""]
    few = Results(results.folder, "published")
    few.environments = lambda study: {
        "": rows.assign(fit_time=rows["fit_time"].where(rows.fold > 0))
    }
    assert study_facts(few, "default")["untimed"] == (rows["fold"] == 0).sum()


def test_where_each_fold_moved_the_border_is_no_note_for_a_page(tmp_path):
    results = Results(tmp_path, "honest")
    plan = load_plan("multiclass-honest").select(
        datasets=["new-thyroid"], classifiers=["dt"], strategies=["ncs", "offsets"]
    )
    store = results.study_folder(plan.name)
    notes = run_plan(plan, store)["note"].dropna()
    assert len(notes) == 5
    assert notes.str.match(r"offsets [-\d.]+, [-\d.]+, [-\d.]+$").all()
    assert study_facts(results, plan.name)["notes"] == []
    # The paper says nothing about this study, so that its statements have no place there.
    text = write_study_page(results, plan).read_text("utf-8")
    assert "What holds up" not in text
    write_study(results, plan)
    assert not list(store.rglob("claims.*"))
    results.environments = lambda study: {
        "": pd.DataFrame(
            {
                "note": [
                    "threshold -0.5; ConvergenceWarning",
                    "offsets 1, -1",
                    "threshold unmoved",
                ],
                **dict.fromkeys(("dataset", "error", "versions", "strategy", "classifier")),
                **dict.fromkeys(("fit_time", "weight_time"), 0.0),
            }
        )
    }
    found = study_facts(results, plan.name)["notes"]
    assert {entry["note"] for entry in found} == {"ConvergenceWarning", "threshold unmoved"}


def test_a_quick_look_cannot_be_taken_for_a_result(tmp_path):
    (page,) = reproduce_with_pages(
        ["default"], out=tmp_path, quick=True, classifiers=["dt"], progress=False, report=list
    )
    text = page.read_text("utf-8")
    assert "<title>Quick look, not a result: " in text and "<h1>Quick look, not a result: " in text
    assert "2 of 5 folds of 3 data sets (" in text
    assert "holds" not in text and "What holds up" not in text and 'class="range"' not in text
    tables = page.parent / "tables"
    assert not list(tables.glob("claims.*"))
    for path in tables.glob("*.md"):
        assert path.read_text("utf-8").startswith("**Quick look: ")
        assert "published" not in path.with_suffix(".csv").read_text("utf-8")


def test_plans_are_resolved_once_and_means_computed_once(tmp_path, monkeypatch):
    plan = tmp_path / "mine.toml"
    plan.write_text(
        'name = "default"\ndatasets = ["glass2"]\nstrategies = ["ncs", "cs", "neighbor", "gini"]\n'
        'classifiers = ["dt", "nb"]\n'
    )
    loaded, averaged = Counter(), Counter()
    dataset_means = evaluation.dataset_means

    def count_means(rows, metric="mcc"):
        averaged[len(rows), metric] += 1
        return dataset_means(rows, metric)

    def count_plans(source, profile):
        loaded[source] += 1
        return load_plan(source, profile)

    monkeypatch.setattr(reproduction, "load_plan", count_plans)
    for module in (evaluation, figures, findings, paper_tables):
        if hasattr(module, "dataset_means"):
            monkeypatch.setattr(module, "dataset_means", count_means)
    (page,) = reproduce_with_pages(
        [str(plan)], out=tmp_path, quick=True, classifiers=["dt"], progress=False, report=list
    )
    # The page is about the plan that was run, which has one repeat instead of three.
    assert loaded == {str(plan): 1} and "2 of 5 folds, 1 repeat," in page.read_text("utf-8")
    # Two folds of four strategies.
    assert averaged[8, "mcc"] == 1
