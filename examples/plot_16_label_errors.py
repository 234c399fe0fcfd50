"""
Which labels are suspect?
=========================

A hard row need not be labelled wrongly. `label_quality` judges every label by models that have not
seen the row, and ranks the rows by the odds that their label is wrong.
"""

# %%
# Two crescents, a minority of one in six, and 20 labels that we change on purpose: ten minority
# rows are hidden in the majority, and ten majority rows are called minority.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from icost import label_quality

X, truth = make_moons((500, 100), noise=0.2, random_state=0)
rng = np.random.default_rng(0)
hidden = rng.choice(np.flatnonzero(truth == 1), 10, replace=False)
called = rng.choice(np.flatnonzero(truth == 0), 10, replace=False)
labels = truth.copy()
labels[hidden], labels[called] = 0, 1

quality = label_quality(X, labels, random_state=0)

# %%
# The truth on the left, the suspects on the right. Changed labels far from their class are easy to
# see. Where the crescents meet, and where the minority is sparse, a changed label looks like any
# other.

changed = labels != truth
fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharex=True, sharey=True)
rings = {"Labels changed on purpose": changed, "Suspects": quality.is_suspect}
for ax, (title, is_ringed) in zip(axes, rings.items(), strict=True):
    for label, color in ((0, "0.75"), (1, "C0")):
        ax.scatter(*X[labels == label].T, s=12, color=color, label=f"label {label}")
    ax.scatter(*X[is_ringed].T, s=70, facecolors="none", edgecolors="C1", label="marked")
    ax.set(title=f"{title}: {is_ringed.sum()}", xticks=[], yticks=[])
axes[0].legend(loc="lower left")
plt.show()

# %%
# Check rows in the order of their odds. So many of the first 20 were changed:

first = quality.order[:20]
print(f"{changed[first].sum()} of 20 first rows, {changed[quality.is_suspect].sum()} suspects")
print(quality.to_frame().iloc[first[:5]])

# %%
# The score does not prefer a direction: it estimates from the table how many rows of each class
# bear the label of the other. Row 0, column 1 is a rough count of rows of class 0 labelled 1.

print(quality.expected_errors.round(1))

# %%
# Without a wrong label, the same crescents have suspects too, since the classes overlap. The number
# of suspects is no estimate of the number of errors.

print(label_quality(X, truth, random_state=0))
