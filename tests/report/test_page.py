import html
import json
import re
from dataclasses import replace
from importlib.resources import files

import pandas as pd
import pytest

from icost.datasets import load_dataset
from icost.report import analyze, write_page
from icost.report._page import data_page, json_text, render_page

pytest.importorskip("jinja2")
pytest.importorskip("jinja2")

HOSTILE = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"


def payload(page):
    text = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.S)[1]
    return json.loads(text)


@pytest.fixture(scope="module")
def page():
    X, y = load_dataset("glass2", return_X_y=True)
    return data_page(analyze(X, y, name="glass2"), command="icost analyze glass2")


def test_json_cannot_leave_its_element():
    text = json_text({"a": "</script><script>&\u2028", "b": float("nan")})
    assert "<" not in text and "&" not in text and "\u2028" not in text
    assert json.loads(text) == {"a": "</script><script>&\u2028", "b": None}


def test_the_verdict_comes_first_and_the_command_last(page):
    sections = re.findall(r'<section id="(\w+)"', page)
    wanted = ["verdict", "categories", "map", "weights", "tree", "suspects", "rows", "repeat"]
    assert sections == wanted
    assert "icost analyze glass2" in page


def test_what_makes_a_verdict_doubtful_comes_before_it():
    from icost.comparison import compare

    X, y = load_dataset("glass2", return_X_y=True)
    X = X.assign(paid=(y == "positive").astype(float))
    found = compare(X, y, strategies=["ncs"], n_splits=2, n_repeats=1)
    page = html.unescape(data_page(analyze(X, y), found, command="icost compare x"))
    leak = "Column 'paid' alone separates the classes"
    assert page.count(leak) == 1
    assert page.index(leak) < page.index(found.recommendation["sentence"])


@pytest.fixture(scope="module")
def comparison():
    from icost.comparison import compare

    X, y = load_dataset("glass2", return_X_y=True)
    return compare(X, y, strategies=["ncs", "threshold", "cs"], n_splits=3, n_repeats=1)


@pytest.mark.parametrize("name", ["ncs", "threshold", "cs"])
def test_the_recommended_strategy_is_always_among_the_curves(comparison, name):
    chosen = replace(comparison, candidate={**comparison.candidate, "name": name})
    (words,) = (row["words"] for row in comparison.strategies if row["name"] == name)
    for figure in ("precision_recall", "calibration"):
        curves = payload(data_page(None, chosen))["figures"][figure]["data"]
        names = [curve["name"].replace("<br>", " ") for curve in curves if "name" in curve]
        assert names[0].lower() == words.lower() and len(names) == len(set(names))


def test_differences_within_noise_are_folded_and_called_so_once(comparison):
    page = html.unescape(data_page(None, comparison))
    shown, folded = re.search(
        r"<h3>Differences</h3>(.*?)<details>(.*?)</details>", page, re.S
    ).groups()
    for difference in comparison.differences:
        is_sure = difference["low"] > 0 or difference["high"] < 0
        sentence = difference["sentence"].replace(", but that may be chance", "")
        assert sentence in (shown if is_sure else folded)
    assert "may be chance" not in shown + folded and "within noise</summary>" in folded


def test_every_section_that_is_linked_is_there():
    X = pd.DataFrame({"a": [*range(40), *range(100, 140)]}) / 7
    y = ["n"] * 39 + ["p"] * 41
    page = data_page(analyze(X, y), command="icost analyze x")
    linked = re.findall(r'<li><a href="#(\w+)"', page)
    assert "suspects" in linked
    assert linked == re.findall(r'<section id="(\w+)"', page)


def test_nothing_is_linked_from_elsewhere(page):
    own = page[: page.index("<script>")] + page[page.index('id="payload"') - 60 :][:2000]
    assert not re.findall(r'(?:src|href)="(?!#|data:)', own)
    assert "default-src 'none'" in page


def test_figures_are_all_there(page):
    wanted = set(re.findall(r'data-figure="(\w+)"', page))
    assert wanted == set(payload(page)["figures"]) == {"categories", "separation", "map", "weights"}


def test_hostile_names_stay_text():
    X, y = load_dataset("glass2", return_X_y=True)
    X = X.rename(columns={"Mg": HOSTILE}).assign(note=HOSTILE)
    y = y.map({"positive": HOSTILE, "negative": "</script>"}).rename(HOSTILE)
    page = data_page(analyze(X, y, name=HOSTILE), command=HOSTILE)
    own = page[: page.index("<script>")]
    assert "<script>window" not in page and "<img src=x" not in page
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in own


def test_the_policy_names_exactly_the_scripts(page):
    import base64
    import hashlib

    head = html.unescape(page[: page.index("<style>")])
    policy = re.search(r"script-src ([^;]*);", head)[1]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    sums = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert policy.split() == [f"'sha256-{checksum}'" for checksum in sums]


def test_the_vendored_script_is_the_released_one():
    import hashlib

    folder = files("icost.report") / "templates"
    script = folder.joinpath("plotly.min.js").read_bytes()
    # plotly.js-cartesian-dist-min 4.1.1; a carriage return would change the page's checksum.
    expected = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
    assert hashlib.sha256(script).hexdigest() == expected and b"\r" not in script
    assert "MIT" in folder.joinpath("plotly.LICENSE").read_text("utf-8")


def test_a_page_without_figures_needs_no_plotly():
    assert len(render_page("base.html", figures={}, data={}, title="small")) < 40_000


def test_a_name_that_is_not_there_is_an_error_not_a_gap():
    import jinja2

    with pytest.raises(jinja2.UndefinedError):
        render_page("data_report.html", figures={}, data={}, title="x")


def test_write_page_leaves_no_part_behind(tmp_path):
    X, y = load_dataset("glass2", return_X_y=True)
    found = analyze(X, y)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_page(tmp_path / "nowhere" / "r.html", found)
    write_page(tmp_path / "r.html", found)
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_it_stays_small_for_a_large_table(tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(6_000, 30))).rename(columns=lambda c: f"column {c}")
    found = analyze(X, rng.random(6_000) < 0.2)
    assert len(data_page(found)) < 3_000_000


def test_a_page_of_a_table_of_1500_rows_is_small_enough_to_send():
    from icost.comparison import compare

    X, y = load_dataset("yeast4", return_X_y=True)
    # As many candidates as by default.
    names = {"classifier": ["lr", "dt", "nb"], "strategies": ["ncs", "cs", "neighbor", "ros"]}
    comparison = compare(X, y, **names, n_repeats=1, n_splits=2)
    page = data_page(analyze(X, y, name="yeast4"), comparison)
    assert len(page.encode()) < 1_800_000
