"""SavedModel: a fitted model that knows its table, whatever it was fitted by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV

from icost.modelfile.table_check import check_table


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted model and the record of how it was made.

    Parameters
    ----------
    estimator : classifier
        Takes the columns of the record, as floats and text, and predicts positions in
        ``classes``: labels of any kind may then pass through any tool of scikit-learn.
    record : dict
        Versions, columns, target, classes, costs and metrics; plain values.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = fit_model(X, y, n_splits=2)
    >>> model.predict_proba(X).shape
    (214, 2)
    """

    estimator: Any
    record: dict[str, Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        A calibrated model's labels are those before calibration: calibrated probabilities undo the
        weights, and a threshold of one half would undo what they are for.

        Parameters
        ----------
        X : array-like or data frame
            A table with the model's columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        table = check_table(X, self.record)
        if isinstance(self.estimator, CalibratedClassifierCV):
            (calibrated,) = self.estimator.calibrated_classifiers_
            codes = calibrated.estimator.predict(table)
        else:
            codes = self.estimator.predict(table)
        return np.asarray(self.classes)[codes]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict probabilities, calibrated ones if the model is.

        Parameters
        ----------
        X : array-like or data frame
            A table with the model's columns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes``.
        """
        table = check_table(X, self.record)
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"the classifier {self.record['classifier']!r} has no probabilities: fit it with "
                "calibration."
            )
        return self.estimator.predict_proba(table)

    @property
    def classes(self) -> list[Any]:
        """The labels, in the order of the probabilities."""
        return self.record["classes"]
