"""
Fraud: few positives, unequal costs
===================================

One payment in two hundred is a fraud. A missed fraud costs 100 euro, a false alarm 2 euro for the
phone call. What counts is neither accuracy nor MCC but the cost per payment, and it depends on the
threshold at least as much as on the weights.
"""

# %%
# Fraud-like data
# ---------------
# 20,000 payments. Most frauds form a few patterns; some look like any other payment, and no
# model will find those.

import numpy as np
from sklearn.datasets import make_classification

X, y = make_classification(
    n_samples=20_000,
    n_features=12,
    n_informative=6,
    n_clusters_per_class=3,
    weights=[0.996],
    flip_y=0.002,
    class_sep=1.4,
    random_state=0,
)
print(f"{y.sum()} frauds in {len(y):,} payments")

# %%
# Six strategies, ten splits
# --------------------------
# A test set has 24 frauds, and a few of them more or less would change the order of the strategies.
# So all of them are tried on the same ten random splits. The last two add no weights for the
# cost: one tunes the threshold of the plain model on inner folds, the ensemble calibrates its
# probabilities and flags a payment where that is the cheaper decision.

from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedShuffleSplit, TunedThresholdClassifierCV

from icost import iCost, iCostEnsemble
from icost.metrics import expected_cost

COSTS = {"cost_fn": 100.0, "cost_fp": 2.0}
base = LogisticRegression(max_iter=1000)
scorer = make_scorer(expected_cost, greater_is_better=False, **COSTS)
models = {
    "plain": iCost(base, method="ncs"),
    "class-level costs": iCost(base, method="cs"),
    "Neighbor-iCost": iCost(base, method="neighbor"),
    "Gini-iCost": iCost(base, method="gini", random_state=0),
    "plain, tuned threshold": TunedThresholdClassifierCV(base, scoring=scorer, cv=5),
    "ensemble": iCostEnsemble(base, threshold="cost", random_state=0, **COSTS),
}

import pandas as pd
from sklearn.metrics import confusion_matrix

splits = StratifiedShuffleSplit(10, test_size=0.25, random_state=0)
rows = []
for train, test in splits.split(X, y):
    for name, model in models.items():
        predicted = model.fit(X[train], y[train]).predict(X[test])
        _, alarms, missed, found = confusion_matrix(y[test], predicted).ravel()
        cost = expected_cost(y[test], predicted, **COSTS)
        rows.append((name, found, missed, alarms, cost))
columns = ["strategy", "found", "missed", "false alarms", "euro per payment"]
rows = pd.DataFrame(rows, columns=columns)
table = rows.groupby("strategy", sort=False).mean()
table.round(2)

# %%
# A model that flags nothing costs 100 euro times the share of frauds: the dashed line. One that
# flags everything would cost nearly 2 euro per payment. A small dot is a split, the large one their
# mean.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for place, name in enumerate(reversed(models)):
    cost = rows.loc[rows["strategy"] == name, "euro per payment"]
    ax.plot(cost, [place] * len(cost), "o", color="0.7", markersize=4)
    ax.plot(cost.mean(), place, "o", color="C0", markersize=9)
nothing = expected_cost(y[test], np.zeros_like(y[test]), **COSTS)
ax.axvline(nothing, color="0.4", linestyle="--")
ax.annotate(
    "flag nothing ",
    (nothing, 1),
    xycoords=("data", "axes fraction"),
    ha="right",
    va="bottom",
    color="0.4",
)
ax.set_yticks(range(len(models)), list(reversed(models)))
ax.set(xlabel="euro per payment on held-out data")

# %%
# Where the threshold matters more
# --------------------------------
# All of them rank the payments in much the same order. The curves, of the last split, show the cost
# at every threshold: most of the difference in the table is where each model happened to cut.

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name in ["plain", "class-level costs", "Neighbor-iCost"]:
    score = models[name].predict_proba(X[test])[:, 1]
    flagged = np.unique(np.geomspace(1, len(score), 80).astype(int))
    order = np.argsort(-score)
    caught = np.cumsum(y[test][order])[flagged - 1]
    cost = 100 * (y[test].sum() - caught) + 2 * (flagged - caught)
    (line,) = ax.plot(flagged, cost / len(score), label=name)
    cut = int((score > 0.5).sum())
    at_cut = np.interp(cut, flagged, cost / len(score))
    ax.plot(cut, at_cut, "o", color=line.get_color(), markersize=9)
ax.set(xscale="log", ylim=(0.2, 0.8), xlabel="payments flagged", ylabel="euro per payment")
ax.set_title("cost along each ranking; dots: threshold 0.5", fontsize="medium")
ax.legend()
plt.show()

# %%
# If the costs of errors are known, decide by them: tune the threshold on them, or let a calibrated
# model do so. Weights alone only guess where to cut.
