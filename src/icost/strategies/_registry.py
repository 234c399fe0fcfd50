"""The strategies that users choose from; a new one is a line here.

Installed packages may add to them by an entry point of the group `ENTRY_POINTS`: a mapping from
names to strategies. The studies of the paper's reproduction come that way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import entry_points
from typing import Any

from icost._core.statistics import SAMPLERS
from icost._core.validation import did_you_mean, import_extra
from icost._pass.quick_svm import QuickSVC
from icost._weights.classifier import iCost
from icost.complexity._methods import MEASURES
from icost.ensemble import iCostEnsemble
from icost.ensemble._icost_ensemble import automatic_bases
from icost.strategies._estimators import ResampledClassifier, get_classifier
from icost.thresholds import ThresholdClassifier


@dataclass(frozen=True)
class Strategy:
    """A way to fit a classifier to imbalanced data, under a name.

    Weighting, resampling, a tuned threshold and ensembles all answer the same question: how does a
    classifier learn from few minority rows? Each of them is a scikit-learn classifier around a base
    classifier. A strategy knows how to build it, and what a caller must know before the fit.
    `icost.comparison.compare`, `icost.modelfile.fit_model` and the studies all fit what `build`
    returns, so that the model you keep is the model that was compared.

    Parameters
    ----------
    name : str
        Its name in commands, plans and rows.
    label : str
        Its name in tables.
    group : {"weighting", "threshold", "resampling", "ensemble", "control", "tuned", "peer"}
        What it changes.
    builder : callable
        Called as ``builder(base, minority_label=..., costs=..., random_state=...)``; returns an
        unfitted classifier.
    supports_groups : bool, default=False
        Whether its ``fit`` takes ``groups`` and holds the rows of a group out together.
    supports_costs : bool, default=False
        Whether it decides by the costs of errors where they are given.
    needs_costs : bool, default=False
        Whether it cannot decide without them.
    binary_only : bool, default=False
        Whether it needs a target of two classes.
    own_classifier : bool, default=False
        Whether it brings its own classifier and ignores the base.
    holds_out : bool, default=False
        Whether its ``fit`` holds rows out, and so needs two rows of every class.
    is_calibrated : bool, default=False
        Whether its probabilities follow the true shares of the classes.
    is_control : bool, default=False
        Whether it only shows what a gain is due to; it is never recommended and never kept.
    control : str, default=None
        Name of the control with the same total weight, if there is one.
    simplicity : int, default=None
        Rank among strategies that may be recommended for being simple, 0 for the simplest. Others
        are recommended only for having the best score.
    phrase : str, default=""
        What it is called in a sentence, behind its classifier; by default "with" and its label.
        Instead of the classifier where it brings its own.
    package : str, default=""
        What a fitted model needs besides scikit-learn, by the name of its distribution.

    See Also
    --------
    get_strategy : A strategy by name.
    list_strategies : All of them.
    icost.comparison.compare : Several of them on one table, cross-validated.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost.strategies import Strategy, get_strategy
    >>> X, y = make_classification(200, weights=[0.9], random_state=0)
    >>> model = get_strategy("threshold").build(LogisticRegression(), random_state=0)
    >>> model.fit(X, y).predict(X).shape
    (200,)

    A strategy of yours, for `icost.comparison.compare`:

    >>> def balanced(base, *, minority_label=None, costs=None, random_state=0):
    ...     return base.set_params(class_weight="balanced")
    >>> Strategy("balanced", "Balanced weights", "weighting", balanced).build(LogisticRegression())
    LogisticRegression(class_weight='balanced')
    """

    name: str
    label: str
    group: str
    builder: Callable[..., Any]
    supports_groups: bool = False
    supports_costs: bool = False
    needs_costs: bool = False
    binary_only: bool = False
    own_classifier: bool = False
    holds_out: bool = False
    is_calibrated: bool = False
    is_control: bool = False
    control: str | None = None
    simplicity: int | None = None
    phrase: str = ""
    package: str = ""

    def __post_init__(self) -> None:
        if ":" in self.name:  # which parts a classifier from a strategy in names of candidates
            raise ValueError(f"name must not contain a colon, got {self.name!r}.")

    def build(
        self,
        base: Any = None,
        *,
        minority_label: Any = None,
        costs: tuple[float, float] | None = None,
        random_state: int | None = 0,
    ) -> Any:
        """Return an unfitted classifier.

        Parameters
        ----------
        base : classifier
            Base classifier; ignored where the strategy brings its own.
        minority_label : label, default=None
            The minority class of a binary target; by default the smaller one.
        costs : tuple of two floats, default=None
            Costs of a missed minority row and of a false alarm, for strategies that support them.
        random_state : int or None, default=0
            Seed of all that is random but the base classifier.

        Returns
        -------
        classifier
            To fit to numbers without gaps.
        """
        if self.needs_costs and costs is None:
            raise ValueError(f"Strategy {self.name!r} needs cost_fn.")
        return self.builder(
            base,
            minority_label=minority_label,
            costs=costs if self.supports_costs else None,
            random_state=random_state,
        )


ENTRY_POINTS = "icost.strategies"
"""Group of entry points that name further strategies."""


def build_weighted(
    base: Any,
    *,
    method: str,
    minority_label: Any = None,
    costs: Any = None,
    random_state: int | None = 0,
    **params: Any,
) -> iCost:
    """Return `icost.iCost`, which then weights rows of numbers as they are."""
    return iCost(
        base,
        method=method,
        minority_label=minority_label,
        preprocessor=None,
        random_state=random_state,
        **params,
    )


def build_resampled(base: Any, *, sampler: str, **options: Any) -> ResampledClassifier:
    """Return a classifier of resampled rows; several classes are each set against the rest."""
    plain = build_weighted(base, method="ncs", **options)
    return ResampledClassifier(plain, sampler, options["random_state"])


def build_threshold(
    base: Any, *, method: str, minority_label: Any, costs: Any, random_state: int | None
) -> ThresholdClassifier:
    """Return a weighted or plain classifier that decides by held-out rows, or by costs."""
    options = {"minority_label": minority_label, "random_state": random_state}
    rule = {} if costs is None else {"rule": "cost", "cost_fn": costs[0], "cost_fp": costs[1]}
    return ThresholdClassifier(build_weighted(base, method=method, **options), **rule, **options)


def build_ensemble(
    base: Any,
    *,
    minority_label: Any,
    costs: tuple[float, float] | None,
    random_state: int | None,
    **params: Any,
) -> iCostEnsemble:
    """Return `icost.iCostEnsemble` around a base, or around a list of them."""
    if costs is not None:
        params |= {"threshold": "cost", "cost_fn": costs[0], "cost_fp": costs[1]}
    return iCostEnsemble(
        base, minority_label=minority_label, preprocessor=None, random_state=random_state, **params
    )


def build_blend(base: Any, **options: Any) -> iCostEnsemble:
    """Return the ensemble of four classifiers; the base is ignored."""
    seed = options["random_state"]
    bases = {name: get_classifier(name).make(seed) for name in automatic_bases()}
    if options.get("refit", True) and "svm" in bases:
        # Of eight models, two SVMs would take most of the time of prediction.
        bases["svm"] = QuickSVC()
    return build_ensemble(list(bases.values()), **options)


def build_imblearn(
    base: Any, *, class_name: str, minority_label: Any, costs: Any, random_state: int | None
) -> Any:
    """Return an ensemble of imbalanced-learn, which brings its own classifier."""
    module = import_extra("imblearn.ensemble", "ensemble", f"The strategy {class_name}")
    return getattr(module, class_name)(random_state=random_state)


# The method "tree" is another name of "gini".
MEASURE_LABELS = {name: name.title() for name in MEASURES if name != "tree"}
"""All measures, by their names in tables; the paper's two come first."""

