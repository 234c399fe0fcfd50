"""The strategies that a plan, or a comparison of your own, may name.

A strategy fits a base classifier to a training fold and returns a `Fitted`, which predicts. All of
them are in the table `STRATEGIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from sklearn.base import clone

from icost.classifier import iCost
from icost.experiments.folds import TrainingFold
from icost.experiments.grids import GRIDS
from icost.experiments.models import Fitted, fit_problems
from icost.experiments.resampling import SAMPLERS, resample
from icost.experiments.thresholds import THRESHOLD_SPLITS, fit_tuned
from icost.experiments.weighing import (
    Weigher,
    class_weights,
    instance_weights,
    mean_matched_weights,
    no_weights,
    permuted_weights,
)
from icost.validation import check_choice, import_extra


@dataclass(frozen=True)
class Strategy:
    """A way to fit a classifier to imbalanced data.

    Parameters
    ----------
    name : str
        Its name in plans and rows.
    label : str
        Its name in tables.
    group : {"paper", "control", "resampling", "tuned", "alternative"}
        Its kind; controls show what a gain is due to.
    fitter : callable
        From a base classifier and a `TrainingFold` to a `Fitted`.
    binary_only : bool, default=False
        Whether it needs a target of two classes.
    own_classifier : bool, default=False
        Whether it brings its own classifier and ignores the base.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.experiments.folds import TrainingFold
    >>> from icost.experiments.strategies import STRATEGIES
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [40, 8])
    >>> fold = TrainingFold(rng.normal(size=(48, 2)) + 2 * y[:, None], y)
    >>> fitted = STRATEGIES["smote"].fit(LogisticRegression(), fold)
    >>> fitted.predict([[0.0, 0.0], [2.0, 2.0]])
    array([0, 1])
    """

    name: str
    label: str
    group: str
    fitter: Callable[[Any, TrainingFold], Fitted]
    binary_only: bool = False
    own_classifier: bool = False

    def fit(self, base: Any, fold: TrainingFold) -> Fitted:
        """Fit a clone of a base classifier.

        Parameters
        ----------
        base : classifier
            Left as it is.
        fold : TrainingFold
            Training data.

        Returns
        -------
        Fitted
            The model and the record of its fit.
        """
        return self.fitter(base, fold)


def _fit_weighted(weigher: Weigher, base: Any, fold: TrainingFold) -> Fitted:
    return Fitted.with_weights(base, fold, weigher(fold))


def _fit_resampled(sampler: str, base: Any, fold: TrainingFold) -> Fitted:
    new, seconds = fold.share(("resampled", sampler), lambda: resample(fold, sampler))
    problems, _ = new.fold.problems()
    model, fit_time = fit_problems(base, new.fold.X, problems, [None] * len(problems))
    return Fitted(model, fit_time, seconds, note=new.note)


def _fit_threshold(method: str, base: Any, fold: TrainingFold) -> Fitted:
    """Move the decision threshold to where inner folds have the best MCC."""
    cv = fold.inner_splitter(THRESHOLD_SPLITS)
    estimator = iCost(clone(base), method=method, minority_label=1)
    start = perf_counter()
    model = fit_tuned(estimator, fold.X, fold.y, cv)
    seconds = perf_counter() - start
    threshold = getattr(model, "best_threshold_", None)
    moved = f"threshold {threshold:.6g}" if threshold is not None else None
    return Fitted(model, seconds, note=moved or "threshold unmoved: constant predictions")


def _fit_ensemble(name: str, base: Any, fold: TrainingFold) -> Fitted:
    ensemble = import_extra("imblearn.ensemble", "experiments", f"The strategy {name}")
    model = getattr(ensemble, name)(random_state=fold.random_state)
    start = perf_counter()
    model.fit(fold.X, fold.y)
    return Fitted(model, perf_counter() - start)


def _weighted(name: str, label: str, group: str, weigher: Weigher) -> Strategy:
    return Strategy(name, label, group, partial(_fit_weighted, weigher))


def _resampled(name: str, label: str) -> Strategy:
    return Strategy(name, label, "resampling", partial(_fit_resampled, name))


def _threshold(name: str, label: str, method: str) -> Strategy:
    fitter = partial(_fit_threshold, method)
    return Strategy(name, label, "alternative", fitter, binary_only=True)


def _ensemble(name: str, label: str, class_name: str) -> Strategy:
    fitter = partial(_fit_ensemble, class_name)
    return Strategy(name, label, "alternative", fitter, own_classifier=True)


def _tuned(name: str, label: str) -> Strategy:
    return Strategy(f"tuned-{name}", label, "tuned", GRIDS[f"grid-{name}"].fit_tuned)


_neighbor = partial(instance_weights, measure="neighbor")
_gini = partial(instance_weights, measure="gini")

RESAMPLER_LABELS = {
    "ros": "ROS",
    "rus": "RUS",
    "smote": "SMOTE",
    "bl-smote": "BL-SMOTE",
    "adasyn": "ADASYN",
    "smote-enn": "SMOTE-ENN",
    "smote-tomek": "SMOTE-Tomek",
    "enn": "ENN",
    "tomek": "Tomek-Links",
}
"""Names of the resamplers in the paper's table, in its order."""

_ALL = [
    _weighted("ncs", "NCS", "paper", no_weights),
    _weighted("cs", "CS", "paper", class_weights),
    _weighted("neighbor", "Neighbor-iCost", "paper", _neighbor),
    _weighted("gini", "Gini-iCost", "paper", _gini),
    _weighted(
        "neighbor-mean",
        "Neighbor, mean-matched",
        "control",
        partial(mean_matched_weights, measure="neighbor"),
    ),
    _weighted(
        "gini-mean", "Gini, mean-matched", "control", partial(mean_matched_weights, measure="gini")
    ),
    _weighted(
        "neighbor-permuted",
        "Neighbor, permuted",
        "control",
        partial(permuted_weights, measure="neighbor"),
    ),
    _weighted(
        "gini-permuted", "Gini, permuted", "control", partial(permuted_weights, measure="gini")
    ),
    *(_resampled(name, RESAMPLER_LABELS[name]) for name in SAMPLERS),
    _tuned("cs", "Tuned CSL (3)"),
    _tuned("cs-81", "Tuned CSL (81)"),
    _tuned("neighbor", "Tuned Neighbor-iCost"),
    _tuned("gini", "Tuned Gini-iCost"),
    _threshold("threshold", "Threshold-tuned", "ncs"),
    _threshold("threshold-cs", "CS, threshold-tuned", "cs"),
    _ensemble("balanced-rf", "Balanced random forest", "BalancedRandomForestClassifier"),
    _ensemble("easy-ensemble", "EasyEnsemble", "EasyEnsembleClassifier"),
    _ensemble("rusboost", "RUSBoost", "RUSBoostClassifier"),
]

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _ALL}
"""All strategies by name, in the order of tables."""


def get_strategy(name: str) -> Strategy:
    """Return a strategy by name.

    Parameters
    ----------
    name : str
        A name in `STRATEGIES`.

    Returns
    -------
    Strategy
        The entry of the table.

    Examples
    --------
    >>> from icost.experiments.strategies import get_strategy
    >>> get_strategy("neighbor-mean").label
    'Neighbor, mean-matched'
    """
    return STRATEGIES[check_choice("a strategy", name, STRATEGIES)]
