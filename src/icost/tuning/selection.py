"""Which candidate is the best: one answer, whatever the order of the candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.penalties import COST_MULTIPLIERS

TIE = 1e-9
"""Means that differ by no more than this are tied: the order of a sum changes its last bits."""


def best_candidate(cv_results: Mapping[str, Any]) -> int:
    """Return the position of the best candidate; of tied ones, always the same.

    The highest mean score wins; among tied ones the highest mean F1, then the highest mean G-mean,
    then the smallest sum of costs, then the lexicographically smallest values, in the alphabetical
    order of the parameters' names.

    Parameters
    ----------
    cv_results : mapping
        As ``cv_results_`` of `icost.iCostCV`, or of a `sklearn.model_selection.GridSearchCV` with
        scorers called ``"mcc"``, ``"f1"`` and ``"g_mean"``, which takes this function as its
        ``refit``. Only costs that a candidate names are summed; `icost.iCostCV` adds the
        estimator's own for the others. Candidates that were seen on fewer folds are left out.

    Returns
    -------
    int
        Position in ``cv_results["params"]``.

    Examples
    --------
    >>> from icost.tuning import best_candidate
    >>> best_candidate(
    ...     {
    ...         "params": [{"cfb": 1.5}, {"cfb": 1.25}, {"cfb": 1.0}],
    ...         "mean_test_mcc": [0.5, 0.5, 0.4],
    ...         "mean_test_f1": [0.6, 0.6, 0.9],
    ...         "mean_test_g_mean": [0.7, 0.7, 0.7],
    ...     }
    ... )
    1
    """
    primary = "mean_test_score" if "mean_test_score" in cv_results else "mean_test_mcc"
    seen = np.asarray(cv_results.get("n_folds", np.ones(len(cv_results["params"]))))
    rows = np.flatnonzero(seen == seen.max())
    names = (primary, "mean_test_f1", "mean_test_g_mean")
    criteria = [np.asarray(cv_results[name])[rows] for name in names]
    return int(rows[order_candidates([cv_results["params"][row] for row in rows], criteria)[0]])


def order_candidates(
    params: Sequence[Mapping[str, Any]], criteria: Iterable[Any], n_best: int = 1
) -> list[int]:
    """Return the best candidates, the best one first.

    Parameters
    ----------
    params : sequence of mappings
        The candidates.
    criteria : iterable of array-like of shape (n_candidates,)
        What is to be high, the most important first; NaN is worse than anything.
    n_best : int, default=1
        How many to return, at most.

    Returns
    -------
    list of int
        Their positions.

    Examples
    --------
    >>> from icost.tuning.selection import order_candidates
    >>> order_candidates([{"cfb": 1.5}, {"cfb": 1.0}, {"cfb": 1.2}], [[0.3, 0.3, 0.4]], n_best=3)
    [2, 1, 0]
    """
    values = [np.nan_to_num(np.asarray(c, dtype=float), nan=-np.inf) for c in criteria]
    values.append(-np.array([sum_of_costs(candidate) for candidate in params]))
    left = list(range(len(params)))
    chosen: list[int] = []
    while left and len(chosen) < n_best:
        tied = _tied_best(np.array(left), values)
        chosen.append(min(tied.tolist(), key=lambda i: (lexical_key(params[i]), i)))
        left.remove(chosen[-1])
    return chosen


def _tied_best(left: NDArray[np.intp], criteria: list[NDArray[np.float64]]) -> NDArray[np.intp]:
    for values in criteria:
        left = left[values[left] >= values[left].max() - TIE]
    return left


def own_costs(estimator: Any) -> dict[str, float]:
    """Return the costs that an estimator is set to, by the names of its parameters.

    Examples
    --------
    >>> from icost import iCost
    >>> from icost.tuning.selection import own_costs
    >>> own_costs(iCost(cfb=2.0))["cfb"]
    2.0
    """
    return {
        name: float(value)
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] in COST_MULTIPLIERS and isinstance(value, Real)
    }


def sum_of_costs(params: Mapping[str, Any]) -> float:
    """Return the sum of a candidate's costs, of those that it names.

    Examples
    --------
    >>> from icost.tuning.selection import sum_of_costs
    >>> sum_of_costs({"icost__cfb": 1.5, "icost__cfo": 0.25, "icost__n_neighbors": 5})
    1.75
    >>> sum_of_costs({"cfb": 1.5, "cfo": 0.25, "cost_factor": {"cfb": 9.0}})
    9.25
    """
    named = {name.rpartition("__")[2]: value for name, value in params.items()}
    costs = {name: value for name, value in named.items() if name in COST_MULTIPLIERS}
    return float(sum((costs | (named.get("cost_factor") or {})).values()))


def lexical_key(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what orders candidates whose scores and costs are equal.

    Examples
    --------
    >>> from icost.tuning.selection import lexical_key
    >>> lexical_key({"cfo": 0.1, "cfb": 1.0}) < lexical_key({"cfo": 0.2, "cfb": 1.0})
    True
    """
    # Numbers go before everything else, which is compared as text.
    return tuple(
        (name, 0, float(value), "") if isinstance(value, Real) else (name, 1, 0.0, str(value))
        for name, value in sorted(params.items())
    )


def within_one_se(
    params: Sequence[Mapping[str, Any]], scores: NDArray[np.float64], best: int
) -> int:
    """Return the cheapest candidate whose mean is within one standard error of the best one's.

    Parameters
    ----------
    params : sequence of mappings
        The candidates.
    scores : ndarray of shape (n_candidates, n_folds)
        Score of each candidate on each fold; NaN where it was not evaluated.
    best : int
        Position of the best one.

    Returns
    -------
    int
        Position of the one with the smallest sum of costs; of those, the one that scores highest.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.tuning.selection import within_one_se
    >>> scores = np.array([[0.4, 0.6], [0.4, 0.5], [0.1, 0.2]])
    >>> within_one_se([{"cfb": 1.5}, {"cfb": 1.25}, {"cfb": 1.0}], scores, best=0)
    1
    """
    seen = (~np.isnan(scores)).sum(axis=1)
    means = np.nansum(scores, axis=1) / np.maximum(seen, 1)
    error = np.nanstd(scores[best], ddof=1) / np.sqrt(seen[best]) if seen[best] > 1 else 0.0
    # A candidate that was dropped early was seen on fewer folds; its mean is not comparable.
    is_near = (seen == seen[best]) & (means >= means[best] - error - TIE)
    near: list[int] = np.flatnonzero(is_near).tolist()
    costs = [-sum_of_costs(params[i]) for i in near]
    return near[order_candidates([params[i] for i in near], [costs, means[near]])[0]]