RESAMPLER_LABELS = {name: name.upper() for name in SAMPLERS}
RESAMPLER_LABELS |= {"smote-tomek": "SMOTE-Tomek", "tomek": "Tomek-Links"}
"""Names of the resamplers in the paper's table, in its order."""

SIMPLICITY = (
    *("ncs", "cs", "threshold", "offsets", "threshold-cost"),
    *("smote", "neighbor", "gini", "ensemble", "blend"),
)
"""Strategies that may be recommended for being simple, the simplest first."""


def weighted(name: str, label: str, method: str, **params: Any) -> Strategy:
    """Return a strategy that weights rows by a method of `icost.iCost`."""
    facts = {key: params.pop(key) for key in ("group", "control", "phrase") if key in params}
    builder = partial(build_weighted, method=method, **params)
    return _ranked(name, label, builder, **{"group": "weighting", **facts})


def _ranked(name: str, label: str, builder: Any, *, group: str, **facts: Any) -> Strategy:
    rank = SIMPLICITY.index(name) if name in SIMPLICITY else None
    return Strategy(name, label, group, builder, simplicity=rank, **facts)


def threshold(name: str, label: str, method: str, phrase: str = "", **facts: Any) -> Strategy:
    """Return a strategy that tunes the threshold, or offsets, of a weighted or plain classifier."""
    builder = partial(build_threshold, method=method)
    common = {"holds_out": True, "is_calibrated": True, "supports_groups": True}
    facts = {"group": "threshold", "phrase": phrase, **common, **facts}
    return _ranked(name, label, builder, **facts)


