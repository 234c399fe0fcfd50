"""The classes among the nearest neighbours of rows, and the neighbours themselves, exactly."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import current_thread, main_thread
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn import config_context
from sklearn.metrics import pairwise_distances

from icost._core.arrays import Floats, Ints
from icost._core.validation import check_choice
from icost._neighbors import kernel
from icost._neighbors.choice import MakeSearch, fit_metric, minkowski_search, other_search
from icost._neighbors.points import (
    BLOCK_NUMBERS,
    EUCLIDEAN,
    MINKOWSKI,
    MinkowskiSpace,
    OwnQueries,
    Queries,
    distinct_rows,
    minkowski_space,
)
from icost._neighbors.search import (
    DirectSearch,
    Pairs,
    Search,
    SparseSearch,
    in_blocks,
    libraries,
    one_thread_a_product,
)
from icost._neighbors.ties import (
    ClassTally,
    count_dense,
    kth_distance,
    round_half_up,
    share_places,
    tied_band,
)
from icost._neighbors.trees import metric_of, neighbors_search

#: The ways of searching.
ALGORITHMS = ("auto", "brute", "kd_tree", "ball_tree")

#: Up to this many distances, computing them all at once is the fastest way.
FEW_DISTANCES = 300_000

#: The same, if a compiled kernel is the other way.
_FEW_FOR_A_KERNEL = 30_000

#: Among so few rows, looking for equal ones costs more than it saves.
_FEW_ROWS = 2_000

#: Up to this many distances, threads cost more than they bring.
_ONE_THREAD = 20_000_000

#: Sparse data of up to this many cells are searched as dense ones.
FEW_CELLS = 20_000_000

#: How many rows are counted exactly to judge a neighbours object, which may be approximate.
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
) -> Floats:
    """Return how many of each query row's k nearest other rows are of each class.

    The tie rule of `icost._neighbors.ties` makes the answer unique: row order, algorithm, threads
    and, for numbers that it represents exactly, dtype change nothing. Only a
    neighbours object may, if it is approximate; the share of rows is estimated, with a warning.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    check_enough_rows(n_neighbors, X.shape[0])
    codes = np.asarray(y, dtype=np.intp)
    rows = np.arange(len(codes)) if queries is None else np.asarray(queries, dtype=np.intp)
    if len(rows) == 0:
        return np.zeros((0, n_classes))
    if issparse(X) and X.shape[0] * X.shape[1] <= FEW_CELLS:
        X = X.toarray()
    n_threads = threads_worth(n_jobs, len(rows) * len(codes))
    task = _Task(codes, n_classes, n_neighbors, n_threads)
    params = dict(metric_params or {})
    if neighbors is None:
        return _count_exactly(task, X, rows, metric, params, algorithm)
    metric, params = metric_of(neighbors, metric, params)
    return _count_with(neighbors, task, X, rows, metric, params)


def check_enough_rows(n_neighbors: int, n_rows: int) -> None:
    """Raise if a row has fewer others than neighbours are asked for."""
    if n_neighbors >= n_rows:
        wanted = f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} rows"
        raise ValueError(f"{wanted}, got {n_rows}.")


@dataclass(frozen=True)
class _Task:
    """What is to be counted, whatever the metric."""

    y: Ints
    n_classes: int
    n_neighbors: int
    n_threads: int


def threads_for(n_jobs: int | None) -> int:
    """Return how many threads a search may take: ``n_jobs``, or as many as native code would."""
    if n_jobs is not None:
        return effective_n_jobs(n_jobs)
    backend, n_context = get_active_backend()
    if n_context is not None:
        # The caller's joblib.parallel_config(n_jobs=...) is meant for whoever says nothing.
        return effective_n_jobs(None)
    # Workers share the cores already. A worker process of joblib knows its share, which it has as
    # OMP_NUM_THREADS; a worker thread knows nothing, and stays one.
    is_worker = backend.nesting_level > 0 or _is_dask_task()
    knows_its_share = "OMP_NUM_THREADS" in os.environ and current_thread() is main_thread()
    return 1 if is_worker and not knows_its_share else _native_threads()


