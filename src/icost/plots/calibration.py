"""`CalibrationDisplay`: do rows of probability 0.3 turn out minority in 3 of 10 cases?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from icost.labels import encode_labels, resolve_minority
from icost.plots.held_out import held_out_rows
from icost.plots.palette import ACCENT, new_axes, plain_axes
from icost.statistics import wilson_interval
from icost.validation import check_number, check_sample_weight


class CalibrationDisplay:
    """Predicted probabilities against what happened, with intervals.

    Rows are put into bins of equal size by their probability of the minority. A dot shows the mean
    probability of a bin and the share of minority rows in it; its bar is Wilson's 95 % interval of
    that share. Where bars touch the diagonal, the probabilities can be believed as far as these
    rows can tell; dots below it promise too much, as weights and synthetic rows do without
    calibration.

    Parameters
    ----------
    predicted, observed : ndarray of shape (n_bins,)
        Mean probability and share of minority rows in each bin.
    rows : ndarray of shape (n_bins,)
        Number of rows in each bin; with weights, how many equal ones would tell as much.
    label : str, default=""
        Name in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    sklearn.calibration.CalibrationDisplay : Without intervals, for any classifier.
    ThresholdDisplay : What follows from the probabilities.

    Notes
    -----
    Both axes are logarithmic where ``log=True`` is given to `plot`: of imbalanced data, most
    probabilities are small, and a linear axis shows one crowded corner.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost import iCostEnsemble
    >>> from icost.plots import CalibrationDisplay
    >>> X, y = make_classification(300, weights=[0.9], random_state=0)
    >>> model = iCostEnsemble(members=("plain", "cs"), n_splits=3, random_state=0).fit(X, y)
    >>> display = CalibrationDisplay.from_estimator(model, y, n_bins=5)
    >>> display.rows
    array([60, 60, 60, 60, 60])
    """

    def __init__(
        self,
        predicted: NDArray[np.float64],
        observed: NDArray[np.float64],
        rows: NDArray[Any],
        label: str = "",
    ) -> None:
        self.predicted = predicted
        self.observed = observed
        self.rows = rows
        self.label = label

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        y: ArrayLike,
        *,
        n_bins: int = 10,
        label: str = "held-out rows",
        ax: Any = None,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> CalibrationDisplay:
        """Draw the held-out probabilities of a fitted ensemble.

        Parameters
        ----------
        estimator : iCostEnsemble
            Fitted to two classes.
        y : array-like of shape (n_samples,)
            The labels that it was fitted to.
        n_bins : int, default=10
            Number of bins.
        label : str, default="held-out rows"
            Name in the legend.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that it was fitted with.
        **options
            Of `plot`.

        Returns
        -------
        CalibrationDisplay
            The display.
        """
        _, truth, proba, weight = held_out_rows(estimator, y, sample_weight)
        return cls._of_rows(truth, proba, weight, n_bins, label).plot(ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        minority_label: Any = None,
        n_bins: int = 10,
        label: str = "",
        ax: Any = None,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> CalibrationDisplay:
        """Draw given probabilities of the minority.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of two classes.
        y_proba : array-like of shape (n_samples,)
            Probabilities of the minority.
        minority_label : label, default=None
            The minority class; by default the smaller one.
        n_bins : int, default=10
            Number of bins; fewer, if there are fewer rows.
        label : str, default=""
            Name in the legend.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **options
            Of `plot`.

        Returns
        -------
        CalibrationDisplay
            The display.
        """
        check_consistent_length(y_true, y_proba)
        classes, codes = encode_labels(y_true)
        truth = codes == resolve_minority(classes, codes, minority_label)
        weight = check_sample_weight(sample_weight, len(codes))
        weight = np.ones(len(codes)) if weight is None else weight
        kept = np.flatnonzero(weight)
        proba = np.asarray(y_proba, dtype=np.float64)[kept]
        display = cls._of_rows(truth[kept], proba, weight[kept], n_bins, label)
        return display.plot(ax=ax, **options)

    @classmethod
    def _of_rows(
        cls,
        truth: NDArray[np.bool_],
        proba: NDArray[np.float64],
        weight: NDArray[np.float64],
        n_bins: int,
        label: str,
    ) -> CalibrationDisplay:
        check_number("n_bins", n_bins, low=1, integer=True)
        parts = np.array_split(np.argsort(proba, kind="stable"), min(n_bins, len(proba)))
        predicted, observed = (
            np.array([np.average(values[part], weights=weight[part]) for part in parts])
            for values in (proba, truth)
        )
        # Kish's effective number: as many rows of one weight would have the same variance.
        sums = np.array([(weight[part].sum() ** 2, (weight[part] ** 2).sum()) for part in parts])
        rows = sums[:, 0] / sums[:, 1]
        if (weight == weight[0]).all():
            rows = np.array([len(part) for part in parts])
        return cls(predicted, observed, rows, label)

    def plot(self, *, ax: Any = None, log: bool = False, color: str = ACCENT) -> CalibrationDisplay:
        """Draw the bins and the diagonal.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        log : bool, default=False
            Whether axes are logarithmic; bins without minority rows then lie below the picture.
        color : str, default=the project's accent
            Colour of the dots.

        Returns
        -------
        CalibrationDisplay
            Itself.
        """
        self.ax_ = ax = new_axes(ax, figsize=(4.8, 4.8))
        self.figure_ = ax.figure
        low, high = wilson_interval(self.observed * self.rows, self.rows)
        bars = np.maximum(np.stack([self.observed - low, high - self.observed]), 0)
        ax.errorbar(
            self.predicted, self.observed, yerr=bars, fmt="o", color=color, label=self.label or None
        )
        top = float(max(self.predicted.max(), high.max()))
        bottom = float(self.predicted.min()) if log else 0.0
        ax.plot([bottom, top], [bottom, top], color="0.5", linewidth=0.8, linestyle="--")
        if log:
            ax.set_xscale("log")
            ax.set_yscale("log")
        ax.set_xlabel("predicted probability of the minority")
        ax.set_ylabel("share of minority rows")
        if self.label:
            ax.legend(frameon=False)
        plain_axes(ax)
        return self
