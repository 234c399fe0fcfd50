"""Calibration: from scores of any kind to probabilities that follow the true shares of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from icost.ensemble.cross_fit import Repeat

STRENGTH = 100.0
"""Inverse of the regularisation: weak, yet enough where scores separate the classes."""

SLIGHT = 1e-9
"""Slopes that rounding alone may have turned."""


def fit_calibrator(
    scores: NDArray[np.float64],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64] | None = None,
) -> Pipeline:
    """Return a logistic regression of the classes on standardised held-out scores.

    Of constant scores, and of scores that run against the labels, it gives the shares of the
    classes; of more than two classes, the score of one that runs against it is left out. SMOTE and
    weights shift the scores of a repeat as they like: this is where the shift is undone, since
    held-out rows are real ones.

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
    scaled = scaler.transform(scores)
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(scaled, codes, sample_weight=weight)
    # Held-out scores of pure noise run against the labels, since who is held out is missing from
    # the others. Turned round, they would seem to tell something.
    if model.coef_.shape == (1, 1):
        if model.coef_[0, 0] < 0:
            share = np.average(codes, weights=weight)
            model.coef_, model.intercept_ = np.zeros((1, 1)), np.log([share / (1 - share)])
        return make_pipeline(scaler, model)
    while model.coef_.shape[0] == scaled.shape[1] and (np.diag(model.coef_) < -SLIGHT).any():
        # A column of zeros gets a slope of zero, and then tells nothing of new rows either.
        scaled[:, np.diag(model.coef_) < -SLIGHT] = 0.0
        model.fit(scaled, codes, sample_weight=weight)
    return make_pipeline(scaler, model)


def apply_calibrator(calibrator: Any, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes; scores that are probabilities need no calibrator."""
    if calibrator is not None:
        return calibrator.predict_proba(scores)
    return np.hstack([1 - scores, scores]) if scores.shape[1] == 1 else scores


def mean_proba(
    bases: Sequence[Sequence[Repeat]], calibrators: Sequence[Sequence[Any]], rows: Any = None
) -> NDArray[np.float64]:
    """Return the held-out probabilities of rows: the mean over repeats and bases."""
    chosen = slice(None) if rows is None else rows
    columns = [
        apply_calibrator(calibrator, repeat.scores[chosen])
        for repeats, own in zip(bases, calibrators, strict=True)
        for repeat, calibrator in zip(repeats, own, strict=True)
    ]
    return np.mean(columns, axis=0)


def calibrate_all(
    bases: Sequence[Sequence[Repeat]],
    codes: NDArray[np.intp],
    weight: NDArray[np.float64] | None,
    calibrate: bool,
    rows: Any = None,
) -> list[list[Any]]:
    """Return a calibrator of each repeat of each base, fitted to some rows or to all.

    Codes and weights are those of these rows. Without calibration they are None, and scores are
    probabilities already.
    """
    if not calibrate:
        return [[None] * len(repeats) for repeats in bases]
    chosen = slice(None) if rows is None else rows
    return [
        [fit_calibrator(repeat.scores[chosen], codes, weight) for repeat in repeats]
        for repeats in bases
    ]
