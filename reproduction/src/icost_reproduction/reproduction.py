"""Reproduce the paper: run studies, write their tables, judge its statements."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from icost_reproduction._internals import check_choice
from icost_reproduction.evaluation import Results
from icost_reproduction.paper_tables import table_name
from icost_reproduction.plan import HONEST_ONLY, Plan, list_plans, load_plan
from icost_reproduction.runner import run_plan
from icost_reproduction.study_tables import ALL_TABLES, failures, write_study
from icost_reproduction.tables import write_tables


def reproduce(
    names: Sequence[str] = (),
    *,
    profile: str = "published",
    quick: bool = False,
    jobs: int = 1,
    dask: str | None = None,
    out: str | os.PathLike[str] = "results",
    classifiers: Sequence[str] | None = None,
    retry: bool = False,
    progress: bool = True,
    report: Callable[[str], None] = print,
) -> Results:
    """Run studies, or those behind some tables, and write tables and verdicts.

    This is ``icost reproduce`` without the pages: the paper's tables from our own runs, each
    number beside the published one, and a verdict on each of the paper's statements. It answers
    whether the paper holds up here, and with a plan of your own what holds on your data.

    Parameters
    ----------
    names : sequence of str, default=()
        Studies (see `list_plans`), tables such as ``"win-loss"`` or ``"table-7"``, which is that
        of the paper, or plans of your own as TOML files; by default all studies of the paper. A
        table stands for the study it is made of;
        ``"datasets"`` needs none, and goes to the folder ``tables``.
    profile : {"published", "paper-text", "honest"}, default="published"
        Protocol; ``honest``, ``controls``, ``ensemble``, ``confirmation``, ``measures`` and
        ``multiclass-honest`` are always run under ``"honest"``.
    quick : bool, default=False
        A few sets, two folds: a look at everything in about a minute. Rows go to a folder apart.
    jobs : int, default=1
        Number of processes.
    dask : str, default=None
        Address of a Dask scheduler to run on.
    out : path, default="results"
        Folder; every study gets ``<study>-<profile>`` in it.
    classifiers : sequence of str, default=None
        Only these classifiers.
    retry : bool, default=False
        Whether to run trials again that failed.
    progress : bool, default=True
        Whether to show progress and time left.
    report : callable, default=print
        Takes one line at a time on what is going on.

    Returns
    -------
    Results
        All rows, for tables of your own: ``rows(study)`` has them as a data frame with a column
        per metric, and ``under(profile)`` gives those of another profile.

    See Also
    --------
    run_plan : Rows without tables, and without a fixed place for them.
    list_plans : Names of the studies.

    Notes
    -----
    Rows that are there already are not run again, so that an interrupted run continues, and only
    the tables of a finished one are written anew. A table is left out while rows that it needs are
    missing; what was run in part, or failed, is listed below it.

    Studies take from minutes to hours: in the rows that the repository has under ``results/``,
    fits take 0.2 hours in all for ``controls`` and 6.1 for ``tuning``. `Plan` shows how to count
    the trials before; ``classifiers`` and ``jobs`` make them fewer or faster.

    A verdict judges a statement by its own criterion under the paper's protocol, and then asks
    whether it survives nested tuning, and controls that have the same total weight or as many
    settings to choose from. Rows of ``honest`` and ``controls`` in the same folder are taken for
    that; where there are none, the verdict says what is not measured yet.

    Examples
    --------
    A study of one's own, of one small set; rows and tables are in ``mine-honest``:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from icost_reproduction import reproduce
    >>> text = '''
    ... name = "mine"
    ... title = "A first look"
    ... datasets = ["glass2"]
    ... strategies = ["cs", "neighbor"]
    ... classifiers = ["dt"]
    ... protocol = {n_splits = 2}
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plan = Path(folder) / "mine.toml"
    ...     _ = plan.write_text(text)
    ...     results = reproduce([str(plan)], profile="honest", out=folder, progress=False)
    ...     sorted(path.name for path in (Path(folder) / "mine-honest").iterdir())
    mine (honest): A first look
    ['plan.json', 'rows', 'tables']
    >>> results.rows("mine").groupby("strategy")["mcc"].count().to_dict()
    {'cs': 2, 'neighbor': 2}
    """
    plans = study_plans(names, profile, quick, classifiers)
    folder = Path(out) / "quick" if quick else Path(out)
    options = {"jobs": jobs, "dask": dask, "retry": retry, "progress": progress}
    return run_studies(plans, names, folder, profile, report, **options)


def run_studies(
    plans: Sequence[Plan],
    names: Sequence[str],
    folder: Path,
    profile: str,
    report: Callable[[str], None] = print,
    **options: Any,
) -> Results:
    """Run plans and write their tables; those of ``names`` that need no runs are written, too."""
    for plan in plans:
        target = Results(folder, plan.profile).study_folder(plan.name)
        report(f"{plan.name} ({plan.profile}): {plan.title}")
        for line in failures(run_plan(plan, target, **options)):
            report(line)
    results = Results(folder, profile)
    for plan in plans:
        write_study(results.under(plan.profile), plan)
    for name in names:
        table = table_name(name)
        if table not in ALL_TABLES:
            continue
        study, make = ALL_TABLES[table]
        if not study:
            write_tables([make(results)], folder / "tables")
            report(f"The table {table!r} needs no runs: it is saved to {folder / 'tables'}.")
        elif table != name:
            place = results.study_folder(study) / "tables" / f"{table}.md"
            report(f"Table {name.removeprefix('table-')} of the paper: {place}")
    return results


def resolve_studies(names: Sequence[str]) -> list[str]:
    """Return the plans behind names of studies, tables and files, each once."""
    plans, studies = list_plans(), []
    for name in map(table_name, names or [plan for plan in plans if plan not in HONEST_ONLY]):
        is_plan = name in plans or os.fspath(name).endswith(".toml")
        if not is_plan:
            check_choice("a study", name, [*plans, *ALL_TABLES], " or a TOML file")
        studies.append(name if is_plan else ALL_TABLES[name][0])
    return list(dict.fromkeys(study for study in studies if study))


def study_plans(
    names: Sequence[str],
    profile: str,
    quick: bool = False,
    classifiers: Sequence[str] | None = None,
) -> list[Plan]:
    """Return the plans behind names, each under its profile, as small as they are to be run."""
    plans = [
        load_plan(source, "honest" if source in HONEST_ONLY else profile)
        for source in resolve_studies(names)
    ]
    if classifiers is not None:
        plans = [plan.select(classifiers=classifiers) for plan in plans]
    return [plan.quick() for plan in plans] if quick else plans


def reproduce_with_pages(
    names: Sequence[str] = (),
    *,
    profile: str = "published",
    quick: bool = False,
    out: str | os.PathLike[str] = "results",
    command: str = "",
    classifiers: Sequence[str] | None = None,
    **options: Any,
) -> list[Path]:
    """Run studies as `icost_reproduction.reproduce` does, and write a page for each."""
    from icost_reproduction.page import write_study_page  # waits for Matplotlib

    plans = study_plans(names, profile, quick, classifiers)
    folder = Path(out) / "quick" if quick else Path(out)
    results = run_studies(plans, names, folder, profile, **options)
    return [write_study_page(results.under(plan.profile), plan, command) for plan in plans]
