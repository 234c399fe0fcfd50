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

    It predicts the user's labels from the user's table: columns are found by name, checked, and put
    through the model's own preprocessing. The record says what the model is, from the rows that it
    was fitted on to the versions of the packages, and stays readable when the model is not.
    `fit_model`, `choose_model` and `tune_model` make one; `save_model` and `load_model` move it to
    a file and back.

    Parameters
    ----------
    estimator : classifier
        Takes the columns of the record, as floats and text, and predicts positions in
        ``classes``: labels of any kind may then pass through any tool of scikit-learn.
    record : dict
        Versions, columns, target, classes, costs and metrics; plain values.

    See Also
    --------
    fit_model : Makes one from a table.
    check_table : What every table goes through before it is predicted.

    Notes
    -----
    ``record`` has the keys ``classifier``, ``method``, ``calibrated``, ``target``, ``classes``,
    ``minority``, ``rows``, ``columns``, ``costs``, ``scaler``, ``seed``, ``metrics``,
    ``metrics_from``, ``versions`` and, for a tuned model, ``tuning``, for one that a comparison
    chose, ``selection``, for an ensemble ``threshold``, ``threshold_interval`` and
    ``metric_intervals``, and ``error_costs`` for one that decides by them. Read ``metrics_from``
    before ``metrics``: it says on which folds they were measured, and whether they are optimistic.

    It is no estimator of scikit-learn and has no ``fit``; ``estimator`` is one.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = fit_model(X, y, n_splits=2)
    >>> model.classes, model.predict_proba(X).shape
    (['negative', 'positive'], (214, 2))

    Columns may come in any order, with others among them:

    >>> other = X[X.columns[::-1]].assign(note="as it came")
    >>> np.array_equal(model.predict(other), model.predict(X))
    True

    The record, without looking into the estimator:

    >>> model.record["minority"], model.record["rows"], model.record["metrics_from"]
    ('positive', 214, '2 stratified folds')
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
            Labels, as they were in training.

        Raises
        ------
        ColumnsDiffer
            If columns are missing or of the wrong kind.
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

        Weights of the minority move the probabilities of a model that is not calibrated: they rank
        rows, but are too high for the minority to be read as shares.

        Parameters
        ----------
        X : array-like or data frame
            A table with the model's columns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes``.

        Raises
        ------
        ColumnsDiffer
            If columns are missing or of the wrong kind.
        ValueError
            If the classifier has no probabilities, such as an SVM that was not calibrated.
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
