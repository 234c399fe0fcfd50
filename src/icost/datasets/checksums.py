"""Checksum of a parsed table: the same whatever file, platform or pandas it came by."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def table_checksum(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the SHA-256 of names, cells and labels.

    Numbers count by value, so that ``5`` and ``5.0`` agree; all missing values are alike.

    Parameters
    ----------
    X : pandas.DataFrame
        Features.
    y : pandas.Series
        Labels.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import pandas as pd
    >>> from icost.datasets import table_checksum
    >>> y = pd.Series(["a", "b"], name="y")
    >>> ints, floats = pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [1.0, 2.0]})
    >>> table_checksum(ints, y) == table_checksum(floats, y)
    True
    """
    digest = hashlib.sha256()
    for name in X.columns:
        _add(digest, name, _cells(X[name]))
    _add(digest, y.name, [str(label) for label in y])
    return digest.hexdigest()


def _add(digest: hashlib._Hash, name: object, cells: list[str]) -> None:
    # Separators that no cell contains keep ("ab", "c") apart from ("a", "bc").
    digest.update("\x1f".join([str(name), *cells]).encode() + b"\x1e")


def _cells(column: pd.Series) -> list[str]:
    missing = column.isna()
    if column.dtype.kind in "biuf":
        return ["" if gap else repr(float(cell)) for cell, gap in zip(column, missing, strict=True)]
    return ["" if gap else str(cell) for cell, gap in zip(column, missing, strict=True)]
