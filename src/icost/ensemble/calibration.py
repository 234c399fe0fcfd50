"""Calibration: from scores of any kind to probabilities that follow the true shares of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

STRENGTH = 100.0
"""Inverse of the regularisation: weak, yet enough where scores separate the classes."""


def fit_calibrator(
    scores: NDArray[np.float64],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
) -> Pipeline:
    """Return a logistic regression of the classes on standardised held-out scores.

    Of constant scores, and of scores that run against the labels, it gives the shares of the
    classes. SMOTE and weights shift the scores of a
    repeat as they like: this is where the shift is undone, since held-out rows are real ones.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.ensemble.calibration import fit_calibrator
    >>> scores, codes = np.zeros((10, 1)), np.repeat([0, 1], [8, 2])
    >>> fit_calibrator(scores, codes).predict_proba([[0.0]]).round(3)
    array([[0.8, 0.2]])
    """
    # Relative weights: multiplied by a constant, they must not change the regularisation.
    weight = None if weight is None else weight / weight.mean()
    scaler = StandardScaler().fit(scores, sample_weight=weight)
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(scaler.transform(scores), codes, sample_weight=weight)
    if model.coef_.shape == (1, 1) and model.coef_[0, 0] < 0:
        # Held-out scores of pure noise run against the labels, since who is held out is missing
        # from the others. Turned round, they would seem to tell something.
        share = np.average(codes, weights=weight)
        model.coef_, model.intercept_ = np.zeros((1, 1)), np.log([share / (1 - share)])
    return make_pipeline(scaler, model)


def apply_calibrator(calibrator: Any, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes; scores that are probabilities need no calibrator."""
    if calibrator is not None:
        return calibrator.predict_proba(scores)
    return np.hstack([1 - scores, scores]) if scores.shape[1] == 1 else scores
