"""What the displays of the studies draw, read back from matplotlib's objects."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.tree import DecisionTreeClassifier

from icost import GiniComplexity, iCost
from icost_reproduction import (
    CriticalDifferenceDisplay,
    DeltaDisplay,
    GiniPartitionDisplay,
    WeightBoundaryDisplay,
)

LINE = np.column_stack([[0.0, 1.0, 2.1, 3.3, 4.6, 6.0, 7.5], np.zeros(7)])
LABELS = np.array(["ill", "ill", "ill", "well", "well", "well", "well"])


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


class TestDeltaDisplay:
    def test_the_largest_gain_is_on_top_and_the_title_counts(self):
        display = DeltaDisplay.from_data([5.0, 1.0, 2.0], [2.0, 2.0, 2.0], ["a", "b", "b"])
        assert [bar.get_width() for bar in display.ax_.patches] == [-1.0, 0.0, 3.0]
        assert display.ax_.get_title() == "1 better, 1 worse, mean +0.67 (dashed)"

    def test_lengths_must_agree(self):
        with pytest.raises(ValueError, match="inconsistent"):
            DeltaDisplay.from_data([1.0, 2.0], [1.0, 2.0], ["a"])


class TestCriticalDifferenceDisplay:
    # Demšar's example of four methods on 14 datasets has a critical difference of 1.25.
    def test_ranks_ties_and_direction(self):
        scores = pd.DataFrame({"a": [3.0, 1.0], "b": [2.0, 1.0], "c": [1.0, 0.0]})
        better_is_more = CriticalDifferenceDisplay.from_data(scores)
        assert better_is_more.ranks.tolist() == [1.25, 1.75, 3.0]
        better_is_less = CriticalDifferenceDisplay.from_data(scores, greater_is_better=False)
        assert better_is_less.ranks.tolist() == [2.75, 2.25, 1.0]

    def test_bars_join_what_cannot_be_told_apart(self):
        display = CriticalDifferenceDisplay(np.array([3.0, 1.0, 1.2]), ["a", "b", "c"], 0.5).plot()
        bars = [line for line in display.ax_.lines if line.get_linewidth() == 4]
        assert [bar.get_xdata().tolist() for bar in bars] == [[0.97, 1.23]]

    def test_needs_a_name_per_column(self):
        with pytest.raises(ValueError, match="got an array of shape"):
            CriticalDifferenceDisplay.from_data([[1.0, 2.0]], ["a"])


class TestWeightBoundaryDisplay:
    def test_one_picture_per_method_with_its_weights(self):
        display = WeightBoundaryDisplay.from_data(
            LINE, LABELS, DecisionTreeClassifier(), methods=["ncs", "cs"], grid_resolution=5
        )
        titles = [ax.get_title() for ax in display.axes_]
        assert titles == ["not cost-sensitive", "class-level costs"]
        assert display.models[0].sample_weight_.tolist() == [1.0] * 7
        assert display.models[1].sample_weight_[:3].tolist() == [4 / 3] * 3

    def test_the_grid_shows_what_the_model_predicts(self):
        display = WeightBoundaryDisplay.from_data(
            LINE, LABELS, DecisionTreeClassifier(), methods=["ncs"], grid_resolution=9
        )
        (boundary,) = display.boundaries_
        assert ((boundary.response == 0) == (boundary.xx0 <= (2.1 + 3.3) / 2)).all()
        assert boundary.xx0.shape == (9, 9)
        (area,) = boundary.surface_.get_paths()
        assert area.vertices[:, 0].min() == pytest.approx(-0.05 * 7.5)

    def test_wants_one_axes_per_method(self):
        _, ax = plt.subplots()
        with pytest.raises(ValueError, match="ax must hold 3 axes"):
            WeightBoundaryDisplay.from_data(LINE, LABELS, grid_resolution=3, ax=ax)


class TestGiniPartitionDisplay:
    X = pd.DataFrame({"noise": np.tile([0.0, 1.0], 10), "x": np.arange(20.0), "text": ["t"] * 20})
    y = np.arange(20) >= 14

    def test_boxes_meet_at_the_split(self):
        display = GiniPartitionDisplay.from_data(self.X, self.y, features=["x", "noise"])
        assert display.boxes[0, 1, 0] == display.boxes[1, 0, 0] == 13.5
        assert display.share.tolist() == [0.0, 1.0]
        assert len(display.ax_.patches) == 2

    def test_the_features_that_the_tree_uses_come_first(self):
        assert GiniPartitionDisplay.from_data(self.X, self.y).axis_names[0] == "x"
        numbered = self.X.set_axis([1, 0, 2], axis=1)
        assert GiniPartitionDisplay.from_data(numbered, self.y).axis_names == ("0", "1")

    def test_a_fast_probe_is_drawn_as_well(self):
        display = GiniPartitionDisplay.from_data(
            self.X, self.y, GiniComplexity(probe="fast"), features=["x", "noise"]
        )
        assert display.share.tolist() == [0.0, 1.0]

    def test_takes_an_estimators_parameters(self):
        model = iCost(method="tree", tau_pure=0.4, tree_min_samples_leaf=10)
        display = GiniPartitionDisplay.from_estimator(model, self.X, self.y, features=[1, 0])
        assert display.category.tolist() == ["outlier", "pure"]
