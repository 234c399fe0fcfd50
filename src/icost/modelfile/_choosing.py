"""`choose_model`: the best model for a table, with a record, to keep in a file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost._core.doubts import DoubtfulTable
from icost._core.labels import encode_labels, resolve_minority
from icost._core.validation import check_sample_weight, rows_of
from icost._pass.cross_fit import PassProgress
from icost._pass.verdict import kept_words
from icost._table._columns import plain_table
from icost.ensemble import iCostAuto
from icost.modelfile._saved_model import SavedModel
from icost.modelfile._table_check import current_versions, describe_columns
from icost.thresholds._certificate import cut_table

if TYPE_CHECKING:
    import pandas as pd

AUTO = "auto"
"""What the record of such a model has as its method."""


class NothingBetterThanGuessing(ValueError):
    """Held-out answers rank minority rows no better than guessing does."""

    def __init__(self, verdict: str) -> None:
        super().__init__(f"{verdict} To keep a model anyway, pass force=True.")
        self.verdict = verdict


def choose_model(
    X: Any,
    y: ArrayLike,
    *,
    candidates: Sequence[Any] | None = None,
    strategies: Sequence[Any] | None = None,
    decide: Any = "stable",
    keep: str = "best",
    preprocessor: Any = "auto",
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    cost_fn: float | str | None = None,
    cost_fp: float | str = 1.0,
    minority_label: Any = None,
    n_splits: int | None = None,
    n_repeats: int | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    force: bool = False,
    watch: Callable[[PassProgress], Any] | None = None,
) -> SavedModel:
    """Fit the best model for a table, with a record of how good it is and how it was made.

    The model is `icost.iCostAuto`: candidates are cross-fitted once, and blend, threshold and the
    score to expect are read from their out-of-fold scores.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels.
    candidates, strategies, keep, preprocessor, n_splits, n_repeats, time_limit, n_jobs, watch
        As for `icost.iCostAuto`.
    decide : str, float or rule object, default="stable"
        How to decide: the ``rule`` of `icost.iCostAuto`.
    groups, time, sample_weight : array-like of shape (n_samples,), default=None
        As for `icost.iCostAuto.fit`.
    cost_fn, cost_fp : float or str
        Costs of a miss and of a false alarm, or columns with those of each row.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    random_state : int, default=0
        Seed.
    force : bool, default=False
        Whether to keep a model even where nothing is better than guessing.

    Returns
    -------
    SavedModel
        Its record has ``verdict``, a list of ``topic``, ``text`` and ``facts``; the expected
        scores as ``metrics`` with ``metric_intervals``; and the weights of ``candidates``.

    Raises
    ------
    NothingBetterThanGuessing
        If nothing ranks minority rows above others, unless ``force`` is set.

    See Also
    --------
    fit_model : With a classifier and a strategy that you know.
    icost.iCostAuto : The estimator alone.
    icost.comparison.compare : Strategies side by side.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import choose_model
    >>> X, y = load_dataset("new-thyroid1", return_X_y=True)
    >>> model = choose_model(X, y, candidates=["lr", "et"])
    >>> model.record["verdict"][0]["text"]
    'Use a blend of extra trees and logistic regression.'
    >>> low, high = model.record["metric_intervals"]["mcc"]
    >>> low <= model.record["metrics"]["mcc"] <= high
    True
    """
    table = plain_table(X)
    weight = check_sample_weight(sample_weight, len(table))
    rows = np.flatnonzero(np.ones(len(table)) if weight is None else weight)  # others are absent
    name = str(getattr(y, "name", None) or "class")
    n_rows = len(table)
    table, labels = table.iloc[rows], rows_of(y, rows, n_rows)
    groups, time, weight = (
        None if column is None else rows_of(column, rows, n_rows)
        for column in (groups, time, weight)
    )
    classes, codes = encode_labels(labels)
    minority = None
    if len(classes) == 2:
        minority = resolve_minority(classes, codes, minority_label, weight)
    auto = iCostAuto(
        candidates,
        strategies,
        rule=decide,
        keep=keep,
        preprocessor=preprocessor,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        minority_label=minority,
        n_splits=n_splits,
        n_repeats=n_repeats,
        time_limit=time_limit,
        n_jobs=n_jobs,
        random_state=random_state,
        watch=watch,
    )
    with warnings.catch_warnings():
        # That nothing is better than guessing is an error here, or stands in the record.
        warnings.filterwarnings("ignore", message=".*scored best is kept", category=DoubtfulTable)
        auto.fit(table, codes, weight, groups, time)
    if auto.is_guessing_ and not force:
        raise NothingBetterThanGuessing(auto.remarks(classes)[0].text)
    record = _record(auto, table, classes) | {"target": name}
    record |= {} if cost_fn is None else {"error_costs": [cost_fn, cost_fp]}
    return SavedModel(auto, record)


def _record(auto: iCostAuto, table: pd.DataFrame, classes: NDArray[Any]) -> dict[str, Any]:
    """Return what a file says about a model: what it is, how good, and how it was made."""
    labels, minority = classes.tolist(), auto.minority_label_
    weights = auto.blend_.weights.round(4).tolist()
    return {
        "classifier": ", ".join(auto.blend_.names),
        "method": AUTO,
        "words": kept_words(auto.kept_words_),
        "calibrated": True,
        "classes": labels,
        "minority": None if minority is None else labels[minority],
        "rows": len(table),
        "columns": describe_columns(table),
        "columns_read": auto.columns_,
        "candidates": dict(zip(auto.blend_.names, weights, strict=True)),
        "seed": auto._seed,
        "versions": current_versions(),
        "metrics": {name: score["value"] for name, score in auto.expected_.items()},
        "metric_intervals": {n: [s["low"], s["high"]] for n, s in auto.expected_.items()},
        "metrics_from": f"{auto.out_of_fold_.folds.how}, blend and decision held out as well",
        "verdict": [
            {"topic": one.topic, "text": one.text, "facts": dict(one.facts)}
            for one in auto.remarks(classes)
        ],
        "notes": auto.notes_,
        **_decision(auto),
    }


def _decision(auto: iCostAuto) -> dict[str, Any]:
    """Return how a fitted model decides, for its record."""
    certificate = auto.certificate_
    if certificate is None or auto.held_out_ is None:
        return {"rule": str(auto.rule_), "threshold": None, "threshold_interval": None}
    return {
        "rule": certificate.rule,
        "threshold": certificate.threshold,
        "threshold_interval": None,
        "certificate": str(certificate),
        "cuts": cut_table(auto.held_out_),
    }
