"""Complexity measures: how hard is each minority row?

- `NeighborComplexity`: from the classes of its nearest neighbours.
- `GiniComplexity`: from the class composition of its leaf in a shallow tree.
- `MarginComplexity`: from a held-out classifier's probability of the other classes.
- `DensityComplexity`: from the densities of its own class and of the others.
- `GraphComplexity`: from a short walk on the graph of mutual nearest neighbours.
- `ClusterComplexity`: from the nearest centres of clusters of either class.
- `BaseComplexity`: what a measure of your own derives from.
- `Complexity`: what they all return.
- `categorize_minority_class`: the neighbour view as one function call.

A measure is loaded when it is first used: weights by neighbours need no trees.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from icost.complexity._base import BaseComplexity, Complexity, home_of

if TYPE_CHECKING:
    from icost.complexity._cluster import ClusterComplexity
    from icost.complexity._density import DensityComplexity
    from icost.complexity._gini import GiniComplexity
    from icost.complexity._graph import GraphComplexity
    from icost.complexity._margin import MarginComplexity
    from icost.complexity._neighbor import NeighborComplexity, categorize_minority_class

__all__ = [
    "BaseComplexity",
    "ClusterComplexity",
    "Complexity",
    "DensityComplexity",
    "GiniComplexity",
    "GraphComplexity",
    "MarginComplexity",
    "NeighborComplexity",
    "categorize_minority_class",
]


def __getattr__(name: str) -> Any:
    if name == "categorize_minority_class":
        return import_module("icost.complexity._neighbor").categorize_minority_class
    if name in __all__:
        return getattr(import_module(home_of(name)), name)
    raise AttributeError(f"module 'icost.complexity' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
