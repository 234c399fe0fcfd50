"""Thresholds: where inner folds say that the decision is best."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
    cross_val_predict,
)

from icost.classifier import iCost
from icost.experiments.confusion import fast_mcc
from icost.experiments.folds import TrainingFold
from icost.experiments.models import Fitted

THRESHOLD_SPLITS = 5
"""Number of inner folds by which thresholds are tuned, as is scikit-learn's default."""

Objective = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From a stack of confusion matrices, the minority second, to what is to be large."""


def cost_objective(cost_fn: float, cost_fp: float) -> Objective:
    """Return an objective that is large where errors cost little.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.thresholds import cost_objective
    >>> cost_objective(50.0, 2.0)(np.array([[[7, 1], [1, 1]]]))
    array([-52.])
    """
    return lambda matrices: -(cost_fp * matrices[:, 0, 1] + cost_fn * matrices[:, 1, 0])


def best_threshold(
    truth: NDArray[np.bool_], score: NDArray[np.float64], objective: Objective
) -> float:
    """Return the threshold from which on a score means minority, for the best objective.

    All thresholds between scores are tried, by counting; of equally good ones, the middle of the
    widest gap is taken.

    Parameters
    ----------
    truth : ndarray of shape (n_samples,)
        Whether each sample is of the minority.
    score : ndarray of shape (n_samples,)
        Scores of the minority.
    objective : callable
        From confusion matrices to what is to be large.

    Returns
    -------
    float
        The threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.thresholds import best_threshold, cost_objective
    >>> truth, score = np.array([False, False, True]), np.array([0.1, 0.2, 0.6])
    >>> best_threshold(truth, score, cost_objective(5.0, 1.0))
    0.4
    """
    order = np.argsort(score, kind="stable")
    score, truth = score[order], truth[order]
    # A cut after each group of equal scores but the last: below it, all is predicted majority.
    cut = np.flatnonzero(np.diff(score) > 0)
    if not len(cut):
        return float(score[0])
    missed, total = np.cumsum(truth)[cut], int(truth.sum())
    rejected = cut + 1 - missed
    alarms = (len(truth) - total) - rejected
    columns = [rejected, alarms, missed, total - missed]
    value = objective(np.stack(columns, axis=1).reshape(-1, 2, 2).astype(np.float64))
    gap = score[cut + 1] - score[cut]
    chosen = cut[np.lexsort((gap, value))[-1]]
    return float((score[chosen] + score[chosen + 1]) / 2)


def fit_threshold(base: Any, fold: TrainingFold, objective: Objective) -> Fitted:
    """Fit a classifier and move its threshold to where five inner folds are best.

    Parameters
    ----------
    base : classifier
        Left as it is.
    fold : TrainingFold
        Training data of two classes.
    objective : callable
        What is to be large.

    Returns
    -------
    Fitted
        The model, with the threshold in its note.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.thresholds import cost_objective, fit_threshold
    >>> fold = TrainingFold(np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], [32, 8]))
    >>> fit_threshold(LogisticRegression(), fold, cost_objective(5.0, 1.0)).predict([[0.0], [39.0]])
    array([0, 1])
    """
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    model = iCost(clone(base), method="ncs", minority_label=1)
    has_decision = hasattr(model, "decision_function")
    response = "decision_function" if has_decision else "predict_proba"
    start = perf_counter()
    scores = cross_val_predict(model, fold.X, fold.y, cv=cv, method=response)
    threshold = best_threshold(fold.y == 1, scores if has_decision else scores[:, 1], objective)
    frozen = FrozenEstimator(model.fit(fold.X, fold.y))
    options = {"threshold": threshold, "pos_label": 1, "response_method": response}
    fixed = FixedThresholdClassifier(frozen, **options).fit(fold.X, fold.y)
    return Fitted(fixed, perf_counter() - start, note=f"threshold {threshold:.6g}")


def fit_tuned(estimator: Any, X: Any, y: NDArray[np.intp], cv: Any, minority: int = 1) -> Any:
    """Fit a classifier and move its threshold to where held-out folds have the best MCC.

    Parameters
    ----------
    estimator : classifier
        Left as it is.
    X : table of shape (n_samples, n_features)
        Training data.
    y : ndarray of shape (n_samples,)
        Codes of two classes.
    cv : splitter
        The folds.
    minority : {0, 1}, default=1
        The class whose score the threshold is for.

    Returns
    -------
    classifier
        A fitted `sklearn.model_selection.TunedThresholdClassifierCV`; where predictions are
        constant and no threshold is better than another, the fitted classifier itself.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from icost.experiments.thresholds import fit_tuned
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], [32, 8])
    >>> fit_tuned(LogisticRegression(), X, y, StratifiedKFold(2)).predict([[0.0], [39.0]])
    array([0, 1])
    """
    scorer = make_scorer(fast_mcc, pos_label=minority)
    model = TunedThresholdClassifierCV(estimator, scoring=scorer, cv=cv)
    try:
        return model.fit(X, y)
    except ValueError as error:
        if "constant predictions" not in str(error):
            raise
        return clone(estimator).fit(X, y)
