"""`CriticalDifferenceDisplay`: average ranks, and which differences are within noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, studentized_range

from icost_reproduction._internals import ACCENT, check_number, new_axes


class CriticalDifferenceDisplay:
    """Average ranks over datasets; bars join methods that the Nemenyi test cannot tell apart.

    Answers which of several methods differ over many datasets by more than chance. Each dataset
    ranks the methods, ties share their places, and the ranks are averaged. It tells nothing about
    how large the differences in score are: for two methods `DeltaDisplay` does.

    Parameters
    ----------
    ranks : ndarray of shape (n_methods,)
        Average ranks, 1 for the best.
    names : sequence of str
        Names of the methods.
    critical_difference : float
        Difference of average ranks from which two methods differ.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.

    Notes
    -----
    Of ``k`` methods on ``N`` datasets the critical difference is ``q * sqrt(k * (k + 1) / 6 / N)``
    with ``q`` the quantile of the studentised range over the root of 2 [1]_. It shrinks with more
    datasets and grows with more methods, so leave out methods that are of no interest. The test
    takes the datasets as independent; variants of one table are not.

    References
    ----------
    .. [1] Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets.
           Journal of Machine Learning Research, 7, 1-30.

    Examples
    --------
    Three datasets cannot tell two methods apart:

    >>> from icost_reproduction import CriticalDifferenceDisplay
    >>> scores = [[0.9, 0.8], [0.7, 0.6], [0.5, 0.5]]
    >>> display = CriticalDifferenceDisplay.from_data(scores, ["Neighbor", "CS"])
    >>> display.ranks.round(2), round(display.critical_difference, 2)
    (array([1.17, 1.83]), 1.13)

    Nine with the same ranks can:

    >>> display = CriticalDifferenceDisplay.from_data(scores * 3, ["Neighbor", "CS"])
    >>> display.ranks.round(2), round(display.critical_difference, 2)
    (array([1.17, 1.83]), 0.65)
    """

    def __init__(
        self, ranks: NDArray[np.float64], names: Sequence[str], critical_difference: float
    ) -> None:
        self.ranks = ranks
        self.names = names
        self.critical_difference = critical_difference

    @classmethod
    def from_data(
        cls,
        scores: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        alpha: float = 0.05,
        greater_is_better: bool = True,
        ax: Any = None,
    ) -> CriticalDifferenceDisplay:
        """Rank the methods on each dataset and draw the average ranks.

        Parameters
        ----------
        scores : array-like or data frame of shape (n_datasets, n_methods)
            One score per dataset and method; leave out datasets that lack one.
        names : sequence of str, default=None
            Names of the methods; by default the columns of a data frame.
        alpha : float, default=0.05
            Level of the test.
        greater_is_better : bool, default=True
            Whether the largest score is the best.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
            The display.
        """
        check_number("alpha", alpha, low=0, high=1, open_low=True, open_high=True)
        names = list(getattr(scores, "columns", []) if names is None else names)
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] < 2 or table.shape[1] != len(names):
            raise ValueError(
                "scores must have a row per dataset and a column for each of at least two names, "
                f"got an array of shape {table.shape} and {len(names)} names."
            )
        ranks = rankdata(-table if greater_is_better else table, axis=1).mean(axis=0)
        difference = nemenyi_difference(len(table), len(names), alpha)
        return cls(ranks, names, difference).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> CriticalDifferenceDisplay:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
            Itself.
        """
        order = np.argsort(self.ranks, kind="stable")
        groups = indistinguishable(self.ranks[order], self.critical_difference)
        n_rows = (len(order) + 1) // 2
        height = 1.3 + 0.28 * (n_rows + len(groups))
        self.ax_ = ax = new_axes(ax, figsize=(7.0, height))
        self.figure_ = ax.figure
        low, high = 1, max(2, int(np.ceil(self.ranks.max())))
        self._draw_scale(ax, low, high)
        for level, (first, last) in enumerate(groups):
            ends = self.ranks[order[[first, last]]] + [-0.03, 0.03]
            ax.plot(ends, [-0.5 - 0.35 * level] * 2, color=ACCENT, lw=4, solid_capstyle="round")
        self._draw_names(ax, order, low, high, depth=0.6 + 0.35 * len(groups))
        ax.set_xlim(low - 0.35 * (high - low), high + 0.35 * (high - low))
        ax.set_axis_off()
        return self

    def _draw_scale(self, ax: Any, low: int, high: int) -> None:
        ax.plot([low, high], [0, 0], color="0.2", lw=1)
        for tick in range(low, high + 1):
            ax.plot([tick, tick], [0, 0.15], color="0.2", lw=1)
            # Numbers with two digits touch each other on a long scale.
            if high <= 12 or tick % 5 == 0 or tick == low:
                ax.annotate(str(tick), (tick, 0.25), ha="center", va="bottom", fontsize="small")
        ends = low, low + self.critical_difference
        ax.plot(ends, [1.1, 1.1], color="0.2", lw=1, marker="|", markersize=8)
        text = f"critical difference {self.critical_difference:.2f}"
        ax.annotate(text, (sum(ends) / 2, 1.25), ha="center", va="bottom", fontsize="small")

    def _draw_names(
        self, ax: Any, order: NDArray[np.intp], low: int, high: int, depth: float
    ) -> None:
        """Names of the better half to the left, the best on top; of the others to the right."""
        half = (len(order) + 1) // 2
        for place, method in enumerate(order):
            is_left = place < half
            row = place if is_left else len(order) - 1 - place
            side = low - 0.05 if is_left else high + 0.05
            y = -depth - 0.6 * row
            rank = self.ranks[method]
            ax.plot([rank, rank, side], [0, y, y], color="0.2", lw=0.8)
            name = str(self.names[method])
            text = f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}"
            offset = (-4, 0) if is_left else (4, 0)
            ax.annotate(
                text,
                (side, y),
                xytext=offset,
                textcoords="offset points",
                va="center",
                ha="right" if is_left else "left",
                fontsize="medium",
            )


def nemenyi_difference(n_datasets: int, n_methods: int, alpha: float = 0.05) -> float:
    """Return the difference of average ranks from which two methods differ (Nemenyi test).

    Examples
    --------
    >>> from icost_reproduction.critical_difference import nemenyi_difference
    >>> round(nemenyi_difference(14, 4), 2)
    1.25
    """
    # An infinite number of degrees of freedom is the definition, and slow; 1e5 is the same number.
    quantile = studentized_range.ppf(1 - alpha, n_methods, 1e5) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def indistinguishable(
    sorted_ranks: NDArray[np.float64], critical_difference: float
) -> list[tuple[int, int]]:
    """Return the longest runs of ranks that lie within the critical difference.

    Examples
    --------
    >>> import numpy as np
    >>> from icost_reproduction.critical_difference import indistinguishable
    >>> indistinguishable(np.array([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    reach = np.searchsorted(sorted_ranks, sorted_ranks + critical_difference) - 1
    runs = [(first, int(last)) for first, last in enumerate(reach) if last > first]
    # A run inside the one before it says nothing new.
    return [run for place, run in enumerate(runs) if place == 0 or run[1] > runs[place - 1][1]]
