"""Thresholds: from scores of rows that a model has not seen to the cut that decides.

Three rules stand side by side, each for another question:

- `best_threshold`: the one best cut for any objective, such as a cost per error;
- `tune_threshold`: the median of the best cuts of bootstrap samples, which is steadier;
- `fit_tuned`: scikit-learn's rule, a grid of cuts scored fold by fold.

`response_method` and `confidence` say which scores of a classifier are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.utils import check_random_state

from icost.metrics import confusion_scores, fast_mcc
from icost.validation import check_choice, check_number

N_BOOTSTRAPS = 50
"""Bootstrap samples whose best thresholds the median is taken of."""

RESPONSES = ("decision_function", "predict_proba")
"""Methods that return scores, the preferred one first."""

Objective = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From a stack of confusion matrices, the minority second, to what is to be large."""


def cost_objective(cost_fn: float, cost_fp: float) -> Objective:
    """Return an objective that is large where errors cost little.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.thresholds import cost_objective
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

    Examples
    --------
    >>> import numpy as np
    >>> from icost.thresholds import best_threshold, cost_objective
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
    value = objective(_matrices_below(np.ones(len(truth)), truth, cut))
    gap = score[cut + 1] - score[cut]
    chosen = cut[np.lexsort((gap, value))[-1]]
    return float((score[chosen] + score[chosen + 1]) / 2)


def tune_threshold(
    is_second: ArrayLike,
    scores: ArrayLike,
    *,
    metric: str = "mcc",
    positive: int = 1,
    n_bootstraps: int = N_BOOTSTRAPS,
    random_state: int | np.random.RandomState | None = None,
) -> float:
    """Return the median, over bootstrap samples, of the best threshold.

    The best threshold of one sample follows its noise; the median of many is steadier.

    Parameters
    ----------
    is_second : array-like of shape (n_samples,)
        Whether each sample is of the second class.
    scores : array-like of shape (n_samples,)
        Out-of-fold scores of the second class.
    metric : {"mcc", "f1", "g_mean"}, default="mcc"
        What is to be high.
    positive : int, default=1
        Code of the class whose F1 is meant.
    n_bootstraps : int, default=50
        Number of bootstrap samples.
    random_state : int, RandomState or None, default=None
        Draws them.

    Returns
    -------
    float
        Samples that score at least this much are to be of the second class.

    Examples
    --------
    >>> from icost.tuning import tune_threshold
    >>> round(tune_threshold([0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.9], random_state=0), 2)
    0.5
    """
    check_choice("metric", metric, ("mcc", "f1", "g_mean"))
    check_number("n_bootstraps", n_bootstraps, low=1, integer=True)
    order = np.argsort(scores, kind="stable")
    ordered, second = np.asarray(scores)[order], np.asarray(is_second, dtype=bool)[order]
    cuts = np.flatnonzero(np.diff(ordered) > 0)
    if not len(cuts):
        return float(ordered[0])
    between = (ordered[cuts] + ordered[cuts + 1]) / 2
    draw = check_random_state(random_state).multinomial
    uniform = np.full(len(order), 1 / len(order))
    chosen = [
        _middle_best_cut(draw(len(order), uniform), second, cuts, metric, positive)
        for _ in range(n_bootstraps)
    ]
    return float(np.median(between[chosen]))


def _middle_best_cut(
    counts: NDArray[np.intp],
    second: NDArray[np.bool_],
    cuts: NDArray[np.intp],
    metric: str,
    positive: int,
) -> int:
    """Position of the best cut of a sample that holds each row ``counts`` times."""
    matrices = _matrices_below(counts, second, cuts)
    values = confusion_scores(matrices, positive, [metric])[metric]
    # The middle of the best cuts: rows that were not drawn leave whole stretches of them equal.
    best = np.flatnonzero(values >= values.max() - 1e-12)
    return int(best[len(best) // 2])


def _matrices_below(
    counts: NDArray[Any], second: NDArray[np.bool_], cuts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """A confusion matrix per cut of rows in the order of their scores: up to it, all are first."""
    below_first, below_second = np.cumsum(counts * ~second), np.cumsum(counts * second)
    first = [below_first[cuts], below_first[-1] - below_first[cuts]]
    last = [below_second[cuts], below_second[-1] - below_second[cuts]]
    return np.stack([*first, *last], axis=-1).reshape(-1, 2, 2).astype(np.float64)


def fit_tuned(estimator: Any, X: Any, y: NDArray[np.intp], cv: Any, minority: int = 1) -> Any:
    """Fit a classifier and move its threshold to where held-out folds have the best MCC.

    Returns a fitted `sklearn.model_selection.TunedThresholdClassifierCV`; where predictions are
    constant and no threshold is better than another, the fitted classifier itself.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from icost.thresholds import fit_tuned
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
    """Return a fitted classifier's scores: of two classes one column, that of the second.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost.thresholds import confidence
    >>> X = np.array([[0.0], [1.0]])
    >>> confidence(DecisionTreeClassifier().fit(X, [0, 1]), X)
    array([0., 1.])
    """
    name = method or response_method([model])
    scores = np.asarray(getattr(model, name)(X))
    return scores[:, 1] if name == "predict_proba" and scores.shape[1] == 2 else scores
