"""Thresholds and offsets as the recorded rows have them, so that the rows can be repeated.

The library cuts calibrated probabilities by `icost.ThresholdClassifier`. The studies were run
before: with scikit-learn's search for two classes, and with offsets on plain scores for more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
    cross_val_predict,
)

from icost_reproduction._internals import (
    DelegatingClassifier,
    additive_scores,
    confusion_matrices,
    confusion_scores,
    encode_labels,
    resolve_minority,
    response_method,
    tune_offsets,
)
from icost_reproduction.grids import inner_splitter

N_SPLITS = 5
"""Inner folds, as is scikit-learn's default."""


def fast_mcc(y_true: NDArray[np.intp], y_pred: NDArray[np.intp], pos_label: int = 1) -> float:
    """Return Matthews' coefficient of two classes coded 0 and 1, without checking anything.

    A threshold search calls it a hundred times per fold; scikit-learn's checks would take most of
    that time. ``pos_label`` is there for scorers and changes nothing.
    """
    matrices = confusion_matrices(y_true, y_pred[np.newaxis], 2)
    return float(confusion_scores(matrices, names=["mcc"])["mcc"][0])


class RecordedThreshold(DelegatingClassifier):
    """A classifier cut where scikit-learn's search on inner folds has the best MCC."""

    def __init__(self, estimator: Any, minority_label: Any = None, random_state: int = 0) -> None:
        self.estimator = estimator
        self.minority_label = minority_label
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> RecordedThreshold:
        """Tune the threshold on inner folds, and fit the classifier to all rows."""
        self.classes_, codes = encode_labels(y)
        labels = self.classes_[codes]
        label = self.classes_[resolve_minority(self.classes_, codes, self.minority_label)]
        folds = inner_splitter(codes, N_SPLITS, self.random_state)
        scorer = make_scorer(fast_mcc, pos_label=label)
        search = TunedThresholdClassifierCV(self.estimator, scoring=scorer, cv=folds)
        try:
            search.fit(X, labels)
        except ValueError as error:
            if "constant predictions" not in str(error):
                raise
            self.model_, self.threshold_ = clone(self.estimator).fit(X, labels), None
            return self
        self.threshold_ = float(search.best_threshold_)
        self.model_ = FixedThresholdClassifier(
            FrozenEstimator(search.estimator_), threshold=self.threshold_, pos_label=label
        ).fit(X, labels)
        return self

    @property
    def note_(self) -> str:
        """What the fit did, for a record."""
        if self.threshold_ is None:
            return "threshold unmoved: constant predictions"
        return f"threshold {self.threshold_:.6g}"


class RecordedOffsets(DelegatingClassifier):
    """A classifier with an offset for the score of each class, tuned on inner folds."""

    def __init__(self, estimator: Any, random_state: int = 0) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> RecordedOffsets:
        """Fit the classifier to all rows, and tune offsets on held-out scores."""
        self.classes_, codes = encode_labels(y)
        labels = self.classes_[codes]
        self.model_ = clone(self.estimator).fit(X, labels)
        self.response_ = response_method([self.model_])
        folds = inner_splitter(codes, N_SPLITS, self.random_state)
        model = clone(self.estimator)
        scores = cross_val_predict(model, X, labels, cv=folds, method=self.response_)
        self.offsets_ = tune_offsets(codes, additive_scores(scores, self.response_))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores with their offsets."""
        scores = getattr(self.model_, self.response_)(X)
        moved = additive_scores(scores, self.response_) + self.offsets_
        return moved[:, 1] - moved[:, 0] if moved.shape[1] == 2 else moved

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label whose score and offset are highest together."""
        moved = self.decision_function(X)
        codes = moved > 0 if moved.ndim == 1 else np.argmax(moved, axis=1)
        return self.classes_[np.asarray(codes, dtype=np.intp)]

    @property
    def note_(self) -> str:
        """What the fit did, for a record."""
        return "offsets " + ", ".join(f"{offset:.6g}" for offset in self.offsets_)
