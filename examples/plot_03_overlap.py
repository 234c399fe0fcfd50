"""
Overlapping classes
===================

Where the classes overlap, no weight can make them separable. It only decides who pays for the
errors. These pictures show the overlap growing, and with it the share of *border* and *outlier*
samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from icost.plots import ComplexityDisplay

rng = np.random.default_rng(1)
majority, noise = rng.normal(size=(450, 2)), rng.normal(size=(50, 2))
y = np.repeat([0, 1], [450, 50])

fig, axes = plt.subplots(1, 3, figsize=(11, 4.6), layout="constrained", sharey=True)
for ax, shift in zip(axes, (4.0, 2.5, 1.0)):
    X = np.r_[majority, noise + np.array([shift, 0.0])]
    ComplexityDisplay.from_data(X, y, features=[0, 1], ax=ax)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, frameon=False)
    ax.set_title(f"centres {shift:g} standard deviations apart")

# %%
# The same, counted
# -----------------
# The shares tell how hard a minority is before any model is fitted.

from icost import categorize_minority_class

shifts = np.linspace(0.5, 4.5, 17)
shares = []
for shift in shifts:
    X = np.r_[majority, noise + np.array([shift, 0.0])]
    _, rows, _ = categorize_minority_class(X, y)
    shares.append([len(rows[name]) / 50 for name in ("pure", "safe", "border", "outlier")])

fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.stackplot(
    shifts,
    np.transpose(shares),
    labels=["pure", "safe", "border", "outlier"],
    colors=["#4c9f70", "#8ab6d6", "#e0a030", "#c04040"],
)
ax.set(
    xlabel="distance of the centres", ylabel="share of the minority", xlim=(0.5, 4.5), ylim=(0, 1)
)
ax.legend(loc="upper right")
plt.show()
