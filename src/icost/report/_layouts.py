"""Where things go in the report's pictures: rows on the map, nodes of the probe tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Bools, Floats, Ints
from icost._core.files import plain_value
from icost.complexity import GiniComplexity
from icost.plots._drawing import to_plane

if TYPE_CHECKING:
    import pandas as pd

MAX_POINTS = 3000
"""Points on the map; a browser draws them at once, and a page stays small."""

MAX_COLUMNS, MAX_TEXT = 40, 60
"""Columns that a point shows, and letters of a cell."""


def data_map(
    X: pd.DataFrame, space: Floats, labels: NDArray[Any], category: NDArray[Any], seed: int = 0
) -> dict[str, Any]:
    """Place rows in the plane: all of the minority if they fit, and a sample of the others.

    The projection is on two principal components of all rows. ``category`` is ``"majority"`` for
    rows that have none.
    """
    rows = _choose_rows(category != "majority", np.random.default_rng(seed))
    points, axes = to_plane(space)
    x, y = np.round(points[rows].T, 4)
    columns = [str(name) for name in X.columns[:MAX_COLUMNS]]
    return {
        "rows": (rows + 1).tolist(),
        "labels": [str(label) for label in labels[rows]],
        "category": [str(name) for name in category[rows]],
        "columns": columns,
        "cells": row_cells(X.iloc[rows, :MAX_COLUMNS]),
        "x": x.tolist(),
        "y": y.tolist(),
        "axes": list(axes),
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


def _choose_rows(is_minority: Bools, rng: np.random.Generator) -> Ints:
    minority, majority = np.flatnonzero(is_minority), np.flatnonzero(~is_minority)
    if len(is_minority) <= MAX_POINTS:
        return np.arange(len(is_minority))
    # At least half of the points are left to the majority, or there is nothing to overlap with.
    n_minority = min(len(minority), MAX_POINTS // 2)
    n_majority = min(len(majority), MAX_POINTS - n_minority)
    chosen = [
        rng.choice(rows, size, replace=False)
        for rows, size in ((minority, n_minority), (majority, n_majority))
    ]
    return np.sort(np.concatenate(chosen))


NODE_WIDTH, NODE_HEIGHT, GAP_X, GAP_Y = 115, 62, 8, 46


def probe_tree(tree: Any, names: list[str]) -> dict[str, Any]:
    """Lay out the probe tree of Gini-iCost, as fitted to features in their own units.

    A node has its place, its rows, their minority share, and a question or the category of a leaf.
    """
    measure = GiniComplexity()
    # A leaf's place is its turn from left to right; a parent stands between its children.
    place = _places(tree)
    depth = (tree.compute_node_depths() - 1).tolist()
    share = tree.value[:, 0, -1] / tree.value[:, 0].sum(axis=1)
    nodes: list[dict[str, Any]] = [
        {
            "x": place[node] * (NODE_WIDTH + GAP_X),
            "y": depth[node] * (NODE_HEIGHT + GAP_Y),
            "rows": int(tree.n_node_samples[node]),
            "share": float(share[node]),
            "question": _question(tree, node, names),
            "category": None if _is_inner(tree, node) else str(measure.categorize(share)[node]),
        }
        for node in range(tree.node_count)
    ]
    return {
        "width": max(n["x"] for n in nodes) + NODE_WIDTH,
        "height": max(n["y"] for n in nodes) + NODE_HEIGHT,
        "node_width": NODE_WIDTH,
        "node_height": NODE_HEIGHT,
        "nodes": nodes,
        "edges": _edges(tree, nodes),
    }


def _is_inner(tree: Any, node: int) -> bool:
    return bool(tree.children_left[node] != tree.children_right[node])


def _question(tree: Any, node: int, names: list[str]) -> str | None:
    if not _is_inner(tree, node):
        return None
    name, threshold = names[tree.feature[node]], tree.threshold[node]
    # A one-hot column is asked "is it this level?" and answered no to the left.
    return f"{name}?" if " = " in name else f"{name} ≤ {threshold:.4g}"


def _places(tree: Any) -> dict[int, float]:
    place: dict[int, float] = {}

    def walk(node: int) -> float:
        if not _is_inner(tree, node):
            place[node] = float(sum(not _is_inner(tree, done) for done in place))
        else:
            sides = [walk(int(side[node])) for side in (tree.children_left, tree.children_right)]
            place[node] = sum(sides) / 2
        return place[node]

    walk(0)
    return place


def _edges(tree: Any, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    edges = []
    for node, parent in enumerate(nodes):
        if not _is_inner(tree, node):
            continue
        yes, no = ("no", "yes") if parent["question"].endswith("?") else ("yes", "no")
        for child, answer in ((tree.children_left[node], yes), (tree.children_right[node], no)):
            edges.append(
                {
                    "x1": parent["x"] + NODE_WIDTH / 2,
                    "y1": parent["y"] + NODE_HEIGHT,
                    "x2": nodes[child]["x"] + NODE_WIDTH / 2,
                    "y2": nodes[child]["y"],
                    "answer": answer,
                }
            )
    return edges
