"""Options that several commands share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

Command = Callable[..., Any]


def _complete_data(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from icost.datasets import list_datasets

    names = [CompletionItem(name) for name in list_datasets() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


class OutputFile(click.Path):
    """A file to write, which must be possible: found out before hours of work, not after."""

    def __init__(self, allow_dash: bool = False) -> None:
        super().__init__(dir_okay=False, allow_dash=allow_dash)

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the path, or fail if nothing can be written there."""
        path = super().convert(value, parameter, context)
        if str(path) == "-" and not self.allow_dash:
            self.fail("a file must be named, got '-'.", parameter, context)
        folder = Path(str(path)).parent
        if not folder.is_dir():
            self.fail(f"the folder '{folder}' does not exist.", parameter, context)
        is_device = Path(str(path)).exists() and not Path(str(path)).is_file()
        if not is_device and not _is_writable(folder):
            self.fail(f"the folder '{folder}' cannot be written to.", parameter, context)
        return path


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made there: for an administrator, rights alone do not tell."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


class Jobs(click.ParamType):
    """A number of jobs, as scikit-learn takes it: -1 for all processors, never 0."""

    name = "integer"

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the number, or fail."""
        jobs = click.INT.convert(value, parameter, context)
        if jobs == 0:
            self.fail("at least one job is needed, got 0.", parameter, context)
        return jobs


class RowLimit(click.ParamType):
    """A number of rows, or ``all``."""

    name = "rows"

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the number, None for all, or fail."""
        if value == "all":
            return None
        if not (str(value).isdecimal() and int(value)):
            self.fail(f"a number of rows or 'all' is wanted, got {value!r}.", parameter, context)
        return int(value)


def was_typed(context: click.Context, name: str) -> bool:
    """Whether an option is what the user typed, and not a default."""
    return context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE


def refuse_without_effect(context: click.Context, reason: str, *names: str) -> None:
    """Refuse options that were typed although they change nothing here."""
    for name in names:
        if was_typed(context, name):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} has no effect {reason}.")


def own_name(method: str) -> str:
    """Return the name under which a method is known to plans and model files."""
    return "gini" if method == "tree" else method


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str] = ()) -> None:
    """Refuse to write a file that the same command reads or writes otherwise."""
    taken = {os.path.realpath(path) for path in inputs if Path(path).is_file()}
    for path in outputs:
        if not path or (Path(path).exists() and not Path(path).is_file()):
            continue  # nothing to write, or a device such as /dev/stdout
        place = os.path.realpath(path)
        if place in taken:
            raise click.UsageError(f"'{path}' is used twice by this command: name another output.")
        taken.add(place)


def data_argument(command: Command) -> Command:
    """Add the argument DATA."""
    return click.argument("data", shell_complete=_complete_data)(command)


format_option = click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "tsv", "parquet", "keel", "arff", "excel"]),
    help="Format of DATA, if its name does not tell.",
)
"""An option of all commands that read a table."""


NAMED_DELIMITERS = {
    "tab": "\t",
    "\\t": "\t",
    "pipe": "|",
    "comma": ",",
    "semicolon": ";",
    "space": " ",
}
"""Characters that a shell makes hard to type."""


class Delimiter(click.ParamType):
    """A character that parts cells, or its name."""

    name = "char"

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the character, or fail."""
        character = NAMED_DELIMITERS.get(value, value)
        if len(character) != 1 or character in '"\r\n':
            names = ", ".join(name for name in NAMED_DELIMITERS if name.isalpha())
            self.fail(f"one character or {names} is wanted, got {value!r}.", parameter, context)
        return character


sep_option = click.option(
    "--sep",
    type=Delimiter(),
    metavar="CHAR",
    help="What parts the cells of a CSV file: a character, or tab, pipe, space. "
    "[default: told from the header]",
)
"""Another one."""


def table_options(command: Command) -> Command:
    """Add the options that say what a table's columns are."""
    for option in reversed(
        [
            click.option(
                "--target", "-t", metavar="COL", help="Column of the class. [default: the last one]"
            ),
            click.option(
                "--minority", metavar="LABEL", help="The minority class. [default: the rarer]"
            ),
            click.option(
                "--drop", multiple=True, metavar="COL", help="Column to leave out; repeatable."
            ),
            format_option,
            sep_option,
            click.option(
                "--drop-unlabelled",
                is_flag=True,
                help="Leave out rows without a class, and say how many.",
            ),
        ]
    ):
        command = option(command)
    return command


