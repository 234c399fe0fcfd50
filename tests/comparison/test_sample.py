import numpy as np
import pytest

from icost.comparison._sample import FEWEST, growth, sample_rows

CODES = np.random.default_rng(3).permutation(np.repeat([0, 1, 2], [9000, 990, 10]))


def test_classes_keep_their_shares_and_rare_ones_a_handful():
    rows = sample_rows(CODES, 1000)
    # Of the 990 rows that the rare class leaves, 9000 / 9990 are of the first.
    assert np.bincount(CODES[rows]).tolist() == [892, 98, FEWEST]
    assert len(np.unique(rows)) == 1000 and (np.diff(rows) > 0).all()


def test_the_seed_decides():
    assert (sample_rows(CODES, 500, 1) == sample_rows(CODES, 500, 1)).all()
    assert (sample_rows(CODES, 500, 1) != sample_rows(CODES, 500, 2)).any()


@pytest.mark.parametrize("max_rows", [None, 10_000, 20_000])
def test_all_rows_are_no_sample(max_rows):
    assert sample_rows(CODES, max_rows) is None


def test_the_fewest_rows_that_can_be_asked_for():
    codes = np.repeat([0, 1, 2], [50, 50, 4])
    assert np.bincount(codes[sample_rows(codes, 24)]).tolist() == [10, 10, 4]
    with pytest.raises(ValueError, match="at least 24, up to 10 rows for each of 3 classes, got 2"):
        sample_rows(codes, 23)


@pytest.mark.parametrize("max_rows", [0, 2.5, "all"])
def test_what_is_no_number_of_rows(max_rows):
    with pytest.raises(ValueError, match="max_rows must be"):
        sample_rows(CODES, max_rows)


def test_a_table_of_four_times_the_rows_takes_longer_with_a_machine_of_squares():
    assert growth(4.0, ["svm"]) == 16.0
    assert 4.0 < growth(4.0, ["lr"]) < growth(4.0, ["lr", "svm"])
