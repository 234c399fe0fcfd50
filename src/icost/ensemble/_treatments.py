"""Treatments: what is done to the training rows of a member before its base is fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from icost._core.arrays import Floats, Ints
from icost._core.labels import label_codes
from icost._core.validation import check_choice, take_rows
from icost._table._columns import RawColumn, numeric_block, raw_columns
from icost._weights.base_fit import fit_problems
from icost._weights.classifier import estimate, fit_target, iCost
from icost.complexity._methods import MEASURES
from icost.ensemble._synthetic import add_synthetic

SYNTHETIC = {"smote": 1.0, "smote-half": 0.5}
"""Treatments that make synthetic rows, and the power of the imbalance that they make up for."""

TREATMENTS = ("plain", *SYNTHETIC, "under", "cs", *MEASURES)
"""Names of all treatments: none, synthetic rows, fewer rows, costs of classes, and of rows."""

BY_LABEL = ("class_weight", "sampling_strategy")
"""Parameters of classifiers and samplers that may be dictionaries by label."""

MEMBERS = ("plain", "smote", "plain", "smote")
"""The treatments of an ensemble by default, one cross-fitted repeat each."""


def resolve_members(members: Any) -> tuple[Any, ...]:
    """Return the treatments that a user asked for, checked."""
    if members is None:
        return MEMBERS
    if isinstance(members, str) or not isinstance(members, Sequence) or not len(members):
        raise ValueError(
            f"members must be a sequence of treatments, such as {MEMBERS}, got {members!r}."
        )
    for member in members:
        if isinstance(member, iCost):
            if member.base_classifier is not None:
                raise ValueError(
                    "a member that is an iCost must have base_classifier=None, since the ensemble "
                    f"gives it its own, got {member.base_classifier!r}."
                )
        elif isinstance(member, type) or not hasattr(member, "fit_resample"):
            check_choice("a member", member, TREATMENTS, ", an iCost or a sampler")
    return tuple(members)


def distinct_members(members: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Return each treatment once, and for each member the place of its treatment."""
    keys = [member if isinstance(member, str) else id(member) for member in members]
    treatments = dict(zip(keys, members, strict=True))
    places = {key: place for place, key in enumerate(treatments)}
    return list(treatments.values()), [places[key] for key in keys]


def fit_member(
    bases: Sequence[Any],
    treatment: Any,
    X: Any,
    codes: Ints,
    weight: Floats | None,
    *,
    minority: int | None,
    preprocessor: Any,
    seed: int,
    is_level: Sequence[bool] | None = None,
) -> list[Any]:
    """Fit a clone of each base on training rows after a treatment, which all of them share."""
    # One seed for all bases: what a member draws does not depend on those beside it.
    sample_seed, base_seed = _seeds(seed, 2)
    seeded = [with_seed(base, base_seed) for base in bases]
    model = _as_icost(treatment, minority, preprocessor, sample_seed, len(codes))
    if model is not None:
        target = estimate(model, X, codes, weight)
        models = [clone(model).set_params(base_classifier=base) for base in seeded]
        return [fit_target(values, X, target) for values in models]
    # Who scales within a pipeline thinks of neighbours as scaled; others have chosen their units.
    options = {"is_level": is_level, "scale": any(map(_has_pipeline, bases))}
    X, codes, weight = _resample(treatment, X, codes, weight, sample_seed, options)
    weights = None if weight is None else [weight]
    return [fit_problems(base, X, [codes], weights)[0] for base in seeded]


def _as_icost(
    treatment: Any, minority: int | None, preprocessor: Any, seed: int, n_rows: int
) -> iCost | None:
    """The estimator of a treatment that weights; None for one that does not."""
    options: dict[str, Any] = {"minority_label": minority, "random_state": seed}
    if isinstance(treatment, iCost):
        return clone(treatment).set_params(**options)
    if treatment == "cs" or (isinstance(treatment, str) and treatment in MEASURES):
        k = min(5, n_rows - 1)
        return iCost(method=treatment, n_neighbors=k, preprocessor=preprocessor, **options)
    return None


