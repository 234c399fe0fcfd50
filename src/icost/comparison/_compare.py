"""`compare`: which strategy works on this table?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import has_fit_parameter

from icost._core.arrays import Floats, Ints
from icost._core.doubts import warn_if_few
from icost._core.labels import encode_groups, encode_labels, named_minority, resolve_minority
from icost._core.validation import check_row_costs, check_sample_weight, take_rows
from icost._table._columns import Table
from icost._table._encoder import TableEncoder
from icost._table._space import SPACES
from icost.comparison._fold_run import Setup, check_strategies, with_classifiers
from icost.comparison._running import Progress, Runner, Watcher
from icost.comparison._sample import growth, sample_rows
from icost.comparison._splits import make_splits
from icost.comparison._stages import BLEND_ROWS, CLASSIFIERS, SECOND
from icost.comparison._summary import Comparison, summarise
from icost.comparison._table_facts import TableFacts
from icost.comparison._verdict import before_use, in_words, keep_it, not_tried, parts
from icost.complexity import Complexity, NeighborComplexity
from icost.strategies import Strategy, get_strategy, list_strategies
from icost.strategies._estimators import cost_columns, get_classifier, number_costs
from icost.strategies._registry import further_strategies

DEFAULT_STRATEGIES = ("ncs", "cs", "threshold", "offsets", "neighbor", "gini", "smote", "ensemble")
"""Strategies that are compared with named classifiers unless others are named as well: a threshold
for two classes, offsets for more."""


def compare(
    X: Any,
    y: ArrayLike,
    *,
    classifier: str | Sequence[str] | None = None,
    strategies: Sequence[str | Strategy] | None = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    cost_fn: Any = None,
    cost_fp: Any = 1.0,
    minority_label: Any = None,
    n_splits: int = 5,
    n_repeats: int = 3,
    scaler: str = "standard",
    random_state: int = 0,
    n_jobs: int | str | None = None,
    max_rows: int | None = 5000,
    watch: Callable[[Progress], Any] = lambda state: None,
    time_limit: float | None = None,
    sample_weight: ArrayLike | None = None,
) -> Comparison:
    """Compare classifiers, and strategies for imbalanced data, on one table.

    Which classifier works here, and is iCost worth it, or would class-level costs, a moved
    threshold or the plain classifier do as well? By default there are two stages. The first
    compares logistic regression, a random forest and gradient boosting, each as it is and with a
    tuned threshold, and finds the classifier with the best mean. The second tries the other
    strategies with that classifier; those that are more than one standard error behind after the
    first repeat of the folds are not repeated. Name classifiers or strategies to compare just
    those, in one stage.

    All are fitted and scored on the same cross-validation folds, so that their differences are
    paired. The answer is a verdict: what to use, what it finds and misses, how sure that is, and
    what to use where a miss costs much. It prefers what is simple: the simplest strategy within one
    standard error of the best. One whose mean MCC has an interval that contains 0 gives way to one
    as good with a higher mean. All are compared with it and with the plain classifier.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind; missing cells are imputed, text is encoded and numbers are scaled,
        within each training fold.
    y : array-like of shape (n_samples,)
        Labels.
    classifier : str or sequence of str, default=None
        A name such as ``"lr"`` or ``"logistic"``, ``"rf"`` or ``"forest"``, ``"hgb"`` or
        ``"boosting"``. Several are compared with each
        strategy, in one ranking with one recommendation of both; the first named counts as the
        simplest. A strategy that brings its own classifier, such as ``"blend"``, is fitted once.
        By default ``"lr"`` where strategies are named, and else two stages.
    strategies : sequence of str or Strategy, default=None
        Names of `icost.strategies.list_strategies`, such as ``"blend"``, or strategies of yours.
        By default `DEFAULT_STRATEGIES` where a classifier is named, with ``"threshold-cost"`` if
        ``cost_fn`` is given, and else two stages. These have the blend up to 2,000 rows.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never both trained on and tested.
    time : array-like of shape (n_samples,), default=None
        Numbers or ISO 8601 dates; training rows come before test rows.
    cost_fn : float, str or array-like of shape (n_samples,), default=None
        Cost of a missed minority row: one for all, a column of ``X`` with that of each row, or an
        array of them. If given, the mean cost per row decides.
    cost_fp : float, str or array-like of shape (n_samples,), default=1.0
        Cost of a false alarm.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    n_splits, n_repeats : int, default=5 and 3
        Folds and their repeats; folds by time are not repeated. There are fewer folds where the
        rarest class has fewer rows, or where there are fewer groups.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    random_state : int, default=0
        Seed of folds, resampling and classifiers.
    n_jobs : int or "auto", default=None
        Folds that run at the same time, each in a process with rows of its own. ``"auto"`` runs the
        first fold alone and then takes all processors, unless what is left takes a few seconds.
    max_rows : int or None, default=5000
        Compare on a random part of so many rows, in which each class has its share of them, and
        ten rows at least if it has as many; None for all rows.
    watch : callable, default=do nothing
        Called after each fold, and in this process after each fit, with an object that has the
        attributes ``done`` and ``total``, in fits of one strategy to one fold, ``best``, the label
        of the strategy that leads, its ``score`` in ``metric``, ``seconds_left`` and
        ``seconds_for_all``, an estimate for the whole table.
    time_limit : float, default=None
        Seconds after which no further fit is begun. The cheapest candidates come first, the very
        first is compared in any case, and ``verdict`` says what was not tried.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in all fits; strategies whose ``fit`` takes none are left out. Scores
        count each row once; rows of weight 0 are absent.

    Returns
    -------
    Comparison
        Scores, differences, verdict and recommendation.

    See Also
    --------
    corrected_interval : The intervals, which know that folds share rows.
    icost.report.analyze : What is hard about a table.
    icost.iCostAuto : The best model for the table, from one pass.
    icost.modelfile.fit_model : The model, once a strategy is chosen.

    Notes
    -----
    A difference whose interval contains 0 "may be chance", which is not the same as none: with few
    minority rows the interval is wide, and more repeats do not make it much narrower. Intervals of
    differences come from a bootstrap of the out-of-fold rows, with twice its variance, since other
    training rows would change the models as well, and hold for all of them together;
    `docs/research/intervals.md` shows how often they contain the true difference. A control, which
    gives all minority rows the same total weight evenly, can be named as a strategy: its difference
    shows whether a gain is due to which rows get more weight.

    Give ``groups`` where rows belong together, such as visits of one patient, and ``time`` where
    the model will predict later rows than it has seen; without them the scores promise too much.
    Costs say more than MCC if you know them: ``"threshold-cost"`` then joins the defaults.

    Thresholds are tuned on inner folds of each training fold, which takes several fits where others
    take one. With ``cost_fn``, ``"ensemble"`` and ``"blend"`` decide by what errors cost.

    Examples
    --------
    >>> from icost.comparison import compare
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> found = compare(X, y, strategies=["ncs", "cs"], n_repeats=1)
    >>> [row["label"] for row in found.strategies]
    ['Plain', 'CS']
    >>> print(found.verdict[0])
    Use logistic regression with class-level costs. It finds 77 of 100 minority rows (51–100) and
    raises 19 false alarms per 100 others. MCC 0.38.
    >>> print(found.verdict[2])
    Why? It has the best MCC, and nothing simpler is within one standard error. It scored 0.39
    higher than plain logistic regression (0.20 to 0.58).

    Another table, on which a missed row costs twenty times what a false alarm does. Three folds are
    too few to be sure of a difference; the recommendation still says what to do:

    >>> X, y = load_dataset("new-thyroid1", return_X_y=True)
    >>> names = ["ncs", "threshold-cost"]
    >>> found = compare(X, y, strategies=names, cost_fn=20, n_splits=3, n_repeats=1)
    >>> found.metric, "may be chance" in found.verdict[2]
    ('cost', True)
    >>> found.recommendation["strategy"]
    'threshold-cost'
    """
    facts = TableFacts.of(X, y)
    table = facts.typed
    costs: Any = _check_costs(facts.frame, cost_fn, cost_fp)
    weight = check_weight(sample_weight, table.n_rows)
    rows = None if weight is None or weight.all() else np.flatnonzero(weight)
    places = np.arange(table.n_rows)
    table, y, groups, time, weight, places, *costs = _select_rows(
        rows, table, y, groups, time, weight, places, *costs
    )
    if rows is not None:
        facts = TableFacts(facts.frame.iloc[rows], np.asarray(y), facts.target, table)
    classes, codes = encode_labels(y)
    minority = _minority(classes, codes, minority_label)
    warn_if_few(codes, classes, stacklevel=2)
    if len(classes) > 2 and cost_fn is not None:
        raise ValueError(f"cost_fn needs a target of two classes, got {len(classes)}.")
    n_all, kept = len(codes), sample_rows(codes, max_rows, random_state)
    table, codes, groups, time, weight, places, *costs = _select_rows(
        kept, table, codes, groups, time, weight, places, *costs
    )
    numbers = encode_groups(groups, len(codes))
    rounds = {"n_splits": n_splits, "n_repeats": n_repeats, "random_state": random_state}
    splits = make_splits(codes, groups=numbers, time=time, **rounds)
    both = tuple(costs) if cost_fn is not None else None
    of_rows: dict[str, Any] = {"costs": both, "groups": numbers, "weight": weight}
    of_rows |= {"random_state": random_state, "minority": minority, "labels": classes}
    empty = Setup("lr", {}, len(classes), scaler, **of_rows)
    setup, notes = _plan(empty, classifier, strategies, splits.fewest(codes), len(codes))
    factor = None if kept is None else growth(n_all / len(kept), setup.classifiers)
    watcher = Watcher(setup, factor, watch)
    runner = Runner(table, codes, splits, setup, n_jobs, watcher, time_limit)
    runner.run()
    record = _categories(table, codes == minority, scaler) if len(classes) == 2 else None
    remarks, notes = _not_tried(runner, setup, time_limit), [*notes, *splits.notes]
    comparison = summarise(runner.results, codes, splits, setup, record, remarks, notes)
    last = _last_lines(comparison, facts, setup, minority_label, (cost_fn, cost_fp))
    sampled = "" if kept is None else f", of {len(kept):,} of {n_all:,} rows"
    return replace(
        comparison,
        verdict=[*comparison.verdict, *last, *remarks],
        how=comparison.how + sampled,
        n_rows=len(codes),
        n_rows_of_table=n_all,
        seconds_for_all=watcher.seconds_for_all,
        space=f"5 neighbours, {SPACES[scaler]}",
        categories=None if record is None else replace(record, indices=places[record.indices]),
    )


def _last_lines(
    comparison: Comparison,
    facts: TableFacts,
    setup: Setup,
    minority_label: Any,
    costs: tuple[Any, Any],
) -> list[str]:
    """Return what to check before a recommended model is used, and how to keep it."""
    if comparison.recommendation is None:
        return []
    strategy = setup.runs[comparison.recommendation["name"]]  # which may be one of the user's
    classifier = "" if strategy.own_classifier else comparison.recommendation["classifier"]
    checks = before_use(facts, area=comparison._area)
    if strategy not in (*list_strategies(), *further_strategies().values()):
        return [*checks, "Keep it: fit what its build returns to all rows"]
    given: dict[str, Any] = {"minority_label": minority_label, "scaler": setup.scaler}
    given |= {"random_state": setup.random_state}
    if strategy.supports_costs and costs[0] is not None:
        given |= dict(zip(("cost_fn", "cost_fp"), costs, strict=True))
    options = {
        name: value
        for name, value in given.items()
        if np.ndim(value) or value != signature(compare).parameters[name].default
    }
    return [*checks, keep_it(strategy.name, classifier, options)]


def _not_tried(runner: Runner, setup: Setup, time_limit: float | None) -> list[str]:
    """Name what there was no time for."""
    words = {n: in_words(run, parts(n)[0] or setup.classifier) for n, run in setup.runs.items()}
    return not_tried(runner.skipped, list(runner.scores), words, time_limit or 0)


def check_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return the weights of rows; rows of weight 0 are absent."""
    weight = check_sample_weight(sample_weight, n_rows)
    if weight is not None and not weight.any():
        raise ValueError("sample_weight must have a weight above zero, got none.")
    return weight


