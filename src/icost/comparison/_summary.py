"""What a comparison found: scores, differences, a verdict and a recommendation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.arrays import Bools, Floats, Ints
from icost._core.doubts import GUESSING_LEVEL
from icost._core.files import write_whole
from icost._core.labels import class_totals
from icost._core.statistics import corrected_error, corrected_interval
from icost._core.validation import import_extra
from icost._core.views import METRICS, View, Viewed, few, interval_text, score_text
from icost.comparison._fold_run import (
    FoldResult,
    Setup,
    calibration_points,
    decision_points,
    label_of,
    precision_recall_points,
)
from icost.comparison._guessing import (
    NOTHING_BETTER,
    NOTHING_IN_TIME,
    TOO_FEW_GROUPS,
    better_than_guessing,
    can_be_shown,
)
from icost.comparison._running import scores_by_fold
from icost.comparison._selection import corrected_choice, half_width, joint_quantile
from icost.comparison._splits import Splits
from icost.comparison._stages import choose_run, decides, eligible, paired_means
from icost.comparison._verdict import (
    CLASSIFIER_NAMES,
    CONFIDENCE,
    as_good,
    best_strategy,
    by_simplicity,
    capital,
    classifier_reason,
    even,
    how_sure,
    in_words,
    is_within_error,
    parts,
    plain_of,
    sentence,
    trade,
    unit,
    use,
)
from icost.complexity import Complexity
from icost.metrics import recall_per_category
from icost.thresholds._certificate import lower_bound, upper_bound

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Comparison(Viewed):
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
        ``name``, ``label``, ``words``, its name in sentences, ``scores`` (``mean``, ``low``,
        ``high`` and ``half``, the half width, by metric) and ``recall`` by neighbour category,
        empty for more than two classes. For several classifiers, there is an entry for each of
        them with each strategy that was run, the best first, with a name such as ``"rf:cs"``;
        ``classifier`` and ``strategy`` are its parts, and ``n_fits`` counts its folds.
    differences : list of dict
        Paired differences with 95 % intervals, which hold for all of them together: of the
        recommended strategy to the plain classifier, then of all others to both, and of weighted
        strategies to their controls. ``strategy``, ``baseline``, their labels, ``metric``,
        ``mean``, ``low``, ``high``, ``error``, the standard error, and ``sentence``.
    verdict : list of str
        What to use, and what it finds and misses; how sure that is; why; what to use instead where
        a miss costs much; what to check first, to which the command adds rows that surprise the
        models; how to keep the model; and what a time limit left out.
    recommendation : dict or None
        ``strategy``, ``classifier``, ``name``, that of its entry in ``strategies``, and the first
        two lines of the verdict, ``sentence`` and ``expectation``. None where nothing is better
        than guessing.
    candidate : dict
        What would be recommended if something were better than guessing, without sentences; else
        equal to ``recommendation``.
    curves : dict
        Precision-recall and calibration curves by strategy, for a binary target.
    notes : list of str
        What a reader must know.
    seconds : dict
        Mean time of a fit by name, on one training fold, with all inner fits. Two comparisons are
        equal whatever time they took.
    n_rows, n_rows_of_table : int
        Rows that were compared on, and those that there are.
    seconds_for_all : float or None
        If they differ, about how long all rows would take, with as many processes; else None.
    selection : dict
        The recommended strategy's score, ``raw`` and ``corrected`` for its having been chosen on
        the same folds, with ``low`` and ``high``, a 95 % interval of the latter, for folds in the
        order of time at least as wide as theirs; its ``name``, the ``metric``, and the ``share`` of
        ``n_draws`` bootstrap samples that recommend it, too.
    not_tried : list of str
        What a time limit left out, in sentences that end ``verdict`` as well.
    decision : dict
        What cuts through the out-of-fold probabilities of ``candidate`` find and cost: ``cuts``,
        ten of them, their ``sentences``, the ``curve`` and where on it the strategy is, ``chosen``.
        Empty for more than two classes, and where there are no probabilities.
    space : str
        In which space the categories of ``recall`` are judged.
    categories : Complexity or None
        How hard each minority row is, for ``recall``; None for more than two classes.

    See Also
    --------
    compare : Makes it.
    corrected_interval : The intervals.

    Notes
    -----
    Scores are shares between 0 and 1, MCC between -1 and 1. Intervals, those of the cost aside, end
    where a metric or the difference of two does, so that ``half`` may be wider than they look.
    Intervals of two strategies that overlap do not say that they are equal: read ``differences``,
    which are paired by fold.

    ``recall`` tells where a strategy finds more: of pure, safe, border or outlier rows. The
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
    recommendation: dict[str, str] | None
    curves: dict[str, Any]
    notes: list[str]
    seconds: dict[str, float] = field(default_factory=dict, kw_only=True, compare=False)
    n_rows: int = field(default=0, kw_only=True)
    n_rows_of_table: int = field(default=0, kw_only=True)
    seconds_for_all: float | None = field(default=None, kw_only=True, compare=False)
    selection: dict[str, Any] = field(default_factory=dict, kw_only=True)
    candidate: dict[str, str] = field(default_factory=dict, kw_only=True)
    not_tried: list[str] = field(default_factory=list, kw_only=True)
    decision: dict[str, Any] = field(default_factory=dict, kw_only=True)
    space: str = field(default="", kw_only=True)
    categories: Complexity | None = field(default=None, kw_only=True, repr=False, compare=False)

    @property
    def _area(self) -> float:
        """The area under the ROC curve of the candidate on held-out rows; 0 without scores."""
        name = self.candidate["name"]
        (scores,) = (row["scores"] for row in self.strategies if row["name"] == name)
        return scores.get("roc_auc", {"mean": 0.0})["mean"]

    def to_dict(self) -> dict[str, Any]:
        """Return all as a dictionary.

        Returns
        -------
        dict
            Plain values, for JSON, under the names of the parameters; ``categories`` is left out.
        """
        values = asdict(replace(self, categories=None))
        del values["categories"]
        return values

    def to_frame(self) -> pd.DataFrame:
        """Return the mean scores as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row per entry of ``strategies``, under its label: ``classifier``, ``strategy``, a
            column per score, and ``low`` and ``high``, the interval of the score that decides.
        """
        pd = import_extra("pandas", "data", "Comparison.to_frame")
        rows = [
            {
                "classifier": row["classifier"],
                "strategy": row["strategy"],
                **{name: score["mean"] for name, score in row["scores"].items()},
                **{end: row["scores"][self.metric][end] for end in ("low", "high")},
            }
            for row in self.strategies
        ]
        labels = pd.Index([row["label"] for row in self.strategies], name="label")
        return pd.DataFrame(rows, index=labels)

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Save the verdict, the scores and their pictures as a page to open in a browser.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced. `icost.report.write_page` adds what makes the
            table hard. Needs ``pip install "icost-learn[report]"``.
        """
        # By its name, since what draws pages is not needed to compare, and knows comparisons.
        pages = import_extra("icost.report._page", "report", "Comparison.save_page")
        write_whole(path, pages.data_page(None, self))

    def _view(self) -> View:
        rows = []
        is_binary = self.categories is not None
        for row in self.strategies:
            scores = row["scores"]
            score = scores[self.metric]
            mark = "→ " * (row["name"] == (self.recommendation or {}).get("name"))
            ends = interval_text(self.metric, score["low"], score["high"])
            cells = [f"{mark}{row['label']}", score_text(self.metric, score["mean"]), ends]
            if is_binary:
                cells += [few(100 * scores["sensitivity"]["mean"])]
                cells += [few(100 * (1 - scores["specificity"]["mean"]))]
                cells += [score_text("precision", scores["precision"]["mean"])]
            rows.append(cells)
        title = f"Comparison of {len(rows)} candidates, {self.how}"
        columns = ["Strategy", METRICS[self.metric][0], "95 % interval"]
        columns += ["Found of 100", "False alarms of 100", "Precision"] * is_binary
        return View(title, self.verdict, columns, rows)


