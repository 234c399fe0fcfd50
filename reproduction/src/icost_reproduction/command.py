"""``icost reproduce``, which the command line finds as an entry point."""

from __future__ import annotations

import click


@click.command("reproduce")
@click.argument("names", nargs=-1)
@click.option(
    "--table",
    "numbers",
    metavar="N",
    type=int,
    multiple=True,
    help="The paper's table of this number; repeatable.",
)
@click.option(
    "--profile",
    type=click.Choice(["published", "paper-text", "honest"]),
    default="published",
    show_default=True,
    help="Protocol.",
)
@click.option("--quick", is_flag=True, help="A few datasets and folds: a look at everything.")
@click.option("--classifier", "-c", "classifiers", multiple=True, help="Only these; repeatable.")
@click.option("--jobs", "-j", default=1, show_default=True, help="Number of processes.")
@click.option("--dask", metavar="ADDRESS", help="Dask scheduler to run on.")
@click.option("--out", default="results", show_default=True, help="Folder of rows and tables.")
@click.option("--retry", is_flag=True, help="Run trials again that failed.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
def reproduce_command(
    names: tuple[str, ...],
    numbers: tuple[int, ...],
    profile: str,
    quick: bool,
    classifiers: tuple[str, ...],
    jobs: int,
    dask: str | None,
    out: str,
    retry: bool,
    quiet: bool,
) -> None:
    """Run the paper's experiments: studies or tables by NAMES, or all of them.

    An interrupted run continues where it stopped.

    Examples: icost reproduce --table 8; icost reproduce mcc --classifier lr --jobs 4
    """
    # Here, so that nobody waits for the library to read a help text.
    from icost_reproduction._internals import Printer
    from icost_reproduction.paper_tables import DEFINITIONS
    from icost_reproduction.reproduction import reproduce_with_pages, resolve_studies

    printer = Printer(quiet=quiet)
    defined = [number for number in numbers if number in DEFINITIONS]
    for number in defined:
        printer.say(f"Table {number} of the paper {DEFINITIONS[number]}.")
    names += tuple(f"table-{number}" for number in numbers if number not in DEFINITIONS)
    if defined and not names:
        return
    try:
        resolve_studies(names)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    pages = reproduce_with_pages(
        names,
        profile=profile,
        quick=quick,
        jobs=jobs,
        dask=dask,
        out=out,
        classifiers=classifiers or None,
        retry=retry,
        progress=not quiet,
        report=printer.say,
        command=" ".join(["icost reproduce", *names, "--profile", profile, *["--quick"] * quick]),
    )
    for page in pages:
        printer.say(f"Figures and tables: {page}")
