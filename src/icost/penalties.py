"""Penalties: from complexity to row weights (eqs. 11 to 13 of the paper, and plausible ones).

Every penalty is linear in the four costs, and `penalty_shares` holds the shares: weights for other
costs are one small product away. Penalties without categories are a shape, a function of the
other-class share around each row, scaled to a mean of 1: `Costs.shape`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.arrays import Floats
from icost._core.validation import check_choice, check_number

if TYPE_CHECKING:
    from icost.complexity._base import Complexity

__all__ = ["MILD", "PAPER"]

COST_OF_CATEGORY: Mapping[str, str] = {
    "pure": "cfp",
    "safe": "cfs",
    "border": "cfb",
    "outlier": "cfo",
}
"""Name of the cost parameter of each of the paper's categories; *mixed* blends safe and border."""

PAPER: Mapping[str, float] = {"cfp": 0.50, "cfs": 0.75, "cfb": 1.25, "cfo": 0.20}
"""The paper's default costs, as multiples of the imbalance ratio (eq. 12)."""

PAPER_GRID: Mapping[str, tuple[float, ...]] = {
    "cfo": (0.10, 0.20, 0.30),
    "cfp": (0.30, 0.50, 0.70),
    "cfs": (0.75, 0.90, 1.10),
    "cfb": (1.00, 1.25, 1.50),
}
"""The paper's grid (Table 10): 81 combinations of costs, as multiples of the imbalance ratio."""

MILD: Mapping[str, float] = {"cfp": 0.30, "cfs": 0.75, "cfb": 1.00, "cfo": 0.10}
"""Milder costs: in the paper's grid, the values that tuning chose most often."""


Shape = Callable[[Floats], Any]
"""From other-class shares to a shape, which is scaled to a mean of 1."""


@dataclass(frozen=True)
class Costs:
    """One setting of all cost parameters of `icost.iCost`: what errors on minority rows cost.

    A frozen value, so that it can be shared, compared and kept with the weights that it gave. Costs
    of categories are checked where they are used: method ``"cs"`` uses ``scale`` only.
    """

    cfp: float = PAPER["cfp"]
    cfs: float = PAPER["cfs"]
    cfb: float = PAPER["cfb"]
    cfo: float = PAPER["cfo"]
    cost_factor: Mapping[str, float] | None = None
    penalty: str | Shape = "categories"
    floor: float = 0.05
    scale: float = 1.0
    majority: str = "flat"

    @classmethod
    def of(cls, model: Any) -> Costs | None:
        """Return the costs that an estimator is set to; None if it is not cost-sensitive."""
        names = (entry.name for entry in fields(cls))
        costs = cls(**{n: getattr(model, n) for n in names if hasattr(model, n)})
        method = model.method if isinstance(model.method, str) else ""
        costs.checked(allow_zero=method == "cs")
        return None if method == "ncs" else costs

    def checked(self, allow_zero: bool) -> Costs:
        """Raise if a cost is wrong, used or not; ``scale`` may be 0 for method ``"cs"`` only."""
        if not callable(self.penalty):
            names = ("categories", "plausible")
            check_choice("penalty", self.penalty, names, " or a function of other-class shares")
        check_number("floor", self.floor, low=0, high=1)
        check_number("scale", self.scale, low=0, open_low=not allow_zero)
        check_choice("majority", self.majority, ("flat", "plausible"))
        return self

    @property
    def has_categories(self) -> bool:
        """Whether categories decide about the penalties of the minority."""
        return isinstance(self.penalty, str) and self.penalty == "categories"

    def resolve(self, ratio: float) -> dict[str, float]:
        """Return the final penalty of each category's cost parameter, at an imbalance ratio."""
        given = {name: check_number(name, getattr(self, name), low=0) for name in PAPER}
        _warn_if_products(given, ratio)
        costs = {name: multiple * ratio for name, multiple in given.items()}
        if self.cost_factor is not None:
            costs |= _check_cost_factor(self.cost_factor, ratio)
        return {name: self.scale * penalty for name, penalty in costs.items()}

    def uniform(self, ratio: float) -> float:
        """Return the penalty of a whole minority, for methods that judge no row."""
        return check_number("scale", self.scale, low=0) * ratio

    def shape(self, complexity: Complexity) -> Floats:
        """Return the shape that other-class shares lead to, not scaled to any mean."""
        if complexity.other_class_share is None:
            raise ValueError(
                "penalty='plausible' needs a measure that tells the other-class share around each "
                "row, as a third array; got one that tells categories and scores only."
            )
        if not callable(self.penalty):
            return self.floor + (1.0 - self.floor) * (1.0 - complexity.other_class_share)
        shape = np.asarray(self.penalty(complexity.other_class_share.copy()), dtype=np.float64)
        wanted = (
            "penalty must return a finite number, not negative, for each of "
            f"{len(complexity.other_class_share)} other-class shares, got"
        )
        if shape.shape != complexity.other_class_share.shape:
            raise ValueError(f"{wanted} an array of shape {shape.shape}.")
        out_of_range = shape[~(np.isfinite(shape) & (shape >= 0))]
        if len(out_of_range):
            raise ValueError(f"{wanted} {out_of_range[0]:g}.")
        return shape


