"""iCostAuto: from a table to the best model there is, in one pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from icost._core.arrays import Floats
from icost._core.callbacks import FRAMES, CallbackSupportMixin, FitProgress, with_callbacks
from icost._core.doubts import DoubtfulTable, warn_if_few, warn_of_leak
from icost._core.labels import bootstrap_rows
from icost._core.validation import (
    as_table,
    check_choice,
    check_cost_matrix,
    check_features,
    check_number,
    check_row_costs,
    check_sample_weight,
    did_you_mean,
    take_rows,
)
from icost._pass.blend import FittedBlend, apply_linear, fit_blend, recalibrate, survivors, to_proba
from icost._pass.board import BoardRow, make_board
from icost._pass.candidates import PLAIN, Candidate
from icost._pass.cross_fit import Member, OutOfFold, PassProgress, cross_fit, refit
from icost._pass.decision import Decider, HeldOutAnswers, cross_fit_answers, without_table
from icost._pass.expected import expected_scores
from icost._pass.folds import make_folds
from icost._pass.guessing import can_be_shown, is_better_than_guessing
from icost._pass.library import check_strategy, default_library, named_candidate
from icost._pass.verdict import (
    Remark,
    expect_remark,
    found_of_several,
    found_remark,
    guessing_remark,
    rule_remark,
    simple_remark,
    use_remark,
)
from icost._table._columns import Table, describe_columns, read_table
from icost._table._encoder import TableEncoder
from icost._table._rows import Rows, read_rows
from icost.metrics import confusion_scores
from icost.thresholds._certificate import score_lines
from icost.thresholds._rule_mixin import RuleMixin
from icost.thresholds._rules import LeastCost, Rule, Stable, parse_rule, rule_name

SIMPLEST = ("lr", "hgb")
"""Candidates that may be kept for being simple, the simplest first."""

N_DRAWS = 200
"""Draws of held-out rows that decide whether a difference is noise."""


class iCostAuto(CallbackSupportMixin, RuleMixin, BaseEstimator):
    """Fit the best model for a table, and say honestly how good it is.

    Every candidate, a classifier and a strategy by which it learns, is cross-fitted once on shared
    folds. From these out-of-fold scores everything else is read without another fit: calibrated
    probabilities, the weights of a blend, the threshold and its certificate, and the score to
    expect on new rows, for which blend, calibration and threshold are held out as well. Candidates
    with weight are then fitted to all rows.

    Parameters
    ----------
    candidates : sequence, default=None
        What to try: names such as ``"lr"``, ``"hgb"``, ``"et"``, ``"svm"``, ``"rf"`` or ``"xgb"``,
        classifiers, or pairs of a name and a classifier. By default a library by the size of the
        table: logistic regression, also on curves and products of columns, gradient boosting, extra
        trees, an SVM and nearest neighbours.
    strategies : sequence, default=None
        How each candidate learns: ``"plain"``, ``"cs"`` (class-level costs), ``"neighbor"``,
        ``"gini"`` or another measure of `iCost`, ``"smote"``, an `iCost` without a base, or a
        sampler of imbalanced-learn. By default plain.
    rule : str, float or rule object, default="stable"
        How to decide, as for `ThresholdClassifier`: ``"stable"``, ``"recall>=0.8"``,
        ``"precision>=0.9"``, ``"alerts<=0.05"``, several with commas, ``"cost"``, or a probability.
        With ``cost_fn``, ``"stable"`` stands for ``"cost"``.
    scoring : str or scorer, default="mcc"
        What a stable threshold makes high; as for `ThresholdClassifier`.
    preprocessor : "auto", transformer or None, default="auto"
        From the table to numbers: ``"auto"`` is a `TableEncoder`; one that knows which columns are
        text or dates may be given. Another transformer takes its place, and None hands the table
        to the candidates as it is. It is fitted anew in each fold.
    keep : {"best", "simplest"}, default="best"
        Whether to keep the blend, or the simplest candidate whose score is the same within noise.
    confidence : float, default=0.9
        That of certificates.
    cost_fn : float or str, default=None
        Cost of a missed minority row, or a column with that of each row.
    cost_fp : float or str, default=1.0
        Cost of a false alarm.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    n_splits : int, default=None
        Folds; by default 5, and one held-out fifth where it has 1,000 rows of the smallest class.
    n_repeats : int, default=None
        Repeats of the folds; by default 5 below 20 rows of the smallest class, else 1.
    time_limit : float, default=None
        Seconds. The cheapest candidates come first, and those are left out for which a sample says
        that there is no time. The first one is fitted in any case.
    n_jobs : int, default=None
        Folds that run at the same time.
    random_state : int, RandomState or None, default=0
        Seed.
    watch : callable, default=None
        Called after each fold with an object that has ``done``, ``total`` and ``seconds_left``.

    Attributes
    ----------
    expected_ : Scores
        Scores to expect on new rows, each with ``value``, ``low`` and ``high``, a 95 % interval.
    verdict_ : tuple of Remark
        What is kept, what it finds, what to expect: each with ``topic``, ``text`` and ``facts``.
    blend_ : Blend
        ``names`` and ``weights`` of the candidates that are kept.
    certificate_ : Certificate or None
        What the rule promises; None for more than two classes.
    threshold_ : float or None
        Probability of the minority from which on a row is an alert.
    offsets_ : ndarray of shape (n_classes,) or None
        For more than two classes, what is added to log-probabilities before the largest decides.
    out_of_fold_ : OutOfFold or None
        Scores of all candidates that went all the way; not kept in files.
    columns_ : list of str
        What became of the columns.
    types_ : TableTypes or None
        The types of the columns; None where ``preprocessor`` takes the table as it is.
    is_guessing_ : bool
        Whether nothing was shown to be better than guessing.
    notes_ : list of str
        What to know about the fit.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where they have any.

    See Also
    --------
    ThresholdClassifier : Your classifier with a rule of yours.
    icost.modelfile.choose_model : The same model with a record, to save in a file.

    Notes
    -----
    ``sample_weight`` counts in fits, calibration and rules; candidates whose fit takes no weights
    are left out. ``groups`` are held out together, and ``time`` makes folds in which training rows
    come before those that are scored: whatever is read from the scores is then of that kind.

    With limits such as ``"recall>=0.8"`` the models of the folds are kept, since a certificate is
    of models that have not seen the rows; else models of all rows take their place.

    Where rows of large classes are thinned for a slow candidate, none of the smallest class is
    lost, and calibration on whole held-out parts sets the probabilities right.

    Examples
    --------
    >>> from icost import iCostAuto
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("new-thyroid1", return_X_y=True)
    >>> model = iCostAuto(["lr", "et"]).fit(X, y)
    >>> model.expected_["mcc"]["low"] > 0.7
    True
    >>> print(model.verdict_[0])
    Use a blend of extra trees and logistic regression.
    >>> model.decide("recall>=0.8").certificate_.holds
    True
    """

    def __init__(
        self,
        candidates: Sequence[Any] | None = None,
        strategies: Sequence[Any] | None = None,
        *,
        rule: Any = "stable",
        scoring: Any = "mcc",
        preprocessor: Any = "auto",
        keep: str = "best",
        confidence: float = 0.9,
        cost_fn: float | str | None = None,
        cost_fp: float | str = 1.0,
        minority_label: Any = None,
        n_splits: int | None = None,
        n_repeats: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        watch: Callable[[PassProgress], Any] | None = None,
    ) -> None:
        self.candidates = candidates
        self.strategies = strategies
        self.rule = rule
        self.scoring = scoring
        self.preprocessor = preprocessor
        self.keep = keep
        self.confidence = confidence
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.minority_label = minority_label
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.watch = watch

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> iCostAuto:
        """Cross-fit the candidates, blend them, decide, and fit what is kept to all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features of any kind.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; rows of weight 0 are absent.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are held out together.
        time : array-like of shape (n_samples,), default=None
            Numbers or dates: models are tested on rows that come after theirs.

        Returns
        -------
        self
            The fitted estimator.
        """
        self.__dict__.pop("member_", None)  # a fit that fails leaves no model of other rows
        rule, rows = self._check(X, y, sample_weight, groups, time)
        progress = FitProgress(self, X, y)
        seed = _seed(self.random_state)
        self.out_of_fold_ = cross_fit(
            self._candidates(rows),
            rows,
            make_folds(rows, self.n_splits, self.n_repeats, seed),
            encoder=self._encoder(),
            random_state=seed,
            n_jobs=self.n_jobs,
            keep_members=isinstance(rule, tuple),
            time_limit=self.time_limit,
            survivors=survivors,
            watch=self._watch(progress),
        )
        self._seed = seed
        self.notes_ = [*self.out_of_fold_.folds.notes, *self.out_of_fold_.notes]
        names = self._choose_names(rule)
        fitted = fit_blend(self.out_of_fold_, self.out_of_fold_.held_out, seed, names)
        self._keep(fitted, rule)
        self._warn(rows)
        progress.finish()
        return self

    def _check(self, X: Any, y: Any, sample_weight: Any, groups: Any, time: Any) -> Any:
        """Check parameters and rows; return the rule and the rows of positive weight."""
        rule = self._check_parameters()
        X = as_table(X)
        check_features(self, X)
        check_consistent_length(X, y)
        weight = check_sample_weight(sample_weight, X.shape[0])
        if weight is not None and not weight.any():
            raise ValueError("sample_weight must have a weight above zero, got zero for all rows.")
        costs = self._costs(X, rule)
        encoder = self._encoder()
        rows = read_rows(
            X,
            y,
            sample_weight=weight,
            groups=groups,
            time=time,
            minority_label=self.minority_label,
            costs=costs,
            **_column_options(encoder),
        )
        if not isinstance(encoder, TableEncoder):
            rows = _with_table(rows, X, weight)
        if rows.weight is not None:  # relative, so that a constant factor changes no model
            rows = replace(rows, weight=rows.weight / rows.weight.mean())
        rows = replace(rows, costs=_matrix_costs(rule, rows) or rows.costs)
        _check_rule(rule, rows.n_classes, self.rule)
        self.types_ = rows.table.types if isinstance(rows.table, Table) else None
        self.columns_ = [] if self.types_ is None else describe_columns(self.types_)
        self.classes_ = rows.classes
        self.minority_label_ = None if rows.minority is None else rows.classes[rows.minority]
        self._check_metric(rule, rows.weight)
        return rule, rows

    def _check_parameters(self) -> Rule:
        """Check what was given, and return the rule."""
        check_choice("keep", self.keep, ("best", "simplest"))
        check_number("confidence", self.confidence, low=0, high=1, open_low=True, open_high=True)
        for name, low in (("n_splits", 2), ("n_repeats", 1)):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), low=low, integer=True)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, low=0)
        rule = parse_rule(self.rule)
        is_cost = self.cost_fn is not None and isinstance(rule, Stable)
        return LeastCost() if is_cost else rule

    def _costs(self, X: Any, rule: Rule) -> tuple[Any, Any]:
        """Return what errors cost: numbers, or those of each row from columns."""
        if not isinstance(rule, LeastCost) or rule.cost_matrix is not None:
            if self.cost_fn is not None:
                raise ValueError(f"cost_fn needs rule='cost', got {self.rule!r}.")
            return None, 1.0
        if self.cost_fn is None:
            raise ValueError(
                "rule='cost' needs cost_fn, the cost of a miss in units of a false alarm, such as "
                "iCostAuto(rule='cost', cost_fn=10)."
            )
        return _read_cost("cost_fn", self.cost_fn, X), _read_cost("cost_fp", self.cost_fp, X)

    def _candidates(self, rows: Rows) -> list[Candidate]:
        """Return what to try, with unique names."""
        if self.candidates is None and self.strategies is None:
            return default_library(rows.n_rows, rows.table.shape[1], issparse(rows.table))
        given = ["lr", "hgb", "et"] if self.candidates is None else self.candidates
        given = [given] if isinstance(given, str) or hasattr(given, "fit") else list(given)
        strategies = [PLAIN] if self.strategies is None else self.strategies
        strategies = [strategies] if isinstance(strategies, str) else list(strategies)
        unique: dict[str, Candidate] = {}
        for one in (as_candidate(one, strategy) for one in given for strategy in strategies):
            if one.name in unique:
                raise ValueError(
                    f"candidates must have different names, got {one.name!r} twice: name them in "
                    "pairs, such as ('deep', classifier)."
                )
            unique[one.name] = one
        if not unique:
            raise ValueError("candidates must name at least one classifier, got none.")
        return list(unique.values())

    def _encoder(self) -> Any:
        if isinstance(self.preprocessor, str):
            check_choice("preprocessor", self.preprocessor, ("auto",), ", a transformer or None")
            return TableEncoder()
        return self.preprocessor

    def _watch(self, progress: FitProgress) -> Callable[[PassProgress], None]:
        def watch(state: PassProgress) -> None:
            progress.reach(state.done, max(state.total, 1))
            if self.watch is not None:
                self.watch(state)

        return watch

    def _decider(self, rule: Rule) -> Decider:
        metric = self._metric() if isinstance(rule, Stable) else "mcc"
        return Decider(rule, metric, self.confidence, self._seed)

    def _choose_names(self, rule: Rule) -> list[str] | None:
        """Return the candidates to keep: those with weight, or one that is simple and as good."""
        decider = self._decider(rule)
        self._answers = cross_fit_answers(self.out_of_fold_, decider)
        self._simple: tuple[str, float, float] | None = None
        names = [n for n in SIMPLEST if n in self.out_of_fold_.scores]
        if self.keep == "simplest" and not names:
            names = [min(self.out_of_fold_.candidates, key=lambda one: one.cost).name]
        for name in names if len(self.out_of_fold_.scores) > 1 else []:
            answers = cross_fit_answers(self.out_of_fold_, decider, [name])
            one, best = (_mcc(a, slice(None)) for a in (answers, self._answers))
            if one >= best or _is_noise(answers, self._answers, self._seed):
                self._simple = (name, one, best)
                if self.keep == "simplest":
                    self._answers = answers
                    return [name]
                break
        return None

    def _keep(self, fitted: FittedBlend, rule: Rule) -> None:
        """Set blend, decision, expected scores and models."""
        out_of_fold = self.out_of_fold_
        self.blend_ = fitted.blend
        self._per_repeat = dict(fitted.per_repeat)
        # By repeat, as a calibrator belongs to one.
        self.members_ = [
            [_only(member, self.blend_.names) for (r, _), member in members.items() if r == repeat]
            for members in [out_of_fold.members]
            for repeat in sorted({repeat for repeat, _ in members})
        ]
        self.member_ = None
        if not self.members_:
            self.member_ = refit(out_of_fold, self.blend_.names, self._encoder(), self._seed)
        self.out_of_fold_ = _lean(out_of_fold)
        words = {one.name: one.words for one in out_of_fold.candidates}
        order = np.argsort(-self.blend_.weights, kind="stable")
        self.kept_words_ = [words[self.blend_.names[place]] for place in order]
        self._fit_costs = (self.cost_fn, self.cost_fp), out_of_fold.rows.costs
        self._decide(rule)

    def _decide(self, rule: Rule) -> None:
        """Set the decision by the held-out probabilities of the blend that is kept."""
        out_of_fold = self.out_of_fold_
        places = out_of_fold.held_out
        blend = FittedBlend(self.blend_, self._per_repeat, out_of_fold)
        proba, rows = blend.proba(places), out_of_fold.rows.take(places)
        self._forget_decision()
        decision = self._decider(rule).choose(
            proba, rows, out_of_fold.targets[places], interval=False
        )
        self.rule_ = rule
        self.offsets_ = decision.offsets
        if decision.certificate is not None and decision.held_out is not None:
            self.calibrated_prevalence_ = self.prevalence_ = decision.held_out.prevalence
            self._set_decision(decision.held_out, decision.certificate)
            if isinstance(rule, tuple):
                # Fewer rows certify stricter cuts: what is expected is of the cut that is kept.
                alerts = self._answers.proba[:, 1] >= self.threshold_
                self._answers = replace(self._answers, decided=alerts.astype(np.intp))
        self.expected_ = expected_scores(self._answers, self._seed)
        self.is_guessing_ = not is_better_than_guessing(self._answers)
        self.verdict_ = tuple(self.remarks())

    def decide(self, rule: Any, *, cost_fn: float | None = None, cost_fp: float = 1.0) -> iCostAuto:
        """Return the model with another rule, read from the out-of-fold scores; no fit is made.

        Parameters
        ----------
        rule : str, float or rule object
            As in the constructor.
        cost_fn : float, default=None
            Cost of a miss, for ``"cost"``; by default the costs of the fit, if it had some.
        cost_fp : float, default=1.0
            Cost of a false alarm, where ``cost_fn`` is given.

        Returns
        -------
        iCostAuto
            Another model that shares what was fitted; this one decides as before.
        """
        check_is_fitted(self)
        parsed = parse_rule(rule)
        _check_rule(parsed, len(self.classes_), rule)
        out_of_fold = self._kept_scores("another rule")
        params, costs = self._costs_of(parsed, cost_fn, cost_fp)
        other = copy(self)
        other.rule, (other.cost_fn, other.cost_fp) = rule, params
        costs = _matrix_costs(parsed, out_of_fold.rows) or costs
        other.out_of_fold_ = replace(out_of_fold, rows=replace(out_of_fold.rows, costs=costs))
        names = None if len(self.blend_.names) > 1 else list(self.blend_.names)
        other._simple = None
        other._answers = cross_fit_answers(other.out_of_fold_, other._decider(parsed), names)
        other._decide(parsed)
        return other

    def _costs_of(self, rule: Rule, cost_fn: Any, cost_fp: Any) -> tuple[Any, Any]:
        """Return the costs that a rule has as parameters, and as numbers or one per row."""
        if not isinstance(rule, LeastCost) or rule.cost_matrix is not None:
            if cost_fn is not None:
                raise ValueError("cost_fn needs the rule 'cost'.")
            return (None, 1.0), (None, 1.0)
        if cost_fn is not None:
            given = check_number("cost_fn", cost_fn, low=0), check_number("cost_fp", cost_fp, low=0)
            return given, given
        if self._fit_costs[0][0] is None:
            raise ValueError("rule='cost' needs cost_fn, such as decide('cost', cost_fn=10).")
        return self._fit_costs

    def _kept_scores(self, what: str) -> OutOfFold:
        if self.out_of_fold_ is None:
            raise ValueError(
                f"{what} needs the out-of-fold scores, which files do not keep: ask before saving, "
                "or decide by labelled rows with icost.evaluation.decide_anew."
            )
        return self.out_of_fold_

    def board(self) -> list[BoardRow]:
        """Return each candidate alone, by its out-of-fold scores.

        Returns
        -------
        list of BoardRow
            The best first; ``weight`` is that in the blend.
        """
        check_is_fitted(self)
        out_of_fold = self._kept_scores("the board")
        weights = dict(zip(self.blend_.names, self.blend_.weights.tolist(), strict=True))
        return make_board(out_of_fold, self._decider(self.rule_), weights)

    def _warn(self, rows: Rows) -> None:
        """Warn of few rows, of guessing and of leaks."""
        level = 3 + FRAMES
        is_enough = warn_if_few(rows.codes, rows.classes, stacklevel=level)
        if self.is_guessing_:
            text = next(remark.text for remark in self.verdict_ if remark.topic == "guessing")
            warnings.warn(
                f"{text} What scored best is kept all the same.", DoubtfulTable, stacklevel=level
            )
        if is_enough and "roc_auc" in self.expected_:
            warn_of_leak(self.expected_["roc_auc"]["value"], stacklevel=level)

    def remarks(self, labels: NDArray[Any] | None = None) -> list[Remark]:
        """Return what is to be said of the fit.

        Parameters
        ----------
        labels : ndarray of shape (n_classes,), default=None
            What classes are called, where ``classes_`` are codes.

        Returns
        -------
        list of Remark
            The most important one first.
        """
        names = (self.classes_ if labels is None else labels).tolist()
        self._kept_scores("what is to be said")
        answers = self._answers
        fewest = int(np.bincount(self.out_of_fold_.rows.codes).min())
        metric = "cost" if "cost" in self.expected_ else "mcc"
        expected = expect_remark(self.expected_, metric, fewest, self.out_of_fold_.folds.how)
        if self.is_guessing_:
            return [_guessing(answers, names), expected]
        if self._minority is None:
            finds = _found_of_several(answers, names)
        else:
            finds = found_remark(self.expected_, float(np.mean(answers.decided == 1)))
        remarks = [use_remark(self.kept_words_), finds, expected]
        if self._simple is not None and list(self.blend_.names) != [self._simple[0]]:
            name, one, best = self._simple
            words = {one.name: one.words for one in self.out_of_fold_.candidates}
            remarks.append(simple_remark(words[name], one, best, "mcc"))
        return remarks + self._decision_remarks(names)

    def _decision_remarks(self, names: list[Any]) -> list[Remark]:
        """Say what is promised, and from which probability on a row is an alert."""
        if self.certificate_ is None:
            return []
        remarks = [rule_remark(self.threshold_, names[self._minority])]
        if self.certificate_.promises:
            facts = {"holds": self.certificate_.holds, "bound": self.certificate_.bound}
            text = " ".join(map(str, self.certificate_.promises))
            remarks.insert(0, Remark("promise", text, facts))
        return remarks

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities, which follow the true shares of the classes.

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
        X = as_table(X)
        check_features(self, X, reset=False)
        X = X if self.types_ is None else read_table(X, self.types_)  # once for all models
        n_classes = len(self.classes_)
        if self.member_ is not None:
            proba = self.blend_.proba(self.member_.scores(X, n_classes))
        else:
            proba = self._proba_of_members(X, n_classes)
        return self._at_share(proba[:, ::-1] if self._minority == 0 else proba)

    def _proba_of_members(self, X: Any, n_classes: int) -> Floats:
        """Return the blend of the folds' models, each calibrated as its held-out rows were."""
        linear: dict[str, list[Floats]] = {name: [] for name in self.blend_.names}
        for repeat, members in enumerate(self.members_):
            for member in members:
                for name, scores in member.scores(X, n_classes).items():
                    linear[name].append(apply_linear(scores, self._per_repeat[name][repeat]))
        columns = [to_proba(np.mean(linear[name], axis=0)) for name in self.blend_.names]
        return recalibrate(self.blend_.last, np.tensordot(self.blend_.weights, columns, axes=1))

    def predict(self, X: Any, *, cost_fn: Any = None, cost_fp: Any = None) -> NDArray[Any]:
        """Predict labels by the rule.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        cost_fn, cost_fp : array-like of shape (n_samples,), default=None
            Costs per row, for the rule ``"cost"``; columns that the constructor names are read.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self)
        given = {"cost_fn": cost_fn, "cost_fp": cost_fp}
        for name, cost in given.items():
            if cost is None and isinstance(getattr(self, name), str):
                given[name] = _read_cost(name, getattr(self, name), as_table(X))
        return super().predict(X, **given)

    def _class_scores(self, X: Any) -> Floats:
        proba = self.predict_proba(X)
        if isinstance(self.rule_, LeastCost):
            return self.rule_.class_scores(proba)
        return np.log(np.clip(proba, 1e-12, None)) + self.offsets_

    def summary(self) -> str:
        """Return what is kept, how it decides and what to expect, as text.

        Returns
        -------
        str
            The verdict, the rule, and the expected scores with intervals.
        """
        check_is_fitted(self)
        lines = [f"iCostAuto, rule: {rule_name(self.rule_)}", *map(str, self.verdict_)]
        lines += self.notes_
        if self.columns_:  # which may name one that is left out
            lines.append(f"Columns: {'; '.join(self.columns_)}.")
        if self.certificate_ is None:
            lines += self._decision_lines()
        scores: Any = [(name, *values.values()) for name, values in self.expected_.items()]
        return "\n".join([*lines, "Expected scores with 95 % intervals:", *score_lines(scores)])

    def __copy__(self) -> iCostAuto:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> dict[str, Any]:
        # Out-of-fold scores have a row for each row of the table, which no prediction needs.
        state = dict(super().__getstate__())
        if "out_of_fold_" in state:
            state |= {"out_of_fold_": None, "_answers": None, "watch": None}
        return state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "verdict_") and hasattr(self, "member_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = _takes_many(self.rule) and self.cost_fn is None
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.sparse = True
        return tags


def _guessing(answers: HeldOutAnswers, labels: list[Any]) -> Remark:
    if can_be_shown(answers):
        return guessing_remark()
    codes, groups = answers.rows.codes, answers.rows.groups
    counts = np.bincount(codes, minlength=len(labels))
    if groups is not None:
        counts = np.array([len(np.unique(groups[codes == c])) for c in range(len(labels))])
    rarest = int(counts.argmin())
    cases = "rows" if groups is None else "groups with rows"
    return guessing_remark(labels[rarest], int(counts[rarest]), cases)


def _found_of_several(answers: HeldOutAnswers, labels: list[Any]) -> Remark:
    is_right = answers.decided == answers.targets
    recall = np.bincount(answers.targets, weights=is_right) / np.bincount(answers.targets)
    least = int(recall.argmin())
    return found_of_several(labels[least], float(recall[least]), float(recall.mean()))


def as_candidate(given: Any, strategy: Any = PLAIN) -> Candidate:
    """Return a candidate from a name, a classifier, or a pair of a name and a classifier."""
    if isinstance(given, Candidate):
        return given
    if isinstance(given, str):
        name, _, named_strategy = given.partition("+")
        return named_candidate(name, named_strategy or strategy)
    name, classifier = given if isinstance(given, tuple) else ("", given)
    if not hasattr(classifier, "get_params") or isinstance(classifier, type):
        raise ValueError(
            f"candidates must be names, classifiers or pairs of both, got {classifier!r}."
        )
    if not is_classifier(classifier):
        raise ValueError(f"candidates must be classifiers, got {classifier!r}.")
    check_strategy(strategy)
    name = name or type(classifier).__name__
    label = strategy if isinstance(strategy, str) else type(strategy).__name__
    words = name if label == PLAIN else f"{name} with {label}"
    full = name if label == PLAIN else f"{name}+{label}"
    return Candidate(full, words, SeededClone(classifier), strategy)


class SeededClone:
    """Makes clones of a classifier whose random states come from a seed."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def __call__(self, seed: int) -> Any:
        """Return a clone."""
        from icost.ensemble._treatments import with_seed

        return with_seed(self.classifier, seed)


