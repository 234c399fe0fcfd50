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

from icost.resampling import SAMPLERS, resample
from icost.strategies.ensembles import (
    N_REPEATS,
    fit_blend,
    fit_calibrated,
    fit_crossed,
    fit_imblearn,
)
from icost.strategies.grids import GRIDS
from icost.strategies.threshold import COST_THRESHOLD, fit_best_mcc, fit_offsets, fit_to_costs
from icost.strategies.training_fold import Fitted, TrainingFold
from icost.strategies.weighting import Rearrange, fit_weighted, mean_matched, permuted
from icost.validation import check_choice


@dataclass(frozen=True)
class Strategy:
    """A way to fit a classifier to imbalanced data, under a name.

    Weighting, resampling, moving the threshold and ensembles of balanced samples all answer the
    same question: how is a classifier made to heed the minority? As strategies they have one form,
    from a base classifier and a training fold to a fitted model, so that plans,
    `icost.comparison.compare` and tables treat them alike. `get_strategy` finds those that there
    are; one of your own is an instance of this class.

    Parameters
    ----------
    name : str
        Its name in plans and rows.
    label : str
        Its name in tables.
    group : {"paper", "measure", "control", "resampling", "tuned", "ensemble", "alternative"}
        Its kind; controls show what a gain is due to, and are never recommended.
    fitter : callable
        From a base classifier and a `icost.strategies.training_fold.TrainingFold` to a
        `icost.strategies.training_fold.Fitted`. The fold holds numbers only, imputed and scaled,
        and class codes; of two classes, 1 is the minority.
    binary_only : bool, default=False
        Whether it needs a target of two classes.
    own_classifier : bool, default=False
        Whether it brings its own classifier and ignores the base.

    See Also
    --------
    get_strategy : One by name.
    icost.comparison.compare : Several of them on one table, cross-validated.
    icost.experiments.run_plan : Many of them on many tables.

    Notes
    -----
    What several strategies need of a fold, the complexity of its minority samples or its resampled
    rows, is kept in the fold and computed once. The time that it took is charged to each of them as
    ``weight_time``, as if it had been alone; ``fit_time`` is that of the classifier.

    The controls ``"neighbor-mean"`` and ``"gini-mean"`` give every minority sample iCost's mean
    penalty, ``"neighbor-permuted"`` and ``"gini-permuted"`` deal the penalties at random. A gain
    over class-level costs that a control has as well is not due to which samples got which weight.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import clone
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.experiments import Strategy, get_strategy
    >>> from icost.strategies.training_fold import Fitted, TrainingFold
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [40, 8])
    >>> fold = TrainingFold(rng.normal(size=(48, 2)) + 2 * y[:, None], y)
    >>> fitted = get_strategy("neighbor").fit(LogisticRegression(), fold)
    >>> fitted.predict([[0.0, 0.0], [2.0, 2.0]])
    array([0, 1])

    The record of a fit tells what was done, here how many minority samples are how hard, and with
    which multiples of the imbalance ratio:

    >>> sum(fitted.counts.values()), fitted.costs["cfb"]
    (8, 1.25)

    One of your own, which leaves the weighting to the classifier:

    >>> def fit_balanced(base, fold):
    ...     model = clone(base).set_params(class_weight="balanced").fit(fold.X, fold.y)
    ...     return Fitted(model, fit_time=0.0)
    >>> balanced = Strategy("balanced", "Balanced weights", "alternative", fit_balanced)
    >>> balanced.fit(LogisticRegression(), fold).predict([[2.0, 2.0]])
    array([1])
    """

    name: str
    label: str
    group: str
    fitter: Callable[[Any, TrainingFold], Fitted]
    binary_only: bool = False
    own_classifier: bool = False

    def fit(self, base: Any, fold: TrainingFold) -> Fitted:
        """Fit a clone of a base classifier to a training fold.

        Parameters
        ----------
        base : classifier
            Left as it is. Its ``fit`` must take ``sample_weight`` for strategies that weight.
        fold : TrainingFold
            Training data.

        Returns
        -------
        Fitted
            The model, with ``predict``, ``proba`` and ``scores``, and the record of its fit: times,
            costs, counts of categories, and a note on what was done otherwise than asked.
        """
        return self.fitter(base, fold)