def _select_rows(rows: Ints | None, *columns: Any) -> list[Any]:
    """Return some rows, or all, of columns; what is missing or one number for all stays so."""
    return [c if rows is None or _is_one(c) else take_rows(c, rows) for c in columns]


def _is_one(value: Any) -> bool:
    return not isinstance(value, Table) and np.ndim(value) == 0


def _plan(
    setup: Setup,
    classifier: str | Sequence[str] | None,
    strategies: Sequence[str | Strategy] | None,
    fewest: int,
    n_rows: int,
) -> tuple[Setup, list[str]]:
    """Return what to run, with notes; two stages where neither classifier nor strategy is named."""
    is_staged = classifier is None and strategies is None
    if classifier is None:
        classifier = CLASSIFIERS if is_staged else "lr"
    classifiers = _check_classifiers(classifier)
    notes: list[str] = []
    if strategies is None:
        wanted = _staged(n_rows) if is_staged else DEFAULT_STRATEGIES
        strategies, notes = _defaults(wanted, setup.n_classes, setup.costs is not None, fewest)
    named = [strategies] if isinstance(strategies, str) else strategies
    listed = (one if isinstance(one, Strategy) else get_strategy(one) for one in named)
    compared = list(dict.fromkeys(listed))
    twice = [name for name, count in Counter(s.name for s in compared).items() if count > 1]
    if twice:
        raise ValueError(f"strategies must have different names, got {twice[0]!r} more than once.")
    compared, left_out = check_strategies(compared, setup.n_classes, setup.costs is not None)
    if setup.weight is not None:
        compared, unweighted = _weighted(compared, number_costs(setup.costs))
        left_out += unweighted
    if setup.groups is not None and any(s.holds_out and not s.supports_groups for s in compared):
        notes.append("Inner folds, in which strategies are tuned, do not know the groups.")
    runs = with_classifiers(compared, classifiers)
    if len(classifiers) > 1 and not is_staged:
        notes.append(f"Classifiers count as simple in this order: {', '.join(classifiers)}.")
    first = [n for n in runs if is_staged and parts(n)[1] not in SECOND]
    setup = replace(setup, classifier=classifiers[0], runs=runs, first_stage=tuple(first))
    return setup, [*notes, *left_out]


