"""From differences to sentences: what is better, what cannot be told apart, what to use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import Any

from icost.strategies.registry import CONTROLS, MEASURE_LABELS

METRICS: Mapping[str, tuple[str, float, bool]] = {
    "mcc": ("MCC", 100.0, True),
    "f1": ("F1", 100.0, True),
    "g_mean": ("G-mean", 100.0, True),
    "sensitivity": ("Sensitivity", 100.0, True),
    "specificity": ("Specificity", 100.0, True),
    "roc_auc": ("AUC", 100.0, True),
    "pr_auc": ("PR-AUC", 100.0, True),
    "brier": ("Brier", 1.0, False),
    "cost": ("Cost per case", 1.0, False),
}
"""Metrics of a comparison: name, factor for display, and whether more is better."""

SIMPLICITY = (
    "ncs",
    "cs",
    "threshold",
    "threshold-cost",
    "smote",
    "neighbor",
    "gini",
    "ensemble",
    "blend",
)
"""Strategies that may be recommended for being simple, the simplest first.

Any other one is recommended only for being the best.
"""

CONFIDENCE = 0.95
"""Level of an interval of a score, and of all intervals of differences together."""

INSTANCE_LEVEL = tuple(MEASURE_LABELS)
CONTROL_OF = {name: f"{name}-mean" for name in INSTANCE_LEVEL}


def parts(name: str) -> tuple[str, str]:
    """Return the classifier and the strategy that a name such as ``"rf:cs"`` stands for.

    Where one classifier is compared, and for a strategy that brings its own, a name has no
    classifier.
    """
    classifier, _, strategy = name.rpartition(":")
    return classifier, strategy


def beside(name: str, strategy: str) -> str:
    """Return the name of another strategy with the same classifier."""
    classifier = parts(name)[0]
    return f"{classifier}:{strategy}" if classifier else strategy


def gain(difference: Mapping[str, Any]) -> str:
    """Return ``"better"``, ``"worse"`` or ``"equal"``: which side of zero the interval lies on."""
    more_is_better = METRICS[difference["metric"]][2]
    low, high = difference["low"], difference["high"]
    if low > 0:
        return "better" if more_is_better else "worse"
    if high < 0:
        return "worse" if more_is_better else "better"
    return "equal"


def sentence(difference: Mapping[str, Any]) -> str:
    """Say how one strategy compares with another, from a difference in the metric's own units."""
    kind = gain(difference)
    label, baseline = difference["label"], difference["baseline_label"]
    amount, ends = _amount(difference)
    unit, interval = _unit(difference["metric"]), _interval_name(difference)
    if kind == "equal":
        return f"{label} and {baseline} cannot be told apart: {amount} {unit} ({interval} {ends})."
    return f"{label} is {kind} than {baseline} by {amount} {unit} ({interval} {ends})."


def _amount(difference: Mapping[str, Any]) -> tuple[str, str]:
    """Return a difference and its interval as text; a gain or a loss is written without a sign."""
    factor = METRICS[difference["metric"]][1]
    sign = -1.0 if difference["mean"] < 0 and gain(difference) != "equal" else 1.0
    mean, low, high = (sign * factor * difference[key] for key in ("mean", "low", "high"))
    low, high = sorted((low, high))
    digits = 1 if factor == 100 else 3
    return f"{mean:.{digits}f}", f"{low:.{digits}f} to {high:.{digits}f}"


def _unit(metric: str) -> str:
    name, factor, _ = METRICS[metric]
    return name if factor == 100 else name.lower()


def _interval_name(difference: Mapping[str, Any]) -> str:
    joint = "joint " if difference.get("n_together", 1) > 1 else ""
    return f"{joint}{_percent(CONFIDENCE)} interval"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _listed(texts: Sequence[str]) -> str:
    # Some labels have a comma of their own.
    comma = "; " if any(", " in text for text in texts) else ", "
    return f"{comma.join(texts[:-1])} and {texts[-1]}"


