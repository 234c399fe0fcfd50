"""Options that several commands share."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

Command = Callable[..., Any]

GROUPS = {
    "Data": "target minority drop group time missing decimal thousands day_first sheet file_format "
    "sep max_unpacked drop_unlabelled exclude",
    "Model": "strategy strategies method classifier classifiers scaler neighbors measures",
    "Weights": "cfp cfs cfb cfo penalty majority multiclass scale floor tree_probe",
    "Decision": "promise cost_fn cost_fp decide calibrate",
    "Validation": "by folds repeats max_rows time_limit jobs simple force seed",
}
"""Options by what they are about, in the order of a help text; all others are about the output."""

RARE = (
    *("file_format", "sep", "max_unpacked", "drop_unlabelled", "tree_probe", "cfp", "cfs", "cfo"),
    *("majority", "multiclass", "floor", "jobs", "force", "top", "save_weights"),
    *("trust", "spreadsheet_safe"),
)
"""Options that only --help-all shows."""


class GroupedCommand(click.Command):
    """A command whose help has its options in groups, and the rare ones on demand."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options["context_settings"] = {"show_default": True}
        super().__init__(*arguments, **options)
        if any(parameter.name in RARE for parameter in self.params):
            show_all = click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show this message with the rare options as well.",
            )
            self.params.append(show_all)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group."""
        options = {
            parameter.name: parameter.get_help_record(context)
            for parameter in self.get_params(context)
            if isinstance(parameter, click.Option)
            and (context.meta.get(ALL) or parameter.name not in RARE)
        }
        groups = {title: names.split() for title, names in GROUPS.items()}
        sorted_names = [name for names in groups.values() for name in names]
        groups["Output"] = [name for name in options if name not in sorted_names]
        for title, names in groups.items():
            records = [record for name in names if (record := options.get(name)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


ALL = "icost.help_all"
"""Where a command keeps that all options are to be shown."""


def _show_all(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[ALL] = True
        click.echo(context.get_help())
        context.exit()


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


class PageFile(OutputFile):
    """A page to write, which replaces no file of another sort."""

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the path, or fail if a file is there that is no page."""
        path = super().convert(value, parameter, context)
        is_named_so = Path(str(path)).suffix.lower() in (".html", ".htm")
        if not is_named_so and Path(str(path)).is_file():
            with open(path, "rb") as file:
                start = file.read(1000).lstrip().lower()
            if start and not start.startswith((b"<!doctype html", b"<html")):
                self.fail(
                    f"'{path}' is no page, and would be replaced by one: name another file.",
                    parameter,
                    context,
                )
        return path


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made there: for an administrator, rights alone do not tell."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


class Parsed(click.ParamType):
    """What a function returns for a text; it raises `ValueError` for one that it cannot read."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name, self.parse = name, parse

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the value, or fail."""
        try:
            return self.parse(str(value))
        except ValueError as error:
            self.fail(str(error), parameter, context)


class NameOf(Parsed):
    """A name that the library knows; ``find`` returns it as the library does, or raises."""

    def __init__(self, find: Callable[[str], str], complete: Callable[[], Sequence[str]]) -> None:
        super().__init__("name", find)
        self.complete = complete

    def shell_complete(self, context: Any, parameter: Any, incomplete: str) -> list[Any]:
        """Return the names that begin so."""
        return [CompletionItem(name) for name in self.complete() if name.startswith(incomplete)]


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of a few names; a misspelt one is suggested."""

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the name, or fail."""
        try:
            return super().convert(value, parameter, context)
        except click.BadParameter as error:
            from icost._core.validation import did_you_mean

            hint = did_you_mean(value, self.choices)
            ending = f": {hint}" if hint else "."
            self.fail(error.message.removesuffix(".") + ending, parameter, context)


