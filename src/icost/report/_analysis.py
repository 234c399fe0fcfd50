"""`analyze`: how imbalanced a table is, which rows are hard, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost import complexity
from icost._core.files import plain_value
from icost._core.labels import class_totals, encode_labels, named_minority
from icost._core.validation import check_choice
from icost._core.views import View, Viewed
from icost._table._columns import Table
from icost._table._encoder import TableEncoder
from icost._table._space import SPACES
from icost.comparison._table_facts import TableFacts, contradictions, missing_cells, separation
from icost.complexity._base import BaseComplexity, Complexity
from icost.complexity._methods import MEASURES
from icost.label_errors import LabelQuality, label_quality
from icost.label_errors._quality import LEAST_ROWS
from icost.report._difficulty import (
    Group,
    category_shares,
    find_groups,
    nearest_rows,
    order_of_difficulty,
    overlap,
    weight_summary,
)
from icost.report._layouts import data_map, probe_tree, row_cells

if TYPE_CHECKING:
    import pandas as pd

MAX_HARDEST = 200
"""Rows in the table of the hardest ones."""

FURTHER_MEASURES = [name for name in MEASURES if name not in ("neighbor", "tree", "gini")]
"""Measures that are shown if they are asked for."""


@dataclass(frozen=True, repr=False)
class Analysis(Viewed):
    """What `analyze` found, as plain values: counts, categories, weights, and the hardest rows.

    The command line prints it, `write_page` shows it, and `to_dict` hands it to other programs; all
    three say the same. Rows are numbered from 1, the header not counted.

    Parameters
    ----------
    name, target : str
        Names of the table and of its class column.
    n_rows, n_columns : int
        Size of the table, the class left out.
    classes : list of dict
        ``label``, ``rows`` and ``share``, the most frequent first.
    minority : str
        The rarest class, or the one that was named as the minority.
    imbalance_ratio : float
        Rows of the other classes per row of that class.
    missing, repeated : dict
        Missing cells, in all and per column; ``repeated`` rows, and ``conflicting`` ones, which
        occur under another class as well.
    odd_columns, separation : list of dict
        Columns that cannot help, with the reason; the area under the ROC curve of each numeric one.
    groups : list of dict
        For each class that is rarer than the rest, the rarest first: the categories by both
        measures (``neighbor`` and ``gini``), ``overlap``, ``weights``, the number of ``suspects``
        and ``separability``, the area under the ROC curve of held-out models (None for fewer than
        10 rows, and if labels were not judged).
    hardest : list of dict
        The hardest rows with their categories, weights and neighbours; at most about 200.
    columns : list of str
        Names of the cells in ``hardest``, the first twelve columns.
    tree, weight_values, map : dict
        What a page draws: the probe tree, weights of minority rows by method, points of the map.
    weights : dict
        Columns of the file of weights, by name: for every row its class, its category, and what it
        weighs with class-level costs (``cs``), Neighbor-iCost and Gini-iCost; how well its label
        fits (``label_score``), its place among the suspects if it is one, the label suggested
        for it and its nearest rows.
    leaks, label_notes : list
        Columns that alone tell the classes apart, with a question about each; what is odd about the
        labels, such as classes of one or two rows.
    suspects : list of dict
        Rows that surprise the models, whatever their class, the most surprising first: ``row``,
        ``class``, ``suggested``, ``score``, ``odds`` and ``neighbors``.
    space : str
        In which space neighbours are searched.
    n_suspects : dict
        Number of suspects with each label; empty if labels were not judged.
    contradictions : list of dict
        Groups of rows with equal features and different labels: their ``rows`` and ``labels``.

    See Also
    --------
    analyze : Makes one.
    write_page : Shows it in a browser.

    Notes
    -----
    ``overlap`` compares the share of other classes among the neighbours of a class with what it
    would be if labels were dealt out at random. *Suspects* are those of `icost.label_quality`: some
    are labelled wrongly, others lie where classes overlap. ``contradictions`` are certain: at most
    one label of a group can be right, if the features are all that matters.

    With more than two classes each is set against the rest, so that ``weights`` has columns per
    class, such as ``"gini (2)"``. A class of more than half of the rows is in no group.

    Examples
    --------
    Of the 17 minority rows of glass2, none is easy for its neighbours:

    >>> from icost.datasets import load_dataset
    >>> from icost.report import analyze
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> found = analyze(X, y, with_map=False)
    >>> [(entry["category"], entry["rows"]) for entry in found.groups[0]["neighbor"]]
    [('border', 12), ('outlier', 5)]

    The weights of all rows make a data frame:

    >>> list(found.weights)[:6]
    ['row', 'class', 'category', 'cs', 'neighbor', 'gini']
    """

    name: str
    target: str
    n_rows: int
    n_columns: int
    classes: list[dict[str, Any]]
    minority: str
    imbalance_ratio: float
    missing: dict[str, Any]
    repeated: dict[str, int]
    odd_columns: list[dict[str, str]]
    separation: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    hardest: list[dict[str, Any]]
    columns: list[str]
    tree: dict[str, Any]
    weight_values: dict[str, list[float]]
    map: dict[str, Any] | None = None
    weights: dict[str, Any] = field(default_factory=dict, repr=False)
    leaks: list[dict[str, str]] = field(default_factory=list)
    label_notes: list[str] = field(default_factory=list)
    suspects: list[dict[str, Any]] = field(default_factory=list)
    n_suspects: dict[str, int] = field(default_factory=dict)
    space: str = ""
    contradictions: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings for JSON, without what only pictures need.

        Returns
        -------
        dict
            Plain values: what ``icost analyze --json`` prints. The map, the probe tree and the
            weights of all rows are left out.
        """
        left_out = {"map", "weights", "tree", "weight_values"}
        return plain_value({k: v for k, v in vars(self).items() if k not in left_out})

    def _view(self) -> View:
        from icost.report._words import headline  # which knows what an analysis is

        title = f"{self.name}: {self.n_rows:,} rows, {self.n_columns} columns"
        return View(title, headline(self))