def told_apart(
    names: Sequence[str], chosen: str, differ: Callable[[str, str], Mapping[str, Any]]
) -> list[str]:
    """Say every difference to the recommended strategy and to plain, losses like gains.

    ``differ`` returns the difference of one strategy to another. The recommended strategy beside
    plain comes first.
    """
    found, plain = [], beside(chosen, "ncs")
    if chosen != plain and plain in names:
        found.append(sentence(differ(chosen, plain)))
    found += grouped([differ(name, chosen) for name in names if name not in (plain, chosen)])
    for plain in (name for name in names if parts(name)[1] == "ncs" and name != chosen):
        # A strategy is set against the plain fit of its own classifier.
        own = [n for n in names if parts(n)[0] == parts(plain)[0] and n not in (plain, chosen)]
        found += grouped([differ(name, plain) for name in own])
    return found


def grouped(differences: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which strategies are better than one baseline, worse, or not to be told from it.

    Those that share a verdict share a sentence, the largest difference first.
    """
    found = []
    for kind in ("better", "worse", "equal"):
        alike = [d for d in differences if gain(d) == kind]
        alike.sort(key=lambda d: -abs(d["mean"]) if kind != "equal" else 0)
        if len(alike) == 1:
            found.append(sentence(alike[0]))
        elif alike and kind == "equal":
            labels = _listed([d["label"] for d in alike])
            found.append(f"{labels} cannot be told from {alike[0]['baseline_label']}.")
        elif alike:
            unit, interval = _unit(alike[0]["metric"]), _interval_name(alike[0])
            amounts = [(d["label"], *_amount(d)) for d in alike]
            listed = _listed([f"{label} by {mean} ({ends})" for label, mean, ends in amounts])
            baseline = alike[0]["baseline_label"]
            found.append(f"{kind.capitalize()} than {baseline}, in {unit} ({interval}s): {listed}.")
    return found


def joint_level(n_intervals: int) -> float:
    """Return the level of each interval with which all of them together reach `CONFIDENCE`.

    Bonferroni's bound asks nothing about how the differences depend on each other.
    """
    return 1 - (1 - CONFIDENCE) / max(1, n_intervals)


def how_corrected(n_strategies: int) -> str:
    """Say how intervals of differences are corrected for their number; nothing for one alone."""
    n_pairs = comb(n_strategies, 2)
    if n_pairs < 2:
        return ""
    together, each = _percent(CONFIDENCE), _percent(joint_level(n_pairs))
    return (
        f"Intervals of differences hold together, for all {n_pairs} pairs of the {n_strategies} "
        f"strategies, at {together}: each has a level of {each} (Bonferroni). Those of the scores "
        f"are at {together} each."
    )


def best_strategy(means: Mapping[str, float], metric: str) -> str:
    """Return the strategy with the best mean, controls aside."""
    more_is_better = METRICS[metric][2]
    names = [name for name in means if parts(name)[1] not in CONTROLS]
    return max(names, key=lambda name: means[name] if more_is_better else -means[name])


def choose(
    means: Mapping[str, float], to_best: Mapping[str, Mapping[str, Any]], metric: str
) -> str:
    """Return the simplest strategy within one standard error of the best one.

    ``to_best`` holds the difference of each other strategy to the best one, with its ``error``. A
    classifier counts as simpler than those after it, whatever the strategy.
    """
    best = best_strategy(means, metric)
    # The error of the paired difference, not of a mean: folds that are hard for both cancel out.
    level = [
        name
        for classifier in dict.fromkeys(parts(name)[0] for name in means)
        for name in (f"{classifier}:{simple}".lstrip(":") for simple in SIMPLICITY)
        if name in means and (name == best or abs(to_best[name]["mean"]) <= to_best[name]["error"])
    ]
    return level[0] if level else best


def recommend(
    means: Mapping[str, float],
    labels: Mapping[str, str],
    to_best: Mapping[str, Mapping[str, Any]],
    metric: str,
) -> dict[str, str]:
    """Say which strategy to use, by `choose`, and why."""
    best, choice = best_strategy(means, metric), choose(means, to_best, metric)
    what, aside = _unit(metric), ""
    sign = 1 if METRICS[metric][2] else -1
    if any(sign * (mean - means[best]) > 0 for mean in means.values()):
        aside = " (controls aside)"  # nobody can use one, but a reader sees its score
    if sum(parts(name)[1] not in CONTROLS for name in means) == 1:
        text = f"Only {labels[best]} was compared, so that there is nothing to choose from."
    elif choice != best:
        text = (
            f"Use {labels[choice]}: it is the simplest strategy whose {what} is within one "
            f"standard error of the best{aside}, that of {labels[best]}."
        )
    else:
        text = (
            f"Use {labels[best]}: it has the best {what}{aside}, and none simpler comes within one "
            "standard error of it."
        )
    return {"strategy": parts(choice)[1], "name": choice, "sentence": text}


def pairs_of_interest(names: list[str], best: str) -> list[tuple[str, str]]:
    """Return which strategies a reader wants compared with which, the headline first."""
    found = []
    for classifier in dict.fromkeys(parts(name)[0] for name in names):
        own = [name for name in names if parts(name)[0] == classifier]
        wanted = _pairs_of_one([parts(name)[1] for name in own])
        found += [(beside(own[0], one), beside(own[0], other)) for one, other in wanted]
    found.append((best, beside(best, "ncs")))
    return [
        (one, other)
        for one, other in dict.fromkeys(found)
        if one in names and other in names and one != other
    ]


def _pairs_of_one(names: list[str]) -> list[tuple[str, str]]:
    wanted = [(icost, "cs") for icost in INSTANCE_LEVEL]
    thresholds = [name for name in ("threshold", "threshold-cost") if name in names]
    wanted += [(icost, other) for other in thresholds for icost in INSTANCE_LEVEL]
    wanted += [(icost, CONTROL_OF[icost]) for icost in INSTANCE_LEVEL]
    # Plausible weights have uniform ones of the same total as their control.
    plausible = [name for name in names if "-both-" in name or "-plausible-" in name]
    wanted += [(name, "cs" if name.endswith("-1") else "cs-0.3") for name in plausible]
    return wanted


def conclusions(differences: list[dict[str, Any]], told: str = "") -> list[str]:
    """Draw the conclusions that take more than one difference.

    Differences to the strategy ``told`` have been said one by one and need no summary.
    """
    found = []
    for classifier in dict.fromkeys(parts(d["strategy"])[0] for d in differences):
        own = [d for d in differences if parts(d["strategy"])[0] == classifier]
        found += _conclusions_of_one(own, told, f"with {classifier}" if classifier else "here")
    return found


def _conclusions_of_one(differences: list[dict[str, Any]], told: str, where: str) -> list[str]:
    found = []
    for baseline in ("threshold", "threshold-cost"):
        to_others = [d for d in differences if d["baseline"] != told]
        against = [d for d in to_others if parts(d["baseline"])[1] == baseline]
        if against and all(gain(d) == "equal" for d in against):
            kind = "tuned threshold" if baseline == "threshold" else "threshold set by the costs"
            found.append(f"No iCost strategy can be told from a {kind} {where}.")
    by_control = [d for d in differences if parts(d["baseline"])[1] in CONTROL_OF.values()]
    to_cs = {d["strategy"]: gain(d) for d in differences if parts(d["baseline"])[1] == "cs"}
    for difference in by_control:
        gained = to_cs.get(difference["strategy"]) == "better"
        if gained and gain(difference) == "equal":
            # An interval that holds zero shows no equality: it leaves both explanations open.
            found.append(
                f"{sentence(difference).removesuffix('.')}, so it is open whether the gain over CS "
                "is due to which rows get more weight or only to smaller weights."
            )
    return found
