"""The neighbour view of the minority class, as one function call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from icost.complexity.neighbor import NeighborComplexity
from icost.complexity.space import to_numeric_space, warn_if_spreads_differ
from icost.labels import encode_labels, resolve_minority


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
    """Sort minority samples into pure, safe, border and outlier ones.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Features.
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
        Number of threads for the search.

    Returns
    -------
    minority : ndarray of shape (n_minority,)
        Rows of the minority samples.
    by_category : dict of ndarray
        Rows per category: ``"pure"``, ``"safe"``, ``"border"`` and ``"outlier"``.
    majority_neighbors : ndarray of shape (n_minority,)
        Number of majority samples among each one's neighbours.

    With ``return_dataframe=True``, a data frame indexed by row with the columns ``category``,
    ``score`` and ``majority_neighbors`` instead.

    Examples
    --------
    >>> from icost import categorize_minority_class
    >>> X = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]]
    >>> minority, by_category, m = categorize_minority_class(X, [1, 1, 1, 0, 0, 0], n_neighbors=2)
    >>> by_category["border"], m
    (array([2]), array([0, 0, 1]))
    """
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
    names = ("pure", "safe", "border", "outlier")
    by_category = {name: record.indices[record.category == name] for name in names}
    return record.indices, by_category, counts
