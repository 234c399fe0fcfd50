"""Plots in scikit-learn's Display style.

- `CostSurfaceDisplay`: the score of a search against two penalties.

Matplotlib is imported when something is drawn: ``pip install "icost-learn[plots]"``.
"""

from icost.plots.cost_surface import CostSurfaceDisplay

__all__ = ["CostSurfaceDisplay"]
