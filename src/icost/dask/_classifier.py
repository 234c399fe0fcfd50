"""DaskICost: a booster on a Dask cluster, trained with instance weights."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from icost._batches.weigher import JUDGING_ROWS, make_weigher
from icost._core.labels import label_codes
from icost._core.validation import check_choice, import_extra
from icost._weights.base_fit import fit_problems
from icost._weights.classifier import iCost
from icost._weights.problems import scale_rows
from icost.dask._partitions import da, dask, keep_partitions, read_partitions

BOOSTERS = {
    "xgboost": ("xgboost.dask", "DaskXGBClassifier"),
    "lightgbm": ("lightgbm.dask", "DaskLGBMClassifier"),
}
"""Where the classifier of each booster's name is found."""


class DaskICost(ClassifierMixin, BaseEstimator):
    """Distributed booster whose minority samples are weighted by their complexity.

    The counterpart of `icost.iCost` for dask collections. The weights are those of
    `icost.dask.instance_weights`. The booster is trained by the cluster, whose results depend on
    how the rows are spread over the workers. It takes the current client of ``dask.distributed``.

    The booster must train on dask collections. For another classifier, compute
    `icost.dask.instance_weights` and give them to its ``fit``. Columns must be numeric without
    missing cells, and for ``"neighbor"`` scaled.

    Parameters
    ----------
    booster : {"xgboost", "lightgbm"} or classifier, default="xgboost"
        Or an instance from `xgboost.dask` or `lightgbm.dask`, with parameters of your own.
    icost : iCost or None, default=None
        Measure and costs; by default those of ``iCost()``. Its base classifier is not used.
    probe_rows : int, default=200000
        As for `icost.weights_of_batches`.

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
    The weights are kept on the workers, the table is not: ``persist`` it if it fits. With more than
    two classes one booster is trained after the other. Leave ``scale_pos_weight`` and the like
    alone, or the imbalance is counted twice.

    Examples
    --------
    A client must be there, of a cluster or, as here, of this machine:

    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from icost import iCost
    >>> from icost.dask import DaskICost
    >>> X = da.from_array(np.random.default_rng(0).normal(size=(1000, 4)), chunks=(500, 4))
    >>> y = (X[:, 0] > 1.3).astype(int)
    >>> with Client(processes=False, dashboard_address=":0"):  # doctest: +SKIP
    ...     model = DaskICost("xgboost", icost=iCost(method="tree")).fit(X, y)
    ...     model.predict(X).compute()
    """

    def __init__(
        self,
        booster: Any = "xgboost",
        *,
        icost: iCost | None = None,
        probe_rows: int = JUDGING_ROWS,
    ) -> None:
        self.booster = booster
        self.icost = icost
        self.probe_rows = probe_rows

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
        table, model = read_partitions(X, y), iCost() if self.icost is None else self.icost
        weigher = make_weigher(table, model, self.probe_rows)
        codes = table.codes(weigher.classes)
        # Each booster needs its weights several times, and they are small.
        weights = table.weights(weigher).persist()
        numbers = [None] if weights.ndim == 1 else range(len(weigher.classes))
        targets = [_target(codes, number) for number in numbers]
        columns = [weights if number is None else weights[:, number] for number in numbers]
        with keep_partitions():
            self.estimators_ = fit_problems(
                *(booster, table.X, targets, columns, fit_params),
                encode=partial(_encode, weigher.classes),
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
    is_lazy = dask.is_dask_collection(labels)
    labels = _as_array(labels) if is_lazy else da.from_array(np.ravel(labels))
    codes = labels.map_blocks(label_codes, classes, "a label of eval_set", dtype=np.intp)
    return _target(codes, column)


def _as_array(values: Any) -> Any:
    return values.to_dask_array() if hasattr(values, "to_dask_array") else values


def _labels(proba: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    return classes[np.argmax(proba, axis=1)]
