"""``icost fit``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from icost.cli._compare import run_comparison
from icost.cli._options import (
    COMPARISON,
    WEIGHTING,
    GroupedCommand,
    NameOf,
    OutputFile,
    check_outputs,
    classifier_option,
    comparison_options,
    data_argument,
    find_rule,
    output_options,
    probe_option,
    refuse_in_comparison,
    refuse_without_effect,
    scaler_option,
    strategy_option,
    table_options,
    was_typed,
    weighting_options,
)
from icost.cli._printer import Printer
from icost.cli._user_table import Table, note_fast_probe, note_flaws, read_data

ROWS_OF_COST = {"cfp": "pure rows", "cfs": "safe rows", "cfb": "border rows", "cfo": "outlier rows"}
"""What each cost is of; written out, since a help text must not wait for the library."""

MEASURES = ("neighbor", "gini", "margin", "density", "graph", "cluster")
COSTS_OF = {method: (*ROWS_OF_COST, *WEIGHTING) for method in MEASURES}
COSTS_OF["cs"] = ("scale", "multiclass")
COSTS_OF["ncs"] = ("multiclass",)
"""Costs, and other options of weighting, that these strategies take; known without the library."""

AUTO = "auto"
"""Stands for the strategy that a comparison chooses."""


def cost_options(command: Any) -> Any:
    """Add the options of iCost's costs."""
    for name, rows in reversed(ROWS_OF_COST.items()):
        text = f"Cost of {rows}, times the imbalance ratio."
        command = click.option(f"--{name}", type=click.FloatRange(0), help=text)(command)
    return command


def _find_method(name: str) -> str:
    """Return a strategy that can be kept, or auto, by name."""
    method = "gini" if name == "tree" else name
    if method in COSTS_OF or method == AUTO:
        return method  # without waiting for the library
    from icost.modelfile._fitting import check_method

    return check_method(method).name


@click.command("fit", cls=GroupedCommand)
@data_argument
@table_options
@click.option(
    "--output",
    "-o",
    type=OutputFile(),
    metavar="MODEL",
    help="Model file. [default: the name of DATA with .skops, in the current folder]",
)
@classifier_option(
    "classifier",
    ". Repeatable where strategies are compared. [default: logistic; in a comparison also forest "
    "and boosting]",
)
@scaler_option
@strategy_option(
    "strategy",
    find=_find_method,
    multiple=True,
    help="How to fit. auto, the default, compares classifiers and strategies, keeps the best and "
    "says what to expect of it; repeat -s to say which. ncs is a plain fit; cs, neighbor, gini (or "
    "tree), margin, density, graph and cluster say how rows are weighted; threshold tunes the "
    "threshold of a plain fit, offsets the same for several classes; ensemble averages many fits, "
    "blend those of four classifiers; any other strategy that icost compare may recommend, such as "
    "smote, is fitted as it is there.",
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Calibrate probabilities on held-out folds; predicted classes stay as they are without.",
)
@click.option(
    "--decide",
    type=NameOf(find_rule, lambda: ["stable", "cost", "recall>=", "precision>=", "alerts<="]),
    metavar="RULE",
    help="What is needed: 'recall>=0.8', 'precision>=0.9', 'alerts<=50/1000', several with commas, "
    "a probability, stable, or cost with --cost-fn. Compares classifiers with a tuned threshold "
    "and keeps the best with this rule; -c names one, --strategy threshold-cs a weighted fit.",
)
@cost_options
@probe_option
@weighting_options
@comparison_options
@click.option(
    "--force",
    is_flag=True,
    help="In a comparison, keep a model even if nothing is better than guessing.",
)
@output_options
@click.pass_context
def fit_command(
    context: click.Context,
    data: str,
    output: str | None,
    classifier: tuple[str, ...],
    scaler: str,
    strategy: tuple[str, ...],
    decide: str | None,
    calibrate: bool,
    tree_probe: str,
    as_json: bool,
    quiet: bool,
    seed: int,
    **options: Any,
) -> None:
    """Fit a model to DATA, with its preprocessing, and save it.

    The file is a skops archive: opening it executes nothing. Unless one --strategy is named,
    classifiers and strategies are compared and the recommended model is kept, fitted to all rows;
    the options of validation and --time are for that alone, --cost-fn also for ensembles,
    threshold-cost and --decide cost.

    Example: icost fit patients.csv --target ill -o patients.skops
    """
    output = output or _default_output(data)
    check_outputs([output], [data])
    method, compared = _parse_strategies(strategy, decide, len(classifier))
    _refuse_unused(context, method, len(classifier), bool(compared))
    printer = Printer(as_json, quiet)
    names = (*ROWS_OF_COST, *WEIGHTING, *COMPARISON, "force")
    given = {name: options.pop(name) for name in names}
    common = {"scaler": scaler, "random_state": seed}
    with printer.steps("reading the table") as step:
        read = read_data(data, given=given, **options)
        if decide and not strategy and read.y.nunique() > 2:
            raise click.UsageError(
                f"--decide is for two classes, got {read.y.nunique()}: for more, take --strategy "
                "offsets, which tunes the decision for all of them."
            )
        splits_rows = method == AUTO and not decide and given["group"] is given["time"] is None
        note_flaws(printer, read, suggest=splits_rows)
        note_fast_probe(printer, read, method, tree_probe)
        from icost.modelfile import NothingBetterThanGuessing, choose_model, save_model

        if method != AUTO:
            step("fitting")
            base = classifier[0] if classifier else "lr"
            common |= {"calibrate": calibrate, "tree_probe": tree_probe, "decide": decide}
            model = _fit(read, given, classifier=base, method=method, **common)
    if method == AUTO:
        common |= {"classifier": classifier or None}
        common |= {} if decide else {"strategies": compared or None}
        choose = partial(choose_model, read.X, read.y, force=given["force"], decide=decide)
        try:
            model, _ = run_comparison(printer, read, choose, given, **common)
        except NothingBetterThanGuessing as error:
            raise ValueError(f"{error.verdict} To keep a model anyway, add --force.") from None
    model.record.update({"written": dict(read.written)} if read.written else {})
    # Saved first: nothing that happens while printing may lose it.
    save_model(model, output)
    printer.json(model.record)
    print_record(printer, model.record)
    say_where(printer, output)


