"""Complexity measures: how hard is each minority sample?

- `NeighborComplexity`: from the classes of its nearest neighbours.
- `GiniComplexity`: from the class composition of its leaf in a shallow tree.
- `BaseComplexity`: what a measure of your own derives from.
- `Complexity`: what they all return.
- `categorize_minority_class`: the neighbour view as one function call.

A measure is loaded when it is asked for: weights by neighbours need no trees, and a saved model
needs neither.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from icost.complexity.base import BaseComplexity, Complexity

if TYPE_CHECKING:
    from icost.complexity.gini import GiniComplexity
    from icost.complexity.neighbor import NeighborComplexity, categorize_minority_class

__all__ = [
    "BaseComplexity",
    "Complexity",
    "GiniComplexity",
    "NeighborComplexity",
    "categorize_minority_class",
]

_HOME = {
    "GiniComplexity": "gini",
    "NeighborComplexity": "neighbor",
    "categorize_minority_class": "neighbor",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"icost.complexity.{_HOME[name]}"), name)
    raise AttributeError(f"module 'icost.complexity' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
