"""Tables 7 and 12 of the paper: wins and losses against class-level costs."""

from __future__ import annotations

import pandas as pd

from icost_reproduction.evaluation import Results, published
from icost_reproduction.paper_tables.cells import (
    COUNTS,
    TIE_NOTE,
    VARIANTS,
    classifier_label,
    look_up,
    paper_order,
    tuned_means,
    win_loss_cells,
)
from icost_reproduction.tables import Table

WIN_LOSS_COLUMNS = ("Method, classifier", "Avg. ΔMCC", "iCost wins", "CS wins", "Ties")


def win_loss(results: Results) -> Table:
    """Return wins and losses of iCost with default costs against class-level costs."""
    title = "Table 7: iCost against traditional CSL, by MCC on each dataset"
    return _win_loss("win-loss", results.means("default"), title)


def tuned_win_loss(results: Results) -> Table:
    """Return wins and losses of tuned iCost against tuned class-level costs."""
    title = "Table 12: Tuned iCost against tuned CSL, by MCC on each dataset"
    return _win_loss("tuned-win-loss", tuned_means(results), title)


def _win_loss(name: str, means: pd.DataFrame, title: str) -> Table:
    rows = []
    for variant, label in VARIANTS.items():
        delta, paper = 100 * (means[variant] - means["cs"]), published()[name][variant]
        for c in paper_order(delta.index):
            cells = win_loss_cells(delta.loc[[c]], look_up(paper, c) or {})
            rows.append((f"{label}, {classifier_label(c)}", cells))
        total = {k: sum(numbers[k] for numbers in paper.values()) for k in COUNTS}
        rows.append((f"{label}, {classifier_label('all')}", win_loss_cells(delta, total)))
    return Table(name, title, WIN_LOSS_COLUMNS, tuple(rows), TIE_NOTE)
