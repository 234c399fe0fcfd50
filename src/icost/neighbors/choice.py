"""Choose the exact search that fits a metric, the data and the algorithm asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from sklearn.neighbors import BallTree

from icost.neighbors import kernel
from icost.neighbors.pilot import (
    BRUTE_QUERIES,
    TREE_QUERIES,
    forecast_brute,
    forecast_tree,
    is_worth_a_tree,
    is_worth_measuring,
    reckon_brute,
    timed,
)
from icost.neighbors.points import MINKOWSKI, MinkowskiSpace, OtherQueries
from icost.neighbors.search import DirectSearch, MatrixSearch, Search, SharpSearch, SparseSearch
from icost.neighbors.trees import BallTreeIndex, KDTreeIndex, TreeSearch

#: Names of the Euclidean distance.
EUCLIDEAN = frozenset(name for name, p in MINKOWSKI.items() if p == 2)

#: Distances that scikit-learn's ball tree takes, but that break the triangle inequality it needs.
_NO_TRIANGLE = {"braycurtis", "dice", "russellrao"}

#: For no more queries than this, all distances are computed sooner than a screen is built.
_FEW_QUERIES = 16

#: For no more pairs than this, candidates that a blunt screen lets pass cost less than a trial.
_FEW_PAIRS = 1_000_000

#: How many queries are tried on a tree once it is built.
_TRIAL_QUERIES = 32


def fit_metric(X: Any, metric: Any, params: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the data as a metric wants them, and the parameters that it takes from all rows."""
    params = dict(params)
    # Scikit-learn keeps to single precision, whose distances tie where those of the same numbers
    # in double precision do not.
    X = X.astype(np.float64, copy=False)
    if not isinstance(metric, str):
        return X, params
    if metric in PAIRWISE_BOOLEAN_FUNCTIONS:
        return X.astype(bool), params
    if metric == "mahalanobis" and not {"V", "VI"} & set(params):
        params["VI"] = np.linalg.inv(np.cov(X, rowvar=False))
    return X, params


class Queries(Protocol):
    """Queries whose coordinates are made when they are asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: NDArray[np.intp]) -> NDArray[np.float64]: ...

    def visit(self, rank: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the queries in the order that suits an index."""


def minkowski_search(
    space: MinkowskiSpace, algorithm: str, n_threads: int, queries: Queries, n_nearest: int
) -> Search:
    """Return a search among the points of a space, for these queries."""
    if algorithm == "kd_tree":
        return TreeSearch(KDTreeIndex(space, n_threads), space)
    if algorithm == "ball_tree":
        return TreeSearch(BallTreeIndex(space.points, "minkowski", {"p": space.p}), space)
    if len(queries) <= _FEW_QUERIES:
        return DirectSearch(space)
    brute = reckon_brute(space, len(queries), _way(space))
    if algorithm == "auto" and is_worth_a_tree(space, len(queries), brute):
        return _fastest(space, queries, n_nearest, n_threads, brute)
    return _brute(space, queries, n_nearest)


def _brute(space: MinkowskiSpace, queries: Queries, n_nearest: int) -> Search:
    if space.p != 2:
        return DirectSearch(space)
    # Single precision is about twice as fast, unless its slack lets too many candidates pass.
    single = _screen(space)
    if len(queries) * len(space.points) <= _FEW_PAIRS:
        return single
    if single.is_sharp(queries[_spread_out(len(queries), 32)], n_nearest):
        return single
    return MatrixSearch(space, np.float64)


def _screen(space: MinkowskiSpace) -> SharpSearch:
    """Return the fastest screen that there is on this machine: the compiled one, or products."""
    is_compiled = kernel.variant()[0] != "off"
    return kernel.KernelSearch(space) if is_compiled else MatrixSearch(space, np.float32)


def _way(space: MinkowskiSpace) -> str:
    """Return how brute force will go about it, by the names of `reckon_brute`."""
    name = kernel.variant()[0] if space.p == 2 else "all distances"
    return "products" if name == "off" else name


def _fastest(
    space: MinkowskiSpace, queries: Queries, n_nearest: int, n_threads: int, brute: float
) -> Search:
    """Forecast what a tree will take beside brute force, and return what promises to be faster."""
    many, few = (queries[_spread_out(len(queries), n)] for n in (BRUTE_QUERIES, TREE_QUERIES))
    tree = forecast_tree(space, few, len(queries), n_nearest, brute)
    if is_worth_measuring(brute, tree):
        make = partial(_brute, queries=OtherQueries(few), n_nearest=n_nearest)
        brute = forecast_brute(make, space, many, len(queries), n_nearest)
    if tree > brute:
        return _brute(space, queries, n_nearest)
    search = TreeSearch(KDTreeIndex(space, n_threads), space)
    # The forecast cannot know what the data are like on a finer scale than the thinned ones: a few
    # real queries confirm it. They are slower than others, having to fill the cache.
    trial = queries[_in_runs(queries.visit(search.rank))]
    seconds, _ = timed(lambda: search.pairs(trial, n_nearest))
    is_slow = len(queries) / len(trial) * seconds > 2 * brute
    return _brute(space, queries, n_nearest) if is_slow else search


def _spread_out(n_queries: int, number: int) -> NDArray[np.intp]:
    """Return some of the queries, evenly spread over them."""
    return np.linspace(0, n_queries - 1, min(number, n_queries)).astype(np.intp)


def _in_runs(queries: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return runs of successive queries, which find in the cache what real ones will."""
    length = 16
    starts = np.linspace(0, max(0, len(queries) - length), _TRIAL_QUERIES // length).astype(np.intp)
    return queries[np.minimum(starts[:, None] + np.arange(length), len(queries) - 1).ravel()]


def other_search(
    X: Any, metric: Any, params: Mapping[str, Any], algorithm: str
) -> tuple[Any, Callable[[Any, Any, int], Search]]:
    """Return what has no space as its search wants it, and what makes the search among points."""
    if issparse(X) and algorithm in ("auto", "brute"):
        return csr_array(X, dtype=np.float64), lambda points, *_: SparseSearch(points)
    known = callable(metric) or metric in set(BallTree.valid_metrics) - _NO_TRIANGLE
    # What is no space by now has an exponent below 1.
    known = known and metric != "minkowski"
    if issparse(X) or algorithm != "ball_tree" or not known:
        what = "sparse X" if issparse(X) else f"metric={metric!r}"
        raise ValueError(f"algorithm={algorithm!r} cannot search with {what}; 'brute' can.")
    X, params = fit_metric(X, metric, params)
    return X.astype(np.float64, copy=False), lambda points, *_: TreeSearch(
        BallTreeIndex(points, metric, params), None
    )
