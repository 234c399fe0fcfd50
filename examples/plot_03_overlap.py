"""
Overlapping classes
===================

Where the classes overlap, no weight can make them separable. It only decides on which class
the errors fall. These pictures show the overlap growing, and with it the share of *border* and
*outlier* rows.
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
    ax.get_legend().remove()
    ax.set_title(f"centres {shift:g} deviations apart")
handles = {
    text.partition(" (")[0]: handle
    for ax in axes
    for handle, text in zip(*ax.get_legend_handles_labels())
}
fig.legend(handles.values(), handles, loc="outside lower center", ncols=5)

# %%
# The same, counted
# -----------------
# The shares show how hard a minority is before any model is fitted.

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
    colors=["C2", "C0", "C1", "C3"],
)
ax.set(
    xlabel="distance of the centres", ylabel="share of the minority", xlim=(0.5, 4.5), ylim=(0, 1)
)
fig.legend(loc="outside right upper")
plt.show()
