"""One place, and one kind of sentence, for checking parameters.

Every message says what was wanted and what came.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from importlib import import_module
from numbers import Integral, Real
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data


def check_number(
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    integer: bool = False,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return ``value`` if it is a finite number within the bounds, else raise."""
    kind = Integral if integer else Real
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    # NaN fails both comparisons, so it is refused here as well.
    above = is_number and (value > low or (value == low and not open_low))
    below = is_number and (value < high or (value == high and not open_high))
    if not (above and below) or math.isinf(value):
        noun = "a whole number" if integer else "a finite number"
        wanted = f"{noun}{_interval(low, high, open_low, open_high)}"
        raise ValueError(f"{name} must be {wanted}, got {value!r}.")
    return value


def _interval(low: float, high: float, open_low: bool, open_high: bool) -> str:
    parts = []
    if low > -math.inf:
        parts.append(f"{'>' if open_low else '>='} {low:g}")
    if high < math.inf:
        parts.append(f"{'<' if open_high else '<='} {high:g}")
    return " " + " and ".join(parts) if parts else ""


def check_choice(name: str, value: Any, choices: Iterable[str], extra: str = "") -> str:
    """Return ``value`` if it is one of ``choices``, else raise; ``extra`` ends their list."""
    choices = list(choices)
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name} must be one of {listed}{extra}, got {value!r}.")
    return value


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import an optional module, or say which extra of icost-learn brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        # A package that is there but breaks, or lacks one of its own, has a better message.
        if error.name != package:
            raise
        raise ImportError(
            f'{purpose} needs {package}, which is not installed: pip install "icost-learn[{extra}]"'
        ) from error


def check_sample_weight(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """Return user weights as floats, one per sample, or None if there are none."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n_samples, weight)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} samples, got an "
            f"array of shape {weight.shape}."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        bad = weight[~np.isfinite(weight) | (weight < 0)][0]
        raise ValueError(f"sample_weight must be finite and not negative, got {bad}.")
    return weight


def is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas' NA, which has no truth value."""
    if value is None:
        return True
    unequal = value != value
    return unequal is True or type(unequal).__name__ == "NAType" or unequal is np.True_


def as_numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return a column as floats with NaN for missing cells, or None if it is not numeric.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.validation import as_numbers
    >>> as_numbers(np.array([1, None, True], dtype=object))
    array([ 1., nan,  1.])
    >>> as_numbers(np.array([1, "f"], dtype=object)) is None
    True
    """
    if values.dtype.kind in "biuf":
        return values.astype(np.float64, copy=False)
    if values.dtype.kind in "mM":
        missing = np.isnat(values)
        return np.where(missing, np.nan, values.astype(np.int64).astype(np.float64))
    if not all(isinstance(v, Real | Decimal | np.bool_) or is_missing(v) for v in values):
        return None
    return np.array([np.nan if is_missing(value) else float(value) for value in values])


def as_array(X: Any) -> NDArray[Any]:
    """Return a table that is no frame as an array; numbers beside text in a list stay numbers."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf" and X.size:
        # Nothing to check; on small tables the checks take longer than the search.
        return X
    array = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
    if not hasattr(X, "dtype") and array.dtype.kind in "US":
        return check_array(X, dtype=object, ensure_all_finite=False, input_name="X")
    return array


def check_features(estimator: Any, X: Any, *, reset: bool = True) -> None:
    """Remember or compare the features' number and names, without converting the table."""
    if getattr(X, "ndim", 2) != 2:
        check_array(X, dtype=None)  # raises with scikit-learn's words
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return rows of a table of any kind, by position."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if issparse(X):
        return X.tocsr()[rows]
    return X[rows] if hasattr(X, "shape") else as_array(X)[rows]


def as_table(X: Any) -> Any:
    """Return the user's table as something whose rows can be taken."""
    if len(getattr(X, "shape", ())) == 2:
        return X
    # Lists become arrays; anything that is not a table is refused with scikit-learn's words.
    return as_array(X)