def analyze(
    X: Any,
    y: ArrayLike,
    *,
    name: str = "table",
    minority_label: Any = None,
    n_neighbors: int = 5,
    with_map: bool = True,
    random_state: int = 0,
    progress: Callable[[str], Any] = lambda step: None,
    scaler: str = "standard",
    measures: Sequence[str] = (),
) -> Analysis:
    """Find out how imbalanced a table is, which rows are hard and why.

    This is the question before any model: are there too few minority rows, or are they in the wrong
    places? Every row of a class that is rarer than the rest is judged by the paper's two measures,
    the classes of its nearest neighbours and the leaf of a probe tree that it falls into. Models
    are fitted to judge the labels (`icost.label_quality`), but no strategies are compared.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Features of any kind.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    name : str, default="table"
        What to call the table.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    n_neighbors : int, default=5
        Neighbours to look at.
    with_map : bool, default=True
        Whether to compute the map, which only a page shows.
    random_state : int, default=0
        Seed of the probe tree and of the sample on the map.
    progress : callable, default=do nothing
        Called with the name of each step as it begins.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled for the search of neighbours and for the map. A page with a
        comparison has all of them in the comparison's space.
    measures : sequence of {"margin", "density", "graph", "cluster"}, default=()
        Further measures to judge the rows by, beside the paper's two. Those that look at
        neighbours look at ``n_neighbors``; all else is their default.

    Returns
    -------
    Analysis
        The findings.

    See Also
    --------
    write_page : A page of the findings.
    icost.comparison.compare : What helps.
    icost.complexity : The two measures by themselves.

    Notes
    -----
    Missing cells are taken as the column's median and text is one-hot encoded before distances are
    taken. The probe tree sees columns in their own units, since its questions are to be read.

    Distances depend on the scaling, and so do categories. Columns that mean nothing, such as a
    number of the row, push true neighbours apart; ``odd_columns`` names some of them, and they are
    better dropped first. All rows are judged together, without a test fold: these are facts about
    this table, not an estimate of how well a model will do.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.report import analyze
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> found = analyze(X, y, name="glass2", with_map=False)
    >>> found.minority, round(found.imbalance_ratio, 1), len(found.hardest)
    ('positive', 11.6, 17)

    A column that counts the rows is found, as are constants and identifiers:

    >>> odd = analyze(X.assign(number=range(len(X))), y, with_map=False).odd_columns
    >>> odd[0]["name"], odd[0]["problem"]
    ('number', 'counts the rows, as an index does: leave it out')
    """
    others = _further_measures(measures, n_neighbors)
    progress("reading the columns")
    return analyze_facts(
        TableFacts.of(X, y),
        name=name,
        minority_label=minority_label,
        n_neighbors=n_neighbors,
        with_map=with_map,
        random_state=random_state,
        progress=progress,
        scaler=scaler,
        measures=others,
    )


