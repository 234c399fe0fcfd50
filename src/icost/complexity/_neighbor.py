"""Neighbor-iCost: how many of a minority row's nearest neighbours are of the majority?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import encode_labels, resolve_minority
from icost._core.validation import check_choice, check_column_names, check_number
from icost._neighbors.counts import ALGORITHMS, neighbor_class_counts, threads_worth
from icost._neighbors.parts import count_classes, find_nearest
from icost._neighbors.points import MINKOWSKI
from icost._neighbors.ties import round_half_up
from icost._table._space import to_numeric_space, warn_if_spreads_differ
from icost.complexity._base import (
    NEIGHBOR_CATEGORIES,
    PAPER_CATEGORIES,
    Choices,
    Estimate,
    GroupComplexity,
    rival_of,
)

Categories = Mapping[str, Any] | Sequence[float] | Callable[..., Any]


class NeighborComplexity(GroupComplexity):
    """Local complexity: majority rows among the nearest neighbours (section 3.3.1).

    With ``m`` of ``k`` neighbours in the majority, a minority row is *pure* (``m = 0``),
    *safe* (``m < k/2``), *border* (``m < k``) or an *outlier* (``m = k``). Its score is ``m / k``.
    That is what ``method="neighbor"`` of `icost.iCost` means; an object lets you choose metric,
    categories and search as well.

    The view is local: it finds rows that lie alone, and small groups within the majority. All
    columns count alike, so that columns which have nothing to do with the classes blur it, and
    columns of large numbers rule it: scale them first. Where few columns matter, or there are too
    many for distances to mean much, try `GiniComplexity`, whose tree chooses among them.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours, ``k``. The row itself is none of them.
    metric : str or callable, default="euclidean"
        Any metric that scikit-learn knows.
    categories : mapping, sequence, callable or None, default=None
        Another way to categorise, in place of the paper's:

        - a mapping from a name to the counts it covers, ``{"safe": [0, 1, 2], ...}``, or to the
          counts and a cost as a multiple of the imbalance ratio, ``{"hard": ([3, 4], 1.5), ...}``.
          Names without a cost must be the paper's, whose costs are ``cfp``, ``cfs``, ``cfb`` and
          ``cfo``. Every count from 0 to ``k`` must be covered once.
        - a sequence of ``k + 1`` costs, one for each count;
        - a callable ``f(counts, n_neighbors)`` that returns one of the paper's names for each
          count in the array ``counts``, or a cost for each.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        How to search. All give the same counts, and ``"auto"`` tries on a few rows which is
        the fastest.
    neighbors : object, default=None
        An own index with the interface of `sklearn.neighbors.NearestNeighbors`, which is cloned and
        used in place of ``algorithm``. If it has a ``metric``, that one counts. An approximate
        one is allowed; a warning estimates for how many rows it changes the counts.
    metric_params : dict, default=None
        Parameters of the metric, such as ``{"p": 3}`` for ``metric="minkowski"``.

    See Also
    --------
    GiniComplexity : Judges by the leaves of a shallow tree instead.
    categorize_minority_class : The same view of a table as one function call.

    Notes
    -----
    Neighbours at the same distance make the plain definition ambiguous: on integer-valued data the
    order of the rows would decide. Here distances within a relative ``1e-9`` of the k-th are tied;
    the places left for the tied group are shared in proportion to its classes, and ``m`` is
    rounded half up. Neither the order of the rows nor the number of threads changes a category.

    Rows of weight 0 are no neighbours; other weights make no difference. ``n_jobs`` limits the
    threads of the search. For evaluation sets and on Dask the search is exact, and the metric
    ``"euclidean"``, ``"manhattan"`` or ``"chebyshev"``, without parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity import NeighborComplexity
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]])
    >>> is_minority = np.array([True, True, True, False, False, False])
    >>> NeighborComplexity(n_neighbors=2).estimate(X, is_minority).to_frame()
        category  score
    row
    0       pure    0.0
    1       pure    0.0
    2     border    0.5

    Two categories instead of four, one of which brings its own cost, 1.5 times the imbalance ratio:

    >>> two = NeighborComplexity(2, categories={"safe": [0], "contested": ([1, 2], 1.5)})
    >>> two.estimate(X, is_minority).counts()
    {'safe': 2, 'contested': 1}
    """

    uses_distances = True

    def __init__(
        self,
        n_neighbors: int = 5,
        metric: str | Callable[..., float] = "euclidean",
        categories: Categories | None = None,
        algorithm: str = "auto",
        neighbors: Any = None,
        metric_params: Mapping[str, Any] | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.categories = categories
        self.algorithm = algorithm
        self.neighbors = neighbors
        self.metric_params = metric_params

    def _estimate_groups(
        self, X: Any, codes: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        # One search serves every choice of the minority, over all rows that are in any.
        queries = np.flatnonzero(np.any(minorities, axis=0)[codes])
        counts = self._class_counts(X, codes, queries, options["n_jobs"])
        return list(self.judge(counts, codes[queries], minorities))

    def _estimate_new(
        self, X: Any, codes: Ints, X_new: Any, codes_new: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        k, p = self.n_neighbors, exact_exponent(self, "for an evaluation set")
        check_number("n_neighbors", k, low=1, integer=True)
        if k > X.shape[0]:
            raise ValueError(f"n_neighbors={k} needs at least {k} rows, got {X.shape[0]}.")
        queries = np.flatnonzero(np.any(minorities, axis=0)[codes_new])
        rows, X = (t.toarray() if issparse(t) else t for t in (X_new[queries], X))
        nearest = find_nearest(
            *(rows, X, codes, len(minorities[0]), k, p),
            algorithm=self.algorithm,
            n_threads=threads_worth(options["n_jobs"], len(queries) * len(codes)),
        )
        counts = count_classes(nearest, len(queries), k, p)
        return list(self.judge(counts, codes_new[queries], minorities))

    def judge(
        self, counts: Floats, codes: Ints, minorities: list[Bools]
    ) -> list[tuple[Any, Any, Any]]:
        """Return category, score and other-class share per problem, from counts of neighbours.

        Parameters
        ----------
        counts : ndarray of shape (n_rows, n_classes)
            How many of each row's nearest neighbours are of each class.
        codes : ndarray of shape (n_rows,)
            The rows' own classes.
        minorities : list of ndarray of shape (n_classes,)
            For each binary problem, which classes make up the minority.

        Returns
        -------
        list of (ndarray, ndarray, ndarray)
            Category, score and other-class share, which is the score, of the minority's rows.
        """
        names, _ = resolve_categories(self.categories, self.n_neighbors)
        estimates = []
        for minority in minorities:
            majority = round_half_up(counts[minority[codes]][:, ~minority].sum(axis=1))
            share = majority / self.n_neighbors
            estimates.append((names[majority], share, share))
        return estimates

    def _estimate_classes(self, X: Any, codes: Ints, **options: Any) -> tuple[Any, Any, Any, Any]:
        counts = self._class_counts(X, codes, np.arange(len(codes)), options["n_jobs"])
        names, _ = resolve_categories(self.categories, self.n_neighbors)
        own_class = counts[np.arange(len(codes)), codes]
        share = round_half_up(self.n_neighbors - own_class) / self.n_neighbors
        category = names[np.rint(share * self.n_neighbors).astype(np.intp)]
        return category, share, share, rival_of(counts, codes)

    def _class_counts(self, X: Any, codes: Ints, queries: Ints, n_jobs: int | None) -> Floats:
        check_number("n_neighbors", self.n_neighbors, low=1, integer=True)
        return neighbor_class_counts(
            X,
            codes,
            int(codes.max()) + 1,
            self.n_neighbors,
            queries=queries,
            metric=self.metric,
            metric_params=self.metric_params,
            algorithm=self.algorithm,
            neighbors=self.neighbors,
            n_jobs=n_jobs,
        )

    def _own_costs(self) -> Mapping[str, float]:
        return resolve_categories(self.categories, self.n_neighbors)[1]


def categorize_minority_class(
    X: Any,
    y: ArrayLike,
    minority_label: Any = None,
    n_neighbors: int = 5,
    return_dataframe: bool = False,
    *,
    metric: Any = "euclidean",
    preprocessor: Any = "auto",
    n_jobs: int | None = None,
) -> Any:
    """Sort minority rows into pure, safe, border and outlier ones.

    The categories of ``iCost(method="neighbor")`` as plain arrays. For another measure, other
    categories or a multiclass target, use `NeighborComplexity`, another measure or ``complexity_``
    of a fitted `icost.iCost`; for a picture, `icost.plots.ComplexityDisplay`.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features, as `icost.iCost` takes them: text and missing cells are fine.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    minority_label : label, default=None
        The minority class; by default the smaller one.
    n_neighbors : int, default=5
        Number of neighbours to look at.
    return_dataframe : bool, default=False
        Whether to return one data frame in place of the arrays.
    metric : str or callable, default="euclidean"
        Any metric that scikit-learn knows.
    preprocessor : "auto", transformer or None, default="auto"
        As for `icost.iCost`.
    n_jobs : int, default=None
        Number of threads for the search; None means as many as scikit-learn's native code takes,
        and one in a worker of joblib or Dask.

    Returns
    -------
    minority : ndarray of shape (n_minority,)
        Positions of the minority rows.
    by_category : dict of ndarray
        Rows per category: ``"pure"``, ``"safe"``, ``"border"`` and ``"outlier"``.
    majority_neighbors : ndarray of shape (n_minority,)
        Number of majority rows among each one's neighbours.

    With ``return_dataframe=True``, a data frame indexed by row with the columns ``category``,
    ``score`` and ``majority_neighbors`` instead.

    See Also
    --------
    NeighborComplexity : The measure behind it, and what it does about ties.
    icost.instance_weights : Weights of all rows, by this or another measure.

    Examples
    --------
    >>> from icost import categorize_minority_class
    >>> X = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]]
    >>> minority, by_category, m = categorize_minority_class(X, [1, 1, 1, 0, 0, 0], n_neighbors=2)
    >>> by_category["border"], m
    (array([2]), array([0, 0, 1]))

    As a data frame, of one of the paper's sets, where hardly any minority row is safe:

    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> frame = categorize_minority_class(X, y, return_dataframe=True)
    >>> frame["category"].value_counts().to_dict()
    {'border': 9, 'outlier': 6, 'safe': 2}
    """
    check_column_names(X)
    check_consistent_length(X, y)
    classes, codes = encode_labels(y)
    minority = resolve_minority(classes, codes, minority_label)
    space = to_numeric_space(X, codes, preprocessor)
    warn_if_spreads_differ(space, preprocessor)
    measure = NeighborComplexity(n_neighbors, metric)
    record = measure.estimate(space, codes == minority, n_jobs=n_jobs)
    counts = np.rint(record.score * n_neighbors).astype(np.intp)
    if return_dataframe:
        return record.to_frame().assign(majority_neighbors=counts)
    by_category = {n: record.indices[record.category == n] for n in NEIGHBOR_CATEGORIES}
    return record.indices, by_category, counts


def exact_exponent(measure: NeighborComplexity, where: str) -> float:
    """Return the exponent of a plain Minkowski metric; refuse what rows of other tables cannot do.

    ``where`` ends the sentences: there are no other metrics and no neighbours objects there.
    """
    check_choice(f"metric {where}", measure.metric, MINKOWSKI)
    if measure.metric_params:
        raise ValueError(f"metric_params must be None {where}, got {measure.metric_params!r}.")
    check_choice("algorithm", measure.algorithm, ALGORITHMS)
    if measure.neighbors is not None:
        raise ValueError(f"neighbors must be None {where}, got {measure.neighbors!r}.")
    return MINKOWSKI[str(measure.metric)]


def paper_categories(n_neighbors: int) -> NDArray[Any]:
    """Return the paper's category for each majority count from 0 to ``n_neighbors``."""
    counts = np.arange(n_neighbors + 1)
    names = np.where(2 * counts < n_neighbors, "safe", "border").astype(object)
    names[0], names[-1] = "pure", "outlier"
    return names


