"""``icost datasets``."""

from __future__ import annotations

from typing import Any

import click

from icost.cli.printer import Printer


@click.command("datasets")
@click.argument("name", required=False)
@click.option(
    "--kind",
    type=click.Choice(["binary", "multiclass", "confirmation"]),
    help="Only these; by default the paper's.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
def datasets_command(name: str | None, kind: str | None, as_json: bool, quiet: bool) -> None:
    """List the datasets, or tell about the one called NAME."""
    printer = Printer(as_json, quiet)
    if name is None:
        _list(printer, kind)
    else:
        _describe(printer, name, kind)


def _list(printer: Printer, kind: str | None) -> None:
    from icost.datasets import get_record, list_datasets

    records = [get_record(name) for name in list_datasets(kind)]
    printer.json([_entry(record) for record in records])
    columns = ("Name", "Kind", "Rows", "Features", "Classes", "Imbalance ratio", "Source")
    rows = [
        (r.name, r.kind, f"{r.n:,}", r.d, len(r.class_counts), f"{r.imbalance_ratio:.1f}", r.source)
        for r in records
    ]
    printer.table(columns, rows, f"{len(rows)} datasets")


def _entry(record: object) -> dict[str, object]:
    names = ("name", "kind", "n", "d", "class_counts", "imbalance_ratio", "source", "target")
    return {name: getattr(record, name) for name in names}


def _describe(printer: Printer, name: str, kind: str | None) -> None:
    from icost.datasets import get_record, load_dataset

    record = get_record(name, kind)
    with printer.steps(f"loading {record.name}"):
        found: Any = load_dataset(record.name)
    printer.json({**_entry(record), "checksum": found.checksum, "description": found.DESCR})
    printer.say(found.DESCR)
    rows = [
        (column, str(found.data[column].dtype), int(found.data[column].isna().sum()))
        for column in found.data.columns
    ]
    printer.table(("Column", "Type", "Missing"), rows)