def analyze_facts(
    facts: TableFacts,
    *,
    name: str,
    minority_label: Any,
    random_state: int,
    progress: Callable[[str], Any],
    scaler: str,
    n_neighbors: int = 5,
    with_map: bool = True,
    measures: Mapping[str, BaseComplexity] | None = None,
    neighbor: Complexity | None = None,
) -> Analysis:
    """Do what `analyze` does, with facts about the table and a record of its neighbours, if any."""
    table, labels = facts.frame, facts.labels
    classes, codes = encode_labels(labels)
    minority = named_minority(minority_label, classes)
    space, units, names = _spaces(facts.typed, codes, scaler)
    progress("finding neighbours")
    groups = find_groups(
        (space, units),
        classes,
        codes,
        minority=minority,
        n_neighbors=n_neighbors,
        random_state=random_state,
        measures=measures,
        neighbor=neighbor,
    )
    rarest = groups[0]
    is_minority = np.isin(np.arange(len(table)), rarest.rows)
    progress("judging the labels")
    # A single row of a class cannot be judged by others.
    can_judge = class_totals(codes).min() > 1
    quality = label_quality(facts.typed, labels, random_state=random_state) if can_judge else None
    progress("looking at the hardest rows")
    columns, hardest, suspects = _shown_rows(table, space, labels, groups, n_neighbors, quality)
    progress("drawing the map" if with_map else "counting")
    category = row_categories(groups, len(table))
    return Analysis(
        name=name,
        target=facts.target,
        n_rows=len(table),
        n_columns=table.shape[1],
        classes=_class_counts(classes, codes),
        minority=str(rarest.label),
        imbalance_ratio=rarest.ratio,
        missing=missing_cells(table),
        repeated=facts.repeated,
        odd_columns=facts.odd_columns,
        separation=separation(table, is_minority) if is_minority.sum() >= LEAST_ROWS else [],
        groups=[_describe(group, len(table), quality) for group in groups],
        hardest=hardest,
        columns=columns,
        tree=probe_tree(rarest.tree, names),
        weight_values={name: w.round(6).tolist() for name, w in rarest.weights().items()},
        map=data_map(table, space, labels, category, random_state) if with_map else None,
        weights=_weight_columns(groups, labels, category) | _label_columns(quality, suspects),
        leaks=facts.leaks,
        label_notes=facts.label_notes,
        suspects=suspects,
        space=f"{n_neighbors} neighbours, {SPACES[scaler]}",
        n_suspects={} if quality is None else {str(k): n for k, n in quality.n_suspects.items()},
        contradictions=contradictions(table, labels),
    )


def _further_measures(names: Sequence[str], n_neighbors: int) -> dict[str, BaseComplexity]:
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        check_choice("a measure", name, FURTHER_MEASURES)
    return {
        name: getattr(complexity, measure)(**({"n_neighbors": n_neighbors} if parameters else {}))
        for name, (measure, parameters) in MEASURES.items()
        if name in given
    }


def _neighbors(shown: list[tuple[int, float]], labels: NDArray[Any]) -> list[dict[str, Any]]:
    return [
        {"row": row + 1, "class": str(labels[row]), "distance": float(f"{distance:.4g}")}
        for row, distance in shown
    ]


Nearest = Mapping[int, list[tuple[int, float]]]
"""The nearest rows of each row that is shown, with their distances."""


