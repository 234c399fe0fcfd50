"""Calibration and precision-recall curves of predictions on rows not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import precision_recall_curve

MAX_CURVE_POINTS = 200


def precision_recall_points(
    truth: NDArray[np.bool_], proba: NDArray[np.float64]
) -> dict[str, list[float]]:
    """Return a precision-recall curve, thinned to what a picture can show.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.comparison.curves import precision_recall_points
    >>> curve = precision_recall_points(np.array([False, True]), np.array([0.2, 0.9]))
    >>> curve["recall"], curve["precision"]
    ([1.0, 1.0, 0.0], [0.5, 1.0, 1.0])
    """
    precision, recall, _ = precision_recall_curve(truth, proba)
    kept = np.unique(np.linspace(0, len(recall) - 1, MAX_CURVE_POINTS).astype(int))
    return {
        "recall": np.round(recall[kept], 4).tolist(),
        "precision": np.round(precision[kept], 4).tolist(),
    }


def calibration_points(
    truth: NDArray[np.bool_], proba: NDArray[np.float64], n_bins: int = 10
) -> dict[str, list[Any]]:
    """Return observed shares in bins of predicted probability with equal numbers of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.comparison.curves import calibration_points
    >>> proba = np.array([0.1, 0.1, 0.8, 0.8])
    >>> curve = calibration_points(np.array([False, False, False, True]), proba, n_bins=2)
    >>> curve["predicted"], curve["observed"]
    ([0.1, 0.8], [0.0, 0.5])
    """
    parts = np.array_split(np.argsort(proba, kind="stable"), n_bins)
    parts = [part for part in parts if len(part)]
    return {
        "predicted": [round(float(proba[part].mean()), 5) for part in parts],
        "observed": [round(float(truth[part].mean()), 5) for part in parts],
        "rows": [len(part) for part in parts],
    }