def _matrix_costs(rule: Rule, rows: Rows) -> tuple[float, float] | None:
    """Return what a miss and a false alarm cost by a matrix for two classes, else None."""
    matrix = getattr(rule, "cost_matrix", None)
    if matrix is None:
        return None
    costs = check_cost_matrix(matrix, rows.n_classes)
    if rows.minority is None:
        return None
    pairs = (rows.minority, 1 - rows.minority), (1 - rows.minority, rows.minority)
    miss, alarm = (float(costs[true, other] - costs[true, true]) for true, other in pairs)
    return miss, alarm


def _column_options(encoder: Any) -> dict[str, Any]:
    """Return how columns are to be read, where the user has said so."""
    names = ("text", "date", "level", "drop", "day_first", "types")
    is_set = isinstance(encoder, TableEncoder)
    return {name: getattr(encoder, name) for name in names} if is_set else {}


def _read_cost(name: str, cost: Any, X: Any) -> Any:
    """Return a cost as a number, or as the numbers of the column that it names."""
    if np.ndim(cost):
        raise ValueError(
            f"{name} must be a number or the name of a column of X with the cost of each row, got "
            "an array."
        )
    if not isinstance(cost, str):
        return check_number(name, cost, low=0)
    columns = list(getattr(X, "columns", ()))
    if cost not in columns:
        hint = did_you_mean(cost, columns)
        raise ValueError(
            f"{name} must be a number or a column of numbers in the table, got "
            f"{cost!r}{': ' + hint if hint else '.'}"
        )
    values = np.asarray(X[cost])
    if values.dtype.kind not in "iufb":
        raise ValueError(
            f"{name} must be a number or a column of numbers in the table, got {cost!r}."
        )
    return check_row_costs(name, values, len(values))


