"""One fold: every strategy fitted on its training rows and scored on its test rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import precision_recall_curve
from threadpoolctl import threadpool_limits

from icost._core.arrays import Bools, Floats, Ints
from icost.comparison._verdict import parts
from icost.metrics import classification_scores, expected_cost
from icost.strategies import Strategy
from icost.strategies._estimators import get_classifier
from icost.strategies._fitting import FitResult, fit_strategy, prepare_fold, row_costs
from icost.thresholds._certificate import HeldOut, cut_curve, cut_sentences, cut_table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Setup:
    """What is the same in all folds of a comparison.

    ``runs`` are strategies by name; one whose name has a classifier, as in ``"rf:cs"``, is fitted
    with that one. In a comparison of two stages they are all that may be run, and ``first_stage``
    names those by which the classifier is chosen. ``minority`` is the code of that of two classes.
    """

    classifier: str
    runs: Mapping[str, Strategy]
    n_classes: int
    scaler: str = "standard"
    # Of a missed minority row and of a false alarm; arrays have those of all rows.
    costs: tuple[Any, Any] | None = field(default=None, compare=False)
    random_state: int = 0
    groups: Ints | None = field(default=None, compare=False)  # of all rows
    minority: int = 1
    labels: Any = field(default=(), compare=False)  # of the classes, by their codes
    first_stage: tuple[str, ...] = ()
    weight: Floats | None = field(default=None, compare=False)  # of all rows

    @property
    def metric(self) -> str:
        """What decides."""
        return "mcc" if self.costs is None else "cost"

    def costs_of(self, rows: Ints) -> tuple[Any, Any] | None:
        """Return the costs of some rows, numbers as they are."""
        if self.costs is None:
            return None
        cost_fn, cost_fp = (cost[rows] if np.ndim(cost) else cost for cost in self.costs)
        return cost_fn, cost_fp

    @property
    def classifiers(self) -> list[str]:
        """All classifiers, in the order in which they were named."""
        named = dict.fromkeys(parts(name)[0] for name in self.runs)
        return [name for name in named if name] or [self.classifier]


@dataclass(frozen=True, eq=False)
class FoldResult:
    """Scores and predictions of one strategy on one fold."""

    strategy: str
    fold: int
    scores: dict[str, float]
    rows: Ints
    predicted: Ints
    proba: Floats | None
    seconds: float = 0.0  # of the fit, what strategies share included
    note: str = ""
    ranking: Floats | None = None  # scores of the minority of two classes


def run_fold(
    X: pd.DataFrame,
    codes: Ints,
    pair: tuple[Ints, Ints],
    number: int,
    setup: Setup,
    names: Sequence[str] | None = None,
    tell: Callable[[list[FoldResult]], Any] = lambda results: None,
) -> list[FoldResult]:
    """Fit and score strategies, all of them or those of some names, on one fold of a plain table.

    ``tell`` is called with the results so far, after each strategy but the last.
    """
    # Folds run side by side. On tables like these, threads of BLAS cost more than they gain: they
    # wait for each other, busily. And the last bits of a score must not depend on their number.
    with threadpool_limits(limits=1, user_api="blas"):
        return _run_fold(X, codes, pair, number, setup, list(names or setup.runs), tell)


def _run_fold(
    X: pd.DataFrame,
    codes: Ints,
    pair: tuple[Ints, Ints],
    number: int,
    setup: Setup,
    names: list[str],
    tell: Callable[[list[FoldResult]], Any],
) -> list[FoldResult]:
    train, test = pair
    fold, test_X = prepare_fold(
        X,
        codes,
        train,
        test,
        scaler=setup.scaler,
        n_classes=setup.n_classes,
        random_state=setup.random_state + number,
        groups=None if setup.groups is None else setup.groups[train],
        costs=setup.costs_of(train),
        minority_code=setup.minority,
        weight=None if setup.weight is None else setup.weight[train],
    )
    results: list[FoldResult] = []
    for name in names:
        if results:
            tell(results)
        base = get_classifier(parts(name)[0] or setup.classifier).make(setup.random_state)
        fitted = fit_strategy(setup.runs[name], base, fold)
        result = _score(name, number, fitted, test_X, codes, test, setup)
        seconds = fitted.fit_time + fitted.weight_time
        results.append(replace(result, seconds=seconds, note=fitted.note))
    return results


def _score(
    name: str, number: int, fitted: FitResult, X: Floats, codes: Ints, test: Ints, setup: Setup
) -> FoldResult:
    costs = setup.costs_of(test)
    by_row = row_costs(setup.runs[name], fitted.model, costs)
    truth, predicted = codes[test], fitted.predict(X, **by_row)
    labels = np.arange(setup.n_classes)  # a fold may lack a class
    if setup.n_classes > 2:
        scores = classification_scores(truth, predicted, labels=labels)
        return FoldResult(name, number, scores, test, predicted, None)
    all_proba = fitted.proba(X)
    proba = None if all_proba is None else np.asarray(all_proba)[:, setup.minority]
    options: dict[str, Any] = {"minority_label": setup.minority, "labels": labels}
    ranking = fitted.scores(X, setup.minority)
    scores = classification_scores(truth, predicted, ranking, proba, **options)
    if costs is not None:
        scores["cost"] = expected_cost(
            truth, predicted, cost_fn=costs[0], cost_fp=costs[1], **options
        )
    return FoldResult(name, number, scores, test, predicted, proba, ranking=ranking)


def label_of(name: str, setup: Setup) -> str:
    """Return a strategy's name in tables."""
    classifier, label = parts(name)[0], setup.runs[name].label
    return f"{label} ({get_classifier(classifier).label})" if classifier else label


