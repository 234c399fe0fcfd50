"""Tables 16 and 17 of the paper: several classes."""

from __future__ import annotations

import pandas as pd

from icost_reproduction.evaluation import Results, published
from icost_reproduction.paper_tables.cells import (
    TIE_NOTE,
    VARIANTS,
    averages,
    classifier_label,
    paper_order,
    rows_beside_paper,
    tuned_means,
    win_loss_cells,
)
from icost_reproduction.tables import Table


def multiclass_means(results: Results) -> pd.DataFrame:
    """Return the MCC on the multiclass sets, of no cost, tuned CSL and tuned iCost."""
    tuned = tuned_means(results, "multiclass").rename(columns=lambda name: f"grid-{name}")
    return tuned.join(results.means("multiclass")[["ncs"]])


def multiclass(results: Results) -> Table:
    """Return the MCC on the multiclass sets."""
    means = averages(multiclass_means(results))
    labels = {
        "ncs": "No cost",
        "grid-cs": "Tuned CSL",
        **{f"grid-{name}": label for name, label in VARIANTS.items()},
    }
    rows = rows_beside_paper("multiclass", means[list(labels)])
    title, columns = "Table 16: MCC on the multiclass sets", ("Classifier", *labels.values())
    return Table("multiclass", title, columns, rows, _replaced(results.rows("multiclass")))


def _replaced(rows: pd.DataFrame) -> str:
    """Return a note on what took the place of what the plan names, and with which classifiers."""
    noted = rows.assign(used=rows["note"].fillna("").str.split("; ")).explode("used")
    noted = noted[noted["used"].str.startswith("as ")]
    n_classifiers, parts = rows["classifier"].nunique(), []
    groups = noted.groupby(["dataset", "used"], observed=True)["classifier"]
    for (where, what), names in groups:
        labels = ", ".join(map(classifier_label, paper_order(set(names))))
        place = where if names.nunique() == n_classifiers else f"{where} ({labels})"
        parts.append(f"{place}: {what}")
    return f"Exceptions: {'; '.join(sorted(parts))}." if parts else ""


def multiclass_win_loss(results: Results) -> Table:
    """Return wins and losses of tuned iCost against tuned CSL on the multiclass sets."""
    means, rows = tuned_means(results, "multiclass"), []
    for variant, label in VARIANTS.items():
        paper = published()["multiclass-win-loss"][variant]
        rows.append((label, win_loss_cells(100 * (means[variant] - means["cs"]), paper)))
    columns = ("Method", "Avg. ΔMCC", "iCost wins", "CSL wins", "Ties")
    title = "Table 17: Tuned iCost against tuned CSL on the multiclass sets"
    return Table("multiclass-win-loss", title, columns, tuple(rows), TIE_NOTE)
