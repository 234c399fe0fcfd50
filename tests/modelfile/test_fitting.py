import numpy as np
import pytest

from icost.datasets import load_dataset
from icost.modelfile import fit_model
from icost.strategies.registry import STRATEGIES
from icost.strategies.training_fold import TrainingFold


# With its classes swapped, an SVM is the same only up to its solver's tolerance.
@pytest.mark.parametrize(
    ("classifier", "minority_first"), [("lr", False), ("lr", True), ("svm", False)]
)
def test_the_threshold_is_that_of_the_strategy_that_compare_recommends(classifier, minority_first):
    X, y = load_dataset("glass2", return_X_y=True)
    codes = (y == "positive").to_numpy().astype(int)
    labels = 1 - codes if minority_first else codes
    model = fit_model(X, labels, classifier=classifier, method="threshold", scaler="none")
    base = model.estimator.estimator.named_steps["classify"].base_classifier
    fitted = STRATEGIES["threshold"].fit(base, TrainingFold(X.to_numpy(), codes, 2, 0))
    assert fitted.note == f"threshold {model.estimator.threshold:.6g}"
    np.testing.assert_array_equal(
        model.predict(X) == int(not minority_first), fitted.predict(X.to_numpy())
    )


def test_a_threshold_stays_where_predictions_are_constant():
    X, y = np.zeros((30, 1)), np.repeat([0, 1], [20, 10])
    assert fit_model(X, y, method="threshold").predict(X).tolist() == [0] * 30
