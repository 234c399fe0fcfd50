"""Tuning of costs: cheaper than a grid search, and honest about what it found.

- `icost.tuning._sharing`: what candidates have in common, and fits in less time;
- `icost.tuning._candidates`: the settings to try, and which of them is the best;
- `icost.tuning._fold_scores`: all of them on one fold, with all that they share computed once;
- `icost.tuning._search_table`: all folds, over several jobs, and the threshold of each candidate;
- `icost.tuning._searches`: grid, random, halving, Bayesian and evolutionary search;
- `icost.tuning._icost_cv`: `iCostCV`, the estimator.
"""

from icost.tuning._icost_cv import iCostCV

__all__ = ["iCostCV"]
