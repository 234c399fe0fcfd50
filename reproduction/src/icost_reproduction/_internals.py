"""The one list of names that the reproduction takes from icost and that icost does not document.

All other modules import documented names only, which a test checks.
Whoever changes one of these names in icost finds its users by searching for it here.
"""

from icost._core.delegation import DelegatingClassifier
from icost._core.files import write_whole
from icost._core.labels import (
    class_totals,
    encode_labels,
    find_minority,
    most_folds,
    resolve_minority,
)
from icost._core.validation import check_choice, check_number, import_extra
from icost._table._columns import plain_table
from icost._table._encoder import SCALERS
from icost._table._space import to_numeric_space
from icost._weights.classifier import estimate, fit_target
from icost._weights.problems import Target
from icost.cli._printer import Printer
from icost.complexity._base import NEIGHBOR_CATEGORIES, PAPER_CATEGORIES
from icost.complexity._methods import named_measure
from icost.datasets._loading import make_bunch
from icost.datasets._readers import SUFFIXES
from icost.datasets._registry import COLLECTIONS, parse_counts, read_registry
from icost.ensemble._treatments import MEMBERS
from icost.metrics import (
    CONFUSION_METRICS,
    confusion_matrices,
    confusion_scores,
    found_per_category,
)
from icost.penalties import PAPER_GRID, Costs
from icost.plots._drawing import (
    ACCENT,
    CATEGORY_COLORS,
    GAIN,
    LOSS,
    MAJORITY_COLOR,
    columns_at,
    find_features,
    new_axes,
    plain_axes,
    pyplot,
    take_columns,
    to_plane,
)
from icost.report._page import render_page
from icost.strategies._estimators import CLASSIFIERS, PAPER_CLASSIFIERS, get_classifier
from icost.strategies._fitting import (
    FitResult,
    TrainingFold,
    category_counts,
    fit_estimator,
    fit_strategy,
    prepare_fold,
    shared_target,
    weighted_result,
)
from icost.strategies._registry import (
    MEASURE_LABELS,
    RESAMPLER_LABELS,
    Strategy,
    build_weighted,
    by_name,
    ensemble,
    imblearn_ensemble,
    weighted,
)
from icost.strategies._registry import STRATEGIES as LIBRARY
from icost.thresholds._offsets import additive_scores, tune_offsets
from icost.thresholds._scores import response_method
from icost.tuning._candidates import TIE, list_candidates, order_candidates
from icost.tuning._fold_scores import CandidateResults, evaluate_candidates

__all__ = [
    "ACCENT",
    "CATEGORY_COLORS",
    "CLASSIFIERS",
    "COLLECTIONS",
    "CONFUSION_METRICS",
    "GAIN",
    "LIBRARY",
    "LOSS",
    "MAJORITY_COLOR",
    "MEASURE_LABELS",
    "MEMBERS",
    "NEIGHBOR_CATEGORIES",
    "PAPER_CATEGORIES",
    "PAPER_CLASSIFIERS",
    "PAPER_GRID",
    "RESAMPLER_LABELS",
    "SCALERS",
    "SUFFIXES",
    "TIE",
    "CandidateResults",
    "Costs",
    "DelegatingClassifier",
    "FitResult",
    "Printer",
    "Strategy",
    "Target",
    "TrainingFold",
    "additive_scores",
    "build_weighted",
    "by_name",
    "category_counts",
    "check_choice",
    "check_number",
    "class_totals",
    "columns_at",
    "confusion_matrices",
    "confusion_scores",
    "encode_labels",
    "ensemble",
    "estimate",
    "evaluate_candidates",
    "find_features",
    "find_minority",
    "fit_estimator",
    "fit_strategy",
    "fit_target",
    "found_per_category",
    "get_classifier",
    "imblearn_ensemble",
    "import_extra",
    "list_candidates",
    "make_bunch",
    "most_folds",
    "named_measure",
    "new_axes",
    "order_candidates",
    "parse_counts",
    "plain_axes",
    "plain_table",
    "prepare_fold",
    "pyplot",
    "read_registry",
    "render_page",
    "resolve_minority",
    "response_method",
    "shared_target",
    "take_columns",
    "to_numeric_space",
    "to_plane",
    "tune_offsets",
    "weighted",
    "weighted_result",
    "write_whole",
]
