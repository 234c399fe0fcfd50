"""Margin complexity: how sure is a classifier, which has not seen the row, of another class?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from icost._core.arrays import Floats, Ints
from icost._core.validation import check_number
from icost._neighbors.points import row_keys
from icost.complexity._base import CUTS, Choices, Estimate, GroupComplexity, by_cuts, rival_of


class MarginComplexity(GroupComplexity):
    """Complexity by the margin: how probable a held-out classifier finds the other classes.

    A probe is cross-fitted: each row is judged by a clone that was fitted to the other folds. The
    other-class share of a row is 1 minus the probability of its own class, and is its score as
    well. ``method="margin"`` of `icost.iCost` means this measure; an object lets you choose the
    probe.

    The view is global: a row is hard if it lies on the wrong side of a border that all rows drew.
    Useless columns and their scales matter little, and it takes a few fits of the probe. But the
    probe sees what it can see: a straight border calls a far island of the minority hard.
    Take a probe that is about as flexible as the classifier that you train.

    Parameters
    ----------
    classifier : classifier, default=None
        The probe; any classifier for numeric input with ``predict_proba`` or
        ``decision_function``. Default: a logistic regression with balanced class weights on scaled
        columns.
    cv : int, default=5
        Number of folds. No more are made than a class has distinct rows, which a warning tells.
    cuts : sequence of three floats, default=(0.0, 0.5, 0.8)
        Other-class shares up to which a row is *pure*, below which it is *safe*, and below which it
        is *border*; from there on it is an *outlier*. A probability is hardly ever 0: raise the
        first one if rows should be pure.

    See Also
    --------
    GiniComplexity : Judges by the leaves of a shallow tree, with ``cross_fit`` likewise held out.
    NeighborComplexity : Judges by the neighbours alone.

    Notes
    -----
    Folds go by what a row holds, not by where it stands, and a probe gets its rows in an order that
    goes by that as well: the order of the table changes nothing. Equal rows of a class share a
    fold, so that no probe has seen its row by another name; in a fit, each of them counts.
    ``random_state`` makes other folds; None always makes the same. A probe that draws random
    numbers brings its own seed.

    ``sample_weight`` is given to the probe, divided by its mean over the rows of the fit, so that
    its unit does not matter. Scores of a probe without probabilities are turned into some by one
    logistic regression of the held-out scores.

    Examples
    --------
    >>> import numpy as np
    >>> from icost import MarginComplexity
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> is_minority = (np.arange(20) >= 15) | (np.arange(20) == 3)
    >>> record = MarginComplexity().estimate(X, is_minority)
    >>> record.category.tolist()
    ['outlier', 'safe', 'safe', 'safe', 'safe', 'safe']
    """

    def __init__(self, classifier: Any = None, cv: int = 5, cuts: Sequence[float] = CUTS) -> None:
        self.classifier = classifier
        self.cv = cv
        self.cuts = cuts

    def _estimate_groups(
        self, X: Any, codes: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        computed: dict[bytes, Floats] = {}
        estimates: list[Estimate] = []
        for minority in minorities:
            # Either class of a problem may be asked for: both have the same probe.
            first = minority if minority[0] else ~minority
            key = first.tobytes()
            if key not in computed:
                computed[key] = self._held_out(X, first[codes].astype(np.intp), **options)
            own_proba = computed[key][:, int(minority[0])]
            estimates.append(by_cuts(1.0 - own_proba[minority[codes]], self.cuts))
        return estimates

    def _estimate_classes(self, X: Any, codes: Ints, **options: Any) -> tuple[Any, Any, Any, Any]:
        proba = self._held_out(X, codes, **options)
        own_proba = proba[np.arange(len(codes)), codes]
        return *by_cuts(1.0 - own_proba, self.cuts), rival_of(proba, codes)

    def _estimate_new(
        self, X: Any, codes: Ints, X_new: Any, codes_new: Ints, minorities: Choices, **options: Any
    ) -> list[Estimate]:
        estimates: list[Estimate] = []
        for minority in minorities:
            target, rows = minority[codes].astype(np.intp), X_new[minority[codes_new]]
            probe = self._fit(X, target, options["sample_weight"])
            own_proba = np.zeros(0)
            if rows.shape[0]:
                scores = _scores(probe, rows, 2)
                if not hasattr(probe, "predict_proba"):
                    held_out = self._held_out_scores(X, target, **options)
                    scores = _calibrated(held_out, target, options["sample_weight"], scores)
                own_proba = scores[:, 1]
            estimates.append(by_cuts(1.0 - own_proba, self.cuts))
        return estimates

    def _held_out(self, X: Any, target: Ints, **options: Any) -> Floats:
        """Return probabilities of all classes by probes that have not seen the row."""
        scores = self._held_out_scores(X, target, **options)
        if hasattr(self._probe(X), "predict_proba"):
            return scores
        return _calibrated(scores, target, options["sample_weight"], scores)

    def _held_out_scores(self, X: Any, target: Ints, **options: Any) -> Floats:
        check_number("cv", self.cv, low=2, integer=True)
        n_classes, weight = int(target.max()) + 1, options["sample_weight"]
        fold = self._folds(X, target, n_classes, options["random_state"])
        scores = np.empty((len(target), n_classes))
        for number in range(int(fold.max()) + 1):
            train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            probe = self._fit(X[train], target[train], None if weight is None else weight[train])
            scores[test] = _scores(probe, X[test], n_classes)
        return scores

    def _folds(self, X: Any, target: Ints, n_classes: int, random_state: Any) -> Ints:
        """Return the fold of each row: within a class, by the order of what rows hold."""
        is_seed = random_state is None or isinstance(random_state, int | np.integer)
        seed = (random_state or 0) if is_seed else check_random_state(random_state).randint(2**31)
        keys = row_keys(X, int(seed))
        ranks = [np.unique(keys[target == code], return_inverse=True) for code in range(n_classes)]
        fewest = min(len(distinct) for distinct, _ in ranks)
        if fewest < 2:
            raise ValueError(
                "MarginComplexity needs at least two different rows of each class, to judge one by "
                f"the other, got {fewest}."
            )
        if fewest < self.cv:
            warnings.warn(
                f"cv={self.cv} folds need as many different rows of each class, got {fewest}: "
                f"{fewest} folds are made.",
                UserWarning,
                stacklevel=2,
            )
        n_folds, fold = min(self.cv, fewest), np.empty(len(target), dtype=np.intp)
        for code, (_, rank) in enumerate(ranks):
            fold[target == code] = rank % n_folds
        return fold

    def _probe(self, X: Any) -> Any:
        if self.classifier is not None:
            is_class = isinstance(self.classifier, type)
            if is_class or not all(hasattr(self.classifier, n) for n in ("fit", "get_params")):
                raise TypeError(f"classifier must be a classifier, got {self.classifier!r}.")
            return self.classifier
        balanced = LogisticRegression(class_weight="balanced", max_iter=1000)
        return make_pipeline(
            StandardScaler(with_mean=not issparse(X)).set_output(transform="default"), balanced
        )

    def _fit(self, X: Any, target: Ints, weight: Floats | None) -> Any:
        probe = clone(self._probe(X))
        # A probe may draw rows by their numbers, which must not be those of the table.
        columns = (target, row_keys(X))
        order = np.lexsort(columns if weight is None else (weight, *columns))
        X, target = X[order], target[order]
        if weight is None:
            return probe.fit(X, target)
        prefix, last = "", probe
        while isinstance(last, Pipeline):
            name, last = last.steps[-1]
            prefix += f"{name}__"
        if not has_fit_parameter(last, "sample_weight"):
            raise TypeError(
                "classifier must take sample_weight in fit where rows have weights, got "
                f"{type(last).__name__}."
            )
        # With routing, a pipeline would refuse a weight that is named by its step.
        with config_context(enable_metadata_routing=False):
            return probe.fit(X, target, **{f"{prefix}sample_weight": _unitless(weight[order])})


def _unitless(weight: Floats) -> Floats:
    """Return weights with a mean of 1, since a penalty on coefficients is weighed against them."""
    return weight / weight.mean()


def _scores(probe: Any, X: Any, n_classes: int) -> Floats:
    """Probabilities of a fitted probe, else its decision function, a column per class."""
    if hasattr(probe, "predict_proba"):
        scores = probe.predict_proba(X)
    elif hasattr(probe, "decision_function"):
        scores = probe.decision_function(X)
    else:
        raise TypeError(
            "classifier must have predict_proba or decision_function to judge rows, got "
            f"{type(probe).__name__}."
        )
    scores = np.asarray(scores, dtype=np.float64)
    if n_classes == 2 and scores.ndim == 1 and not hasattr(probe, "predict_proba"):
        scores = np.column_stack([-scores, scores])
    if scores.ndim != 2 or scores.shape[1] != n_classes:
        raise ValueError(
            f"classifier must give a score for each of {n_classes} classes, got an array of shape "
            f"{scores.shape} from {type(probe).__name__}."
        )
    return scores


def _calibrated(held_out: Floats, target: Ints, weight: Floats | None, scores: Floats) -> Floats:
    """Turn scores into probabilities, by what held-out scores say."""
    spread = held_out.std() or 1.0
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    weight = None if weight is None else _unitless(weight)
    return model.fit(held_out / spread, target, weight).predict_proba(scores / spread)
