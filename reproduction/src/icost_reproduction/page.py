"""The page of a study: verdicts on the paper first, then figures and tables, in one file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from icost_reproduction._internals import render_page, write_whole
from icost_reproduction.claims import check_claims
from icost_reproduction.evaluation import Results
from icost_reproduction.figures import as_data_uri, as_svg, study_figures
from icost_reproduction.findings import VERDICTS
from icost_reproduction.plan import BEYOND, Plan
from icost_reproduction.study_tables import VERDICT_NOTE, failures, shown_tables

BADGES = dict(zip(VERDICTS, ("pure", "safe", "mixed", "outlier", "border", ""), strict=True))
"""Colour of each verdict, by the names of the theme."""

_MOVED = r"^(?:threshold|offsets) [-+\d][^;]*(?:; |$)"
"""In a note, where the border between classes was moved to."""


def write_study_page(results: Results, plan: Plan, command: str = "") -> Path:
    """Write ``index.html`` and the figures of a study into its folder, and return its path."""
    folder = results.study_folder(plan.name)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    pictures = []
    for name, caption, figure in study_figures(results, plan.name):
        svg = as_svg(figure)
        write_whole(folder / "figures" / f"{name}.svg", svg)
        pictures.append({"name": name, "caption": caption, "uri": as_data_uri(svg)})
    # A few folds of a few sets judge no statement.
    findings = [] if plan.is_quick or plan.name in BEYOND else check_claims(results)
    page = render_page(
        "study.html",
        package="icost_reproduction",
        figures={},
        data={},
        title=page_title(plan),
        plan=plan,
        findings=findings,
        counts=Counter(finding.verdict for _, finding in findings),
        note=VERDICT_NOTE,
        badges=BADGES,
        pictures=pictures,
        tables=shown_tables(results, plan),
        facts=study_facts(results, plan.name),
        command=command,
    )
    write_whole(folder / "index.html", page)
    return folder / "index.html"


def page_title(plan: Plan) -> str:
    """Return the title of a study's page, which says so if it is a quick look."""
    mark = "Quick look, not a result: " * plan.is_quick
    return f"{mark}{plan.title} ({plan.profile})"


def study_facts(results: Results, study: str) -> dict[str, Any]:
    """Return what was run: numbers of rows, sets and failures, notes and versions."""
    rows = pd.concat(results.environments(study).values())
    # Every fold has a threshold or offsets of its own; what else was noted there stays.
    notes = rows["note"].astype(object).str.replace(_MOVED, "", regex=True)
    notes = notes[notes.notna() & (notes != "")]
    return {
        "rows": len(rows),
        "datasets": rows["dataset"].nunique(),
        "failed": int(rows["error"].notna().sum()),
        "failures": failures(rows),
        "untimed": int((rows["error"].isna() & rows["fit_time"].isna()).sum()),
        "hours": float(rows[["fit_time", "weight_time"]].sum().sum() / 3600),
        "versions": sorted(rows["versions"].dropna().unique()),
        "notes": [{"note": note, "rows": n} for note, n in notes.value_counts().items()],
    }
