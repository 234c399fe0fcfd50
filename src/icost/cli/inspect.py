"""``icost inspect``."""

from __future__ import annotations

import click

from icost.cli.fit import print_record
from icost.cli.printer import Printer


@click.command("inspect")
@click.argument("model", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the record as JSON.")
def inspect_command(model: str, as_json: bool) -> None:
    """Show what a MODEL file says about itself; the model stays closed."""
    from icost.modelfile import read_record, version_differences

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
