import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.multiclass import check_classification_targets

from icost._core.labels import (
    bootstrap_rows,
    calculate_imbalance_ratio,
    encode_labels,
    find_minority,
    imbalance_ratio,
    label_code,
    resolve_minority,
)


@pytest.mark.parametrize(
    "labels",
    [[0, 0, 1], [1, 1, 2], [-1, -1, 1], ["a", "a", "b"], [False, False, True], [0.0, 0.0, 1.0]],
)
def test_labels_of_any_kind_have_the_same_codes(labels):
    classes, codes = encode_labels(labels)
    assert codes.tolist() == [0, 0, 1]
    assert classes[codes].tolist() == labels


def test_text_of_numpy_and_of_python_is_of_one_type():
    classes, codes = encode_labels(np.array([np.str_("a"), "b", "a"], dtype=object))
    assert classes.tolist() == ["a", "b"] and codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -2, 3, 0, -2], dtype=np.int8),
        np.array([127, -128] * 200, dtype=np.int8),
        np.array([250, 255, 250, 251], dtype=np.uint8),
        np.array([2**63 - 1, -(2**63), 2**63 - 1, 0], dtype=np.int64),
        np.array([2**64 - 1, 2**64 - 2] * 3, dtype=np.uint64),
        np.array([7, 10**9, 7, 10**9]),
        np.array([True, False, True]),
        np.arange(-5, 5).repeat(3)[::-1],
    ],
)
def test_whole_numbers_are_encoded_as_if_sorted(labels):
    classes, codes = encode_labels(labels)
    expected = np.unique(labels, return_inverse=True)
    assert (classes.dtype, codes.dtype) == (labels.dtype, np.intp)
    np.testing.assert_array_equal(classes, expected[0])
    np.testing.assert_array_equal(codes, expected[1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y to be passed"),
        ([1, 1, 1], r"at least two classes, got only one class: 1\."),
        ([0.0, 1.0, np.nan], "contains NaN"),
        ([0.5, 1.5, 2.25], "continuous"),
        (np.array(["a", None, "b"], dtype=object), "a label for each row, got a missing one"),
        (np.array(["ill", 0, 0, "ill"], dtype=object), r"labels of one type, got int and str\."),
        (pd.Series([0] * 20 + ["ill"] * 4, dtype=object), "labels of one type, got int and str"),
    ],
)
def test_what_is_no_target_is_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        encode_labels(labels)


def test_the_smaller_class_is_the_minority_and_of_equal_ones_the_second():
    assert find_minority([3, 2]) == 1
    assert find_minority([2, 3]) == 0
    assert find_minority([2, 2]) == 1


def test_weights_can_change_who_is_the_minority():
    classes, codes = encode_labels([0, 0, 0, 1])
    assert resolve_minority(classes, codes) == 1
    assert resolve_minority(classes, codes, sample_weight=np.array([1, 1, 1, 9.0])) == 0


def test_imbalance_ratio_counts_weights():
    is_minority = np.array([False, False, True])
    assert imbalance_ratio(is_minority) == 2.0
    assert imbalance_ratio(is_minority, np.array([1.0, 2.0, 6.0])) == 0.5


def test_ratio_of_a_named_minority_may_be_below_one():
    assert calculate_imbalance_ratio([0, 0, 0, 1]) == 3.0
    assert calculate_imbalance_ratio([0, 0, 0, 1], minority_label=0) == pytest.approx(1 / 3)


def test_an_absent_label_is_named_with_the_classes():
    with pytest.raises(ValueError, match=r"minority_label must be one of the classes 'a', 'b', go"):
        label_code("c", np.array(["a", "b"]))


def test_three_classes_have_no_single_minority():
    with pytest.raises(ValueError, match="two classes here, got 3: 0, 1, 2"):
        calculate_imbalance_ratio([0, 1, 2])


def test_a_missing_label_of_pandas():
    with pytest.raises(ValueError, match="got a missing one"):
        encode_labels(pd.Series(["no", "yes", pd.NA], dtype="string"))


def test_a_list_is_no_label():
    with pytest.raises(ValueError, match=r"must be one of the classes 0, 1, got \[0, 1\]"):
        label_code([0, 1], np.array([0, 1]))


def test_bootstraps_keep_the_size_of_every_class():
    classes = [np.arange(8), np.arange(8, 11)]
    for rows in bootstrap_rows(classes, 5, np.random.RandomState(0)):
        assert (rows < 8).sum() == 8 and (rows >= 8).sum() == 3


def test_groups_are_drawn_whole_and_every_class_is_there():
    codes = np.repeat([0, 1], [9, 3])
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4])
    classes = [np.flatnonzero(codes == code) for code in (0, 1)]
    seen = set()
    for rows in bootstrap_rows(classes, 30, np.random.RandomState(0), groups):
        counts = np.bincount(rows, minlength=12)
        for group in range(5):
            assert len(set(counts[groups == group])) == 1
        assert set(codes[rows]) == {0, 1}
        # Two groups with the minority, three without: each kind keeps its number.
        assert sum(counts[np.unique(groups, return_index=True)[1]]) == 5
        seen.add(tuple(counts))
    assert len(seen) > 5


def test_groups_of_which_one_alone_has_a_class():
    classes = [np.array([0]), np.arange(1, 40)]
    groups = np.append(0, np.arange(39))
    draws = list(bootstrap_rows(classes, 20, np.random.RandomState(0), groups))
    assert all(0 in rows for rows in draws)


@pytest.mark.parametrize("labels", [np.arange(30), np.arange(30).astype(str)])
def test_nearly_as_many_classes_as_samples_draw_scikit_learns_warning(labels):
    said = []
    for check in (check_classification_targets, encode_labels):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check(labels)
        said.append([str(warning.message) for warning in caught])
    # Its older versions say nothing.
    assert said[0] == said[1]


def test_a_table_of_labels_names_what_fits_one_model_per_column():
    with pytest.raises(
        ValueError, match="one label per row, got 2 columns: .*MultiOutputClassifier"
    ):
        encode_labels([[0, 1], [1, 0]])


def test_long_labels_are_cut_in_messages():
    with pytest.raises(ValueError, match=r"…\ \(10,000,002 characters\)") as caught:
        encode_labels(["x" * 10**7, "x" * 10**7])
    assert len(str(caught.value)) < 500
