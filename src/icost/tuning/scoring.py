"""Scorers by name, and the class that they take for the positive one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer

from icost.labels import resolve_minority
from icost.metrics import make_scorers
from icost.tuning.sharing import cost_prefix

CONFUSION_SCORES = {"mcc": "mcc", "matthews_corrcoef": "mcc", "f1": "f1", "g_mean": "g_mean"}
"""Names of scores that a confusion matrix is enough for; no scorer has to be called."""


def positive_label(
    estimator: Any,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    sample_weight: NDArray[np.float64] | None = None,
) -> Any:
    """Return the positive class: the estimator's, else the one of two with less weight.

    By weight, since iCost finds the minority so; of more than two classes none is positive.
    """
    prefix = cost_prefix(estimator)
    if len(classes) > 2:
        return None
    named = estimator.get_params()[f"{prefix}minority_label"]
    return classes[resolve_minority(classes, codes, named, sample_weight)]


def resolve_scorer(scoring: Any, estimator: Any, minority_label: Any) -> Callable[..., float]:
    """Return the scorer that a user named; for names of ours the minority is the positive class."""
    if scoring == "matthews_corrcoef":
        return get_scorer(scoring)
    own = make_scorers(minority_label)
    if isinstance(scoring, str) and scoring in own:
        return own[scoring]
    return check_scoring(estimator, scoring=scoring)
