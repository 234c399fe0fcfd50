"""Search with a neighbours object of the user's, or with an approximate index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from icost.neighbors.trees import ListSearch
from icost.validation import import_extra


class PyNNDescentNeighbors:
    """Pynndescent's index behind scikit-learn's ``fit`` and ``kneighbors``."""

    def __init__(self, metric: Any, params: dict[str, Any], n_jobs: int | None):
        self.metric = metric
        self.metric_params = params
        self.n_jobs = n_jobs

    def fit(self, X: Any) -> PyNNDescentNeighbors:
        """Build the index."""
        pynndescent = import_extra("pynndescent", "approximate", "The approximate search")
        self._index = pynndescent.NNDescent(
            X,
            metric=self.metric,
            metric_kwds=self.metric_params or None,
            n_neighbors=min(30, X.shape[0] - 1),
            n_jobs=self.n_jobs or 1,
            # Fixed, so that the same data give the same counts.
            random_state=0,
        )
        return self

    def kneighbors(
        self, X: Any, n_neighbors: int, return_distance: bool = True
    ) -> tuple[NDArray, NDArray]:
        """Return distances and rows, nearest first."""
        rows, distances = self._index.query(X, k=n_neighbors)
        return distances, rows


def own_metric(neighbors: Any, metric: Any, params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the metric, and its parameters, that a neighbours object says it uses."""
    if not hasattr(neighbors, "metric"):
        return metric, params
    own = dict(getattr(neighbors, "metric_params", None) or {})
    if neighbors.metric == "minkowski" and hasattr(neighbors, "p"):
        own.setdefault("p", neighbors.p)
    return neighbors.metric, own


def neighbors_search(neighbors: Any, points: Any, queries: Any, n_nearest: int) -> ListSearch:
    """Return a search with a clone of a neighbours object, fitted to the points."""
    return ListSearch(_NeighborsIndex(clone(neighbors, safe=False).fit(points), points.shape[0]))


class _NeighborsIndex:
    """A fitted neighbours object, asked like a tree, but for radii."""

    def __init__(self, model: Any, n_points: int):
        self._model = model
        self.rank = np.arange(n_points)

    def nearest(self, queries: Any, n_nearest: int) -> tuple[NDArray, NDArray]:
        """Return distances and points, nearest first, one row a query."""
        answer = self._model.kneighbors(queries, n_neighbors=n_nearest, return_distance=True)
        distance, point = np.asarray(answer[0], np.float64), np.asarray(answer[1], np.intp)
        if point.shape != (queries.shape[0], n_nearest) or point.min() < 0:
            raise ValueError(
                f"kneighbors must give {n_nearest} neighbours for each of {queries.shape[0]} rows, "
                f"got an array of shape {point.shape} with {int((point < 0).sum())} missing."
            )
        return distance, point
