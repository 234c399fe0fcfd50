"""Two stages, the classifier and then the strategy for it, and the choice among what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from icost._core.arrays import Floats
from icost._core.statistics import corrected_error, corrected_interval
from icost.comparison._verdict import best_strategy, choose, parts
from icost.strategies import Strategy

if TYPE_CHECKING:
    from icost.comparison._fold_run import Setup

CLASSIFIERS = ("lr", "rf", "hgb")
"""Classifiers of the first stage, the simplest first: the same ones on every machine."""

SECOND = ("cs", "neighbor", "smote", "ensemble", "blend")
"""Strategies of the second stage; a plain fit and one with a tuned threshold are in the first."""

BLEND_ROWS = 2000
"""Rows up to which the second stage has the blend, which is the slowest."""

Scores = Mapping[str, Floats]
"""Scores of all folds by name, NaN for folds that were not run."""


def second_stage(setup: Setup, classifier: str) -> list[str]:
    """Return what is left to run after the first stage, if this classifier is the best in it."""
    later = [name for name in setup.runs if name not in setup.first_stage]
    return [name for name in later if parts(name)[0] in (classifier, "")]


def best_classifier(setup: Setup, scores: Scores) -> str:
    """Return the classifier with the best mean in the first stage."""
    means = paired_means({name: scores[name] for name in setup.first_stage if name in scores})
    return parts(best_strategy(means, setup.metric, setup.runs))[0]


def eligible(setup: Setup, scores: Scores, test_share: float, n_first: int) -> list[str]:
    """Return what may be recommended: all, or what two stages leave.

    These are the runs of the best classifier, without those of the second stage that are more than
    one standard error behind the best in the first ``n_first`` folds.
    """
    if not setup.first_stage:
        return list(scores)
    classifier = best_classifier(setup, scores)
    names = [name for name in scores if parts(name)[0] in (classifier, "")]
    early = {name: scores[name][:n_first] for name in names}
    best = best_strategy(paired_means(early), setup.metric, setup.runs)
    return [
        name
        for name in names
        if name in setup.first_stage or is_level(early[name] - early[best], test_share)
    ]


def is_level(gap: Floats, test_share: float) -> bool:
    """Whether differences to the best, by fold, have a mean within one standard error of 0."""
    return abs(float(np.nanmean(gap))) <= corrected_error(gap, test_share)


def choose_run(setup: Setup, scores: Scores, test_share: float, n_first: int) -> str:
    """Return what is recommended by the scores of folds."""
    names = eligible(setup, scores, test_share, n_first)
    means = paired_means({name: scores[name] for name in names})
    best = best_strategy(means, setup.metric, setup.runs)
    gaps = np.array([scores[name] - scores[best] for name in names])
    errors = zip(np.nanmean(gaps, axis=1), corrected_error(gaps, test_share), strict=True)
    to_best = {
        name: {"mean": mean, "error": error}
        for name, (mean, error) in zip(names, errors, strict=True)
    }
    return choose(
        means,
        to_best,
        setup.metric,
        setup.runs,
        lambda name: decides(scores[name], setup.metric, test_share),
    )


def decides(scores: Floats, metric: str, test_share: float) -> bool:
    """Whether the interval of a mean MCC lies above 0; costs have no such point."""
    return metric != "mcc" or corrected_interval(scores, test_share)[1] > 0


def paired_means(scores: Scores) -> dict[str, float]:
    """Return means over folds; a run that lacks some is compared with another on those it has."""
    values = np.array(list(scores.values()))
    is_run = ~np.isnan(values)
    fullest = int(np.argmax(is_run.sum(axis=1)))
    is_same = (is_run == is_run[fullest]).all(axis=1)
    paired = np.where(is_same[:, np.newaxis], values, values - values[fullest])
    added = np.where(is_same, 0.0, np.nanmean(values[fullest]))
    return dict(zip(scores, (np.nanmean(paired, axis=1) + added).tolist(), strict=True))


FITS = {"weighting": 1, "control": 1, "resampling": 2, "threshold": 6, "peer": 10}
"""About how many fits of the classifier a strategy takes, by its group."""

MOST_FITS = 25
"""That of all other groups, ensembles and searches; those with their own classifiers have four."""

SECONDS = {"lr": 1, "nb": 1, "dt": 1, "ridge": 1, "lr-liblinear": 1, "lgbm": 10, "hgb": 10}
"""About how slow a classifier is beside the first; those that are not here are slower."""


def relative_cost(name: str, strategy: Strategy, classifiers: Sequence[str]) -> float:
    """Return about how long a run takes, in fits of logistic regression."""
    if strategy.own_classifier:
        return 20.0 * FITS.get(strategy.group, 4 * MOST_FITS)
    classifier = parts(name)[0] or classifiers[0]
    return float(SECONDS.get(classifier, 20) * FITS.get(strategy.group, MOST_FITS))