def resolve_categories(
    categories: Categories | None, n_neighbors: int
) -> tuple[NDArray[Any], dict[str, float]]:
    """Return the category of each majority count, and the costs that categories bring."""
    if categories is None:
        return paper_categories(n_neighbors), {}
    if isinstance(categories, Mapping):
        return _from_mapping(categories, n_neighbors)
    if callable(categories):
        # Asked once for all counts rather than per row: there are only k + 1 of them.
        values = np.asarray(categories(np.arange(n_neighbors + 1), n_neighbors))
        is_cost = values.dtype.kind in "fiu"
        return (_from_costs if is_cost else _from_names)(values, n_neighbors)
    return _from_costs(categories, n_neighbors)


def _from_mapping(
    categories: Mapping[str, Any], n_neighbors: int
) -> tuple[NDArray[Any], dict[str, float]]:
    names = np.full(n_neighbors + 1, None, dtype=object)
    own_costs = {}
    for name, value in categories.items():
        counts, cost = _counts_and_cost(value)
        if cost is not None:
            own_costs[name] = check_number(f"the cost of category {name!r}", cost, low=0)
        for count in counts:
            of_name = f"a count of category {name!r}"
            check_number(of_name, count, low=0, high=n_neighbors, integer=True)
            if names[count] is not None:
                raise ValueError(
                    f"categories must cover each count once, got {count} in both "
                    f"{names[count]!r} and {name!r}."
                )
            names[count] = name
    missing = [count for count, name in enumerate(names) if name is None]
    if missing:
        raise ValueError(
            f"categories must cover every count from 0 to {n_neighbors}, got none for {missing[0]}."
        )
    _check_names(names, own_costs)
    return names, own_costs


