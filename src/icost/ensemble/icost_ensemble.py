"""iCostEnsemble: cross-fitted members, calibrated, with a threshold that held-out rows chose."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import check_array, check_random_state, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from icost.base_fit import check_base
from icost.classifier import iCost
from icost.complexity.methods import MEASURES
from icost.ensemble.calibration import apply_calibrator, calibrate_all, mean_proba
from icost.ensemble.cross_fit import TrainingRows, cross_fit, member_scores
from icost.ensemble.honest_score import cross_fitted_decisions, honest_scores
from icost.ensemble.synthetic import level_columns
from icost.ensemble.treatments import resolve_members, with_codes
from icost.metrics import CONFUSION_METRICS
from icost.preprocessing import TableEncoder, check_preprocessor, column_kinds, typed_columns
from icost.problems import Target, read_target
from icost.thresholds import (
    LabelMetric,
    Metric,
    cost_threshold,
    last_step,
    stable_threshold,
    tune_offsets,
)
from icost.validation import (
    as_table,
    check_choice,
    check_features,
    check_number,
    import_extra,
    is_missing,
    take_rows,
)

THRESHOLDS = ("stable", "cost")
"""Rules for the threshold, by name."""

_PLACE = re.compile(r"base_classifier__\d+(__|$)")


class iCostEnsemble(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """One estimator to reach for: calibrated members with a threshold that held-out rows chose.

    Class-level costs, instance weights, synthetic rows and moved thresholds all trade misses for
    false alarms, and which of them serves best differs from table to table. This ensemble does not
    choose: members are trained on plain rows and on rows with synthetic ones added, each row is
    scored by members that have not seen it, and one steady threshold is cut through these scores.
    It answers three questions at once:

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
    base_classifier : classifier, list of classifiers, "auto" or None, default=None
        What the members are. Several classifiers share splits and synthetic rows, and their
        calibrated probabilities are averaged; their parameters have names such as
        ``base_classifier__0__C``. ``"auto"`` is logistic regression, SVM, random forest
        and XGBoost (histogram gradient boosting where that is not installed), None logistic
        regression alone; both take any table, with text and gaps.
    members : sequence of treatments, default=None
        One cross-fitted repeat each, of ``n_splits`` fits per classifier: ``"plain"``; ``"smote"``,
        synthetic rows until the classes are equally large; ``"smote-half"``, until the minority has
        ``n * IR ** 0.5`` rows; ``"cs"``, class-level costs; ``"neighbor"`` or ``"tree"``, costs by
        complexity; an `icost.iCost` without a base; or a sampler of imbalanced-learn. Default:
        ``("plain", "smote", "plain", "smote")``.
    n_splits : int, default=5
        Parts of a split; no more than the rarest class has rows.
    scoring : str or scorer, default="mcc"
        What the threshold is chosen for: ``"mcc"``, ``"f1"``, ``"g_mean"`` or another metric of a
        confusion matrix; the name of a scorer of scikit-learn that goes by predicted labels; or
        such a scorer, or a metric such as `sklearn.metrics.balanced_accuracy_score`. What is not a
        metric of a confusion matrix is asked about 25 cuts, and has the first of the two cuts alone
        that the notes tell of.
    threshold : "stable", "cost", float or None, default="stable"
        ``"stable"`` is the mean of two cuts that noise moves little, see the notes; ``"cost"``
        follows from ``cost_fn`` and ``cost_fp``; None is 0.5.
    cost_fn : float or None, default=None
        Cost of a missed minority sample, for ``threshold="cost"``.
    cost_fp : float, default=1.0
        Cost of a false alarm.
    calibrate : bool, default=True
        Whether scores are calibrated. Without it the base classifiers must have probabilities,
        which are averaged as they are.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    preprocessor : "auto", transformer or None, default="auto"
        The numeric space in which ``"neighbor"`` and ``"tree"`` judge rows, as for `icost.iCost`.
    n_jobs : int, default=None
        Members fitted side by side.
    random_state : int, RandomState or None, default=None
        Seed of splits, synthetic rows and members; the number of jobs changes nothing.
    verbose : int, default=0
        Whether to show progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    threshold_ : float or None
        Probability from which on a row is of the minority; None for a multiclass target.
    threshold_interval_ : tuple of float or None
        Bootstrap interval (95 %) of the best cut, for ``threshold="stable"``.
    offsets_ : ndarray of shape (n_classes,) or None
        What is added to the log probabilities of a multiclass target before the largest decides.
    oof_proba_ : ndarray of shape (n_samples, n_classes)
        Held-out probabilities of the training rows, made as ``predict_proba`` makes them; NaN for
        rows of weight 0.
    oof_score_ : dict
        ``"mcc"``, ``"f1"`` and ``"g_mean"`` and, for two classes, ``"pr_auc"`` and ``"brier"``:
        each a dictionary with ``value`` and a bootstrap interval, ``low`` and ``high``.
    estimators_ : list of list of list of classifiers
        Members by base classifier and repeat.
    calibrators_ : list of list of (Pipeline or None)
        Calibrators by base classifier and repeat.
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
    *Fits.* The number of treatments times ``n_splits`` per base classifier: 20 by default.

    *Calibration.* A logistic regression of the target on the repeat's own held-out scores; scores
    that run against the labels, as those of pure noise do, tell the shares of the classes and no
    more. A new row's probability is the mean of the calibrated scores of all members. A held-out
    row has one member per repeat, so that ``oof_score_`` is on the cautious side.

    *Threshold.* The best cut of few minority rows follows their noise. ``"stable"`` is the mean of
    the median of the best cuts of 25 stratified bootstrap samples and of the best cut of class-wise
    Gaussian-smoothed probabilities.

    *Tables with text.* Synthetic rows come from SMOTENC, with neighbours found after gaps have been
    filled; text and truth values are levels, times are numbers, and a synthetic row has the gaps of
    the row of its class that it is nearest to. Synthetic rows need
    ``pip install "icost-learn[ensemble]"``. With metadata routing, ``import imblearn`` before any
    request is set: it adds a method to those that scikit-learn knows.

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
        cost_fn: float | None = None,
        cost_fp: float = 1.0,
        calibrate: bool = True,
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
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.calibrate = calibrate
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
                    own = base.get_params()
                    params |= {f"{name}__{key}": value for key, value in own.items()}
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

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
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

        Returns
        -------
        self
            The fitted estimator.
        """
        # Set last: a fit that fails half-way leaves an estimator that says it is not fitted.
        self.__dict__.pop("oof_score_", None)
        members = resolve_members(self.members)
        self._check_parameters()
        self._bases()
        X = as_table(X)
        if 0 in X.shape:
            check_array(X, dtype=None, input_name="X")  # raises with scikit-learn's words
        check_features(self, X)
        check_consistent_length(X, y)
        target = read_target(y, self.minority_label, sample_weight)
        self._check_target(target)
        rng = check_random_state(self.random_state)
        rows, kept = _present(X, target, groups)
        self.classes_ = target.classes
        self._minority: Any = rows.minority
        self.minority_label_ = None if rows.minority is None else target.classes[rows.minority]
        members = tuple(with_codes(member, self.classes_) for member in members)
        # Asked for now: a score that cannot be had is told before the fits, not after them.
        metric = self._metric() if self.threshold == "stable" else None
        if isinstance(metric, LabelMetric):
            metric.check_weight(rows.weight)
        bases = cross_fit(
            self._prepared_bases(rows.X),
            members,
            rows,
            n_splits=self.n_splits,
            preprocessor=self.preprocessor,
            response=None if self.calibrate else "predict_proba",
            random_state=rng,
            n_jobs=self.n_jobs,
            progress=self._progress,
        )
        self.calibrators_ = calibrate_all(bases, rows.codes, rows.weight, self.calibrate)
        self.estimators_ = [[repeat.members for repeat in repeats] for repeats in bases]
        self.responses_ = [[repeat.response for repeat in repeats] for repeats in bases]
        proba = mean_proba(bases, self.calibrators_)
        self.oof_proba_ = np.full((len(target.codes), proba.shape[1]), np.nan)
        self.oof_proba_[kept] = proba
        # One seed for all cuts, so that those of the honest score are chosen as this one is.
        cut_seed = int(rng.randint(2**31 - 1))
        self._choose_cut(proba, rows, cut_seed)
        own_proba, decided = cross_fitted_decisions(
            bases, rows, self.calibrate, partial(self._decide_by, cut_seed)
        )
        self.oof_score_ = honest_scores(rows, own_proba, decided, rng)
        return self

    def _check_parameters(self) -> None:
        check_number("n_splits", self.n_splits, low=2, integer=True)
        if isinstance(self.threshold, str):
            check_choice("threshold", self.threshold, THRESHOLDS, ", a number or None")
        elif self.threshold is not None:
            check_number("threshold", self.threshold, low=0, high=1)
        if (self.threshold == "cost") != (self.cost_fn is not None):
            raise ValueError(
                'cost_fn must be given with threshold="cost", and only with it, got '
                f"threshold={self.threshold!r} and cost_fn={self.cost_fn!r}."
            )
        if self.cost_fn is not None:
            cost_threshold(self.cost_fn, self.cost_fp)
        if not isinstance(self.calibrate, bool | np.bool_):
            raise ValueError(f"calibrate must be True or False, got {self.calibrate!r}.")
        check_preprocessor(self.preprocessor)
        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            raise ValueError(f"scoring must be a name or a scorer, got {self.scoring!r}.")

    def _check_target(self, target: Target) -> None:
        n_classes = len(target.classes)
        if n_classes == 2 or self.threshold in ("stable", None):
            return
        raise ValueError(
            f"threshold must be 'stable' or None for a multiclass target, got {self.threshold!r} "
            f"with {n_classes} classes."
        )

    def _bases(self) -> list[Any]:
        """The base classifiers as they were given, checked; our own without preprocessing."""
        if self.base_classifier is None:
            return [LogisticRegression(max_iter=1000)]
        if isinstance(self.base_classifier, str):
            check_choice("base_classifier", self.base_classifier, ["auto"], " or classifiers")
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

    def _prepared_bases(self, X: Any) -> list[Any]:
        """What members are clones of; our own bases take any table, with its kinds of columns."""
        bases = [with_codes(base, self.classes_) for base in self._bases()]
        if not self._has_own_bases():
            return bases
        # Of the whole table: a part may have nothing but numbers in a column of text.
        is_text = None if issparse(X) else column_kinds(typed_columns(X))
        return [make_pipeline(TableEncoder(is_text), base) for base in bases]

    def _progress(self, done: int, total: int) -> None:
        if self.verbose:
            bar = f"\riCostEnsemble [{'#' * round(30 * done / total):<30}] {done}/{total}"
            print(bar, end="\n" if done == total else "", file=sys.stderr, flush=True)

    def _choose_cut(self, proba: NDArray[np.float64], rows: TrainingRows, seed: int) -> None:
        """Set the threshold of two classes, or the offsets of more."""
        self.threshold_: float | None = None
        self.threshold_interval_: tuple[float, float] | None = None
        self.offsets_: NDArray[np.float64] | None = None
        if self._minority is None:
            self.offsets_ = self._offsets(proba, rows)
        else:
            self.threshold_, self.threshold_interval_ = self._cut(proba, rows, seed)

    def _cut(
        self, proba: NDArray[np.float64], rows: TrainingRows, seed: int, interval: bool = True
    ) -> tuple[float, tuple[float, float] | None]:
        if self.threshold == "cost":
            return cost_threshold(self.cost_fn or 0.0, self.cost_fp), None
        if self.threshold != "stable":
            return 0.5 if self.threshold is None else float(self.threshold), None
        found = stable_threshold(
            rows.codes == self._minority,
            proba[:, self._minority],
            self._metric(),
            sample_weight=rows.weight,
            random_state=seed,
            groups=rows.groups,
            interval=interval,
        )
        return found.value, (found.low, found.high)

    def _offsets(self, proba: NDArray[np.float64], rows: TrainingRows) -> NDArray[np.float64]:
        if self.threshold is None:
            return np.zeros(proba.shape[1])
        return tune_offsets(rows.codes, proba, self._metric(), sample_weight=rows.weight)

    def _metric(self) -> Metric:
        """A name that confusion matrices are enough for, or a function of labels."""
        if isinstance(self.scoring, str):
            if self.scoring in CONFUSION_METRICS:
                return self.scoring
            if self.scoring == "matthews_corrcoef":
                return "mcc"
        scorer = get_scorer(self.scoring)
        if next(iter(signature(scorer).parameters), "") == "y_true":
            scorer = make_scorer(scorer)  # a metric of scikit-learn
        # Of two classes, the order that makes the minority the second one, as cuts have it.
        return LabelMetric(scorer, self.classes_[::-1] if self._minority == 0 else self.classes_)

    def _decide_by(
        self,
        seed: int,
        known: NDArray[np.float64],
        rows: TrainingRows,
        proba: NDArray[np.float64],
    ) -> NDArray[np.intp]:
        """Decide on rows by the cut that other rows tell."""
        if self._minority is None:
            return np.argmax(_log(proba) + self._offsets(known, rows), axis=1)
        return self._by_threshold(proba, self._cut(known, rows, seed, interval=False)[0])

    def _by_threshold(self, proba: NDArray[np.float64], threshold: float) -> NDArray[np.intp]:
        is_minority = proba[:, self._minority] >= threshold
        return np.where(is_minority, self._minority, 1 - self._minority)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities, which follow the true shares of the classes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

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
        for members, responses, calibrators in zip(
            self.estimators_, self.responses_, self.calibrators_, strict=True
        ):
            for own, response, calibrator in zip(members, responses, calibrators, strict=True):
                # Calibrated one by one, as held-out rows are: the mean score of several members has
                # less spread than the scores that the calibrator was fitted to.
                scores = [member_scores(member, X, response) for member in own]
                columns += [np.mean([apply_calibrator(calibrator, s) for s in scores], axis=0)]
        return np.mean(columns, axis=0)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict logarithms of the probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels: the minority from ``threshold_`` on.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, of those seen in ``fit``.
        """
        proba = self.predict_proba(X)
        if self.offsets_ is not None:
            codes = np.argmax(_log(proba) + self.offsets_, axis=1)
        else:
            assert self.threshold_ is not None
            codes = self._by_threshold(proba, self.threshold_)
        return self.classes_[codes]

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that failed takes away what it sets last, and leaves the rest.
        return hasattr(self, "oof_score_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
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
        known = [own for own in takers if hasattr(own, "__sklearn_tags__")]
        inputs = [get_tags(own).input_tags for own in known if not isinstance(own, type)]
        for name in ("sparse", "allow_nan", "string", "positive_only"):
            values = [getattr(own, name) for own in inputs]
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
        "svm": SVC(),
        "rf": RandomForestClassifier(n_jobs=1),
    }
    if find_spec("xgboost") is None:
        return bases | {"hgb": HistGradientBoostingClassifier()}
    xgboost = import_extra("xgboost", "boosters", 'base_classifier="auto"')
    return bases | {"xgb": xgboost.XGBClassifier(n_jobs=1, verbosity=0)}


