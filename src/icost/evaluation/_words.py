"""An evaluation in sentences and tables, for terminal, notebook and page alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from icost._core.views import few, interval_text, score_name, score_text
from icost.thresholds._certificate import cut_text

if TYPE_CHECKING:
    from icost.evaluation._evaluation import Evaluation
    from icost.evaluation._intervals import Interval

Cells = tuple[list[str], list[list[str]]]
"""Columns and rows of a table."""


def evaluation_title(evaluation: Evaluation) -> str:
    """Return what was evaluated, in a line."""
    if evaluation.n_minority is None:
        return f"{evaluation.n_rows:,} rows{'' if evaluation.scores else ' without labels'}"
    share = 100 * evaluation.n_minority / evaluation.n_rows
    count = f"{evaluation.n_minority:,} of class {str(evaluation.minority)!r} ({share:.2g} %)"
    return f"{evaluation.n_rows:,} rows, {count}"


def score_table(evaluation: Evaluation) -> Cells:
    """Return a row for each score, beside what was expected."""
    rows = []
    for name, score in evaluation.scores.items():
        row = [score_name(name), score_text(name, score.now.value)]
        row.append(interval_text(name, score.now.low, score.now.high))
        row.append("–" if score.expected is None else score_text(name, score.expected.value))
        verdict = {None: "–", True: "differs", False: "within noise"}[score.differs]
        rows.append([*row, verdict])
    return ["Score", "Value", "95 % interval", "Expected", "Difference"], rows


def class_table(evaluation: Evaluation) -> Cells:
    """Return a row for each of several classes."""
    rows = [
        [str(scores.label), f"{scores.n_rows:,}", _share(scores.recall), _share(scores.precision)]
        for scores in evaluation.class_scores
    ]
    return ["Class", "Rows", "Recall", "Precision"], rows


def level_table(evaluation: Evaluation) -> Cells:
    """Return a row for each level; a star marks what is not as in the other rows."""
    rows = []
    for level in evaluation.levels:
        row = [level.column, level.level, f"{level.n_rows:,}", f"{level.n_minority:,}"]
        for what in ("recall", "precision", "alerts"):
            row.append(_share(getattr(level, what)) + " *" * (what in level.differing))
        rows.append(row)
    return ["Column", "Level", "Rows", "Minority rows", "Recall", "Precision", "Alerts"], rows


def cut_rows(evaluation: Evaluation) -> Cells:
    """Return a row for each of ten cuts."""
    name = "score" if evaluation.calibration is None else "P"
    rows = [
        [
            f"{100 * cut['found']:.0f} of 100",
            f"{name} ≥ {cut_text(cut['threshold'])}",
            few(cut["false_alarms"]),
            few(cut["alerts"]),
            f"{cut['precision']:.2f}",
        ]
        for cut in evaluation.cuts
    ]
    names = ["Finds", "Cut", "False alarms per 100 others", "Alerts per 1,000 rows", "Precision"]
    return names, rows


def _share(share: Interval) -> str:
    return f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"


def score_sentences(scores: Mapping[str, Any]) -> list[str]:
    """Say which scores are not as expected, in one sentence."""
    compared = [name for name, score in scores.items() if score.expected is not None]
    differing = []
    for name in (name for name in compared if scores[name].differs):
        now, before = (
            score_text(name, value.value) for value in (scores[name].now, scores[name].expected)
        )
        if now != before:
            differing.append(f"{score_name(name)} {now} instead of {before}")
    if differing:
        return [f"Beyond chance, and not as expected: {', '.join(differing)}."]
    return [f"All {len(compared)} scores that were expected are within noise."] if compared else []


def share_sentences(evaluation: Evaluation) -> list[str]:
    """Say how large the minority's share and the number of alerts are, then and now."""
    said = []
    for name, unit, size, share in (
        ("The minority's share", "of 100 rows", 100, evaluation.prevalence),
        ("The number of alerts", "per 1,000 rows", 1000, evaluation.alerts),
    ):
        if share is None:
            continue
        ends = (share.now.value, share.now.low, share.now.high)
        value, low, high = (few(size * end) for end in ends)
        line = f"{name} is {value} {unit} ({low} to {high})"
        if share.expected is not None:
            line += f"; {few(size * share.expected.value)} at the fit"
            line += ", a difference beyond chance" * bool(share.differs)
        said.append(f"{line}.")
    return said
