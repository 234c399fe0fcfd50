"""Values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain_value(value: Any) -> Any:
    """Return a value as JSON can hold it: numpy's numbers as Python's, NaN as None.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.report.plain import plain_value
    >>> plain_value({"a": np.float64("nan"), "b": [np.int64(3), "x"]})
    {'a': None, 'b': [3, 'x']}
    """
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain_value(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return None if value is None else str(value)
