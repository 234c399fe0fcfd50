"""Fitting a base classifier with weights, whatever kind of classifier it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from inspect import Parameter, signature
from types import MethodType
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from icost._core.arrays import Floats, Ints
from icost._core.validation import as_table, did_you_mean, take_rows

OWN_WEIGHTING = {
    "class_weight": (None,),
    "class_weights": (None,),
    "auto_class_weights": (None, "None"),
    "scale_pos_weight": (None, 1),
    "is_unbalance": (None, False),
}
"""Parameters by which classifiers weight classes themselves, and the values that mean "no"."""

CLASSES = {"xgb": "XGB", "lgb": "LGBM", "light": "LGBM", "cat": "CatBoost", "rf": "RandomForest"}
"""Names of classifiers by how texts begin that people try in their place."""

TEXT_ERRORS = ("could not convert string to float", "not compatible with arrays of bytes/strings")
"""What scikit-learn says of text in a table."""


def fit_problems(
    base: Any,
    X: Any,
    targets: Sequence[Any],
    weights: Sequence[Any] | None,
    fit_params: Mapping[str, Any] | None = None,
    *,
    encode: Callable[..., Any] | None = None,
    is_cost_sensitive: bool = False,
    n_jobs: int | None = None,
    rows: Sequence[Ints | None] | None = None,
) -> list[Any]:
    """Fit one clone of a classifier per target, binary or not: the only place that fits a base.

    ``encode`` turns labels of evaluation sets into codes, given the number of the problem, None if
    there is but one. Where the weights are costs, a base that weights classes itself is told of.
    ``rows`` are those of the table that a problem is about, None for all; weights are of these.
    """
    check_base(base)
    if is_cost_sensitive:
        warn_if_weighted_twice(base)
    jobs = []
    for number, target in enumerate(targets):
        params = dict(fit_params or {})
        if encode is not None:
            column = number if len(targets) > 1 else None
            params = encode_eval_labels(params, partial(encode, column))
        weight = None if weights is None else weights[number]
        chosen = None if rows is None else rows[number]
        table = X if chosen is None else take_rows(as_table(X), chosen)
        jobs.append((base, table, target, weight, params))
    if len(jobs) == 1:
        # A search fits thousands of small ones, beside which a pool takes time.
        return [fit_weighted(*jobs[0])]
    return Parallel(n_jobs=n_jobs)(delayed(fit_weighted)(*job) for job in jobs)


def check_base(base: Any, name: str = "base_classifier", names: Sequence[str] = ()) -> None:
    """Raise unless something can be fitted as a classifier; ``names`` are taken beside those."""
    if isinstance(base, str):
        hint = did_you_mean(base, names) or f"hand over an object, such as {_class_of(base)}."
        raise TypeError(f"{name} must be a classifier, got the text {base!r}: {hint}")
    # Some, such as a stacking classifier, have no predict before they are fitted.
    is_wrong = isinstance(base, type)
    is_wrong = is_wrong or not all(hasattr(base, method) for method in ("fit", "get_params"))
    # Tags are the only sign of a regressor; not every classifier has them.
    if is_wrong or (hasattr(base, "__sklearn_tags__") and is_regressor(base)):
        raise TypeError(f"{name} must be a classifier, got {base!r}.")


def _class_of(text: str) -> str:
    """Return the call that makes the classifier which a text seems to mean."""
    from icost.complexity._methods import METHODS  # only this message needs the measures

    if text in METHODS:
        return f"iCost(method={text!r})"
    likely = [name for start, name in CLASSES.items() if text.casefold().startswith(start)]
    return f"{likely[0]}Classifier()" if likely else "LogisticRegression()"


def check_many_classes(base: Any) -> None:
    """Raise if a classifier says of itself that it can tell two classes only."""
    if hasattr(base, "__sklearn_tags__"):
        tags = get_tags(base).classifier_tags
        if tags is not None and not tags.multi_class:
            raise ValueError(
                "multiclass='direct' needs a base_classifier for more than two classes, got "
                f"{type(base).__name__}: use 'ovr' or 'ovo'."
            )


def fit_weighted(
    base: Any, X: Any, target: Ints, sample_weight: Floats | None, fit_params: Mapping[str, Any]
) -> Any:
    """Clone a classifier and fit it with weights."""
    estimator, params = clone(base), dict(fit_params)
    if sample_weight is not None:
        if get_config()["enable_metadata_routing"]:
            request_weights(estimator)
            params["sample_weight"] = sample_weight
        else:
            params[weight_parameter(estimator)] = sample_weight
    with encoder_named(base):
        return _checked(estimator.fit(X, target, **params), target)


@contextmanager
def encoder_named(base: Any, parameter: str = "base_classifier") -> Iterator[None]:
    """Name the encoder that is ready, where a classifier cannot read text."""
    try:
        yield
    except ValueError as error:
        is_named = "TableEncoder" in str(error)  # by a classifier within this one
        if is_named or not any(words in str(error) for words in TEXT_ERRORS):
            raise
        raise ValueError(
            f"{parameter} must take the table as it is, got text that {type(base).__name__} "
            f"cannot read ({error}): use make_pipeline(icost.TableEncoder(), "
            f"{type(base).__name__}()) instead."
        ) from error


def _checked(estimator: Any, target: Ints) -> Any:
    """Refuse a base that is frozen, and was fitted on labels of its own."""
    classes: Any = getattr(estimator, "classes_", None)
    # Labels on a cluster are not at hand, and what trains there cannot be frozen.
    if not all(isinstance(labels, np.ndarray) and labels.ndim == 1 for labels in (classes, target)):
        return estimator
    is_code = classes.dtype.kind in "biuf"
    unknown = classes[~np.isin(classes, target)] if is_code else classes
    if len(unknown):
        raise ValueError(
            "base_classifier must learn the codes of the classes, got one that was fitted on "
            f"labels such as {unknown[0].item()!r} and is frozen: hand it over unfitted."
        )
    return estimator


def weight_parameter(base: Any, parameter: str = "base_classifier") -> str:
    """Return the name under which ``fit`` of the classifier in a parameter takes the weights."""
    if isinstance(base, Pipeline):
        name, last = base.steps[-1]
        return f"{name}__{weight_parameter(last, parameter)}"
    if not _takes_weights(base.fit):
        raise TypeError(
            f"{parameter} must take sample_weight in fit, which {type(base).__name__} does "
            f"not: wrap it as WeightedBootstrap({type(base).__name__}())."
        )
    return "sample_weight"


def _takes_weights(fit: Callable[..., Any]) -> bool:
    """Tell by its signature whether a ``fit`` takes weights."""
    # The function behind a method is the same for every clone, and keeps none of them.
    if isinstance(fit, MethodType):
        return _has_weights(fit.__func__)
    return _has_weights.__wrapped__(fit)


@lru_cache(maxsize=64)
def _has_weights(fit: Callable[..., Any]) -> bool:
    parameters = signature(fit).parameters.values()
    # Meta-estimators hand on what they do not know themselves, hence the **kwargs.
    return any(p.name == "sample_weight" or p.kind == Parameter.VAR_KEYWORD for p in parameters)


def request_weights(estimator: Any) -> None:
    """Have a pipeline route the weights to its last step, unless the user decided otherwise."""
    if not isinstance(estimator, Pipeline):
        weight_parameter(estimator)
        return
    for position, (_, step) in enumerate(estimator.steps):
        is_last = position == len(estimator.steps) - 1
        if is_last:
            request_weights(step)
        if not hasattr(step, "set_fit_request"):
            continue
        # From the base class: what a meta-estimator returns tells only what it hands on.
        requests = BaseEstimator.get_metadata_routing(step).fit.requests
        if "sample_weight" in requests and requests["sample_weight"] is None:
            step.set_fit_request(sample_weight=is_last)


def warn_if_weighted_twice(base: Any) -> None:
    """Warn when a classifier weights classes itself, on top of our weights."""
    for name, value in base.get_params(deep=True).items():
        neutral = OWN_WEIGHTING.get(name.rpartition("__")[2])
        # An array is neutral to nothing, and comparing one gives an array.
        is_neutral = np.isscalar(value) or value is None
        if neutral is not None and not (is_neutral and value in neutral):
            warnings.warn(
                f"base_classifier has {name}={value!r} on top of icost's weights, so that the "
                "imbalance is counted twice: leave it at its default, or use method='ncs'.",
                UserWarning,
                stacklevel=5,
            )


def encode_eval_labels(fit_params: Mapping[str, Any], encode: Callable[..., Any]) -> dict[str, Any]:
    """Encode the labels of evaluation sets, also of those for a pipeline's step.

    ``eval_set`` is a pair ``(X, y)`` or a list of them, ``eval_y`` an array or a tuple of them.
    """
    encoded = dict(fit_params)
    for name, value in fit_params.items():
        last = name.rpartition("__")[2]
        if last == "eval_set":
            encoded[name] = _encode_pairs(value, encode)
        elif last == "eval_y" and value is not None:
            is_many = isinstance(value, tuple)
            encoded[name] = tuple(map(encode, value)) if is_many else encode(value)
    return encoded


def _encode_pairs(eval_set: Any, encode: Callable[..., Any]) -> Any:
    """What is neither a pair nor a sequence of pairs, such as CatBoost's Pool, is handed on."""
    # A list is one of pairs also if it has two; a pair within it may be a list itself.
    if isinstance(eval_set, tuple) and len(eval_set) == 2:
        return _encode_pair(eval_set, encode)
    if isinstance(eval_set, list | tuple):
        return [_encode_pair(pair, encode) for pair in eval_set]
    return eval_set


def _encode_pair(pair: Any, encode: Callable[..., Any]) -> Any:
    if isinstance(pair, list | tuple) and len(pair) == 2:
        return pair[0], encode(pair[1])
    return pair
