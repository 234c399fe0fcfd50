"""One fold: every strategy fitted on its training rows and scored on its test rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve
from threadpoolctl import threadpool_limits

from icost.comparison.verdict import parts
from icost.metrics import classification_scores, expected_cost
from icost.strategies.classifiers import get_classifier
from icost.strategies.registry import BY_COSTS, CONTROLS, Strategy, get_strategy
from icost.strategies.threshold import COST_THRESHOLD
from icost.strategies.training_fold import Fitted, prepare_fold

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Setup:
    """What is the same in all folds of a comparison.

    A strategy whose name has a classifier, as in ``"rf:cs"``, is fitted with that one.
    """

    classifier: str
    strategies: tuple[str, ...]
    n_classes: int
    scaler: str = "standard"
    costs: tuple[float, float] | None = None  # of a missed minority row and of a false alarm
    random_state: int = 0
    groups: NDArray[np.intp] | None = field(default=None, compare=False)  # of all rows

    @property
    def classifiers(self) -> list[str]:
        """All classifiers, in the order in which they were named."""
        named = dict.fromkeys(parts(name)[0] for name in self.strategies)
        return [name for name in named if name] or [self.classifier]

    def strategy(self, name: str) -> Strategy:
        """Return a strategy by name, with or without a classifier."""
        name = parts(name)[1]
        return BY_COSTS if name == COST_THRESHOLD else get_strategy(name)


@dataclass(frozen=True, eq=False)
class FoldResult:
    """Scores and predictions of one strategy on one fold."""

    strategy: str
    fold: int
    scores: dict[str, float]
    rows: NDArray[np.intp]
    predicted: NDArray[np.intp]
    proba: NDArray[np.float64] | None
    seconds: float = 0.0  # of the fit, what strategies share included


def run_fold(
    X: pd.DataFrame,
    codes: NDArray[np.intp],
    pair: tuple[NDArray[np.intp], NDArray[np.intp]],
    number: int,
    setup: Setup,
    tell: Callable[[list[FoldResult]], Any] = lambda results: None,
) -> list[FoldResult]:
    """Fit and score all strategies on one fold of a plain table.

    ``tell`` is called with the results so far, after each strategy but the last.
    """
    # Folds run side by side. On tables like these, threads of BLAS cost more than they gain: they
    # wait for each other, busily. And the last bits of a score must not depend on their number.
    with threadpool_limits(limits=1, user_api="blas"):
        return _run_fold(X, codes, pair, number, setup, tell)


def _run_fold(
    X: pd.DataFrame,
    codes: NDArray[np.intp],
    pair: tuple[NDArray[np.intp], NDArray[np.intp]],
    number: int,
    setup: Setup,
    tell: Callable[[list[FoldResult]], Any],
) -> list[FoldResult]:
    train, test = pair
    fold, test_X = prepare_fold(
        X,
        codes,
        train,
        test,
        n_classes=setup.n_classes,
        scaler=setup.scaler,
        random_state=setup.random_state + number,
    )
    groups = None if setup.groups is None else setup.groups[train]
    fold = replace(fold, groups=groups, costs=setup.costs)
    results: list[FoldResult] = []
    for name in setup.strategies:
        if results:
            tell(results)
        base = get_classifier(parts(name)[0] or setup.classifier).make(setup.random_state)
        fitted = setup.strategy(name).fit(base, fold)
        result = _score(name, number, fitted, test_X, codes, test, setup)
        results.append(replace(result, seconds=fitted.fit_time + fitted.weight_time))
    return results


def _score(
    name: str,
    number: int,
    fitted: Fitted,
    X: NDArray[np.float64],
    codes: NDArray[np.intp],
    test: NDArray[np.intp],
    setup: Setup,
) -> FoldResult:
    truth, predicted, proba = codes[test], fitted.predict(X), None
    labels = np.arange(setup.n_classes)  # a fold may lack a class
    if setup.n_classes > 2:
        scores = classification_scores(truth, predicted, labels=labels)
        return FoldResult(name, number, scores, test, predicted, None)
    all_proba = fitted.proba(X)
    proba = None if all_proba is None else np.asarray(all_proba)[:, 1]
    minority: dict[str, Any] = {"minority_label": 1, "labels": labels}
    scores = classification_scores(truth, predicted, fitted.scores(X), proba, **minority)
    if setup.costs is not None:
        cost_fn, cost_fp = setup.costs
        options = {"cost_fn": cost_fn, "cost_fp": cost_fp} | minority
        scores["cost"] = expected_cost(truth, predicted, **options)
    return FoldResult(name, number, scores, test, predicted, proba)


def label_of(name: str, setup: Setup) -> str:
    """Return a strategy's name in tables."""
    renamed = {"ncs": "Plain", "threshold": "Tuned threshold"}
    classifier, strategy = parts(name)
    label = renamed.get(strategy) or setup.strategy(name).label
    return f"{label} ({get_classifier(classifier).label})" if classifier else label


