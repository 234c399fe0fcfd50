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

    See Also
    --------
    icost.iCostCV : Selects by this rule with ``select="best"``.
    icost.metrics.make_scorers : Scorers with the names that this rule needs.

    Notes
    -----
    With few minority samples, many candidates predict the same and tie exactly.
    `sklearn.model_selection.GridSearchCV` then takes the first, so that the order of a list decides
    which costs are reported. Here the order has no say. Means that differ by less than 1e-9 count
    as tied, since the order of a sum changes its last bits; NaN is worse than any score. The
    smallest costs come before the alphabet because, among equals, smaller weights change less.

    The rule tells which of equals is taken, not whether the best one is better than the others by
    more than chance: ``select="one_se"`` and `icost.iCostCV.nested_score` are for that.

    Examples
    --------
    Two candidates tie in all three scores, and the one with the smaller cost is taken:

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

    As the ``refit`` of a search of scikit-learn. Without it, the first of these would be taken:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from icost import iCost
    >>> from icost.metrics import make_scorers
    >>> X, y = make_classification(80, weights=[0.9], class_sep=3.0, flip_y=0, random_state=0)
    >>> grid = {"cfb": [1.5, 1.25, 1.0]}
    >>> search = GridSearchCV(iCost(), grid, scoring=make_scorers(1), refit=best_candidate, cv=2)
    >>> search.fit(X, y).best_params_
    {'cfb': 1.0}
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
    """Return the positions of the best candidates, the best first; criteria rank by turns."""
    values = [np.nan_to_num(np.asarray(c, dtype=float), nan=-np.inf) for c in criteria]
    values.append(-np.array([sum_of_costs(candidate) for candidate in params]))
    left = list(range(len(params)))
    chosen: list[int] = []
    # One by one and not by sorting: a tie is to the best that is left, and is not transitive.
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
    """Return the costs that an estimator is set to, by the names of its parameters."""
    return {
        name: float(value)
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] in (*COST_MULTIPLIERS, "scale") and isinstance(value, Real)
    }


def sum_of_costs(params: Mapping[str, Any]) -> float:
    """Return the sum of the costs that a candidate names, of ``cost_factor`` before others."""
    named = {name.rpartition("__")[2]: value for name, value in params.items()}
    costs = {name: value for name, value in named.items() if name in COST_MULTIPLIERS}
    total = float(sum((costs | (named.get("cost_factor") or {})).values()))
    # Alone, a scale orders candidates as it orders their penalties.
    return (total or 1.0) * named["scale"] if "scale" in named else total


def lexical_key(params: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what orders candidates whose scores and costs are equal."""
    # Numbers go before everything else, which is compared as text.
    return tuple(
        (name, 0, float(value), "") if isinstance(value, Real) else (name, 1, 0.0, str(value))
        for name, value in sorted(params.items())
    )


def within_one_se(
    params: Sequence[Mapping[str, Any]], scores: NDArray[np.float64], best: int
) -> int:
    """Return the cheapest candidate whose mean is within one standard error of the best one's."""
    # The error of the best one's mean over folds, as if these were independent: folds share
    # training rows, so that it is rather too small, and the choice close to the best.
    seen = (~np.isnan(scores)).sum(axis=1)
    means = np.nansum(scores, axis=1) / np.maximum(seen, 1)
    error = np.nanstd(scores[best], ddof=1) / np.sqrt(seen[best]) if seen[best] > 1 else 0.0
    # A candidate that was dropped early was seen on fewer folds; its mean is not comparable.
    is_near = (seen == seen[best]) & (means >= means[best] - error - TIE)
    near: list[int] = np.flatnonzero(is_near).tolist()
    costs = [-sum_of_costs(params[i]) for i in near]
    return near[order_candidates([params[i] for i in near], [costs, means[near]])[0]]
