"""The ensemble: one estimator that decides as well as the best of weights, thresholds and sampling.

- `icost.ensemble.icost_ensemble`: `iCostEnsemble`, the estimator;
- `icost.ensemble.synthetic`, `icost.ensemble.treatments`: what members are trained on;
- `icost.ensemble.cross_fit`: members, and scores of rows that they have not seen;
- `icost.ensemble.calibration`: probabilities;
- `icost.ensemble.honest_score`: how good it is, without having looked.
"""

from icost.ensemble.icost_ensemble import iCostEnsemble

__all__ = ["iCostEnsemble"]
