"""`ThresholdDisplay`: the score against the cut, and how steady the chosen cut is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost.labels import bootstrap_rows
from icost.metrics import CONFUSION_METRICS
from icost.plots.held_out import held_out_rows
from icost.plots.palette import ACCENT, MAJORITY_COLOR, new_axes, plain_axes
from icost.thresholds import scores_of_cuts
from icost.validation import check_choice

N_BANDS = 100
"""Bootstrap samples of the rows behind the band."""


class ThresholdDisplay:
    """A metric of held-out rows for every threshold, with a bootstrap band.

    Shows how much depends on the threshold: a flat top means that any cut within it would do, a
    narrow peak in a wide band that the best cut of these rows is mostly their noise. The dashed
    line is the threshold that the ensemble chose; the shaded stretch is the 95 % bootstrap interval
    of the best one.

    Parameters
    ----------
    cuts : ndarray of shape (n_cuts,)
        Thresholds on the probability of the minority.
    score, low, high : ndarray of shape (n_cuts,)
        The metric at each of them, and its bootstrap band.
    threshold : float or None, default=None
        The threshold that was chosen.
    interval : tuple of float or None, default=None
        Bootstrap interval of the best threshold.
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

    def __init__(
        self,
        cuts: NDArray[np.float64],
        score: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        threshold: float | None = None,
        interval: tuple[float, float] | None = None,
        metric: str = "mcc",
    ) -> None:
        self.cuts = cuts
        self.score = score
        self.low = low
        self.high = high
        self.threshold = threshold
        self.interval = interval
        self.metric = metric

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
        estimator : iCostEnsemble
            Fitted to two classes.
        y : array-like of shape (n_samples,)
            The labels that it was fitted to.
        metric : str, default="mcc"
            A metric of a confusion matrix: a name in `icost.metrics.CONFUSION_METRICS`.
        random_state : int, default=0
            Seed of the bootstrap samples.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        groups : array-like of shape (n_samples,), default=None
            Those that it was fitted with, drawn whole for the band.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that it was fitted with.

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
            label = "95 % interval of the best cut"
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
