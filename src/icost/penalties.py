"""Penalties: from complexity to sample weights (eqs. 11 to 13 of the paper, and plausible ones).

A penalty is a multiple of the imbalance ratio per category. Every instance's penalty is linear in
the four of them: a sample of category *border* takes all of ``cfb``, one in a *mixed* leaf takes
``1 - s`` of ``cfs`` and ``s`` of ``cfb``. `penalty_shares` holds those shares, so that weights for
other costs are one small product away. `Costs` is the value that a setting of all of them is.

Penalties without categories are a shape, a function of the foreign share around each sample, scaled
to a mean of 1: `plausible_shape`. Uniform weights of the same total are then their exact control.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import Complexity
from icost.validation import check_choice, check_number

__all__ = [
    "COST_OF_CATEGORY",
    "MILD",
    "PAPER",
    "Costs",
    "assign_penalties",
    "penalty_shares",
    "plausible_shape",
    "resolve_costs",
    "spread_weights",
    "uniform_weights",
]

COST_OF_CATEGORY: Mapping[str, str] = {
    "pure": "cfp",
    "safe": "cfs",
    "border": "cfb",
    "outlier": "cfo",
}
"""Name of the cost parameter of each of the paper's categories; *mixed* blends safe and border."""

PAPER: Mapping[str, float] = {"cfp": 0.50, "cfs": 0.75, "cfb": 1.25, "cfo": 0.20}
"""The paper's default costs, as multiples of the imbalance ratio (eq. 12)."""

MILD: Mapping[str, float] = {"cfp": 0.30, "cfs": 0.75, "cfb": 1.00, "cfo": 0.10}
"""Milder costs: in the paper's grid, the values that tuning chose most often."""


Shape = Callable[[NDArray[np.float64]], Any]
"""From foreign shares to a shape, which is scaled to a mean of 1."""


