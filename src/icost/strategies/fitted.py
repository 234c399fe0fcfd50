"""Fitted models of a strategy: what predicts, and what there is to know about the fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model and the record of its fit.

    ``model`` predicts class codes. Times are in seconds; ``costs`` and ``counts``, of minority
    samples per category, are empty where a strategy has none.
    """

    model: Any
    fit_time: float
    weight_time: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""

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
