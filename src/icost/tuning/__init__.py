"""Tuning of costs: cheaper than a grid search, and honest about what it found.

- `icost.tuning.candidates`: the settings to try;
- `icost.tuning.sharing`, `icost.tuning.quick_fits`: what they have in common, fits in less time;
- `icost.tuning.fold_scores`: all of them on one fold, with all that they share computed once;
- `icost.tuning.search_table`: all folds, over several jobs;
- `icost.tuning.searches`, `icost.tuning.optuna_search`: grid, halving, Bayesian, evolutionary;
- `icost.tuning.selection`, `icost.tuning.averaging`, `icost.tuning.threshold_search`,
  `icost.tuning.offsets`: what to make of it;
- `icost.tuning.icost_cv`: `iCostCV`, the estimator.
"""

from icost.thresholds import tune_threshold
from icost.tuning.averaging import AveragedClassifier
from icost.tuning.candidates import PAPER_GRID, SCALE_FACTORS, SHAPES, list_candidates
from icost.tuning.fold_scores import CandidateResults, evaluate_candidates
from icost.tuning.icost_cv import iCostCV
from icost.tuning.offsets import OffsetClassifier
from icost.tuning.selection import best_candidate

__all__ = [
    "PAPER_GRID",
    "SCALE_FACTORS",
    "SHAPES",
    "AveragedClassifier",
    "CandidateResults",
    "OffsetClassifier",
    "best_candidate",
    "evaluate_candidates",
    "iCostCV",
    "list_candidates",
    "tune_threshold",
]
