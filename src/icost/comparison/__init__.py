"""Comparison of strategies on one table, cross-validated, with a verdict in plain words.

- `compare`: run the comparison;
- `Comparison`: its numbers, as plain values;
- `corrected_interval`: an interval for a mean over cross-validation folds.

The classifiers and strategies are those of `icost.experiments`.
"""

from icost.comparison.compare import DEFAULT_STRATEGIES, Comparison, compare
from icost.statistics import corrected_interval

__all__ = ["DEFAULT_STRATEGIES", "Comparison", "compare", "corrected_interval"]
