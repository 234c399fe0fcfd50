"""``icost weights``."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from functools import partial
from io import TextIOWrapper
from itertools import chain
from typing import IO, Any

import click

from icost.cli._fit import COSTS_OF, ROWS_OF_COST, cost_options
from icost.cli._options import (
    WEIGHTING,
    GroupedCommand,
    OutputFile,
    check_outputs,
    minority_option,
    quiet_option,
    refuse_without_effect,
    sep_option,
    strategy_option,
)
from icost.cli._printer import Printer

OUTPUTS = (".parquet", ".csv")
INPUTS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz")


def _find_measure(name: str) -> str:
    """Return what says how rows are weighted, by name."""
    from icost._core.validation import check_choice
    from icost.complexity._methods import METHODS

    return check_choice("a strategy", name, METHODS)


@click.command("weights", cls=GroupedCommand)
@click.argument("data", type=click.Path())
@click.option("--target", "-t", required=True, metavar="COLUMN", help="Column of the labels.")
@minority_option
@sep_option
@click.option(
    "--output", "-o", required=True, type=OutputFile(), metavar="FILE", help="Parquet or CSV file."
)
@strategy_option(
    "method",
    find=_find_measure,
    default="neighbor",
    help="How rows are weighted: cs, or a measure of difficulty.",
)
@click.option("--exclude", multiple=True, metavar="COL", help="No feature, like an id; repeatable.")
@click.option("--output-column", default="weight", help="The column to add.")
@cost_options
@click.option("--scale", type=WEIGHTING["scale"][0], help=WEIGHTING["scale"][1])
@quiet_option
@click.pass_context
def weights_command(
    context: click.Context,
    data: str,
    target: str,
    minority: str | None,
    sep: str | None,
    output: str,
    method: str,
    exclude: tuple[str, ...],
    output_column: str,
    quiet: bool,
    **costs: float | None,
) -> None:
    """Add a column of weights to DATA, a Parquet, CSV or TSV file larger than the memory or not.

    All columns but the target must be numbers without missing cells, scaled for neighbours. The
    file is read several times and written once, as a whole or not at all.

    Example: icost weights claims.parquet --target fraud --strategy tree -o weighted.parquet
    """
    check_outputs([output], [data])
    unused = {*ROWS_OF_COST, "scale"}.difference(COSTS_OF.get(method, costs))
    refuse_without_effect(context, f"with --strategy {method}", *sorted(unused))
    for path, endings in ((data, INPUTS), (output, OUTPUTS)):
        if not path.endswith(endings):
            raise click.UsageError(f"{path!r} must end in {' or '.join(endings)}.")
    if data.endswith(".parquet"):
        refuse_without_effect(context, "on a Parquet file", "sep")
    from icost import iCost
    from icost._batches.stream import add_column, open_stream
    from icost._core.files import find_separator, write_whole
    from icost.datasets._readers import DELIMITERS

    printer = Printer(False, quiet)
    with printer.steps("reading the table") as step:
        given: dict[str, Any] = {name: cost for name, cost in costs.items() if cost is not None}
        model = iCost(method=method, **given)
        table = open_stream(data, target, exclude, sep)
        weigher = _make_weigher(table, exclude, output_column, minority, model)
        step("writing the weights")
        weighed = table.weighed(weigher)
        if data.endswith(".parquet") or output.endswith(".parquet"):
            write_batches(output, (add_column(batch, output_column, w) for batch, w in weighed))
        else:
            weights = chain.from_iterable(w.tolist() for _, w in weighed)
            sep = sep or find_separator(data, DELIMITERS)
            write_whole(output, partial(_copy_csv, data, sep, output_column, weights))
    printer.say(f"Saved the table with the column {output_column!r} to {output}.")
    printer.say("Columns were taken as they are; icost analyze --save-weights scales them first.")


def _make_weigher(
    table: Any, exclude: tuple[str, ...], output: str, minority: str | None, model: Any
) -> Any:
    """Return the weigher of a table; what can be refused is refused at once."""
    import numpy as np
    from pandas import Series

    from icost._batches.weigher import make_weigher
    from icost.cli._user_table import find_label

    names, target = table.schema.names, table.columns.target
    if output in names:
        raise ValueError(f"--output-column must be a new column, got {output!r}.")
    unknown = [name for name in exclude if name == target or name not in names]
    if unknown:
        needed = "--exclude must name columns of the table other than the target"
        raise ValueError(f"{needed}, got {unknown[0]!r}.")
    if minority is not None:
        batches = (table.columns.labels(batch) for batch in table.read([target]))
        labels = Series(np.concatenate([np.unique(batch) for batch in batches]))
        model.set_params(minority_label=find_label(minority, labels))
    return make_weigher(table.reduce, "for batches", model, is_one_column=True)


def _copy_csv(
    path: str, sep: str, column: str, weights: Iterator[float], stream: IO[bytes]
) -> None:
    """Write the cells of a CSV file as they are, and the weights as one more column."""
    # Bytes of another encoding are copied as well.
    text: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", **text) as source:
        output = TextIOWrapper(stream, **text)
        csv.field_size_limit(2**31 - 1)
        # Lines without a cell are no rows.
        rows = filter(None, csv.reader(source, delimiter=sep))
        # A file whose name ends in .csv has no tabs between cells.
        writer = csv.writer(output, delimiter=sep.replace("\t", ","), lineterminator="\n")
        cells = zip(rows, chain([column], weights), strict=True)
        writer.writerows([*row, cell] for row, cell in cells)
        output.detach()


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
        for batch in chain([first], batches):
            writer.write_batch(batch)
