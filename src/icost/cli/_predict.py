"""``icost predict``."""

from __future__ import annotations

from typing import Any

import click

from icost.cli._options import (
    GroupedCommand,
    OutputFile,
    check_outputs,
    data_argument,
    format_option,
    quiet_option,
    reading_options,
    sep_option,
)
from icost.cli._printer import Printer
from icost.cli._user_table import read_columns


@click.command("predict", cls=GroupedCommand)
@click.argument("model", type=click.Path())
@data_argument
@click.option(
    "--output",
    "-o",
    type=OutputFile(allow_dash=True),
    metavar="FILE",
    help="CSV file. [default: print]",
)
@click.option("--proba", is_flag=True, help="Add a column of probabilities for each class.")
@click.option("--trust", multiple=True, metavar="TYPE", help="Type to allow by name; repeatable.")
@click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="Put an apostrophe before labels that a spreadsheet would run, such as =1+1.",
)
@format_option
@sep_option
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the predictions as JSON.")
@quiet_option
def predict_command(
    model: str,
    data: str,
    output: str | None,
    proba: bool,
    trust: tuple[str, ...],
    spreadsheet_safe: bool,
    sep: str | None,
    file_format: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Predict the classes of DATA with a saved MODEL, one line per row.

    Example: icost predict patients.skops new.csv --proba -o predicted.csv
    """
    from icost.modelfile import load_model
    from icost.modelfile._table_check import unseen_levels, version_differences

    output = None if output == "-" else output
    check_outputs([output], [model, data])
    if quiet and not output and not as_json:
        raise click.UsageError("--quiet leaves nothing to see without --output or --json.")
    printer = Printer(as_json, quiet)
    with printer.steps("opening the model") as step:
        loaded = load_model(model, trust)
        for difference in version_differences(loaded.record):
            printer.note(f"warning: the model was made with {difference}.")
        step("reading the table")
        table = read_columns(data, loaded.record, file_format, sep)
        for name, levels in unseen_levels(table, loaded.record).items():
            more = f" and {len(levels) - 3} more" if len(levels) > 3 else ""
            shown = ", ".join(repr(level) for level in levels[:3])
            printer.note(f"warning: the model has never seen {shown}{more} in column {name!r}.")
        if proba:
            _note_calibration(printer, loaded.record)
        step("predicting")
        columns = _predicted(loaded, table, proba, trust)
    if proba and not loaded.record["calibrated"]:
        _note_other_classes(printer, loaded.classes, columns)
    printer.json({name: list(values) for name, values in columns.items()})
    if spreadsheet_safe:
        columns = {
            str(harmless(name)): [harmless(value) for value in values]
            for name, values in columns.items()
        }
    _write(columns, output, is_silent=printer.is_silent)
    if output:
        printer.say(f"{len(table):,} predictions saved to {output}.")


def _note_calibration(printer: Printer, record: dict[str, Any]) -> None:
    """Say whether probabilities are shares: those of weighted or resampled rows are not."""
    from icost.modelfile._saved_model import decision_text
    from icost.strategies import get_strategy

    method = record["method"]
    if record["calibrated"]:
        printer.note(f"the probabilities are calibrated, {decision_text(record)}.")
    elif method != "ncs" and get_strategy(method).group in ("weighting", "resampling"):
        printer.note(
            f"the probabilities are not calibrated: strategy {method!r} shifts them towards rare "
            "classes, so that they rank rows but are no shares (see icost fit --calibrate)."
        )


def _note_other_classes(printer: Printer, classes: list[Any], columns: dict[str, Any]) -> None:
    """Say in how many rows the class that is predicted is not the most probable one."""
    import numpy as np

    predicted, *shares = columns.values()
    likeliest = np.asarray(classes)[np.argmax(shares, axis=0)]
    number = int((likeliest != np.asarray(predicted)).sum())
    if number:
        printer.note(
            f"in {number:,} of {len(likeliest):,} rows the class predicted is not the most "
            "probable one: the model decides by a border of its own."
        )


def _predicted(loaded: Any, table: Any, proba: bool, trust: tuple[str, ...]) -> dict[str, Any]:
    """Predict; a type that the user allowed need not be a classifier."""
    try:
        return predict_columns(loaded, table, proba)
    except (AttributeError, TypeError) as error:
        if not trust:
            raise
        raise ValueError(f"the model cannot predict with what --trust allowed: {error}.") from None


def predict_columns(model: Any, table: Any, proba: bool) -> dict[str, Any]:
    """Return the columns of the file of predictions, by name."""
    columns = {"prediction": model.predict(table)}
    if proba:
        shares = model.predict_proba(table)
        names = ["_".join(f"probability_{label}".split(" ")) for label in model.classes]
        if len(set(names)) < len(names):  # labels such as 'very ill' and 'very_ill'
            names = [f"probability_{label}" for label in model.classes]
        columns |= dict(zip(names, shares.T, strict=True))
    return columns


def harmless(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    is_formula = isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@"))
    if is_formula or (isinstance(value, str) and value.startswith(("\t", "\r", "\n"))):
        return f"'{value}"
    return value


def _write(columns: dict[str, Any], output: str | None, is_silent: bool) -> None:
    import pandas as pd

    from icost._core.files import write_whole

    text = pd.DataFrame(columns).to_csv(index=False)
    if output:
        write_whole(output, text)
    elif not is_silent:
        click.echo(text, nl=False)
