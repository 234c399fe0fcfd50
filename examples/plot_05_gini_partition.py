"""
The regions of Gini-iCost
=========================

Gini-iCost does not look at neighbours but at regions: a shallow decision tree, the *probe*, cuts
the feature space into leaves, and the classes in a leaf show how hard its minority rows are.
"""

# %%
# The tree itself is thrown away; only the leaves' shares count. A leaf with at least 80 % minority
# makes its rows *pure*, one with at most 20 % makes them *outliers*, and in between they are
# *mixed*, with a cost between those of safe and border rows.

from icost.datasets import load_dataset
from icost_reproduction import GiniPartitionDisplay

X, y = load_dataset("yeast3", return_X_y=True)
display = GiniPartitionDisplay.from_data(X, y)
display.ax_.set_title("yeast3 in the two features that the probe uses most", pad=24)

# %%
# From share to cost
# ------------------
# In a mixed leaf with minority share :math:`p` the ambiguity is :math:`s = 2(1 - p^2 - (1-p)^2)`,
# and the cost runs from ``cfs`` at :math:`s = 0` to ``cfb`` at :math:`s = 1`. With the paper's
# costs, as multiples of the imbalance ratio:

import matplotlib.pyplot as plt
import numpy as np

from icost import PAPER

share = np.linspace(0, 1, 501)
ambiguity = 2 * (1 - share**2 - (1 - share) ** 2)
mixed = (1 - ambiguity) * PAPER["cfs"] + ambiguity * PAPER["cfb"]
cost = np.select([share >= 0.80, share <= 0.20], [PAPER["cfp"], PAPER["cfo"]], mixed)

fig, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
ax.plot(share, cost)
ax.axhline(1, color="0.6", linestyle="--", linewidth=1)
ax.annotate("class-level costs", (0.02, 1.02), color="0.4")
ax.set(xlabel="minority share of the leaf", ylabel="cost / IR", ylim=(0, 1.4))

# %%
# On all features
# ---------------
# The picture above has two dimensions; the estimator uses all of them.

from icost import iCost

model = iCost(method="gini", random_state=0).fit(X, y)
print(model.complexity_)
plt.show()
