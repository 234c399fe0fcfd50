"""Forecasts of what a tree and brute force will take, from a few queries and thinned points.

Whether a tree helps depends on the intrinsic dimension of the data, which only trying tells: a
query costs it about log n on a surface of few dimensions, and nearly n in many. All ways of
searching give the same answer, so that a forecast misled by a busy machine costs time and nothing
else; and it must not cost much itself.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from icost.neighbors.points import MinkowskiSpace
from icost.neighbors.search import Search

#: How many queries are tried with brute force, and with the tree.
BRUTE_QUERIES, TREE_QUERIES = 256, 24

#: A forecast that would take more than this share of the search is not made.
_SHARE = 0.01

#: Building the two trees of an index takes about as long as so many plain ones.
_TREES = 3


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
        _try_brute(make, thinned(space, step), asked, n_nearest) for step in (64, 16)
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
    # The quicker of two, as the first may have to wait for memory or a busy machine.
    seconds = min(timed(lambda: search.pairs(asked, n_nearest))[0] for _ in range(2))
    return built, len(space.points), seconds


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
        part = thinned(space, 4**n_steps)
        # Fewer points would be all neighbours.
        if len(part.points) < 16 * n_nearest:
            continue
        built, a_query = _try_tree(part, asked[:TREE_QUERIES], n_nearest)
        if before:
            growth = max(1.0, a_query / before)
            forecast = _TREES * 4**n_steps * built + n_queries * a_query * growth**n_steps
            # The farther it looks ahead, the rougher it is.
            is_clear = not 0.5**n_steps < forecast / brute < 2.0**n_steps
            if is_clear or 4 * (built + TREE_QUERIES * a_query * growth) > _SHARE * brute:
                break
        before = a_query
    return forecast


def _try_tree(
    space: MinkowskiSpace, asked: NDArray[np.float64], n_nearest: int
) -> tuple[float, float]:
    """Return the seconds to build a tree, and for one query."""
    built, tree = timed(lambda: cKDTree(space.points, leafsize=24, balanced_tree=False))
    ranks = np.arange(1, n_nearest + 1)
    seconds = min(timed(lambda: tree.query(asked, ranks, p=space.p))[0] for _ in range(2))
    return built, seconds / len(asked)


def thinned(space: MinkowskiSpace, step: int) -> MinkowskiSpace:
    """Return a space with one in ``step`` of the points."""
    return MinkowskiSpace(np.ascontiguousarray(space.points[::step]), space.p)


def timed(call: Callable[[], object]) -> tuple[float, object]:
    """Return the seconds that a call takes, and what it returns."""
    start = perf_counter()
    value = call()
    return perf_counter() - start, value
