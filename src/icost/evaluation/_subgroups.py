"""Scores by the levels of a column: where does a model find less, or raise more alerts?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from icost._core.arrays import Bools
from icost._core.validation import check_choice, is_missing
from icost.evaluation._intervals import Interval, ScoredRows, share_of

N_QUANTILES = 4
"""Levels that a column of many numbers is cut into."""

MOST_LEVELS = 20
"""Levels of a column; the rarer ones are judged together."""

LEVEL = 0.05
"""Share of columns in which a level is marked although all levels are alike."""

SHARES = ("recall", "precision", "alerts")


@dataclass(frozen=True)
class LevelScores:
    """Shares among the rows of one level, and which of them differ from the other rows."""

    column: str
    level: str
    n_rows: int
    n_minority: int
    recall: Interval
    precision: Interval
    alerts: Interval
    differing: tuple[str, ...]

    def __str__(self) -> str:
        said = []
        for what in self.differing:
            share: Interval = getattr(self, what)
            said.append(f"{what} {share.value:.2f} ({share.low:.2f} to {share.high:.2f})")
        return f"{self.column} {self.level}: {', '.join(said)} – not as elsewhere."


def scores_by(rows: ScoredRows, column: str, values: Any) -> list[LevelScores]:
    """Return the scores of each level of a column with one value per row."""
    levels = list(_levels(np.asarray(values)))
    limit = LEVEL / (len(levels) * len(SHARES))
    return [_level_scores(rows, column, name, inside, limit) for name, inside in levels]


def columns_by(by: Any, X: Any) -> dict[str, Any]:
    """Return columns to judge by, given as names of columns, or as values with a name each."""
    if by is None:
        return {}
    if isinstance(by, Mapping):
        return {str(name): np.asarray(values) for name, values in by.items()}
    names = [by] if isinstance(by, str) else list(by)
    columns = [str(name) for name in getattr(X, "columns", ())]
    for name in names:
        check_choice("by", name, columns)
    return {name: np.asarray(X[name]) for name in names}


def _level_scores(
    rows: ScoredRows, column: str, level: str, inside: Bools, limit: float
) -> LevelScores:
    truth, alert = rows.is_minority, rows.is_alert
    everything = np.ones(len(truth), dtype=bool)
    sides = {"recall": (truth, alert), "precision": (alert, truth), "alerts": (everything, alert)}
    recall, precision, alerts = (
        share_of(rows, inside & among, hits) for among, hits in sides.values()
    )
    differing = [
        what
        for what, (among, hits) in sides.items()
        if _p_value(rows, inside & among, ~inside & among, hits) <= limit
    ]
    counts = int(inside.sum()), int((inside & truth).sum())
    return LevelScores(
        column, level, *counts, recall, precision, alerts, differing=tuple(differing)
    )


def _p_value(rows: ScoredRows, inside: Bools, outside: Bools, hits: Bools) -> float:
    """Return Fisher's exact test of two shares, with counts as small as groups make them."""
    table = []
    for some in (inside, outside):
        n_rows, n_worth = int(np.count_nonzero(some)), rows.effective_count(some)
        n_hits = round(int(np.count_nonzero(hits & some)) * n_worth / max(1, n_rows))
        table.append([n_hits, max(0, round(n_worth) - n_hits)])
    return float(fisher_exact(table).pvalue)


def _levels(values: NDArray[Any]) -> Iterator[tuple[str, Bools]]:
    """Yield the levels of a column with their rows: numbers cut at quantiles, gaps on their own."""
    gaps = np.array([is_missing(value) for value in values], dtype=bool)
    numbers = _as_numbers(values, gaps)
    if numbers is not None and len(np.unique(numbers[~gaps])) > N_QUANTILES:
        yield from _quantile_levels(numbers, gaps)
    else:
        yield from _named_levels(values, gaps)
    if gaps.any():
        yield "missing", gaps


def _as_numbers(values: NDArray[Any], gaps: Bools) -> NDArray[Any] | None:
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    if values.dtype.kind != "O" or any(isinstance(value, str) for value in values[~gaps]):
        return None
    try:
        return np.where(gaps, np.nan, values).astype(np.float64)
    except (TypeError, ValueError):
        return None


def _quantile_levels(numbers: NDArray[Any], gaps: Bools) -> Iterator[tuple[str, Bools]]:
    edges = np.unique(np.quantile(numbers[~gaps], np.linspace(0, 1, N_QUANTILES + 1)))
    for place, (low, high) in enumerate(pairwise(edges)):
        is_last = place == len(edges) - 2
        inside = (numbers >= low) & ((numbers <= high) if is_last else (numbers < high))
        yield f"{low:.4g} to {high:.4g}", inside


def _named_levels(values: NDArray[Any], gaps: Bools) -> Iterator[tuple[str, Bools]]:
    names = np.array([str(value) for value in values], dtype=object)
    levels, counts = np.unique(names[~gaps].astype(str), return_counts=True)
    levels = levels[np.argsort(-counts, kind="stable")]
    kept = levels if len(levels) <= MOST_LEVELS else levels[: MOST_LEVELS - 1]
    for level in kept:
        yield f"= {level}", (names == level) & ~gaps
    if len(kept) < len(levels):
        yield f"({len(levels) - len(kept)} others)", ~np.isin(names.astype(str), kept) & ~gaps
