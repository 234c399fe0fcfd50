"""``icost compare``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from icost.cli.options import (
    check_outputs,
    classifier_option,
    comparison_options,
    data_argument,
    output_options,
    own_name,
    refuse_in_comparison,
    report_option,
    scaler_option,
    table_options,
    was_typed,
)
from icost.cli.printer import Printer, command_line, duration
from icost.cli.user_table import note_flaws, read_data


@click.command("compare")
@data_argument
@table_options
@classifier_option(True)
@scaler_option
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    help="Strategy to compare; repeatable. [default: ncs, cs, threshold, neighbor, gini, smote, "
    "ensemble and the mean-matched controls]",
)
@comparison_options
@report_option
@output_options
@click.pass_context
def compare_command(
    context: click.Context,
    data: str,
    classifiers: tuple[str, ...],
    scaler: str,
    strategies: tuple[str, ...],
    group: str | None,
    time: str | None,
    cost_fn: float | None,
    cost_fp: float,
    folds: int,
    repeats: int,
    max_rows: int | None,
    jobs: int | None,
    report: str | None,
    as_json: bool,
    quiet: bool,
    seed: int,
    **table: Any,
) -> None:
    """Compare strategies on DATA, cross-validated, and say which to use.

    Of more than 5,000 rows, as many are drawn; it says so, and how long all would take. The model
    that you then make with icost fit learns from all rows.

    Example: icost compare loans.csv --target default --cost-fn 50 --report loans.html
    """
    check_outputs([report], [data])
    refuse_in_comparison(context)
    printer = Printer(as_json, quiet)
    with printer.steps("reading the table"):
        read = read_data(data, aside=(group, time), **table)
        note_flaws(printer, read)
        from icost.comparison import compare
    with printer.bar("comparing") as show:
        found = compare(
            read.X,
            read.y,
            classifier=classifiers,
            strategies=list(map(own_name, strategies)) or None,
            groups=None if group is None else read.aside[group],
            time=None if time is None else read.aside[time],
            cost_fn=cost_fn,
            cost_fp=cost_fp,
            minority_label=read.minority,
            n_splits=folds,
            n_repeats=repeats,
            scaler=scaler,
            random_state=seed,
            n_jobs="auto" if jobs is None else jobs,
            max_rows=max_rows,
            watch=watch_comparison(printer, show, len(read.y), max_rows),
        )
    printer.json(found.to_dict())
    print_comparison(printer, found, read.name)
    printer.say(_next_step(context, found.recommendation, list(read.aside)))
    if report:
        _write_report(printer, report, read, found, scaler, seed)
        printer.say(f"The report went to {report}.")


def watch_comparison(
    printer: Printer, show: Callable[..., None], n_rows: int, max_rows: int | None
) -> Callable[[Any], None]:
    """Return what shows how far a comparison is, and says once what all rows would take."""
    from icost.comparison.verdict import METRICS

    is_said = False

    def watch(state: Any) -> None:
        nonlocal is_said
        name, factor, _ = METRICS[state.metric]
        score = f"{factor * state.score:.{1 if factor == 100 else 3}f}"
        best = f"best so far: {state.best}, {name} {score}" if state.best else ""
        show(state.done, state.total, state.seconds_left, best)
        if state.seconds_for_all is not None and not is_said:
            is_said = True
            printer.note(
                f"compares {max_rows:,} of {n_rows:,} rows, each class by its share; all of them "
                f"(--max-rows all) would take about {duration(state.seconds_for_all)}."
            )

    return watch


def _next_step(context: click.Context, recommended: Mapping[str, str], aside: Sequence[str]) -> str:
    """Say how to get the recommended model from the same columns."""
    from icost.modelfile.fitting import heeds_error_costs, heeds_groups
    from icost.strategies.registry import FITTABLE

    strategy, given = recommended["strategy"], context.params
    options = [("method", strategy)]
    options += [(n, given[n]) for n in ("target", "minority") if was_typed(context, n)]
    has_own = FITTABLE[strategy].own_classifier
    if was_typed(context, "classifiers") and recommended["classifier"] and not has_own:
        options.append(("classifier", recommended["classifier"]))
    options += [("scaler", given["scaler"])] if was_typed(context, "scaler") else []
    if given["file_format"]:
        options.append(("format", given["file_format"]))
    if given["sep"]:
        options.append(("sep", given["sep"]))
    if heeds_error_costs(strategy):
        typed = [name for name in ("cost_fn", "cost_fp") if was_typed(context, name)]
        options += [(name.replace("_", "-"), f"{given[name]:g}") for name in typed]
    if heeds_groups(strategy) and given["group"] is not None:
        options.append(("group", given["group"]))
        aside = [name for name in aside if name != given["group"]]
    options += [("drop", name) for name in (*given["drop"], *aside)]
    words = [word for name, value in options for word in (f"--{name}", value)]
    words += ["--drop-unlabelled"] if given["drop_unlabelled"] else []
    return f"To keep it: {shlex.join(['icost', 'fit', given['data'], *words, '-o', 'model.skops'])}"


def _write_report(
    printer: Printer, path: str, read: Any, found: Any, scaler: str, seed: int
) -> None:
    from icost.report import analyze, write_page

    with printer.steps("writing the report") as step:
        analysis = analyze(
            read.X,
            read.y,
            name=read.name,
            minority_label=read.minority,
            random_state=seed,
            progress=step,
            scaler=scaler,
        )
        write_page(path, analysis, found, command=command_line(), seed=seed)


def print_comparison(printer: Printer, found: Any, name: str) -> None:
    """Print the scores, the verdict and the recommendation."""
    from icost.comparison.verdict import METRICS

    metrics = [m for m in METRICS if m in found.strategies[0]["scores"]]
    rows = []
    for row in found.strategies:
        mark = "→ " if row["name"] == found.recommendation["name"] else "  "
        scores = [_score(row["scores"].get(m), METRICS[m][1], m == found.metric) for m in metrics]
        seconds = f"{found.seconds[row['name']]:.2g}"
        rows.append([mark + row["label"], *scores, seconds])
    half = "± half of the 95 % interval"
    if any(_is_cut(row["scores"][found.metric]) for row in found.strategies):
        half += ", or its ends where a score has one"
    title = f"{name}, {found.classifier}: {found.how} ({half})"
    printer.table(["Strategy", *(METRICS[m][0] for m in metrics), "Fit, s"], rows, title)
    _print_recall(printer, found)
    for sentence in found.verdict:
        printer.say(f"• {sentence}")
    for note in found.notes:
        printer.say(f"• {note}", "dim")
    printer.say(found.recommendation["sentence"], "bold")


def _score(score: dict[str, float] | None, factor: float, with_interval: bool) -> str:
    if score is None:
        return "–"
    digits = 1 if factor == 100 else 3
    mean, half, low, high = (factor * score[key] for key in ("mean", "half", "low", "high"))
    text = f"{mean:.{digits}f}"
    if not with_interval:
        return text
    if _is_cut(score):
        return f"{text} ({low:.0f}…{high:.0f})"
    return f"{text} ±{half:.{digits}f}"


def _is_cut(score: dict[str, float]) -> bool:
    """Whether an interval ends where the metric does, so that its half width says too much."""
    return 2 * score["half"] - (score["high"] - score["low"]) > 1e-9


def _print_recall(printer: Printer, found: Any) -> None:
    categories = list(found.strategies[0]["recall"])
    if not categories:
        return
    rows = [
        [
            row["label"],
            *(f"{100 * row['recall'].get(name, float('nan')):.0f} %" for name in categories),
        ]
        for row in found.strategies
    ]
    printer.table(["Strategy", *categories], rows, "Minority rows found, by how hard they are")
