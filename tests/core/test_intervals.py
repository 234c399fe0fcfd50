import numpy as np
import pytest
from scipy.stats import t

from icost._core.statistics import corrected_error, corrected_interval


def test_by_hand():
    # Variance 1, three folds of 1 : 2, so the error is sqrt(1 * (1/3 + 1/2)).
    error = np.sqrt(5 / 6)
    half = t.ppf(0.975, 2) * error
    assert corrected_error([1, 2, 3], 0.5) == pytest.approx(error)
    assert corrected_interval([1, 2, 3], 0.5) == pytest.approx((2, 2 - half, 2 + half))


def test_folds_without_a_value_are_left_out():
    assert corrected_interval([1, np.nan, 3], 0.2) == corrected_interval([1, 3], 0.2)
    # Errors of several strategies at once are those of each.
    rows = [[1, np.nan, 3], [1, 2, 4], [np.nan, 5, np.nan]]
    errors = [corrected_error(row, 0.2) for row in ([1, 3], [1, 2, 4], [5])]
    np.testing.assert_allclose(corrected_error(rows, 0.2), errors)
    assert np.isnan(corrected_interval([np.nan], 0.2)).all()
    mean, low, high = corrected_interval([4.0], 0.2)
    assert mean == 4 and np.isnan([low, high]).all()


def test_wider_with_more_confidence():
    narrow, wide = (corrected_interval([1, 2, 4], 0.3, level) for level in (0.8, 0.99))
    assert wide[1] < narrow[1] < narrow[2] < wide[2]
