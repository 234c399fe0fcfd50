"""Strategies: ways to fit a classifier to imbalanced data, each under a name.

- `Strategy`: what it builds, and what to know before it is fitted;
- `get_strategy`, `list_strategies`: the strategies of the library.

Comparisons, model files and the reproduction of the paper all fit what a strategy builds.
"""

from icost.strategies._registry import Strategy, get_strategy, list_strategies

__all__ = ["Strategy", "get_strategy", "list_strategies"]
