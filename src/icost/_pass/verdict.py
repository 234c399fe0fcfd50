"""What a fit says: small records, of which terminal, page and JSON make what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from icost._core.views import METRICS, interval_text, score_name, score_text
from icost.thresholds._certificate import cut_text

VERY_FEW = 10
"""Rows of the smallest class below which a score is no more than a range."""

FEW_MINORITY = 60
"""Rows of the smallest class below which a statement is weak."""

WIDE, NARROW = 0.4, 0.2
"""Widths of the interval of the expected MCC beyond which a statement is weak, or up to which it is
good."""


@dataclass(frozen=True)
class Remark:
    """One thing that is said: what it is about, the sentence, and the numbers behind it."""

    topic: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def listed(words: Sequence[str], most: int = 4) -> str:
    """Return words as a list in a sentence."""
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} others"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def capital(text: str) -> str:
    """Return a sentence with a capital letter in front."""
    return text[:1].upper() + text[1:]


def kept_words(words: Sequence[str]) -> str:
    """Return what a model is, from what its candidates are called, the weightiest first."""
    return words[0] if len(words) == 1 else f"a blend of {listed(words)}"


def use_remark(words: Sequence[str]) -> Remark:
    """Say what is kept."""
    return Remark("use", f"Use {kept_words(words)}.", {"candidates": list(words)})


def found_remark(scores: Mapping[str, Mapping[str, float]], alerts: float) -> Remark:
    """Say what decisions find and how many of the alerts are right; ``alerts`` is their share."""
    recall, precision = scores["sensitivity"], scores["precision"]
    text = (
        f"It finds {100 * recall['value']:.0f} of 100 minority rows "
        f"({100 * recall['low']:.0f}–{100 * recall['high']:.0f}), with {_per_thousand(alerts)}, of "
        f"which {_of_ten(precision['value'])}."
    )
    facts = {"recall": dict(recall), "precision": dict(precision), "alerts": alerts}
    return Remark("finds", text, facts)


def _per_thousand(share: float) -> str:
    number = 1000 * share
    if number < 0.05:
        return "fewer than 1 alert per 10,000 rows"
    text = f"{number:.1f}" if number < 9.95 else f"{number:,.0f}"
    return f"{text} alert{'' if text == '1.0' else 's'} per 1,000 rows"


def _of_ten(share: float) -> str:
    if 0.095 <= share <= 0.995:
        return f"{100 * share:.0f} of 100 are right"
    return f"{100 * share:.1f} of 100 are right"


def found_of_several(label: Any, share: float, mean: float) -> Remark:
    """Say what is found of several classes, and of which the least."""
    text = (
        f"It finds {100 * mean:.0f} of 100 rows of a class on average, and the fewest of "
        f"'{label}': {100 * share:.0f}."
    )
    return Remark("finds", text, {"recall": mean, "least": label, "least_recall": share})


def expect_remark(
    scores: Mapping[str, Mapping[str, float]], metric: str, n_fewest: int, how: str
) -> Remark:
    """Say what to expect on new rows, and how sure that is."""
    score = scores[metric]
    ends = interval_text(metric, score["low"], score["high"])
    facts = {"metric": metric, "n_fewest": n_fewest, "how": how, **score}
    rows = f"{n_fewest:,} rows of the smallest class"
    if n_fewest < VERY_FEW:
        text = (
            f"What to expect on new rows cannot be known from {rows}: {score_name(metric)} between "
            f"{ends.replace(' to ', ' and ')} is possible."
        )
        return Remark("expect", text, facts)
    width = 0.0 if metric == "cost" else score["high"] - score["low"]
    level = sureness(width, n_fewest)
    name = "a cost per row of" if metric == "cost" else score_name(metric)
    words = {"Weak": "a weak statement", "Fair": "a fair statement", "Good": "a good statement"}
    text = (
        f"On new rows expect {name} {score_text(metric, score['value'])} ({ends}): "
        f"{words[level]}, from {rows}."
    )
    return Remark("expect", text, facts | {"sure": level})


def sureness(width: float, n_fewest: int) -> str:
    """Return how sure an expected score is, by its interval and the rows behind it."""
    if n_fewest < FEW_MINORITY or width > WIDE:
        return "Weak"
    return "Good" if width <= NARROW else "Fair"


def rule_remark(threshold: float | None, label: Any) -> Remark:
    """Say from which probability on a row is predicted to be of the minority."""
    if threshold is None:
        return Remark("rule", "The costs of each row decide.", {"threshold": None})
    text = f"Rows with P({label}) ≥ {cut_text(threshold)} are predicted '{label}'."
    return Remark("rule", text, {"threshold": threshold})


def simple_remark(words: str, one: float, other: float, metric: str) -> Remark:
    """Say that something simpler is as good."""
    text = (
        f"{capital(words)} alone is as good within noise ({METRICS[metric][0]} "
        f"{score_text(metric, one)} beside {score_text(metric, other)}): keep='simplest', or "
        "--simple, keeps it."
    )
    return Remark("simple", text, {"simple": one, "kept": other})


def guessing_remark(label: Any = None, n_cases: int = 0, cases: str = "rows") -> Remark:
    """Say that nothing is better than guessing, or that too few rows or groups can show it."""
    if label is not None:
        text = (
            f"Class '{label}' has {n_cases} {cases}: even a perfect model could not be shown to be "
            "better than guessing. Collect more of them."
        )
        return Remark("guessing", text, {"label": label, "n": n_cases, "cases": cases})
    text = "Nothing here is better than guessing: check the target and the columns."
    return Remark("guessing", text)
