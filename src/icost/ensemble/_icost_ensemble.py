"""iCostEnsemble: cross-fitted members, calibrated, with a threshold that held-out rows chose."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from icost._core.arrays import Floats, Ints
from icost._core.callbacks import FRAMES, CallbackSupportMixin, FitProgress, with_callbacks
from icost._core.doubts import FEW_ROWS, warn_if_few
from icost._core.labels import encode_groups
from icost._core.validation import as_table, check_features, check_number, import_extra, take_rows
from icost._core.views import Scores
from icost._pass.blend import fit_recalibration, log_proba, recalibrate
from icost._pass.quick_svm import QuickSVC
from icost._table._columns import TableTypes, read_table
from icost._table._encoder import TableEncoder
from icost._table._space import check_preprocessor
from icost._weights.base_fit import check_base
from icost._weights.classifier import iCost
from icost._weights.problems import Target, read_target
from icost.complexity._methods import MEASURES
from icost.ensemble._calibration import (
    apply_calibrator,
    calibrate_all,
    map_offsets,
    map_threshold,
    mean_proba,
)
from icost.ensemble._cross_fit import TrainingRows, cross_fit, member_scores, refit
from icost.ensemble._out_of_fold_score import cross_fitted_decisions, out_of_fold_scores
from icost.ensemble._synthetic import level_columns
from icost.ensemble._treatments import distinct_members, resolve_members, with_codes
from icost.thresholds._certificate import Certificate, score_lines
from icost.thresholds._offsets import additive_scores, tune_offsets
from icost.thresholds._rule_mixin import RuleMixin
from icost.thresholds._rules import (
    LeastCost,
    Rule,
    Stable,
    check_costs,
    costs_of_fit,
    parse_rule,
    rule_name,
)
from icost.thresholds._scores import last_step

_PLACE = re.compile(r"base_classifier__\d+(__|$)")


class iCostEnsemble(CallbackSupportMixin, MetaEstimatorMixin, RuleMixin, BaseEstimator):
    """Average calibrated members of one or more classifiers, with a threshold from held-out rows.

    Class-level costs, instance weights, synthetic rows and tuned thresholds all trade misses for
    false alarms, and which of them is best differs from table to table. This ensemble *averages*;
    ``iCostAuto`` brings a library of classifiers and blends the best. Members are trained on
    plain rows and on rows with synthetic ones added, each row is scored by members that have not
    seen it, and one steady threshold is cut through these scores. It answers three questions:

    - *which class?* ``predict`` decides by ``threshold_``, chosen for ``scoring`` on held-out
      scores;
    - *how sure?* ``predict_proba`` follows the true shares of the classes, whatever was done to the
      members' training rows;
    - *how good is it?* ``oof_score_`` is measured on held-out rows, with calibration and threshold
      held out as well, and costs no further fits.

    Unlike `icost.iCost`, the ensemble makes synthetic rows by default;
    ``members=("plain", "cs", "neighbor")`` makes none.

    Parameters
    ----------
    base_classifier : classifier, list of classifiers, "blend" or None, default=None
        What the members are. Several classifiers share splits and synthetic rows, and their
        calibrated probabilities are averaged; their parameters have names such as
        ``base_classifier__0__C``. ``"blend"`` is logistic
        regression, SVM, random forest and XGBoost (histogram gradient boosting where that is not
        installed), None logistic regression alone; both take any table, with text and gaps.
    members : sequence of treatments, default=None
        One cross-fitted repeat each, of ``n_splits`` fits per classifier: ``"plain"``; ``"smote"``,
        synthetic rows until the classes are equally large; ``"smote-half"``, until the minority has
        ``n * IR ** 0.5`` rows; ``"under"``, all rows of the smallest class and as many of every
        other; ``"cs"``, class-level costs; ``"neighbor"`` or ``"tree"``, costs by complexity; an
        `icost.iCost` without a base; or a sampler of imbalanced-learn. Default:
        ``("plain", "smote", "plain", "smote")``.
    n_splits : int, default=5
        Parts of a split; no more than the rarest class has rows.
    scoring : str or scorer, default="mcc"
        What the threshold is chosen for: ``"mcc"``, ``"f1"``, ``"g_mean"`` or another metric of a
        confusion matrix; the name of a scorer of scikit-learn that goes by predicted labels; or
        such a scorer, or a metric such as `sklearn.metrics.balanced_accuracy_score`. What is not a
        metric of a confusion matrix is asked about 25 cuts, and has the first of the two cuts alone
        that the notes tell of.
    threshold : str, float, Bound, tuple of Bound, LeastCost or None, default="stable"
        A rule of `icost.ThresholdClassifier`: ``"stable"`` is the mean of two cuts that noise moves
        little, see the notes; ``"cost"`` follows from ``cost_fn`` and ``cost_fp``;
        ``"recall>=0.8"``, ``"precision>=0.9"`` and ``"alerts<=0.02"`` hold with ``confidence``;
        None is 0.5.
    confidence : float, default=0.9
        Nominal probability with which limits hold.
    cost_fn : float or None, default=None
        Cost of a missed minority row, for ``threshold="cost"``; costs per row are given to ``fit``
        and ``predict``.
    cost_fp : float, default=1.0
        Cost of a false alarm.
    calibrate : bool, default=True
        Whether scores are calibrated. Without it the base classifiers must have probabilities,
        which are averaged as they are.
    recalibrate : bool, default=True
        Whether the mean of calibrated probabilities is calibrated once more, as it is
        under-confident. Decisions of a tuned threshold stay the same. Without ``calibrate``, and
        where a class has fewer than 20 rows, it has no effect.
    refit : bool or "auto", default="auto"
        Whether each classifier is fitted once more per treatment, to all rows, and these models
        take the place of the members: prediction is many times faster, and files are smaller.
        ``"auto"`` does so where several classifiers are averaged, unless ``threshold`` is a limit
        or one of them is histogram gradient boosting.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    preprocessor : "auto", transformer or None, default="auto"
        The numeric space in which ``"neighbor"`` and ``"tree"`` judge rows, as for `icost.iCost`.
    n_jobs : int, default=None
        Members fitted side by side.
    random_state : int, RandomState or None, default=None
        Seed of splits, synthetic rows and members; the number of jobs changes nothing.
    verbose : int, default=0
        Whether to show progress; callbacks of scikit-learn 1.9 show it as well.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    threshold_ : float or None
        Probability from which on a row is of the minority; None for a multiclass target, and where
        costs per row decide.
    threshold_interval_ : tuple of float or None
        Its bootstrap interval (95 %), for ``threshold="stable"``.
    certificate_ : Certificate or None
        What the decision promises and costs, for two classes.
    held_out_ : HeldOut or None
        The rows that it rests on, with their out-of-fold probabilities.
    prevalence_ : float or None
        Share of the minority for which probabilities and threshold hold.
    offsets_ : ndarray of shape (n_classes,) or None
        What is added to the log probabilities of a multiclass target before the largest decides.
    oof_proba_ : ndarray of shape (n_samples, n_classes)
        Held-out probabilities of the training rows, made as ``predict_proba`` makes them; NaN for
        rows of weight 0.
    oof_score_ : dict
        ``"mcc"``, ``"f1"`` and ``"g_mean"`` and, for two classes, ``"pr_auc"`` and ``"brier"``:
        each a dictionary with ``value`` and a bootstrap interval, ``low`` and ``high``.
    estimators_ : list of list of list of classifiers
        Members by base classifier and repeat; refitted models, one each, by base classifier and
        treatment.
    model_places_ : list of int
        For each repeat, the place of its models in the lists of ``estimators_``.
    calibrators_ : list of list of (ndarray or None)
        Calibrators by base classifier and repeat: slopes of the scores, and the intercept last.
    recalibration_ : ndarray of shape (1 + n_classes,) or None
        The slope of all log-probabilities, and the offset of each.
    responses_ : list of list of str
        The method whose scores are calibrated, by base classifier and repeat.
    minority_label_ : label or None
        The minority class; None for a multiclass target.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where they have any.

    See Also
    --------
    icost.iCost : One fit with instance weights, and no synthetic rows.
    icost.iCostCV : Chooses costs, and a threshold, by cross-validation.
    sklearn.model_selection.TunedThresholdClassifierCV : One plain classifier with one best cut.

    Notes
    -----
    *Fits.* The number of treatments times ``n_splits`` per base classifier: 20 by default. With
    ``refit`` there is one more for each treatment that differs from the others.

    *Classifiers that learn in context*, such as those of TabPFN and TabICL, are bases with
    ``members=("plain",)``; ``refit=True`` keeps one of them in place of five.

    *Calibration.* A logistic regression of the target on the repeat's own held-out scores; scores
    that run against the labels, as those of pure noise do, tell the shares of the classes and no
    more. A new row's probability is the mean of the calibrated scores of all members, or of the
    refitted models by the calibrators of their repeats, and ``recalibration_`` is its last step.
    ``oof_score_`` was within 0.015 MCC of test rows for blends, linear models and forests, and up
    to 0.04 too low for trees and boosters, since a held-out row has one member per repeat.

    *Threshold.* The best cut of few minority rows follows their noise. ``"stable"`` is the mean of
    the median of the best cuts of 25 stratified bootstrap samples and of the best cut of class-wise
    Gaussian-smoothed probabilities.

    *Tables with text.* Synthetic rows come from SMOTENC, with neighbours found after gaps have been
    filled; text and truth values are levels, times are numbers, and a synthetic row has the gaps of
    the row of its class that it is nearest to. With metadata routing, ``import imblearn`` before
    any request is set: it adds a method to those that scikit-learn knows.

    *Scales.* Neighbours for synthetic rows are found in the units of the columns, as they are what
    a bare classifier sees. Where any base classifier is or holds a pipeline, which may scale,
    columns are brought to a common spread for that; those of a standardised table stay as they are,
    and so do sparse ones.

    *Labels.* Members and samplers see codes, the positions in ``classes_``, as boosters want them.
    Costs by label in ``class_weight`` and ``sampling_strategy`` are translated.

    *Groups.* Bootstrap samples, for the threshold and for all intervals, are of whole groups.

    Examples
    --------
    A classifier, its threshold, and what to expect of it on new rows:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from icost import iCostEnsemble
    >>> X, y = make_classification(400, weights=[0.9], class_sep=1.5, random_state=0)
    >>> model = iCostEnsemble(DecisionTreeClassifier(), random_state=0).fit(X, y)
    >>> 0 < model.threshold_ < 1, sorted(model.oof_score_)
    (True, ['brier', 'f1', 'g_mean', 'mcc', 'pr_auc'])

    Without synthetic rows, and with a threshold that the costs of errors decide:

    >>> model = iCostEnsemble(
    ...     members=("plain", "cs"), threshold="cost", cost_fn=9.0, random_state=0
    ... ).fit(X, y)
    >>> model.threshold_
    0.1
    """

    def __init__(
        self,
        base_classifier: Any = None,
        *,
        members: Sequence[Any] | None = None,
        n_splits: int = 5,
        scoring: Any = "mcc",
        threshold: Any = "stable",
        confidence: float = 0.9,
        cost_fn: float | None = None,
        cost_fp: float = 1.0,
        calibrate: bool = True,
        recalibrate: bool = True,
        refit: bool | str = "auto",
        minority_label: Any = None,
        preprocessor: Any = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.base_classifier = base_classifier
        self.members = members
        self.n_splits = n_splits
        self.scoring = scoring
        self.threshold = threshold
        self.confidence = confidence
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.calibrate = calibrate
        self.recalibrate = recalibrate
        self.refit = refit
        self.minority_label = minority_label
        self.preprocessor = preprocessor
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add those of the base classifiers: ``base_classifier__C`` of one, and of a
            list, by place, ``base_classifier__0__C``.

        Returns
        -------
        dict
            Values by name.
        """
        params = super().get_params(deep=deep)
        if deep and isinstance(self.base_classifier, list | tuple):
            for place, base in enumerate(self.base_classifier):
                name = f"base_classifier__{place}"
                params[name] = base
                if hasattr(base, "get_params") and not isinstance(base, type):
                    base_params = base.get_params()
                    params |= {f"{name}__{key}": value for key, value in base_params.items()}
        return params

    def set_params(self, **params: Any) -> iCostEnsemble:
        """Set parameters, also those of the base classifiers.

        Parameters
        ----------
        **params : dict
            Values by name, as `get_params` has them.

        Returns
        -------
        self
            The estimator.
        """
        placed = {name: value for name, value in params.items() if _PLACE.match(name)}
        base = params.get("base_classifier", self.base_classifier)
        for name in params:
            is_inside = name.startswith("base_classifier__") and name not in placed
            if is_inside and not hasattr(base, "set_params"):
                raise ValueError(
                    f"{name!r} must name a parameter of a single classifier, got {base!r} as such; "
                    "those of a list have names such as 'base_classifier__0__C'."
                )
        # The list itself comes first, then what is in it, then what that has.
        super().set_params(**{name: value for name, value in params.items() if name not in placed})
        for name in sorted(placed, key=lambda name: name.count("__")):
            self._set_placed(name, placed[name])
        return self

    def _set_placed(self, name: str, value: Any) -> None:
        place, _, rest = name.removeprefix("base_classifier__").partition("__")
        bases = self.base_classifier
        if not isinstance(bases, list | tuple) or int(place) >= len(bases):
            raise ValueError(f"{name!r} must name a classifier in a list, got {bases!r} as such.")
        if rest:
            bases[int(place)].set_params(**{rest: value})
        else:
            kept = list(bases)
            kept[int(place)] = value
            self.base_classifier = type(bases)(kept)

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        cost_fn: Any = None,
        cost_fp: Any = None,
    ) -> iCostEnsemble:
        """Cross-fit the members, calibrate them and choose the threshold.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data; the base classifiers get its columns as they are.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights. Members, calibration and cuts count them; a synthetic row weighs the mean of
            its class. Rows of weight 0 are absent.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are held out together.
        cost_fn, cost_fp : array-like of shape (n_samples,), default=None
            Costs per row, for ``threshold="cost"``.

        Returns
        -------
        self
            The fitted estimator.
        """
        # Set last: a fit that fails half-way leaves an estimator that says it is not fitted.
        self.__dict__.pop("oof_score_", None)
        members = resolve_members(self.members)
        given = {"cost_fn": cost_fn, "cost_fp": cost_fp}
        self.rule_ = self._check_parameters()
        self._bases()
        if isinstance(self.base_classifier, str) and "hgb" in automatic_bases():
            text = "XGBoost is not installed: the blend has HistGradientBoosting in its place."
            warnings.warn(text, UserWarning, stacklevel=2 + FRAMES)
        X = as_table(X)
        check_features(self, X)
        check_consistent_length(X, y)
        target = read_target(y, self.minority_label, sample_weight)
        self._check_target(target)
        minority = target.problems[0].minority if len(target.problems) == 1 else None
        shape = len(target.codes), len(target.classes)
        costs = costs_of_fit(self, self.rule_, given, *shape, minority)
        rng = check_random_state(self.random_state)
        rows, kept = _present(X, target, groups, minority, costs)
        self.classes_ = target.classes
        self.minority_label_ = None if rows.minority is None else target.classes[rows.minority]
        is_enough = warn_if_few(rows.codes, target.classes, stacklevel=2 + FRAMES)
        self._is_recalibrated = self.calibrate and self.recalibrate and is_enough
        members = tuple(with_codes(member, self.classes_) for member in members)
        self._check_metric(self.rule_, rows.weight)
        fit_progress = FitProgress(self, X, y)
        proba, scores = self._fit_members(rows, members, rng, fit_progress)
        self.oof_proba_ = np.full((len(target.codes), proba.shape[1]), np.nan)
        self.oof_proba_[kept] = proba
        self.oof_score_ = scores
        fit_progress.finish()
        return self

    def _fit_members(
        self,
        rows: TrainingRows,
        members: Sequence[Any],
        rng: np.random.RandomState,
        fit_progress: FitProgress,
    ) -> tuple[Floats, Scores]:
        """Set models, calibration and cut; return out-of-fold probabilities and their scores."""
        prepared = self._prepared_bases(rows.types)
        is_refitted = self._is_refitted(prepared)
        options = {
            "preprocessor": self.preprocessor,
            "random_state": rng,
            "n_jobs": self.n_jobs,
            "progress": partial(self._progress, fit_progress),
        }
        bases = cross_fit(
            prepared,
            members,
            rows,
            n_splits=self.n_splits,
            response=None if self.calibrate else "predict_proba",
            keep_members=not is_refitted,
            **options,
        )
        self.calibrators_ = calibrate_all(bases, rows.codes, rows.weight, self.calibrate)
        self.estimators_ = [[repeat.members for repeat in repeats] for repeats in bases]
        self.responses_ = [[repeat.response for repeat in repeats] for repeats in bases]
        self.model_places_ = list(range(len(members)))
        proba = mean_proba(bases, self.calibrators_)
        self.recalibration_ = self._fit_last(proba, rows)
        # One seed for all cuts, so that those of the out-of-fold score are chosen as this one is.
        self._seed = int(rng.randint(2**31 - 1))
        self._decide_all(proba, rows)
        own_proba, decided = cross_fitted_decisions(
            bases, rows, self.calibrate, self._fit_last, self._decide_by
        )
        scores = out_of_fold_scores(rows, own_proba, decided, rng)
        if rows.minority is not None and np.bincount(rows.codes).min() >= FEW_ROWS:
            rows.held_out(own_proba).warn(stacklevel=3 + FRAMES)
        if is_refitted:
            # Last: calibration, threshold and score have the same bits with and without it.
            treatments, self.model_places_ = distinct_members(members)
            self.estimators_ = refit(prepared, treatments, rows, **options)
        return recalibrate(self.recalibration_, proba), scores

    def _is_refitted(self, bases: Sequence[Any]) -> bool:
        """Whether models of all rows take the place of the members."""
        if self.refit != "auto":
            return bool(self.refit)
        # A limit is certified for members: models of all rows are surer of new rows, and break it.
        # With histogram boosting it is not shown that they lose no more than 0.01 MCC.
        steps = map(last_step, bases)
        is_unproven = any(isinstance(step, HistGradientBoostingClassifier) for step in steps)
        return len(bases) > 1 and not isinstance(self.rule_, tuple) and not is_unproven

    def _check_parameters(self) -> Rule:
        """Check what was given, and return the rule."""
        check_number("n_splits", self.n_splits, low=2, integer=True)
        rule = parse_rule(self.threshold, "threshold")
        check_number("confidence", self.confidence, low=0, high=1, open_low=True, open_high=True)
        check_costs(self)
        for name in ("calibrate", "recalibrate"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}.")
        if self.refit != "auto" and not isinstance(self.refit, bool | np.bool_):
            raise ValueError(f"refit must be True, False or 'auto', got {self.refit!r}.")
        check_preprocessor(self.preprocessor)
        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            raise ValueError(f"scoring must be a name or a scorer, got {self.scoring!r}.")
        return rule

    def _takes_many_classes(self) -> bool:
        has_matrix = getattr(self.threshold, "cost_matrix", None) is not None
        return self.threshold is None or self.threshold == "stable" or has_matrix

    def _check_target(self, target: Target) -> None:
        n_classes = len(target.classes)
        if n_classes > 2 and not self._takes_many_classes():
            raise ValueError(
                f"Only binary classification is supported by threshold={self.threshold!r}, got "
                f"{n_classes} classes: use 'stable', None or LeastCost(cost_matrix)."
            )

    def _bases(self) -> list[Any]:
        """The base classifiers as they were given, checked; our own without preprocessing."""
        if self.base_classifier is None:
            return [LogisticRegression(max_iter=1000)]
        if isinstance(self.base_classifier, str):
            if self.base_classifier != "blend":
                what = "base_classifier, unless it is 'blend',"
                check_base(self.base_classifier, what, ["blend"])
            return list(automatic_bases().values())
        if isinstance(self.base_classifier, list | tuple):
            if not self.base_classifier:
                raise ValueError("base_classifier must name at least one classifier, got none.")
            bases = list(self.base_classifier)
        else:
            bases = [self.base_classifier]
        for base in bases:
            check_base(base)
            if isinstance(last_step(base), FrozenEstimator):
                raise ValueError(
                    "base_classifier must be fitted to each part of the rows, got one that is "
                    "frozen, and may have seen them all: hand it over unfitted."
                )
        return bases

    def _has_own_bases(self) -> bool:
        return self.base_classifier is None or isinstance(self.base_classifier, str)

    def _prepared_bases(self, types: TableTypes | None) -> list[Any]:
        """What members are clones of; our own bases take any table, with its types of columns."""
        bases = [with_codes(base, self.classes_) for base in self._bases()]
        if not self._has_own_bases():
            return bases
        encoder = TableEncoder(types=types).set_output(transform="default")
        return [make_pipeline(encoder, base) for base in bases]  # of which clones are fitted

    def _progress(self, fit_progress: FitProgress, done: int, total: int) -> None:
        fit_progress.reach(done, total)
        if self.verbose:
            bar = f"\riCostEnsemble [{'#' * round(30 * done / total):<30}] {done}/{total}"
            print(bar, end="\n" if done == total else "", file=sys.stderr, flush=True)

    def _decide_all(self, proba: Floats, rows: TrainingRows) -> None:
        """Set the threshold of two classes, or the offsets of more."""
        self._forget_decision()
        last = self.recalibration_
        if self._minority is None:
            self.offsets_ = self._offsets(proba, rows, last)
            return
        held_out = rows.held_out(recalibrate(last, proba))
        self.prevalence_ = self.calibrated_prevalence_ = held_out.prevalence
        self._set_decision(held_out, self._certify(proba, rows, last))

    def _fit_last(self, proba: Floats, rows: TrainingRows) -> Floats | None:
        """The last recalibration of mean probabilities, if there is to be one."""
        if not self._is_recalibrated:
            return None
        return fit_recalibration(proba, rows.codes, rows.weight)

    def _certify(
        self, proba: Floats, rows: TrainingRows, last: Floats | None, interval: bool = True
    ) -> Certificate:
        """Follow the rule; the threshold is for recalibrated probabilities."""
        is_stable = isinstance(self.rule_, Stable)
        held_out = rows.held_out(proba if is_stable else recalibrate(last, proba))
        chosen = self._choose_cut(self.rule_, held_out, interval)
        if not is_stable:
            return chosen
        # The steady cut is that of the mean probabilities, whatever the last step does to them.
        cuts: Any = (chosen.threshold, *(chosen.threshold_interval or ()))
        value, *ends = (map_threshold(last, cut, self._minority) for cut in cuts)
        low_high: Any = tuple(ends) or None
        return replace(chosen, threshold=value, threshold_interval=low_high)

    def _offsets(self, proba: Floats, rows: TrainingRows, last: Floats | None) -> Floats:
        """The offsets for recalibrated probabilities."""
        if not isinstance(self.rule_, Stable):
            return np.zeros(proba.shape[1])
        scores = additive_scores(proba, "predict_proba")
        offsets = tune_offsets(rows.codes, scores, self._metric(), sample_weight=rows.weight)
        return map_offsets(last, offsets)

    def _decide_by(
        self,
        others: Floats,
        rows: TrainingRows,
        last: Floats | None,
        proba: Floats,
        unseen: TrainingRows,
    ) -> Ints:
        """Decide on recalibrated rows by the cut that is best for other rows."""
        if self._minority is None:
            return np.argmax(self._compared(proba, self._offsets(others, rows, last)), axis=1)
        threshold = self._certify(others, rows, last, interval=False).threshold
        is_minority = unseen.held_out(proba).alerts(threshold)
        return np.where(is_minority, self._minority, 1 - self._minority)

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities, which follow the true shares of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``: the mean over bases, repeats and members of
            their calibrated scores.
        """
        check_is_fitted(self)
        X = as_table(X)
        check_features(self, X, reset=False)
        columns = []
        for models, responses, calibrators in zip(
            self.estimators_, self.responses_, self.calibrators_, strict=True
        ):
            scores: dict[int, list[Floats]] = {}
            for place, response, calibrator in zip(
                self.model_places_, responses, calibrators, strict=True
            ):
                if place not in scores:
                    scores[place] = [member_scores(model, X, response) for model in models[place]]
                # Calibrated one by one, as held-out rows are: the mean score of several members has
                # less spread than the scores that the calibrator was fitted to.
                proba = [apply_calibrator(calibrator, value) for value in scores[place]]
                columns.append(np.mean(proba, axis=0))
        return self._at_share(recalibrate(self.recalibration_, np.mean(columns, axis=0)))

    def _class_scores(self, X: Any) -> Floats:
        return self._compared(self.predict_proba(X), self.offsets_)

    def _compared(self, proba: Floats, offsets: Floats) -> Floats:
        if isinstance(self.rule_, LeastCost):
            return self.rule_.class_scores(proba)
        return log_proba(proba) + offsets

    def summary(self) -> str:
        """Return how the ensemble decides and what to expect, as text.

        Returns
        -------
        str
            Members, rule, certificate, and out-of-fold scores with intervals.
        """
        check_is_fitted(self)
        bases = " and ".join(type(last_step(base)).__name__ for base in self._bases())
        n_models = sum(len(models) for repeats in self.estimators_ for models in repeats)
        members = ", ".join(str(member) for member in resolve_members(self.members))
        lines = [
            f"iCostEnsemble of {n_models} models ({bases}), rule: {rule_name(self.rule_)}",
            f"Members: {members}",
        ]
        lines += self._decision_lines()
        scores: Any = [(name, *values.values()) for name, values in self.oof_score_.items()]
        return "\n".join([*lines, "Out-of-fold scores with 95 % intervals:", *score_lines(scores)])

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that failed takes away what it sets last, and leaves the rest.
        return hasattr(self, "oof_score_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._takes_many_classes()
        # Of our own bases, what comes first in the pipeline says what they take.
        takers = [TableEncoder()] if self._has_own_bases() else self.base_classifier
        takers = list(takers) if isinstance(takers, list | tuple) else [takers]
        members = self.members if isinstance(self.members, list | tuple) else ()
        for member in members:
            # Bases get the user's table; a treatment that weights looks at it in a numeric space.
            if isinstance(member, iCost):
                takers.append(_taker(member.preprocessor))
            elif isinstance(member, str) and member in MEASURES:
                takers.append(_taker(self.preprocessor))
            elif not isinstance(member, str):
                takers.append(member)
        # What is no estimator is refused in fit, with a sentence; tags are asked for before.
        tagged = [value for value in takers if hasattr(value, "__sklearn_tags__")]
        inputs = [get_tags(value).input_tags for value in tagged if not isinstance(value, type)]
        for name in ("sparse", "allow_nan", "string", "positive_only"):
            values = [getattr(value, name) for value in inputs]
            wanted = any(values) if name == "positive_only" else bool(values) and all(values)
            setattr(tags.input_tags, name, wanted)
        return tags


def _taker(preprocessor: Any) -> Any:
    """Something whose tags tell which tables a numeric space can be made of."""
    if preprocessor is None:
        return LogisticRegression()  # finite numbers, dense or sparse
    return TableEncoder() if isinstance(preprocessor, str) else preprocessor


def automatic_bases() -> dict[str, Any]:
    """Return the classifiers of the blend by name; HistGB stands in where XGBoost is missing."""
    bases = {
        "lr": LogisticRegression(max_iter=1000),
        "svm": QuickSVC(),
        "rf": RandomForestClassifier(n_jobs=1),
    }
    if find_spec("xgboost") is None:
        return bases | {"hgb": HistGradientBoostingClassifier()}
    xgboost = import_extra("xgboost", "boosters", 'base_classifier="blend"')
    return bases | {"xgb": xgboost.XGBClassifier(n_jobs=1, verbosity=0)}


def _present(
    X: Any, target: Target, groups: Any, minority: int | None, costs: tuple[Any, Any]
) -> tuple[TrainingRows, Ints]:
    """Rows of positive weight, and which they are."""
    groups, weight = encode_groups(groups, len(target.codes)), target.sample_weight
    kept = np.arange(len(target.codes)) if weight is None else np.flatnonzero(weight)
    if len(kept) < len(target.codes):
        X = take_rows(X, kept)
    groups, weight = (None if value is None else value[kept] for value in (groups, weight))
    codes = target.codes[kept]
    costs = tuple(cost[kept] if np.ndim(cost) else cost for cost in costs)
    types, is_level = (None, None) if issparse(X) else (read_table(X).types, level_columns(X))
    return TrainingRows(X, codes, weight, groups, minority, types, is_level, costs), kept
