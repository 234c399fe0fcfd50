"""`ComplexityDisplay`: where the hard minority rows are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats
from icost._core.labels import label_code
from icost._weights.classifier import estimate, iCost
from icost.complexity import BaseComplexity, Complexity
from icost.plots._drawing import (
    CATEGORY_MARKERS,
    MAJORITY_COLOR,
    category_color,
    new_axes,
    plain_axes,
    to_plane,
)


@dataclass(eq=False, repr=False)
class ComplexityDisplay:
    """The minority rows by category, in front of the majority.

    Answers where the hard rows are, and whether the categories make sense: outliers far from
    their own class, border rows where classes meet. Use `from_estimator` for what a fitted model
    found, or `from_data` before there is a model; both draw and return the display, whose `plot`
    draws again.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Coordinates of all rows.
    complexity : Complexity
        Positions and categories of the minority rows.
    axis_names : pair of str
        Labels of the axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.

    Notes
    -----
    Complexity is estimated from all features, the picture shows two dimensions. Where it is a
    projection, a row may look surrounded by the majority and yet be pure. The axes tell how much
    of the variance they show.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost.plots import ComplexityDisplay
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> display = ComplexityDisplay.from_data(X, y)
    >>> display.complexity.counts()
    {'pure': 1, 'safe': 5, 'border': 2, 'outlier': 1}
    """

    points: Floats
    complexity: Complexity
    axis_names: tuple[str, str] = ("", "")

    @classmethod
    def from_estimator(
        cls,
        estimator: iCost,
        X: Any,
        *,
        features: Sequence[Any] | None = None,
        class_label: Any = None,
        ax: Any = None,
        **scatter: Any,
    ) -> ComplexityDisplay:
        """Draw the categories that a fitted estimator found.

        Parameters
        ----------
        estimator : iCost
            Fitted, with a method that estimates complexity.
        X : array-like or data frame of shape (n_samples, n_features)
            The data it was fitted on.
        features : pair of names or positions, default=None
            Columns to draw; by default a projection on two principal components.
        class_label : label, default=None
            Which class against the rest, for a multiclass target.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        **scatter
            Options of ``Axes.scatter`` for the minority rows.

        Returns
        -------
        ComplexityDisplay
            The display.
        """
        check_is_fitted(estimator)
        record = _record(estimator, class_label)
        points, names = to_plane(X, features)
        return cls(points, record, names).plot(ax=ax, **scatter)

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        method: str | BaseComplexity = "neighbor",
        minority_label: Any = None,
        features: Sequence[Any] | None = None,
        ax: Any = None,
        **scatter: Any,
    ) -> ComplexityDisplay:
        """Estimate complexity and draw the categories.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        method : {"neighbor", "tree", "gini"} or BaseComplexity, default="neighbor"
            How to estimate it, as for `icost.iCost`.
        minority_label : label, default=None
            The minority class; by default the smaller one.
        features, ax, **scatter
            As for `from_estimator`.

        Returns
        -------
        ComplexityDisplay
            The display.
        """
        model = iCost(method=method, minority_label=minority_label)
        problems = estimate(model, X, y).problems
        if len(problems) != 1 or problems[0].complexity is None:
            raise ValueError(
                "from_data needs two classes and a method that estimates complexity, got "
                f"{len(np.unique(np.asarray(y)))} classes and method={method!r}."
            )
        points, names = to_plane(X, features)
        return cls(points, problems[0].complexity, names).plot(ax=ax, **scatter)

    def plot(self, *, ax: Any = None, **scatter: Any) -> ComplexityDisplay:
        """Draw the rows.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        **scatter
            Options of ``Axes.scatter`` for the minority rows.

        Returns
        -------
        ComplexityDisplay
            Itself.
        """
        self.ax_ = ax = new_axes(ax, figsize=(6.4, 4.8))
        self.figure_ = ax.figure
        is_majority = np.ones(len(self.points), dtype=bool)
        is_majority[self.complexity.indices] = False
        # Many points cover each other; fainter ones still show where they are dense.
        alpha = float(np.clip(300 / max(1, is_majority.sum()), 0.15, 0.6))
        label = f"majority ({is_majority.sum():,})"
        ax.scatter(*self.points[is_majority].T, s=12, c=MAJORITY_COLOR, alpha=alpha, label=label)
        self._scatter_minority(ax, scatter)
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        ax.legend(frameon=False, fontsize="small")
        plain_axes(ax)
        return self

    def _scatter_minority(self, ax: Any, scatter: dict[str, Any]) -> None:
        counts = self.complexity.counts()
        for name, count in counts.items():
            rows = self.complexity.indices[self.complexity.category == name]
            style = {
                "s": 36,
                "marker": CATEGORY_MARKERS.get(name, "P"),
                "color": category_color(name, list(counts)),
                "edgecolor": "white",
                "linewidth": 0.5,
                "label": f"{name} ({count:,})",
            }
            ax.scatter(*self.points[rows].T, **(style | scatter))


def _record(estimator: iCost, class_label: Any) -> Complexity:
    record = estimator.complexity_
    if record is None:
        raise ValueError(
            f"estimator must have a method that estimates complexity, got {estimator.method!r}."
        )
    if isinstance(record, list):
        return record[label_code(class_label, estimator.classes_, "class_label")]
    return record
