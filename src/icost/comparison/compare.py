"""`compare`: which strategy works on this table?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost.comparison.fold_run import (
    FoldResult,
    Setup,
    calibration_points,
    check_strategies,
    label_of,
    precision_recall_points,
    with_classifiers,
)
from icost.comparison.running import Progress, Watcher, run_folds
from icost.comparison.sample import growth, sample_rows
from icost.comparison.selection import corrected_choice
from icost.comparison.splits import Splits, make_splits
from icost.comparison.verdict import (
    CONFIDENCE,
    METRICS,
    beside,
    best_strategy,
    conclusions,
    how_corrected,
    joint_level,
    pairs_of_interest,
    parts,
    recommend,
    sentence,
    told_apart,
)
from icost.complexity import Complexity, NeighborComplexity
from icost.labels import encode_labels, named_minority, resolve_minority
from icost.metrics import recall_per_category
from icost.preprocessing import make_preprocessor, number_levels, plain_table
from icost.statistics import corrected_error, corrected_interval
from icost.strategies.classifiers import get_classifier
from icost.strategies.threshold import COST_THRESHOLD
from icost.validation import check_number

DEFAULT_STRATEGIES = (
    "ncs",
    "cs",
    "threshold",
    "neighbor",
    "gini",
    "smote",
    "ensemble",
    "neighbor-mean",
    "gini-mean",
)
"""Strategies that are compared unless others are asked for."""


@dataclass(frozen=True)
class Comparison:
    """What `compare` found, as plain values.

    Everything is a number, a text, a list or a dictionary: it goes into JSON, a template or a data
    frame as it is. For a reader, ``verdict`` and ``recommendation`` say in sentences what the
    numbers in ``differences`` are; ``notes`` say what to bear in mind with them.

    Parameters
    ----------
    classifier : str
        The base classifier; of several, their names with commas between.
    metric : str
        What decides: ``"cost"`` where costs are given, else ``"mcc"``.
    how : str
        How the folds were made.
    n_fits : int
        Folds per strategy, all repeats together.
    strategies : list of dict
        ``name``, ``label``, ``scores`` (``mean``, ``low``, ``high`` and ``half``, the half width,
        by metric) and ``recall`` by neighbour category, empty for more than two classes. Of several
        classifiers, there is an entry for each of them with each strategy, the best first, with a
        name such as ``"rf:cs"``; ``classifier`` and ``strategy`` are its parts.
    differences : list of dict
        Paired differences with intervals, the headline first: ``strategy``, ``baseline``, their
        labels, ``metric``, ``mean``, ``low``, ``high``, ``error`` and ``sentence``, ``n_together``,
        for how many intervals ``low`` and ``high`` are corrected, and ``alone``, the ``low`` and
        ``high`` of a reader who asks for this one difference only.
    verdict : list of str
        The recommended strategy beside the plain classifier; what else is better than the one or
        the other, what is worse and what cannot be told from it; then the first two of the
        differences, where not yet said, and what follows from several of them.
    recommendation : dict
        ``strategy``, ``classifier``, ``name``, that of its entry in ``strategies``, and
        ``sentence``.
    curves : dict
        Precision-recall and calibration curves by strategy, for a binary target.
    notes : list of str
        What a reader must know.
    pairs : list of dict
        The differences of all pairs, as ``differences`` has them.
    seconds : dict
        Mean time of a fit by name, on one training fold, with all inner fits. Two comparisons are
        equal whatever time they took.
    n_rows, n_rows_of_table : int
        Rows that were compared on, and those that there are.
    seconds_for_all : float or None
        If they differ, about how long all rows would take, with as many processes; else None.
    selection : dict
        The recommended strategy's score, ``raw`` and ``corrected`` for its having been chosen on
        the same folds, with ``low`` and ``high``, a 95 % interval of the latter; its ``name``, the
        ``metric``, and the ``share`` of ``n_draws`` bootstrap samples that recommend it, too.

    See Also
    --------
    compare : Makes it.
    corrected_interval : The intervals.

    Notes
    -----
    Scores are shares between 0 and 1, MCC between -1 and 1; sentences multiply all but the Brier
    score and the cost by 100. Intervals, those of the cost aside, end where a metric or the
    difference of two does, so that ``half`` may be wider than they look. Intervals of two
    strategies that overlap do not say that they are equal: read ``differences``, which are paired
    by fold.

    Intervals of differences are corrected for their number, by Bonferroni's bound: at 95 %, all of
    them hold together, those of all pairs of strategies. Nine strategies have 36 pairs, so that
    each interval has a level of 99.86 % and, for 15 folds, is nearly twice as wide as one at 95 %.
    All pairs count, and not only those in sentences, since the data chose which strategy is
    recommended. The last of ``notes`` says it in numbers.

    ``recall`` tells where a strategy finds more: of pure, safe, border or outlier samples. The
    categories are of the whole table, by five neighbours, the same for all strategies.

    Curves are those of the first repeat, where every row is predicted once, and only of strategies
    that have probabilities.

    Examples
    --------
    >>> from icost.comparison import compare
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> found = compare(X, y, strategies=["ncs", "cs"], n_repeats=1)
    >>> found.metric, found.n_fits, found.how
    ('mcc', 5, '5 stratified folds')

    A table of the means; here a plain classifier finds none of the minority:

    >>> import pandas as pd
    >>> scores = {row["label"]: pd.DataFrame(row["scores"]).loc["mean"] for row in found.strategies}
    >>> pd.DataFrame(scores).loc[["sensitivity", "specificity"]].round(2)
                 Plain    CS
    sensitivity   0.00  0.77
    specificity   0.99  0.81
    """

    classifier: str
    metric: str
    how: str
    n_fits: int
    strategies: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    verdict: list[str]
    recommendation: dict[str, str]
    curves: dict[str, Any]
    notes: list[str]
    pairs: list[dict[str, Any]] = field(default_factory=list, kw_only=True)
    seconds: dict[str, float] = field(default_factory=dict, kw_only=True, compare=False)
    n_rows: int = field(default=0, kw_only=True)
    n_rows_of_table: int = field(default=0, kw_only=True)
    seconds_for_all: float | None = field(default=None, kw_only=True, compare=False)
    selection: dict[str, Any] = field(default_factory=dict, kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """Return all as a dictionary.

        Returns
        -------
        dict
            Plain values, for JSON, under the names of the parameters.
        """
        return asdict(self)


def compare(
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
    progress: Callable[[int, int], Any] = lambda done, total: None,
    max_rows: int | None = None,
    watch: Callable[[Progress], Any] = lambda state: None,
) -> Comparison:
    """Compare strategies for imbalanced data on one table.

    Is iCost worth it here, or would class-level costs, a moved threshold or the plain classifier do
    as well? All strategies are fitted and scored on the same cross-validation folds, so that their
    differences are paired. The answer is an interval for each difference, sentences that say every
    gain and every loss that these intervals show, beside the recommended strategy and beside the
    plain classifier, and the recommendation, which prefers what is simple: the simplest strategy
    within one standard error of the best.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind; missing cells are imputed, text is encoded and numbers are scaled,
        within each training fold.
    y : array-like of shape (n_samples,)
        Labels.
    classifier : str or sequence of str, default="lr"
        A name of `icost.strategies.classifiers.CLASSIFIERS`. Several are compared with each
        strategy, in one ranking with one recommendation of both; the first named counts as the
        simplest. A strategy that brings its own classifier, such as ``"blend"``, is fitted once.
    strategies : sequence of str, default=None
        Names of `icost.strategies.registry.STRATEGIES`, such as ``"blend"``; by default
        `DEFAULT_STRATEGIES`, which has the ensemble and controls among them. Where ``cost_fn`` is
        given, also ``"threshold-cost"``.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never both trained on and tested.
    time : array-like of shape (n_samples,), default=None
        Numbers or ISO 8601 dates; training rows come before test rows.
    cost_fn : float, default=None
        Cost of a missed minority row. If given, the expected cost per case decides.
    cost_fp : float, default=1.0
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
    progress : callable, default=do nothing
        Called with the number of folds done and of all.
    max_rows : int, default=None
        Compare on a random part of so many rows, in which each class has its share of them, and
        ten rows at least if it has as many; by default on all rows.
    watch : callable, default=do nothing
        Called after each fold, and in this process after each fit, with an object that has the
        attributes ``done`` and ``total``, in fits of one strategy to one fold, ``best``, the label
        of the strategy that leads, its ``score`` in ``metric``, ``seconds_left`` and
        ``seconds_for_all``, an estimate for the whole table.

    Returns
    -------
    Comparison
        Scores, differences, verdict and recommendation.

    See Also
    --------
    corrected_interval : The intervals, which know that folds share rows.
    icost.experiments.run_plan : Many tables; one table says nothing about others.
    icost.report.analyze : What is hard about a table.
    icost.modelfile.fit_model : The model, once a strategy is chosen.

    Notes
    -----
    A difference whose interval holds zero is called "cannot be told apart", not "equal": with few
    minority rows the interval is wide, and more repeats do not make it much narrower. Intervals of
    differences hold for all pairs of strategies together (see `Comparison`): the more strategies
    are compared, the wider they are, so name those that you would use. A gain of
    iCost over class-level costs is set against its control, which has the same total weight spread
    evenly: where the two cannot be told apart, the verdict says that the gain may be due to smaller
    weights alone.

    Give ``groups`` where rows belong together, such as visits of one patient, and ``time`` where
    the model will predict later rows than it has seen; without them the scores promise too much.
    Costs say more than MCC if you know them: ``"threshold-cost"`` then joins the defaults.

    Strategies that tune, those named ``"tuned-..."`` and ``"threshold..."``, do so on inner folds
    of each training fold. They take several fits where others take one, and the inner folds do not
    know the groups. ``"ensemble"`` and ``"blend"`` hold groups out together, and with ``cost_fn``
    they decide by what errors cost.

    Examples
    --------
    >>> from icost.comparison import compare
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> found = compare(X, y, strategies=["ncs", "cs"], n_repeats=1)
    >>> [row["label"] for row in found.strategies]
    ['Plain', 'CS']
    >>> print(*found.verdict)
    CS is better than Plain by 39.1 MCC (95 % interval 20.1 to 58.1).

    Another table, on which a missed row costs twenty times what a false alarm does. Three folds are
    too few to be sure of a difference; the recommendation still says what to do:

    >>> X, y = load_dataset("new-thyroid1", return_X_y=True)
    >>> names = ["ncs", "threshold-cost"]
    >>> found = compare(X, y, strategies=names, cost_fn=20, n_splits=3, n_repeats=1)
    >>> found.metric, "cannot be told apart" in found.verdict[0]
    ('cost', True)
    >>> found.recommendation["strategy"]
    'threshold-cost'
    """
    table = number_levels(plain_table(X))
    classes, codes = _minority_last(y, minority_label)
    n_all, kept = len(codes), sample_rows(codes, max_rows, random_state)
    if kept is not None:
        table, codes = table.iloc[kept], codes[kept]
        groups, time = (None if own is None else np.asarray(own)[kept] for own in (groups, time))
    costs = _check_costs(cost_fn, cost_fp, len(classes))
    options = {"n_splits": n_splits, "n_repeats": n_repeats, "random_state": random_state}
    splits = make_splits(codes, groups=groups, time=time, **options)
    notes: list[str] = []
    if strategies is None:
        strategies, notes = _defaults(len(classes), costs is not None, splits.fewest(codes))
    names, left_out = check_strategies(strategies, len(classes), costs is not None)
    classifiers = _check_classifiers(classifier)
    if groups is not None and any(name.startswith(("threshold", "tuned-")) for name in names):
        notes.append("Inner folds, in which strategies are tuned, do not know the groups.")
    numbers = None
    if groups is not None:
        numbers = np.unique(np.asarray(groups).astype(str), return_inverse=True)[1]
    runs = tuple(with_classifiers(names, classifiers))
    setup = Setup(classifiers[0], runs, len(classes), scaler, costs, random_state, numbers)
    if len(setup.classifiers) > 1:
        notes.append("A classifier counts as simpler than those named after it.")
    watcher = Watcher(
        splits,
        setup,
        None if kept is None else growth(n_all / len(kept), classifiers),
        _told(progress, watch, len(splits.pairs)),
    )
    results = run_folds(table, codes, splits, setup, n_jobs, watcher)
    record = _categories(table, codes, scaler) if len(classes) == 2 else None
    found = _summarise(results, codes, splits, setup, record, [*notes, *left_out, *splits.notes])
    how = found.how if kept is None else f"{found.how}, of {len(kept):,} of {n_all:,} rows"
    return replace(
        found,
        how=how,
        n_rows=len(codes),
        n_rows_of_table=n_all,
        seconds_for_all=watcher.seconds_for_all,
    )


def _told(
    progress: Callable[[int, int], Any], watch: Callable[[Progress], Any], n_folds: int
) -> Callable[[Progress], Any]:
    """Both listeners as one; the first wants to hear of whole folds only."""

    def tell(state: Progress) -> None:
        watch(state)
        n_strategies = state.total // n_folds
        if state.done % n_strategies == 0:
            progress(state.done // n_strategies, n_folds)

    return tell


def _minority_last(y: ArrayLike, minority_label: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Codes; of two classes, 1 is the minority."""
    classes, codes = encode_labels(y)
    named_minority(minority_label, classes)  # raises where there are more than two
    if len(classes) == 2 and resolve_minority(classes, codes, minority_label) == 0:
        return classes[::-1], 1 - codes
    return classes, codes


