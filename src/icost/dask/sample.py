"""A sample of a dask table in which no class is left out, for what cannot look at all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from icost.dask.partitions import Partitions, dask

Sample = list[tuple[NDArray[Any], NDArray[np.intp]]]
"""Rows and their classes, partition by partition."""


def fixed_seed(random_state: Any) -> int:
    """Return a seed: a task that is lost and run again must draw the same numbers."""
    is_seed = isinstance(random_state, int | np.integer)
    return int(random_state) if is_seed else check_random_state(random_state).randint(2**31)


def draw_sample(
    table: Partitions, n_rows: int, seed: int, dtype: Any = np.float64
) -> tuple[list[Any], NDArray[np.float64]]:
    """Return a delayed `Sample`, and for each class what makes up for the rows left out."""
    totals = table.counts.sum(axis=0)
    sizes = _sample_sizes(totals, n_rows)
    chosen = _choose(table.counts, sizes, seed)
    take = dask.delayed(_take)
    sample = [
        take(matrix, codes, rows, dtype)
        for (matrix, codes), rows in zip(table.blocks("sample"), chosen, strict=True)
    ]
    # Exactly 1 for a class of which no row is left out.
    return sample, totals / sizes


def join_sample(sample: Sample) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the rows of a sample and their classes as two arrays."""
    return np.concatenate([rows for rows, _ in sample]), np.concatenate(
        [codes for _, codes in sample]
    )


def _sample_sizes(totals: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """Rows of each class in the sample: equal shares, or all of a class that has fewer."""
    sizes = np.zeros_like(totals)
    left = n_rows
    for position, code in enumerate(np.argsort(totals, kind="stable")):
        share = -(-left // (len(totals) - position))
        sizes[code] = max(1, min(totals[code], share))
        left -= sizes[code]
    return sizes


def _choose(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], seed: int
) -> list[list[NDArray[np.int64]]]:
    """Which rows to take, per partition and class, counted among the rows of the class."""
    # Chosen from the whole table, so that the sample does not depend on how it is cut.
    rng = np.random.default_rng(seed)
    per_class = []
    for column, size in zip(counts.T, sizes, strict=True):
        chosen = np.sort(rng.choice(column.sum(), size, replace=False, shuffle=False))
        ends = np.cumsum(column)
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        per_class.append([part - start for part, start in zip(parts, ends - column, strict=True)])
    return [list(parts) for parts in zip(*per_class, strict=True)]


def _take(
    matrix: NDArray, codes: NDArray, chosen: list[NDArray[np.int64]], dtype: Any
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    rows = [np.flatnonzero(codes == code)[ordinals] for code, ordinals in enumerate(chosen)]
    kept = np.sort(np.concatenate(rows))
    return matrix[kept].astype(dtype, copy=False), codes[kept].astype(np.intp)
