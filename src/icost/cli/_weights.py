"""``icost weights``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import click

from icost.cli._fit import COSTS_OF, ROWS_OF_COST, cost_options
from icost.cli._options import (
    WEIGHTING,
    GroupedCommand,
    NameOf,
    OutputFile,
    check_outputs,
    refuse_without_effect,
    strategy_names,
)
from icost.cli._printer import Printer

FORMATS = (".parquet", ".csv")


def _find_measure(name: str) -> Any:
    """Return what says how rows are weighted, by name."""
    from icost._core.validation import check_choice
    from icost.complexity._methods import METHODS

    method = check_choice("a strategy", name, METHODS)
    return SimpleNamespace(name="gini" if method == "tree" else method)


@click.command("weights", cls=GroupedCommand)
@click.argument("data", type=click.Path())
@click.option("--target", "-t", required=True, metavar="COLUMN", help="Column of the labels.")
@click.option(
    "--output", "-o", required=True, type=OutputFile(), metavar="FILE", help="Parquet or CSV file."
)
@click.option(
    *("--strategy", "-s", "--method", "-m", "method"),
    type=NameOf(_find_measure, strategy_names),
    default="neighbor",
    show_default=True,
    help="How rows are weighted: cs, or a measure of difficulty.",
)
@click.option(
    "--exclude", multiple=True, metavar="COLUMN", help="No feature, such as an id; repeatable."
)
@click.option(
    "--output-column", default="weight", show_default=True, help="Name of the new column."
)
@cost_options
@click.option("--scale", type=float, help=WEIGHTING["scale"][1])
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
@click.pass_context
def weights_command(
    context: click.Context,
    data: str,
    target: str,
    output: str,
    method: str,
    exclude: tuple[str, ...],
    output_column: str,
    quiet: bool,
    **costs: float | None,
) -> None:
    """Add a column of weights to DATA, a Parquet or CSV file that may be larger than the memory.

    All columns but the target must be numbers without missing cells. The file is read several times
    and written once, as a whole or not at all.

    Example: icost weights claims.parquet --target fraud --strategy tree -o weighted.parquet
    """
    check_outputs([output], [data])
    unused = {*ROWS_OF_COST, "scale"}.difference(COSTS_OF.get(method, costs))
    refuse_without_effect(context, f"with --strategy {method}", *sorted(unused))
    for path in (data, output):
        if Path(path).suffix not in FORMATS:
            raise click.UsageError(f"{path!r} must end in .parquet or .csv.")
    if not Path(data).exists():
        raise FileNotFoundError(f"The file '{data}' does not exist.")
    printer = Printer(False, quiet)
    with printer.steps("reading the table") as step:
        params = {name: cost for name, cost in costs.items() if cost is not None}
        weighed = _weighed_batches(data, target, exclude, output_column, method=method, **params)
        step("writing the weights")
        write_batches(output, weighed)
    printer.say(f"Saved the table with the column {output_column!r} to {output}.")


def _weighed_batches(
    data: str,
    target: str,
    exclude: tuple[str, ...],
    output_column: str,
    **params: Any,
) -> Iterator[Any]:
    """Return the batches of a file with their weights; what can be refused is refused at once."""
    from icost import iCost
    from icost._batches.stream import add_column, open_stream
    from icost._batches.weigher import make_weigher

    table = open_stream(data, target, exclude)
    names = table.schema.names
    if output_column in names:
        raise ValueError(f"--output-column must be a new column, got {output_column!r}.")
    unknown = [name for name in exclude if name not in names]
    if unknown:
        raise ValueError(f"--exclude must name columns of the table, got {unknown[0]!r}.")
    weigher = make_weigher(table, iCost(**params), is_one_column=True)
    return (add_column(batch, output_column, w) for batch, w in table.weighed(weigher))


def write_batches(path: str, batches: Iterator[Any]) -> None:
    """Write record batches to a Parquet file, or else as CSV, as a whole or not at all."""
    from icost._core.files import write_whole

    write_whole(path, partial(_write, batches, is_csv=not path.endswith(".parquet")))


def _write(batches: Iterator[Any], stream: IO[bytes], is_csv: bool) -> None:
    """Write record batches one after the other."""
    import pyarrow.csv
    import pyarrow.parquet

    first = next(batches)
    make = pyarrow.csv.CSVWriter if is_csv else pyarrow.parquet.ParquetWriter
    with make(stream, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