def _check_classifiers(classifier: str | Sequence[str]) -> list[str]:
    names = [classifier] if isinstance(classifier, str) else list(dict.fromkeys(classifier))
    if not names:
        raise ValueError("classifier must name at least one classifier, got none.")
    for name in names:
        get_classifier(name)
    return names


def _check_costs(
    cost_fn: float | None, cost_fp: float, n_classes: int
) -> tuple[float, float] | None:
    if cost_fn is None:
        return None
    if n_classes > 2:
        raise ValueError(f"cost_fn needs a target of two classes, got {n_classes}.")
    return check_number("cost_fn", cost_fn, low=0), check_number("cost_fp", cost_fp, low=0)


def _defaults(n_classes: int, has_costs: bool, fewest: int) -> tuple[list[str], list[str]]:
    """Return the default strategies that can run here, and notes on those that cannot."""
    names, notes = list(DEFAULT_STRATEGIES), []
    if has_costs:
        names.insert(names.index("threshold") + 1, COST_THRESHOLD)
    if n_classes > 2:
        names.remove("threshold")
    if find_spec("imblearn") is None:
        names = [name for name in names if name not in ("smote", "ensemble")]
        notes.append("SMOTE and the ensemble are left out: imbalanced-learn is not installed.")
    if fewest < 2:
        # What holds rows out inside a training fold needs one to learn from and one to hold out.
        names = [n for n in names if n not in ("threshold", COST_THRESHOLD, "ensemble")]
        notes.append(
            "Thresholds and the ensemble are left out: a fold has one row of a class to learn from."
        )
    return names, notes


