"""Reproduce the paper: run studies, write their tables, judge its statements."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from icost.experiments.claims import Claim, Finding, check_claims, part_run
from icost.experiments.evaluation import Results
from icost.experiments.honest_tables import HONEST_TABLES
from icost.experiments.paper_tables import TABLES
from icost.experiments.plan import HONEST_ONLY, Plan, list_plans, load_plan
from icost.experiments.runner import run_plan
from icost.experiments.tables import Cell, Table, write_tables
from icost.strategies.registry import STRATEGIES
from icost.validation import check_choice

ALL_TABLES = {**TABLES, **HONEST_TABLES}
"""All tables by name: the study whose rows they need, and how to make them."""


VERDICT_NOTE = (
    "Each statement is judged by its own criterion, under the paper's protocol. 'Only without "
    "nesting': not if costs are tuned inside the training folds. 'Only against an unmatched "
    "control': not against uniform weights of the same total, or class-level costs that may "
    "try as many settings. 'Cannot be told': what contradicts it is within the noise."
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

    Rows that are there already are not run again; an interrupted run continues.

    Parameters
    ----------
    names : sequence of str, default=()
        Studies, tables, or plans of your own as TOML files; by default all studies of the paper.
    profile : {"published", "paper-text", "honest"}, default="published"
        Protocol; the studies ``honest`` and ``controls`` are always run under their own.
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
        All rows, for tables of your own.

    Examples
    --------
    >>> import tempfile
    >>> from icost.experiments import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     results = reproduce(["default"], quick=True, out=folder)
    """
    folder = Path(out) / "quick" if quick else Path(out)
    plans = [_plan(source, profile, quick, classifiers) for source in resolve_studies(names)]
    for plan in plans:
        target = Results(folder, plan.profile).study_folder(plan.name)
        report(f"{plan.name} ({plan.profile}): {plan.title}")
        rows = run_plan(plan, target, jobs=jobs, dask=dask, retry=retry, progress=progress)
        for line in failures(rows):
            report(line)
    results = Results(folder, profile)
    for plan in plans:
        write_study(results.under(plan.profile), plan)
    return results


def resolve_studies(names: Sequence[str]) -> list[str]:
    """Return the plans behind names of studies, tables and files, each once.

    Parameters
    ----------
    names : sequence of str
        As for `reproduce`.

    Returns
    -------
    list of str
        Names or files of plans.

    Examples
    --------
    >>> from icost.experiments.reproduction import resolve_studies
    >>> resolve_studies(["mcc", "win-loss", "tuning"])
    ['default', 'tuning']
    """
    plans, found = list_plans(), []
    for name in names or [plan for plan in plans if plan not in HONEST_ONLY]:
        is_plan = name in plans or os.fspath(name).endswith(".toml")
        if not is_plan:
            check_choice("a name", name, [*plans, *ALL_TABLES], " or a TOML file")
        found.append(name if is_plan else ALL_TABLES[name][0])
    return list(dict.fromkeys(study for study in found if study))


def _plan(source: str, profile: str, quick: bool, classifiers: Sequence[str] | None) -> Plan:
    plan = load_plan(source, "honest" if source in HONEST_ONLY else profile)
    if classifiers is not None:
        plan = plan.select(classifiers=classifiers)
    return plan.quick() if quick else plan


def failures(rows: pd.DataFrame) -> list[str]:
    """Return one line per kind of failure among rows.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of a study.

    Returns
    -------
    list of str
        Empty if nothing failed.
    """
    failed = rows[rows["error"].notna()]
    counts = failed.groupby(["strategy", "classifier", "error"], observed=True).size()
    return [
        f"failed: {strategy} with {classifier} on {count} folds: {str(error).splitlines()[0]}"
        for (strategy, classifier, error), count in counts.items()
    ]


def write_study(results: Results, plan: Plan) -> list[Table]:
    """Write all tables that a study is good for, and the verdicts.

    Parameters
    ----------
    results : Results
        Rows of the plan's profile.
    plan : Plan
        The study.

    Returns
    -------
    list of Table
        Those written.
    """
    tables = [*study_tables(results, plan.name), claims_table(check_claims(results))]
    write_tables(tables, results.study_folder(plan.name) / "tables")
    return tables


def study_tables(results: Results, study: str) -> list[Table]:
    """Return the tables that the rows of a study give.

    Parameters
    ----------
    results : Results
        Rows.
    study : str
        Name of the study.

    Returns
    -------
    list of Table
        Those whose rows are there.
    """
    return results.once(("tables", study), lambda: _study_tables(results, study))


def _study_tables(results: Results, study: str) -> list[Table]:
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
            parts.append(f"{STRATEGIES[name].label} {failed.sum()} of {len(part)}{whole}")
    if not parts:
        return []
    return [f"Folds that failed and are left out: {'; '.join(parts)}."]


def claims_table(findings: list[tuple[Claim, Finding]]) -> Table:
    """Return the verdicts as a table.

    Parameters
    ----------
    findings : list of (Claim, Finding)
        From `icost.experiments.claims.check_claims`.

    Returns
    -------
    Table
        A row per claim.
    """
    rows = tuple(
        (claim.statement, (Cell(found.verdict), Cell(claim.published), Cell(found.ours)))
        for claim, found in findings
    )
    columns = ("Statement", "Verdict", "Published", "Ours")
    return Table("claims", "The paper's statements", columns, rows, VERDICT_NOTE)
