import numpy as np
import pytest

from icost._core.validation import as_table
from icost.tuning._search_table import rows_of
from icost.tuning._searches import halving_plan

ROWS = np.array([0, 2])


@pytest.mark.parametrize("value", [[5, 6, 7], (5, 6, 7)], ids=str)
def test_lists_with_one_entry_a_sample_are_split(value):
    assert rows_of(value, ROWS, 3) == [5, 7]


@pytest.mark.parametrize("value", [8, "abc", [(1, 2)], np.float64(3.0), np.arange(2)], ids=str)
def test_anything_else_is_left_whole(value):
    assert rows_of(value, ROWS, 3) is value


def test_a_list_with_text_keeps_its_numbers():
    assert as_table([[1.5, "a"], [2.5, "b"]]).tolist() == [[1.5, "a"], [2.5, "b"]]


def test_halving_keeps_a_third_from_rung_to_rung():
    assert halving_plan(40, 10) == [(40, 1), (14, 2), (5, 5), (2, 10)]
    assert halving_plan(3, 10) == [(3, 10)]
