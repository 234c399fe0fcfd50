"""What a complexity measure is, and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d

from icost.preprocessing import to_numeric_space
from icost.validation import check_sample_weight, import_extra

if TYPE_CHECKING:
    import pandas as pd

PAPER_CATEGORIES = ("pure", "safe", "mixed", "border", "outlier")
"""The paper's categories, from the easiest on; *mixed* lies between safe and border."""

NEIGHBOR_CATEGORIES = tuple(name for name in PAPER_CATEGORIES if name != "mixed")
"""Those of them that neighbours tell apart."""


@dataclass(frozen=True, eq=False)
class Complexity:
    """How hard each minority sample is.

    Parameters
    ----------
    indices : array-like of shape (n_minority,)
        Rows of the minority samples.
    category : array-like of shape (n_minority,)
        Name of each sample's category.
    score : array-like of shape (n_minority,)
        Difficulty in [0, 1]; what it measures is up to the complexity measure.
    penalty : array-like of shape (n_minority,), default=None
        Weight that the category and score led to.
    own_costs : mapping, default={}
        Multiples of the imbalance ratio for categories that bring their own cost.

    Examples
    --------
    >>> from icost.complexity import Complexity
    >>> record = Complexity(indices=[1, 4], category=["safe", "border"], score=[0.2, 0.6])
    >>> record.counts()
    {'safe': 1, 'border': 1}
    """

    indices: NDArray[np.intp]
    category: NDArray[Any]
    score: NDArray[np.float64]
    penalty: NDArray[np.float64] | None = None
    own_costs: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Frozen, so that a fitted estimator's record cannot drift from its weights.
        object.__setattr__(self, "indices", np.asarray(self.indices, dtype=np.intp))
        object.__setattr__(self, "category", np.asarray(self.category, dtype=object))
        object.__setattr__(self, "score", np.asarray(self.score, dtype=np.float64))

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {count}" for name, count in self.counts().items())
        return f"Complexity({len(self.indices)} minority samples; {counts})"

    def counts(self) -> dict[str, int]:
        """Return the number of samples per category, from the easiest category on.

        Returns
        -------
        dict
            Categories without a sample are left out.
        """
        names, numbers = np.unique(self.category.astype(str), return_counts=True)
        found = dict(zip(names.tolist(), numbers.tolist(), strict=True))
        first = [name for name in PAPER_CATEGORIES if name in found]
        return {name: found[name] for name in [*first, *sorted(set(found) - set(first))]}

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per minority sample, indexed by its row number.

        Returns
        -------
        pandas.DataFrame
            Columns ``category``, ``score`` and, once assigned, ``penalty``.
        """
        pd = import_extra("pandas", "data", "Complexity.to_frame")
        columns = {"category": self.category, "score": self.score}
        if self.penalty is not None:
            columns["penalty"] = self.penalty
        return pd.DataFrame(columns, index=pd.Index(self.indices, name="row"))


class BaseComplexity(BaseEstimator, ABC):
    """Base class of the complexity measures.

    A subclass stores its parameters in ``__init__`` and implements `_estimate`. It may name its
    categories as the paper does (``pure``, ``safe``, ``border``, ``outlier``, or ``mixed`` for a
    blend of safe and border by the score) and thereby use the cost parameters of `icost.iCost`,
    or invent categories and give each a cost of its own in `_own_costs`.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity import BaseComplexity
    >>> class DistanceToCentre(BaseComplexity):
    ...     def _estimate(self, X, is_minority, **_):
    ...         minority = X[is_minority]
    ...         distance = np.linalg.norm(minority - minority.mean(axis=0), axis=1)
    ...         score = distance / distance.max()
    ...         return np.where(score > np.median(score), "border", "safe"), score
    >>> X, is_minority = np.array([[0.0], [1.0], [9.0]]), np.array([True, True, True])
    >>> DistanceToCentre().estimate(X, is_minority).counts()
    {'safe': 2, 'border': 1}
    """

    uses_distances = False
    """Whether distances decide, so that a column of large numbers would outvote the others."""

    def estimate(
        self,
        X: Any,
        is_minority: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> Complexity:
        """Estimate how hard each minority sample is.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Numeric features without missing cells, taken as they are.
        is_minority : array-like of shape (n_samples,)
            Whether each sample is of the minority, as booleans or as 0 and 1.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; rows of weight 0 are absent.
        n_jobs : int, default=None
            Number of threads.
        random_state : int, RandomState or None, default=None
            For measures that draw random numbers.

        Returns
        -------
        Complexity
            Category and score of each minority sample.
        """
        X, codes = to_numeric_space(X, preprocessor=None), _check_mask(is_minority)
        check_consistent_length(X, codes)
        (record,) = self.estimate_groups(
            X,
            codes,
            [np.array([False, True])],
            sample_weight=check_sample_weight(sample_weight, len(codes)),
            n_jobs=n_jobs,
            random_state=random_state,
        )
        return record

    def estimate_groups(
        self,
        X: Any,
        codes: NDArray[np.intp],
        minorities: Iterable[NDArray[np.bool_]],
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> list[Complexity]:
        """Estimate complexity for several choices of the minority, as one-vs-rest needs.

        Nothing is checked here, since `icost.iCost` has done so; `estimate` checks.

        Parameters
        ----------
        X : {ndarray, CSR matrix} of shape (n_samples, n_features)
            Numeric features, such as from `icost.preprocessing.to_numeric_space`.
        codes : ndarray of shape (n_samples,)
            Class of each sample, as codes ``0..K-1``.
        minorities : iterable of ndarray of shape (K,)
            For each binary problem, which classes make up the minority.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; rows of weight 0 are absent.
        n_jobs : int, default=None
            Number of threads.
        random_state : int, RandomState or None, default=None
            For measures that draw random numbers.

        Returns
        -------
        list of Complexity
            One record per binary problem.
        """
        X, codes, weight, present = _present(X, codes, sample_weight)
        minorities = [np.asarray(minority, dtype=bool) for minority in minorities]
        estimates = self._estimate_groups(
            X, codes, minorities, sample_weight=weight, n_jobs=n_jobs, random_state=random_state
        )
        return self._records(present, codes, minorities, estimates)

    def estimate_new(
        self,
        X: Any,
        codes: NDArray[np.intp],
        X_new: Any,
        codes_new: NDArray[np.intp],
        minorities: Iterable[NDArray[np.bool_]],
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> list[Complexity]:
        """Estimate how hard minority samples of another table are, by the training rows alone.

        An evaluation set for early stopping, or a partition on a cluster, is weighted like the
        training rows, yet how its own rows lie must not decide about that. A measure that can
        judge rows which are not among the training rows implements `_estimate_new`.

        Parameters
        ----------
        X : {ndarray, CSR matrix} of shape (n_samples, n_features)
            Numeric features of the training rows.
        codes : ndarray of shape (n_samples,)
            Class of each training row, as codes ``0..K-1``.
        X_new : {ndarray, CSR matrix} of shape (n_new, n_features)
            The rows to judge, in the same numeric space.
        codes_new : ndarray of shape (n_new,)
            Their classes.
        minorities : iterable of ndarray of shape (K,)
            For each binary problem, which classes make up the minority.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the training rows; rows of weight 0 are absent.
        n_jobs : int, default=None
            Number of threads.
        random_state : int, RandomState or None, default=None
            For measures that draw random numbers.

        Returns
        -------
        list of Complexity
            One record per binary problem; ``indices`` are rows of ``X_new``.
        """
        self.check_judges_new()
        X, codes, weight, _ = _present(X, codes, sample_weight)
        minorities = [np.asarray(minority, dtype=bool) for minority in minorities]
        options = {"sample_weight": weight, "n_jobs": n_jobs, "random_state": random_state}
        estimates = self._estimate_new(X, codes, X_new, codes_new, minorities, **options)
        return self._records(np.arange(len(codes_new)), codes_new, minorities, estimates)

    def check_judges_new(self) -> None:
        """Raise if the measure cannot judge rows that are not among the training rows."""
        if type(self)._estimate_new is BaseComplexity._estimate_new:
            raise ValueError(
                "method must be a measure that can judge new rows, by a method _estimate_new, for "
                f"an evaluation set or on dask, got {type(self).__name__}."
            )

    def _records(
        self,
        rows: NDArray[np.intp],
        codes: NDArray[np.intp],
        minorities: list[NDArray[np.bool_]],
        estimates: list[tuple[Any, Any]],
    ) -> list[Complexity]:
        own_costs = self._own_costs()
        records = [
            Complexity(rows[minority[codes]], category, score, own_costs=own_costs)
            for minority, (category, score) in zip(minorities, estimates, strict=True)
        ]
        for record in records:
            _check_record(type(self).__name__, record)
        return records

    def _estimate_groups(
        self, X: Any, codes: NDArray[np.intp], minorities: list[NDArray[np.bool_]], **options: Any
    ) -> list[tuple[Any, Any]]:
        """One estimate per problem; a measure that can share work between them overrides this."""
        return [self._estimate(X, minority[codes], **options) for minority in minorities]

    def _estimate_new(
        self,
        X: Any,
        codes: NDArray[np.intp],
        X_new: Any,
        codes_new: NDArray[np.intp],
        minorities: list[NDArray[np.bool_]],
        **options: Any,
    ) -> list[tuple[Any, Any]]:
        """Return category and score of each minority sample among the new rows, per problem."""
        raise NotImplementedError

    @abstractmethod
    def _estimate(
        self,
        X: Any,
        is_minority: NDArray[np.bool_],
        *,
        sample_weight: NDArray[np.float64] | None,
        n_jobs: int | None,
        random_state: int | np.random.RandomState | None,
    ) -> tuple[Any, Any]:
        """Return the category and the score of each minority sample, in the order of the rows."""

    def _own_costs(self) -> Mapping[str, float]:
        """Return multiples of the imbalance ratio for categories that bring their own cost."""
        return {}


def _present(
    X: Any, codes: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Any, NDArray[np.intp], NDArray[np.float64] | None, NDArray[np.intp]]:
    """Rows of positive weight, and which they are."""
    codes = np.asarray(codes)
    if sample_weight is None:
        return X, codes, None, np.arange(len(codes))
    weight = np.asarray(sample_weight, dtype=np.float64)
    rows = np.flatnonzero(weight > 0)
    if len(rows) == len(codes):
        return X, codes, weight, rows
    return X[rows], codes[rows], weight[rows], rows


def _check_record(measure: str, record: Complexity) -> None:
    """Raise where a measure's answer would turn into wrong weights without a word."""
    n_samples, shapes = len(record.indices), (record.category.shape, record.score.shape)
    if shapes != ((n_samples,), (n_samples,)):
        raise ValueError(
            f"{measure} must return a category and a score for each of {n_samples} minority "
            f"samples, got arrays of shape {shapes[0]} and {shapes[1]}."
        )
    unknown = set(record.category.tolist()) - {*PAPER_CATEGORIES, *record.own_costs}
    if unknown:
        raise ValueError(
            f"{measure} must return categories among {list(PAPER_CATEGORIES)} or with a cost of "
            f"their own, got {unknown.pop()!r}."
        )
    mixed = record.score[record.category == "mixed"]
    wrong = mixed[~((mixed >= 0) & (mixed <= 1))]
    if len(wrong):
        raise ValueError(
            f"{measure} must return scores from 0 to 1 for mixed samples, got {wrong[0]:g}."
        )


def _check_mask(is_minority: ArrayLike) -> NDArray[np.intp]:
    mask = column_or_1d(is_minority)
    # Of text, NumPy would compare "1" with 1 as if they were equal.
    wrong = mask if mask.dtype.kind in "US" else mask[~np.isin(mask, [0, 1])]
    if len(wrong):
        raise ValueError(
            "is_minority must be True or False, or 1 or 0, for each sample, got "
            f"{wrong[:1].tolist()[0]!r}."
        )
    return mask.astype(np.intp)
