"""Comparison of strategies on one table, cross-validated, with a verdict in plain words.

- `compare`: run the comparison;
- `Comparison`: its numbers, as plain values.

The classifiers and strategies are those of `icost.strategies`.
"""

from icost._core.validation import import_extra

# Asked for here, so that whoever lacks it reads one sentence on what to install.
import_extra("pandas", "data", "icost.comparison")

from icost.comparison._compare import compare  # noqa: E402
from icost.comparison._summary import Comparison  # noqa: E402

__all__ = ["Comparison", "compare"]
