"""Binary problems: the one of a binary target, or one per class of a multiclass one.

A multiclass target is decomposed one-vs-rest (section 3.6 of the paper). In each binary problem the
rarer group is the minority, also when that is "the rest".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import BaseComplexity, Complexity
from icost.labels import class_totals, find_minority, imbalance_ratio


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """One binary problem of a target.

    Parameters
    ----------
    target : ndarray of shape (n_samples,)
        What a base classifier is to learn, as 0 and 1.
    minority : int
        Which of the two is the minority.
    ratio : float
        Imbalance ratio, of weights where there are any.
    complexity : Complexity or None
        How hard the minority samples are, once estimated.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.multiclass import BinaryProblem
    >>> BinaryProblem(np.array([0, 0, 1]), minority=1, ratio=2.0).is_minority
    array([False, False,  True])
    """

    target: NDArray[np.intp]
    minority: int
    ratio: float
    complexity: Complexity | None = None

    @property
    def is_minority(self) -> NDArray[np.bool_]:
        """Whether each sample is of the minority."""
        return self.target == self.minority


def decompose(
    codes: NDArray[np.intp],
    n_classes: int,
    minority: int | None = None,
    sample_weight: NDArray[np.float64] | None = None,
) -> list[BinaryProblem]:
    """Return the binary problem of two classes, or one problem per class of more.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Class codes.
    n_classes : int
        Number of classes.
    minority : int or None, default=None
        Code of the minority class of a binary target, if it is not the smaller one.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    list of BinaryProblem
        Without complexity.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.multiclass import decompose
    >>> [problem.minority for problem in decompose(np.array([0, 0, 0, 0, 1, 2]), 3)]
    [0, 1, 1]
    """
    if n_classes == 2:
        targets = [codes]
    else:
        targets = [(codes == code).astype(np.intp) for code in range(n_classes)]
    return [_problem(target, minority, sample_weight) for target in targets]


def _problem(
    target: NDArray[np.intp], minority: int | None, sample_weight: NDArray[np.float64] | None
) -> BinaryProblem:
    if minority is None:
        minority = find_minority(class_totals(target, sample_weight))
    return BinaryProblem(target, minority, imbalance_ratio(target == minority, sample_weight))


def estimate_complexity(
    measure: BaseComplexity,
    space: Any,
    codes: NDArray[np.intp],
    problems: Sequence[BinaryProblem],
    *,
    rows: NDArray[np.intp] | None = None,
    **options: Any,
) -> list[BinaryProblem]:
    """Return the problems with the complexity of their minority samples.

    Parameters
    ----------
    measure : BaseComplexity
        How to estimate it.
    space : {ndarray, sparse matrix} of shape (n_samples, n_dimensions)
        Numeric features.
    codes : ndarray of shape (n_samples,)
        Class codes, of all classes.
    problems : sequence of BinaryProblem
        From `decompose`.
    rows : ndarray of shape (n_samples,), default=None
        Which rows of the problems' targets ``space`` and ``codes`` hold, if not all.
    **options
        ``sample_weight``, ``n_jobs`` and ``random_state``.

    Returns
    -------
    list of BinaryProblem
        In the same order.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity import NeighborComplexity
    >>> from icost.multiclass import decompose, estimate_complexity
    >>> codes = np.array([0, 0, 0, 1, 1])
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [3.9]])
    >>> (problem,) = estimate_complexity(NeighborComplexity(1), X, codes, decompose(codes, 2))
    >>> problem.complexity.counts()
    {'pure': 2}
    """
    n_classes = int(codes.max()) + 1
    groups = [_minority_classes(problem, code, n_classes) for code, problem in enumerate(problems)]
    records = measure.estimate_groups(space, codes, groups, **options)
    if rows is not None:
        records = [replace(record, indices=rows[record.indices]) for record in records]
    return [
        replace(problem, complexity=record)
        for problem, record in zip(problems, records, strict=True)
    ]


def _minority_classes(problem: BinaryProblem, code: int, n_classes: int) -> NDArray[np.bool_]:
    if n_classes == 2:
        return np.arange(2) == problem.minority
    is_class = np.arange(n_classes) == code
    return is_class if problem.minority == 1 else ~is_class


def one_vs_rest_confidence(estimators: Sequence[Any], X: Any) -> NDArray[np.float64]:
    """Return each class's confidence: its decision function, else its probability or prediction.

    Parameters
    ----------
    estimators : sequence of fitted binary classifiers
        One per class.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Confidences.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.multiclass import one_vs_rest_confidence
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> models = [LogisticRegression().fit(X, np.arange(3) == c) for c in range(3)]
    >>> one_vs_rest_confidence(models, X).shape
    (3, 3)
    """
    if hasattr(estimators[0], "decision_function"):
        columns = [np.ravel(estimator.decision_function(X)) for estimator in estimators]
    elif hasattr(estimators[0], "predict_proba"):
        columns = [estimator.predict_proba(X)[:, 1] for estimator in estimators]
    else:
        columns = [np.ravel(estimator.predict(X)).astype(np.float64) for estimator in estimators]
    return np.column_stack(columns)


def one_vs_rest_proba(estimators: Sequence[Any], X: Any) -> NDArray[np.float64]:
    """Return the binary probabilities, scaled to sum to one in each row.

    Parameters
    ----------
    estimators : sequence of fitted binary classifiers
        One per class.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Probabilities. A sample that every classifier is sure to reject gets equal ones.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.multiclass import one_vs_rest_proba
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> models = [LogisticRegression().fit(X, np.arange(3) == c) for c in range(3)]
    >>> one_vs_rest_proba(models, X).sum(axis=1)
    array([1., 1., 1.])
    """
    return scale_rows(np.column_stack([model.predict_proba(X)[:, 1] for model in estimators]))


def scale_rows(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities scaled to sum to one in each row; equal ones for a row of zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.multiclass import scale_rows
    >>> scale_rows(np.array([[0.2, 0.6], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    proba = np.where(proba.sum(axis=1, keepdims=True) == 0, 1.0, proba)
    return proba / proba.sum(axis=1, keepdims=True)
