"""Folds: which rows they have, and how a plan's datasets are read."""

import numpy as np

from icost.strategies._fitting import prepare_fold
from icost_reproduction.plan import Protocol, load_plan
from icost_reproduction.preparation import load_table, make_fold, split_rows


def test_class_1_of_two_is_the_minority():
    assert load_table("glass2", "binary", "keel").y.sum() == 17


def test_a_fold_has_all_rows_once():
    table = load_table("glass2", "binary", "keel")
    fold = make_fold(table, Protocol(), 0, 0)
    assert (fold.train.X.shape, fold.X_test.shape) == ((171, 9), (43, 9))
    assert ((fold.test_category != "") == (fold.y_test == 1)).all()


def test_folds_of_a_repeat_do_not_depend_on_the_number_of_repeats():
    y = np.repeat([0, 1], [8, 2])
    once, often = (Protocol(n_splits=2, n_repeats=n) for n in (1, 3))
    for fold in (0, 1):
        train, test = split_rows(y, once, 0, fold)
        assert sorted([*train, *test]) == list(range(10)) and y[test].sum() == 1
        np.testing.assert_array_equal(test, split_rows(y, often, 0, fold)[1])


def test_folds_of_the_confirmation_sets_have_both_classes_and_only_numbers():
    """Rows are split and prepared, and nothing is fitted to them."""
    plan = load_plan("confirmation")
    for dataset in plan.datasets:
        table = load_table(dataset, plan.kind, plan.protocol.variant)
        for repeat in range(plan.protocol.n_repeats):
            for number in plan.folds():
                train, test = split_rows(table.y, plan.protocol, repeat, number)
                assert set(table.y[train]) == set(table.y[test]) == {0, 1}, dataset
        fold, X_test = prepare_fold(table.X, table.y, train, test)
        assert np.isfinite(fold.X).all() and np.isfinite(X_test).all(), dataset
