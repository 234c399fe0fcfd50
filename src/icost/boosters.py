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
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_consistent_length

from icost.classifier import iCost
from icost.complexity import BaseComplexity, Complexity, GiniComplexity, NeighborComplexity
from icost.complexity.gini import ambiguity, leaf_share
from icost.complexity.neighbor import resolve_categories
from icost.complexity.neighbor_parts import count_classes, find_nearest
from icost.complexity.neighbor_points import MINKOWSKI
from icost.complexity.neighbor_ties import round_half_up
from icost.labels import encode_labels, imbalance_ratio, label_codes, resolve_minority
from icost.penalties import assign_penalties, uniform_weights
from icost.validation import check_choice, check_features, check_number, import_extra

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
        As for `icost.iCost`. Of complexity objects, `icost.NeighborComplexity` with a Minkowski
        metric and `icost.GiniComplexity` can be had.
    **params
        Other parameters of `icost.iCost`. With ``preprocessor="auto"`` the columns must be numeric;
        missing cells take the median of the training data. A transformer is fitted to ``X``.

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
    measure = model._measure()
    classes, codes = encode_labels(y)
    minority = resolve_minority(classes, codes, model.minority_label)
    is_minority, is_eval_minority = codes == minority, label_codes(y_eval, classes) == minority
    check_consistent_length(X, codes)
    check_consistent_length(X_eval, is_eval_minority)
    check_features(model, X)
    check_features(model, X_eval, reset=False)
    ratio = imbalance_ratio(is_minority)
    if measure is None:
        return uniform_weights(is_eval_minority, model._uniform_penalty(ratio))
    space, eval_space = _common_space(X, X_eval, codes, model.preprocessor)
    record = _judge(measure, space, is_minority, eval_space[is_eval_minority], model.random_state)
    weights = np.ones(len(is_eval_minority))
    weights[is_eval_minority] = assign_penalties(record, model._final_costs(ratio), ratio)
    return weights


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


def _common_space(
    X: Any, X_eval: Any, codes: NDArray[np.intp], preprocessor: Any
) -> tuple[Any, Any]:
    """Both tables as numbers, by what is learned from the first."""
    if preprocessor is None:
        return _numbers(X, True), _numbers(X_eval, True)
    if isinstance(preprocessor, str):
        check_choice("preprocessor", preprocessor, ["auto"], ", a transformer or None")
        X, X_eval = _numbers(X, False), _numbers(X_eval, False)
        preprocessor = SimpleImputer(strategy="median", keep_empty_features=True)
    transformer = clone(preprocessor)
    space = transformer.fit_transform(X, codes)
    return _numbers(space, True), _numbers(transformer.transform(X_eval), True)


def _numbers(X: Any, is_complete: bool) -> Any:
    allowed = {"accept_sparse": "csr", "ensure_all_finite": is_complete or "allow-nan"}
    return check_array(X, dtype=np.float64, input_name="X", **allowed)


def _judge(
    measure: BaseComplexity,
    X: Any,
    is_minority: NDArray[np.bool_],
    rows: Any,
    random_state: Any,
) -> Complexity:
    """Complexity of minority rows that are not among the training rows."""
    if isinstance(measure, NeighborComplexity):
        return _judge_by_neighbors(measure, X, is_minority, rows)
    if isinstance(measure, GiniComplexity):
        return _judge_by_leaves(measure, X, is_minority, rows, random_state)
    raise ValueError(
        "method must be a NeighborComplexity or a GiniComplexity for an evaluation set, got "
        f"{type(measure).__name__}."
    )


def _judge_by_neighbors(
    measure: NeighborComplexity,
    X: Any,
    is_minority: NDArray[np.bool_],
    rows: Any,
) -> Complexity:
    check_choice("metric for an evaluation set", measure.metric, MINKOWSKI)
    p, k = MINKOWSKI[measure.metric], measure.n_neighbors  # type: ignore[index]
    check_number("n_neighbors", k, low=1, integer=True)
    X, rows = (table.toarray() if issparse(table) else table for table in (X, rows))
    if k > len(X):
        raise ValueError(f"n_neighbors={k} needs at least {k} rows, got {len(X)}.")
    names, own_costs = resolve_categories(measure.categories, k)
    nearest = find_nearest(rows, X, is_minority.astype(np.intp), 2, k, p)
    majority = round_half_up(count_classes(nearest, len(rows), k, p)[:, 0])
    return Complexity(np.arange(len(rows)), names[majority], majority / k, own_costs=own_costs)


def _judge_by_leaves(
    measure: GiniComplexity,
    X: Any,
    is_minority: NDArray[np.bool_],
    rows: Any,
    random_state: Any,
) -> Complexity:
    measure.check_parameters()
    table, rows32 = X.astype(np.float32), rows.astype(np.float32)
    # Rows of an evaluation set are unseen anyway, so that cross_fit makes no difference here.
    rng = check_random_state(random_state)
    probe = measure.fit_probe(table, is_minority, np.ones(len(is_minority)), rng)
    leaf = probe.apply(table)
    composition = leaf_share(np.bincount(leaf, weights=is_minority), np.bincount(leaf))
    share = composition[probe.apply(rows32)] if rows.shape[0] else np.zeros(0)
    return Complexity(np.arange(len(share)), measure.categorize(share), ambiguity(share))