def model_options(command: Command) -> Command:
    """Add the options that say what to fit."""
    return classifier_option(False)(scaler_option(command))


def scaler_option(command: Command) -> Command:
    """Add --scaler."""
    return click.option(
        "--scaler",
        type=click.Choice(["standard", "minmax", "none"]),
        default="standard",
        show_default=True,
        help="How numeric columns are scaled; the paper uses minmax.",
    )(command)


def classifier_option(
    multiple: bool, name: str = "", repeatable: str = "; repeatable."
) -> Callable[[Command], Command]:
    """Return what adds --classifier; names are written out, as a help text must not wait."""
    return click.option(
        "--classifier",
        "-c",
        name or ("classifiers" if multiple else "classifier"),
        multiple=multiple,
        default=["lr"] if multiple else "lr",
        show_default=True,
        shell_complete=_complete_classifier,
        help="Base classifier: lr, lr-liblinear, svm, dt, rf, xgb, lgbm, hgb, et, ridge, nb, mlp"
        + (repeatable if multiple else "."),
    )


def comparison_options(command: Command) -> Command:
    """Add the options that say how strategies are compared."""
    for option in reversed(
        [
            click.option(
                "--group", metavar="COL", help="Keep rows of one group on one side of each split."
            ),
            click.option(
                "--time", metavar="COL", help="Train on earlier rows, test on later ones."
            ),
            click.option(
                "--cost-fn", type=float, help="Cost of a missed minority row; then cost decides."
            ),
            click.option(
                "--cost-fp",
                type=float,
                default=1.0,
                show_default=True,
                help="Cost of a false alarm.",
            ),
            click.option(
                "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Folds."
            ),
            click.option(
                "--repeats",
                type=click.IntRange(min=1),
                default=3,
                show_default=True,
                help="Repeats of the folds.",
            ),
            click.option(
                "--max-rows",
                type=RowLimit(),
                metavar="N|all",
                default="5000",
                show_default=True,
                help="Compare on so many rows of a larger table, drawn at random from each class "
                "by its share (--seed).",
            ),
            click.option(
                "--jobs",
                "-j",
                type=Jobs(),
                help="Folds to run at the same time, each with a copy of the rows. [default: as "
                "many as there are processors]",
            ),
        ]
    ):
        command = option(command)
    return command


def refuse_in_comparison(context: click.Context) -> None:
    """Refuse options of a comparison that change nothing because of others."""
    if context.params["cost_fn"] is None:
        refuse_without_effect(context, "without --cost-fn", "cost_fp")
    if context.params["time"] is not None:
        refuse_without_effect(context, "with --time, as there is one order of time", "repeats")


def probe_option(command: Command) -> Command:
    """Add --tree-probe."""
    return click.option(
        "--tree-probe",
        type=click.Choice(["exact", "fast"]),
        default="exact",
        show_default=True,
        help="How the tree of gini is grown; fast is for large tables.",
    )(command)


def refuse_probe_without_tree(context: click.Context, method: str) -> None:
    """Refuse --tree-probe where no tree is grown."""
    if method != "gini":
        refuse_without_effect(context, f"with --method {method}", "tree_probe")


WEIGHTING = {
    "penalty": (["categories", "plausible"], "Penalties by categories, or by foreign shares."),
    "majority": (["flat", "plausible"], "Majority rows weigh 1 each, or by foreign shares."),
    "multiclass": (["ovr", "ovo", "direct"], "How more than two classes are learned."),
    "scale": (float, "Multiplies all penalties of the minority."),
    "floor": (float, "Least shape of a plausible weight."),
}
"""Options of how rows are weighted: choices or type, and help."""


def weighting_options(command: Command) -> Command:
    """Add the options of how rows are weighted, None where they are not given."""
    for name, (kind, text) in reversed(WEIGHTING.items()):
        kind = click.Choice(kind) if isinstance(kind, list) else kind
        command = click.option(f"--{name}", type=kind, help=text)(command)
    return command


def _complete_classifier(context: Any, parameter: Any, incomplete: str) -> list[str]:
    from icost.strategies.classifiers import CLASSIFIERS

    return [name for name in CLASSIFIERS if name.startswith(incomplete)]


def output_options(command: Command) -> Command:
    """Add --json, --quiet and --seed."""
    command = click.option(
        "--seed", default=0, show_default=True, help="Seed of all that is random."
    )(command)
    command = click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")(
        command
    )


def report_option(command: Command) -> Command:
    """Add --report."""
    return click.option(
        "--report", type=OutputFile(), metavar="FILE", help="Write a page to open in a browser."
    )(command)
