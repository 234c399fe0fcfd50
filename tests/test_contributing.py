"""The measure that CONTRIBUTING shows is one that a stranger can copy."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from icost import iCost
from icost.complexity._base import home_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"

X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0], [12.0], [13.0], [14.0], [15.0]])
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])


def example():
    """Path and text of the module that the page has a stranger write."""
    pattern = r"```python\n# (src/\S+)\n(.*?)```"
    ((path, code),) = re.findall(pattern, PAGE.read_text("utf-8"), flags=re.DOTALL)
    return path, code


@pytest.fixture
def isolation():
    module = ModuleType("icost.complexity._isolation")
    exec(example()[1], vars(module))
    return module


def test_the_example_measure_works(isolation):
    model = iCost(method=isolation.IsolationComplexity(n_neighbors=1)).fit(X, Y)
    # Its own class is 7 away from the last one, the others 1.
    assert model.complexity_.category.tolist() == ["safe", "safe", "safe", "outlier"]
    assert model.complexity_.score == pytest.approx([1 / 11, 1 / 10, 1 / 9, 7 / 8])


def test_the_example_measure_takes_few_rows_and_sparse_ones(isolation):
    measure = isolation.IsolationComplexity()
    assert measure.estimate(X, np.arange(10) == 0).category.tolist() == ["outlier"]
    record = measure.estimate(csr_matrix(X), Y)
    assert record.score.tolist() == measure.estimate(X, Y).score.tolist()


def test_the_example_has_a_file_of_its_own():
    # A name that the library has taken since would overwrite a file of ours.
    assert not (ROOT / example()[0]).exists()


def insert_before(path, text, line):
    """Put a line before the one that has a text, with its indentation."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    (place,) = [number for number, other in enumerate(lines) if other.lstrip().startswith(text)]
    indent = lines[place][: -len(lines[place].lstrip())]
    lines.insert(place, f"{indent}{line}\n")
    path.write_text("".join(lines), "utf-8")


@pytest.fixture
def edited(tmp_path):
    """A copy of the library with those of the five edits that change its code."""
    page = PAGE.read_text("utf-8")
    assert re.findall(r"^(\d)\. ", page, flags=re.MULTILINE) == ["1", "2", "3", "4", "5"]
    ignored = shutil.ignore_patterns("__pycache__", "*.js")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    path, code = example()
    (tmp_path / path).write_text(code, "utf-8")
    (measure,) = re.findall(r'^2\. `("\w+": .*?)` in `MEASURES`', page, flags=re.MULTILINE)
    room = tmp_path / "src" / "icost" / "complexity"
    insert_before(room / "_methods.py", '"margin": ', f"{measure},")
    name = "IsolationComplexity"
    insert_before(
        room / "__init__.py", "from icost.complexity._margin", f"from {home_of(name)} import {name}"
    )
    insert_before(room / "__init__.py", '"MarginComplexity",', f'"{name}",')
    return tmp_path


def run(edited, *words):
    """Run Python with the edited copy; return what it printed."""
    sources = [str(edited / "src"), str(ROOT / "reproduction" / "src")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sources)}
    done = subprocess.run(
        [sys.executable, *words], env=environment, cwd=edited, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_five_edits_ship_it(edited):
    checks = [ROOT / "tests" / name for name in ("complexity/test_measures.py", "test_common.py")]
    chosen = "Isolation or isolation or a_name_stands_for_a_measure"
    options = ("-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml", "-k", chosen)
    out = run(edited, "-m", "pytest", *options, "--doctest-modules", *checks, edited / example()[0])
    assert int(re.search(r"(\d+) passed", out)[1]) > 60
    # In one process, which loads the library once.
    commands = [
        "fit glass2 --strategy isolation --cfb 0.8 -o model.skops -q",
        "inspect model.skops",
        "compare glass2 -s cs -s isolation --folds 2 --repeats 1 -j 1",
        "analyze glass2 --measure isolation",
    ]
    lines = [f"assert run({command.split()!r}) == 0" for command in commands]
    out = run(edited, "-c", "\n".join(["from icost.cli._app import run", *lines]))
    assert "with Isolation-iCost: predicts" in out and "Isolation-iCost" in out
