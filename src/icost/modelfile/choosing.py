"""`choose_model`: the method that a comparison recommends, fitted, with a score to believe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from icost.comparison import Comparison, compare
from icost.comparison.running import Progress
from icost.comparison.verdict import METRICS
from icost.ensemble.cross_fit import GroupsHoldClass
from icost.modelfile.fitting import fit_model, heeds_error_costs, heeds_groups
from icost.modelfile.saved_model import SavedModel


def choose_model(
    X: Any,
    y: ArrayLike,
    *,
    classifier: str | Sequence[str] = "lr",
    strategies: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    cost_fn: float | None = None,
    cost_fp: float = 1.0,
    minority_label: Any = None,
    n_splits: int = 5,
    n_repeats: int = 3,
    scaler: str = "standard",
    random_state: int = 0,
    n_jobs: int | str | None = None,
    max_rows: int | None = None,
    watch: Callable[[Progress], Any] = lambda state: None,
) -> tuple[SavedModel, Comparison]:
    """Compare strategies, and fit the recommended one to all rows.

    One call from a table to a model: `icost.comparison.compare` finds the strategy and, of several,
    the classifier; `fit_model` fits it. A score by which a model was chosen is too good, since luck
    has had a part in the choice. The record has both that score and the one to expect: corrected by
    bootstrap samples of the held-out predictions, each of which chooses anew and is judged by the
    rows that it left out.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels.
    classifier, strategies, groups, time, cost_fn, cost_fp
        As for `icost.comparison.compare`.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    n_splits, n_repeats : int, default=5 and 3
        Folds of the comparison and their repeats.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    random_state : int, default=0
        Seed.
    n_jobs, max_rows, watch
        As for `icost.comparison.compare`. The model itself learns from all rows.

    Returns
    -------
    model : SavedModel
        The recommended strategy on all rows. Its record has ``selection``: ``raw`` and
        ``corrected`` score with ``low`` and ``high``, the ``metric``, what was ``compared``, and
        two ``sentences`` that say it.
    comparison : Comparison
        What it was chosen by.

    See Also
    --------
    fit_model : With a method that you know.
    icost.comparison.compare : The comparison alone.

    Notes
    -----
    Scores in ``record["metrics"]`` are those of the comparison, without the correction, as
    ``metrics_from`` says. The interval of the corrected score is that of the scores of rows left
    out, about 37 of 100, and so rather too wide.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import choose_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model, found = choose_model(X, y, strategies=["ncs", "cs", "gini"], n_repeats=1)
    >>> model.record["method"] == found.recommendation["strategy"]
    True
    >>> score = model.record["selection"]
    >>> score["low"] <= score["corrected"] <= score["raw"]
    True
    """
    found = compare(
        X,
        y,
        classifier=classifier,
        strategies=strategies,
        groups=groups,
        time=time,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        minority_label=minority_label,
        n_splits=n_splits,
        n_repeats=n_repeats,
        scaler=scaler,
        random_state=random_state,
        n_jobs=n_jobs,
        max_rows=max_rows,
        watch=watch,
    )
    method, first = found.recommendation["strategy"], found.classifier.split(", ")[0]
    options: dict[str, Any] = {
        "classifier": found.recommendation["classifier"] or first,
        "method": method,
        "minority_label": minority_label,
        "scaler": scaler,
        "random_state": random_state,
    }
    if cost_fn is not None and heeds_error_costs(method):
        options |= {"cost_fn": cost_fn, "cost_fp": cost_fp}
    own_groups = groups if heeds_groups(method) else None
    try:
        model = fit_model(X, y, groups=own_groups, **options)
    except GroupsHoldClass:
        # As in the comparison: rather a model without groups than none.
        model = fit_model(X, y, **options)
    model.record.update(_choice(found))
    return model, found


def _choice(found: Comparison) -> dict[str, Any]:
    """What a record says of a model that was chosen."""
    (row,) = (row for row in found.strategies if row["name"] == found.selection["name"])
    selection = {
        **found.selection,
        "compared": [row["name"] for row in found.strategies],
        "sentences": [found.recommendation["sentence"], expectation(found.selection)],
    }
    return {
        "metrics": {name: score["mean"] for name, score in row["scores"].items()},
        "metrics_from": f"{found.how}; optimistic, as the method was chosen on them",
        "selection": selection,
    }


def expectation(selection: Mapping[str, Any]) -> str:
    """Say what to expect of a strategy that was chosen for its score.

    Examples
    --------
    >>> from icost.modelfile.choosing import expectation
    >>> score = {"metric": "mcc", "raw": 0.52, "corrected": 0.5, "low": 0.31, "high": 0.68}
    >>> expectation(score)
    'Expect MCC 50.0 (95 % interval 31.0 to 68.0): 52.0 on its folds, corrected for the choice.'
    """
    label, factor, _ = METRICS[selection["metric"]]
    digits = 1 if factor == 100 else 3
    name = label if factor == 100 else label.lower()
    raw, *rest = (
        None if selection[key] is None else f"{factor * selection[key]:.{digits}f}"
        for key in ("raw", "corrected", "low", "high")
    )
    if rest[0] is None:
        return f"Its {name} is {raw} on its folds, which its choice may have made too good."
    corrected, low, high = rest
    return (
        f"Expect {name} {corrected} (95 % interval {low} to {high}): {raw} on its folds, corrected "
        "for the choice."
    )
