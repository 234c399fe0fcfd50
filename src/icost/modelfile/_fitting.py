"""`fit_model`: from a mixed table to a model with a record of how it was made."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from icost._core.arrays import Floats, Ints
from icost._core.doubts import ONE_MODEL_LEVEL, DoubtfulTable, warn_if_few, warn_of_leak
from icost._core.labels import (
    encode_groups,
    encode_labels,
    most_folds,
    named_minority,
    resolve_minority,
)
from icost._core.validation import check_choice, check_number
from icost._table._columns import plain_table, read_table
from icost._table._encoder import TableEncoder
from icost._weights.classifier import iCost
from icost.comparison._fold_run import FoldResult
from icost.comparison._guessing import can_be_shown, p_value
from icost.complexity._methods import check_probe, measure_of
from icost.complexity._probe import PROBES
from icost.ensemble import iCostEnsemble
from icost.ensemble._icost_ensemble import automatic_bases
from icost.metrics import classification_scores
from icost.modelfile._saved_model import SavedModel
from icost.modelfile._table_check import current_versions, describe_columns
from icost.strategies import Strategy, get_strategy
from icost.strategies._estimators import (
    CLASSIFIERS,
    RowCosts,
    cost_columns,
    get_classifier,
    number_costs,
)
from icost.strategies._fitting import costs_in_effect
from icost.thresholds import LeastCost, ThresholdClassifier
from icost.thresholds._certificate import NotCertified, cut_table
from icost.thresholds._rules import parse_rule

if TYPE_CHECKING:
    import pandas as pd

N_SPLITS = 5
"""Folds of a calibration where no other number is given."""

WEIGHTING = ("penalty", "floor", "scale", "majority", "multiclass")
"""Parameters of `icost.iCost`, besides costs, that say how rows are weighted."""

NO_BETTER = (
    "This model is no better than guessing on rows that it has not seen: check the target and the "
    "columns."
)
"""What the record of such a model says."""

FEW_GROUPS = "There are too few groups to show whether this model is better than guessing."
"""What the record says where even a perfect model would seem to guess."""


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
    n_splits: int | None = 5,
    random_state: int = 0,
    tree_probe: str = "exact",
    weighting: Mapping[str, Any] | None = None,
    groups: ArrayLike | None = None,
    cost_fn: float | str | None = None,
    cost_fp: float | str = 1.0,
    decide: Any = None,
) -> SavedModel:
    """Fit a classifier with its preprocessing, and measure it on held-out folds.

    From a table as it comes, with text and gaps, to a model that takes such tables, knows how good
    it is and can be saved. Imputation, encoding and scaling are part of the model. It is fitted on
    all rows; the metrics in its record are of the same pipeline on folds that it had not seen.
    Costs are taken as given: `icost.iCostCV` searches for them, and `icost.comparison.compare`
    says whether weights are worth it at all.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels.
    classifier : str, default="lr"
        A name such as ``"lr"`` or ``"logistic"``, ``"rf"`` or ``"forest"``, ``"hgb"`` or
        ``"boosting"``; the strategy ``"blend"`` brings its own.
    method : str, default="neighbor"
        A strategy of `icost.strategies.list_strategies`, fitted as `icost.comparison.compare` fits
        it. Controls are refused. `choose_model` finds the strategy as well.
    calibrate : bool, default=False
        Whether to calibrate probabilities on held-out folds, in which no row is weighted.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    costs : mapping, default=None
        Any of ``cfp``, ``cfs``, ``cfb`` and ``cfo``, as multiples of the imbalance ratio.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    n_splits : int or None, default=5
        Folds for the metrics and for ``calibrate``; no more than the rarest class has rows. None
        measures nothing: for a model whose scores are known from elsewhere.
    random_state : int, default=0
        Seed.
    tree_probe : {"exact", "fast"}, default="exact"
        How the tree of ``"gini"`` is grown, as for `icost.iCost`; ``"fast"`` for large tables.
    weighting : mapping, default=None
        Any of ``penalty``, ``floor``, ``scale``, ``majority`` and ``multiclass`` of `icost.iCost`.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are held out together, also by strategies that hold rows out themselves.
    cost_fn : float or str, default=None
        Cost of a missed minority row, for ``decide="cost"``, ``"threshold-cost"`` and ensembles,
        which then decide by what errors cost; also a column of ``X`` with the cost of each row.
    cost_fp : float or str, default=1.0
        Cost of a false alarm.
    decide : str, float or rule object, default=None
        What the threshold is chosen for, such as ``"recall>=0.8"``: a rule of
        `icost.ThresholdClassifier`, for tuned thresholds and ensembles.

    Returns
    -------
    SavedModel
        The model on all rows, with the metrics of the folds in its record.

    See Also
    --------
    choose_model : The method that a comparison recommends, with an honest score.
    save_model : The model in a file.
    icost.comparison.compare : Which method, before you fit.

    Notes
    -----
    Metrics are of all held-out rows together, not means over folds. ``record["metrics_from"]`` says
    what they must not be taken for: those of a calibrated model are of the probabilities before.
    Thresholds and offsets are tuned anew in each training fold. The metrics of an ensemble are its
    ``oof_score_``, with ``metric_intervals``; its record has ``threshold`` and
    ``threshold_interval`` as well, None for more than two classes.

    Weights make probabilities of the minority too high, and calibration on rows that are not
    weighted puts them right. Labels stay as they were, or the weights would have been for nothing.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> weighted = fit_model(X, y, method="cs", n_splits=3)
    >>> weighted.record["target"], sorted(weighted.record["metrics"])[:3]
    ('Class', ['accuracy', 'brier', 'f1'])
    """
    strategy = check_method(method)
    check_probe(method, tree_probe)
    table = plain_table(X)
    classes, codes = encode_labels(y)
    check_classes(strategy, len(classes))
    rule = None if decide is None else parse_rule(decide, "decide")
    by_costs = isinstance(rule, LeastCost) and rule.cost_matrix is None
    error_costs = check_error_costs(strategy, cost_fn, cost_fp, len(classes), by_costs)
    columns = cost_columns(table, error_costs)
    minority = named_minority(minority_label, classes)
    if len(classes) == 2:
        minority = resolve_minority(classes, codes, minority_label)
    given = {**(costs or {}), **_check_weighting(weighting)}
    base = get_classifier(classifier)
    model = strategy.build(
        base.make(random_state),
        minority_label=minority,
        costs=number_costs(error_costs),
        random_state=random_state,
    )
    _refuse_without_effect(strategy, model, calibrate, costs, weighting)
    if isinstance(model, iCost):
        model.set_params(tree_probe=tree_probe, **given)
    if rule is not None:
        _set_rule(strategy, model, decide, by_costs, number_costs(error_costs))
    encoder = TableEncoder(scaler=scaler, types=read_table(table).types)
    encoder.set_output(transform="default")
    pipeline = Pipeline([("prepare", encoder), ("classify", model)])
    unfitted = RowCosts(pipeline, **columns) if columns else pipeline
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoubtfulTable)  # said once, and not for each fold
        rows = _Rows(table, codes, minority, encode_groups(groups, len(codes)))
        estimator, measured = _fit(unfitted, rows, n_splits, calibrate, random_state)
    _warn_of_doubts(codes, classes, measured)
    record = model_record(
        estimator,
        table,
        y,
        classifier=base.name,
        strategy=strategy,
        minority_label=minority_label,
        error_costs=error_costs,
        scaler=scaler,
        random_state=random_state,
        weighting=weighting,
    )
    return SavedModel(estimator, record | measured)


def _warn_of_doubts(codes: Ints, classes: NDArray[Any], measured: Mapping[str, Any]) -> None:
    """Warn whoever called `fit_model` of few rows, of a leak and of guessing."""
    if warn_if_few(codes, classes, stacklevel=3):
        warn_of_leak(measured["metrics"].get("roc_auc", 0.0), stacklevel=3)
    for note in measured.get("notes", ()):
        warnings.warn(note, DoubtfulTable, stacklevel=3)


def model_record(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    classifier: str,
    strategy: Strategy,
    minority_label: Any,
    error_costs: tuple[Any, Any] | None,
    scaler: str,
    random_state: int,
    weighting: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a file says about a fitted model, but for its scores."""
    table, names = plain_table(X), _classifier_names(strategy, classifier)
    classes, codes = encode_labels(y)
    minority = resolve_minority(classes, codes, minority_label) if len(classes) == 2 else None
    last = _last_step(estimator)
    packages = [CLASSIFIERS[name].package for name in names if name in CLASSIFIERS]
    return {
        "classifier": ", ".join(names),
        "method": strategy.name,
        "calibrated": _is_calibrated(estimator) or strategy.is_calibrated,
        "target": str(getattr(y, "name", None) or "class"),
        "classes": classes.tolist(),
        "minority": None if minority is None else classes.tolist()[minority],
        "rows": len(table),
        "columns": describe_columns(table),
        "costs": _recorded_costs(last),
        **({"weighting": {n: str(v) for n, v in weighting.items()}} if weighting else {}),
        **({"error_costs": list(error_costs)} if error_costs else {}),
        "scaler": scaler,
        "tree_probe": getattr(last, "tree_probe", PROBES[0]),
        "seed": random_state,
        "versions": current_versions(strategy.package, *packages),
        **(_ensemble_record(last) if isinstance(last, iCostEnsemble) else _decision_record(last)),
    }


