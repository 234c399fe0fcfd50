"""Random forests by version of scikit-learn, which the paper has no table of."""

from __future__ import annotations

from icost_reproduction.evaluation import Results, dataset_means, published, with_metrics
from icost_reproduction.paper_tables.cells import PAPER_STRATEGIES, averages
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Table


def forests(results: Results) -> Table:
    """Return the MCC of RF by version of scikit-learn, as 1.9 changed what weights do to it."""
    paper, rows = published()["mcc"]["rf"], []
    for environment in map(with_metrics, results.environments("default").values()):
        means = averages(dataset_means(environment[environment["classifier"] == "rf"]))
        if len(means):
            recorded = environment.loc[environment["classifier"] == "rf", "versions"].iloc[0]
            version = next(text for text in recorded.split(", ") if text.startswith("scikit-learn"))
            cells = (Cell(means.loc["rf", s], paper[s]) for s in PAPER_STRATEGIES)
            rows.append((version, tuple(cells)))
    columns = ("Version", *(STRATEGIES[s].label for s in PAPER_STRATEGIES))
    note = "Up to 1.8, weights entered the trees; from 1.9 on they drive the bootstrap draw."
    return Table("forests", "Average MCC (%) of RF", columns, tuple(rows), note)
