"""What classifiers that decide by a rule have in common: labels, certificates and their shares."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats
from icost._core.delegation import LogProbabilityMixin
from icost._core.views import SummaryMixin
from icost.thresholds._certificate import (
    Certificate,
    HeldOut,
    NotCertified,
    certificate_lines,
    shift_share,
)
from icost.thresholds._label_metric import LabelMetric, Metric, as_metric
from icost.thresholds._rules import Rule, Stable, choose_cut, row_cut


class RuleMixin(SummaryMixin, LogProbabilityMixin, ClassifierMixin):
    """Decisions by a threshold for two classes, by costs per row, or by offsets for more."""

    # What a rule does not set: one threshold, offsets per class, or costs per row.
    rule_: Rule = Stable()
    threshold_: Any = None
    threshold_interval_: tuple[float, float] | None = None
    offsets_: Any = None
    minority_label_: Any = None
    certificate_: Certificate | None = None
    held_out_: HeldOut | None = None
    prevalence_: float | None = None
    calibrated_prevalence_: float | None = None
    _seed: int = 0
    _has_interval: bool = True  # an interval takes longer than the threshold itself

    classes_: NDArray[Any]
    confidence: float
    scoring: Any
    _class_scores: Callable[[Any], Floats]

    @property
    def _minority(self) -> Any:
        """The position of the minority of two classes; None for more."""
        is_named = self.minority_label_ is not None
        return int(self.classes_[1] == self.minority_label_) if is_named else None

    def predict(self, X: Any, *, cost_fn: Any = None, cost_fp: Any = None) -> NDArray[Any]:
        """Predict labels by the rule.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        cost_fn, cost_fp : array-like of shape (n_samples,), default=None
            Costs per row, for the rule ``"cost"``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self)
        if self.offsets_ is not None:
            return self.classes_[np.argmax(self._class_scores(X), axis=1)]
        score = self.predict_proba(X)[:, self._minority]
        cut = row_cut(self, {"cost_fn": cost_fn, "cost_fp": cost_fp}, len(score))
        return self.classes_[np.where(score >= cut, self._minority, 1 - self._minority)]

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost_fn: Any = None,
        cost_fp: Any = None,
    ) -> float:
        """Return the accuracy of the decisions.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        cost_fn, cost_fp : array-like of shape (n_samples,), default=None
            Costs per row, for the rule ``"cost"``.

        Returns
        -------
        float
            The share of right decisions; `icost.metrics.expected_cost` is in money.
        """
        decided = self.predict(X, cost_fn=cost_fn, cost_fp=cost_fp)
        return float(accuracy_score(y, decided, sample_weight=sample_weight))

    def _metric(self) -> Metric:
        """What a threshold makes high; the minority of two classes is the second one there."""
        return as_metric(self.scoring, self.classes_[:: -1 if self._minority == 0 else 1])

    def _check_metric(self, rule: Rule, weight: Floats | None) -> None:
        """Raise for a score that cannot be had, before the fits and not after them."""
        metric = self._metric() if isinstance(rule, Stable) else None
        if isinstance(metric, LabelMetric):
            metric.check_weight(weight)

    def _choose_cut(self, rule: Rule, held_out: HeldOut, interval: bool = True) -> Certificate:
        return choose_cut(
            rule,
            held_out,
            confidence=self.confidence,
            metric=self._metric() if isinstance(rule, Stable) else "mcc",
            random_state=self._seed,
            interval=interval and self._has_interval,
        )

    def _forget_decision(self) -> None:
        for name in ("threshold_", "threshold_interval_", "offsets_", "certificate_", "held_out_"):
            setattr(self, name, None)
        self.prevalence_ = self.calibrated_prevalence_ = None

    def _set_decision(self, held_out: HeldOut, certificate: Certificate) -> None:
        """Set threshold and certificate by rows that the model has not seen."""
        self.held_out_, self.certificate_ = held_out, certificate
        self.threshold_ = certificate.threshold
        self.threshold_interval_ = certificate.threshold_interval
        if certificate.holds is False:
            warnings.warn(str(certificate), NotCertified, stacklevel=4)

    def _at_share(self, proba: Floats) -> Floats:
        """Move calibrated probabilities to the minority's share where the model is used."""
        before, after = self.calibrated_prevalence_, self.prevalence_
        if before is None or after is None or after == before:
            return proba
        moved = shift_share(proba[:, self._minority], before, after)
        return np.column_stack([1 - moved, moved] if self._minority else [moved, 1 - moved])

    def _decision_lines(self) -> list[str]:
        """Return how it decides as lines of a summary."""
        matrix = getattr(self.rule_, "cost_matrix", None)
        if self.offsets_ is not None and matrix is not None:
            rows = zip(self.classes_.tolist(), matrix, strict=True)
            return [f"costs where {label!r} is true: {row}" for label, row in rows]
        if self.offsets_ is not None:
            pairs = zip(self.classes_.tolist(), self.offsets_, strict=True)
            return [f"offset of {label!r}: {offset:.3g}" for label, offset in pairs]
        return [] if self.certificate_ is None else certificate_lines(self.certificate_)