def check_method(method: str) -> Strategy:
    """Return a strategy that can be kept, by name; controls are refused with their reason."""
    strategy = get_strategy(method)
    if strategy.is_control:
        raise ValueError(
            f"{method!r} is a control: it shows what a gain is due to, and is no model to keep."
        )
    return strategy


def check_classes(strategy: Strategy, n_classes: int) -> None:
    """Refuse a strategy for two classes where there are more."""
    if strategy.binary_only and n_classes > 2:
        raise ValueError(f"Strategy {strategy.name!r} needs two classes, got {n_classes}.")


def _check_weighting(weighting: Mapping[str, Any] | None) -> dict[str, Any]:
    for name in weighting or {}:
        check_choice("a name in weighting", name, WEIGHTING)
    return dict(weighting or {})


def _refuse_without_effect(
    strategy: Strategy, model: Any, calibrate: bool, costs: Any, weighting: Any
) -> None:
    name = strategy.name
    if calibrate and strategy.is_calibrated:
        raise ValueError(f"Strategy {name!r} is calibrated already: calibrate must be False.")
    if calibrate and strategy.own_classifier:
        raise ValueError(f"Strategy {name!r} cannot be calibrated: calibrate must be False.")
    if isinstance(model, iCost):
        if costs and measure_of(model) is None:
            raise ValueError(f"Strategy {name!r} has no categories: costs must not be given.")
        return
    for option, given in (("costs", costs), ("weighting", weighting)):
        if given:
            raise ValueError(f"Strategy {name!r} weights no rows: {option} must not be given.")


