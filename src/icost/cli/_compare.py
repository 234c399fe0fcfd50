"""``icost compare``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import click

from icost.cli._options import (
    COMPARISON,
    READING,
    GroupedCommand,
    check_outputs,
    classifier_option,
    comparison_options,
    data_argument,
    output_options,
    refuse_in_comparison,
    report_option,
    scaler_option,
    strategy_option,
    table_options,
    was_typed,
)
from icost.cli._printer import Printer, command_line, duration
from icost.cli._user_table import Table, note_flaws, read_data

WIDE = 120
"""Columns of a terminal from which on a table has all scores."""


@click.command("compare", cls=GroupedCommand)
@data_argument
@table_options
@classifier_option()
@scaler_option
@strategy_option(
    multiple=True,
    help="Strategy to compare; repeatable. [default: ncs and threshold (offsets for several "
    "classes) with each classifier; then cs, neighbor, smote and ensemble with the best of them]",
)
@comparison_options
@click.option("--wide", is_flag=True, help="Print all scores, also in a narrow terminal.")
@report_option
@output_options
@click.pass_context
def compare_command(
    context: click.Context,
    data: str,
    classifiers: tuple[str, ...],
    scaler: str,
    strategies: tuple[str, ...],
    wide: bool,
    report: str | None,
    as_json: bool,
    quiet: bool,
    seed: int,
    **options: Any,
) -> None:
    """Compare classifiers and strategies on DATA, cross-validated, and say which to use.

    First logistic regression, a random forest and gradient boosting are compared, each plain and
    with a tuned threshold; then strategies for imbalanced data with the best of them, and up to
    2,000 rows the blend of four classifiers. With -c or -s, just what is named is compared.

    Tables with more than 5,000 rows are sampled down to 5,000; it says so, and how long all would
    take. The model that you then make with icost fit learns from all rows.

    Example: icost compare loans.csv --target default --cost-fn 50 --report loans.html
    """
    check_outputs([report], [data])
    refuse_in_comparison(context)
    printer = Printer(as_json, quiet)
    given = {name: options.pop(name) for name in COMPARISON}
    with printer.steps("reading the table"):
        read = read_data(data, given=given, **options)
        note_flaws(printer, read, suggest=given["group"] is None and given["time"] is None)
        from icost.comparison import compare
    comparison = run_comparison(
        printer,
        read,
        partial(compare, read.facts, read.y),
        given,
        classifier=classifiers or None,
        strategies=list(strategies) or None,
        scaler=scaler,
        random_state=seed,
    )
    analysis = _analyse(printer, read, comparison, scaler, seed) if report else None
    if comparison.recommendation is not None:
        suspects = 0 if analysis is None else len(analysis.suspects)
        # Of a large table only with a report, as it takes long; and a limit is for all there is.
        is_quick = comparison.n_rows == comparison.n_rows_of_table and given["time_limit"] is None
        if analysis is None and is_quick:
            suspects = _count_suspects(printer, read.facts, seed)
        next_step = _next_step(context, comparison.recommendation)
        comparison = _with_last_lines(comparison, read.facts, suspects, next_step)
    printer.json(comparison.to_dict())
    print_comparison(printer, comparison, read.name, wide or printer.width >= WIDE)
    if report and analysis is not None:
        from icost.report import write_page

        with printer.steps("writing the report"):
            write_page(report, analysis, comparison, command=command_line(), seed=seed)
        printer.say(f"Saved the report to {report}.")


def run_comparison(
    printer: Printer,
    read: Table,
    compare: Callable[..., Any],
    given: Mapping[str, Any],
    **options: Any,
) -> Any:
    """Call what compares with the options that were given for it, and show how far it is."""
    groups, time = (
        None if given[name] is None else read.aside[given[name]] for name in ("group", "time")
    )
    with printer.bar("comparing") as show:
        return compare(
            groups=groups,
            time=time,
            minority_label=read.minority,
            n_splits=given["folds"],
            n_repeats=given["repeats"],
            n_jobs="auto" if given["jobs"] is None else given["jobs"],
            watch=_watch(printer, show, len(read.y), given["max_rows"]),
            **{name: given[name] for name in ("cost_fn", "cost_fp", "max_rows", "time_limit")},
            **options,
        )


def _with_last_lines(comparison: Any, facts: Any, suspects: int, next_step: str) -> Any:
    """Say last what to check before the model is used, and which command keeps it."""
    from icost.comparison._verdict import before_use, split_lead

    replaced = ("Before you do:", "Keep it:")
    lines = [line for line in comparison.verdict if split_lead(line)[0] not in replaced]
    checks = before_use(facts, suspects, comparison._area)
    return replace(comparison, verdict=[*lines, *checks, next_step])


def _count_suspects(printer: Printer, facts: Any, seed: int) -> int:
    """Count rows whose labels surprise models."""
    from icost import label_quality

    with printer.steps("looking at the labels"):
        quality = label_quality(facts.frame, facts.labels, random_state=seed)
        return int(quality.is_suspect.sum())


def _watch(
    printer: Printer, show: Callable[..., None], n_rows: int, max_rows: int | None
) -> Callable[[Any], None]:
    """Return what shows how far a comparison is, and says once what all rows would take."""
    from icost._core.views import score_name, score_text

    is_said = False

    def watch(state: Any) -> None:
        nonlocal is_said
        best = ""
        if state.best:
            score = f"{score_name(state.metric)} {score_text(state.metric, state.score)}"
            best = f"best so far: {state.best}, {score}"
        show(state.done, state.total, state.seconds_left, best)
        if state.seconds_for_all is not None and not is_said:
            is_said = True
            printer.note(
                f"compares {max_rows:,} of {n_rows:,} rows, each class by its share; all of them "
                f"(--max-rows all) would take about {duration(state.seconds_for_all)}."
            )

    return watch


def _next_step(context: click.Context, recommended: Mapping[str, str]) -> str:
    """Say how to get the recommended model from the same columns."""
    from icost.strategies import get_strategy

    strategy, given = get_strategy(recommended["strategy"]), context.params
    # A comparison of one keeps the order of time, which folds of a single fit do not.
    options = [("strategy", "auto")] * (given["time"] is not None) + [("strategy", strategy.name)]
    options += [(n, given[n]) for n in ("target", "minority") if given[n] is not None]
    is_default = recommended["classifier"] == "lr" and not was_typed(context, "classifiers")
    if recommended["classifier"] and not strategy.own_classifier and not is_default:
        options.append(("classifier", recommended["classifier"]))
    names = {"scaler": "scaler", "file_format": "format", "sep": "sep"}
    names |= {"cost_fn": "cost-fn", "cost_fp": "cost-fp"} if strategy.supports_costs else {}
    names |= {"group": "group", "time": "time"}
    values = [(name, given[n]) for n, name in names.items() if was_typed(context, n)]
    options += [(n, value if isinstance(value, str) else f"{value:g}") for n, value in values]
    options += [("drop", n) for n in given["drop"]]
    reading = context.meta.get(READING, {})
    options += [("missing", text) for text in reading.get("missing", ())]
    options += [
        (name, reading[name]) for name in ("decimal", "thousands", "sheet") if name in reading
    ]
    words = [word for name, value in options for word in (f"--{name}", value)]
    words += {True: ["--day-first"], False: ["--month-first"]}.get(reading.get("day_first"), [])
    words += ["--drop-unlabelled"] if given["drop_unlabelled"] else []
    return f"Keep it: {shlex.join(['icost', 'fit', given['data'], *words, '-o', 'model.skops'])}"


def _analyse(printer: Printer, read: Any, comparison: Any, scaler: str, seed: int) -> Any:
    from icost.report._analysis import analyze_facts

    # A comparison of a sample has judged the rows of the sample alone.
    is_whole = comparison.n_rows == comparison.n_rows_of_table
    with printer.steps("looking at the rows") as step:
        return analyze_facts(
            read.facts,
            name=read.name,
            minority_label=read.minority,
            random_state=seed,
            progress=step,
            scaler=scaler,
            neighbor=comparison.categories if is_whole else None,
        )


def print_comparison(printer: Printer, comparison: Any, name: str, is_wide: bool = True) -> None:
    """Print the scores and the verdict."""
    from icost._core.views import METRICS, few

    first, metric = comparison.strategies[0]["scores"], comparison.metric
    is_short = not is_wide and bool(comparison.strategies[0]["recall"])  # for two classes
    metrics = [m for m in METRICS if m in first] if not is_short else [metric]
    chosen = comparison.recommendation["name"] if comparison.recommendation else None
    rows = []
    for row in comparison.strategies:
        mark, scores = "→ " if row["name"] == chosen else "  ", row["scores"]
        cells = [_score(m, scores.get(m), m == metric) for m in metrics]
        if is_short:
            cells += [few(100 * scores["sensitivity"]["mean"])]
            cells += [few(100 - 100 * scores["specificity"]["mean"])]
            cells += [_score("precision", scores["precision"])]
        else:
            cells.append(f"{comparison.seconds[row['name']]:.2g}")
        rows.append([mark + row["label"], *cells])
    half = "± half of the 95 % interval"
    if any(_is_cut(row["scores"][metric]) for row in comparison.strategies):
        half += ", or its ends where a score has one"
    title = f"{name}, {comparison.classifier}: {comparison.how} ({half})"
    last = ["Found of 100", "False alarms of 100", "Precision"] if is_short else ["Fit, s"]
    printer.table(["Strategy", *(METRICS[m][0] for m in metrics), *last], rows, title)
    if not is_short:
        _print_recall(printer, comparison)
    for note in comparison.notes:
        printer.say(f"• {note}", "dim")
    for place, line in enumerate(comparison.verdict):
        printer.say(line, "" if place else "bold")


def _score(metric: str, score: dict[str, float] | None, with_interval: bool = False) -> str:
    from icost._core.views import interval_text, score_text

    if score is None:
        return "–"
    text = score_text(metric, score["mean"])
    if not with_interval:
        return text
    if _is_cut(score):
        ends = interval_text(metric, score["low"], score["high"]).replace(" to ", "…")
        return f"{text} ({ends})"
    return f"{text} ±{score_text(metric, score['half'])}"


def _is_cut(score: dict[str, float]) -> bool:
    """Whether an interval ends where the metric does, so that its half width says too much."""
    return 2 * score["half"] - (score["high"] - score["low"]) > 1e-9


def _print_recall(printer: Printer, comparison: Any) -> None:
    categories = list(comparison.strategies[0]["recall"])
    if not categories:
        return
    rows = []
    for row in comparison.strategies:
        shares = [row["recall"].get(name, float("nan")) for name in categories]
        rows.append([row["label"], *(f"{100 * share:.0f} %" for share in shares)])
    title = f"Minority rows found, by how hard they are ({comparison.space})"
    printer.table(["Strategy", *categories], rows, title)
