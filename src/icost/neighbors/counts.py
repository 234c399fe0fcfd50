"""Count the classes among the nearest neighbours of rows: one exact answer, whatever the way."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn import config_context
from sklearn.metrics import pairwise_distances
from threadpoolctl import ThreadpoolController

from icost.neighbors.approximate import (
    PyNNDescentNeighbors,
    neighbors_search,
    own_metric,
)
from icost.neighbors.choice import EUCLIDEAN, exact_search, fit_metric
from icost.neighbors.points import BLOCK_NUMBERS, distinct_rows, minkowski_space
from icost.neighbors.search import Search
from icost.neighbors.ties import ClassTally, count_dense, round_half_up
from icost.validation import check_choice

__all__ = ["ALGORITHMS", "neighbor_class_counts", "round_half_up"]

#: The ways of searching.
ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree", "approximate")

#: Up to this many distances, computing them all at once is the fastest way.
_FEW_DISTANCES = 300_000

#: Up to this many distances, threads cost more than they bring.
_ONE_THREAD = 20_000_000

#: Sparse data of up to this many cells are searched as dense ones.
_FEW_CELLS = 20_000_000

#: How many rows are counted exactly to judge an approximate search.
_CHECKED = 300

#: Distances that scikit-learn computes as 1 - product, with an absolute error.
_ABSOLUTE_ERROR = {"cosine": 1e-12, "correlation": 1e-12}


def neighbor_class_counts(
    X: Any,
    y: ArrayLike,
    n_classes: int,
    n_neighbors: int,
    *,
    queries: ArrayLike | None = None,
    metric: str | Callable[..., float] = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    neighbors: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Count how many of the nearest other rows are of each class.

    Rows nearer than the k-th distance count fully; the places left are shared among the rows at
    the k-th distance (equal within 1e-9, relatively) in proportion to their classes. Row order,
    algorithm, number of threads and, for numbers that it represents exactly, dtype thus change
    nothing.

    Parameters
    ----------
    X : ndarray or CSR matrix or array of shape (n_rows, n_features)
        Finite numbers.
    y : array-like of int of shape (n_rows,)
        Classes 0 to ``n_classes - 1``.
    n_classes : int
        The number of classes.
    n_neighbors : int
        The number k of neighbours.
    queries : array-like of int, optional
        The rows whose neighbours are counted; all by default.
    metric : str or callable
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    metric_params : mapping, optional
        Further arguments of the metric.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree", "approximate"}
        How to search; "auto" takes what is fastest for these data. Only "approximate", which is
        pynndescent's index, may change counts: on how many rows is estimated, and warned of.
        Trees do not take sparse X, unless it is small enough to be made dense (20 million cells).
    neighbors : object, optional
        A nearest-neighbour object with scikit-learn's ``fit`` and ``kneighbors``, used in place of
        ``algorithm``. It is cloned. If it has a ``metric``, that takes the place of ``metric``. It
        may be approximate; how many counts it changes is estimated, and warned of.
    n_jobs : int, optional
        Number of threads; -1 means all cores.

    Returns
    -------
    ndarray of float of shape (n_queries, n_classes)
        Neighbours per class, which sum to ``n_neighbors`` in each row.

    Examples
    --------
    The row at 0 has one neighbour nearer than all others, and two that compete for one place:

    >>> import numpy as np
    >>> from icost.neighbors.counts import neighbor_class_counts
    >>> X = np.array([[0.0], [1.0], [2.0], [-2.0], [9.0]])
    >>> neighbor_class_counts(X, np.array([1, 1, 0, 1, 0]), 2, 2, queries=[0])
    array([[0.5, 1.5]])
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    if n_neighbors >= X.shape[0]:
        wanted = f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} rows"
        raise ValueError(f"{wanted}, got {X.shape[0]}.")
    codes = np.asarray(y, dtype=np.intp)
    rows = np.arange(len(codes)) if queries is None else np.asarray(queries, dtype=np.intp)
    if len(rows) == 0:
        return np.zeros((0, n_classes))
    if issparse(X) and X.shape[0] * X.shape[1] <= _FEW_CELLS:
        X = X.toarray()
    task = _Task(codes, n_classes, n_neighbors, n_jobs)
    params = dict(metric_params or {})
    if neighbors is None and algorithm != "approximate":
        return _count_exactly(task, X, rows, metric, params, algorithm)
    if neighbors is None:
        neighbors = PyNNDescentNeighbors(metric, params, n_jobs)
    metric, params = own_metric(neighbors, metric, params)
    return _count_with(neighbors, task, X, rows, metric, params)


@dataclass(frozen=True)
class _Task:
    """What is to be counted, whatever the metric."""

    y: NDArray[np.intp]
    n_classes: int
    n_neighbors: int
    n_jobs: int | None


def _count_exactly(
    task: _Task, X: Any, rows: NDArray, metric: Any, params: dict[str, Any], algorithm: str
) -> NDArray[np.float64]:
    """Count by the way of searching that fits metric, data and algorithm."""
    space = minkowski_space(X, metric, params)
    brute = algorithm in ("auto", "brute")
    if brute and space is not None and len(rows) * len(task.y) <= _FEW_DISTANCES:
        return _count_all(task, space.to_all, rows, power=space.power)
    # Threads work on different blocks of queries; more threads inside of matrix products would only
    # fight them for the cores.
    with _libraries().limit(limits=1):
        if brute and space is None and not (issparse(X) and metric in EUCLIDEAN):
            return _count_pairwise(task, X, rows, metric, params)
        n_threads = _n_threads(task, len(rows))
        make_search = partial(exact_search, space or X, metric, params, algorithm, n_threads)
        return _count_by_search(task, X if space is None else space.points, rows, make_search)


def _count_with(
    neighbors: Any, task: _Task, X: Any, rows: NDArray, metric: Any, params: dict[str, Any]
) -> NDArray[np.float64]:
    """Count by a given neighbours object, and estimate how often that changes the counts."""
    space = minkowski_space(X, metric, params)
    make_search = partial(neighbors_search, neighbors, X, space)
    # The object may or may not bear being asked from several threads, and may have its own.
    counts = _count_by_search(replace(task, n_jobs=1), X, rows, make_search)
    some = np.linspace(0, len(rows) - 1, min(_CHECKED, len(rows))).astype(np.intp)
    exact = _count_exactly(task, X, rows[some], metric, params, "auto")
    changed = (round_half_up(exact) != round_half_up(counts[some])).any(axis=1).mean()
    if changed:
        warnings.warn(
            f"The approximate neighbours change the counts of about {changed:.1%} of the rows, "
            f"as estimated on {len(some)} of them.",
            stacklevel=3,
        )
    return counts


def _count_all(
    task: _Task, distances: Callable[[NDArray], NDArray], rows: NDArray, **band: float
) -> NDArray[np.float64]:
    """Count from the distances of the rows to all."""
    table = distances(rows)
    table[np.arange(len(rows)), rows] = np.inf
    return count_dense(table, np.eye(task.n_classes)[task.y], task.n_neighbors, **band)


def _count_pairwise(
    task: _Task, X: Any, rows: NDArray, metric: Any, params: dict[str, Any]
) -> NDArray[np.float64]:
    """Count by all distances, in blocks, with any metric that scikit-learn knows."""
    X, params = fit_metric(X, metric, params)

    def distances(block: NDArray) -> NDArray:
        # The data were checked once; checking them for every block would cost more than counting.
        with config_context(assume_finite=True):
            return np.array(pairwise_distances(X[block], X, metric=metric, **params), np.float64)

    absolute = _ABSOLUTE_ERROR.get(metric, 0.0) if isinstance(metric, str) else 0.0
    count = partial(_count_all, task, distances, absolute=absolute)
    return _in_blocks(task, count, (rows,), max(1, BLOCK_NUMBERS // len(task.y)))


def _count_by_search(
    task: _Task, X: Any, rows: NDArray, make_search: Callable[[Any, NDArray, int], Search]
) -> NDArray[np.float64]:
    """Count by searching among the distinct points, once for each point and class in question."""
    equal = None if issparse(X) else distinct_rows(X)
    first, point = equal or (slice(None), np.arange(len(task.y)))
    ones = np.ones(len(point), dtype=np.int64)
    classes = csr_array((ones, (point, task.y)), shape=(int(point.max()) + 1, task.n_classes))
    keys, asked = np.unique(point[rows] * task.n_classes + task.y[rows], return_inverse=True)
    points, labels = np.divmod(keys, task.n_classes)
    # One more than k, since the query itself is among the nearest.
    n_nearest = task.n_neighbors + 1
    search = make_search(first, points, n_nearest)
    if search.rank is not None:
        visit = np.argsort(search.rank[points])
        points, labels, asked = points[visit], labels[visit], np.argsort(visit)[asked]
    tally = ClassTally(classes, np.bincount(point), task.n_neighbors, search.power)
    count = partial(_count_candidates, search, tally, n_nearest)
    return _in_blocks(task, count, (points, labels), search.block_size)[asked]


def _count_candidates(
    search: Search, tally: ClassTally, n_nearest: int, points: NDArray, labels: NDArray
) -> NDArray[np.float64]:
    """Count for one block of query points, halving it while its ties are too many."""
    pairs = search.pairs(points, n_nearest)
    if pairs is not None:
        return tally(points, labels, pairs)
    half = len(points) // 2
    left, right = slice(None, half), slice(half, None)
    parts = [
        _count_candidates(search, tally, n_nearest, points[part], labels[part])
        for part in (left, right)
    ]
    return np.concatenate(parts)


def _in_blocks(
    task: _Task, count: Callable[..., NDArray], arrays: tuple[NDArray, ...], block_size: int
) -> NDArray[np.float64]:
    """Count block by block, in threads if asked for; each block is answered on its own."""
    n_rows = len(arrays[0])
    n_threads = _n_threads(task, n_rows)
    # As many blocks for each thread, all of one size: no thread waits for another's last block.
    n_rounds = max(1, -(-n_rows // (block_size * n_threads)))
    block_size = max(1, -(-n_rows // (n_rounds * n_threads)))
    blocks = [
        tuple(array[start : start + block_size] for array in arrays)
        for start in range(0, n_rows, block_size)
    ]
    if n_threads == 1 or len(blocks) == 1:
        return np.concatenate([count(*block) for block in blocks])
    # Not joblib's threads: they are asked every 10 ms whether they are done, often too late here.
    with ThreadPoolExecutor(n_threads) as threads:
        return np.concatenate(list(threads.map(count, *zip(*blocks, strict=True))))


def _n_threads(task: _Task, n_queries: int) -> int:
    return effective_n_jobs(task.n_jobs) if n_queries * len(task.y) > _ONE_THREAD else 1


@cache
def _libraries() -> ThreadpoolController:
    """Return the controller of the libraries' threads; finding them takes milliseconds."""
    return ThreadpoolController()
