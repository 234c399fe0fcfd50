"""All candidates of one fold: what they share is computed once, and equal fits are done once.

`evaluate_candidates` stands on its own: give it a training and a test part, and it returns the
predictions and confusion matrices of every candidate.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d
from threadpoolctl import threadpool_limits

from icost._core.arrays import Floats, Ints
from icost._weights.base_fit import request_weights
from icost._weights.classifier import estimate, fit_target
from icost.metrics import confusion_matrices
from icost.penalties import Costs
from icost.tuning._sharing import (
    Group,
    Params,
    base_key,
    complexity_key,
    cost_prefix,
    group_candidates,
    head_key,
    is_shareable,
)

SMALL_TABLE = 10**6
"""Cells up to which threads of linear algebra cost more than they bring."""


@dataclass(frozen=True, eq=False)
class CandidateResults:
    """What all candidates of one fold predict, one row per candidate everywhere.

    Candidates with the same weights share a fit: ``fit_index`` says which one. ``fit_time`` leaves
    out what candidates share. Without a scorer its ``values`` are NaN.
    """

    classes: NDArray[Any]
    predictions: NDArray[Any]
    confusion: Ints
    fit_index: Ints
    fit_time: Floats
    score_time: Floats
    values: Floats


def evaluate_candidates(
    estimator: Any,
    X_train: Any,
    y_train: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    candidates: Sequence[Params],
    *,
    sample_weight: ArrayLike | None = None,
    fit_params: Mapping[str, Any] | None = None,
    scorer: Callable[..., float] | None = None,
) -> CandidateResults:
    """Fit every candidate on one training part and predict the test part."""
    fold = _Fold(
        estimator, X_train, column_or_1d(y_train), X_test, column_or_1d(y_test),
        sample_weight, dict(fit_params or {}), scorer,
    )  # fmt: skip
    with _limited_threads(X_train):
        fit_index = _fit_all(fold, candidates)
    return _collect(fold, fit_index)


def _limited_threads(X: Any) -> Any:
    n_cells = np.shape(X)[0] * np.shape(X)[1] if hasattr(X, "shape") else 0
    return threadpool_limits(1, "blas") if n_cells <= SMALL_TABLE else nullcontext()


@dataclass(frozen=True, eq=False)
class _Fold:
    """One fold, and what has been computed on it so far."""

    estimator: Any
    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    sample_weight: ArrayLike | None
    fit_params: dict[str, Any]
    scorer: Callable[..., float] | None
    shared: dict[Hashable, Any] = field(default_factory=dict)
    fits: dict[Hashable, tuple[int, _Fit]] = field(default_factory=dict)

    def once(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return what was computed under a key, computing it the first time."""
        if key not in self.shared:
            self.shared[key] = compute()
        return self.shared[key]


@dataclass(frozen=True, eq=False)
class _Fit:
    """What is kept of one fit; the model is not, since folds have many."""

    predictions: NDArray[Any]
    value: float
    fit_time: float
    score_time: float


def _fit_all(fold: _Fold, candidates: Sequence[Params]) -> Ints:
    fit_index = np.empty(len(candidates), dtype=np.intp)
    weight = () if fold.sample_weight is None else ("sample_weight",)
    shares = is_shareable(fold.estimator, (*fold.fit_params, *weight))
    fit_group = _fit_group if shares else _fit_separately
    for group in group_candidates(candidates, cost_prefix(fold.estimator)):
        fit_group(fold, group, fit_index)
    return fit_index


def _fit_separately(fold: _Fold, group: Group, fit_index: Ints) -> None:
    """Fit each candidate as a whole, where nothing is known about the steps before iCost."""
    prefix = cost_prefix(fold.estimator)
    params = whole_fit_params(fold.estimator, fold.fit_params, fold.sample_weight)
    for position, costs in group.members:
        named_costs = {prefix + name: value for name, value in costs.items()}
        model = configure(fold.estimator, {**group.structure, **named_costs})
        start = time.perf_counter()
        model.fit(fold.X_train, fold.y_train, **params)
        fit = _measure(fold, model, fold.X_test, model, time.perf_counter() - start)
        fit_index[position] = len(fold.fits)
        fold.fits[position] = (len(fold.fits), fit)


