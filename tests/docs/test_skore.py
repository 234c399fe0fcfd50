"""The page about skore shows what its script prints, where skore is installed."""

import re
import runpy
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "skore.md").read_text("utf-8")


def test_the_page_shows_the_script():
    assert (ROOT / "docs" / "guide" / "skore_report.py").is_file()
    assert "literalinclude} skore_report.py" in PAGE


def test_the_page_shows_what_the_script_prints(capsys):
    pytest.importorskip("skore", reason="skore is no dependency")
    versions = [f"skore {metadata.version('skore')}"]
    versions += [f"scikit-learn {metadata.version('scikit-learn')}"]
    if not all(version in PAGE for version in versions):
        pytest.skip(f"the page was written with other versions than {versions}")
    runpy.run_path(str(ROOT / "docs" / "guide" / "skore_report.py"))
    printed = re.findall(r"^(?:mcc|precision|recall|roc_auc).*$", capsys.readouterr().out, re.M)
    assert len(printed) == 4
    assert all(line in PAGE for line in printed)
