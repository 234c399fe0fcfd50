"""`DeltaDisplay`: what a method gains or loses on each dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from icost_reproduction._internals import GAIN, LOSS, new_axes, plain_axes


class DeltaDisplay:
    """Differences between two methods, one bar per dataset, the largest gain on top.

    Answers where a method helps and where it harms, which a mean hides: a small mean gain may be
    many small losses and one large gain. The title counts both. For more than two methods take
    `CriticalDifferenceDisplay`.

    Parameters
    ----------
    delta : ndarray of shape (n_datasets,)
        Differences, method minus baseline.
    names : sequence of str
        Names of the datasets.
    label : str
        What the differences are.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.

    Notes
    -----
    Gains are drawn for a score of which more is better; for a loss, swap method and baseline. Two
    datasets may have the same name, and a difference of 0 counts as neither better nor worse.

    Examples
    --------
    >>> from icost_reproduction import DeltaDisplay
    >>> display = DeltaDisplay.from_data([51.0, 40.0], [48.0, 41.0], ["glass2", "yeast4"])
    >>> display.delta
    array([ 3., -1.])
    >>> display.ax_.get_title()
    '1 better, 1 worse, mean +1.00 (dashed)'
    """

    def __init__(
        self, delta: NDArray[np.float64], names: Sequence[str], label: str = "difference"
    ) -> None:
        self.delta = delta
        self.names = names
        self.label = label

    @classmethod
    def from_data(
        cls,
        scores: ArrayLike,
        baseline: ArrayLike,
        names: Sequence[str],
        *,
        label: str = "ΔMCC",
        ax: Any = None,
    ) -> DeltaDisplay:
        """Draw the differences of two methods' scores.

        Parameters
        ----------
        scores, baseline : array-like of shape (n_datasets,)
            Scores of the method and of what it is compared with.
        names : sequence of str
            Names of the datasets.
        label : str, default="ΔMCC"
            Label of the horizontal axis.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        DeltaDisplay
            The display.
        """
        check_consistent_length(scores, baseline, names)
        delta = np.asarray(scores, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
        return cls(delta, list(names), label).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> DeltaDisplay:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure that is tall enough for all names.

        Returns
        -------
        DeltaDisplay
            Itself.
        """
        self.ax_ = ax = new_axes(ax, figsize=(6.4, 1.2 + 0.2 * len(self.delta)))
        self.figure_ = ax.figure
        order = np.argsort(self.delta, kind="stable")
        delta, names = self.delta[order], [str(self.names[row]) for row in order]
        # Positions, not names, on the axis: two datasets may have the same name.
        ax.barh(np.arange(len(delta)), delta, color=np.where(delta >= 0, GAIN, LOSS))
        ax.set_yticks(np.arange(len(delta)), names, fontsize="small")
        ax.margins(y=0.01)
        ax.axvline(0, color="0.3", linewidth=0.8)
        mean = float(np.mean(delta))
        ax.axvline(mean, color="0.3", linewidth=0.8, linestyle="--")
        better, worse = int((delta > 0).sum()), int((delta < 0).sum())
        title = f"{better} better, {worse} worse, mean {mean:+.2f} (dashed)"
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel(self.label)
        plain_axes(ax)
        return self
