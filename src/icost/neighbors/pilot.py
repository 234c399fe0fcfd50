"""Forecasts of what a tree and brute force will take, to choose between them.

Whether a tree helps depends on the intrinsic dimension of the data, which only trying tells: a
query costs it about log n on a surface of few dimensions, and nearly n in many. What brute force
takes is known beforehand, roughly. All ways of searching give the same answer, so that a forecast
misled by a busy machine costs time and nothing else; and it must not cost much itself.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from icost.neighbors.points import MinkowskiSpace
from icost.neighbors.search import Search

Value = TypeVar("Value")

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


def reckon_brute(space: MinkowskiSpace, n_queries: int, way: str) -> float:
    """Return about how many seconds brute force takes."""
    n_points, n_features = space.points.shape
    pairs = n_queries * n_points * _nanoseconds(_PAIR[way], n_features)
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
    space: MinkowskiSpace,
    asked: NDArray[np.float64],
    n_queries: int,
    n_nearest: int,
    brute: float,
) -> float:
    """Return the seconds that a tree will take, as well as must be known beside brute force's."""
    before, forecast = 0.0, np.inf
    # Fourfold more points each time, as long as the forecast is in doubt and may cost so much.
    for n_steps in (4, 3, 2, 1):
        part = _thinned(space, 4**n_steps)
        # Fewer points would be all neighbours.
        if len(part.points) < 16 * n_nearest:
            continue
        built, a_query = _try_tree(part, asked, n_nearest)
        if before:
            growth = max(1.0, a_query / before)
            forecast = _TREES * 4**n_steps * built + n_queries * a_query * growth**n_steps
            # The farther it looks ahead, the rougher it is.
            is_clear = not 0.6**n_steps < forecast / brute < 1.7**n_steps
            more = 4 * (built + len(asked) * a_query * growth)
            if is_clear or more > _SHARE * min(brute, forecast):
                break
        before = a_query
    return forecast


def _try_tree(
    space: MinkowskiSpace, asked: NDArray[np.float64], n_nearest: int
) -> tuple[float, float]:
    """Return the seconds to build a tree, and for one query."""
    built, tree = timed(lambda: cKDTree(space.points, leafsize=24, balanced_tree=False))
    ranks = np.arange(1, n_nearest + 1)
    return built, _quickest(lambda: tree.query(asked, ranks, p=space.p)) / len(asked)


def is_worth_measuring(brute: float, tree: float) -> bool:
    """Tell whether brute force should be measured, as the two are near each other and slow."""
    return brute > _WORTH_MEASURING and 0.25 < tree / brute < 4


def forecast_brute(
    make: Callable[[MinkowskiSpace], Search],
    space: MinkowskiSpace,
    asked: NDArray[np.float64],
    n_queries: int,
    n_nearest: int,
) -> float:
    """Return the seconds that brute force will take."""
    # Part of the time grows with the number of points and part does not: the difference between a
    # sixteenth and a sixty-fourth of the points tells them apart.
    (_, few, short), (built, many, long) = (
        _try_brute(make, _thinned(space, step), asked, n_nearest) for step in (64, 16)
    )
    slope = max(0.0, long - short) / max(1, many - few)
    a_query = (long + slope * (len(space.points) - many)) / len(asked)
    return 16 * built + n_queries * a_query


def _try_brute(
    make: Callable[[MinkowskiSpace], Search],
    space: MinkowskiSpace,
    asked: NDArray[np.float64],
    n_nearest: int,
) -> tuple[float, int, float]:
    """Return the seconds to make a search, its points, and the seconds for the queries."""
    built, search = timed(lambda: make(space))
    return built, len(space.points), _quickest(lambda: search.pairs(asked, n_nearest))


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
