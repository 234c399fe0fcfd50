"""``icost fit``."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from icost.cli.compare import watch_comparison
from icost.cli.options import (
    WEIGHTING,
    OutputFile,
    check_outputs,
    classifier_option,
    comparison_options,
    data_argument,
    output_options,
    own_name,
    probe_option,
    refuse_in_comparison,
    refuse_probe_without_tree,
    refuse_without_effect,
    scaler_option,
    table_options,
    weighting_options,
)
from icost.cli.printer import Printer
from icost.cli.user_table import Table, note_fast_probe, note_flaws, read_data

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

AUTO = "auto"
"""The method that a comparison chooses."""

COMPARISON = (
    *("strategy", "group", "time", "cost_fn", "cost_fp"),
    *("folds", "repeats", "max_rows", "jobs"),
)
"""Options of the comparison behind it."""


def cost_options(command: Any) -> Any:
    """Add the options of iCost's costs."""
    for name, what in reversed(ROWS_OF_COST.items()):
        command = click.option(
            f"--{name.replace('_', '-')}",
            type=float,
            help=f"Cost of {what}, times the imbalance ratio.",
        )(command)
    return command


class Method(click.ParamType):
    """A method of fitting: a strategy that can be recommended, or auto."""

    name = "name"

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        """Return the name as model files know it, or fail."""
        method = own_name(value)
        if method in COSTS_OF or method == AUTO:
            return method  # without waiting for the library
        from icost.modelfile.fitting import METHODS, check_method
        from icost.strategies.registry import STRATEGIES

        close = get_close_matches(method, (AUTO, "tree", *METHODS))
        if close and method not in (*METHODS, *STRATEGIES):
            # A hint is easier to read than the names of all strategies.
            names = " or ".join(map(repr, close))
            self.fail(f"there is no method {method!r}; did you mean {names}?", parameter, context)
        try:
            return check_method(method).name
        except ValueError as error:
            self.fail(str(error), parameter, context)

    def shell_complete(self, context: Any, parameter: Any, incomplete: str) -> list[Any]:
        """Return the names that begin so."""
        from icost.modelfile import METHODS

        names = (AUTO, "tree", *METHODS)
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command("fit")
@data_argument
@table_options
@click.option(
    "--output", "-o", required=True, type=OutputFile(), metavar="MODEL", help="Model file."
)
@classifier_option(True, "classifier", ". Repeatable with --method auto.")
@scaler_option
@click.option(
    "--method",
    "-m",
    type=Method(),
    default="neighbor",
    show_default=True,
    help="How to fit: ncs, cs, neighbor, gini (or tree), margin, density, graph and cluster say "
    "how rows are weighted; threshold is a plain fit with a tuned threshold, offsets the same for "
    "several classes; ensemble averages many fits, some with synthetic rows, blend those of four "
    "classifiers; any other strategy that icost compare may recommend, such as smote, is fitted "
    "as it is there; auto compares strategies, keeps the best and says what to expect of it.",
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Calibrate probabilities on held-out folds; predicted classes stay as they are without.",
)
@cost_options
@probe_option
@weighting_options
@click.option(
    "--strategy",
    "-s",
    multiple=True,
    help="Strategy that auto compares; repeatable. [default: those of icost compare]",
)
@comparison_options
@output_options
@click.pass_context
def fit_command(
    context: click.Context,
    data: str,
    output: str,
    classifier: tuple[str, ...],
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

    The file is a skops archive: opening it executes nothing. With --method auto, strategies are
    compared and the recommended one is kept, fitted to all rows; -s, --time, --folds, --repeats,
    --max-rows and --jobs are for that alone, --group and --cost-fn also for ensembles, --cost-fn
    also for threshold-cost.

    Example: icost fit patients.csv --target ill -o patients.skops --method auto
    """
    check_outputs([output], [data])
    _refuse_unheeded(context, method, len(classifier))
    printer = Printer(as_json, quiet)
    own = {name: options.pop(name) for name in (*ROWS_OF_COST, *WEIGHTING, *COMPARISON)}
    with printer.steps("reading the table") as step:
        read = read_data(data, aside=(own["group"], own["time"]), **options)
        note_flaws(printer, read)
        note_fast_probe(printer, read, method, tree_probe)
        common = {
            "minority_label": read.minority,
            "groups": None if own["group"] is None else read.aside[own["group"]],
            "cost_fn": own["cost_fn"],
            "cost_fp": own["cost_fp"],
            "scaler": scaler,
            "random_state": seed,
        }
        from icost.modelfile import save_model

        if method != AUTO:
            step("fitting")
            model = _fit(read, method, classifier[0], calibrate, tree_probe, own, common)
    if method == AUTO:
        model = _choose(printer, read, classifier, own, common)
    printer.json(model.record)
    print_record(printer, model.record)
    save_model(model, output)
    say_where(printer, output)


def _fit(
    read: Table,
    method: str,
    classifier: str,
    calibrate: bool,
    tree_probe: str,
    own: dict[str, Any],
    common: dict[str, Any],
) -> Any:
    from icost.modelfile import fit_model

    costs, weighting = (
        {name: own[name] for name in names if own[name] is not None}
        for names in (ROWS_OF_COST, WEIGHTING)
    )
    return fit_model(
        read.X,
        read.y,
        classifier=classifier,
        method=method,
        calibrate=calibrate,
        costs=costs,
        tree_probe=tree_probe,
        weighting=weighting,
        **common,
    )


def _choose(
    printer: Printer,
    read: Table,
    classifiers: Sequence[str],
    own: dict[str, Any],
    common: dict[str, Any],
) -> Any:
    from icost.modelfile import choose_model

    with printer.bar("comparing") as show:
        model, _ = choose_model(
            read.X,
            read.y,
            classifier=classifiers,
            strategies=list(map(own_name, own["strategy"])) or None,
            time=None if own["time"] is None else read.aside[own["time"]],
            n_splits=own["folds"],
            n_repeats=own["repeats"],
            n_jobs="auto" if own["jobs"] is None else own["jobs"],
            max_rows=own["max_rows"],
            watch=watch_comparison(printer, show, len(read.y), own["max_rows"]),
            **common,
        )
    return model


def _refuse_unheeded(context: click.Context, method: str, n_classifiers: int) -> None:
    """Refuse options that the method has no use for."""
    reason = f"with --method {method}"
    unused = [n for n in (*ROWS_OF_COST, *WEIGHTING) if n not in COSTS_OF.get(method, ())]
    refuse_without_effect(context, reason, *unused)
    if context.params["penalty"] == "plausible":
        categories = tuple(ROWS_OF_COST)[:4]
        refuse_without_effect(context, "with --penalty plausible", *categories)
    elif context.params["majority"] != "plausible":
        refuse_without_effect(context, "without --penalty or --majority plausible", "floor")
    refuse_probe_without_tree(context, method)
    refuse_in_comparison(context)
    if method == AUTO:
        refuse_without_effect(context, reason, "calibrate")
        return
    alone = [name for name in COMPARISON if name not in ("group", "cost_fn", "cost_fp")]
    refuse_without_effect(context, "without --method auto", *alone)
    if method in COSTS_OF:
        refuse_without_effect(context, reason, "group", "cost_fn")
    else:
        _refuse_by_strategy(context, method)
    if n_classifiers > 1:
        raise click.UsageError(
            f"several classifiers need --method auto, got {n_classifiers} with --method {method}."
        )


def _refuse_by_strategy(context: click.Context, method: str) -> None:
    """Refuse what a strategy has no use for, as its entry in the table tells."""
    from icost.modelfile.fitting import heeds_error_costs, heeds_groups
    from icost.strategies.registry import FITTABLE

    reason = f"with --method {method}"
    if FITTABLE[method].own_classifier:
        refuse_without_effect(context, reason, "classifier")
    if heeds_groups(method):
        refuse_without_effect(context, f"{reason}, which calibrates by itself", "calibrate")
    else:
        refuse_without_effect(context, reason, "group")
    if not heeds_error_costs(method):
        refuse_without_effect(context, reason, "cost_fn")


def say_where(printer: Printer, output: str) -> None:
    """Say where a model is, and how large: an ensemble keeps all of its members."""
    kilobytes = Path(output).stat().st_size / 1000
    size = f"{kilobytes / 1000:.1f} MB" if kilobytes >= 1000 else f"{kilobytes:.0f} kB"
    printer.say(f"The model went to {output} ({size}).")


def print_record(printer: Printer, record: dict[str, Any]) -> None:
    """Print what a model's record says."""
    kind = list(dict.fromkeys((record["classifier"], record["method"])))
    kind += [f"{name} {value}" for name, value in record.get("weighting", {}).items()]
    kind += ["calibrated"] * record["calibrated"]
    printer.say(
        f"{', '.join(kind)}: predicts '{record['target']}' "
        f"({', '.join(str(label) for label in record['classes'])}) from "
        f"{len(record['columns'])} columns, fitted on {record['rows']:,} rows",
        "bold",
    )
    columns, known = ["Metric", "Value"], record.get("metric_intervals", {})
    rows = [[name, f"{value:.3f}"] for name, value in record["metrics"].items()]
    if known:  # only an ensemble has them
        columns.append("95 % interval")
        rows = [[*row, "{:.3f} to {:.3f}".format(*known[row[0]])] for row in rows]
    printer.table(columns, rows, f"On held-out rows ({record['metrics_from']})")
    for sentence in record.get("selection", {}).get("sentences", ()):
        printer.say(sentence, "bold")
    if record.get("threshold") is not None:
        interval = ""
        if record["threshold_interval"]:  # one that costs decide has none
            low, high = record["threshold_interval"]
            interval = f" (95 % of bootstraps: {low:.3g} to {high:.3g})"
        printer.say(
            f"'{record['minority']}' is predicted from a probability of {record['threshold']:.3g} "
            f"on{interval}."
        )
