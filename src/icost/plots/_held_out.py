"""Displays of an ensemble's held-out predictions: `CalibrationDisplay` and `ThresholdDisplay`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import bootstrap_rows, label_codes
from icost._core.validation import check_choice, check_number, check_sample_weight
from icost.metrics import CONFUSION_METRICS
from icost.plots._drawing import ACCENT, MAJORITY_COLOR, new_axes, plain_axes
from icost.thresholds._cuts import scores_of_cuts


def held_out_rows(
    estimator: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Ints, Bools, Floats, Floats]:
    """Return which rows have probabilities, whether they are minority, these, and weights."""
    check_is_fitted(estimator)
    if not hasattr(estimator, "oof_proba_"):
        raise TypeError(f"estimator must be an iCostEnsemble, got {estimator!r}.")
    if estimator.minority_label_ is None:
        raise ValueError("from_estimator needs an ensemble of two classes, got more.")
    check_consistent_length(y, estimator.oof_proba_)
    codes = label_codes(np.ravel(np.asarray(y)), estimator.classes_, "a label of y")
    minority = int(np.flatnonzero(estimator.classes_ == estimator.minority_label_)[0])
    proba = estimator.oof_proba_[:, minority]
    kept = np.flatnonzero(~np.isnan(proba))
    weight = check_sample_weight(sample_weight, len(codes))
    weight = np.ones(len(codes)) if weight is None else weight
    return kept, (codes == minority)[kept], proba[kept], weight[kept]


@dataclass(eq=False, repr=False)
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
    sklearn.calibration.CalibrationDisplay : For the predictions of any classifier.
    ThresholdDisplay : What follows from the probabilities.

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

    predicted: Floats
    observed: Floats
    rows: NDArray[Any]
    label: str = ""

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
    def _of_rows(
        cls, truth: Bools, proba: Floats, weight: Floats, n_bins: int, label: str
    ) -> CalibrationDisplay:
        check_number("n_bins", n_bins, low=1, integer=True)
        parts = np.array_split(np.argsort(proba, kind="stable"), min(n_bins, len(proba)))
        predicted, observed = (
            np.array([np.average(values[members], weights=weight[members]) for members in parts])
            for values in (proba, truth)
        )
        # Kish's effective number: as many rows of one weight would have the same variance.
        weights = [weight[members] for members in parts]
        rows = np.array([of_bin.sum() ** 2 / (of_bin**2).sum() for of_bin in weights])
        if (weight == weight[0]).all():
            rows = np.array([len(members) for members in parts])
        return cls(predicted, observed, rows, label)

    def plot(self, *, ax: Any = None, log: bool = False, color: str = ACCENT) -> CalibrationDisplay:
        """Draw the bins and the diagonal.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        log : bool, default=False
            Whether axes are logarithmic, as most probabilities are small on imbalanced data; bins
            without minority rows then lie below the picture.
        color : str, default=the project's accent
            Colour of the dots.

        Returns
        -------
        CalibrationDisplay
            Itself.
        """
        self.ax_ = ax = new_axes(ax, figsize=(4.8, 4.8))
        self.figure_ = ax.figure
        ends = [_wilson_interval(*pair) for pair in zip(self.observed, self.rows, strict=True)]
        low, high = np.array(ends).T
        bars = np.maximum(np.stack([self.observed - low, high - self.observed]), 0)
        ax.errorbar(
            self.predicted, self.observed, yerr=bars, fmt="o", color=color, label=self.label or None
        )
        top = float(max(self.predicted.max(), high.max()))
        bottom = float(self.predicted.min()) if log else 0.0
        ax.plot([bottom, top], [bottom, top], color="0.5", linewidth=0.8, linestyle="--")
        if log:
            ax.set(xscale="log", yscale="log")
        ax.set(xlabel="predicted probability of the minority", ylabel="share of minority rows")
        if self.label:
            ax.legend(frameon=False)
        plain_axes(ax)
        return self


N_BANDS = 100
"""Bootstrap samples of the rows behind the band."""


def _wilson_interval(share: float, rows: float) -> tuple[float, float]:
    """Return the 95 % interval of a share; effective numbers of rows are rounded."""
    n_rows = max(1, round(float(rows)))
    interval = binomtest(round(float(share) * n_rows), n_rows).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


@dataclass(eq=False, repr=False)
class ThresholdDisplay:
    """A metric of held-out rows for every threshold, with a bootstrap band.

    Shows how much depends on the threshold: a flat top means that any cut within it would do, a
    narrow peak in a wide band that the best cut of these rows is mostly their noise. The dashed
    line is the threshold that the ensemble chose; the shaded stretch is its 95 % bootstrap
    interval.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts,)
        Thresholds on the probability of the minority.
    score, low, high : ndarray of shape (n_cuts,)
        The metric at each of them, and its bootstrap band.
    threshold : float or None, default=None
        The threshold that was chosen.
    interval : tuple of float or None, default=None
        Its bootstrap interval.
    metric : str, default="mcc"
        Name of the metric.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    CalibrationDisplay : Whether the probabilities themselves can be believed.

    Notes
    -----
    The curve is of the probabilities that the threshold was chosen on, so that its top promises a
    little too much; ``oof_score_`` of the ensemble does not.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost import iCostEnsemble
    >>> from icost.plots import ThresholdDisplay
    >>> X, y = make_classification(300, weights=[0.9], random_state=0)
    >>> model = iCostEnsemble(members=("plain", "cs"), n_splits=3, random_state=0).fit(X, y)
    >>> display = ThresholdDisplay.from_estimator(model, y)
    >>> display.threshold == model.threshold_
    True
    """

    cuts: Floats
    score: Floats
    low: Floats
    high: Floats
    threshold: float | None = None
    interval: tuple[float, float] | None = None
    metric: str = "mcc"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        y: ArrayLike,
        *,
        metric: str = "mcc",
        random_state: int = 0,
        ax: Any = None,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> ThresholdDisplay:
        """Draw the held-out probabilities of a fitted ensemble.

        Parameters
        ----------
        estimator, y, ax, sample_weight
            As for `CalibrationDisplay.from_estimator`.
        metric : str, default="mcc"
            A metric of a confusion matrix: a name in `icost.metrics.CONFUSION_METRICS`.
        random_state : int, default=0
            Seed of the bootstrap samples.
        groups : array-like of shape (n_samples,), default=None
            Those that it was fitted with, drawn whole for the band.

        Returns
        -------
        ThresholdDisplay
            The display.
        """
        check_choice("metric", metric, CONFUSION_METRICS)
        kept, truth, proba, weight = held_out_rows(estimator, y, sample_weight)
        cuts = np.unique(np.quantile(proba, np.linspace(0, 1, 200)))
        rng = np.random.RandomState(random_state)
        classes = [np.flatnonzero(truth), np.flatnonzero(~truth)]
        own_groups = None if groups is None else np.asarray(groups)[kept]
        draws = bootstrap_rows(classes, N_BANDS, rng, own_groups)
        bands = [
            scores_of_cuts(truth[rows], proba[rows], cuts, metric, weight[rows]) for rows in draws
        ]
        low, high = np.percentile(bands, [2.5, 97.5], axis=0)
        score = scores_of_cuts(truth, proba, cuts, metric, weight)
        chosen = estimator.threshold_, estimator.threshold_interval_
        return cls(cuts, score, low, high, *chosen, metric).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> ThresholdDisplay:
        """Draw the curve, its band and the chosen threshold.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        ThresholdDisplay
            Itself.
        """
        self.ax_ = ax = new_axes(ax, figsize=(6.4, 4.2))
        self.figure_ = ax.figure
        if self.interval is not None:
            label = "95 % interval of the threshold"
            ax.axvspan(*self.interval, color=MAJORITY_COLOR, alpha=0.2, linewidth=0, label=label)
        ax.fill_between(self.cuts, self.low, self.high, color=ACCENT, alpha=0.2, linewidth=0)
        ax.plot(self.cuts, self.score, color=ACCENT)
        if self.threshold is not None:
            label = f"threshold {self.threshold:.3g}"
            ax.axvline(self.threshold, color="0.3", linestyle="--", linewidth=1, label=label)
            ax.legend(frameon=False)
        ax.set_xlabel("threshold on the probability of the minority")
        ax.set_ylabel({"mcc": "MCC", "f1": "F1", "g_mean": "G-mean"}.get(self.metric, self.metric))
        plain_axes(ax)
        return self
