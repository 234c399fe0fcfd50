"""``icost inspect``, ``datasets``, ``completion`` and ``reproduce``."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import click
from click.shell_completion import get_completion_class

from icost.cli._fit import print_record
from icost.cli._options import quiet_option
from icost.cli._printer import Printer


@click.command("inspect")
@click.argument("model", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON.")
def inspect_command(model: str, as_json: bool) -> None:
    """Show the record of a saved MODEL, which is not opened for that."""
    from icost.modelfile import read_record
    from icost.modelfile._table_check import version_differences

    printer = Printer(as_json)
    record = read_record(model)
    printer.json(record)
    print_record(printer, record)
    rows = [(column["name"], column["kind"]) for column in record["columns"]]
    printer.table(("Column", "Kind"), rows)
    made_with = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    printer.say(f"Made with {made_with}.")
    for difference in version_differences(record):
        printer.note(f"warning: the model was made with {difference}.")


@click.command("datasets")
@click.argument("name", required=False)
@click.option(
    "--collection",
    type=click.Choice(["binary", "multiclass", "confirmation"]),
    help="Only these; by default the paper's.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@quiet_option
def datasets_command(name: str | None, collection: str | None, as_json: bool, quiet: bool) -> None:
    """List the datasets, or describe the one called NAME."""
    printer = Printer(as_json, quiet)
    if name is None:
        _list(printer, collection)
    else:
        _describe(printer, name, collection)


def _list(printer: Printer, collection: str | None) -> None:
    from icost.datasets import get_record, list_datasets

    records = [get_record(name) for name in list_datasets(collection)]
    printer.json([_entry(record) for record in records])
    columns = ("Name", "Collection", "Rows", "Features", "Classes", "Imbalance ratio", "Source")
    rows = []
    for record in records:
        n_classes, ratio = len(record.class_counts), f"{record.imbalance_ratio:.1f}"
        numbers = f"{record.n:,}", record.d, n_classes, ratio
        rows.append((record.name, record.collection, *numbers, record.source))
    printer.table(columns, rows, f"{len(rows)} datasets")


def _entry(record: object) -> dict[str, object]:
    names = ("name", "collection", "n", "d", "class_counts", "imbalance_ratio", "source", "target")
    return {name: getattr(record, name) for name in names}


def _describe(printer: Printer, name: str, collection: str | None) -> None:
    from icost.datasets import get_record, load_dataset

    record = get_record(name, collection)
    with printer.steps(f"loading {record.name}"):
        dataset: Any = load_dataset(record.name)
    printer.json({**_entry(record), "checksum": dataset.checksum, "description": dataset.DESCR})
    printer.say(dataset.DESCR)
    rows = [
        (column, str(dataset.data[column].dtype), int(dataset.data[column].isna().sum()))
        for column in dataset.data.columns
    ]
    printer.table(("Column", "Type", "Missing"), rows)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and datasets in SHELL.

    Example: icost completion bash >> ~/.bashrc
    """
    group = context.find_root().command
    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(group, {}, "icost", "_ICOST_COMPLETE").source())


GROUP = "icost.commands"
"""Entry points in which an installed distribution names its command."""


def find_reproduce() -> click.Command:
    """Return the command of icost-reproduction, or one that says how to install it."""
    for entry in entry_points(group=GROUP, name="reproduce"):
        return entry.load()
    return missing_command


# Whatever the arguments are, "--help" included, the answer is the same sentence.
@click.command(
    "reproduce", add_help_option=False, context_settings={"ignore_unknown_options": True}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def missing_command(arguments: tuple[str, ...]) -> None:
    """Run the paper's studies (not installed)."""
    raise click.UsageError(
        "The paper's studies are in icost-reproduction, which is not installed. "
        "In a clone of the repository: pip install -e ./reproduction"
    )
