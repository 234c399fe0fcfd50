"""What a fitted ensemble says of the rows that it was fitted to, by members that had not seen them.

The displays of calibration and of thresholds both start from here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from icost.labels import label_codes
from icost.validation import check_sample_weight


def held_out_rows(
    estimator: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Return which rows have probabilities, whether they are minority, these, and weights."""
    check_is_fitted(estimator)
    if not hasattr(estimator, "oof_proba_"):
        raise TypeError(f"estimator must be an iCostEnsemble, got {estimator!r}.")
    if estimator.minority_label_ is None:
        raise ValueError("from_estimator needs an ensemble of two classes, got more.")
    check_consistent_length(y, estimator.oof_proba_)
    codes = label_codes(np.ravel(np.asarray(y)), estimator.classes_, "a label of y")
    minority = int(np.flatnonzero(estimator.classes_ == estimator.minority_label_)[0])
    proba = estimator.oof_proba_[:, minority]
    kept = np.flatnonzero(~np.isnan(proba))
    weight = check_sample_weight(sample_weight, len(codes))
    weight = np.ones(len(codes)) if weight is None else weight
    return kept, (codes == minority)[kept], proba[kept], weight[kept]