def _fit_resampled(sampler: str, base: Any, fold: TrainingFold) -> Fitted:
    new, seconds = fold.share(
        ("resampled", sampler), lambda: resample(fold.X, fold.y, sampler, fold.random_state)
    )
    model = fold.model(base, "ncs")
    start = perf_counter()
    model.fit(new.X, new.y)
    return Fitted(model, perf_counter() - start, seconds, note=new.note)


def _weighted(
    name: str,
    label: str,
    group: str,
    method: str,
    rearrange: Rearrange | None = None,
    **params: Any,
) -> Strategy:
    fitter = partial(fit_weighted, method, rearrange=rearrange, **params)
    return Strategy(name, label, group, fitter)


MEASURE_LABELS = {
    "neighbor": "Neighbor",
    "gini": "Gini",
    "margin": "Margin",
    "density": "Density",
    "graph": "Graph",
    "cluster": "Cluster",
}
"""All measures, by their names in tables; the paper's two come first."""

SCALES = (1.0, 0.3)
"""Scales at which plausible weights are tried."""


def _measure(method: str) -> list[Strategy]:
    """A measure with the paper's costs, its control, and plausible weights of it."""
    label, found = MEASURE_LABELS[method], []
    if method not in ("neighbor", "gini"):
        found.append(_weighted(method, f"{label}-iCost", "measure", method))
        mean = _weighted(
            f"{method}-mean", f"{label}, mean-matched", "control", method, mean_matched
        )
        found.append(mean)
    for majority, kind in (("plausible", "both"), ("flat", "plausible")):
        for scale in SCALES:
            sides = "two-sided" if kind == "both" else "one-sided"
            found.append(
                _weighted(
                    f"{method}-{kind}-{scale:g}",
                    f"{label}, plausible, {sides}, scale {scale:g}",
                    "measure",
                    method,
                    penalty="plausible",
                    scale=scale,
                    majority=majority,
                )
            )
    return found


def _several(method: str, label: str) -> list[Strategy]:
    """A method with the two other ways to learn several classes."""
    ways = {"ovo": "pairs", "direct": "all at once"}
    return [
        _weighted(f"{method}-{way}", f"{label}, {name}", "measure", method, multiclass=way)
        for way, name in ways.items()
    ]


def _resampled(name: str, label: str) -> Strategy:
    return Strategy(name, label, "resampling", partial(_fit_resampled, name))


def _threshold(name: str, label: str, method: str) -> Strategy:
    fitter = partial(fit_best_mcc, method)
    return Strategy(name, label, "alternative", fitter, binary_only=True)


def _imblearn(name: str, label: str, class_name: str) -> Strategy:
    fitter = partial(fit_imblearn, class_name)
    return Strategy(name, label, "alternative", fitter, own_classifier=True)


def _crossed(name: str, label: str, **options: Any) -> Strategy:
    return Strategy(name, label, "ensemble", partial(fit_crossed, **options))


def _blended(name: str, label: str, **options: Any) -> Strategy:
    fitter = partial(fit_blend, **options)
    return Strategy(name, label, "ensemble", fitter, own_classifier=True)


def _tuned(name: str, label: str) -> Strategy:
    return Strategy(f"tuned-{name}", label, "tuned", GRIDS[f"grid-{name}"].fit_tuned)


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

TEN_FITS = ("plain", "smote-half")
"""The best members of ten fits, on the sets they were developed on."""

WITH_HALF = ("plain", "smote", "smote-half", "smote")
"""The members that the first trials of the ensemble ended with."""

