"""Fit what a strategy builds to one fold, and share work among the strategies of that fold.

`fit_estimator` gives the bits of ``estimator.fit(fold.X, fold.y)``. What several strategies need of
the same rows is computed once and kept in the fold: complexity, resampled rows, members of
ensembles. The time that it took is charged to each of them, as if it had been alone.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from sklearn.utils.validation import has_fit_parameter

from icost._core.arrays import Floats, Ints
from icost._core.delegation import DelegatingClassifier
from icost._core.doubts import DoubtfulTable
from icost._core.labels import GroupsHoldClass
from icost._table._columns import read_table
from icost._table._encoder import TableEncoder
from icost._weights.base_fit import fit_problems
from icost._weights.classifier import estimate, fit_target, iCost
from icost._weights.problems import Target
from icost.complexity._methods import measure_of
from icost.ensemble import iCostEnsemble
from icost.penalties import PAPER, Costs
from icost.strategies._estimators import ResampledClassifier, number_costs
from icost.thresholds import ThresholdClassifier

if TYPE_CHECKING:
    from icost.strategies._registry import Strategy


@dataclass(frozen=True, eq=False)
class TrainingFold:
    """The training rows of a fold: numeric, imputed and scaled.

    ``y`` holds class codes, and ``minority`` is the code of the minority of two classes, else None.
    ``groups`` of the rows and ``costs``, of a missed minority row and of a false alarm, are for
    strategies that support them, and so is the user's ``weight`` of each row. Costs are numbers or
    arrays with one for each row. ``shared`` keeps what several strategies need.
    """

    X: Floats
    y: Ints
    n_classes: int = 2
    random_state: int = 0
    shared: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    groups: Ints | None = None
    costs: tuple[Any, Any] | None = None
    minority_code: int = 1
    weight: Floats | None = None

    @property
    def minority(self) -> int | None:
        """The code of the minority of two classes; None for more."""
        return self.minority_code if self.n_classes == 2 else None

    def share(self, key: Hashable, compute: Callable[[], Any]) -> tuple[Any, float]:
        """Return a value that is computed on first demand only, and the seconds that took."""
        if key not in self.shared:
            start = perf_counter()
            value = compute()
            self.shared[key] = (value, perf_counter() - start)
        return self.shared[key]


def prepare_fold(
    X: Any,
    codes: Ints,
    train: Ints,
    test: Ints,
    *,
    scaler: str = "standard",
    impute: str = "median",
    **fold_options: Any,
) -> tuple[TrainingFold, Floats]:
    """Return the training fold of a table and its test rows, as numbers.

    Imputation, encoding and scaling only ever see the training rows. Other options are those of
    `TrainingFold`.
    """
    table = read_table(X)
    encoder = TableEncoder(scaler=scaler, impute=impute).set_output(transform="default")
    train_X = encoder.fit_transform(table.take(train), codes[train])
    test_X = encoder.transform(table.take(test))
    return TrainingFold(train_X, codes[train], **fold_options), test_X


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fitted model, which predicts class codes, and the record of its fit, times in seconds.

    ``costs`` and ``counts``, minority rows per category, are empty where there are none.
    """

    model: Any
    fit_time: float
    weight_time: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    # Seconds of the processor that were not needed, as another strategy had fitted the same.
    saved_cpu: float = 0.0

    def predict(self, X: Any, **costs: Any) -> Ints:
        """Return class codes, where the model takes them by the costs of rows."""
        return np.ravel(self.model.predict(X, **costs)).astype(np.intp)

    def proba(self, X: Any) -> Floats | None:
        """Return probabilities, or None if the model has none."""
        return self.model.predict_proba(X) if hasattr(self.model, "predict_proba") else None

    def scores(self, X: Any, minority: int = 1) -> Floats | None:
        """Return scores of the minority of a binary problem, or None if the model has none."""
        if hasattr(self.model, "decision_function"):
            scores = np.asarray(self.model.decision_function(X), dtype=np.float64)
            return scores if minority == 1 else -scores
        proba = self.proba(X)
        return None if proba is None else proba[:, minority]


