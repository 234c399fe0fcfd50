"""Sample weights of the paper's strategies and of the controls that it lacks.

Every function takes a training fold and costs, and returns `Weights`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.experiments.folds import TrainingFold
from icost.multiclass import BinaryProblem
from icost.penalties import (
    PAPER,
    assign_penalties,
    resolve_costs,
    spread_weights,
    uniform_weights,
)


@dataclass(frozen=True, eq=False)
class Weights:
    """Sample weights of a fold.

    Parameters
    ----------
    columns : list of ndarray or None
        Weights of each binary problem; None for a fit without.
    seconds : float, default=0.0
        Time of the complexity estimation behind them.
    costs : mapping, default={}
        Costs behind them, as multiples of the imbalance ratio.
    counts : mapping, default={}
        Minority samples per category.
    """

    columns: list[NDArray[np.float64] | None]
    seconds: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


Weigher = Callable[..., Weights]


def no_weights(fold: TrainingFold) -> Weights:
    """Return no weights at all (NCS).

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.weighing import no_weights
    >>> no_weights(TrainingFold(np.zeros((3, 1)), np.array([0, 0, 1]))).columns
    [None]
    """
    problems, _ = fold.problems()
    return Weights([None] * len(problems))


def class_weights(fold: TrainingFold, cs_multiplier: float = 1.0) -> Weights:
    """Return class-level weights (CS).

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.weighing import class_weights
    >>> class_weights(TrainingFold(np.zeros((3, 1)), np.array([0, 0, 1]))).columns
    [array([1., 1., 2.])]
    """
    problems, _ = fold.problems()
    columns: list[Any] = [uniform_weights(p.is_minority, cs_multiplier * p.ratio) for p in problems]
    return Weights(columns, costs={"cs_multiplier": cs_multiplier})


def instance_weights(fold: TrainingFold, measure: str, **costs: float) -> Weights:
    """Return iCost's weights.

    Parameters
    ----------
    fold : TrainingFold
        Training data.
    measure : {"neighbor", "gini"}
        Complexity measure.
    **costs
        Any of ``cfp``, ``cfs``, ``cfb`` and ``cfo``; the paper's by default.

    Returns
    -------
    Weights
        One column per binary problem.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.weighing import instance_weights
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> fold = TrainingFold(X, np.array([0, 0, 0, 0, 0, 0, 1, 1]))
    >>> instance_weights(fold, "neighbor", cfb=1.0).columns
    [array([1., 1., 1., 1., 1., 1., 3., 3.])]
    """
    problems, seconds = fold.problems(measure)
    costs = {**PAPER, **costs}
    columns: list[Any] = [
        spread_weights(complexity_of(problem), penalties(problem, costs), len(fold.y))
        for problem in problems
    ]
    return Weights(columns, seconds, costs, category_counts(problems))


def mean_matched_weights(fold: TrainingFold, measure: str, **costs: float) -> Weights:
    """Return uniform weights with iCost's total: each minority sample gets the mean of theirs.

    What iCost gains over this control, it gains by *which* samples are hard; what both gain over
    class-level costs is due to a smaller average penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.weighing import mean_matched_weights
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> fold = TrainingFold(X, np.array([0, 0, 0, 0, 0, 0, 1, 1]))
    >>> mean_matched_weights(fold, "neighbor").columns
    [array([1.  , 1.  , 1.  , 1.  , 1.  , 1.  , 3.75, 3.75])]
    """
    return _rearranged(fold, measure, costs, lambda penalty: np.full_like(penalty, penalty.mean()))


def permuted_weights(fold: TrainingFold, measure: str, **costs: float) -> Weights:
    """Return iCost's weights, dealt to the minority samples at random.

    Same weights, wrong samples: a second control for whether complexity matters.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.weighing import instance_weights, permuted_weights
    >>> rng = np.random.default_rng(0)
    >>> fold = TrainingFold(rng.normal(size=(40, 2)), np.repeat([0, 1], [28, 12]))
    >>> real, dealt = (w(fold, "neighbor").columns[0] for w in (instance_weights, permuted_weights))
    >>> bool((np.sort(real) == np.sort(dealt)).all()), bool((real == dealt).all())
    (True, False)
    """
    rng = np.random.default_rng(fold.random_state)
    return _rearranged(fold, measure, costs, rng.permutation)


def _rearranged(
    fold: TrainingFold,
    measure: str,
    costs: Mapping[str, float],
    rearrange: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Weights:
    """Weights of iCost after their values have been moved about within each minority."""
    weights = instance_weights(fold, measure, **costs)
    problems, _ = fold.problems(measure)
    columns: list[Any] = []
    for problem in problems:
        penalty = rearrange(penalties(problem, weights.costs))
        columns.append(spread_weights(complexity_of(problem), penalty, len(fold.y)))
    return Weights(columns, weights.seconds, weights.costs, weights.counts)


def penalties(problem: BinaryProblem, costs: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the penalty of each minority sample of a problem, for multiples of its ratio."""
    final = resolve_costs(costs, problem.ratio)
    return assign_penalties(complexity_of(problem), final, problem.ratio)


def complexity_of(problem: BinaryProblem) -> Any:
    """Return the complexity of a problem that has one."""
    assert problem.complexity is not None
    return problem.complexity


def category_counts(problems: list[BinaryProblem]) -> dict[str, int]:
    """Return the minority samples per category, over all problems of a fold."""
    counts: Counter[str] = Counter()
    for problem in problems:
        counts.update(complexity_of(problem).counts())
    return dict(counts)
