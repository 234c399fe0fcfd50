"""
How hard is my minority class?
==============================

Before fitting anything: sort the minority rows of a real data set by the classes of their
neighbours, and look at the hard ones.
"""

# %%
# The yeast4 data: 51 of 1,484 proteins are of the rare class. All columns run from 0 to 1, so
# distances between rows make sense.

from icost.datasets import load_dataset

yeast = load_dataset("yeast4")
X, y = yeast.data, yeast.target
print(yeast.DESCR.splitlines()[0])

# %%
# In two principal components:

from icost.plots import ComplexityDisplay

display = ComplexityDisplay.from_data(X, y)
display.ax_.set_title("yeast4: hardly a rare protein has it easy")

# %%
# The same as a table: one row per minority row, with the number of majority rows among its
# five nearest neighbours.

from icost import categorize_minority_class

table = categorize_minority_class(X, y, return_dataframe=True)
table.sort_values("score", ascending=False).head(8)

# %%
# Not all data are like that
# --------------------------
# Some minorities are nearly pure, some are all outliers. The shares often say more about what a
# classifier can reach than the imbalance ratio does.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

from icost import iCost

names = ["vehicle2", "ecoli3", "pima", "yeast4", "yeast1", "glass2"]
rows = {}
for name in names:
    data = load_dataset(name)
    scaled = MinMaxScaler().fit_transform(data.data)
    model = iCost(method="neighbor").fit(scaled, data.target)
    rows[f"{name} (IR {data.imbalance_ratio:.1f})"] = model.complexity_.counts()

shares = pd.DataFrame(rows).T[["pure", "safe", "border", "outlier"]].fillna(0)
shares = shares.div(shares.sum(axis=1), axis=0)
colors = ["C2", "C0", "C1", "C3"]
ax = shares[::-1].plot.barh(stacked=True, color=colors, figsize=(7, 3.4), width=0.75)
ax.set(xlabel="share of the minority", xlim=(0, 1))
ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.45, 1.0), frameon=False)
plt.tight_layout()
plt.show()