def _default_output(data: str) -> str:
    """Return the model file for DATA, which must not be there: nobody has asked to replace it."""
    output = f"{Path('model' if data == '-' else data).name.partition('.')[0]}.skops"
    if Path(output).exists():
        raise click.UsageError(f"'{output}' is there already: name the model file with -o.")
    return output


def _parse_strategies(
    named: Sequence[str], decide: str | None, n_classifiers: int
) -> tuple[str, list[str]]:
    """Return the one strategy to fit, or auto with those that it compares, none for the default."""
    others = [name for name in named if name != AUTO]
    if not named and decide is not None and n_classifiers == 1:
        return "threshold-cost" if decide == "cost" else "threshold", []
    if len(others) == 1 and AUTO not in named:
        return others[0], []
    return AUTO, list(dict.fromkeys(others))


def _fit(read: Table, given: dict[str, Any], **options: Any) -> Any:
    """Fit one strategy with the costs and the weighting that were given."""
    from icost.modelfile import fit_model

    costs, weighting = (
        {name: given[name] for name in names if given[name] is not None}
        for names in (ROWS_OF_COST, WEIGHTING)
    )
    return fit_model(
        read.X,
        read.y,
        costs=costs,
        weighting=weighting,
        minority_label=read.minority,
        groups=None if given["group"] is None else read.aside[given["group"]],
        cost_fn=given["cost_fn"],
        cost_fp=given["cost_fp"],
        **options,
    )


def _refuse_unused(
    context: click.Context, method: str, n_classifiers: int, compares_strategies: bool
) -> None:
    """Refuse options that the method has no use for."""
    if context.params["decide"] is not None:
        why = "with --decide, whose threshold comes from held-out rows of all times"
        advice = "compare with --time first, then fit the classifier that it recommends"
        refuse_without_effect(context, f"{why}: {advice}", "time")
    needs_costs = context.params["decide"] == "cost" or method == "threshold-cost"
    if needs_costs and context.params["cost_fn"] is None:
        wanting = "--decide cost" if context.params["decide"] else f"--strategy {method}"
        raise click.UsageError(f"{wanting} needs --cost-fn, how many false alarms a miss is worth.")
    if method == AUTO:
        _refuse_of_one_strategy(context)
        if compares_strategies:
            refuse_without_effect(context, "where strategies are compared", "decide")
        refuse_in_comparison(context)
        return
    reason = f"with --strategy {method}" if context.params["strategy"] else "with -c and --decide"
    unused = [n for n in (*ROWS_OF_COST, *WEIGHTING) if n not in _costs_of(method)]
    refuse_without_effect(context, reason, *unused)
    if context.params["penalty"] == "plausible":
        refuse_without_effect(context, "with --penalty plausible", *ROWS_OF_COST)
    elif context.params["majority"] != "plausible":
        refuse_without_effect(context, "without --penalty or --majority plausible", "floor")
    if method != "gini":
        refuse_without_effect(context, reason, "tree_probe")
    refuse_in_comparison(context)
    alone = [name for name in COMPARISON if name not in ("group", "cost_fn", "cost_fp")]
    refuse_without_effect(context, f"{reason}, which compares nothing", *alone, "force")
    if method in COSTS_OF:
        refuse_without_effect(context, reason, "cost_fn")
    else:
        _refuse_by_strategy(context, method, reason)
    if n_classifiers > 1:
        raise click.UsageError(
            f"several classifiers need --strategy auto, got {n_classifiers} with {method}."
        )