def threads_worth(n_jobs: int | None, n_distances: int) -> int:
    """Return how many threads to take for so many distances: one if they are few."""
    return threads_for(n_jobs) if n_distances > _ONE_THREAD else 1


def _native_threads() -> int:
    """Return how many threads scikit-learn's native code would take."""
    # OpenMP's own number respects OMP_NUM_THREADS, the affinity of the process and limits set by
    # threadpoolctl, but not the share of the cores that a container may use: joblib knows that.
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    limit = int(given) if given.isdigit() else cpu_count()
    openmp = libraries().select(user_api="openmp").lib_controllers
    return max(1, min([limit, *(library.num_threads for library in openmp)]))


def _is_dask_task() -> bool:
    # Only who has imported distributed can be a task of it; importing it here would take a second.
    worker = sys.modules.get("distributed.worker")
    return hasattr(getattr(worker, "thread_state", None), "execution_state")


def _count_exactly(
    task: _Task, X: Any, rows: NDArray, metric: Any, params: dict[str, Any], algorithm: str
) -> Floats:
    """Count by the way of searching that fits metric, data and algorithm."""
    space = minkowski_space(X, metric, params)
    # Three ways to the same counts: few distances are computed all at once; a metric that is no
    # Minkowski distance takes scikit-learn's distances, block by block; the rest is searched.
    brute = algorithm in ("auto", "brute")
    if brute and space is not None and len(rows) * len(task.y) <= _few_distances(space):
        distances = space.to_all(OwnQueries(space.points, rows)[:])
        return _count_all(task, distances, rows, power=space.power)
    with one_thread_a_product():
        if space is not None:
            make = partial(_search_space, space, algorithm, task.n_threads)
            return _count_by_search(task, space.points, rows, make)
        if brute and not (issparse(X) and metric in EUCLIDEAN):
            return _count_pairwise(task, X, rows, metric, params)
        points, search = other_search(X, metric, params, algorithm)
        return _count_by_search(task, points, rows, search)


def _few_distances(space: MinkowskiSpace) -> int:
    """Return up to how many distances computing all of them is the fastest way."""
    is_compiled = space.p == 2 and kernel.variant()[0] != "off"
    return min(FEW_DISTANCES, _FEW_FOR_A_KERNEL) if is_compiled else FEW_DISTANCES


def _search_space(
    space: MinkowskiSpace,
    algorithm: str,
    n_threads: int,
    points: NDArray,
    queries: OwnQueries,
    n_nearest: int,
) -> Search:
    """Return a search among the points of a space, or the distinct ones of them."""
    # Row after row, as candidates are looked up.
    points = np.ascontiguousarray(points)
    if points is not space.points:
        space = MinkowskiSpace(points, space.p)
    return minkowski_search(space, algorithm, n_threads, queries, n_nearest)


def _count_with(
    neighbors: Any, task: _Task, X: Any, rows: NDArray, metric: Any, params: dict[str, Any]
) -> Floats:
    """Count by a given neighbours object, and estimate how often that changes the counts."""
    # The object proposes rows as it is; where the metric has a space, direct differences decide.
    space = minkowski_space(X, metric, params)
    # The object may or may not bear being asked from several threads, and may have its own.
    alone = replace(task, n_threads=1)
    counts = _count_by_search(alone, X, rows, partial(neighbors_search, neighbors), space)
    # Nobody can see from approximate counts how wrong they are, so some are counted exactly.
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


def _count_all(task: _Task, distances: NDArray, rows: NDArray, **band: float) -> Floats:
    """Count from the distances of the rows to all."""
    distances[np.arange(len(rows)), rows] = np.inf
    return count_dense(distances, np.eye(task.n_classes)[task.y], task.n_neighbors, **band)