def _staged(n_rows: int) -> tuple[str, ...]:
    """Strategies of both stages."""
    names = ("ncs", "threshold", "offsets", *SECOND)
    if n_rows <= BLEND_ROWS:
        return names
    return tuple(name for name in names if not get_strategy(name).own_classifier)


def _weighted(
    strategies: Sequence[Strategy], costs: tuple[float, float] | None
) -> tuple[list[Strategy], list[str]]:
    """Return the strategies whose fit takes weights of rows, and a note on the others."""
    base = get_classifier("lr").make(0)
    takes = {
        strategy.name: has_fit_parameter(
            strategy.build(base, costs=number_costs(costs)), "sample_weight"
        )
        for strategy in strategies
    }
    others = [name for name, is_taken in takes.items() if not is_taken]
    if len(others) == len(takes):
        raise ValueError(f"sample_weight must not be given: {', '.join(others)} takes no weights.")
    note = [f"Left out, as they take no weights of rows: {', '.join(others)}."] if others else []
    return [strategy for strategy in strategies if takes[strategy.name]], note


def _minority(classes: NDArray[Any], codes: Ints, minority_label: Any) -> int:
    """Return the code of the minority of two classes; of more, none may be named."""
    if len(classes) > 2:
        named_minority(minority_label, classes)
        return 1
    return resolve_minority(classes, codes, minority_label)


