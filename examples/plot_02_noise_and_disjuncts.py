"""
Noise and small disjuncts
=========================

A minority class can be hard in two ways that look alike to class-level costs: outliers among
the majority, which are probably noise, and small groups away from the others, which are probably
real. Class-level costs give both the full weight.
"""

# %%
# One minority, three kinds of rows
# ---------------------------------
# Forty minority rows in one large group, twelve in a separate small group (a *small disjunct*),
# and three outliers.

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(0)
majority = rng.uniform(-4, 4, (500, 2))
large, small = np.array([1.6, 1.6]), np.array([-2.4, -1.8])
near = [np.linalg.norm(majority - centre, axis=1) for centre in (large, small)]
majority = majority[(near[0] > 1.6) & (near[1] > 0.7)]
lone = np.array([[-2.5, 2.5], [2.6, -2.2], [0.0, -2.8]])
minority = np.r_[rng.normal(large, 0.6, (40, 2)), rng.normal(small, 0.25, (12, 2)), lone]
X = np.r_[majority, minority]
y = np.r_[np.zeros(len(majority), dtype=int), np.ones(len(minority), dtype=int)]

# %%
# :class:`~icost.plots.ComplexityDisplay` colours the minority by how many of its five nearest
# neighbours are of the majority: none (*pure*), one or two (*safe*), three or four (*border*), or
# all five (*outlier*).

from icost.plots import ComplexityDisplay

fig, ax = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
ComplexityDisplay.from_data(X, y, features=[0, 1], ax=ax)
ax.scatter(*lone.T, s=260, facecolor="none", edgecolor="black", linewidth=1.5)
ax.set_title("outliers (circled), a large and a small group")
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)

# %%
# The three are outliers, as are two at the fringe; the small group keeps its weight, because its
# rows have each other as neighbours. That is the point of looking at neighbours and not at
# distances from a centre.

from icost import iCost

model = iCost(method="neighbor").fit(X, y)
print(f"imbalance ratio: {model.imbalance_ratio_:.1f}")
print(model.complexity_.to_frame().groupby("category")["penalty"].agg(["count", "mean"]).round(2))

# %%
# What a classifier makes of it
# -----------------------------

from sklearn.svm import SVC

from icost_reproduction import WeightBoundaryDisplay

WeightBoundaryDisplay.from_data(X, y, SVC(), methods=["ncs", "cs", "neighbor"], features=[0, 1])
plt.show()
