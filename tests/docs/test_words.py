"""Phrases and names that readers stumble over fail the lint."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECK = runpy.run_path(str(ROOT / ".ci/check_words.py"))


def test_a_phrase_is_found_on_its_line_and_across_two():
    text = "one\nThe two cannot be told\napart."
    assert list(CHECK["find_phrases"](text)) == [(2, "be told")]
    assert list(CHECK["find_phrases"]("the best in\n  Hindsight")) == [(1, "in Hindsight")]


def test_all_that_is_read_is_checked():
    names = {path.relative_to(ROOT).as_posix() for path in CHECK["texts"]()}
    assert {
        "README.md",
        "docs/index.md",
        "docs/guide/costs.md",
        "examples/plot_13_control.py",
        "benchmarks/ensemble_summary.py",
        "reproduction/src/icost_reproduction/findings.py",
        "src/icost/report/templates/data_report.html",
        "src/icost/report/templates/page.js",
    } <= names
    assert not [name for name in names if "_build" in name or "plotly" in name]


def test_a_vague_name_is_found_wherever_it_is_defined():
    text = """
def _found(own, *like, kind=1):
    known, other = own
    for part in known: pass
    with other as TAKEN: pass
    other.made = (lambda beside: [way for way in beside])(other)
import icost as told
"""
    names = [name for _, name in CHECK["find_vague_names"](text)]
    wanted = "_found own like kind known part TAKEN made beside way told"
    assert sorted(names) == sorted(wanted.split())
    # Uses of what others have named, and longer names, are no definitions of vague ones.
    assert not list(CHECK["find_vague_names"]("known_rows = values.found(kind='stable')"))


def test_no_phrase_and_no_vague_name_is_left():
    assert CHECK["main"]() == 0
