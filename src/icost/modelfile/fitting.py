"""`fit_model`: from a mixed table to a model with a record of how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline

from icost.classifier import iCost
from icost.complexity.methods import MEASURES, check_probe
from icost.ensemble import iCostEnsemble
from icost.ensemble.icost_ensemble import automatic_bases
from icost.labels import encode_labels, most_folds, named_minority, resolve_minority
from icost.metrics import classification_scores
from icost.modelfile.saved_model import SavedModel
from icost.modelfile.table_check import current_versions, describe_columns
from icost.penalties import PAPER
from icost.preprocessing import make_preprocessor, plain_table
from icost.strategies.classifiers import get_classifier
from icost.strategies.estimator import StrategyClassifier, check_classes, find_strategy
from icost.strategies.registry import CONTROLS, FITTABLE, Strategy
from icost.strategies.threshold import COST_THRESHOLD
from icost.thresholds import additive_scores, fit_tuned, tune_score_offsets
from icost.tuning import OffsetClassifier
from icost.validation import check_choice, check_number

if TYPE_CHECKING:
    import pandas as pd

ENSEMBLES = ("ensemble", "blend")
"""Ways that fit many models: of one classifier, or of several in place of the one named."""

WEIGHTED = ("ncs", "cs", *(name for name in MEASURES if name != "tree"))
"""Methods of `icost.iCost`."""

OWN = (*WEIGHTED, "threshold", "offsets", *ENSEMBLES)
"""Methods that are put together here; ``"threshold"`` and ``"offsets"`` move borders of plain fits.

