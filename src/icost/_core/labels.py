"""Labels: encode them once, find the minority, measure the imbalance.

Everything to the right of this module works on codes ``0..K-1``, so that labels are never used
as indices and ``{0, 1}``, ``{-1, 1}``, strings and booleans all give the same weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from icost._core.arrays import Bools, Ints
from icost._core.validation import is_missing, short_text

N_TRIES = 100
"""Draws of groups that may lack a class before each group is taken once."""

#: Kinds of labels that are classes whatever their values: whole numbers, booleans and text.
_ALWAYS_CLASSES = "biuU"


def encode_labels(y: ArrayLike | None) -> tuple[NDArray[Any], Ints]:
    """Return the distinct labels, sorted, and each row's code, its position among them."""
    labels = _label_array(y)
    name = getattr(y, "name", None)
    if labels.dtype.kind not in _ALWAYS_CLASSES:
        _check_classes(labels, name)
    classes, codes = _distinct(labels)
    if 2 * len(classes) > len(labels):
        # Scikit-learn says what to think of that; on small tables its look takes longer than ours.
        _check_classes(labels, name)
    if len(classes) < 2:
        raise ValueError(
            f"y must contain at least two classes, got only one class: {_listed(classes)}."
        )
    return classes, codes


def _label_array(y: ArrayLike | None) -> NDArray[Any]:
    """Return labels as an array with one label for each of its rows."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    labels = _one_column(y)
    if labels.dtype.kind == "O" and len(labels) and isinstance(labels[0], Decimal):
        labels = labels.astype(np.float64)  # of a column that a warehouse calls decimal
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O" and any(map(is_missing, labels)):
        raise ValueError("y must have a label for each row, got a missing one.")
    if not len(labels):
        raise ValueError("X and y must have at least one row, got none.")
    return labels


def _one_column(y: ArrayLike) -> NDArray[Any]:
    """Return labels as a flat array; several columns are several targets."""
    if type(y) is np.ndarray and y.ndim == 1:
        return y
    shape = np.asarray(y).shape
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y must have one label per row, got {shape[1]} columns: fit a classifier to "
            "each by sklearn.multioutput.MultiOutputClassifier. (y should be a 1d array)"
        )
    return column_or_1d(y, warn=True)


def _check_classes(labels: NDArray[Any], name: Any) -> None:
    """Raise unless labels are classes; numbers to predict are named as such."""
    if labels.dtype.kind in "mM":
        raise ValueError("y must hold classes, got times: make classes of them first.")
    if labels.dtype.kind == "O":
        _check_types(labels)
    try:
        check_classification_targets(labels)
    except ValueError as error:
        if "continuous" not in str(error):
            raise
        what = "y" if name is None else f"'{name}'"
        raise ValueError(
            f"{what} looks like a number to predict, not a class: make classes of it, such as "
            f"y > {np.quantile(labels, 0.9):.3g}. (Unknown label type: continuous.)"
        ) from error


def _check_types(labels: NDArray[Any]) -> None:
    """Raise unless objects are all text, or all numbers or truth values."""
    other = [label for label in labels[:1] if not isinstance(label, str | Real)]
    if other and not hasattr(other[0], "__len__"):
        raise ValueError(
            "y must hold classes that are text, whole numbers or truth values, got "
            f"{type(other[0]).__name__}."
        )
    if len({isinstance(label, str) for label in labels}) > 1:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"y must have labels of one type, got {' and '.join(kinds)}.")


def _distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the distinct labels, sorted, and which of them each label is."""
    # Whole numbers that are near each other are counted, which is much quicker than sorting them.
    if labels.dtype.kind in "biu" and np.can_cast(labels.dtype, np.int64) and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < len(labels):
            position = labels.astype(np.int64) - low
            is_there = np.bincount(position) > 0
            classes = (np.flatnonzero(is_there) + low).astype(labels.dtype)
            return classes, (np.cumsum(is_there, dtype=np.intp) - 1)[position]
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes


def class_totals(codes: Ints, sample_weight: ArrayLike | None = None) -> NDArray[Any]:
    """Return the number of rows per class, or their total weight."""
    return np.bincount(codes, weights=sample_weight)


