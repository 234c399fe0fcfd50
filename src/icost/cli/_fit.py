"""``icost fit``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from icost.cli._options import (
    PASS,
    WEIGHTING,
    GroupedCommand,
    NameOf,
    OutputFile,
    check_outputs,
    classifier_option,
    data_argument,
    find_rule,
    output_options,
    pass_options,
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
    ". Repeatable. [default: a library by the size of the table; logistic with one --strategy]",
)
@scaler_option
@strategy_option(
    "strategy",
    find=_find_method,
    multiple=True,
    help="How classifiers learn. auto, the default, blends the best candidates of a library; one "
    "other strategy is fitted as it is: ncs plain, cs, neighbor, gini (or tree), margin, density, "
    "graph and cluster with weights of rows, threshold and offsets with a tuned decision, ensemble "
    "and any other of icost compare. Several of ncs, cs, smote and the weights are blended.",
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Calibrate the probabilities of one --strategy; predicted classes stay as they are.",
)
@click.option(
    "--decide",
    type=NameOf(find_rule, lambda: ["stable", "cost", "recall>=", "precision>=", "alerts<="]),
    metavar="RULE",
    help="What is needed: 'recall>=0.8', 'precision>=0.9', 'alerts<=50/1000', several with commas, "
    "a probability, stable, or cost with --cost-fn.",
)
@cost_options
@probe_option
@weighting_options
@pass_options
@click.option("--simple", is_flag=True, help="Keep the simplest model that is as good.")
@click.option("--force", is_flag=True, help="Keep a model even if it is no better than guessing.")
@click.option("--wide", is_flag=True, help="Print all candidates and ten thresholds as well.")
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
    simple: bool,
    wide: bool,
    as_json: bool,
    quiet: bool,
    seed: int,
    **options: Any,
) -> None:
    """Fit the best model for DATA, say how good it is, and save it.

    Dates, text and gaps are dealt with. Candidates are cross-fitted once; what is kept is fitted to
    all rows. The file is a skops archive: opening it executes nothing.

    Example: icost fit patients.csv --target ill -o patients.skops
    """
    output = output or _default_output(data)
    check_outputs([output], [data])
    method, strategies = _parse_strategies(strategy, decide, len(classifier))
    _refuse_unused(context, method, len(classifier))
    printer = Printer(as_json, quiet)
    given = {name: options.pop(name) for name in (*ROWS_OF_COST, *WEIGHTING, *PASS, "force")}
    with printer.steps("reading the table") as step:
        read = read_data(data, given=given, **options)
        _check_classes(read, decide)
        note_flaws(printer, read, suggest=given["group"] is given["time"] is None)
        note_fast_probe(printer, read, method, tree_probe)
        from icost.modelfile import save_model

        if method != AUTO:
            step("fitting")
            common: dict[str, Any] = {"scaler": scaler, "random_state": seed, "decide": decide}
            common |= {"calibrate": calibrate, "tree_probe": tree_probe}
            base = classifier[0] if classifier else "lr"
            model = _fit(read, given, classifier=base, method=method, **common)
    if method == AUTO:
        choice: dict[str, Any] = {
            "candidates": list(classifier) or None,
            "strategies": strategies or None,
        }
        choice |= {"decide": decide or "stable", "keep": "simplest" if simple else "best"}
        model = _choose(printer, read, given, scaler, choice | {"random_state": seed})
    # New rows are read as these were written.
    model.record.update({"written": dict(read.written)} if read.written else {})
    # Saved first: nothing that happens while printing may lose it.
    save_model(model, output)
    printer.json(model.record)
    print_record(printer, model.record, wide)
    if wide and method == AUTO:
        _print_board(printer, model.estimator)
    say_where(printer, output)


def _check_classes(read: Table, decide: str | None) -> None:
    """Refuse limits where there are more than two classes."""
    n_classes = read.y.nunique()
    if decide and decide != "stable" and n_classes > 2:
        raise click.UsageError(
            f"--decide {decide} is for two classes, got {n_classes}: leave it out, and offsets are "
            "tuned for all of them."
        )


def _choose(
    printer: Printer, read: Table, given: Mapping[str, Any], scaler: str, choice: Mapping[str, Any]
) -> Any:
    """Return the best model for a table, and show how far its pass is."""
    from icost import TableEncoder
    from icost.modelfile import NothingBetterThanGuessing, choose_model

    groups, time = (
        None if given[name] is None else read.aside[given[name]] for name in ("group", "time")
    )
    with printer.bar("cross-fitting") as show:
        try:
            return choose_model(
                read.X,
                read.y,
                preprocessor=TableEncoder(scaler=scaler),
                groups=groups,
                time=time,
                cost_fn=given["cost_fn"],
                cost_fp=given["cost_fp"],
                minority_label=read.minority,
                n_splits=given["folds"],
                n_repeats=given["repeats"],
                time_limit=given["time_limit"],
                n_jobs=given["jobs"],
                force=given["force"],
                watch=lambda state: show(state.done, state.total, state.seconds_left, state.note),
                **choice,
            )
        except NothingBetterThanGuessing as error:
            raise ValueError(f"{error.verdict} To keep a model anyway, add --force.") from None


def _print_board(printer: Printer, model: Any) -> None:
    """Print all candidates, the best first."""
    rows = [[f"{'→ ' if row.weight else '  '}{row.words}", *row.texts()] for row in model.board()]
    printer.table(["Candidate", *BOARD], rows, "Candidates, each alone on held-out rows")
    dropped = model.out_of_fold_.dropped
    if dropped:
        printer.say(f"Dropped early, as they had no weight: {', '.join(dropped)}.")


BOARD = ("MCC", "PR-AUC", "Log loss", "Weight", "Fits, s")
"""Columns of the table of candidates."""


def _default_output(data: str) -> str:
    """Return the model file for DATA, which must not be there: nobody has asked to replace it."""
    output = f"{Path('model' if data == '-' else data).name.partition('.')[0]}.skops"
    if Path(output).exists():
        raise click.UsageError(f"'{output}' is there already: name the model file with -o.")
    return output


def _parse_strategies(
    named: Sequence[str], decide: str | None, n_classifiers: int
) -> tuple[str, list[str]]:
    """Return the one strategy to fit, or auto with those that are blended, none for the default."""
    others = [name for name in named if name != AUTO]
    if len(others) == 1 and AUTO not in named and n_classifiers < 2:
        return others[0], []
    learned = [LEARNED.get(name, name) for name in dict.fromkeys(others)]
    alone = [name for name in learned if name not in LEARNED.values() and name not in MEASURES]
    if alone:
        raise click.UsageError(
            f"--strategy {alone[0]} cannot be blended with others: fit it alone, or compare it "
            "with icost compare."
        )
    return AUTO, list(dict.fromkeys(learned))


LEARNED = {"ncs": "plain", "threshold": "plain", "offsets": "plain", "cs": "cs", "smote": "smote"}
"""Strategies that can be blended, by how they learn; decisions are tuned in any case."""


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
        n_splits=given["folds"] or 5,
        cost_fn=given["cost_fn"],
        cost_fp=given["cost_fp"],
        **options,
    )


def _refuse_unused(context: click.Context, method: str, n_classifiers: int) -> None:
    """Refuse options that the method has no use for."""
    needs_costs = context.params["decide"] == "cost" or method == "threshold-cost"
    if needs_costs and context.params["cost_fn"] is None:
        wanting = "--decide cost" if context.params["decide"] == "cost" else f"--strategy {method}"
        raise click.UsageError(f"{wanting} needs --cost-fn, how many false alarms a miss is worth.")
    refuse_in_comparison(context)
    if method == AUTO:
        _refuse_of_one_strategy(context)
        return
    reason = f"with --strategy {method}"
    _refuse_of_weights(context, method, reason)
    alone = [name for name in PASS if name not in ("group", "cost_fn", "cost_fp", "folds")]
    refuse_without_effect(context, f"{reason}, which is fitted alone", *alone, "force", "simple")
    if method in COSTS_OF:
        refuse_without_effect(context, reason, "cost_fn")
    else:
        _refuse_by_strategy(context, method, reason)


def _refuse_of_weights(context: click.Context, method: str, reason: str) -> None:
    """Refuse options of weights that a strategy has no use for."""
    unused = [n for n in (*ROWS_OF_COST, *WEIGHTING) if n not in _costs_of(method)]
    refuse_without_effect(context, reason, *unused)
    if context.params["penalty"] == "plausible":
        refuse_without_effect(context, "with --penalty plausible", *ROWS_OF_COST)
    elif context.params["majority"] != "plausible":
        refuse_without_effect(context, "without --penalty or --majority plausible", "floor")
    if method != "gini":
        refuse_without_effect(context, reason, "tree_probe")


def _costs_of(method: str) -> Sequence[str]:
    """Return the costs, and other options of weighting, that a strategy takes."""
    if method in COSTS_OF:
        return COSTS_OF[method]
    from icost.strategies import get_strategy

    return (*ROWS_OF_COST, *WEIGHTING) if get_strategy(method).group == "weighting" else ()


def _refuse_of_one_strategy(context: click.Context) -> None:
    """Refuse options of one strategy where several are blended, and name a strategy to add."""
    for name in (*ROWS_OF_COST, *WEIGHTING, "tree_probe", "calibrate"):
        if was_typed(context, name):
            option = f"--{name.replace('_', '-')}"
            method = "gini" if name == "tree_probe" else "neighbor"
            raise click.UsageError(
                f"{option} is for one strategy, and icost fit blends several: add "
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


def print_record(printer: Printer, record: dict[str, Any], wide: bool = False) -> None:
    """Print what a model's record says."""
    from icost.modelfile._saved_model import describe, score_table
    from icost.thresholds._certificate import cut_sentences

    printer.say(describe(record), "bold")
    verdict = record.get("verdict")
    if record.get("columns_read"):
        printer.say(f"Columns: {'; '.join(record['columns_read'])}.")
    if wide or verdict is None:
        title = f"On held-out rows ({record['metrics_from']})"
        title += ", with thresholds chosen on the others" if "certificate" in record else ""
        printer.table(*score_table(record), title)
    for remark in verdict or ():
        if remark["topic"] != "use":  # which the first line has said
            printer.say(remark["text"])
    for note in record.get("notes", ()):
        printer.say(note, "bold")
    if verdict is None:
        _print_decision(printer, record)
    elif wide:
        for sentence in cut_sentences(record.get("cuts", ())):
            printer.say(f"• {sentence}")


def _print_decision(printer: Printer, record: dict[str, Any]) -> None:
    """Print how a model of one strategy decides, and what that finds."""
    from icost.comparison._verdict import finds
    from icost.modelfile._fitting import NO_BETTER
    from icost.thresholds._certificate import cut_sentences, cut_text

    metrics = record["metrics"]
    if NO_BETTER in record.get("notes", ()):
        return  # what it finds, it finds by chance
    if "certificate" in record:
        said = f"Kept model, on the rows that its decision comes from: {record['certificate']}"
        printer.say(said, "bold")
        if record["threshold_interval"]:  # one that costs decide has none
            low, high = map(cut_text, record["threshold_interval"])
            printer.say(f"95 % interval of the threshold: {low} to {high}.")
        for sentence in cut_sentences(record["cuts"]):
            printer.say(f"• {sentence}")
    elif (
        {"sensitivity", "specificity"} <= set(metrics)
        and record["minority"] is not None  # else they are means over classes
    ):
        printer.say(finds(metrics["sensitivity"], metrics["specificity"]), "bold")
