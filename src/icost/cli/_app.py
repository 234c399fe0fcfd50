"""The group of commands, and what becomes of everything that can go wrong."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from icost import __version__
from icost.cli._analyze import analyze_command
from icost.cli._compare import compare_command
from icost.cli._evaluate import evaluate_command
from icost.cli._fit import fit_command
from icost.cli._other_commands import (
    completion_command,
    datasets_command,
    find_reproduce,
    inspect_command,
)
from icost.cli._predict import predict_command
from icost.cli._printer import forget_reader
from icost.cli._weights import weights_command

LONGEST_LINE = 2000
"""Letters of a message beyond which it is cut."""

SUCCESS, BAD_INPUT, BAD_USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130


class _Commands(click.Group):
    """The commands here, and ``reproduce``, which is looked for when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), "reproduce"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name."""
        return find_reproduce() if cmd_name == "reproduce" else super().get_command(ctx, cmd_name)


COMMANDS = (
    analyze_command,
    compare_command,
    fit_command,
    predict_command,
    evaluate_command,
    inspect_command,
    weights_command,
    datasets_command,
    completion_command,
)
HELP = {"help_option_names": ["-h", "--help"]}


@click.group(cls=_Commands, commands=COMMANDS, context_settings=HELP)
@click.version_option(__version__, prog_name="icost")
def app() -> None:
    """Find out what makes imbalanced data hard, what helps, and keep the model.

    DATA is a CSV, TSV, Parquet, Excel, KEEL or ARFF file, packed by gzip or zip or not, "-" for
    standard input, or the name of a dataset that "icost datasets" lists.

    Start with "icost fit": it finds the best model for your table and says how good it is.

    Exit codes: 0 success, 1 a problem with the data or a file, 2 a command that was not
    understood, 3 an error of the program itself, 4 a broken promise (evaluate), 130 an
    interruption.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code; problems become one sentence on standard error."""
    seen: set[str] = set()
    with warnings.catch_warnings():
        _quieten()
        warnings.showwarning = lambda message, category, *_, **__: _show_warning(
            str(message), seen, category.__name__ == "NotCertified"
        )
        try:
            code = app.main(arguments, prog_name="icost", standalone_mode=False)
            # A full disk behind a redirected standard output shows when it is flushed.
            sys.stdout.flush()
        except (click.exceptions.Abort, KeyboardInterrupt):
            return _say("interrupted; nothing is half-written.", INTERRUPTED)
        except BrokenPipeError:
            forget_reader()
            return BAD_INPUT
        except Exception as error:
            return _explain(error)
    return code or SUCCESS


def _quieten() -> None:
    """Leave out warnings that users of a command cannot act on."""
    warnings.simplefilter("default")
    for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning):
        warnings.simplefilter("ignore", category)
    warnings.simplefilter("ignore", ResourceWarning)
    # An interrupted comparison leaves fits behind.
    left_behind = r"\d+ tasks (have been|which were)"
    warnings.filterwarnings("ignore", message=left_behind, category=UserWarning)
    # Notes on the table and on the model say so already.
    warnings.filterwarnings("ignore", message="Few rows of class|.*than guessing")


def _show_warning(message: str, seen: set[str], is_broken_promise: bool) -> None:
    text = _one_line(message)
    # A comparison fits a hundred models: one line for what they all say.
    if text not in seen and (is_broken_promise or not os.environ.get("ICOST_QUIET")):
        seen.add(text)
        click.echo(f"icost: warning: {text}", err=True)


def _explain(error: Exception) -> int:
    """Turn an exception into a sentence and an exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    # By its name, since older versions of click print help without raising anything.
    if isinstance(error, click.UsageError) and type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return error.exit_code
    if isinstance(error, click.ClickException):
        return _say(error.format_message(), BAD_USAGE)
    if isinstance(error, OSError):
        return _say(_os_sentence(error), BAD_INPUT)
    if isinstance(error, ValueError | ImportError):
        return _say(str(error), BAD_INPUT)
    if isinstance(error, MemoryError):
        return _say("the table does not fit into memory.", BAD_INPUT)
    if os.environ.get("ICOST_DEBUG"):
        raise error
    error_type = type(error).__name__
    hint = "set ICOST_DEBUG=1 to see where, and please report it"
    return _say(f"this is an error of the program ({error_type}: {error}); {hint}.", BUG)


def _os_sentence(error: OSError) -> str:
    if error.errno is None:
        return str(error)
    _abandon_stdout(error)
    where = f" '{error.filename}'" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"the disk is full, nothing was written{where and ' to'}{where}."
    return f"{(error.strerror or 'the system refused').lower()}{where and ':'}{where}."


def _abandon_stdout(error: OSError) -> None:
    """Keep Python from flushing a full or closed standard output once more at exit."""
    if error.errno == errno.ENOSPC and sys.stdout is sys.__stdout__:
        try:
            print(end="", flush=True)
        except OSError:
            forget_reader()


def _one_line(message: str) -> str:
    """Return the first paragraph of a message on one line; cells in it may be of any length."""
    line = " ".join(message.strip().partition("\n\n")[0].split())
    if len(line) <= LONGEST_LINE:
        return line
    # When it is used: a help text must not wait for the library.
    from icost._core.validation import short_text

    return short_text(line, LONGEST_LINE)


def _say(message: Any, code: int) -> int:
    click.echo(f"icost: {_one_line(str(message))}", err=True)
    return code