def resampled(name: str, label: str) -> Strategy:
    """Return a strategy that fits a plain classifier to resampled rows."""
    return _ranked(name, label, partial(build_resampled, sampler=name), group="resampling")


def ensemble(
    name: str, label: str, *, is_blend: bool = False, phrase: str = "", **params: Any
) -> Strategy:
    """Return a strategy that fits `icost.iCostEnsemble` with some of its parameters changed."""
    return _ranked(
        name,
        label,
        partial(build_blend if is_blend else build_ensemble, **params),
        group="ensemble",
        supports_groups=True,
        supports_costs=True,
        own_classifier=is_blend,
        holds_out=True,
        is_calibrated=True,
        phrase=phrase,
    )


def imblearn_ensemble(name: str, label: str, class_name: str) -> Strategy:
    """Return a strategy that is an ensemble of imbalanced-learn."""
    builder = partial(build_imblearn, class_name=class_name)
    facts = {"own_classifier": True, "package": "imbalanced-learn"}
    return _ranked(name, label, builder, group="peer", **facts)


def by_name(*strategies: Strategy) -> dict[str, Strategy]:
    """Return strategies by name, in their order."""
    return {strategy.name: strategy for strategy in strategies}


_BY_COSTS = {"binary_only": True, "supports_costs": True, "needs_costs": True}

STRATEGIES: dict[str, Strategy] = by_name(
    weighted("ncs", "Plain", "ncs"),
    weighted("cs", "CS", "cs", phrase="with class-level costs"),
    *(
        weighted(name, f"{label}-iCost", name, control=f"{name}-mean")
        for name, label in MEASURE_LABELS.items()
    ),
    threshold("threshold", "Tuned threshold", "ncs", "with a tuned threshold", binary_only=True),
    threshold("threshold-cs", "CS, tuned threshold", "cs", binary_only=True),
    threshold(
        "threshold-cost", "Threshold by costs", "ncs", "with a threshold set by costs", **_BY_COSTS
    ),
    threshold("offsets", "Tuned offsets", "ncs", "with tuned offsets"),
    *(resampled(name, RESAMPLER_LABELS[name]) for name in SAMPLERS),
    ensemble("ensemble", "Ensemble", phrase="in an iCost ensemble"),
    ensemble("blend", "Blend", is_blend=True, phrase="a blend of four classifiers"),
    imblearn_ensemble("balanced-rf", "Balanced random forest", "BalancedRandomForestClassifier"),
)
"""The strategies of the library by name, in the order of tables."""


@cache
def further_strategies() -> Mapping[str, Strategy]:
    """Return the strategies that other installed packages bring."""
    tables = [entry.load() for entry in entry_points(group=ENTRY_POINTS)]
    return {name: strategy for table in tables for name, strategy in table.items()}


def list_strategies() -> list[Strategy]:
    """Return the strategies that `icost.comparison.compare` and ``icost fit`` offer.

    Returns
    -------
    list of Strategy
        In the order of tables.

    See Also
    --------
    get_strategy : One of them by name.

    Examples
    --------
    >>> from icost.strategies import list_strategies
    >>> [strategy.name for strategy in list_strategies() if strategy.group == "threshold"]
    ['threshold', 'threshold-cs', 'threshold-cost', 'offsets']
    >>> [strategy.name for strategy in list_strategies() if strategy.own_classifier]
    ['blend', 'balanced-rf']
    """
    return list(STRATEGIES.values())


def get_strategy(name: str) -> Strategy:
    """Return a strategy by name.

    Parameters
    ----------
    name : str
        One of `list_strategies`, or a strategy of an installed package that brings more, such as
        the reproduction of the paper.

    Returns
    -------
    Strategy
        What to fit, and what to know before.

    Raises
    ------
    ValueError
        If there is none of that name.

    See Also
    --------
    Strategy : What it knows, and how to make one.
    list_strategies : All of the library.

    Examples
    --------
    >>> from icost.strategies import get_strategy
    >>> get_strategy("neighbor").label, get_strategy("threshold").binary_only
    ('Neighbor-iCost', True)
    >>> get_strategy("smoote")
    Traceback (most recent call last):
        ...
    ValueError: There is no strategy 'smoote'; did you mean 'smote'?
    """
    if isinstance(name, str):
        if name in STRATEGIES:
            return STRATEGIES[name]
        if name in further_strategies():
            return further_strategies()[name]
    hint = did_you_mean(name, [*STRATEGIES, *further_strategies()])
    hint = hint or f"choose from {', '.join(STRATEGIES)}."
    raise ValueError(f"There is no strategy {name!r}; {hint}")