@dataclass(frozen=True)
class Costs:
    """What an error on a minority sample costs: one setting of all cost parameters.

    A frozen value, so that it can be handed about, compared and kept beside the weights that it
    gave. It is checked where it is used, since a method heeds only some of the parameters: with
    ``"cs"`` only ``cs_multiplier`` counts, with a complexity measure only the others.

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
    penalty : {"categories", "plausible"} or callable, default="categories"
        Whether the four costs decide, or the foreign share around each sample: ``"plausible"``, or
        a function from an array of foreign shares to a shape. See `plausible_shape`.
    floor : float, default=0.05
        The least of the shape of ``"plausible"``, before it is scaled to a mean of 1.
    scale : float, default=1.0
        Multiplies every penalty of the minority, whatever it comes from.
    majority : {"flat", "plausible"}, default="flat"
        Whether majority samples weigh 1 each, or 1 on average, by the same shape.

    See Also
    --------
    icost.iCost : Has these as parameters, and weights its training samples by them.
    icost.iCostCV : Chooses them by cross-validation.
    resolve_costs : From multiples of the ratio to final penalties.

    Notes
    -----
    A penalty is relative to the imbalance ratio IR, the number of majority samples per minority
    sample (eq. 11 of the paper). With ``cfb=1.25`` an error on a border sample costs a quarter more
    than class-level cost-sensitive learning would charge, and with ``cfo=0.20`` one on an outlier
    a fifth of it.

    These are weights in training, not prices of errors. If you know what a miss and a false alarm
    cost, set a threshold by that; `icost.metrics.expected_cost` measures what it comes to.

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

    An estimator's costs are read off it; one without costs has none:

    >>> from icost import MILD, iCost
    >>> Costs.of(iCost(**MILD)) == Costs(**MILD), Costs.of(iCost(method="ncs"))
    (True, None)
    """

    cfp: float = PAPER["cfp"]
    cfs: float = PAPER["cfs"]
    cfb: float = PAPER["cfb"]
    cfo: float = PAPER["cfo"]
    cs_multiplier: float = 1.0
    cost_factor: Mapping[str, float] | None = None
    penalty: str | Shape = "categories"
    floor: float = 0.05
    scale: float = 1.0
    majority: str = "flat"

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
        names = (entry.name for entry in fields(cls))
        costs = cls(**{n: getattr(model, n) for n in names if hasattr(model, n)}).checked()
        return None if isinstance(model.method, str) and model.method == "ncs" else costs

    def checked(self) -> Costs:
        """Raise if what is no cost of a category is wrong, whether it is heeded or not.

        Returns
        -------
        Costs
            The costs themselves.
        """
        if not callable(self.penalty):
            names = ("categories", "plausible")
            check_choice("penalty", self.penalty, names, " or a function of foreign shares")
        check_number("floor", self.floor, low=0, high=1)
        check_number("scale", self.scale, low=0, open_low=True)
        check_choice("majority", self.majority, ("flat", "plausible"))
        return self

    @property
    def has_categories(self) -> bool:
        """Whether categories decide about the penalties of the minority."""
        return isinstance(self.penalty, str) and self.penalty == "categories"

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
        costs = {name: getattr(self, name) for name in PAPER}
        resolved = resolve_costs(costs, ratio, self.cost_factor)
        return {name: self.scale * penalty for name, penalty in resolved.items()}

    def uniform(self, ratio: float) -> float:
        """Return the penalty of a whole minority, for methods that judge no sample.

        Parameters
        ----------
        ratio : float
            Imbalance ratio of the training data.

        Returns
        -------
        float
            ``cs_multiplier`` times the ratio, times ``scale``.
        """
        return self.scale * check_number("cs_multiplier", self.cs_multiplier, low=0) * ratio

    def shape(self, complexity: Complexity) -> NDArray[np.float64]:
        """Return the shape that foreign shares lead to, not scaled to any mean.

        Parameters
        ----------
        complexity : Complexity
            Foreign shares of samples; a measure that tells none is a ValueError.

        Returns
        -------
        ndarray of shape (n_samples,)
            Of samples in the order of the record.
        """
        if complexity.foreign is None:
            raise ValueError(
                "penalty='plausible' needs a measure that tells the foreign share around each "
                "sample, as a third array; got one that tells categories and scores only."
            )
        if not callable(self.penalty):
            return self.floor + (1.0 - self.floor) * (1.0 - complexity.foreign)
        shape = np.asarray(self.penalty(complexity.foreign.copy()), dtype=np.float64)
        wanted = (
            "penalty must return a finite number, not negative, for each of "
            f"{len(complexity.foreign)} foreign shares, got"
        )
        if shape.shape != complexity.foreign.shape:
            raise ValueError(f"{wanted} an array of shape {shape.shape}.")
        wrong = shape[~(np.isfinite(shape) & (shape >= 0))]
        if len(wrong):
            raise ValueError(f"{wanted} {wrong[0]:g}.")
        return shape


COST_PARAMETERS = tuple(entry.name for entry in fields(Costs) if entry.name != "majority")
"""Parameters of `icost.iCost` that change weights and nothing else.

``majority`` is none: it takes the complexity of more rows.
"""

COST_MULTIPLIERS = (*PAPER, "cs_multiplier")
"""Those of them that are multiples of the imbalance ratio."""


