import numpy as np
import pytest

from icost.tuning.search_table import rows_of
from icost.validation import as_table

ROWS = np.array([0, 2])


@pytest.mark.parametrize("value", [[5, 6, 7], (5, 6, 7)], ids=str)
def test_lists_with_one_entry_a_sample_are_split(value):
    assert rows_of(value, ROWS, 3) == [5, 7]


@pytest.mark.parametrize("value", [8, "abc", [(1, 2)], np.float64(3.0), np.arange(2)], ids=str)
def test_anything_else_is_left_whole(value):
    assert rows_of(value, ROWS, 3) is value


def test_a_list_with_text_keeps_its_numbers():
    assert as_table([[1.5, "a"], [2.5, "b"]]).tolist() == [[1.5, "a"], [2.5, "b"]]