def _set_rule(
    strategy: Strategy, model: Any, decide: Any, by_costs: bool, costs: tuple[float, float] | None
) -> None:
    """Make a model decide by a rule, or raise before anything is fitted."""
    takes_rule = isinstance(model, ThresholdClassifier | iCostEnsemble)
    if not takes_rule or (strategy.needs_costs and not by_costs):
        raise ValueError(
            f"Strategy {strategy.name!r} has a rule of its own: decide needs 'threshold' or an "
            "ensemble."
        )
    is_ensemble = isinstance(model, iCostEnsemble)
    model.set_params(**{"threshold" if is_ensemble else "rule": decide})
    if costs is not None:
        model.set_params(cost_fn=costs[0], cost_fp=costs[1])


def check_error_costs(
    strategy: Strategy, cost_fn: Any, cost_fp: Any, n_classes: int, by_costs: bool
) -> tuple[Any, Any] | None:
    """Return what errors cost, None where nothing is given, or raise."""
    if cost_fn is None:
        if strategy.needs_costs or by_costs:
            asking = "decide='cost'" if by_costs else f"Strategy {strategy.name!r}"
            raise ValueError(f"{asking} needs cost_fn, the cost of a miss.")
        return None
    # A threshold is moved by any rule, also by one that its strategy does not start with.
    if not strategy.supports_costs and not (by_costs and strategy.group == "threshold"):
        raise ValueError(
            f"Strategy {strategy.name!r} does not support costs of errors: cost_fn must not be "
            f"given, got {cost_fn}."
        )
    if n_classes > 2:
        raise ValueError(f"cost_fn needs a target of two classes, got {n_classes}.")
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if not isinstance(cost, str):
            check_number(name, cost, low=0)
    return cost_fn, cost_fp


