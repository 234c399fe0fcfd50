"""Which scores of a classifier are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESPONSES = ("decision_function", "predict_proba")
"""Methods that return scores, the preferred one first."""


def response_method(models: Sequence[Any]) -> str:
    """Return the method whose scores can be averaged over some classifiers, fitted or not.

    The first of `RESPONSES` that all have: scores of different kinds have no mean.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.thresholds import response_method
    >>> response_method([LogisticRegression()])
    'decision_function'
    >>> response_method([LogisticRegression(), DecisionTreeClassifier()])
    'predict_proba'
    """
    for name in RESPONSES:
        if all(hasattr(model, name) for model in models):
            return name
    raise ValueError(
        "classifiers must all have decision_function or all have predict_proba for their scores "
        f"to be averaged, got {list(models)!r}."
    )


def confidence(model: Any, X: Any, method: str | None = None) -> NDArray[np.float64]:
    """Return a fitted classifier's scores: of two classes one column, that of the second."""
    name = method or response_method([model])
    scores = np.asarray(getattr(model, name)(X))
    return scores[:, 1] if name == "predict_proba" and scores.shape[1] == 2 else scores
