"""``icost analyze``."""

from __future__ import annotations

from typing import Any

import click

from icost.cli._options import (
    GroupedCommand,
    NameOf,
    OutputFile,
    check_outputs,
    data_argument,
    output_options,
    refuse_without_effect,
    report_option,
    scaler_option,
    table_options,
)
from icost.cli._printer import Printer, command_line
from icost.cli._user_table import note_fast_probe, read_data
from icost.cli._weights import write_batches


def _measure_names() -> list[str]:
    """Return the measures besides those that are always shown."""
    from icost.report._analysis import FURTHER_MEASURES

    return FURTHER_MEASURES


def _find_measure(name: str) -> str:
    """Return a measure by name, or raise if there is none."""
    from icost._core.validation import check_choice

    return check_choice("a measure", name, _measure_names())


@click.command("analyze", cls=GroupedCommand)
@data_argument
@table_options
@click.option(
    "--neighbors", "-k", type=click.IntRange(min=1), default=5, help="Neighbours to look at."
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    help="Suspects and hardest rows to print; --json has all suspects.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    type=NameOf(_find_measure, _measure_names),
    help="A further measure to judge the rows by, such as margin, density, graph or cluster; "
    "repeatable.",
)
@scaler_option
@report_option
@click.option(
    "--save-weights",
    type=OutputFile(),
    metavar="FILE",
    help="Write every row's weights and label score, as Parquet if so named, else as CSV.",
)
@output_options
@click.pass_context
def analyze_command(
    context: click.Context,
    data: str,
    neighbors: int,
    top: int,
    measures: tuple[str, ...],
    scaler: str,
    report: str | None,
    save_weights: str | None,
    as_json: bool,
    quiet: bool,
    seed: int,
    **table: Any,
) -> None:
    """Show how imbalanced DATA is, which rows are hard and why.

    Rows are numbered from 1, the header not counted.

    Example: icost analyze patients.csv --target ill --report patients.html
    """
    check_outputs([report, save_weights], [data])
    if as_json:
        refuse_without_effect(context, "with --json, which has all rows", "top")
    printer = Printer(as_json, quiet)
    with printer.steps("reading the table") as step:
        read = read_data(data, **table)
        note_fast_probe(printer, read)
        step("loading the library")
        from icost.report import analyze, write_page

        analysis = analyze(
            read.X,
            read.y,
            name=read.name,
            minority_label=read.minority,
            n_neighbors=neighbors,
            with_map=report is not None,
            random_state=seed,
            progress=step,
            measures=measures,
            scaler=scaler,
        )
    printer.json(analysis.to_dict())
    print_analysis(printer, analysis, top)
    if report:
        with printer.steps("writing the page"):
            write_page(report, analysis, command=command_line(), seed=seed)
        printer.say(f"Saved the report to {report}.")
    if save_weights:
        import pyarrow

        write_batches(save_weights, iter([pyarrow.RecordBatch.from_pydict(analysis.weights)]))
        scaled = "" if scaler == "none" else f" of columns scaled by --scaler {scaler}"
        printer.say(f"Saved the weights{scaled} to {save_weights}; icost weights scales nothing.")


def _neighbors(neighbors: list[dict[str, Any]]) -> str:
    """Rows by class, such as ``negative: 379, 876; positive: 12``."""
    by_class: dict[str, list[str]] = {}
    for near in neighbors:
        by_class.setdefault(near["class"], []).append(str(near["row"]))
    return "; ".join(f"{label}: {', '.join(rows)}" for label, rows in by_class.items())


def print_analysis(printer: Printer, analysis: Any, top: int = 10) -> None:
    """Print the findings: sentences, categories and the hardest rows."""
    from icost.report._words import count, headline, measures_of, percent

    size = count(analysis.n_rows, "row", "rows"), count(analysis.n_columns, "column", "columns")
    printer.say(f"{analysis.name}: {', '.join(size)}", "bold")
    for sentence in headline(analysis):
        printer.say(f"• {sentence}")
    rows = []
    for group in analysis.groups:
        for measure, entries in measures_of(group):
            for entry in entries:
                weight = f"{entry['weight']:.2f}"
                numbers = f"{entry['rows']:,}", percent(entry["share"]), weight
                rows.append((group["label"], measure, entry["category"], *numbers))
    columns = ("Class", "Measure", "Category", "Rows", "Share", "Mean weight")
    ratio = f"class-level cost {analysis.imbalance_ratio:.2f}"
    printer.table(columns, rows, f"How hard the minority rows are ({ratio})")
    _print_suspects(printer, analysis.suspects, top)
    _print_hardest(printer, analysis.hardest[:top])


def _print_suspects(printer: Printer, suspects: list[dict[str, Any]], top: int) -> None:
    rows = []
    for entry in suspects[:top]:
        labels = entry["class"], entry["suggested"], f"{entry['odds']:.2g}"
        rows.append((str(entry["row"]), *labels, _neighbors(entry["neighbors"])))
    if not rows:
        return
    columns = ("Row", "Label", "Suggested", "Odds", "Nearest rows")
    rest = len(suspects) - len(rows)
    first = "row that surprises" if len(rows) == 1 else f"{len(rows)} rows that surprise"
    title = f"The {first} the models most" if rest else "Rows that surprise the models"
    printer.table(columns, rows, title)
    if rest:
        printer.say(
            f"The other {rest:,} are in the output of --json and in that of --save-weights."
        )


def _print_hardest(printer: Printer, hardest: list[dict[str, Any]]) -> None:
    rows = []
    for entry in hardest:
        views = entry["category"], entry["region"], *entry["measures"].values()
        weight, label = f"{entry['weight']:.2f}", "suspect" if entry["suspect"] else ""
        near = _neighbors(entry["neighbors"])
        rows.append((str(entry["row"]), entry["class"], *views, weight, label, near))
    if rows:
        measures = ("Neighbours", "Tree", *hardest[0]["measures"])
        columns = ("Row", "Class", *measures, "Weight", "Label", "Nearest rows")
        first = "hardest row" if len(rows) == 1 else f"{len(rows)} hardest rows"
        printer.table(columns, rows, f"The {first}")