def fit_strategy(strategy: Strategy, base: Any, fold: TrainingFold) -> FitResult:
    """Build a strategy's classifier for a fold, and fit it."""
    estimator = strategy.build(
        base,
        minority_label=fold.minority,
        costs=number_costs(fold.costs),
        random_state=fold.random_state,
    )
    params = row_costs(strategy, estimator, fold.costs)
    if fold.weight is not None:
        params["sample_weight"] = fold.weight
    if params:
        # What strategies share is of rows that all count the same.
        fit = _fit_with_groups if strategy.supports_groups else timed_fit
        return fit(estimator, fold, **params)
    return fit_estimator(estimator, fold)


def row_costs(strategy: Strategy, estimator: Any, costs: tuple[Any, Any] | None) -> dict[str, Any]:
    """Return the costs of rows, by name, for a classifier that decides by them."""
    if not strategy.supports_costs or not has_fit_parameter(estimator, "cost_fn"):
        return {}
    named = zip(("cost_fn", "cost_fp"), costs or (), strict=False)
    return {name: cost for name, cost in named if np.ndim(cost)}


@singledispatch
def fit_estimator(estimator: Any, fold: TrainingFold) -> FitResult:
    """Fit a classifier to a fold; types that can share work have a function of their own."""
    return timed_fit(estimator, fold)


def timed_fit(estimator: Any, fold: TrainingFold, **fit_params: Any) -> FitResult:
    """Fit a classifier by its own ``fit``, alone."""
    start = perf_counter()
    estimator.fit(fold.X, fold.y, **fit_params)
    seconds = perf_counter() - start
    return FitResult(estimator, seconds, note=getattr(estimator, "note_", ""))


@fit_estimator.register
def _fit_weighted(estimator: iCost, fold: TrainingFold) -> FitResult:
    target, seconds = shared_target(estimator, fold)
    start = perf_counter()
    fit_target(estimator, fold.X, target)
    return weighted_result(estimator, estimator, target, perf_counter() - start, seconds)


def shared_target(model: iCost, fold: TrainingFold) -> tuple[Target, float]:
    """Return the fold's target as an `icost.iCost` sees it, and the seconds that it took.

    A target with the complexity of both classes serves models that need one class only, so that a
    list of strategies that names the former first estimates once.
    """
    measure = measure_of(model)
    # A measure is known by its type and parameters: equal ones estimate the same.
    measured = None if measure is None else repr((type(measure), measure.get_params()))
    costs = Costs.of(model)
    is_both = costs is not None and costs.majority == "plausible"
    # A preprocessor is known by itself: a copy of it is another one.
    others = (model.multiclass, model.minority_label, model.random_state, model.preprocessor)
    key: tuple[Hashable, ...] = ("target", measured, *others, True)
    if not is_both and key not in fold.shared:
        key = (*key[:-1], False)
    return fold.share(key, lambda: estimate(model, fold.X, fold.y))


def weighted_result(
    model: Any, weighted: iCost, target: Target, fit_time: float, seconds: float
) -> FitResult:
    """Return the record of a fit that weighted rows, with its costs and categories."""
    counts = category_counts(target)
    costs = costs_in_effect(weighted, bool(counts))
    return FitResult(model, fit_time, seconds if counts else 0.0, costs, counts)


def category_counts(target: Target) -> dict[str, int]:
    """Return the minority rows per category, over all problems of a fold."""
    counts: Counter[str] = Counter()
    for problem in target.problems:
        if problem.complexity is not None:
            counts.update(problem.complexity.counts())
    return dict(counts)


def costs_in_effect(model: iCost, has_categories: bool) -> dict[str, float]:
    costs = Costs.of(model)
    if costs is None or (has_categories and not costs.has_categories):
        return {}
    names = tuple(PAPER) if has_categories else ("scale",)
    return {name: getattr(model, name) for name in names}


@fit_estimator.register
def _fit_resampled(estimator: ResampledClassifier, fold: TrainingFold) -> FitResult:
    key = ("resampled", estimator.sampler, estimator.random_state)
    rows, seconds = fold.share(key, lambda: estimator.resample(fold.X, fold.y))
    start = perf_counter()
    estimator.fit_resampled(rows)
    return FitResult(estimator, perf_counter() - start, seconds, note=estimator.note_)


