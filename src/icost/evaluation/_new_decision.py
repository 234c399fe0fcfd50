"""`decide_anew`: another cut, with a certificate from rows that the model has not seen."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from icost.evaluation._expectation import expectation_of, redecided_record
from icost.evaluation._intervals import score_intervals
from icost.evaluation._scoring import label_codes_of, minority_code, score_rows
from icost.modelfile._saved_model import SavedModel
from icost.modelfile._table_check import check_table
from icost.thresholds._threshold_classifier import ThresholdClassifier


def decide_anew(
    model: SavedModel,
    X: Any,
    y: ArrayLike,
    rule: Any,
    *,
    groups: ArrayLike | None = None,
    cost_fn: float | None = None,
    cost_fp: float = 1.0,
) -> SavedModel:
    """Return a model with another decision, made and certified on rows that it has not seen.

    Nothing is fitted but the calibration of its scores, which these rows decide as well.

    Parameters
    ----------
    model : SavedModel
        Of two classes.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows that the model has not seen.
    y : array-like of shape (n_samples,)
        Their labels.
    rule : str, float or rule object
        What is needed, such as ``"recall>=0.8"``, as for `icost.ThresholdClassifier`.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group count as one witness.
    cost_fn, cost_fp : float, default=None and 1.0
        What a miss and a false alarm cost, for the rule ``"cost"``.

    Returns
    -------
    SavedModel
        A new one; ``record["history"]`` has the decisions before.

    See Also
    --------
    icost.evaluate : Whether it is time for that.
    icost.at_prevalence : Another share of the minority, without labels.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> from icost.evaluation import decide_anew
    >>> from icost.modelfile import fit_model
    >>> X, y = load_dataset("yeast3", return_X_y=True)
    >>> model = fit_model(X[::2], y[::2], method="threshold", n_splits=2)
    >>> other = decide_anew(model, X[1::2], y[1::2], "recall>=0.8")
    >>> print(other.record["certificate"])
    recall >= 0.8 holds with 90 % confidence: 85 minority rows give 0.811. Rows with P ≥ 0.151 are
    predicted as the minority class: expect to find 87 of 100 (79 to 93), with an alert on 17 of 100
    rows, of which 60 of 100 are right.
    >>> len(other.record["history"])
    1
    """
    if not isinstance(model, SavedModel):
        raise TypeError(
            f"model must be a SavedModel, got {model!r}: ThresholdClassifier(model, rule, "
            "cv='prefit') takes any fitted classifier."
        )
    if any(isinstance(cost, str) for cost in model.record.get("error_costs") or ()):
        raise ValueError("A model that decides by costs of each row cannot be decided anew.")
    expected, table = expectation_of(model), check_table(X, model.record)
    if len(expected.classes) != 2:
        raise ValueError(f"A new decision needs two classes, got {len(expected.classes)}.")
    codes = label_codes_of(y, expected, len(table))
    minority = minority_code(expected, codes, None)
    decides = ThresholdClassifier(
        None,
        rule,
        cv="prefit",
        minority_label=minority,
        cost_fn=cost_fn,
        cost_fp=cost_fp,
        random_state=0,
    )
    estimator = _with_decision(model.estimator, decides)
    decides.fit(_prepared(estimator, table), codes, groups=groups)
    moved = SavedModel(estimator, model.record)
    scores = score_intervals(score_rows(moved, table, codes, expected, minority, groups))
    return SavedModel(estimator, redecided_record(model.record, decides, scores, len(table)))


def _with_decision(estimator: Any, decides: ThresholdClassifier) -> Any:
    """Put a decision around what scores rows, in place of one that is there."""
    if not isinstance(estimator, Pipeline):
        decides.set_params(estimator=FrozenEstimator(estimator))
        return decides
    last = estimator.steps[-1][1]
    scores = last.estimator_ if isinstance(last, ThresholdClassifier) else last
    scores = scores if isinstance(scores, FrozenEstimator) else FrozenEstimator(scores)
    decides.set_params(estimator=scores)
    return Pipeline([*estimator.steps[:-1], (estimator.steps[-1][0], decides)])


def _prepared(estimator: Any, table: Any) -> Any:
    """Return a table as the last step of a pipeline gets it."""
    return estimator[:-1].transform(table) if isinstance(estimator, Pipeline) else table
