"""One place, and one kind of sentence, for checking parameters.

Every message says what was wanted and what came.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
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
    number_type = Integral if integer else Real
    is_number = isinstance(value, number_type) and not isinstance(value, bool)
    # NaN fails all comparisons, so it is refused here as well.
    is_within = is_number and low <= value <= high and not math.isinf(value)
    ends = [low] * open_low + [high] * open_high
    if not is_within or value in ends:
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


def short_text(text: str, longest: int = 200) -> str:
    """Return a text for a message; of one that is longer, the first characters."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


def check_cost_matrix(matrix: Any, n_classes: int | None = None) -> NDArray[np.float64]:
    """Return a square matrix of costs in which no error costs less than a right decision."""
    costs = np.asarray(matrix, dtype=np.float64)
    size = n_classes or (len(costs) if costs.ndim else 0)
    if costs.shape != (size, size) or size < 2 or not np.isfinite(costs).all():
        raise ValueError(
            "cost_matrix must be finite, with a row and a column for each class, got an array of "
            f"shape {costs.shape}" + (f" for {n_classes} classes." if n_classes else ".")
        )
    if (costs < np.diag(costs)[:, np.newaxis]).any():
        raise ValueError(
            "cost_matrix must not make an error cheaper than a right decision: in each row, the "
            "diagonal must be the smallest."
        )
    return costs


def check_row_costs(name: str, costs: Any, n_rows: int) -> Any:
    """Return a number, or an array with one cost per row; raise for anything else."""
    if np.ndim(costs) == 0:
        return check_number(name, costs, low=0)
    return _check_per_row(name, costs, n_rows, "cost")


def _check_per_row(name: str, given: Any, n_rows: int, noun: str) -> NDArray[np.float64]:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        text = next((v for v in given if not isinstance(v, Real)), given)
        raise ValueError(f"{name} must hold numbers, got {short_text(repr(text))}.") from None
    if values.shape != (n_rows,):
        raise ValueError(
            f"{name} must have one {noun} for each of the {n_rows} rows, got an array of shape "
            f"{values.shape}."
        )
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = np.flatnonzero(bad)[0]
        raise ValueError(
            f"{name} must be finite and not negative, got {values[row]} in row {row + 1:,}."
        )
    return values


SHORT_LIST = 6
"""Choices that a message lists even if it can name the likely one."""


def check_choice(name: str, value: Any, choices: Iterable[str], extra: str = "") -> str:
    """Return ``value`` if it is one of ``choices``, else raise; ``extra`` ends their list."""
    choices = list(choices)
    if isinstance(value, str) and value in choices:
        return value
    hint = did_you_mean(value, choices)
    is_short = not hint or len(choices) <= SHORT_LIST
    listed = shorten(choices) if is_short else f"{len(choices)} names"
    ending = f": {hint}" if hint else "."
    raise ValueError(f"{name} must be one of {listed}{extra}, got {value!r}{ending}")


def did_you_mean(name: Any, names: Iterable[Any]) -> str:
    """Return a question that offers the nearest name, or nothing."""
    folded: dict[str, Any] = {}
    for candidate in names:
        folded.setdefault(str(candidate).strip().casefold(), candidate)
    wanted = name.strip().casefold() if isinstance(name, str) else ""
    near = get_close_matches(wanted, folded, n=1, cutoff=0.65)
    # A word of a longer name is a likely slip as well, if it is long enough to mean something.
    near = near or [key for key in folded if len(wanted) > 3 and wanted in re.split(r"[\W_]", key)]
    return f"did you mean {folded[near[0]]!r}?" if near else ""


def shorten(names: Sequence[object], limit: int = 12) -> str:
    """List names for a message, the first dozen at most."""
    listed = ", ".join(repr(name) for name in names[:limit])
    return listed if len(names) <= limit else f"{listed}, … ({len(names)} in all)"


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module when it is used, or say which extra of icost-learn, "" for none, has it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        # A package that is there but breaks, or lacks one of its own, has a better message.
        if error.name != package:
            raise
        wanted = f'"icost-learn[{extra}]"' if extra else "icost-learn"
        raise ImportError(
            f"{purpose} needs {package}, which is not installed: pip install {wanted}"
        ) from error


