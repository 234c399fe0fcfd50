"""The correction of a chosen strategy's score, by hand and by simulation."""

import numpy as np
import pytest

from icost._core.labels import bootstrap_rows
from icost._core.statistics import chosen_score
from icost.metrics import confusion_scores


def accuracy(cells):
    return np.trace(cells, axis1=-2, axis2=-1) / np.maximum(cells.sum(axis=(-2, -1)), 1)


def best(scores):
    return int(scores.mean(axis=1).argmax())


def test_one_strategy_leaves_nothing_to_correct():
    rng = np.random.default_rng(0)
    codes, guesses = rng.integers(2, size=40), rng.integers(2, size=(1, 2, 40))
    folds = np.array([np.arange(40) % 2, 2 + np.arange(40) % 2])
    found = chosen_score(codes, guesses, folds, 0, score=accuracy, choose=best)
    assert found.optimism == 0.0 and found.shares.tolist() == [1.0]
    assert found.below < 0 < found.above


def test_by_a_plain_loop_over_rows():
    rng = np.random.default_rng(1)
    n, names, repeats = 50, 4, 2
    codes = (rng.random(n) < 0.3).astype(int)
    predicted = np.where(rng.random((names, repeats, n)) < 0.3, 1 - codes, codes)
    folds = np.array([rng.permutation(n) % 3, 3 + rng.permutation(n) % 3])
    folds[1, :5] = -1  # rows that the second repeat has not tested

    def mcc(cells):
        return confusion_scores(cells, names=["mcc"])["mcc"]

    def of(rows, strategy, repeat, fold=None):
        own = rows[folds[repeat, rows] >= 0]
        own = own if fold is None else own[folds[repeat, own] == fold]
        cells = np.zeros((2, 2))
        np.add.at(cells, (codes[own], predicted[strategy, repeat, own]), 1)
        return float(mcc(cells))

    gaps, winners = [], []
    classes = [np.flatnonzero(codes == code) for code in (0, 1)]
    for drawn in bootstrap_rows(classes, 30, np.random.RandomState(7)):
        inside = [
            np.mean([of(drawn, s, fold // 3, fold) for fold in range(6)]) for s in range(names)
        ]
        left = np.setdiff1d(np.arange(n), drawn)
        outside = [np.mean([of(left, s, r) for r in range(repeats)]) for s in range(names)]
        winners.append(int(np.argmax(inside)))
        gaps.append(outside[2] - outside[winners[-1]])
    options = {"score": mcc, "choose": best, "n_draws": 30, "random_state": 7}
    found = chosen_score(codes, predicted, folds, 2, **options)
    assert found.optimism == pytest.approx(np.mean(gaps))
    np.testing.assert_allclose(found.shares, np.bincount(winners, minlength=names) / 30)


def test_luck_is_found_out_on_average():
    # Eight strategies that are right on 70 % of the rows: the best seems better than it is.
    raw, corrected = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        codes = np.repeat([0, 1], [50, 30])
        predicted = np.where(rng.random((8, 1, 80)) < 0.3, 1 - codes, codes)
        scores = (predicted[:, 0] == codes).mean(axis=1)
        folds = np.zeros((1, 80), dtype=int)
        options = {"score": accuracy, "choose": best, "n_draws": 100}
        found = chosen_score(codes, predicted, folds, int(scores.argmax()), **options)
        raw.append(scores.max())
        corrected.append(scores.max() - found.optimism)
    assert np.mean(raw) > 0.75
    assert np.mean(corrected) == pytest.approx(0.7, abs=0.015)


def test_a_strategy_that_is_clearly_the_best_keeps_its_score():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 100)
    wrong = rng.random((3, 1, 200)) < np.array([0.05, 0.4, 0.4])[:, None, None]
    predicted, folds = np.where(wrong, 1 - codes, codes), np.zeros((1, 200), dtype=int)
    found = chosen_score(codes, predicted, folds, 0, score=accuracy, choose=best)
    assert found.optimism == 0.0 and found.shares[0] == 1.0


def test_rows_of_a_group_are_left_out_together():
    # Within a group all rows are alike: by rows each draw would know nearly every group.
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), 10)
    codes = np.repeat(np.arange(12) % 2, 10)
    guess = np.repeat(rng.integers(2, size=(6, 1, 12)), 10, axis=2)
    folds = np.zeros((1, 120), dtype=int)
    chosen = int((guess[:, 0] == codes).mean(axis=1).argmax())
    rest = (codes, guess, folds, chosen)
    alone = chosen_score(*rest, score=accuracy, choose=best)
    together = chosen_score(*rest, score=accuracy, choose=best, groups=groups)
    assert together.optimism > alone.optimism
    assert together.above - together.below > 2 * (alone.above - alone.below)


def test_a_class_that_is_never_left_out_tells_nothing():
    codes = np.array([0, 0, 0, 0, 1])
    predicted, folds = np.zeros((2, 1, 5), dtype=int), np.zeros((1, 5), dtype=int)
    found = chosen_score(codes, predicted, folds, 0, score=accuracy, choose=best)
    assert np.isnan([found.optimism, found.below, found.above]).all()


def test_the_covariance_is_that_of_scores_over_draws():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=400)
    right = np.where(rng.random(400) < 0.8, codes, 1 - codes)
    other = np.where(rng.random(400) < 0.8, codes, 1 - codes)
    predicted = np.array([right, right, other])[:, None]

    found = chosen_score(
        codes,
        predicted,
        np.zeros((1, 400), dtype=int),
        0,
        score=accuracy,
        choose=lambda scores: 0,
        n_draws=1000,
    )
    covariance = found.covariance
    assert covariance[0, 0] == pytest.approx(covariance[0, 1]) == pytest.approx(covariance[1, 1])
    assert covariance[2, 2] == pytest.approx(0.8 * 0.2 / 400, rel=0.25)
