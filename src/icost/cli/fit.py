"""``icost fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from icost.cli.options import (
    WEIGHTING,
    OutputFile,
    check_outputs,
    data_argument,
    model_options,
    output_options,
    own_name,
    probe_option,
    refuse_probe_without_tree,
    refuse_without_effect,
    table_options,
    weighting_options,
)
from icost.cli.printer import Printer
from icost.cli.user_table import note_fast_probe, note_flaws, read_data

ROWS_OF_COST = {
    "cfp": "pure rows",
    "cfs": "safe rows",
    "cfb": "border rows",
    "cfo": "outlier rows",
    "cs_multiplier": "all minority rows of cs",
}
"""What each cost is of; written out, since a help text must not wait for the library."""

MEASURES = ("neighbor", "gini", "margin", "density", "graph", "cluster")
COSTS_OF = {method: (*tuple(ROWS_OF_COST)[:4], *WEIGHTING) for method in MEASURES}
COSTS_OF["cs"] = ("cs_multiplier", "scale", "multiclass")
COSTS_OF["ncs"] = ("multiclass",)
"""Costs, and other options of weighting, that each method heeds; the others heed none."""


def cost_options(command: Any) -> Any:
    """Add the options of iCost's costs."""
    for name, what in reversed(ROWS_OF_COST.items()):
        command = click.option(
            f"--{name.replace('_', '-')}",
            type=float,
            help=f"Cost of {what}, times the imbalance ratio.",
        )(command)
    return command


@click.command("fit")
@data_argument
@table_options
@click.option(
    "--output", "-o", required=True, type=OutputFile(), metavar="MODEL", help="Model file."
)
@model_options
@click.option(
    "--method",
    "-m",
    type=click.Choice(
        ["ncs", "cs", *MEASURES, "tree", "threshold", "offsets", "ensemble", "blend"]
    ),
    default="neighbor",
    show_default=True,
    help="How rows are weighted; tree is another name of gini, threshold a plain fit with a tuned "
    "threshold, offsets the same for several classes, ensemble averages many fits, some with "
    "synthetic rows, blend those of four classifiers.",
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Calibrate probabilities on held-out folds; predicted classes stay as they are without.",
)
@cost_options
@probe_option
@weighting_options
@output_options
@click.pass_context
def fit_command(
    context: click.Context,
    data: str,
    output: str,
    classifier: str,
    scaler: str,
    method: str,
    calibrate: bool,
    tree_probe: str,
    as_json: bool,
    quiet: bool,
    seed: int,
    **options: Any,
) -> None:
    """Fit a model to DATA, with its preprocessing, and save it.

    The file is a skops archive: opening it executes nothing.

    Example: icost fit patients.csv --target ill -o patients.skops --calibrate
    """
    check_outputs([output], [data])
    method = own_name(method)
    unused = [n for n in (*ROWS_OF_COST, *WEIGHTING) if n not in COSTS_OF.get(method, ())]
    if method == "blend":
        unused.append("classifier")
    refuse_without_effect(context, f"with --method {method}", *unused)
    if method in ("ensemble", "blend"):
        reason = f"with --method {method}, which calibrates by itself"
        refuse_without_effect(context, reason, "calibrate")
    refuse_probe_without_tree(context, method)
    printer = Printer(as_json, quiet)
    costs = {name: options.pop(name) for name in ROWS_OF_COST}
    weighting = {name: options.pop(name) for name in WEIGHTING}
    with printer.steps("reading the table") as step:
        read = read_data(data, **options)
        note_flaws(printer, read)
        note_fast_probe(printer, read, method, tree_probe)
        from icost.modelfile import fit_model, save_model

        step("fitting")
        model = fit_model(
            read.X,
            read.y,
            classifier=classifier,
            method=method,
            calibrate=calibrate,
            minority_label=read.minority,
            costs={name: value for name, value in costs.items() if value is not None},
            scaler=scaler,
            random_state=seed,
            tree_probe=tree_probe,
            weighting={name: value for name, value in weighting.items() if value is not None},
        )
    printer.json(model.record)
    print_record(printer, model.record)
    save_model(model, output)
    say_where(printer, output)


def say_where(printer: Printer, output: str) -> None:
    """Say where a model is, and how large: an ensemble keeps all of its members."""
    size = Path(output).stat().st_size / 2**20
    printer.say(f"The model went to {output} ({size:.1f} MB).")


def print_record(printer: Printer, record: dict[str, Any]) -> None:
    """Print what a model's record says."""
    kind = f"{record['classifier']}, {record['method']}"
    calibrated = ", calibrated" if record["calibrated"] else ""
    printer.say(
        f"{kind}{calibrated}: predicts '{record['target']}' "
        f"({', '.join(str(label) for label in record['classes'])}) from "
        f"{len(record['columns'])} columns, fitted on {record['rows']:,} rows",
        "bold",
    )
    rows = [(name, f"{value:.3f}") for name, value in record["metrics"].items()]
    printer.table(("Metric", "Value"), rows, f"On held-out rows ({record['metrics_from']})")
    if record.get("threshold") is not None:
        low, high = record["threshold_interval"]
        printer.say(
            f"'{record['minority']}' is predicted from a probability of {record['threshold']:.3g} "
            f"on (95 % of bootstraps: {low:.3g} to {high:.3g})."
        )
