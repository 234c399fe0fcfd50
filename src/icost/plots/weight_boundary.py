"""`WeightBoundaryDisplay`: what weighting does to a decision boundary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from icost.classifier import iCost
from icost.plots.palette import ACCENT, MAJORITY_COLOR, plain_axes, pyplot
from icost.plots.plane import to_plane
from icost.validation import check_number

TITLES = {
    "ncs": "not cost-sensitive",
    "cs": "class-level costs",
    "neighbor": "Neighbor-iCost",
    "tree": "Gini-iCost",
    "gini": "Gini-iCost",
}


@dataclass(frozen=True, eq=False)
class Panel:
    """One picture: the predictions on a grid and the weights that led to them."""

    title: str
    predicted: NDArray[np.bool_]
    weight: NDArray[np.float64]


class WeightBoundaryDisplay:
    """Decision boundaries of several methods side by side, points sized by their weight.

    Answers what weighting does to a classifier: how far class-level costs move its boundary into
    the majority, and where instance-level costs move it instead. The base classifier is fitted on
    the two dimensions that are drawn, so this shows the methods, not a model on all features.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Coordinates of all samples.
    is_minority : ndarray of shape (n_samples,)
        Whether each is of the minority.
    grid : pair of ndarrays
        Coordinates of the grid, horizontal and vertical.
    panels : list of Panel
        One per method.
    axis_names : pair of str
        Labels of the axes.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        Where it was drawn, one per method.
    figure_ : matplotlib Figure
        Their figure.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost.plots import WeightBoundaryDisplay
    >>> X, y = make_classification(
    ...     n_features=2, n_redundant=0, weights=[0.9], random_state=0
    ... )
    >>> display = WeightBoundaryDisplay.from_data(X, y)
    >>> [panel.title for panel in display.panels]
    ['not cost-sensitive', 'class-level costs', 'Neighbor-iCost']

    Any method and costs may be compared, here on two columns:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost import iCost
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = iCost(DecisionTreeClassifier(max_depth=3, random_state=0), cfb=2.0)
    >>> options = {"methods": ["cs", "tree"], "features": ["Mg", "Si"], "grid_resolution": 20}
    >>> display = WeightBoundaryDisplay.from_estimator(model, X, y, **options)
    >>> [round(float(panel.weight.max()), 1) for panel in display.panels]
    [11.6, 22.6]
    """

    def __init__(
        self,
        points: NDArray[np.float64],
        is_minority: NDArray[np.bool_],
        grid: tuple[NDArray[np.float64], NDArray[np.float64]],
        panels: list[Panel],
        axis_names: tuple[str, str] = ("", ""),
    ) -> None:
        self.points = points
        self.is_minority = is_minority
        self.grid = grid
        self.panels = panels
        self.axis_names = axis_names

    @classmethod
    def from_estimator(
        cls,
        estimator: iCost,
        X: Any,
        y: ArrayLike,
        *,
        methods: Sequence[Any] = ("ncs", "cs", "neighbor"),
        features: Sequence[Any] | None = None,
        grid_resolution: int = 200,
        ax: Any = None,
    ) -> WeightBoundaryDisplay:
        """Fit an estimator's clones, one per method, and draw their boundaries.

        Parameters
        ----------
        estimator : iCost
            Gives the base classifier and the costs; it need not be fitted.
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        methods : sequence, default=("ncs", "cs", "neighbor")
            Values of ``method``, one per picture.
        features : pair of names or positions, default=None
            Columns to draw; by default a projection on two principal components.
        grid_resolution : int, default=200
            Points of the grid in each direction; fewer for a classifier that predicts slowly.
        ax : sequence of matplotlib Axes, default=None
            Where to draw, one per method; by default in a new figure.

        Returns
        -------
        WeightBoundaryDisplay
            The display.
        """
        check_number("grid_resolution", grid_resolution, low=2, integer=True)
        points, names = to_plane(X, features)
        grid = _grid(points, grid_resolution)
        models = [clone(estimator).set_params(method=method).fit(points, y) for method in methods]
        if len(models[0].classes_) != 2:
            raise ValueError(f"y must have two classes here, got {len(models[0].classes_)}.")
        is_minority = np.asarray(y) == models[0].minority_label_
        panels = [_panel(model, grid) for model in models]
        return cls(points, is_minority, grid, panels, names).plot(ax=ax)

    @classmethod
    def from_data(
        cls, X: Any, y: ArrayLike, base_classifier: Any = None, **options: Any
    ) -> WeightBoundaryDisplay:
        """Fit a base classifier under several methods and draw its boundaries.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        base_classifier : classifier, default=None
            As for `icost.iCost`.
        **options
            Other parameters of `from_estimator`.

        Returns
        -------
        WeightBoundaryDisplay
            The display.
        """
        return cls.from_estimator(iCost(base_classifier), X, y, **options)

    def plot(self, *, ax: Any = None) -> WeightBoundaryDisplay:
        """Draw the pictures.

        Parameters
        ----------
        ax : sequence of matplotlib Axes, default=None
            Where to draw, one per method; by default in a new figure.

        Returns
        -------
        WeightBoundaryDisplay
            Itself.
        """
        if ax is None:
            size = (3.6 * len(self.panels), 3.6)
            grid = {"figsize": size, "sharex": True, "sharey": True, "squeeze": False}
            ax = pyplot().subplots(1, len(self.panels), layout="constrained", **grid)[1]
        self.axes_ = np.ravel(ax)
        if len(self.axes_) != len(self.panels):
            raise ValueError(
                f"ax must hold {len(self.panels)} axes, one per method, got {len(self.axes_)}."
            )
        self.figure_ = self.axes_[0].figure
        for axes, panel in zip(self.axes_, self.panels, strict=True):
            self._draw(axes, panel)
        self.axes_[0].set_ylabel(self.axis_names[1])
        return self

    def _draw(self, ax: Any, panel: Panel) -> None:
        ax.contourf(*self.grid, panel.predicted, levels=[0.5, 1.5], colors=[ACCENT], alpha=0.15)
        ax.contour(*self.grid, panel.predicted, levels=[0.5], colors=[ACCENT], linewidths=1.2)
        # One scale for all pictures: the mean majority sample has the same size everywhere.
        largest = max(other.weight.max() for other in self.panels)
        for rows, color in ((~self.is_minority, MAJORITY_COLOR), (self.is_minority, "#e0662f")):
            size = 8 + 110 * panel.weight[rows] / largest
            ax.scatter(*self.points[rows].T, s=size, c=color, alpha=0.6, linewidth=0)
        ax.set(title=panel.title, xlabel=self.axis_names[0])
        plain_axes(ax)


def _grid(
    points: NDArray[np.float64], resolution: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    horizontal, vertical = np.meshgrid(*np.linspace(low - margin, high + margin, resolution).T)
    return horizontal, vertical


def _panel(model: iCost, grid: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Panel:
    flat = np.column_stack([side.ravel() for side in grid])
    predicted = (model.predict(flat) == model.minority_label_).reshape(grid[0].shape)
    title = TITLES.get(model.method) if isinstance(model.method, str) else None
    return Panel(title or type(model.method).__name__, predicted, model.sample_weight_)
