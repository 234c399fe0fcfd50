"""`fit_model`: from a mixed table to a model with a record of how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline

from icost.classifier import iCost
from icost.complexity.methods import MEASURES, check_probe
from icost.ensemble import iCostEnsemble
from icost.ensemble.icost_ensemble import automatic_bases
from icost.labels import encode_labels, most_folds, resolve_minority
from icost.metrics import classification_scores
from icost.modelfile.saved_model import SavedModel
from icost.modelfile.table_check import current_versions, describe_columns
from icost.penalties import PAPER
from icost.preprocessing import make_preprocessor, plain_table
from icost.strategies.classifiers import get_classifier
from icost.thresholds import additive_scores, fit_tuned, tune_score_offsets
from icost.tuning import OffsetClassifier
from icost.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

ENSEMBLES = ("ensemble", "blend")
"""Ways that fit many models: of one classifier, or of several in place of the one named."""

WEIGHTED = ("ncs", "cs", *(name for name in MEASURES if name != "tree"))
"""Methods of `icost.iCost`."""

METHODS = (*WEIGHTED, "threshold", "offsets", *ENSEMBLES)
"""Ways to fit a model; ``"threshold"`` and ``"offsets"`` are plain fits with moved borders."""

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
        costs.
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

    Returns
    -------
    SavedModel
        The model on all rows, with the metrics of the folds in its record.

    See Also
    --------
    tune_model : The same with costs that were searched for.
    save_model : The model in a file.
    icost.comparison.compare : Which method, before you fit.

    Notes
    -----
    Metrics are of all held-out rows together, not means over folds. ``record["metrics_from"]`` says
    what they must not be taken for: those of ``"threshold"`` are optimistic, since the threshold
    was chosen on the same folds, and those of a calibrated model are of the probabilities before.
    Those of an ensemble are its ``oof_score_``; its record has ``threshold`` and
    ``threshold_interval`` as well, None for more than two classes.

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
    check_choice("method", method, METHODS)
    check_probe(method, tree_probe)
    table = plain_table(X)
    classes, codes = encode_labels(y)
    if method == "threshold" and len(classes) > 2:
        raise ValueError(f"method 'threshold' needs two classes, got {len(classes)}.")
    given = dict(weighting or {})
    for name in given:
        check_choice("a name in weighting", name, WEIGHTING)
    folds = make_folds(codes, n_splits, random_state)
    minority = None
    if len(classes) == 2:
        minority = resolve_minority(classes, codes, minority_label)
    classifiers, decision = [classifier], {}
    if method in ENSEMBLES:
        _refuse_for_ensembles(method, calibrate, costs, given)
        bases = automatic_bases()
        if method == "ensemble":
            bases = {classifier: get_classifier(classifier).make(random_state)}
        classifiers = list(bases)
        # Preprocessing belongs to the members, so that synthetic rows are made of the table itself.
        members = [_prepared(table, scaler, base) for base in bases.values()]
        options: dict[str, Any] = {"n_splits": n_splits, "minority_label": minority}
        ensemble = iCostEnsemble(members, random_state=random_state, **options)
        estimator: Any = ensemble.fit(table, codes)
        metrics = {name: score["value"] for name, score in estimator.oof_score_.items()}
        decision = _decision(estimator)
    else:
        own_method = "ncs" if method in ("threshold", "offsets") else method
        own = (classifier, own_method, minority, scaler, random_state, {**(costs or {}), **given})
        pipeline = make_pipeline(table, *own, tree_probe=tree_probe)
        estimator, metrics = _fit(pipeline, table, codes, folds, method, calibrate, minority)
    return SavedModel(
        estimator,
        {
            "classifier": ", ".join(classifiers),
            "method": method,
            "calibrated": calibrate or method in ENSEMBLES,
            "target": str(getattr(y, "name", None) or "class"),
            "classes": classes.tolist(),
            "minority": None if minority is None else classes.tolist()[minority],
            "rows": len(table),
            "columns": describe_columns(table),
            "costs": {}
            if method in ENSEMBLES
            else {**PAPER, "cs_multiplier": 1.0, **(costs or {})},
            **({"weighting": {name: str(value) for name, value in given.items()}} if given else {}),
            "scaler": scaler,
            "tree_probe": tree_probe,
            "seed": random_state,
            "metrics": metrics,
            "metrics_from": _origin(folds.n_splits, method, calibrate),
            "versions": current_versions(*classifiers),
            **decision,
        },
    )


def _refuse_for_ensembles(method: str, calibrate: bool, costs: Any, weighting: Any) -> None:
    if calibrate:
        raise ValueError(
            f"method {method!r} calibrates by itself: calibrate must be False, got True."
        )
    for name, given in (("costs", costs), ("weighting", weighting)):
        if given:
            raise ValueError(
                f"method {method!r} weights no rows: {name} must not be given, got {given}."
            )


def _decision(ensemble: iCostEnsemble) -> dict[str, Any]:
    """How a fitted ensemble decides, for the record."""
    interval = ensemble.threshold_interval_
    return {
        "threshold": ensemble.threshold_,
        "threshold_interval": None if interval is None else list(interval),
    }


def _origin(n_folds: int, method: str, calibrate: bool) -> str:
    """Say where the metrics come from, and what a reader must not take them for."""
    if method in ENSEMBLES:
        return "rows held out of the ensemble's members, calibration and threshold"
    parts = [f"{n_folds} stratified folds"]
    if method in ("threshold", "offsets"):
        chosen = "threshold was" if method == "threshold" else "offsets were"
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


def _fit(
    pipeline: Pipeline,
    table: pd.DataFrame,
    codes: NDArray[np.intp],
    folds: StratifiedKFold,
    method: str,
    calibrate: bool,
    minority: int | None,
) -> tuple[Any, dict[str, float]]:
    """The model on all rows, and its metrics on held-out ones."""
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
    if calibrate:
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
