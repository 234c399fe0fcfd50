import numpy as np
import pytest

from icost.comparison._splits import make_splits

CODES = np.repeat([0, 1], [40, 10])


def test_every_row_is_tested_once_in_a_repeat():
    splits = make_splits(CODES, n_splits=5, n_repeats=2)
    first = np.concatenate([test for _, test in splits.pairs[: splits.n_folds]])
    assert sorted(first) == list(range(50)) and len(splits.pairs) == 10
    assert splits.test_share == pytest.approx(0.25)


def test_fewer_folds_than_asked_for_a_tiny_class():
    splits = make_splits(np.repeat([0, 1], [9, 3]), n_splits=5, n_repeats=1)
    assert splits.n_folds == 3 and "has 3 rows" in splits.notes[0]
    with pytest.raises(ValueError, match="at least two rows of each class"):
        make_splits(np.array([0, 0, 1]))


def test_groups_are_never_on_both_sides():
    groups = np.arange(50) % 8
    splits = make_splits(CODES, n_splits=4, n_repeats=2, groups=groups)
    for train, test in splits.pairs:
        assert not set(groups[train]) & set(groups[test])


def test_training_rows_come_before_test_rows():
    time = np.random.default_rng(0).permutation(50)
    splits = make_splits(CODES, n_splits=4, time=time)
    for train, test in splits.pairs:
        assert time[train].max() < time[test].min()


MIXED = np.tile([0, 1], 25)


def test_rows_of_the_same_time_are_never_on_both_sides():
    time = np.random.default_rng(0).permutation(np.arange(50) // 7)
    splits = make_splits(MIXED, n_splits=4, time=time)
    for train, test in splits.pairs:
        assert time[train].max() < time[test].min()
    # Cuts after 10, 20, 30 and 40 rows move to the ends of the sevens.
    assert [len(train) for train, _ in splits.pairs] == [14, 21, 35, 42]
    assert splits.how.startswith("4 folds") and splits.n_folds == 4


@pytest.mark.parametrize(
    "to_text",
    [
        str,
        lambda day: str(np.datetime64("2023-12-20") + day),
        lambda day: f"{np.datetime64('2023-12-20') + day}T08:00:00Z",
    ],
)
def test_text_is_ordered_as_the_numbers_or_dates_that_it_holds(to_text):
    days = np.random.default_rng(1).permutation(50)
    text = np.array([to_text(int(day)) for day in days], dtype=object)
    expected = make_splits(MIXED, n_splits=4, time=days)
    found = make_splits(MIXED, n_splits=4, time=text)
    for one, other in zip(found.pairs, expected.pairs, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.parametrize(
    ("time", "message"),
    [
        (np.array(["May 2020"] * 50, dtype=object), "such as 2024-01-31, got 'May 2020'"),
        (np.where(np.arange(50) == 3, np.nan, 1.0), "must have no gaps, got 1"),
        (np.repeat([1, 2], 25), "too few different times for 5 folds, got 2"),
    ],
)
def test_times_that_give_no_order_are_refused(time, message):
    with pytest.raises(ValueError, match=message):
        make_splits(MIXED, time=time)


def test_folds_that_lack_a_class_are_left_out_and_counted():
    codes = np.tile([0, 0, 0, 1, 0], 12)
    codes[:20] = 0
    splits = make_splits(codes, n_splits=5, time=np.arange(60))
    assert len(splits.pairs) < 5 and "lack a class" in splits.notes[0]
    with pytest.raises(ValueError, match="use fewer folds"):
        make_splits(np.sort(codes), n_splits=5, time=np.arange(60))


def test_impossible_wishes():
    with pytest.raises(ValueError, match="cannot both"):
        make_splits(CODES, groups=CODES, time=CODES)
    with pytest.raises(ValueError, match="at least two groups"):
        make_splits(CODES, groups=np.zeros(50))
