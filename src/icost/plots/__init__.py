"""Plots in scikit-learn's Display style: ``from_estimator`` or ``from_data``, then ``plot(ax=)``.

- `ComplexityDisplay`: the minority rows by category, in two features or a projection;
- `DecisionDisplay`: what each cut finds and costs.

Matplotlib is imported when something is drawn: ``pip install "icost-learn[plots]"``.
"""

from icost.plots._complexity import ComplexityDisplay
from icost.plots._decision import DecisionDisplay

__all__ = ["ComplexityDisplay", "DecisionDisplay"]
