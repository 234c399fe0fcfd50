"""What the paper's tables share: averages, labels, and cells with the published number."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import pandas as pd

from icost_reproduction._internals import CLASSIFIERS, PAPER_CLASSIFIERS
from icost_reproduction.evaluation import (
    Results,
    count_wins,
    dataset_means,
    once,
    published,
    tuned_rows,
)
from icost_reproduction.tables import Cell, Rows

PAPER_STRATEGIES = ("ncs", "cs", "neighbor", "gini")
VARIANTS = {"neighbor": "Neighbor-iCost", "gini": "Gini-iCost"}
COUNTS = ("wins", "losses", "ties")
TIE_NOTE = "A tie is a difference of at most 1e-9."


def classifier_label(name: str) -> str:
    """Return the name of a classifier, or of the average over them, in tables."""
    return CLASSIFIERS[name].label if name in CLASSIFIERS else name.capitalize()


def paper_order(names: Container[str]) -> list[str]:
    """Return those of the paper's classifiers that were found, in the paper's order."""
    return [name for name in PAPER_CLASSIFIERS if name in names]


def averages(means: pd.DataFrame, scale: float = 100.0) -> pd.DataFrame:
    """Return the mean over datasets per classifier, and the mean of these as ``average``."""
    table = scale * means.groupby("classifier", observed=True).mean()
    table = table.loc[paper_order(table.index)]
    if set(table.index) == set(PAPER_CLASSIFIERS):
        # An average over fewer classifiers than the paper has is not comparable.
        table.loc["average"] = table.mean()
    return table


def look_up(tree: Any, *keys: str) -> Any:
    """Return an entry of nested dictionaries, or None."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def rows_beside_paper(
    name: str, means: pd.DataFrame, label: Callable[[str], str] = classifier_label
) -> Rows:
    """Return the rows of a table of means, each cell beside that of the paper's table."""
    rows, paper = [], published().get(name)
    for row in means.index:
        cells = tuple(Cell(means.loc[row, k], look_up(paper, row, k)) for k in means)
        rows.append((label(row), cells))
    return tuple(rows)


def win_loss_cells(delta: pd.Series, paper: dict[str, Any]) -> tuple[Cell, ...]:
    """Return the cells of a mean difference, and of wins, losses and ties by dataset."""
    counts = count_wins(delta, 0 * delta)
    numbers = (Cell(counts[k], paper.get(k), 0) for k in COUNTS)
    return Cell(float(delta.mean()), paper.get("delta")), *numbers


@once
def tuned_means(results: Results, study: str = "tuning") -> pd.DataFrame:
    """Return the MCC of tuned ``cs``, ``neighbor`` and ``gini`` per classifier and dataset."""
    rows = results.rows(study)
    return dataset_means(pd.concat([tuned_rows(rows, n) for n in ("cs", "neighbor", "gini")]))
