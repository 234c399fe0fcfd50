"""The tables that the rows of a study give, with the verdicts on what the paper says."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from icost_reproduction._internals import write_whole
from icost_reproduction.claims import Claim, Finding, check_claims, part_run
from icost_reproduction.ensemble_tables import ENSEMBLE_TABLES
from icost_reproduction.evaluation import METRICS, Results, once, select_settings
from icost_reproduction.findings import LEGEND
from icost_reproduction.grids import GRIDS
from icost_reproduction.honest_tables import HONEST_TABLES
from icost_reproduction.measure_tables import MEASURE_TABLES
from icost_reproduction.paper_tables import TABLES
from icost_reproduction.plan import BEYOND, Plan
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Table, write_tables

ALL_TABLES = {**TABLES, **HONEST_TABLES, **ENSEMBLE_TABLES, **MEASURE_TABLES}
"""All tables by name: the study whose rows they need, and how to make them."""


VERDICT_NOTE = (
    "Verdicts go by 95 % bootstrap intervals over data sets, not corrected for their number: "
    + "; ".join(f"'{word}': {meaning}" for word, meaning in LEGEND.items())
    + ". Behind each difference stand the interval by data sets and the one by families. 'Beside a "
    "control' is the same rule against uniform weights of the same total, or for tuning nested in "
    "the training folds with as many settings for both. All is under the protocol that the "
    "published numbers come from, unless named."
)
"""What the verdicts mean."""


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
    tables = shown_tables(results, plan)
    if plan.name not in BEYOND and not plan.is_quick:
        tables.append(claims_table(check_claims(results)))
    folder = results.study_folder(plan.name) / "tables"
    write_tables(tables, folder)
    if plan.name in SUPPLEMENTS and not plan.is_quick:
        write_whole(folder / "supplement.csv", supplement(results, plan.name))
    return tables


SUPPLEMENTS = ("default", "tuning", "resampling", "multiclass")
"""Studies whose scores the paper's supplementary files S1 to S4 list by data set."""


def supplement(results: Results, study: str) -> str:
    """Return the metrics of each data set, classifier and strategy as CSV, in percent.

    Of a grid, the setting that the paper reports: the best on these very folds.
    """
    rows = results.rows(study)
    grids = [name for name in set(rows["strategy"]) if name in GRIDS]
    chosen = [select_settings(rows, name) for name in sorted(grids)]
    shown = pd.concat([rows[~rows["strategy"].isin(grids)], *chosen])
    keys = ["dataset", "classifier", "strategy"]
    names = [name for name in METRICS if shown[name].notna().any()]
    means = 100 * shown.groupby(keys, observed=True)[names].mean()
    return str(means.round(4).to_csv(lineterminator="\n"))


QUICK_NOTE = "A quick look at a few data sets and folds, which is not a result."


def shown_tables(results: Results, plan: Plan) -> list[Table]:
    """Return the tables of a study; those of a quick look say so, and have no published numbers."""
    tables = study_tables(results, plan.name)
    return [*map(_as_quick, tables)] if plan.is_quick else [*tables]


def _as_quick(table: Table) -> Table:
    rows = tuple(
        (label, tuple(replace(cell, published=None) for cell in cells))
        for label, cells in table.rows
    )
    note = " ".join(filter(None, [QUICK_NOTE, table.note]))
    return replace(table, title=f"Quick look: {table.title}", rows=rows, note=note)


@once
def study_tables(results: Results, study: str) -> list[Table]:
    """Return the tables that the rows of a study give."""
    if results.rows(study).empty:
        return []
    partial = part_run(results, study)
    remarks = [f"{partial[0].upper()}{partial[1:]}."] if partial else []
    remarks += _left_out(pd.concat(results.environments(study).values()))
    tables = []
    for name, (needed, make) in ALL_TABLES.items():
        if needed == study or name == "datasets":
            try:
                table = make(results)
            except KeyError:
                # A part of the strategies only, or none with settings: that table has to wait.
                continue
            if needed:
                table = replace(table, note=" ".join(filter(None, [table.note, *remarks])))
            tables.append(table)
    return tables


def _left_out(rows: pd.DataFrame) -> list[str]:
    """Return a sentence on the folds that failed, if there are any."""
    parts = []
    for name, of_strategy in rows.groupby("strategy", observed=True):
        failed = of_strategy["error"].notna()
        if failed.any():
            lost = int(
                failed.groupby([of_strategy["dataset"], of_strategy["classifier"]]).all().sum()
            )
            whole = f", on {lost} of the sets all" if lost else ""
            # All settings of a grid are no strategy, yet may fail like one.
            label = (GRIDS[name] if name in GRIDS else STRATEGIES[name]).label
            parts.append(f"{label} {failed.sum()} of {len(of_strategy)}{whole}")
    if not parts:
        return []
    return [f"Folds that failed and are left out: {'; '.join(parts)}."]


def claims_table(findings: list[tuple[Claim, Finding]]) -> Table:
    """Return the verdicts as a table."""
    rows = tuple((claim.statement, _claim_cells(claim, finding)) for claim, finding in findings)
    columns = ("Statement", "Verdict", "Beside a control", "Published", "Ours")
    return Table("claims", "The paper's statements", columns, rows, VERDICT_NOTE)


def _claim_cells(claim: Claim, finding: Finding) -> tuple[Cell, ...]:
    texts = (finding.verdict, finding.control or None, claim.published, finding.ours)
    return tuple(map(Cell, texts))
