"""Tables 13 and 14 of the paper: how often each cost was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from icost_reproduction._internals import PAPER_GRID
from icost_reproduction.evaluation import Results, choose_settings, published
from icost_reproduction.paper_tables.cells import VARIANTS, classifier_label, look_up, paper_order
from icost_reproduction.tables import Cell, Table

NUMBERS = {"neighbor": "Table 13: ", "gini": "Table 14: "}


def cost_table(results: Results, variant: str) -> Table:
    """Return how often each candidate cost was chosen, and how often by a tie-break."""
    rows, name = results.rows("tuning"), f"{variant}-costs"
    chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
    lines = []
    for c in paper_order(set(chosen["classifier"])):
        of_classifier, paper = chosen[chosen["classifier"] == c], look_up(published(), name, c)
        lines.append((classifier_label(c), tuple(_cost_cells(of_classifier, paper))))
    values = [f"{cost} {value:.2f}" for cost, vs in PAPER_GRID.items() for value in vs]
    ties = [f"{cost} by tie-break" for cost in PAPER_GRID]
    title = f"{NUMBERS[variant]}How often each cost was chosen for tuned {VARIANTS[variant]}"
    note = (
        "Multiples of the imbalance ratio. 'By tie-break': datasets where settings with other "
        "values of this cost had the very same MCC, F1 and G-mean; the smallest is then taken. "
        "Costs of empty categories always tie."
    )
    return Table(name, title, ("Classifier", *values, *ties), tuple(lines), note)


def _cost_cells(chosen: pd.DataFrame, paper: Any) -> Iterable[Cell]:
    for cost, values in PAPER_GRID.items():
        for position, value in enumerate(values):
            count = int((chosen[cost].round(9) == value).sum())
            yield Cell(count, paper and paper[cost][position], 0)
    for cost in PAPER_GRID:
        yield Cell(int(chosen["costs_tied"].str.contains(cost).sum()), None, 0)
