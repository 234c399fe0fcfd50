"""Choose the exact search that fits a metric, the data and the algorithm asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from sklearn.neighbors import BallTree

from icost.complexity.neighbor_points import MINKOWSKI, MinkowskiSpace
from icost.complexity.neighbor_search import DirectSearch, MatrixSearch, Search, SparseSearch
from icost.complexity.neighbor_trees import BallTreeIndex, KDTreeIndex, TreeSearch

#: Names of the Euclidean distance.
EUCLIDEAN = frozenset(name for name, p in MINKOWSKI.items() if p == 2)

#: Fewer distances than this are computed sooner than the ways of searching are compared.
_WORTH_A_PILOT = 50_000_000


def fit_metric(X: Any, metric: Any, params: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the data as a metric wants them, and the parameters that it takes from all rows."""
    params = dict(params)
    if not isinstance(metric, str):
        return X, params
    if metric in PAIRWISE_BOOLEAN_FUNCTIONS:
        return X.astype(bool), params
    if metric == "mahalanobis" and not {"V", "VI"} & set(params):
        params["VI"] = np.linalg.inv(np.cov(X, rowvar=False))
    return X, params


def exact_search(
    data: Any,
    metric: Any,
    params: Mapping[str, Any],
    algorithm: str,
    first: Any,
    queries: NDArray[np.intp],
    n_nearest: int,
) -> Search:
    """Return a search among the distinct points of the data.

    Parameters
    ----------
    data : MinkowskiSpace, or ndarray or sparse matrix of shape (n_rows, n_features)
        The rows, in their space if the metric has one.
    metric, params : str or callable, mapping
        The metric, used where the data are no space.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}
        The way of searching.
    first : ndarray of int or slice
        One row at each distinct point.
    queries : ndarray of int
        The points that will be asked for.
    n_nearest : int
        How many nearest points will be asked for.

    Returns
    -------
    Search
        Where to ask.
    """
    if issparse(data) and algorithm in ("auto", "brute"):
        return SparseSearch(data)
    if not isinstance(data, MinkowskiSpace):
        return _ball_tree(data, metric, params, algorithm, first)
    space = MinkowskiSpace(data.points[first], data.p)
    if algorithm == "kd_tree":
        return TreeSearch(KDTreeIndex(space), len(space.points), space)
    if algorithm == "ball_tree":
        index = BallTreeIndex(space.points, "minkowski", {"p": space.p})
        return TreeSearch(index, len(space.points), space)
    if space.p == 2:
        matrix = MatrixSearch(space)
        return matrix
    return DirectSearch(space)


def _ball_tree(
    X: Any, metric: Any, params: Mapping[str, Any], algorithm: str, first: Any
) -> TreeSearch:
    known = callable(metric) or metric in BallTree.valid_metrics
    if issparse(X) or algorithm != "ball_tree" or not known:
        what = "sparse X" if issparse(X) else f"metric={metric!r}"
        raise ValueError(f"algorithm={algorithm!r} cannot search with {what}; 'brute' can.")
    X, params = fit_metric(X, metric, params)
    points = X[first].astype(np.float64)
    return TreeSearch(BallTreeIndex(points, metric, params), len(points), None)