def with_classifiers(strategies: Sequence[str], classifiers: Sequence[str]) -> list[str]:
    """Return strategies with each of several classifiers; those that bring their own come last."""
    if len(classifiers) == 1:
        return list(strategies)
    own = [n for n in strategies if n != COST_THRESHOLD and get_strategy(n).own_classifier]
    others = [name for name in strategies if name not in own]
    return [f"{classifier}:{name}" for classifier in classifiers for name in others] + own


def check_strategies(
    names: Sequence[str], n_classes: int, has_costs: bool
) -> tuple[list[str], list[str]]:
    """Return the strategies that can run on a target, and notes on those that cannot."""
    notes, kept = [], []
    for name in dict.fromkeys(names):
        is_binary_only = name == COST_THRESHOLD or get_strategy(name).binary_only
        if is_binary_only and n_classes > 2:
            notes.append(f"{name} is for two classes, so it is left out for {n_classes}.")
        elif name == COST_THRESHOLD and not has_costs:
            raise ValueError(f"the strategy {COST_THRESHOLD!r} needs cost_fn, got none.")
        else:
            kept.append(name)
    if all(name in CONTROLS for name in kept):
        raise ValueError(
            "a comparison needs a strategy that can be recommended, got "
            f"{', '.join(repr(name) for name in names) or 'none'} for {n_classes} classes."
        )
    return kept, notes


MAX_CURVE_POINTS = 200


def precision_recall_points(
    truth: NDArray[np.bool_], proba: NDArray[np.float64]
) -> dict[str, list[float]]:
    """Return a precision-recall curve, thinned to what a picture can show.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.comparison.fold_run import precision_recall_points
    >>> curve = precision_recall_points(np.array([False, True]), np.array([0.2, 0.9]))
    >>> curve["recall"], curve["precision"]
    ([1.0, 1.0, 0.0], [0.5, 1.0, 1.0])
    """
    precision, recall, _ = precision_recall_curve(truth, proba)
    kept = np.unique(np.linspace(0, len(recall) - 1, MAX_CURVE_POINTS).astype(int))
    return {
        "recall": np.round(recall[kept], 4).tolist(),
        "precision": np.round(precision[kept], 4).tolist(),
    }


def calibration_points(
    truth: NDArray[np.bool_], proba: NDArray[np.float64], n_bins: int = 10
) -> dict[str, list[Any]]:
    """Return observed shares in bins of predicted probability with equal numbers of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.comparison.fold_run import calibration_points
    >>> proba = np.array([0.1, 0.1, 0.8, 0.8])
    >>> curve = calibration_points(np.array([False, False, False, True]), proba, n_bins=2)
    >>> curve["predicted"], curve["observed"]
    ([0.1, 0.8], [0.0, 0.5])
    """
    # Bins of equal width would be nearly empty where a minority is rarely predicted.
    parts = np.array_split(np.argsort(proba, kind="stable"), n_bins)
    parts = [part for part in parts if len(part)]
    return {
        "predicted": [round(float(proba[part].mean()), 5) for part in parts],
        "observed": [round(float(truth[part].mean()), 5) for part in parts],
        "rows": [len(part) for part in parts],
    }
