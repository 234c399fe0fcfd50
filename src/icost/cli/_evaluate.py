"""``icost evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from icost.cli._fit import say_where
from icost.cli._options import (
    GroupedCommand,
    OutputFile,
    Parsed,
    check_outputs,
    data_argument,
    find_rule,
    format_option,
    parse_cost,
    quiet_option,
    reading_options,
    report_option,
    sep_option,
)
from icost.cli._printer import Printer, command_line
from icost.cli._user_table import column_named, read_columns

if TYPE_CHECKING:
    import pandas as pd

    from icost.evaluation import Evaluation
    from icost.modelfile import SavedModel

BROKEN = 4
"""Exit code of a broken promise."""

LABELS_NEEDED = ("by", "promise", "decide", "group", "cost_fn", "drop_unlabelled")
"""Options that mean nothing without labels."""


@click.command("evaluate", cls=GroupedCommand)
@click.argument("model", type=click.Path())
@data_argument
@click.option("--target", "-t", metavar="COL", help="Column of the class. [default: the model's]")
@format_option
@sep_option
@reading_options
@click.option("--drop-unlabelled", is_flag=True, help="Leave out rows without a class.")
@click.option("--group", metavar="COL", help="Rows of one group count as one witness.")
@click.option(
    "--by",
    multiple=True,
    metavar="COL",
    help="Column whose levels are judged one by one; numbers are cut at quartiles. Repeatable.",
)
@click.option(
    "--promise",
    type=Parsed("rule", find_rule),
    metavar="RULE",
    help="Limits such as 'recall>=0.8' to check. [default: those that the model was fitted for]",
)
@click.option("--cost-fn", type=Parsed("cost", parse_cost), help="Cost of a miss, or a column.")
@click.option(
    "--cost-fp", type=Parsed("cost", parse_cost), default=1.0, help="Cost of a false alarm."
)
@click.option(
    "--decide",
    type=Parsed("rule", find_rule),
    metavar="RULE",
    help="Make another decision with these rows, as for icost fit, and save it by -o. Nothing is "
    "fitted anew.",
)
@click.option("--output", "-o", type=OutputFile(), metavar="NEW", help="Model file of --decide.")
@report_option
@click.option("--no-fail", is_flag=True, help="Exit with 0 even if a promise is broken.")
@click.option("--trust", multiple=True, metavar="TYPE", help="Type to allow by name; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@quiet_option
@click.pass_context
def evaluate_command(
    context: click.Context,
    model: str,
    data: str,
    trust: tuple[str, ...],
    output: str | None,
    report: str | None,
    no_fail: bool,
    decide: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Evaluate a saved MODEL on DATA that it has not seen, beside what was expected of it.

    Without a column of labels, DATA is compared with the rows of the fit. The exit code is 4 if a
    promise is broken.

    Example: icost evaluate patients.skops september.csv --by clinic
    """
    if (decide is None) != (output is None):
        raise click.UsageError("--decide and --output need each other: the new model is saved.")
    check_outputs([output, report], [model, data])
    printer = Printer(as_json, quiet)
    from icost.modelfile import load_model, save_model

    with printer.steps("opening the model") as step:
        loaded = load_model(model, trust)
        step("reading the table")
        table = read_columns(
            *(data, loaded.record, options.pop("file_format"), options.pop("sep")), with_class=True
        )
        table, labels = _labelled(context, printer, loaded, table, data)
        step("evaluating")
        evaluation = loaded.evaluate(table, labels, **_columns(options, table, labels))
        if output is not None:
            decided = _decided(loaded, table, labels, decide, options)
            save_model(decided, output)
    printer.json(evaluation.to_dict())
    print_evaluation(printer, evaluation)
    if report:
        from icost.report._evaluation_page import write_evaluation_page

        write_evaluation_page(report, evaluation, command=command_line())
        printer.say(f"Saved the page to {report}.")
    if output is not None:
        printer.say(decided.record["certificate"], "bold")
        say_where(printer, output)
    elif evaluation.holds is False and not no_fail:
        context.exit(BROKEN)


def _labelled(
    context: click.Context, printer: Printer, model: SavedModel, table: pd.DataFrame, data: str
) -> tuple[pd.DataFrame, pd.Series | None]:
    """Return rows and labels; None where there are none, if no option needs them."""
    typed = context.params["target"]
    target = model.record["target"] if typed is None else typed
    if target not in table.columns and typed is None:
        for name in LABELS_NEEDED:
            if context.params[name]:
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(
                    f"{option} needs labels: there is no column {target!r} in {data} (--target)."
                )
        printer.note(f"there is no column {target!r} with labels: what needs none follows.")
        return table, None
    labels = column_named(table, target, "target")
    gaps = labels.isna()
    if gaps.any() and not context.params["drop_unlabelled"]:
        raise ValueError(
            f"{int(gaps.sum()):,} of {len(labels):,} rows have no label in column {target!r}: "
            "leave them out with --drop-unlabelled."
        )
    if gaps.any():
        printer.note(f"{int(gaps.sum()):,} rows without a label left out.")
    kept = table[~gaps].reset_index(drop=True)
    return kept, kept[target]


def _columns(options: dict[str, Any], table: pd.DataFrame, labels: Any) -> dict[str, Any]:
    """Return options of an evaluation, columns in place of their names."""
    if labels is None:
        return {}
    given = {name: column_named(table, name, "by").to_numpy() for name in options["by"]}
    chosen = {"by": given, "promise": options["promise"]}
    if options["group"] is not None:
        chosen["groups"] = column_named(table, options["group"], "group").to_numpy()
    if options["cost_fn"] is not None:
        for name in ("cost_fn", "cost_fp"):
            cost = options[name]
            is_column = isinstance(cost, str)
            chosen[name] = column_named(table, cost, name).to_numpy() if is_column else cost
    return chosen


def _decided(
    model: SavedModel, table: pd.DataFrame, labels: Any, rule: Any, options: dict[str, Any]
) -> SavedModel:
    """Return the model with another decision."""
    from icost.evaluation import decide_anew

    group = options["group"]
    groups = None if group is None else table[group].to_numpy()
    costs = {name: options[name] for name in ("cost_fn", "cost_fp")}
    if any(isinstance(cost, str) for cost in costs.values()):
        raise click.UsageError("--decide takes costs as numbers, not as columns.")
    return decide_anew(model, table, labels, rule, groups=groups, **costs)


def print_evaluation(printer: Printer, evaluation: Evaluation) -> None:
    """Print what an evaluation says: the promises first, then tables."""
    from icost.evaluation._words import (
        class_table,
        cut_rows,
        evaluation_title,
        level_table,
        score_table,
    )

    printer.say(evaluation_title(evaluation), "bold")
    for promise in evaluation.promises:
        printer.say(str(promise), "bold")
    if evaluation.scores:
        printer.table(*score_table(evaluation), "Scores")
    for sentence in evaluation.sentences[len(evaluation.promises) :]:
        printer.say(f"• {sentence}")
    for title, make in (("Classes", class_table), ("Levels", level_table), ("Cuts", cut_rows)):
        columns, rows = make(evaluation)
        if rows:
            printer.table(columns, rows, title)
