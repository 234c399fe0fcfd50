"""Labels: encode them once, find the minority, measure the imbalance.

Everything to the right of this module works on codes ``0..K-1``, so that labels are never used
as indices and ``{0, 1}``, ``{-1, 1}``, strings and booleans all give the same weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from icost.validation import is_missing


def encode_labels(y: ArrayLike | None) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes and the code of each sample.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels of any kind that can be sorted.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The distinct labels, sorted.
    codes : ndarray of shape (n_samples,)
        ``classes[codes]`` is ``y``.

    Examples
    --------
    >>> from icost.labels import encode_labels
    >>> classes, codes = encode_labels(["no", "yes", "no"])
    >>> codes
    array([0, 1, 0])
    """
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O" and any(map(is_missing, labels)):
        raise ValueError("y must have a label for each sample, got a missing one.")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y must contain at least two classes, got only one class: {_listed(classes)}."
        )
    return classes, codes


def class_totals(codes: NDArray[np.intp], sample_weight: ArrayLike | None = None) -> NDArray[Any]:
    """Return the number of samples, or their total weight, per class.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import class_totals
    >>> class_totals(np.array([0, 1, 0]))
    array([2, 1])
    """
    return np.bincount(codes, weights=sample_weight)


def check_class_weight(
    classes: NDArray[Any], codes: NDArray[np.intp], sample_weight: NDArray[Any] | None
) -> None:
    """Raise if the weights leave a class without any sample.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import check_class_weight
    >>> check_class_weight(np.array(["a", "b"]), np.array([0, 1]), np.array([2.0, 1.0]))
    """
    if sample_weight is None:
        return
    empty = np.flatnonzero(class_totals(codes, sample_weight) == 0)
    if len(empty):
        label = classes[empty[0]].item()
        raise ValueError(
            f"every class must have a positive sample_weight, got zero for all of class {label!r}."
        )


def find_minority(totals: ArrayLike) -> int:
    """Return the code of the smaller of two classes; of equal ones, the second.

    Examples
    --------
    >>> from icost.labels import find_minority
    >>> find_minority([30, 10]), find_minority([10, 30]), find_minority([10, 10])
    (1, 0, 1)
    """
    first, second = np.asarray(totals)
    return 0 if first < second else 1


def label_code(label: Any, classes: NDArray[Any], name: str = "minority_label") -> int:
    """Return the code of a label that the user named.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import label_code
    >>> label_code("ill", np.array(["healthy", "ill"]))
    1
    """
    is_one = np.ndim(label) == 0
    found = [code for code, known in enumerate(classes) if is_one and known == label]
    if not found:
        raise ValueError(f"{name} must be one of the classes {_listed(classes)}, got {label!r}.")
    return found[0]


def named_minority(minority_label: Any, classes: NDArray[Any]) -> int | None:
    """Return the code of the minority that the user named, if any; of two classes only.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import named_minority
    >>> named_minority("ill", np.array(["healthy", "ill"])), named_minority(None, np.arange(3))
    (1, None)
    """
    if minority_label is None:
        return None
    if len(classes) > 2:
        raise ValueError(
            "minority_label must be None for a multiclass target, where each class is set "
            f"against the rest, got {minority_label!r} with {len(classes)} classes."
        )
    return label_code(minority_label, classes)


def most_folds(codes: NDArray[np.intp], n_splits: int) -> int:
    """Return how many stratified folds to make: no more than the rarest class has rows.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import most_folds
    >>> most_folds(np.array([0, 0, 0, 0, 1, 1, 1]), 5)
    3
    """
    return min(n_splits, int(class_totals(codes).min()))


def label_codes(
    labels: ArrayLike, classes: NDArray[Any], name: str = "an evaluation label"
) -> NDArray[np.intp]:
    """Return the codes of labels that must be among known classes.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import label_codes
    >>> label_codes(["ill", "healthy", "ill"], np.array(["healthy", "ill"]))
    array([1, 0, 1])
    """
    values = np.ravel(labels).tolist()
    codes = {value: label_code(value, classes, name) for value in set(values)}
    return np.array([codes[value] for value in values], dtype=np.intp)


def imbalance_ratio(
    is_minority: NDArray[np.bool_], sample_weight: NDArray[Any] | None = None
) -> float:
    """Return N_maj / N_min (eq. 11 of the paper), of weights where there are any.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import imbalance_ratio
    >>> imbalance_ratio(np.array([True, False, False]))
    2.0
    """
    majority, minority = np.bincount(is_minority, weights=sample_weight, minlength=2)
    return float(majority / minority)


def calculate_imbalance_ratio(y: ArrayLike, minority_label: Any = None) -> float:
    """Return the imbalance ratio of a binary target.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Class labels, of two classes.
    minority_label : label, default=None
        The class to count as the minority; by default the smaller one.

    Returns
    -------
    float
        Number of majority samples per minority sample.

    Examples
    --------
    >>> from icost import calculate_imbalance_ratio
    >>> calculate_imbalance_ratio([0, 0, 0, 1])
    3.0
    """
    classes, codes = encode_labels(y)
    minority = resolve_minority(classes, codes, minority_label)
    return imbalance_ratio(codes == minority)


def resolve_minority(
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    minority_label: Any = None,
    sample_weight: NDArray[Any] | None = None,
) -> int:
    """Return the code of the minority class of a binary problem.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.labels import resolve_minority
    >>> resolve_minority(np.array(["a", "b"]), np.array([0, 0, 1]))
    1
    """
    if len(classes) != 2:
        raise ValueError(f"y must have two classes here, got {len(classes)}: {_listed(classes)}.")
    if minority_label is not None:
        return label_code(minority_label, classes)
    return find_minority(class_totals(codes, sample_weight))


def _listed(classes: NDArray[Any]) -> str:
    shown = ", ".join(repr(label) for label in classes[:6].tolist())
    return shown + (", ..." if len(classes) > 6 else "")
