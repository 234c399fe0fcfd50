"""`tune_model`: costs that suit a table, and the model that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold, cross_val_score

from icost.labels import encode_labels, named_minority, resolve_minority
from icost.modelfile.fitting import WEIGHTED, SavedModel, fit_model, make_folds, make_pipeline
from icost.penalties import COST_MULTIPLIERS
from icost.preprocessing import plain_table
from icost.tuning import iCostCV
from icost.validation import check_choice

N_SHOWN = 5
"""Candidates that the result lists."""

PREFIX = "classify__"


def tune_model(
    X: Any,
    y: ArrayLike,
    *,
    classifier: str = "lr",
    method: str = "neighbor",
    grid: Any = "paper",
    search: str = "grid",
    n_candidates: int = 40,
    scoring: str = "mcc",
    minority_label: Any = None,
    scaler: str = "standard",
    n_splits: int = 5,
    nested: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    tree_probe: str = "exact",
) -> tuple[SavedModel, dict[str, Any]]:
    """Tune the costs of a model for a mixed table by cross-validation.

    `icost.iCostCV` around the pipeline of `fit_model`: text and gaps are taken care of within each
    fold, the best costs are fitted on all rows, and the model can be saved. The second value tells
    what the search was worth: compare the best score with that of the paper's costs, and, with
    ``nested=True``, with what the search keeps on rows that it has not seen.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels.
    classifier : str, default="lr"
        A name of `icost.strategies.classifiers.CLASSIFIERS`.
    method : str, default="neighbor"
        How rows are weighted, as for `icost.iCost`; not ``"ncs"``, which has no cost.
    grid : {"paper", "scale"}, dict or list of dict, default="paper"
        A named grid of `icost.tuning.iCostCV`, or values to try, or distributions, of any of
        ``cfp``, ``cfs``, ``cfb``, ``cfo``, ``cs_multiplier`` and ``scale``. The named ones hold no
        ``cs_multiplier``, which is the only cost of ``method="cs"``.
    search, n_candidates, scoring
        As for `icost.tuning.iCostCV`.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    n_splits : int, default=5
        Folds; no more than the rarest class has rows.
    nested : bool, default=False
        Whether to score the whole search on outer folds as well.
    n_jobs : int, default=None
        Number of jobs.
    random_state : int, default=0
        Seed.
    tree_probe : {"exact", "fast"}, default="exact"
        How the tree of ``"gini"`` is grown, as for `icost.iCost`; ``"fast"`` for large tables.

    Returns
    -------
    model : SavedModel
        Fitted with the best costs.
    tuning : dict
        ``best`` (the best candidates that were seen on all folds, with their scores),
        ``n_candidates``, ``scoring``, ``default_score`` of the paper's costs on the same folds, and
        ``nested``, a mean or None. The record of the model has it, too.

    See Also
    --------
    fit_model : With costs that you know.
    icost.iCostCV : The search, over any parameter of any pipeline.

    Notes
    -----
    The metrics in the model's record are of the folds that chose the costs; ``metrics_from`` says
    that they are optimistic. ``nested=True`` takes one search more for each outer fold, and is the
    number to report.

    Only costs are searched for. For parameters of the classifier, or a threshold along with the
    costs, take `icost.iCostCV`.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import tune_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model, tuning = tune_model(X, y, grid={"cfb": [1.0, 1.5]}, n_splits=3)
    >>> tuning["n_candidates"], model.record["costs"]["cfb"] == tuning["best"][0]["costs"]["cfb"]
    (2, True)
    >>> model.record["metrics_from"]
    '3 stratified folds; optimistic, as the costs were chosen on them'
    >>> tuning["best"][0]["score"] > tuning["default_score"], tuning["nested"]
    (True, None)
    """
    check_choice("method", method, WEIGHTED[1:])
    grid = _with_step(grid)
    table = plain_table(X)
    classes, codes = encode_labels(y)
    minority = named_minority(minority_label, classes)
    if len(classes) == 2:
        minority = resolve_minority(classes, codes, minority_label)
    folds = make_folds(codes, n_splits, random_state)
    own = (classifier, method, minority, scaler, random_state)
    pipeline = make_pipeline(table, *own, tree_probe=tree_probe)
    tuner = iCostCV(
        pipeline,
        grid=grid,
        search=search,
        n_candidates=n_candidates,
        scoring=scoring,
        cv=folds,
        refit=False,
        n_jobs=n_jobs,
        random_state=random_state,
    ).fit(table, codes)
    tuning = _describe(tuner, scoring)
    tuning["default_score"] = float(
        cross_val_score(pipeline, table, codes, cv=folds, scoring=tuner.scorer_).mean()
    )
    outer = StratifiedKFold(folds.n_splits, shuffle=True, random_state=random_state + 1)
    nested_scores = tuner.nested_score(table, codes, cv=outer) if nested else None
    tuning["nested"] = None if nested_scores is None else float(nested_scores.mean())
    fitted = fit_model(
        X,
        y,
        classifier=classifier,
        method=method,
        minority_label=minority_label,
        costs=_plain_costs(tuner.best_params_),
        scaler=scaler,
        n_splits=n_splits,
        random_state=random_state,
        tree_probe=tree_probe,
    )
    # Chosen on these very folds: the file must not promise more than nested folds would.
    fitted.record["metrics_from"] += "; optimistic, as the costs were chosen on them"
    fitted.record["tuning"] = tuning
    return fitted, tuning


def _with_step(grid: Any) -> Any:
    """A grid over the model's pipeline, from one over costs."""
    if isinstance(grid, Mapping):
        known = (*COST_MULTIPLIERS, "scale")
        names = [check_choice("a name in grid", name, known) for name in grid]
        return {PREFIX + name: grid[name] for name in names}
    if isinstance(grid, Sequence) and not isinstance(grid, str):
        return [_with_step(part) for part in grid]
    return grid


def _describe(tuner: iCostCV, scoring: str) -> dict[str, Any]:
    results = tuner.cv_results_
    # Means over fewer folds, as of candidates that halving dropped early, are not comparable.
    seen = results["n_folds"]
    finalists = np.flatnonzero(seen == seen.max())
    ranked = finalists[np.argsort(-results["mean_test_score"][finalists], kind="stable")]
    # The selected one first: among equal scores the search has reasons for its choice.
    order = [tuner.best_index_, *(place for place in ranked if place != tuner.best_index_)]
    best = [
        {
            "costs": _plain_costs(results["params"][place]),
            "score": float(results["mean_test_score"][place]),
        }
        for place in order[:N_SHOWN]
    ]
    return {"best": best, "n_candidates": len(results["params"]), "scoring": scoring}


def _plain_costs(params: Mapping[str, Any]) -> dict[str, float]:
    return {name.removeprefix(PREFIX): float(value) for name, value in params.items()}
