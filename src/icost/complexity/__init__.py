"""Complexity measures: how hard is each minority sample?

- `NeighborComplexity`: from the classes of its nearest neighbours.
- `GiniComplexity`: from the class composition of its leaf in a shallow tree.
- `BaseComplexity`: what a measure of your own derives from.
- `Complexity`: what they all return.
- `categorize_minority_class`: the neighbour view as one function call.
"""

from icost.complexity.base import BaseComplexity, Complexity
from icost.complexity.categorize import categorize_minority_class
from icost.complexity.gini import GiniComplexity
from icost.complexity.neighbor import NeighborComplexity

__all__ = [
    "BaseComplexity",
    "Complexity",
    "GiniComplexity",
    "NeighborComplexity",
    "categorize_minority_class",
]
