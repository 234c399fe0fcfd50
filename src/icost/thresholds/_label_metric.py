"""What a cut is to make high: a name, or any scorer of labels as a function of codes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from icost._core.arrays import Bools, Floats, Ints
from icost._core.validation import check_choice
from icost.metrics import CONFUSION_METRICS

Metric = str | Callable[..., float]
"""A name that confusion matrices are enough for, or a function of truth, decision and weights.

Cuts of two classes ask a function about one row per cell of a confusion matrix, whose size is the
weight.
"""

N_ASKED = 25
"""Cuts at which a metric that is a function of labels is asked for."""

MAX_REPEATED = 10_000_000
"""Rows that weights may stand for where a scorer takes none."""


def asked_places(is_corner: Bools) -> Ints:
    """Return the places among cuts at which a function of labels is asked for.

    A corner is a cut with a gain before it and a loss behind it: whatever rewards hits and punishes
    errors has its best cut there. They come first, then some at even distances.
    """
    corners = _thinned(np.flatnonzero(is_corner), N_ASKED - 5)
    others = _thinned(np.arange(len(is_corner)), N_ASKED - len(corners))
    return np.union1d(corners, others)


def _thinned(places: Ints, n_kept: int) -> Ints:
    chosen = np.linspace(0, len(places) - 1, min(n_kept, len(places)))
    return places[chosen.astype(np.intp)]


def as_metric(scoring: Any, classes: NDArray[Any]) -> Metric:
    """Return a name that counts are enough for, or a function of codes, decisions and weights.

    ``scoring`` is a name, a scorer, a metric of scikit-learn or such a function.
    """
    if isinstance(scoring, str) and scoring == "matthews_corrcoef":
        return "mcc"
    if isinstance(scoring, str) and scoring in CONFUSION_METRICS:
        return scoring
    is_name = isinstance(scoring, str) and scoring in get_scorer_names()
    scorer: Any = get_scorer(scoring) if is_name else scoring
    if not callable(scorer):
        extra = ", a name of scikit-learn's scorers or a function"
        check_choice("scoring", scoring, CONFUSION_METRICS, extra)
    parameters = list(signature(scorer).parameters)
    if parameters[:1] == ["estimator"]:
        return LabelMetric(scorer, classes)
    if "sample_weight" in parameters:
        return lambda truth, decided, weight: scorer(truth, decided, sample_weight=weight)
    return LabelMetric(make_scorer(scorer), classes) if parameters[:1] == ["y_true"] else scorer


class LabelMetric:
    """A scorer as a function of true codes, decided codes and weights.

    ``classes`` are the labels that the codes stand for. A scorer that takes no weights is asked
    about repeated rows instead; one that needs more than labels is refused at once.
    """

    def __init__(self, scorer: Callable[..., float], classes: NDArray[Any]) -> None:
        self.scorer, self.classes = scorer, classes
        self.takes_weight = self._takes_weight()

    def __call__(self, truth: Ints, decided: Ints, weight: Floats) -> float:
        """Ask the scorer about one row per cell of the confusion matrix, as good as all rows."""
        n_classes = len(self.classes)
        sums = np.bincount(truth * n_classes + decided, weights=weight, minlength=n_classes**2)
        cells = np.flatnonzero(sums)
        truth, decided = np.divmod(cells, n_classes)
        if self.takes_weight:
            return self._ask(truth, decided, sample_weight=sums[cells])
        if (sums != np.rint(sums)).any():
            self._refuse_weight()
        rows = np.repeat(np.arange(len(cells)), sums[cells].astype(np.intp))
        return self._ask(truth[rows], decided[rows])

    def check_weight(self, weight: Floats | None) -> None:
        """Raise for weights of rows that the scorer can neither heed nor be spared."""
        if self.takes_weight or weight is None or np.ptp(weight) == 0:
            return
        if (weight != np.rint(weight)).any() or weight.sum() > MAX_REPEATED:
            self._refuse_weight()

    def _refuse_weight(self) -> NoReturn:
        raise ValueError(
            "scoring must be a scorer that takes sample_weight where there are weights, got "
            f"{self.scorer!r}."
        )

    def _ask(self, truth: Ints, decided: Ints, **weights: Any) -> float:
        model, codes = _Decided(self.classes), decided[:, np.newaxis]
        return self.scorer(model, codes, self.classes[truth], **weights)

    def _takes_weight(self) -> bool:
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
        if np.ndim(repeated) > 0:
            raise ValueError(f"scoring must give one number, got {repeated!r} of {self.scorer!r}.")
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

    def predict(self, X: Ints) -> NDArray[Any]:
        return self.classes[X[:, 0]]