def _check_classifiers(classifier: str | Sequence[str]) -> list[str]:
    given = [classifier] if isinstance(classifier, str) else classifier
    names = list(dict.fromkeys(get_classifier(name).name for name in given))
    if not names:
        raise ValueError("classifier must name at least one classifier, got none.")
    return names


def _check_costs(table: Any, cost_fn: Any, cost_fp: Any) -> tuple[Any, Any]:
    """Return what errors cost, as numbers or as arrays with the cost of each row."""
    if cost_fn is None:
        return None, None
    given = {"cost_fn": cost_fn, "cost_fp": cost_fp}
    given |= {
        name: table[column] for name, column in cost_columns(table, (cost_fn, cost_fp)).items()
    }
    costs = [check_row_costs(name, cost, len(table)) for name, cost in given.items()]
    return costs[0], costs[1]


def _defaults(
    names: Sequence[str], n_classes: int, has_costs: bool, fewest: int
) -> tuple[list[str], list[str]]:
    """Return the default strategies that can run here, and notes on those that cannot."""
    strategies, notes = [get_strategy(name) for name in names], []
    by_costs = [s for s in list_strategies() if s.needs_costs] if has_costs else []
    place = next(i for i, s in enumerate(strategies) if s.group == "threshold") + 1
    strategies[place:place] = by_costs
    # Offsets take the place of the threshold where there are more than two classes.
    strategies = [
        s for s in strategies if s.binary_only == (n_classes == 2) or s.group != "threshold"
    ]
    if fewest < 2:
        # What holds rows out inside a training fold needs one to learn from and one to hold out.
        strategies = [s for s in strategies if not s.holds_out]
        notes.append(
            "Thresholds and the ensemble are left out: a fold has one row of a class to learn from."
        )
    return [s.name for s in strategies], notes


def _categories(table: Any, is_minority: NDArray[np.bool_], scaler: str) -> Complexity:
    """How hard the minority rows are, seen from the whole table: only to break recall down."""
    encoder = TableEncoder(scaler=scaler).set_output(transform="default")
    space = encoder.fit_transform(table, is_minority)
    return NeighborComplexity().estimate(space, is_minority)