def _shown_rows(
    table: pd.DataFrame,
    space: NDArray[np.float64],
    labels: NDArray[Any],
    groups: list[Group],
    n_neighbors: int,
    quality: LabelQuality | None,
) -> tuple[list[str], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return names of columns, the hardest rows and the suspects, by one search of neighbours."""
    # Each class gets its turn, so that a large class does not crowd out a small one.
    quota, score = -(-MAX_HARDEST // len(groups)), None if quality is None else quality.score
    picks = [(g, place) for g in groups for place in order_of_difficulty(g, score)[:quota]]
    rows = np.array([group.rows[place] for group, place in picks])
    order = np.array([], dtype=np.intp) if quality is None else quality.order
    doubted = order if quality is None else order[quality.is_suspect[order]]
    nearest = nearest_rows(space, np.union1d(rows, doubted), n_neighbors, labels)
    shown = table.iloc[rows, :12]
    hardest = _hardest(picks, rows, row_cells(shown), nearest, labels, quality)
    suspects = _suspects(doubted, nearest, labels, quality)
    return [str(name) for name in shown.columns], hardest, suspects


def _suspects(
    rows: NDArray[np.intp], nearest: Nearest, labels: NDArray[Any], quality: LabelQuality | None
) -> list[dict[str, Any]]:
    """Return all suspects, the most surprising first."""
    if quality is None:
        return []
    return [
        {
            "row": int(row) + 1,
            "class": str(labels[row]),
            "suggested": str(quality.suggested[row]),
            "score": float(f"{quality.score[row]:.4g}"),
            "odds": float(f"{odds:.4g}"),
            "neighbors": _neighbors(nearest[row], labels),
        }
        for row, odds in zip(rows, quality.odds[rows], strict=True)
    ]


def _label_columns(
    quality: LabelQuality | None, suspects: list[dict[str, Any]]
) -> dict[str, NDArray[Any]]:
    """Columns of the file of weights about labels: ``suspect`` is the place in the order."""
    if quality is None:
        return {}
    n_samples = len(quality.score)
    place, nearest = np.full((2, n_samples), None)
    for number, entry in enumerate(suspects, start=1):
        place[entry["row"] - 1] = number
        nearest[entry["row"] - 1] = " ".join(str(near["row"]) for near in entry["neighbors"])
    suggested = quality.suggested.astype(object)
    suggested[~quality.is_suspect] = None
    return {
        "label_score": quality.score.round(6),
        "suspect": place,
        "suggested": suggested,
        "nearest": nearest,
    }


def _spaces(
    table: Table, codes: NDArray[np.intp], scaler: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Scaled features, features in their own units, and the names of the dimensions."""
    encoders = [
        TableEncoder(scaler=name).set_output(transform="default") for name in (scaler, "none")
    ]
    space, units = (encoder.fit_transform(table, codes) for encoder in encoders)
    return space, units, encoders[1].get_feature_names_out().tolist()


def _class_counts(classes: NDArray[Any], codes: NDArray[np.intp]) -> list[dict[str, Any]]:
    counts = np.bincount(codes)
    return [
        {"label": str(classes[c]), "rows": int(counts[c]), "share": float(counts[c] / len(codes))}
        for c in np.argsort(-counts, kind="stable")
    ]


def _describe(group: Group, n_samples: int, quality: LabelQuality | None) -> dict[str, Any]:
    label = np.asarray(group.label).item()
    return {
        "label": str(group.label),
        "rows": len(group.rows),
        "imbalance_ratio": group.ratio,
        "neighbor": category_shares(group.neighbor),
        "gini": category_shares(group.gini),
        "measures": {name: category_shares(record) for name, record in group.others.items()},
        "overlap": overlap(group, n_samples),
        "weights": weight_summary(group),
        "suspects": 0 if quality is None else int(quality.is_suspect[group.rows].sum()),
        "separability": None if quality is None else quality.separability[label],
    }


def row_categories(groups: list[Group], n_samples: int) -> NDArray[Any]:
    """Return the neighbour category of every row, ``"majority"`` for those without one."""
    category = np.full(n_samples, "majority", dtype=object)
    for group in groups:
        category[group.rows] = group.neighbor.category
    return category


def _hardest(
    picks: list[tuple[Group, np.intp]],
    rows: NDArray[np.intp],
    cells: list[list[Any]],
    nearest: Nearest,
    labels: NDArray[Any],
    quality: LabelQuality | None,
) -> list[dict[str, Any]]:
    """Return the picked rows, each with its group and its place there."""
    return [
        {
            "row": row + 1,
            "class": str(group.label),
            "category": str(group.neighbor.category[place]),
            "score": float(group.neighbor.score[place]),
            "region": str(group.gini.category[place]),
            "measures": {k: str(v.category[place]) for k, v in group.others.items()},
            "weight": float(group.neighbor.penalty[place]),  # type: ignore[index]
            "gini_weight": float(group.gini.penalty[place]),  # type: ignore[index]
            "suspect": quality is not None and bool(quality.is_suspect[row]),
            "neighbors": _neighbors(nearest[row], labels),
            "cells": row_of_cells,
        }
        for (group, place), row, row_of_cells in zip(picks, rows.tolist(), cells, strict=True)
    ]


def _weight_columns(
    groups: list[Group], labels: NDArray[Any], category: NDArray[Any]
) -> dict[str, Any]:
    columns: dict[str, Any] = {"row": np.arange(1, len(labels) + 1), "class": labels}
    columns["category"] = category
    for group in groups:
        # With several classes, each has a column: its weights against the rest.
        suffix = f" ({group.label})" if len(groups) > 1 else ""
        measured = {"neighbor": group.neighbor, "gini": group.gini, **group.others}
        weights = {name: record.penalty for name, record in measured.items()}
        for method, weight in ({"cs": group.ratio} | weights).items():
            column = np.ones(len(labels))
            column[group.rows] = weight
            columns[method + suffix] = column
        for name, record in group.others.items():
            # Rows that nobody judged have no share of other classes around them.
            column = np.full(len(labels), np.nan)
            column[group.rows] = record.other_class_share
            columns[f"{name} other-class share{suffix}"] = column
    return columns
