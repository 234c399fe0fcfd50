"""The sentences of a comparison: what to use, how sure that is, and when to decide otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.doubts import FEW_ROWS, LEAK_AUC
from icost._core.views import METRICS, alarms_text, interval_text, score_text
from icost.strategies import Strategy
from icost.strategies._estimators import CLASSIFIERS

if TYPE_CHECKING:
    from icost.comparison._table_facts import TableFacts

CONFIDENCE = 0.95
"""Level of an interval."""

PLAIN = "ncs"
"""The strategy that all others are compared with."""

CLASSIFIER_NAMES = {name: classifier.phrase for name, classifier in CLASSIFIERS.items()}
"""Classifiers in sentences."""

FEW_MINORITY, UNSTABLE, STABLE = 60, 0.5, 0.8
"""Minority rows, and shares of redraws with the same choice, that decide how sure a choice is."""

WIDE, NARROW = 0.4, 0.2
"""Widths of the interval of the expected MCC that do so."""

MOST_NAMED = 3
"""Identifiers that a line names."""

Runs = Mapping[str, Strategy]
"""What is compared: strategies by the names of their entries, such as ``"rf:cs"``."""


def parts(name: str) -> tuple[str, str]:
    """Return the classifier and the strategy that a name such as ``"rf:cs"`` stands for.

    Where one classifier is compared, and for a strategy that brings its own, a name has no
    classifier.
    """
    classifier, _, strategy = name.rpartition(":")
    return classifier, strategy


def plain_of(name: str) -> str:
    """Return the name of the plain fit of the same classifier."""
    classifier = parts(name)[0]
    return f"{classifier}:{PLAIN}" if classifier else PLAIN


def in_words(strategy: Strategy, classifier: str) -> str:
    """Return a strategy and its classifier as they stand in a sentence."""
    if strategy.own_classifier:
        return strategy.phrase or strategy.label
    base = CLASSIFIER_NAMES.get(classifier, classifier)
    if strategy.name == PLAIN:
        return f"a plain {base[2:]}" if base.startswith("a ") else f"plain {base}"
    return f"{base} {strategy.phrase or f'with {strategy.label}'}"


def unit(metric: str) -> str:
    """Return a metric's name within a sentence."""
    return "cost per row" if metric == "cost" else METRICS[metric][0]


def capital(text: str) -> str:
    """Return a sentence with a capital letter in front."""
    return text[:1].upper() + text[1:]


def gain(difference: Mapping[str, Any]) -> str:
    """Return ``"better"``, ``"worse"`` or ``"equal"``: which side of zero the interval lies on."""
    more_is_better = METRICS[difference["metric"]][2]
    low, high = difference["low"], difference["high"]
    if low > 0:
        return "better" if more_is_better else "worse"
    if high < 0:
        return "worse" if more_is_better else "better"
    return "equal"


def sentence(difference: Mapping[str, Any], one: str = "", other: str = "") -> str:
    """Say how one strategy compares with another; by default under the names of the tables."""
    one, other = one or difference["label"], other or difference["baseline_label"]
    mean, low, high = (difference[key] for key in ("mean", "low", "high"))
    metric, is_less = difference["metric"], mean < 0
    if is_less:
        mean, low, high = -mean, -high, -low
    ends, number = interval_text(metric, low, high), score_text(metric, mean)
    if not float(number):
        return f"{one} scored the same as {other} ({ends})."
    what = f"scored {number} {'lower' if is_less else 'higher'} than"
    if metric == "cost":
        what = f"cost {number} {'less' if is_less else 'more'} per row than"
    chance = ", but that may be chance" if gain(difference) == "equal" else ""
    return f"{one} {what} {other}{chance} ({ends})."


def best_strategy(means: Mapping[str, float], metric: str, runs: Runs) -> str:
    """Return the strategy with the best mean, controls aside."""
    sign = 1 if METRICS[metric][2] else -1
    names = [name for name in means if not runs[name].is_control]
    return max(names, key=lambda name: sign * means[name])


def choose(
    means: Mapping[str, float],
    to_best: Mapping[str, Mapping[str, Any]],
    metric: str,
    runs: Runs,
    decides: Callable[[str], bool] = lambda name: True,
) -> str:
    """Return the simplest strategy within one standard error of the best one.

    ``to_best`` holds the difference of each other strategy to the best one, with its ``error``. A
    classifier counts as simpler than those after it, whatever the strategy. Where the simplest one
    does not decide, the simplest that does is returned if it has a higher mean than all simpler
    ones. Where a simpler strategy has at least the mean of that one, it is returned instead.
    """
    best, sign = best_strategy(means, metric, runs), 1 if METRICS[metric][2] else -1
    ranked = by_simplicity(runs, [name for name in means if not runs[name].is_control])
    # The error of the paired difference, not of a mean: folds that are hard for both cancel out.
    level = [name for name in ranked if name == best or is_within_error(to_best[name])]
    chosen = level[0] if level else best
    if not decides(chosen):
        highest = [n for n in level if not _simpler_and_as_high(n, ranked, means, sign)]
        chosen = next(filter(decides, highest), chosen)
    return next(iter(_simpler_and_as_high(chosen, ranked, means, sign)), chosen)