def _parse_jobs(text: str) -> int:
    """Return a number of jobs, as scikit-learn takes it: -1 for all processors, never 0."""
    if not text.removeprefix("-").isdecimal():
        raise ValueError(f"a whole number is wanted, got {text!r}.")
    if int(text) == 0:
        raise ValueError("at least one job is needed, got 0.")
    return int(text)


def _parse_seconds(text: str) -> float:
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    if not number.replace(".", "", 1).isdecimal():
        raise ValueError(f"a time such as 60s, 5m or 1h is wanted, got {text!r}.")
    return float(number) * unit


def parse_cost(text: str) -> float | str:
    """Return a cost, or the name of a column as it is."""
    try:
        cost = float(text)
    except ValueError:
        return text
    if not 0 <= cost < float("inf"):
        raise ValueError(f"a finite cost of at least 0 is needed, got {text}.")
    return cost


def find_rule(text: str) -> str:
    """Return a rule as it was typed, or raise if it is none."""
    from icost.thresholds._rules import parse_rule

    parse_rule(text)
    return text.strip()


def _parse_row_limit(text: str) -> int | None:
    if text == "all":
        return None
    if not (text.isdecimal() and int(text)):
        raise ValueError(f"a number of rows or 'all' is wanted, got {text!r}.")
    return int(text)


NAMED_DELIMITERS = {
    "tab": "\t",
    "\\t": "\t",
    "pipe": "|",
    "comma": ",",
    "semicolon": ";",
    "space": " ",
}
"""Characters that a shell makes hard to type."""


def _parse_delimiter(text: str) -> str:
    character = NAMED_DELIMITERS.get(text, text)
    if len(character) != 1 or character in '"\r\n':
        names = ", ".join(name for name in NAMED_DELIMITERS if name.isalpha())
        raise ValueError(f"one character or {names} is wanted, got {text!r}.")
    return character


def _parse_thousands(text: str) -> str:
    """Return what separates thousands, which may be named."""
    from icost.datasets._text_columns import THOUSANDS

    mark = {"comma": ",", "dot": ".", "apostrophe": "'", "space": " "}.get(text, text)
    if mark not in THOUSANDS:
        raise ValueError(f"expected a comma, dot, apostrophe or space, got {text!r}.")
    return mark


