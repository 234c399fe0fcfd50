import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from icost import iCost, iCostCV

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402

from icost.plots import CostSurfaceDisplay  # noqa: E402

X, y = make_classification(200, weights=[0.8], flip_y=0.1, random_state=0)
GRID = {"cfb": [0.5, 1.0, 2.0], "cfo": [0.1, 1.0], "cfs": [0.5, 1.0]}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_each_cell_is_the_mean_over_the_other_parameters():
    search = iCostCV(grid=GRID).fit(X, y)
    display = CostSurfaceDisplay.from_estimator(search, "cfb", "cfo")
    results = search.cv_results_
    for cfb, cfo, score in zip(display.x, display.y, display.score, strict=True):
        of_cell = [p["cfb"] == cfb and p["cfo"] == cfo for p in results["params"]]
        assert score == pytest.approx(results["mean_test_score"][of_cell].mean())
    cells = display.surface_.get_array()
    assert cells.shape == (2, 3)
    assert cells[1, 2] == display.score[(display.x == 2.0) & (display.y == 1.0)]


def test_the_selected_costs_are_marked():
    search = iCostCV(grid=GRID).fit(X, y)
    display = CostSurfaceDisplay.from_estimator(search)
    (star,) = display.ax_.lines
    assert [0.5, 1.0, 2.0][int(star.get_xdata()[0])] == search.best_params_["cfb"]
    assert [0.1, 1.0][int(star.get_ydata()[0])] == search.best_params_["cfo"]


def test_a_pipelines_prefix_may_be_left_out_and_axes_are_taken():
    search = iCostCV(make_pipeline(MinMaxScaler(), iCost()), search="random", n_candidates=5)
    _, ax = plt.subplots()
    display = CostSurfaceDisplay.from_estimator(search.fit(X, y), "cfp", "cfs", ax=ax)
    assert display.ax_ is ax and ax.get_xlabel() == "icost__cfp"


def test_points_that_are_no_grid_are_scattered():
    display = CostSurfaceDisplay([1.0, 2.0, 3.0], [1.0, 2.0, 1.5], [0.1, 0.2, 0.3]).plot()
    np.testing.assert_array_equal(display.surface_.get_offsets()[:, 0], [1.0, 2.0, 3.0])


def test_other_searches_will_do():
    search = GridSearchCV(iCost(), {"cfb": [0.5, 1.0], "cfo": [0.1, 1.0]}).fit(X, y)
    assert CostSurfaceDisplay.from_estimator(search).score.shape == (4,)


def test_a_parameter_that_was_not_searched_is_refused():
    search = iCostCV(grid={"cfb": [0.5, 1.0]}).fit(X, y)
    with pytest.raises(ValueError, match="must be searched parameters, among .'cfb'., got 'cfo'"):
        CostSurfaceDisplay.from_estimator(search)
