"""The measure that CONTRIBUTING shows is one that a stranger can copy."""

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from icost import complexity, iCost
from icost.complexity import methods

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"

X = np.array([[0.0], [1.0], [2.0], [9.0], [30.0], [31.0], [32.0], [33.0], [34.0], [35.0]])
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])


@pytest.fixture
def density():
    """The module that the page has a stranger write."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    module = ModuleType("icost.complexity.density")
    exec(code, vars(module))
    return module


def test_the_example_measure_works(density):
    model = iCost(method=density.DensityComplexity(n_neighbors=1)).fit(X, Y)
    # Distances 1, 1, 1, 7: the last is the outlier, whatever the order of the ties.
    assert model.complexity_.category[3] == "outlier"
    assert sorted(model.complexity_.score) == [0, 1 / 3, 2 / 3, 1]


def test_two_lines_give_it_a_name(density, monkeypatch):
    page = PAGE.read_text()
    measure, home = re.findall(r'^- `("\w+": .*?)` to', page, flags=re.MULTILINE)
    monkeypatch.setitem(sys.modules, density.__name__, density)
    monkeypatch.setattr(methods, "MEASURES", {**methods.MEASURES, **eval(f"{{{measure}}}")})
    monkeypatch.setattr(methods, "METHODS", ("ncs", "cs", *methods.MEASURES))
    monkeypatch.setattr(complexity, "_HOME", {**complexity._HOME, **eval(f"{{{home}}}")})
    model = iCost(method="density", n_neighbors=1).fit(X, Y)
    assert model.complexity_.category[3] == "outlier"