def _check_rule(rule: Rule, n_classes: int, given: Any) -> None:
    if n_classes > 2 and not _takes_many(rule):
        raise ValueError(
            f"Only binary classification is supported by rule={given!r}, got {n_classes} classes: "
            "use 'stable' or LeastCost(cost_matrix)."
        )


def _takes_many(rule: Any) -> bool:
    """Whether a rule is for more than two classes as well."""
    is_stable = isinstance(rule, Stable) or (isinstance(rule, str) and rule == "stable")
    return is_stable or getattr(rule, "cost_matrix", None) is not None


def _with_table(rows: Rows, X: Any, weight: Floats | None) -> Rows:
    """Return rows with the user's own table, where another preprocessor takes it."""
    kept = X if weight is None or weight.all() else take_rows(X, np.flatnonzero(weight))
    return replace(rows, table=kept)


def _lean(out_of_fold: OutOfFold) -> OutOfFold:
    """Return the scores without the table and the models."""
    return replace(out_of_fold, rows=without_table(out_of_fold.rows), members={})


def _only(member: Member, names: Sequence[str]) -> Member:
    """Return a member with some of its models."""
    return replace(member, models={name: member.models[name] for name in names})


def _mcc(answers: HeldOutAnswers, drawn: Any) -> float:
    n = answers.rows.n_classes
    weight = np.ones(len(answers.targets)) if answers.rows.weight is None else answers.rows.weight
    cells = (answers.targets * n + answers.decided)[drawn]
    matrix = np.bincount(cells, weights=weight[drawn], minlength=n * n).reshape(n, n)
    return float(confusion_scores(matrix, 1 if n == 2 else None, ["mcc"])["mcc"])


def _is_noise(one: HeldOutAnswers, other: HeldOutAnswers, seed: int) -> bool:
    """Whether one set of answers is within a standard error of a better one, paired by rows."""
    rng = np.random.RandomState(seed)
    classes = [np.flatnonzero(one.targets == code) for code in range(one.rows.n_classes)]
    draws = bootstrap_rows(classes, N_DRAWS, rng, one.rows.groups)
    gaps = [_mcc(other, drawn) - _mcc(one, drawn) for drawn in draws]
    return _mcc(other, slice(None)) - _mcc(one, slice(None)) <= float(np.std(gaps))


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """Return the seed itself, or one that is drawn; folds count on from it."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 10_000))
