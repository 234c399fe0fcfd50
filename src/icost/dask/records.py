"""How hard the minority rows of each partition are, by any measure.

`categorize` goes by the type of the measure. The paper's two have ways of their own that give what
one machine would. Any other measure judges each partition by a sample of the table, if it can judge
rows that are not among the training rows; a way of its own can be registered with ``register``.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import BaseComplexity, Complexity
from icost.complexity.gini import GiniComplexity
from icost.complexity.neighbor import NeighborComplexity
from icost.dask.leaves import categorize_by_leaves
from icost.dask.neighbors import categorize_by_neighbors
from icost.dask.partitions import Partitions, dask
from icost.dask.sample import draw_sample, fixed_seed, join_sample


@singledispatch
def categorize(
    measure: BaseComplexity,
    table: Partitions,
    minorities: list[NDArray[np.bool_]],
    random_state: Any,
    n_sample: int,
) -> list[Any]:
    """Return a delayed list of records, one per problem, for each partition.

    They tell its minority rows in their order; what their ``indices`` count from is left open.
    """
    # A partition cannot judge itself: its rows would see their part of the table only, and weights
    # would depend on how it was cut. So all are judged by one sample of the whole.
    measure.check_judges_new()
    seed = fixed_seed(random_state)
    sample, class_weight = draw_sample(table, n_sample, seed)
    judge, joined = dask.delayed(_judge), dask.delayed(join_sample)(sample)
    return [
        judge(measure, joined, class_weight, matrix, codes, minorities, seed)
        for matrix, codes in table.blocks("judge", after=joined)
    ]


@categorize.register
def _(measure: NeighborComplexity, table, minorities, random_state, n_sample):  # type: ignore[no-untyped-def]
    return categorize_by_neighbors(table, measure, minorities)


@categorize.register
def _(measure: GiniComplexity, table, minorities, random_state, n_sample):  # type: ignore[no-untyped-def]
    return categorize_by_leaves(table, measure, minorities, random_state, n_sample)


def _judge(
    measure: BaseComplexity,
    sample: tuple[NDArray[Any], NDArray[np.intp]],
    class_weight: NDArray[np.float64],
    matrix: NDArray[np.float64],
    codes: NDArray[np.intp],
    minorities: list[NDArray[np.bool_]],
    seed: int,
) -> list[Complexity]:
    X, known = sample
    weight = class_weight[known]
    # As a measure gets them in memory.
    matrix, codes = matrix.astype(np.float64, copy=False), codes.astype(np.intp)
    return measure.estimate_new(
        X, known, matrix, codes, minorities, sample_weight=weight, random_state=seed
    )
