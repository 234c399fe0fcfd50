"""Scores of a classifier, and their calibration: probabilities that follow the classes' shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats, Ints
from icost._core.delegation import DelegatingClassifier

RESPONSES = ("decision_function", "predict_proba")
"""Methods that return scores, the preferred one first."""

STRENGTH = 100.0
"""Inverse of the regularisation: weak, yet enough where scores separate the classes."""

SLIGHT = 1e-9
"""Slopes that rounding alone may have turned."""


def response_method(models: Sequence[Any]) -> str:
    """Return the method whose scores can be averaged over some classifiers, fitted or not.

    The first of `RESPONSES` that all have: scores of different kinds have no mean.
    """
    for name in RESPONSES:
        if all(hasattr(model, name) for model in models):
            return name
    raise ValueError(
        "classifiers must all have decision_function or all have predict_proba for their scores "
        f"to be averaged, got {list(models)!r}."
    )


def response_scores(model: Any, X: Any, method: str | None = None) -> Floats:
    """Return a fitted classifier's scores: for two classes one column, that of the second."""
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
    """Return the final estimator of a (nested) pipeline, or the model itself."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def deciding_step(model: Any) -> Any:
    """Return what decides in a pipeline, or in a fitted classifier around one."""
    while isinstance(model, Pipeline | DelegatingClassifier):
        check_is_fitted(model)
        model = last_step(model) if isinstance(model, Pipeline) else model.model_
    return model


def finite_scores(scores: Floats) -> Floats:
    """Return scores as columns, with infinite ones as large as a sum of squares can take."""
    columns = np.asarray(scores, dtype=np.float64)
    columns = columns[:, np.newaxis] if columns.ndim == 1 else columns
    return np.clip(columns, -1e100, 1e100)


def held_out_scores(scores: Floats) -> Floats:
    """Return scores to calibrate by as columns, with infinite ones at the ends of the others.

    Larger ones would leave nothing of the differences between all others.
    """
    columns = finite_scores(scores)
    is_finite = np.isfinite(np.reshape(scores, columns.shape))
    if is_finite.all() or not is_finite.any(axis=0).all():
        return columns
    low = np.min(columns, axis=0, where=is_finite, initial=np.inf)
    high = np.max(columns, axis=0, where=is_finite, initial=-np.inf)
    return np.clip(columns, low, high)


def fit_calibrator(scores: Floats, codes: Ints, weight: Floats | None = None) -> Pipeline:
    """Return a logistic regression of the classes on standardised held-out scores.

    For constant scores, and for scores that run against the labels, it returns the shares of the
    classes; for more than two classes, the score of one that runs against it is left out. SMOTE and
    weights shift scores arbitrarily: here the shift is undone, since held-out rows are real ones.
    """
    # Relative weights: multiplied by a constant, they must not change the regularisation.
    weight = None if weight is None else weight / weight.mean()
    scaler = StandardScaler().set_output(transform="default").fit(scores, sample_weight=weight)
    scaled = scaler.transform(scores)
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(scaled, codes, sample_weight=weight)
    # Held-out scores of pure noise run against the labels, since the held-out row is missing from
    # the others. Turned round, they would seem informative.
    if model.coef_.shape == (1, 1):
        if model.coef_[0, 0] < 0:
            share = np.average(codes, weights=weight)
            model.coef_, model.intercept_ = np.zeros((1, 1)), np.log([share / (1 - share)])
        return make_pipeline(scaler, model)
    while model.coef_.shape[0] == scaled.shape[1] and (np.diag(model.coef_) < -SLIGHT).any():
        # A column of zeros gets a slope of zero, and is then ignored for new rows as well.
        scaled[:, np.diag(model.coef_) < -SLIGHT] = 0.0
        model.fit(scaled, codes, sample_weight=weight)
    return make_pipeline(scaler, model)


def apply_calibrator(calibrator: Any, scores: Floats) -> Floats:
    """Return the probabilities of all classes; scores that are probabilities need no calibrator."""
    if calibrator is not None:
        return calibrator.predict_proba(scores)
    return np.hstack([1 - scores, scores]) if scores.shape[1] == 1 else scores