def with_classifiers(
    strategies: Sequence[Strategy], classifiers: Sequence[str]
) -> dict[str, Strategy]:
    """Return strategies by name, with each of several classifiers; own classifiers come last."""
    if len(classifiers) == 1:
        return {strategy.name: strategy for strategy in strategies}
    runs = {
        f"{classifier}:{strategy.name}": strategy
        for classifier in classifiers
        for strategy in strategies
        if not strategy.own_classifier
    }
    return runs | {s.name: s for s in strategies if s.own_classifier}


def check_strategies(
    strategies: Sequence[Strategy], n_classes: int, has_costs: bool
) -> tuple[list[Strategy], list[str]]:
    """Return the strategies that can run on a target, and notes on those that cannot."""
    notes, kept = [], []
    for strategy in strategies:
        if strategy.binary_only and n_classes > 2:
            notes.append(f"{strategy.name} is for two classes, so it is left out for {n_classes}.")
        elif strategy.needs_costs and not has_costs:
            raise ValueError(f"Strategy {strategy.name!r} needs cost_fn.")
        else:
            kept.append(strategy)
    if all(strategy.is_control for strategy in kept):
        names = ", ".join(repr(strategy.name) for strategy in strategies)
        raise ValueError(
            "a comparison needs a strategy that can be recommended, got "
            f"{names or 'none'} for {n_classes} classes."
        )
    return kept, notes


MAX_CURVE_POINTS = 200


def precision_recall_points(truth: Bools, proba: Floats) -> dict[str, list[float]]:
    """Return a precision-recall curve, thinned to what a picture can show."""
    precision, recall, _ = precision_recall_curve(truth, proba)
    kept = np.unique(np.linspace(0, len(recall) - 1, MAX_CURVE_POINTS).astype(int))
    return {
        "recall": np.round(recall[kept], 4).tolist(),
        "precision": np.round(precision[kept], 4).tolist(),
    }


def decision_points(
    results: Sequence[FoldResult], codes: Ints, minority: int, confidence: float = 0.9
) -> dict[str, Any]:
    """Return what cuts through the out-of-fold probabilities of one repeat find and cost.

    ``curve`` is for a picture, with ``chosen``, where the strategy's own decisions are; ``cuts``
    are ten of them, ``sentences`` in words. Empty where there are no probabilities.
    """
    if any(result.proba is None for result in results):
        return {}
    rows, predicted, proba = (
        np.concatenate([np.asarray(getattr(result, name)) for result in results])
        for name in ("rows", "predicted", "proba")
    )
    truth, is_alert = codes[rows] == minority, predicted == minority
    held_out = HeldOut(truth, proba, np.ones(len(rows)))
    recall, false = (float(is_alert[one].mean()) for one in (truth, ~truth))
    cuts = cut_table(held_out)
    return {
        "curve": {n: v.round(4).tolist() for n, v in cut_curve(held_out, confidence).items()},
        "chosen": [100 * recall, 100 * false, 1000 * float(is_alert.mean())],
        "cuts": cuts,
        "sentences": cut_sentences(cuts),
    }


def calibration_points(truth: Bools, proba: Floats, n_bins: int = 10) -> dict[str, list[Any]]:
    """Return observed shares in bins of predicted probability with equal numbers of rows."""
    # Bins of equal width would be nearly empty where a minority is rarely predicted.
    bins = np.array_split(np.argsort(proba, kind="stable"), n_bins)
    bins = [rows for rows in bins if len(rows)]
    return {
        "predicted": [round(float(proba[rows].mean()), 5) for rows in bins],
        "observed": [round(float(truth[rows].mean()), 5) for rows in bins],
        "rows": [len(rows) for rows in bins],
    }