def _simpler_and_as_high(
    name: str, ranked: Sequence[str], means: Mapping[str, float], sign: int
) -> list[str]:
    """Return what is simpler than a strategy and has at least its mean, the simplest first."""
    simpler = ranked[: ranked.index(name)] if name in ranked else ranked
    return [other for other in simpler if sign * (means[other] - means[name]) >= 0]


def is_within_error(difference: Mapping[str, Any]) -> bool:
    """Whether two strategies differ by at most one standard error."""
    return abs(difference["mean"]) <= difference["error"]


def by_simplicity(runs: Runs, names: Sequence[str]) -> list[str]:
    """Return those names that may be recommended for being simple, the simplest first."""
    classifiers = list(dict.fromkeys(parts(name)[0] for name in names))
    ranks = {
        name: (classifiers.index(parts(name)[0]), runs[name].simplicity)
        for name in names
        if runs[name].simplicity is not None
    }
    return sorted(ranks, key=ranks.__getitem__)


def use(
    row: Mapping[str, Any], metric: str, least_found: tuple[str, float] | None, ranks: bool
) -> str:
    """Say what to use, and what it finds and misses, from an entry of ``Comparison.strategies``.

    ``least_found`` is the class with the lowest recall, and that recall; None for two classes.
    ``ranks`` is whether a test says that it ranks minority rows above others.
    """
    scores = row["scores"]
    score, recall = scores[metric], scores["sensitivity"]
    texts = [f"Use {row['words']}."]
    if least_found is None:
        ends = f" ({100 * recall['low']:.0f}–{100 * recall['high']:.0f})"
        texts.append(finds(recall["mean"], scores["specificity"]["mean"], ends))
    else:
        label, share = least_found
        texts.append(
            f"It finds {100 * recall['mean']:.0f} of 100 rows of a class on average, and the "
            f"fewest of '{label}': {100 * share:.0f}."
        )
    texts.append(f"{METRICS[metric][0]} {score_text(metric, score['mean'])}.")
    if least_found is None and metric == "mcc" and not score["low"] > 0:
        texts.append(
            f"It {'ranks rows, but ' * ranks}decides poorly: the interval of its MCC contains 0 "
            f"({interval_text(metric, score['low'], score['high'])})."
        )
    return " ".join(texts)


def finds(recall: float, specificity: float, ends: str = "") -> str:
    """Say what decisions find and which false alarms they raise; ``ends`` are those of recall."""
    return (
        f"It finds {100 * recall:.0f} of 100 minority rows{ends} and raises "
        f"{alarms_text(100 * (1 - specificity))} per 100 others."
    )


def how_sure(
    selection: Mapping[str, Any],
    n_smallest: int,
    is_binary: bool,
    is_only: bool = False,
    spread: float = 0.0,
) -> str:
    """Say how sure a choice is, what to expect of it on new rows, and how stable it is.

    Where the ``is_only`` candidate was run, nothing was chosen that could be stable. ``spread`` is
    the width of the score's interval over folds, which may differ more than rows do.
    """
    metric = selection["metric"]
    rows = "minority rows" if is_binary else "rows of the smallest class"
    level, why = sureness(selection, n_smallest, spread)
    start = f"How sure? {level}: {n_smallest:,} {rows}{why}."
    if selection["corrected"] is None:
        return (
            f"{start} The choice may have made its {unit(metric)} of "
            f"{score_text(metric, selection['raw'])} too high; it cannot be corrected here."
        )
    corrected = score_text(metric, selection["corrected"])
    ends = interval_text(metric, selection["low"], selection["high"])
    redraws = f"; {100 * selection['share']:.0f} % of redraws of the rows lead to the same choice"
    return (
        f"{start} On new rows expect {unit(metric)} {corrected} ({ends}){redraws * (not is_only)}."
    )