def _categories(table: Any, codes: NDArray[np.intp], scaler: str) -> Complexity:
    """How hard the minority rows are, seen from the whole table: only to break recall down."""
    space = np.asarray(make_preprocessor(table, scaler).fit_transform(table))
    return NeighborComplexity().estimate(space, codes == 1)


def _summarise(
    results: list[FoldResult],
    codes: NDArray[np.intp],
    splits: Splits,
    setup: Setup,
    record: Complexity | None,
    notes: list[str],
) -> Comparison:
    metric = "mcc" if setup.costs is None else "cost"
    labels = {name: label_of(name, setup) for name in setup.strategies}
    by_name = {n: [r for r in results if r.strategy == n] for n in setup.strategies}
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "label": labels[name],
            "classifier": _classifier_of(name, setup),
            "strategy": parts(name)[1],
            "scores": _scores(by_name[name], splits.test_share),
            "recall": _recall(by_name[name], record) if record is not None else {},
        }
        for name in setup.strategies
    ]
    means = {row["name"]: row["scores"][metric]["mean"] for row in rows}
    best, n_pairs = best_strategy(means, metric), comb(len(means), 2)

    def differ(one: str, other: str) -> dict[str, Any]:
        pair = _difference(by_name[one], by_name[other], metric, splits.test_share, n_pairs)
        named = {"strategy": one, "label": labels[one], "baseline": other}
        found = {**named, "baseline_label": labels[other], "metric": metric, **pair}
        return found | {"sentence": sentence(found)}

    differences = [differ(*pair) for pair in pairs_of_interest(list(means), best)]
    recommendation = recommend(means, labels, {n: differ(n, best) for n in means}, metric)
    chosen = recommendation["name"]
    of_classifier = [d for d in differences if parts(d["strategy"])[0] == parts(chosen)[0]]
    said = {chosen, beside(chosen, "ncs")}
    headline = [d for d in of_classifier[:2] if not said & {d["strategy"], d["baseline"]}]
    if len(setup.classifiers) > 1:
        sign = -1 if METRICS[metric][2] else 1
        rows.sort(key=lambda row: sign * row["scores"][metric]["mean"])
    corrected = how_corrected(len(means))
    return Comparison(
        classifier=", ".join(setup.classifiers),
        metric=metric,
        how=splits.how,
        n_fits=len(splits.pairs),
        strategies=rows,
        differences=differences,
        verdict=[
            *told_apart(list(means), chosen, differ),
            *(d["sentence"] for d in headline),
            *conclusions(differences, told=chosen),
        ],
        recommendation=recommendation | {"classifier": _classifier_of(chosen, setup)},
        curves=_curves(by_name, codes, splits.n_folds) if setup.n_classes == 2 else {},
        notes=[*notes, corrected] if corrected else notes,
        pairs=[differ(later, earlier) for earlier, later in combinations(means, 2)],
        seconds={name: float(np.mean([r.seconds for r in by_name[name]])) for name in means},
        selection=corrected_choice(by_name, codes, splits, setup, chosen),
    )


