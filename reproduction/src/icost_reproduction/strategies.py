"""The strategies of the studies: those of the library under the paper's names, and many more.

Controls show what a gain is due to, variants were tried and not adopted, peers are measured
against. Recorded rows name them, so a name here never changes its meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import RepeatedStratifiedKFold

from icost import iCost
from icost_reproduction._internals import (
    LIBRARY,
    MEASURE_LABELS,
    MEMBERS,
    RESAMPLER_LABELS,
    Costs,
    DelegatingClassifier,
    FitResult,
    Strategy,
    Target,
    TrainingFold,
    build_weighted,
    by_name,
    check_choice,
    encode_labels,
    ensemble,
    estimate,
    fit_estimator,
    fit_target,
    imblearn_ensemble,
    most_folds,
    shared_target,
    weighted,
    weighted_result,
)
from icost_reproduction.grids import GridSearch
from icost_reproduction.thresholds import RecordedOffsets, RecordedThreshold

Rearrange = Callable[[NDArray[np.float64], np.random.Generator], NDArray[np.float64]]
"""From the penalties of a minority, in the order of its rows, to those of a control."""


def same_total(penalties: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Give each minority row the mean: uniform weights with iCost's total."""
    return np.full_like(penalties, penalties.mean())


def permuted(penalties: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Deal the penalties to the minority rows at random."""
    return rng.permutation(penalties)


class RearrangedICost(DelegatingClassifier):
    """`icost.iCost` whose penalties are rearranged within each minority before the fit."""

    def __init__(self, estimator: iCost, rearrange: Rearrange, random_state: int = 0) -> None:
        self.estimator = estimator
        self.rearrange = rearrange
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> RearrangedICost:
        """Estimate complexity, rearrange the penalties and fit the base classifier."""
        return self.fit_target(X, estimate(self.estimator, X, y))

    def fit_target(self, X: Any, target: Target) -> RearrangedICost:
        """Fit with a complexity that is estimated already."""
        self.model_ = fit_target(clone(self.estimator), X, target, self.weight_columns(target))
        self.classes_ = self.model_.classes_
        return self

    def weight_columns(self, target: Target) -> list[NDArray[np.float64]]:
        """Return the weights of each problem; its total stays that of iCost."""
        costs, rng = Costs.of(self.estimator), np.random.default_rng(self.random_state)
        return [
            problem.spread(self.rearrange(problem.penalties(costs), rng))
            for problem in target.problems
        ]


@fit_estimator.register
def _fit_rearranged(estimator: RearrangedICost, fold: TrainingFold) -> FitResult:
    target, seconds = shared_target(estimator.estimator, fold)
    start = perf_counter()
    estimator.fit_target(fold.X, target)
    fit_time = perf_counter() - start
    return weighted_result(estimator, estimator.estimator, target, fit_time, seconds)


class CalibratedEnsemble(DelegatingClassifier):
    """scikit-learn's calibrated ensemble of as many models as `icost.iCostEnsemble` has."""

    def __init__(self, estimator: Any, random_state: int | None = 0) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> CalibratedEnsemble:
        """Fit and calibrate on repeated folds."""
        self.classes_, codes = encode_labels(y)
        folds = RepeatedStratifiedKFold(
            n_splits=max(2, most_folds(codes, 5)),
            n_repeats=len(MEMBERS),
            random_state=self.random_state,
        )
        model = CalibratedClassifierCV(clone(self.estimator), cv=folds, ensemble=True)
        self.model_ = model.fit(X, y)
        return self


def _build_control(base: Any, *, rearrange: Rearrange, **options: Any) -> RearrangedICost:
    return RearrangedICost(build_weighted(base, **options), rearrange, options["random_state"])


def _build_calibrated(base: Any, *, random_state: int | None, **unused: Any) -> Any:
    return CalibratedEnsemble(base, random_state)


def _build_tuned(
    base: Any, *, grid: str, minority_label: Any, costs: Any, random_state: int
) -> Any:
    return GridSearch(base, grid, minority_label, random_state)


def _control(name: str, label: str, method: str, rearrange: Rearrange) -> Strategy:
    builder = partial(_build_control, method=method, rearrange=rearrange)
    return Strategy(name, label, "control", builder, is_control=True)


def _build_threshold(base: Any, *, method: str, costs: Any, **options: Any) -> RecordedThreshold:
    return RecordedThreshold(build_weighted(base, method=method, **options), **options)


def _build_offsets(base: Any, *, method: str, **options: Any) -> RecordedOffsets:
    return RecordedOffsets(build_weighted(base, method=method, **options), options["random_state"])


def _threshold(name: str, label: str, method: str) -> Strategy:
    builder = partial(_build_threshold, method=method)
    return Strategy(name, label, "threshold", builder, binary_only=True, holds_out=True)


def _offsets(name: str, label: str, method: str) -> Strategy:
    builder = partial(_build_offsets, method=method)
    return Strategy(name, label, "threshold", builder, holds_out=True)


def _tuned(name: str, label: str) -> Strategy:
    builder = partial(_build_tuned, grid=f"grid-{name}")
    return Strategy(f"tuned-{name}", label, "tuned", builder, holds_out=True)


SCALES = (1.0, 0.3)
"""Scales at which plausible weights are tried."""


def _measure(method: str) -> list[Strategy]:
    """A measure with the paper's costs, its control, and plausible weights of it."""
    label, strategies = MEASURE_LABELS[method], []
    if method not in ("neighbor", "gini"):
        strategies.append(LIBRARY[method])
        control = _control(f"{method}-mean", f"{label}, same-total", method, same_total)
        strategies.append(control)
    for majority, name in (("plausible", "both"), ("flat", "plausible")):
        sides = "two-sided" if name == "both" else "one-sided"
        for scale in SCALES:
            strategies.append(
                weighted(
                    f"{method}-{name}-{scale:g}",
                    f"{label}, plausible, {sides}, scale {scale:g}",
                    method,
                    control="cs" if scale == 1 else "cs-0.3",
                    penalty="plausible",
                    scale=scale,
                    majority=majority,
                )
            )
    return strategies


def _several(method: str, label: str) -> list[Strategy]:
    """A method with the two other ways to learn several classes."""
    decompositions = {"ovo": "pairs", "direct": "all at once"}
    return [
        weighted(f"{method}-{decomposition}", f"{label}, {name}", method, multiclass=decomposition)
        for decomposition, name in decompositions.items()
    ]


N_REPEATS = len(MEMBERS)
"""Cross-fitted repeats of an ensemble, each of five fits."""

TEN_FITS = ("plain", "smote-half")
"""The best members of ten fits, on the data sets they were developed on."""

WITH_HALF = ("plain", "smote", "smote-half", "smote")
"""The members that the first trials of the ensemble ended with."""


def _ensemble(name: str, label: str, **params: Any) -> Strategy:
    """An ensemble as it was when its rows were recorded: all members, and no recalibration."""
    return ensemble(name, label, recalibrate=False, refit=False, **params)


STRATEGIES: dict[str, Strategy] = by_name(
    replace(LIBRARY["ncs"], label="NCS"),
    LIBRARY["cs"],
    LIBRARY["neighbor"],
    LIBRARY["gini"],
    _control("neighbor-mean", "Neighbor, same-total", "neighbor", same_total),
    _control("gini-mean", "Gini, same-total", "gini", same_total),
    _control("neighbor-permuted", "Neighbor, permuted", "neighbor", permuted),
    _control("gini-permuted", "Gini, permuted", "gini", permuted),
    *(LIBRARY[name] for name in RESAMPLER_LABELS),
    _tuned("cs", "Tuned CSL (3)"),
    _tuned("cs-81", "Tuned CSL (81)"),
    _tuned("neighbor", "Tuned Neighbor-iCost"),
    _tuned("gini", "Tuned Gini-iCost"),
    _threshold("threshold", "Tuned threshold", "ncs"),
    _threshold("threshold-cs", "CS, tuned threshold", "cs"),
    *(strategy for method in MEASURE_LABELS for strategy in _measure(method)),
    replace(weighted("cs-0.3", "CS, scale 0.3", "cs", scale=0.3), group="control", is_control=True),
    *_several("cs", "CS"),
    *_several("neighbor", "Neighbor-iCost"),
    *_several("gini", "Gini-iCost"),
    *_several("margin", "Margin-iCost"),
    _offsets("offsets", "Tuned offsets", "ncs"),
    _offsets("offsets-cs", "CS, tuned offsets", "cs"),
    _offsets("offsets-neighbor", "Neighbor-iCost, tuned offsets", "neighbor"),
    _ensemble("ensemble", "Ensemble"),
    _ensemble("ensemble-10", "Ensemble, 10 fits", members=TEN_FITS),
    _ensemble("ensemble-half", "Ensemble with SMOTE½", members=WITH_HALF),
    _ensemble("ensemble-plain", "Ensemble of plain members", members=("plain",) * N_REPEATS),
    _ensemble("blend", "Blend", is_blend=True),
    _ensemble("blend-10", "Blend, 10 fits each", is_blend=True, members=TEN_FITS),
    _ensemble("blend-half", "Blend with SMOTE½", is_blend=True, members=WITH_HALF),
    Strategy("calibrated", "CalibratedClassifierCV", "peer", _build_calibrated, is_calibrated=True),
    LIBRARY["balanced-rf"],
    imblearn_ensemble("easy-ensemble", "EasyEnsemble", "EasyEnsembleClassifier"),
    imblearn_ensemble("rusboost", "RUSBoost", "RUSBoostClassifier"),
)
"""All strategies of the studies by name, in the order of tables."""


def get_strategy(name: str) -> Strategy:
    """Return a strategy by its name in plans and rows, with the paper's label.

    Parameters
    ----------
    name : str
        A name in `STRATEGIES`; another one raises a ValueError that lists them all.

    Returns
    -------
    Strategy
        The entry of the table.

    See Also
    --------
    load_plan : Checks the names of a plan.

    Examples
    --------
    >>> from icost_reproduction import STRATEGIES, get_strategy
    >>> get_strategy("tuned-cs-81").label
    'Tuned CSL (81)'

    Those that bring a classifier of their own are run once per fold:

    >>> [name for name, strategy in STRATEGIES.items() if strategy.own_classifier]
    ['blend', 'blend-10', 'blend-half', 'balanced-rf', 'easy-ensemble', 'rusboost']
    """
    return STRATEGIES[check_choice("a strategy", name, STRATEGIES)]
