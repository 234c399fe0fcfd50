"""What each display draws, read back from matplotlib's objects."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from icost import GiniComplexity, iCost, iCostEnsemble
from icost.plots import (
    CalibrationDisplay,
    ComplexityDisplay,
    CriticalDifferenceDisplay,
    DeltaDisplay,
    GiniPartitionDisplay,
    ThresholdDisplay,
    WeightBoundaryDisplay,
)

LINE = np.column_stack([[0.0, 1.0, 2.1, 3.3, 4.6, 6.0, 7.5], np.zeros(7)])
LABELS = np.array(["ill", "ill", "ill", "well", "well", "well", "well"])


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


class TestComplexityDisplay:
    def test_draws_each_category_in_front_of_the_majority(self):
        display = ComplexityDisplay.from_estimator(iCost(n_neighbors=2).fit(LINE, LABELS), LINE)
        assert legend(display.ax_) == ["majority (4)", "pure (2)", "border (1)"]
        assert display.ax_.collections[2].get_offsets().tolist() == [[2.1, 0.0]]

    def test_from_data_equals_from_estimator(self):
        from_data = ComplexityDisplay.from_data(LINE, LABELS, method=GiniComplexity())
        model = iCost(method="tree").fit(LINE, LABELS)
        from_estimator = ComplexityDisplay.from_estimator(model, LINE)
        assert legend(from_data.ax_) == legend(from_estimator.ax_)

    def test_draws_on_given_axes_with_given_style(self):
        _, ax = plt.subplots()
        display = ComplexityDisplay.from_data(LINE, LABELS, ax=ax, color="red")
        assert display.ax_ is ax and display.figure_ is ax.figure
        assert ax.collections[1].get_facecolor()[0].tolist() == [1.0, 0.0, 0.0, 1.0]

    def test_one_class_of_a_multiclass_target(self):
        X, y = np.arange(12.0).reshape(-1, 1), np.repeat(["a", "b", "c"], 4)
        model = iCost(n_neighbors=2).fit(X, y)
        display = ComplexityDisplay.from_estimator(model, X, class_label="b")
        assert display.complexity.indices.tolist() == [4, 5, 6, 7]
        with pytest.raises(ValueError, match="class_label must be one of"):
            ComplexityDisplay.from_estimator(model, X)

    def test_needs_a_method_that_estimates_complexity(self):
        with pytest.raises(ValueError, match="'cs'"):
            ComplexityDisplay.from_estimator(iCost(method="cs").fit(LINE, LABELS), LINE)
        with pytest.raises(ValueError, match="'ncs'"):
            ComplexityDisplay.from_data(LINE, LABELS, method="ncs")


class TestWeightBoundaryDisplay:
    def test_one_picture_per_method_with_its_weights(self):
        display = WeightBoundaryDisplay.from_data(
            LINE, LABELS, DecisionTreeClassifier(), methods=["ncs", "cs"], grid_resolution=5
        )
        titles = [ax.get_title() for ax in display.axes_]
        assert titles == ["not cost-sensitive", "class-level costs"]
        assert display.panels[0].weight.tolist() == [1.0] * 7
        assert display.panels[1].weight[:3].tolist() == [4 / 3] * 3

    def test_the_grid_shows_what_the_model_predicts(self):
        display = WeightBoundaryDisplay.from_data(
            LINE, LABELS, DecisionTreeClassifier(), methods=["ncs"], grid_resolution=9
        )
        (panel,) = display.panels
        assert (panel.predicted == (display.grid[0] <= (2.1 + 3.3) / 2)).all()

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


@pytest.fixture(scope="module")
def ensemble():
    rng = np.random.default_rng(0)
    y = np.repeat(["well", "ill"], [120, 30])
    X = rng.normal(size=(150, 2)) + 1.5 * (y == "ill")[:, None]
    options = {"members": ("plain", "cs"), "n_splits": 3, "random_state": 0}
    return iCostEnsemble(DecisionTreeClassifier(max_depth=3), **options).fit(X, y), y


class TestCalibrationDisplay:
    def test_bins_hold_the_held_out_rows(self, ensemble):
        model, y = ensemble
        display = CalibrationDisplay.from_estimator(model, y, n_bins=5)
        assert display.rows.tolist() == [30] * 5
        assert np.dot(display.observed, display.rows) == pytest.approx(30)
        assert np.dot(display.predicted, display.rows) == pytest.approx(
            model.oof_proba_[:, 0].sum()
        )
        assert legend(display.ax_) == ["held-out rows"]

    def test_perfect_probabilities_lie_on_the_diagonal_within_their_bars(self):
        rng = np.random.default_rng(0)
        proba = rng.uniform(0, 0.4, 4000)
        display = CalibrationDisplay.from_predictions(
            rng.uniform(size=4000) < proba, proba, log=True
        )
        assert np.abs(display.predicted - display.observed).max() < 0.06
        assert display.ax_.get_xscale() == "log"

    def test_more_classes_have_no_such_picture(self):
        X, y = np.arange(30.0).reshape(-1, 1), np.repeat([0, 1, 2], 10)
        model = iCostEnsemble(members=("plain",), n_splits=2).fit(X, y)
        for display in (CalibrationDisplay, ThresholdDisplay):
            with pytest.raises(ValueError, match="an ensemble of two classes, got more"):
                display.from_estimator(model, y)

    def test_weights_stand_for_repeated_rows(self):
        rng = np.random.default_rng(0)
        proba, weight = rng.uniform(0, 0.4, 300), np.repeat([1, 3], 150)
        truth = rng.uniform(size=300) < proba
        one = CalibrationDisplay.from_predictions(truth, proba, n_bins=1, sample_weight=weight)
        rows = np.repeat(np.arange(300), weight)
        same = CalibrationDisplay.from_predictions(truth[rows], proba[rows], n_bins=1)
        assert one.predicted == pytest.approx(same.predicted)
        assert one.observed == pytest.approx(same.observed)
        # 600 in all, yet they tell less than 300 rows of one weight.
        assert one.rows == pytest.approx([600**2 / (150 + 150 * 9)])

    def test_a_weighted_ensemble_is_shown_by_its_weights(self):
        rng = np.random.default_rng(0)
        y = (rng.random(400) < 0.3).astype(int)
        X, weight = (y + rng.normal(size=400))[:, None], np.where(y == 1, 0.2, 1.0)
        weight[:20] = 0.0
        model = iCostEnsemble(LogisticRegression(), members=("plain",), random_state=0)
        model.fit(X, y, sample_weight=weight)
        display = CalibrationDisplay.from_estimator(model, y, n_bins=4, sample_weight=weight)
        assert np.abs(display.predicted - display.observed).max() < 0.07
        cuts = ThresholdDisplay.from_estimator(model, y, sample_weight=weight)
        assert abs(cuts.cuts[cuts.score.argmax()] - model.threshold_) < 0.03

    @pytest.mark.parametrize("display", [CalibrationDisplay, ThresholdDisplay])
    def test_what_does_not_belong_to_the_ensemble_is_told(self, ensemble, display):
        model, y = ensemble
        with pytest.raises(ValueError, match="a label of y must be one of the classes"):
            display.from_estimator(model, np.where(y == "ill", "a", "b"))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            display.from_estimator(model, y[:50])
        other = LogisticRegression().fit([[0], [1]], [0, 1])
        with pytest.raises(TypeError, match="estimator must be an iCostEnsemble, got Logistic"):
            display.from_estimator(other, [0, 1])
        with pytest.raises(ValueError, match="n_bins must be a whole number >= 1, got 0"):
            CalibrationDisplay.from_estimator(model, y, n_bins=0)

    def test_the_legend_may_have_another_name(self, ensemble):
        display = CalibrationDisplay.from_estimator(*ensemble, label="trees")
        assert legend(display.ax_) == ["trees"]


class TestThresholdDisplay:
    def test_the_curve_is_the_score_of_the_held_out_rows(self, ensemble):
        from sklearn.metrics import f1_score

        model, y = ensemble
        display = ThresholdDisplay.from_estimator(model, y, metric="f1")
        proba = model.oof_proba_[:, 0]
        for place in (10, len(display.cuts) // 2):
            expected = f1_score(y == "ill", proba >= display.cuts[place])
            assert display.score[place] == pytest.approx(expected)
        assert display.ax_.get_ylabel() == "F1"
        assert legend(display.ax_)[-1] == f"threshold {model.threshold_:.3g}"

    def test_the_band_of_groups_is_that_of_whole_groups(self, ensemble):
        model, y = ensemble
        alone, together = (
            ThresholdDisplay.from_estimator(model, y, groups=groups)
            for groups in (None, np.arange(len(y)) // 2)
        )
        assert (alone.score == together.score).all() and (alone.low != together.low).any()
