"""Strategies that weight: the paper's, and controls that tell what their gain is due to.

All of them are fits of `icost.iCost`. A control rearranges the penalties within each minority, so
that what is left of a gain cannot be due to which sample got which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.classifier import fit_target
from icost.penalties import PAPER, Costs
from icost.problems import Target
from icost.strategies.training_fold import Fitted, TrainingFold

Rearrange = Callable[[NDArray[np.float64], np.random.Generator], NDArray[np.float64]]
"""From the penalties of a minority, in the order of its rows, to those of a control."""


def mean_matched(penalties: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Give each minority sample the mean: uniform weights with iCost's total."""
    return np.full_like(penalties, penalties.mean())


def permuted(penalties: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Deal the penalties to the minority samples at random."""
    return rng.permutation(penalties)


def fit_weighted(
    method: str,
    base: Any,
    fold: TrainingFold,
    rearrange: Rearrange | None = None,
    **params: Any,
) -> Fitted:
    """Fit `icost.iCost` with its default costs or other parameters, or a control of it."""
    model = fold.model(base, method, **params)
    target, seconds = fold.target(method, model.multiclass, model.majority)
    columns = weight_columns(target, Costs.of(model), fold, rearrange)
    start = perf_counter()
    fit_target(model, fold.X, target, columns)
    fit_time = perf_counter() - start
    counts = category_counts(target)
    seconds = seconds if counts else 0.0
    return Fitted(model, fit_time, seconds, _heeded_costs(model, bool(counts)), counts)


def weight_columns(
    target: Target, costs: Costs | None, fold: TrainingFold, rearrange: Rearrange | None = None
) -> list[NDArray[np.float64]]:
    """Return the weights of each problem, after penalties have been rearranged."""
    if rearrange is None or costs is None:
        return [problem.weights(costs) for problem in target.problems]
    # Within each problem, so that its total weight stays that of iCost.
    rng = np.random.default_rng(fold.random_state)
    return [problem.spread(rearrange(problem.penalties(costs), rng)) for problem in target.problems]


def category_counts(target: Target) -> dict[str, int]:
    """Return the minority samples per category, over all problems of a fold."""
    counts: Counter[str] = Counter()
    for problem in target.problems:
        if problem.complexity is not None:
            counts.update(problem.complexity.counts())
    return dict(counts)


def _heeded_costs(model: Any, has_categories: bool) -> dict[str, float]:
    """The costs that a fit went by, for its record."""
    costs = Costs.of(model)
    if costs is None or (has_categories and not costs.has_categories):
        return {}
    names = tuple(PAPER) if has_categories else ("cs_multiplier",)
    return {name: getattr(model, name) for name in names}