def _counts_and_cost(value: Any) -> tuple[Any, Any]:
    """Tell ``counts`` from ``(counts, cost)``: a tuple is always the latter."""
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ValueError(f"a category must be counts or (counts, cost), got {value!r}.")
        return np.atleast_1d(value[0]).tolist(), value[1]
    return np.atleast_1d(value).tolist(), None


def _from_names(names: NDArray[Any], n_neighbors: int) -> tuple[NDArray[Any], dict[str, float]]:
    _check_length(names, n_neighbors, "a name")
    _check_names(names, {})
    return names.astype(object), {}


def _from_costs(costs: Any, n_neighbors: int) -> tuple[NDArray[Any], dict[str, float]]:
    _check_length(costs, n_neighbors, "a cost")
    names = [f"{count} of {n_neighbors}" for count in range(n_neighbors + 1)]
    values = [check_number(f"the cost of {n}", c, low=0) for n, c in zip(names, costs, strict=True)]
    return np.array(names, dtype=object), dict(zip(names, values, strict=True))


def _check_length(values: Any, n_neighbors: int, noun: str) -> None:
    if np.shape(values) != (n_neighbors + 1,):
        raise ValueError(
            f"categories must give {noun} for each count from 0 to {n_neighbors}, that is "
            f"{n_neighbors + 1} of them, got {np.size(values)}."
        )


def _check_names(names: NDArray[Any], own_costs: Mapping[str, float]) -> None:
    for name in names.tolist():
        if name not in PAPER_CATEGORIES and name not in own_costs:
            raise ValueError(
                f"a category without a cost of its own must be one of {list(PAPER_CATEGORIES)}, "
                f"got {name!r}."
            )
