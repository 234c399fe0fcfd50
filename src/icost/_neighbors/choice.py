"""Choose the exact search for a metric, the data and the algorithm, by forecasts of the time.

Whether a tree helps depends on the intrinsic dimension of the data, which only trying tells: a
query costs it about log n on a surface of few dimensions, and nearly n in many. What brute force
takes can be estimated. All searches give the same answer, so that a forecast misled by a busy
machine costs time and nothing else; and it must not cost much itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.spatial import cKDTree
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from sklearn.neighbors import BallTree

from icost._core.arrays import Floats, Ints
from icost._neighbors import kernel
from icost._neighbors.points import MinkowskiSpace, OtherQueries, Queries
from icost._neighbors.search import DirectSearch, MatrixSearch, Search, SparseSearch
from icost._neighbors.trees import BallTreeIndex, KDTreeIndex, TreeSearch

Value = TypeVar("Value")

MakeSearch = Callable[[Any, Any, int], Search]
"""Returns a search among points, for queries and the number of nearest rows that they need."""

#: How many queries are tried with brute force, and with the tree.
BRUTE_QUERIES, TREE_QUERIES = 256, 16

#: Nanoseconds for a pair, and for each feature of it, as once measured on one machine: by products,
#: by all distances and by the variants of the compiled screen.
_PAIR = {
    "products": (1.0, 0.025),
    "all distances": (20.0, 1.0),
    "portable": (0.3, 0.06),
    "avx2": (0.15, 0.02),
    "avx512": (0.12, 0.02),
    "vnni": (0.15, 0.005),
}

#: Nanoseconds to prepare a cell for brute force.
_CELL = 15.0

#: The least that a tree takes: nanoseconds for a point and for a query, and for a feature of it.
_TREE_POINT, _TREE_QUERY = (300.0, 25.0), (2000.0, 100.0)

#: A search that takes fewer seconds is over before a forecast pays.
_WORTH_A_FORECAST = 0.08

#: Brute force of more seconds is measured and not only reckoned, if the choice is in doubt.
_WORTH_MEASURING = 2.0

#: A forecast that would take more than this share of the search is not made.
_SHARE = 0.01

#: Building the two trees of an index takes about as long as so many plain ones.
_TREES = 3


def reckon_brute(space: MinkowskiSpace, n_queries: int, technique: str) -> float:
    """Return about how many seconds brute force takes."""
    n_points, n_features = space.points.shape
    pairs = n_queries * n_points * _nanoseconds(_PAIR[technique], n_features)
    return 1e-9 * (n_points * n_features * _CELL + pairs)


def is_worth_a_tree(space: MinkowskiSpace, n_queries: int, brute: float) -> bool:
    """Tell whether there is a choice: brute force is neither quick nor sure to be quicker."""
    n_points, n_features = space.points.shape
    least = n_points * _nanoseconds(_TREE_POINT, n_features)
    least += n_queries * _nanoseconds(_TREE_QUERY, n_features)
    return brute > max(_WORTH_A_FORECAST, 1e-9 * least)


def _nanoseconds(rate: tuple[float, float], n_features: int) -> float:
    return rate[0] + rate[1] * n_features


def forecast_tree(
    space: MinkowskiSpace, queries: Floats, n_queries: int, n_nearest: int, brute: float
) -> float:
    """Return the seconds that a tree will take, as well as must be known beside brute force's."""
    before, forecast = 0.0, np.inf
    # Fourfold more points each time, as long as the forecast is in doubt and may cost so much.
    for n_steps in (4, 3, 2, 1):
        thinned = _thinned(space, 4**n_steps)
        # Fewer points would be all neighbours.
        if len(thinned.points) < 16 * n_nearest:
            continue
        built, a_query = _try_tree(thinned, queries, n_nearest)
        if before:
            growth = max(1.0, a_query / before)
            forecast = _TREES * 4**n_steps * built + n_queries * a_query * growth**n_steps
            # The farther it looks ahead, the rougher it is.
            is_clear = not 0.6**n_steps < forecast / brute < 1.7**n_steps
            more = 4 * (built + len(queries) * a_query * growth)
            if is_clear or more > _SHARE * min(brute, forecast):
                break
        before = a_query
    return forecast


def _try_tree(space: MinkowskiSpace, queries: Floats, n_nearest: int) -> tuple[float, float]:
    """Return the seconds to build a tree, and for one query."""
    built, tree = timed(lambda: cKDTree(space.points, leafsize=24, balanced_tree=False))
    ranks = np.arange(1, n_nearest + 1)
    return built, _quickest(lambda: tree.query(queries, ranks, p=space.p)) / len(queries)


