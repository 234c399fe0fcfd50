"""The measure that CONTRIBUTING shows is one that a stranger can copy."""

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from icost import complexity, iCost
from icost.complexity import _methods as methods
from icost.complexity._base import home_of

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"

X = np.array([[0.0], [1.0], [2.0], [9.0], [30.0], [31.0], [32.0], [33.0], [34.0], [35.0]])
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])


@pytest.fixture
def isolation():
    """The module that the page has a stranger write."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    module = ModuleType("icost.complexity._isolation")
    exec(code, vars(module))
    return module


def test_the_example_measure_works(isolation):
    model = iCost(method=isolation.IsolationComplexity(n_neighbors=1)).fit(X, Y)
    # Distances 1, 1, 1, 7: the last is the outlier, and ties are even.
    assert model.complexity_.category.tolist() == ["safe", "safe", "safe", "outlier"]
    assert model.complexity_.score.tolist() == [1 / 3, 1 / 3, 1 / 3, 1]


def test_the_example_measure_takes_few_rows_and_sparse_ones(isolation):
    measure = isolation.IsolationComplexity()
    assert measure.estimate(X, np.arange(10) == 0).category.tolist() == ["pure"]
    record = measure.estimate(csr_matrix(X), Y)
    assert record.score.tolist() == measure.estimate(X, Y).score.tolist()


def test_the_example_has_a_file_of_its_own():
    # A name that the library has taken since would overwrite a file of ours.
    (path,) = re.findall(r"```python\n# (src/\S+)\n", PAGE.read_text())
    assert not (PAGE.parent / path).exists()


def test_five_edits_ship_it(isolation, monkeypatch):
    page = PAGE.read_text()
    edits = re.findall(r"^(\d)\. ", page, flags=re.MULTILINE)
    assert edits == ["1", "2", "3", "4", "5"]
    (measure,) = re.findall(r'^2\. `("\w+": .*?)` in `MEASURES`', page, flags=re.MULTILINE)
    assert home_of("IsolationComplexity") == isolation.__name__
    monkeypatch.setitem(sys.modules, isolation.__name__, isolation)
    monkeypatch.setattr(methods, "MEASURES", {**methods.MEASURES, **eval(f"{{{measure}}}")})
    monkeypatch.setattr(methods, "METHODS", ("ncs", "cs", *methods.MEASURES))
    monkeypatch.setattr(complexity, "__all__", [*complexity.__all__, "IsolationComplexity"])
    model = iCost(method="isolation", n_neighbors=1).fit(X, Y)
    assert model.complexity_.category[3] == "outlier"
