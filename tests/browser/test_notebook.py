"""What a notebook shows of comparisons, complexity, labels, scores and saved models."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.browser

HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'

# As a notebook puts the output of a cell: in a box of its own, with its own fonts.
CELL = '<div class="jp-OutputArea-output jp-RenderedHTMLCommon">{}</div>'
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title>
<style>body {{ font: 14px sans-serif; margin: 8px; background: #fff; color: #000 }}
.jp-RenderedHTMLCommon {{ overflow: auto; padding: 4px }} td, th {{ padding: 4px }}</style></head>
<body><main><h1>Notebook</h1>{}</main></body></html>"""


@pytest.fixture(scope="session")
def shown():
    """Return what is shown of a table whose columns and labels are hostile, by what it is."""
    from icost import iCost, iCostEnsemble
    from icost.comparison import compare
    from icost.label_errors import label_quality
    from icost.modelfile import fit_model

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=[HOSTILE, "age", "dose"])
    is_ill = X["age"] + rng.normal(scale=0.5, size=120) > 1
    y = pd.Series(np.where(is_ill, HOSTILE, "well"), name="state")
    ensemble = iCostEnsemble(members=("plain",), n_splits=3).fit(X, y)
    return {
        "comparison": compare(X, y, strategies=["ncs", "cs"], n_repeats=1),
        "complexity": iCost(method="neighbor").fit(X, y).complexity_,
        "labels": label_quality(X, y),
        "scores": ensemble.oof_score_,
        "model": fit_model(X, y, method="cs", n_splits=3),
    }


@pytest.fixture(params=[1280, 390])
def notebook(browser, shown, tmp_path, request):
    cells = "".join(CELL.format(result._repr_html_()) for result in shown.values())
    path = tmp_path / "notebook.html"
    path.write_text(PAGE.format(cells), encoding="utf-8")
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    page.problems = []
    page.on("console", lambda message: page.problems.append(message.text))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(path.as_uri())
    yield page
    page.close()


def test_each_result_has_a_title_sentences_or_a_table(notebook, shown):
    cells = notebook.locator(".icost")
    assert cells.count() == len(shown)
    for cell, result in zip(cells.all(), shown.values(), strict=True):
        lines = cell.inner_text().splitlines()
        assert lines[0] == repr(result).splitlines()[0]
        assert cell.locator("p").count() > 1 or cell.locator("tbody tr").count() > 0
    assert "Use " in cells.first.inner_text()


def test_names_of_a_table_cannot_run_a_script(notebook):
    assert notebook.problems == []
    assert notebook.evaluate("window.hacked") is None
    assert notebook.locator(".icost script, .icost img").count() == 0


def test_tables_fit_or_scroll_in_their_cell(notebook):
    width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert notebook.evaluate(width)


def test_axe_finds_nothing(notebook):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # A cell that scrolls is the notebook's own, which makes it reachable.
    options = {"rules": {"scrollable-region-focusable": {"enabled": False}}}
    found = axe.run(notebook, options=options)
    assert found.violations_count == 0, found.generate_report()
