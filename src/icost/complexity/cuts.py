"""One rule from the foreign share around a row to the paper's categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.complexity.base import NEIGHBOR_CATEGORIES
from icost.validation import check_number

CUTS = (0.0, 0.5, 0.8)
"""Foreign share up to which a row is pure, below which it is safe, and below which border."""

_DIGITS = 12
"""Digits of a foreign share that mean something: the rest is how sums happened to be rounded."""


def check_cuts(cuts: Any) -> tuple[float, float, float]:
    """Return the three cuts, or raise if they are not three ascending shares.

    Examples
    --------
    >>> from icost.complexity.cuts import check_cuts
    >>> check_cuts([0.25, 0.5, 0.75])
    (0.25, 0.5, 0.75)
    """
    is_three = isinstance(cuts, Sequence | np.ndarray) and len(cuts) == 3
    if not is_three or isinstance(cuts, str):
        raise ValueError(f"cuts must be three shares, of pure, safe and border rows, got {cuts!r}.")
    pure, safe, border = (float(check_number("a cut", cut, low=0, high=1)) for cut in cuts)
    if not pure <= safe <= border:
        raise ValueError(f"cuts must ascend, got {cuts!r}.")
    return pure, safe, border


def by_cuts(
    foreign: NDArray[np.float64], cuts: Sequence[float] = CUTS
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Return category, score and foreign share of rows, of which the last two are the same.

    The middle cuts belong to the harder side. Shares are rounded first, so that neither the order
    of the rows nor that of a sum decides about a category.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.complexity.cuts import by_cuts
    >>> by_cuts(np.array([0.0, 0.2, 0.5, 0.8]))[0].tolist()
    ['pure', 'safe', 'border', 'outlier']
    """
    pure, safe, border = check_cuts(cuts)
    share = np.clip(np.round(foreign, _DIGITS), 0.0, 1.0) + 0.0
    step = (share > pure).astype(np.intp) + (share >= safe) + (share >= border)
    # Where cuts coincide, being at one of them is being at all of them.
    category = np.array(NEIGHBOR_CATEGORIES, dtype=object)[np.where(share > pure, step, 0)]
    return category, share, share
