"""Tables 5 and 6 of the paper: average MCC and F1; and those of other metrics."""

from __future__ import annotations

from icost_reproduction._internals import PAPER_CLASSIFIERS, read_registry
from icost_reproduction.evaluation import Results
from icost_reproduction.paper_tables.cells import (
    PAPER_STRATEGIES,
    averages,
    classifier_label,
    rows_beside_paper,
)
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Table

TITLES = {"mcc": "Table 5: Average MCC (%)", "f1": "Table 6: Average F1 (%)"}
"""The paper has tables of two metrics."""


def metric_table(results: Results, metric: str) -> Table:
    """Return the average of a metric per classifier and strategy of the paper."""
    means = averages(results.means("default", metric))
    means = means[[s for s in PAPER_STRATEGIES if s in means]]
    name, title = metric.replace("_", "-"), TITLES.get(metric, f"Average {metric} (%)")
    columns = ("Classifier", *(STRATEGIES[s].label for s in means))
    return Table(name, title, columns, rows_beside_paper(name, means))


def per_dataset_table(results: Results, metric: str) -> Table:
    """Return a metric on each dataset, with each classifier and strategy of the paper."""
    means = 100 * results.means("default", metric).unstack("classifier")
    pairs = [(s, c) for c in PAPER_CLASSIFIERS for s in PAPER_STRATEGIES if (s, c) in means]
    names = [r.name for r in read_registry() if r.name in means.index]
    rows = [(name, tuple(Cell(means.loc[name, pair]) for pair in pairs)) for name in names]
    columns = ("Dataset", *(f"{classifier_label(c)} {s}" for s, c in pairs))
    return Table(f"per-dataset-{metric}", f"{metric} per dataset", columns, tuple(rows))
