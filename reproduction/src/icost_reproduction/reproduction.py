"""Reproduce the paper: run studies, write their tables, judge its statements."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from icost_reproduction._internals import check_choice
from icost_reproduction.claims import Claim, Finding, check_claims, part_run
from icost_reproduction.ensemble_tables import ENSEMBLE_TABLES
from icost_reproduction.evaluation import Results, once
from icost_reproduction.grids import GRIDS
from icost_reproduction.honest_tables import HONEST_TABLES
from icost_reproduction.measure_tables import MEASURE_TABLES
from icost_reproduction.paper_tables import TABLES
from icost_reproduction.plan import BEYOND, HONEST_ONLY, Plan, list_plans, load_plan
from icost_reproduction.runner import run_plan
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Table, write_tables

ALL_TABLES = {**TABLES, **HONEST_TABLES, **ENSEMBLE_TABLES, **MEASURE_TABLES}
"""All tables by name: the study whose rows they need, and how to make them."""


VERDICT_NOTE = (
    "Each statement is judged by its own criterion, under the paper's protocol. 'Only without "
    "nesting': not if costs are tuned inside the training folds. 'Only against an unmatched "
    "control': not against uniform weights of the same total, or class-level costs that may "
    "try as many settings. 'Within noise': what contradicts it may be chance."
)
"""What the verdicts mean."""


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
        Studies (see `list_plans`), tables such as ``"win-loss"``, or plans of your own as TOML
        files; by default all studies of the paper. A table stands for the study it is made of;
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
        if name in ALL_TABLES and not ALL_TABLES[name][0]:
            write_tables([ALL_TABLES[name][1](results)], folder / "tables")
            report(f"The table {name!r} needs no runs: it is saved to {folder / 'tables'}.")
    return results


def resolve_studies(names: Sequence[str]) -> list[str]:
    """Return the plans behind names of studies, tables and files, each once."""
    plans, found = list_plans(), []
    for name in names or [plan for plan in plans if plan not in HONEST_ONLY]:
        is_plan = name in plans or os.fspath(name).endswith(".toml")
        if not is_plan:
            check_choice("a study", name, [*plans, *ALL_TABLES], " or a TOML file")
        found.append(name if is_plan else ALL_TABLES[name][0])
    return list(dict.fromkeys(study for study in found if study))


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


def failures(rows: pd.DataFrame) -> list[str]:
    """Return one line per kind of failure among rows."""
    failed = rows[rows["error"].notna()]
    counts = failed.groupby(["strategy", "classifier", "error"], observed=True).size()
    return [
        f"failed: {strategy} with {classifier} on {count} folds: {str(error).splitlines()[0]}"
        for (strategy, classifier, error), count in counts.items()
    ]


def write_study(results: Results, plan: Plan) -> list[Table]:
    """Write and return all tables that a study is good for, and verdicts on what the paper says."""
    tables = [*study_tables(results, plan.name)]
    if plan.name not in BEYOND:
        tables.append(claims_table(check_claims(results)))
    write_tables(tables, results.study_folder(plan.name) / "tables")
    return tables


@once
def study_tables(results: Results, study: str) -> list[Table]:
    """Return the tables that the rows of a study give."""
    if results.rows(study).empty:
        return []
    partial = part_run(results, study)
    remarks = [f"{partial[0].upper()}{partial[1:]}."] if partial else []
    remarks += _left_out(pd.concat(results.environments(study).values()))
    found = []
    for name, (needed, make) in ALL_TABLES.items():
        if needed == study or name == "datasets":
            try:
                table = make(results)
            except KeyError:
                # A part of the strategies only, or none with settings: that table has to wait.
                continue
            if needed:
                table = replace(table, note=" ".join(filter(None, [table.note, *remarks])))
            found.append(table)
    return found


def _left_out(rows: pd.DataFrame) -> list[str]:
    """Return a sentence on the folds that failed, if there are any."""
    parts = []
    for name, part in rows.groupby("strategy", observed=True):
        failed = part["error"].notna()
        if failed.any():
            lost = int(failed.groupby([part["dataset"], part["classifier"]]).all().sum())
            whole = f", on {lost} of the sets all" if lost else ""
            # All settings of a grid are no strategy, yet may fail like one.
            label = (GRIDS[name] if name in GRIDS else STRATEGIES[name]).label
            parts.append(f"{label} {failed.sum()} of {len(part)}{whole}")
    if not parts:
        return []
    return [f"Folds that failed and are left out: {'; '.join(parts)}."]


def claims_table(findings: list[tuple[Claim, Finding]]) -> Table:
    """Return the verdicts as a table."""
    rows = tuple(
        (claim.statement, (Cell(found.verdict), Cell(claim.published), Cell(found.ours)))
        for claim, found in findings
    )
    columns = ("Statement", "Verdict", "Published", "Ours")
    return Table("claims", "The paper's statements", columns, rows, VERDICT_NOTE)
