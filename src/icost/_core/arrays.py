"""Short names for types of arrays, and the ends of their columns."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: About as many numbers in a row are gone through at full speed.
_WIDE = 1024


def column_ends(X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least and the greatest number of each column of a table that has rows."""
    low = high = X
    # NumPy is slow to go from one short row to the next. Side by side, several rows are one of a
    # wide table, whose least numbers are as many rows of the narrow one. The root of their number
    # makes both tables short.
    n_beside = min(math.isqrt(len(X)), _WIDE // max(1, X.shape[1]))
    if X.size and n_beside > 1 and X.flags.c_contiguous:
        n_rows = len(X) - len(X) % n_beside
        wide = X[:n_rows].reshape(-1, n_beside * X.shape[1])
        low, high = (
            np.concatenate([end(axis=0).reshape(n_beside, -1), X[n_rows:]])
            for end in (wide.min, wide.max)
        )
    return low.min(axis=0), high.max(axis=0)
