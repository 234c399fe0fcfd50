"""Tables as values: what a cell is, and four ways to write a table down."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from icost.files import write_whole

FORMATS = {"text": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv"}
"""Formats of a table and their files' suffixes."""


@dataclass(frozen=True)
class Cell:
    """Our number, and the paper's beside it where there is one.

    Parameters
    ----------
    ours : float, str or None
        Our number; None if it was not measured.
    published : float, str or None, default=None
        The paper's.
    digits : int, default=2
        Digits after the point.

    Examples
    --------
    >>> from icost.experiments.tables import Cell
    >>> Cell(51.2, 51.07).text()
    '51.20 (51.07, +0.13)'
    """

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
        """Return the cell on one line.

        Returns
        -------
        str
            Ours, and in brackets the paper's and the difference.
        """
        ours = self.number(self.ours)
        if self.published is None:
            return ours
        if self.difference is None or isnan(self.difference):
            return f"{ours} ({self.number(self.published)})"
        sign = f"{self.difference:+.{self.digits}f}"
        return f"{ours} ({self.number(self.published)}, {sign})"

    def number(self, value: float | str | None) -> str:
        """Return one of the numbers as text.

        Parameters
        ----------
        value : float, str or None
            The number.

        Returns
        -------
        str
            A dash for what was not measured.
        """
        if value is None or (isinstance(value, float) and isnan(value)):
            return "–"
        return value if isinstance(value, str) else f"{value:.{self.digits}f}"


@dataclass(frozen=True)
class Table:
    """A table of cells.

    Parameters
    ----------
    name : str
        Its name on the command line and in files.
    title : str
        Its heading.
    columns : tuple of str
        Headings of the columns, the first for the rows' labels.
    rows : tuple of (str, tuple of Cell)
        Labels and cells.
    note : str, default=""
        What to know when reading it.

    Examples
    --------
    >>> from icost.experiments.tables import Cell, Table
    >>> table = Table("t", "A table", ("set", "MCC"), (("a", (Cell(1.0),)),))
    >>> print(table.render("markdown"))
    **A table**
    <BLANKLINE>
    | set | MCC |
    |---|---|
    | a | 1.00 |
    <BLANKLINE>
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    note: str = ""

    def render(self, format: str = "text") -> str:
        """Return the table as text of some format.

        Parameters
        ----------
        format : {"text", "markdown", "latex", "csv"}, default="text"
            The format. In CSV, ours, the paper's and the difference have columns of their own.

        Returns
        -------
        str
            Ends with a line break.
        """
        return {"text": _text, "markdown": _markdown, "latex": _latex, "csv": _csv}[format](self)

    def lines(self) -> list[list[str]]:
        """Return headings and cells as text.

        Returns
        -------
        list of list of str
            The headings first.
        """
        body = [[label, *(cell.text() for cell in cells)] for label, cells in self.rows]
        return [list(self.columns), *body]


def write_tables(tables: Iterable[Table], folder: Path) -> None:
    """Write tables in all formats.

    Parameters
    ----------
    tables : iterable of Table
        The tables.
    folder : path
        Made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for format, suffix in FORMATS.items():
            write_whole(folder / f"{table.name}{suffix}", table.render(format))


def _text(table: Table) -> str:
    lines = table.lines()
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.columns))]
    body = [_pad(line, widths) for line in lines]
    body.insert(1, "-" * len(body[0]))
    return "\n".join([table.title, "", *body, *_note(table)]) + "\n"


def _pad(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        text.ljust(width) if i == 0 else text.rjust(width)
        for i, (text, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join([first, *rest])


def _note(table: Table) -> list[str]:
    return ["", table.note] if table.note else []


def _markdown(table: Table) -> str:
    head, *body = (["|", *(cell.replace("|", "\\|") for cell in line)] for line in table.lines())
    rows = ["| " + " | ".join(line[1:]) + " |" for line in (head, *body)]
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
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            r"\hline",
            head,
            r"\hline",
            *body,
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


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
