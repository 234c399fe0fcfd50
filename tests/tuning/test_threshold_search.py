from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from icost import iCost
from icost.thresholds.cuts import _middle_best_cut
from icost.tuning import tune_threshold
from icost.tuning.search_table import SearchTable, SearchTask
from icost.tuning.searches import best_of, halve, try_all
from icost.tuning.threshold_search import evaluate, out_of_fold_threshold


def test_the_best_cut_is_that_of_an_exhaustive_search():
    rng = np.random.default_rng(0)
    second = rng.random(60) < 0.3
    scores = np.sort(rng.normal(size=60))
    second = rng.random(60) < 1 / (1 + np.exp(-2 * scores))
    cuts = np.arange(59)
    best = _middle_best_cut(np.ones(60, dtype=int), second, cuts, "mcc", 1)
    values = [matthews_corrcoef(second, scores > scores[cut]) for cut in cuts]
    assert values[best] == pytest.approx(max(values))


def test_classes_that_can_be_separated_are():
    scores = np.concatenate([np.linspace(0, 1, 50), np.linspace(3, 4, 10)])
    threshold = tune_threshold(np.arange(60) >= 50, scores, random_state=0)
    assert 1 < threshold < 3


def test_equal_scores_have_no_threshold_between_them():
    assert tune_threshold([0, 1], [0.5, 0.5]) == 0.5


def test_the_seed_decides():
    rng = np.random.default_rng(0)
    scores, second = rng.normal(size=100), rng.random(100) < 0.3
    first, again = (tune_threshold(second, scores, random_state=1) for _ in range(2))
    assert first == again


def test_mixed_candidates_are_averaged_by_their_probabilities():
    X, y = make_classification(240, n_features=5, weights=[0.8], flip_y=0.1, random_state=4)
    bases = LogisticRegression(), DecisionTreeClassifier(max_depth=3, random_state=0)
    task = SearchTask(iCost(), X, y, minority_label=1, return_scores=True, threshold_seed=7)
    folds = list(StratifiedKFold(3).split(X, y))
    table = try_all(task, folds, [{"base_classifier": base} for base in bases])

    def probability(base, train, test):
        return iCost(base).fit(X[train], y[train]).predict_proba(X[test])[:, 1]

    scores = [np.mean([probability(b, *fold) for b in bases], axis=0) for fold in folds]
    truth = np.concatenate([y[test] for _, test in folds])
    expected = tune_threshold(truth, np.concatenate(scores), random_state=7)
    assert out_of_fold_threshold(table, task, folds, [0, 1]) == pytest.approx(expected)


def test_halving_goes_by_the_scores_with_thresholds():
    X, y = make_classification(300, n_features=5, weights=[0.85], flip_y=0.1, random_state=0)
    # Tiny costs find nobody without a threshold of their own.
    candidates = [{"cs_multiplier": m} for m in (1e-3, 1e-2, 1.0, 10.0, 30.0, 100.0)]
    task = SearchTask(
        iCost(method="cs"), X, y, minority_label=1, return_scores=True, threshold_seed=7
    )
    folds = list(StratifiedKFold(3).split(X, y))
    first = SearchTable(1)
    evaluate(first, task, folds[:1], first.add(candidates), [0])
    plain = SearchTable(1)
    evaluate(plain, replace(task, threshold_seed=None), folds[:1], plain.add(candidates), [0])
    expected = best_of(first, list(range(6)), 2)
    assert expected != best_of(plain, list(range(6)), 2)
    assert np.flatnonzero(halve(task, folds, candidates).n_evaluated > 1).tolist() == expected


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "roc_auc"}, "metric must be one of 'mcc', 'f1', 'g_mean'"),
        ({"n_bootstraps": 0}, "n_bootstraps must be a whole number >= 1, got 0"),
    ],
)
def test_bad_parameters_get_one_sentence(params, message):
    with pytest.raises(ValueError, match=message):
        tune_threshold([0, 1], [0.1, 0.9], **params)
