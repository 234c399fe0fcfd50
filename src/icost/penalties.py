"""Penalties: from complexity to sample weights (eqs. 11 to 13 of the paper).

A penalty is a multiple of the imbalance ratio per category. Every instance's penalty is linear in
the four of them: a sample of category *border* takes all of ``cfb``, one in a *mixed* leaf takes
``1 - s`` of ``cfs`` and ``s`` of ``cfb``. `penalty_shares` holds those shares, so that weights for
other costs are one small product away.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import Complexity
from icost.validation import check_number

COST_OF_CATEGORY: Mapping[str, str] = {
    "pure": "cfp",
    "safe": "cfs",
    "border": "cfb",
    "outlier": "cfo",
}
"""Name of the cost parameter of each of the paper's categories."""

PAPER: Mapping[str, float] = {"cfp": 0.50, "cfs": 0.75, "cfb": 1.25, "cfo": 0.20}
"""The paper's default costs, as multiples of the imbalance ratio (eq. 12)."""

MILD: Mapping[str, float] = {"cfp": 0.30, "cfs": 0.75, "cfb": 1.00, "cfo": 0.10}
"""Milder costs: in the paper's grid, the values that tuning chose most often."""


def resolve_costs(
    multipliers: Mapping[str, float],
    ratio: float,
    cost_factor: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return the final penalty of each cost parameter.

    Parameters
    ----------
    multipliers : mapping
        ``cfp``, ``cfs``, ``cfb`` and ``cfo`` as multiples of the imbalance ratio.
    ratio : float
        Imbalance ratio of the training data.
    cost_factor : mapping, default=None
        Final penalties for any subset of the four; they win over ``multipliers``.

    Returns
    -------
    dict
        The penalties, not relative to anything any more.

    Examples
    --------
    >>> from icost import PAPER
    >>> from icost.penalties import resolve_costs
    >>> resolve_costs(PAPER, 10.0, cost_factor={"cfo": 1.0})
    {'cfp': 5.0, 'cfs': 7.5, 'cfb': 12.5, 'cfo': 1.0}
    """
    costs = {name: check_number(name, multipliers[name], low=0) * ratio for name in PAPER}
    if cost_factor is None:
        return costs
    return costs | _check_cost_factor(cost_factor, ratio)


def _check_cost_factor(cost_factor: Mapping[str, float], ratio: float) -> dict[str, float]:
    if not isinstance(cost_factor, Mapping):
        raise ValueError(
            f"cost_factor must be a dictionary of final penalties, got {cost_factor!r}."
        )
    unknown = [key for key in cost_factor if key not in PAPER]
    if unknown:
        raise ValueError(f"cost_factor must have keys among {list(PAPER)}, got {unknown[0]!r}.")
    given = {key: check_number(f"cost_factor[{key!r}]", v, low=0) for key, v in cost_factor.items()}
    # Before 1.0 these were multiples of IR; a majority sample weighs 1, so final penalties that are
    # all below 1 on imbalanced data would make the minority matter less than the majority.
    if given and ratio > 2 and max(given.values()) < 1:
        meant = ", ".join(f"{key}={value:g}" for key, value in given.items())
        warnings.warn(
            f"cost_factor holds final penalties, yet all of them are below 1 while the imbalance "
            f"ratio is {ratio:.3g}: if multiples of the ratio are meant, use the parameters "
            f"{meant}.",
            UserWarning,
            stacklevel=2,
        )
    return given


def penalty_shares(complexity: Complexity) -> NDArray[np.float64]:
    """Return how much of cfp, cfs, cfb and cfo each minority sample takes.

    Parameters
    ----------
    complexity : Complexity
        Categories and scores of the minority samples.

    Returns
    -------
    ndarray of shape (n_minority, 4)
        Columns in the order of `PAPER`. Rows of categories that bring their own cost are zero.

    Examples
    --------
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import penalty_shares
    >>> record = Complexity([3, 8], ["border", "mixed"], [0.8, 0.25])
    >>> penalty_shares(record)
    array([[0.  , 0.  , 1.  , 0.  ],
           [0.  , 0.75, 0.25, 0.  ]])
    """
    shares = np.zeros((len(complexity.indices), len(PAPER)))
    for column, category in enumerate(COST_OF_CATEGORY):
        shares[complexity.category == category, column] = 1.0
    mixed = complexity.category == "mixed"
    shares[mixed, 1] = 1.0 - complexity.score[mixed]
    shares[mixed, 2] = complexity.score[mixed]
    shares[np.isin(complexity.category, list(complexity.own_costs))] = 0.0
    return shares


def assign_penalties(
    complexity: Complexity, costs: Mapping[str, float], ratio: float
) -> NDArray[np.float64]:
    """Return the penalty of each minority sample (eq. 13, and its neighbour counterpart).

    Parameters
    ----------
    complexity : Complexity
        Categories and scores of the minority samples.
    costs : mapping
        Final penalties, from `resolve_costs`.
    ratio : float
        Imbalance ratio, by which categories' own costs are multiplied.

    Returns
    -------
    ndarray of shape (n_minority,)
        The penalties.

    Examples
    --------
    >>> from icost import PAPER
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import assign_penalties, resolve_costs
    >>> record = Complexity([3, 8], ["border", "outlier"], [0.8, 1.0])
    >>> assign_penalties(record, resolve_costs(PAPER, 10.0), 10.0)
    array([12.5,  2. ])
    """
    penalty = penalty_shares(complexity) @ np.array([costs[name] for name in PAPER])
    return penalty + own_penalties(complexity, ratio)


def own_penalties(complexity: Complexity, ratio: float) -> NDArray[np.float64]:
    """Return the part of the penalties that no cost parameter governs.

    Categories outside the paper's bring their own cost, a multiple of the imbalance ratio.

    Parameters
    ----------
    complexity : Complexity
        Categories of the minority samples, and costs of their own.
    ratio : float
        Imbalance ratio.

    Returns
    -------
    ndarray of shape (n_minority,)
        0 for the paper's categories.

    Examples
    --------
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import own_penalties
    >>> record = Complexity([3, 8], ["hard", "safe"], [0.8, 0.2], own_costs={"hard": 1.5})
    >>> own_penalties(record, 10.0)
    array([15.,  0.])
    """
    penalty = np.zeros(len(complexity.indices))
    for category, multiplier in complexity.own_costs.items():
        penalty[complexity.category == category] = ratio * multiplier
    return penalty


def spread_weights(
    complexity: Complexity, penalty: NDArray[np.float64], n_samples: int
) -> NDArray[np.float64]:
    """Return weights of all samples: 1 for the majority, the penalty for the minority.

    Parameters
    ----------
    complexity : Complexity
        Tells the rows of the minority.
    penalty : ndarray of shape (n_minority,)
        From `assign_penalties`.
    n_samples : int
        Number of all samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        The weights.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import spread_weights
    >>> spread_weights(Complexity([1], ["safe"], [0.2]), np.array([7.5]), 3)
    array([1. , 7.5, 1. ])
    """
    weights = np.ones(n_samples)
    weights[complexity.indices] = penalty
    return weights


def uniform_weights(is_minority: NDArray[np.bool_], penalty: float) -> NDArray[Any]:
    """Return the weights of class-level cost-sensitive learning (eq. 2 of the paper).

    Parameters
    ----------
    is_minority : ndarray of shape (n_samples,)
        Whether each sample is of the minority.
    penalty : float
        Weight of the minority samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        The weights.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.penalties import uniform_weights
    >>> uniform_weights(np.array([False, True]), 3.0)
    array([1., 3.])
    """
    return np.where(is_minority, penalty, 1.0)
