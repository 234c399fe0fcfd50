"""ThresholdClassifier: any classifier, with a decision that held-out rows and a rule chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from icost._core.arrays import Floats, Ints
from icost._core.doubts import FEW_ROWS
from icost._core.labels import (
    check_class_weight,
    class_totals,
    encode_groups,
    encode_labels,
    find_minority,
    held_out_parts,
    most_folds,
    named_minority,
)
from icost._core.validation import (
    as_table,
    check_choice,
    check_number,
    check_sample_weight,
    rows_of,
    take_rows,
)
from icost._weights.base_fit import check_base, encoder_named, weight_parameter
from icost._weights.classifier import iCost
from icost.thresholds._certificate import HeldOut, check_prevalence, decision_scores, score_lines
from icost.thresholds._offsets import additive_scores, tune_offsets
from icost.thresholds._rule_mixin import RuleMixin
from icost.thresholds._rules import (
    Cut,
    LeastCost,
    Rule,
    Stable,
    check_costs,
    costs_of_fit,
    parse_rule,
    rule_name,
)
from icost.thresholds._scores import (
    RESPONSES,
    apply_calibrator,
    check_class_scores,
    finite_scores,
    fit_calibrator,
    held_out_scores,
    last_step,
    response_scores,
)


def _has_one_cut(model: Any) -> bool:
    if "rule_" in vars(model) and model.offsets_ is None and model.threshold_ is None:
        raise AttributeError("Costs per row decide, and no one score: use predict_proba to rank.")
    return True


class ThresholdClassifier(MetaEstimatorMixin, RuleMixin, BaseEstimator):
    """Make any classifier decide by what you need: a floor, a budget, costs, or the best score.

    Scores of rows that the classifier has not seen are calibrated, and the rule chooses a threshold
    on these probabilities: for two classes one threshold, for more an offset per class.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function`` or ``predict_proba``.
    rule : str, float, Bound, tuple of Bound or LeastCost, default="stable"
        ``"stable"``, the best ``scoring`` with little noise; ``"cost"``, the least expected cost; a
        probability; ``"recall>=0.8"``, ``"precision>=0.9"``, ``"alerts<=0.02"`` or
        ``"alerts<=50/1000"``, which hold with ``confidence``; or several of them with commas.
    scoring : str or callable, default="mcc"
        What ``"stable"`` makes high: a metric of a confusion matrix, or a scorer of
        predicted labels.
    cv : int, splitter, iterable or "prefit", default=5
        Folds for the held-out scores. With ``"prefit"``, or a ``FrozenEstimator``, the classifier
        is not fitted again, and ``fit`` takes a validation table.
    confidence : float, default=0.9
        Nominal probability with which limits hold.
    cost_fn : float or None, default=None
        Cost of a missed minority row; costs per row are given to ``fit`` and ``predict``.
    cost_fp : float, default=1.0
        Cost of a false alarm.
    minority_label : label, default=None
        The minority class of two; by default the smaller one.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        Whose scores are calibrated; by default the first of the two that there is.
    n_jobs : int, default=None
        Folds fitted side by side.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the rule's bootstrap samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    threshold_ : float or None
        Probability from which on a row is of the minority; None for more than two classes, and
        where costs per row decide.
    offsets_ : ndarray of shape (n_classes,) or None
        For more than two classes, what is added to log probabilities.
    certificate_ : Certificate or None
        What the decision promises and costs, for two classes.
    held_out_ : HeldOut or None
        The rows that it rests on.
    prevalence_ : float or None
        Share of the minority for which probabilities and threshold hold.
    estimator_ : classifier
        The fitted one.
    calibrator_ : Pipeline
        From scores to probabilities.
    minority_label_ : label or None
        The minority class.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    icost.at_prevalence : The same model where the minority's share is another one.
    icost.iCostEnsemble : Many fits in place of one.

    Notes
    -----
    Recall and alert limits rest on an exact binomial bound, precision on a fixed sequence of 20
    tests. With weights or groups, counts are effective ones (Kish), and bounds approximate. Where
    classes count differently, as at another prevalence, precision is bounded by counts of rows.

    Bounds are for scores of the folds' models, and the refitted one may differ. On halves of 93
    data sets, recalls that were promised with 90 % confidence were broken beyond noise in 1 to 2 of
    100. With XGBoost, which is surer of new rows than its folds' models, limits of alerts were
    broken in 7 to 13 of 100. Precisions were kept: at most 2 of 100 answers were broken, but only
    12 to 16 of 100 halves had an answer for a floor of 0.9.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost import ThresholdClassifier
    >>> X, y = make_classification(1000, weights=[0.9], class_sep=1.5, random_state=0)
    >>> model = ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0).fit(X, y)
    >>> model.certificate_.holds, model.certificate_.bound >= 0.8
    (True, True)
    """

    def __init__(
        self,
        estimator: Any,
        rule: Any = "stable",
        *,
        scoring: str | Callable[..., float] = "mcc",
        cv: Any = 5,
        confidence: float = 0.9,
        cost_fn: float | None = None,
        cost_fp: float = 1.0,
        minority_label: Any = None,
        response_method: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.scoring = scoring
        self.cv = cv
        self.confidence = confidence
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.minority_label = minority_label
        self.response_method = response_method
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        prevalence: float | None = None,
        cost_fn: Any = None,
        cost_fp: Any = None,
        **fit_params: Any,
    ) -> ThresholdClassifier:
        """Fit the classifier, score each row by a fold's model, and follow the rule.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data, or a validation table for a fitted classifier.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of all fits and of the rule; rows of weight 0 are absent.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are held out together, and count as one witness.
        prevalence : float, default=None
            True share of the minority, where the table has another one.
        cost_fn, cost_fp : array-like of shape (n_samples,), default=None
            Costs per row, in place of those of the constructor.
        **fit_params
            Other parameters of the classifier's ``fit``; arrays with one entry per row are split.

        Returns
        -------
        self
            The fitted estimator.
        """
        self.__dict__.pop("rule_", None)
        rule = self._check_parameters()
        X = as_table(X)
        validate_data(self, X, skip_check_array=True)
        check_consistent_length(X, y)
        classes, codes = encode_labels(y)
        n_rows = len(codes)
        weight = check_sample_weight(sample_weight, n_rows)
        check_class_weight(classes, codes, weight)
        minority = self._resolve_minority(rule, classes, codes, weight)
        if prevalence is not None:
            check_prevalence(prevalence)
            if minority is None:
                raise ValueError(f"prevalence needs two classes, got {len(classes)}.")
        given = {"cost_fn": cost_fn, "cost_fp": cost_fp}
        costs = costs_of_fit(self, rule, given, n_rows, len(classes), minority)
        self.classes_ = classes
        self.minority_label_ = None if minority is None else classes[minority]
        self._check_metric(rule, weight)
        rng = check_random_state(self.random_state)
        kept = np.arange(n_rows) if weight is None else np.flatnonzero(weight)
        numbers = encode_groups(groups, n_rows)
        if weight is not None:
            fit_params = {weight_name(self.estimator): weight, **fit_params}
        params = {name: rows_of(value, kept, n_rows) for name, value in fit_params.items()}
        X, codes = take_rows(X, kept), codes[kept]
        weight = None if weight is None else weight[kept]
        numbers = None if numbers is None else numbers[kept]
        cv = _without_rows(self.cv, kept, n_rows)
        scores = self._held_out_scores(X, codes, params, numbers, cv, rng)
        self._seed = int(rng.randint(2**31 - 1))
        own_costs = [cost[kept] if np.ndim(cost) else cost for cost in costs]
        self._decide(rule, scores, codes, weight, numbers, own_costs, prevalence)
        if self.held_out_ is not None and class_totals(codes).min() >= FEW_ROWS:
            self.held_out_.warn(stacklevel=2)
        return self

    def _decide(
        self,
        rule: Rule,
        scores: Floats,
        codes: Ints,
        weight: Floats | None = None,
        groups: Ints | None = None,
        costs: Sequence[Any] = (),
        prevalence: float | None = None,
    ) -> ThresholdClassifier:
        """Calibrate held-out scores, and follow the rule on their probabilities."""
        self.calibrator_ = fit_calibrator(scores, codes, weight)
        proba, minority = apply_calibrator(self.calibrator_, scores), self._minority
        self._forget_decision()
        if minority is None:
            self.offsets_ = np.zeros(len(self.classes_))
            if isinstance(rule, Stable):
                scores = additive_scores(proba, "predict_proba")
                self.offsets_ = tune_offsets(codes, scores, self._metric(), sample_weight=weight)
        else:
            counts = np.ones(len(codes)) if weight is None else weight
            held_out = HeldOut(codes == minority, proba[:, minority], counts, groups, *costs)
            self.calibrated_prevalence_ = held_out.prevalence
            held_out = held_out if prevalence is None else held_out.at(prevalence)
            self._set_decision(held_out, self._choose_cut(rule, held_out))
            self.prevalence_ = held_out.prevalence if prevalence is None else prevalence
        self.rule_ = rule
        return self

    def _check_parameters(self) -> Rule:
        check_base(self.estimator, "estimator")
        rule = parse_rule(self.rule)
        check_number("confidence", self.confidence, low=0, high=1, open_low=True, open_high=True)
        check_choice("response_method", self.response_method, ("auto", *RESPONSES))
        check_costs(self)
        if isinstance(self.cv, int | np.integer):
            check_number("cv", self.cv, low=2, integer=True)
        return rule

    def _resolve_minority(
        self, rule: Rule, classes: NDArray[Any], codes: Ints, weight: Any
    ) -> int | None:
        named = named_minority(self.minority_label, classes)
        if len(classes) == 2:
            return find_minority(class_totals(codes, weight)) if named is None else named
        if isinstance(rule, tuple) or (isinstance(rule, Cut) and self.rule is not None):
            raise ValueError(
                f"Only binary classification is supported by rule={rule_name(rule)!r}, got "
                f"{len(classes)} classes: use 'stable' or LeastCost(cost_matrix)."
            )
        return None

    def _held_out_scores(
        self,
        X: Any,
        codes: Ints,
        params: dict[str, Any],
        groups: Ints | None,
        cv: Any,
        rng: np.random.RandomState,
    ) -> Floats:
        labels = self.classes_[codes]
        if isinstance(self.estimator, FrozenEstimator) or (
            isinstance(self.cv, str) and self.cv == "prefit"
        ):
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            if not np.array_equal(self.estimator_.classes_, self.classes_):
                raise ValueError(
                    "y must have the classes of the fitted estimator, "
                    f"{self.estimator_.classes_.tolist()}, got {self.classes_.tolist()}."
                )
            self.response_method_ = self._response()
            return held_out_scores(response_scores(self.estimator_, X, self.response_method_))
        folds = list(self._folds(X, codes, groups, cv, rng))
        with encoder_named(self.estimator, "estimator"):
            self.estimator_ = clone(self.estimator).fit(X, labels, **params)
        self.response_method_ = self._response()
        results = Parallel(n_jobs=self.n_jobs)(
            delayed(_score_fold)(self.estimator, X, labels, fold, params, self.response_method_)
            for fold in folds
        )
        held_out = np.concatenate([test for _, test in folds])
        if len(held_out) != len(codes) or len(np.unique(held_out)) != len(codes):
            raise ValueError("cv must hold out each row exactly once, got other folds.")
        scores = held_out_scores(np.concatenate(results))
        return scores[np.argsort(held_out)]

    def _folds(self, X: Any, codes: Ints, groups: Any, cv: Any, rng: np.random.RandomState) -> Any:
        if not isinstance(cv, int | np.integer):
            return check_cv(cv, codes, classifier=True).split(X, codes, groups)
        if most_folds(codes, 2) < 2:
            label = self.classes_.tolist()[int(class_totals(codes).argmin())]
            raise ValueError(
                f"every class needs at least two rows for folds, got one of class {label!r}."
            )
        parts = held_out_parts(codes, groups, int(cv), rng)
        return [(np.flatnonzero(parts != k), np.flatnonzero(parts == k)) for k in np.unique(parts)]

    def _response(self) -> str:
        wanted = RESPONSES if self.response_method == "auto" else (self.response_method,)
        # Looked up on a fitted classifier, since some have more methods then.
        for name in wanted:
            if hasattr(self.estimator_, name):
                check_class_scores(self.estimator_, name, len(self.classes_), "estimator")
                return name
        raise ValueError(f"estimator must have {' or '.join(wanted)}, got {self.estimator!r}.")

    def summary(self) -> str:
        """Return how the model decides and what to expect, as text.

        Returns
        -------
        str
            The rule, the certificate, and scores of held-out rows with intervals.
        """
        check_is_fitted(self)
        last = last_step(self.estimator)
        if isinstance(last, iCost) and last.method == "ncs":
            # What strategies put around a plain classifier weights no rows.
            last = last_step(last.base_classifier)
        name = type(last).__name__
        lines = [f"ThresholdClassifier around {name}, rule: {rule_name(self.rule_)}"]
        lines += self._decision_lines()
        if self.held_out_ is None:
            return "\n".join(lines)
        percent = f"{100 * self.confidence:g} %"
        about = (
            f"Held-out rows: {len(self.held_out_.score)}, where the minority's share is "
            f"{self.prevalence_:.3g}. Scores with {percent} intervals:"
        )
        is_alert = self.held_out_.alerts(self.threshold_)
        scores = score_lines(decision_scores(self.held_out_, is_alert, self.confidence))
        return "\n".join([*lines, about, *scores])

    def _class_scores(self, X: Any) -> Floats:
        """Return what is compared between classes, a column for each."""
        return self._compared(self.predict_proba(X))

    def _compared(self, proba: Floats) -> Floats:
        if isinstance(self.rule_, LeastCost):
            return self.rule_.class_scores(proba)
        return additive_scores(proba, "predict_proba") + self.offsets_

    def _raw_scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        validate_data(self, as_table(X), reset=False, skip_check_array=True)
        return response_scores(self.estimator_, X, self.response_method_)

    @available_if(_has_one_cut)
    def decision_function(self, X: Any) -> Floats:
        """Return how far rows are from the decision.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` of two; else the highest of a row is predicted. There is
            no such method where costs per row decide.
        """
        check_is_fitted(self)
        if self.offsets_ is not None:
            moved = self._class_scores(X)
            return moved[:, 1] - moved[:, 0] if moved.shape[1] == 2 else moved
        distance = self.predict_proba(X)[:, self._minority] - self.threshold_
        return distance if self._minority else -distance

    def predict_proba(self, X: Any) -> Floats:
        """Return calibrated probabilities, at ``prevalence_``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        return self._at_share(
            apply_calibrator(self.calibrator_, finite_scores(self._raw_scores(X)))
        )

    def __sklearn_is_fitted__(self) -> bool:
        # Set last, so that a fit that failed leaves an estimator that is not fitted.
        return "rule_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = _takes_many_classes(self.rule)
        return tags


def _without_rows(cv: Any, kept: Ints, n_rows: int) -> Any:
    """Return folds that are lists of rows as places among the rows that are kept."""
    if len(kept) == n_rows or isinstance(cv, int | np.integer | str | None) or hasattr(cv, "split"):
        return cv
    places = np.full(n_rows, -1)
    places[kept] = np.arange(len(kept))
    folds = [(places[train], places[test]) for train, test in cv]
    return [(train[train >= 0], test[test >= 0]) for train, test in folds if (test >= 0).any()]


def _takes_many_classes(rule: Any) -> bool:
    """Whether a rule is for more than two classes as well."""
    return rule in (None, "stable") or isinstance(getattr(rule, "cost_matrix", None), tuple)


def weight_name(estimator: Any) -> str:
    """Return what ``fit`` calls the weights; a pipeline without routing takes them for a step."""
    is_routed = get_config()["enable_metadata_routing"]
    return "sample_weight" if is_routed else weight_parameter(estimator, "estimator")


def _score_fold(
    estimator: Any,
    X: Any,
    labels: NDArray[Any],
    fold: tuple[Ints, Ints],
    params: dict[str, Any],
    response: str,
) -> Floats:
    """Fit to the training rows of a fold, and return scores of the others."""
    train, test = fold
    if len(np.unique(labels[train])) < len(np.unique(labels)):
        raise ValueError("every class must be in the training rows of each fold: use fewer folds.")
    fold_params = {name: rows_of(value, train, len(labels)) for name, value in params.items()}
    model = clone(estimator).fit(take_rows(X, train), labels[train], **fold_params)
    return response_scores(model, take_rows(X, test), response)