class Summary:
    """What follows from the results of all folds, step by step."""

    def __init__(
        self, results: list[FoldResult], codes: Ints, splits: Splits, setup: Setup
    ) -> None:
        self.codes, self.splits, self.setup, self.metric = codes, splits, setup, setup.metric
        self.scores = scores_by_fold(results, setup, len(splits.pairs))
        self.by_name = {n: [r for r in results if r.strategy == n] for n in self.scores}
        self.labels = {name: label_of(name, setup) for name in setup.runs}
        self.runs = {name: setup.runs[name] for name in self.scores}
        self.words = {
            n: in_words(run, parts(n)[0] or setup.classifier) for n, run in self.runs.items()
        }
        self.is_binary = setup.n_classes == 2
        self.n_minority = int((codes == setup.minority).sum())
        self.chosen = choose_run(setup, self.scores, splits.test_share, splits.n_folds)
        self.kept = eligible(setup, self.scores, splits.test_share, splits.n_folds)
        self.means = paired_means({name: self.scores[name] for name in self.kept})
        self.best = best_strategy(self.means, self.metric, self.runs)
        choice = corrected_choice(self.by_name, codes, splits, setup, self.chosen)
        self.selection, self.covariance = choice
        self.places = {name: place for place, name in enumerate(self.runs)}
        pairs = [(self.places[one], self.places[other]) for one, other in self.pairs()]
        self.quantile = joint_quantile(self.covariance, pairs, CONFIDENCE)

    def differ(self, one: str, other: str) -> dict[str, Any]:
        """Return the difference of two runs on the folds that both have, with its sentence."""
        values = self.scores[one] - self.scores[other]
        mean, places = float(np.nanmean(values)), (self.places[one], self.places[other])
        half = half_width(self.covariance, *places, self.quantile)
        # Few rows make intervals so wide that no two scores can differ as much.
        least, largest = _range(self.metric)
        low, high = np.clip([mean - half, mean + half], least - largest, largest - least).tolist()
        difference = {
            "strategy": one,
            "label": self.labels[one],
            "baseline": other,
            "baseline_label": self.labels[other],
            "metric": self.metric,
            "mean": mean,
            "low": low,
            "high": high,
            "error": corrected_error(values, self.splits.test_share),
        }
        text = sentence(difference, capital(self.words[one]), self.words[other])
        return {**difference, "sentence": text}

    def candidate(self, rows: list[dict[str, Any]], better: set[str]) -> dict[str, str]:
        """Return what is chosen, with its sentences where anything is ``better`` than guessing."""
        (row,) = (row for row in rows if row["name"] == self.chosen)
        names = {"strategy": row["strategy"], "name": self.chosen, "classifier": row["classifier"]}
        score = row["scores"][self.metric]
        if not better:
            return names
        return {
            **names,
            "sentence": use(row, self.metric, self.least_found(), self.chosen in better),
            "expectation": self.how_sure(self.chosen, self.selection, score["high"] - score["low"]),
        }

    def least_found(self) -> tuple[str, float] | None:
        """Return the class of which the chosen run finds the smallest share; None for two."""
        if self.is_binary:
            return None
        results = self.by_name[self.chosen]
        truth = self.codes[np.concatenate([result.rows for result in results])]
        is_right = truth == np.concatenate([result.predicted for result in results])
        shares = np.bincount(truth, weights=is_right) / np.bincount(truth)
        return self.setup.labels[int(shares.argmin())], float(shares.min())

    def why(self, chosen: str) -> str:
        """Say why a run is recommended, and what it gains over plain fits and other classifiers."""
        if sum(not run.is_control for run in self.runs.values()) == 1:
            return "Why? Nothing else was compared."
        sign, best = 1 if METRICS[self.metric][2] else -1, self.best
        beaten = any(sign * (mean - self.means[best]) > 0 for mean in self.means.values())
        aside = " (controls aside)" if beaten else ""  # nobody can use one, but its score is seen
        # Of two stages, the second compares strategies of one classifier with each other.
        classifier = next((parts(n)[0] for n in self.kept if parts(n)[0]), "")
        base = CLASSIFIER_NAMES.get(classifier, classifier) if self.setup.first_stage else ""
        sound = " that does not decide poorly" if self._is_another_passed_over(chosen) else ""
        if chosen == best:
            text = f"It has the best {unit(self.metric)}{aside}, and "
            text += f"no simpler strategy for {base}" if base else "nothing simpler"
            text += f"{sound} is within one standard error."
        elif is_within_error(self.differ(chosen, best)):
            text = f"It is the simplest{base and f' strategy for {base}'}{sound} within one "
            text += f"standard error of the best{aside}, {self.words[best]}."
        else:
            text = "It is simpler than what is within one standard error of the best, and scored "
            text += "at least as high."
        other = plain_of(chosen)
        if other not in self.runs:  # what brings its own classifiers, beside several
            other = plain_of(f"{classifier}:")
        if other in self.runs and chosen != other:
            text += " " + sentence(self.differ(chosen, other), "It", self.words[other])
        return "Why? " + text + classifier_reason(self._leaders(), parts(chosen)[0], self.differ)

    def _is_another_passed_over(self, chosen: str) -> bool:
        """Whether a simpler run is as good but for its interval, which contains 0."""
        ranked = by_simplicity(self.runs, [n for n in self.kept if not self.runs[n].is_control])
        simpler = ranked[: ranked.index(chosen)] if chosen in ranked else []
        level = (n for n in simpler if n == self.best or is_within_error(self.differ(n, self.best)))
        return not all(map(self._decides, level))

    def _decides(self, name: str) -> bool:
        return decides(self.scores[name], self.metric, self.splits.test_share)

    def _leaders(self) -> dict[str, str]:
        """The best strategy of the first stage by classifier, the best classifier first."""
        first = {n: values for n, values in self.scores.items() if n in self.setup.first_stage}
        means = paired_means(first) if first else {}
        sign = -1 if METRICS[self.metric][2] else 1
        leaders: dict[str, str] = {}
        for name in sorted(means, key=lambda name: sign * means[name]):
            leaders.setdefault(parts(name)[0], name)
        return leaders

    def better_than_guessing(self) -> set[str]:
        """Return what is, by the first repeat."""
        first_repeat = {
            name: results[: self.splits.n_folds]
            for name, results in self.by_name.items()
            if not self.runs[name].is_control
        }
        return better_than_guessing(
            first_repeat, self.codes, self.setup.groups, self.n_tests, self.setup.minority
        )

    @property
    def n_tests(self) -> int:
        """How many strategies are tested for guessing."""
        return sum(not strategy.is_control for strategy in self.setup.runs.values())

    def why_nothing(self, has_remarks: bool) -> str:
        """Say why nothing is recommended."""
        groups, first = self.setup.groups, self.by_name[self.chosen][: self.splits.n_folds]
        if groups is not None and not can_be_shown(
            first, self.codes, groups, self.setup.minority, GUESSING_LEVEL / self.n_tests
        ):
            counts = [len(np.unique(groups[self.codes == c])) for c in np.unique(self.codes)]
            rarest = int(np.argmin(counts))
            return TOO_FEW_GROUPS.format(self.setup.labels[rarest], counts[rarest])
        is_cut_short = len(self.runs) < len(self.setup.first_stage or self.setup.runs)
        return NOTHING_IN_TIME if is_cut_short and has_remarks else NOTHING_BETTER

    def rows(self, record: Complexity | None) -> list[dict[str, Any]]:
        """Return an entry for each run; of several classifiers, the best first."""
        # Where several are compared, a name without classifier has its own.
        default = "" if len(self.setup.classifiers) > 1 else self.setup.classifier
        n_rows = {}
        if self.is_binary:
            sizes = (self.n_minority, len(self.codes) - self.n_minority)
            n_rows = dict(zip(SHARES, sizes, strict=True))
        rows: list[dict[str, Any]] = [
            {
                "name": name,
                "label": self.labels[name],
                "words": self.words[name],
                "classifier": parts(name)[0] or default,
                "strategy": parts(name)[1],
                "n_fits": len(results),
                "scores": _scores(results, self.splits.test_share, n_rows),
                "recall": _recall(results, record, self.setup.minority)
                if record is not None
                else {},
            }
            for name, results in self.by_name.items()
        ]
        if len(self.setup.classifiers) > 1:
            sign = -1 if METRICS[self.metric][2] else 1
            rows.sort(key=lambda row: sign * row["scores"][self.metric]["mean"])
        return rows

    def how_sure(self, chosen: str, selection: Mapping[str, Any], spread: float = 0.0) -> str:
        """Say how sure a choice is, and what else is as good: within one error of the best."""
        others = [n for n, run in self.runs.items() if n != chosen and not run.is_control]
        level = [n for n in others if n == self.best or is_within_error(self.differ(n, self.best))]
        # What decides poorly is as good only as what does so, too.
        level = [n for n in level if self._decides(n) or not self._decides(chosen)]
        simple = by_simplicity(self.runs, level)
        words = [self.words[n] for n in (*simple, *(n for n in level if n not in simple))]
        n_smallest = int(class_totals(self.codes).min())
        sure = how_sure(selection, n_smallest, self.is_binary, not others, spread)
        return sure + as_good(words)

    def trade(self, chosen: str) -> list[str]:
        """Say what to use instead where a miss costs much; nothing where costs have decided."""
        if self.setup.costs is not None:
            return []
        recall = self._recall_of_more(chosen)
        if not self.is_binary:
            best = max(recall, key=recall.__getitem__, default="")
            return [even(self.words[best], recall[best])] if best else []
        offers = []
        for name in recall:
            gained, lost = (self._gains(name, chosen, m) for m in SHARES)
            alarms = -lost.mean() * (len(self.codes) - self.n_minority)
            offers.append((float(alarms / gained.mean() / self.n_minority), name))
        ratio, name = min((offer for offer in offers if offer[0] > 0), default=(0.0, ""))
        return [trade(ratio, self.words[name], recall[name])] if name else []

    def _recall_of_more(self, chosen: str) -> dict[str, float]:
        """Return the recall of all runs that find more than the chosen one, beyond noise."""
        recall = {}
        for name in (n for n, run in self.runs.items() if not run.is_control):
            gained = self._gains(name, chosen, "sensitivity")
            if corrected_interval(gained, self.splits.test_share)[1] > 0:
                recall[name] = float(np.mean([r.scores["sensitivity"] for r in self.by_name[name]]))
        return recall

    def _gains(self, one: str, other: str, metric: str) -> Floats:
        """Return by how much one run has more of a score than another, by fold."""
        # Runs that were not repeated have the first folds of the others.
        pairs = zip(self.by_name[one], self.by_name[other], strict=False)
        return np.array([a.scores[metric] - b.scores[metric] for a, b in pairs])

    def pairs(self) -> list[tuple[str, str]]:
        """What is compared with what: all with the recommended run and with plain fits."""
        names, chosen = list(self.runs), self.chosen
        pairs = [(chosen, plain_of(chosen)), *((name, chosen) for name in names)]
        pairs += [(name, plain_of(name)) for name in names]
        # A gain that weights without a choice of rows have as well is none of choosing rows.
        controls = {name: run.control for name, run in self.runs.items() if run.control}
        pairs += [(n, f"{parts(n)[0]}:{c}".removeprefix(":")) for n, c in controls.items()]
        unique: dict[frozenset[str], tuple[str, str]] = {}
        for one, other in pairs:
            if one != other and other in self.runs:
                unique.setdefault(frozenset((one, other)), (one, other))
        return list(unique.values())

    def notes(self) -> list[str]:
        """Return what to know about the fits and the intervals."""
        notes, n_folds = _fit_notes(self.by_name, self.words), self.splits.n_folds
        dropped = [
            self.words[name]
            for name, results in self.by_name.items()
            if name not in (*self.setup.first_stage, *self.kept)
            and len(results) < len(self.splits.pairs)
        ]
        if dropped:
            notes.append(
                "Not repeated, as more than one standard error behind the best in the first "
                f"{n_folds} folds: {', '.join(dropped)}."
            )
        return notes


