"""Thresholds: from scores of rows that a model has not seen to the cut that decides.

The rules stand side by side, each for another question:

- `best_threshold`: the one best cut for any objective, such as a cost per error;
- `tune_threshold`: the median of the best cuts of bootstrap samples, which is steadier;
- `stable_threshold`: the mean of such a median and of the best cut of smoothed scores;
- `cost_threshold`: what the costs of errors say about calibrated probabilities;
- `fit_tuned`: scikit-learn's rule, a grid of cuts scored fold by fold;
- `tune_offsets`, `tune_score_offsets`: the same question for more than two classes, by
  probabilities or by any scores.

`response_method` and `confidence` say which scores of a classifier are cut; `LabelMetric` makes any
scorer of labels something that can be made high.
"""

from icost.thresholds.cuts import (
    Objective,
    StableThreshold,
    best_threshold,
    cost_objective,
    cost_threshold,
    fit_tuned,
    scores_of_cuts,
    smoothed_cut,
    stable_threshold,
    tune_threshold,
    widest_best_cut,
)
from icost.thresholds.label_metric import LabelMetric, Metric
from icost.thresholds.offsets import additive_scores, tune_offsets, tune_score_offsets
from icost.thresholds.responses import (
    RESPONSES,
    check_class_scores,
    confidence,
    last_step,
    response_method,
)

__all__ = [
    "RESPONSES",
    "LabelMetric",
    "Metric",
    "Objective",
    "StableThreshold",
    "additive_scores",
    "best_threshold",
    "check_class_scores",
    "confidence",
    "cost_objective",
    "cost_threshold",
    "fit_tuned",
    "last_step",
    "response_method",
    "scores_of_cuts",
    "smoothed_cut",
    "stable_threshold",
    "tune_offsets",
    "tune_score_offsets",
    "tune_threshold",
    "widest_best_cut",
]
