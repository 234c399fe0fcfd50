"""`DecisionDisplay`: what each cut finds and what it costs, and the cut that was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats
from icost.plots._drawing import ACCENT, LOSS, plain_axes, pyplot
from icost.thresholds._certificate import Certificate, cut_curve, cut_table
from icost.thresholds._scores import deciding_step


@dataclass(eq=False, repr=False)
class DecisionDisplay:
    """Minority rows found against false alarms, and against alerts, for every cut.

    The left panel is for the question "what does it cost to find more?", the right one for a team
    that can look at a given number of rows. Bands are exact intervals of what is found, for each
    cut alone. The mark is the cut that the rule chose, and the title is its certificate.

    Parameters
    ----------
    recall, recall_low, recall_high : ndarray of shape (n_cuts,)
        Minority rows found, of 100, with their intervals.
    false_alarms : ndarray of shape (n_cuts,)
        Others with an alert, of 100.
    alerts : ndarray of shape (n_cuts,)
        Rows with an alert, of 1,000.
    table : list of dict
        Ten cuts, from 10 to 100 of 100 found.
    certificate : Certificate or None, default=None
        Of the cut that was chosen.
    chosen : tuple of three floats or None, default=None
        Its rows found, false alarms and alerts.

    Attributes
    ----------
    axes_ : ndarray of two matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Their figure.

    See Also
    --------
    sklearn.calibration.CalibrationDisplay : Whether probabilities can be believed.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost import ThresholdClassifier
    >>> from icost.plots import DecisionDisplay
    >>> X, y = make_classification(500, weights=[0.9], random_state=0)
    >>> model = ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0).fit(X, y)
    >>> display = DecisionDisplay.from_estimator(model)
    >>> len(display.table), display.certificate.holds
    (10, True)
    """

    recall: Floats
    recall_low: Floats
    recall_high: Floats
    false_alarms: Floats
    alerts: Floats
    table: list[dict[str, float]]
    certificate: Certificate | None = None
    chosen: tuple[float, float, float] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, axes: Any = None) -> DecisionDisplay:
        """Draw the held-out rows of a fitted classifier.

        Parameters
        ----------
        estimator : ThresholdClassifier, iCostEnsemble, iCostAuto or Pipeline
            Fitted to two classes.
        axes : sequence of two matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        DecisionDisplay
            The display.
        """
        model = deciding_step(estimator)
        check_is_fitted(model)
        rows = getattr(model, "held_out_", None)
        if rows is None:
            raise TypeError(
                "estimator must be a ThresholdClassifier or an iCostEnsemble of two classes, got "
                f"{estimator!r}."
            )
        place = _place_of(model.certificate_, rows.prevalence)
        curve = cut_curve(rows, model.confidence)
        return cls(
            **curve, table=cut_table(rows), certificate=model.certificate_, chosen=place
        ).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> DecisionDisplay:
        """Draw both panels.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        DecisionDisplay
            Itself.
        """
        if axes is None:
            axes = pyplot().subplots(1, 2, sharey=True, figsize=(9, 4.4), layout="constrained")[1]
        self.axes_ = np.asarray(axes)
        self.figure_ = self.axes_[0].figure
        labels = ("false alarms, of 100 others", "alerts, of 1,000 rows")
        costs = (self.false_alarms, self.alerts)
        for place, (ax, amount) in enumerate(zip(self.axes_, costs, strict=True)):
            ax.fill_between(
                amount, self.recall_low, self.recall_high, color=ACCENT, alpha=0.2, linewidth=0
            )
            ax.plot(amount, self.recall, color=ACCENT)
            if self.chosen is not None:
                ax.plot(self.chosen[1 + place], self.chosen[0], "o", color=LOSS, label="chosen")
            ax.set_xlabel(labels[place])
            ax.set_xlim(left=0)
            plain_axes(ax)
        self.axes_[0].set_ylabel("found, of 100 minority rows")
        if self.certificate is not None:
            self.figure_.suptitle(fill(str(self.certificate), 110), fontsize="small")
            self.axes_[1].legend(frameon=False, loc="lower right")
        return self


def _place_of(certificate: Certificate, prevalence: float) -> tuple[float, float, float]:
    """Where a decision is in both panels."""
    false = certificate.alerts * (1 - certificate.precision) / (1 - prevalence)
    return 100 * certificate.recall, 100 * false, 1000 * certificate.alerts