def resolve_costs(
    multipliers: Mapping[str, float],
    ratio: float,
    cost_factor: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return the final penalty of each cost parameter.

    Costs are given as multiples of the imbalance ratio, so that one setting suits a set with a
    ratio of 3 and one with a ratio of 100. A classifier needs plain weights; this is the step
    between the two.

    Parameters
    ----------
    multipliers : mapping
        ``cfp``, ``cfs``, ``cfb`` and ``cfo`` as multiples of the imbalance ratio, all four of them.
        Each must be a finite number and not negative.
    ratio : float
        Imbalance ratio of the training data.
    cost_factor : mapping, default=None
        Final penalties for any subset of the four, for those who think in absolute terms; they win
        over ``multipliers``.

    Returns
    -------
    dict
        The penalties, not relative to anything any more: weights beside the majority's 1.

    See Also
    --------
    Costs.resolve : The same, of one value that holds all costs.
    assign_penalties : From these penalties to those of single samples.

    Notes
    -----
    Before icost 1.0 ``cost_factor`` held multiples, too. Final penalties that are all below 1 would
    make the minority matter less than the majority, so where the ratio is above 2 they draw a
    warning: most likely multiples were meant.

    Examples
    --------
    >>> from icost import PAPER
    >>> from icost.penalties import resolve_costs
    >>> resolve_costs(PAPER, 10.0)
    {'cfp': 5.0, 'cfs': 7.5, 'cfb': 12.5, 'cfo': 2.0}

    With the paper's costs an outlier counts less than a majority sample where the ratio is below 5.
    A final penalty sets it to what you want at any ratio:

    >>> resolve_costs(PAPER, 4.0)["cfo"], resolve_costs(PAPER, 4.0, {"cfo": 1.0})["cfo"]
    (0.8, 1.0)
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

    A penalty is linear in the four costs, and these are its coefficients. They depend on the data
    alone, so whoever tries many settings of the costs computes them once: each setting's penalties
    are then a sum of four products per sample. `icost.iCostCV` does that.

    Parameters
    ----------
    complexity : Complexity
        Categories and scores of the minority samples.

    Returns
    -------
    ndarray of shape (n_minority, 4)
        Columns in the order of `PAPER`. Rows sum to 1, but for those of categories that bring
        their own cost, which are zero: no cost parameter changes them.

    See Also
    --------
    assign_penalties : The penalties themselves, for one setting.

    Notes
    -----
    A sample in a *mixed* leaf with score ``s`` takes ``1 - s`` of ``cfs`` and ``s`` of ``cfb``
    (eq. 13). The score is the leaf's normalised Gini impurity: 1 in a leaf with as many of either
    class, where the sample is treated as a border one. All other categories take one cost whole,
    whatever their score.

    Examples
    --------
    A border sample takes all of ``cfb``; one in a leaf that is not very mixed mostly takes ``cfs``:

    >>> from icost import MILD, PAPER
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import penalty_shares
    >>> record = Complexity([3, 8], ["border", "mixed"], [0.8, 0.25])
    >>> shares = penalty_shares(record)
    >>> shares
    array([[0.  , 0.  , 1.  , 0.  ],
           [0.  , 0.75, 0.25, 0.  ]])

    Penalties at an imbalance ratio of 10, for two settings:

    >>> [(10.0 * shares @ list(costs.values())).round(2).tolist() for costs in (PAPER, MILD)]
    [[12.5, 8.75], [10.0, 8.12]]
    """
    # Column after column in memory, as they are summed.
    shares = np.zeros((len(complexity.indices), len(PAPER)), order="F")
    for column, category in enumerate(COST_OF_CATEGORY):
        shares[complexity.category == category, column] = 1.0
    # Eq. 13: the score is 0 in a leaf of one class, which is safe, and 1 in an even one, a border.
    mixed = complexity.category == "mixed"
    shares[mixed, 1] = 1.0 - complexity.score[mixed]
    shares[mixed, 2] = complexity.score[mixed]
    for category in complexity.own_costs:
        shares[complexity.category == category] = 0.0
    return shares


def assign_penalties(
    complexity: Complexity, costs: Mapping[str, float], ratio: float
) -> NDArray[np.float64]:
    """Return the penalty of each minority sample (eq. 13, and its neighbour counterpart).

    Parameters
    ----------
    complexity : Complexity
        Categories and scores of the minority samples, from a complexity measure.
    costs : mapping
        Final penalties of the four cost parameters, from `resolve_costs`.
    ratio : float
        Imbalance ratio, by which categories' own costs are multiplied. ``costs`` hold it already.

    Returns
    -------
    ndarray of shape (n_minority,)
        One penalty per sample, in the order of ``complexity.indices``.

    See Also
    --------
    spread_weights : From these penalties to weights of all rows.
    penalty_shares : What stays the same when costs change.
    icost.NeighborComplexity : Its ``categories`` may bring costs of their own.

    Notes
    -----
    For each of the paper's categories the penalty is the cost of that name; *mixed* samples lie
    between ``cfs`` and ``cfb`` by their score. A category that a measure made up has a cost of its
    own, a multiple of the ratio, and heeds none of the four.

    A penalty depends on its own sample only: to the last bit, it is the same whether few or many
    samples are weighed at once.

    Examples
    --------
    >>> from icost import PAPER
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import assign_penalties, resolve_costs
    >>> costs = resolve_costs(PAPER, 10.0)
    >>> record = Complexity([3, 8, 9], ["border", "outlier", "mixed"], [0.8, 1.0, 0.5])
    >>> assign_penalties(record, costs, 10.0)
    array([12.5,  2. , 10. ])

    A category with its own cost, here 1.5 times the ratio, beside one of the paper's:

    >>> record = Complexity([3, 8], ["lonely", "safe"], [0.8, 0.2], own_costs={"lonely": 1.5})
    >>> assign_penalties(record, costs, 10.0)
    array([15. ,  7.5])
    """
    return sum_shares(penalty_shares(complexity), costs) + own_penalties(complexity, ratio)


def sum_shares(shares: NDArray[np.float64], costs: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the sum of the costs that each minority sample takes its shares of.

    Column after column, since libraries round a matrix product differently on different CPUs and
    for different numbers of rows, and a sample's weight must depend on neither.
    """
    total = np.zeros(len(shares))
    for column, name in enumerate(PAPER):
        total += shares[:, column] * costs[name]
    return total


def own_penalties(complexity: Complexity, ratio: float) -> NDArray[np.float64]:
    """Return the penalties of categories that bring a cost of their own, 0 for the paper's."""
    penalty = np.zeros(len(complexity.indices))
    for category, multiplier in complexity.own_costs.items():
        penalty[complexity.category == category] = ratio * multiplier
    return penalty


def plausible_shape(
    shape: NDArray[np.float64],
    sample_weight: NDArray[np.float64] | None = None,
    mean: float | None = None,
) -> NDArray[np.float64]:
    """Return a shape scaled to a mean of 1, so that it changes no class's total weight.

    The shape of ``penalty="plausible"`` is ``floor + (1 - floor) * (1 - foreign)``: a sample among
    its own kind counts fully, one that all the world around it contradicts hardly at all. Times
    ``scale`` and the imbalance ratio it is the penalty. Since the mean is 1, whether it matters
    *which* sample gets which weight can be told by one comparison, with uniform weights of the same
    ``scale``.

    Parameters
    ----------
    shape : ndarray of shape (n_samples,)
        Numbers that are not negative, such as ``Costs.shape`` returns.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights of the samples in the mean, so that the total is that of weighted samples.
    mean : float, default=None
        The mean to divide by, if not that of these samples: for an evaluation set that of the
        training samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        Ones, if all of the shape is 0.

    See Also
    --------
    uniform_weights : The control.
    Costs.shape : Where shapes come from.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity import Complexity
    >>> from icost.penalties import Costs, plausible_shape
    >>> record = Complexity([0, 1], ["pure", "outlier"], [0.0, 1.0], foreign=[0.0, 1.0])
    >>> shape = Costs(floor=0.2).shape(record)
    >>> shape, plausible_shape(shape).round(3)
    (array([1. , 0.2]), array([1.667, 0.333]))
    """
    if mean is None:
        mean = mean_shape(shape, sample_weight)
    return shape / mean if mean > 0 else np.ones(len(shape))


def mean_shape(shape: NDArray[np.float64], sample_weight: NDArray[np.float64] | None) -> float:
    """Return the mean of a shape over a class; 0 if the class has no sample."""
    return float(np.average(shape, weights=sample_weight)) if len(shape) else 0.0


def spread_weights(
    complexity: Complexity, penalty: NDArray[np.float64], n_samples: int
) -> NDArray[np.float64]:
    """Return weights of all samples: 1 for the majority, the penalty for the minority.

    The last step before a fit. The weights are not normalised. Where a classifier has a
    regularisation term, as logistic regression and the boosters do, it thus counts for less the
    larger the weights are in total.

    Parameters
    ----------
    complexity : Complexity
        Tells the rows of the minority.
    penalty : ndarray of shape (n_minority,)
        From `assign_penalties`, in the same order.
    n_samples : int
        Number of all samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        Fit for ``sample_weight`` of any classifier.

    See Also
    --------
    uniform_weights : Weights where no sample is judged by itself.
    icost.instance_weights : All steps from a table to weights.

    Examples
    --------
    The steps in a row, for a measure and costs of your choice:

    >>> import numpy as np
    >>> from icost import MILD, NeighborComplexity, calculate_imbalance_ratio
    >>> from icost.penalties import assign_penalties, resolve_costs, spread_weights
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    >>> ratio = calculate_imbalance_ratio(y)
    >>> record = NeighborComplexity(n_neighbors=2).estimate(X, y == 1)
    >>> penalty = assign_penalties(record, resolve_costs(MILD, ratio), ratio)
    >>> spread_weights(record, penalty, len(y))
    array([3., 3., 1., 1., 1., 1., 1., 1.])

    Any penalties will do. Their mean for everyone is the control that tells whether it matters
    which sample gets which:

    >>> from icost.complexity import Complexity
    >>> record = Complexity([0, 4], ["border", "outlier"], [0.6, 1.0])
    >>> penalty = assign_penalties(record, resolve_costs(MILD, 10.0), 10.0)
    >>> spread_weights(record, np.full(2, penalty.mean()), 5)
    array([5.5, 1. , 1. , 1. , 5.5])
    """
    weights = np.ones(n_samples)
    weights[complexity.indices] = penalty
    return weights


def uniform_weights(is_minority: NDArray[np.bool_], penalty: float) -> NDArray[Any]:
    """Return the weights of class-level cost-sensitive learning (eq. 2 of the paper).

    All minority samples weigh the same, and how hard they are plays no part. It is what instance
    weights have to beat: with the imbalance ratio as penalty both classes have the same total
    weight, as with scikit-learn's ``class_weight="balanced"``, which differs by a common factor.

    Parameters
    ----------
    is_minority : ndarray of shape (n_samples,)
        Whether each sample is of the minority.
    penalty : float
        Weight of the minority samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        1 for the majority.

    See Also
    --------
    spread_weights : Weights with a penalty for each sample.
    Costs.uniform : The penalty of ``iCost(method="cs")``.

    Notes
    -----
    Instance weights mostly are smaller on average than the imbalance ratio. With logistic
    regression, about half of what they gain over class-level costs on the paper's sets is due to
    that alone. So try a smaller penalty here, too, before you credit the categories with a gain.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.penalties import uniform_weights
    >>> is_minority = np.array([False, False, False, True])
    >>> uniform_weights(is_minority, 3.0)
    array([1., 1., 1., 3.])

    Up to a factor, these are scikit-learn's balanced weights:

    >>> from sklearn.utils.class_weight import compute_sample_weight
    >>> balanced = compute_sample_weight("balanced", is_minority)
    >>> (balanced / balanced[0]).round(6)
    array([1., 1., 1., 3.])
    """
    return np.where(is_minority, penalty, 1.0)
