"""The tables of the paper from our rows, each cell beside the published one.

A module is named after the paper's numbers: ``table_08_trade_off`` makes Table 8. Tables 1, 2 and
10 list what is set, not measured, and are not made. `TABLES` has all by name, `TABLE_NUMBERS` those
of the paper by number; `icost_reproduction.figures` has its figures.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from icost_reproduction.evaluation import METRICS, Results
from icost_reproduction.paper_tables.cells import (
    VARIANTS,
    averages,
    classifier_label,
    paper_order,
    tuned_means,
)
from icost_reproduction.paper_tables.random_forests import forests
from icost_reproduction.paper_tables.table_03_04_datasets import datasets
from icost_reproduction.paper_tables.table_05_06_metrics import metric_table, per_dataset_table
from icost_reproduction.paper_tables.table_07_12_win_loss import tuned_win_loss, win_loss
from icost_reproduction.paper_tables.table_08_trade_off import (
    error_changes,
    error_changes_per_set,
    trade_off,
)
from icost_reproduction.paper_tables.table_09_stability import stability
from icost_reproduction.paper_tables.table_11_tuning import tuning
from icost_reproduction.paper_tables.table_13_14_cost_choices import cost_table
from icost_reproduction.paper_tables.table_15_resampling import resampling
from icost_reproduction.paper_tables.table_16_17_multiclass import (
    multiclass,
    multiclass_means,
    multiclass_metrics,
    multiclass_win_loss,
)
from icost_reproduction.tables import Table

__all__ = [
    "DEFINITIONS",
    "TABLES",
    "TABLE_NUMBERS",
    "VARIANTS",
    "averages",
    "classifier_label",
    "error_changes",
    "error_changes_per_set",
    "multiclass_means",
    "paper_order",
    "table_name",
    "tuned_means",
]

TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "datasets": ("", datasets),
    **{
        metric.replace("_", "-"): ("default", partial(metric_table, metric=metric))
        for metric in dict.fromkeys(("mcc", "f1", *METRICS))
    },
    **{f"per-dataset-{m}": ("default", partial(per_dataset_table, metric=m)) for m in METRICS},
    "win-loss": ("default", win_loss),
    "trade-off": ("default", trade_off),
    "stability": ("default", stability),
    "forests": ("default", forests),
    "tuning": ("tuning", tuning),
    "tuned-win-loss": ("tuning", tuned_win_loss),
    "neighbor-costs": ("tuning", partial(cost_table, variant="neighbor")),
    "gini-costs": ("tuning", partial(cost_table, variant="gini")),
    "resampling": ("resampling", resampling),
    "multiclass": ("multiclass", multiclass),
    "multiclass-win-loss": ("multiclass", multiclass_win_loss),
    "multiclass-metrics": ("multiclass", multiclass_metrics),
}
"""Tables by name: the study whose rows they need, and how to make them."""

TABLE_NUMBERS = {
    3: "datasets",
    4: "datasets",
    5: "mcc",
    6: "f1",
    7: "win-loss",
    8: "trade-off",
    9: "stability",
    11: "tuning",
    12: "tuned-win-loss",
    13: "neighbor-costs",
    14: "gini-costs",
    15: "resampling",
    16: "multiclass",
    17: "multiclass-win-loss",
}
"""Names of our tables by the number that the paper gives them."""

DEFINITIONS = {
    1: "is the cost matrix, a definition: docs/paper.md has what its entries are called here",
    2: "lists the parameters of iCost, which help(icost.iCost) and docs/paper.md have",
    10: "lists the costs that are tried: icost.iCostCV(grid='paper') searches them, and "
    "docs/paper.md has them",
}
"""Tables of the paper in which nothing is measured, and where they are."""


def table_name(name: str) -> str:
    """Return our name of ``table-8``, the paper's Table 8; any other name as it is."""
    start, _, number = str(name).rpartition("-")
    if start != "table" or not number.isdecimal():
        return name
    if int(number) in DEFINITIONS:
        raise ValueError(f"Table {number} of the paper {DEFINITIONS[int(number)]}.")
    if int(number) not in TABLE_NUMBERS:
        listed = ", ".join(map(str, TABLE_NUMBERS))
        raise ValueError(
            f"the number of a table with results must be one of {listed}, got {number}."
        )
    return TABLE_NUMBERS[int(number)]
