"""Table 9 of the paper: spread over folds, and fit times."""

from __future__ import annotations

from icost_reproduction.evaluation import Results, dataset_times, published
from icost_reproduction.paper_tables.cells import averages, classifier_label, look_up
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Table


def stability(results: Results) -> Table:
    """Return the spread of MCC over folds and the fit times."""
    rows = results.rows("default")
    grouped = rows.groupby(["classifier", "dataset", "strategy"], observed=True)
    spread = averages(grouped["mcc"].std(ddof=0).unstack("strategy"), 1.0)
    time = averages(dataset_times(rows), 1.0)
    paper, strategies = published()["stability"], ("cs", "neighbor", "gini")
    lines = []
    for c in spread.index:
        cells = [Cell(spread.loc[c, s], look_up(paper, "std", c, s), 4) for s in strategies]
        cells += [Cell(time.loc[c, s], look_up(paper, "time", c, s), 4) for s in strategies]
        lines.append((classifier_label(c), tuple(cells)))
    names = [
        f"{quantity} {STRATEGIES[s].label}"
        for quantity in ("MCC std.", "Fit time (s)")
        for s in strategies
    ]
    note = (
        "Times include the estimation of complexity and are those of a set's median fold; the "
        "machine is not the paper's."
    )
    title = "Table 9: Stability and computational cost"
    return Table("stability", title, ("Classifier", *names), tuple(lines), note)
