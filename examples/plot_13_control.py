"""
Shape or size? A control for every gain
=======================================

iCost differs from class-level costs in two ways: its weights *vary* between rows, and they are
*smaller on average*. The second needs no complexity measure at all. This example separates the two.
"""

# %%
# The control
# -----------
# Give each minority row the *mean* of the iCost weights. The total weight of the minority is the
# same, the differences between rows are gone.

from icost import instance_weights


def same_total(X, y):
    weights = instance_weights(X, y)
    weights[y] = weights[y].mean()
    return weights


# %%
# Three ways to weight, in five folds on each of a dozen sets. Scaling and weights see the training
# fold only.

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from icost.datasets import load_dataset

NAMES = [
    "pima", "glass0", "yeast1", "vehicle1", "new-thyroid1", "ecoli2",
    "glass6", "ecoli3", "yeast-2_vs_4", "glass4", "ecoli4", "yeast4",
]  # fmt: skip
CLASSIFIERS = {"LR": LogisticRegression(max_iter=1000), "SVM": SVC()}
WEIGHTS = {
    "class-level": lambda X, y: instance_weights(X, y, method="cs"),
    "Neighbor-iCost": instance_weights,
    "same-total": same_total,
}

rows = []
for name in NAMES:
    X, y = load_dataset(name, return_X_y=True)
    X, y = X.to_numpy(float), (y == "positive").to_numpy()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        scaler = MinMaxScaler().fit(X[train])
        X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
        for weighting, weigh in WEIGHTS.items():
            weight = weigh(X_train, y[train])
            for label, base in CLASSIFIERS.items():
                predicted = base.fit(X_train, y[train], sample_weight=weight).predict(X_test)
                mcc = 100 * matthews_corrcoef(y[test], predicted)
                rows.append((name, label, weighting, mcc))
rows = pd.DataFrame(rows, columns=["dataset", "classifier", "weighting", "mcc"])
table = rows.pivot_table(index=["classifier", "dataset"], columns="weighting", values="mcc")
table.groupby("classifier").mean().round(1)

# %%
# Against class-level costs, and against the control
# --------------------------------------------------
# Left, the comparison of the paper. Right, what remains once the total weight is the same.

import matplotlib.pyplot as plt

from icost_reproduction import DeltaDisplay

fig, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained", sharex=True)
for row, label in zip(axes, CLASSIFIERS):
    scores = table.loc[label]
    for ax, baseline in zip(row, ("class-level", "same-total")):
        DeltaDisplay.from_data(scores["Neighbor-iCost"], scores[baseline], scores.index, ax=ax)
        ax.set_xlabel(f"{label}: ΔMCC against {baseline}")
plt.show()

# %%
# A dozen sets and one seed leave much to chance; :doc:`/evidence/index` has the whole study, and
# :doc:`/guide/when_not` draws the conclusion.
