"""The ensemble: one estimator that decides as well as the best of weights, thresholds and sampling.

- `icost.ensemble._icost_ensemble`: `iCostEnsemble`, the estimator;
- `icost.ensemble._synthetic`, `icost.ensemble._treatments`: what members are trained on;
- `icost.ensemble._cross_fit`: members, and scores of rows that they have not seen;
- `icost.ensemble._calibration`: probabilities;
- `icost.ensemble._out_of_fold_score`: how good it is, without having looked.
"""

from icost.ensemble._icost_ensemble import iCostEnsemble

__all__ = ["iCostEnsemble"]