def _count_pairwise(
    task: _Task, X: Any, rows: NDArray, metric: Any, params: dict[str, Any]
) -> Floats:
    """Count by all distances, in blocks, with any metric that scikit-learn knows."""
    X, params = fit_metric(X, metric, params)
    absolute = _ABSOLUTE_ERROR.get(metric, 0.0) if isinstance(metric, str) else 0.0

    def count(block: slice) -> Floats:
        # The data were checked once; checking them for every block would cost more than counting.
        with config_context(assume_finite=True):
            distances = pairwise_distances(X[rows[block]], X, metric=metric, **params)
        return _count_all(task, np.array(distances, np.float64), rows[block], absolute=absolute)

    block_size = max(1, BLOCK_NUMBERS // len(task.y))
    return np.concatenate(in_blocks(count, len(rows), block_size, task.n_threads))


def _count_by_search(
    task: _Task, X: Any, rows: NDArray, make: MakeSearch, decisive: MinkowskiSpace | None = None
) -> Floats:
    """Count by searching among the distinct points, once for each point and class in question.

    The distances of the search decide, unless those of a space of the same rows are to.
    """
    # The k + 1 nearest points hold at least k + 1 rows, one of which may be the query itself: the
    # k-th neighbour is never beyond them, however many rows lie at a point.
    is_small = issparse(X) or len(task.y) <= _FEW_ROWS
    equal = None if is_small else distinct_rows(X)
    first, point = equal or (slice(None), np.arange(len(task.y)))
    table, n_nearest = X if equal is None else X[first], task.n_neighbors + 1
    points, labels, position = rows, task.y[rows], np.arange(len(rows))
    if equal is not None:
        points, labels, position = _questions(task, point[rows], labels)
    search = make(table, OwnQueries(table, points), n_nearest)
    # Queries in the order of a tree's leaves find in the cache what the one before has read.
    if search.rank is not None:
        visit = OwnQueries(table, points).visit(search.rank)
        points, labels, position = points[visit], labels[visit], np.argsort(visit)[position]
    space = None if decisive is None else MinkowskiSpace(decisive.points[first], decisive.p)
    power = search.power if space is None else space.power
    tally = _tally(task, None if equal is None else point, power)

    def count(block: slice) -> Floats | None:
        pairs = search.pairs(OwnQueries(table, points)[block], n_nearest)
        if pairs is not None and space is not None:
            pairs = *pairs[:2], space.between(OwnQueries(space.points, points)[block], *pairs[:2])
        return None if pairs is None else tally(points[block], labels[block], pairs)

    counts = in_blocks(count, len(points), search.block_size, task.n_threads)
    return np.concatenate(counts)[position]


def _questions(task: _Task, point: NDArray, label: NDArray) -> tuple[Ints, Ints, Ints]:
    """Return distinct points and classes to ask for, and which of them each row is."""
    # Equal rows of one class have equal counts, and are asked for once.
    keys, position = np.unique(point * task.n_classes + label, return_inverse=True)
    points, labels = np.divmod(keys, task.n_classes)
    return points, labels, position


def _tally(task: _Task, point: NDArray | None, power: float) -> ClassTally:
    """Return what counts classes among candidate points; each row is one, or at the one named."""
    ones, shared = np.ones(len(task.y), dtype=np.int64), (task.n_neighbors, power)
    if point is None:
        return ClassTally(task.y, task.n_classes, ones, *shared)
    sizes = np.bincount(point)
    classes = csr_array((ones, (point, task.y)), shape=(len(sizes), task.n_classes))
    return ClassTally(classes, task.n_classes, sizes, *shared)


NEARER, TIED = 1, 2
"""What a link says: its rows are nearer than the k-th, or tied with it."""


@dataclass(frozen=True)
class NeighborLists:
    """The neighbours of every row: equal rows share a point, and points link to points.

    A point links to all points that hold one of its rows' k nearest other rows or are tied with the
    k-th; to itself, if it has several rows. Links hold `NEARER` or `TIED`.
    """

    point: Ints
    sizes: NDArray[np.int64]
    links: csr_array
    n_neighbors: int

    def classes(self, codes: Ints, n_classes: int) -> csr_array:
        """Return how many rows of each class lie at each point."""
        ones = np.ones(len(codes), dtype=np.int64)
        return csr_array((ones, (self.point, codes)), shape=(len(self.sizes), n_classes))

    def class_counts(self, rows: Ints, codes: Ints, n_classes: int) -> Floats:
        """Return how many neighbours of each class some rows have, by the tie rule."""
        points, itself = self.point[rows], np.eye(n_classes, dtype=np.int64)[codes[rows]]
        links, classes = self.links[points], self.classes(codes, n_classes)
        strict, tied = (
            (_only(links, link) @ classes).toarray()
            - itself * _only(self.links, link).diagonal()[points, None]
            for link in (NEARER, TIED)
        )
        return share_places(strict, tied, self.n_neighbors)


def _only(links: csr_array, link: int) -> csr_array:
    return (links == link).astype(np.int64)


def neighbor_lists(
    X: Any,
    n_neighbors: int,
    *,
    metric: str = "euclidean",
    algorithm: str = "auto",
    n_jobs: int | None = None,
) -> NeighborLists:
    """Return the k nearest other rows of every row, and all that are tied with the k-th."""
    check_choice("algorithm", algorithm, ALGORITHMS)
    check_choice("metric", metric, MINKOWSKI)
    n_rows = X.shape[0]
    check_enough_rows(n_neighbors, n_rows)
    if issparse(X) and (X.shape[0] * X.shape[1] <= FEW_CELLS or metric not in EUCLIDEAN):
        X = X.toarray()
    n_threads = threads_worth(n_jobs, n_rows**2)
    space = minkowski_space(X, metric, {})
    table = X if space is None else space.points
    equal = None if issparse(table) else distinct_rows(table)
    first, point = equal or (slice(None), np.arange(n_rows))
    table = table if equal is None else table[first]
    with one_thread_a_product():
        search = _search(table, space, algorithm, n_threads, n_neighbors + 1)
        links = _links(table, search, np.bincount(point), n_neighbors, n_threads)
    return NeighborLists(point, np.bincount(point), links, n_neighbors)


def _search(
    table: Any, space: MinkowskiSpace | None, algorithm: str, n_threads: int, n_nearest: int
) -> Search:
    if space is None:
        return SparseSearch(table)
    # Row after row, as candidates are looked up.
    distinct = MinkowskiSpace(np.ascontiguousarray(table), space.p)
    queries = OwnQueries(distinct.points, np.arange(len(table)))
    return search_points(distinct, algorithm, n_threads, queries, n_nearest)


def search_points(
    space: MinkowskiSpace, algorithm: str, n_threads: int, queries: Queries, n_nearest: int
) -> Search:
    """Return a search among the points of a space, by all distances where these are few."""
    is_few = len(queries) * len(space.points) <= FEW_DISTANCES
    if is_few and algorithm in ("auto", "brute"):
        return DirectSearch(space)
    return minkowski_search(space, algorithm, n_threads, queries, n_nearest)


def _links(
    table: Any, search: Search, sizes: NDArray[np.int64], n_neighbors: int, n_threads: int
) -> csr_array:
    n_points = len(sizes)
    # Queries in the order of a tree's leaves find in the cache what the one before has read.
    visit = np.arange(n_points) if search.rank is None else np.argsort(search.rank)

    def answer(block: slice) -> Pairs | None:
        chosen = visit[block]
        pairs = search.pairs(OwnQueries(table, chosen)[:], n_neighbors + 1)
        return None if pairs is None else _near(chosen, pairs, sizes, n_neighbors, search.power)

    blocks = in_blocks(answer, n_points, search.block_size, n_threads)
    query, candidate, link = (np.concatenate(column) for column in zip(*blocks, strict=True))
    return csr_array((link.astype(np.int8), (query, candidate)), shape=(n_points, n_points))


def _near(
    points: Ints, pairs: Pairs, sizes: NDArray[np.int64], n_neighbors: int, power: float
) -> Pairs:
    """Return the pairs that are neighbours, by the numbers of their points, and their kind."""
    query, candidate, distance = pairs
    order = np.lexsort((distance, query))
    query, candidate, distance = query[order], candidate[order], distance[order]
    # A row is not its own neighbour, but rows equal to it are: its point counts for one less.
    rows = sizes[candidate] - (candidate == points[query])
    kth = kth_distance(query, distance, rows, len(points), n_neighbors)
    low, high = tied_band(kth[query], power)
    kept = (distance <= high) & (rows > 0)
    link = np.where(distance < low, NEARER, TIED)
    return points[query[kept]], candidate[kept], link[kept]
