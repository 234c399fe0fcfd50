"""Weights and boosters for tables on a Dask cluster, of any size.

- `icost.dask.instance_weights`: the weights of a dask array or dataframe, chunk by chunk;
- `icost.dask.DaskICost`: XGBoost or LightGBM on the cluster, trained with these weights.

This module is never imported by ``import icost``; it needs ``pip install "icost-learn[dask]"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from icost._batches.weigher import MERGED, Merge, Result, Task, Weigher, make_model, make_weigher
from icost._core.labels import label_codes
from icost._core.validation import check_choice, import_extra
from icost._weights.base_fit import fit_problems
from icost._weights.classifier import iCost
from icost._weights.problems import scale_rows
from icost.complexity import BaseComplexity

__all__ = ["DaskICost", "instance_weights"]

dask = import_extra("dask", "dask", "icost.dask")
da = import_extra("dask.array", "dask", "icost.dask")

BOOSTERS = {
    "xgboost": ("xgboost.dask", "DaskXGBClassifier"),
    "lightgbm": ("lightgbm.dask", "DaskLGBMClassifier"),
}


def instance_weights(
    X: Any, y: Any, method: str | BaseComplexity = "neighbor", **params: Any
) -> Any:
    """Return the weights of a dask table, the same as `icost.weights_of_batches` gives.

    The table is read several times at once, and once more when the weights are computed, so
    ``persist`` one that fits. How it is partitioned changes no weight.

    Parameters
    ----------
    X : dask array or dataframe of shape (n_samples, n_features)
        Training data; numeric columns without missing cells, and scaled if ``method`` is about
        neighbours. Chunk lengths may be unknown.
    y : dask array or series, or array-like, of shape (n_samples,)
        Labels, in the same partitions.
    method, **params
        As for `icost.weights_of_batches`, which says what is refused and how often a table is read.

    Returns
    -------
    dask array of shape (n_samples,) or (n_samples, n_classes)
        In the partitions of ``X``, with known lengths; one column per class if more than two.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from icost.dask import instance_weights
    >>> X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]])
    >>> X = da.from_array(X, chunks=(3, 1))
    >>> y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    >>> instance_weights(X, y, n_neighbors=2).compute()
    array([3.75, 3.75, 1.  , 1.  , 1.  , 1.  , 1.  , 1.  ])
    """
    model, table = make_model(method, params), _match_partitions(X, y)
    return table.weights(make_weigher(table.reduce, "on dask", model))


@dataclass(frozen=True, eq=False)
class _Partitions:
    """Partitions of a table, not divided by columns, side by side with partitions of labels."""

    X: Any
    y: Any

    def reduce(self, task: Task[Result], merge: Merge[Result], needs_rows: bool) -> Result:
        """Apply a task to all partitions."""
        # One graph per pass: a partition is read again rather than kept in memory between them.
        results, merge_some = self._map(task, needs_rows), dask.delayed(merge)
        while len(results) > 1:
            groups = range(0, len(results), MERGED)
            results = [merge_some(results[i : i + MERGED]) for i in groups]
        return dask.compute(results[0])[0]

    def weights(self, weigher: Weigher) -> Any:
        """Return the weights as a dask array, which is lazy."""
        columns = () if len(weigher.problems) == 1 else (len(weigher.problems),)
        blocks = zip(self._map(weigher, weigher.judge is not None), self._lengths(), strict=True)
        shapes = [(block, (length, *columns)) for block, length in blocks]
        return da.concatenate([da.from_delayed(*both, dtype=np.float64) for both in shapes])

    def _map(self, task: Task[Any], needs_rows: bool) -> list[Any]:
        # Queries and trees are sent to each worker once, not with every partition.
        apply, sent = dask.delayed(_apply, pure=False), dask.delayed(task)
        tables = _delayed(self.X) if needs_rows else [None] * self.y.npartitions
        pairs = enumerate(zip(tables, _delayed(self.y), strict=True))
        return [apply(sent, X, y, position) for position, (X, y) in pairs]

    def _lengths(self) -> tuple[int, ...]:
        """Return the number of rows of each partition."""
        if isinstance(self.y, da.Array) and not np.isnan(self.y.chunks[0]).any():
            return self.y.chunks[0]
        return dask.compute(*map(dask.delayed(len), _delayed(self.y)))


def _check_table(X: Any) -> Any:
    # A dask dataframe, by what it has, so that pandas need not be imported.
    if hasattr(X, "to_dask_array") and hasattr(X, "columns"):
        for name, dtype in X.dtypes.items():
            if getattr(dtype, "kind", "O") not in "biuf":
                given = f"{dtype} in column {name!r}"
                raise ValueError(f"X must have numeric columns only, got {given}: encode it first.")
        return X
    if not isinstance(X, da.Array) or X.ndim != 2:
        needed = "X must be a dask dataframe or a two-dimensional dask array"
        raise ValueError(f"{needed}, got {type(X).__name__}.")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _match_partitions(X: Any, y: Any) -> _Partitions:
    """Return a table and labels with one partition for each of the table's."""
    X = _check_table(X)
    if not dask.is_dask_collection(y):
        if not isinstance(X, da.Array) or np.isnan(X.chunks[0]).any():
            needed = "y must be a dask collection, since the chunk lengths of X are unknown"
            raise ValueError(f"{needed}, got {type(y).__name__}.")
        y = da.from_array(np.asarray(y), chunks=(X.chunks[0],))
    # Unknown lengths are equal to none.
    if isinstance(y, da.Array) and isinstance(X, da.Array) and y.shape[0] == X.shape[0]:
        y = y.rechunk((X.chunks[0],))
    if y.ndim != 1 or y.npartitions != X.npartitions:
        needed = f"y must have one dimension and the partitions of X, {X.npartitions} of them"
        raise ValueError(f"{needed}, got {y.ndim} and {y.npartitions}.")
    return _Partitions(X, y)


