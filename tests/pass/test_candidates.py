"""Candidates: rows that are thinned, weighted or resampled, and the scores that they give."""

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from icost import iCost
from icost._pass.candidates import Candidate, fit_candidate, raw_scores, thinned_rows
from icost._pass.library import default_library, named_candidate

RNG = np.random.default_rng(0)
Y = (np.arange(120) % 6 == 0).astype(int)
X = RNG.normal(size=(120, 2)) + Y[:, None]


def lr(seed):
    return LogisticRegression()


def test_no_row_of_a_rare_class_is_thinned():
    codes = np.repeat([0, 1, 2], [1_000, 30, 300])
    rows = thinned_rows(codes, 400, seed=0)
    assert np.bincount(codes[rows]).tolist() == [185, 30, 185]
    assert thinned_rows(codes, 2_000, seed=0) is None
    assert thinned_rows(codes, 400, seed=0).tolist() == rows.tolist()


def test_weights_are_those_of_icost():
    model = fit_candidate(Candidate("a", "a", lr, "neighbor"), X, Y, None, seed=0)
    wanted = iCost(LogisticRegression(), method="neighbor", preprocessor=None).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), wanted.predict_proba(X))
    plain = fit_candidate(Candidate("a", "a", lr), X, Y, None, seed=0)
    assert plain.predict(X).sum() < model.predict(X).sum()


def test_the_named_minority_is_weighted_although_it_is_larger():
    model = fit_candidate(Candidate("a", "a", lr, "cs"), X, 1 - Y, None, seed=0)
    assert model.minority_label == 1


def test_samplers_and_smote_change_the_rows():
    counts = []
    for strategy in ("smote", RandomOverSampler()):
        candidate = Candidate("a", "a", lambda seed: GaussianNB(), strategy)
        model = fit_candidate(candidate, X, Y, None, seed=0)
        counts.append(model.class_count_.tolist())
        assert candidate.resamples and not candidate.supports_weight
    assert counts == [[100, 100], [100, 100]]
    two = np.r_[np.flatnonzero(Y == 0), np.flatnonzero(Y)[:1]]
    alone = fit_candidate(Candidate("a", "a", lr, "smote"), X[two], Y[two], None, seed=0)
    assert alone.n_iter_ is not None  # one row has no neighbour to go towards


def test_row_weights_reach_the_fit_of_pipelines():
    weight = np.where(Y, 10.0, 1.0)
    candidate = named_candidate("splines")
    heavy = fit_candidate(candidate, X, Y, weight, seed=0)
    assert heavy.predict(X).sum() > fit_candidate(candidate, X, Y, None, seed=0).predict(X).sum()
    assert not named_candidate("knn").supports_weight


def test_scores_are_columns():
    assert raw_scores(SVC().fit(X, Y), X, 2).shape == (120, 1)
    proba = GaussianNB().fit(X, Y)
    scores = raw_scores(proba, X, 2)
    assert np.abs(scores).max() <= np.log(0.995 / 0.005) + 1e-9
    assert raw_scores(GaussianNB().fit(X, np.arange(120) % 3), X, 3).shape == (120, 3)
    pairs = SVC(decision_function_shape="ovo").fit(X, np.arange(120) % 4)
    with pytest.raises(ValueError, match="a score for each of 4 classes"):
        raw_scores(pairs, X, 4)
    with pytest.raises(ValueError, match="decision_function or predict_proba"):
        raw_scores(object(), X, 2)


def test_the_library_goes_by_size():
    small = {one.name for one in default_library(500, 8)}
    large = {one.name for one in default_library(50_000, 30)}
    assert {"lr", "hgb", "et", "svm", "products"} <= small
    assert "products" not in large
    assert [one.name for one in default_library(500, 8, is_sparse=True)] == ["lr"]
    boosting = next(one for one in default_library(50_000, 30) if one.name == "hgb").make(0)
    assert boosting.early_stopping is True


def test_names_are_checked():
    assert named_candidate("forest").name == "rf"
    with pytest.raises(ValueError, match="did you mean 'forest'"):
        named_candidate("forrest")
    dummy = Candidate("dummy", "guesses", lambda seed: DummyClassifier())
    assert np.ptp(raw_scores(fit_candidate(dummy, X, Y, None, 0), X, 2)) < 1e-12