def summarise(
    results: list[FoldResult],
    codes: Ints,
    splits: Splits,
    setup: Setup,
    record: Complexity | None,
    remarks: list[str],
    notes: list[str],
) -> Comparison:
    """Return what the results of all folds say; the ``remarks`` are on a time limit."""
    summary = Summary(results, codes, splits, setup)
    rows, better = summary.rows(record), summary.better_than_guessing()
    n_fits = max(row["n_fits"] for row in rows)  # a time limit may leave repeats out
    candidate, chosen = summary.candidate(rows, better), summary.chosen
    of_candidate = summary.by_name[chosen][: splits.n_folds]
    if better:
        verdict = [candidate["sentence"], candidate["expectation"], summary.why(chosen)]
        verdict += summary.trade(chosen)
    else:
        verdict = [summary.why_nothing(bool(remarks))]
    return Comparison(
        classifier=", ".join(setup.classifiers),
        metric=setup.metric,
        how=splits.how_many(n_fits),
        n_fits=n_fits,
        strategies=rows,
        differences=[summary.differ(*pair) for pair in summary.pairs()],
        verdict=verdict,
        recommendation=candidate if better else None,
        candidate=candidate,
        curves=_curves(summary.by_name, codes == setup.minority, splits.n_folds)
        if setup.n_classes == 2
        else {},
        notes=[*notes, *summary.notes()],
        seconds={
            n: float(np.mean([r.seconds for r in values])) for n, values in summary.by_name.items()
        },
        selection=summary.selection,
        not_tried=remarks,
        decision=decision_points(of_candidate, codes, setup.minority),
    )


