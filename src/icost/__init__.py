"""Learning from imbalanced data by weighting each sample by how hard it is.

The way from a table to a model, left to right:

- `icost.datasets`: the 65 binary and 10 multiclass sets of the paper, and readers for your files;
- `icost.labels`: classes, minority and imbalance ratio;
- `icost.metrics`: the paper's metrics and scorers;
- `icost.complexity`: how hard is each minority sample?
- `icost.penalties`: what does an error on it cost?
- `icost.problems`: one binary problem per class;
- `icost.classifier`: `iCost`, the estimator;
- `icost.boosters`, `icost.dask`: the weights for native training loops and for clusters;
- `icost.tuning`: `iCostCV`, which chooses the costs;
- `icost.ensemble`: `iCostEnsemble`, the mean of many fits;
- `icost.label_errors`: `label_quality`, which asks whether labels are right.

What looks at models, and asks whether the weights help:

- `icost.comparison`: `icost.comparison.compare`, all strategies on one table;
- `icost.modelfile`: models on disk, with their preprocessing;
- `icost.plots`, `icost.report`: pictures, and a page about a table's hard rows;
- `icost.experiments`: the studies behind the numbers in the README.

`show_versions` prints what a report about an error should say of the machine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from icost.bootstrap import WeightedBootstrap
    from icost.classifier import iCost, instance_weights
    from icost.complexity import (
        BaseComplexity,
        ClusterComplexity,
        DensityComplexity,
        GiniComplexity,
        GraphComplexity,
        MarginComplexity,
        NeighborComplexity,
        categorize_minority_class,
    )
    from icost.ensemble import iCostEnsemble
    from icost.label_errors import LabelQuality, label_quality
    from icost.labels import calculate_imbalance_ratio
    from icost.penalties import MILD, PAPER
    from icost.tuning import iCostCV
    from icost.versions import show_versions

__version__ = "1.0.0.dev0"

__all__ = [
    "MILD",
    "PAPER",
    "BaseComplexity",
    "ClusterComplexity",
    "DensityComplexity",
    "GiniComplexity",
    "GraphComplexity",
    "LabelQuality",
    "MarginComplexity",
    "NeighborComplexity",
    "WeightedBootstrap",
    "calculate_imbalance_ratio",
    "categorize_minority_class",
    "iCost",
    "iCostCV",
    "iCostEnsemble",
    "instance_weights",
    "label_quality",
    "show_versions",
]

_HOME = {
    "MILD": "penalties",
    "PAPER": "penalties",
    "BaseComplexity": "complexity",
    "ClusterComplexity": "complexity",
    "DensityComplexity": "complexity",
    "GiniComplexity": "complexity",
    "GraphComplexity": "complexity",
    "LabelQuality": "label_errors",
    "MarginComplexity": "complexity",
    "NeighborComplexity": "complexity",
    "WeightedBootstrap": "bootstrap",
    "calculate_imbalance_ratio": "labels",
    "categorize_minority_class": "complexity",
    "iCost": "classifier",
    "iCostCV": "tuning",
    "iCostEnsemble": "ensemble",
    "instance_weights": "classifier",
    "label_quality": "label_errors",
    "show_versions": "versions",
}

_MODULES = (*set(_HOME.values()), "boosters", "comparison", "dask", "datasets", "experiments")
_MODULES += ("metrics", "modelfile", "plots", "problems", "report", "strategies", "thresholds")


def __getattr__(name: str) -> Any:
    # Loaded when used: the command line can then answer, or be interrupted, before scikit-learn is.
    if name in _HOME:
        return getattr(import_module(f"icost.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"icost.{name}")
    raise AttributeError(f"module 'icost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
