"""Tables 16 and 17 of the paper: several classes."""

from __future__ import annotations

import pandas as pd

from icost_reproduction.evaluation import Results, published, tuned_rows
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
from icost_reproduction.tables import Cell, Table


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


MACRO_METRICS = ("mcc", "f1", "g_mean", "sensitivity", "specificity", "precision", "accuracy")
"""The paper's metrics that a confusion matrix is enough for; all but MCC and accuracy are macro."""


def multiclass_metrics(results: Results) -> Table:
    """Return the other metrics of section 4.3 on the multiclass sets, as macro averages."""
    rows = results.rows("multiclass")
    tuned = pd.concat([tuned_rows(rows, name) for name in ("cs", *VARIANTS)])
    both = pd.concat([rows[rows["strategy"] == "ncs"], tuned])
    keys = ["classifier", "strategy"]
    by_set = both.groupby([*keys, "dataset"], observed=True)[list(MACRO_METRICS)].mean()
    means = 100 * by_set.groupby(keys, observed=True).mean()
    labels = {"ncs": "No cost", "cs": "Tuned CSL", **VARIANTS}
    lines = tuple(
        (f"{classifier_label(c)}, {label}", tuple(map(Cell, means.loc[(c, name)])))
        for c in paper_order(set(both["classifier"]))
        for name, label in labels.items()
    )
    columns = ("Classifier, method", *(name.replace("_", "-") for name in MACRO_METRICS))
    note = (
        "In percent. Each class counts alike, and mcc is the coefficient for several classes. "
        "Costs are tuned for it, on the folds that are reported. ROC-AUC was not recorded."
    )
    title = "Beside Tables 16 and 17: the paper's other metrics on the multiclass sets"
    return Table("multiclass-metrics", title, columns, lines, note)


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
