"""What tests of research pages share: the script in benchmarks/, and the page that quotes it."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Research(NamedTuple):
    """A page of docs/research, and the script that evaluates its recorded rows."""

    page: str
    script: ModuleType

    def missing(self, lines):
        """Return the lines that the page does not have."""
        return [line for line in lines if line not in self.page]


@pytest.fixture(scope="module")
def script(request):
    """The SCRIPT of benchmarks/ that a file of tests names."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module(request.module.SCRIPT)
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def research(request, script):
    """That script and the PAGE that the file of tests names."""
    page = ROOT / "docs" / "research" / request.module.PAGE
    return Research(page.read_text("utf-8"), script)


@pytest.fixture(scope="module")
def lines(research):
    """The lines that the script prints from the recorded rows."""
    return [line for line in research.script.evaluate(ROOT / "results" / "benchmarks") if line]