def sureness(selection: Mapping[str, Any], n_smallest: int, spread: float = 0.0) -> tuple[str, str]:
    """Return ``"Weak"``, ``"Fair"`` or ``"Good"``, and why it is weak although there are rows."""
    if selection["corrected"] is None or n_smallest < FEW_MINORITY:
        return "Weak", ""
    width = selection["high"] - selection["low"]
    if selection["metric"] == "cost":
        width = spread = 0.0  # a cost has no range that they could be compared with
    if max(width, spread) > WIDE:
        return "Weak", f", but the score varies much{'' if width > WIDE else ' between folds'}"
    if selection["share"] < UNSTABLE:
        return "Weak", ", but the choice varies with the rows"
    is_good = selection["share"] >= STABLE and max(width, spread) <= NARROW
    return ("Good" if is_good else "Fair"), ""


def as_good(words: Sequence[str]) -> str:
    """Say which other strategies are within one standard error of the best."""
    if not words:
        return ""
    shown = [*words[:2], *([f"{len(words) - 2} others"] if len(words) > 3 else words[2:3])]
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f" {capital(listed)} {'is' if len(words) == 1 else 'are'} as good."


def classifier_reason(
    leaders: Mapping[str, str], chosen: str, differ: Callable[[str, str], Mapping[str, Any]]
) -> str:
    """Say what the chosen classifier gains over the simplest one, or the simplest over the next.

    ``leaders`` has the best strategy of the first stage by classifier, the best classifier first.
    """
    others = [name for name in leaders if name != chosen]
    if chosen not in leaders or not others:
        return ""
    other = "lr" if "lr" in others else others[0]
    difference = differ(leaders[chosen], leaders[other])
    one, two = (CLASSIFIER_NAMES.get(name, name) for name in (chosen, other))
    return " " + sentence(difference, capital(one), two)


def trade(ratio: float, words: str, recall: float) -> str:
    """Say from which ratio of costs on another strategy, which finds more, is the better one."""
    number = f"{ratio:.1f}" if ratio < 3 else f"{ratio:.0f}"
    return (
        f"If a miss costs more than {number} false alarms, use {words}: it finds "
        f"{100 * recall:.0f} of 100."
    )


def even(words: str, recall: float) -> str:
    """Say what finds most of each class on average, which ``recall`` is."""
    return (
        f"If all classes count alike, use {words}: it finds {100 * recall:.0f} of 100 rows of a "
        "class on average."
    )


def before_use(facts: TableFacts, suspects: int = 0, area: float = 0.0) -> list[str]:
    """Say what to check before a model is used, in a line; no line where there is nothing.

    ``area`` is that under the ROC curve of the model on held-out rows.
    """
    texts = [f"{suspects:,} row{'s surprise' if suspects > 1 else ' surprises'} the models"]
    texts = texts if suspects else []
    duplicates = facts.repeated["repeated"]
    if duplicates:
        texts.append(f"{duplicates:,} duplicate row{'s' if duplicates > 1 else ''}")
    texts += [f"column '{entry['name']}' may leak the answer" for entry in facts.leaks]
    if area > LEAK_AUC and not facts.leaks and facts.smallest_class >= FEW_ROWS:
        texts.append(f"some column may contain the answer (AUC {area:.4f})")
    texts += [
        f"column '{name}' looks like an identifier" for name in facts.identifiers[:MOST_NAMED]
    ]
    if len(facts.identifiers) > MOST_NAMED:
        texts.append(f"and {len(facts.identifiers) - MOST_NAMED:,} more")
    return [f"Before you do: {', '.join(texts)}."] if texts else []


def keep_it(strategy: str, classifier: str, options: Mapping[str, Any]) -> str:
    """Say how to keep a recommended model in Python, with those options that matter for it."""
    named = {"classifier": classifier} if classifier else {}
    # Costs of rows go into the model as a column, so that new rows have them as well.
    plain = {name: "their column" if np.ndim(value) else value for name, value in options.items()}
    given = ", ".join(f"{n}={v!r}" for n, v in {**named, "method": strategy, **plain}.items())
    return f"Keep it: icost.modelfile.fit_model(X, y, {given})"


LEAD = re.compile(r"(How sure\?|Why\?|Before you do:|Keep it:|If a[^,]+,)? ?(.*)")


def split_lead(line: str) -> tuple[str, str]:
    """Return the words that begin a line of the verdict, if any, and the rest of it."""
    lead, rest = LEAD.findall(line)[0]
    return lead, rest


def not_tried(
    skipped: Sequence[str], names: Sequence[str], words: Mapping[str, str], seconds: float
) -> list[str]:
    """Say what a time limit left out; ``names`` are those of what was run at least once."""
    limit, texts = f"the time limit of {seconds:g} second{'s' * (seconds != 1)}", []
    for what, is_run in (("Not tried", False), ("Fewer repeats", True)):
        some = [words[name] for name in dict.fromkeys(skipped) if (name in names) == is_run]
        texts += [f"{what} within {limit}: {', '.join(some)}."] if some else []
    return texts
