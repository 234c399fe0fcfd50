"""Tables as values: what a cell is, and four ways to write a table down."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from icost_reproduction._internals import write_whole

FORMATS = {"text": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv"}
"""Formats of a table and their files' suffixes."""


@dataclass(frozen=True)
class Cell:
    """Our number, None if it was not measured, and the paper's beside it where there is one."""

    ours: float | str | None
    published: float | str | None = None
    digits: int = 2

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, where both are numbers."""
        if isinstance(self.ours, int | float) and isinstance(self.published, int | float):
            return self.ours - self.published
        return None

    def text(self) -> str:
        """Return the cell on one line: ours, and in brackets the paper's and the difference."""
        ours = self.number(self.ours)
        if self.published is None:
            return ours
        if self.difference is None or isnan(self.difference):
            return f"{ours} ({self.number(self.published)})"
        sign = f"{self.difference:+.{self.digits}f}"
        return f"{ours} ({self.number(self.published)}, {sign})"

    def number(self, value: float | str | None) -> str:
        """Return one of the numbers as text, a dash for what was not measured."""
        if value is None or (isinstance(value, float) and isnan(value)):
            return "–"
        return value if isinstance(value, str) else f"{value:.{self.digits}f}"


Rows = tuple[tuple[str, tuple[Cell, ...]], ...]
"""Labels and cells."""


@dataclass(frozen=True)
class Table:
    """A table of cells; the first column is that of the rows' labels."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Rows
    note: str = ""

    def render(self, format: str = "text") -> str:
        """Return the table as text; in CSV, ours and the paper's have columns of their own."""
        return {"text": _text, "markdown": _markdown, "latex": _latex, "csv": _csv}[format](self)

    def lines(self) -> list[list[str]]:
        """Return headings and cells as text."""
        body = [[label, *(cell.text() for cell in cells)] for label, cells in self.rows]
        return [list(self.columns), *body]


def write_tables(tables: Iterable[Table], folder: Path) -> None:
    """Write tables in all formats."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for format, suffix in FORMATS.items():
            write_whole(folder / f"{table.name}{suffix}", table.render(format))


def _text(table: Table) -> str:
    lines = table.lines()
    first, *others = (max(map(len, column)) for column in zip(*lines, strict=True))
    body = [
        "  ".join([label.ljust(first), *map(str.rjust, cells, others)]) for label, *cells in lines
    ]
    body.insert(1, "-" * len(body[0]))
    return "\n".join([table.title, "", *body, *_note(table)]) + "\n"


def _note(table: Table) -> list[str]:
    return ["", table.note] if table.note else []


def _markdown(table: Table) -> str:
    lines = ((cell.replace("|", "\\|") for cell in line) for line in table.lines())
    rows = ["| " + " | ".join(line) + " |" for line in lines]
    rows.insert(1, "|" + "---|" * len(table.columns))
    return "\n".join([f"**{table.title}**", "", *rows, *_note(table)]) + "\n"


LATEX_ESCAPES = str.maketrans(
    {"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "Δ": r"$\Delta$", "–": "--", "×": r"$\times$"}
)


def _latex(table: Table) -> str:
    head, *body = (
        " & ".join(cell.translate(LATEX_ESCAPES) for cell in line) + r" \\"
        for line in table.lines()
    )
    caption = " ".join(filter(None, [table.title + ".", table.note])).translate(LATEX_ESCAPES)
    columns = "l" + "r" * (len(table.columns) - 1)
    start = [r"\begin{table}", rf"\caption{{{caption}}}", rf"\begin{{tabular}}{{{columns}}}"]
    end = [r"\end{tabular}", r"\end{table}", ""]
    return "\n".join([*start, r"\hline", head, r"\hline", *body, r"\hline", *end])


def _csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    first, *names = table.columns
    has_paper = [
        any(cells[i].published is not None for _, cells in table.rows) for i in range(len(names))
    ]
    head = [first]
    for name, paper in zip(names, has_paper, strict=True):
        head += [name, f"{name} published", f"{name} difference"] if paper else [name]
    writer.writerow(head)
    for label, cells in table.rows:
        line: list[object] = [label]
        for cell, paper in zip(cells, has_paper, strict=True):
            line += [cell.ours, cell.published, cell.difference] if paper else [cell.ours]
        writer.writerow(line)
    return stream.getvalue()
