"""One training fold, and the work on it that all strategies and classifiers share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from icost.complexity import BaseComplexity, GiniComplexity, NeighborComplexity
from icost.labels import class_totals
from icost.multiclass import BinaryProblem, decompose, estimate_complexity

MEASURES: dict[str, Callable[[], BaseComplexity]] = {
    "neighbor": NeighborComplexity,
    "gini": GiniComplexity,
}
"""The paper's two complexity measures, with its default parameters."""


@dataclass(frozen=True, eq=False)
class TrainingFold:
    """The training part of a fold: numeric, imputed and scaled.

    Whatever several strategies need is computed once, on first demand, and timed: complexity,
    resampled data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Class codes ``0..K-1``; of two classes, 1 is the minority.
    n_classes : int, default=2
        Number of classes K.
    random_state : int, default=0
        Seed of everything random that strategies do.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.folds import TrainingFold
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> fold = TrainingFold(X, np.array([0, 0, 0, 0, 0, 0, 1, 1]))
    >>> problems, seconds = fold.problems("neighbor")
    >>> problems[0].ratio, problems[0].complexity.counts()
    (3.0, {'border': 2})
    """

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    n_classes: int = 2
    random_state: int = 0
    shared: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def share(self, key: Hashable, compute: Callable[[], Any]) -> tuple[Any, float]:
        """Return a value that is computed on first demand only, and the seconds that took.

        Parameters
        ----------
        key : hashable
            Name of the value.
        compute : callable
            Without arguments; returns the value.

        Returns
        -------
        value : object
            The value.
        seconds : float
            Time of its one computation.
        """
        if key not in self.shared:
            start = perf_counter()
            value = compute()
            self.shared[key] = (value, perf_counter() - start)
        return self.shared[key]

    def problems(self, measure: str | None = None) -> tuple[list[BinaryProblem], float]:
        """Return the binary problems of the fold: one, or one per class of more than two.

        Parameters
        ----------
        measure : {"neighbor", "gini"} or None, default=None
            The complexity measure; None for problems without complexity.

        Returns
        -------
        problems : list of BinaryProblem
            With the complexity of their minorities.
        seconds : float
            What the estimation took.
        """
        return self.share(("problems", measure), lambda: self._estimate(measure))

    def _estimate(self, measure: str | None) -> list[BinaryProblem]:
        minority = 1 if self.n_classes == 2 else None
        problems = decompose(self.y, self.n_classes, minority)
        if measure is None:
            return problems
        return estimate_complexity(
            MEASURES[measure](), self.X, self.y, problems, random_state=self.random_state
        )

    def inner_splitter(self, n_splits: int) -> StratifiedKFold:
        """Return the splitter for tuning inside this fold.

        Parameters
        ----------
        n_splits : int
            Number of inner folds; fewer where the rarest class has fewer rows.

        Returns
        -------
        StratifiedKFold
            The same for all strategies and classifiers.
        """
        n_splits = max(2, min(n_splits, int(class_totals(self.y).min())))
        return StratifiedKFold(n_splits, shuffle=True, random_state=self.random_state)