def _present(X: Any, target: Target, groups: Any) -> tuple[TrainingRows, NDArray[np.intp]]:
    """Rows of positive weight, and which they are."""
    minority = target.problems[0].minority if len(target.problems) == 1 else None
    groups, weight = _group_numbers(groups, len(target.codes)), target.sample_weight
    kept = np.arange(len(target.codes)) if weight is None else np.flatnonzero(weight)
    if len(kept) < len(target.codes):
        X = take_rows(X, kept)
    groups, weight = (None if own is None else own[kept] for own in (groups, weight))
    codes = target.codes[kept]
    return TrainingRows(X, codes, weight, groups, minority, level_columns(X)), kept


def _group_numbers(groups: Any, n_rows: int) -> NDArray[np.intp] | None:
    """Each row's group as a number, whatever names groups have."""
    if groups is None:
        return None
    names = np.asarray(groups)
    if names.shape != (n_rows,):
        raise ValueError(
            f"groups must name one group for each of the {n_rows} samples, got an array of shape "
            f"{names.shape}."
        )
    missing = [place for place, name in enumerate(names.tolist()) if is_missing(name)]
    if missing:
        raise ValueError(
            f"groups must not be missing, got {names[missing[0]]!r} in row {missing[0]}."
        )
    try:
        return np.unique(names, return_inverse=True)[1]
    except TypeError:  # Names of several kinds have no order.
        return np.unique([f"{type(name).__name__} {name}" for name in names], return_inverse=True)[
            1
        ]


def _log(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(np.clip(proba, 1e-12, None))
