"""Rows whose table is an array, for candidates that take it as it is."""

from dataclasses import replace

import numpy as np
import pytest

from icost._table._rows import read_rows


@pytest.fixture(scope="session")
def array_rows():
    """Return rows of labels and an array, without an encoder in between."""

    def rows_of(X, y, **options):
        return replace(read_rows(X, y, **options), table=np.asarray(X))

    return rows_of