def _delayed(collection: Any) -> list[Any]:
    """Return delayed partitions."""
    if isinstance(collection, da.Array):
        return collection.to_delayed().ravel().tolist()
    with _keep_partitions():
        return collection.to_delayed()


def _keep_partitions() -> Any:
    """Keep dask from joining partitions of which few columns are read, as the labels of a file."""
    return dask.config.set({"optimization.tune.active": False})


def _apply(task: Task[Any], table: Any, labels: Any, position: int) -> Any:
    """Apply a task or a weigher to one partition, to its labels alone if the table is None."""
    labels = np.asarray(labels)
    if table is None:
        return task(None, labels)
    if table.shape[0] != len(labels):
        given = f"{table.shape[0]} and {len(labels)} of them in partition {position}"
        raise ValueError(f"X and y must have rows in common, got {given}.")
    # Either precision is kept, whatever else there is becomes double.
    dtypes = [np.float64, np.float32]
    X = check_array(table, dtype=dtypes, ensure_all_finite=False, ensure_min_samples=0)
    if not np.isfinite(X).all():
        given = f"missing or infinite cells in partition {position}"
        raise ValueError(f"X must be finite, got {given}: impute them first.")
    return task(X, labels)


class DaskICost(ClassifierMixin, BaseEstimator):
    """Distributed booster whose minority rows are weighted by their complexity.

    The counterpart of `icost.iCost` for dask collections. The weights are those of
    `icost.dask.instance_weights`. The booster is trained by the cluster, whose results depend on
    how the rows are spread over the workers. It takes the current client of ``dask.distributed``.

    The booster must train on dask collections. For another classifier, compute
    `icost.dask.instance_weights` and give them to its ``fit``.

    Parameters
    ----------
    booster : {"xgboost", "lightgbm"} or classifier, default="xgboost"
        Or an instance from `xgboost.dask` or `lightgbm.dask`, with parameters of your own.
    icost : iCost or None, default=None
        Measure and costs; by default those of ``iCost()``. Its base classifier is not used.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of classifiers
        The fitted boosters: one for a binary target, else one per class against the rest. They
        learn codes, positions in ``classes_``.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The table is not kept on the workers: ``persist`` it if it fits. Leave ``scale_pos_weight`` and
    the like alone, or the imbalance is counted twice.

    Examples
    --------
    >>> from distributed import Client
    >>> from icost import iCost
    >>> from icost.dask import DaskICost
    >>> with Client(processes=False, dashboard_address=":0"):  # doctest: +SKIP
    ...     model = DaskICost("xgboost", icost=iCost(method="tree")).fit(X, y)
    ...     model.predict(X).compute()
    """

    def __init__(self, booster: Any = "xgboost", *, icost: iCost | None = None) -> None:
        self.booster = booster
        self.icost = icost

    def fit(self, X: Any, y: Any, **fit_params: Any) -> DaskICost:
        """Weight the rows by their complexity and train the booster with them.

        Parameters
        ----------
        X : dask array or dataframe of shape (n_samples, n_features)
            Training data.
        y : dask array or series, or array-like, of shape (n_samples,)
            Labels, in the same partitions.
        **fit_params
            Other parameters of the booster's ``fit``, such as ``eval_set``. Its labels are encoded
            as those of ``y`` are; its rows weigh what you say.

        Returns
        -------
        self
            The fitted estimator.
        """
        booster, table = self._booster(), _match_partitions(X, y)
        model = iCost() if self.icost is None else self.icost
        weigher = make_weigher(table.reduce, "on dask", model)
        # Each booster needs its weights several times, and they are small.
        weights = table.weights(weigher).persist()
        columns = [weights] if weights.ndim == 1 else list(weights.T)
        numbers = [None] if len(columns) == 1 else range(len(columns))
        encode = partial(_encode, weigher.classes)
        with _keep_partitions():
            self.estimators_ = fit_problems(
                *(booster, table.X, [encode(n, table.y) for n in numbers], columns, fit_params),
                encode=encode,
                is_cost_sensitive=model.method != "ncs",
                n_jobs=1,
            )
        self.classes_ = weigher.classes
        self.n_features_in_ = table.X.shape[1]
        return self

    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, as the booster does after weighting.

        Parameters
        ----------
        X : dask array or dataframe of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        dask array of shape (n_samples, n_classes)
            Probabilities in the order of ``classes_``.
        """
        check_is_fitted(self)
        probas = [_as_array(estimator.predict_proba(X)) for estimator in self.estimators_]
        if len(probas) == 1:
            return probas[0]
        columns = da.stack([proba[:, 1] for proba in probas], axis=1).rechunk({1: -1})
        return columns.map_blocks(scale_rows, dtype=columns.dtype)

    def predict(self, X: Any) -> Any:
        """Predict labels.

        Parameters
        ----------
        X : dask array or dataframe of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        dask array of shape (n_samples,)
            Labels, of those seen in ``fit``.
        """
        proba, classes = self.predict_proba(X).rechunk({1: -1}), self.classes_
        best = proba.map_blocks(np.argmax, axis=1, drop_axis=1, dtype=np.intp)
        return best.map_blocks(classes.take, dtype=classes.dtype)

    def _booster(self) -> Any:
        if not isinstance(self.booster, str):
            return self.booster
        check_choice("booster", self.booster, BOOSTERS, " or a classifier")
        module, name = BOOSTERS[self.booster]
        return getattr(import_extra(module, "boosters", f"booster={self.booster!r}"), name)()


def _encode(classes: NDArray[Any], column: int | None, labels: Any) -> Any:
    """Return what a booster is to learn: the classes of two, else one class against the rest."""
    is_lazy = dask.is_dask_collection(labels)
    labels = _as_array(labels) if is_lazy else da.from_array(np.ravel(labels))
    codes = labels.map_blocks(label_codes, classes, "a label of eval_set", dtype=np.intp)
    return codes if column is None else (codes == column).astype(np.intp)


def _as_array(values: Any) -> Any:
    return values.to_dask_array() if hasattr(values, "to_dask_array") else values
