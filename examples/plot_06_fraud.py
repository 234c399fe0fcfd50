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
from sklearn.model_selection import train_test_split

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
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
print(f"{y.sum()} frauds in {len(y):,} payments")

# %%
# Six ways to learn from them
# ---------------------------
# The last one adds no weights at all: it moves the threshold of the plain model to where the cost
# on inner folds is lowest.

from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

from icost import MILD, iCost
from icost.metrics import expected_cost

COSTS = {"cost_fn": 100.0, "cost_fp": 2.0}
base = LogisticRegression(max_iter=1000)
scorer = make_scorer(expected_cost, greater_is_better=False, **COSTS)
models = {
    "plain": iCost(base, method="ncs"),
    "class-level costs": iCost(base, method="cs"),
    "Neighbor-iCost": iCost(base, method="neighbor"),
    "Neighbor-iCost, mild": iCost(base, method="neighbor", **MILD),
    "Gini-iCost": iCost(base, method="gini", random_state=0),
    "plain, tuned threshold": TunedThresholdClassifierCV(base, scoring=scorer, cv=5),
}

import pandas as pd
from sklearn.metrics import confusion_matrix

rows = {}
for name, model in models.items():
    predicted = model.fit(X_train, y_train).predict(X_test)
    tn, fp, fn, tp = confusion_matrix(y_test, predicted).ravel()
    cost = expected_cost(y_test, predicted, **COSTS)
    rows[name] = {"found": tp, "missed": fn, "false alarms": fp, "euro per payment": cost}
table = pd.DataFrame(rows).T.astype({"found": int, "missed": int, "false alarms": int})
table.round(3)

# %%
# A model that flags nothing costs 100 euro times the share of frauds: the dashed line. One that
# flags everything would cost nearly 2 euro per payment.

import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.barh(table.index[::-1], table["euro per payment"][::-1], color="#4a7fb5")
nothing = expected_cost(y_test, np.zeros_like(y_test), **COSTS)
ax.axvline(nothing, color="0.4", linestyle="--")
ax.annotate(
    "flag nothing ",
    (nothing, 1),
    xycoords=("data", "axes fraction"),
    ha="right",
    va="bottom",
    color="0.4",
)
ax.set(xlabel="euro per payment on held-out data")

# %%
# Where the threshold matters more
# --------------------------------
# All six rank the payments in much the same order. The curves show the cost at every threshold:
# most of the difference in the table is where on its curve each model happened to cut.

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name in ["plain", "class-level costs", "Neighbor-iCost"]:
    score = models[name].predict_proba(X_test)[:, 1]
    flagged = np.unique(np.geomspace(1, len(score), 80).astype(int))
    order = np.argsort(-score)
    caught = np.cumsum(y_test[order])[flagged - 1]
    cost = 100 * (y_test.sum() - caught) + 2 * (flagged - caught)
    (line,) = ax.plot(flagged, cost / len(score), label=name)
    cut = int((score > 0.5).sum())
    at_cut = np.interp(cut, flagged, cost / len(score))
    ax.plot(cut, at_cut, "o", color=line.get_color(), markersize=9)
ax.set(xscale="log", xlabel="payments flagged", ylabel="euro per payment")
ax.set_title("cost along each ranking; dots: threshold 0.5", fontsize="medium")
ax.legend()
plt.show()

# %%
# If the costs of errors are known, tune the threshold on them: with weights or without. Weights
# alone only guess where to cut.