def _classifier_of(name: str, setup: Setup) -> str:
    """Return the classifier of a name; none where several are compared and it has its own."""
    return parts(name)[0] or ("" if len(setup.classifiers) > 1 else setup.classifier)


def _scores(results: list[FoldResult], test_share: float) -> dict[str, dict[str, float]]:
    found = {}
    for metric in METRICS:
        values = [result.scores.get(metric, np.nan) for result in results]
        mean, low, high = corrected_interval(values, test_share)
        if np.isnan(mean):
            continue
        half = high - mean
        # An interval that is symmetric by construction may reach beyond what a metric can be.
        low, high = np.clip([low, high], *_range(metric)).tolist()
        found[metric] = {"mean": mean, "low": low, "high": high, "half": half}
    return found


def _range(metric: str) -> tuple[float, float]:
    """The least and the largest score of a metric."""
    if metric == "cost":
        return -np.inf, np.inf
    return (-1.0 if metric == "mcc" else 0.0), 1.0


def _difference(
    one: list[FoldResult], other: list[FoldResult], metric: str, test_share: float, n_together: int
) -> dict[str, Any]:
    pairs = zip(one, other, strict=True)
    values = [a.scores[metric] - b.scores[metric] for a, b in pairs]
    mean, *together = corrected_interval(values, test_share, joint_level(n_together))
    _, *alone = corrected_interval(values, test_share, CONFIDENCE)
    # Few folds make intervals so wide that no two scores can differ as much.
    least, largest = _range(metric)
    together, alone = (
        np.clip(ends, least - largest, largest - least).tolist() for ends in (together, alone)
    )
    low, high = together
    return {
        "mean": mean,
        "low": low,
        "high": high,
        "error": corrected_error(values, test_share),
        "n_together": n_together,
        "alone": dict(zip(("low", "high"), alone, strict=True)),
    }


def _recall(results: list[FoldResult], record: Complexity) -> dict[str, float]:
    rows = np.concatenate([result.rows for result in results])
    predicted = np.concatenate([result.predicted for result in results])
    # A row is tested once per repeat; rows of the majority have no category.
    category = np.full(rows.max() + 1, "", dtype=object)
    inside = record.indices <= rows.max()
    category[record.indices[inside]] = record.category[inside]
    tested = np.flatnonzero(category[rows] != "")
    recall = recall_per_category(np.ones(len(rows)), predicted, tested, category[rows[tested]])
    return {name: recall[name] for name in record.counts() if name in recall}


def _curves(
    by_name: dict[str, list[FoldResult]], codes: NDArray[np.intp], n_folds: int
) -> dict[str, Any]:
    """Curves of the first repeat, in which every row is predicted once."""
    curves = {}
    for name, results in by_name.items():
        first = results[:n_folds]
        if any(result.proba is None for result in first):
            continue
        truth = np.concatenate([codes[result.rows] for result in first]) == 1
        proba = np.concatenate([np.asarray(result.proba) for result in first])
        curves[name] = {
            "precision_recall": precision_recall_points(truth, proba),
            "calibration": calibration_points(truth, proba),
        }
    return curves
