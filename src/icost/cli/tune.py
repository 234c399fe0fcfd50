"""``icost tune``."""

from __future__ import annotations

from typing import Any

import click

from icost.cli.fit import say_where
from icost.cli.options import (
    Jobs,
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
)
from icost.cli.printer import Printer
from icost.cli.user_table import note_fast_probe, note_flaws, read_data


@click.command("tune")
@data_argument
@table_options
@model_options
@click.option(
    "--method",
    "-m",
    type=click.Choice(["neighbor", "gini", "tree", "margin", "density", "graph", "cluster"]),
    default="neighbor",
    show_default=True,
    help="How rows are weighted; tree is another name of gini.",
)
@click.option(
    "--grid",
    type=click.Choice(["paper", "scale"]),
    default="paper",
    show_default=True,
    help="Candidates: the paper's 81, or scales of four shapes.",
)
@click.option(
    "--search",
    type=click.Choice(["grid", "random", "halving", "tpe", "cmaes"]),
    default="grid",
    show_default=True,
    help="How candidates are searched: all of the grid, or --candidates of it.",
)
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    default=40,
    show_default=True,
    help="Candidates to draw, for all searches but grid.",
)
@click.option(
    "--scoring",
    type=click.Choice(["mcc", "f1", "g_mean", "roc_auc", "pr_auc"]),
    default="mcc",
    show_default=True,
    help="What is to be high.",
)
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Folds.")
@click.option("--nested", is_flag=True, help="Also score the whole search on outer folds.")
@click.option("--output", "-o", type=OutputFile(), metavar="MODEL", help="Save the tuned model.")
@click.option("--jobs", "-j", type=Jobs(), help="Jobs to run at the same time.")
@probe_option
@output_options
@click.pass_context
def tune_command(
    context: click.Context,
    data: str,
    output: str | None,
    as_json: bool,
    quiet: bool,
    seed: int,
    **options: Any,
) -> None:
    """Search the costs that suit DATA best.

    The score of the best candidate is optimistic, as it was chosen for being high; --nested tells
    what to expect.

    Example: icost tune yeast4 --grid scale --nested -o tuned.skops
    """
    check_outputs([output], [data])
    if options["search"] == "grid":
        refuse_without_effect(context, "with --search grid, which tries all", "candidates")
    method = own_name(options["method"])
    refuse_probe_without_tree(context, method)
    printer = Printer(as_json, quiet)
    names = ("target", "minority", "drop", "file_format", "sep", "drop_unlabelled")
    with printer.steps("reading the table") as step:
        read = read_data(data, **{name: options.pop(name) for name in names})
        note_flaws(printer, read)
        note_fast_probe(printer, read, method, options["tree_probe"])
        from icost.modelfile import save_model, tune_model

        step("tuning")
        model, tuning = tune_model(
            read.X,
            read.y,
            minority_label=read.minority,
            classifier=options["classifier"],
            scaler=options["scaler"],
            method=method,
            grid=options["grid"],
            search=options["search"],
            n_candidates=options["candidates"],
            scoring=options["scoring"],
            n_splits=options["folds"],
            nested=options["nested"],
            n_jobs=options["jobs"],
            random_state=seed,
            tree_probe=options["tree_probe"],
        )
    printer.json(tuning)
    _print_tuning(printer, tuning)
    if output:
        save_model(model, output)
        say_where(printer, output)


def _print_tuning(printer: Printer, tuning: dict[str, Any]) -> None:
    costs = tuning["best"][0]["costs"]
    rows = [
        [f"{entry['score']:.4f}", *(f"{entry['costs'][name]:.3g}" for name in costs)]
        for entry in tuning["best"]
    ]
    title = f"The best of {tuning['n_candidates']} candidates, by {tuning['scoring']}"
    printer.table(["Score", *costs], rows, title)
    chosen = ", ".join(f"{name} {value:.3g}" for name, value in costs.items())
    printer.say(f"Best: {chosen} (untuned: {tuning['default_score']:.4f}).", "bold")
    if tuning["nested"] is not None:
        printer.say(f"On rows that the search has not seen: {tuning['nested']:.4f}.", "bold")