def forecast_brute(
    make: Callable[[MinkowskiSpace], Search],
    space: MinkowskiSpace,
    queries: Floats,
    n_queries: int,
    n_nearest: int,
) -> float:
    """Return the seconds that brute force will take."""
    # Part of the time grows with the number of points and part does not: the difference between a
    # sixteenth and a sixty-fourth of the points tells them apart.
    (_, few, short), (built, many, long) = (
        _try_brute(make, _thinned(space, step), queries, n_nearest) for step in (64, 16)
    )
    slope = max(0.0, long - short) / max(1, many - few)
    a_query = (long + slope * (len(space.points) - many)) / len(queries)
    return 16 * built + n_queries * a_query


def _try_brute(
    make: Callable[[MinkowskiSpace], Search], space: MinkowskiSpace, queries: Floats, n_nearest: int
) -> tuple[float, int, float]:
    """Return the seconds to make a search, its points, and the seconds for the queries."""
    built, search = timed(lambda: make(space))
    return built, len(space.points), _quickest(lambda: search.pairs(queries, n_nearest))


def _thinned(space: MinkowskiSpace, step: int) -> MinkowskiSpace:
    """Return a space with one in ``step`` of the points."""
    return MinkowskiSpace(np.ascontiguousarray(space.points[::step]), space.p)


def _quickest(call: Callable[[], object]) -> float:
    """Return the seconds of the quicker of two calls: the first may have to wait for memory."""
    return min(timed(call)[0] for _ in range(2))


def timed(call: Callable[[], Value]) -> tuple[float, Value]:
    """Return the seconds that a call takes, and what it returns."""
    start = perf_counter()
    value = call()
    return perf_counter() - start, value


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
    brute = reckon_brute(space, len(queries), _technique(space))
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


def _screen(space: MinkowskiSpace) -> kernel.KernelSearch | MatrixSearch:
    """Return the fastest screen that there is on this machine: the compiled one, or products."""
    is_compiled = kernel.variant()[0] != "off"
    return kernel.KernelSearch(space) if is_compiled else MatrixSearch(space, np.float32)


def _technique(space: MinkowskiSpace) -> str:
    """Return how brute force will go about it, by the names of `reckon_brute`."""
    name = kernel.variant()[0] if space.p == 2 else "all distances"
    return "products" if name == "off" else name


def _fastest(
    space: MinkowskiSpace, queries: Queries, n_nearest: int, n_threads: int, brute: float
) -> Search:
    """Forecast what a tree will take beside brute force, and return what promises to be faster."""
    many, few = (queries[_spread_out(len(queries), n)] for n in (BRUTE_QUERIES, TREE_QUERIES))
    tree = forecast_tree(space, few, len(queries), n_nearest, brute)
    # Measured only where the two are near each other and slow.
    if brute > _WORTH_MEASURING and 0.25 < tree / brute < 4:
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


def _spread_out(n_queries: int, number: int) -> Ints:
    """Return some of the queries, evenly spread over them."""
    return np.linspace(0, n_queries - 1, min(number, n_queries)).astype(np.intp)


def _in_runs(queries: Ints) -> Ints:
    """Return runs of successive queries, which find in the cache what real ones will."""
    length = 16
    starts = np.linspace(0, max(0, len(queries) - length), _TRIAL_QUERIES // length).astype(np.intp)
    return queries[np.minimum(starts[:, None] + np.arange(length), len(queries) - 1).ravel()]


def other_search(
    X: Any, metric: Any, params: Mapping[str, Any], algorithm: str
) -> tuple[Any, MakeSearch]:
    """Return what has no space as its search wants it, and what makes the search among points."""
    if issparse(X) and algorithm in ("auto", "brute"):
        return csr_array(X, dtype=np.float64), lambda points, *_: SparseSearch(points)
    is_indexable = callable(metric) or metric in set(BallTree.valid_metrics) - _NO_TRIANGLE
    # What is no space by now has an exponent below 1.
    is_indexable = is_indexable and metric != "minkowski"
    if issparse(X) or algorithm != "ball_tree" or not is_indexable:
        what = "sparse X" if issparse(X) else f"metric={metric!r}"
        raise ValueError(f"algorithm={algorithm!r} cannot search with {what}; 'brute' can.")
    X, params = fit_metric(X, metric, params)
    return X.astype(np.float64, copy=False), lambda points, *_: TreeSearch(
        BallTreeIndex(points, metric, params), None
    )
