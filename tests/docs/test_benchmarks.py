"""The README's table of speed is what the recorded benchmarks say."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_readme_has_the_numbers_on_record():
    spec = importlib.util.spec_from_file_location("summary", ROOT / "benchmarks" / "summary.py")
    summary = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(summary)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert summary.replace_block(text) == text
    assert text.count(summary.START) == 1
