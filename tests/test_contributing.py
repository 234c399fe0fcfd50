"""The measure that CONTRIBUTING shows is one that a stranger can copy."""

import re
from pathlib import Path

import numpy as np

from icost import iCost

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def test_the_example_measure_works():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    names = {}
    exec(code, names)
    X = np.array([[0.0], [1.0], [2.0], [9.0], [30.0], [31.0], [32.0], [33.0], [34.0], [35.0]])
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    model = iCost(method=names["DensityComplexity"](n_neighbors=1)).fit(X, y)
    # Distances 1, 1, 1, 7: the last is the outlier, whatever the order of the ties.
    assert model.complexity_.category[3] == "outlier"
    assert sorted(model.complexity_.score) == [0, 1 / 3, 2 / 3, 1]
