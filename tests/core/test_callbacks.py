"""Callbacks of scikit-learn: how far the fit of an estimator is."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost import iCostAuto, iCostEnsemble
from icost._core.callbacks import STEPS

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")

X, y = make_classification(150, weights=[0.8], random_state=0)


class Recorder:
    """A callback that counts what it is told."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append(("setup", type(estimator).__name__))

    def on_fit_task_begin(self, estimator, context):
        self.told.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context):
        self.told.append(("end", context.task_name))

    def teardown(self, estimator, context):
        self.told.append(("teardown", type(estimator).__name__))


class Propagated(Recorder):
    max_propagation_depth = None


def estimators():
    return [
        iCostAuto(["lr"], ["plain", "cs"], n_splits=2, n_repeats=1),
        iCostEnsemble(LogisticRegression(), n_splits=2),
    ]


@pytest.mark.parametrize("model", estimators(), ids=lambda model: type(model).__name__)
def test_a_fit_tells_each_hundredth_and_its_end(model):
    recorder = Recorder()
    model.set_callbacks(recorder).fit(X, y)
    name = type(model).__name__
    assert recorder.told[:2] == [("setup", name), ("begin", "fit")]
    assert recorder.told[-2:] == [("end", "fit"), ("teardown", name)]
    steps = [event for event, task in recorder.told if task == "share of the work"]
    assert steps == ["begin", "end"] * STEPS


def fail(*args, **kwargs):
    raise RuntimeError("no fit")


class Failing(LogisticRegression):
    fit = fail


@pytest.mark.parametrize(
    "model",
    [iCostAuto([Failing()], n_repeats=1), iCostEnsemble(Failing(), n_splits=2)],
    ids=lambda model: type(model).__name__,
)
def test_a_fit_that_fails_is_torn_down(model):
    recorder = Recorder()
    with pytest.raises(RuntimeError, match="no fit|no candidate"):
        model.set_callbacks(recorder).fit(X, y)
    assert recorder.told[-1] == ("teardown", type(model).__name__)
    assert ("end", "fit") not in recorder.told


def test_warnings_point_at_the_caller():
    few = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:5]]
    auto, ensemble = estimators()
    with pytest.warns(UserWarning, match="better than guessing") as caught:
        auto.fit(X, np.random.default_rng(0).permutation(y))
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="uncertain") as caught:
        ensemble.fit(X[few], y[few])
    assert caught[0].filename == __file__


def test_a_pipeline_hands_callbacks_on():
    recorder = Propagated()
    model = make_pipeline(StandardScaler(), estimators()[1])
    model.set_callbacks(recorder).fit(X, y)
    assert recorder.told.count(("end", "share of the work")) == STEPS
    assert model.score(X, y) > 0.5
