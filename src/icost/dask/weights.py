"""Instance weights of dask collections: what is common to all methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.classifier import iCost
from icost.complexity import BaseComplexity, Complexity, GiniComplexity, NeighborComplexity
from icost.dask.leaves import categorize_by_leaves
from icost.dask.neighbors import categorize_by_neighbors
from icost.dask.partitions import Partitions, dask, join_blocks, read_partitions
from icost.multiclass import BinaryProblem, decompose
from icost.penalties import assign_penalties, uniform_weights
from icost.validation import check_number

PROBE_ROWS = 200_000
"""Rows from which the probe tree of a larger table is grown."""


def instance_weights(
    X: Any,
    y: Any,
    method: str | BaseComplexity = "neighbor",
    *,
    probe_rows: int = PROBE_ROWS,
    **params: Any,
) -> Any:
    """Return the weights of a dask table, the same as `icost.instance_weights` gives in memory.

    The labels are read at once, for the classes and their numbers; the weights are lazy. Computing
    them reads the table several times instead of keeping it in memory, so ``persist`` one that
    fits or that is costly to make.

    Parameters
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        Training data; numeric columns without missing cells, and scaled if ``method`` is about
        neighbours. Chunk lengths may be unknown.
    y : dask array or series, or array-like, of shape (n_samples,)
        Labels, in the same partitions.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`. Of complexity objects, `icost.NeighborComplexity` with a Minkowski
        metric and `icost.GiniComplexity` without ``cross_fit`` can be had.
    probe_rows : int, default=200000
        For ``"tree"``, how many rows the tree is grown from. Of a larger table it is a stratified
        sample, reweighted to the true class sizes. Leaves are counted on all rows.
    **params
        Cost parameters and others of `icost.iCost`, such as ``cfb`` and ``minority_label``.

    Returns
    -------
    dask array of shape (n_samples,) or (n_samples, n_classes)
        In the partitions of ``X``, with known lengths; one column per class for a multiclass
        target.

    See Also
    --------
    icost.instance_weights : The same in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from icost.dask import instance_weights
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> X = da.from_array(X, chunks=(3, 1))
    >>> y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    >>> weights = instance_weights(X, y, n_neighbors=2)
    >>> weights.chunks
    ((3, 3, 2),)
    >>> weights.compute()
    array([3.75, 3.75, 1.  , 1.  , 1.  , 1.  , 1.  , 1.  ])
    """
    model = iCost(method=method, **params)
    if model.preprocessor not in ("auto", None):
        raise ValueError(
            f"preprocessor must be 'auto' or None on dask, got {model.preprocessor!r}: transform X "
            "first."
        )
    return weigh_partitions(read_partitions(X, y), model, probe_rows)


def weigh_partitions(table: Partitions, model: iCost, probe_rows: int = PROBE_ROWS) -> Any:
    """Return the weights of a partitioned table by the parameters of an `icost.iCost`.

    Parameters
    ----------
    table : Partitions
        From `icost.dask.partitions.read_partitions`.
    model : iCost
        Its parameters are looked at.
    probe_rows : int, default=200000
        As for `instance_weights`.

    Returns
    -------
    dask array of shape (n_samples,) or (n_samples, n_classes)
        The weights.
    """
    check_number("probe_rows", probe_rows, low=1, integer=True)
    n_classes = len(table.classes)
    # A "row" of these problems is a class, which weighs as much as it has samples.
    problems = decompose(
        np.arange(n_classes),
        n_classes,
        model._minority_code(table.classes),
        table.counts.sum(axis=0),
    )
    measure = model._measure()
    records = _categorize(table, measure, problems, model.random_state, probe_rows)
    weigh = dask.delayed(_weigh, pure=False)
    costs = _costs(model, measure, problems)
    blocks = [
        weigh(codes, problems, costs, record)
        for (_, codes), record in zip(table.blocks("weigh"), records, strict=True)
    ]
    columns = () if len(problems) == 1 else (n_classes,)
    return join_blocks(blocks, table.lengths, columns, np.float64)


def _categorize(
    table: Partitions,
    measure: BaseComplexity | None,
    problems: list[BinaryProblem],
    random_state: Any,
    probe_rows: int,
) -> list[Any]:
    """For each partition, a delayed list of categories and scores, an item per problem."""
    if measure is None:
        return [None] * len(table.counts)
    minorities = [problem.is_minority for problem in problems]
    if isinstance(measure, NeighborComplexity):
        return categorize_by_neighbors(table, measure, minorities)
    if isinstance(measure, GiniComplexity):
        return categorize_by_leaves(table, measure, minorities, random_state, probe_rows)
    raise ValueError(
        "method must be a NeighborComplexity or a GiniComplexity on dask, got "
        f"{type(measure).__name__}."
    )


def _costs(
    model: iCost, measure: BaseComplexity | None, problems: list[BinaryProblem]
) -> list[Any]:
    """The penalties of each problem: of the categories, or one of the whole minority."""
    if measure is not None:
        return [model._final_costs(problem.ratio) for problem in problems]
    return [model._uniform_penalty(problem.ratio) for problem in problems]


def _weigh(
    codes: NDArray[np.intp],
    problems: list[BinaryProblem],
    costs: list[Any],
    records: list[Complexity] | None,
) -> NDArray[np.float64]:
    """Weights of one partition, a column per problem if there are several."""
    weights = np.empty((len(codes), len(problems)))
    for column, problem in enumerate(problems):
        is_minority = problem.is_minority[codes]
        if records is None:
            weights[:, column] = uniform_weights(is_minority, costs[column])
            continue
        weights[:, column] = 1.0
        penalty = assign_penalties(records[column], costs[column], problem.ratio)
        weights[is_minority, column] = penalty
    return weights[:, 0] if len(problems) == 1 else weights
