"""
Which labels are wrong?
=======================

A hard row is not a wrong one. `label_quality` asks models that have not seen a row whether they
would give it its label, and tells rows that are merely hard from rows that are worth a second look.
"""

# %%
# A real set, in which we change 16 labels on purpose: half of them hide minority rows, half call
# other rows minority.

import matplotlib.pyplot as plt
import numpy as np

from icost import NeighborComplexity, label_quality
from icost.datasets import load_dataset

X, y = load_dataset("vehicle2", return_X_y=True)
truth = y.to_numpy()
rng = np.random.default_rng(0)
hidden = rng.choice(np.flatnonzero(truth == "positive"), 8, replace=False)
called = rng.choice(np.flatnonzero(truth == "negative"), 8, replace=False)
labels = truth.copy()
labels[hidden], labels[called] = "negative", "positive"

quality = label_quality(X, labels, random_state=0)

# %%
# Rows in the order in which to look at them, the most doubtful first. Of the first 16, so many were
# changed:

changed = np.isin(np.arange(len(y)), [*hidden, *called])
print(f"{changed[quality.order[:16]].sum()} of 16")
print(quality.to_frame().iloc[quality.order[:5]])

# %%
# How many labels can be told wrong, of each class, and how well the classes can be told apart at
# all. Where they overlap fully (0.5), no label can be told wrong.

print(quality.n_wrong, {label: round(auc, 2) for label, auc in quality.told_apart.items()})

# %%
# The score of every row. Hidden minority rows have a score as low as rows that were called
# minority, though the classes differ in size.

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
bins = np.linspace(0, 1, 41)
ax.hist(quality.score[~changed], bins, color="#c5c9d3", label="labels as they were")
ax.hist(quality.score[hidden], bins, color="#0f766e", label="hidden minority")
ax.hist(quality.score[called], bins, color="#c2410c", alpha=0.8, label="called minority")
ax.set(yscale="log", xlabel="score of the label", ylabel="rows")
ax.legend()
plt.show()

# %%
# The share of foreign neighbours answers another question, and only of minority rows: those with
# nothing but other classes around them are worth a look, yet hidden rows are not among them.

minority = np.flatnonzero(labels == "positive")
space = (X - X.mean()) / X.std()
foreign = NeighborComplexity(5).estimate(space.to_numpy(), labels == "positive").score
lone = minority[foreign == 1]
print(f"{len(lone)} lone rows, {changed[lone].sum()} of them changed")
