"""The blend: calibrators, weights and the last step, against scikit-learn and by hand."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from icost._pass.blend import fit_blend, fit_recalibration, fit_slope, recalibrate
from icost._pass.candidates import Candidate
from icost._pass.cross_fit import cross_fit
from icost._pass.folds import make_folds
from icost._pass.library import named_candidate

RNG = np.random.default_rng(0)


def test_a_slope_is_that_of_logistic_regression():
    y = (RNG.random(400) < 0.2).astype(int)
    z = 3 * RNG.normal(size=400) + 2 * y
    slope, intercept = fit_slope(z, y)
    scaled = (z - z.mean()) / z.std()
    model = LogisticRegression(C=100, tol=1e-10).fit(scaled[:, None], y)
    assert slope == pytest.approx(model.coef_[0, 0] / z.std(), rel=1e-4)
    shift = model.intercept_[0] - model.coef_[0, 0] * z.mean() / z.std()
    assert intercept == pytest.approx(shift, rel=1e-4)


@pytest.mark.parametrize("gap", [0.0, 1e-6, 5.0])
def test_classes_that_separate_have_a_finite_slope_that_keeps_their_order(gap):
    z = np.r_[np.linspace(-1, 0, 40), np.linspace(gap, gap + 1, 8)]
    y = np.repeat([0, 1], [40, 8])
    slope, intercept = fit_slope(z, y)
    proba = expit(slope * z + intercept)
    assert np.isfinite([slope, intercept]).all() and slope > 0
    assert proba[40:].min() >= proba[:40].max()


def test_scores_against_the_labels_give_the_share_alone():
    y = np.repeat([0, 1], [80, 20])
    slope, intercept = fit_slope(-y + 0.1 * RNG.normal(size=100), y)
    assert slope == 0 and expit(intercept) == pytest.approx(0.2)
    assert fit_slope(np.ones(100), y)[0] == 0


def test_weights_are_repeated_rows():
    y = (RNG.random(60) < 0.4).astype(int)
    z, times = RNG.normal(size=60) + y, RNG.integers(1, 4, 60)
    weighted = fit_slope(z, y, times.astype(float))
    repeated = fit_slope(np.repeat(z, times), np.repeat(y, times))
    assert expit(weighted[0] + weighted[1]) == pytest.approx(
        expit(repeated[0] + repeated[1]), abs=1e-3
    )


@pytest.fixture
def blended(array_rows):
    def run(n_rows, *candidates, y=None):
        y = (np.arange(n_rows) % 5 == 0).astype(int) if y is None else y
        X = np.random.default_rng(1).normal(size=(n_rows, 3)) + y[:, None]
        rows = array_rows(X, y)
        found = cross_fit(candidates, rows, make_folds(rows, 5, 2), encoder=None)
        return found, fit_blend(found, found.held_out)

    return run


class Noise(LogisticRegression):
    def decision_function(self, X):
        return np.random.default_rng(0).normal(size=len(X))


def test_noise_gets_no_weight_and_probabilities_are_calibrated(blended):
    noise = Candidate("noise", "noise", lambda seed: Noise())
    found, fitted = blended(1_000, named_candidate("lr"), named_candidate("nb"), noise)
    assert "noise" not in fitted.blend.names
    assert fitted.blend.weights.sum() == pytest.approx(1)
    proba = fitted.proba(found.held_out)[:, 1]
    assert proba.mean() == pytest.approx(0.2, abs=0.01)
    high = proba > np.quantile(proba, 0.8)
    assert found.targets[high].mean() == pytest.approx(proba[high].mean(), abs=0.06)


def test_few_minority_rows_draw_weights_towards_equal_ones(blended):
    y = np.zeros(100, int)
    y[:4] = 1
    _, fitted = blended(100, named_candidate("lr"), named_candidate("nb"), y=y)
    assert min(fitted.blend.weights) > 0.3 and fitted.blend.last is None


def test_several_classes_have_probabilities_for_all(blended):
    y = np.arange(300) % 3
    found, fitted = blended(300, named_candidate("lr"), named_candidate("nb"), y=y)
    proba = fitted.proba(found.held_out)
    assert proba.shape == (300, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba.argmax(axis=1) == y).mean() > 0.4


def test_a_model_of_all_rows_is_calibrated_by_the_mean_of_the_repeats(blended):
    _, fitted = blended(200, named_candidate("lr"))
    two = [fitted.per_repeat["lr"][repeat] for repeat in (0, 1)]
    np.testing.assert_allclose(fitted.blend.calibrators[0], np.mean(two, axis=0))


def test_the_last_step_mends_timid_probabilities():
    y = (RNG.random(2_000) < 0.3).astype(int)
    logits = 3 * RNG.normal(size=2_000)
    y = (RNG.random(2_000) < expit(logits)).astype(int)
    timid = np.column_stack([1 - expit(logits / 2), expit(logits / 2)])
    last = fit_recalibration(timid, y)
    assert last[0] == pytest.approx(2, abs=0.2)
    np.testing.assert_allclose(recalibrate(last, timid).sum(axis=1), 1)
    assert recalibrate(None, timid) is timid
