"""The one object that prints: findings to standard output, progress to standard error."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table as RichTable
from rich.text import Text

STYLES = {
    "pure": "green",
    "safe": "cyan",
    "mixed": "yellow",
    "border": "dark_orange",
    "outlier": "magenta",
}


def forget_reader() -> None:
    """Print nowhere from now on: the reader of a pipe, such as head, has what it wanted."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _Findings(Console):
    """Standard output, which may be closed while there are still files to write."""

    def on_broken_pipe(self) -> None:
        """Go on, where rich would end the program."""
        self.quiet = True
        forget_reader()


class Printer:
    """Prints tables and sentences, or JSON and nothing else, or nothing but errors."""

    def __init__(self, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.is_silent = as_json or quiet
        # A pipe has no width; tables there are as wide as they need.
        width = None if sys.stdout.isatty() else 140
        self._out = _Findings(width=width, highlight=False, soft_wrap=False)
        self._err = Console(stderr=True, highlight=False, quiet=quiet)
        # Without a terminal there is nobody to watch, and a log would fill with bars; some
        # versions of rich print a line break even for a display that is disabled.
        self._is_watched = self._err.is_terminal and not quiet
        if quiet:
            os.environ["ICOST_QUIET"] = "1"
        else:
            os.environ.pop("ICOST_QUIET", None)

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._out.width

    def json(self, value: Any) -> None:
        """Print a value as JSON, if that was asked for."""
        if self.as_json:
            from icost._core.files import plain_value

            try:
                click.echo(json.dumps(plain_value(value), indent=2, ensure_ascii=False))
            except BrokenPipeError:
                forget_reader()

    def say(self, text: str, style: str = "") -> None:
        """Print a sentence."""
        if not self.is_silent:
            # Text, not markup: a column may be called "[bold]".
            self._out.print(Text(visible(text), style=style), soft_wrap=True)

    def note(self, text: str) -> None:
        """Print a sentence on standard error, where it does not mix with findings."""
        self._err.print(Text(visible(f"icost: {text}")), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
        """Print a table; columns whose cells all are numbers go to the right."""
        if self.is_silent:
            return
        if title:
            self.say(title, "bold")
        table = RichTable()
        for place, name in enumerate(columns):
            cells = [row[place] for row in rows]
            is_text = any(isinstance(cell, str) and not _is_number(cell) for cell in cells)
            table.add_column(Text(visible(name)), justify="left" if is_text else "right")
        for row in rows:
            table.add_row(*(Text(visible(str(cell)), STYLES.get(str(cell), "")) for cell in row))
        self._out.print(table)

    @contextmanager
    def steps(self, first: str) -> Iterator[Any]:
        """Show a spinner with the name of the step; yields a function that changes the name."""
        if not self._is_watched:
            yield lambda name: None
            return
        with self._err.status(first) as status:
            yield status.update

    @contextmanager
    def bar(self, text: str) -> Iterator[Any]:
        """Show a progress bar; yields a function of the number done and of all.

        It also takes the seconds ``left``, if they are known better than by the pace so far, and a
        ``note`` beside the bar.
        """
        if not self._is_watched:
            yield lambda done, total, left=None, note="": None
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _TimeLeft(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        with Progress(*columns, console=self._err, transient=True) as progress:
            task = progress.add_task(text, total=None, end=None, note="")

            def show(done: int, total: int, left: float | None = None, note: str = "") -> None:
                end = None if left is None else monotonic() + left
                progress.update(task, completed=done, total=total, end=end, note=visible(note))

            yield show


class _TimeLeft(TimeRemainingColumn):
    """Counts down to a known end, or to that which the pace promises."""

    def render(self, task: Task) -> Text:
        end = task.fields["end"]
        if end is None:
            return super().render(task)
        minutes, seconds = divmod(max(0, round(end - monotonic())), 60)
        hours, minutes = divmod(minutes, 60)
        return Text(f"{hours}:{minutes:02}:{seconds:02}", style="progress.remaining")


def visible(text: str) -> str:
    """Return text whose control characters are seen instead of obeyed by a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def _is_number(text: str) -> bool:
    interval = r" ±[\d.]+| \(-?[\d.]+…-?[\d.]+\)"
    return re.fullmatch(rf"–|-?[\d,.]+( %|{interval})?", text.strip()) is not None


def command_line() -> str:
    """Return the command as it was typed."""
    return shlex.join(["icost", *sys.argv[1:]])


def duration(seconds: float) -> str:
    """Return a time in words, as roughly as an estimate is known."""
    if seconds < 1.5:
        return "a second"
    if seconds < 95:
        return f"{round(seconds) if seconds < 10 else 5 * round(seconds / 5)} seconds"
    minutes = seconds / 60
    if minutes < 119:
        return f"{round(minutes) if minutes < 10 else 5 * round(minutes / 5)} minutes"
    return f"{round(minutes / 60)} hours"
