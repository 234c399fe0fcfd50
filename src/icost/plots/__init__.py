"""Plots in scikit-learn's Display style: ``from_estimator`` or ``from_data``, then ``plot(ax=)``.

- `ComplexityDisplay`: the minority samples by category, in two features or a projection;
- `WeightBoundaryDisplay`: decision boundaries of several methods side by side;
- `GiniPartitionDisplay`: the regions of Gini-iCost's probe tree;
- `CostSurfaceDisplay`: the score of a search against two penalties;
- `CalibrationDisplay`: whether the probabilities of an ensemble can be believed;
- `ThresholdDisplay`: its score against the threshold;
- `DeltaDisplay`: gain or loss per dataset;
- `CriticalDifferenceDisplay`: average ranks, and which of them cannot be told apart.

Matplotlib is imported when something is drawn: ``pip install "icost-learn[plots]"``.
"""

from icost.plots.calibration import CalibrationDisplay
from icost.plots.complexity import ComplexityDisplay
from icost.plots.cost_surface import CostSurfaceDisplay
from icost.plots.critical_difference import CriticalDifferenceDisplay
from icost.plots.delta import DeltaDisplay
from icost.plots.gini_partition import GiniPartitionDisplay
from icost.plots.threshold import ThresholdDisplay
from icost.plots.weight_boundary import WeightBoundaryDisplay

__all__ = [
    "CalibrationDisplay",
    "ComplexityDisplay",
    "CostSurfaceDisplay",
    "CriticalDifferenceDisplay",
    "DeltaDisplay",
    "GiniPartitionDisplay",
    "ThresholdDisplay",
    "WeightBoundaryDisplay",
]
