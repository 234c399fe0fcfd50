"""Tuning of costs: cheaper than a grid search, and honest about what it found.

- `icost.tuning.candidates`: the settings to try;
- `icost.tuning.fold_scores`: all of them on one fold, with all that they share computed once.
"""

from icost.tuning.candidates import PAPER_GRID, SCALE_FACTORS, SHAPES, list_candidates
from icost.tuning.fold_scores import CandidateResults, evaluate_candidates

__all__ = [
    "PAPER_GRID",
    "SCALE_FACTORS",
    "SHAPES",
    "CandidateResults",
    "evaluate_candidates",
    "list_candidates",
]
