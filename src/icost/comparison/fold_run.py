"""One fold: every strategy fitted on its training rows and scored on its test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from icost.comparison.verdict import CONTROLS
from icost.experiments.classifiers import get_classifier
from icost.experiments.folds import TrainingFold
from icost.experiments.models import Fitted
from icost.experiments.strategies import Strategy, get_strategy
from icost.experiments.thresholds import cost_objective, fit_threshold
from icost.metrics import classification_scores, expected_cost
from icost.preprocessing import make_preprocessor

if TYPE_CHECKING:
    import pandas as pd

COST_THRESHOLD = "threshold-cost"
"""Name of the strategy that moves the threshold to where inner folds cost least."""


@dataclass(frozen=True)
class Setup:
    """What is the same in all folds of a comparison.

    Parameters
    ----------
    classifier : str
        A name of `icost.experiments.classifiers`.
    strategies : tuple of str
        Names of `icost.experiments.strategies`, and `COST_THRESHOLD` if there are costs.
    n_classes : int
        Number of classes.
    scaler : str
        See `icost.preprocessing.make_preprocessor`.
    costs : pair of float or None
        Costs of a missed minority row and of a false alarm.
    random_state : int
        Seed.
    """

    classifier: str
    strategies: tuple[str, ...]
    n_classes: int
    scaler: str = "standard"
    costs: tuple[float, float] | None = None
    random_state: int = 0

    def strategy(self, name: str) -> Strategy:
        """Return a strategy by name."""
        if name != COST_THRESHOLD:
            return get_strategy(name)
        return Strategy(name, "Threshold set by costs", "alternative", self._fit_to_costs, True)

    def _fit_to_costs(self, base: Any, fold: TrainingFold) -> Fitted:
        assert self.costs is not None, "check_strategies has refused this"
        return fit_threshold(base, fold, objective=cost_objective(*self.costs))


@dataclass(frozen=True, eq=False)
class FoldResult:
    """Scores and predictions of one strategy on one fold."""

    strategy: str
    fold: int
    scores: dict[str, float]
    rows: NDArray[np.intp]
    predicted: NDArray[np.intp]
    proba: NDArray[np.float64] | None


def run_fold(
    X: pd.DataFrame,
    codes: NDArray[np.intp],
    pair: tuple[NDArray[np.intp], NDArray[np.intp]],
    number: int,
    setup: Setup,
) -> list[FoldResult]:
    """Fit and score all strategies on one fold.

    Parameters
    ----------
    X : pandas.DataFrame
        A plain table.
    codes : ndarray of shape (n_samples,)
        Class codes; of two classes, 1 is the minority.
    pair : pair of ndarrays
        Training and test rows.
    number : int
        Number of the fold.
    setup : Setup
        What is the same in all folds.

    Returns
    -------
    list of FoldResult
        One per strategy.
    """
    train, test = pair
    preprocessor = make_preprocessor(X, setup.scaler).fit(X.iloc[train])
    train_X, test_X = (np.asarray(preprocessor.transform(X.iloc[rows])) for rows in pair)
    fold = TrainingFold(train_X, codes[train], setup.n_classes, setup.random_state + number)
    base = get_classifier(setup.classifier).make(setup.random_state)
    return [
        _score(name, number, setup.strategy(name).fit(base, fold), test_X, codes, test, setup)
        for name in setup.strategies
    ]


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
    return renamed.get(name) or setup.strategy(name).label


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