def _parse_size(text: str) -> int:
    """Return a number of bytes, such as that of ``4GB``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None or not float(match[1]):
        raise ValueError(f"expected a size such as 500MB or 4GB, got {text!r}.")
    return int(float(match[1]) * 1024 ** " KMG".index(match[2].upper() or " "))


def _find_classifier(name: str) -> str:
    from icost.strategies._estimators import get_classifier

    return get_classifier(name).name


def _classifier_names() -> list[str]:
    from icost.strategies._estimators import ALIASES, CLASSIFIERS

    return [*CLASSIFIERS, *ALIASES]


def _find_strategy(name: str) -> str:
    from icost.strategies import get_strategy

    return get_strategy("gini" if name == "tree" else name).name


def strategy_names() -> list[str]:
    """Return the names of all strategies."""
    from icost.strategies import list_strategies

    return ["tree", *(strategy.name for strategy in list_strategies())]


def was_typed(context: click.Context, name: str) -> bool:
    """Whether an option is what the user typed, and not a default."""
    return context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE


def refuse_without_effect(context: click.Context, reason: str, *names: str) -> None:
    """Refuse options that were typed although they change nothing here."""
    for name in names:
        if was_typed(context, name):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} has no effect {reason}.")


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str] = ()) -> None:
    """Refuse to write a file that the same command reads or writes otherwise."""
    used = {os.path.realpath(path) for path in inputs if Path(path).is_file()}
    for path in outputs:
        if not path or (Path(path).exists() and not Path(path).is_file()):
            continue  # nothing to write, or a device such as /dev/stdout
        place = os.path.realpath(path)
        if place in used:
            raise click.UsageError(f"'{path}' is used twice by this command: name another output.")
        used.add(place)


def add_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return what adds several options, in the order of a help text."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


data_argument = click.argument("data", shell_complete=_complete_data)

format_option = click.option(
    "--format",
    "file_format",
    type=Choice(["csv", "tsv", "parquet", "keel", "arff", "excel"]),
    help="Format of DATA, if its name does not tell.",
)

sep_option = click.option(
    "--sep",
    type=Parsed("char", _parse_delimiter),
    metavar="CHAR",
    help="What parts the cells of a CSV file: a character, or tab, pipe, space. "
    "[default: read from the header]",
)

READING = "icost.reading"
"""Where a command keeps options of reading, for whatever reads the table."""


def _keep_for_reading(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in (None, ()):
        context.meta.setdefault(READING, {})[parameter.name] = value


reading_options = add_options(
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        expose_value=False,
        callback=_keep_for_reading,
        help="What else stands for a missing cell, such as - or unknown; repeatable.",
    ),
    click.option(
        "--decimal",
        type=Choice([",", "."]),
        expose_value=False,
        callback=_keep_for_reading,
        help="Decimal mark of columns that do not show it, such as 1,362 beside 12.",
    ),
    click.option(
        "--thousands",
        type=Parsed("mark", _parse_thousands),
        metavar="MARK",
        expose_value=False,
        callback=_keep_for_reading,
        help="What separates thousands: a comma, dot, apostrophe or space.",
    ),
    click.option(
        "--day-first/--month-first",
        default=None,
        expose_value=False,
        callback=_keep_for_reading,
        help="What dates such as 03/04/2024 start with, where a column does not show it.",
    ),
    click.option(
        "--sheet",
        metavar="NAME",
        expose_value=False,
        callback=_keep_for_reading,
        help="Sheet of an Excel file. [default: the first one]",
    ),
    click.option(
        "--max-unpacked",
        type=Parsed("size", _parse_size),
        metavar="SIZE",
        expose_value=False,
        callback=_keep_for_reading,
        help="Largest size of a packed file when unpacked. [default: 256MB]",
    ),
)

minority_option = click.option(
    "--minority", metavar="LABEL", help="The minority class. [default: the rarer]"
)

table_options = add_options(
    click.option(
        "--target", "-t", metavar="COL", help="Column of the class. [default: the last one]"
    ),
    minority_option,
    click.option("--drop", multiple=True, metavar="COL", help="Column to leave out; repeatable."),
    format_option,
    sep_option,
    reading_options,
    click.option(
        "--drop-unlabelled", is_flag=True, help="Leave out rows without a class, and say how many."
    ),
)

scaler_option = click.option(
    "--scaler",
    type=Choice(["standard", "minmax", "none"]),
    default="standard",
    help="How numeric columns are scaled; the paper uses minmax.",
)


def classifier_option(
    name: str = "classifiers",
    ending: str = "; repeatable. [default: logistic, forest and boosting]",
) -> Callable[[Command], Command]:
    """Return what adds --classifier; names are written out, as a help text must not wait."""
    return click.option(
        "--classifier",
        "-c",
        name,
        multiple=True,
        type=NameOf(_find_classifier, _classifier_names),
        help="Base classifier: logistic (lr), forest (rf), boosting (hgb), tree (dt), svm, xgboost "
        "(xgb), lightgbm (lgbm), bayes (nb), neural (mlp), et, ridge, lr-liblinear" + ending,
    )


def strategy_option(
    name: str = "strategies", *, find: Callable[[str], str] = _find_strategy, **options: Any
) -> Callable[[Command], Command]:
    """Return what adds --strategy, which --method and -m stand for as well."""
    names = NameOf(find, strategy_names)
    words = ("--strategy", "-s", "--method", "-m")
    return click.option(*words, name, type=names, **options)


split_options = add_options(
    click.option(
        "--group", metavar="COL", help="Keep rows of one group on one side of each split."
    ),
    click.option("--time", metavar="COL", help="Train on earlier rows, test on later ones."),
    click.option(
        "--cost-fn",
        type=Parsed("cost", parse_cost),
        help="Cost of a missed minority row, or a column with that of each row; then the mean cost "
        "decides.",
    ),
    click.option(
        "--cost-fp", type=Parsed("cost", parse_cost), default=1.0, help="Cost of a false alarm."
    ),
)

time_limit_option = click.option(
    "--time-limit",
    type=Parsed("time", _parse_seconds),
    metavar="TIME",
    help="Time, such as 60s, 5m or 1h: the cheapest candidates first.",
)

pass_options = add_options(
    split_options,
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        help="Folds. [default: 5; for large tables one held-out fifth]",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        help="Repeats of the folds. [default: 5 below 20 minority rows, else 1]",
    ),
    time_limit_option,
    click.option(
        "--jobs",
        "-j",
        type=Parsed("integer", _parse_jobs),
        help="Folds to run at the same time, each with a copy of the rows.",
    ),
)

PASS = ("group", "time", "cost_fn", "cost_fp", "folds", "repeats", "time_limit", "jobs")
"""Names of these options."""

comparison_options = add_options(
    split_options,
    click.option("--folds", type=click.IntRange(min=2), default=5, help="Folds."),
    click.option("--repeats", type=click.IntRange(min=1), default=3, help="Repeats of the folds."),
    click.option(
        "--max-rows",
        type=Parsed("rows", _parse_row_limit),
        metavar="N|all",
        default="5000",
        help="Rows to compare on; a larger table is sampled down to them, each class by its share "
        "(--seed).",
    ),
    time_limit_option,
    click.option(
        "--jobs",
        "-j",
        type=Parsed("integer", _parse_jobs),
        help="Folds to run at the same time, each with a copy of the rows. [default: as "
        "many as there are processors]",
    ),
)


COMPARISON = (
    *("group", "time", "cost_fn", "cost_fp"),
    *("folds", "repeats", "max_rows", "time_limit", "jobs"),
)
"""Names of these options."""


def refuse_in_comparison(context: click.Context) -> None:
    """Refuse options of a comparison that change nothing because of others."""
    if context.params["cost_fn"] is None:
        refuse_without_effect(context, "without --cost-fn", "cost_fp")
    if context.params["cost_fn"] == context.params["cost_fp"] == 0:
        raise click.UsageError("--cost-fn and --cost-fp must not both be 0.")
    if context.params["time"] is not None:
        refuse_without_effect(context, "with --time, as there is one order of time", "repeats")


probe_option = click.option(
    "--tree-probe",
    type=Choice(["exact", "fast"]),
    default="exact",
    help="How the tree of gini is grown; fast is for large tables.",
)


WEIGHTING = {
    "penalty": (["categories", "plausible"], "Weights by categories, or by other-class shares."),
    "majority": (["flat", "plausible"], "Majority rows weigh 1 each, or by other-class shares."),
    "multiclass": (["ovr", "ovo", "direct"], "How more than two classes are learned."),
    "scale": (click.FloatRange(0), "Multiplies all weights of the minority; above 0 but for cs."),
    "floor": (click.FloatRange(0, 1), "Least shape of a plausible weight."),
}
"""Options of how rows are weighted: choices or type, and help."""


def weighting_options(command: Command) -> Command:
    """Add the options of how rows are weighted, None where they are not given."""
    for name, (option_type, text) in reversed(WEIGHTING.items()):
        option_type = Choice(option_type) if isinstance(option_type, list) else option_type
        command = click.option(f"--{name}", type=option_type, help=text)(command)
    return command


quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")

output_options = add_options(
    click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON."),
    quiet_option,
    click.option("--seed", default=0, help="Seed of all that is random."),
)

report_option = click.option(
    "--report", type=PageFile(), metavar="FILE", help="Write a page to open in a browser."
)