def _classifier_names(strategy: Strategy, classifier: str) -> list[str]:
    """Return the classifiers in a model, for its record."""
    if not strategy.own_classifier:
        return [classifier]
    return list(automatic_bases()) if strategy.group == "ensemble" else [strategy.name]


def _recorded_costs(model: Any) -> dict[str, float]:
    if not isinstance(model, iCost):
        return {}
    return costs_in_effect(model, measure_of(model) is not None)


def make_folds(codes: Ints, n_splits: int, seed: int, groups: Ints | None = None) -> Any:
    """Return stratified folds, no more than the rarest class has rows, or than there are groups."""
    if most_folds(codes, 2) < 2:
        raise ValueError("every class needs at least two rows, got 1 of the rarest.")
    n_folds = most_folds(codes, n_splits)
    if groups is None:
        return StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    n_folds = min(n_folds, len(np.unique(groups)))
    return StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)


@dataclass(frozen=True, eq=False)
class _Rows:
    """What a model is fitted to: ``minority`` is a code, None for more than two classes."""

    table: pd.DataFrame
    codes: Ints
    minority: int | None
    groups: Ints | None


def _classifier(pipeline: Any) -> Any:
    """Return the last step of a pipeline that is not fitted."""
    return (pipeline.estimator if isinstance(pipeline, RowCosts) else pipeline)[-1]


def _group_params(pipeline: Any, groups: Ints | None) -> dict[str, Any]:
    """Return what a pipeline's ``fit`` gets if its classifier holds groups out together."""
    is_for_groups = groups is not None and has_fit_parameter(_classifier(pipeline), "groups")
    return {"classify__groups": groups} if is_for_groups else {}


def _fit(
    pipeline: Any, rows: _Rows, n_splits: int | None, calibrate: bool, random_state: int
) -> tuple[Any, dict[str, Any]]:
    """Return the model on all rows, and what its record says about rows that it has not seen."""
    table, codes, groups = rows.table, rows.codes, rows.groups
    fit_params = _group_params(pipeline, groups)
    if isinstance(_classifier(pipeline), iCostEnsemble):
        # An ensemble holds rows out by itself.
        pipeline.fit(table, codes, **fit_params)
        ensemble = _last_step(pipeline)
        return pipeline, _ensemble_record(ensemble) | _ensemble_note(ensemble, rows)
    measured: dict[str, Any] = {"metrics": {}, "metrics_from": "no rows"}
    if n_splits is not None:
        measured = _measure(pipeline, rows, n_splits, calibrate, random_state)
    if not calibrate:
        return pipeline.fit(table, codes, **fit_params), measured
    folds = make_folds(codes, n_splits or N_SPLITS, random_state, groups)
    # One model on all rows and one calibrator on held-out rows: none of them is weighted.
    splits = list(folds.split(table, codes, groups))
    calibrated = CalibratedClassifierCV(pipeline, cv=splits, ensemble=False)
    return calibrated.fit(table, codes), measured


def _is_calibrated(estimator: Any) -> bool:
    return hasattr(estimator, "calibrated_classifiers_")