def _costs_of(method: str) -> Sequence[str]:
    """Return the costs, and other options of weighting, that a strategy takes."""
    if method in COSTS_OF:
        return COSTS_OF[method]
    from icost.strategies import get_strategy

    return (*ROWS_OF_COST, *WEIGHTING) if get_strategy(method).group == "weighting" else ()


def _refuse_of_one_strategy(context: click.Context) -> None:
    """Refuse options of one strategy where a comparison chooses, and name a strategy to add."""
    for name in (*ROWS_OF_COST, *WEIGHTING, "tree_probe", "calibrate"):
        if was_typed(context, name):
            option = f"--{name.replace('_', '-')}"
            method = "gini" if name == "tree_probe" else "neighbor"
            raise click.UsageError(
                f"{option} is for one strategy, and icost fit chooses one by a comparison: add "
                f"--strategy {method}, or another."
            )


def _refuse_by_strategy(context: click.Context, method: str, reason: str) -> None:
    """Refuse what a strategy has no use for."""
    from icost.strategies import get_strategy

    strategy = get_strategy(method)
    if strategy.own_classifier:
        refuse_without_effect(context, reason, "classifier")
    if strategy.is_calibrated:
        refuse_without_effect(context, f"{reason}, which is calibrated already", "calibrate")
    if not strategy.supports_costs and context.params["decide"] != "cost":
        refuse_without_effect(context, reason, "cost_fn")


def say_where(printer: Printer, output: str) -> None:
    """Say where a model is, and how large: an ensemble keeps all of its members."""
    kilobytes = Path(output).stat().st_size / 1000
    size = f"{kilobytes / 1000:.1f} MB" if kilobytes >= 1000 else f"{kilobytes:.0f} kB"
    printer.say(f"Saved the model to {output} ({size}).")


def print_record(printer: Printer, record: dict[str, Any]) -> None:
    """Print what a model's record says."""
    from icost.comparison._verdict import capital, finds
    from icost.modelfile._fitting import NO_BETTER
    from icost.modelfile._saved_model import decision_text, describe, score_table
    from icost.thresholds._certificate import cut_sentences, cut_text

    printer.say(describe(record), "bold")
    title = f"On held-out rows ({record['metrics_from']})"
    title += ", with thresholds chosen on the others" if "certificate" in record else ""
    printer.table(*score_table(record), title)
    for sentence in record.get("selection", {}).get("sentences", ()):
        printer.say(sentence, "bold")
    for note in record.get("notes", ()):
        printer.say(note, "bold")
    metrics = record["metrics"]
    if NO_BETTER in record.get("notes", ()):
        return  # what it finds, it finds by chance
    if "certificate" in record:
        said = f"Kept model, on the rows that its decision comes from: {record['certificate']}"
        if "selection" in record and "rule" not in record["selection"]:
            # The verdict has said what it finds; a rule that was asked for has promises of its own.
            said = f"{capital(decision_text(record))}."
        printer.say(said, "bold")
        if record["threshold_interval"]:  # one that costs decide has none
            low, high = map(cut_text, record["threshold_interval"])
            printer.say(f"95 % interval of the threshold: {low} to {high}.")
        for sentence in cut_sentences(record["cuts"]):
            printer.say(f"• {sentence}")
    elif (
        {"sensitivity", "specificity"} <= set(metrics)
        and "selection" not in record
        and record["minority"] is not None  # else they are means over classes
    ):
        printer.say(finds(metrics["sensitivity"], metrics["specificity"]), "bold")
