"""The map: each row as a point in the plane, few enough to draw."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from icost.files import plain_value
from icost.plots.plane import to_plane
from icost.validation import import_extra

if TYPE_CHECKING:
    import pandas as pd

MAX_POINTS = 3000
"""Points on the map; a browser draws them at once, and a page stays small."""

MAX_COLUMNS, MAX_TEXT = 40, 60
"""Columns that a point shows, and letters of a cell."""


def data_map(
    X: pd.DataFrame,
    space: NDArray[np.float64],
    labels: NDArray[Any],
    category: NDArray[Any],
    *,
    umap: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Place rows in the plane: all of the minority if they fit, and a sample of the others.

    The first projection is on two principal components of all rows; UMAP, which takes the package
    umap-learn and time, is one of the rows on the map. ``category`` is ``"majority"`` for rows that
    have none.
    """
    rows = _choose_rows(category != "majority", np.random.default_rng(seed))
    points, axes = to_plane(space)
    projections = [_projection("Principal components", points[rows], axes)]
    if umap:
        projections.append(_umap(space[rows], seed))
    columns = [str(name) for name in X.columns[:MAX_COLUMNS]]
    return {
        "rows": (rows + 1).tolist(),
        "labels": [str(label) for label in labels[rows]],
        "category": [str(name) for name in category[rows]],
        "columns": columns,
        "cells": row_cells(X.iloc[rows, :MAX_COLUMNS]),
        "projections": projections,
        "n_rows": len(X),
    }


def row_cells(X: pd.DataFrame) -> list[list[Any]]:
    """Return the cells of a table, row by row, as JSON can hold them; long text is cut."""
    columns = [[_cell(value) for value in X[name]] for name in X.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _cell(value: Any) -> Any:
    value = plain_value(value)
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, str):
        return "" if value in ("nan", "NaT", "<NA>") else value[:MAX_TEXT]
    return value


def _choose_rows(is_minority: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    minority, majority = np.flatnonzero(is_minority), np.flatnonzero(~is_minority)
    if len(is_minority) <= MAX_POINTS:
        return np.arange(len(is_minority))
    # At least half of the points are left to the majority, or there is nothing to overlap with.
    n_minority = min(len(minority), MAX_POINTS // 2)
    n_majority = min(len(majority), MAX_POINTS - n_minority)
    chosen = [
        rng.choice(part, size, replace=False)
        for part, size in ((minority, n_minority), (majority, n_majority))
    ]
    return np.sort(np.concatenate(chosen))


def _projection(name: str, points: NDArray[np.float64], axes: tuple[str, str]) -> dict[str, Any]:
    x, y = np.round(points.T, 4)
    return {"name": name, "x": x.tolist(), "y": y.tolist(), "axes": list(axes)}


def _umap(space: NDArray[np.float64], seed: int) -> dict[str, Any]:
    # Its warnings are about Tensorflow, threads and graph parts: nothing a reader could act on.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = import_extra("umap", "umap", "A UMAP projection")
        n_neighbors = min(15, len(space) - 1)
        projector = module.UMAP(n_neighbors=n_neighbors, random_state=seed, n_jobs=1)
        points = projector.fit_transform(space)
    return _projection("UMAP", points, ("UMAP 1", "UMAP 2"))
