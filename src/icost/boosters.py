"""Weights of an evaluation set, for the early stopping of boosters.

`icost.iCost` trains the boosters' scikit-learn classifiers, and `icost.instance_weights` returns
weights for their native data sets. An evaluation set should be weighted like the training rows, but
the positions of its few rows must not decide the weights: the penalties of its minority rows come
from the *training* rows around them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from icost._core.arrays import Floats
from icost._core.labels import encode_labels, label_codes, resolve_minority
from icost._core.validation import check_features
from icost._table._space import NumericSpace
from icost._weights.classifier import iCost
from icost._weights.problems import Problem, decompose, estimate_complexity, minority_classes
from icost.complexity._base import BaseComplexity
from icost.complexity._methods import measure_of
from icost.penalties import Costs

__all__ = ["eval_weights"]


def eval_weights(
    X: Any,
    y: ArrayLike,
    X_eval: Any,
    y_eval: ArrayLike,
    method: str | BaseComplexity = "neighbor",
    **params: Any,
) -> Floats:
    """Return weights of an evaluation set, by the training rows around its minority rows.

    Early stopping watches a loss on rows that are not trained on. Where the training loss is
    weighted, that one should be as well, or the two ask for different models. But weights from the
    evaluation rows themselves would not do: they are few, so that many of their minority rows would
    look like outliers, and how they happen to lie would decide when training stops.

    So minority rows get the penalty that a training row in their place would get: by the classes of
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

    See Also
    --------
    icost.instance_weights : The weights of the training rows.

    Examples
    --------
    The first two rows are minority ones. One lies between the two of its kind, and is pure; the
    other is nearest to one of each, which makes it a border row:

    >>> from icost.boosters import eval_weights
    >>> X = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]]
    >>> y = [1, 1, 0, 0, 0, 0, 0, 0]
    >>> eval_weights(X, y, [[0.5], [1.7], [8.0]], [1, 1, 0], n_neighbors=2)
    array([1.5 , 3.75, 1.  ])
    """
    model = iCost(method=method, **params)
    measure, costs = measure_of(model), Costs.of(model)
    classes, codes = encode_labels(y)
    if len(classes) != 2:
        raise ValueError(
            f"y must have two classes, since there is one weight per row, got {len(classes)}: use "
            "iCost with the booster's scikit-learn classifier."
        )
    minority = resolve_minority(classes, codes, model.minority_label)
    (problem,) = decompose(codes, 2, minority)
    eval_codes = label_codes(y_eval, classes)
    check_consistent_length(X, codes)
    check_consistent_length(X_eval, eval_codes)
    check_features(model, X)
    check_features(model, X_eval, reset=False)
    evaluated = Problem(eval_codes, minority, problem.ratio)
    if measure is not None and costs is not None:
        measure.check_judges_new()
        space = NumericSpace(model.preprocessor, keep_single=measure.takes_single)
        both = costs.majority == "plausible"
        train, (group,) = space.fit_transform(X, codes), minority_classes([problem], 2)
        options: dict[str, Any] = {"n_jobs": model.n_jobs, "random_state": model.random_state}
        if both or not costs.has_categories:
            # A shape has a mean of 1 among the training rows, not among these.
            (trained,) = estimate_complexity(measure, train, codes, [problem], both=both, **options)
            evaluated = replace(evaluated, means=trained.shape_means(costs))
        groups = [group, ~group] if both else [group]
        rows = (space.transform(X_eval), eval_codes)
        records = measure.estimate_new(train, codes, *rows, groups, **options)
        evaluated = replace(evaluated, complexity=records[0], other=records[1] if both else None)
    return evaluated.weights(costs)
