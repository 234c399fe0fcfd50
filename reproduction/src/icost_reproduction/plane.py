"""Displays of two features: `WeightBoundaryDisplay` and `GiniPartitionDisplay`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.inspection import DecisionBoundaryDisplay

from icost import GiniComplexity, iCost
from icost_reproduction._internals import (
    ACCENT,
    LOSS,
    MAJORITY_COLOR,
    check_number,
    columns_at,
    encode_labels,
    find_features,
    named_measure,
    new_axes,
    plain_axes,
    pyplot,
    resolve_minority,
    take_columns,
    to_numeric_space,
    to_plane,
)

TITLES = {
    "ncs": "not cost-sensitive",
    "cs": "class-level costs",
    "neighbor": "Neighbor-iCost",
    "tree": "Gini-iCost",
    "gini": "Gini-iCost",
}


@dataclass(eq=False, repr=False)
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
    models : list of iCost
        One per method, fitted to the points.
    grid_resolution : int, default=200
        Points of the grid in each direction.
    axis_names : pair of str
        Labels of the axes.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        Where it was drawn, one per method.
    figure_ : matplotlib Figure
        Their figure.
    boundaries_ : list of DecisionBoundaryDisplay
        What each model predicts on the grid, as scikit-learn draws it.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost_reproduction import WeightBoundaryDisplay
    >>> X, y = make_classification(
    ...     n_features=2, n_redundant=0, weights=[0.9], random_state=0
    ... )
    >>> display = WeightBoundaryDisplay.from_data(X, y)
    >>> [ax.get_title() for ax in display.axes_]
    ['not cost-sensitive', 'class-level costs', 'Neighbor-iCost']

    Any method and costs may be compared, here on two columns:

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost import iCost
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = iCost(DecisionTreeClassifier(max_depth=3, random_state=0), cfb=2.0)
    >>> options = {"methods": ["cs", "tree"], "features": ["Mg", "Si"], "grid_resolution": 20}
    >>> display = WeightBoundaryDisplay.from_estimator(model, X, y, **options)
    >>> [round(float(model.sample_weight_.max()), 1) for model in display.models]
    [11.6, 22.6]
    """

    points: NDArray[np.float64]
    is_minority: NDArray[np.bool_]
    models: list[iCost]
    grid_resolution: int = 200
    axis_names: tuple[str, str] = ("", "")

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
        models = [clone(estimator).set_params(method=method).fit(points, y) for method in methods]
        if len(models[0].classes_) != 2:
            raise ValueError(f"y must have two classes here, got {len(models[0].classes_)}.")
        is_minority = np.asarray(y) == models[0].minority_label_
        return cls(points, is_minority, models, grid_resolution, names).plot(ax=ax)

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
            size = (3.6 * len(self.models), 3.6)
            grid = {"figsize": size, "sharex": True, "sharey": True, "squeeze": False}
            ax = pyplot().subplots(1, len(self.models), layout="constrained", **grid)[1]
        self.axes_ = np.ravel(ax)
        if len(self.axes_) != len(self.models):
            raise ValueError(
                f"ax must hold {len(self.models)} axes, one per method, got {len(self.axes_)}."
            )
        self.figure_ = self.axes_[0].figure
        pairs = zip(self.axes_, self.models, strict=True)
        self.boundaries_ = [self._draw(axes, model) for axes, model in pairs]
        self.axes_[0].set_ylabel(self.axis_names[1])
        return self

    def _draw(self, ax: Any, model: iCost) -> DecisionBoundaryDisplay:
        minority = int(np.flatnonzero(model.classes_ == model.minority_label_)[0])
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        margin = 0.05 * np.where(high > low, high - low, 1.0)
        boundary = DecisionBoundaryDisplay.from_estimator(
            model,
            np.stack([low - margin, high + margin]),
            eps=0,
            grid_resolution=self.grid_resolution,
            response_method="predict",
            plot_method="contourf",
            levels=[minority - 0.5, minority + 0.5],
            colors=[ACCENT],
            alpha=0.15,
            ax=ax,
        )
        ax.contour(
            boundary.xx0, boundary.xx1, boundary.response, [0.5], colors=[ACCENT], linewidths=1.2
        )
        # One scale for all pictures: the mean majority sample has the same size everywhere.
        largest = max(other.sample_weight_.max() for other in self.models)
        for rows, color in ((~self.is_minority, MAJORITY_COLOR), (self.is_minority, LOSS)):
            size = 8 + 110 * model.sample_weight_[rows] / largest
            ax.scatter(*self.points[rows].T, s=size, c=color, alpha=0.6, linewidth=0)
        title = TITLES.get(model.method) if isinstance(model.method, str) else None
        ax.set(title=title or type(model.method).__name__, xlabel=self.axis_names[0])
        plain_axes(ax)
        return boundary


