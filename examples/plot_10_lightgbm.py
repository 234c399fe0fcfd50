"""
LightGBM with instance weights
==============================

Boosters take sample weights, so iCost needs nothing special for them. Early stopping does need
thought: the evaluation set should be weighted like the training set, or not at all, and you should
know which.
"""

# %%
# As a base classifier
# --------------------
# What ``fit`` gets besides goes to the booster; labels are encoded on the way. Trees need no scaled
# columns but neighbours do, hence the ``preprocessor``: it makes the space in which neighbours are
# sought, and the booster still gets the table as it is.

from lightgbm import LGBMClassifier, early_stopping, log_evaluation
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from icost import iCost
from icost.datasets import load_dataset

X, y = load_dataset("page-blocks0", return_X_y=True)
X_rest, X_test, y_rest, y_test = train_test_split(X, y, stratify=y, random_state=0)
X_train, X_stop, y_train, y_stop = train_test_split(X_rest, y_rest, stratify=y_rest, random_state=0)

booster = LGBMClassifier(n_estimators=400, learning_rate=0.05, random_state=0, n_jobs=1, verbose=-1)
quiet = {"callbacks": [early_stopping(25, verbose=False), log_evaluation(0)]}
model = iCost(booster, method="neighbor", preprocessor=StandardScaler())
model.fit(X_train, y_train, eval_X=X_stop, eval_y=y_stop, **quiet)
print(f"stopped after {model.estimator_.best_iteration_} trees")

# %%
# Weights alone
# -------------
# For a training loop of your own take the vector from :func:`~icost.instance_weights`. Here it
# makes a native ``Dataset``.

import lightgbm

from icost import instance_weights

weights = instance_weights(X_train, y_train, preprocessor=StandardScaler())
train_set = lightgbm.Dataset(X_train, (y_train == "positive").astype(int), weight=weights)
native = lightgbm.train(
    {"objective": "binary", "learning_rate": 0.05, "verbose": -1, "num_threads": 1},
    train_set,
    num_boost_round=50,
)

# %%
# Is it worth it for a booster?
# -----------------------------
# Trees of a booster already concentrate on what is hard, so weights have less left to do than for a
# linear model.

import matplotlib.pyplot as plt
import pandas as pd

from icost.metrics import classification_scores

methods = {"ncs": "plain", "cs": "class-level costs"}
methods |= {"neighbor": "Neighbor-iCost", "gini": "Gini-iCost"}
rows = {}
for method, name in methods.items():
    model = iCost(booster, method=method, preprocessor=StandardScaler(), random_state=0)
    model.fit(X_train, y_train, eval_X=X_stop, eval_y=y_stop, **quiet)
    probability = model.predict_proba(X_test)[:, 1]
    rows[name] = classification_scores(y_test, model.predict(X_test), y_proba=probability)
table = pd.DataFrame(rows).T[["mcc", "sensitivity", "specificity", "pr_auc", "brier"]]
print(table.round(3))

# Dots, as the axis does not start at 0: a bar would be read by its length.
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
for marker, (score, name) in zip(
    "osD", {"mcc": "MCC", "sensitivity": "sensitivity", "pr_auc": "PR-AUC"}.items()
):
    ax.plot(table[score], table.index, marker, label=name, markersize=8)
ax.set(title="LightGBM on page-blocks0", xlabel="score")
fig.legend(loc="outside right upper")
plt.show()
