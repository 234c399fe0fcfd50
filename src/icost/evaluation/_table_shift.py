"""What is new in a table: levels, gaps and ranges that the training rows did not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from icost.thresholds._certificate import lower_bound, upper_bound

LEVEL = 0.05
"""Share of tables without any change in which a column is named."""


@dataclass(frozen=True)
class ColumnShift:
    """How a column differs from what it was in training; prints as a sentence."""

    name: str
    unseen: tuple[str, ...] = ()
    unseen_share: float = 0.0
    outside: float = 0.0
    low: float | None = None
    high: float | None = None
    gaps: float | None = None
    gaps_before: float | None = None

    def __str__(self) -> str:
        said = []
        if self.unseen:
            more = f" and {len(self.unseen) - 3} more" if len(self.unseen) > 3 else ""
            shown = ", ".join(map(repr, self.unseen[:3]))
            rows = _percent(self.unseen_share)
            said.append(f"levels the model has not seen in {rows} of rows: {shown}{more}")
        if self.outside:
            span = f"{self.low:.4g} to {self.high:.4g}"
            said.append(f"{_percent(self.outside)} of rows are outside its range ({span})")
        if self.gaps is not None and self.gaps_before is not None:
            now, before = _percent(self.gaps), _percent(self.gaps_before)
            said.append(f"{now} of cells are missing, {before} at the fit")
        return f"Column {self.name!r}: {'; '.join(said)}."


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def column_shifts(
    table: Any, columns: Iterable[Mapping[str, Any]], n_rows: int | None
) -> tuple[ColumnShift, ...]:
    """Return the columns of a checked table that differ from those of a record by more than chance.

    Records of earlier versions have no ranges and gaps, so that only levels are compared.
    """
    columns = list(columns)
    confidence = 1 - LEVEL / (2 * max(1, len(columns)))
    shifts = []
    for column in columns:
        cells, name = table[column["name"]], column["name"]
        facts = _new_levels(cells, column)
        facts |= _new_range(cells, column, n_rows or 1, confidence)
        facts |= _new_gaps(cells, column, n_rows or 1, confidence)
        if facts:
            shifts.append(ColumnShift(name, **facts))
    return tuple(shifts)


def _new_levels(cells: Any, column: Mapping[str, Any]) -> dict[str, Any]:
    if "levels" not in column:
        return {}
    texts = cells.dropna().astype(str)
    is_new = ~texts.isin(column["levels"])
    if not is_new.any():
        return {}
    unseen = tuple(sorted(texts[is_new].unique()))
    return {"unseen": unseen, "unseen_share": float(is_new.sum() / len(cells))}


def _new_range(
    cells: Any, column: Mapping[str, Any], n_rows: int, confidence: float
) -> dict[str, Any]:
    if column.get("low") is None:
        return {}
    low, high = column["low"], column["high"]
    share = float(((cells < low) | (cells > high)).mean())
    # One more row is the smallest or the largest of all by chance in 2 of n + 1 cases.
    by_chance = 2 / (n_rows + 1)
    if not lower_bound(share, len(cells), confidence) > by_chance:
        return {}
    return {"outside": share, "low": low, "high": high}


def _new_gaps(
    cells: Any, column: Mapping[str, Any], n_rows: int, confidence: float
) -> dict[str, Any]:
    before, now = column.get("gaps"), float(np.mean(cells.isna()))
    if before is None:
        return {}
    ends = [
        (lower_bound(share, size, confidence), upper_bound(share, size, confidence))
        for share, size in ((before, n_rows), (now, len(cells)))
    ]
    is_apart = ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]
    return {"gaps": now, "gaps_before": before} if is_apart else {}
