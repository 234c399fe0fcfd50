"""Findings in sentences, for the terminal and for the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from icost.report._analysis import Analysis

CHANCE, MINGLED = 0.65, 0.95
"""Area under the ROC curve below which classes overlap, and the other-class share, as a share of
that by chance, above which a class lies among others."""

MAX_NAMED = 5
"""Groups of contradicting rows in a sentence, and rows of each, at most."""


def headline(analysis: Analysis) -> list[str]:
    """Return what matters about a table in a few sentences, the most important first."""
    group = analysis.groups[0]
    share = group["rows"] / analysis.n_rows
    sentences = [
        f"{group['rows']:,} of {analysis.n_rows:,} rows ({percent(share)}) "
        f"{'is' if group['rows'] == 1 else 'are'} of class "
        f"'{group['label']}': an imbalance ratio of {group['imbalance_ratio']:.1f}.",
        _difficulty(group, analysis.space),
        _overlap(group),
    ]
    sentences += _labels(analysis)
    return [*_first(analysis), *sentences, *_flaws(analysis)]


def _labels(analysis: Analysis) -> list[str]:
    """Say which labels surprise the models, and whether the classes overlap."""
    if not analysis.n_suspects:
        return ["Labels are not judged, since a class has one row."]
    by_class = {label: rows for label, rows in analysis.n_suspects.items() if rows}
    sentences = _separability(analysis.groups[0])
    if not by_class:
        return [*sentences, "No row surprises the models."]
    listed = ", ".join(f"{rows:,} of class '{label}'" for label, rows in by_class.items())
    number = sum(by_class.values())
    return [
        *sentences,
        f"{count(number, 'row surprises', 'rows surprise')} the models, which expect another label "
        f"({listed}). Check {'it' if number == 1 else 'them first'}: the label may be wrong, or "
        "the classes overlap there.",
    ]


def _separability(group: dict[str, Any]) -> list[str]:
    """Say how well models separate the minority where that is low, surprising or not estimated."""
    area, near = group["separability"], group["overlap"]
    if area is None:
        return [f"Class '{group['label']}' has too few rows to estimate how well it separates."]
    shown = f"an area under the ROC curve of {area:.2f}, where 0.5 is chance"
    if area < CHANCE:
        return [
            f"The classes overlap: models separate them with {shown}. A row among other classes is "
            "no sign of a wrong label then."
        ]
    if near["observed"] > MINGLED * near["by_chance"]:
        return [
            f"Nearly all rows of class '{group['label']}' lie among others, which is no sign of a "
            f"wrong label: models rank them above others, with {shown}."
        ]
    return []


def _first(analysis: Analysis) -> list[str]:
    """What makes all else doubtful: classes of hardly any rows, columns that know the answer."""
    notes = [note[:1].upper() + note[1:] for note in analysis.label_notes]
    said = [note if note.endswith("?") else f"{note}." for note in notes]
    return [f"Column '{entry['name']}' {entry['problem']}" for entry in analysis.leaks] + said


def percent(share: float) -> str:
    """Return a share as a percentage, with one digit where it is small."""
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"


def measures_of(group: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what each measure says of a class, by the measure's name."""
    first = ("neighbours", group["neighbor"]), ("tree", group["gini"])
    return [*first, *group["measures"].items()]


def count(number: int, singular: str, plural: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {singular if number == 1 else plural}"


def _difficulty(group: dict[str, Any], space: str) -> str:
    shares = {entry["category"]: entry["share"] for entry in group["neighbor"]}
    easy = shares.get("pure", 0) + shares.get("safe", 0)
    hard, alone = shares.get("border", 0), shares.get("outlier", 0)
    return (
        f"{percent(easy)} of them are easy (mostly among their class), {percent(hard)} lie at the "
        f"border, and {percent(alone)} have only other classes around them ({space})."
    )


def _overlap(group: dict[str, Any]) -> str:
    observed, chance = group["overlap"]["observed"], group["overlap"]["by_chance"]
    return (
        f"{percent(observed)} of their neighbours are of other classes; if the classes overlapped "
        f"completely, it would be {percent(chance)}."
    )


def _flaws(analysis: Analysis) -> list[str]:
    sentences = []
    missing, repeated = analysis.missing, analysis.repeated
    if missing["cells"]:
        columns = count(len(missing["columns"]), "column", "columns")
        sentences.append(
            f"{count(missing['cells'], 'cell is', 'cells are')} missing, in {columns} and "
            f"{count(missing['rows'], 'row', 'rows')}."
        )
    if repeated["repeated"]:
        repeats = count(repeated["repeated"], "duplicate row", "duplicate rows")
        sentences.append(
            f"{repeats}: keep duplicates in the same fold (--group), otherwise scores are too high."
        )
    if repeated["conflicting"]:
        sentences.append(_contradictions(analysis))
    return sentences + _odd_columns(analysis.odd_columns)


def _contradictions(analysis: Analysis) -> str:
    """Name the first rows with equal features and different labels."""
    groups = [_row_list(entry["rows"]) for entry in analysis.contradictions]
    more = "; …" if len(groups) > MAX_NAMED else ""
    rows = count(analysis.repeated["conflicting"], "row contradicts", "rows contradict")
    return (
        f"{rows} another: equal features, different labels. No classifier can get all of them "
        f"right (rows {'; '.join(groups[:MAX_NAMED])}{more})."
    )


def _row_list(rows: list[int]) -> str:
    """Return the first numbers of a list of rows."""
    shown = ", ".join(map(str, rows[:MAX_NAMED]))
    return shown + ", …" if len(rows) > MAX_NAMED else shown


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
