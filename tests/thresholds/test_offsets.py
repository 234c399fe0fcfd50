import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef

from icost.metrics import confusion_scores
from icost.thresholds._cuts import widest_best_cut
from icost.thresholds._offsets import _best_offset, additive_scores, tune_offsets


@given(st.integers(0, 10_000))
def test_offsets_never_lose_and_have_a_mean_of_zero(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, 40)
    proba = rng.dirichlet([4, 1, 1], 40)
    offsets = tune_offsets(codes, additive_scores(proba, "predict_proba"))
    assert abs(offsets.mean()) < 1e-9
    before = matthews_corrcoef(codes, np.argmax(proba, axis=1))
    after = matthews_corrcoef(codes, np.argmax(np.log(np.clip(proba, 1e-12, None)) + offsets, 1))
    assert after >= before - 1e-12


def test_offsets_of_two_classes_are_a_threshold():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [80, 20])
    score = np.clip(rng.normal(0.2 + 0.2 * codes, 0.1), 0.01, 0.99)
    proba = np.column_stack([1 - score, score])
    offsets = tune_offsets(codes, additive_scores(proba, "predict_proba"))
    decided = np.argmax(np.log(np.column_stack([1 - score, score])) + offsets, axis=1)
    levels, places = np.unique(score, return_inverse=True)
    best = widest_best_cut(levels, places, codes == 1, np.ones(100), "mcc")
    assert matthews_corrcoef(codes, decided) == pytest.approx(
        matthews_corrcoef(codes, score >= best)
    )


@given(st.integers(0, 10_000), st.sampled_from(["mcc", "f1", "g_mean", "precision"]))
def test_the_first_class_moves_to_its_best_offset_of_all(seed, metric):
    rng = np.random.default_rng(seed)
    codes, proba = rng.integers(0, 4, 30), rng.dirichlet(np.ones(4), 30)
    weight = rng.integers(1, 4, 30).astype(float)
    scores = np.log(proba)
    amount, value = _best_offset(codes, scores, 2, weight, metric)
    found = []
    for other in [amount, *np.linspace(-8, 8, 33)]:
        decided = np.argmax(scores + other * (np.arange(4) == 2), axis=1)
        cells = np.bincount(codes * 4 + decided, weights=weight, minlength=16).reshape(4, 4)
        found.append(float(confusion_scores(cells, None, [metric])[metric]))
    assert value == pytest.approx(found[0]) and max(found) <= value + 1e-9


def unweighted_mcc(truth, decided, weight):
    return matthews_corrcoef(truth, decided)


@pytest.mark.parametrize("metric", ["mcc", unweighted_mcc])
def test_amounts_that_differ_by_rounding_are_not_parted(metric):
    # Votes of ten trees: many rows need the same amount, up to the last bit.
    for seed in range(12):
        rng = np.random.RandomState(seed)
        votes = rng.multinomial(10, np.ones(3) / 3, size=40) / 10
        codes = rng.randint(0, 3, 40)
        codes[:3] = range(3)
        scores = np.log(np.clip((votes + np.eye(3)[codes] * 0.2) / 1.2, 1e-12, None))
        for code in range(3):
            amount, value = _best_offset(codes, scores, code, np.ones(40), metric)
            decided = np.argmax(scores + amount * (np.arange(3) == code), axis=1)
            assert matthews_corrcoef(codes, decided) == pytest.approx(value, abs=1e-9)
        plain, moved = (
            matthews_corrcoef(codes, np.argmax(kind, axis=1))
            for kind in (scores, scores + tune_offsets(codes, scores, metric))
        )
        assert moved >= plain


def test_offsets_that_gain_nothing_are_zero():
    codes, scores = np.array([0, 1, 2]), np.array([[1, 0.9, 0], [0, 1, 0], [0, 0.8, 1]])
    assert tune_offsets(codes, scores).tolist() == [0, 0, 0]
    assert tune_offsets(codes, scores, unweighted_mcc).tolist() == [0, 0, 0]


def test_a_metric_may_be_undefined_for_some_decisions_but_not_for_all():
    codes = np.array([0, 0, 1, 2])
    scores = np.array([[3.0, 1, 0], [3, 0, 1], [3, 2, 0], [3, 0, 2]])

    def partly(truth, decided, weight):
        return np.nan if len(np.unique(decided)) == 1 else float(np.mean(truth == decided))

    offsets = tune_offsets(codes, scores, partly)
    assert np.argmax(scores + offsets, axis=1).tolist() == [0, 0, 1, 2]
    with pytest.raises(ValueError, match="metric must be a number for some offsets"):
        tune_offsets(codes, scores, lambda truth, decided, weight: np.nan)


@pytest.mark.parametrize("metric", ["mcc", "precision", "g_mean"])
def test_weights_need_not_be_whole_numbers(metric):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        codes, scores = rng.integers(0, 3, 30), rng.normal(size=(30, 3))
        weight = rng.random(30)
        amount, value = _best_offset(codes, scores, 1, weight, metric)
        decided = np.argmax(scores + amount * (np.arange(3) == 1), axis=1)
        cells = np.bincount(codes * 3 + decided, weights=weight, minlength=9).reshape(3, 3)
        assert value == pytest.approx(float(confusion_scores(cells, None, [metric])[metric]))


def test_as_good_as_any_offsets_of_a_grid():
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 60, p=[0.7, 0.2, 0.1])
    scores = rng.normal(size=(60, 3)) + np.eye(3)[codes]
    offsets = tune_offsets(codes, scores)
    found = matthews_corrcoef(codes, np.argmax(scores + offsets, axis=1))
    grid = itertools.product(np.linspace(-2, 2, 21), repeat=2)
    best = max(
        matthews_corrcoef(codes, np.argmax(scores + np.array([0, a, b]), axis=1)) for a, b in grid
    )
    assert found >= best - 0.05
    assert found >= matthews_corrcoef(codes, np.argmax(scores, axis=1))
    assert offsets.mean() == pytest.approx(0)


def test_any_metric_may_be_asked_for():
    rng = np.random.default_rng(1)
    codes = rng.choice(3, 300, p=[0.8, 0.15, 0.05])
    scores = rng.normal(size=(300, 3)) + 1.5 * np.eye(3)[codes] + [2, 0, 0]

    def balanced(truth, decided, weight):
        return balanced_accuracy_score(truth, decided, sample_weight=weight)

    offsets = tune_offsets(codes, scores, balanced)
    before, after = (
        balanced(codes, np.argmax(s, axis=1), None) for s in (scores, scores + offsets)
    )
    assert after > before + 0.1
