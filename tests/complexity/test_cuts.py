"""From other-class shares to categories."""

import numpy as np
import pytest

from icost.complexity._base import CUTS, by_cuts, check_cuts, rival_of
from icost.complexity._neighbor import paper_categories


def test_each_side_of_each_cut():
    shares = np.array([0, 1e-15, 1e-9, 0.4999, 0.5, 0.7999, 0.8, 1])
    names = by_cuts(shares)[0].tolist()
    assert names == ["pure", "pure", "safe", "safe", "border", "border", "outlier", "outlier"]


def test_rounding_of_sums_does_not_decide():
    assert by_cuts(np.array([0.5 - 1e-15, 0.8 - 1e-15, -1e-17]))[0].tolist() == [
        "border",
        "outlier",
        "pure",
    ]


def test_against_the_categories_of_five_neighbours():
    shares, expected = np.arange(6) / 5, paper_categories(5).tolist()
    names = by_cuts(shares)[0].tolist()
    # Four of five other_class_share neighbours are an outlier here, as a leaf with such a share is
    # for Gini; the paper's neighbours call it a border.
    assert (names[4], expected[4]) == ("outlier", "border")
    assert [n for i, n in enumerate(names) if i != 4] == expected[:4] + expected[5:]


@pytest.mark.parametrize("k", range(1, 12))
def test_with_other_cuts_the_categories_of_neighbours_exactly(k):
    names = by_cuts(np.arange(k + 1) / k, (0.0, 0.5, 1.0))[0]
    assert names.tolist() == paper_categories(k).tolist()


@pytest.mark.parametrize("wrong", ["abc", 3, (0.1, 0.2), (0.5, 0.2, 0.8), (0, 0.5, 1.1), None])
def test_wrong_cuts_are_told(wrong):
    with pytest.raises(ValueError, match=r"^(cuts|a cut) must"):
        check_cuts(wrong)


def test_the_default():
    assert CUTS == (0.0, 0.5, 0.8)


def test_the_rival_is_the_largest_other_class():
    amounts = np.array([[3.0, 0.5, 1.5], [0.0, 5.0, 0.0]])
    assert rival_of(amounts, np.array([0, 1])).tolist() == [2, -1]