COST_PARAMETERS = tuple(entry.name for entry in fields(Costs) if entry.name != "majority")
"""Parameters of `icost.iCost` that change weights and nothing else.

``majority`` is none: it takes the complexity of more rows.
"""


def _check_cost_factor(cost_factor: Mapping[str, float], ratio: float) -> dict[str, float]:
    if not isinstance(cost_factor, Mapping):
        raise ValueError(
            "cost_factor must be a dictionary of weights by category, such as {'cfb': 12.5}, got "
            f"{cost_factor!r}."
        )
    unknown = [key for key in cost_factor if key not in PAPER]
    if unknown:
        name = COST_OF_CATEGORY.get(unknown[0])
        hint = f": did you mean {name!r}?" if name else "."
        raise ValueError(
            f"cost_factor must have keys among {list(PAPER)}, got {unknown[0]!r}{hint}"
        )
    given = {key: check_number(f"cost_factor[{key!r}]", v, low=0) for key, v in cost_factor.items()}
    _warn_if_multiples(given, ratio)
    return given


def _warn_if_products(given: Mapping[str, float], ratio: float) -> None:
    """Warn of costs that were multiplied by the imbalance ratio, as eq. 12 of the paper writes."""
    products = [name for name, value in given.items() if _is_product(name, value, ratio)]
    if products:
        meant = ", ".join(f"{name!r}: {given[name]:.3g}" for name in products)
        warnings.warn(
            f"{products[0]} is a multiple of the imbalance ratio, {ratio:.3g} here, and "
            f"{given[products[0]]:.3g} looks like a final weight: if it is, use "
            f"cost_factor={{{meant}}}.",
            UserWarning,
            stacklevel=3,
        )


def _is_product(name: str, value: float, ratio: float) -> bool:
    """Whether a cost is beyond all multiples of the paper, and one of them times the ratio."""
    is_large = ratio > 3 and value > max(PAPER_GRID["cfb"])
    return is_large and (value >= min(PAPER_GRID[name]) * ratio or min(value, ratio) > 5)


def _warn_if_multiples(given: Mapping[str, float], ratio: float) -> None:
    # A majority row weighs 1, so final weights that are all below 1 on imbalanced data would make
    # the minority matter less than the majority; the paper's multiples of IR end at 1.5.
    largest = max(given.values(), default=np.inf)
    if (ratio > 2 and largest < 1) or (ratio > 3 and largest <= max(PAPER_GRID["cfb"])):
        meant = ", ".join(f"{key}={value:g}" for key, value in given.items())
        warnings.warn(
            f"cost_factor holds final weights, yet the largest is {largest:g} while the imbalance "
            f"ratio is {ratio:.3g}: if multiples of the ratio are meant, use the parameters "
            f"{meant}.",
            UserWarning,
            stacklevel=3,
        )


def penalty_shares(complexity: Complexity) -> Floats:
    """Return how much of cfp, cfs, cfb and cfo each minority row takes."""
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


def sum_shares(shares: Floats, costs: Mapping[str, float]) -> Floats:
    """Return the sum of the costs that each minority row takes its shares of.

    Column after column, since libraries round a matrix product differently on different CPUs and
    for different numbers of rows, and a row's weight must depend on neither.
    """
    total = np.zeros(len(shares))
    for column, name in enumerate(PAPER):
        total += shares[:, column] * costs[name]
    return total


def own_penalties(complexity: Complexity, ratio: float) -> Floats:
    """Return the penalties of categories that bring a cost of their own, 0 for the paper's."""
    penalty = np.zeros(len(complexity.indices))
    for category, multiplier in complexity.own_costs.items():
        penalty[complexity.category == category] = ratio * multiplier
    return penalty
