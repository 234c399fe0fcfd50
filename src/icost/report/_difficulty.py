"""How hard the minority rows are, by both of the paper's measures and by any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from icost._core.arrays import Bools, Floats, Ints
from icost._neighbors.ties import round_half_up, tied_band
from icost._weights.problems import Problem, decompose, estimate_complexity
from icost.complexity import BaseComplexity, Complexity, GiniComplexity, NeighborComplexity
from icost.complexity._base import PAPER_CATEGORIES
from icost.penalties import Costs

SPARE = 20
"""Rows beyond the nearest ones that are asked for, so that most ties are seen."""

LOOSE = 1e-6
"""Relative difference of distances below which a search may have mistaken their order."""


@dataclass(frozen=True, eq=False)
class Group:
    """A class that is rarer than the rest, and how hard each of its rows is by both measures.

    ``tree`` is the probe tree; ``others`` are records by further measures, if any were asked for.
    """

    label: Any
    rows: Ints
    ratio: float
    neighbor: Complexity
    gini: Complexity
    tree: Any
    others: dict[str, Complexity]

    def weights(self) -> dict[str, Floats]:
        """Return the weights by both measures."""
        records = {"Neighbor-iCost": self.neighbor, "Gini-iCost": self.gini}
        return {name: np.asarray(record.penalty) for name, record in records.items()}


class _KeptTrees(GiniComplexity):
    """The measure, with the tree of each problem, which takes seconds to fit to a large table."""

    trees: list[Any]

    def fit_tree(self, *arguments: Any, **options: Any) -> Any:
        """Fit a probe tree, and keep it."""
        self.trees.append(super().fit_tree(*arguments, **options))
        return self.trees[-1]


def find_groups(
    spaces: tuple[Floats, Floats],
    classes: NDArray[Any],
    codes: Ints,
    *,
    minority: int | None = None,
    n_neighbors: int = 5,
    random_state: int = 0,
    measures: Mapping[str, BaseComplexity] | None = None,
    neighbor: Complexity | None = None,
) -> list[Group]:
    """Judge the rows of each class that is rarer than the rest, the rarest class first.

    ``spaces`` are scaled features, for distances, and features in their own units, for the probe
    tree, whose questions a reader is to understand. Further measures get the scaled ones. Of two
    classes, the record by ``neighbor`` is taken as it is if somebody has it already.
    """
    problems = decompose(codes, len(classes), minority)
    (space, units), others = spaces, measures or {}

    def estimate(measure: BaseComplexity, X: Floats) -> list[Problem]:
        return estimate_complexity(measure, X, codes, problems, random_state=random_state)

    if neighbor is None:
        by_neighbors = estimate(NeighborComplexity(n_neighbors), space)
    else:
        by_neighbors = [replace(problems[0], complexity=neighbor)]
    further = (estimate(measure, space) for measure in others.values())
    (probe := _KeptTrees()).trees = []
    estimates = [by_neighbors, estimate(probe, units), *further]
    groups = []
    for code, judged in enumerate(zip(*estimates, strict=True)):
        is_binary, first = len(problems) == 1, judged[0]
        # One class against the rest is about that class only where it is the rarer of the two.
        if is_binary or first.minority == 1:
            label = classes[first.minority if is_binary else code]
            neighbor, gini, *rest = [p.record(p.weights(Costs())) for p in judged]
            records = neighbor, gini, probe.trees[code].tree_, dict(zip(others, rest, strict=True))
            groups.append(Group(label, neighbor.indices, first.ratio, *records))
    return sorted(groups, key=lambda group: len(group.rows))


def category_shares(record: Complexity) -> list[dict[str, Any]]:
    """Return number, share and mean weight per category, the easiest first."""
    penalty = np.asarray(record.penalty, dtype=np.float64)
    return [
        {
            "category": name,
            "rows": count,
            "share": count / len(record.indices),
            "weight": float(penalty[record.category == name].mean()),
        }
        for name, count in record.counts().items()
    ]


def weight_summary(group: Group) -> list[dict[str, Any]]:
    """Compare weights by both measures with class-level costs; ``total`` is a share of theirs."""
    rows = []
    weights = {"Class-level costs (CS)": np.full(len(group.rows), group.ratio)}
    for method, weight in (weights | group.weights()).items():
        summary = {"min": weight.min(), "mean": weight.mean(), "max": weight.max()}
        total = weight.mean() / group.ratio
        rows.append({"method": method, **{k: float(v) for k, v in summary.items()}, "total": total})
    return rows


def overlap(group: Group, n_samples: int) -> dict[str, float]:
    """Return the share of other classes among a class's neighbours, and what chance would give."""
    by_chance = (n_samples - len(group.rows)) / max(1, n_samples - 1)
    return {"observed": float(group.neighbor.score.mean()), "by_chance": by_chance}


def order_of_difficulty(group: Group, label_score: Floats | None = None) -> Ints:
    """Return positions in a group from the hardest row on.

    The share of neighbours of other classes decides, then the probe tree's category, then how well
    the label fits, of all rows of the table, then the row number.
    """
    names = [*PAPER_CATEGORIES]
    leaf = np.array([names.index(name) for name in group.gini.category])
    fits = np.zeros(len(group.rows)) if label_score is None else label_score[group.rows]
    return np.lexsort((group.rows, fits, -leaf, -group.neighbor.score))


def nearest_rows(
    space: Floats, rows: Ints, n_neighbors: int, labels: NDArray[Any]
) -> dict[int, list[tuple[int, float]]]:
    """Return the nearest other rows of each of some rows and their distances, the nearest first.

    Of rows at the same distance, of which not all have a place, as many of other classes are shown
    as the tie rule counts, so that what is shown agrees with the category.
    """
    n_shown = min(n_neighbors, len(space) - 1)
    n_seen = min(n_shown + SPARE, len(space))
    index = NearestNeighbors(n_neighbors=n_seen).fit(space)
    shown = {}
    for row, reach, near in zip(rows, *index.kneighbors(space[rows]), strict=True):
        # Ties may go on beyond the rows that were found; then all rows are looked at.
        goes_on = n_seen < len(space) and reach[-1] <= reach[n_shown] * (1 + LOOSE)
        others = np.arange(len(space)) if goes_on else near
        others = others[others != row]
        # Proposed distances are rounded, those of the tie rule are not.
        distance = np.sqrt(((space[others] - space[row]) ** 2).sum(axis=1))
        order = np.lexsort((others, distance))
        others, distance = others[order], distance[order]
        shown[int(row)] = _placed(others, distance, n_shown, labels[others] != labels[row])
    return shown


def _placed(rows: Ints, distance: Floats, k: int, is_other_class: Bools) -> list[tuple[int, float]]:
    """The k rows to show, by the tie rule."""
    low, high = tied_band(distance[[k - 1]], 1.0)
    strict = np.flatnonzero(distance < low)
    tied = np.flatnonzero((distance >= low) & (distance <= high))
    places = k - len(strict)
    other_class, same_class = tied[is_other_class[tied]], tied[~is_other_class[tied]]
    # Halves are rounded up over all k, as they are for the category.
    counted = is_other_class[strict].sum() + places * len(other_class) / max(1, len(tied))
    n_other_class = int(round_half_up(counted)) - int(is_other_class[strict].sum())
    n_other_class = min(max(n_other_class, places - len(same_class)), len(other_class), places)
    filling = [other_class[:n_other_class], same_class[: places - n_other_class]]
    chosen = np.sort(np.concatenate([strict, *filling]))
    return [(int(rows[place]), float(distance[place])) for place in chosen]