All others are strategies, which are fitted as a comparison fits them.
"""

METHODS = (*OWN, *(name for name in FITTABLE if name not in OWN))
"""All ways to fit a model: every strategy that a comparison may recommend."""

WEIGHTING = ("penalty", "floor", "scale", "majority", "multiclass")
"""Parameters of `icost.iCost`, besides costs, that say how rows are weighted."""


def fit_model(
    X: Any,
    y: ArrayLike,
    *,
    classifier: str = "lr",
    method: str = "neighbor",
    calibrate: bool = False,
    minority_label: Any = None,
    costs: Mapping[str, float] | None = None,
    scaler: str = "standard",
    n_splits: int = 5,
    random_state: int = 0,
    tree_probe: str = "exact",
    weighting: Mapping[str, Any] | None = None,
    groups: ArrayLike | None = None,
    cost_fn: float | None = None,
    cost_fp: float = 1.0,
) -> SavedModel:
    """Fit a classifier with its preprocessing, and measure it on held-out folds.

    From a table as it comes, with text and gaps, to a model that takes such tables, knows how good
    it is and can be saved. Imputation, encoding and scaling are part of the model. It is fitted on
    all rows; the metrics in its record are of the same pipeline on folds that it had not seen.
    Costs are taken as given: `tune_model` searches for them, and `icost.comparison.compare` tells
    whether weights are worth it at all.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels.
    classifier : str, default="lr"
        A name of `icost.strategies.classifiers.CLASSIFIERS`; ``"blend"`` brings its own.
    method : str, default="neighbor"
        How rows are weighted, as for `icost.iCost`; ``"threshold"`` weights none and moves the
        threshold to where held-out folds have the best MCC, as the strategy of that name does, and
        ``"offsets"`` does so for any number of classes; ``"ensemble"`` is `icost.iCostEnsemble` of
        the classifier, ``"blend"`` that of four, which are calibrated by themselves and take no
        costs. Any other strategy that `icost.comparison.compare` may recommend, such as
        ``"smote"``, is fitted as it is there; controls are refused. `choose_model` finds the
        method as well.
    calibrate : bool, default=False
        Whether to calibrate probabilities on held-out folds, in which no row is weighted.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    costs : mapping, default=None
        Any of ``cfp``, ``cfs``, ``cfb``, ``cfo`` and ``cs_multiplier``, as multiples of the
        imbalance ratio.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    n_splits : int, default=5
        Folds for the metrics, the threshold and the calibration; no more than the rarest class has
        rows.
    random_state : int, default=0
        Seed.
    tree_probe : {"exact", "fast"}, default="exact"
        How the tree of ``"gini"`` is grown, as for `icost.iCost`; ``"fast"`` for large tables.
    weighting : mapping, default=None
        Any of ``penalty``, ``floor``, ``scale``, ``majority`` and ``multiclass`` of `icost.iCost`.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are held out together; for ensembles only.
    cost_fn : float, default=None
        Cost of a missed minority row, for ``"threshold-cost"`` and ensembles, which then decide by
        what errors cost.
    cost_fp : float, default=1.0
        Cost of a false alarm.

    Returns
    -------
    SavedModel
        The model on all rows, with the metrics of the folds in its record.

    See Also
    --------
    choose_model : The method that a comparison recommends, with an honest score.
    tune_model : The same with costs that were searched for.
    save_model : The model in a file.
    icost.comparison.compare : Which method, before you fit.

    Notes
    -----
    Metrics are of all held-out rows together, not means over folds. ``record["metrics_from"]`` says
    what they must not be taken for: those of ``"threshold"`` are optimistic, since the threshold
    was chosen on the same folds, and those of a calibrated model are of the probabilities before.
    Those of an ensemble are its ``oof_score_``, with ``metric_intervals``; its record has
    ``threshold`` and ``threshold_interval`` as well, None for more than two classes.

    Weights make probabilities of the minority too high, since the model learns from a table in
    which the minority is larger than it is. Calibration on rows that are not weighted puts them
    right. Labels stay as they were, or the weights would have been for nothing: a calibrated model
    predicts the minority also where its probability is far below one half.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> weighted = fit_model(X, y, method="cs", n_splits=3)
    >>> weighted.record["target"], sorted(weighted.record["metrics"])[:3]
    ('Class', ['accuracy', 'brier', 'f1'])

    Of these rows 8 % are minority. Weighted probabilities say 30 %, calibrated ones 8 % again:

    >>> calibrated = fit_model(X, y, method="cs", calibrate=True, n_splits=3)
    >>> shares = [model.predict_proba(X)[:, 1].mean() for model in (weighted, calibrated)]
    >>> [round(float(share), 2) for share in [(y == "positive").mean(), *shares]]
    [0.08, 0.3, 0.08]

    The labels are the same:

    >>> bool((weighted.predict(X) == calibrated.predict(X)).all())
    True
    """
    strategy = check_method(method)
    check_probe(method, tree_probe)
    table = plain_table(X)
    classes, codes = encode_labels(y)
    check_classes(strategy, len(classes))
    given = dict(weighting or {})
    for name in given:
        check_choice("a name in weighting", name, WEIGHTING)
    _refuse_without_effect(strategy, calibrate, costs, given)
    error_costs = _check_error_costs(strategy, cost_fn, cost_fp, len(classes))
    if groups is not None and not heeds_groups(method):
        raise ValueError(f"method {method!r} heeds no groups: groups must not be given, got some.")
    folds = make_folds(codes, n_splits, random_state)
    minority = named_minority(minority_label, classes)
    if len(classes) == 2:
        minority = resolve_minority(classes, codes, minority_label)
    task = _Task(table, codes, folds, minority, scaler, random_state, calibrate)
    if method in ENSEMBLES:
        made = _fit_ensemble(task, classifier, method, n_splits, error_costs, groups)
    elif method in OWN:
        own_method = "ncs" if method in ("threshold", "offsets") else method
        own = (classifier, own_method, minority, scaler, random_state, {**(costs or {}), **given})
        pipeline = make_pipeline(table, *own, tree_probe=tree_probe)
        made = _Made(*_fit(pipeline, task, method), [classifier])
    else:
        made = _fit_strategy(task, classifier, strategy, error_costs, groups)
    has_costs = method in OWN and method not in ENSEMBLES
    return SavedModel(
        made.estimator,
        {
            "classifier": ", ".join(made.classifiers),
            "method": method,
            "calibrated": calibrate or _calibrates_itself(strategy),
            "target": str(getattr(y, "name", None) or "class"),
            "classes": classes.tolist(),
            "minority": None if minority is None else classes.tolist()[minority],
            "rows": len(table),
            "columns": describe_columns(table),
            "costs": {**PAPER, "cs_multiplier": 1.0, **(costs or {})} if has_costs else {},
            **({"weighting": {name: str(value) for name, value in given.items()}} if given else {}),
            **({"error_costs": list(error_costs)} if error_costs else {}),
            "scaler": scaler,
            "tree_probe": tree_probe,
            "seed": random_state,
            "metrics": made.metrics,
            "metrics_from": _origin(folds.n_splits, strategy, calibrate),
            "versions": current_versions(*made.classifiers),
            **made.decision,
        },
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """What to fit to, and how to measure it: the same for all methods."""

    table: pd.DataFrame
    codes: NDArray[np.intp]
    folds: StratifiedKFold
    minority: int | None
    scaler: str
    seed: int
    calibrate: bool


@dataclass(frozen=True, eq=False)
class _Made:
    """A model on all rows, its metrics on held-out ones, its classifiers, and how it decides."""

    estimator: Any
    metrics: dict[str, float]
    classifiers: list[str]
    decision: dict[str, Any] = field(default_factory=dict)


def check_method(method: str) -> Strategy:
    """Return the strategy that a method is, or say which there are and why a control is none."""
    if isinstance(method, str) and method in CONTROLS:
        return find_strategy(method)  # raises with the reason
    return find_strategy(check_choice("method", method, METHODS))


def heeds_groups(method: str) -> bool:
    """Whether a method holds rows of one group out together."""
    return FITTABLE[method].group == "ensemble"


def heeds_error_costs(method: str) -> bool:
    """Whether a method decides by what errors cost, if it is told."""
    return heeds_groups(method) or method == COST_THRESHOLD


def _calibrates_itself(strategy: Strategy) -> bool:
    return strategy.group == "ensemble" or strategy.name == "calibrated"


def _refuse_without_effect(
    strategy: Strategy, calibrate: bool, costs: Any, weighting: Mapping[str, Any]
) -> None:
    method = strategy.name
    if calibrate and _calibrates_itself(strategy):
        raise ValueError(
            f"method {method!r} calibrates by itself: calibrate must be False, got True."
        )
    if calibrate and strategy.own_classifier:
        raise ValueError(
            f"method {method!r} cannot be calibrated: calibrate must be False, got True."
        )
    if method in OWN and method not in ENSEMBLES:
        return
    reason = "weights no rows" if method in ENSEMBLES else "is fitted as it is compared"
    for name, given in (("costs", costs), ("weighting", weighting)):
        if given:
            raise ValueError(f"method {method!r} {reason}: {name} must not be given, got {given}.")


def _check_error_costs(
    strategy: Strategy, cost_fn: float | None, cost_fp: float, n_classes: int
) -> tuple[float, float] | None:
    if cost_fn is None:
        if strategy.name == COST_THRESHOLD:
            raise ValueError(f"method {COST_THRESHOLD!r} needs cost_fn, got none.")
        return None
    if not heeds_error_costs(strategy.name):
        raise ValueError(
            f"method {strategy.name!r} decides by no costs of errors: cost_fn must not be given, "
            f"got {cost_fn}."
        )
    if n_classes > 2:
        raise ValueError(f"cost_fn needs a target of two classes, got {n_classes}.")
    return check_number("cost_fn", cost_fn, low=0), check_number("cost_fp", cost_fp, low=0)


def _fit_ensemble(
    task: _Task,
    classifier: str,
    method: str,
    n_splits: int,
    error_costs: tuple[float, float] | None,
    groups: ArrayLike | None,
) -> _Made:
    bases = automatic_bases()
    if method == "ensemble":
        bases = {classifier: get_classifier(classifier).make(task.seed)}
    # Preprocessing belongs to the members, so that synthetic rows are made of the table itself.
    members = [_prepared(task.table, task.scaler, base) for base in bases.values()]
    options: dict[str, Any] = {"n_splits": n_splits, "minority_label": task.minority}
    if error_costs is not None:
        cost_fn, cost_fp = error_costs
        options |= {"threshold": "cost", "cost_fn": cost_fn, "cost_fp": cost_fp}
    ensemble = iCostEnsemble(members, random_state=task.seed, **options)
    ensemble.fit(task.table, task.codes, groups=groups)
    return _Made(ensemble, _own_metrics(ensemble), list(bases), _decision(ensemble))


def _own_metrics(ensemble: iCostEnsemble) -> dict[str, float]:
    return {name: score["value"] for name, score in ensemble.oof_score_.items()}


def _decision(ensemble: iCostEnsemble) -> dict[str, Any]:
    """How a fitted ensemble decides, and how sure its scores are, for the record."""
    interval = ensemble.threshold_interval_
    scores = ensemble.oof_score_.items()
    return {
        "metric_intervals": {name: [score["low"], score["high"]] for name, score in scores},
        "threshold": ensemble.threshold_,
        "threshold_interval": None if interval is None else list(interval),
    }


def _fit_strategy(
    task: _Task,
    classifier: str,
    strategy: Strategy,
    error_costs: tuple[float, float] | None,
    groups: ArrayLike | None,
) -> _Made:
    """Fit what a comparison fits, whatever the strategy, on all rows."""
    options: dict[str, Any] = {"minority": task.minority, "costs": error_costs}
    base = get_classifier(classifier).make(task.seed)
    model = StrategyClassifier(strategy.name, base, random_state=task.seed, **options)
    pipeline = _prepared(task.table, task.scaler, model)
    if strategy.group == "ensemble":
        names = list(automatic_bases()) if strategy.own_classifier else [classifier]
        ensemble = pipeline.fit(task.table, task.codes, classify__groups=groups)[-1].model_
        return _Made(pipeline, _own_metrics(ensemble), names, _decision(ensemble))
    metrics = _held_out_metrics(pipeline, task)
    estimator: Any = pipeline
    if task.calibrate:
        estimator = CalibratedClassifierCV(pipeline, cv=task.folds, ensemble=False)
    names = [strategy.name if strategy.own_classifier else classifier]
    return _Made(estimator.fit(task.table, task.codes), metrics, names)


def _held_out_metrics(pipeline: Pipeline, task: _Task) -> dict[str, float]:
    """The metrics of a pipeline that decides in its own way, on rows that it has not seen."""
    codes, minority = task.codes, task.minority
    predicted, score, has_proba = np.empty_like(codes), np.empty(len(codes)), False
    for train, test in task.folds.split(task.table, codes):
        own = clone(pipeline).fit(task.table.iloc[train], codes[train])
        unseen = task.table.iloc[test]
        predicted[test] = own.predict(unseen)
        has_proba = hasattr(own, "predict_proba")
        if minority is not None and has_proba:
            score[test] = own.predict_proba(unseen)[:, minority]
        elif minority is not None:
            score[test] = (1 if minority == 1 else -1) * own.decision_function(unseen)
    known = None if minority is None else score
    proba = known if has_proba else None
    metrics = classification_scores(codes, predicted, known, proba, minority_label=minority)
    return {name: float(value) for name, value in metrics.items()}


def _origin(n_folds: int, strategy: Strategy, calibrate: bool) -> str:
    """Say where the metrics come from, and what a reader must not take them for."""
    if strategy.group == "ensemble":
        return "rows held out of the ensemble's members, calibration and threshold"
    parts = [f"{n_folds} stratified folds"]
    if strategy.name in ("threshold", "offsets"):
        chosen = "threshold was" if strategy.name == "threshold" else "offsets were"
        parts.append(f"optimistic, as the {chosen} chosen on them")
    if calibrate:
        parts.append("probabilities before calibration")
    return "; ".join(parts)


def make_pipeline(
    table: pd.DataFrame,
    classifier: str,
    method: str,
    minority: int | None,
    scaler: str,
    seed: int,
    costs: Mapping[str, Any] | None = None,
    tree_probe: str = "exact",
) -> Pipeline:
    """Return an unfitted pipeline for a plain table, the steps ``prepare`` and ``classify``."""
    base = get_classifier(classifier).make(seed)
    model = iCost(base, method=method, minority_label=minority, random_state=seed)
    model.set_params(tree_probe=tree_probe, **(costs or {}))
    return _prepared(table, scaler, model)


def _prepared(table: pd.DataFrame, scaler: str, model: Any) -> Pipeline:
    return Pipeline([("prepare", make_preprocessor(table, scaler)), ("classify", model)])


def make_folds(codes: NDArray[np.intp], n_splits: int, seed: int) -> StratifiedKFold:
    """Return stratified folds, no more than the rarest class has rows."""
    if most_folds(codes, 2) < 2:
        raise ValueError("every class needs at least two rows, got 1 of the rarest.")
    return StratifiedKFold(most_folds(codes, n_splits), shuffle=True, random_state=seed)


def _fit(pipeline: Pipeline, task: _Task, method: str) -> tuple[Any, dict[str, float]]:
    """The model on all rows, and its metrics on held-out ones."""
    table, codes, folds, minority = task.table, task.codes, task.folds, task.minority
    response = "predict_proba" if hasattr(pipeline, "predict_proba") else "decision_function"
    held_out = cross_val_predict(pipeline, table, codes, cv=folds, method=response)
    predicted, score = _decide(held_out, minority)
    estimator: Any = pipeline
    if method == "threshold" and score is not None and minority is not None:
        tuned = fit_tuned(pipeline, table, codes, folds, minority)
        threshold = getattr(tuned, "best_threshold_", None)
        if threshold is not None:
            predicted = np.where(score >= threshold, minority, 1 - minority)
            # Without the search and its scorer, which a model file has no use for.
            options = {"threshold": threshold, "pos_label": minority, "response_method": response}
            estimator = FixedThresholdClassifier(pipeline, **options)
    if method == "offsets":
        moved = additive_scores(held_out, response)
        offsets = tune_score_offsets(codes, moved)
        predicted = np.argmax(moved + offsets, axis=1)
        estimator = OffsetClassifier(pipeline, offsets=offsets, response_method=response)
    proba = score if response == "predict_proba" else None
    metrics = classification_scores(codes, predicted, score, proba, minority_label=minority)
    if task.calibrate:
        # One model on all rows and one calibrator on held-out rows: none of them is weighted.
        estimator = CalibratedClassifierCV(estimator, cv=folds, ensemble=False)
    return estimator.fit(table, codes), {name: float(value) for name, value in metrics.items()}


def _decide(
    held_out: NDArray[np.float64], minority: int | None
) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """Predicted codes and, of two classes, scores of the minority."""
    if minority is None:
        return np.argmax(held_out, axis=1), None
    if held_out.ndim == 2:
        score, cut = held_out[:, minority], 0.5
    else:
        score, cut = (held_out if minority == 1 else -held_out), 0.0
    return np.where(score > cut, minority, 1 - minority), score
