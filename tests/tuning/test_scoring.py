import numpy as np
import pytest

from icost import iCost
from icost.tuning._candidates import resolve_scorer


def test_names_of_ours_mean_the_minority():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [9.5]])
    y = np.array(["ill", "ill", "well", "well", "well"])
    model = iCost(method="cs").fit(X, y)
    recall = np.mean(model.predict(X[:2]) == "ill")
    assert resolve_scorer("sensitivity", model, "ill")(model, X, y) == recall


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="nonsense"):
        resolve_scorer("nonsense", iCost(), 1)