def check_class_weight(
    classes: NDArray[Any], codes: Ints, sample_weight: NDArray[Any] | None
) -> None:
    """Raise if the weights leave a class without any row."""
    if sample_weight is None:
        return
    empty = np.flatnonzero(class_totals(codes, sample_weight) == 0)
    if len(empty):
        label = classes.tolist()[empty[0]]
        raise ValueError(
            f"every class must have a positive sample_weight, got zero for all of class {label!r}."
        )


def find_minority(totals: ArrayLike) -> int:
    """Return the code of the smaller of two classes; of equal ones, the second."""
    first, second = np.asarray(totals)
    return 0 if first < second else 1


def label_code(label: Any, classes: NDArray[Any], name: str = "minority_label") -> int:
    """Return the code of a label that the user named."""
    is_one = np.ndim(label) == 0
    matches = [code for code, existing in enumerate(classes) if is_one and existing == label]
    if not matches:
        raise ValueError(f"{name} must be one of the classes {_listed(classes)}, got {label!r}.")
    return matches[0]


def named_minority(minority_label: Any, classes: NDArray[Any]) -> int | None:
    """Return the code of the minority that the user named, if any; of two classes only."""
    if minority_label is None:
        return None
    if len(classes) > 2:
        raise ValueError(
            "minority_label must be None for a multiclass target, where each class is set "
            f"against the rest, got {minority_label!r} with {len(classes)} classes."
        )
    return label_code(minority_label, classes)


def most_folds(codes: Ints, n_splits: int) -> int:
    """Return how many stratified folds to make: no more than the rarest class has rows."""
    return min(n_splits, int(class_totals(codes).min()))


class GroupsHoldClass(ValueError):
    """Groups that cannot be held out, since a class would be left without rows."""


def held_out_parts(codes: Ints, groups: Any, n_splits: int, rng: np.random.RandomState) -> Ints:
    """Return the part of one shuffled stratified split that each row is held out with."""
    n_parts, seed = most_folds(codes, n_splits), int(rng.randint(2**31 - 1))
    if n_parts < 2:
        raise ValueError(
            f"every class needs at least two rows of positive weight, got {n_parts} of the rarest."
        )
    if groups is None:
        splitter: Any = StratifiedKFold(n_parts, shuffle=True, random_state=seed)
    else:
        n_groups = len(np.unique(groups))
        if n_groups < 2:
            raise GroupsHoldClass("groups must have at least two groups, got one.")
        n_parts = min(n_parts, n_groups)
        splitter = StratifiedGroupKFold(n_parts, shuffle=True, random_state=seed)
    parts = np.empty(len(codes), dtype=np.intp)
    for number, (train, test) in enumerate(splitter.split(np.zeros(len(codes)), codes, groups)):
        if len(np.unique(codes[train])) <= codes.max():
            raise GroupsHoldClass(
                "groups must leave rows of every class to learn from when some are held out, got a "
                "class whose rows are all in the held-out groups."
            )
        parts[test] = number
    return parts


def bootstrap_rows(
    classes: Sequence[Ints],
    n_draws: int,
    rng: np.random.RandomState,
    groups: NDArray[Any] | None = None,
) -> Iterator[Ints]:
    """Draw rows with replacement, given those of each class, so that no draw lacks a class.

    Without groups every class keeps its number of rows. With groups whole groups are drawn, as many
    as there are among those that share their rarest class.
    """
    if groups is None:
        for _ in range(n_draws):
            yield np.concatenate([rng.choice(members, len(members)) for members in classes])
        return
    rows = np.concatenate(classes)
    codes = np.repeat(np.arange(len(classes)), [len(members) for members in classes])
    numbers = np.unique(np.asarray(groups)[rows], return_inverse=True)[1]
    order = np.argsort(numbers, kind="stable")
    by_group = np.split(rows[order], np.cumsum(np.bincount(numbers))[:-1])
    for drawn in bootstrap_groups(numbers, codes, n_draws, rng):
        yield np.concatenate([by_group[group] for group in drawn])


