"""How hard the minority rows are, by both of the paper's measures and by any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost._core.arrays import Floats, Ints
from icost._neighbors.counts import search_points
from icost._neighbors.points import MinkowskiSpace, OwnQueries
from icost._neighbors.search import in_blocks
from icost._neighbors.ties import round_half_up, tied_band
from icost._weights.problems import Problem, decompose, estimate_complexity
from icost.complexity import BaseComplexity, Complexity, GiniComplexity, NeighborComplexity
from icost.complexity._base import PAPER_CATEGORIES
from icost.penalties import Costs


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
    by_chance = (n_samples - len(group.rows)) / (n_samples - 1)
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
    n_shown, queries = min(n_neighbors, len(space) - 1), OwnQueries(space, rows)
    # A row is the nearest to itself.
    search = search_points(MinkowskiSpace(space, 2.0), "auto", 1, queries, n_shown + 1)

    def show(block: slice) -> list[list[tuple[int, float]]] | None:
        pairs = search.pairs(queries[block], n_shown + 1)
        return pairs and [
            _placed(space, row, pairs[1][pairs[0] == number], n_shown, labels)
            for number, row in enumerate(rows[block])
        ]

    blocks = in_blocks(show, len(rows), search.block_size, n_threads=1)
    return dict(zip(rows.tolist(), chain.from_iterable(blocks), strict=True))


def _placed(
    space: Floats, row: int, near: Ints, k: int, labels: NDArray[Any]
) -> list[tuple[int, float]]:
    """The k rows to show of those near a row, by the tie rule."""
    rows = near[near != row]
    distance = np.sqrt(((space[rows] - space[row]) ** 2).sum(axis=1))
    order = np.lexsort((rows, distance))
    rows, distance = rows[order], distance[order]
    is_other_class = labels[rows] != labels[row]
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
