"""One training fold, the work on it that strategies share, and the fitted model of one of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from icost.classifier import estimate, iCost
from icost.labels import most_folds
from icost.preprocessing import make_preprocessor
from icost.problems import Target

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TrainingFold:
    """The training part of a fold: numeric, imputed and scaled.

    ``y`` holds class codes; of two classes, 1 is the minority. Whatever several strategies need is
    computed once, on first demand, and timed: complexity, resampled rows. ``groups`` of the rows
    and ``costs``, of a missed minority row and of a false alarm, are for strategies that can heed
    them.
    """

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    n_classes: int = 2
    random_state: int = 0
    shared: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    groups: NDArray[np.intp] | None = None
    costs: tuple[float, float] | None = None

    def share(self, key: Hashable, compute: Callable[[], Any]) -> tuple[Any, float]:
        """Return a value that is computed on first demand only, and the seconds that took."""
        if key not in self.shared:
            start = perf_counter()
            value = compute()
            self.shared[key] = (value, perf_counter() - start)
        return self.shared[key]

    def model(self, base: Any, method: Any, **params: Any) -> iCost:
        """Return an unfitted `icost.iCost` for this fold, with parameters of its own."""
        return iCost(
            base,
            method=method,
            minority_label=1 if self.n_classes == 2 else None,
            preprocessor=None,
            random_state=self.random_state,
            **params,
        )

    def target(
        self, method: str = "ncs", multiclass: str = "ovr", majority: str = "flat"
    ) -> tuple[Target, float]:
        """Return the fold's target as a method of `icost.iCost` sees it, and the seconds.

        A target with the complexity of both classes serves whoever asks for one, so that a plan
        that names the former first estimates once.
        """
        both = ("target", method, multiclass, "plausible")
        key = both if both in self.shared else (*both[:3], majority)
        model = self.model(None, method, multiclass=multiclass, majority=majority)
        return self.share(key, lambda: estimate(model, self.X, self.y))

    def inner_splitter(self, n_splits: int) -> StratifiedKFold:
        """Return the splitter for tuning inside this fold."""
        n_folds = max(2, most_folds(self.y, n_splits))
        return StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)


def prepare_fold(
    X: pd.DataFrame,
    codes: NDArray[np.intp],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    *,
    n_classes: int = 2,
    scaler: str = "standard",
    impute: str = "median",
    random_state: int = 0,
) -> tuple[TrainingFold, NDArray[np.float64]]:
    """Return both parts of a fold of a plain table as numbers.

    Imputation, encoding and scaling only ever see the training part.
    """
    preprocessor = make_preprocessor(X, scaler, impute)
    train_X = np.asarray(preprocessor.fit_transform(X.iloc[train]))
    test_X = np.asarray(preprocessor.transform(X.iloc[test]))
    return TrainingFold(train_X, codes[train], n_classes, random_state), test_X


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model, which predicts class codes, and the record of its fit, with times in seconds.

    ``costs`` and ``counts``, of minority samples per category, are empty where there are none.
    """

    model: Any
    fit_time: float
    weight_time: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    # Seconds of the processor that were not needed, as another strategy had fitted the same.
    saved_cpu: float = 0.0

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return class codes."""
        return np.ravel(self.model.predict(X)).astype(np.intp)

    def proba(self, X: Any) -> NDArray[np.float64] | None:
        """Return probabilities, or None if the model has none."""
        return self.model.predict_proba(X) if hasattr(self.model, "predict_proba") else None

    def scores(self, X: Any) -> NDArray[np.float64] | None:
        """Return scores of the minority of a binary problem, or None if the model has none."""
        if hasattr(self.model, "decision_function"):
            return np.asarray(self.model.decision_function(X), dtype=np.float64)
        proba = self.proba(X)
        return None if proba is None else proba[:, 1]
