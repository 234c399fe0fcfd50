"""
Weights bend a boundary
=======================

The weight of a row is how much an error on it costs. With larger weights on a few rows, a support
vector machine moves its boundary towards them, and makes more errors on others.
"""

# %%
# Two classes, and a few rows that matter more
# --------------------------------------------
# The same twenty rows twice: once all have weight 1, once three of them have weight 15. The size
# of a point is its weight.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.svm import SVC

rng = np.random.default_rng(3)
X = np.r_[rng.normal(0.0, 0.9, (10, 2)), rng.normal(1.2, 0.9, (10, 2))]
y = np.repeat([0, 1], 10)
equal = np.ones(20)
heavy = equal.copy()
# The three orange rows deepest in the blue class.
heavy[10 + np.argsort(X[10:].sum(axis=1))[:3]] = 15

colors = ListedColormap(["C0", "C1"])
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
for ax, weight, title in zip(axes, (equal, heavy), ("equal weights", "three heavy rows")):
    model = SVC(gamma=0.5).fit(X, y, sample_weight=weight)
    DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="predict", cmap=colors, alpha=0.2, ax=ax
    )
    ax.scatter(*X.T, s=25 * weight, c=y, cmap=colors, edgecolor="white")
    ax.set_title(f"{title}, {np.sum(model.predict(X) != y)} wrong")

# %%
# What iCost does with that
# -------------------------
# On imbalanced data the minority class gets larger weights. *Class-level costs* give each of its
# rows the same weight, the imbalance ratio (IR). *iCost* gives each row its own: a large one at the
# border, a small one in the middle of the other class, where it is probably noise.

from sklearn.datasets import make_moons

from icost_reproduction import WeightBoundaryDisplay

X, y = make_moons((200, 20), noise=0.32, random_state=1)
WeightBoundaryDisplay.from_data(X, y, SVC(), methods=["ncs", "cs", "neighbor"])

# %%
# With class-level costs the orange area grows around every outlier. With iCost the outliers have
# little effect. Cross-validation shows whether that helps on *your* table: see
# :doc:`/guide/when_not`.
