"""Which score of a classifier is meant: its decision function, else its probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESPONSES = ("decision_function", "predict_proba")
"""Methods that return scores, the preferred one first."""


def response_method(models: Sequence[Any]) -> str:
    """Return the method whose scores can be averaged over some classifiers.

    Parameters
    ----------
    models : sequence of classifiers
        Fitted or not.

    Returns
    -------
    {"decision_function", "predict_proba"}
        The first of these that all have: scores of different kinds have no mean.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.tuning.responses import response_method
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
    """Return a classifier's scores.

    Parameters
    ----------
    model : classifier
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Samples.
    method : {"decision_function", "predict_proba"}, default=None
        Which scores; by default, what `response_method` says.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)
        One column, for the second class, if there are two.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.tuning.responses import confidence
    >>> X = np.array([[0.0], [1.0]])
    >>> confidence(DecisionTreeClassifier().fit(X, [0, 1]), X)
    array([0., 1.])
    """
    name = method or response_method([model])
    scores = np.asarray(getattr(model, name)(X))
    return scores[:, 1] if name == "predict_proba" and scores.shape[1] == 2 else scores