@dataclass(eq=False, repr=False)
class GiniPartitionDisplay:
    """Leaves of the probe tree as rectangles, shaded by their share of minority samples.

    Answers why Gini-iCost calls a sample pure, mixed or an outlier: all minority samples of a leaf
    share its category. A picture has two dimensions, so the probe tree is fitted on the two
    features that are drawn: it shows the method, not the tree that `icost.iCost` fits on all
    features. `icost.plots.ComplexityDisplay` shows the categories by all features.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Coordinates of all samples.
    is_minority : ndarray of shape (n_samples,)
        Whether each is of the minority.
    boxes : ndarray of shape (n_leaves, 2, 2)
        Low and high ends of each leaf (first axis of a box) in both features.
    share : ndarray of shape (n_leaves,)
        Minority share of each leaf.
    category : ndarray of shape (n_leaves,)
        Category of the minority samples in each leaf.
    axis_names : pair of str
        Labels of the axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Its figure.

    Examples
    --------
    >>> import numpy as np
    >>> from icost_reproduction import GiniPartitionDisplay
    >>> X = np.column_stack([np.arange(20.0), np.zeros(20)])
    >>> display = GiniPartitionDisplay.from_data(X, np.arange(20) >= 15)
    >>> display.share, display.category
    (array([0., 1.]), array(['outlier', 'pure'], dtype=object))

    With many features, the two that a probe tree on all of them uses most are drawn:

    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> GiniPartitionDisplay.from_data(X, y).axis_names
    ('Mg', 'Si')
    """

    points: NDArray[np.float64]
    is_minority: NDArray[np.bool_]
    boxes: NDArray[np.float64]
    share: NDArray[np.float64]
    category: NDArray[Any]
    axis_names: tuple[str, str] = ("", "")

    @classmethod
    def from_estimator(
        cls,
        estimator: iCost,
        X: Any,
        y: ArrayLike,
        *,
        features: Sequence[Any] | None = None,
        ax: Any = None,
    ) -> GiniPartitionDisplay:
        """Draw the partition under an estimator's tree parameters.

        Parameters
        ----------
        estimator : iCost
            Gives the parameters of the probe tree; it need not be fitted.
        X, y, features, ax
            As for `from_data`.

        Returns
        -------
        GiniPartitionDisplay
            The display.
        """
        measure: Any = estimator.method
        if not hasattr(measure, "fit_tree"):
            measure = named_measure("tree", estimator)
        options = {"minority_label": estimator.minority_label, "features": features, "ax": ax}
        return cls.from_data(X, y, measure, random_state=estimator.random_state, **options)

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: ArrayLike,
        measure: GiniComplexity | None = None,
        *,
        features: Sequence[Any] | None = None,
        minority_label: Any = None,
        random_state: Any = 0,
        ax: Any = None,
    ) -> GiniPartitionDisplay:
        """Fit the probe tree on two features and draw its leaves.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        measure : GiniComplexity, default=None
            Gives the parameters of the probe tree.
        features : pair of names or positions, default=None
            Columns to draw; by default the two that the probe tree on all features uses most.
        minority_label : label, default=None
            The minority class; by default the smaller one.
        random_state : int, RandomState or None, default=0
            Seed of the tree.
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.

        Returns
        -------
        GiniPartitionDisplay
            The display.
        """
        measure = measure or GiniComplexity()
        classes, codes = encode_labels(y)
        is_minority = codes == resolve_minority(classes, codes, minority_label)
        if features is None:
            positions = _most_used(measure, X, is_minority, random_state)
        else:
            positions = find_features(X, features)
        points, names = take_columns(X, positions)
        boxes, share = _leaves(measure, points, is_minority, random_state)
        category = measure.categorize(share)
        return cls(points, is_minority, boxes, share, category, names).plot(ax=ax)

    def plot(self, *, ax: Any = None, cmap: Any = "viridis") -> GiniPartitionDisplay:
        """Draw the leaves and the samples.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default in a new figure.
        cmap : str or Colormap, default="viridis"
            Colours of the minority share.

        Returns
        -------
        GiniPartitionDisplay
            Itself.
        """
        self.ax_ = ax = new_axes(ax, figsize=(6.4, 4.8))
        self.figure_ = ax.figure
        colors = pyplot().get_cmap(cmap)
        for (low, high), share in zip(self.boxes, self.share, strict=True):
            style = {"facecolor": colors(share), "alpha": 0.45, "edgecolor": "white", "lw": 1.5}
            ax.add_patch(pyplot().Rectangle(low, *(high - low), **style))
        self._name_leaves(ax)
        majority = {"s": 8, "c": MAJORITY_COLOR, "alpha": 0.6, "label": "majority"}
        minority = {
            "s": 18,
            "c": LOSS,
            "marker": "^",
            "lw": 0.3,
            "ec": "white",
            "label": "minority",
        }
        ax.scatter(*self.points[~self.is_minority].T, **majority)
        ax.scatter(*self.points[self.is_minority].T, **minority)
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        # Above the picture, where it covers no row.
        ax.legend(fontsize="small", ncols=2, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
        self._add_scale(ax, colors)
        plain_axes(ax)
        return self

    def _name_leaves(self, ax: Any) -> None:
        width, height = self.boxes[:, 1].max(axis=0) - self.boxes[:, 0].min(axis=0)
        frame = {"boxstyle": "round,pad=0.2", "facecolor": "white", "alpha": 0.8, "lw": 0}
        style = {"ha": "center", "va": "center", "fontsize": "x-small", "bbox": frame, "zorder": 4}
        for (low, high), share, name in zip(self.boxes, self.share, self.category, strict=True):
            # A name in a sliver would cover its neighbours; the colour tells enough there.
            if high[0] - low[0] > 0.07 * width and high[1] - low[1] > 0.07 * height:
                ax.annotate(f"{share:.0%}\n{name}", (low + high) / 2, **style)

    def _add_scale(self, ax: Any, colors: Any) -> None:
        scale = pyplot().cm.ScalarMappable(cmap=colors)
        scale.set_clim(0, 1)
        self.figure_.colorbar(scale, ax=ax, label="minority share of the leaf", alpha=0.45)


def _most_used(
    measure: GiniComplexity, X: Any, is_minority: NDArray[np.bool_], random_state: Any
) -> list[int]:
    n_features = np.shape(X)[1]
    if n_features <= 2:
        return list(range(n_features))
    columns = [to_numeric_space(columns_at(X, [position])) for position in range(n_features)]
    # A text column becomes several; its importance is the sum of theirs.
    owner = np.repeat(np.arange(n_features), [column.shape[1] for column in columns])
    space = np.hstack(columns)
    probe = measure.fit_tree(space, is_minority, random_state=random_state)
    numeric = np.array([column.shape[1] == 1 for column in columns])
    importance = np.bincount(owner, weights=probe.feature_importances_, minlength=n_features)
    return np.argsort(-np.where(numeric, importance, -1), kind="stable")[:2].tolist()


def _leaves(
    measure: GiniComplexity,
    points: NDArray[np.float64],
    is_minority: NDArray[np.bool_],
    random_state: Any,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Boxes and minority shares of the leaves, from left to right in the tree."""
    probe = measure.fit_tree(points, is_minority, random_state=random_state)
    leaf = probe.apply(points)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.03 * np.where(high > low, high - low, 1.0)
    boxes = _boxes(probe.tree_, np.array([low - margin, high + margin]))
    share = [float(is_minority[leaf == node].mean()) for node in boxes]
    return np.array(list(boxes.values())), np.array(share)


def _boxes(tree: Any, box: NDArray[np.float64], node: int = 0) -> dict[int, NDArray[np.float64]]:
    if tree.children_left[node] == tree.children_right[node]:
        return {node: box}
    left, right = box.copy(), box.copy()
    feature, threshold = tree.feature[node], tree.threshold[node]
    left[1, feature] = right[0, feature] = threshold
    children = int(tree.children_left[node]), int(tree.children_right[node])
    return _boxes(tree, left, children[0]) | _boxes(tree, right, children[1])
