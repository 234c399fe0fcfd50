"""Native data sets of XGBoost, LightGBM and CatBoost with instance weights.

`icost.iCost` trains the boosters' scikit-learn classifiers. Their native interfaces take weights
inside of their own data sets instead; the functions here make these. Early stopping needs an
evaluation set weighted like the training rows, yet how its own rows lie must not decide about that:
so the penalties of its minority rows come from the *training* rows around them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from icost.classifier import iCost
from icost.complexity.base import BaseComplexity
from icost.complexity.methods import measure_of
from icost.labels import encode_labels, label_codes, resolve_minority
from icost.penalties import Costs
from icost.preprocessing import NumericSpace
from icost.problems import Problem, decompose, minority_classes
from icost.validation import check_features, import_extra

Train = tuple[Any, ArrayLike]


def weighted_dmatrix(
    X: Any,
    y: ArrayLike,
    method: str | BaseComplexity = "neighbor",
    *,
    train: Train | None = None,
    options: Mapping[str, Any] | None = None,
    **params: Any,
) -> Any:
    """Return an `xgboost.DMatrix` with encoded labels and instance weights.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, handed to XGBoost as they are.
    y : array-like of shape (n_samples,)
        Labels, of two classes; 0 and 1 stand for them in their sorted order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`.
    train : pair of X and y, default=None
        The training data, if ``X`` is an evaluation set.
    options : mapping, default=None
        Other arguments of `xgboost.DMatrix`, such as ``enable_categorical``.
    **params
        Other parameters of `icost.iCost`, such as ``cfb``.

    Returns
    -------
    xgboost.DMatrix
        For `xgboost.train`.

    See Also
    --------
    eval_weights : The weights of an evaluation set alone.

    Examples
    --------
    >>> import xgboost
    >>> from sklearn.datasets import make_classification
    >>> from icost.boosters import weighted_dmatrix
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> train = weighted_dmatrix(X[:70], y[:70], cfo=0.1)
    >>> valid = weighted_dmatrix(X[70:], y[70:], cfo=0.1, train=(X[:70], y[:70]))
    >>> params = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
    >>> model = xgboost.train(params, train, 5, evals=[(valid, "valid")], verbose_eval=False)
    >>> model.num_boosted_rounds()
    5
    """
    xgboost = import_extra("xgboost", "boosters", "weighted_dmatrix")
    codes, weights = _codes_and_weights(X, y, method, train, params)
    return xgboost.DMatrix(X, label=codes, weight=weights, **(options or {}))


def weighted_dataset(
    X: Any,
    y: ArrayLike,
    method: str | BaseComplexity = "neighbor",
    *,
    train: Train | None = None,
    options: Mapping[str, Any] | None = None,
    **params: Any,
) -> Any:
    """Return a `lightgbm.Dataset` with encoded labels and instance weights.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, handed to LightGBM as they are.
    y : array-like of shape (n_samples,)
        Labels, of two classes; 0 and 1 stand for them in their sorted order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`.
    train : pair of X and y, default=None
        The training data, if ``X`` is an evaluation set.
    options : mapping, default=None
        Other arguments of `lightgbm.Dataset`, such as ``reference``, which an evaluation set needs.
    **params
        Other parameters of `icost.iCost`, such as ``cfb``.

    Returns
    -------
    lightgbm.Dataset
        For `lightgbm.train`.

    See Also
    --------
    eval_weights : The weights of an evaluation set alone.

    Examples
    --------
    >>> import lightgbm
    >>> from sklearn.datasets import make_classification
    >>> from icost.boosters import weighted_dataset
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> train = weighted_dataset(X[:70], y[:70], "tree", random_state=0)
    >>> options = {"reference": train}
    >>> valid = weighted_dataset(
    ...     X[70:], y[70:], "tree", random_state=0, train=(X[:70], y[:70]), options=options
    ... )
    >>> params = {"objective": "binary", "num_threads": 1, "verbose": -1}
    >>> lightgbm.train(params, train, 5, valid_sets=[valid]).num_trees()
    5
    """
    lightgbm = import_extra("lightgbm", "boosters", "weighted_dataset")
    codes, weights = _codes_and_weights(X, y, method, train, params)
    return lightgbm.Dataset(X, label=codes, weight=weights, **(options or {}))


def weighted_pool(
    X: Any,
    y: ArrayLike,
    method: str | BaseComplexity = "neighbor",
    *,
    train: Train | None = None,
    options: Mapping[str, Any] | None = None,
    **params: Any,
) -> Any:
    """Return a `catboost.Pool` with encoded labels and instance weights.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, handed to CatBoost as they are.
    y : array-like of shape (n_samples,)
        Labels, of two classes; 0 and 1 stand for them in their sorted order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`.
    train : pair of X and y, default=None
        The training data, if ``X`` is an evaluation set.
    options : mapping, default=None
        Other arguments of `catboost.Pool`, such as ``cat_features``.
    **params
        Other parameters of `icost.iCost`, such as ``cfb``.

    Returns
    -------
    catboost.Pool
        For `catboost.train` and CatBoost's classifiers.

    See Also
    --------
    eval_weights : The weights of an evaluation set alone.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from icost.boosters import weighted_pool
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> weighted_pool(X, y).num_row()
    100
    """
    catboost = import_extra("catboost", "boosters", "weighted_pool")
    codes, weights = _codes_and_weights(X, y, method, train, params)
    return catboost.Pool(X, label=codes, weight=weights, **(options or {}))


def eval_weights(
    X: Any,
    y: ArrayLike,
    X_eval: Any,
    y_eval: ArrayLike,
    method: str | BaseComplexity = "neighbor",
    **params: Any,
) -> NDArray[np.float64]:
    """Return weights of an evaluation set, by the training rows around its minority rows.

    Minority rows get the penalty that a training row in their place would get: by the classes of
    their nearest *training* rows, or by the composition of training rows in their leaf. The
    imbalance ratio is that of the training data; majority rows weigh 1.

    Parameters
    ----------
    X, y : array-like or sparse matrix of shape (n_samples, n_features), and (n_samples,)
        Training data, of two classes. Sparse rows are made dense for a search of neighbours.
    X_eval, y_eval : array-like or sparse matrix of shape (n_eval, n_features), and (n_eval,)
        The evaluation set, with the columns of ``X`` in the same order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`. A complexity object must be able to judge rows that are not among the
        training rows, as `icost.GiniComplexity` can and, with a Minkowski metric,
        `icost.NeighborComplexity`; see `icost.BaseComplexity.estimate_new`.
    **params
        Other parameters of `icost.iCost`. Levels, scales and medians for missing cells are those of
        the training data; a transformer is fitted to ``X``.

    Returns
    -------
    ndarray of shape (n_eval,)
        The weights.

    Examples
    --------
    >>> from icost.boosters import eval_weights
    >>> X = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]]
    >>> y = [1, 1, 0, 0, 0, 0, 0, 0]
    >>> eval_weights(X, y, [[0.5], [1.7], [8.0]], [1, 1, 0], n_neighbors=2)
    array([1.5 , 3.75, 1.  ])
    """
    model = iCost(method=method, **params)
    measure, costs = measure_of(model), Costs.of(model)
    classes, codes = encode_labels(y)
    minority = resolve_minority(classes, codes, model.minority_label)
    (problem,) = decompose(codes, 2, minority)
    eval_codes = label_codes(y_eval, classes)
    check_consistent_length(X, codes)
    check_consistent_length(X_eval, eval_codes)
    check_features(model, X)
    check_features(model, X_eval, reset=False)
    record = None
    if measure is not None:
        space = NumericSpace(model.preprocessor)
        train = space.fit_transform(X, codes)
        (record,) = measure.estimate_new(
            train,
            codes,
            space.transform(X_eval),
            eval_codes,
            minority_classes([problem], 2),
            n_jobs=model.n_jobs,
            random_state=model.random_state,
        )
    return Problem(eval_codes, minority, problem.ratio, record).weights(costs)


def _codes_and_weights(
    X: Any, y: ArrayLike, method: Any, train: Train | None, params: dict[str, Any]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    classes, codes = encode_labels(y if train is None else train[1])
    if len(classes) != 2:
        raise ValueError(
            f"y must have two classes, since native weights are one per row, got {len(classes)}: "
            "use iCost with the booster's scikit-learn classifier."
        )
    if train is None:
        return codes, iCost(method=method, **params).compute_sample_weight(X, y)
    return label_codes(y, classes), eval_weights(*train, X, y, method, **params)
