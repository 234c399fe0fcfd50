"""What a complexity measure is, and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d

from icost._core.arrays import Bools, Floats, Ints
from icost._core.validation import as_table, check_number, check_sample_weight, import_extra
from icost._core.views import View, Viewed

if TYPE_CHECKING:
    import pandas as pd

PAPER_CATEGORIES = ("pure", "safe", "mixed", "border", "outlier")
"""The paper's categories, from the easiest on; *mixed* lies between safe and border."""

NEIGHBOR_CATEGORIES = tuple(name for name in PAPER_CATEGORIES if name != "mixed")
"""Those of them that neighbours tell apart."""

Choices = list[Bools]
"""For each binary problem, which classes make up the minority."""

Estimate = tuple[Any, Any] | tuple[Any, Any, Any]
"""Category and score of each minority row and, if a measure says it, the other-class share."""

_TYPES: dict[str, Any] = {
    "indices": np.intp,
    **dict.fromkeys(("score", "other_class_share"), np.float64),
    **dict.fromkeys(("category", "rival"), object),
}


@dataclass(frozen=True, eq=False, repr=False)
class Complexity(Viewed):
    """How hard each minority row is: what every complexity measure returns.

    One entry per minority row, in the order of the rows. Majority rows have none; only with
    ``multiclass="direct"``, where no class is set aside, all rows have one. The ``estimate`` of
    a measure returns a record, and a fitted `icost.iCost` keeps that of its training rows in
    ``complexity_``, which shows the category and the weight of each. Records are frozen; to change
    one, use `dataclasses.replace`.

    Parameters
    ----------
    indices : array-like of shape (n_minority,)
        Positions of the minority rows.
    category : array-like of shape (n_minority,)
        Name of each row's category, one of the paper's or of the measure's own.
    score : array-like of shape (n_minority,)
        Difficulty in [0, 1]; what it measures is up to the complexity measure. For the paper's
        categories only *mixed* lets it decide, about the blend of the costs of safe and border.
    penalty : array-like of shape (n_minority,), default=None
        Weight that category and score led to; None as long as there are no costs to say so.
    own_costs : mapping, default={}
        Multiples of the imbalance ratio for categories that bring their own cost.
    other_class_share : array-like of shape (n_minority,), default=None
        Share or probability, in [0, 1], of *other* classes around each row; what
        ``penalty="plausible"`` of `icost.iCost` goes by. None if the measure does not say.
    rival : array-like of shape (n_minority,), default=None
        The class that prevails among those others, None for a row without any; known with
        ``multiclass="direct"`` only.

    See Also
    --------
    BaseComplexity : Where records come from.

    Examples
    --------
    >>> from icost.complexity import Complexity
    >>> record = Complexity(indices=[1, 4], category=["safe", "border"], score=[0.2, 0.6])
    >>> record
    Complexity(2 minority rows; safe: 1, border: 1; columns as passed)
    """

    indices: Ints
    category: NDArray[Any]
    score: Floats
    penalty: Floats | None = None
    own_costs: Mapping[str, float] = field(default_factory=dict)
    other_class_share: Floats | None = None
    rival: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        # Frozen, so that a fitted estimator's record cannot drift from its weights.
        for name, dtype in _TYPES.items():
            if (values := getattr(self, name)) is not None:
                object.__setattr__(self, name, np.asarray(values, dtype=dtype))

    def _view(self) -> View:
        counts = self.counts()
        # A rival is known where all classes are judged.
        noun = "minority rows" if self.rival is None else "rows of all classes"
        listed = ", ".join(f"{name}: {count}" for name, count in counts.items())
        rows: list[tuple[Any, ...]] = list(counts.items())
        columns: tuple[str, ...] = ("Category", "Rows")
        if self.penalty is not None:
            columns += ("Mean weight",)
            rows = [
                (name, count, f"{self.penalty[self.category == name].mean():.2f}")
                for name, count in rows
            ]
        # Whoever scales columns does so before: difficulty is judged in the space that comes in.
        title = f"Complexity({len(self.indices)} {noun}; {listed}; columns as passed)"
        return View(title, (), columns, rows)

    def __repr__(self) -> str:
        return self._view().title

    def counts(self) -> dict[str, int]:
        """Return the number of rows per category, from the easiest category on.

        Returns
        -------
        dict
            The paper's categories in their order, then others by their names. Categories without
            a row are left out.
        """
        names, numbers = np.unique(self.category.astype(str), return_counts=True)
        by_name = dict(zip(names.tolist(), numbers.tolist(), strict=True))
        first = [name for name in PAPER_CATEGORIES if name in by_name]
        return {name: by_name[name] for name in [*first, *sorted(set(by_name) - set(first))]}

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with a line for each minority row, indexed by its position.

        Needs pandas. Join it to your own table to see what hard rows have in common.

        Returns
        -------
        pandas.DataFrame
            Columns ``category``, ``score`` and, once assigned, ``penalty``; ``rival`` where it is
            known.

        Examples
        --------
        >>> from icost import iCost
        >>> X, y = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]], [1, 1, 0, 0, 0, 0]
        >>> iCost(n_neighbors=2).fit(X, y).complexity_.to_frame()
            category  score  penalty
        row
        0     border    0.5      2.5
        1     border    0.5      2.5
        """
        pd = import_extra("pandas", "data", "Complexity.to_frame")
        columns = {"category": self.category, "score": self.score}
        if self.penalty is not None:
            columns["penalty"] = self.penalty
        if self.rival is not None:
            columns["rival"] = self.rival
        return pd.DataFrame(columns, index=pd.Index(self.indices, name="row"))


class BaseComplexity(BaseEstimator, ABC):
    """Base class of the complexity measures, from which a measure of your own derives.

    A measure answers one question: how hard is each minority row? It knows neither costs nor
    classifiers. `icost.iCost` takes yours as its ``method`` like one of its own: in grid searches
    over its parameters (``method__factor``), for multiclass targets and for weighted rows.
    Before you write one, see whether `NeighborComplexity` with another ``metric`` or other
    ``categories``, or `GiniComplexity` with other limits, is what you mean.

    A subclass stores its parameters in ``__init__``, and does nothing else there, so that it can be
    cloned. Only the first of the parts below is needed:

    ``_estimate(X, is_minority, *, sample_weight, n_jobs, random_state)``
        Judges the minority rows among the training rows. ``X`` is a numeric array without missing
        cells, or a CSR matrix if the user's table is sparse; ``is_minority`` a boolean mask of its
        rows; ``sample_weight`` None or the weights of the rows, of which those of weight 0 are left
        out already. The rest is what the user gave: use what means something to your measure, and
        let ``**options`` swallow the others. It returns two arrays with one entry per minority row,
        in the order of the rows: names of categories, and scores. A third one may tell the
        other-class share around each row, in [0, 1], which ``penalty="plausible"`` needs.
    ``_estimate_new(X, codes, X_new, codes_new, minorities, **options)``
        Judges rows of *another* table by the training rows alone; `estimate_new` says how. It makes
        the measure fit for evaluation sets (`icost.boosters.eval_weights`).
    ``_own_costs()``
        Returns a mapping from categories of your own to their costs, as multiples of the imbalance
        ratio. The paper's need none: ``pure``, ``safe``, ``border`` and ``outlier`` cost ``cfp``,
        ``cfs``, ``cfb`` and ``cfo`` of `icost.iCost`, and ``mixed`` blends ``cfs`` and ``cfb``, the
        more of ``cfb`` the higher the score.
    ``uses_distances``
        True if distances decide, so that a column of large numbers would outvote the others:
        `icost.iCost` then warns of columns whose spreads differ very much.
    ``takes_single``
        True if single precision is all that the measure needs, so that a table of ``float32`` is
        handed over as it is, and whole numbers, or a frame of several types, are copied to it. By
        default the copy is of ``float64``.
    ``_estimate_groups(X, codes, minorities, **options)``
        Judges several choices of the minority at once, for a measure that can share work between
        the binary problems of a multiclass target. By default ``_estimate`` is called for each.
    ``_estimate_classes(X, codes, **options)``
        Judges all rows, each against all other classes together, for ``multiclass="direct"``. It
        returns four arrays with one entry per row: category, score, other-class share (or None),
        and the code of the class that prevails among the others (or None; -1 for a row without
        any). By default each class is judged as a minority.

    See Also
    --------
    NeighborComplexity : Judges by the classes of the nearest neighbours.
    GiniComplexity : Judges by the class composition of a shallow tree's leaves.
    Complexity : The record that categories and scores become.

    Notes
    -----
    What a measure returns is checked, since a slip would turn into wrong weights without a word:
    there must be one category and one score per minority row, every category must be one of the
    paper's or have a cost of its own, and the scores of *mixed* rows must lie in [0, 1]. Other
    scores weigh nothing, but reports and plots show them: keep them in [0, 1], hard ones high.

    Judge by the training rows that you are given and nothing else. `icost.iCost` hands over the
    rows of one training fold, and a measure that remembers other rows would leak test labels.

    Examples
    --------
    A measure that calls a minority row hard when it is farther from the centre of the minority
    than half of the minority is:

    >>> import numpy as np
    >>> from icost.complexity import BaseComplexity
    >>> class Remoteness(BaseComplexity):
    ...     def __init__(self, factor=1.0):
    ...         self.factor = factor
    ...
    ...     def _judge(self, minority, rows):
    ...         centre = minority.mean(axis=0)
    ...         usual = np.median(np.linalg.norm(minority - centre, axis=1))
    ...         distance = np.linalg.norm(rows - centre, axis=1)
    ...         category = np.where(distance > self.factor * usual, "border", "safe")
    ...         return category, distance / (distance + usual)
    ...
    ...     def _estimate(self, X, is_minority, **options):
    ...         return self._judge(X[is_minority], X[is_minority])
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [20.0], [21.0], [22.0], [23.0]])
    >>> y = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    >>> Remoteness().estimate(X, y == 1).counts()
    {'safe': 2, 'border': 2}

    That is all that `icost.iCost` needs, for fits, weights and grid searches:

    >>> from icost import iCost
    >>> iCost(method=Remoteness(factor=2.0)).compute_sample_weight(X, y)
    array([0.75, 0.75, 0.75, 1.25, 1.  , 1.  , 1.  , 1.  ])
    """

    uses_distances = False
    """Whether distances decide, so that a column of large numbers would outvote the others."""

    takes_single = False
    """Whether numbers in single precision may stay so; else they come in double precision."""

    def estimate(
        self,
        X: Any,
        is_minority: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> Complexity:
        """Estimate how hard each minority row is.

        The way to look at complexity without a classifier. It takes the table as it is, whereas
        the ``preprocessor`` of `icost.iCost` makes numbers of text and fills gaps first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Numeric features without missing cells, taken as they are.
        is_minority : array-like of shape (n_samples,)
            Whether each row is of the minority, as booleans or as 0 and 1.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; rows of weight 0 are absent.
        n_jobs : int, default=None
            Number of threads.
        random_state : int, RandomState or None, default=None
            For measures that draw random numbers.

        Returns
        -------
        Complexity
            Category and score of each minority row; no penalties, as there are no costs here.
        """
        from icost._table._space import to_numeric_space  # here: a saved model needs none

        X = to_numeric_space(as_table(X), preprocessor=None, keep_single=self.takes_single)
        codes = _check_mask(is_minority)
        check_consistent_length(X, codes)
        weight = check_sample_weight(sample_weight, len(codes))
        _check_both(codes if weight is None else codes[weight > 0])
        options: Any = {"sample_weight": weight, "n_jobs": n_jobs, "random_state": random_state}
        return self.estimate_groups(X, codes, [np.array([False, True])], **options)[0]

    def estimate_groups(
        self,
        X: Any,
        codes: Ints,
        minorities: Iterable[Bools],
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> list[Complexity]:
        """Estimate complexity for several choices of the minority, as one-vs-rest needs.

        What `icost.iCost` calls. A multiclass target poses one binary problem per class, and a
        measure such as `NeighborComplexity` answers all of them by one search. The arguments are
        not checked, since `icost.iCost` has done so; `estimate` checks. The answers are.

        Parameters
        ----------
        X : {ndarray, CSR matrix} of shape (n_samples, n_features)
            Numeric features, such as from ``icost._table._space.to_numeric_space``.
        codes : ndarray of shape (n_samples,)
            Class of each row, as codes ``0..K-1``.
        minorities : iterable of ndarray of shape (K,)
            For each binary problem, which classes make up the minority.
        sample_weight, n_jobs, random_state
            As for `estimate`.

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

    def estimate_classes(
        self,
        X: Any,
        codes: Ints,
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> Complexity:
        """Estimate how hard every row is, each against all other classes together.

        What `icost.iCost` calls for ``multiclass="direct"``, where one fit learns all classes and
        no class is set aside as the majority. The arguments are not checked; the answer is.

        Parameters
        ----------
        X, codes, sample_weight, n_jobs, random_state
            As for `estimate_groups`.

        Returns
        -------
        Complexity
            One entry per row of positive weight; ``rival`` holds codes, -1 where there is none.
        """
        X, codes, weight, present = _present(X, codes, sample_weight)
        category, score, share, rival = self._estimate_classes(
            X, codes, sample_weight=weight, n_jobs=n_jobs, random_state=random_state
        )
        own_costs = self._checked_costs()
        record = Complexity(present, category, score, None, own_costs, share, rival)
        _check_record(type(self).__name__, record)
        return record

    def estimate_new(
        self,
        X: Any,
        codes: Ints,
        X_new: Any,
        codes_new: Ints,
        minorities: Iterable[Bools],
        *,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> list[Complexity]:
        """Estimate how hard minority rows of another table are, by the training rows alone.

        For evaluation sets, whose own rows must not decide about their weights. A measure that can
        do so implements ``_estimate_new``, which gets the arguments of this method, rows of weight
        0 left out, and returns a list with one pair of arrays per problem: category and score of
        each minority row of ``X_new``, of which there may be none.

        Parameters
        ----------
        X, codes : {ndarray, CSR matrix} of shape (n_samples, n_features), and (n_samples,)
            Numeric features of the training rows, and their classes as codes ``0..K-1``.
        X_new, codes_new : {ndarray, CSR matrix} of shape (n_new, n_features), and (n_new,)
            The rows to judge, in the same numeric space, and their classes.
        minorities : iterable of ndarray of shape (K,)
            For each binary problem, which classes make up the minority.
        sample_weight, n_jobs, random_state
            As for `estimate`; the weights are those of the training rows.

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
        """Raise if the measure cannot judge new rows, for lack of a method ``_estimate_new``."""
        if type(self)._estimate_new is BaseComplexity._estimate_new:
            raise ValueError(
                "method must be a measure that can judge new rows, by a method _estimate_new, for "
                f"an evaluation set, got {type(self).__name__}."
            )

    def _records(
        self, rows: Ints, codes: Ints, minorities: list[Bools], estimates: list[Estimate]
    ) -> list[Complexity]:
        own_costs = self._checked_costs()
        records = [
            Complexity(rows[minority[codes]], category, score, None, own_costs, *share)
            for minority, (category, score, *share) in zip(minorities, estimates, strict=True)
        ]
        for record in records:
            _check_record(type(self).__name__, record)
        return records

    def _checked_costs(self) -> dict[str, float]:
        own_costs = dict(self._own_costs())
        for name, cost in own_costs.items():
            check_number(f"the cost of category {name!r}", cost, low=0)
        return own_costs

    def _estimate_groups(
        self, X: Any, codes: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        """One estimate per problem; a measure that can share work between them overrides this."""
        return [self._estimate(X, minority[codes], **options) for minority in minorities]

    def _estimate_classes(self, X: Any, codes: Ints, **options: Any) -> tuple[Any, Any, Any, Any]:
        """Category, score, other-class share and rival of all rows; None for what is not known."""
        classes = list(np.eye(int(codes.max()) + 1, dtype=bool))
        estimates = self._estimate_groups(X, codes, classes, **options)
        columns = []
        for parts in zip(*estimates, strict=True):
            column = np.empty(len(codes), dtype=np.asarray(parts[0]).dtype)
            for code, members in enumerate(parts):
                column[codes == code] = members
            columns.append(column)
        category, score, *share = columns
        return category, score, share[0] if share else None, None

    def _estimate_new(
        self, X: Any, codes: Ints, X_new: Any, codes_new: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        """Return category and score of each minority row among the new rows, per problem."""
        raise NotImplementedError

    @abstractmethod
    def _estimate(
        self,
        X: Any,
        is_minority: Bools,
        *,
        sample_weight: Floats | None,
        n_jobs: int | None,
        random_state: int | np.random.RandomState | None,
    ) -> Estimate:
        """Return the category and the score of each minority row, in the order of the rows."""

    def _own_costs(self) -> Mapping[str, float]:
        """Return multiples of the imbalance ratio for categories that bring their own cost."""
        return {}


class GroupComplexity(BaseComplexity):
    """A measure that judges one choice of the minority as it judges several."""

    def _estimate(self, X: Any, is_minority: Bools, **options: Any) -> Estimate:
        minority = np.array([False, True])
        return self._estimate_groups(X, is_minority.astype(np.intp), [minority], **options)[0]


def _present(
    X: Any, codes: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Any, Ints, Floats | None, Ints]:
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
            f"rows, got arrays of shape {shapes[0]} and {shapes[1]}."
        )
    _check_share(measure, record.other_class_share, n_samples)
    unknown = set(record.category.tolist()) - {*PAPER_CATEGORIES, *record.own_costs}
    if unknown:
        raise ValueError(
            f"{measure} must return categories among {list(PAPER_CATEGORIES)} or with a cost of "
            f"their own, got {unknown.pop()!r}."
        )
    mixed = record.score[record.category == "mixed"]
    _check_range(f"{measure} must return scores from 0 to 1 for mixed rows", mixed)


def rival_of(amounts: Floats, codes: Ints) -> Ints:
    """Return the class that has most around each row apart from its own; -1 if none has any."""
    # Rounded, so that the order of a sum does not decide between equal ones.
    others = np.round(amounts, 12)
    others[np.arange(len(codes)), codes] = 0.0
    return np.where(others.max(axis=1) > 0, others.argmax(axis=1), -1)


def _check_share(measure: str, share: Floats | None, n_samples: int) -> None:
    if share is None:
        return
    if share.shape != (n_samples,):
        raise ValueError(
            f"{measure} must return an other-class share for each of {n_samples} samples, got an "
            f"array of shape {share.shape}."
        )
    _check_range(f"{measure} must return other-class shares from 0 to 1", share)


def _check_range(wanted: str, values: Floats) -> None:
    outside = values[~((values >= 0) & (values <= 1))]
    if len(outside):
        raise ValueError(f"{wanted}, got {outside[0]:g}.")


def _check_both(codes: Ints) -> None:
    if len(np.unique(codes)) < 2:
        raise ValueError(
            "is_minority must be True for some rows of positive weight and False for others, "
            f"got {bool(codes.any())} for all {len(codes)}."
        )


def _check_mask(is_minority: ArrayLike) -> Ints:
    mask = column_or_1d(is_minority)
    # Of text, NumPy would compare "1" with 1 as if they were equal.
    not_boolean = mask if mask.dtype.kind in "US" else mask[~np.isin(mask, [0, 1])]
    if len(not_boolean):
        raise ValueError(
            "is_minority must be True or False, or 1 or 0, for each row, got "
            f"{not_boolean[:1].tolist()[0]!r}."
        )
    return mask.astype(np.intp)


CUTS = (0.0, 0.5, 0.8)
"""Other-class share up to which a row is pure, below which it is safe, and below which border."""

_DIGITS = 12
"""Digits of an other-class share that mean something; the rest is due to the order of a sum."""


def check_cuts(cuts: Any) -> tuple[float, float, float]:
    """Return the three cuts, or raise if they are not three ascending shares."""
    is_three = isinstance(cuts, Sequence | np.ndarray) and len(cuts) == 3
    if not is_three or isinstance(cuts, str):
        raise ValueError(f"cuts must be three shares, of pure, safe and border rows, got {cuts!r}.")
    pure, safe, border = (float(check_number("a cut", cut, low=0, high=1)) for cut in cuts)
    if not pure <= safe <= border:
        raise ValueError(f"cuts must ascend, got {cuts!r}.")
    return pure, safe, border


def by_cuts(
    other_class_share: Floats, cuts: Sequence[float] = CUTS
) -> tuple[NDArray[Any], Floats, Floats]:
    """Return category, score and other-class share of rows, of which the last two are the same.

    The middle cuts belong to the harder side. Shares are rounded first, so that neither the order
    of the rows nor that of a sum decides about a category.
    """
    pure, safe, border = check_cuts(cuts)
    share = np.clip(np.round(other_class_share, _DIGITS), 0.0, 1.0) + 0.0
    step = (share > pure).astype(np.intp) + (share >= safe) + (share >= border)
    # Where cuts coincide, being at one of them is being at all of them.
    category = np.array(NEIGHBOR_CATEGORIES, dtype=object)[np.where(share > pure, step, 0)]
    return category, share, share


def distance_share(to_own: Floats, to_others: Floats) -> Floats:
    """Return the other-class share that two distances mean: one half where both are 0."""
    total = to_own + to_others
    return np.divide(to_own, total, out=np.full(len(total), 0.5), where=total > 0)


def home_of(measure: str) -> str:
    """Return the module of a measure of the library, which is named after its class."""
    return f"icost.complexity._{measure.removesuffix('Complexity').lower()}"
