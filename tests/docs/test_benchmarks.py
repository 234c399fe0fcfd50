"""The tables of speed in the docs are what the recorded benchmarks say."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_has_the_numbers_on_record():
    spec = importlib.util.spec_from_file_location("summary", ROOT / "benchmarks" / "summary.py")
    summary = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(summary)
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    assert summary.replace_block(text) == text
    assert text.count(summary.START) == 1