_ALL = [
    _weighted("ncs", "NCS", "paper", "ncs"),
    _weighted("cs", "CS", "paper", "cs"),
    _weighted("neighbor", "Neighbor-iCost", "paper", "neighbor"),
    _weighted("gini", "Gini-iCost", "paper", "gini"),
    _weighted("neighbor-mean", "Neighbor, mean-matched", "control", "neighbor", mean_matched),
    _weighted("gini-mean", "Gini, mean-matched", "control", "gini", mean_matched),
    _weighted("neighbor-permuted", "Neighbor, permuted", "control", "neighbor", permuted),
    _weighted("gini-permuted", "Gini, permuted", "control", "gini", permuted),
    *(_resampled(name, RESAMPLER_LABELS[name]) for name in SAMPLERS),
    _tuned("cs", "Tuned CSL (3)"),
    _tuned("cs-81", "Tuned CSL (81)"),
    _tuned("neighbor", "Tuned Neighbor-iCost"),
    _tuned("gini", "Tuned Gini-iCost"),
    _threshold("threshold", "Threshold-tuned", "ncs"),
    _threshold("threshold-cs", "CS, threshold-tuned", "cs"),
    *(strategy for method in MEASURE_LABELS for strategy in _measure(method)),
    _weighted("cs-0.3", "CS, scale 0.3", "control", "cs", cs_multiplier=0.3),
    *_several("cs", "CS"),
    *_several("neighbor", "Neighbor-iCost"),
    *_several("gini", "Gini-iCost"),
    *_several("margin", "Margin-iCost"),
    Strategy("offsets", "Tuned offsets", "alternative", partial(fit_offsets, "ncs")),
    Strategy("offsets-cs", "CS, tuned offsets", "alternative", partial(fit_offsets, "cs")),
    Strategy(
        "offsets-neighbor",
        "Neighbor-iCost, tuned offsets",
        "alternative",
        partial(fit_offsets, "neighbor"),
    ),
    # A form of the ensemble is a line, with the parameters of iCostEnsemble that it changes.
    _crossed("ensemble", "Ensemble"),
    _crossed("ensemble-10", "Ensemble, 10 fits", members=TEN_FITS),
    _crossed("ensemble-half", "Ensemble with SMOTE½", members=WITH_HALF),
    _crossed("ensemble-plain", "Ensemble of plain members", members=("plain",) * N_REPEATS),
    _blended("blend", "Blend"),
    _blended("blend-10", "Blend, 10 fits each", members=TEN_FITS),
    _blended("blend-half", "Blend with SMOTE½", members=WITH_HALF),
    Strategy("calibrated", "CalibratedClassifierCV", "alternative", fit_calibrated),
    _imblearn("balanced-rf", "Balanced random forest", "BalancedRandomForestClassifier"),
    _imblearn("easy-ensemble", "EasyEnsemble", "EasyEnsembleClassifier"),
    _imblearn("rusboost", "RUSBoost", "RUSBoostClassifier"),
]

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in _ALL}
"""All strategies by name, in the order of tables."""


BY_COSTS = Strategy(
    COST_THRESHOLD, "Threshold set by costs", "alternative", fit_to_costs, binary_only=True
)
"""A strategy that needs to be told what errors cost, which no plan does."""


CONTROLS = frozenset(name for name, known in STRATEGIES.items() if known.group == "control")
"""Strategies that show what a gain is due to, and are never recommended."""

FITTABLE: dict[str, Strategy] = {
    **{name: known for name, known in STRATEGIES.items() if name not in CONTROLS},
    BY_COSTS.name: BY_COSTS,
}
"""All strategies that a comparison may recommend, by name."""


def get_strategy(name: str) -> Strategy:
    """Return a strategy by name, as plans and comparisons do.

    Parameters
    ----------
    name : str
        A name in `icost.strategies.registry.STRATEGIES`; another one raises a ValueError that lists
        them all.

    Returns
    -------
    Strategy
        The entry of the table.

    See Also
    --------
    Strategy : What it is, and how to make one of your own.
    icost.comparison.compare : Takes names.

    Examples
    --------
    >>> from icost.experiments import get_strategy
    >>> get_strategy("neighbor-mean").label
    'Neighbor, mean-matched'

    The names by their kind; those of the paper come first:

    >>> from icost.strategies.registry import STRATEGIES
    >>> [name for name, strategy in STRATEGIES.items() if strategy.group == "paper"]
    ['ncs', 'cs', 'neighbor', 'gini']
    >>> [name for name, strategy in STRATEGIES.items() if strategy.own_classifier]
    ['blend', 'blend-10', 'blend-half', 'balanced-rf', 'easy-ensemble', 'rusboost']
    >>> get_strategy("threshold").binary_only
    True
    """
    return STRATEGIES[check_choice("a strategy", name, STRATEGIES)]