def _estimate_quietly(model: Any, train: Any, fold: _Fold) -> Any:
    """Estimate complexity; of spreads that differ, the fit to all rows tells, once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the spreads of the columns differ", UserWarning)
        return estimate(model, train, fold.y_train, fold.sample_weight)


def _fit_group(fold: _Fold, group: Group, fit_index: Ints) -> None:
    """Fit candidates that differ in costs only, each distinct vector of weights once."""
    prefix = cost_prefix(fold.estimator)
    head, model = _configure(fold, group.structure)
    keys = head_key(group.structure, prefix), base_key(group.structure, prefix)
    fitted_head, train, test = fold.once(("head", keys[0]), lambda: _transform(fold, head))
    target = fold.once(
        ("complexity", keys[0], complexity_key(group.structure, prefix, model.method)),
        lambda: _estimate_quietly(model, train, fold),
    )
    # The first fit of a base classifier checks table and parameters, so the rest need not.
    checks: Any = nullcontext()
    for position, costs in group.members:
        candidate = _with_costs(model, costs)
        candidate_costs = Costs.of(candidate)
        columns = [problem.weights(candidate_costs) for problem in target.problems]
        weights = target.with_user_weight(columns)
        # Getting no weights is not always as getting ones, hence the first part.
        key = (*keys, candidate_costs is None, weights.tobytes())
        if key not in fold.fits:
            with checks:
                start = time.perf_counter()
                fit_target(candidate, train, target, columns, fold.fit_params)
                fit_time = time.perf_counter() - start
                # All steps are fitted already, so that this pipeline is too.
                whole = Pipeline([*fitted_head.steps, ("icost", candidate)]) if head else candidate
                fit = _measure(fold, candidate, test, whole, fit_time)
            fold.fits[key] = (len(fold.fits), fit)
            checks = config_context(assume_finite=True, skip_parameter_validation=True)
        fit_index[position] = fold.fits[key][0]


def configure(estimator: Any, params: Params) -> Any:
    """Return an unfitted copy of an estimator with other parameters.

    Where metadata routing is on, a pipeline routes weights to iCost.
    """
    copies = {name: clone(value, safe=False) for name, value in params.items()}
    configured = clone(estimator).set_params(**copies)
    if get_config()["enable_metadata_routing"]:
        request_weights(configured)
    return configured


def whole_fit_params(
    estimator: Any, fit_params: Params, sample_weight: ArrayLike | None
) -> dict[str, Any]:
    """Return parameters of iCost's ``fit`` as the ``fit`` of the whole estimator takes them."""
    prefix = "" if get_config()["enable_metadata_routing"] else cost_prefix(estimator)
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    return {prefix + name: value for name, value in {**fit_params, **weight}.items()}


def _configure(fold: _Fold, structure: Params) -> tuple[Pipeline | None, Any]:
    """Steps before iCost, if there are any, and iCost, as a group of candidates has them."""
    configured = configure(fold.estimator, structure)
    if not isinstance(configured, Pipeline):
        return None, configured
    return configured[:-1] if len(configured.steps) > 1 else None, configured.steps[-1][1]


def _transform(fold: _Fold, head: Pipeline | None) -> tuple[Pipeline | None, Any, Any]:
    if head is None:
        return None, fold.X_train, fold.X_test
    train = head.fit_transform(fold.X_train, fold.y_train)
    return head, train, head.transform(fold.X_test)


def _with_costs(model: Any, costs: Params) -> Any:
    """A copy with other costs: of a hundred candidates, clones would cost more than some fits."""
    candidate = copy.copy(model)
    vars(candidate).update(costs)
    return candidate


def _measure(fold: _Fold, model: Any, X_test: Any, whole: Any, fit_time: float) -> _Fit:
    """Predict with a fitted model on its own table, and score the whole on the user's."""
    start = time.perf_counter()
    predictions = model.predict(X_test)
    value = np.nan if fold.scorer is None else fold.scorer(whole, fold.X_test, fold.y_test)
    return _Fit(predictions, value, fit_time, time.perf_counter() - start)


def _collect(fold: _Fold, fit_index: Ints) -> CandidateResults:
    fits = [fit for _, fit in fold.fits.values()]
    classes = np.unique(np.concatenate([fold.y_train, fold.y_test]))
    distinct = np.array([fit.predictions for fit in fits])
    confusion = confusion_matrices(
        np.searchsorted(classes, fold.y_test), np.searchsorted(classes, distinct), len(classes)
    )
    times = np.array([(fit.fit_time, fit.score_time) for fit in fits])[fit_index]
    return CandidateResults(
        classes,
        distinct[fit_index],
        confusion[fit_index],
        fit_index,
        times[:, 0],
        times[:, 1],
        np.array([fits[i].value for i in fit_index]),
    )
