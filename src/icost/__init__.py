"""Learning from imbalanced data by weighting each row by how hard it is.

The way from a table to a model, left to right:

- `icost.datasets`: the 65 binary and 10 multiclass sets of the paper, and readers for your files;
- `icost._core.labels`: classes, minority and imbalance ratio;
- `icost.metrics`: the paper's metrics and scorers;
- `icost.complexity`: how hard is each minority row?
- `icost.penalties`: what does an error on it cost?
- `icost._weights.problems`: one binary problem per class;
- `icost._weights.classifier`: `iCost`, the estimator;
- `icost.boosters`: the weights for native training loops;
- `icost._batches`, `icost.dask`, `icost.spark`: the weights of tables larger than the memory;
- `icost.tuning`: `iCostCV`, which chooses the costs;
- `icost.thresholds`: `ThresholdClassifier`, the decision that you need;
- `icost._pass`: every candidate cross-fitted once, and what is read from the scores;
- `icost.ensemble`: `iCostAuto`, the best model for a table, and `iCostEnsemble`;
- `icost.label_errors`: `label_quality`, which ranks rows whose label is suspect.

What looks at models, and asks whether the weights help:

- `icost.comparison`: `compare`, classifiers and strategies side by side on one table;
- `icost.modelfile`: models on disk, with their preprocessing;
- `icost.evaluation`: `evaluate`, how a model fares on new rows, and whether its promise is kept;
- `icost.plots`, `icost.report`: pictures, and a page about a table's hard rows.

The studies behind the documented numbers are a distribution of their own, `icost_reproduction`.

`show_versions` prints what a report about an error should say of the machine.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from icost._core.coexistence import warn_of_other_package

if TYPE_CHECKING:
    from icost._batches.stream import weights_of_batches
    from icost._core.labels import calculate_imbalance_ratio
    from icost._table._encoder import TableEncoder
    from icost._weights.bootstrap import WeightedBootstrap
    from icost._weights.classifier import iCost, instance_weights
    from icost.comparison import compare
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
    from icost.ensemble import iCostAuto, iCostEnsemble
    from icost.evaluation import evaluate
    from icost.label_errors import LabelQuality, label_quality
    from icost.modelfile._saved_model import show_versions
    from icost.penalties import MILD, PAPER
    from icost.thresholds import ThresholdClassifier, at_prevalence, estimate_prevalence
    from icost.tuning import iCostCV

__version__ = "1.0.0rc1"

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
    "TableEncoder",
    "ThresholdClassifier",
    "WeightedBootstrap",
    "at_prevalence",
    "calculate_imbalance_ratio",
    "categorize_minority_class",
    "compare",
    "estimate_prevalence",
    "evaluate",
    "iCost",
    "iCostAuto",
    "iCostCV",
    "iCostEnsemble",
    "instance_weights",
    "label_quality",
    "show_versions",
    "weights_of_batches",
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
    "TableEncoder": "_table._encoder",
    "ThresholdClassifier": "thresholds",
    "WeightedBootstrap": "_weights.bootstrap",
    "at_prevalence": "thresholds",
    "calculate_imbalance_ratio": "_core.labels",
    "categorize_minority_class": "complexity",
    "compare": "comparison",
    "estimate_prevalence": "thresholds",
    "evaluate": "evaluation",
    "iCost": "_weights.classifier",
    "iCostAuto": "ensemble",
    "iCostCV": "tuning",
    "iCostEnsemble": "ensemble",
    "instance_weights": "_weights.classifier",
    "label_quality": "label_errors",
    "show_versions": "modelfile._saved_model",
    "weights_of_batches": "_batches.stream",
}

_PACKAGES = (
    "boosters",
    "comparison",
    "complexity",
    "dask",
    "datasets",
    "ensemble",
    "evaluation",
    "label_errors",
    "metrics",
    "modelfile",
    "penalties",
    "plots",
    "report",
    "spark",
    "strategies",
    "thresholds",
    "tuning",
)

warn_of_other_package(Path(__file__).parent)


def __getattr__(name: str) -> Any:
    # Loaded when used: the command line can then answer, or be interrupted, before scikit-learn is.
    if name in _HOME:
        return getattr(import_module(f"icost.{_HOME[name]}"), name)
    if name in _PACKAGES:
        return import_module(f"icost.{name}")
    raise AttributeError(f"module 'icost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
