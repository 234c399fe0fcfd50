"""The ensemble: one estimator that decides as well as the best of weights, thresholds and sampling.

- `icost.ensemble._icost_auto`: `iCostAuto`, the best model for a table from one pass;
- `icost.ensemble._icost_ensemble`: `iCostEnsemble`, several treatments of your classifier;
- `icost.ensemble._synthetic`, `icost.ensemble._treatments`: what members are trained on;
- `icost.ensemble._cross_fit`: members, and scores of rows that they have not seen;
- `icost.ensemble._calibration`: probabilities;
- `icost.ensemble._out_of_fold_score`: how good it is, without having looked.
"""

from icost.ensemble._icost_auto import iCostAuto
from icost.ensemble._icost_ensemble import iCostEnsemble

__all__ = ["iCostAuto", "iCostEnsemble"]