def bootstrap_groups(
    numbers: Ints, codes: Ints, n_draws: int, rng: np.random.RandomState
) -> Iterator[Ints]:
    """Draw groups with replacement, given the number of each row's group and its class."""
    sizes = np.bincount(codes)
    has_class = np.zeros((int(numbers.max()) + 1, len(sizes)), dtype=bool)
    has_class[numbers, codes] = True
    by_rarity = np.argsort(sizes, kind="stable")
    rarest = by_rarity[np.argmax(has_class[:, by_rarity], axis=1)]
    strata = [np.flatnonzero(rarest == code) for code in np.unique(rarest)]
    for _ in range(n_draws):
        # Groups of a common class may all be missed; after so many tries each is taken once.
        for _ in range(N_TRIES):
            drawn = np.concatenate([rng.choice(members, len(members)) for members in strata])
            if has_class[drawn].any(axis=0).all():
                break
        else:
            drawn = np.concatenate(strata)
        yield drawn


def label_codes(
    labels: ArrayLike, classes: NDArray[Any], name: str = "an evaluation label"
) -> Ints:
    """Return the codes of labels that must be among known classes."""
    values = np.ravel(labels).tolist()
    codes = {value: label_code(value, classes, name) for value in set(values)}
    return np.array([codes[value] for value in values], dtype=np.intp)


def encode_groups(groups: ArrayLike | None, n_rows: int) -> Ints | None:
    """Return each row's group as a number, whatever names groups have."""
    if groups is None:
        return None
    names = np.asarray(groups)
    if names.shape != (n_rows,):
        raise ValueError(
            f"groups must name one group for each of the {n_rows} rows, got an array of shape "
            f"{names.shape}."
        )
    missing = [row for row, name in enumerate(names.tolist()) if is_missing(name)]
    if missing:
        raise ValueError(
            f"groups must not be missing, got {len(missing)} of {n_rows} rows without one, the "
            f"first is row {missing[0] + 1:,}."
        )
    try:
        return np.unique(names, return_inverse=True)[1]
    except TypeError:  # names of several types have no order
        typed = [f"{type(name).__name__} {name}" for name in names]
        return np.unique(typed, return_inverse=True)[1]


def imbalance_ratio(is_minority: Bools, sample_weight: NDArray[Any] | None = None) -> float:
    """Return N_maj / N_min (eq. 11 of the paper), of weights where there are any."""
    majority, minority = np.bincount(is_minority, weights=sample_weight, minlength=2)
    return float(majority / minority)


def calculate_imbalance_ratio(y: ArrayLike, minority_label: Any = None) -> float:
    """Return how many majority rows there are for each minority row.

    The imbalance ratio (IR) is what the costs of `icost.iCost` are multiples of. Weighting every
    minority row by it gives both classes the same total weight, which is what
    ``iCost(method="cs")`` does and, up to a common factor, scikit-learn's
    ``class_weight="balanced"``.

    It says how many rows of each class there are, and nothing about how hard they are to tell
    apart: classes that do not overlap are easy at a ratio of 100, and classes that do are hard at
    a ratio of 3. For that question see `icost.categorize_minority_class`.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels of any kind, of two classes.
    minority_label : label, default=None
        The class to count as the minority. By default the smaller one, or the second in sorted
        order if both have the same size.

    Returns
    -------
    float
        At least 1, unless you name the larger class as the minority.

    See Also
    --------
    icost.iCost.calculate_imbalance_ratio : Takes more than two classes, each against the rest.

    Examples
    --------
    >>> from icost import calculate_imbalance_ratio
    >>> calculate_imbalance_ratio(["well", "well", "well", "ill"])
    3.0
    """
    classes, codes = encode_labels(y)
    minority = resolve_minority(classes, codes, minority_label)
    return imbalance_ratio(codes == minority)


def resolve_minority(
    classes: NDArray[Any],
    codes: Ints,
    minority_label: Any = None,
    sample_weight: NDArray[Any] | None = None,
) -> int:
    """Return the code of a binary target's minority: as named, else the smaller class."""
    if len(classes) != 2:
        raise ValueError(f"y must have two classes here, got {len(classes)}: {_listed(classes)}.")
    if minority_label is not None:
        return label_code(minority_label, classes)
    return find_minority(class_totals(codes, sample_weight))


def _listed(classes: NDArray[Any]) -> str:
    shown = ", ".join(short_text(repr(label)) for label in classes[:6].tolist())
    return shown + (", ..." if len(classes) > 6 else "")
