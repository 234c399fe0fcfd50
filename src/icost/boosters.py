"""Native data sets of XGBoost, LightGBM and CatBoost with instance weights.

`icost.iCost` trains the boosters' scikit-learn classifiers. Their native interfaces take weights
inside of their own data sets instead; the functions here make these. Early stopping needs an
evaluation set weighted like the training rows, yet how its own rows lie must not decide about that:
so the penalties of its minority rows come from the *training* rows around them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from icost.problems import Problem, decompose, estimate_complexity, minority_classes
from icost.validation import check_features, import_extra

__all__ = ["eval_weights", "weighted_dataset", "weighted_dmatrix", "weighted_pool"]

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
    """Return an `xgboost.DMatrix` with encoded labels and instance weights, for `xgboost.train`.

    XGBoost's native interface keeps weights in its data sets: those of the training set go into the
    gradients, those of an evaluation set into the metric that early stopping watches. If
    `xgboost.XGBClassifier` is all you need, ``iCost(XGBClassifier())`` is simpler, takes more than
    two classes and predicts your labels.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, handed to XGBoost as they are, missing cells included; only for complexity are they
        imputed.
    y : array-like of shape (n_samples,)
        Labels, of two classes; 0 and 1 stand for them in their sorted order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`.
    train : pair of X and y, default=None
        The training data, if ``X`` is an evaluation set; see `eval_weights`.
    options : mapping, default=None
        Other arguments of `xgboost.DMatrix`, such as ``{"enable_categorical": True}`` for a frame
        with columns of dtype ``category``.
    **params
        Other parameters of `icost.iCost`, such as ``cfb``. Give the same for both sets.

    Returns
    -------
    xgboost.DMatrix
        For `xgboost.train`.

    See Also
    --------
    eval_weights : The weights of an evaluation set alone.
    icost.dask.DaskICost : Trains XGBoost on a cluster with these weights.

    Notes
    -----
    ``min_child_weight`` is a sum of weighted second derivatives, so that a leaf of heavy rows may
    hold fewer of them. Leave ``scale_pos_weight`` at 1: it multiplies these weights, and since
    parameters go to `xgboost.train` and not through icost, no warning can tell you.

    After early stopping, the booster's ``predict`` still uses all rounds, also those after the
    best; name the range, as below.

    Examples
    --------
    Early stopping on an evaluation set that is weighted like the training set:

    >>> import numpy as np
    >>> import xgboost
    >>> from icost.boosters import weighted_dmatrix
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("ecoli3", return_X_y=True)
    >>> is_eval = np.arange(len(y)) % 4 == 0
    >>> X_train, y_train = X[~is_eval], y[~is_eval]
    >>> train = weighted_dmatrix(X_train, y_train, cfo=0.1)
    >>> valid = weighted_dmatrix(X[is_eval], y[is_eval], cfo=0.1, train=(X_train, y_train))
    >>> params = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
    >>> stop = {"evals": [(valid, "valid")], "early_stopping_rounds": 5, "verbose_eval": False}
    >>> model = xgboost.train(params, train, 200, **stop)
    >>> model.best_iteration < model.num_boosted_rounds() < 200
    True
    >>> proba = model.predict(valid, iteration_range=(0, model.best_iteration + 1))

    Labels come back as codes, here 1 for "positive", the second in sorted order:

    >>> int(train.get_label().sum()), int((y_train == "positive").sum())
    (27, 27)
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
    """Return a `lightgbm.Dataset` with encoded labels and instance weights, for `lightgbm.train`.

    LightGBM does not learn from your numbers but from bins of them, whose edges belong to a
    `lightgbm.Dataset`. An evaluation set has to use the training set's edges: that is what its
    ``reference`` is for. Weights and bins have nothing to do with each other; complexity is
    estimated from the numbers as they are.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, handed to LightGBM as they are; columns of dtype ``category`` are categorical to it.
    y : array-like of shape (n_samples,)
        Labels, of two classes; 0 and 1 stand for them in their sorted order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`.
    train : pair of X and y, default=None
        The training data, if ``X`` is an evaluation set. It decides about the weights as
        ``reference`` decides about the bins; neither stands in for the other.
    options : mapping, default=None
        Other arguments of `lightgbm.Dataset`, such as ``reference``, ``categorical_feature`` or
        ``free_raw_data``.
    **params
        Other parameters of `icost.iCost`, such as ``cfb`` or ``random_state``, the same for both
        sets: with ``method="tree"`` the evaluation rows are sure to be put into the same tree
        only if its seed is the same.

    Returns
    -------
    lightgbm.Dataset
        For `lightgbm.train`. It is lazy: bins are made when training begins.

    See Also
    --------
    eval_weights : The weights of an evaluation set alone.

    Notes
    -----
    `lightgbm.train` sets a missing ``reference`` itself, as long as the evaluation set is still
    lazy. One that has been constructed before, to be saved or looked at, has bins of its own and
    no numbers any more, and training fails. Give it the reference from the start.

    Leave ``is_unbalance`` and ``scale_pos_weight`` at their defaults; they would count the
    imbalance a second time. A booster that stopped early predicts up to its best round by itself.

    Examples
    --------
    Both sets are constructed here, so that their weights can be looked at. The reference makes them
    fit together all the same:

    >>> import lightgbm
    >>> import numpy as np
    >>> from icost.boosters import weighted_dataset
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("ecoli3", return_X_y=True)
    >>> is_eval = np.arange(len(y)) % 4 == 0
    >>> own = {"method": "tree", "random_state": 0}
    >>> train = weighted_dataset(X[~is_eval], y[~is_eval], **own).construct()
    >>> data = X[~is_eval], y[~is_eval]
    >>> valid = weighted_dataset(
    ...     X[is_eval], y[is_eval], **own, train=data, options={"reference": train}
    ... ).construct()
    >>> valid.num_data(), bool(valid.get_weight().max() > 1)
    (84, True)

    Early stopping is a callback in LightGBM:

    >>> params = {"objective": "binary", "num_threads": 1, "verbose": -1}
    >>> stop = lightgbm.early_stopping(5, verbose=False)
    >>> model = lightgbm.train(params, train, 200, valid_sets=[valid], callbacks=[stop])
    >>> 0 < model.best_iteration < 200
    True
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

    CatBoost is the one for tables with text: it encodes categories itself, if the pool names their
    columns in ``cat_features``. Complexity is estimated from the same table, text included: for
    that alone, text is one-hot encoded and all columns are scaled to [0, 1], unless
    ``preprocessor`` says otherwise. CatBoost sees the columns as they are.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, handed to CatBoost as they are. Numbers may be missing; in a categorical column
        CatBoost refuses gaps, so fill them with a level such as ``"unknown"`` first.
    y : array-like of shape (n_samples,)
        Labels, of two classes; 0 and 1 stand for them in their sorted order.
    method : str or BaseComplexity, default="neighbor"
        As for `icost.iCost`.
    train : pair of X and y, default=None
        The training data, if ``X`` is an evaluation set. Its levels and scales hold for both.
    options : mapping, default=None
        Other arguments of `catboost.Pool`, above all ``cat_features``: names or positions of the
        columns that hold text or codes. An evaluation pool needs the same.
    **params
        Other parameters of `icost.iCost`, such as ``cfb``.

    Returns
    -------
    catboost.Pool
        For `catboost.train`, and for ``fit`` of CatBoost's own classifier.

    See Also
    --------
    eval_weights : The weights of an evaluation set alone.

    Notes
    -----
    A column of numbers that are codes, such as postcodes, is numeric for the neighbour search
    also if it is in ``cat_features``, for icost does not look at ``options``. Make it text, or give
    a ``preprocessor``.

    Leave ``auto_class_weights`` and ``scale_pos_weight`` at their defaults; they would count the
    imbalance a second time. With an evaluation pool CatBoost keeps the trees up to the best round
    only.

    Examples
    --------
    A set with a text column, which CatBoost must be told of:

    >>> import catboost
    >>> import numpy as np
    >>> from icost.boosters import weighted_pool
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("abalone9-18", return_X_y=True)
    >>> X["Sex"].dtype.name
    'category'
    >>> is_eval = np.arange(len(y)) % 4 == 0
    >>> X_train, y_train = X[~is_eval], y[~is_eval]
    >>> options = {"cat_features": ["Sex"]}
    >>> train = weighted_pool(X_train, y_train, options=options)
    >>> valid = weighted_pool(X[is_eval], y[is_eval], train=(X_train, y_train), options=options)
    >>> train.get_cat_feature_indices(), valid.num_row()
    ([0], 183)

    Training stops once the weighted loss on the second pool has not fallen for five rounds:

    >>> params = {"loss_function": "Logloss", "iterations": 60, "learning_rate": 0.3}
    >>> params |= {"thread_count": 1, "logging_level": "Silent", "allow_writing_files": False}
    >>> model = catboost.train(train, params, eval_set=valid, early_stopping_rounds=5)
    >>> model.tree_count_ == model.get_best_iteration() + 1
    True
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

    Early stopping watches a loss on rows that are not trained on. Where the training loss is
    weighted, that one should be as well, or the two ask for different models. But weights from the
    evaluation rows themselves would not do: they are few, so that many of their minority rows would
    look like outliers, and how they happen to lie would decide when training stops.

    So minority rows get the penalty that a training row in their place would get: by the classes of
    their nearest *training* rows, or by the composition of training rows in their leaf. The
    imbalance ratio is that of the training data; majority rows weigh 1.

    Stop by an unweighted loss instead if what you want are probabilities at real frequencies. And
    never report a score on rows that decided when to stop, weighted or not.

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

    See Also
    --------
    icost.instance_weights : The weights of the training rows.
    weighted_dmatrix, weighted_dataset, weighted_pool : Data sets that hold them.

    Notes
    -----
    A training row is not its own neighbour, but a training row in the very place of an evaluation
    row is one. Weights of the training rows, asked for as if they were an evaluation set, are
    therefore in general not those of `icost.instance_weights`.

    Examples
    --------
    The first two rows are minority ones. One lies between the two of its kind, and is pure; the
    other is nearest to one of each, which makes it a border row:

    >>> from icost.boosters import eval_weights
    >>> X = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]]
    >>> y = [1, 1, 0, 0, 0, 0, 0, 0]
    >>> eval_weights(X, y, [[0.5], [1.7], [8.0]], [1, 1, 0], n_neighbors=2)
    array([1.5 , 3.75, 1.  ])

    With the scikit-learn classifier of a booster, hand them over beside ``eval_set``:

    >>> from xgboost import XGBClassifier
    >>> from icost import iCost
    >>> X_eval, y_eval = [[0.5], [1.7], [8.0]], [1, 1, 0]
    >>> booster = XGBClassifier(n_estimators=20, early_stopping_rounds=3, n_jobs=1)
    >>> weight = eval_weights(X, y, X_eval, y_eval, n_neighbors=2)
    >>> extra = {"eval_set": [(X_eval, y_eval)], "sample_weight_eval_set": [weight]}
    >>> model = iCost(booster, n_neighbors=2).fit(X, y, **extra, verbose=False)
    >>> model.estimator_.best_iteration < 20
    True
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
    own = Problem(eval_codes, minority, problem.ratio)
    if measure is not None and costs is not None:
        measure.check_judges_new()
        space = NumericSpace(model.preprocessor, keep_single=measure.takes_single)
        both = costs.majority == "plausible"
        train, (group,) = space.fit_transform(X, codes), minority_classes([problem], 2)
        options: dict[str, Any] = {"n_jobs": model.n_jobs, "random_state": model.random_state}
        if both or not costs.has_categories:
            # A shape has a mean of 1 among the training rows, not among these.
            (known,) = estimate_complexity(measure, train, codes, [problem], both=both, **options)
            own = replace(own, means=known.shape_means(costs))
        groups = [group, ~group] if both else [group]
        rows = (space.transform(X_eval), eval_codes)
        records = measure.estimate_new(train, codes, *rows, groups, **options)
        own = replace(own, complexity=records[0], other=records[1] if both else None)
    return own.weights(costs)


def _codes_and_weights(
    X: Any, y: ArrayLike, method: Any, train: Train | None, params: dict[str, Any]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    if params.get("multiclass", "ovr") != "ovr":
        raise ValueError(f"multiclass must be 'ovr' here, got {params['multiclass']!r}.")
    classes, codes = encode_labels(y if train is None else train[1])
    if len(classes) != 2:
        raise ValueError(
            f"y must have two classes, since native weights are one per row, got {len(classes)}: "
            "use iCost with the booster's scikit-learn classifier."
        )
    if train is None:
        return codes, iCost(method=method, **params).compute_sample_weight(X, y)
    return label_codes(y, classes), eval_weights(*train, X, y, method, **params)
