"""What each display draws, read back from matplotlib's objects."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from icost import GiniComplexity, ThresholdClassifier, iCost, iCostEnsemble
from icost.plots import CalibrationDisplay, ComplexityDisplay, DecisionDisplay, ThresholdDisplay

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


@pytest.fixture(scope="module")
def ensemble():
    rng = np.random.default_rng(0)
    y = np.repeat(["well", "ill"], [120, 30])
    X = rng.normal(size=(150, 2)) + 1.5 * (y == "ill")[:, None]
    options = {"members": ("plain", "cs"), "n_splits": 3, "random_state": 0}
    return iCostEnsemble(DecisionTreeClassifier(max_depth=3), **options).fit(X, y), y


class TestCalibrationDisplay:
    def test_bars_are_wilsons_intervals(self):
        display = CalibrationDisplay(np.array([0.2]), np.array([0.1]), np.array([10])).plot()
        (bar,) = display.ax_.containers[0].lines[2][0].get_segments()
        assert bar[:, 1].round(3).tolist() == [0.018, 0.404]

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
        truth = rng.uniform(size=4000) < proba
        display = CalibrationDisplay._of_rows(truth, proba, np.ones(4000), 10, "").plot(log=True)
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
        one = CalibrationDisplay._of_rows(truth, proba, weight, 1, "")
        rows = np.repeat(np.arange(300), weight)
        same = CalibrationDisplay._of_rows(truth[rows], proba[rows], np.ones(len(rows)), 1, "")
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


class TestDecisionDisplay:
    @pytest.mark.parametrize(
        "model",
        [
            ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0),
            iCostEnsemble(threshold="recall>=0.8", members=("plain",), random_state=0),
        ],
    )
    def test_draws_all_cuts_and_the_chosen_one(self, model):
        rng = np.random.default_rng(0)
        y = (np.arange(300) < 60).astype(int)
        X = rng.normal(size=(300, 2)) + 1.5 * y[:, np.newaxis]
        model.fit(X, y)
        display = DecisionDisplay.from_estimator(model)
        rows, chosen = model.held_out_, model.certificate_
        curve, mark = display.axes_[0].lines
        assert curve.get_xydata()[0].tolist() == [0, 0]
        assert curve.get_xydata()[-1].tolist() == [100, 100]
        is_alert = rows.score >= model.threshold_
        false = 100 * is_alert[~rows.is_minority].mean()
        np.testing.assert_allclose(mark.get_xydata(), [[false, 100 * chosen.recall]])
        # The chosen cut is one of the curve.
        gaps = np.abs(curve.get_xydata() - mark.get_xydata()).sum(axis=1)
        assert gaps.min() < 1e-9
        place = gaps.argmin()
        assert display.recall_low[place] == pytest.approx(100 * chosen.recall_low)
        assert display.recall_high[place] == pytest.approx(100 * chosen.recall_high)
        np.testing.assert_allclose(display.axes_[1].lines[1].get_xdata(), 1000 * chosen.alerts)
        title = display.figure_.get_suptitle().replace("\n", " ")
        assert title == str(chosen) and display.table[-1]["found"] == 1.0

    def test_other_models_are_refused(self):
        with pytest.raises(TypeError, match="a ThresholdClassifier or an iCostEnsemble of two"):
            DecisionDisplay.from_estimator(iCost().fit(LINE, LABELS))
