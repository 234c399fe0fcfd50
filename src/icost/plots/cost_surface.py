"""The score of a search against two of its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from icost.validation import import_extra


class CostSurfaceDisplay:
    """Mean score against two penalties, averaged over all other parameters.

    Answers whether the two costs matter, and whether the grid reached far enough. A surface that is
    flat says that the costs hardly matter; a ridge at the border of the grid, that the grid should
    reach further. A full grid is drawn as cells, the points of any other search as dots; the star
    is the selected point.

    Parameters
    ----------
    x, y : array-like of shape (n_points,)
        Values of the two parameters.
    score : array-like of shape (n_points,)
        Mean score at each point.
    x_name, y_name : str
        Names of the parameters.
    best : tuple of two floats
        The selected point.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    surface_ : matplotlib artist
        The cells of a full grid, or the points of any other search.

    Notes
    -----
    The star need not lie on the brightest cell: it is the search's choice among all candidates,
    while a cell is a mean over those that agree in the two parameters.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost import iCostCV
    >>> from icost.plots import CostSurfaceDisplay
    >>> X, y = make_classification(300, weights=[0.9], flip_y=0.05, random_state=0)
    >>> search = iCostCV(grid={"cfb": [0.5, 1.0, 1.5], "cfo": [0.1, 0.5]}).fit(X, y)
    >>> display = CostSurfaceDisplay.from_estimator(search, "cfb", "cfo")
    >>> display.score.shape, display.best
    ((6,), (1.0, 0.1))
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        score: ArrayLike,
        *,
        x_name: str = "cfb",
        y_name: str = "cfo",
        best: tuple[float, float] | None = None,
    ) -> None:
        self.x = np.asarray(x, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.score = np.asarray(score, dtype=np.float64)
        self.x_name, self.y_name, self.best = x_name, y_name, best

    @classmethod
    def from_estimator(
        cls, search: Any, x: str = "cfb", y: str = "cfo", **plot_params: Any
    ) -> CostSurfaceDisplay:
        """Draw the surface of a fitted search.

        Parameters
        ----------
        search : iCostCV or GridSearchCV
            Fitted, over both parameters.
        x, y : str, default="cfb" and "cfo"
            The parameters; a pipeline's prefix may be left out.
        **plot_params
            As for `plot`.

        Returns
        -------
        CostSurfaceDisplay
            Drawn.
        """
        check_is_fitted(search, "cv_results_")
        names = [_full_name(search.cv_results_["params"], name) for name in (x, y)]
        points, score = _mean_per_point(search.cv_results_, names)
        best = float(search.best_params_[names[0]]), float(search.best_params_[names[1]])
        columns, rows = points.T
        display = cls(columns, rows, score, x_name=names[0], y_name=names[1], best=best)
        return display.plot(**plot_params)

    def plot(self, ax: Any = None, *, cmap: str = "viridis") -> CostSurfaceDisplay:
        """Draw the surface.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; by default on a new figure.
        cmap : str, default="viridis"
            Colours of the score.

        Returns
        -------
        CostSurfaceDisplay
            Drawn.
        """
        plt = import_extra("matplotlib.pyplot", "plots", "CostSurfaceDisplay")
        if ax is None:
            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self.surface_ = self._draw(ax, cmap)
        self.figure_.colorbar(self.surface_, ax=ax, label="Mean score")
        if self.best is not None:
            ax.plot(*self._place(self.best), marker="*", ms=14, mfc="white", mec="black", ls="")
        ax.set(xlabel=self.x_name, ylabel=self.y_name)
        return self

    def _draw(self, ax: Any, cmap: str) -> Any:
        if not self._is_grid():
            return ax.scatter(self.x, self.y, c=self.score, cmap=cmap)
        columns, rows = np.unique(self.x), np.unique(self.y)
        cells = np.empty((len(rows), len(columns)))
        cells[np.searchsorted(rows, self.y), np.searchsorted(columns, self.x)] = self.score
        image = ax.imshow(cells, origin="lower", aspect="auto", cmap=cmap)
        # Cells of one size, whatever the steps of the grid: thin cells could not be compared.
        ax.set_xticks(range(len(columns)), [f"{value:g}" for value in columns])
        ax.set_yticks(range(len(rows)), [f"{value:g}" for value in rows])
        return image

    def _is_grid(self) -> bool:
        return len(self.score) == len(np.unique(self.x)) * len(np.unique(self.y))

    def _place(self, point: tuple[float, float]) -> tuple[Any, Any]:
        if not self._is_grid():
            return point
        return np.searchsorted(np.unique(self.x), point[0]), np.searchsorted(
            np.unique(self.y), point[1]
        )


def _full_name(params: list[dict[str, Any]], name: str) -> str:
    known = sorted({key for candidate in params for key in candidate})
    found = [key for key in known if key == name or key.endswith(f"__{name}")]
    if len(found) != 1 or not all(found[0] in candidate for candidate in params):
        raise ValueError(f"x and y must be searched parameters, among {known}, got {name!r}.")
    return found[0]


def _mean_per_point(
    results: dict[str, Any], names: list[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    score = next(results[key] for key in ("mean_test_score", "mean_test_mcc") if key in results)
    pairs = np.array([[float(p[name]) for name in names] for p in results["params"]])
    points, place = np.unique(pairs, axis=0, return_inverse=True)
    place = np.ravel(place)
    return points, np.bincount(place, weights=score) / np.bincount(place)
