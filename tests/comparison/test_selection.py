"""How redraws of the rows are scored."""

import numpy as np
import pytest

from icost.comparison._selection import _mcc, _mean_cost

CELLS = np.array([[[80.0, 4.0], [6.0, 10.0]]])  # false alarms are above, misses below the diagonal


def test_redraws_are_scored_by_what_misses_and_false_alarms_cost():
    costs = CELLS * [[2.0], [7.0]]  # cells in which rows count what their errors cost
    assert _mean_cost(CELLS, costs) == pytest.approx((7 * 6 + 2 * 4) / 100)
    assert _mean_cost(np.zeros((1, 2, 2)), np.zeros((1, 2, 2))).tolist() == [0.0]


def test_redraws_without_costs_are_scored_by_mcc():
    expected = (80 * 10 - 4 * 6) / np.sqrt(84 * 16 * 86 * 14)
    assert _mcc(CELLS) == pytest.approx(expected)
