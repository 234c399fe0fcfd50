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
"""Rows of a larger table that grow the probe tree, or by which a measure of one's own judges."""


def instance_weights(
    X: Any,
    y: Any,
    method: str | BaseComplexity = "neighbor",
    *,
    probe_rows: int = PROBE_ROWS,
    **params: Any,
) -> Any:
    """Return the weights of a dask table, the same as `icost.instance_weights` gives in memory.

    For tables that are larger than the memory, or that lie on a cluster already. The labels are
    read at once, for the classes and their numbers; the weights are lazy. Computing them reads the
    table several times instead of keeping it in memory, so ``persist`` one that fits or that is
    costly to make. How the table is partitioned changes no weight. A table that fits into memory
    needs none of this: take `icost.instance_weights`.

    Parameters
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        Training data; numeric columns without missing cells, and scaled if ``method`` is about
        neighbours. Chunk lengths may be unknown.
    y : dask array or series, or array-like, of shape (n_samples,)
        Labels, in the same partitions.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`. A `icost.NeighborComplexity` must search exactly and have a Minkowski
        metric by name, a `icost.GiniComplexity` no ``cross_fit``, and a measure of your own a
        method ``_estimate_new``; see `icost.BaseComplexity`.
    probe_rows : int, default=200000
        For ``"tree"``, how many rows the tree is grown from; for a measure of your own, how many it
        judges by. Of a larger table it is a sample with equal shares of all classes, or all rows of
        a class that has fewer, reweighted to the true class sizes. Leaves are counted on all rows.
    **params
        Cost parameters and others of `icost.iCost`, such as ``cfb`` and ``minority_label``, but no
        ``preprocessor``.

    Returns
    -------
    dask array of shape (n_samples,) or (n_samples, n_classes)
        In the partitions of ``X``, with known lengths; one column per class for a multiclass
        target.

    See Also
    --------
    icost.instance_weights : The same in memory.
    DaskICost : Trains a booster with these weights.

    Notes
    -----
    Neighbours are exact: every partition gives its rows nearest to each minority sample, and the
    lists are merged. The table is read once to gather the minority samples, and once for as many of
    them as a worker has memory for, which mostly are all. A tree needs two passes, one to draw the
    sample and one to count the leaves. A measure of your own gets the sample and judges each
    partition by it, whose rows may be part of the sample; up to ``probe_rows`` rows the sample is
    the table. The labels are read twice, and kept as codes of a byte each.

    Parameters are checked at once; missing cells, and partitions of ``X`` and ``y`` that differ in
    length, are refused when the weights are computed.

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

    More than two classes get a column each:

    >>> instance_weights(X, np.array([2, 1, 0, 0, 1, 0, 0, 0]), n_neighbors=2).shape
    (8, 3)
    """
    model = iCost(method=method, **params)
    if model.multiclass != "ovr":
        raise ValueError(f"multiclass must be 'ovr' on dask, got {model.multiclass!r}.")
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
    # A "row" of these problems is a class, which weighs as much as it has samples: whatever follows
    # from class sizes alone needs no look at the rows.
    problems = decompose(
        np.arange(n_classes),
        n_classes,
        named_minority(model.minority_label, table.classes),
        table.counts.sum(axis=0),
    )
    measure, costs = measure_of(model), Costs.of(model)
    if costs is not None:
        _check_costs(costs)
        # A wrong cost is told now, and not by a worker an hour later.
        check = costs.uniform if measure is None else costs.resolve
        for problem in problems:
            check(problem.ratio)
    records: list[Any] = [None] * len(table.counts)
    if measure is not None:
        minorities = minority_classes(problems, n_classes)
        records = categorize(measure, table, minorities, model.random_state, probe_rows)
    weigh = dask.delayed(_weigh, pure=False)
    blocks = [
        weigh(codes, problems, costs, record)
        for codes, record in zip(table.codes, records, strict=True)
    ]
    columns = () if len(problems) == 1 else (n_classes,)
    return join_blocks(blocks, table.lengths, columns, np.float64)


def _check_costs(costs: Costs) -> None:
    """Refuse what would take the mean of a shape over all partitions."""
    if not costs.has_categories:
        raise ValueError(f"penalty must be 'categories' on dask, got {costs.penalty!r}.")
    if costs.majority != "flat":
        raise ValueError(f"majority must be 'flat' on dask, got {costs.majority!r}.")


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
