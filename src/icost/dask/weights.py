"""Instance weights of dask collections: what is common to all methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.classifier import iCost
from icost.complexity.base import BaseComplexity, Complexity
from icost.complexity.methods import measure_of
from icost.dask.partitions import Partitions, dask, join_blocks, read_partitions
from icost.dask.records import categorize
from icost.labels import named_minority
from icost.penalties import Costs
from icost.problems import Problem, decompose, minority_classes
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


def weigh_partitions(table: Partitions, model: Any, probe_rows: int = PROBE_ROWS) -> Any:
    """Return the weights of a partitioned table by the parameters of an `icost.iCost`."""
    check_number("probe_rows", probe_rows, low=1, integer=True)
    n_classes = len(table.classes)
    # A "row" of these problems is a class, which weighs as much as it has samples.
    problems = decompose(
        np.arange(n_classes),
        n_classes,
        named_minority(model.minority_label, table.classes),
        table.counts.sum(axis=0),
    )
    measure, costs = measure_of(model), Costs.of(model)
    for problem in problems if costs is not None else ():
        # A wrong cost is told now, and not by a worker an hour later.
        costs.uniform(problem.ratio) if measure is None else costs.resolve(problem.ratio)
    records: list[Any] = [None] * len(table.counts)
    if measure is not None:
        minorities = minority_classes(problems, n_classes)
        records = categorize(measure, table, minorities, model.random_state, probe_rows)
    weigh = dask.delayed(_weigh, pure=False)
    blocks = [
        weigh(codes, problems, costs, record)
        for (_, codes), record in zip(table.blocks("weigh"), records, strict=True)
    ]
    columns = () if len(problems) == 1 else (n_classes,)
    return join_blocks(blocks, table.lengths, columns, np.float64)


def _weigh(
    codes: NDArray[np.intp],
    problems: list[Problem],
    costs: Costs | None,
    records: list[Complexity] | None,
) -> NDArray[np.float64]:
    """Weights of one partition, a column per problem if there are several."""
    columns = []
    for number, problem in enumerate(problems):
        # The problem of all rows, whose "rows" are classes, as that of this partition's rows.
        own = replace(problem, target=problem.target[codes])
        if records is not None:
            record = replace(records[number], indices=np.flatnonzero(own.is_minority))
            own = replace(own, complexity=record)
        columns.append(own.weights(costs))
    return columns[0] if len(columns) == 1 else np.column_stack(columns)
