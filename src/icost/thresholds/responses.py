"""Which scores of a classifier are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

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


def check_class_scores(model: Any, method: str, n_classes: int, name: str) -> None:
    """Raise for scores of pairs of classes, which look like those of classes if there are three."""
    is_pairs = getattr(last_step(model), "decision_function_shape", None) == "ovo"
    if is_pairs and n_classes > 2 and method == RESPONSES[0]:
        raise ValueError(
            f"{name} must have a score for each class, got decision_function_shape='ovo': use "
            "'ovr'."
        )


def last_step(model: Any) -> Any:
    """Return what decides in a pipeline, also one of pipelines; a model itself if it is none."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model
