"""What each display draws, read back from matplotlib's objects."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

from icost import GiniComplexity, ThresholdClassifier, iCost, iCostEnsemble
from icost.plots import ComplexityDisplay, DecisionDisplay

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
