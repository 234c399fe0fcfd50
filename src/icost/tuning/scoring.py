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

    Parameters
    ----------
    estimator : iCost, or Pipeline that ends in one
        Its ``minority_label`` decides, if it has one.
    classes, codes : ndarray
        From `icost.labels.encode_labels`.
    sample_weight : ndarray of shape (n_samples,), default=None
        The user's weights, by which iCost finds the minority as well.

    Returns
    -------
    label or None
        None for more than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from icost import iCost
    >>> from icost.tuning.scoring import positive_label
    >>> classes, codes = np.array(["a", "b"]), np.array([0, 0, 1])
    >>> str(positive_label(iCost(), classes, codes))
    'b'
    >>> str(positive_label(iCost(), classes, codes, np.array([1.0, 1.0, 9.0])))
    'a'
    """
    prefix = cost_prefix(estimator)
    if len(classes) > 2:
        return None
    named = estimator.get_params()[f"{prefix}minority_label"]
    return classes[resolve_minority(classes, codes, named, sample_weight)]


def resolve_scorer(scoring: Any, estimator: Any, minority_label: Any) -> Callable[..., float]:
    """Return the scorer that a user named.

    Parameters
    ----------
    scoring : str, callable or None
        A name of `icost.metrics.make_scorers`, where the minority is the positive class; a name
        that scikit-learn knows; a callable ``scorer(estimator, X, y)``; or None for the estimator's
        own ``score``.
    estimator : estimator
        What will be scored.
    minority_label : label or None
        The positive class; None for more than two classes.

    Returns
    -------
    callable
        The scorer.

    Examples
    --------
    >>> from icost import iCost
    >>> from icost.tuning.scoring import resolve_scorer
    >>> resolve_scorer("balanced_accuracy", iCost(), 1)
    make_scorer(balanced_accuracy_score, response_method='predict')
    """
    if scoring == "matthews_corrcoef":
        return get_scorer(scoring)
    own = make_scorers(minority_label)
    if isinstance(scoring, str) and scoring in own:
        return own[scoring]
    return check_scoring(estimator, scoring=scoring)
