"""Choose the exact search that fits a metric, the data and the algorithm asked for."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from sklearn.neighbors import BallTree

from icost.neighbors.kdtree import KDTreeIndex
from icost.neighbors.points import MINKOWSKI, MinkowskiSpace
from icost.neighbors.search import DirectSearch, MatrixSearch, Search, SparseSearch
from icost.neighbors.trees import BallTreeIndex, TreeSearch

#: Names of the Euclidean distance.
EUCLIDEAN = frozenset(name for name, p in MINKOWSKI.items() if p == 2)

#: Distances that scikit-learn's ball tree takes, but that break the triangle inequality it needs.
_NO_TRIANGLE = {"braycurtis", "dice", "russellrao"}

#: Fewer distances than this are computed sooner than the ways of searching are compared.
_WORTH_A_PILOT = 50_000_000

#: How many queries are tried to compare the ways of searching.
_PILOT_QUERIES = 128


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
    n_threads: int,
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
    n_threads : int
        How many threads may build an index.
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
        return TreeSearch(KDTreeIndex(space, n_threads), space)
    if algorithm == "ball_tree":
        return TreeSearch(BallTreeIndex(space.points, "minkowski", {"p": space.p}), space)
    if algorithm == "brute" or len(queries) * len(space.points) < _WORTH_A_PILOT:
        return _brute(space, queries, n_nearest)
    return _fastest(space, queries, n_nearest, n_threads)


def _brute(space: MinkowskiSpace, queries: NDArray, n_nearest: int) -> Search:
    if space.p != 2:
        return DirectSearch(space)
    single = MatrixSearch(space, np.float32)
    if single.is_sharp(_spread_out(queries, 32), n_nearest):
        return single
    return MatrixSearch(space, np.float64)


def _fastest(space: MinkowskiSpace, queries: NDArray, n_nearest: int, n_threads: int) -> Search:
    """Try tree and brute force on some of the queries, and return what promises to be faster.

    Whether a tree helps depends on the intrinsic dimension of the data, which only trying tells. A
    sixteenth of the points tells what brute force will cost, since that grows with their number,
    and, compared with a sixty-fourth, how the cost of the tree grows: a hopeless tree is never
    built.
    """
    asked = _spread_out(queries, _PILOT_QUERIES)
    small, smaller = (_thinned(space, asked, step) for step in (16, 64))
    own = np.arange(len(asked))
    share = len(queries) / len(asked)
    brute = 16 * share * _seconds(_brute(small, own, n_nearest), own, n_nearest)
    near, far = (
        _seconds(TreeSearch(KDTreeIndex(part), part), own, n_nearest) for part in (smaller, small)
    )
    # From n/64 to n/16 and from there to n are one and two fourfold steps.
    expected = share * far * (far / near) ** 2
    if expected > 3 * brute:
        return _brute(space, queries, n_nearest)
    tree = TreeSearch(KDTreeIndex(space, n_threads), space)
    if 5 * expected < brute:
        return tree
    runs = _in_runs(queries[np.argsort(tree.rank[queries])])
    if len(queries) / len(runs) * _seconds(tree, runs, n_nearest) > brute:
        return _brute(space, queries, n_nearest)
    return tree


def _spread_out(queries: NDArray, number: int) -> NDArray:
    """Return some of the queries, evenly spread over them."""
    return queries[np.linspace(0, len(queries) - 1, min(number, len(queries))).astype(np.intp)]


def _in_runs(queries: NDArray) -> NDArray:
    """Return runs of successive queries, which find in the cache what real ones will."""
    length = 16
    starts = np.linspace(0, max(0, len(queries) - length), _PILOT_QUERIES // length).astype(np.intp)
    return queries[np.minimum(starts[:, None] + np.arange(length), len(queries) - 1).ravel()]


def _thinned(space: MinkowskiSpace, asked: NDArray, step: int) -> MinkowskiSpace:
    """Return a space with the points asked for, followed by one in ``step`` of the others."""
    points = np.concatenate([space.points[asked], space.points[::step]])
    return MinkowskiSpace(points, space.p)


def _seconds(search: Search, queries: NDArray, n_nearest: int) -> float:
    """Return the time that a search takes for some queries."""
    start = perf_counter()
    search.pairs(queries, n_nearest)
    return perf_counter() - start


def _ball_tree(
    X: Any, metric: Any, params: Mapping[str, Any], algorithm: str, first: Any
) -> TreeSearch:
    known = callable(metric) or metric in set(BallTree.valid_metrics) - _NO_TRIANGLE
    # What is no space by now has an exponent below 1.
    known = known and metric != "minkowski"
    if issparse(X) or algorithm != "ball_tree" or not known:
        what = "sparse X" if issparse(X) else f"metric={metric!r}"
        raise ValueError(f"algorithm={algorithm!r} cannot search with {what}; 'brute' can.")
    X, params = fit_metric(X, metric, params)
    points = X[first].astype(np.float64)
    return TreeSearch(BallTreeIndex(points, metric, params), None)
