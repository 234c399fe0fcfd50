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

    Of constant scores it gives the shares of the classes. SMOTE and weights shift the scores of a
    repeat as they like: this is where the shift is undone, since held-out rows are real ones.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.ensemble.calibration import fit_calibrator
    >>> scores, codes = np.zeros((10, 1)), np.repeat([0, 1], [8, 2])
    >>> fit_calibrator(scores, codes).predict_proba([[0.0]]).round(3)
    array([[0.8, 0.2]])
    """
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH, max_iter=1000))
    return model.fit(scores, codes, logisticregression__sample_weight=weight)


def apply_calibrator(calibrator: Any, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes; scores that are probabilities need no calibrator."""
    if calibrator is not None:
        return calibrator.predict_proba(scores)
    return np.hstack([1 - scores, scores]) if scores.shape[1] == 1 else scores