@fit_estimator.register
def _fit_threshold(estimator: ThresholdClassifier, fold: TrainingFold) -> FitResult:
    result = _fit_with_groups(estimator, fold)
    if estimator.offsets_ is None:
        note = f"threshold {estimator.threshold_:.6g}"
    else:
        note = "offsets " + ", ".join(f"{offset:.6g}" for offset in estimator.offsets_)
    return replace(result, note="; ".join(filter(None, [note, result.note])))


@fit_estimator.register
def _fit_ensemble(estimator: iCostEnsemble, fold: TrainingFold) -> FitResult:
    store = fold.share("members", MemberStore)[0]
    base = estimator.base_classifier
    is_list = isinstance(base, list | tuple)
    bases = base if is_list else [base]
    if all(hasattr(one, "get_params") for one in bases):  # and not the name of several
        shared = [SharedFit(one, store) for one in bases]
        estimator.base_classifier = shared if is_list else shared[0]
    store.saved = store.saved_cpu = 0.0
    try:
        result = _fit_with_groups(estimator, fold)
    finally:
        estimator.base_classifier = base
    estimator.estimators_ = _without_sharing(estimator.estimators_)
    # What another strategy has fitted counts as if it had been fitted here.
    seconds = result.fit_time + store.saved
    return FitResult(estimator, seconds, note=result.note, saved_cpu=store.saved_cpu)


def _without_sharing(bases: list[list[list[Any]]]) -> list[list[list[Any]]]:
    """Return the members of all bases and repeats themselves, as if nothing had been shared."""
    return [
        [[m.model_ if isinstance(m, SharedFit) else m for m in members] for members in repeats]
        for repeats in bases
    ]


def _fit_with_groups(estimator: Any, fold: TrainingFold, **fit_params: Any) -> FitResult:
    estimator._has_interval = False  # a fold's threshold is used, but its interval never shown
    with warnings.catch_warnings():
        # Said once about a table, not for each of its folds.
        warnings.simplefilter("ignore", DoubtfulTable)
        if fold.groups is None:
            return timed_fit(estimator, fold, **fit_params)
        try:
            return timed_fit(estimator, fold, groups=fold.groups, **fit_params)
        except GroupsHoldClass:
            result = timed_fit(estimator, fold, **fit_params)
            note = "groups ignored: one of them has all rows of a class"
            return FitResult(result.model, result.fit_time, note=note)


class MemberStore:
    """Members that ensembles on one fold have in common, and the seconds that this saved."""

    def __init__(self) -> None:
        self.fitted: dict[str, tuple[Any, float, float]] = {}
        self.saved = self.saved_cpu = 0.0

    def __deepcopy__(self, memo: Any) -> MemberStore:
        return self  # clones of an estimator share what it shares

    def fit(self, base: Any, *data: Any) -> Any:
        """Return a fitted clone of a base, which is fitted to the same data once only."""
        wall, cpu_wall = perf_counter(), process_time()
        # Processors have instructions for SHA-1; MD5 took a tenth of the time of the fits.
        key = joblib.hash((type(base), base.get_params(), data), hash_name="sha1")
        # Whoever shares nothing looks for nothing: that time is not the strategy's.
        self.saved -= perf_counter() - wall
        self.saved_cpu -= process_time() - cpu_wall
        if key in self.fitted:
            model, seconds, cpu = self.fitted[key]
            self.saved += seconds
            self.saved_cpu += cpu
            return model
        start, cpu_start = perf_counter(), process_time()
        X, y, weight = data
        model = fit_problems(base, X, [y], None if weight is None else [weight])[0]
        self.fitted[key] = model, perf_counter() - start, process_time() - cpu_start
        return model


class SharedFit(DelegatingClassifier):
    """A base classifier that takes its fitted self from a store, if it is there."""

    def __init__(self, estimator: Any, store: MemberStore) -> None:
        self.estimator = estimator
        self.store = store

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SharedFit:
        """Fit the classifier, or find it fitted."""
        self.model_ = self.store.fit(self.estimator, X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self
