"""Strategies that fit many models: our own ensembles, and those that they are measured against."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import RepeatedStratifiedKFold

from icost.ensemble import iCostEnsemble
from icost.ensemble.cross_fit import GroupsHoldClass
from icost.ensemble.treatments import MEMBERS
from icost.labels import most_folds
from icost.strategies.training_fold import Fitted, TrainingFold
from icost.validation import import_extra

N_REPEATS = len(MEMBERS)
"""Cross-fitted repeats of an ensemble, each of five fits."""


def fit_crossed(base: Any, fold: TrainingFold, members: tuple[Any, ...] | None = None) -> Fitted:
    """Fit `icost.iCostEnsemble`; it heeds groups and, of two classes, the costs of errors."""
    options: dict[str, Any] = {}
    if fold.costs is not None and fold.n_classes == 2:
        cost_fn, cost_fp = fold.costs
        options = {"threshold": "cost", "cost_fn": cost_fn, "cost_fp": cost_fp}
    model = iCostEnsemble(
        base,
        members=members,
        minority_label=1 if fold.n_classes == 2 else None,
        preprocessor=None,
        random_state=fold.random_state,
        **options,
    )
    if fold.groups is None:
        return _timed(model, fold)
    try:
        return _timed(model, fold, groups=fold.groups)
    except GroupsHoldClass:
        note = "groups unheeded: some hold all rows of a class"
        return replace(_timed(model, fold), note=note)


def fit_blend(base: Any, fold: TrainingFold) -> Fitted:
    """Fit the ensemble of several classifiers; the base is ignored."""
    return fit_crossed("auto", fold)


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
