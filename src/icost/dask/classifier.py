"""DaskICost: a booster on a Dask cluster, trained with instance weights."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from icost.base_fit import fit_problems
from icost.complexity.base import BaseComplexity
from icost.dask.partitions import da, dask, keep_partitions, read_partitions
from icost.dask.weights import PROBE_ROWS, weigh_partitions
from icost.labels import label_codes
from icost.problems import scale_rows
from icost.validation import check_choice, import_extra

BOOSTERS = {
    "xgboost": ("xgboost.dask", "DaskXGBClassifier"),
    "lightgbm": ("lightgbm.dask", "DaskLGBMClassifier"),
}
"""Where the classifier of each booster's name is found."""


class DaskICost(ClassifierMixin, BaseEstimator):
    """Distributed booster whose minority samples are weighted by their complexity.

    The counterpart of `icost.iCost` for dask collections. The weights are those that `icost.iCost`
    would give, but that beyond ``probe_rows`` rows a sample of them grows the probe tree. The
    booster is trained by the cluster, whose results depend on how the rows are spread over the
    workers. It takes the current client of ``dask.distributed``.

    The booster must train on dask collections. For another classifier, compute
    `icost.dask.instance_weights` and hand them to its ``fit``. For a table that fits on one machine
    take `icost.iCost`, which also encodes text and fills gaps, or `icost.iCostCV`, which tunes the
    costs. None of that is done here: columns must be numeric, and for ``"neighbor"`` scaled.

    Parameters
    ----------
    booster : {"xgboost", "lightgbm"} or classifier, default="xgboost"
        Or an instance from `xgboost.dask` or `lightgbm.dask`, with parameters of your own.
    method : {"ncs", "cs", "neighbor", "tree", "gini"} or BaseComplexity, default="neighbor"
        As for `icost.dask.instance_weights`.
    n_neighbors, tau_pure, tau_out, tree_max_depth, tree_min_samples_leaf
        As for `icost.iCost`.
    cfp, cfs, cfb, cfo, cs_multiplier, cost_factor, minority_label
        As for `icost.iCost`.
    random_state : int, RandomState or None, default=None
        Seed of the tree of ``"tree"``. The booster has its own.
    probe_rows : int, default=200000
        As for `icost.dask.instance_weights`.
    tree_probe : {"exact", "fast"}, default="exact"
        As for `icost.iCost`; it grows the tree from the sample of ``probe_rows``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimators_ : list of classifiers
        The fitted boosters: one for a binary target, else one per class against the rest. They
        learn codes, positions in ``classes_``.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    icost.dask.instance_weights : The weights alone, and how they are computed.
    icost.iCost : The same on one machine, for any classifier.

    Notes
    -----
    The weights are computed once and kept on the workers. The table is not: ``persist`` it if it
    fits. With more than two classes one booster is trained after the other, each on the whole
    cluster. As with `icost.iCost`, leave ``scale_pos_weight`` and the like alone, or the imbalance
    is counted twice.

    Examples
    --------
    A client must be there, of a cluster or, as here, of this machine:

    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from icost.dask import DaskICost, instance_weights
    >>> X = da.from_array(np.random.default_rng(0).normal(size=(1000, 4)), chunks=(500, 4))
    >>> y = (X[:, 0] > 1.3).astype(int)
    >>> with Client(processes=False, dashboard_address=":0"):  # doctest: +SKIP
    ...     model = DaskICost("xgboost", method="tree").fit(X, y)
    ...     model.predict(X).compute()

    The weights can be seen beforehand. A tree tells these classes apart, so that the whole minority
    is pure and weighs ``cfp``, half of the imbalance ratio:

    >>> weights = instance_weights(X, y, method="tree", random_state=0)
    >>> np.unique(weights.compute()).round(2)
    array([1.  , 5.25])
    """

    def __init__(
        self,
        booster: Any = "xgboost",
        *,
        method: str | BaseComplexity = "neighbor",
        n_neighbors: int = 5,
        tau_pure: float = 0.80,
        tau_out: float = 0.20,
        tree_max_depth: int | None = 3,
        tree_min_samples_leaf: int = 5,
        cfp: float = 0.50,
        cfs: float = 0.75,
        cfb: float = 1.25,
        cfo: float = 0.20,
        cs_multiplier: float = 1.0,
        cost_factor: Mapping[str, float] | None = None,
        minority_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
        probe_rows: int = PROBE_ROWS,
        tree_probe: str = "exact",
    ) -> None:
        self.booster = booster
        self.method = method
        self.n_neighbors = n_neighbors
        self.tau_pure = tau_pure
        self.tau_out = tau_out
        self.tree_max_depth = tree_max_depth
        self.tree_min_samples_leaf = tree_min_samples_leaf
        self.cfp = cfp
        self.cfs = cfs
        self.cfb = cfb
        self.cfo = cfo
        self.cs_multiplier = cs_multiplier
        self.cost_factor = cost_factor
        self.minority_label = minority_label
        self.random_state = random_state
        self.probe_rows = probe_rows
        self.tree_probe = tree_probe

    def fit(self, X: Any, y: Any, **fit_params: Any) -> DaskICost:
        """Weight the samples by their complexity and train the booster with them.

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
        booster = self._booster()
        table = read_partitions(X, y)
        codes = table.all_codes()
        # Each booster needs its weights several times, and they are small.
        weights = weigh_partitions(table, self, self.probe_rows).persist()
        if weights.ndim == 1:
            targets, columns = [codes], [weights]
        else:
            numbers = range(len(table.classes))
            targets = [_target(codes, number) for number in numbers]
            columns = [weights[:, number] for number in numbers]
        with keep_partitions():
            self.estimators_ = fit_problems(
                booster,
                table.X,
                targets,
                columns,
                fit_params,
                encode=partial(_encode, table.classes),
                is_cost_sensitive=self.method != "ncs",
                n_jobs=1,
            )
        self.classes_ = table.classes
        self.n_features_in_ = table.X.shape[1]
        return self

    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, as the booster does after weighting.

        Where minority samples weigh more than majority ones, expect their class's probabilities to
        be higher than its frequency.

        Parameters
        ----------
        X : dask array or dataframe of shape (n_samples, n_features)
            Samples.

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
            Samples.

        Returns
        -------
        dask array of shape (n_samples,)
            Labels, of those seen in ``fit``.
        """
        proba = self.predict_proba(X)
        proba = proba.rechunk({1: -1}) if proba.numblocks[1] > 1 else proba
        return proba.map_blocks(_labels, self.classes_, drop_axis=1, dtype=self.classes_.dtype)

    def _booster(self) -> Any:
        if not isinstance(self.booster, str):
            return self.booster
        check_choice("booster", self.booster, BOOSTERS, " or a classifier")
        module, name = BOOSTERS[self.booster]
        return getattr(import_extra(module, "boosters", f"booster={self.booster!r}"), name)()


def _target(codes: Any, column: int | None) -> Any:
    """What a booster is to learn: the classes of two, else one class against the rest."""
    return codes if column is None else (codes == column).astype(np.intp)


def _encode(classes: NDArray[Any], column: int | None, labels: Any) -> Any:
    labels = (
        _as_array(labels) if dask.is_dask_collection(labels) else da.from_array(np.ravel(labels))
    )
    codes = labels.map_blocks(label_codes, classes, "a label of eval_set", dtype=np.intp)
    return _target(codes, column)


def _as_array(values: Any) -> Any:
    return values.to_dask_array() if hasattr(values, "to_dask_array") else values


def _labels(proba: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    return classes[np.argmax(proba, axis=1)]
