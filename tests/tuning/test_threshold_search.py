from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from icost import iCost
from icost.thresholds._cuts import stable_threshold
from icost.thresholds._scores import fit_calibrator
from icost.tuning._search_table import SearchTable, SearchTask, evaluate, out_of_fold_decision
from icost.tuning._searches import best_of, halve, try_all


def test_the_smaller_class_may_be_the_first():
    X, y = make_classification(240, n_features=5, weights=[0.8], flip_y=0.1, random_state=4)
    folds, cuts = list(StratifiedKFold(3).split(X, y)), []
    for labels in (y, 1 - y):
        minority = int(labels.mean() < 0.5)
        task = SearchTask(iCost(), X, labels, minority_label=minority, threshold_seed=7)
        table = try_all(task, folds, [{}])
        cuts.append(out_of_fold_decision(table, task, 0).threshold_)
    truth = np.concatenate([y[test] for _, test in folds])
    scores = [iCost().fit(X[train], y[train]).decision_function(X[test]) for train, test in folds]
    scores = np.concatenate(scores)[:, np.newaxis]
    proba = fit_calibrator(scores, truth).predict_proba(scores)[:, 1]
    expected = stable_threshold(truth, proba, random_state=7).value
    assert cuts == pytest.approx([expected, expected])


def test_folds_that_lack_a_class_leave_the_decision_as_it_is():
    X, y = make_classification(60, weights=[0.8], flip_y=0, random_state=0)
    one_class = np.flatnonzero(y == 0)[:5]
    task = SearchTask(iCost(), X, y, minority_label=1, threshold_seed=7)
    folds = [(np.setdiff1d(np.arange(60), one_class), one_class)]
    table = try_all(task, folds, [{}])
    assert out_of_fold_decision(table, task, 0) is None


def test_halving_goes_by_the_scores_with_thresholds():
    X, y = make_classification(300, n_features=5, weights=[0.85], flip_y=0.1, random_state=0)
    # Tiny costs find nobody without a threshold of their own.
    candidates = [{"scale": m} for m in (1e-3, 1e-2, 1.0, 10.0, 30.0, 100.0)]
    task = SearchTask(iCost(method="cs"), X, y, minority_label=1, threshold_seed=7)
    folds = list(StratifiedKFold(3).split(X, y))
    first = SearchTable(folds[:1])
    evaluate(first, task, first.add(candidates), [0])
    plain = SearchTable(folds[:1])
    evaluate(plain, replace(task, threshold_seed=None), plain.add(candidates), [0])
    expected = best_of(first, list(range(6)), 2)
    assert expected != best_of(plain, list(range(6)), 2)
    assert np.flatnonzero(halve(task, folds, candidates).n_evaluated > 1).tolist() == expected