def _fit_notes(by_name: Mapping[str, list[FoldResult]], words: Mapping[str, str]) -> list[str]:
    """Say where groups could not be held out together."""
    notes = []
    for name, results in by_name.items():
        # A note begins with the threshold, where there is one.
        notes_of = [result.note.rpartition("; ")[2] for result in results]
        ignored = [note for note in notes_of if note.startswith("groups ignored")]
        if ignored:
            notes.append(
                f"{capital(words[name])}: {ignored[0]} (in {len(ignored)} of {len(results)} folds)."
            )
    return notes


SHARES = ("sensitivity", "specificity")
"""Scores that are shares of the rows of one class, the minority first."""


def _scores(
    results: list[FoldResult], test_share: float, n_rows: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Return means over folds with intervals; ``n_rows`` are those that a score is a share of."""
    entries = {}
    for metric in METRICS:
        values = [result.scores.get(metric, np.nan) for result in results]
        mean, low, high = corrected_interval(values, test_share)
        if np.isnan(mean):
            continue
        if low == high and metric in n_rows:  # folds that agree do not prove a share
            low, high = (end(mean, n_rows[metric], 0.975) for end in (lower_bound, upper_bound))
        half = max(high - mean, mean - low)
        # An interval that is symmetric by construction may reach beyond what a metric can be.
        low, high = np.clip([low, high], *_range(metric)).tolist()
        entries[metric] = {"mean": mean, "low": low, "high": high, "half": half}
    return entries


def _range(metric: str) -> tuple[float, float]:
    """The least and the largest score of a metric."""
    if metric == "cost":
        return -np.inf, np.inf
    return (-1.0 if metric == "mcc" else 0.0), 1.0


def _recall(results: list[FoldResult], record: Complexity, minority: int) -> dict[str, float]:
    rows = np.concatenate([result.rows for result in results])
    predicted = np.concatenate([result.predicted for result in results]) == minority
    # A row is tested once per repeat; rows of the majority have no category.
    category = np.full(rows.max() + 1, "", dtype=object)
    inside = record.indices <= rows.max()
    category[record.indices[inside]] = record.category[inside]
    tested = np.flatnonzero(category[rows] != "")
    recall = recall_per_category(np.ones(len(rows)), predicted, tested, category[rows[tested]])
    return {name: recall[name] for name in record.counts() if name in recall}


def _curves(
    by_name: dict[str, list[FoldResult]], is_minority: Bools, n_folds: int
) -> dict[str, Any]:
    """Curves of the first repeat, in which every row is predicted once."""
    curves = {}
    for name, results in by_name.items():
        first = results[:n_folds]
        if any(result.proba is None for result in first):
            continue
        truth = np.concatenate([is_minority[result.rows] for result in first])
        proba = np.concatenate([np.asarray(result.proba) for result in first])
        curves[name] = {
            "precision_recall": precision_recall_points(truth, proba),
            "calibration": calibration_points(truth, proba),
        }
    return curves