def _last_step(estimator: Any) -> Any:
    """Return what decides in a fitted model; it is not fitted itself where it is calibrated."""
    if _is_calibrated(estimator):
        return _classifier(estimator.estimator)
    inner = estimator.model_ if isinstance(estimator, RowCosts) else estimator
    return inner[-1] if isinstance(inner, Pipeline) else None


def _decision_record(model: Any) -> dict[str, Any]:
    """Return how a fitted classifier decides, where a rule chose its threshold."""
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return {}
    interval = certificate.threshold_interval
    return {
        "threshold": certificate.threshold,
        "threshold_interval": None if interval is None else list(interval),
        "certificate": str(certificate),
        "cuts": cut_table(model.held_out_),
    }


def _ensemble_note(ensemble: iCostEnsemble, rows: _Rows) -> dict[str, Any]:
    """Return the note on guessing by the rows that an ensemble held out itself."""
    proba = ensemble.oof_proba_
    ranking = None if rows.minority is None else proba[:, rows.minority]
    predicted = np.argmax(np.nan_to_num(proba), axis=1)
    return _guessing_note(rows, [np.flatnonzero(~np.isnan(proba[:, 0]))], predicted, ranking)


def _ensemble_record(ensemble: iCostEnsemble) -> dict[str, Any]:
    """Return how good a fitted ensemble is, and how sure its scores are."""
    scores = ensemble.oof_score_.items()
    return {
        "metrics": {name: score["value"] for name, score in scores},
        "metrics_from": "rows held out of the ensemble's members, calibration and threshold",
        "metric_intervals": {name: [score["low"], score["high"]] for name, score in scores},
        "threshold": None,
        "threshold_interval": None,
        **_decision_record(ensemble),
    }


def _measure(
    pipeline: Any, rows: _Rows, n_splits: int, calibrate: bool, random_state: int
) -> dict[str, Any]:
    """Return the metrics of a pipeline, with all that it tunes, on rows that it has not seen."""
    table, codes, minority, groups = rows.table, rows.codes, rows.minority, rows.groups
    predicted, score, has_proba = np.empty_like(codes), np.empty(len(codes)), False
    folds, tests = make_folds(codes, n_splits, random_state, groups), []
    for train, test in folds.split(table, codes, groups):
        within = _group_params(pipeline, None if groups is None else groups[train])
        with warnings.catch_warnings():
            # Said once, about the certificate of the model that is kept.
            warnings.simplefilter("ignore", NotCertified)
            fitted = clone(pipeline).fit(table.iloc[train], codes[train], **within)
        unseen = table.iloc[test]
        predicted[test] = fitted.predict(unseen)
        has_proba = hasattr(fitted, "predict_proba")
        if minority is not None and has_proba:
            score[test] = fitted.predict_proba(unseen)[:, minority]
        elif minority is not None:
            score[test] = (1 if minority == 1 else -1) * fitted.decision_function(unseen)
        tests.append(test)
    ranking = None if minority is None else score
    proba = ranking if has_proba else None
    metrics = classification_scores(codes, predicted, ranking, proba, minority_label=minority)
    origin = f"{folds.n_splits} stratified folds{'' if groups is None else ' of whole groups'}"
    return {
        "metrics": {name: float(value) for name, value in metrics.items()},
        "metrics_from": f"{origin}; probabilities before calibration" if calibrate else origin,
        **_guessing_note(rows, tests, predicted, ranking),
    }


def _guessing_note(
    rows: _Rows, tests: Sequence[Ints], predicted: Ints, ranking: Floats | None
) -> dict[str, Any]:
    """Return a note for the record if held-out rows show nothing better than guessing."""
    results = [
        FoldResult(
            *("", fold, {}, test, predicted[test], None),
            ranking=None if ranking is None else ranking[test],
        )
        for fold, test in enumerate(tests)
    ]
    tested = results, rows.codes, rows.groups, 1 if rows.minority is None else rows.minority
    if p_value(*tested) <= ONE_MODEL_LEVEL:
        return {}
    is_shown = rows.groups is None or can_be_shown(*tested, ONE_MODEL_LEVEL)
    return {"notes": [NO_BETTER if is_shown else FEW_GROUPS]}
