"""Strategies that fit many models: our own ensembles, and those that they are measured against."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter, process_time
from typing import Any

import joblib
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.utils.metaestimators import available_if

from icost.ensemble import iCostEnsemble
from icost.ensemble.cross_fit import GroupsHoldClass
from icost.ensemble.icost_ensemble import automatic_bases
from icost.ensemble.treatments import MEMBERS
from icost.labels import most_folds
from icost.strategies.classifiers import get_classifier
from icost.strategies.training_fold import Fitted, TrainingFold
from icost.validation import import_extra

N_REPEATS = len(MEMBERS)
"""Cross-fitted repeats of an ensemble, each of five fits."""


def fit_crossed(base: Any, fold: TrainingFold, **options: Any) -> Fitted:
    """Fit `icost.iCostEnsemble`; options are its own: members, threshold, calibrate and others.

    It heeds groups and, of two classes, the costs of errors.
    """
    return _fit_shared([base], fold, **options)


def fit_blend(base: Any, fold: TrainingFold, **options: Any) -> Fitted:
    """Fit the ensemble of several classifiers; the base is ignored."""
    bases = [get_classifier(name).make(fold.random_state) for name in automatic_bases()]
    return _fit_shared(bases, fold, **options)


def _fit_shared(bases: list[Any], fold: TrainingFold, **options: Any) -> Fitted:
    store = fold.share("members", MemberStore)[0]
    shared = [SharedFit(base, store) for base in bases]
    if fold.costs is not None and fold.n_classes == 2:
        cost_fn, cost_fp = fold.costs
        options = {**options, "threshold": "cost", "cost_fn": cost_fn, "cost_fp": cost_fp}
    model = iCostEnsemble(
        shared if len(shared) > 1 else shared[0],
        minority_label=1 if fold.n_classes == 2 else None,
        preprocessor=None,
        random_state=fold.random_state,
        **options,
    )
    store.saved = store.saved_cpu = 0.0
    fitted = _fit_by_groups(model, fold)
    _unwrap(model, bases)
    # What another strategy has fitted counts as if it had been fitted here.
    return replace(fitted, fit_time=fitted.fit_time + store.saved, saved_cpu=store.saved_cpu)


def _unwrap(model: iCostEnsemble, bases: list[Any]) -> None:
    """Leave an ensemble with plain members, as if nothing had been shared."""
    model.base_classifier = bases if len(bases) > 1 else bases[0]
    model.estimators_ = [
        [[m.model_ if isinstance(m, SharedFit) else m for m in members] for members in repeats]
        for repeats in model.estimators_
    ]


def _fit_by_groups(model: Any, fold: TrainingFold) -> Fitted:
    if fold.groups is None:
        return _timed(model, fold)
    try:
        return _timed(model, fold, groups=fold.groups)
    except GroupsHoldClass:
        note = "groups unheeded: some hold all rows of a class"
        return replace(_timed(model, fold), note=note)


class MemberStore:
    """Members that ensembles on one fold have in common, and the seconds that this saved."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[Any, float, float]] = {}
        self.saved = self.saved_cpu = 0.0

    def __deepcopy__(self, memo: Any) -> MemberStore:
        return self  # clones of an estimator share what it shares

    def fit(self, base: Any, *data: Any) -> Any:
        """Return a fitted clone of a base, which is fitted to the same data once only."""
        asked, cpu_asked = perf_counter(), process_time()
        # Processors have instructions for SHA-1; MD5 took a tenth of the time of the fits.
        key = joblib.hash((type(base), base.get_params(), data), hash_name="sha1")
        # Whoever shares nothing looks for nothing: that time is not the strategy's.
        self.saved -= perf_counter() - asked
        self.saved_cpu -= process_time() - cpu_asked
        if key in self.found:
            model, seconds, cpu = self.found[key]
            self.saved += seconds
            self.saved_cpu += cpu
            return model
        start, cpu_start = perf_counter(), process_time()
        X, y, weight = data
        model = clone(base).fit(X, y) if weight is None else clone(base).fit(X, y, weight)
        self.found[key] = model, perf_counter() - start, process_time() - cpu_start
        return model


def _has(name: str) -> Any:
    return available_if(lambda shared: hasattr(getattr(shared, "model_", shared.base), name))


class SharedFit(ClassifierMixin, BaseEstimator):
    """A base classifier that takes its fitted self from a store, if it is there."""

    def __init__(self, base: Any, store: MemberStore) -> None:
        self.base = base
        self.store = store

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SharedFit:
        """Fit the base, or find it fitted."""
        self.model_ = self.store.fit(self.base, X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict class codes."""
        return self.model_.predict(X)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, if the base does."""
        return self.model_.predict_proba(X)

    @_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Return scores, if the base has them."""
        return self.model_.decision_function(X)


def fit_calibrated(base: Any, fold: TrainingFold) -> Fitted:
    """Fit scikit-learn's calibrated ensemble of as many models, which decides by probabilities."""
    n_splits = max(2, most_folds(fold.y, 5))
    folds = RepeatedStratifiedKFold(
        n_splits=n_splits, n_repeats=N_REPEATS, random_state=fold.random_state
    )
    return _timed(CalibratedClassifierCV(clone(base), cv=folds, ensemble=True), fold)


def fit_imblearn(name: str, base: Any, fold: TrainingFold) -> Fitted:
    """Fit an ensemble of imbalanced-learn, which brings its own classifier."""
    ensemble = import_extra("imblearn.ensemble", "experiments", f"The strategy {name}")
    return _timed(getattr(ensemble, name)(random_state=fold.random_state), fold)


def _timed(model: Any, fold: TrainingFold, **options: Any) -> Fitted:
    start = perf_counter()
    model.fit(fold.X, fold.y, **options)
    return Fitted(model, perf_counter() - start)
