"""Learning from imbalanced data by weighting each sample by how hard it is.

The way from a table to a model, left to right:

- `icost.datasets`: the 65 binary and 10 multiclass sets of the paper, and readers for your files;
- `icost.labels`: classes, minority and imbalance ratio;
- `icost.metrics`: the paper's metrics and scorers;
- `icost.complexity`: how hard is each minority sample?
- `icost.penalties`: what does an error on it cost?
- `icost.multiclass`: one binary problem per class;
- `icost.classifier`: `iCost`, the estimator;
- `icost.tuning`: `iCostCV`, which chooses the costs.
"""

from icost.bootstrap import WeightedBootstrap
from icost.classifier import iCost, instance_weights
from icost.complexity import (
    BaseComplexity,
    GiniComplexity,
    NeighborComplexity,
    categorize_minority_class,
)
from icost.labels import calculate_imbalance_ratio
from icost.penalties import MILD, PAPER
from icost.tuning import iCostCV

__version__ = "1.0.0.dev0"

__all__ = [
    "MILD",
    "PAPER",
    "BaseComplexity",
    "GiniComplexity",
    "NeighborComplexity",
    "WeightedBootstrap",
    "calculate_imbalance_ratio",
    "categorize_minority_class",
    "iCost",
    "iCostCV",
    "instance_weights",
]
