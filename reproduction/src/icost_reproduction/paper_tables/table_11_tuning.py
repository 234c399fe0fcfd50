"""Table 11 of the paper: MCC before and after tuning the costs."""

from __future__ import annotations

from icost_reproduction.evaluation import Results, published
from icost_reproduction.paper_tables.cells import (
    VARIANTS,
    averages,
    classifier_label,
    look_up,
    paper_order,
    tuned_means,
)
from icost_reproduction.tables import Cell, Table


def tuning(results: Results) -> Table:
    """Return MCC with default and with tuned costs."""
    default, tuned = (averages(means) for means in (results.means("tuning"), tuned_means(results)))
    rows = []
    for c in paper_order(tuned.index):
        for name, label in {"cs": "CSL", **VARIANTS}.items():
            numbers = look_up(published(), "tuning", name, c) or {}
            before, after = default.loc[c, name], tuned.loc[c, name]
            values = {"default": before, "tuned": after, "delta": after - before}
            cells = tuple(Cell(value, numbers.get(key)) for key, value in values.items())
            rows.append((f"{classifier_label(c)}, {label}", cells))
    columns = ("Classifier, method", "Default", "Tuned", "ΔMCC")
    nested = (results.rows("tuning")["strategy"] == "tuned-neighbor").any()
    note = (
        "Tuned inside each training fold."
        if nested
        else "Tuned on the very folds that are reported, as in the paper: optimistic."
    )
    return Table("tuning", "Table 11: MCC before and after cost tuning", columns, tuple(rows), note)
