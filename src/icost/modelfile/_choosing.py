"""`choose_model`: the method that a comparison recommends, fitted, with a score to believe."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from icost._core.labels import encode_labels
from icost._core.validation import check_sample_weight, rows_of
from icost._core.views import score_name, score_text
from icost._table._columns import plain_table
from icost.comparison import Comparison, compare, iCostAuto
from icost.comparison._stages import CLASSIFIERS
from icost.comparison._verdict import CLASSIFIER_NAMES
from icost.modelfile._fitting import check_classes, check_error_costs, fit_model, model_record
from icost.modelfile._saved_model import SavedModel
from icost.strategies import get_strategy
from icost.thresholds import LeastCost
from icost.thresholds._rules import parse_rule


class NothingBetterThanGuessing(ValueError):
    """No strategy of a comparison ranks minority rows above others."""

    def __init__(self, verdict: str) -> None:
        super().__init__(f"{verdict} To keep a model anyway, pass force=True.")
        self.verdict = verdict


def choose_model(
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    force: bool = False,
    decide: Any = None,
    **options: Any,
) -> tuple[SavedModel, Comparison]:
    """Compare classifiers and strategies, and fit what is recommended to all rows.

    One call from a table to a model: that of `icost.iCostAuto`, with a record. A score by which a
    model was chosen is too good, since luck has had a part in the choice. The record has both that
    score and the one to expect: corrected by bootstrap samples of the held-out predictions, each of
    which chooses anew and is judged by the rows that it left out.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels.
    groups, time, sample_weight : array-like of shape (n_samples,), default=None
        As for `icost.comparison.compare`.
    random_state : int, default=0
        Seed.
    force : bool, default=False
        Whether to keep a model even where nothing is better than guessing.
    decide : str, float or rule object, default=None
        What the threshold is chosen for, as for `fit_model`. Classifiers are then compared with a
        tuned threshold, and the best of them is fitted with this rule.
    **options
        Other parameters of `icost.iCostAuto`, such as ``strategies``, ``cost_fn``, ``max_rows``.

    Returns
    -------
    model : SavedModel
        The recommended strategy on all rows. Its record has ``selection``: ``raw`` and
        ``corrected`` score with ``low`` and ``high``, the ``metric``, what was ``compared``, and
        ``sentences`` that say it.
    comparison : Comparison
        What it was chosen by.

    Raises
    ------
    NothingBetterThanGuessing
        If no strategy ranks minority rows above others, unless ``force`` is set.

    See Also
    --------
    fit_model : With a method that you know.
    icost.iCostAuto : The estimator alone.
    icost.comparison.compare : The comparison alone.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import choose_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model, comparison = choose_model(X, y, strategies=["ncs", "cs", "gini"], n_repeats=1)
    >>> model.record["method"] == comparison.recommendation["strategy"]
    True
    >>> score = model.record["selection"]
    >>> score["low"] <= score["corrected"] <= score["raw"]
    True
    """
    if decide is not None:
        for name, rows in (("time", time), ("sample_weight", sample_weight)):
            if rows is not None:
                raise ValueError(f"choose_model takes {name} or decide, not both.")
        return _choose_for_rule(X, y, decide, force, groups, random_state, **options)
    auto = iCostAuto(random_state=random_state, **options)
    with warnings.catch_warnings():
        # That nothing is better than guessing is an error here, or stands in the record.
        warnings.filterwarnings(
            "ignore", message="Nothing |Class .* has rows", category=UserWarning
        )
        auto.fit(X, y, sample_weight=sample_weight, groups=groups, time=time)
    comparison, strategy = auto.comparison_, auto._best_strategy()
    if comparison.recommendation is None and not force:
        raise NothingBetterThanGuessing(comparison.verdict[0])
    error_costs = None
    if auto.cost_fn is not None and strategy.supports_costs:
        error_costs = (auto.cost_fn, auto.cost_fp)
    table = plain_table(X)
    weight = check_sample_weight(sample_weight, len(table))
    rows = np.flatnonzero(np.ones(len(table)) if weight is None else weight)  # others are absent
    record = model_record(
        auto.model_,
        table.iloc[rows],
        rows_of(y, rows, len(table)),
        classifier=auto.best_classifier_ or comparison.classifier.split(", ")[0],
        strategy=strategy,
        minority_label=auto.minority_label,
        error_costs=error_costs,
        scaler=auto.scaler,
        random_state=random_state,
    )
    notes = [*comparison.notes, *auto.notes_]
    record |= {"notes": notes} if notes else {}
    return SavedModel(auto.model_, record | _choice(comparison)), comparison


def _choose_for_rule(
    X: Any,
    y: ArrayLike,
    decide: Any,
    force: bool,
    groups: ArrayLike | None,
    random_state: int,
    classifier: str | Sequence[str] | None = None,
    **options: Any,
) -> tuple[SavedModel, Comparison]:
    """Compare classifiers with a threshold, and fit the best of them with a rule."""
    rule = parse_rule(decide, "decide")
    by_costs = isinstance(rule, LeastCost) and rule.cost_matrix is None
    strategy = get_strategy("threshold-cost" if by_costs else "threshold")
    n_classes = len(encode_labels(y)[0])
    check_classes(strategy, n_classes)
    names = ("cost_fn", "cost_fp", "minority_label", "scaler")
    shared = {name: options[name] for name in names if name in options}
    check_error_costs(
        strategy, shared.get("cost_fn"), shared.get("cost_fp", 1.0), n_classes, by_costs
    )
    options |= {"strategies": [strategy], "groups": groups, "random_state": random_state}
    comparison = compare(X, y, classifier=classifier or CLASSIFIERS, **options)
    if comparison.recommendation is None and not force:
        raise NothingBetterThanGuessing(comparison.verdict[0])
    model = fit_model(
        *(X, y),
        classifier=comparison.candidate["classifier"],
        method=strategy.name,
        decide=decide,
        groups=groups,
        random_state=random_state,
        **shared,
    )
    notes = [*comparison.notes, *model.record.get("notes", ())]
    record = model.record | ({"notes": notes} if notes else {})
    record["selection"] = _choice(comparison)["selection"] | {
        "rule": str(decide),
        "sentences": [_chosen(comparison), *comparison.not_tried],
    }
    return SavedModel(model.estimator, record), comparison


def _chosen(comparison: Comparison) -> str:
    """Say which classifier was chosen for a rule, and by what."""
    name, expected = comparison.candidate["classifier"], comparison.selection["corrected"]
    metric = comparison.selection["metric"]
    score = f" ({score_name(metric)} {score_text(metric, expected)} expected)" if expected else ""
    return (
        f"The classifier is {CLASSIFIER_NAMES.get(name, name)}, chosen out of "
        f"{len(comparison.strategies)}, each with a tuned threshold{score}."
    )


def _choice(comparison: Comparison) -> dict[str, Any]:
    """What a record says of a model that was chosen."""
    (row,) = (row for row in comparison.strategies if row["name"] == comparison.selection["name"])
    selection = {
        **comparison.selection,
        "compared": [row["name"] for row in comparison.strategies],
        "sentences": [line for line in comparison.verdict if not line.startswith("Keep it:")],
    }
    return {
        "metrics": {name: score["mean"] for name, score in row["scores"].items()},
        "metric_intervals": {n: [s["low"], s["high"]] for n, s in row["scores"].items()},
        "metrics_from": f"{comparison.how}; optimistic, as the strategy was chosen on them",
        "selection": selection,
    }
