import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from icost._table._rows import points_in_time, read_rows

X = np.arange(12.0).reshape(6, 2)
Y = np.array(["no", "no", "no", "yes", "yes", "maybe"])


def test_labels_groups_and_times_become_numbers():
    rows = read_rows(
        X[:5],
        Y[:5],
        groups=["a", "b", "a", "b", "b"],
        time=["2024-01-02", "2024-01-01", "2024-01-03", "2024-01-04", "2024-01-05"],
        costs=([1.0, 2.0, 3.0, 4.0, 5.0], 2.0),
    )
    assert rows.classes.tolist() == ["no", "yes"] and rows.codes.tolist() == [0, 0, 0, 1, 1]
    assert rows.minority == 1 and rows.is_minority.tolist() == [False] * 3 + [True] * 2
    assert rows.groups.tolist() == [0, 1, 0, 1, 1]
    assert np.argsort(rows.time).tolist() == [1, 0, 2, 3, 4]
    part = rows.take([4, 0])
    assert part.costs[0].tolist() == [5, 1] and part.costs[1] == 2
    assert part.table.numbers.tolist() == [[8, 9], [0, 1]] and part.n_rows == 2


def test_rows_of_weight_zero_are_absent_and_so_are_their_classes():
    rows = read_rows(X, Y, sample_weight=[1, 0, 2, 1, 1, 0], groups=list("aabbcc"))
    assert rows.classes.tolist() == ["no", "yes"] and rows.codes.tolist() == [0, 0, 1, 1]
    assert rows.weight.tolist() == [1, 2, 1, 1] and rows.groups.tolist() == [0, 1, 1, 2]
    assert rows.table.numbers[:, 0].tolist() == [0, 4, 6, 8]
    with pytest.raises(ValueError, match="two classes with rows of positive sample_weight"):
        read_rows(X, Y, sample_weight=[1, 1, 0, 0, 0, 0])


def test_several_classes_have_no_minority():
    rows = read_rows(X, Y)
    assert rows.minority is None and not rows.is_minority.any() and rows.n_classes == 3
    with pytest.raises(ValueError, match="minority_label must be None for a multiclass target"):
        read_rows(X, Y, minority_label="yes")


def test_sparse_tables_stay_sparse():
    rows = read_rows(csr_array(X), Y, sample_weight=[1, 0, 1, 1, 1, 1])
    assert rows.table.shape == (5, 2) and rows.take([0, 3]).table.toarray()[:, 0].tolist() == [0, 8]


def test_a_table_that_was_read_is_taken_as_it_is():
    table = read_rows(X, Y).table
    assert read_rows(table, Y).table.types is table.types


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": Y[:5]}, "inconsistent numbers of samples"),
        ({"sample_weight": [1, 2]}, "sample_weight must have one weight for each of the 6 rows"),
        ({"groups": list("ab")}, "groups must name one group for each of the 6 rows"),
        ({"time": [1, 2, 3]}, "time must have one entry for each of the 6 rows, got 3"),
        ({"time": ["x"] * 6}, "must hold numbers or dates such as 2024-01-31, got 'x'"),
        ({"costs": (-1.0, 1.0)}, "cost_fn must be a finite number >= 0"),
        ({"y": pd.date_range("2024-01-01", periods=6)}, "y must hold classes, got times"),
        ({"y": pd.interval_range(0, 6)}, "y must hold classes .*got Interval"),
        ({"drop": ["2"]}, "the table has no column '2'"),
    ],
)
def test_each_defect_has_its_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        read_rows(X, **({"y": Y} | options))


def test_points_in_time_are_seconds_of_dates():
    numbers = points_in_time(["31.12.2023", "1.1.2024", "02.01.2024"])
    assert np.diff(numbers).tolist() == [86400, 86400]
    assert points_in_time(pd.Series(["3", "10", "20"])).tolist() == [3, 10, 20]
    with pytest.raises(ValueError, match="must have no gaps, got 1"):
        points_in_time(np.array([1.0, np.nan]))