def check_sample_weight(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """Return user weights as floats, one per row, or None if there are none."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_samples, weights)
    return _check_per_row("sample_weight", weights, n_samples, "weight")


def is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas' NA, which has no truth value."""
    if value is None:
        return True
    unequal = value != value
    return unequal is True or type(unequal).__name__ == "NAType" or unequal is np.True_


def as_seconds(times: NDArray[Any]) -> NDArray[np.float64]:
    """Return times since 1970, or spans, as seconds: the same whatever the unit of the column."""
    unit, step = np.datetime_data(times.dtype)
    if unit in ("Y", "M", "W", "D", "h", "m", "generic") or step != 1:
        times = times.astype(f"{times.dtype.kind}8[s]")
        unit = "s"
    per_second = 1000 ** ("s", "ms", "us", "ns", "ps", "fs", "as").index(unit)
    whole, rest = np.divmod(times.astype(np.int64), per_second)
    # Apart, since more than 53 bits of nanoseconds would be rounded before they are divided.
    return np.where(np.isnat(times), np.nan, whole + rest / per_second)


def as_array(X: Any) -> NDArray[Any]:
    """Return a table that is no frame as an array; numbers beside text in a list stay numbers."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf" and X.size:
        # Nothing to check; on small tables the checks take longer than the search.
        return X
    check_not_empty(X)
    array = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
    if not hasattr(X, "dtype") and array.dtype.kind in "US":
        return check_array(X, dtype=object, ensure_all_finite=False, input_name="X")
    return array


def check_not_empty(X: Any) -> None:
    """Raise for a table without rows or columns, in words that scikit-learn's checks know."""
    shape: tuple[int, ...] | None = getattr(X, "shape", None)
    if shape is None and hasattr(X, "__len__"):
        shape = (len(X),)
    if not shape:
        return  # no table at all, which other checks say
    if shape[0] == 0:
        raise ValueError("X must have at least one row, got none.")
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(
            f"X must have at least one column, got 0 feature(s) (shape={tuple(shape)}) while a "
            "minimum of 1 is required."
        )


def check_column_names(X: Any) -> None:
    """Raise if two columns of a frame have the same name, or if it is none in memory yet."""
    if type(X).__name__ == "LazyFrame":
        raise ValueError(
            "X must be a table in memory, got a LazyFrame: call collect() on it first."
        )
    names = [str(name) for name in getattr(X, "columns", ())]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"Column names must be unique, got {twice!r} more than once.")


def check_features(estimator: Any, X: Any, *, reset: bool = True) -> None:
    """Remember or compare the features' number and names, without converting the table."""
    check_column_names(X)
    if getattr(X, "ndim", 2) != 2:
        check_array(X, dtype=None)  # raises with scikit-learn's words
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return rows of a table of any kind, by position."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "types") or hasattr(X, "column_names"):  # a typed table, or one of Arrow
        return X.take(rows)
    if issparse(X):
        return X.tocsr()[rows]
    return X[rows] if hasattr(X, "shape") else as_array(X)[rows]


def rows_of(value: Any, rows: NDArray[np.intp], n_samples: int) -> Any:
    """Return the rows of a fit parameter that has one entry per row, anything else as it is."""
    if isinstance(value, list | tuple) and len(value) == n_samples:
        return [value[row] for row in rows]
    if hasattr(value, "shape") and value.shape and value.shape[0] == n_samples:
        return take_rows(value, rows)
    return value


def as_table(X: Any) -> Any:
    """Return the user's table as something whose rows can be taken."""
    check_column_names(X)
    if len(getattr(X, "shape", ())) == 2:
        check_not_empty(X)
        return X
    # Lists become arrays; anything that is not a table is refused with scikit-learn's words.
    return as_array(X)
