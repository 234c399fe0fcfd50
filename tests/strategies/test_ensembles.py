"""Strategies that fit many models."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from icost.ensemble.treatments import MEMBERS
from icost.strategies.ensembles import N_REPEATS, fit_crossed
from icost.strategies.training_fold import TrainingFold

Y = np.repeat([0, 1], [90, 15])
X = np.random.default_rng(0).normal(size=(105, 3)) + 1.2 * Y[:, None]
PLAIN = ("plain",)


def test_costs_decide_the_threshold():
    fitted = fit_crossed(LogisticRegression(), TrainingFold(X, Y, costs=(9.0, 1.0)), PLAIN)
    assert fitted.model.threshold_ == pytest.approx(0.1)
    without = fit_crossed(LogisticRegression(), TrainingFold(X, Y), PLAIN)
    assert without.model.threshold == "stable"


def test_groups_are_held_out_together():
    groups = np.arange(105) // 3
    fold = TrainingFold(X, Y, groups=groups)
    grouped, alone = (
        fit_crossed(LogisticRegression(), own, PLAIN) for own in (fold, TrainingFold(X, Y))
    )
    assert grouped.note == ""
    assert (grouped.model.oof_proba_ != alone.model.oof_proba_).any()
    direct = type(grouped.model)(**grouped.model.get_params(deep=False)).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(direct.oof_proba_, grouped.model.oof_proba_)


def test_groups_that_hold_a_whole_class_are_noted_and_left():
    fitted = fit_crossed(LogisticRegression(), TrainingFold(X, Y, groups=Y), PLAIN)
    assert fitted.note == "groups unheeded: some hold all rows of a class"
    assert set(fitted.predict(X)) == {0, 1}


def test_peers_fit_as_often_as_the_ensemble_does():
    assert len(MEMBERS) == N_REPEATS
