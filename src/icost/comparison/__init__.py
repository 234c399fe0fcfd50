"""Comparison of strategies on one table, cross-validated, with a verdict in plain words.

- `compare`: run the comparison;
- `Comparison`: its numbers, as plain values;
- `corrected_interval`: an interval for a mean over cross-validation folds.

The classifiers and strategies are those of `icost.strategies`, as in the experiments.
"""

from icost.validation import import_extra

# Asked for here, so that whoever lacks it reads one sentence on what to install.
import_extra("pandas", "data", "icost.comparison")

from icost.comparison.compare import DEFAULT_STRATEGIES, Comparison, compare  # noqa: E402
from icost.statistics import corrected_interval  # noqa: E402

__all__ = ["DEFAULT_STRATEGIES", "Comparison", "compare", "corrected_interval"]
