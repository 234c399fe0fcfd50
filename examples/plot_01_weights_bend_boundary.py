"""
Weights bend a boundary
=======================

A sample weight says how much an error on that sample costs. A support vector machine that is told
to care more about a few samples moves its boundary towards them, and others pay for it.
"""

# %%
# Two classes, and a few samples that matter more
# -----------------------------------------------
# The same twenty samples twice: once they all weigh 1, once three of them weigh 15. The size of a
# point is its weight.

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
# The three orange samples deepest in the blue class.
heavy[10 + np.argsort(X[10:].sum(axis=1))[:3]] = 15

colors = ListedColormap(["C0", "C1"])
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
for ax, weight, title in zip(axes, (equal, heavy), ("equal weights", "three heavy samples")):
    model = SVC(gamma=0.5).fit(X, y, sample_weight=weight)
    DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="predict", cmap=colors, alpha=0.2, ax=ax
    )
    ax.scatter(*X.T, s=25 * weight, c=y, cmap=colors, edgecolor="white")
    ax.set_title(f"{title}, {np.sum(model.predict(X) != y)} wrong")

# %%
# What iCost does with that
# -------------------------
# On imbalanced data everybody weights the rare class. *Class-level costs* give each of its samples
# the same weight, the imbalance ratio (IR). *iCost* gives each its own: much for samples at the
# border, little for those in the middle of the other class, which are probably noise.

from sklearn.datasets import make_moons

from icost_reproduction import WeightBoundaryDisplay

X, y = make_moons((200, 20), noise=0.32, random_state=1)
WeightBoundaryDisplay.from_data(X, y, SVC(), methods=["ncs", "cs", "neighbor"])

# %%
# With class-level costs the orange area grows around every lone orange sample. iCost leaves the
# lone ones small. Whether that helps on *your* data is a question for cross-validation: see
# :doc:`/guide/when_not`.
