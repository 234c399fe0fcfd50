"""cross_fit: how often candidates are fitted, which rows they see, and what fails or is dropped."""

import time
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from icost._pass.blend import survivors
from icost._pass.candidates import Candidate
from icost._pass.cross_fit import cross_fit, refit
from icost._pass.folds import make_folds
from icost._pass.library import named_candidate

RNG = np.random.default_rng(0)
Y = (np.arange(200) % 5 == 0).astype(int)
X = RNG.normal(size=(200, 3)) + Y[:, None]


class Remembering(ClassifierMixin, BaseEstimator):
    """Scores a row 1 that it was fitted to, else 0, and counts its fits."""

    fits: ClassVar = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {tuple(row) for row in X}
        Remembering.fits.append(len(X))
        return self

    def decision_function(self, X):
        return np.array([float(tuple(row) in self.seen_) for row in X])


class Failing(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("no luck today")


def candidate(name, estimator, **facts):
    return Candidate(name, name, lambda seed: estimator(), **facts)


@pytest.fixture
def run(array_rows):
    def cross_fitted(*candidates, n_repeats=2, **options):
        rows = array_rows(X, Y)
        options = {"encoder": None, **options}
        return cross_fit(candidates, rows, make_folds(rows, 4, n_repeats), **options)

    return cross_fitted


def test_candidates_are_fitted_once_per_fold_to_other_rows(run):
    Remembering.fits.clear()
    found = run(candidate("a", Remembering))
    assert Remembering.fits == [150] * 8 and found.n_fits == 8
    assert found.scores["a"].shape == (2, 200, 1)
    assert (found.scores["a"] == 0).all()


def test_the_encoder_is_fitted_to_training_rows_alone(run):
    found = run(candidate("a", LogisticRegression), encoder=StandardScaler(), keep_members=True)
    train = found.folds.training_rows(0, 1)
    member = found.members[0, 1]
    np.testing.assert_allclose(member.encoder.mean_, X[train].mean(axis=0))
    held_out = found.folds.held_out_rows(0, 1)
    np.testing.assert_array_equal(
        member.scores(X[held_out], 2)["a"], found.scores["a"][0][held_out]
    )


def test_a_candidate_that_fails_is_left_out_and_named(run):
    found = run(candidate("good", LogisticRegression), candidate("bad", Failing))
    assert list(found.scores) == ["good"]
    assert found.notes == ("Left out, as it failed: bad (RuntimeError: no luck today).",)
    with pytest.raises(RuntimeError, match="no candidate could be fitted.*no luck today"):
        run(candidate("bad", Failing))


@pytest.mark.parametrize(("n_rows", "n_fits"), [(900, 4 * 2 + 8), (2_000, 2 * 2 + 10)])
def test_candidates_without_weight_are_dropped_after_a_repeat_or_two_folds(
    array_rows, n_rows, n_fits
):
    y = (np.arange(n_rows) % 5 == 0).astype(int)
    rows = array_rows(np.random.default_rng(0).normal(size=(n_rows, 3)) + y[:, None], y)
    kit = [named_candidate("lr"), Candidate("noise", "noise", lambda seed: Remembering())]
    found = cross_fit(kit, rows, make_folds(rows, 4, 3), encoder=None, survivors=survivors)
    assert list(found.scores) == ["lr"] and found.dropped == ("noise",)
    assert found.n_fits == n_fits


def test_jobs_change_no_bit(run):
    kit = [named_candidate(name) for name in ("lr", "et")]
    one, two = (run(*kit, n_repeats=1, n_jobs=n_jobs) for n_jobs in (None, 2))
    for name in one.scores:
        assert one.scores[name].tobytes() == two.scores[name].tobytes()


def test_a_time_limit_leaves_out_what_is_slow_and_says_so(run):
    class Slow(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            time.sleep(0.2)
            return super().fit(X, y)

    slow, quick = candidate("slow", Slow, cost=9.0), candidate("quick", LogisticRegression)
    found = run(slow, quick, time_limit=1.0)
    assert list(found.scores) == ["quick"]
    assert found.notes == ("Not tried within 1 seconds: slow.",)
    assert list(run(quick, time_limit=0.0).scores) == ["quick"]


def test_weights_leave_out_what_supports_none(array_rows):
    rows = array_rows(X, Y, sample_weight=np.where(Y, 2.0, 1.0))
    kit = [named_candidate("lr"), named_candidate("knn"), named_candidate("lr", "smote")]
    found = cross_fit(kit, rows, make_folds(rows, 4, 1), encoder=None)
    assert list(found.scores) == ["lr"]
    with pytest.raises(ValueError, match="supports weights, got knn"):
        cross_fit(kit[1:2], rows, make_folds(rows, 4, 1), encoder=None)


def test_a_refit_sees_all_rows(run):
    found = run(named_candidate("lr"), named_candidate("et"), encoder=StandardScaler())
    member = refit(found, ["lr"], StandardScaler(), 0)
    assert list(member.models) == ["lr"]
    assert member.models["lr"].n_features_in_ == 3


def test_progress_ends_at_its_total(run):
    states = []
    run(named_candidate("lr"), watch=states.append)
    assert [state.done for state in states] == list(range(1, 9))
    assert states[-1].total == 8 and states[-1].seconds_left == 0
    assert states[0].note.startswith("best so far: logistic regression, AUC")