def _resample(
    treatment: Any,
    X: Any,
    codes: Ints,
    weight: Floats | None,
    seed: int,
    options: Mapping[str, Any],
) -> tuple[Any, Ints, Floats | None]:
    if isinstance(treatment, str):
        if treatment == "plain":
            return X, codes, weight
        if treatment == "under":
            rows = _undersample(codes, seed)
            return take_rows(X, rows), codes[rows], None if weight is None else weight[rows]
        new_X, new_codes = add_synthetic(X, codes, SYNTHETIC[treatment], seed, **options)
        is_new = np.arange(len(new_codes)) >= len(codes)
        values = np.where(is_new, -1, np.arange(len(new_codes)))
        return new_X, new_codes, _weights_of(weight, codes, new_codes, values)
    sampler = with_seed(treatment, seed)
    if type(X).__module__.startswith("polars"):
        raise TypeError(
            f"a sampler of imbalanced-learn must get an array or a frame of pandas, got one of "
            f"polars for {treatment!r}: hand over X.to_pandas()."
        )
    try:
        new_X, new_codes = sampler.fit_resample(X, codes)
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        raise ValueError(
            f"a sampler must take the table as it is, got text that {treatment!r} cannot read "
            f"({error}): 'smote' and 'smote-half' can."
        ) from error
    new_codes = np.asarray(new_codes, dtype=np.intp)
    if len(np.unique(new_codes)) < int(codes.max()) + 1:
        raise ValueError(
            f"a sampler must leave rows of every class, got {treatment!r}, which lost one."
        )
    if weight is None:
        return new_X, new_codes, None
    origin = getattr(sampler, "sample_indices_", None)
    if origin is None or len(origin) != len(new_codes):
        origin = _origin(X, new_X)
    return new_X, new_codes, _weights_of(weight, codes, new_codes, origin)


def _undersample(codes: Ints, seed: int) -> Ints:
    """Return all rows of the smallest class, and as many of every other."""
    # The seed that a sampler of imbalanced-learn would get: its random undersampling is the same.
    random, counts = np.random.RandomState(_seeds(seed, 1)[0]), np.bincount(codes)
    rows = [np.flatnonzero(codes == code) for code in range(len(counts))]
    for code in range(len(counts)):
        if code != counts.argmin():
            rows[code] = random.choice(rows[code], counts.min(), replace=False)
    return np.concatenate(rows)


def _weights_of(weight: Floats | None, codes: Ints, new_codes: Ints, origin: Ints) -> Floats | None:
    """Rows keep their weights; a synthetic one, whose origin is -1, gets the mean of its class."""
    if weight is None:
        return None
    means = np.array([weight[codes == code].mean() for code in range(int(codes.max()) + 1)])
    return np.where(origin >= 0, weight[origin], means[new_codes])


def _origin(X: Any, new_X: Any) -> Ints:
    """Which row each new one was, by its cells, as some samplers do not tell; -1 if it was none."""
    places: dict[Any, list[int]] = {}
    for place, key in enumerate(_row_keys(X)):
        places.setdefault(key, []).append(place)
    entries = []
    for key in _row_keys(new_X):
        values = places.get(key, [-1])
        # Of rows that are equal, each is taken once, in their order, before the last is repeated.
        entries.append(values.pop(0) if len(values) > 1 else values[0])
    return np.array(entries, dtype=np.intp)


def _row_keys(X: Any) -> list[Any]:
    """Something that equal rows, and no others, have in common."""
    if issparse(X):
        rows = X.tocsr().astype(np.float64)
        rows.sum_duplicates()
        bounds = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return [(*rows.indices[a:b], *rows.data[a:b]) for a, b in bounds]
    block = numeric_block(X)
    if block is not None:
        return [row.tobytes() for row in np.ascontiguousarray(block)]
    return list(zip(*map(_cell_keys, raw_columns(X)), strict=True))


def _cell_keys(column: RawColumn) -> list[str]:
    if column.numbers is not None:
        return list(map(str, column.numbers))
    return list(map(str, np.concatenate([column.levels, [None]])[column.codes]))


def with_seed(estimator: Any, seed: int) -> Any:
    """Return a clone whose random states, nested ones too, are drawn from a seed."""
    copy = clone(estimator)
    names = sorted(n for n in copy.get_params() if n.rpartition("__")[2] == "random_state")
    if names:
        copy.set_params(**dict(zip(names, _seeds(seed, len(names)), strict=True)))
    return copy


def with_codes(estimator: Any, classes: NDArray[Any]) -> Any:
    """Return a classifier or sampler that says codes where its user said labels.

    Members are fitted to codes, the positions in ``classes``, so that costs of classes and numbers
    of rows to make, which go by label, must go by code there.
    """
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return estimator
    entries = {}
    for name, value in estimator.get_params().items():
        if name.rpartition("__")[2] in BY_LABEL and isinstance(value, Mapping):
            keys = list(value)
            codes = label_codes(np.array(keys, dtype=object), classes, f"a label in {name}")
            entries[name] = dict(zip(codes.tolist(), value.values(), strict=True))
    return clone(estimator).set_params(**entries) if entries else estimator


def _has_pipeline(base: Any) -> bool:
    """Whether a classifier is a pipeline, or holds one, as a search does."""
    return any(isinstance(values, Pipeline) for values in (base, *base.get_params().values()))


def _seeds(seed: int, number: int) -> list[int]:
    return np.random.RandomState(seed).randint(2**31 - 1, size=number).tolist()
