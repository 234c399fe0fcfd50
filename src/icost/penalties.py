"""Penalties: from complexity to sample weights (eqs. 11 to 13 of the paper).

A penalty is a multiple of the imbalance ratio per category. Every instance's penalty is linear in
the four of them: a sample of category *border* takes all of ``cfb``, one in a *mixed* leaf takes
``1 - s`` of ``cfs`` and ``s`` of ``cfb``. `penalty_shares` holds those shares, so that weights for
other costs are one small product away. `Costs` is the value that a setting of all of them is.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
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


@dataclass(frozen=True)
class Costs:
    """What an error on a minority sample costs: one setting of all cost parameters.

    A frozen value, so that it can be handed about, compared and kept beside the weights that it
    gave. It is checked where it is used, since a method heeds only some of the parameters.

    Parameters
    ----------
    cfp, cfs, cfb, cfo : float, default=0.50, 0.75, 1.25 and 0.20
        Penalties of pure, safe, border and outlier samples, as multiples of the imbalance ratio:
        the defaults are the paper's, `PAPER`.
    cs_multiplier : float, default=1.0
        Penalty of the whole minority as a multiple of the imbalance ratio, where no sample is
        judged by itself (method ``"cs"``).
    cost_factor : mapping or None, default=None
        Final penalties, *not* multiplied by the ratio, for any of ``"cfp"``, ``"cfs"``, ``"cfb"``
        and ``"cfo"``; they win over the parameters of these names.

    See Also
    --------
    icost.iCost : Has these as parameters, and weights its training samples by them.
    resolve_costs : From multiples of the ratio to final penalties.

    Notes
    -----
    A penalty is relative to the imbalance ratio IR, the number of majority samples per minority
    sample (eq. 11 of the paper). With ``cfb=1.25`` an error on a border sample costs a quarter more
    than class-level cost-sensitive learning would charge, and with ``cfo=0.20`` one on an outlier
    a fifth of it.

    Examples
    --------
    Two settings are equal if all their costs are, and a changed one is a new value:

    >>> from dataclasses import replace
    >>> from icost.penalties import Costs
    >>> costs = Costs(cfb=1.5)
    >>> costs == Costs(cfb=1.5), replace(costs, cfo=0.1).cfo
    (True, 0.1)

    At an imbalance ratio of 10 they stand for these penalties:

    >>> costs.resolve(10.0)
    {'cfp': 5.0, 'cfs': 7.5, 'cfb': 15.0, 'cfo': 2.0}
    >>> costs.uniform(10.0)
    10.0
    """

    cfp: float = PAPER["cfp"]
    cfs: float = PAPER["cfs"]
    cfb: float = PAPER["cfb"]
    cfo: float = PAPER["cfo"]
    cs_multiplier: float = 1.0
    cost_factor: Mapping[str, float] | None = None

    @classmethod
    def of(cls, model: Any) -> Costs | None:
        """Return the costs that an estimator is set to; None if it is not cost-sensitive.

        Parameters
        ----------
        model : estimator
            An `icost.iCost`, or another with its parameters.

        Returns
        -------
        Costs or None
            None for ``method="ncs"``.
        """
        if isinstance(model.method, str) and model.method == "ncs":
            return None
        return cls(**{entry.name: getattr(model, entry.name) for entry in fields(cls)})

    def resolve(self, ratio: float) -> dict[str, float]:
        """Return the final penalty of each category's cost parameter.

        Parameters
        ----------
        ratio : float
            Imbalance ratio of the training data.

        Returns
        -------
        dict
            ``cfp``, ``cfs``, ``cfb`` and ``cfo``, not relative to anything any more.
        """
        return resolve_costs({name: getattr(self, name) for name in PAPER}, ratio, self.cost_factor)

    def uniform(self, ratio: float) -> float:
        """Return the penalty of a whole minority, for methods that judge no sample.

        Parameters
        ----------
        ratio : float
            Imbalance ratio of the training data.

        Returns
        -------
        float
            ``cs_multiplier`` times the ratio.
        """
        return check_number("cs_multiplier", self.cs_multiplier, low=0) * ratio


COST_PARAMETERS = tuple(entry.name for entry in fields(Costs))
"""Parameters of `icost.iCost` that change weights and nothing else."""

COST_MULTIPLIERS = (*PAPER, "cs_multiplier")
"""Those of them that are multiples of the imbalance ratio."""


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
    # Column after column in memory, as they are summed.
    shares = np.zeros((len(complexity.indices), len(PAPER)), order="F")
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
    return sum_shares(penalty_shares(complexity), costs) + own_penalties(complexity, ratio)


def sum_shares(shares: NDArray[np.float64], costs: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the sum of the costs that each minority sample takes its shares of.

    Parameters
    ----------
    shares : ndarray of shape (n_minority, 4)
        From `penalty_shares`.
    costs : mapping
        Final penalties, from `resolve_costs`.

    Returns
    -------
    ndarray of shape (n_minority,)
        The sums.

    Notes
    -----
    Plain products and sums, one column after the other. A matrix product would be as short, but
    linear algebra libraries round it differently on different CPUs and for different numbers of
    rows, and a sample's weight must depend on neither.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.penalties import sum_shares
    >>> shares = np.array([[0.0, 0.75, 0.25, 0.0]])
    >>> sum_shares(shares, {"cfp": 5.0, "cfs": 7.5, "cfb": 12.5, "cfo": 2.0})
    array([8.75])
    """
    total = np.zeros(len(shares))
    for column, name in enumerate(PAPER):
        total += shares[:, column] * costs[name]
    return total


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
