"""What a cut is to make high: a name, or any scorer of labels as a function of codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

Metric = str | Callable[..., float]
"""A name that confusion matrices are enough for, or a function of truth, decision and weights.

Cuts of two classes ask a function about one row per cell of a confusion matrix, whose size is the
weight.
"""

N_ASKED = 25
"""Cuts at which a metric that is a function of labels is asked for."""


class LabelMetric:
    """A scorer as a function of true codes, decided codes and weights.

    ``classes`` are the labels that the codes stand for. A scorer that heeds no weights is asked
    about repeated rows instead; one that needs more than labels is refused at once.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import get_scorer
    >>> from icost.thresholds import LabelMetric
    >>> metric = LabelMetric(get_scorer("accuracy"), np.array(["ill", "odd", "well"]))
    >>> metric(np.array([0, 1, 2]), np.array([0, 1, 1]), np.array([1.0, 1.0, 2.0]))
    0.5
    """

    def __init__(self, scorer: Callable[..., float], classes: NDArray[Any]) -> None:
        self.scorer, self.classes = scorer, classes
        self.heeds_weight = self._heeds_weight()

    def __call__(
        self, truth: NDArray[np.intp], decided: NDArray[np.intp], weight: NDArray[np.float64]
    ) -> float:
        """Ask the scorer about one row per cell of the confusion matrix, as good as all rows."""
        n_classes = len(self.classes)
        sums = np.bincount(truth * n_classes + decided, weights=weight, minlength=n_classes**2)
        cells = np.flatnonzero(sums)
        truth, decided = np.divmod(cells, n_classes)
        if self.heeds_weight:
            return self._ask(truth, decided, sample_weight=sums[cells])
        if (sums != np.rint(sums)).any():
            raise ValueError(
                "scoring must be a scorer that takes sample_weight where there are weights, got "
                f"{self.scorer!r}."
            )
        rows = np.repeat(np.arange(len(cells)), sums[cells].astype(np.intp))
        return self._ask(truth[rows], decided[rows])

    def _ask(self, truth: NDArray[np.intp], decided: NDArray[np.intp], **weights: Any) -> float:
        model, codes = _Decided(self.classes), decided[:, np.newaxis]
        return self.scorer(model, codes, self.classes[truth], **weights)

    def _heeds_weight(self) -> bool:
        """Whether weights stand for repeated rows."""
        n_classes = len(self.classes)
        cells = np.arange(n_classes**2)
        truth, decided = np.divmod(cells, n_classes)
        weight = 1 + (5 * cells + 6) % 9
        rows = np.repeat(cells, weight)
        try:
            repeated = self._ask(truth[rows], decided[rows])
        except AttributeError as error:
            raise ValueError(
                f"scoring must go by predicted labels, got {self.scorer!r}, which needs more."
            ) from error
        try:
            weighted = self._ask(truth, decided, sample_weight=weight.astype(np.float64))
        except (TypeError, ValueError):
            return False
        return bool(np.isclose(repeated, weighted, rtol=1e-9))


class _Decided(ClassifierMixin, BaseEstimator):
    """What a scorer takes for a fitted classifier: the column of a row is its decision."""

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes
        self.classes_ = np.sort(classes)

    def predict(self, X: NDArray[np.intp]) -> NDArray[Any]:
        return self.classes[X[:, 0]]
