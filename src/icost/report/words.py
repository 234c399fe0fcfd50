"""Findings in sentences, for the terminal and for the page alike."""

from __future__ import annotations

from typing import Any

from icost.report.analysis import Analysis

CHANCE, MINGLED = 0.65, 0.95
"""Area under the ROC curve below which classes are said to overlap, and the share of foreign
neighbours, of what chance would give, above which they are."""


def headline(analysis: Analysis) -> list[str]:
    """Return what matters about a table in a few sentences, the most important first."""
    group = analysis.groups[0]
    share = group["rows"] / analysis.n_rows
    sentences = [
        f"{group['rows']:,} of {analysis.n_rows:,} rows ({percent(share)}) "
        f"{'is' if group['rows'] == 1 else 'are'} of class "
        f"'{group['label']}': an imbalance ratio of {group['imbalance_ratio']:.1f}.",
        _difficulty(group),
        _overlap(group),
    ]
    sentences += _labels(analysis)
    return [*_first(analysis), *sentences, *_flaws(analysis)]


def _labels(analysis: Analysis) -> list[str]:
    """How many labels can be told wrong, and whether the classes overlap too much to tell."""
    group = analysis.groups[0]
    apart, near = group["told_apart"], group["overlap"]
    if apart is None:
        return ["Labels are not judged, as a class has one row."]
    number, said = len(analysis.suspects), []
    told = f"an area under the ROC curve of {apart:.2f}, where 0.5 is chance."
    if apart < CHANCE:
        said.append(
            "The classes overlap, so that a row among others is no sign of a wrong label: models "
            f"that have not seen the rows tell them by {told}"
        )
    elif near["observed"] > MINGLED * near["by_chance"]:
        said.append(
            f"Nearly all rows of class '{group['label']}' lie among others, which is no sign of a "
            f"wrong label then: models that have not seen the rows do tell them, by {told}"
        )
    if not number:
        return [*said, "No label can be told wrong."]
    by_class: dict[str, int] = {}
    for entry in analysis.suspects:
        by_class[entry["class"]] = by_class.get(entry["class"], 0) + 1
    listed = ", ".join(f"{rows:,} of class '{label}'" for label, rows in by_class.items())
    return [
        *said,
        f"{count(number, 'label looks', 'labels look')} wrong to models that have not seen the row "
        f"({listed}): have {'it' if number == 1 else 'them'} checked.",
    ]


def _first(analysis: Analysis) -> list[str]:
    """What makes all else doubtful: classes of hardly any rows, columns that know the answer."""
    notes = [note[:1].upper() + note[1:] for note in analysis.label_notes]
    said = [note if note.endswith("?") else f"{note}." for note in notes]
    return said + [f"Column '{entry['name']}' {entry['problem']}" for entry in analysis.leaks]


def percent(share: float) -> str:
    """Return a share as a percentage, with one digit where it is small."""
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"


def count(number: int, singular: str, plural: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {singular if number == 1 else plural}"


def _difficulty(group: dict[str, Any]) -> str:
    shares = {entry["category"]: entry["share"] for entry in group["neighbor"]}
    easy = shares.get("pure", 0) + shares.get("safe", 0)
    hard, lone = shares.get("border", 0), shares.get("outlier", 0)
    return (
        f"{percent(easy)} of them are easy (mostly among their own kind), {percent(hard)} lie at "
        f"the border, and {percent(lone)} have only other classes around them."
    )


def _overlap(group: dict[str, Any]) -> str:
    observed, chance = group["overlap"]["observed"], group["overlap"]["by_chance"]
    return (
        f"Of their neighbours {percent(observed)} are of other classes; if the classes overlapped "
        f"completely it would be {percent(chance)}."
    )


def _flaws(analysis: Analysis) -> list[str]:
    found = []
    missing, repeated = analysis.missing, analysis.repeated
    if missing["cells"]:
        columns = count(len(missing["columns"]), "column", "columns")
        found.append(
            f"{count(missing['cells'], 'cell is', 'cells are')} missing, in {columns} and "
            f"{count(missing['rows'], 'row', 'rows')}."
        )
    if repeated["repeated"]:
        repeats = count(repeated["repeated"], "row repeats", "rows repeat")
        found.append(
            f"{repeats} an earlier one: keep copies on one side of a split, or scores flatter."
        )
    if repeated["conflicting"]:
        rows = count(repeated["conflicting"], "row has", "rows have")
        found.append(f"{rows} a twin of another class, which no classifier can tell apart.")
    return found + _odd_columns(analysis.odd_columns)


def _odd_columns(odd: list[dict[str, str]]) -> list[str]:
    """Every flaw with its columns; those that share one are named together."""
    by_problem: dict[str, list[str]] = {}
    for entry in odd:
        by_problem.setdefault(entry["problem"], []).append(f"'{entry['name']}'")
    return [
        f"Column {names[0]} {problem}."
        if len(names) == 1
        else f"{len(names)} columns, of which each {problem}: {', '.join(names)}."
        for problem, names in by_problem.items()
    ]
